"""The combined S-box of Teng et al. (IEEE Access 2022): five stages on the polynomial tower.

The publication's equations are not openly accessible. Known from Lin et al. (2023): the tower, five stages, 44 register
bits, and that the two multiplications in GF(2^4) after the inversion limit the clock. So the stages here are change of
basis, norm, inversion in GF(2^4), both multiplications, change of basis: 8 + 12 + 12 + 8 = 40 bits, and `decrypt` in
each of the four ranks, which makes the 44.
"""

from __future__ import annotations

import dataclasses

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.pipeline import StagedCircuit, from_registers
from aesmith.publications import Publication
from aesmith.sboxes.around_inverter import AroundInverter
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.zhang2004 import BASIS, inverse_4_direct, inverter_with, place_norm, place_products

PUBLICATION = Publication(
    "teng2022",
    "Y.-T. Teng, W.-L. Chin, D.-K. Chang, P.-Y. Chen, P.-W. Chen",
    "VLSI Architecture of S-Box With High Area Efficiency Based on Composite Field Arithmetic",
    "IEEE Access 10",
    2022,
)

ARCHITECTURE = AroundInverter(
    "teng2022",
    BASIS,
    BASIS,
    inverter_with(inverse_4_direct),
    shallow=True,
    out_of="inverse change of basis",
)


def _stages_by_cut(marked: Circuit) -> StagedCircuit:
    """The circuit with its first output port only; every further port names the wires of one cut, the first cut first.

    What a stage needs and its registers do not hold is computed again. Cuts must not add gates of their own.
    """
    width = marked.outputs[0].width
    circuit = dataclasses.replace(marked, outputs=marked.outputs[:1], output_nodes=marked.output_nodes[:width])
    registers, position = [], width
    for port in marked.outputs[1:]:
        registers.append(marked.output_nodes[position : position + port.width])
        position += port.width
    return from_registers(circuit, registers)


def staged() -> StagedCircuit:
    """The combined S-box in its five stages; `decrypt` goes along in every rank."""
    builder = CircuitBuilder("teng2022_combined")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
    inner = ARCHITECTURE.place_selected_in(builder, x, decrypt)
    total, norm = place_norm(builder, inner)
    with builder.block("Θ: inversion in GF(2^4)"):
        theta = inverse_4_direct(builder, norm)
    product = place_products(builder, inner[4:], total, theta)
    builder.output("y", ARCHITECTURE.place_selected_out(builder, product, decrypt))
    for i, cut in enumerate((inner, inner[4:] + total + norm, inner[4:] + total + theta, product)):
        builder.output(f"cut{i}", [*cut, decrypt])
    return _stages_by_cut(builder.build())


ENTRY = SBox(
    name="teng2022",
    publication=PUBLICATION,
    summary="polynomial tower in five stages",
    circuits=ARCHITECTURE.circuits(),
    claims=(
        Claim(Function.COMBINED, "3030.3 MHz, 930 gates, 44 register bits in five stages (TSMC 40 nm, by Lin et al.)"),
    ),
    bases=(BASIS, BASIS),
    provenance="derived from the structure that Lin et al. describe; the publication's own netlist is not known",
    stagings={Function.COMBINED: staged},
)

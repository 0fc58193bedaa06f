"""`masked-round-encdec`: a round-based core for both directions on shares, around masked inverters.

Ueno et al. (TC 2020) section 5.4: in their data path for both directions the inverters are all that is not linear, so a
masked inverter takes their place and everything else is there once a share. State and round key are words of the
inverter's tower with their multiplicative offset, whose merged maps leave no map in front of the inverters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.linear import linear_map
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.masked.parts import fresh_bits, in_shares, masked_inverter_sources, masked_remarks
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.offset import OffsetMaps
from aesmith.publications import Publication
from aesmith.sboxes import table
from aesmith.sboxes.canright2005 import BASIS

PUBLICATION = Publication(
    "ueno2020",
    "R. Ueno, S. Morioka, N. Miura, K. Matsuda, M. Nagata, S. Bhasin, Y. Mathieu, T. Graba, J.-L. Danger, N. Homma",
    "High Throughput/Gate AES Hardware Architectures Based on Datapath Compression",
    "IEEE Transactions on Computers 69(4)",
    2020,
)

CORE = "masked_two_way_core"
MODULES = (
    "shift_rows",
    "two_way_words",
    "masked_two_way_sequencer",
    "masked_two_way_share",
    CORE,
)
INVERTERS = 20
"""16 for the state, four for the key."""
BOTH = (Direction.ENCRYPT, Direction.DECRYPT)


def linear_operations(maps: OffsetMaps) -> Circuit:
    """Four inverted bytes of a column, after ShiftRows, to MixColumns of S of them (`next`), and to S (`post`), both
    without constants: Φ, and MixColumns on register words, which together are Ω0 to Ω3 (equation 14)."""
    builder = CircuitBuilder("linear_operations")
    x = builder.input("x", 32)
    phi = linear_map(maps.phi, quick=True)
    with builder.block("Φ of each byte"):
        post = [wire for row in range(4) for wire in phi.place(builder, x[8 * row : 8 * row + 8])]
    with builder.block("MixColumns"):
        coefficients = [maps.delta @ aes.FIELD.multiplication(c) @ maps.delta_inverse for c in aes.MIX_COLUMNS]
        builder.output("next", linear_map(_circulant(coefficients), quick=True).place(builder, post))
    builder.output("post", post)
    return builder.build()


def inverse_linear_operations(maps: OffsetMaps) -> Circuit:
    """Four bytes of a column, inverted and with their round key, to the next column, without its constant: Λ0 to Λ3
    (equation 15)."""
    program = linear_map(_circulant([maps.lambda_(k) for k in range(4)]), quick=True)
    return program.circuit("inverse_linear_operations")


def round_constants(maps: OffsetMaps) -> Circuit:
    """{decrypt, rounds that have ended} (5 bits, 0 to 9) to the constant of the step of the key schedule."""
    forwards = [maps.round_constant(step) for step in range(1, 11)] + [0] * 6
    backwards = [maps.round_constant(step) for step in range(10, 0, -1)] + [0] * 6
    return table.lookup("round_constants", forwards + backwards, 8)


def _circulant(maps: list[BitMatrix]) -> BitMatrix:
    """The map of a column whose row r is the sum of maps[e - r] of element e."""
    rows = (sum(maps[(e - row) % 4].rows[bit] << 8 * e for e in range(4)) for row in range(4) for bit in range(8))
    return BitMatrix(tuple(rows), 32)


@dataclass(frozen=True)
class MaskedRoundEncdec:
    """The core at an order of protection, with inverters of 3 or 4 clocks and offset γ."""

    order: int = 1
    clocks: int = 4
    clock_gates: bool = True
    gamma: int = 0x4F

    @property
    def shares(self) -> int:
        """Shares of each value."""
        return self.order + 1

    @property
    def fresh_bits(self) -> int:
        """Bits that an inverter takes in each clock: every stage has a block of its own."""
        return fresh_bits(self.order, self.clocks)

    @property
    def maps(self) -> OffsetMaps:
        """All merged linear maps, between words of the inverter's tower."""
        return OffsetMaps(BASIS, BASIS, self.gamma)

    @property
    def ports(self) -> Ports:
        """Those of the block interface in shares, and the channel of fresh bits."""
        return in_shares(block_interface((128,), BOTH), self.shares, INVERTERS * self.fresh_bits)

    def leaves(self, name: str) -> tuple[SourceFile, ...]:
        """The merged maps, without constants."""
        maps = self.maps
        where = f"Register words: bits of canright2005's basis, γ = {self.gamma:#04x}."
        bytes_of = {
            "pre_round_map": (maps.delta, "Δγ: AES field to register words"),
            "post_round_map": (maps.delta_inverse, "Δ'γ⁻¹: register words to AES field"),
            "decryption_load_map": (maps.decryption_load, "Δ·γ⁻¹·A'·γ⁻¹·Δ': the first inverse affine map"),
            "affine": (maps.phi, "Φ: the affine map of SubWord"),
        }
        circuits = {
            module: (linear_map(matrix, quick=True).circuit(module), text)
            for module, (matrix, text) in bytes_of.items()
        }
        circuits |= {
            "linear_operations": (linear_operations(maps), "Φ (post), and MixColumns behind it (next), of a column"),
            "inverse_linear_operations": (inverse_linear_operations(maps), "Λ0 to Λ3 of a column"),
            "round_constants": (round_constants(maps), "Δ(γ·Rcon) for each direction and number of ended rounds"),
        }
        return tuple(
            leaf_source(name, module, circuit, f"{text} (Ueno et al., TC 2020).\n{where}")
            for module, (circuit, text) in circuits.items()
        )

    def sources(self, name: str, title: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        holding = ("clock_gate", "serial_clock_enable") if self.clock_gates else ("serial_clock_enable",)
        parameters = {
            "Shares": self.shares,
            "Clocks": self.clocks,
            "Fresh": self.fresh_bits,
            "ClockGates": self.clock_gates,
            "AffineConstant": self.maps.phi_constant,
            "InverseAffineConstant": self.maps.lambda_constant,
        }
        return (
            *masked_inverter_sources(name, self.order, self.clocks, clock_gates=self.clock_gates),
            *self.leaves(name),
            *packaged_sources(name, (*holding, *MODULES)),
            PackagedCore(CORE, parameters).top(name, self.ports, title),
        )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        run = 10 * self.clocks
        title = f"AES-128 encryption and decryption masked at order {self.order}, {self.clocks} clocks a round"
        return CoreDesign(
            name=name,
            preset=preset,
            title=title,
            sources=Sources(partial(self.sources, name, title)),
            key_bits=(128,),
            directions=BOTH,
            ports=self.ports,
            cycles_per_block=run,
            latency_cycles=run + 1,
            parameters={
                "key_bits": 128,
                "order": self.order,
                "clocks": self.clocks,
                "clock_gates": self.clock_gates,
                "gamma": self.gamma,
            },
            publication=PUBLICATION,
            remarks=(
                *masked_remarks(self.order, run, INVERTERS * self.fresh_bits),
                f"The first block to decrypt under a new key is taken {run + 1} clocks after it is offered to an idle "
                "core, fresh bits provided: the last round key is computed once a key, during which no key is "
                "accepted. Under one key, a change of direction costs one clock.",
                "The stored key keeps the sharing in which it came, or that of the last run of its schedule.",
            ),
            turn_cycles=1,
        )

"""`ueno2020-enc`: the compressed encryption data path of Ueno et al. (TC 2020, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.linear import LinearProgram, paar, smallest_depth
from aesmith.cores.design import CoreDesign, Direction, PublishedFigures, SourceFile
from aesmith.cores.sources import leaf_source, rtl_source
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.tower import NormalTower
from aesmith.publications import PUBLICATIONS
from aesmith.sboxes import table, ueno2015

ROUNDS = 10
TOP = "ueno2020_enc"

PUBLISHED = (
    PublishedFigures(
        "table 3, row “This work”", "area optimisation, NanGate 45 nm worst case", 11257.33, 17.38, 632.91, 719.64
    ),
    PublishedFigures(
        "table 4, row “This work”", "area-speed optimisation, NanGate 45 nm worst case", 12127.00, 13.97, 787.40, 831.10
    ),
)

_SHARED_TRIES = 200


@dataclass(frozen=True)
class Ueno2020Enc:
    """The core's leaf circuits for one tower (α, β) and offset γ, all elements of the AES field.

    Raises RequestError if the gate equations of the ueno2015 inverter do not hold in the tower.
    """

    alpha: int
    beta: int
    gamma: int

    def __post_init__(self) -> None:
        if not ueno2015.fits(NormalTower(self.alpha, self.beta)):
            valid = ", ".join(f"({tower.alpha:#04x}, {tower.beta:#04x})" for tower in ueno2015.towers())
            raise RequestError(
                f"alpha, beta: must be a tower of the ueno2015 inverter, one of {valid}, "
                f"not ({self.alpha:#04x}, {self.beta:#04x})"
            )

    @cached_property
    def maps(self) -> OffsetMaps:
        """All merged linear maps."""
        tower = NormalTower(self.alpha, self.beta)
        return OffsetMaps(tower.nb, tower.rrb, self.gamma)

    def pre_round_map(self) -> Circuit:
        """Δγ: a byte of the AES field to the tower with offset."""
        return self._shallow(self.maps.delta).circuit("pre_round_map")

    def post_round_map(self) -> Circuit:
        """Δ'γ⁻¹: back to the AES field."""
        return self._shallow(self.maps.delta_inverse).circuit("post_round_map")

    def unified_affine(self) -> Circuit:
        """f (RRB, 10 bits) to Φ(f) with its constant and Ω1(f), one XOR network of least depth."""
        program = self._shallow(stack([self.maps.phi, self.maps.omega(1)]))
        builder = CircuitBuilder("unified_affine")
        wires = program.place(builder, builder.input("f", 10), self.maps.phi_constant)
        builder.output("phi", wires[:8])
        builder.output("omega1", wires[8:])
        return builder.build()

    def affine(self) -> Circuit:
        """f (RRB, 10 bits) to Φ(f) with its constant: the affine map of SubWord."""
        builder = CircuitBuilder("affine")
        program = self._shallow(self.maps.phi)
        builder.output("phi", program.place(builder, builder.input("f", 10), self.maps.phi_constant))
        return builder.build()

    def round_constants(self) -> Circuit:
        """Round counter (4 bits) to the constant Δ(γ·Rcon) of the key-schedule step in that clock.

        A block is loaded at round 0 (idle) or 10 (a result leaves); both begin the key schedule.
        """
        steps = [self.maps.round_constant(1 if round_ in (0, ROUNDS) else round_ + 1) for round_ in range(ROUNDS + 1)]
        return table.lookup("round_constants", steps + [0] * (16 - len(steps)), 8)

    @staticmethod
    def _shallow(matrix: BitMatrix) -> LinearProgram:
        return paar(matrix, smallest_depth(matrix), tries=_SHARED_TRIES)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        where = f"α = {self.alpha:#04x}, β = {self.beta:#04x}, γ = {self.gamma:#04x}"
        paper = "Ueno et al., TC 2020"
        leaves = (
            ("pre_round_map", self.pre_round_map(), f"Δγ, AES field to tower field with offset ({paper}, figure 5)."),
            ("post_round_map", self.post_round_map(), f"Δ'γ⁻¹, back to the AES field ({paper}, figure 5)."),
            (
                "unified_affine",
                self.unified_affine(),
                f"Φ with its constant, and Ω1, of one inverter output ({paper}, equation 14, figure 9(b)).\n"
                "f: RRB word p4 … p0 q4 … q0; phi, omega1: NB words.",
            ),
            ("affine", self.affine(), f"Φ with its constant ({paper}, section 4.2).\nf: RRB word; phi: NB word."),
            (
                "round_constants",
                self.round_constants(),
                f"Δ(γ·Rcon) for each value of the round counter ({paper}, section 3.3).",
            ),
            (
                "inverter",
                ueno2015.inverter(),
                "Inversion in GF((2^4)^2): Ueno et al., CHES 2015.\n"
                "x: NB word h4 h3 h2 h1 l4 l3 l2 l1; y: RRB word p4 … p0 q4 … q0.",
            ),
        )
        emitted = tuple(leaf_source(name, module, circuit, f"{text}\n{where}.") for module, circuit, text in leaves)
        rtl = ("round_sequencer", "shift_rows", "ueno2020_linear_operations", "ueno2020_key_schedule", TOP)
        return emitted + tuple(rtl_source(name, module, TOP) for module in rtl)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        return CoreDesign(
            name=name,
            preset=preset,
            title="AES-128 encryption, one round a clock, in a tower field with multiplicative offset",
            sources=self.sources(name),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            block_width=128,
            cycles_per_block=ROUNDS,
            latency_cycles=ROUNDS + 1,
            parameters={"key_bits": 128, "alpha": self.alpha, "beta": self.beta, "gamma": self.gamma},
            publication=PUBLICATIONS["ueno2020"],
            published=PUBLISHED,
        )

"""The cores of Ueno et al. for both directions, with and without offset, and both kinds of core with two stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.linear import shallow
from aesmith.cores.round_based.assembly import (
    CONTROL,
    CORE,
    SLOT_CORE,
    TWO_SLOT_CONTROL,
    TWO_SLOT_CORE,
    TWO_WAY_SLOT_CORE,
    UNROLLED_CORE,
    Leaf,
    Parts,
    two_way_key_schedule,
)
from aesmith.cores.round_based.maps import (
    encryption_constants,
    port_maps,
    sbox_around,
    selectable_constants,
    two_way_constants,
)
from aesmith.cores.round_based.slot_circuits import SlotCircuits
from aesmith.cores.round_based.two_way_slots import TwoWaySlotCircuits
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import stack
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.tower import NormalTower
from aesmith.sboxes import ueno2015

_PAPER = "Ueno et al., TC 2020"

_ENCRYPTION_PATH = ("shift_rows", "ueno2020_linear_operations", "ueno2020_encryption_path")
_UNROLLED_PATH = (
    *_ENCRYPTION_PATH[:2],
    "ueno2020_unrolled_data_path",
    "encryption_key_schedule",
    "unrolled_key_schedule",
)
_TWO_WAY_PATH = (
    "shift_rows",
    "ueno2020_linear_operations",
    "ueno2020_inverse_linear_operations",
    "ueno2020_held_paths",
    "ueno2020_two_way_path",
)
_BUSY_PATHS = (*_TWO_WAY_PATH[:3], "ueno2020_fork", "ueno2020_busy_paths", *_TWO_WAY_PATH[4:])
"""The modules of what stands behind the inverters; the last is for cores without demultiplexer."""

_ROLES = {
    "ueno2020_encryption_path": "ueno2020_path",
    "ueno2020_two_way_path": "ueno2020_path",
    "ueno2020_held_paths": "ueno2020_join",
    "ueno2020_busy_paths": "ueno2020_join",
    "ueno2020_fork": "demultiplexer",
}


def _roles(path: Sequence[str]) -> dict[str, str]:
    return {module: _ROLES[module] for module in path if module in _ROLES}


@dataclass(frozen=True)
class UenoTower:
    """The leaf circuits of the architecture for one tower (α, β) and offset γ, all elements of the AES field.

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

    def unified_affine(self) -> Circuit:
        """f (RRB, 10 bits) to Φ(f) with its constant and Ω1(f), one XOR network of least depth."""
        program = shallow(stack([self.maps.phi, self.maps.omega(1)]))
        builder = CircuitBuilder("unified_affine")
        wires = program.place(builder, builder.input("f", 10), self.maps.phi_constant)
        builder.output("phi", wires[:8])
        builder.output("omega1", wires[8:])
        return builder.build()

    def unified_inverse_affine(self) -> Circuit:
        """f (RRB, 10 bits) to Λ0(f) with the constant Δ(γ⁻¹c'), and Λ1(f) to Λ3(f)."""
        program = shallow(stack([self.maps.lambda_(k) for k in range(4)]))
        builder = CircuitBuilder("unified_inverse_affine")
        wires = program.place(builder, builder.input("f", 10), self.maps.lambda_constant)
        for k in range(4):
            builder.output(f"lambda{k}", wires[8 * k : 8 * k + 8])
        return builder.build()

    @property
    def idle_word(self) -> int:
        """The RRB word that Φ and its constant take to 0."""
        return next(word for word in range(1 << 10) if self.maps.phi.apply(word) == self.maps.phi_constant)

    def demultiplexer(self) -> Circuit:
        """f (RRB) to the path in use, complemented, which is the same element; a constant to the other path.

        Idle bits are 0 by NOR or 1 by NAND: `idle_word` for encryption, 0 for decryption.
        """
        builder = CircuitBuilder("demultiplexer")
        f, decrypt = builder.input("f", 10), builder.input("decrypt", 1)[0]
        encrypt = builder.not_(decrypt)
        idle = self.idle_word
        with builder.block(f"idle word {idle:010b}"):
            ones = [idle >> i & 1 for i in range(10)]
            gates = [
                builder.nand(bit, encrypt) if one else builder.nor(bit, decrypt)
                for bit, one in zip(f, ones, strict=True)
            ]
            builder.output("encryption", gates)
        with builder.block("idle word 0"):
            builder.output("decryption", [builder.nor(bit, encrypt) for bit in f])
        return builder.build()

    def decryption_load_map(self) -> Circuit:
        """Δγ(ciphertext) + last round key to the first value of the data register in decryption."""
        return shallow(self.maps.decryption_load).circuit("decryption_load_map", self.maps.lambda_constant)

    def key_sbox(self) -> Circuit:
        """The S-box of SubWord: inversion, then Φ with its constant."""
        return sbox_around(ueno2015.inverter(), self.maps.phi, self.maps.phi_constant)

    def affine(self) -> Circuit:
        """f (RRB, 10 bits) to Φ(f) with its constant: what follows the inversion in SubWord."""
        builder = CircuitBuilder("affine")
        program = shallow(self.maps.phi)
        builder.output("phi", program.place(builder, builder.input("f", 10), self.maps.phi_constant))
        return builder.build()

    def _encryption_leaves(self) -> tuple[Leaf, ...]:
        return (
            *port_maps(self.maps, f"Δγ and Δ'γ⁻¹ ({_PAPER}, figure 5)"),
            Leaf(
                "inverter",
                ueno2015.inverter(),
                "Inversion in GF((2^4)^2): Ueno et al., CHES 2015.\n"
                "x: NB word h4 h3 h2 h1 l4 l3 l2 l1; y: RRB word p4 … p0 q4 … q0.",
            ),
            Leaf(
                "unified_affine",
                self.unified_affine(),
                f"Φ with its constant, and Ω1, of one inverter output ({_PAPER}, equation 14, figure 9(b)).\n"
                "f: RRB word p4 … p0 q4 … q0; phi, omega1: NB words.",
            ),
        )

    def _decryption_leaves(self, key_bits: int = 128) -> tuple[Leaf, ...]:
        return (
            Leaf(
                "demultiplexer",
                self.demultiplexer(),
                f"1:2 demultiplexer of one inverter output ({_PAPER}, figure 3): RRB words, complemented.",
            ),
            Leaf(
                "unified_inverse_affine",
                self.unified_inverse_affine(),
                f"Λ0 with the constant Δ(γ⁻¹c'), and Λ1 to Λ3, of one keyed inverter output ({_PAPER}, equation 15).\n"
                "f: RRB word p4 … p0 q4 … q0; lambda0 to lambda3: NB words.",
            ),
            self._decryption_load_leaf(),
            Leaf(
                "round_constants",
                two_way_constants(self.maps, key_bits),
                f"Δ(γ·Rcon) for each direction and value of the round counter ({_PAPER}, section 3.3).",
            ),
        )

    def _decryption_load_leaf(self) -> Leaf:
        return Leaf(
            "decryption_load_map",
            self.decryption_load_map(),
            f"Δ·γ⁻¹·A'·γ⁻¹·Δ' and its constant: the first inverse affine map ({_PAPER}, figure 5(b)).",
        )

    def _key_sbox_leaf(self) -> Leaf:
        return Leaf("key_sbox", self.key_sbox(), f"SubWord of one byte: inversion and Φ ({_PAPER}, equation 16).")

    def _affine_leaf(self) -> Leaf:
        return Leaf(
            "affine", self.affine(), f"Φ with its constant ({_PAPER}, section 4.2).\nf: RRB word; phi: NB word."
        )

    def _encryption_constants_leaf(self, key_bits: int) -> Leaf:
        return Leaf(
            "round_constants",
            encryption_constants(self.maps, key_bits),
            f"Δ(γ·Rcon) for each value of the round counter ({_PAPER}, section 3.3).",
        )

    def _located(self, *leaves: Leaf) -> tuple[Leaf, ...]:
        where = f"α = {self.alpha:#04x}, β = {self.beta:#04x}, γ = {self.gamma:#04x}"
        return tuple(Leaf(leaf.module, leaf.circuit, f"{leaf.text}\n{where}.") for leaf in leaves)

    def parts(self, key_bits: int, *, demultiplexer: bool = True) -> Parts:
        """The core for both directions; without demultiplexer both paths are active, and the result is selected."""
        leaves = (*self._encryption_leaves(), *self._decryption_leaves(key_bits), self._key_sbox_leaf())
        if not demultiplexer:
            leaves = tuple(leaf for leaf in leaves if leaf.module != "demultiplexer")
        path = _TWO_WAY_PATH if demultiplexer else _BUSY_PATHS
        return Parts(
            leaves=self._located(*leaves),
            rtl=(*path, "ueno2020_data_path", *two_way_key_schedule(key_bits), *CONTROL),
            core=CORE,
            parameters={"Rounds": aes.rounds(key_bits), "KeyBits": key_bits, "Decrypts": True},
            roles=_roles(path) | {"ueno2020_data_path": "data_path", "two_way_key_schedule": "key_schedule"},
        )

    def selectable_parts(self) -> Parts:
        """The core for both directions and all key sizes, chosen with each key."""
        constants = Leaf(
            "round_constants",
            selectable_constants(self.maps),
            f"Δ(γ·Rcon) and the place of KeyEx for each key size, direction and round ({_PAPER}, section 3.3).",
        )
        decryption = (leaf for leaf in self._decryption_leaves() if leaf.module != constants.module)
        return Parts(
            leaves=self._located(*self._encryption_leaves(), *decryption, self._key_sbox_leaf(), constants),
            rtl=(
                *_TWO_WAY_PATH,
                "ueno2020_data_path",
                "two_way_words",
                "two_way_words_192",
                "selectable_key_schedule",
                *CONTROL,
            ),
            core=CORE,
            parameters={"Rounds": 14, "KeyBits": 256, "Decrypts": True, "Selectable": True},
            roles=_roles(_TWO_WAY_PATH)
            | {"ueno2020_data_path": "data_path", "selectable_key_schedule": "key_schedule"},
        )

    def encryption_parts(self, key_bits: int, rounds_per_clock: int = 1) -> Parts:
        """The encryption core behind the shell of the family, for any key size.

        With several rounds per clock data path and key schedule are chains, in a shell that has a round key for each.
        Raises RequestError unless the rounds are a multiple of `rounds_per_clock`, and take two clocks or more.
        """
        rounds = aes.rounds(key_bits)
        possible = [k for k in range(1, rounds) if rounds % k == 0]
        if rounds_per_clock not in possible:
            raise RequestError(
                f"rounds_per_clock: must divide the {rounds} rounds of a {key_bits}-bit key, which take two clocks or "
                f"more ({', '.join(map(str, possible))}), not {rounds_per_clock}"
            )
        leaves = (*self._encryption_leaves(), self._key_sbox_leaf(), self._encryption_constants_leaf(key_bits))
        if rounds_per_clock > 1:
            return Parts(
                leaves=self._located(*leaves),
                rtl=(*_UNROLLED_PATH, CONTROL[0]),
                core=UNROLLED_CORE,
                parameters={"Rounds": rounds, "KeyBits": key_bits, "RoundsPerClock": rounds_per_clock},
            )
        return Parts(
            leaves=self._located(*leaves),
            rtl=(*_ENCRYPTION_PATH, "ueno2020_data_path", "encryption_key_schedule", *CONTROL),
            core=CORE,
            parameters={"Rounds": aes.rounds(key_bits), "KeyBits": key_bits},
            roles=_roles(_ENCRYPTION_PATH)
            | {"ueno2020_data_path": "data_path", "encryption_key_schedule": "key_schedule"},
        )

    def two_slot_parts(self) -> Parts:
        """The core for both directions with a register at the inverter output."""
        leaves = (*self._encryption_leaves(), *self._decryption_leaves(), self._affine_leaf())
        return self._two_slots(leaves, _TWO_WAY_PATH, decrypts=True)

    def two_slot_encryption_parts(self) -> Parts:
        """The encryption core with a register at the inverter output."""
        leaves = (*self._encryption_leaves(), self._affine_leaf(), self._encryption_constants_leaf(128))
        return self._two_slots(leaves, _ENCRYPTION_PATH, decrypts=False)

    def slot_parts(self, slots: int, key_bits: int = 128) -> Parts:
        """The encryption core with as many blocks in flight, two or more, by as many stages of a round."""
        circuits = SlotCircuits(self.maps, slots, key_bits)
        ports = port_maps(self.maps, f"Δγ and Δ'γ⁻¹ ({_PAPER}, figure 5)")
        column = Leaf(
            "round_column",
            circuits.column,
            f"A column of a round: inversion, Φ and Ω1, MixColumns, AddRoundKey ({_PAPER}, figures 7 to 9).\n"
            "state: the column after ShiftRows; post: without MixColumns. A block is taken in the last stage.",
        )
        step = Leaf("key_step", circuits.key_step, f"A step of the key schedule ({_PAPER}, figure 10).")
        return Parts(
            leaves=self._located(*ports, column, step),
            rtl=("shift_rows", "slot_sequencer"),
            core=SLOT_CORE,
            parameters={"Slots": slots, "Rounds": aes.rounds(key_bits), "KeyBits": key_bits},
        )

    def two_way_slot_parts(self, slots: int, key_bits: tuple[int, ...]) -> Parts:
        """The core for both directions with as many blocks in flight, two or more, for one key size or a choice."""
        circuits = TwoWaySlotCircuits(self.maps, slots, key_bits)
        column = Leaf(
            "round_column",
            circuits.column,
            f"A column of a round of either direction ({_PAPER}, equations 14 and 15).\n"
            "a + b + key: the state after ShiftRows, where the last sum of the round before is left to do.",
        )
        step = Leaf(
            "key_step", circuits.key_step, f"A step of the key schedule of either direction ({_PAPER}, figure 4)."
        )
        seed = Leaf("key_seed", circuits.seed_circuit(), f"Of which word KeyEx is ({_PAPER}, equations 16, 17).")
        sums = Leaf(
            "key_sums", circuits.sums_circuit(), f"Δ(γ·Rcon), and where KeyEx is added ({_PAPER}, section 3.3)."
        )
        ports = port_maps(self.maps, f"Δγ and Δ'γ⁻¹ ({_PAPER}, figure 5)")
        return Parts(
            leaves=self._located(*ports, self._decryption_load_leaf(), column, seed, sums, step),
            rtl=("shift_rows", "two_way_slot_sequencer"),
            core=TWO_WAY_SLOT_CORE,
            parameters={
                "Slots": slots,
                "Lead": circuits.lead,
                "Rounds": aes.rounds(max(key_bits)),
                "KeyBits": max(key_bits),
                "SeedBits": len(circuits.told[0]),
                "SumBits": len(circuits.told[1]),
                "Selectable": len(key_bits) > 1,
            },
        )

    def _two_slots(self, leaves: tuple[Leaf, ...], path: tuple[str, ...], *, decrypts: bool) -> Parts:
        return Parts(
            leaves=self._located(*leaves),
            rtl=(*path, "two_slot_key_schedule", *TWO_SLOT_CONTROL),
            core=TWO_SLOT_CORE,
            parameters={"Decrypts": decrypts},
            roles=_roles(path),
        )

"""The architectures that Ueno et al. compare with, and the same ones around modern S-boxes.

Each core is its authors' structure with our best circuits for its blocks. A core is a field to work in (`OffsetMaps`
without offset), S-boxes in that field, and the names of its data path and key schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.linear import shallow
from aesmith.cores.round_based.assembly import (
    CONTROL,
    CORE,
    Leaf,
    Parts,
    two_way_key_schedule,
)
from aesmith.cores.round_based.maps import (
    AES_FIELD,
    Levels,
    TowerSboxes,
    both_mix_columns,
    encryption_constants,
    inverse_mix_columns,
    mix_columns,
    port_maps,
    two_way_constants,
)
from aesmith.fields import aes
from aesmith.fields.offset import OffsetMaps
from aesmith.sboxes import table

CHAINED_KEY_SCHEDULE = ("chained_key_schedule",)
"""The key schedule of the compact unified cores."""

_STANDARD = "FIPS-197"


@dataclass(frozen=True)
class Field:
    """The field in which a core's registers are; `text` says which and after whom."""

    maps: OffsetMaps
    text: str

    def port_leaves(self) -> tuple[Leaf, ...]:
        """The maps at the ports."""
        return port_maps(self.maps, self.text)


def tower_field(sboxes: TowerSboxes) -> Field:
    """The tower of these S-boxes."""
    return Field(sboxes.maps, sboxes.text())


AES = Field(AES_FIELD, "the AES field itself, so these are wires")


def encryption_parts(
    field: Field,
    sbox: Circuit,
    about: str,
    *,
    levels: Levels,
    data_path: str = "plain_encryption_data_path",
    key_schedule: str = "encryption_key_schedule",
    key_bits: int = 128,
    last: int | None = None,
) -> Parts:
    """A core that encrypts: `sbox` (x to y, in the field) serves data and key; `about` says what it is.

    `levels` bounds the XOR levels of MixColumns; `last` is the round counter's value when the result is offered, if it
    is not the number of rounds. A key schedule for both directions is only used forwards.
    """
    constants = encryption_constants if key_schedule == "encryption_key_schedule" else two_way_constants
    return Parts(
        leaves=(
            *field.port_leaves(),
            Leaf("sbox", sbox, about),
            Leaf("key_sbox", sbox, f"{about}\nThe S-box of SubWord."),
            Leaf(
                "mix_columns", mix_columns(field.maps, levels), f"MixColumns of a column ({_STANDARD}), {field.text}."
            ),
            Leaf(
                "round_constants",
                constants(field.maps, key_bits, last),
                f"Rcon of the key-schedule step for each value of the round counter ({_STANDARD}).",
            ),
        ),
        rtl=("shift_rows", "encryption_operations", data_path, key_schedule, *CONTROL),
        core=CORE,
        parameters={"Rounds": last or aes.rounds(key_bits), "KeyBits": key_bits},
        roles={data_path: "data_path", key_schedule: "key_schedule"},
    )


def unified_parts(
    field: Field,
    sboxes: tuple[Circuit, Circuit],
    about: str,
    *,
    levels: Levels,
    data_path: str,
    key_schedule: tuple[str, ...],
    key_bits: int = 128,
    mixes_keys: bool = False,
    key_levels: Levels = None,
    merged: bool = True,
) -> Parts:
    """A core for both directions with unified operations.

    `key_schedule` are its modules, the last the one that stands for it. `sboxes` are the one for data (x and decrypt to
    y) and the one of SubWord (x to y). `mixes_keys`: the data path takes InvMixColumns of round keys, of at most
    `key_levels` XOR levels: the key is there when the clock begins. `merged`: one circuit is MixColumns and
    its inverse.
    """
    both, forward = sboxes
    mixing: tuple[Leaf, ...] = (
        Leaf(
            "both_mix_columns",
            both_mix_columns(field.maps, levels),
            f"MixColumns or InvMixColumns of a column ({_STANDARD}), {field.text}.\n"
            "InvMixColumns is MixColumns behind the circulant (5, 0, 4, 0): Satoh et al., ASIACRYPT 2001.",
        ),
    )
    if not merged:
        circuit = mix_columns(field.maps, levels)
        mixing = (Leaf("mix_columns", circuit, f"MixColumns of a column ({_STANDARD}), {field.text}."),)
    if mixes_keys or not merged:
        circuit = inverse_mix_columns(field.maps, key_levels)
        about_it = f"InvMixColumns of a column ({_STANDARD}), {field.text}."
        mixing += (Leaf("inverse_mix_columns", circuit, about_it),)
    return Parts(
        leaves=(
            *field.port_leaves(),
            Leaf("both_sbox", both, about),
            Leaf("key_sbox", forward, f"{about}\nThe forward S-box, of SubWord."),
            *mixing,
            Leaf(
                "round_constants",
                two_way_constants(field.maps, key_bits),
                f"Rcon for each direction and value of the round counter ({_STANDARD}).",
            ),
        ),
        rtl=("shift_rows", "both_sub_bytes", data_path, *key_schedule, *CONTROL),
        core=CORE,
        parameters={"Rounds": aes.rounds(key_bits), "KeyBits": key_bits, "Decrypts": True},
        roles={data_path: "data_path", key_schedule[-1]: "key_schedule"},
    )


def lutz_parts(levels: int | None) -> Parts:
    """`lutz2002-encdec`: inversion by table between two separate paths; no two blocks share a clock."""
    inverses: Sequence[int] = [aes.FIELD.inverse(x) for x in range(256)]
    affine = shallow(aes.AFFINE).circuit("affine", aes.AFFINE_CONSTANT)
    inverse_affine = shallow(aes.INVERSE_AFFINE).circuit("inverse_affine", aes.INVERSE_AFFINE_CONSTANT)
    paper = "Lutz et al., CHES 2002"
    inverse_levels = levels and levels + 2
    return Parts(
        leaves=(
            *AES.port_leaves(),
            Leaf("inverter", table.lookup("inverter", inverses, 8), f"Inversion in the AES field by table ({paper})."),
            Leaf("affine", affine, f"The affine map of the S-box ({_STANDARD})."),
            Leaf("inverse_affine", inverse_affine, f"The inverse affine map ({_STANDARD})."),
            Leaf("key_sbox", table.lookup("key_sbox", aes.SBOX, 8), f"The S-box of SubWord, by table ({_STANDARD})."),
            Leaf("mix_columns", mix_columns(AES_FIELD, levels), f"MixColumns of a column ({_STANDARD})."),
            Leaf(
                "inverse_mix_columns",
                inverse_mix_columns(AES_FIELD, inverse_levels),
                f"InvMixColumns of a column ({_STANDARD}).",
            ),
            Leaf(
                "round_constants",
                two_way_constants(AES_FIELD, last=9),
                f"Rcon for each direction and value of the round counter ({_STANDARD}).",
            ),
        ),
        rtl=("shift_rows", "lutz2002_data_path", *two_way_key_schedule(128), *CONTROL),
        core=CORE,
        parameters={"Rounds": 9, "KeyBits": 128, "Decrypts": True, "Overlap": False},
        roles={"lutz2002_data_path": "data_path", "two_way_key_schedule": "key_schedule"},
    )

"""Tables 1 to 4 of Ueno et al. (TC 2020): round-based cores, both directions and encryption only.

Throughput and efficiency with overlap: a block is taken in the clock in which the last result is given, so a block
takes `cycles_per_block` clocks; without, it takes the whole latency.
"""

from __future__ import annotations

from aesmith.cores.design import Direction
from aesmith.cores.round_based.publications import TABLES as PUBLISHED
from aesmith.cores.round_based.publications import UENO2020
from aesmith.flow.measurement import Optimise
from aesmith.tables.designs import core
from aesmith.tables.figures import grouped, measured, power_figures, quotient
from aesmith.tables.model import DESIGN, Figure, Gap, Row, Table, TableFindings, Value

BLOCK_BITS = 128


def _without_overlap(findings: TableFindings, row: Row) -> Value:
    latency = measured("latency_ns")(findings, row)
    return latency if isinstance(latency, Gap) else BLOCK_BITS / latency


def _efficiency_without_overlap(findings: TableFindings, row: Row) -> Value:
    ratio = quotient(_without_overlap(findings, row), measured("area_ge")(findings, row))
    return ratio if isinstance(ratio, Gap) else 1e6 * ratio


_FIGURES = (
    *grouped(
        "area and speed",
        Figure("area", "area (GE)", 0, measured("area_ge"), ratio=True, best="least"),
        Figure("latency", "latency (ns)", 2, measured("latency_ns"), ratio=True, best="least"),
        Figure("fmax", "max. freq. (MHz)", 1, measured("fmax_mhz"), ratio=True),
    ),
    *grouped(
        "throughput and efficiency",
        Figure("throughput", "throughput (Gbps)", 2, measured("throughput_gbps")),
        Figure("throughput_alone", "throughput without overlap (Gbps)", 2, _without_overlap),
        Figure("efficiency", "efficiency (Kbps/GE)", 1, measured("efficiency_kbps_per_ge"), ratio=True),
        Figure("efficiency_alone", "efficiency without overlap (Kbps/GE)", 1, _efficiency_without_overlap, ratio=True),
    ),
)
_FIGURES_ENCRYPT = _FIGURES + power_figures(Direction.ENCRYPT)
_FIGURES_BOTH = (
    *_FIGURES,
    *power_figures(Direction.ENCRYPT, what=", enc.", group="power of encryption"),
    *power_figures(Direction.DECRYPT, suffix="_decrypt", what=", dec.", group="power of decryption"),
)

_LABELS = {
    "satoh2001-encdec": "Satoh et al.",
    "lutz2002-encdec": "Lutz et al.",
    "liu2009-encdec": "Liu et al.",
    "mathew2011-encdec": "Mathew et al.",
    "ueno2016-encdec": "Previous version (2016)",
    "ueno2020-encdec": "This work (2020)",
    "sasebo-table-enc": "SASEBO IP, table",
    "sasebo-tower-enc": "SASEBO IP, tower field",
    "gueron2016-mapped-enc": "Gueron and Mathew, mapped",
    "gueron2016-native-enc": "Gueron and Mathew, native",
    "ueno2020-enc": "This work (2020)",
}
_SINCE = {
    "boyar2010-encdec": "S-box after Boyar and Peralta, smallest MixColumns",
    "maximov2019-encdec": "Maximov-Ekdahl S-box, shallow MixColumns",
    "boyar2010-enc": "S-box after Boyar and Peralta, smallest MixColumns",
    "maximov2019-enc": "Maximov-Ekdahl S-box, shallow MixColumns",
}
"""Baselines that the paper did not have."""

CONVENTIONAL_BOTH = ("satoh2001-encdec", "lutz2002-encdec", "liu2009-encdec", "mathew2011-encdec")
CONVENTIONAL_ENCRYPT = ("sasebo-table-enc", "sasebo-tower-enc", "gueron2016-mapped-enc", "gueron2016-native-enc")


def _table(number: int, base: tuple[str, ...], since: tuple[str, ...]) -> Table:
    both = number < 3
    what = "encryption and decryption" if both else "encryption"
    optimise = Optimise.AREA if number % 2 else Optimise.AREA_SPEED
    rows = [
        Row(preset, _LABELS[preset], row.printed, {DESIGN: core(preset)}, corrections=row.corrections)
        for preset, row in PUBLISHED[number].items()
    ]
    rows += [Row(preset, _SINCE[preset], {}, {DESIGN: core(preset)}) for preset in since]
    return Table(
        name=f"ueno-table{number}",
        title=f"AES-128 {what}, {optimise} optimisation",
        publication=UENO2020,
        source=f"table {number}",
        conditions="NanGate 45 nm, worst case; Design Compiler D-2010.03",
        figures=_FIGURES_BOTH if both else _FIGURES_ENCRYPT,
        rows=tuple(rows),
        base=base,
        base_by="efficiency",
        optimise=(optimise,),
        notes=(
            "ratios are to the best conventional design by efficiency: not to the authors' previous version, and not "
            "to the baselines that are newer than the paper",
            "area is registers, key schedule and control included; throughput and efficiency with overlap of input and "
            "output where the design has it",
        ),
    )


_SINCE_BOTH = ("boyar2010-encdec", "maximov2019-encdec")
_SINCE_ENCRYPT = ("boyar2010-enc", "maximov2019-enc")

TABLES = (
    _table(1, CONVENTIONAL_BOTH, _SINCE_BOTH),
    _table(2, CONVENTIONAL_BOTH, _SINCE_BOTH),
    _table(3, CONVENTIONAL_ENCRYPT, _SINCE_ENCRYPT),
    _table(4, CONVENTIONAL_ENCRYPT, _SINCE_ENCRYPT),
)

"""Tables 1 to 4 of Ueno et al. (TC 2020): round-based cores, both directions and encryption only.

Throughput and efficiency with overlap: a block is taken in the clock in which the last result is given, so a block
takes `cycles_per_block` clocks; without, it takes the whole latency.
"""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.cores.design import Direction
from aesmith.flow.measurement import Optimise
from aesmith.publications import PUBLICATIONS
from aesmith.tables.designs import core
from aesmith.tables.figures import measured, power_figures, quotient
from aesmith.tables.model import DESIGN, Correction, Figure, Findings, Gap, Row, Table, Value

BLOCK_BITS = 128


def _without_overlap(findings: Findings, row: Row) -> Value:
    latency = measured("latency_ns")(findings, row)
    return latency if isinstance(latency, Gap) else BLOCK_BITS / latency


def _efficiency_without_overlap(findings: Findings, row: Row) -> Value:
    ratio = quotient(_without_overlap(findings, row), measured("area_ge")(findings, row))
    return ratio if isinstance(ratio, Gap) else 1e6 * ratio


_FIGURES = (
    Figure("area", "area (GE)", 0, measured("area_ge"), ratio=True, best="least"),
    Figure("latency", "latency (ns)", 2, measured("latency_ns"), ratio=True, best="least"),
    Figure("fmax", "max. freq. (MHz)", 1, measured("fmax_mhz"), ratio=True),
    Figure("throughput", "throughput (Gbps)", 2, measured("throughput_gbps")),
    Figure("throughput_alone", "throughput without overlap (Gbps)", 2, _without_overlap),
    Figure("efficiency", "efficiency (Kbps/GE)", 1, measured("efficiency_kbps_per_ge"), ratio=True),
    Figure("efficiency_alone", "efficiency without overlap (Kbps/GE)", 1, _efficiency_without_overlap, ratio=True),
)
_FIGURES_ENCRYPT = _FIGURES + power_figures(Direction.ENCRYPT)
_FIGURES_BOTH = (
    *_FIGURES,
    *power_figures(Direction.ENCRYPT, what=", enc."),
    *power_figures(Direction.DECRYPT, suffix="_decrypt", what=", dec."),
)

_BOTH = (
    *("area", "latency", "fmax", "throughput", "throughput_alone", "power", "power_decrypt"),
    *("efficiency", "efficiency_alone", "power_latency", "power_latency_decrypt"),
)
_ENCRYPT = (
    *("area", "latency", "fmax", "throughput", "throughput_alone", "power", "efficiency", "efficiency_alone"),
    "power_latency",
)
"""Columns as printed; power in µW at 100 MHz, its product with the latency in µW·ns."""

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
    "boyar2010-encdec": "Boyar-Peralta S-box, smallest MixColumns",
    "maximov2019-encdec": "Maximov-Ekdahl S-box, shallow MixColumns",
    "boyar2010-enc": "Boyar-Peralta S-box, smallest MixColumns",
    "maximov2019-enc": "Maximov-Ekdahl S-box, shallow MixColumns",
}
"""Baselines that the paper did not have."""

CONVENTIONAL_BOTH = ("satoh2001-encdec", "lutz2002-encdec", "liu2009-encdec", "mathew2011-encdec")
CONVENTIONAL_ENCRYPT = ("sasebo-table-enc", "sasebo-tower-enc", "gueron2016-mapped-enc", "gueron2016-native-enc")

_Printed = Mapping[str, tuple[float | None, ...]]

_TABLE_1: _Printed = {
    "satoh2001-encdec": (15269.67, 32.56, 337.84, 4.32, 3.69, 849, 820, 273.20, 257.45, 27643, 26699),
    "lutz2002-encdec": (26113.67, 23.00, 434.78, 5.57, None, 759, 833, 213.12, None, 17457, 19159),
    "liu2009-encdec": (13760.33, 37.62, 292.40, 3.74, 3.40, 1020, 1030, 271.99, 247.26, 38372, 38749),
    "mathew2011-encdec": (18576.33, 43.34, 253.81, 3.25, 2.95, 1150, 1640, 174.89, 158.99, 49.841, 71078),
    "ueno2016-encdec": (16428.33, 21.01, 523.56, 6.70, 6.09, 582, 512, 407.93, 370.84, 12228, 10757),
    "ueno2020-encdec": (16418.33, 19.25, 571.43, 7.31, 6.65, 490, 511, 445.50, 405.00, 9433, 9837),
}
_TABLE_2: _Printed = {
    "satoh2001-encdec": (16628.67, 24.97, 440.53, 5.64, 5.13, 902, 868, 339.10, 308.27, 22523, 21674),
    "lutz2002-encdec": (28301.33, 16.20, 617.28, 7.90, None, 735, 843, 279.18, None, 11907, 13657),
    "liu2009-encdec": (15335.67, 29.70, 380.37, 4.74, 4.31, 1010, 1050, 309.13, 281.03, 29997, 31185),
    "mathew2011-encdec": (21429.33, 30.80, 357.14, 4.57, 4.16, 1390, 1850, 213.33, 193.93, 42812, 56980),
    "ueno2016-encdec": (18013.00, 16.28, 675.68, 8.65, 7.86, 569, 507, 480.13, 436.49, 9263, 8254),
    "ueno2020-encdec": (17368.67, 15.84, 694.44, 8.89, 8.08, 465, 484, 511.78, 465.25, 7366, 7667),
}
_TABLE_3: _Printed = {
    "sasebo-table-enc": (21291.67, 16.68, 719.42, 8.10, 7.67, 373, 393.18, 360.42, 6222),
    "sasebo-tower-enc": (10529.33, 30.72, 390.63, 4.55, 4.17, 536, 431.69, 395.72, 16466),
    "gueron2016-mapped-enc": (12467.67, 26.51, 414.94, 5.31, 4.83, 588, 426.00, 387.27, 15588),
    "gueron2016-native-enc": (11311.00, 28.38, 387.60, 4.96, 4.51, 619, 428.62, 398.75, 17567),
    "ueno2020-enc": (11257.33, 17.38, 632.91, 8.10, 7.36, 295, 719.64, 654.22, 5127),
}
_TABLE_4: _Printed = {
    "sasebo-table-enc": (23085.00, 11.64, 1030.93, 12.00, 11.00, 352, 519.66, 476.35, 4097),
    "sasebo-tower-enc": (11431.67, 23.04, 520.83, 6.06, 5.56, 513, 530.16, 485.98, 11820),
    "gueron2016-mapped-enc": (13249.33, 21.78, 505.05, 6.46, 5.88, 655, 487.92, 443.57, 14266),
    "gueron2016-native-enc": (12108.33, 23.87, 460.83, 5.90, 5.36, 755, 487.16, 442.87, 18022),
    "ueno2020-enc": (12127.00, 13.97, 787.40, 10.08, 9.16, 279, 831.10, 755.54, 3898),
}

_CORRECTIONS = {
    ("ueno-table1", "satoh2001-encdec"): (
        Correction("throughput_alone", 3.69, 3.93, "frequency, latency and the efficiency beside it"),
        Correction("efficiency", 273.20, 283.20, "throughput over area; 273.20 is what the paper's 1.63 is to"),
    ),
    ("ueno-table1", "mathew2011-encdec"): (
        Correction("power_latency", 49.841, 49841, "power times latency; a decimal point for a comma"),
    ),
    ("ueno-table2", "liu2009-encdec"): (Correction("fmax", 380.37, 370.37, "latency, throughput and efficiency"),),
    ("ueno-table3", "sasebo-table-enc"): (
        Correction("throughput", 8.10, 8.37, "frequency over 11 clocks, and the efficiency"),
    ),
    ("ueno-table3", "gueron2016-native-enc"): (Correction("efficiency", 428.62, 438.62, "throughput over area"),),
}


def _table(
    number: int, printed: _Printed, columns: tuple[str, ...], base: tuple[str, ...], since: tuple[str, ...]
) -> Table:
    name = f"ueno-table{number}"
    what = "encryption" if columns is _ENCRYPT else "encryption and decryption"
    optimise = Optimise.AREA if number % 2 else Optimise.AREA_SPEED
    rows = [
        Row(
            preset,
            _LABELS[preset],
            {figure: value for figure, value in zip(columns, values, strict=True) if value is not None},
            {DESIGN: core(preset)},
            corrections=_CORRECTIONS.get((name, preset), ()),
        )
        for preset, values in printed.items()
    ]
    rows += [Row(preset, _SINCE[preset], {}, {DESIGN: core(preset)}) for preset in since]
    return Table(
        name=name,
        title=f"AES-128 {what}, {optimise} optimisation",
        publication=PUBLICATIONS["ueno2020"],
        source=f"table {number}",
        conditions="NanGate 45 nm, worst case; Design Compiler D-2010.03",
        figures=_FIGURES_ENCRYPT if columns is _ENCRYPT else _FIGURES_BOTH,
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
    _table(1, _TABLE_1, _BOTH, CONVENTIONAL_BOTH, _SINCE_BOTH),
    _table(2, _TABLE_2, _BOTH, CONVENTIONAL_BOTH, _SINCE_BOTH),
    _table(3, _TABLE_3, _ENCRYPT, CONVENTIONAL_ENCRYPT, _SINCE_ENCRYPT),
    _table(4, _TABLE_4, _ENCRYPT, CONVENTIONAL_ENCRYPT, _SINCE_ENCRYPT),
)

"""Tables 1 to 4 of Ueno et al. (TC 2020): what the paper states for each round-based core, by table and row.

Printed slips are kept as printed; figures that contradict each other within a row are named in the row's `source`.
"""

from __future__ import annotations

from aesmith.cores.design import PublishedFigures

_AREA = "area optimisation, NanGate 45 nm worst case"
_AREA_SPEED = "area-speed optimisation, NanGate 45 nm worst case"

_Row = tuple[float, float, float, float]
"""Area (GE), latency (ns), maximum frequency (MHz), efficiency (Kbps/GE) at the smaller number of clocks a block."""

_ROWS: dict[str, tuple[str, _Row, _Row]] = {
    "satoh2001-encdec": (
        "Satoh et al.",
        (15269.67, 32.56, 337.84, 273.20),
        (16628.67, 24.97, 440.53, 339.10),
    ),
    "lutz2002-encdec": (
        "Lutz et al.",
        (26113.67, 23.00, 434.78, 213.12),
        (28301.33, 16.20, 617.28, 279.18),
    ),
    "liu2009-encdec": (
        "Liu et al.",
        (13760.33, 37.62, 292.40, 271.99),
        (15335.67, 29.70, 380.37, 309.13),
    ),
    "mathew2011-encdec": (
        "Mathew et al.",
        (18576.33, 43.34, 253.81, 174.89),
        (21429.33, 30.80, 357.14, 213.33),
    ),
    "ueno2016-encdec": (
        "Previous version",
        (16428.33, 21.01, 523.56, 407.93),
        (18013.00, 16.28, 675.68, 480.13),
    ),
    "ueno2020-encdec": (
        "This work",
        (16418.33, 19.25, 571.43, 445.50),
        (17368.67, 15.84, 694.44, 511.78),
    ),
    "sasebo-table-enc": (
        "SASEBO IPs, Table",
        (21291.67, 16.68, 719.42, 393.18),
        (23085.00, 11.64, 1030.93, 519.66),
    ),
    "sasebo-tower-enc": (
        "SASEBO IPs, Tower field",
        (10529.33, 30.72, 390.63, 431.69),
        (11431.67, 23.04, 520.83, 530.16),
    ),
    "gueron2016-mapped-enc": (
        "Gueron and Mathew, Mapped",
        (12467.67, 26.51, 414.94, 426.00),
        (13249.33, 21.78, 505.05, 487.92),
    ),
    "gueron2016-native-enc": (
        "Gueron and Mathew, Native",
        (11311.00, 28.38, 387.60, 428.62),
        (12108.33, 23.87, 460.83, 487.16),
    ),
    "ueno2020-enc": (
        "This work",
        (11257.33, 17.38, 632.91, 719.64),
        (12127.00, 13.97, 787.40, 831.10),
    ),
}

_SLIPS = {
    ("satoh2001-encdec", 1): "efficiency: area and frequency give 283.20",
    ("liu2009-encdec", 2): "frequency: the row's other figures give 370.37 MHz",
    ("gueron2016-native-enc", 3): "efficiency: area and frequency give 438.62",
}


def published(core: str) -> tuple[PublishedFigures, ...]:
    """What the paper's tables state for a core: first area, then area-speed optimisation; empty if it is in none."""
    if core not in _ROWS:
        return ()
    row, *figures = _ROWS[core]
    first = 1 if core.endswith("-encdec") else 3
    return tuple(
        PublishedFigures(_source(core, table, row), conditions, *values)
        for table, conditions, values in zip((first, first + 1), (_AREA, _AREA_SPEED), figures, strict=True)
    )


def _source(core: str, table: int, row: str) -> str:
    source = f"table {table}, row “{row}”"
    slip = _SLIPS.get((core, table))
    return f"{source} (as printed; {slip})" if slip else source

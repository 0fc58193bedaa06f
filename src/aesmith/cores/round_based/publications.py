"""The publications of the round-based cores; as printed, tables 1 to 4 of Ueno et al. (TC 2020), with their slips, and
the table of cores on the slides of 2016.

That of `satoh2001` is with its S-box.
"""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.cores.design import PublishedFigures
from aesmith.publications import Correction, Publication, PublishedRow

UENO2020 = Publication(
    "ueno2020",
    "R. Ueno, S. Morioka, N. Miura, K. Matsuda, M. Nagata, S. Bhasin, Y. Mathieu, T. Graba, J.-L. Danger, N. Homma",
    "High Throughput/Gate AES Hardware Architectures Based on Datapath Compression",
    "IEEE Transactions on Computers 69(4)",
    2020,
)
UENO2016 = Publication(
    "ueno2016",
    "R. Ueno, S. Morioka, N. Homma, T. Aoki",
    "A High Throughput/Gate AES Hardware Architecture by Compressing Encryption and Decryption Datapaths",
    "CHES 2016, LNCS 9813",
    2016,
)
LUTZ2002 = Publication(
    "lutz2002",
    "A. K. Lutz, J. Treichler, F. K. Gürkaynak, H. Kaeslin, G. Basler, A. Erni, S. Reichmuth, P. Rommens, "
    "S. Oetiker, W. Fichtner",
    "2Gbit/s Hardware Realizations of RIJNDAEL and SERPENT: A Comparative Analysis",
    "CHES 2002, LNCS 2523",
    2002,
)
LIU2009 = Publication(
    "liu2009",
    "P.-C. Liu, H.-C. Chang, C.-Y. Lee",
    "A 1.69 Gb/s Area-Efficient AES Crypto Core with Compact On-the-Fly Key Expansion Unit",
    "ESSCIRC 2009",
    2009,
)
MATHEW2011 = Publication(
    "mathew2011",
    "S. K. Mathew, F. Sheikh, M. Kounavis, S. Gueron, A. Agarwal, S. K. Hsu, H. Kaul, M. A. Anders, "
    "R. K. Krishnamurthy",
    "53 Gbps Native GF((2^4)^2) Composite-Field AES-Encrypt/Decrypt Accelerator for Content-Protection in "
    "45 nm High-Performance Microprocessors",
    "IEEE Journal of Solid-State Circuits 46(4)",
    2011,
)
GUERON2016 = Publication(
    "gueron2016",
    "S. Gueron, S. Mathew",
    "Hardware Implementation of AES Using Area-Optimal Polynomials for Composite-Field Representation "
    "GF(2^4)^2 of GF(2^8)",
    "IEEE 23rd Symposium on Computer Arithmetic (ARITH)",
    2016,
)
SASEBO = Publication(
    "sasebo",
    "Research Center for Information Security, AIST; A. Satoh",
    "SASEBO AES cryptographic circuits",
    "Side-channel Attack Standard Evaluation Board, circuit macros",
    2007,
)

_BOTH = (
    *("area", "latency", "fmax", "throughput", "throughput_alone", "power", "power_decrypt"),
    *("efficiency", "efficiency_alone", "power_latency", "power_latency_decrypt"),
)
_ENCRYPT = (
    *("area", "latency", "fmax", "throughput", "throughput_alone", "power", "efficiency", "efficiency_alone"),
    "power_latency",
)
"""Columns as printed. Areas are in GE, latencies in ns, frequencies in MHz, throughputs in Gbps, efficiencies in
Kbps/GE, power in µW at 100 MHz, and its product with the latency in µW·ns."""

_LABELS = {
    "satoh2001-encdec": "Satoh et al.",
    "lutz2002-encdec": "Lutz et al.",
    "liu2009-encdec": "Liu et al.",
    "mathew2011-encdec": "Mathew et al.",
    "ueno2016-encdec": "Previous version",
    "ueno2020-encdec": "This work",
    "sasebo-table-enc": "SASEBO IPs, Table",
    "sasebo-tower-enc": "SASEBO IPs, Tower field",
    "gueron2016-mapped-enc": "Gueron and Mathew, Mapped",
    "gueron2016-native-enc": "Gueron and Mathew, Native",
    "ueno2020-enc": "This work",
}
"""The paper's names of the presets."""

_PRINTED: Mapping[int, Mapping[str, tuple[float | None, ...]]] = {
    1: {
        "satoh2001-encdec": (15269.67, 32.56, 337.84, 4.32, 3.69, 849, 820, 273.20, 257.45, 27643, 26699),
        "lutz2002-encdec": (26113.67, 23.00, 434.78, 5.57, None, 759, 833, 213.12, None, 17457, 19159),
        "liu2009-encdec": (13760.33, 37.62, 292.40, 3.74, 3.40, 1020, 1030, 271.99, 247.26, 38372, 38749),
        "mathew2011-encdec": (18576.33, 43.34, 253.81, 3.25, 2.95, 1150, 1640, 174.89, 158.99, 49.841, 71078),
        "ueno2016-encdec": (16428.33, 21.01, 523.56, 6.70, 6.09, 582, 512, 407.93, 370.84, 12228, 10757),
        "ueno2020-encdec": (16418.33, 19.25, 571.43, 7.31, 6.65, 490, 511, 445.50, 405.00, 9433, 9837),
    },
    2: {
        "satoh2001-encdec": (16628.67, 24.97, 440.53, 5.64, 5.13, 902, 868, 339.10, 308.27, 22523, 21674),
        "lutz2002-encdec": (28301.33, 16.20, 617.28, 7.90, None, 735, 843, 279.18, None, 11907, 13657),
        "liu2009-encdec": (15335.67, 29.70, 380.37, 4.74, 4.31, 1010, 1050, 309.13, 281.03, 29997, 31185),
        "mathew2011-encdec": (21429.33, 30.80, 357.14, 4.57, 4.16, 1390, 1850, 213.33, 193.93, 42812, 56980),
        "ueno2016-encdec": (18013.00, 16.28, 675.68, 8.65, 7.86, 569, 507, 480.13, 436.49, 9263, 8254),
        "ueno2020-encdec": (17368.67, 15.84, 694.44, 8.89, 8.08, 465, 484, 511.78, 465.25, 7366, 7667),
    },
    3: {
        "sasebo-table-enc": (21291.67, 16.68, 719.42, 8.10, 7.67, 373, 393.18, 360.42, 6222),
        "sasebo-tower-enc": (10529.33, 30.72, 390.63, 4.55, 4.17, 536, 431.69, 395.72, 16466),
        "gueron2016-mapped-enc": (12467.67, 26.51, 414.94, 5.31, 4.83, 588, 426.00, 387.27, 15588),
        "gueron2016-native-enc": (11311.00, 28.38, 387.60, 4.96, 4.51, 619, 428.62, 398.75, 17567),
        "ueno2020-enc": (11257.33, 17.38, 632.91, 8.10, 7.36, 295, 719.64, 654.22, 5127),
    },
    4: {
        "sasebo-table-enc": (23085.00, 11.64, 1030.93, 12.00, 11.00, 352, 519.66, 476.35, 4097),
        "sasebo-tower-enc": (11431.67, 23.04, 520.83, 6.06, 5.56, 513, 530.16, 485.98, 11820),
        "gueron2016-mapped-enc": (13249.33, 21.78, 505.05, 6.46, 5.88, 655, 487.92, 443.57, 14266),
        "gueron2016-native-enc": (12108.33, 23.87, 460.83, 5.90, 5.36, 755, 487.16, 442.87, 18022),
        "ueno2020-enc": (12127.00, 13.97, 787.40, 10.08, 9.16, 279, 831.10, 755.54, 3898),
    },
}

_CORRECTIONS = {
    (1, "satoh2001-encdec"): (
        Correction("throughput_alone", 3.69, 3.93, "frequency, latency and the efficiency next to it"),
        Correction("efficiency", 273.20, 283.20, "throughput over area; 273.20 is what the paper's 1.63 is to"),
    ),
    (1, "mathew2011-encdec"): (
        Correction("power_latency", 49.841, 49841, "power times latency; a decimal point for a comma"),
    ),
    (2, "liu2009-encdec"): (Correction("fmax", 380.37, 370.37, "latency, throughput and efficiency"),),
    (3, "sasebo-table-enc"): (Correction("throughput", 8.10, 8.37, "frequency over 11 clocks, and the efficiency"),),
    (3, "gueron2016-native-enc"): (Correction("efficiency", 428.62, 438.62, "throughput over area"),),
}


def _row(table: int, preset: str, values: tuple[float | None, ...]) -> PublishedRow:
    columns = _BOTH if table < 3 else _ENCRYPT
    printed = {figure: value for figure, value in zip(columns, values, strict=True) if value is not None}
    slips = _CORRECTIONS.get((table, preset), ())
    return PublishedRow(UENO2020, f"table {table}", _LABELS[preset], printed, slips)


TABLES: Mapping[int, Mapping[str, PublishedRow]] = {
    table: {preset: _row(table, preset, values) for preset, values in rows.items()} for table, rows in _PRINTED.items()
}
"""The rows of each table by preset. Tables 1 and 3 are optimised for area, 2 and 4 for area and speed."""


_COLUMNS_2016 = ("area", "latency", "fmax", "throughput", "efficiency", "power", "power_latency")
"""Columns as printed, of two slides: GE, ns, MHz, Gbps, Kbps/GE; mW at 10 MHz, mW·ns. Without overlap of blocks."""

_PRINTED_2016 = {
    "satoh2001-encdec": ("Satoh et al.", (13671.75, 78.10, 140.85, 1.64, 119.88, 4.05, 316.31)),
    "lutz2002-encdec": ("Lutz et al.", (20380.50, 68.50, 145.99, 1.87, 91.69, 3.43, 234.96)),
    "liu2009-encdec": ("Liu et al.", (12538.75, 85.25, 129.03, 1.50, 119.75, 4.51, 384.48)),
    "mathew2011-encdec": ("Mathew et al.", (20639.50, 97.68, 112.61, 1.31, 63.49, 5.49, 536.26)),
    "ueno2016-encdec": ("This work", (15242.75, 46.97, 234.19, 2.73, 178.78, 2.76, 129.63)),
}
TABLE_2016: Mapping[str, PublishedRow] = {
    preset: PublishedRow(UENO2016, "slides", label, dict(zip(_COLUMNS_2016, values, strict=True)))
    for preset, (label, values) in _PRINTED_2016.items()
}
"""The rows of “Performance evaluation” and “Power consumption estimation” on the slides, by preset."""


def published(preset: str) -> tuple[PublishedFigures, ...]:
    """What the tables state for a preset: first area, then area-speed optimisation, then what the slides of 2016 do;
    empty if it is in none."""
    found = ((table, rows[preset]) for table, rows in TABLES.items() if preset in rows)
    figures = [
        _figures(f"{'area' if table % 2 else 'area-speed'} optimisation, NanGate 45 nm worst case", row)
        for table, row in found
    ]
    if preset in TABLE_2016:
        figures.append(_figures("area optimisations, cells not named, without overlap of blocks", TABLE_2016[preset]))
    return tuple(figures)


def _figures(conditions: str, row: PublishedRow) -> PublishedFigures:
    shown = ("area", "latency", "fmax", "efficiency")
    area, latency, fmax, efficiency = (row.stated[figure] for figure in shown)
    return PublishedFigures(row.citation(*shown), conditions, area, latency, fmax, efficiency)

"""Tables 3 and 4 of Wang and Heys (NEWCAS 2010): a byte-serial core whose one S-box has one to five stages.

Measured twice: without control, as the publication did, and whole.
"""

from __future__ import annotations

from collections.abc import Callable

from aesmith.cores.design import Direction
from aesmith.cores.serial.hamalainen2006 import REFERENCE
from aesmith.cores.serial.wang2010 import PROPOSED, PUBLICATION
from aesmith.flow.measurement import Optimise
from aesmith.publications import Correction
from aesmith.sboxes.entry import Function
from aesmith.tables.designs import catalogue, core_of, cut_for_library, without_control
from aesmith.tables.figures import grouped, measured, of_part, power_figures, quotient
from aesmith.tables.model import DESIGN, Figure, Gap, Make, Row, Table, TableFindings, Value

WHOLE = "core"
"""The part of a row that is the whole core."""

SBOX = "sbox"
"""The part of a row that is its S-box alone."""

_AREA, _FMAX, _THROUGHPUT = measured("area_ge"), measured("fmax_mhz"), measured("throughput_gbps", scale=1e3)
_CONDITIONS = "TSMC 0.18 µm, minimum area; Design Compiler X-2005.09"
_CONTROL = (
    "as in the paper, the figures next to the published ones are of data path and key registers without control; the "
    "whole core, which has its control, key store and block interface, follows"
)
_WITHOUT_CONTROL = "without control"
_WHOLE_FIGURES = measured("throughput_gbps", WHOLE, 1e3), measured("area_ge", WHOLE)
_WHOLE = (
    Figure("core_area", "whole core (GE)", 0, measured("area_ge", WHOLE), best="least"),
    Figure("core_fmax", "whole core (MHz)", 1, measured("fmax_mhz", WHOLE)),
)
_POWER = power_figures(
    Direction.ENCRYPT, of="whole core, ", group="power of the whole core", measurement_of=of_part(WHOLE)
)


def _parts(preset: str, sbox: str | None = None) -> dict[str, Make]:
    return {DESIGN: without_control(preset, sbox), WHOLE: lambda _library: core_of(preset, sbox)}


def _clocks(findings: TableFindings, row: Row) -> Value:
    if row.name in findings.absent:
        return Gap(findings.absent[row.name])
    return float(findings.designs[row.name][DESIGN].cycles_per_block)


TABLE_3 = Table(
    name="wang-table3",
    title="byte-serial encryption: one S-box of four stages against two S-boxes",
    publication=PUBLICATION,
    source="table 3",
    conditions=_CONDITIONS,
    figures=(
        *grouped(
            _WITHOUT_CONTROL,
            Figure("area", "area (GE)", 0, _AREA, ratio=True, best="least"),
            Figure("fmax", "max. freq. (MHz)", 1, _FMAX, ratio=True),
            Figure("clocks", "cycles per block", 0, _clocks, best="least"),
            Figure("throughput", "throughput (Mbps)", 1, _THROUGHPUT, ratio=True),
        ),
        *grouped(
            "whole cores",
            *_WHOLE,
            Figure("core_throughput", "whole core (Mbps)", 1, measured("throughput_gbps", WHOLE, 1e3), ratio=True),
        ),
        *_POWER,
    ),
    rows=(
        Row(
            "wang2010-s4-enc canright2005",
            "Proposed, S-box of Canright",
            PROPOSED.printed,
            _parts("wang2010-s4-enc", "canright2005"),
            # 128 bits in 243 clocks at 233 MHz are 122.7 Mbps.
            note="the paper's throughput is below what its frequency and clocks give, 122.7 Mbps",
        ),
        Row(
            "hamalainen2006-enc",
            "Reference design (Hämäläinen et al.), S-box of Canright",
            REFERENCE.printed,
            _parts("hamalainen2006-enc"),
        ),
        Row("wang2010-s4-enc", "Proposed, S-box after Boyar and Peralta (2012)", {}, _parts("wang2010-s4-enc")),
        *(
            Row(f"{preset} {sbox}", f"{label}, S-box {author}", {}, _parts(preset, sbox))
            for sbox, author, preset, label in (
                ("lin2023", "of Lin et al.", "wang2010-s4-enc", "Proposed"),
                ("reyhani2018", "of Reyhani-Masoleh et al.", "wang2010-s4-enc", "Proposed"),
                ("boyar2012-derived", "after Boyar and Peralta (2012)", "hamalainen2006-enc", "Reference design"),
                ("reyhani2018", "of Reyhani-Masoleh et al.", "hamalainen2006-enc", "Reference design"),
            )
        ),
    ),
    base=("hamalainen2006-enc",),
    base_by="throughput",
    optimise=(Optimise.AREA,),
    notes=(_CONTROL,),
)


_Of = Callable[[TableFindings, Row], Value]


def _relative(figure: _Of) -> _Of:
    """A figure relative to that of four stages."""
    return lambda findings, row: quotient(figure(findings, row), figure(findings, findings.table.row("4")))


def _over(first: _Of, second: _Of) -> _Of:
    """One figure over another."""
    return lambda findings, row: quotient(first(findings, row), second(findings, row))


_PRINTED = {1: (0.93, 0.37, 0.40), 2: (0.96, 0.65, 0.65), 3: (0.99, 0.82, 0.83), 4: (1, 1, 1), 5: (1.05, 1.15, 1.1)}
"""Stages: area, throughput, throughput over area, relative to four stages."""

_CORRECTIONS = {2: (Correction("per_area", 0.65, 0.68, "throughput over area, 0.65 / 0.96"),)}

TABLE_4 = Table(
    name="wang-table4",
    title="byte-serial encryption by the number of S-box stages, relative to four",
    publication=PUBLICATION,
    source="table 4",
    conditions=_CONDITIONS,
    figures=(
        *grouped(
            _WITHOUT_CONTROL,
            Figure("area", "area (of 4 stages)", 2, _relative(_AREA), best="least"),
            Figure("throughput", "throughput (of 4 stages)", 2, _relative(_THROUGHPUT)),
            Figure("per_area", "throughput/area (of 4 stages)", 2, _relative(_over(_THROUGHPUT, _AREA))),
        ),
        *grouped(
            "whole cores, and S-boxes alone",
            *_WHOLE,
            Figure("core_per_area", "whole core, throughput/area (of 4 stages)", 2, _relative(_over(*_WHOLE_FIGURES))),
            Figure("sbox_area", "S-box (GE)", 1, measured("area_ge", SBOX), best="least"),
            Figure("sbox_fmax", "S-box (MHz)", 1, measured("fmax_mhz", SBOX)),
        ),
        *_POWER,
    ),
    rows=tuple(
        Row(
            str(stages),
            f"{stages} stage{'s'[: stages - 1]}",
            dict(zip(("area", "throughput", "per_area"), printed, strict=True)),
            _parts(f"wang2010-s{stages}-enc")
            | {
                SBOX: cut_for_library(f"boyar2012_s{stages}", catalogue("boyar2012-derived", Function.FORWARD), stages),
            },
            corrections=_CORRECTIONS.get(stages, ()),
        )
        for stages, printed in _PRINTED.items()
    ),
    base=("4",),
    base_by="per_area",
    optimise=(Optimise.AREA,),
    notes=(
        _CONTROL,
        "all have the S-box after Boyar and Peralta (2012); alone it is between registers, which are in its area",
    ),
)

TABLES = (TABLE_3, TABLE_4)

"""Tables 1 to 4 of Ueno et al. (TC 2020): round-based cores, both directions and encryption only; and two statements
of its text, each as a table: a register at the inverter output (section 5.2), and the path to the output.

Throughput and efficiency with overlap: a block is taken in the clock in which the last result is given, so a block
takes `cycles_per_block` clocks; without, it takes the whole latency.

A conventional core is its authors' structure with today's circuits. Where something of the publication's own circuits
is known, a second row has the core of these, and ratios are given to the best of both sets of baselines.
"""

from __future__ import annotations

from collections.abc import Iterator

from aesmith.cores.design import Direction
from aesmith.cores.round_based.publications import TABLES as PUBLISHED
from aesmith.cores.round_based.publications import UENO2020
from aesmith.flow.measurement import Optimise, efficiency_kbps_per_ge
from aesmith.tables.designs import core
from aesmith.tables.figures import grouped, measured, power_figures, quotient
from aesmith.tables.model import DESIGN, Figure, Gap, Row, Table, TableFindings, Value

BLOCK_BITS = 128
_CONDITIONS = "NanGate 45 nm, worst case; Design Compiler D-2010.03"


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

_PUBLISHED_CIRCUITS = {
    "satoh2001-encdec": "the S-box's equations and the factored MixColumns are Satoh et al.'s",
    "sasebo-table-enc": "the factored MixColumns is the macro's; the S-box is a table in either row",
    "sasebo-tower-enc": "the S-box's equations and the factored MixColumns are those of the macro, which is Satoh's",
    "liu2009-encdec": "a reconstruction from the few sentences in which Ueno et al. describe it: MixColumns and "
    "InvMixColumns are in series, which no publication says and which makes it slow, and the S-box and "
    "MixColumns are not described; so ratios are also given with the core of today's circuits in its place",
}
"""Cores of which something of the publication's own circuits is known, and what."""

AS_PUBLISHED = "as-published"


def published_circuits(names: tuple[str, ...], *, but: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The rows of these cores with their publications' circuits where they are known, but for some of them."""
    return tuple(
        f"{name}-{AS_PUBLISHED}" if name in _PUBLISHED_CIRCUITS and name not in but else name for name in names
    )


CONVENTIONAL_BOTH = ("satoh2001-encdec", "lutz2002-encdec", "liu2009-encdec", "mathew2011-encdec")
CONVENTIONAL_ENCRYPT = ("sasebo-table-enc", "sasebo-tower-enc", "gueron2016-mapped-enc", "gueron2016-native-enc")


def _rows(number: int) -> Iterator[Row]:
    """The rows of one of the paper's tables, and behind some of them the same core with its publication's circuits."""
    for preset, row in PUBLISHED[number].items():
        label, own = _LABELS[preset], _PUBLISHED_CIRCUITS.get(preset)
        today = f"{label} (today's circuits)" if own else label
        yield Row(preset, today, row.printed, {DESIGN: core(preset)}, corrections=row.corrections)
        if own:
            design = core(preset, circuits=AS_PUBLISHED)
            yield Row(f"{preset}-{AS_PUBLISHED}", f"{label} (as published)", {}, {DESIGN: design}, note=own)


def _table(number: int, base: tuple[str, ...], since: tuple[str, ...]) -> Table:
    both = number < 3
    what = "encryption and decryption" if both else "encryption"
    optimise = Optimise.AREA if number % 2 else Optimise.AREA_SPEED
    sets = {"with today's circuits": base, "as published": published_circuits(base)}
    if both:
        sets["as published, but for Liu et al."] = published_circuits(base, but=("liu2009-encdec",))
    return Table(
        name=f"ueno-table{number}",
        title=f"AES-128 {what}, {optimise} optimisation",
        publication=UENO2020,
        source=f"table {number}",
        conditions=_CONDITIONS,
        figures=_FIGURES_BOTH if both else _FIGURES_ENCRYPT,
        rows=(*_rows(number), *(Row(preset, _SINCE[preset], {}, {DESIGN: core(preset)}) for preset in since)),
        base=base,
        base_by="efficiency",
        optimise=(optimise,),
        notes=(
            "ratios are to the best conventional design by efficiency: not to the authors' previous version, and not "
            "to the baselines that are newer than the paper",
            "as published: with what is known of the publication's own circuits, in the same structure; published "
            "figures are in the row of the same core with today's circuits",
            "area is registers, key schedule and control included; throughput and efficiency with overlap of input and "
            "output where the design has it",
        ),
        base_sets=sets,
    )


_SINCE_BOTH = ("boyar2010-encdec", "maximov2019-encdec")
_SINCE_ENCRYPT = ("boyar2010-enc", "maximov2019-enc")

_PIPELINED = Table(
    name="ueno-pipelined",
    title="AES-128 encryption and decryption with a register at the inverter output",
    publication=UENO2020,
    source="section 5.2",
    conditions=_CONDITIONS,
    figures=grouped(
        "area and throughput",
        Figure("area", "area (GE)", 0, measured("area_ge"), ratio=True, best="least"),
        Figure("period", "period (ns)", 3, measured("period_ns"), ratio=True, best="least"),
        Figure("throughput", "throughput (Gbps)", 2, measured("throughput_gbps"), ratio=True),
        Figure("efficiency", "efficiency (Kbps/GE)", 1, measured("efficiency_kbps_per_ge"), ratio=True),
    ),
    rows=(
        Row(
            "ueno2020-encdec",
            "One block under way",
            PUBLISHED[2]["ueno2020-encdec"].printed,
            {DESIGN: core("ueno2020-encdec")},
        ),
        Row(
            "ueno2020-encdec-p2",
            "Two blocks, a register between",
            {"throughput": 17.63},
            {DESIGN: core("ueno2020-encdec-p2")},
        ),
    ),
    base=("ueno2020-encdec",),
    base_by="throughput",
    optimise=(Optimise.AREA_SPEED,),
    notes=(
        "the published throughput of two blocks is computed from two delays, 0.60 ns of the inverters and 0.66 ns of "
        "the rest, without what the second register takes",
    ),
)


def _efficiency_with_ports(findings: TableFindings, row: Row) -> Value:
    found = findings.measurement(row)
    if isinstance(found, Gap):
        return found
    period = found.period_with_ports_ns
    if period is None:
        return Gap(found.gaps["period_ns"])
    return efficiency_kbps_per_ge(period, found.cycles_per_block, found.area_ge, found.block_bits)


def _output_rows(preset: str, what: str, number: int) -> Iterator[Row]:
    printed = PUBLISHED[number][preset].printed
    yield Row(preset, f"{what}, bare output", printed, {DESIGN: core(preset)})
    registered = core(preset, output="registered")
    yield Row(f"{preset}-registered", f"{what}, registered output", {}, {DESIGN: registered})


_OUTPUTS = Table(
    name="ueno-outputs",
    title="AES-128, the path to the output",
    publication=UENO2020,
    source="tables 2 and 4, and the text on the path after the last round",
    conditions=_CONDITIONS,
    figures=(
        *grouped(
            "area and paths",
            Figure("area", "area (GE)", 0, measured("area_ge"), best="least"),
            Figure("period", "period (ns)", 3, measured("period_ns"), best="least"),
            Figure("output", "to the output (ns)", 3, measured("register_to_output_ns"), best="least"),
            Figure("ports", "period with ports (ns)", 3, measured("period_with_ports_ns"), best="least"),
        ),
        *grouped(
            "efficiency and clocks",
            Figure("efficiency", "efficiency (Kbps/GE)", 1, measured("efficiency_kbps_per_ge")),
            Figure("efficiency_ports", "efficiency with ports (Kbps/GE)", 1, _efficiency_with_ports),
            Figure("clocks", "clocks to a result", 0, measured("latency_cycles"), best="least"),
        ),
    ),
    rows=(
        *_output_rows("ueno2020-enc", "Encryption", 4),
        *_output_rows("ueno2020-encdec", "Encryption and decryption", 2),
    ),
    base=("ueno2020-enc",),
    base_by="efficiency",
    optimise=(Optimise.AREA_SPEED,),
    notes=(
        "bare: nothing between the last round and block_o, as in the paper; registered: a register, and a result a "
        "clock later",
        "with ports all paths count, from inputs and to outputs, too, with no delay outside the core",
    ),
)

TABLES = (
    _table(1, CONVENTIONAL_BOTH, _SINCE_BOTH),
    _table(2, CONVENTIONAL_BOTH, _SINCE_BOTH),
    _table(3, CONVENTIONAL_ENCRYPT, _SINCE_ENCRYPT),
    _table(4, CONVENTIONAL_ENCRYPT, _SINCE_ENCRYPT),
    _PIPELINED,
    _OUTPUTS,
)

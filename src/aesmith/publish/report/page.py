"""The report's page: one text of template, style, scripts, and data, which are points as columns of plain values.

The points are those of a frame, measured, and the cores of the published tables, with figures as the papers state them,
slips corrected.

The scatter is drawn by the page's own scripts, as SVG. Plotly was the alternative: its script is 4.8 MB in every
report, its marks cannot be reached by keyboard, and its colours do not follow the reader's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from aesmith import __version__
from aesmith.cores.family import Specification
from aesmith.cores.specification import default_name, described_design, families, presets
from aesmith.errors import RequestError
from aesmith.explore.points import (
    DIRECTIONS,
    PLACED_UTILISATION,
    how_to_make,
    is_engine,
    points_by,
    synthesis_of,
)
from aesmith.explore.recommend.choice import NAMES
from aesmith.explore.recommend.devices import FURTHER, device_points, every_point, measured_by
from aesmith.explore.recommend.serving import columns_by_mode, keys_of, protection_of
from aesmith.explore.recommend.words import (
    key_of,
    output_of,
    point_count,
    protected,
    rule_as_values,
    searched,
)
from aesmith.flow.measurement import FMAX, FMAX_WITH_PORTS, PlacedFigures
from aesmith.lazy import LazyModule
from aesmith.modes.specification import build_engine, presets_of
from aesmith.sboxes.catalogue import catalogue
from aesmith.tables.catalogue import TABLES
from aesmith.tables.model import Row, Table
from aesmith.technology.registry import EMBEDDED
from aesmith.templates import templates

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")


SCRIPTS = (
    *("dom", "axis", "front", "model", "quantity", "choice", "reasons", "marks", "plot", "pointer", "panel"),
    *("compare", "table", "filters", "need", "live", "main"),
)
"""In the order in which they stand in the page."""

_TEMPLATES = "aesmith.publish.report"
_NOTES = (
    "Area is all cells, registers and control included, in gate equivalents: area over that of the library's smallest "
    "NAND2. The clock is that of the worst path from register to register, before layout: wires have no delay.",
    "Throughput is of independent blocks, back to back. A chained stream, such as one of CBC encryption, starts a "
    "block when the one before is done: it gets one per latency.",
    "Published points come from other synthesisers and libraries: compare ratios between designs of one flow, not "
    "figures across flows.",
)


_ENGINE_NOTE = (
    "An engine is all that serves a mode of operation: cores, queues, keys, multiplier. Its throughput is that of a "
    "long message, its latency that of a beat of text."
)
_DEVICE_NOTE = (
    "Figures on a device are of `aesmith fpga`: LUTs, block memories, and the best clock of several placements. Some "
    "devices are only mapped on, and have counts alone. Compare designs on one device, not devices."
)
_PLACED_NOTE = (
    f"Placed figures are of the same netlist with wires, its gates sized again; cells fill {PLACED_UTILISATION} of the "
    "core. They are in separate columns, and points that were not placed have none."
)


@dataclass(frozen=True)
class ReportFigure:
    """A column of numbers. `best` is what is good: least or most; `digits` stand after the decimal point."""

    name: str
    label: str
    unit: str
    digits: int
    best: str


@dataclass(frozen=True)
class ReportParameter:
    """A column to filter and colour by; `order` has the values that do not sort by themselves."""

    name: str
    label: str
    order: Sequence[str] = ()


def _power(direction: str) -> tuple[ReportFigure, ...]:
    way = f"{direction}ing"
    return (
        ReportFigure(f"energy_pj_per_block_{direction}", f"Energy a block, {way}", "pJ", 1, "least"),
        ReportFigure(f"power_uw_at_100mhz_{direction}", f"Power at 100 MHz, {way}", "µW", 0, "least"),
        ReportFigure(f"power_latency_product_{direction}", f"Power × latency, {way}", "fJ", 0, "least"),
        ReportFigure(f"glitch_fraction_{direction}", f"Glitches' part of energy, {way}", "", 2, "least"),
    )


FIGURES = (
    ReportFigure("area_ge", "Area", "GE", 0, "least"),
    ReportFigure("luts", "LUTs", "", 0, "least"),
    ReportFigure("memories", "Block memories", "", 0, "least"),
    ReportFigure("throughput_gbps", "Throughput", "Gbit/s", 2, "most"),
    ReportFigure("chained_gbps", "Throughput of a chained stream", "Gbit/s", 2, "most"),
    ReportFigure("latency_ns", "Latency", "ns", 2, "least"),
    ReportFigure("fmax_mhz", FMAX, "MHz", 0, "most"),
    ReportFigure("fmax_with_ports_mhz", FMAX_WITH_PORTS, "MHz", 0, "most"),
    ReportFigure("efficiency_kbps_per_ge", "Efficiency", "Kbps/GE", 1, "most"),
    *_power("encrypt"),
    *_power("decrypt"),
    ReportFigure("placed_area_ge", "Area, placed", "GE", 0, "least"),
    ReportFigure("placed_throughput_gbps", "Throughput, placed", "Gbit/s", 2, "most"),
    ReportFigure("placed_efficiency_kbps_per_ge", "Efficiency, placed", "Kbps/GE", 1, "most"),
    ReportFigure("placed_period_ns", "Period, placed, register to register", "ns", 3, "least"),
    ReportFigure("placed_wire_mm", "Wires", "mm", 1, "least"),
    ReportFigure("period_ns", "Period, register to register", "ns", 3, "least"),
    ReportFigure("period_with_ports_ns", "Period, with ports", "ns", 3, "least"),
    ReportFigure("cycles_per_block", "Cycles per block", "", 0, "least"),
    ReportFigure("latency_cycles", "Latency in clocks", "", 0, "least"),
    ReportFigure("blocks_in_flight", "Blocks in flight", "", 0, "most"),
    ReportFigure("logic_area_ge", "Area of logic", "GE", 0, "least"),
    ReportFigure("register_area_ge", "Area of registers", "GE", 0, "least"),
    ReportFigure("flip_flops", "Flip-flops", "", 0, "least"),
)
"""`chained_gbps` is made for the report: a block per latency, what one stream of CBC encryption gets; and
`fmax_with_ports_mhz`, the clock of the period with ports."""

_PLACED = ("area_ge", "throughput_gbps", "efficiency_kbps_per_ge", "period_ns", "wire_mm")
"""The figures with wires that the page shows, each in a column of its own: they never stand in one without."""

PARAMETERS = (
    ReportParameter("family", "Family"),
    ReportParameter("directions", "Directions", ("encrypt", "decrypt", "encrypt+decrypt")),
    ReportParameter("key_bits", "Key bits"),
    ReportParameter("sbox", "S-box"),
    ReportParameter("stages", "Stages"),
    ReportParameter("units", "Rounds in hardware"),
    ReportParameter("synthesis", "Synthesis", ("area", "area-speed", "speed", "area-kept", "area-speed-kept")),
    ReportParameter("library", "Library or device"),
    ReportParameter("architecture", "Architecture"),
    ReportParameter("core", "Core inside"),
    ReportParameter("cores", "Cores in turn"),
)
"""Beside them stand the fields of engines that differ among the points (`_engine_fields`)."""

CONDITIONS = (
    ("library", "Library"),
    ("corner", "Corner"),
    ("synthesis", "Synthesis asked for"),
    ("recipe", "Recipe that gave it"),
    ("space", "Design space"),
    ("tools", "Tools"),
)

DEFAULTS = {
    "x": "area_ge",
    "y": "throughput_gbps",
    "colour": "family",
    "headline": ["area_ge", "throughput_gbps", "latency_ns", "fmax_mhz"],
    "tip": ["area_ge", "throughput_gbps", "latency_ns"],
    "table": ["area_ge", "throughput_gbps", "latency_ns", "fmax_mhz", "efficiency_kbps_per_ge"],
}

ON_DEVICE = {
    "x": "luts",
    "headline": ["luts", "memories", "throughput_gbps", "latency_ns", "fmax_mhz"],
    "tip": ["luts", "throughput_gbps", "latency_ns"],
    "table": ["luts", "memories", "throughput_gbps", "latency_ns", "fmax_mhz"],
}
"""Where points of devices begin with others than these."""

KINDS = {"core": "Cores", "engine": "Engines", "protected": "Masked cores", "device": "On a device"}
"""What a reader may look for: a point is of one kind."""


@dataclass(frozen=True)
class PointSet:
    """Points that answer together; `source` is what `--points` takes to find them, None for those of a store, and
    `device` the FPGA that they are of, empty for a library."""

    points: pd.DataFrame
    source: str | None = None
    device: str = ""


def further_sets(points: pd.DataFrame) -> tuple[PointSet, ...]:
    """What comes with aesmith of the kinds that are not among these points: engines and masked cores in the libraries
    of the points, or else in the embedded one, and designs on devices."""
    found, have, libraries = [], {*_kinds(points)}, {*points["library"].dropna()}
    for kind, source in (("engine", "engines"), ("protected", "presets")):
        if kind not in have:
            every = points_by(source)
            here = every["library"].isin(libraries if libraries & {*every["library"]} else {EMBEDDED})
            found.append(PointSet(every[here].reset_index(drop=True), source))
    found += [PointSet(device_points(name), device=name) for name in sorted(every_point()["library"].unique())]
    return tuple(found)


def _kinds(points: pd.DataFrame) -> list[str]:
    """The kind of each point of a library."""
    return [
        "engine" if is_engine(text) else "protected" if protection_of(text).order else "core"
        for text in map(str, points["specification"])
    ]


_COLUMNS = {
    "area": "area_ge",
    "throughput": "throughput_gbps",
    "latency": "latency_ns",
    "fmax": "fmax_mhz",
    "efficiency": "efficiency_kbps_per_ge",
    "clocks": "cycles_per_block",
    "power": "power_uw_at_100mhz_encrypt",
    "power_decrypt": "power_uw_at_100mhz_decrypt",
    "power_latency": "power_latency_product_encrypt",
    "power_latency_decrypt": "power_latency_product_decrypt",
}
"""A table's figure: the column of a frame of points that has the same quantity."""

_UNITS = {"(Mbps)": 1e-3, "(Mbps/GE)": 1e3}
"""What titles of figures end with where the unit is not the column's, and the factor to it."""


def published_points() -> list[dict[str, object]]:
    """Every row of a published table that is a core, with the columns it has a figure for.

    Each also has `name` (the preset; a row may have another S-box), `label`, `publication`, `source` (table and row)
    and `conditions`.
    """
    known = presets()
    rows = ((table, row) for table in TABLES.values() for row in table.rows if row.published)
    return [_point(table, row) for table, row in rows if _preset(row) in known]


def _preset(row: Row) -> str:
    return row.name.split()[0]


def _point(table: Table, row: Row) -> dict[str, object]:
    figures = _figures(table, row)
    corrected = any(correction.figure in _COLUMNS for correction in row.corrections)
    latency = figures.get("latency_ns")
    return {
        "name": _preset(row),
        "label": row.label,
        "publication": table.publication.short,
        "source": f"{table.publication.key}, {table.source}" + (", a slip corrected" if corrected else ""),
        "conditions": f"{table.conditions}; {table.title}",
        **figures,
        **({"chained_gbps": 128 / latency} if latency else {}),
    }


def _figures(table: Table, row: Row) -> Mapping[str, float]:
    found = {}
    for figure in table.figures:
        value = row.stated(figure.name)
        if value is not None and figure.name in _COLUMNS:
            scale = next((factor for unit, factor in _UNITS.items() if figure.title.endswith(unit)), 1.0)
            found[_COLUMNS[figure.name]] = value * scale
    return found


_DIGITS = 9
_WORDS = (
    *(
        "design",
        "title",
        "citation",
        "make",
        "verified",
        "kind",
        "bus",
        "protection",
        "optimise",
        "keys",
        "aes_keys",
        "key_comes",
        "output",
        "released",
        "by_mode",
    ),
    *dict(CONDITIONS),
    *(parameter.name for parameter in PARAMETERS),
)
_DECIDING = (
    *("area_ge", "fmax_mhz", "throughput_gbps", "cycles_per_block", "block_width"),
    *("set", "order", "luts", "memories", "seeds"),
    *(f"{figure}_{way}" for figure in ("power_uw_at_100mhz", "energy_pj_per_block") for way in DIRECTIONS),
)
"""Columns that the rule of `recommend` compares, beside those in clocks: in the page with all their digits."""


def content(
    points: pd.DataFrame,
    source: str | None = None,
    placed: Mapping[str, PlacedFigures] | None = None,
    further: Sequence[PointSet] = (),
) -> dict[str, object]:
    """What the page's scripts read. Points that failed are counted only; columns are those of `points`.

    `source` is what `--points` takes to find these points, None for those of a store; `placed` has figures with wires
    by the key of a point. The points of `further` are shown of kinds that `points` have none of.
    """
    placements = placed or {}
    sets = [
        replace(each, points=of_library)
        for each in (PointSet(points, source), *further)
        for _, of_library in each.points.groupby("library", sort=True)
    ]
    own = points["library"].nunique()
    told = pd.concat([_told(each, number, placements) for number, each in enumerate(sets)], ignore_index=True)
    first = told["set"].lt(own)
    told["kind"] = told["kind"].where(first | ~told["kind"].isin(told.loc[first, "kind"]))
    told.loc[told["set"].ge(own) & told["kind"].eq("core"), "kind"] = None
    fields = _engine_fields(told[told["kind"].notna()])
    told = told.assign(
        **{name: pd.Series(column, index=told.index[told["kind"].notna()]) for name, column in fields.items()}
    )
    shown = told[told["kind"].notna()]
    figures = [_with_digits(figure, shown) for figure in FIGURES if shown[figure.name].notna().any()]
    parameters = [*PARAMETERS, *(ReportParameter(name, name.replace("_", " ").capitalize()) for name in fields)]
    return {
        "figures": [asdict(figure) for figure in figures],
        "parameters": [asdict(parameter) for parameter in parameters],
        "conditions": [{"name": name, "label": label} for name, label in CONDITIONS],
        "kinds": [
            _kind(name, shown[shown["kind"].eq(name)], parameters) for name in KINDS if shown["kind"].eq(name).any()
        ],
        "ids": _identities(told),
        "columns": {figure.name: _numbers(told[figure.name]) for figure in figures}
        | {name: _numbers(told[name], None) for name in _DECIDING if told[name].notna().any()}
        | {name: _words(told[name].tolist()) for name in dict.fromkeys((*_WORDS, *fields))},
        "published": published_points(),
        "sboxes": _sboxes(set(shown["sbox"].dropna())),
        "rule": rule_as_values(),
        "sets": [
            _set_of(each, alone=own == 1 and number == 0 and source is not None) for number, each in enumerate(sets)
        ],
    }


def _told(each: PointSet, number: int, placed: Mapping[str, PlacedFigures]) -> pd.DataFrame:
    """The points of a set that are done, with what the page says of them."""
    done = each.points[each.points["status"].eq("done")].reset_index(drop=True)
    texts, on_device = done["specification"].astype(str), bool(each.device)
    found = done.assign(
        set=number,
        kind="device" if on_device else _kinds(done),
        synthesis=synthesis_of(done),
        fmax_with_ports_mhz=(1e3 / done["period_with_ports_ns"]).where(done["fmax_mhz"].notna()),
        latency_ns=done["latency_ns"].fillna(1e3 * done["latency_cycles"] / done["fmax_mhz"]),
        keys=[_keys(*of) for of in zip(texts, done["key_bits"], strict=True)],
        aes_keys=["+".join(map(str, sorted(keys_of(text)))) for text in texts],
        released=[json.loads(text).get("release") for text in texts],
        bus=[json.loads(text).get("bus") or None for text in texts],
        by_mode=[json.dumps(columns_by_mode(text)) if columns_by_mode(text) else None for text in texts],
        order=[protection_of(text).order for text in texts],
        protection=["\n".join(protected(text)) if protection_of(text).order else None for text in texts],
        key_comes=[key_of(text) for text in texts],
        output=[None if is_engine(text) else output_of(text) for text in texts],
        **{f"placed_{name}": _placed(done["key"], placed, name) for name in _PLACED},
        title=[_title(row) for row in done.to_dict("records")],
        citation=_citations(done),
        make=[
            measured_by(row) if on_device else how_to_make(str(row["design"]), str(row["specification"]))
            for row in done.to_dict("records")
        ],
    )
    found["chained_gbps"] = (128 / found["latency_ns"]).mask(found["core"].notna())
    if not on_device:
        missing = {column.name: pd.Series(pd.NA, index=found.index, dtype=column.dtype) for column in FURTHER}
        return found.assign(tools=None, **missing)
    # What such a point has as area are LUTs, and as its space the tools that made it.
    made = ["placed" if seeds else "mapped" for seeds in found["seeds"]]
    options = found["recipe"].fillna("")
    return found.assign(
        area_ge=pd.Series(pd.NA, index=found.index, dtype="Float64"),
        tools=found["space"],
        space=None,
        synthesis=[f"{how} {option}".strip() for how, option in zip(made, options, strict=True)],
    )


def _kind(name: str, points: pd.DataFrame, parameters: Sequence[ReportParameter]) -> dict[str, object]:
    """What a reader who looks for one kind of points begins with: axes, filters, the mode and the set that answer."""
    libraries = points.loc[points["throughput_gbps"].notna(), "library"].value_counts()
    families = {*points["family"]}
    modes = [mode for mode in ("gcm", *sorted(families)) if mode in families]
    several = len(libraries) > 1
    return {
        "name": name,
        "label": KINDS[name],
        "sets": sorted({int(number) for number in points["set"]}),
        "defaults": DEFAULTS
        | (ON_DEVICE if name == "device" else {})
        | {"colour": _colour(points, parameters)}
        | {"filters": {"library": [str(libraries.index[0])]} if several else {}}
        | {"mode": modes[0] if name == "engine" else "ecb", "library": str(libraries.index[0])},
    }


def _identities(points: pd.DataFrame) -> list[str]:
    """A short key of each point; of what stands in two sets, the later one's has the number of its set."""
    keys = [
        hashlib.sha256(json.dumps([str(row[name]) for name in ("library", *NAMES[:-1], "corner")]).encode()).hexdigest()
        if pd.isna(row["key"])
        else str(row["key"])
        for row in points.to_dict("records")
    ]
    short = dict(zip(dict.fromkeys(keys), _short([*dict.fromkeys(keys)]), strict=True))
    seen: set[str] = set()
    found = []
    for key, number in zip(keys, points["set"], strict=True):
        found.append(f"{short[key]}-{number}" if key in seen else short[key])
        seen.add(key)
    return found


def _keys(specification: str, key_bits: int) -> str:
    """The key sizes of a design; an engine has one."""
    return str(key_bits) if is_engine(specification) else "+".join(map(str, sorted(keys_of(specification))))


def _engine_fields(points: pd.DataFrame) -> dict[str, list[str | None]]:
    """Of the fields of engines that have several values among the points, the value of each point."""
    given = [json.loads(str(text)) if is_engine(str(text)) else {} for text in points["specification"]]
    names = dict.fromkeys(name for fields in given for name in fields if name not in ("mode", "core", "cores"))
    values = {name: [_in_words(fields[name]) if name in fields else None for fields in given] for name in names}
    return {name: column for name, column in values.items() if len({*column} - {None}) > 1}


def _in_words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else json.dumps(value).strip('"')


def _with_digits(figure: ReportFigure, points: pd.DataFrame) -> ReportFigure:
    """The figure with two digits behind the point where clocks are means and no whole numbers."""
    means = figure.name == "cycles_per_block" and (points[figure.name].dropna() % 1).ne(0).any()
    return replace(figure, digits=2) if means else figure


def _colour(points: pd.DataFrame, parameters: Sequence[ReportParameter]) -> str:
    """The parameter by which points are coloured at first: families, or where there is one only, what its engines
    differ in."""
    engines = ("core", *(parameter.name for parameter in parameters[len(PARAMETERS) :]), "cores")
    several = (name for name in ("family", *engines) if points[name].dropna().nunique() > 1)
    return next(several, str(DEFAULTS["colour"]))


def _placed(keys: pd.Series, placed: Mapping[str, PlacedFigures], name: str) -> pd.Series:
    """A figure with wires of each point, missing where it was not placed."""
    return pd.Series([getattr(placed.get(key), name, None) for key in keys], index=keys.index, dtype="Float64")


def _set_of(each: PointSet, *, alone: bool) -> dict[str, object]:
    """What `recommend` says of the points of a library or device, failed ones included; `alone` is what its source has
    no other library beside."""
    points, designs = each.points, int(each.points["design"].nunique())
    on_device = f"searched: {point_count(len(points))} of {designs} designs on {each.device}"
    return {
        "library": str(points["library"].iloc[0]),
        "source": each.source,
        "device": each.device,
        "alone": alone,
        "points": len(points),
        "designs": designs,
        "failed": int(points["status"].ne("done").sum()),
        "searched": on_device if each.device else searched(points, each.source),
    }


def as_json(values: Mapping[str, object]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _title(row: Mapping[str, object]) -> str:
    """What the design is, in one line."""
    ways = " and ".join(f"{direction}ion" for direction in str(row["directions"]).split("+"))
    if not pd.isna(row["core"]):
        sizes = sorted(keys_of(str(row["specification"])))
        twice = "" if row["key_bits"] in sizes else f", two {sizes[0]}-bit keys"
        aes = f"AES-{'/'.join(map(str, sizes))} in {str(row['family']).upper()}"
        return f"{aes}{twice}, {ways}, {row['cores']} x {row['core']}"
    key_bits = json.loads(str(row["specification"])).get("key_bits", row["key_bits"])
    keys = "/".join(map(str, key_bits if isinstance(key_bits, list) else [key_bits]))
    parts = [f"AES-{keys} {ways}, {row['family']}"]
    family = families().get(str(row["family"]))
    if family is not None:
        stages, rounds = (None if pd.isna(row[name]) else int(str(row[name])) for name in ("stages", "units"))
        parts += family.structure(stages or 1, rounds)
    if not pd.isna(row["sbox"]):
        parts.append(f"S-box {row['sbox']}")
    return ", ".join(parts)


def _citations(points: pd.DataFrame) -> list[str]:
    """The publication of each design: the preset's own, or that of the architecture's first preset; the standard of an
    engine's mode.

    Presets that are named after the same publication and have the same architecture are built once.
    """
    known = presets()
    found: dict[tuple[str, str], str] = {}
    citations = []
    columns = (points[name] for name in ("design", "architecture", "family", "core"))
    for design, architecture, family, core in zip(*columns, strict=True):
        if not pd.isna(core):
            citations.append(_standard(str(family)))
            continue
        preset = design if design in known else _first(known, architecture)
        if preset is None:
            citations.append("")
            continue
        group = (preset.split("-")[0], architecture)
        if group not in found:
            found[group] = str(described_design(known[preset], default_name(preset), preset).publication)
        citations.append(found[group])
    return citations


@cache
def _standard(mode: str) -> str:
    """The standard of a mode, which its engines say; empty for one that there is no longer."""
    engines = (build_engine(each, "preset", mode) for each in presets_of(mode).values())
    return next((str(engine.publication) for engine in engines if engine.mode == mode), "")


def _first(known: Mapping[str, Specification], architecture: str) -> str | None:
    return next((name for name, spec in known.items() if spec.architecture == architecture), None)


def _short(keys: Sequence[str]) -> list[str]:
    """The first letters of each key, as many as tell them apart."""
    length = next((n for n in range(8, 64) if len({key[:n] for key in keys}) == len(keys)), 64)
    return [key[:length] for key in keys]


def _numbers(column: pd.Series, digits: int | None = _DIGITS) -> list[float | int | None]:
    def plain(value: float | int) -> float | int:
        if float(value).is_integer():
            return int(value)
        return float(value) if digits is None else float(f"{float(value):.{digits}g}")

    return [None if pd.isna(value) else plain(value) for value in column.tolist()]


def _words(values: Sequence[object]) -> dict[str, list[object]]:
    """The different words, and for each point the index of its own."""
    texts = [None if pd.isna(value) else str(value) for value in values]
    words = list(dict.fromkeys(text for text in texts if text is not None))
    places = {word: index for index, word in enumerate(words)}
    return {"words": list(words), "index": [None if text is None else places[text] for text in texts]}


def _sboxes(names: set[str]) -> dict[str, dict[str, str]]:
    return {
        name: {
            "citation": str(catalogue()[name].publication),
            "provenance": catalogue()[name].provenance,
            "patent": catalogue()[name].patent,
        }
        for name in sorted(names)
        if name in catalogue()
    }


def report_html(
    points: pd.DataFrame,
    title: str = "AES cores, measured",
    source: str | None = None,
    live: Mapping[str, object] | None = None,
    placed: Mapping[str, PlacedFigures] | None = None,
    *,
    further: Sequence[PointSet] = (),
) -> str:
    """The report of a frame of points (columns as in `explore.points`) as one self-contained HTML page.

    `source` is what `--points` takes to find them, None for those of a store; `live` is what the page needs to ask a
    server for work (`aesmith.serve`), `placed` and `further` as in `content`. Raises RequestError if no point is done.
    """
    done = points[points["status"].eq("done")]
    if done.empty:
        raise RequestError("report: there is no point to show; sweep a design space first, or name another store")
    return (
        templates(_TEMPLATES, html=True)
        .get_template("page.html.j2")
        .render(
            title=title,
            version=__version__,
            subtitle=_subtitle(done),
            css=_text("report.css"),
            data=as_json(content(points, source, placed, further) | {"live": live}),
            script="\n".join(_text(f"{name}.js") for name in SCRIPTS),
            notes=(
                *_NOTES,
                *[_ENGINE_NOTE] * any(each.points["core"].notna().any() for each in (PointSet(done), *further)),
                *[_DEVICE_NOTE] * any(each.device for each in further),
                *[_PLACED_NOTE] * bool(placed),
            ),
        )
    )


def _subtitle(done: pd.DataFrame) -> str:
    designs, corners = done["design"].nunique(), done[["library", "corner"]].drop_duplicates()
    where = "; ".join(f"{row.library} ({row.corner})" for row in corners.itertuples())
    what = "cores" if done["core"].isna().all() else "designs"
    return f"{designs} {what} at {len(done)} points of synthesis, in {where}. Made by aesmith {__version__}."


def _text(name: str) -> str:
    return (files(_TEMPLATES) / "templates" / name).read_text(encoding="utf-8")

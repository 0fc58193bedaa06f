"""The points of a store as a data frame, one row a point, one column a figure or a parameter, and their Pareto fronts.

A point is one core or engine in one library under one request to synthesis. The frame is what sweeps give, what Pareto
fronts, recommendations and reports take, and what a reader of the Python interface works with. As a file, CSV or
Parquet, it is written for other programs, and read again, checked column by column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from aesmith.cores.design import FIELD_ELEMENTS
from aesmith.cores.specification import architectures, default_name, presets
from aesmith.errors import RequestError, meant
from aesmith.explore.design_space import Condition
from aesmith.explore.outline import BARE, CLEARED, with_named_cores
from aesmith.explore.runs import point_rows
from aesmith.explore.store import Store
from aesmith.flow.measurement import Optimise, PlacedFigures
from aesmith.lazy import LazyModule
from aesmith.modes.specification import engine_families, engine_presets
from aesmith.scratch import write_whole
from aesmith.technology.registry import EMBEDDED

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

_DATA = "aesmith.explore"
READ, WRITTEN = (".csv", ".csv.gz", ".parquet"), (".csv", ".parquet")
"""What the names of files end with."""


@dataclass(frozen=True)
class PointColumn:
    """`dtype` is pandas' (nullable, so that a figure that could not be had is `pd.NA`); `meaning` has the unit."""

    name: str
    dtype: str
    meaning: str


_TEXT, _FLOAT, _WHOLE = "string", "Float64", "Int64"

_PARAMETERS = (
    PointColumn("design", _TEXT, "preset, or a name made of the parameters"),
    PointColumn("specification", _TEXT, "all parameters, as JSON that `parse_specification` takes, or `parse_engine`"),
    PointColumn("family", _TEXT, "as `aesmith list families` has it; the mode of an engine"),
    PointColumn(
        "architecture",
        _TEXT,
        "as `aesmith list cores` has it; of an engine that of its core, and so are S-box, stages and units",
    ),
    PointColumn("core", _TEXT, "name of the core inside an engine; <NA> of a core"),
    PointColumn("cores", _WHOLE, "cores of an engine that take blocks in turn; <NA> of a core"),
    PointColumn("directions", _TEXT, "encrypt, decrypt or encrypt+decrypt"),
    PointColumn("key_bits", _WHOLE, "key size; the longest, where it is chosen with each key"),
    PointColumn(
        "block_width",
        _WHOLE,
        "bits that are transferred at a time: 128, or less where a block goes in beats; of an engine "
        "those of its stream",
    ),
    PointColumn("sbox", _TEXT, "S-box of the catalogue; <NA> where the architecture brings its own"),
    PointColumn(
        "stages",
        _WHOLE,
        "pipeline stages of a round, or of the S-box where a round takes several clocks; 1 without pipeline",
    ),
    PointColumn("units", _WHOLE, "rounds in hardware; <NA> if less than one does"),
)

_CONDITIONS = (
    PointColumn("library", _TEXT, "the library's name"),
    PointColumn("library_digest", _TEXT, "SHA-256 of the library's contents"),
    PointColumn("corner", _TEXT, "process corner, voltage and temperature"),
    PointColumn("optimise", _TEXT, "what was asked of synthesis: area, area-speed, speed, area-kept or "
                "area-speed-kept (the best of several recipes), or `recipe`, if one recipe was asked for"),
    PointColumn("recipe", _TEXT, "the recipe, with its target in ps if it has one, that gave the netlist"),
)  # fmt: skip

_FIGURES = (
    PointColumn("area_ge", _FLOAT, "area in GE: all cells, registers and control included"),
    PointColumn("logic_area_ge", _FLOAT, "area of everything that is no flip-flop, in GE"),
    PointColumn("register_area_ge", _FLOAT, "area of the flip-flops, in GE"),
    PointColumn("flip_flops", _WHOLE, "number of flip-flops"),
    PointColumn("period_ns", _FLOAT, "the worst register-to-register path"),
    PointColumn("period_with_ports_ns", _FLOAT, "the longest of all paths, those from inputs and to outputs included, "
                "with no delay outside; <NA> in points that were measured before it was kept"),
    PointColumn("fmax_mhz", _FLOAT, "clock at that period"),
    PointColumn("cycles_per_block", _FLOAT, "clocks from one block to the next, back to back, as a mean; of an engine "
                "in a long message"),
    PointColumn("latency_cycles", _WHOLE, "clocks from a block taken to its result, both counted"),
    PointColumn("latency_ns", _FLOAT, "latency_cycles times period_ns"),
    PointColumn("throughput_gbps", _FLOAT, "Gbit/s of independent blocks, back to back; of an engine those of a long "
                "message"),
    PointColumn("efficiency_kbps_per_ge", _FLOAT, "that throughput for each GE, in kbit/s"),
    PointColumn("blocks_in_flight", _WHOLE, "blocks in the core or engine at once when they come back to back; a core "
                "with 1 serves chained modes at full rate"),
)  # fmt: skip

DIRECTIONS = ("encrypt", "decrypt")
"""The endings of the columns of power, and the parts of `directions`."""

POWER_FIGURES = ("power_uw_at_100mhz", "glitch_fraction", "energy_pj_per_block", "power_latency_product")
"""The figures of power there are for each direction: column `FIGURE_DIRECTION`, as `power_uw_at_100mhz_encrypt`."""

_POWER = tuple(
    PointColumn(f"{figure}_{direction}", _FLOAT, f"`{figure}` of a measurement, {direction}ion; <NA> if not simulated")
    for direction in DIRECTIONS
    for figure in POWER_FIGURES
)

_OUTCOME = (
    PointColumn(
        "verified",
        _TEXT,
        "simulation, simulation (short) or proof, of shipped points with the number of blocks that were "
        "simulated; <NA> if the core was not verified, or failed",
    ),
    PointColumn(
        "rtl",
        _TEXT,
        "SHA-256 of the SystemVerilog that `verified` is said of (`outline.rtl_digest`); <NA> if the point "
        "was swept with its verification",
    ),
    PointColumn("status", _TEXT, "done, or failed: then the figures are <NA> and `error` says why"),
    PointColumn("error", _TEXT, "why the point failed; <NA> if it did not"),
    PointColumn("space", _TEXT, "name of the design space that the point was swept in last"),
    PointColumn(
        "seconds", _FLOAT, "processor time of its synthesis, timing and power, without verification of the core"
    ),
    PointColumn("key", _TEXT, "SHA-256 of all the point depends on; `points` gives no key twice"),
)

_ADDED = ("rtl", "period_with_ports_ns", "core", "cores")
"""Columns that exports of earlier versions lack."""

PROOF = "proof"
"""What the column `verified` begins with if the core was proved."""

COLUMNS: tuple[PointColumn, ...] = (*_PARAMETERS, *_CONDITIONS, *_FIGURES, *_POWER, *_OUTCOME)
"""All columns, in order."""


FOREIGN = "foreign"
"""The family, and the design space, of third-party designs: their specification only says whose they are."""

ONE_RECIPE = "recipe"
"""What the column `optimise` says where one recipe was asked for."""


def points(
    store: Store, *, space: str | None = None, run: str | None = None, library: str | None = None
) -> pd.DataFrame:
    """The points of a store, in the order in which they were first asked for; columns are `COLUMNS`.

    `run` takes the points of one sweep, `space` those of the last sweep of a design space, `library` those of one
    library. Without `run`, of two points that differ only in the code that made them the newer one counts.
    Raises RequestError for a run or space that there is not in the store, and for a damaged store.
    """
    rows = point_rows(store, space=space, run=run)
    return _with_outputs_stated(frame(row for row in rows if library is None or row["library"] == library))


PLACED_UTILISATION = 0.7
"""The share of the core that cells fill in the placements that are shown beside points: one for all."""


def placements(store: Store, of: pd.DataFrame) -> dict[str, PlacedFigures]:
    """The figures with wires that a store has of points, by the point's key.

    A placement is of a point if it was made of what the point has measured: the same core in the same library, with the
    same area and period to the last digit. Of several the one with the least seed counts. Raises as the store does.
    """
    found: dict[tuple[object, ...], PlacedFigures] = {}
    for measurement in store.placed():
        figures = measurement.placed
        if figures is None or figures.utilisation != PLACED_UTILISATION:
            continue
        what = (measurement.design, measurement.library_digest, measurement.area_ge, measurement.period_ns)
        if what not in found or figures.seed < found[what].seed:
            found[what] = figures
    rows = of[of["status"].eq("done")]
    columns = (rows[name] for name in ("design", "library_digest", "area_ge", "period_ns", "key"))
    return {
        str(key): found[what]
        for design, *figures_of, key in zip(*columns, strict=True)
        if (what := (default_name(str(design)), *figures_of)) in found
    }


def frame(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """The data frame of rows, each a mapping from column name to value; what a row lacks is `pd.NA`."""
    listed: Sequence[Mapping[str, object]] = list(rows)
    return pd.DataFrame(
        {column.name: pd.array([row.get(column.name) for row in listed], dtype=column.dtype) for column in COLUMNS}
    )


def blocks_in_flight(cycles_per_block: float, latency_cycles: int) -> int:
    """Blocks that are in a core at once when they come back to back."""
    return max(1, round((latency_cycles - 1) / cycles_per_block))


def how_to_make(design: str, specification: str) -> str:
    """The command that builds it; for what is no preset, the specification file first. `specification` is JSON.

    Raises RequestError for an engine of a mode, or of a core, that there is no longer.
    """
    fields = json.loads(specification)
    if fields.get("architecture") == FOREIGN:
        return f"# a third-party design, {fields['top']} of {fields['origin']}: `aesmith measure` its description"
    if _preset_fields(design, engine=is_engine(specification)) == fields:
        return f"aesmith build {design}"
    name = f"{default_name(design)}.toml"
    return f"# {name}: build it with `aesmith build {name}`\n{as_toml(specification)}"


def as_toml(specification: str) -> str:
    """A specification (JSON) as a TOML file has it."""
    fields = json.loads(specification).items()
    return "\n".join(f"{field} = {_toml(field, value)}" for field, value in fields if value is not None)


def _preset_fields(design: str, *, engine: bool) -> object:
    """The fields of a preset as points have them, None if there is no such preset."""
    if not engine:
        return presets()[design].model_dump(mode="json") if design in presets() else None
    known = engine_presets()
    return with_named_cores(known[design]).model_dump(mode="json") if design in known else None


def is_engine(specification: str) -> bool:
    """Whether a specification (JSON) is one of an engine."""
    return "mode" in json.loads(specification)


def _toml(field: str, value: object) -> str:
    if isinstance(value, dict):
        inside = (f"{name} = {_toml(name, one)}" for name, one in value.items() if one is not None)
        return f"{{ {', '.join(inside)} }}"
    return f"{value:#04x}" if field in FIELD_ELEMENTS and isinstance(value, int) else json.dumps(value)


def condition_of(row: Mapping[str, object]) -> Condition:
    """What was asked of synthesis for the point of a row."""
    if row["optimise"] == ONE_RECIPE:
        return Condition(Optimise.AREA, str(row["recipe"]))
    return Condition(Optimise(str(row["optimise"])))


def synthesis_of(points: pd.DataFrame) -> pd.Series:
    """What was asked of synthesis, in a word for each point: area, area-speed, speed, or the name of a recipe."""
    return points["optimise"].where(points["optimise"].ne(ONE_RECIPE), points["recipe"])


def on_front(frame: pd.DataFrame, *, minimise: Sequence[str] = (), maximise: Sequence[str] = ()) -> pd.Series:
    """Which rows are on the Pareto front: a boolean series with the frame's index.

    A row is on the front if no other row is at least as good in every figure and better in one. Rows that are equal in
    every figure are on it together or not at all; a row that lacks a figure is not on it, and beats nobody.
    Raises RequestError for no figure at all, one that is named twice, or one that is no column of numbers.
    """
    figures = (*minimise, *maximise)
    if not figures or len(set(figures)) != len(figures):
        raise RequestError(
            f"Pareto front: needs one figure or more, each named once, not {', '.join(figures) or 'none'}"
        )
    costs = np.column_stack(
        [_numbers(frame, name) for name in minimise] + [-_numbers(frame, name) for name in maximise]
    )
    known = ~np.isnan(costs).any(axis=1)
    front = np.zeros(len(frame), dtype=bool)
    front[known] = _undominated(costs[known])
    return pd.Series(front, index=frame.index, name="on_front")


def pareto_front(frame: pd.DataFrame, *, minimise: Sequence[str] = (), maximise: Sequence[str] = ()) -> pd.DataFrame:
    """The rows on the Pareto front, best first by the first figure. Raises as `on_front` does."""
    rows = frame[on_front(frame, minimise=minimise, maximise=maximise)]
    first = (*minimise, *maximise)[0]
    return rows.sort_values(first, ascending=first in minimise, kind="stable")


def _numbers(frame: pd.DataFrame, name: str) -> npt.NDArray[np.float64]:
    if name not in frame.columns or not pd.api.types.is_numeric_dtype(frame[name]):
        numeric = [str(column) for column in frame.columns if pd.api.types.is_numeric_dtype(frame[column])]
        raise RequestError(f"Pareto front: {name!r} is not a figure of these points; they have {', '.join(numeric)}")
    numbers: npt.NDArray[np.float64] = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _undominated(costs: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Rows (points) of costs (columns, all to be minimised) that no other row dominates.

    In lexicographic order a row can be dominated only by one before it, so each is held against the front so far.
    """
    order = np.lexsort(costs.T[::-1])
    front: list[int] = []
    for row in order:
        kept = costs[front]
        dominates = (kept <= costs[row]).all(axis=1) & (kept < costs[row]).any(axis=1)
        if not dominates.any():
            front.append(int(row))
    result = np.zeros(len(costs), dtype=bool)
    result[front] = True
    return result


def shipped_points() -> dict[str, Path]:
    """The exports that come with aesmith, by name: what was measured of its own design spaces."""
    folder = Path(str(files(_DATA) / "data"))
    return {path.stem: path for path in sorted(folder.glob("*.csv"))}


def points_by(request: str) -> pd.DataFrame:
    """The points of the export of this name that comes with aesmith, or else in this file. Raises as `read_points`."""
    shipped = shipped_points()
    if request in shipped:
        return read_points(shipped[request])
    if not request.endswith(READ):
        names = ", ".join(shipped) or "none"
        raise RequestError(
            f"points: must be an export that comes with aesmith ({names}) or a file, not {request!r}"
            f"{meant(request, shipped)}"
        )
    return read_points(Path(request))


def points_in(points: pd.DataFrame, library: str | None) -> pd.DataFrame:
    """The points of one library, which needs no name if there is only one, or if it is the embedded one.

    Raises RequestError for another name.
    """
    known = sorted(points["library"].dropna().unique())
    if library is None and len(known) == 1:
        return points
    if library is None and EMBEDDED in known:
        library = EMBEDDED
    if library not in known:
        raise RequestError(
            f"library: must be one of {', '.join(known) or 'none'}, which these points are in, not "
            f"{library!r}{meant(library, known)}"
        )
    return points[points["library"].eq(library)]


def known_points(
    library: str | None, digest: str | None, own: pd.DataFrame | None = None, *, elsewhere: bool = False
) -> pd.DataFrame:
    """All that is known of a library: `own` points, as of a store, and those that come with aesmith, each verified as
    its design is in any of these.

    The library is that with this `digest`, or, where it is not at hand, the one of this name among those of the points
    that come with aesmith; with `elsewhere` the points are those of all others. Of points of one core under one request
    to synthesis the first counts: one of one's own, then one of a preset; and one with the output that is built before
    one whose output is bare, which is a gate a bit smaller. What was measured in an `EARLIER` text of it is of it.
    """
    names = sorted(shipped_points(), key=lambda name: (name != PRESETS, name))
    shipped = pd.concat([points_by(name) for name in names], ignore_index=True)
    every = shipped if own is None or own.empty else pd.concat([own, shipped], ignore_index=True)
    digests = () if digest is None else (digest, *EARLIER.get(digest, ()))
    here = every["library_digest"].isin(digests) if digests else every["library"].eq(library)
    chosen = with_marks(every[here.fillna(False).astype(bool) ^ elsewhere].reset_index(drop=True), shipped)
    chosen = chosen.assign(specification=[whole_specification(str(text)) for text in chosen["specification"]])
    made = [quiet_core(*of) for of in zip(chosen["design"], chosen["specification"], strict=True)]
    keyed = chosen.assign(
        _core=[text for _, text in made],
        _synthesis=synthesis_of(chosen),
        _other=[name != design for (name, _), design in zip(made, chosen["design"], strict=True)],
    ).sort_values("_other", kind="stable")
    kept = keyed.drop_duplicates(["library", "_core", "_synthesis"]).sort_index()
    return kept[[column.name for column in COLUMNS]].reset_index(drop=True)


PRESETS = "presets"
"""The export of every preset as it is built."""

EARLIER = {
    "d01de8144e68914fc6fca2062c9b67925e6c12e55d909b62b00a5eaf8971c2fa": (
        "81d84247456459461a807ae5455440459159fec3b2ec886344bc45aaacaf4717",
        "2484577bcec8f89c9ad8d66cc255f6f25bc0c0e328c05183961c165a504e3815",
    )
}
"""Libraries by their digests, with those that cells were only added to since: what was measured in them holds."""


def with_marks(points: pd.DataFrame, marked: pd.DataFrame) -> pd.DataFrame:
    """The points, those not proved with what `marked` says of the verification of the same cores, in any library: a
    proof, if there is one.

    Columns of both are `COLUMNS`. What was verified with another output, which is a gate a bit, is marked as such.
    """
    known = marked[marked["verified"].notna()].drop_duplicates("specification")
    known = known.set_axis([_but_output(text) for text in known["specification"]])
    proofs = known["verified"].str.startswith(PROOF)
    known = pd.concat([known[proofs], known[~proofs]])
    known = known[~known.index.duplicated()]
    result = points.copy()
    for row in points.index[~points["verified"].fillna("").str.startswith(PROOF)]:
        core = _but_output(str(points.at[row, "specification"]))
        if core not in known.index:
            continue
        of = known.loc[core]
        if pd.isna(points.at[row, "verified"]) or of["verified"].startswith(PROOF):
            output, own = (
                json.loads(text).get("output") for text in (of["specification"], points.at[row, "specification"])
            )
            result.at[row, "verified"] = of["verified"] + f" with a {output} output" * (output != own)
            result.at[row, "rtl"] = of["rtl"]
    return result


def _but_output(specification: str) -> str:
    """What cores share whose outputs differ by gates; one with a register there stays another core."""
    fields = json.loads(whole_specification(specification))
    return _text_of({name: value for name, value in fields.items() if name != "output" or value == "registered"})


@cache
def whole_specification(specification: str) -> str:
    """A specification (JSON) with all fields, as are those of an engine's cores: what the points' version did not have
    yet is there with what it is by default. What there no longer is has the fields that it had."""
    fields = json.loads(specification)
    for name, core in fields.items():
        if isinstance(core, dict):
            fields[name] = json.loads(whole_specification(json.dumps(core)))
    family = engine_families().get(fields.get("mode", ""))
    if model := architectures().get(fields.get("architecture"), family.specification if family is not None else None):
        with suppress(ValidationError):
            return _text_of(model.model_validate(fields).model_dump(mode="json"))
    return specification


def read_points(file: Path) -> pd.DataFrame:
    """The frame of points in a file; columns are `COLUMNS`, others are left out.

    Raises RequestError for a file that cannot be read, lacks a column, or has a value that is none of its column.
    """
    if not file.name.endswith(READ):
        raise RequestError(f"points: must be a file that ends in {', '.join(READ)}, not {file}")
    try:
        # Pandas guesses types, which would take a design named 1e3 for a number: they are given below.
        read = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file, dtype="string")
    except OSError as error:
        raise RequestError(f"points: {file} cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise RequestError(f"points: {file} is no table of points ({str(error).splitlines()[0]})") from error
    read = read.assign(**{name: pd.NA for name in _ADDED if name not in read.columns})
    lacking = [column.name for column in COLUMNS if column.name not in read.columns]
    if lacking:
        raise RequestError(f"points: {file} lacks the column {lacking[0]}; it must be an export of a result store")
    columns = {}
    for column in COLUMNS:
        try:
            numbers = read[column.name] if column.dtype == "string" else pd.to_numeric(read[column.name])
            columns[column.name] = numbers.astype(column.dtype)
        except (ValueError, TypeError) as error:
            raise RequestError(f"points: {file}: column {column.name}: {error}") from error
    return _with_outputs_stated(pd.DataFrame(columns))


def _with_outputs_stated(points: pd.DataFrame) -> pd.DataFrame:
    """The points, of which those measured by versions without the field `output` say what was measured: bare cores."""
    unstated = ~points["specification"].str.contains('"output"|"mode"').fillna(True).astype(bool)
    stated = points.copy()
    for row in points.index[unstated]:
        fields = json.loads(str(points.at[row, "specification"])) | {"output": "bare"}
        stated.loc[row, ["design", "specification"]] = f"{points.at[row, 'design']}{BARE}", _text_of(fields)
    return stated


def quiet_core(design: str, specification: str) -> tuple[str, str]:
    """The name and the specification, as points have them, of a core like this one whose output is not bare; an engine
    is itself."""
    fields = json.loads(specification)
    if "mode" in fields or fields.get("output", "bare") != "bare":
        return design, _text_of(fields)
    name = design.removesuffix(BARE) if design.endswith(BARE) else design.replace(BARE + CLEARED, CLEARED)
    return name, _text_of(fields | {"output": "quiet"})


def _text_of(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, sort_keys=True)


def export(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as CSV or Parquet, by the ending of the file's name; in Parquet every column keeps its type.

    Raises RequestError for another ending, or a file that cannot be written.
    """
    check_export(path)
    content = frame.to_csv(index=False) if path.suffix == ".csv" else frame.to_parquet(index=False)
    write_whole(path, content, "file")


def check_export(path: Path) -> None:
    """Raise RequestError for a file whose name says of no format that `export` writes, or whose folder is not there."""
    if path.suffix not in WRITTEN:
        raise RequestError(f"file: must end in {' or '.join(WRITTEN)}, not {path.suffix or path.name!r}")
    if not path.parent.is_dir():
        raise RequestError(f"file: there is no folder {path.parent}")

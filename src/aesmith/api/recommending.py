"""The answer to a requirement, from points that are known or from points that are measured for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import default_name
from aesmith.errors import not_one_of
from aesmith.explore.outline import build_specified
from aesmith.explore.points import (
    condition_of,
    how_to_make,
    known_points,
    points,
    points_by,
    points_in,
    quiet_core,
    shipped_points,
)
from aesmith.explore.recommend.choice import Option, Outlook, Recommendation, best_point, recommend
from aesmith.explore.recommend.devices import device_points
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.recommend.serving import unmeasured_presets, with_registers
from aesmith.explore.recommend.words import point_count, searched
from aesmith.flow.measurement import Optimise
from aesmith.lazy import LazyModule
from aesmith.modes.engine import StreamEngine
from aesmith.technology.liberty import read_text
from aesmith.technology.registry import EMBEDDED, registered_files

if TYPE_CHECKING:
    import pandas as pd

    from aesmith.explore import store as stores
    from aesmith.explore.recommend import engines, needed
    from aesmith.explore.store import Store
    from aesmith.progress import Progress
    from aesmith.technology.library import Library
else:
    stores = LazyModule("aesmith.explore.store")
    engines = LazyModule("aesmith.explore.recommend.engines")
    needed = LazyModule("aesmith.explore.recommend.needed")

__all__ = [
    "Answer",
    "Outlook",
    "answer_among",
    "answer_known",
    "answer_measuring",
    "answer_on_device",
    "check_packets",
    "how_to_build",
    "to_build",
]


@dataclass(frozen=True)
class Answer:
    """What was chosen and why; how many points were `measured` for it, and of those that were left how many for which
    reason; `searched` says in words which points there were. `unheard` are presets that have the mode, directions and
    keys, and no verified point; where nothing was chosen, `elsewhere` has what would be in other libraries, by
    library."""

    found: Recommendation
    searched: str
    measured: int = 0
    unmeasured: Mapping[str, int] = field(default_factory=dict)
    unheard: tuple[str, ...] = ()
    elsewhere: Mapping[str, Option] = field(default_factory=dict)

    @property
    def unknown(self) -> bool:
        """Whether nothing was chosen, and something that was not measured may be what is asked for."""
        return self.found.chosen is None and (self.found.unknown or bool(self.unheard))


def answer_among(wanted: Requirement, among: str, library: str | None = None) -> Answer:
    """The best of the points of a file or an export by name, of one `library`. Nothing is measured.

    Raises RequestError if there are none of that library.
    """
    frame = points_in(points_by(among), library)
    return Answer(recommend(frame, wanted), searched(frame, among))


def answer_known(
    wanted: Requirement, library: str | Path | Library | None = None, store: str | Path | Store | None = None
) -> Answer:
    """The best of all that is known of a library: points that come with aesmith, and those of the result store.

    The library is one by name, registered or among those that these points are in, or a Liberty file; by default the
    embedded one. Nothing is measured. Raises RequestError for a library that there is not.
    """
    name, digest = _named(library)
    own = _own_points(store)
    frame = known_points(name, digest, own)
    told = f"searched: {point_count(len(frame))} of {frame['design'].nunique()} designs in {name}"
    if own is not None and (more := int(frame["key"].isin(own["key"]).sum())):
        told += f", {more} of them from the store"
    found, unheard = recommend(frame, wanted), unmeasured_presets(frame, wanted)
    if found.chosen is not None:
        return Answer(found, told, unheard=unheard)
    others = known_points(name, digest, own, elsewhere=True).groupby("library", sort=True)
    best = {str(of): option for of, part in others if (option := best_point(part, wanted)) is not None}
    return Answer(found, told, unheard=unheard, elsewhere=best)


def answer_on_device(wanted: Requirement) -> Answer:
    """The best of the points that come with aesmith of the requirement's device. Nothing is measured.

    Raises RequestError for a device that there are none of.
    """
    frame = device_points(wanted.device)
    told = f"searched: {point_count(len(frame))} of {frame['design'].nunique()} designs on {wanted.device}"
    return Answer(recommend(frame, wanted), told)


def _named(library: str | Path | Library | None) -> tuple[str, str | None]:
    """The name of a library and the digest of its text, None if it is at hand under its name in points only."""
    if library is not None and not isinstance(library, str | Path):
        return library.name, library.digest
    known, name = registered_files(), EMBEDDED if library is None else str(library)
    if name in known:
        return name, _digest(known[name])
    if Path(name).is_file():
        return Path(name).name, _digest((Path(name),))
    named = {of for each in shipped_points() for of in points_by(each)["library"].dropna()}
    if name in named:
        return name, None
    raise not_one_of("library", name, sorted({*known, *named}), "; register more with `aesmith library add NAME FILE`")


def _digest(files: tuple[Path, ...]) -> str:
    """The digest that the library of these files has (`Library.digest`); reading the cells would take seconds."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(read_text(file).encode())
    return digest.hexdigest()


def _own_points(place: str | Path | Store | None) -> pd.DataFrame | None:
    """The points of a store; None if none is named and there is no default one yet."""
    if place is not None and not isinstance(place, str | Path):
        return points(place)
    if place is None and "://" not in stores.default_location() and not Path(stores.default_location()).exists():
        return None
    with stores.open_store(place) as store:
        return points(store)


def answer_measuring(
    wanted: Requirement,
    library: Library,
    store: Store,
    folder: Path,
    *,
    seconds: float,
    jobs: int | None = None,
    progress: Progress | None = None,
    begin: Callable[[Outlook], None] | None = None,
) -> Answer:
    """The best of what is known of a library and of what is measured now, the most promising first.

    What is under way after `seconds` is ended. `begin` is told what is to be expected, `progress` what is measured.
    Raises ToolError without Yosys, if anything is to be measured.
    """
    found = needed.measure_in_time(
        wanted, library, store, folder, seconds=seconds, jobs=jobs, progress=progress, begin=begin
    )
    told = f"searched: {point_count(len(found.points))} of {library.name}, {found.measured} of these measured now"
    unheard = unmeasured_presets(found.points, wanted)
    return Answer(recommend(found.points, wanted), told, found.measured, found.unmeasured, unheard)


def check_packets(wanted: Requirement) -> None:
    """Raises RequestError for packets that there are none of in the mode of a requirement."""
    if wanted.engine is not None and wanted.packets is not None:
        engines.check_packets(wanted.engine, wanted.packets)


def how_to_build(found: Recommendation) -> str:
    """In words, how to get what was chosen."""
    assert found.chosen is not None
    design, text = quiet_core(found.chosen.design, str(found.chosen.row["specification"]))
    registers = found.requirement.registers
    command = how_to_make(design, text)
    if not registers:
        return command
    if command.startswith("#"):
        return how_to_make(design, with_registers(text, registers))
    options = ("--" + name.replace("_", "-") + ("" if value is True else f" {value}") for name, value in registers)
    return " ".join((command, *options))


def to_build(found: Recommendation) -> tuple[CoreDesign | StreamEngine, Optimise, bool]:
    """What is built of a choice, its output quiet as by default; the condition its figures hold under; and whether
    they are the best of the whole set of recipes, as a package states them."""
    assert found.chosen is not None
    design, text = quiet_core(found.chosen.design, str(found.chosen.row["specification"]))
    condition = condition_of(found.chosen.row)
    text = with_registers(text, found.requirement.registers)
    return build_specified(text, default_name(design), design), condition.optimise, condition.recipe is None

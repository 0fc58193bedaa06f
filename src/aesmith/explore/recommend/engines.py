"""The engine that keeps up with packets: which cores, how many, which multiplier; the smallest one by measurement.

Every candidate is an engine of the mode with cores that have measured points. Whether it keeps up is decided by its own
formula of clocks (`StreamEngine.message_cycles`) for every size of packet; which one is smallest, and whether it meets
the clock, by measuring, the ones that are expected to be small first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

from aesmith.circuits.multipliers.field_128 import digit_step, staged_multiplier
from aesmith.cores.design import Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.explore.design_space import Condition
from aesmith.explore.outline import engine_outline
from aesmith.explore.points import quiet_core
from aesmith.explore.recommend.requirement import KEY_SIZES, RELEASES, THROUGHPUT, Packets, Requirement, written
from aesmith.explore.recommend.serving import architectures_with_an_order
from aesmith.explore.runs import DONE
from aesmith.explore.task import NamedLibrary, row_of
from aesmith.flow.measurement import Optimise
from aesmith.lazy import LazyModule
from aesmith.modes.catalogue import MODES
from aesmith.modes.engine import MOST_CORES, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily
from aesmith.modes.message import BLOCK, count
from aesmith.modes.specification import engine_of, families_of, presets_of
from aesmith.modes.xts_engine import check_tweak_core
from aesmith.technology.library import Library

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

WORDS = {16: "b", 32: "bb", 64: "bbb", 128: "bbbb"}
"""How a multiplier of so many bits per clock is split: each half once more, down to blocks of 8 bits."""
STAGED, STAGES = "oooo", (2, 3)
"""How one of a block per clock is split that has stages, and how many it may have."""
_PLACE_GE, _GATE_GE, _REGISTER_GE = 1500.0, 2.0, 6.0
"""What a beat that an engine holds takes, and a gate and a register of its multiplier: to say which candidates are
measured first."""


@dataclass(frozen=True)
class PacketRequirement:
    """What is asked of an engine: `gbps` of packets of `packets` bytes of text (least and most) at `clock_mhz`.

    Each packet has a header of `headers` bytes (least and most) that is authenticated only, and `overhead` bytes beside
    both on the line, which count in the throughput: with 0 it is that of text bytes. All sizes of packets must be kept
    up with, one after the other, in both directions, where the mode has both. Raises RequestError for what cannot be.
    """

    mode: str
    key_bits: int
    gbps: float
    clock_mhz: float
    packets: tuple[int, int]
    headers: tuple[int, int] = (0, 0)
    overhead: int = 0
    release: str = "verified"

    def __post_init__(self) -> None:
        if not any(families_of(self.mode)):
            raise not_one_of("mode", self.mode, filter(presets_of, MODES), ", of which there are engines")
        if self.key_bits not in KEY_SIZES:
            raise not_one_of("key", str(self.key_bits), map(str, KEY_SIZES))
        check_packets(self.mode, Packets(self.packets, self.headers, self.overhead, self.release))

    def budget(self, size: int) -> float:
        """Clocks from packet to packet, of a size in bytes of text."""
        return self.clock_mhz * 1e-3 * 8 * (size + self.overhead) / self.gbps

    @cached_property
    def worst(self) -> tuple[tuple[int, int, float], ...]:
        """Blocks of header and of text of the packets that decide, with the clocks that there are: of each number of
        blocks of text the shortest, with the longest header."""
        least, most = self.packets
        blocks = range(count(least), count(most) + 1)
        return tuple((count(self.headers[1]), n, self.budget(max(least, BLOCK * (n - 1) + 1))) for n in blocks)

    def __str__(self) -> str:
        least, most = self.packets
        parts = [
            f"{self.mode.upper()}, key {self.key_bits}",
            f"{THROUGHPUT.text(self.gbps)} of packets of {least}{f' to {most}' if most > least else ''} bytes"
            + (f" and {self.overhead} more on the line" if self.overhead else ""),
            f"at {written(self.clock_mhz, 'MHz')}",
        ]
        if self.headers[1]:
            parts.insert(2, f"headers of {self.headers[0]} to {self.headers[1]} bytes")
        return f"{'; '.join(parts)}; least area"


@cache
def _preset(name: str, mode: str) -> tuple[StreamEngine, ...]:
    """A preset of engines as an engine of a mode that it has."""
    engine = presets_of(mode)[name].engine("preset", name)
    return tuple(view for view in engine.views if view.mode == mode)


def _presets_with(mode: str) -> Iterator[StreamEngine]:
    """The presets of engines that have a mode, as engines of it, each built when it is asked for."""
    return (view for name in presets_of(mode) for view in _preset(name, mode))


def _directions(mode: str) -> set[Direction]:
    """Those in which there are engines of a mode."""
    return {way for engine in _presets_with(mode) for way in engine.mode_directions}


def _releases(mode: str) -> bool:
    """Whether engines of a mode may let text that they decrypt leave at once, or when its tag was found right."""
    choice = any("release" in family.specification.model_fields for family, _ in families_of(mode))
    return choice and MODES[mode].authenticated and any(engine.shows_text for engine in _presets_with(mode))


def check_packets(mode: str, packets: Packets) -> None:
    """Raises RequestError for packets that there are none of in a mode of engines."""
    least, most = packets.sizes
    if all(engine.clocks_of_whole_blocks for engine in _presets_with(mode)) and (least != most or least % BLOCK):
        raise RequestError(
            f"packets: of {mode} must be of one size, of whole blocks of {BLOCK} bytes, such as 512, "
            f"not {least}..{most}"
        )
    if packets.headers[1] and not any(headers for engine in _presets_with(mode) for headers, _, _ in engine.kinds()):
        raise RequestError(f"header: {mode} has none, not {packets.headers[1]} bytes")
    if packets.release not in (None, RELEASES[0]) and not _releases(mode):
        raise RequestError(f"release: {mode} leaves no choice; leave {packets.release} out")


@dataclass(frozen=True)
class Load:
    """How busy an engine is with the packets that take it most: blocks of header and text, the direction, the clocks
    that there are from packet to packet, and for how many of them each part is busy."""

    header_blocks: int
    text_blocks: int
    encrypt: bool
    budget: float
    demands: Mapping[str, float]

    @property
    def share(self) -> float:
        """The part of the clocks that the busiest part needs; above 1 it does not keep up."""
        return max(self.demands.values()) / self.budget

    @property
    def binding(self) -> str:
        """The busiest part."""
        return max(self.demands, key=lambda part: self.demands[part])


def _ways(engine: StreamEngine) -> list[bool]:
    """Whether to encrypt, for each direction of an engine."""
    return [direction is Direction.ENCRYPT for direction in engine.mode_directions]


def load(engine: StreamEngine, wanted: PacketRequirement, *, stop: bool = False) -> Load:
    """The packets that take an engine most; with `stop` the first found with which it does not keep up."""
    worst: Load | None = None
    for headers, texts, budget in wanted.worst:
        for encrypt in _ways(engine):
            found = Load(headers, texts, encrypt, budget, engine.demands(headers, texts, encrypt=encrypt))
            if worst is None or found.share > worst.share:
                worst = found
            if stop and found.share > 1:
                return found
    assert worst is not None
    return worst


def least_packet(engine: StreamEngine, wanted: PacketRequirement) -> int | None:
    """The shortest packet from which on an engine keeps up with all up to the longest, or with all of whole blocks
    where it knows the clocks of these alone; None if with none."""
    reached = None
    header = count(wanted.headers[1])

    @cache
    def clocks(blocks: int) -> float:
        return max(engine.message_cycles(header, blocks, encrypt=encrypt) for encrypt in _ways(engine))

    for size in range(wanted.packets[1], 0, -BLOCK if engine.clocks_of_whole_blocks else -1):
        if clocks(count(size)) > wanted.budget(size):
            break
        reached = size
    return reached


@dataclass(frozen=True)
class EngineCandidate:
    """An engine that keeps up with the packets: `fields` are those of its specification, `expected_ge` its area as far
    as it can be told before it is measured."""

    fields: Mapping[str, object]
    expected_ge: float
    load: Load

    def engine(self, name: str) -> StreamEngine:
        """The engine under a build's name."""
        return engine_of(self.fields, name, f"{self.fields['mode']} for packets")


@dataclass(frozen=True)
class _Core:
    fields: dict[str, object]
    area_ge: float


def _cores(points: pd.DataFrame, wanted: PacketRequirement, *, timed: bool, gated: bool) -> Iterator[_Core]:
    """The cores of points, each once, with the area of its smallest netlist, if `timed` of those that are as fast as
    the clock asks for; those with clock gates if `gated`; the smallest first."""
    done = points[points["status"].eq("done")]
    fast = done[done["fmax_mhz"].ge(wanted.clock_mhz)] if timed else done
    seen = set()
    for _, row in fast.sort_values(["area_ge", "design"]).iterrows():
        _, text = quiet_core(str(row["design"]), str(row["specification"]))
        if text in seen:
            continue
        seen.add(text)
        fields = json.loads(text)
        if fields.get("key_bits", 128) == wanted.key_bits and (gated or not fields.get("clock_gates")):
            yield _Core(fields, float(row["area_ge"]))


@dataclass(frozen=True)
class _Form:
    """What beside cores an engine may be: fields of its specification, of the engine itself where these are others, and
    GE that are expected of it."""

    fields: dict[str, Any]
    area_ge: float = 0.0
    parts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changes(self) -> dict[str, Any]:
        """The engine's fields."""
        return {**self.fields, **self.parts}


def _tweak_forms(cores: Iterable[_Core], key_bits: int) -> Iterator[_Form]:
    """The cores of tweaks that are worth it: each needs fewer clocks than all smaller ones."""
    fewest = math.inf
    for core in cores:
        try:
            design = core_of("candidate_tweak", core.fields)
            check_tweak_core(design, key_bits)
        except RequestError:
            continue
        if design.latency_cycles < fewest:
            fewest = design.latency_cycles
            yield _Form({"tweak_core": core.fields}, core.area_ge, {"tweak_core": design})


def _forms(wanted: PacketRequirement, family: EngineFamily, cores: Iterable[_Core]) -> Iterator[_Form]:
    """What beside cores an engine of the mode may be, of a family that has it."""
    own: dict[str, Any] = {}
    names = family.specification.model_fields
    if "release" in names and _releases(wanted.mode):
        own["release"] = wanted.release
    if "tweak_core" in names:
        yield from _tweak_forms(cores, wanted.key_bits)
        return
    if "digit" not in names:
        yield _Form(own)
        return
    for digit in get_args(names["digit"].annotation):
        splits = WORDS.get(digit, "")
        gates = len(digit_step(digit, splits).circuit.gates)
        yield _Form(own | {"digit": digit, "splits": splits}, gates * _GATE_GE)
    for stages in STAGES if "ghash_stages" in names else ():
        staged = staged_multiplier(STAGED, stages)
        registers = sum(map(len, staged.registers))
        form = {"digit": 128, "splits": STAGED, "ghash_stages": stages}
        yield _Form(own | form, len(staged.circuit.gates) * _GATE_GE + registers * _REGISTER_GE)


def candidates(
    wanted: PacketRequirement,
    points: pd.DataFrame,
    library: str | None = None,
    *,
    gated: bool = True,
    in_time: Callable[[], bool] = lambda: True,
) -> list[EngineCandidate]:
    """All engines that keep up with the packets, the one expected to be smallest first: of each family that has the
    mode, core, multiplier and core of tweaks the fewest cores that do.

    Cores that miss the clock are left out where points tell: those of the `library` with this digest, or, without one,
    all. Where no point is of that library, its cores may be as fast or not. Without `gated` no core has clock gates,
    for a library that has no cell for them. Once `in_time` says no, no further core is looked at.
    """
    points = points[points["core"].isna()]
    own = points if library is None else points[points["library_digest"].eq(library)]
    found = []
    cores = list(_cores(points if own.empty else own, wanted, timed=not own.empty, gated=gated))
    kinds = [(own, forms) for family, own in families_of(wanted.mode) if (forms := [*_forms(wanted, family, cores)])]
    for core, (own, forms) in product(cores, kinds):
        if not in_time():
            break
        one = _with_core(core, wanted.mode, own, forms[0])
        if one is None:
            continue
        # Without a multiplier all are the same, but for cores of tweaks.
        for form in forms if one.leaves or one.core_places[1:] else forms[:1]:
            fields = {**own, "core": core.fields, **form.fields}
            for number in _numbers(one, wanted):
                try:
                    engine, room = _roomy(replace(one, **form.changes, cores=number), wanted)
                except RequestError:
                    # A chain has one core, and no engine holds messages of any length.
                    break
                if load(engine, wanted, stop=True).share <= 1:
                    places = int(engine.module_parameters.get("Entries", 2))
                    expected = number * core.area_ge + places * _PLACE_GE + form.area_ge
                    found.append(EngineCandidate({**fields, **room, "cores": number}, expected, load(engine, wanted)))
                    break
    return sorted(found, key=lambda each: (each.expected_ge, json.dumps(each.fields, sort_keys=True)))


MOST_CANDIDATES = 8
"""How many engines are outlined that no points are of yet: those expected to be smallest."""
LONG = 1500
"""Bytes of the packets that engines are made for, where none are asked for."""
RECIPE = "keep-timed"
"""How they are measured."""
_CLOCK_MHZ, _SLOW = 400.0, 1e-3


def candidate_rows(
    requirement: Requirement, points: pd.DataFrame, library: Library, in_time: Callable[[], bool] = lambda: True
) -> list[dict[str, object]]:
    """Rows of points of engines of a requirement's mode that are not measured yet: of those that keep up the ones
    expected to be smallest, with the area and the clock that are expected.

    Without a throughput engines of one core; without a clock those that keep up at 400 MHz. Once `in_time` says no,
    those that were found until then.
    """
    mode = requirement.engine
    assert mode is not None
    wanted = {limit.figure.name: limit.bound for limit in requirement.bounds}
    packets = requirement.packets or Packets((LONG - LONG % BLOCK,) * 2)
    clock = requirement.clock_mhz or wanted.get("fmax", _CLOCK_MHZ)
    asked = PacketRequirement(
        mode,
        requirement.key_bits[0],
        wanted.get("throughput", _SLOW),
        clock,
        packets.sizes,
        packets.headers,
        packets.overhead,
        packets.release or RELEASES[_releases(mode)],
    )
    named, rows = NamedLibrary.of(library), []
    # Of cores of the same clocks and ports the smallest one: to build an engine around each takes minutes.
    alike = ["cycles_per_block", "block_width", "directions", "key_bits"]
    cores = points[points["core"].isna() & points["status"].eq("done")].sort_values(["area_ge", "design"])
    smallest = cores[~cores["architecture"].isin(architectures_with_an_order())].drop_duplicates(alike)
    gated = library.clock_gate is not None
    for each in candidates(asked, smallest, library.digest, gated=gated, in_time=in_time)[:MOST_CANDIDATES]:
        if not in_time():
            break
        row = row_of(engine_outline(each.fields), named, Condition(Optimise.AREA, RECIPE))
        rows.append(row | {"area_ge": each.expected_ge, "period_ns": 1e3 / clock, "status": DONE})
    return rows


def _with_core(core: _Core, mode: str, own: Mapping[str, object], form: _Form) -> StreamEngine | None:
    """An engine with one such core, of its family's `own` fields; None if engines can't have it, or can't do with it
    all that the mode can."""
    fields = {**own, "core": core.fields, **form.fields}
    try:
        engine = engine_of(fields, "candidate", "candidate")
    except RequestError:
        return None
    return engine if {*engine.mode_directions} >= _directions(mode) else None


def _roomy(engine: StreamEngine, wanted: PacketRequirement) -> tuple[StreamEngine, Mapping[str, Any]]:
    """The engine with room for the longest message to decrypt, and what was changed for it."""
    room: dict[str, Any] = {**engine.room_for(count(wanted.headers[1]), count(wanted.packets[1]))}
    return replace(engine, **room) if room else engine, room


def _numbers(engine: StreamEngine, wanted: PacketRequirement) -> range:
    """The numbers of cores to try, from as many as the blocks of text alone ask for."""
    clocks = engine.core.cycles_per_block
    needed = max(math.ceil(clocks * texts / budget) for _, texts, budget in wanted.worst)
    return range(max(1, needed), min(MOST_CORES, clocks) + 1)

"""The engine that keeps up with packets: which cores, how many, which multiplier; the smallest one by measurement.

Every candidate is an engine of the mode with cores that have measured points. Whether it keeps up is decided by its own
formula of clocks (`StreamEngine.message_cycles`) for every size of packet; which one is smallest, and whether it meets
the clock, by measuring, the ones that are expected to be small first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from aesmith.circuits.multipliers.field_128 import digit_step, staged_multiplier
from aesmith.cores.design import Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.explore.points import quiet_core
from aesmith.explore.recommend.requirement import FREQUENCY, KEY_SIZES, THROUGHPUT, written
from aesmith.lazy import LazyModule
from aesmith.modes.engine import MOST_CORES, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import BLOCK, count
from aesmith.modes.specification import build_engine, engine_families, parse_engine
from aesmith.modes.xts_engine import check_tweak_core

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

MOST_PACKET = 1 << 16
"""Bytes of the longest packet or header that is asked for."""
RELEASES = ("verified", "cut-through")
WORDS = {16: "b", 32: "bb", 64: "bbb", 128: "bbbb"}
"""How a multiplier of so many bits a clock is split: each half once more, down to blocks of 8 bits."""
STAGED, STAGES = "oooo", (2, 3)
"""How one of a block a clock is split that has stages, and how many it may have."""
MARGIN = 0.1
"""A candidate that is expected to be larger than the best measured one by more than this part is not measured."""
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
        if self.mode not in engine_families():
            raise not_one_of("mode", self.mode, engine_families(), ", of which there are engines")
        if self.key_bits not in KEY_SIZES:
            raise not_one_of("key", str(self.key_bits), map(str, KEY_SIZES))
        if self.release not in RELEASES:
            raise not_one_of("release", self.release, RELEASES)
        for name, (least, most), lowest in (("packets", self.packets, 1), ("header", self.headers, 0)):
            if not lowest <= least <= most <= MOST_PACKET:
                raise RequestError(
                    f"{name}: must be {lowest} to {MOST_PACKET} bytes, the least first, not {least}..{most}"
                )
        least, most = self.packets
        if not 0 <= self.overhead <= MOST_PACKET:
            raise RequestError(f"line-overhead: must be 0 to {MOST_PACKET} bytes, not {self.overhead}")
        known = _engine_of_preset(self.mode)
        if known.clocks_of_whole_blocks and (least != most or least % BLOCK):
            raise RequestError(
                f"packets: of {self.mode} must be of one size, of whole blocks of {BLOCK} bytes, such as 512, "
                f"not {least}..{most}"
            )
        if self.headers[1] and not any(headers for headers, _, _ in known.kinds()):
            raise RequestError(f"header: {self.mode} has none, not {self.headers[1]} bytes")
        if self.release != RELEASES[0] and "release" not in known.parameters:
            raise RequestError(f"release: {self.mode} leaves no choice; leave {self.release} out")

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
def _engine_of_preset(mode: str) -> StreamEngine:
    """An engine of a mode that can do all that the mode can."""
    made = [preset.engine("preset", name) for name, preset in engine_families()[mode].presets.items()]
    return max(made, key=lambda engine: len(engine.directions))


def byte_range(text: str, field: str) -> tuple[int, int]:
    """The two ends of `64..1500`, or of one number. Raises RequestError for anything else."""
    least, dots, most = text.partition("..")
    if not least.isdecimal() or (dots and not most.isdecimal()):
        raise RequestError(f"{field}: must be bytes, or a range of them such as 64..1500, not {text!r}")
    return int(least), int(most if dots else least)


def packet_requirement(
    mode: str,
    key: int,
    *,
    min_throughput: str,
    clock: str,
    packets: str,
    header: str = "0",
    line_overhead: int = 0,
    release: str = "verified",
) -> PacketRequirement:
    """The requirement of quantities as people write them. Raises RequestError, naming the field, for what cannot be."""
    return PacketRequirement(
        mode.lower(),
        key,
        THROUGHPUT.parse(min_throughput, "min-throughput"),
        FREQUENCY.parse(clock, "clock"),
        byte_range(packets, "packets"),
        byte_range(header, "header"),
        line_overhead,
        release,
    )


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
    return [direction is Direction.ENCRYPT for direction in engine.directions]


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
    for size in range(wanted.packets[1], 0, -BLOCK if engine.clocks_of_whole_blocks else -1):
        clocks = max(engine.message_cycles(header, count(size), encrypt=encrypt) for encrypt in _ways(engine))
        if clocks > wanted.budget(size):
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
        return build_engine(parse_engine(self.fields), name, f"{self.fields['mode']} for packets")


@dataclass(frozen=True)
class _Core:
    fields: dict[str, object]
    area_ge: float


def _cores(points: pd.DataFrame, wanted: PacketRequirement, *, timed: bool, gated: bool) -> Iterator[_Core]:
    """The cores of points, each once, with the area of its smallest netlist, if `timed` of those that are as fast as
    the clock asks for; those with clock gates if `gated`; the smallest first."""
    done = points[points["status"].eq("done")]
    fast = done[done["fmax_mhz"].ge(wanted.clock_mhz)] if timed else done
    best = fast.sort_values(["area_ge", "design"]).drop_duplicates("specification")
    for _, row in best.iterrows():
        _, text = quiet_core(str(row["design"]), str(row["specification"]))
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


def _forms(wanted: PacketRequirement, cores: Iterable[_Core]) -> Iterator[_Form]:
    """What beside cores an engine of the mode may be."""
    own: dict[str, Any] = {}
    names = engine_families()[wanted.mode].specification.model_fields
    if "release" in names:
        own["release"] = wanted.release
    if "tweak_core" in names:
        yield from _tweak_forms(cores, wanted.key_bits)
        return
    if "digit" not in names:
        yield _Form(own)
        return
    for digit in (1, 2, 4, 8, 16, 32, 64, 128):
        splits = WORDS.get(digit, "")
        gates = len(digit_step(digit, splits).circuit.gates)
        yield _Form(own | {"digit": digit, "splits": splits}, gates * _GATE_GE)
    for stages in STAGES:
        staged = staged_multiplier(STAGED, stages)
        registers = sum(map(len, staged.registers))
        form = {"digit": 128, "splits": STAGED, "ghash_stages": stages}
        yield _Form(own | form, len(staged.circuit.gates) * _GATE_GE + registers * _REGISTER_GE)


def candidates(
    wanted: PacketRequirement, points: pd.DataFrame, library: str | None = None, *, gated: bool = True
) -> list[EngineCandidate]:
    """All engines that keep up with the packets, the one expected to be smallest first: of each core,
    multiplier and core of tweaks the fewest cores that do.

    Cores that miss the clock are left out where points tell: those of the `library` with this digest, or, without one,
    all. Where no point is of that library, its cores may be as fast or not. Without `gated` no core has clock gates,
    for a library that has no cell for them.
    """
    points = points[points["core"].isna()]
    own = points if library is None else points[points["library_digest"].eq(library)]
    found = []
    cores = list(_cores(points if own.empty else own, wanted, timed=not own.empty, gated=gated))
    forms = list(_forms(wanted, cores))
    for core in cores if forms else ():
        one = _with_core(core, wanted, forms[0])
        for form in forms if one is not None else ():
            assert one is not None
            fields = {"mode": wanted.mode, "core": core.fields, **form.fields}
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


def _with_core(core: _Core, wanted: PacketRequirement, form: _Form) -> StreamEngine | None:
    """An engine with one such core; None if engines can't have it, or can't do with it all that the mode can."""
    fields = {"mode": wanted.mode, "core": core.fields, **form.fields}
    try:
        engine = build_engine(parse_engine(fields), "candidate", "candidate")
    except RequestError:
        return None
    return engine if {*engine.directions} >= {*_engine_of_preset(wanted.mode).directions} else None


def _roomy(engine: StreamEngine, wanted: PacketRequirement) -> tuple[StreamEngine, Mapping[str, Any]]:
    """The engine with room for the longest message to decrypt, and what was changed for it."""
    room: dict[str, Any] = {**engine.room_for(count(wanted.headers[1]), count(wanted.packets[1]))}
    return replace(engine, **room) if room else engine, room


def _numbers(engine: StreamEngine, wanted: PacketRequirement) -> range:
    """The numbers of cores to try, from as many as the blocks of text alone ask for."""
    clocks = engine.core.cycles_per_block
    needed = max(math.ceil(clocks * texts / budget) for _, texts, budget in wanted.worst)
    return range(max(1, needed), min(MOST_CORES, clocks) + 1)

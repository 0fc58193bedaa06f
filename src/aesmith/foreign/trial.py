"""Ways in which a core may be connected, tried on its gates, all of them side by side: which of them give AES?

Each way is a *lane*: a bit of the words that gates compute on, with a sender of its own, which does what
`aesmith_foreign_adapter` does. Two blocks go through each, under two keys. What passes is still a guess, only a good
one: who takes it sends the published vectors through the adapter itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from aesmith.assurance.proof.elaborate import CLOCK, RESET, read_netlist
from aesmith.assurance.proof.netlist import Netlist, Step, compile_words
from aesmith.cores.ports import BLOCK_BITS, Line
from aesmith.errors import CheckError, ToolError
from aesmith.flow.yosys import run_script
from aesmith.foreign.reading import ReadSource
from aesmith.reference import golden
from aesmith.yosys_json import ModulePort, read_json

MOST_GATES = 300_000
"""A core of more gates is not tried: to compile them takes longer than to simulate the likeliest ways."""
MOST_LANES = 1024
CLOCKS = (160, 1200, 6000)
"""Clocks in which ways are tried, all of them in the first before any in the next: most cores take few."""
_RESET_CLOCKS = 4
_YOSYS_SECONDS = 120.0
_PREFIX = "own "
_PASSES = (
    "proc",
    "flatten",
    "memory -nomap",
    "memory_map",
    "setundef -undriven -zero",
    "opt_clean",
    "opt_expr",
    # The front end writes an asynchronous reset as a load of a constant.
    "opt_dff -nodffe -nosdff",
    "async2sync",
    "opt -full",
    "setundef -zero",
    "techmap",
    "setundef -zero",
    "simplemap",
    # What is left of tables that are parts of a long constant is small.
    "opt_expr",
    "opt_merge",
    "opt_expr",
    "opt_merge",
    "dfflegalize -cell $_DFF_P_ x -cell $_DLATCH_N_ x",
    "opt_clean",
    "write_json gates.json",
)


@dataclass(frozen=True)
class Carrier:
    """Ports side by side that carry a key, a block or a result, that with byte 0 first.

    Byte 0 is in the highest bits, or, if `low`, in the lowest ones. What is narrower than its payload carries it in
    beats, that with byte 0 first, or last if `last_first`.
    """

    ports: tuple[str, ...]
    widths: tuple[int, ...]
    low: bool = False
    last_first: bool = False

    @property
    def width(self) -> int:
        """Bits of all its ports."""
        return sum(self.widths)

    def beats(self, payload: bytes) -> list[dict[str, int]]:
        """What its ports carry, beat by beat; where it is wider than the payload zeros stand behind byte 15."""
        size = min(self.width // 8, len(payload))
        parts = [payload[at : at + size] for at in range(0, len(payload), size)]
        return [self._levels(part) for part in (reversed(parts) if self.last_first else parts)]

    def _levels(self, part: bytes) -> dict[str, int]:
        if self.low:
            return self._split(int.from_bytes(part, "little"))
        return self._split(int.from_bytes(part, "big") << (self.width - 8 * len(part)))

    def _split(self, word: int) -> dict[str, int]:
        levels, at = {}, self.width
        for port, width in zip(self.ports, self.widths, strict=True):
            at -= width
            levels[port] = word >> at & ((1 << width) - 1)
        return levels

    def joined(self, beats: Sequence[int]) -> bytes:
        """The payload of these beats."""
        parts = [beat.to_bytes(self.width // 8, "little" if self.low else "big") for beat in beats]
        return b"".join(reversed(parts) if self.last_first else parts)


@dataclass(frozen=True)
class PortWay:
    """What the ports may do: payloads, and lines by the fields of a description (`block.start`, `result.done`, ...).

    `held`: the start of a block is held until its result. `key_clocks` are the clocks until a key serves, if no line
    tells it. `still` are inputs that stand still: they choose direction and key size, or do nothing.
    """

    key: Carrier
    block: Carrier
    result: Carrier
    lines: Mapping[str, Line]
    still: tuple[str, ...]
    held: bool = False
    key_clocks: int = 1

    @property
    def key_sent(self) -> bool:
        """Whether the key is sent by itself, not with each block."""
        return "key.valid" in self.lines or "key.start" in self.lines

    @property
    def timed(self) -> bool:
        """Whether no line tells when the result is there."""
        return "result.done" not in self.lines and "result.valid" not in self.lines


class StillCase(NamedTuple):
    """Levels of the inputs that stand still, bits of the key, and whether blocks are decrypted."""

    still: tuple[int, ...]
    key_bits: int
    decrypts: bool


@dataclass(frozen=True)
class Passed:
    """A way and a case in which both results were those of AES, the first `result_clocks` after the block began."""

    way: PortWay
    case: StillCase
    result_clocks: int


_Lane = Generator[dict[str, int], Callable[[str], int], int | None]
"""Gives the inputs that change in a clock, gets what reads the outputs of that clock; returns clocks if it passes."""


def gates_of(read: ReadSource, top: str, parameters: Mapping[str, int], clock: str, folder: Path) -> Netlist | None:
    """The gates and registers of a design, its ports' names behind a prefix; `clock` is its clock.

    None if it is too large to be mapped in two minutes, or has what no netlist of one clock has.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "foreign.v").write_text(read.text, encoding="utf-8")
    settings = "".join(f" -G {name}={value}" for name, value in parameters.items())
    front = [f"read_slang --no-implicit-memories{settings} --top {top} foreign.v", f"hierarchy -check -top {top}"]
    passes, low = list(_PASSES), [name for name, level in read.resets.items() if not level]
    if read.gated:
        # Registers with a gated clock are reset without an edge: they begin as reset leaves them.
        passes[passes.index("async2sync")] = "opt_clean"
        kinds = "".join(f" -cell $_DFF_P{reset}_ x" for reset in ("", "N0", "N1"))
        passes = [f"dfflegalize{kinds} -cell $_DLATCH_N_ x" if each.startswith("dffl") else each for each in passes]
    try:
        run_script([*front, *passes], folder / "gates.log", timeout_s=_YOSYS_SECONDS)
    except ToolError:
        return None
    module = read_json(folder / "gates.json").module(top)
    if len(module.cells) > MOST_GATES:
        return None
    unused = 1 + max((net for port in module.ports.values() for net in port.nets), default=1)
    unused = max([unused, *(1 + net for cell in module.cells.values() for nets in cell.pins.values() for net in nets)])
    ports = {f"{_PREFIX}{name}": port._replace(name=f"{_PREFIX}{name}") for name, port in module.ports.items()}
    ports[CLOCK] = ports.pop(f"{_PREFIX}{clock}")._replace(name=CLOCK)
    reset = ports.pop(f"{_PREFIX}{low[0]}") if read.gated and low else ModulePort(RESET, "input", (unused,))
    ports[RESET] = reset._replace(name=RESET)
    hidden = (ports[CLOCK].nets, reset.nets)
    names = {name: net for name, net in module.names.items() if net.nets not in hidden}
    try:
        return read_netlist(replace(module, ports=ports, names=names), top)
    except CheckError:
        return None


@dataclass(frozen=True)
class TrialBench:
    """A netlist that lanes run on, compiled once."""

    netlist: Netlist
    step: Step


def bench(netlist: Netlist) -> TrialBench:
    """The bench of a netlist, for `MOST_LANES` lanes."""
    return TrialBench(netlist, compile_words(netlist, (1 << MOST_LANES) - 1))


def tried(made: TrialBench, lanes: Sequence[tuple[PortWay, StillCase]], clocks: int, seconds: float) -> list[Passed]:
    """Those that pass, in the order of `lanes`, at most `MOST_LANES`.

    It ends some clocks behind the first one that does, after so many `clocks`, or after `seconds`.
    """
    began, netlist, step = time.process_time(), made.netlist, made.step
    first, words = _places(netlist.inputs), [0] * len(netlist.input_bits)
    starts = _places(netlist.outputs)
    widths = {name.removeprefix(_PREFIX): len(bits) for name, bits in netlist.outputs.items()}
    levels: list[dict[str, int]] = [{} for _ in lanes]
    registers = [(1 << MOST_LANES) - 1 if register.reset else 0 for register in netlist.registers]
    running: dict[int, _Lane] = {number: _sender(way, case) for number, (way, case) in enumerate(lanes)}
    passed: dict[int, int] = {}
    found: list[int] = []

    def changed(lane: int, inputs: Mapping[str, int]) -> None:
        one = 1 << lane
        for port, value in inputs.items():
            if port not in first:
                continue
            different = levels[lane].get(port, 0) ^ value
            levels[lane][port] = value
            base = first[port]
            while different:
                low = different & -different
                words[base + low.bit_length() - 1] ^= one
                different ^= low

    def reads(lane: int) -> Callable[[str], int]:
        def level(port: str) -> int:
            start, width = starts[port], widths[port]
            return sum((found[start + bit] >> lane & 1) << bit for bit in range(width))

        return level

    readers = [reads(lane) for lane in range(len(lanes))]
    for lane, sender in running.items():
        changed(lane, next(sender))
    end = clocks
    for clock in range(clocks):
        if not running or clock > end or time.process_time() - began > seconds:
            break
        found, registers = step(words, registers)
        for lane, sender in [*running.items()]:
            try:
                if inputs := sender.send(readers[lane]):
                    changed(lane, inputs)
            except StopIteration as ended:
                del running[lane]
                if ended.value is not None:
                    passed[lane] = ended.value
                    end = min(end, 2 * clock + 64)
    return [Passed(*lanes[lane], passed[lane]) for lane in sorted(passed)]


def _places(ports: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Where each port's bit 0 stands among the bits of all ports."""
    places, at = {}, 0
    for name, bits in ports.items():
        places[name.removeprefix(_PREFIX)] = at
        at += len(bits)
    return places


def _vectors(case: StillCase) -> list[tuple[bytes, bytes, bytes]]:
    """Two keys, blocks and results."""
    found = []
    for seed in (0x1D, 0xA7):
        key, block = (bytes((seed * (i + 3) + offset) % 251 for i in range(32)) for offset in (0, 99))
        key, block = key[: case.key_bits // 8], block[: BLOCK_BITS // 8]
        found.append((key, block, (golden.decrypt if case.decrypts else golden.encrypt)(key, block)))
    return found


def _sender(way: PortWay, case: StillCase) -> _Lane:
    """Two keys and blocks, as the adapter sends them."""
    lines = way.lines

    def idle(what: str, on: bool) -> dict[str, int]:
        line = lines.get(what)
        return {} if line is None else {line.port: line.active if on else 1 - line.active}

    def is_on(what: str, level: Callable[[str], int]) -> bool:
        line = lines.get(what)
        return line is None or level(line.port) == line.active

    quiet: dict[str, int] = dict(zip(way.still, case.still, strict=True))
    for what in ("key.valid", "key.start", "block.valid", "block.start", "result.ready"):
        quiet |= idle(what, False)
    yield quiet | idle("reset", True)
    for _ in range(_RESET_CLOCKS):
        yield {}
    yield idle("reset", False)
    yield {}
    taken = None
    for key, block, wanted in _vectors(case):
        after: dict[str, int] = {}
        if way.key_sent:
            after = yield from _sent(way, "key", way.key.beats(key), is_on, idle)
            level = yield after
            if "key.done" in lines:
                while not is_on("key.done", level):
                    level = yield {}
            else:
                for _ in range(way.key_clocks - 1):
                    yield {}
            beats = way.block.beats(block)
        else:
            keys, blocks = way.key.beats(key), way.block.beats(block)
            most = max(len(keys), len(blocks))
            keys += keys[-1:] * (most - len(keys))
            blocks += blocks[-1:] * (most - len(blocks))
            beats = [one | other for one, other in zip(keys, blocks, strict=True)]
        after = yield from _sent(way, "block", beats, is_on, idle)
        after |= idle("result.ready", True)
        clocks, size, gathered = len(beats), BLOCK_BITS // way.result.width, list[int]()
        line = "result.valid" if "result.valid" in lines else "result.done"
        while len(gathered) < size:
            level, word = (yield after), 0
            after = {}
            for port, width in zip(way.result.ports, way.result.widths, strict=True):
                word = word << width | level(port)
            if way.timed:
                gathered = [*gathered, word][-size:]
                if way.result.joined(gathered) == wanted or (taken is not None and clocks == taken + size - 1):
                    break
                gathered = gathered[1 - size :] if size > 1 else []
            elif (line == "result.done" and gathered) or is_on(line, level):
                gathered.append(word)
            clocks += 1
        if way.result.joined(gathered) != wanted or (way.timed and taken not in (None, clocks - size + 1)):
            return None
        taken = taken or clocks - size + 1
        yield idle("result.ready", False) | idle("block.start", False)
        yield {}
    return taken


def _sent(
    way: PortWay,
    where: str,
    beats: Sequence[Mapping[str, int]],
    is_on: Callable[[str, Callable[[str], int]], bool],
    idle: Callable[[str, bool], dict[str, int]],
) -> Generator[dict[str, int], Callable[[str], int], dict[str, int]]:
    """Beats of a key or a block, as soon as the core is ready; returns what changes in the clock behind the last."""
    while not is_on("ready", (yield {})):
        pass
    held = way.held and where == "block"
    for number, beat in enumerate(beats):
        level = yield {**beat, **idle(f"{where}.start", number == 0 or held), **idle(f"{where}.valid", True)}
        while not is_on(f"{where}.ready", level):
            level = yield {}
    return idle(f"{where}.valid", False) | ({} if held else idle(f"{where}.start", False))

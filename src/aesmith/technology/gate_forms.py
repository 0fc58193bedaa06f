"""Clock gates as the groups of a Liberty file describe them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import product

from aesmith.technology.boolean import BooleanFunction, parse_function
from aesmith.technology.cell import CellRegister, LatchedGate, Pin, PinDirection
from aesmith.technology.liberty import Group


def latched_gate(group: Group, pins: Mapping[str, Pin], register: CellRegister | None) -> LatchedGate | None:
    """The clock gate that the groups of a cell describe; None if it is none, or of another kind.

    They are a statetable or a latch, and the function of an output. Where there is neither, what
    `clock_gating_integrated_cell` names stands for them (Liberty user guide, clock gating).
    """
    inputs = tuple(pin.name for pin in pins.values() if pin.direction is PinDirection.INPUT)
    attributed = "clock_gating_integrated_cell" in group.attributes
    if not 2 <= len(inputs) <= _GATE_INPUTS or not (attributed or group.first("statetable") or group.first("latch")):
        return None
    flags = {
        flag: tuple(name for name in pins if _pin_is(group, name, f"clock_gate_{flag}_pin"))
        for flag in ("clock", "enable", "test", "out")
    }
    described = _of_latch(group, register) or _of_statetable(group, pins) or _of_attribute(group, flags)
    if described is None:
        return None
    latch, gated = described
    outputs = flags["out"] if len(flags["out"]) == 1 else tuple(gated)
    if len(outputs) != 1 or outputs[0] not in gated:
        return None
    for clock in inputs:
        others = tuple(name for name in inputs if name != clock)
        found = _levels(clock, others, latch, gated[outputs[0]])
        if found is not None:
            enable = flags["enable"][0] if len(flags["enable"]) == 1 else None
            return LatchedGate(clock, outputs[0], others, *found, enable, flags["test"])
    return None


_GATE_INPUTS = 6
"""Most inputs of a clock gate."""
_Latch = Callable[[Mapping[str, int]], int | None]
"""What a latch holds after inputs have these levels; None: what it held. Raises _OtherLatchError for other state."""
_Gated = Callable[[Mapping[str, int], int], int]
"""The level of an output, of the levels of inputs and the latch."""
_Levels = frozenset[tuple[int, ...]]


class _OtherLatchError(Exception):
    """The cell holds something else than one latch would."""


def _levels(clock: str, others: tuple[str, ...], latch: _Latch, gated: _Gated) -> tuple[_Levels, _Levels] | None:
    """The levels of `others` that open the latch, and those that bypass it; None for no latch and AND of `clock`."""
    enables, bypasses = set(), set()
    try:
        for levels in product((0, 1), repeat=len(others)):
            given = dict(zip(others, levels, strict=True))
            after = latch(given | {clock: 0})
            if after is None or latch(given | {clock: 1}) is not None:
                return None
            outputs = [gated({**given, clock: level}, held) for level, held in product((0, 1), repeat=2)]
            if outputs == [0, 0, 1, 1]:
                bypasses.add(levels)
            elif outputs != [0, 0, 0, 1]:
                return None
            if after:
                enables.add(levels)
    except _OtherLatchError:
        return None
    return frozenset(enables), frozenset(bypasses)


def _of_statetable(group: Group, pins: Mapping[str, Pin]) -> tuple[_Latch, dict[str, _Gated]] | None:
    table = group.first("statetable")
    inputs, nodes = [text.split() for text in table.arguments] if table and len(table.arguments) == 2 else ([], [])
    if table is None or len(nodes) != 1 or not {*inputs} <= pins.keys():
        return None
    rows = [[part.split() for part in row.split(":")] for row in table.attributes.get("table", "").split(",")]
    if any([len(part) for part in row] != [len(inputs), 1, 1] for row in rows):
        return None

    def latch(levels: Mapping[str, int]) -> int | None:
        after = set()
        for given, before, [then] in rows:
            wanted = [(levels[pin], letters.split("/")) for pin, letters in zip(inputs, given, strict=True)]
            if all(letters == ["-"] or "LH"[level] in letters for level, letters in wanted):
                if before != ["-"]:
                    raise _OtherLatchError
                # L/H at an input and at the node: one for the other.
                listed = [letters.index("LH"[level]) for level, letters in wanted if len(letters) == 2]
                after.add(then.split("/")[listed[0]] if "/" in then and listed else then)
        if len(after) != 1 or not after <= {"L", "H", "N"}:
            raise _OtherLatchError
        return {"L": 0, "H": 1}.get(after.pop())

    entries = list(group.all("pin"))
    held = {*nodes, *(pin.label for pin in entries if pin.attributes.get("internal_node") in nodes)}
    return latch, _of_held(group, "state_function", held)


def _of_latch(group: Group, register: CellRegister | None) -> tuple[_Latch, dict[str, _Gated]] | None:
    if register is None or not register.latch or register.clear or register.preset:
        return None

    def latch(levels: Mapping[str, int]) -> int | None:
        is_open, data = (_level(function, levels) for function in (register.clocked_on, register.next_state))
        return data if is_open else None

    return latch, _of_held(group, "function", {register.state}, {register.inverse})


def _of_held(group: Group, attribute: str, held: Collection[str], inverted: Collection[str] = ()) -> dict[str, _Gated]:
    """The outputs whose function reads what is held, by names of it and of its inverse."""
    found: dict[str, _Gated] = {}
    for pin in group.all("pin"):
        if (text := pin.attributes.get(attribute)) is not None:
            function = parse_function(text, f"cell {group.label}, pin {pin.label}: {attribute}")
            if {*held, *inverted} & {*function.support}:

                def gated(levels: Mapping[str, int], state: int, function: BooleanFunction = function) -> int:
                    states = dict.fromkeys(held, state) | dict.fromkeys(inverted, 1 - state)
                    return _level(function, {**levels, **states})

                found[pin.label] = gated
    return found


def _of_attribute(group: Group, flags: Mapping[str, tuple[str, ...]]) -> tuple[_Latch, dict[str, _Gated]] | None:
    kind = group.attributes.get("clock_gating_integrated_cell", "")
    known = re.fullmatch(r"latch_posedge(_precontrol|_postcontrol)?(_obs)?", kind)
    if (
        known is None
        or group.first("statetable")
        or [len(flags[name]) for name in ("clock", "enable", "out")] != [1] * 3
    ):
        return None
    [clock], [enable], [output], test = flags["clock"], flags["enable"], flags["out"], flags["test"]
    if len(test) != (known[1] is not None):
        return None
    before, after = (test if known[1] == where else () for where in ("_precontrol", "_postcontrol"))

    def latch(levels: Mapping[str, int]) -> int | None:
        return None if levels[clock] else max(levels[pin] for pin in (enable, *before))

    return latch, {output: lambda levels, held: levels[clock] & max(held, *(levels[pin] for pin in after), 0)}


def _level(function: BooleanFunction, levels: Mapping[str, int]) -> int:
    if not {*function.inputs} <= levels.keys():
        raise _OtherLatchError
    return function.evaluate(levels, 1) & 1


def _pin_is(group: Group, name: str, attribute: str) -> bool:
    return any(
        name in pin.arguments and pin.attributes.get(attribute, "false").lower() == "true" for pin in group.all("pin")
    )

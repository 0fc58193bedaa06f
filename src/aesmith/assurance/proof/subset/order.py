"""Processes and functions: what is assigned on every path to where it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from aesmith.assurance.proof.subset.names import DeclaredName, Scope
from aesmith.assurance.proof.subset.refusal import Place, RefusalError

UNKNOWN = "?"
"""A selector that signals decide."""

Path = tuple[str, ...]
"""The part of a signal that is meant: selectors and members, as text."""
Part = tuple[DeclaredName, Path]


class Style(Enum):
    """What kind of process."""

    COMBINATIONAL = "combinational"
    CLOCKED = "clocked"
    LATCH = "latch"
    FUNCTION = "function"


@dataclass(eq=False)
class Process:
    """A process or function while it is read. `state` are the parts that are assigned by now, on every path; None
    behind a return, where nothing follows. `keyword` is how it begins. `counting` are signals that count a loop now.
    A latch is open while `latch_signal` is `open_while`."""

    style: Style
    place: Place
    keyword: str
    scope: Scope | None = None
    latch_signal: DeclaredName | None = None
    open_while: int = 0
    state: set[Part] | None = field(default_factory=set)
    written: set[DeclaredName] = field(default_factory=set)
    reads: set[DeclaredName] = field(default_factory=set)
    counting: set[DeclaredName] = field(default_factory=set)
    _early: list[tuple[DeclaredName, Place, str]] = field(default_factory=list)

    def copy(self) -> set[Part] | None:
        """What is assigned by now, to come back to."""
        return None if self.state is None else set(self.state)

    def write(self, symbol: DeclaredName, path: Path, *, blocking: bool) -> None:
        """A part of a signal is assigned, now or, unless `blocking`, at the end of the moment."""
        self.written.add(symbol)
        if blocking and self.state is not None and UNKNOWN not in path:
            self.state.add((symbol, path))

    def read(self, symbol: DeclaredName, path: Path, place: Place, shown: str) -> None:
        """A part of a signal is read."""
        self.reads.add(symbol)
        if self.state is None or any((symbol, path[:n]) in self.state for n in range(len(path) + 1)):
            return
        self._early.append((symbol, place, shown))

    def join(self, other: set[Part] | None) -> None:
        """Go on where this path and another one meet, with what is assigned on both."""
        if self.state is None:
            self.state = other
        elif other is not None:
            self.state &= other

    def finish(self) -> None:
        """Raise RefusalError for what is read before it is assigned, if anything in the process assigns it.

        A clocked process reads the levels of before the edge of what it assigns by <=.
        """
        local = {symbol for symbol in self.written if self.scope is not None and symbol.scope.is_within(self.scope)}
        held = local if self.style is Style.CLOCKED else self.written
        own = {symbol for symbol, _, _ in self._early if self.scope is not None and symbol.scope.is_within(self.scope)}
        for symbol, place, shown in self._early:
            if symbol in held or symbol in own:
                why = f"{self.keyword} reads it where not every path has assigned it: tools differ in the level"
                raise RefusalError(place, shown, why)
        self.reads -= self.written | own
        if self.style is Style.COMBINATIONAL and not self.reads:
            why = "a process that reads nothing that may change: a simulator may never run it; write assign"
            raise RefusalError(self.place, self.keyword, why)

    def leave(self, counters: list[DeclaredName]) -> None:
        """Forget the parts that counters of a loop choose: it is over."""
        self.counting -= set(counters)
        if self.state is None:
            return
        labels = {counter.label for counter in counters}
        self.state = {
            (symbol, path) for symbol, path in self.state if labels.isdisjoint(re.findall(r"\w+@\d+", " ".join(path)))
        }

    def covered(self, counter: DeclaredName, count: str) -> set[Part]:
        """The vectors of which `count` turns of a loop from 0 assign all: each a bit, `[i]`, or a part, `[8*i+:8]`.

        `count` is a number, a constant, or the dimension that a foreach runs over.
        """
        return {
            (symbol, path[:-1])
            for symbol, path in self.state or ()
            if path and (width := _width(path[-1], counter.label)) and len(path) <= len(symbol.dimensions)
            if _is_all(symbol.dimensions[len(path) - 1], count, width)
        }


def _width(selector: str, counter: str) -> int:
    """How many bits a selector takes at the counter's multiples of them; 0 for another selector."""
    if selector == f"[{counter}]":
        return 1
    name = re.escape(counter)
    part = re.fullmatch(rf"\[(?:(\d+)\*{name}|{name}\*(\d+))\+:(\d+)\]", selector)
    return int(part[3]) if part and (part[1] or part[2]) == part[3] else 0


def _is_all(dimension: str, count: str, width: int) -> bool:
    """Whether a dimension has `count` times so many places, from 0 on."""
    if count == dimension:
        return width == 1
    if count.isdigit():
        last = int(count) * width - 1
        return dimension in (f"[{last}:0]", f"[0:{last}]", f"[{last + 1}]")
    name = re.sub(r"@\d+", "", count)
    return width == 1 and dimension in (f"[{name}-1:0]", f"[0:{name}-1]", f"[{name}]")

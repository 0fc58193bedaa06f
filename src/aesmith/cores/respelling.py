"""The same SystemVerilog in another spelling, drawn by a seed, so that a textual comparison with the first says little.

Only what means nothing is drawn: the spelling of internal names, the numbers of a leaf circuit's wires, the order of
assignments that follow each other and of named pins, and which operand of an AND or XOR comes first. Each draw depends
on the seed and on the name it is about: two texts that differ in one line still differ in that line alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from aesmith.cores.design import SourceFile
from aesmith.cores.ports import KEYWORDS
from aesmith.cores.sources import identifiers, renamed

_NAME = re.compile(r"(?!unused_)(?P<mark>gen_|u_)?(?P<words>[a-z][a-z0-9]+(?:_[a-z0-9]+)*?)(?P<ending>_(?:ni|[iodq]))?")
"""Internal names that may be spelt otherwise; a linter reads something in `unused_`."""
_WIRE = re.compile(r"n\d+")
_ASSIGN = r"^ *assign\b[^;]*;[^\n]*\n"
_PIN = r"^ *\.\w+(?: *\([^\n]*\))?"
_ASSIGNS = re.compile(rf"(?:{_ASSIGN}){{2,}}", re.MULTILINE)
_PINS = re.compile(rf"(?:{_PIN},\n)+{_PIN}\n", re.MULTILINE)
_COLUMNS = re.compile(r"(?<=\S) +(?=//)|(?<=\w) +(?=\([^\n]*\),?$)", re.MULTILINE)
"""What aligns pins and comments with the line above."""
_OPERAND = r"~?\w+(?:\[\w+\])?"
_GATE = re.compile(rf"(= (?:~\()?)({_OPERAND}) ([&^]) ({_OPERAND})(?=\)?;)")


def respelled(sources: Sequence[SourceFile], seed: str, keep: Iterable[str]) -> tuple[SourceFile, ...]:
    """The same hardware in a spelling that depends on the seed, in files of the same names.

    Names in `keep` stay, such as those of ports and modules; so do parameters, and names of one letter.
    """
    draw = _Draw(seed)
    every = {name for source in sources for name in identifiers(source.text)}
    names = _spellings(every, every - {*keep}, draw)
    return tuple(replace(source, text=_respelled(source, names, draw)) for source in sources)


class _Draw:
    """Numbers that depend on the seed and on what they are drawn for."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def __call__(self, *what: str) -> int:
        return int.from_bytes(hashlib.sha256("\0".join((self._seed, *what)).encode()).digest()[:8], "big")

    def order(self, items: Iterable[str], *what: str) -> list[str]:
        """The items in an order that depends on how each begins."""
        return sorted(items, key=lambda item: self(*what, re.split("[(=]", item)[0].strip(" ,\n")))


def _spellings(every: Set[str], free: Set[str], draw: _Draw) -> Mapping[str, str]:
    """Another spelling of each free name, none of which is a name already."""
    taken, names = every | KEYWORDS, {}
    for name in sorted(free - KEYWORDS):
        if forms := sorted({*_forms(name)} - taken):
            names[name] = forms[draw("name", name) % len(forms)]
            taken |= {names[name]}
    return names


def _forms(name: str) -> Iterator[str]:
    """A name in other styles that designers have: words shortened, joined, or in another order."""
    if not (match := _NAME.fullmatch(name)):
        return
    mark, words, ending = match["mark"] or "", match["words"].split("_"), match["ending"] or ""
    short = [word[:3] for word in words]
    orders = (words, words[::-1], short, short[::-1]) if len(words) > 1 else (short, [words[0][:4]], [*words, "s"])
    for order in (order for order in orders if not order[0][0].isdigit() or mark):
        yield f"{mark}{'_'.join(order)}{ending}"
        yield f"{mark}{order[0]}{''.join(word.capitalize() for word in order[1:])}{ending}"


def _respelled(source: SourceFile, names: Mapping[str, str], draw: _Draw) -> str:
    """A file's text."""

    def assigns(match: re.Match[str]) -> str:
        return "".join(draw.order(re.findall(_ASSIGN, match[0], re.MULTILINE), "assign", source.name))

    def pins(match: re.Match[str]) -> str:
        return ",\n".join(draw.order((line.rstrip(",") for line in match[0].splitlines()), "pin", source.name)) + "\n"

    def gate(match: re.Match[str]) -> str:
        first, second = sorted((match[2], match[4]), key=lambda operand: draw("gate", source.name, operand))
        return f"{match[1]}{first} {match[3]} {second}"

    text = _GATE.sub(gate, _COLUMNS.sub(" ", _PINS.sub(pins, _ASSIGNS.sub(assigns, source.text))))
    wires = sorted(name for name in identifiers(text) if _WIRE.fullmatch(name))
    numbers = dict(zip(wires, draw.order(wires, "wire", source.name), strict=True))
    # A name of one word is a word of the comments, too.
    return renamed(text, {**names, **numbers}, {name: new for name, new in names.items() if "_" in name})

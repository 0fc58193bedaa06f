"""The syntax of Liberty files: groups, simple and complex attributes; and the units that one declares.

The grammar is the one of the Liberty user guide (Open Source Liberty, volume 1, "Building a Technology Library"):

    name (arguments) { statements }      a group
    name : value ;                       a simple attribute
    name (arguments) ;                   a complex attribute
    include_file (path) ;                the statements of another file

White space, comments and a backslash at the end of a line may stand between any two words, and a semicolon that ends
a line may be missing, as other readers have it. The parser is our own because the one on PyPI (liberty-parser) needs
several seconds for a library of some megabytes.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.errors import RequestError

# Possessive quantifiers (`*+`): a broken file fails at once instead of backtracking for ever.
_COMMENT = r"/\*.*?\*/|//[^\n]*+"
_BLANK = rf"(?:[\s\\]++|{_COMMENT})*+"
_SKIP = rf"(?:[\s;\\]++|{_COMMENT})*+"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PART = rf'{_STRING}|{_COMMENT}|[^()"/]++|/'
_NESTED = 5
"""Brackets inside brackets, at most."""


def _brackets(depth: int) -> str:
    """What stands between brackets with as many inside them."""
    return rf"(?:{_PART})*+" if depth == 0 else rf"(?:{_PART}|\({_brackets(depth - 1)}\))*+"


_NAME = r"[A-Za-z_][\w.\-\[\]]*+"
_STATEMENT = re.compile(
    _SKIP + rf"(?:(?P<close>\}})|(?P<name>{_NAME}|{_STRING}){_BLANK}"
    rf"(?::{_BLANK}(?:(?P<quoted>{_STRING})|(?P<bare>(?:/\*.*?\*/|\\\r?\n|[^;{{}}\n\"/\\]++|/(?!/)|\\)*+))"
    rf"|\((?P<arguments>{_brackets(_NESTED)})\){_BLANK}(?P<open>\{{)?))",
    re.DOTALL,
)
_END = re.compile(_SKIP + r"\Z", re.DOTALL)
COMMENT = re.compile(_COMMENT, re.DOTALL)
"""A comment, to its end or to that of the line."""
_ESCAPE = re.compile(r"\\(?:\r?\n|(\"))")
_PLAIN = re.compile(r"[\w.\-+:\[\]]++")
_ARGUMENT = re.compile(rf"({_STRING})|{_COMMENT}|((?:[^\s,\"\\()/]|/(?![/*]))+)", re.DOTALL)
_PREFIX = {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}
_QUANTITY = re.compile(r"\s*([\d.eE+-]*)\s*([munpf]?)([sVWF])\s*", re.IGNORECASE)


@dataclass(slots=True)
class Group:
    """A group of a Liberty file, filled while it is read and never changed again. `attributes` has the simple ones (the
    last of a name holds), `complex` the complex ones as raw argument texts in order, `groups` the groups inside it in
    order."""

    name: str
    raw_arguments: str
    attributes: dict[str, str] = field(default_factory=dict)
    complex: dict[str, list[str]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    @property
    def arguments(self) -> list[str]:
        """The arguments between the parentheses, unquoted."""
        return split_arguments(self.raw_arguments)

    @property
    def label(self) -> str:
        """The first argument, or the empty text."""
        return next(iter(self.arguments), "")

    def all(self, name: str) -> Iterator[Group]:
        """The groups of this name directly inside this one."""
        return (group for group in self.groups if group.name == name)

    def first(self, name: str) -> Group | None:
        """The first group of this name directly inside this one."""
        return next(self.all(name), None)


def split_arguments(raw: str) -> list[str]:
    """Split the raw text between parentheses into unquoted arguments; comments and redundant brackets are left out."""
    plain = raw.strip()
    if _PLAIN.fullmatch(plain):
        return [plain]
    return [_unquoted(quoted) if quoted else bare for quoted, bare in _ARGUMENT.findall(raw) if quoted or bare]


def _unquoted(text: str) -> str:
    """What a string stands for."""
    inside = text[1:-1]
    return _ESCAPE.sub(lambda found: found[1] or " ", inside) if "\\" in inside else inside


def read_text(path: Path) -> str:
    """The text of a file, plain or gzip-compressed (told by its first bytes, not by its name).

    Raises RequestError if the file cannot be read or the compression is broken.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RequestError(
            f"liberty: {path} cannot be read ({error.strerror or error}); give a Liberty file, plain or gzip"
        ) from error
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise RequestError(f"liberty: {path} is a truncated or damaged gzip file ({error})") from error
    return data.decode("utf-8-sig", errors="replace")


Include = Callable[[str, str], tuple[str, str]]
"""From the path in an `include_file`, and the name of the file it stands in, to the name and the text of the other."""


def parse_liberty(
    text: str, source: str, include: Include | None = None, before: Group | None = None
) -> tuple[Group, ...]:
    """Parse the text of a Liberty file and return its `library` groups in order. `source` names the file in errors.

    Cells outside any group, as libraries that come a cell a file have them, are put into the library group before
    them, at first `before`, which then is not returned again. Without `include` nothing can be included.

    Raises RequestError, with the line, if the text is not Liberty, ends inside a group, or includes itself.
    """
    file = Group("", "")
    first = _STATEMENT.match(text)
    if first is None or first["open"] is None or first["name"] not in ("library", "cell"):
        raise RequestError(f"liberty: {source} is not a Liberty file: it must begin with 'library (NAME) {{'")
    _statements(text, source, file, include, ())
    libraries: list[Group] = []
    here = before
    for group in file.groups:
        if group.name == "library":
            libraries.append(group)
            here = group
        elif here is not None:
            here.groups.append(group)
        else:
            raise RequestError(
                f"liberty: {source}: {group.name} {group.label} is outside a library; "
                "give the file with 'library (NAME) {' before this one"
            )
    return tuple(libraries)


def _statements(text: str, source: str, top: Group, include: Include | None, within: tuple[str, ...]) -> None:
    """Put the statements of a text into the group `top`; `within` are the files that include this one."""
    stack = [top]
    starts = [0]
    position = 0
    scan = _STATEMENT.match
    while True:
        match = scan(text, position)
        if match is None:
            break
        position = match.end()
        close, name, quoted, bare, arguments, opened = match.groups()
        here = stack[-1]
        if name is not None and name[0] == '"':
            name = _unquoted(name)
        if close:
            if len(stack) == 1:
                position = match.start("close")
                break
            stack.pop()
            starts.pop()
        elif opened:
            group = Group(name, arguments)
            here.groups.append(group)
            stack.append(group)
            starts.append(match.start("name"))
        elif arguments is not None:
            if name == "include_file":
                _included(arguments, source, here, include, (*within, source))
            else:
                here.complex.setdefault(name, []).append(arguments)
        elif quoted is not None:
            here.attributes[name] = _unquoted(quoted)
        else:
            plain = COMMENT.sub(" ", bare) if "/" in bare else bare
            here.attributes[name] = plain.replace("\\", " ").strip()
    if len(stack) > 1 or not _END.match(text, position):
        raise _syntax_error(text, position, source, stack[-1], starts[-1])


def _included(arguments: str, source: str, group: Group, include: Include | None, within: tuple[str, ...]) -> None:
    paths = split_arguments(arguments)
    if include is None or len(paths) != 1:
        raise RequestError(f"liberty: {source}: include_file: must have one path, not ({arguments.strip()})")
    name, text = include(paths[0], source)
    if name in within:
        raise RequestError(f"liberty: {source}: include_file: {' -> '.join((*within, name))} go round in a circle")
    _statements(text, name, group, include, within)


def _syntax_error(text: str, position: int, source: str, group: Group, start: int) -> RequestError:
    if _END.match(text, position):
        return RequestError(
            f"liberty: {source} is incomplete: it ends inside the group '{group.name} ({group.label})' "
            f"that line {text.count(chr(10), 0, start) + 1} opens"
        )
    skipped = re.compile(_SKIP, re.DOTALL).match(text, position)
    at = skipped.end() if skipped else position
    line, excerpt = text.count("\n", 0, at) + 1, text[at : at + 40].partition("\n")[0]
    return RequestError(f"liberty: {source}, line {line}: neither a group, an attribute nor '}}': {excerpt!r}")


@dataclass(frozen=True)
class Units:
    """Factors that turn the library's figures into ns, fF, V, nW; `energy` (fJ) is capacitance times voltage squared,
    as the Liberty user guide defines internal_power."""

    time: float
    capacitance: float
    voltage: float
    leakage: float

    @property
    def energy(self) -> float:
        """Factor to fJ."""
        return self.capacitance * self.voltage**2


def units_of(library: Group, source: str) -> Units:
    """The units a library group declares; absent ones have Liberty's defaults (1 ns, 1 V; power must be given)."""
    arguments = split_arguments(library.complex.get("capacitive_load_unit", ["1, pf"])[-1])
    return Units(
        time=_factor(library, "time_unit", "1ns", "s", source) / 1e-9,
        capacitance=_quantity("capacitive_load_unit", "".join(arguments), "F", source) / 1e-15,
        voltage=_factor(library, "voltage_unit", "1V", "V", source),
        leakage=_factor(library, "leakage_power_unit", "1nW", "W", source) / 1e-9,
    )


def _factor(library: Group, name: str, default: str, unit: str, source: str) -> float:
    return _quantity(name, library.attributes.get(name, default), unit, source)


def _quantity(name: str, text: str, unit: str, source: str) -> float:
    match = _QUANTITY.fullmatch(text)
    if match is None or match[3].upper() != unit.upper():
        raise RequestError(f"liberty: {source}: {name}: must be a number with a unit such as 1n{unit}, not {text!r}")
    try:
        number = float(match[1] or 1)
    except ValueError as error:
        raise RequestError(f"liberty: {source}: {name}: {match[1]!r} is no number") from error
    if not 0 < number < float("inf"):
        raise RequestError(f"liberty: {source}: {name}: must be above 0, not {text!r}")
    return number * _PREFIX[match[2].lower()]

"""The syntax of Liberty files: groups, simple and complex attributes; and the units that one declares.

The grammar is the one of the Liberty user guide (Open Source Liberty, volume 1, "Building a Technology Library"):

    name (arguments) { statements }      a group
    name : value ;                       a simple attribute
    name (arguments) ;                   a complex attribute

The parser is our own because the one on PyPI (liberty-parser) needs several seconds for a library of some megabytes.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.errors import RequestError

# Possessive quantifiers (`*+`): a broken file fails at once instead of backtracking for ever.
_SKIP = r"(?:[\s;\\]++|/\*.*?\*/|//[^\n]*+)*+"
_STATEMENT = re.compile(
    _SKIP + r"(?:(?P<close>\})"
    r"|(?P<name>[A-Za-z_][\w.]*)\s*"
    r"(?::\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[^;{}\n\"]*))"
    r"|\((?P<arguments>(?:\"[^\"]*\"|[^()\"]|\([^()]*\))*+)\)" + _SKIP.replace(";", "") + r"(?P<open>\{)?))",
    re.DOTALL,
)
_END = re.compile(_SKIP + r"\Z", re.DOTALL)
_CONTINUATION = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ARGUMENT = re.compile(r"\"([^\"]*)\"|([^\s,\"\\]+)")
_PREFIX = {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}
_QUANTITY = re.compile(r"\s*([\d.eE+-]*)\s*([munpf]?)([sVWF])\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a Liberty file. `attributes` has the simple ones (the last of a name holds), `complex` the complex
    ones as raw argument texts in order, `groups` the groups inside it in order."""

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
    """Split the raw text between parentheses into unquoted arguments."""
    return [quoted or bare for quoted, bare in _ARGUMENT.findall(raw)]


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
    return data.decode("utf-8", errors="replace")


def parse_liberty(text: str, source: str) -> Group:
    """Parse the text of a Liberty file and return its `library` group. `source` names the file in errors.

    Raises RequestError, with the line, if the text is not Liberty or ends inside a group.
    """
    match = _STATEMENT.match(text)
    if match is None or match["name"] != "library" or match["open"] is None:
        raise RequestError(f"liberty: {source} is not a Liberty file: it must begin with 'library (NAME) {{'")
    top = Group("library", match["arguments"])
    stack = [top]
    starts = [match.start("name")]
    position = match.end()
    scan = _STATEMENT.match
    while stack:
        match = scan(text, position)
        if match is None:
            raise _syntax_error(text, position, source, stack[-1], starts[-1])
        position = match.end()
        close, name, quoted, bare, arguments, opened = match.groups()
        here = stack[-1]
        if close:
            stack.pop()
            starts.pop()
        elif opened:
            group = Group(name, arguments)
            here.groups.append(group)
            stack.append(group)
            starts.append(match.start("name"))
        elif arguments is not None:
            here.complex.setdefault(name, []).append(arguments)
        elif quoted is not None:
            here.attributes[name] = _CONTINUATION.sub(" ", quoted)
        else:
            here.attributes[name] = _COMMENT.sub("", bare).strip()
    return top


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
    if len(arguments) != 2:
        raise RequestError(f"liberty: {source}: capacitive_load_unit: must be (number, ff or pf), not {arguments}")
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
    return number * _PREFIX[match[2].lower()]

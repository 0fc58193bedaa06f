"""Read a mapped, flat netlist in the Verilog that Yosys writes (`write_verilog -noattr -noexpr -nohex -simple-lhs`).

Understood: one module or several of which one is asked for; scalar and vector ports and wires; instances with named
pins; `assign` of nets, bits, ranges, concatenations and constants; attributes and comments are skipped. Anything else
(behaviour, parameters, hierarchy by position) is refused with its line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from aesmith.errors import RequestError
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1, Instance, Netlist, NetlistPort

_TOKEN = re.compile(
    r"(?:\s+|//[^\n]*|/\*.*?\*/|\(\*(?!\)).*?\*\)|`[^\n]*)*+"
    r"(?:(\\\S+)|([A-Za-z_$][\w$]*)|(\d+'[sS]?[bodhBODH][0-9a-fA-FxXzZ_?]+)|(\d+)|([()\[\]{},;:.=#]))",
    re.DOTALL,
)
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_UNKNOWN = -1


class _Declaration(NamedTuple):
    lsb: int
    msb: int
    vector: bool


def read_netlist(path: Path, top: str | None = None) -> Netlist:
    """Read a netlist file. `top` names the module where the file has several.

    Raises RequestError if the file cannot be read or is not such a netlist.
    """
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"netlist: {path} cannot be read ({error})") from error
    return parse_netlist(text, str(path), top)


def parse_netlist(text: str, source: str = "netlist", top: str | None = None) -> Netlist:
    """Parse the text of a netlist. `source` names it in errors."""
    reader = _Reader(text, source)
    modules = reader.module_starts()
    if not modules:
        raise RequestError(f"netlist: {source} holds no Verilog module")
    if top is None and len(modules) > 1:
        raise RequestError(f"netlist: {source} holds the modules {', '.join(modules)}: flatten it, or name the top one")
    name = next(iter(modules)) if top is None else top
    if name not in modules:
        raise RequestError(f"netlist: {source} holds no module {name}, only {', '.join(modules)}")
    return reader.module(name, modules[name])


class _Reader:
    """One pass over the tokens of a file, then over those of one module."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._tokens: list[str] = []
        self._starts: list[int] = []
        position = 0
        end = len(text.rstrip())
        while (match := _TOKEN.match(text, position)) is not None:
            escaped, word, sized, number, mark = match.groups()
            self._tokens.append(escaped or word or sized or number or mark)
            self._starts.append(match.start(match.lastindex or 0))
            position = match.end()
        self._at = 0
        rest = re.sub(r"//[^\n]*|/\*.*?\*/", "", text[position:end], flags=re.DOTALL).strip()
        if rest:
            line = text.count("\n", 0, position) + 1
            raise RequestError(f"netlist: {source}, line {line}: not netlist Verilog at {rest.splitlines()[0][:30]!r}")
        self._declared: dict[str, _Declaration] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._names: list[str] = ["1'b0", "1'b1"]
        self._parent: list[int] = [CONSTANT_0, CONSTANT_1]

    def module_starts(self) -> dict[str, int]:
        """Where the body of each module begins, by name."""
        found: dict[str, int] = {}
        for index, token in enumerate(self._tokens):
            if token == "module" and index + 1 < len(self._tokens):
                found[_plain(self._tokens[index + 1])] = index + 2
        return found

    def module(self, name: str, start: int) -> Netlist:
        self._at = start
        directions: dict[str, str] = {}
        instances: list[tuple[str, str, dict[str, list[int]]]] = []
        if self._peek() == "(":
            while self._next() != ";":
                pass
        else:
            self._expect(";")
        while (token := self._next()) != "endmodule":
            if token in ("input", "output", "wire", "inout"):
                for declared in self._declaration():
                    if token != "wire":
                        directions[declared] = token
            elif token == "assign":
                self._assignment()
            elif token in ("reg", "always", "initial", "parameter", "function", "generate", "specify", "supply0"):
                self._fail(f"'{token}' has no place in a mapped netlist: it must be cells and wires only")
            else:
                instances.append(self._instance(_plain(token)))
        if "inout" in directions.values():
            inout = next(port for port, direction in directions.items() if direction == "inout")
            raise RequestError(f"netlist: {self._source}: port {inout} is inout; ports must be input or output")
        return self._netlist(name, directions, instances)

    def _netlist(
        self, name: str, directions: dict[str, str], instances: list[tuple[str, str, dict[str, list[int]]]]
    ) -> Netlist:
        port_bits = {
            port: [self._bit(port, bit) for bit in range(declared.lsb, declared.msb + 1)]
            for port in directions
            for declared in [self._declared[port]]
        }
        preferred = {net: self._names[net] for bits in port_bits.values() for net in bits}
        compact: dict[int, int] = {CONSTANT_0: CONSTANT_0, CONSTANT_1: CONSTANT_1}
        names = ["1'b0", "1'b1"]
        for net in [*preferred, *range(2, len(self._parent))]:
            root = self._root(net)
            if root not in compact:
                compact[root] = len(names)
                names.append(preferred.get(net, self._names[net]))

        def number(net: int) -> int:
            return _UNKNOWN if net == _UNKNOWN else compact[self._root(net)]

        placed = []
        for instance, cell, pins in instances:
            connected = {}
            for pin, bits in pins.items():
                if len(bits) != 1:
                    raise RequestError(
                        f"netlist: {self._source}: pin {pin} of {instance} ({cell}) is tied to {len(bits)} bits, not 1"
                    )
                connected[pin] = number(bits[0])
                if connected[pin] == _UNKNOWN:
                    raise RequestError(
                        f"netlist: {self._source}: pin {pin} of {instance} ({cell}) is tied to an undefined value (x)"
                    )
            placed.append(Instance(instance, cell, connected))
        ports = {
            port: NetlistPort(
                port,
                direction == "output",
                tuple(number(net) for net in port_bits[port]),
                self._declared[port].lsb,
                self._declared[port].vector,
            )
            for port, direction in directions.items()
        }
        return Netlist(name, ports, tuple(names), tuple(placed))

    def _declaration(self) -> list[str]:
        if self._peek() in ("wire", "signed"):
            self._next()
        msb = lsb = 0
        vector = self._peek() == "["
        if vector:
            msb, lsb = self._range()
        names = []
        while True:
            name = _plain(self._next())
            names.append(name)
            self._declared[name] = _Declaration(min(msb, lsb), max(msb, lsb), vector)
            mark = self._next()
            if mark == "=":
                self._join([self._bit(name, b) for b in self._bits_of(name)], self._expression())
                mark = self._next()
            if mark == ";":
                return names
            if mark != ",":
                self._fail(f"expected ',' or ';' in a declaration, not {mark!r}")

    def _assignment(self) -> None:
        target = self._expression()
        self._expect("=")
        self._join(target, self._expression())
        self._expect(";")

    def _instance(self, cell: str) -> tuple[str, str, dict[str, list[int]]]:
        if self._peek() == "#":
            self._fail(f"instance of {cell} has parameters: it is not mapped to library cells")
        name = _plain(self._next())
        self._expect("(")
        pins: dict[str, list[int]] = {}
        while self._peek() != ")":
            self._expect(".")
            pin = _plain(self._next())
            self._expect("(")
            if self._peek() != ")":
                pins[pin] = self._expression()
            self._expect(")")
            if self._peek() == ",":
                self._next()
        self._expect(")")
        self._expect(";")
        return name, cell, pins

    def _expression(self) -> list[int]:
        """Net numbers, bit 0 first."""
        token = self._next()
        if token == "{":
            parts = [self._expression()]
            while self._peek() == ",":
                self._next()
                parts.append(self._expression())
            self._expect("}")
            return [net for part in reversed(parts) for net in part]
        if "'" in token and token[0].isdigit():
            return self._constant(token)
        if not (token[0].isalpha() or token[0] in "_\\$"):
            self._fail(f"expected a net, not {token!r}")
        name = _plain(token)
        if self._peek() != "[":
            return [self._bit(name, bit) for bit in self._bits_of(name)]
        high, low = self._range()
        return [self._bit(name, bit) for bit in range(min(high, low), max(high, low) + 1)]

    def _bits_of(self, name: str) -> range:
        declared = self._declared.get(name, _Declaration(0, 0, False))
        return range(declared.lsb, declared.msb + 1)

    def _constant(self, token: str) -> list[int]:
        width, _, digits = token.partition("'")
        digits = digits.lstrip("sS").replace("_", "").lower()
        base, body = digits[0], digits[1:]
        if set(body) & set("xz?"):
            return [_UNKNOWN] * int(width)
        value = int(body, _BASES[base])
        return [CONSTANT_1 if value >> bit & 1 else CONSTANT_0 for bit in range(int(width))]

    def _range(self) -> tuple[int, int]:
        self._expect("[")
        high = self._integer()
        low = high
        if self._peek() == ":":
            self._next()
            low = self._integer()
        self._expect("]")
        return high, low

    def _integer(self) -> int:
        token = self._next()
        if not token.isdigit():
            self._fail(f"expected a number, not {token!r}")
        return int(token)

    def _bit(self, name: str, bit: int) -> int:
        declared = self._declared.get(name)
        if declared is not None and not declared.lsb <= bit <= declared.msb:
            self._fail(f"{name}[{bit}] is outside {name}[{declared.msb}:{declared.lsb}]")
        key = (name, bit)
        if key not in self._numbers:
            self._numbers[key] = len(self._parent)
            self._parent.append(len(self._parent))
            self._names.append(f"{name}[{bit}]" if declared is not None and declared.vector else name)
        return self._numbers[key]

    def _join(self, target: list[int], value: list[int]) -> None:
        if len(target) != len(value):
            self._fail(f"an assignment of {len(value)} bits to {len(target)}")
        for left, right in zip(target, value, strict=True):
            if right == _UNKNOWN:
                continue
            one, other = self._root(left), self._root(right)
            self._parent[max(one, other)] = min(one, other)
            if {one, other} == {CONSTANT_0, CONSTANT_1}:
                self._fail("an assignment of 0 to 1")

    def _root(self, net: int) -> int:
        while self._parent[net] != net:
            self._parent[net] = self._parent[self._parent[net]]
            net = self._parent[net]
        return net

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise RequestError(f"netlist: {self._source} is incomplete: it ends before 'endmodule'")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, mark: str) -> None:
        if (token := self._next()) != mark:
            self._fail(f"expected {mark!r}, not {token!r}")

    def _fail(self, what: str) -> NoReturn:
        start = self._starts[min(max(self._at - 1, 0), len(self._starts) - 1)]
        raise RequestError(f"netlist: {self._source}, line {self._text.count(chr(10), 0, start) + 1}: {what}")


def _plain(token: str) -> str:
    """A name without the backslash that Verilog writes before an escaped one."""
    return token.removeprefix("\\")

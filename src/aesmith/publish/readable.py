"""The one-file Verilog as somebody reads it: what a module is, pins in order, names for wires, no line too long.

`flow.verilog2005` writes what Yosys has, which numbers wires. Here each module gets the head of its source, pins stand
in the order of the module's ports, numbered wires get names after what they make, and equal bits side by side are a
replication. Nothing here is trusted: `flow.equality` proves the text that comes out equal to the sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from aesmith.cores.design import SourceFile

WIDTH = 120
"""Characters of the longest line, where there is a place to break it."""

_MODULE = re.compile(r"^module (\w+) \($")
_HEAD = re.compile(r"^module\s+(\w+)\b", re.MULTILINE)
_PORT = re.compile(r"^  (?:input|output|inout)\b.*?(\w+),?$")
_INSTANCE = re.compile(r"^  (\w+) (\w+) \($")
_PIN = re.compile(r"^    \.(\w+)\((.*)\),?$")
_WIRE = re.compile(r"^  (wire|reg)((?: signed)?(?: \[[^\]]+\])?) (\w+);$")
_DECLARED = re.compile(r"^  (wire|reg|input|output|output reg)((?: signed)?(?: \[[^\]]+\])?) (\w+)[;,]?$")
_BITWISE = re.compile(r"^  assign (\w+(?:\[[\d:]+\])?) = ((?:~ )?[\w\[\]:'{}]+(?: [&|^] [\w\[\]:'{}]+)*);$")
_DECLARED_MADE_READ = 3
"""How often a wire stands that one other reads."""
_MOST_IN_ONE = 24
"""Gates in one expression."""
_ASSIGN = re.compile(r"^  assign (\w+)(?:\[[^\]]*\])? = (.*);$")
_LOAD = re.compile(r"^\s+(?:else )?(?:if \((.*?)\) )?(\w+)(?:\[[^\]]*\])? <= (.*);$")
_IF = re.compile(r"^\s+(?:else )?if \((.*)\)")
_NUMBERED = re.compile(r"\b_\d+_\b")
_LIST = re.compile(r"\{ ([^{}]*) \}")
_ZEROS = re.compile(r"\b(\d+)'h0{33,}\b")
_VARIANT = re.compile(r"_\d+$")
_TOLD_TO_TOOLS = re.compile(
    r"[`$\\]|\(\*|full_case|parallel_case|translate_o|synthesis_o|pragma|read_comments|verilator|lint|"
    r"\b\w*(?:synthesis|synopsys|cadence|xilinx|exemplar|ambit|altera|vendor|synplify|lattice|verific)\s",
    re.IGNORECASE,
)
"""What some tools obey in a comment; a comment with it is left out."""


def readable(text: str, sources: Sequence[SourceFile]) -> str:
    """The text of `verilog2005`, the heads of its modules from `sources`."""
    heads = {name: head for source in sources for name, head in _heads(source.text).items()}
    modules = re.split(r"(?m)^(?=module )", text)
    ports = {}
    for module in modules[1:]:
        lines = module.splitlines()
        name = _MODULE.match(lines[0])
        if name is None:
            continue  # A memory, which is as it was written.
        ports[name[1]] = [found[1] for line in lines[1 : lines.index(");")] if (found := _PORT.match(line))]
    return "\n".join([_filled(modules[0]), *(_module(module, ports, heads) for module in modules[1:])]).lstrip("\n")


def _heads(text: str) -> dict[str, list[str]]:
    """The first paragraph of the comment before each module of a source."""
    found = {}
    for match in _HEAD.finditer(text):
        lines: list[str] = []
        for line in reversed(text[: match.start()].splitlines()):
            if not line.startswith("//"):
                break
            lines.insert(0, line)
        paragraph: list[str] = []
        for line in lines:
            if line.strip() == "//" and paragraph:
                break
            paragraph.append(line)
        if not any(_TOLD_TO_TOOLS.search(line) for line in paragraph):
            found[match[1]] = paragraph
    return found


def _module(text: str, ports: Mapping[str, Sequence[str]], heads: Mapping[str, Sequence[str]]) -> str:
    """A module with its head."""
    lines = text.rstrip("\n").splitlines()
    match = _MODULE.match(lines[0])
    if match is None:
        name = lines[0].split()[1]
        return _filled("\n".join(heads.get(name, ()))) + text
    name = match[1]
    base = name if name in heads else _VARIANT.sub("", name)
    head = list(heads.get(base, ()))
    if base != name:
        head.append(f"// Here with other parameters than in {base}.")
    lines = _assigned_in_order([_replicated(line) for line in _bits_apart(_pins_in_order(lines, ports))])
    lines = _named(_folded(lines))
    body = "\n".join(line for each in _declared_together(lines) for line in _broken(each))
    return _filled("\n".join(head)) + f"{body}\n"


def _pins_in_order(lines: Iterable[str], ports: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines with the pins of each instance in the order of the ports of its module."""
    found: list[str] = []
    order: Sequence[str] | None = None
    pins: dict[str, str] = {}
    for line in lines:
        if match := _INSTANCE.match(line):
            order, pins = ports.get(match[1]), {}
            found.append(line)
        elif order is not None and (match := _PIN.match(line)):
            pins[match[1]] = match[2]
        elif order is not None:
            kept = sorted(pins, key=[*order].index)
            found += [f"    .{pin}({pins[pin]}){',' if pin != kept[-1] else ''}" for pin in kept]
            found.append(line)
            order = None
        else:
            found.append(line)
    return found


def _bits_apart(lines: Sequence[str]) -> list[str]:
    """The lines with a wire for each bit of the vectors that are made and read bit by bit.

    An interpreter looks at all readers of a vector when one bit of it changes: the bench of an engine whose multiplier
    has sums in vectors of 300 bits took Icarus Verilog 28 times as long.
    """
    text = "\n".join(lines)
    made = Counter(re.findall(r"(?m)^  assign (\w+)\[\d+\] = ", text))
    by_bits, words = Counter(re.findall(r"\b(\w+)\[\d+\]", text)), Counter(re.findall(r"\w+", text))
    apart = {
        match[3]: _bits(match[2])
        for line in lines
        if (match := _WIRE.match(line)) and 1 < _bits(match[2]) == made[match[3]] and match[2].endswith(":0]")
        # One of its uses is the declaration.
        if by_bits[match[3]] + 1 == words[match[3]]
    }
    bit = {
        f"{name}[{place}]": _free(f"{name}_{place}", words) for name, count in apart.items() for place in range(count)
    }
    found = []
    for line in lines:
        if (match := _WIRE.match(line)) and match[3] in apart:
            found += [f"  {match[1]} {bit[f'{match[3]}[{place}]']};" for place in range(apart[match[3]])]
        else:
            found.append(re.sub(r"\b\w+\[\d+\]", lambda each: bit.get(each[0], each[0]), line))
    return found


def _free(name: str, taken: Mapping[str, int]) -> str:
    """The name, with as many low lines behind it as make it one that is not taken."""
    while name in taken:
        name += "_"
    return name


def _assigned_in_order(lines: Sequence[str]) -> list[str]:
    """The lines, of continuous assignments side by side each behind those that it reads."""
    found: list[str] = []
    for assigns, group in groupby(lines, key=lambda line: _ASSIGN.match(line) is not None):
        same = [*group]
        found += _behind_what_they_read(same) if assigns else same
    return found


def _behind_what_they_read(lines: Sequence[str]) -> list[str]:
    makers: dict[str, list[str]] = {}
    reads = {}
    for line in lines:
        match = _ASSIGN.match(line)
        assert match is not None
        makers.setdefault(match[1], []).append(line)
        reads[line] = re.findall(r"[A-Za-z_]\w*", match[2])
    done: dict[str, None] = {}
    begun = set()
    for first in sorted(lines, key=lambda line: (_NUMBERED.search(line[:12]) is not None, _natural(line))):
        waiting = [first]
        while waiting:
            line = waiting[-1]
            before = [each for name in reads[line] for each in makers.get(name, ()) if each not in begun]
            begun.add(line)
            if before:
                waiting.append(before[0])
            else:
                done.setdefault(waiting.pop())
    return [*done]


def _folded(lines: Sequence[str]) -> list[str]:
    """The lines with numbered wires that one other bitwise expression of their width reads put into it, in brackets."""
    widths = {match[3]: _bits(match[2]) for line in lines if (match := _DECLARED.match(line))}
    uses = Counter(wire for line in lines for wire in _NUMBERED.findall(line))
    value: dict[str, tuple[str, int]] = {}
    found: list[str] = []
    for line in lines:
        match = _BITWISE.match(line)
        width = _width(match[1], widths) if match else None
        operands = re.split(r" [&|^] |~ ", match[2].removeprefix("~ ")) if match else []
        if match is None or width is None or any(_width(each, widths) != width for each in operands):
            found.append(line)
            continue
        size = 1 + sum(value[each][1] for each in operands if each in value)
        if size <= _MOST_IN_ONE:
            inner = {each: value.pop(each)[0] for each in operands if each in value}
            expression = _NUMBERED.sub(lambda name, inner=inner: inner.get(name[0], name[0]), match[2])
        else:
            size, expression = 1, match[2]
        found.append(f"  assign {match[1]} = {expression};")
        if _NUMBERED.fullmatch(match[1]) and uses[match[1]] == _DECLARED_MADE_READ:
            value[match[1]] = f"({expression})", size
    text = "\n".join(line for line in found if not _DECLARED.match(line))
    read = Counter(_NUMBERED.findall(text))
    kept = []
    for line in found:
        declared, assigned = _DECLARED.match(line), _ASSIGN.match(line)
        name = declared[3] if declared else assigned[1] if assigned else ""
        if not _NUMBERED.fullmatch(name) or read[name] > 1:
            kept.append(line)
    return kept


def _bits(span: str) -> int:
    found = re.search(r"\[(\d+):(\d+)\]", span)
    return abs(int(found[1]) - int(found[2])) + 1 if found else 1


def _width(operand: str, widths: Mapping[str, int]) -> int | None:
    """Bits of a name, a part of one, a replication of a bit, or a number; None of anything else."""
    if match := re.fullmatch(r"(\w+)(\[\d+\])?", operand):
        whole = widths.get(match[1])
        return 1 if match[2] and whole else whole
    if match := re.fullmatch(r"\{(\d+)\{(\w+(?:\[\d+\])?)\}\}", operand):
        return int(match[1]) if _width(match[2], widths) == 1 else None
    if match := re.fullmatch(r"(\d+)'h[0-9a-f]+", operand):
        return int(match[1])
    return _bits(operand) if re.fullmatch(r"\w+\[\d+:\d+\]", operand) else None


def _replicated(line: str) -> str:
    """The line with equal elements side by side, in a concatenation, as one replication, as zeros in long numbers."""

    def shorter(match: re.Match[str]) -> str:
        parts = []
        for element, same in groupby(match[1].split(", ")):
            count = len([*same])
            parts += [f"{{{count}{{{element}}}}}"] if count > 2 else [element] * count
        return parts[0] if len(parts) == 1 and parts[0].startswith("{") else f"{{ {', '.join(parts)} }}"

    return _ZEROS.sub(r"{\1{1'h0}}", _LIST.sub(shorter, line))


def _named(lines: Sequence[str]) -> list[str]:
    """The lines with a name for each numbered wire: after the register, wire, port or pin that it goes to."""
    readers: dict[str, str] = {}
    loads: dict[str, str] = {}
    instance = ""
    waiting: list[str] = []
    for line in lines:
        target = ""
        if match := _INSTANCE.match(line):
            instance = match[2]
        elif match := _PIN.match(line):
            target = f"{instance}_{match[1].removesuffix('_i').removesuffix('_o')}"
        elif match := _ASSIGN.match(line):
            target = match[1]
        elif match := _LOAD.match(line):
            target = match[2]
            if _NUMBERED.fullmatch(match[3]):
                loads.setdefault(match[3], match[2])
        elif _IF.match(line):
            waiting += _NUMBERED.findall(line)
            continue
        for wire in [*(_NUMBERED.findall(line) if target else []), *(waiting if target else [])]:
            if wire != target:
                readers.setdefault(wire, target)
        waiting = [] if target else waiting
    made = (line for line in lines if not _WIRE.match(line))
    numbered = dict.fromkeys(wire for line in made for wire in _NUMBERED.findall(line))
    taken = {word for line in lines for word in re.findall(r"[A-Za-z_]\w*", line)}
    names: dict[str, str] = {}
    for wire in numbered:
        root, seen = wire, set[str]()
        while _NUMBERED.fullmatch(root) and root not in seen and root in readers:
            seen.add(root)
            root = readers[root]
        stem = re.sub(r"_[iodq]$", "", root) if not _NUMBERED.fullmatch(root) else "inner"
        wanted = f"{stem}_next" if wire in loads else f"{stem}_1"
        number = 1
        while wanted in taken:
            number += 1
            wanted = f"{stem}_{number}"
        taken.add(wanted)
        names[wire] = wanted
    return [_NUMBERED.sub(lambda match: names.get(match[0], match[0]), line) for line in lines]


def _declared_together(lines: Sequence[str]) -> list[str]:
    """The lines with wires of one width in one declaration, in the order of their names and numbers."""
    found: list[str] = []
    kinds: dict[str, list[str]] = {}
    for line in lines:
        if match := _WIRE.match(line):
            kinds.setdefault(f"{match[1]}{match[2]}", []).append(match[3])
            continue
        if kinds:
            found += [f"  {kind} {', '.join(sorted(names, key=_natural))};" for kind, names in kinds.items()]
            kinds = {}
        found.append(line)
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _broken(line: str) -> list[str]:
    """The line, broken behind a comma or before an operator where it is too long."""
    if line.lstrip().startswith("//"):
        return [line]
    found = []
    while len(line) > WIDTH:
        places = [match.end() for match in re.finditer(r", | (?=[&|^?:] )", line[:WIDTH]) if match.end() > 12]
        if not places:
            break
        found.append(line[: places[-1]].rstrip())
        line = f"      {line[places[-1] :]}"
    return [*found, line]


def _filled(comment: str) -> str:
    """The comment at the head of the file, its lines broken between words."""
    found = []
    for line in comment.splitlines():
        rest = line
        while len(rest) > WIDTH and " " in rest[5:WIDTH]:
            place = rest.rindex(" ", 5, WIDTH)
            found.append(rest[:place])
            rest = f"//   {rest[place + 1 :]}"
        found.append(rest)
    return "\n".join([*found, ""]) if comment else ""

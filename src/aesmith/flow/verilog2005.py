"""A core as one Verilog-2005 file, for tools that take nothing newer.

Yosys elaborates the sources and writes them; its text is then made fit for a reader: one module for equal instances,
plain names, short port lists. That works on the regular text of `write_verilog -noattr` (one declaration, one
assignment or one line of an always block a line) and on the names of the slang front end, which calls the module of an
instance *module*$*path*. Nothing here is trusted: `aesmith.flow.equality` proves the text equal to the sources.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.flow.memories import with_plain_instances
from aesmith.flow.yosys import read_commands, run_script, write_sources

_CHOICES = "t:$mux t:$pmux"
_SIGNED = "r:A_SIGNED=1 r:B_SIGNED=1 %u"
_UNSIGNED = """\
(* techmap_celltype = "$shift $shiftx" *)
module by_a_signed_index (A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  localparam WIDTH = A_WIDTH > Y_WIDTH ? A_WIDTH : Y_WIDTH;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = A_SIGNED || !B_SIGNED;
  wire [WIDTH-1:0] whole = A;
  wire [B_WIDTH-1:0] back = -B;
  assign Y = B[B_WIDTH-1] ? whole << back : whole >> B;
endmodule

(* techmap_celltype = "$neg" *)
module of_a_signed_number (A, Y);
  parameter A_SIGNED = 0, A_WIDTH = 1, Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = !A_SIGNED;
  wire signed [A_WIDTH-1:0] number = A;
  wire [Y_WIDTH-1:0] extended = number;
  assign Y = -extended;
endmodule
"""
"""What signed cells compute, by unsigned ones. A part select whose index is an int is such a cell: it shifts by a
signed number, which `write_verilog` writes as `$signed`."""


def verilog2005(design: Design, header: str, work_dir: Path, *, cancel: threading.Event | None = None) -> str:
    """The sources of `design` as one Verilog-2005 text: same modules, same ports, names of registers and wires kept.

    `header` (plain text) is its leading comment. The text depends on nothing but `design` and `header`. Intermediate
    files go to `work_dir`, which is made. Raises ToolError if Yosys is missing or refuses the sources, CheckError for a
    memory that is not in them.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    (work_dir / "unsigned.v").write_text(_UNSIGNED)
    script = [
        *read_commands(design, write_sources(design, work_dir), keep_hierarchy=True, keep_processes=True, boxed=True),
        "proc -noopt -norom",
        # An unreachable branch is undefined for the front end; the value that is left is the other branch's.
        f"opt_expr -mux_undef {_CHOICES}",
        "opt_clean",
        # An index of an array is compared with its bounds as a signed number, whose widths lint would have equal.
        f"opt_expr -fine {_SIGNED}",
        f"techmap -map unsigned.v {_SIGNED}",
        f"opt_expr {_CHOICES}",
        f"techmap {_SIGNED}",
        "techmap t:$fa t:$alu t:$lcu",
        # Cells that have no expression in Verilog.
        "bwmuxmap",
        "bmuxmap",
        "demuxmap",
        "pmuxtree",
        f"opt_expr -mux_undef {_CHOICES}",
        "opt_clean",
        # What is still undefined is zero here as it is in synthesis, so that simulation cannot differ from the netlist.
        "setundef -zero",
        "write_verilog -noattr -decimal plain.v",
    ]
    run_script(script, work_dir / "verilog2005.log", cancel=cancel)
    plain, memories = with_plain_instances(design, (work_dir / "plain.v").read_text())
    text = re.sub(r"/\*.*?\*/\s*", "", plain, flags=re.DOTALL)
    # The model of a clock gate, all that is left of combinational blocks, is a latch on purpose.
    tidied = _LATCH.sub(r"  // verilator lint_off LATCH\n\g<0>  // verilator lint_on LATCH\n", tidy(text))
    comment = "".join(f"// {line}".rstrip() + "\n" for line in header.strip().splitlines())
    return "\n".join(part for part in (comment, tidied, memories) if part)


_ESCAPED = re.compile(r"\\(\S+) ")
_DECLARATION = re.compile(r"^  (input|output|inout|wire|reg)( signed)?( \[[^\]]+\])? ([A-Za-z_]\w*);$")
_INSTANCE = re.compile(r"^  (\S+) +([A-Za-z_]\w*) +\($")
_HEADER = re.compile(r"^module [^;]*;$", re.MULTILINE)
_MODULE = re.compile(r"^module (\S+) ?\((.*)\);$")
_ASSIGN = re.compile(r"^  assign (_\d+_) = (.*);$")
_CHOICE = re.compile(r"^  assign ([A-Za-z_]\w*) = (\S.*?) \? (.*?) : (.*);$")
_LOAD = re.compile(r"^(\s+(?:else )?([A-Za-z_]\w*) <= )(_\d+_)(;)$")
_TRUTH = re.compile(r"^(?:! \S+|\S+ (?:==|!=|<|>|<=|>=|&&|\|\|) \S+)$")
_SLICE = re.compile(r"^    ([A-Za-z_]\w*)\[(\d+):(\d+)\] <= (_\d+_)\[\2:\3\];$")
_NOT = re.compile(r"= ! (?:(\w+)|(\S.*));$")
_UNSAFE = re.compile(r"\$signed|<<|>>|/|%")
_MADE_UP = re.compile(r"\bauto_\w+_cc_\d+_\w+_\d+\b")
_LATCH = re.compile(r"^  always @\*\n    if .*\n", re.MULTILINE)


@dataclass
class _Module:
    name: str
    declarations: list[str]
    body: list[str]
    ports: list[str]

    def children(self) -> list[str]:
        return [match[1] for line in self.body if (match := _INSTANCE.match(line))]

    def text(self, rename: dict[str, str]) -> str:
        """What it does, whatever numbers Yosys has in the names that it made up inside."""
        text = "\n".join(_rename_instances([*self.declarations, *self.body], rename))
        numbers = {name: str(number) for number, name in enumerate(dict.fromkeys(_MADE_UP.findall(text)))}
        return _MADE_UP.sub(lambda name: name[0] if name[0] in self.ports else f"made up {numbers[name[0]]}", text)


def tidy(verilog: str) -> str:
    """The text `verilog` of `write_verilog -noattr` with equal modules shared, names unescaped, ports declared once."""
    modules = {module.name: module for module in _modules(verilog)}
    rename: dict[str, str] = {}
    kept: list[str] = []
    known: dict[tuple[str, str], str] = {}
    taken = {name for name in modules if "$" not in name}
    for name in _leaves_first(modules):
        module = modules[name]
        base = name.split("$")[0]
        key = (base, f"{module.ports}\n{module.text(rename)}")
        if key not in known:
            known[key] = base if base == name else _free_name(base, taken)
            taken.add(known[key])
            kept.append(_write(module, known[key], rename))
        rename[name] = known[key]
    return "\n".join(kept)


def _modules(verilog: str) -> Iterator[_Module]:
    """The modules of the text, their identifiers unescaped."""
    module: _Module | None = None
    # Yosys begins a new line after twenty ports.
    one_line = _HEADER.sub(lambda match: match[0].replace("\n", " "), verilog)
    for line in _unescape(one_line).splitlines():
        if match := _MODULE.match(line):
            module = _Module(match[1], [], [], [port.strip() for port in match[2].split(",")])
        elif line == "endmodule" and module is not None:
            yield module
            module = None
        elif module is not None:
            (module.declarations if _DECLARATION.match(line) else module.body).append(line)


def _unescape(verilog: str) -> str:
    """Make words of escaped identifiers, different words of different ones; module names only lose their backslash."""
    modules = set(re.findall(r"^module \\(\S+) ", verilog, re.MULTILINE))
    words = set(re.findall(r"(?<![\\\w])[A-Za-z_]\w*", verilog))
    plain: dict[str, str] = {}
    for name in dict.fromkeys(_ESCAPED.findall(verilog)):
        word = re.sub(r"\W+", "_", name).strip("_")
        while word in words:
            word += "_"
        words.add(word)
        plain[name] = name if name in modules else word
    return _ESCAPED.sub(lambda match: plain[match[1]], verilog)


def _leaves_first(modules: dict[str, _Module]) -> Iterator[str]:
    """Names of the modules, every one after the modules it instantiates."""
    done: set[str] = set()

    def visit(name: str) -> Iterator[str]:
        if name in modules and name not in done:
            done.add(name)
            for child in modules[name].children():
                yield from visit(child)
            yield name

    for name in modules:
        yield from visit(name)


def _free_name(base: str, taken: set[str]) -> str:
    if base not in taken:
        return base
    return next(name for number in range(2, len(taken) + 3) if (name := f"{base}_{number}") not in taken)


def _rename_instances(lines: list[str], rename: dict[str, str]) -> list[str]:
    renamed = []
    for line in lines:
        match = _INSTANCE.match(line)
        renamed.append(f"  {rename.get(match[1], match[1])} {match[2]} (" if match else line)
    return renamed


def _write(module: _Module, name: str, rename: dict[str, str]) -> str:
    """The module as text: ports with their directions in the header, wires, then the body."""
    direction: dict[str, str] = {}
    kind: dict[str, str] = {}
    span: dict[str, str] = {}
    for line in module.declarations:
        match = _DECLARATION.match(line)
        assert match is not None
        (direction if match[1] in ("input", "output", "inout") else kind)[match[4]] = match[1]
        span[match[4]] = (match[2] or "") + (match[3] or "")
    lines = _join_slices(_rename_instances(module.body, rename), span)
    body = _inline([_compare(line, span) for line in lines], span)
    text = "\n".join(body)
    ports = [
        f"  {direction[port]}{' reg' if kind.get(port) == 'reg' else ''}{span[port]} {port}" for port in module.ports
    ]
    wires = [
        f"  {kind[wire]}{span[wire]} {wire};"
        for wire in kind
        if wire not in direction and (not re.fullmatch(r"_\d+_", wire) or re.search(rf"\b{wire}\b", text))
    ]
    return "\n".join(
        [f"module {name} (", ",\n".join(ports), ");", *wires, *([""] if wires else []), text, "endmodule", ""]
    )


def _join_slices(body: list[str], span: dict[str, str]) -> list[str]:
    """Make one always block of those that load all slices of one register from the same slices of one wire."""
    slices: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for edge, load in pairwise(body):
        if edge.startswith("  always @(") and (match := _SLICE.match(load)):
            slices.setdefault((edge, match[1], match[4]), []).append((int(match[2]), int(match[3])))
    whole = {
        key
        for key, parts in slices.items()
        if span.get(key[1]) == span.get(key[2]) == f" [{max(parts)[0]}:0]"
        and sum(high - low + 1 for high, low in parts) == max(parts)[0] + 1
    }
    lines: list[str] = []
    written = set()
    for line in body:
        match = _SLICE.match(line)
        key = (lines[-1], match[1], match[4]) if match and lines else None
        if key is None or key not in whole:
            lines.append(line)
        elif key in written:
            lines.pop()
        else:
            written.add(key)
            lines.append(f"    {key[1]} <= {key[2]};")
    return lines


def _compare(line: str, span: dict[str, str]) -> str:
    """`line` with the logical negation of a vector, which linters take for a slip, as what it is."""
    match = _NOT.search(line)
    if match is None or (match[1] and not span.get(match[1])):
        return line
    if match[1]:
        width = abs(int.__sub__(*map(int, re.findall(r"\d+", span[match[1]])))) + 1
        return f"{line[: match.start()]}= {match[1]} == {width}'h0;"
    return f"{line[: match.start()]}= ~| {match[2]};"


def _inline(body: list[str], span: dict[str, str]) -> list[str]:
    """Put expressions that are named by a number and used once into the multiplexer or register that uses them.

    Only where the width of the context equals that of the wire and no operator lets higher bits act on lower ones, so
    that no bit of the value changes.
    """
    uses: dict[str, int] = {}
    for line in body:
        for wire in re.findall(r"\b_\d+_\b", line):
            uses[wire] = uses.get(wire, 0) + 1
    value = {
        match[1]: match[2]
        for line in body
        if (match := _ASSIGN.match(line)) and uses[match[1]] == 2 and not _UNSAFE.search(match[2])
    }
    used: set[str] = set()

    def replace(wire: str, width: str | None) -> str:
        """`wire`, or the value of it in parentheses; `width` None stands for a truth value."""
        expression = value.get(wire)
        if expression is None or (width is None and not _TRUTH.match(expression)):
            return wire
        if width is not None and span.get(wire) != width:
            return wire
        used.add(wire)
        return f"({choice(expression, span[wire])})"

    def choice(expression: str, width: str) -> str:
        match = _CHOICE.match(f"  assign x = {expression};")
        if match is None:
            return expression
        return f"{replace(match[2], None)} ? {replace(match[3], width)} : {replace(match[4], width)}"

    lines = []
    for line in body:
        if (match := _CHOICE.match(line)) and match[1] in span and match[1] not in value:
            lines.append(f"  assign {match[1]} = {choice(f'{match[2]} ? {match[3]} : {match[4]}', span[match[1]])};")
        elif match := _LOAD.match(line):
            expression = replace(match[3], span.get(match[2]))
            lines.append(f"{match[1]}{expression if expression == match[3] else expression[1:-1]};")
        else:
            lines.append(line)
    return [line for line in lines if not ((match := _ASSIGN.match(line)) and match[1] in used)]

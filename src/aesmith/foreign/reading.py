"""Third-party sources, read once so that every tool reads the same: includes, macros and delays are settled.

Verilator's preprocessor puts include files and macros in. Delays of assignments (`q <= #1 d;`) say nothing of hardware
and go; any other delay is refused by the tools. What is then read by all is one file. Yosys says which ports the top
module has, and what is in it that no core of one clock has is refused by the name of its signal. In Verilog-2005 names
may be words of SystemVerilog (`do`, `final`): they get an underscore.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from aesmith.assurance.proof.scan import code_of
from aesmith.cores.ports import KEYWORDS, PortDirection
from aesmith.cores.sources import renamed
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.verilator import find_verilator
from aesmith.flow.yosys import run_script
from aesmith.yosys_json import ONE, Module, ModuleCell, ModulePort, read_json

_VERILOG_WORDS = (
    "always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign "
    "default defparam design disable edge else end endcase endconfig endfunction endgenerate endmodule "
    "endprimitive endspecify endtable endtask event for force forever fork function generate genvar "
    "highz0 highz1 if ifnone incdir include initial inout input instance integer join large liblist "
    "library localparam macromodule medium module nand negedge nmos nor noshowcancelled not notif0 notif1 "
    "or output parameter pmos posedge primitive pull0 pull1 pulldown pullup pulsestyle_ondetect "
    "pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1 "
    "scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task "
    "time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use uwire vectored wait wand "
    "weak0 weak1 while wire wor xnor xor "
)
VERILOG_2005 = frozenset(_VERILOG_WORDS.split())
"""The words of Verilog-2005 (IEEE 1364, annex B)."""

_TIMEOUT_S = 120
_SHOWN = 100
_DELAY = re.compile(
    r"(?P<before>(?<![<>=!])<?=|\bassign\b)(?P<space>\s*)#\s*(?:\d[\d_.]*(?:[munpf]?s)?|[A-Za-z_]\w*|\([^()]*\))"
)
_SAYS_NOTHING = re.compile(r"\s*`(timescale|default_nettype|resetall|celldefine|endcelldefine)\b")
"""Directives that say nothing of the hardware of sources that are read without them."""
_STORING = {
    "$dlatch": "a latch",
    "$adlatch": "a latch",
    "$dlatchsr": "a latch",
    "$sr": "a latch",
    "$dffsr": "a flip-flop with set and reset",
    "$dffsre": "a flip-flop with set and reset",
    "$aldff": "a flip-flop with an asynchronous load",
    "$aldffe": "a flip-flop with an asynchronous load",
}
_CLOCKED = {"$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce", "$aldff", "$aldffe"}


@dataclass(frozen=True)
class ReadSource:
    """The one text of a foreign design, and the ports of its top module by name, in order.

    `names` are the words of SystemVerilog that are no words of Verilog, and what stands in the text for each. A port
    that is an unpacked array counts as one vector, its leftmost element highest; `arrays` says which are.
    `clocked`: it has a register. `clock` is the input whose edges most registers have, `resets` are the inputs that
    reset registers without a clock, with their active levels; empty where no port goes straight there. `gated`: it has
    clock gates.
    """

    text: str
    ports: Mapping[str, ModulePort]
    names: Mapping[str, str]
    arrays: Mapping[str, ArrayPort] = field(default_factory=dict)
    clocked: bool = True
    clock: str = ""
    resets: Mapping[str, int] = field(default_factory=dict)
    gated: bool = False


@dataclass(frozen=True)
class ArrayPort:
    """An unpacked array: how it is declared, `[0:15]`, and the index of each element from left to right, `[0]`."""

    ranges: str
    indices: tuple[str, ...]


def read_sources(
    files: Sequence[Path],
    top: str,
    folder: Path,
    *,
    include: Sequence[Path] = (),
    defines: Mapping[str, str | int] | None = None,
    parameters: Mapping[str, int] | None = None,
    language: str = "systemverilog",
    clock: str | None = None,
) -> ReadSource:
    """Read a design; the tools' files stay in `folder`, which is made.

    Raises RequestError for sources that cannot be read, for a top module that is not there, for ports that are inout,
    and for latches, flip-flops that no library has, combinational loops and, where `clock` is named, registers of
    another clock; ToolError for a tool that is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = without_delays(_preprocessed(files, include, defines or {}))
    names = {word: f"{word}_" for word in KEYWORDS - VERILOG_2005} if language == "verilog-2005" else {}
    text, top = renamed(text, names), names.get(top, top)
    parameters = {names.get(name, name): value for name, value in (parameters or {}).items()}
    clock = names.get(clock, clock) if clock is not None else None
    if not re.search(rf"\bmodule\s+{re.escape(top)}\b", code_of(text)):
        modules = ", ".join(dict.fromkeys(re.findall(r"\bmodule\s+(\w+)", code_of(text)))) or "no module at all"
        raise RequestError(f"top: there is no module {top}; the files have {modules}")
    for name in parameters:
        if not re.search(rf"\bparameter\b[^;)]*\b{re.escape(name)}\s*=", code_of(text)):
            raise RequestError(f"parameters: {top} has no parameter {name}")
    (folder / "foreign.v").write_text(text, encoding="utf-8")
    settings = "".join(f" -G {name}={value}" for name, value in parameters.items())
    commands = [
        f"read_slang --no-implicit-memories{settings} --top {top} foreign.v",
        f"hierarchy -check -top {top}",
        "proc",
        "write_json ports.json",
        "flatten",
        "opt_clean",
        "tee -o loops.txt check",
        "write_json flat.json",
        # The front end writes an asynchronous reset as a load of a constant.
        "opt_dff -nodffe -nosdff",
        "write_json stores.json",
    ]
    try:
        run_script(commands, folder / "read.log")
    except ToolError as error:
        said = f"{_with_lines(str(error), text)}{_hint(str(error), text) if language != 'verilog-2005' else ''}"
        raise RequestError(f"rtl: {top} cannot be read as {language}: {said}") from error
    ports = read_json(folder / "ports.json").module(top).ports
    if both := [port.name for port in ports.values() if port.direction == "inout"]:
        raise RequestError(f"rtl: {top}: port {both[0]} is inout; ports must be input or output")
    _refuse_loops(top, (folder / "loops.txt").read_text())
    stores = read_json(folder / "stores.json").module(top)
    gated = _gated_clocks(stores)
    _refuse_stores(stores, set(gated.values()))
    clocked = any(cell.type in _CLOCKED or cell.type.startswith("$mem") for cell in stores.cells.values())
    if clock is not None and clock in ports:
        flat = read_json(folder / "flat.json").module(top)
        gates = _gated_clocks(flat).items()
        of_it = {net for net, latch in gates if flat.cells[latch].pins["EN"] == flat.ports[clock].nets}
        _refuse_clocks(flat, clock, of_it)
    arrays = _array_ports(top, folder, parameters)
    return ReadSource(text, ports, names, arrays, clocked, *_clock_and_resets(stores), bool(gated))


def _gated_clocks(flat: Module) -> dict[int, str]:
    """The nets that are gated clocks, each with the latch of its gate: one that is open while a clock is low, read by
    nothing but an AND with that clock."""
    readers: dict[int, list[ModuleCell]] = {}
    for cell in flat.cells.values():
        for net in cell.nets("input"):
            readers.setdefault(net, []).append(cell)
    found = {}
    for latch in flat.cells.values():
        if latch.type != "$dlatch" or len(latch.pins["Q"]) != 1 or latch.number("EN_POLARITY"):
            continue
        held, clock = latch.pins["Q"][0], latch.pins["EN"][0]
        gates = readers.get(held, [])
        if len(gates) == 1 and gates[0].type == "$and" and sorted(gates[0].nets("input")) == sorted((held, clock)):
            found[gates[0].pins["Y"][0]] = latch.name
    return found


def _clock_and_resets(flat: Module) -> tuple[str, dict[str, int]]:
    """The input that clocks most registers, empty if none does, and the active levels of asynchronous resets."""
    inputs = {port.nets[0]: port.name for port in flat.ports.values() if port.direction == "input" and port.width == 1}
    gates = {net: flat.cells[latch].pins["EN"][0] for net, latch in _gated_clocks(flat).items()}
    clocks: Counter[str] = Counter()
    resets = {}
    for cell in flat.cells.values():
        if cell.type not in _CLOCKED:
            continue
        clock = cell.pins["CLK"][0]
        if name := inputs.get(gates.get(clock, clock)):
            clocks[name] += len(cell.pins["Q"])
        if "ARST" in cell.pins and (name := inputs.get(cell.pins["ARST"][0])):
            resets[name] = cell.number("ARST_POLARITY")
    return max(clocks, key=lambda name: clocks[name], default=""), resets


def _array_ports(top: str, folder: Path, parameters: Mapping[str, int]) -> dict[str, ArrayPort]:
    """The ports of the top module in `foreign.v` that are unpacked arrays, by name: Verilator tells."""
    verilator, tree = find_verilator(), folder / "ports.tree.json"
    command = [str(verilator.command), "--json-only", "--json-only-output", str(tree), "--Mdir", str(folder / "tree")]
    command += ["-Wno-fatal", "--no-timing", "--top-module", top, *(f"-G{k}={v}" for k, v in parameters.items())]
    try:
        made = subprocess.run(
            [*command, str(folder / "foreign.v")],
            env=verilator.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"verilator: does not answer ({error})") from error
    if made.returncode:
        reasons = [line for line in made.stderr.splitlines() if line.startswith("%Error")]
        raise RequestError(f"rtl: {top} cannot be read: {' | '.join(reasons[:3]) or made.stderr.strip()}")
    nodes = list(_nodes(json.loads(tree.read_text(encoding="utf-8"))))
    types = {node["addr"]: node for node in nodes if node["type"].endswith("DTYPE")}
    found = {}
    for node in nodes:
        if node["type"] != "VAR" or node.get("varType") != "PORT" or not node.get("isPrimaryIO"):
            continue
        ranges, of = [], types[node["dtypep"]]
        while of["type"] in ("UNPACKARRAYDTYPE", "REFDTYPE"):
            ranges += [of["declRange"]] if of["type"] == "UNPACKARRAYDTYPE" else []
            of = types[of["refDTypep"]]
        if ranges:
            indices = product(*(_from_left(text) for text in ranges))
            found[str(node["name"])] = ArrayPort("".join(ranges), tuple("".join(index) for index in indices))
    return found


def _from_left(text: str) -> list[str]:
    """The indices of a range, `[3:0]`, from left to right."""
    left, right = (int(end) for end in text.strip("[]").split(":"))
    step = 1 if right >= left else -1
    return [f"[{index}]" for index in range(left, right + step, step)]


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every node of Verilator's tree."""
    for value in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(value, dict | list):
            yield from _nodes(value)
    if isinstance(tree, dict) and "type" in tree:
        yield tree


def _with_lines(said: str, text: str) -> str:
    """What a tool said, its first line number of the one text with what stands in that line: nobody else has it."""
    lines = text.splitlines()

    def shown(found: re.Match[str]) -> str:
        return f"{found[2]} ({' '.join(lines[int(found[1]) - 1].split())[:_SHOWN]})"

    return re.sub(r"foreign\.v:(\d+): (?:ERROR: )?([^|;]*[^|;\s])", shown, said, count=1)


def _hint(said: str, text: str) -> str:
    """What helps where a tool stumbles over a word of SystemVerilog that is a name in Verilog-2005."""
    lines = code_of(text).splitlines()
    stumbled = " ".join(lines[int(number) - 1] for number in re.findall(r"foreign\.v:(\d+)", said))
    words = [word for word in re.findall(r"[a-z]\w*", stumbled) if word in KEYWORDS - VERILOG_2005]
    return f'; if {words[0]} is a name there, say --verilog-2005, or language = "verilog-2005"' if words else ""


def without_delays(text: str) -> str:
    """Verilog without the delays of its assignments, `<= #1`, `= #(D)` and `assign #1`; strings and comments stay.

    Delays that are statements stay, too, and are refused by who reads the text: hardware has none.
    """
    kept = code_of(text)
    pieces, at = [], 0
    for match in _DELAY.finditer(kept):
        start, end = match.end("space"), match.end()
        pieces += [text[at:start], " " * text[start:end].count(" ")]
        at = end
    return "".join((*pieces, text[at:]))


def _preprocessed(files: Sequence[Path], include: Sequence[Path], defines: Mapping[str, str | int]) -> str:
    verilator = find_verilator()
    command = [str(verilator.command), "-E", "-P", "--quiet"]
    command += [f"-I{path}" for path in include]
    command += [f"-D{name}={value}" for name, value in defines.items()]
    try:
        made = subprocess.run(
            [*command, *map(str, files)],
            env=verilator.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"verilator: does not answer ({error})") from error
    if made.returncode or not made.stdout.strip():
        reasons = [line for line in made.stderr.splitlines() if line.startswith("%Error")]
        raise RequestError(f"rtl: cannot be read: {' | '.join(reasons[:3]) or made.stderr.strip()}")
    lines = (line.rstrip() for line in made.stdout.splitlines())
    return "\n".join(line for line in lines if line and not _SAYS_NOTHING.match(line)) + "\n"


def _refuse_loops(top: str, said: str) -> None:
    """Raise RequestError for combinational loops and nets with several drivers, by what Yosys' `check` said."""
    if found := re.search(r"^Warning: (found logic loop.*(?:\n    .*)*)", said, re.MULTILINE):
        raise RequestError(f"rtl: {top}: has a combinational loop: {' '.join(found[1].split())}")
    if found := re.search(r"^Warning: (multiple conflicting drivers for .*)", said, re.MULTILINE):
        raise RequestError(f"rtl: {top}: {found[1]}")


def _refuse_stores(flat: Module, of_gates: Set[str]) -> None:
    """Raise RequestError for latches, but for those of clock gates, and for flip-flops that no library has."""
    for cell in flat.cells.values():
        if cell.type in _STORING and cell.name not in of_gates:
            where = str(cell.attributes.get("src", "")).split("|", maxsplit=1)[0]
            raise RequestError(
                f"rtl: {flat.name}: {flat.label(cell.pins['Q'][0])} is {_STORING[cell.type]}"
                f"{f' ({where})' if where else ''}: an incomplete case or if is the usual reason"
            )


def _refuse_clocks(flat: Module, clock: str, gated: Set[int]) -> None:
    """Raise RequestError for a register that has another clock than the rising edge of `clock`, or of a gate of it."""
    try:
        drivers = flat.drivers()
    except CheckError as error:
        raise RequestError(f"rtl: {error}") from error
    for cell in flat.cells.values():
        if cell.type not in _CLOCKED:
            continue
        net, register = cell.pins["CLK"][0], flat.label(cell.pins["Q"][0])
        if net <= ONE:
            raise RequestError(f"rtl: {flat.name}: the clock of register {register} is constant")
        if cell.pins["CLK"] != flat.ports[clock].nets and net not in gated:
            other = flat.label(net, drivers.get(net))
            raise RequestError(f"rtl: {flat.name}: register {register} has the clock {other}, not {clock}")
        if not cell.number("CLK_POLARITY"):
            raise RequestError(f"rtl: {flat.name}: register {register} has the falling edge of {clock}")


def check_port(ports: Mapping[str, ModulePort], name: str, direction: PortDirection, where: str) -> ModulePort:
    """The port of that name. Raises RequestError if there is none, or it goes the other way."""
    if name not in ports:
        raise RequestError(f"{where}: there is no port {name}; the ports are {', '.join(ports)}")
    if ports[name].direction != direction:
        raise RequestError(f"{where}: port {name} is an {ports[name].direction}, not an {direction}")
    return ports[name]

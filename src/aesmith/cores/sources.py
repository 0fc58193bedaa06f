"""The SystemVerilog that cores are made of, under a build's own names.

In the package every module is called `aesmith_<what>`. In a build the top module has the build's name and every other
module is `<name>_<what>`, so that any two builds fit in one chip. That renaming, on tokens, is all that happens to a
packaged file: what a build sets, it sets by parameters where modules are instantiated, first of all in its top module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import takewhile

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.systemverilog import systemverilog
from aesmith.cores.design import CoreDesign, Design, Direction, SourceFile
from aesmith.cores.ports import (
    CLEAR,
    KEYWORDS,
    SCAN_ENABLE_PORT,
    SIZE_CODES,
    Channel,
    Line,
    Meaning,
    Payload,
    PortDirection,
    Ports,
    Reset,
    block_interface,
)
from aesmith.cores.wrapper import attach, bit_ranges, wrapper
from aesmith.errors import RequestError

PREFIX = "aesmith_"

RTL: Traversable = resources.files("aesmith") / "rtl"
"""The folder of the SystemVerilog that comes with aesmith; a family may bring a folder of its own."""

NOTHING_TO_OPEN = "scan_enable: must be false without clock gates, not true: there is nothing that it opens"

_EVERY_PORT = block_interface(SIZE_CODES, tuple(Direction))
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<other>   "(?:\\.|[^"\\])*"                   # a string
                 | \\\S+                               # an escaped identifier
                 | [`$]\w+                             # a directive or a system task
                 | (?:\d[\d_]*\s*)?'[sS]?[bodhBODH]\s*[\w?]+ | \d\w* )
    | (?P<word>    [A-Za-z_][\w$]* )
    | (?P<mark>    [();] )
    """,
    re.VERBOSE | re.DOTALL,
)


def check_name(name: str) -> str:
    """The name itself if it can be a module name; else raises RequestError."""
    if not _NAME.fullmatch(name) or name.startswith(PREFIX):
        raise RequestError(
            f"name: must be letters, digits and _, begin with a letter and not with {PREFIX}, not {name!r}"
        )
    if name in KEYWORDS:
        raise RequestError(f"name: must not be a reserved word of SystemVerilog, as {name} is")
    return name


def packaged_modules(folder: Traversable = RTL) -> Mapping[str, Traversable]:
    """The files `aesmith_<module>.sv` in a folder and in the folders in it, by module."""
    found: dict[str, Traversable] = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found |= packaged_modules(entry)
        elif entry.name.startswith(PREFIX) and entry.name.endswith(".sv"):
            found[entry.name.removeprefix(PREFIX).removesuffix(".sv")] = entry
    return found


@cache
def _own_modules() -> Mapping[str, Traversable]:
    """Those that come with this package, which are looked for once."""
    return packaged_modules()


def packaged_rtl(module: str, folder: Traversable = RTL) -> str:
    """The text of `aesmith_<module>.sv` as it stands in the folder. Raises RequestError if it is not there."""
    file = (_own_modules() if folder == RTL else packaged_modules(folder)).get(module)
    if file is None:
        raise RequestError(f"module: there is no {PREFIX}{module}.sv in {folder}")
    return file.read_text(encoding="utf-8")


def identifiers(text: str) -> frozenset[str]:
    """The names and reserved words in a text of SystemVerilog, without those in comments."""
    return frozenset(word for match in _TOKEN.finditer(text) if (word := match["word"]))


def module_names(text: str) -> frozenset[str]:
    """The names of modules in a packaged file: what it defines and what it instantiates.

    By the package's convention these are all identifiers with its prefix.
    """
    return frozenset(word for word in identifiers(text) if word.startswith(PREFIX))


def renamed(text: str, names: Mapping[str, str], in_comments: Mapping[str, str] | None = None) -> str:
    """SystemVerilog with identifiers replaced, in comments too, by `in_comments` where it is given; strings and escaped
    identifiers stay."""
    prose = names if in_comments is None else in_comments

    def token(match: re.Match[str]) -> str:
        if match["comment"]:
            return re.sub(r"(?<![\w$])[A-Za-z_][\w$]*", lambda word: prose.get(word[0], word[0]), match[0])
        return names.get(match[0], match[0])

    return _TOKEN.sub(token, text)


def with_quiet_output(design: CoreDesign) -> CoreDesign:
    """The design with the payloads of its output channels 0 while nothing is offered: an AND gate for each bit.

    Gates and nets are added to the text of its top module. Raises RequestError for a design whose sources do not have
    it, and for one that already has nets of their names.
    """
    quiet = tuple(
        replace(channel, quiet=True) if channel.valid and channel.direction is PortDirection.OUTPUT else channel
        for channel in design.ports.channels
    )
    top, nets, gates = _Top.of(design), [], []
    body = top.body
    for channel in quiet:
        if not channel.quiet or channel in design.ports.channels:
            continue
        assert channel.valid is not None
        offered = channel.valid.port if channel.valid.active else f"!{channel.valid.port}"
        for payload in channel.payloads:
            net = f"bare_{payload.port.removesuffix('_o')}"
            if re.search(rf"\b{net}\b", body):
                raise RequestError(f"output: {design.top} already has a net {net}")
            body = _moved(body, payload.port, net)
            nets.append(f"  logic {bit_ranges(design.ports.port(payload.port))}{net};")
            gates.append(f"  assign {payload.port} = {{{payload.bits}{{{offered}}}}} & {net};")
    if not gates:
        return design
    quietened = replace(design, ports=replace(design.ports, channels=quiet))
    return replace(top, body=body).with_gates(quietened, nets, gates)


def with_output_register(design: CoreDesign) -> CoreDesign:
    """The design with a register behind each output channel that has a handshake: its payloads, and whether they are
    offered. Results come a clock later, and as often as before.

    Nets and an instance a channel are added to the text of its top module; `latency_cycles` is left to who describes
    the design. Raises RequestError for a design without clock or reset, and for nets of the names that are added.
    """
    clock, reset = design.ports.clock, design.ports.reset
    if clock is None or reset is None:
        raise RequestError("output: a design without clock and reset has no register at its output")
    top, nets, instances = _Top.of(design), [], []
    body = top.body
    for channel in design.ports.channels:
        valid, ready = channel.valid, channel.ready
        if channel.direction is PortDirection.INPUT or valid is None or ready is None:
            continue
        payloads = [payload.port for payload in channel.payloads]
        inner = {port: "inner_" + re.sub("_[io]$", "", port) for port in (valid.port, ready.port, *payloads)}
        for port, net in inner.items():
            if re.search(rf"\b{net}\b", body):
                raise RequestError(f"output: {design.top} already has a net {net}")
            body = _moved(body, port, net)
            nets.append(f"  logic {bit_ranges(design.ports.port(port))}{net};")
        width = sum(payload.bits for payload in channel.payloads)
        signals: dict[str, str | Line] = {
            "clock": clock,
            "reset": reset,
            "result.valid": Line(inner[valid.port], valid.active),
            "result.ready": Line(inner[ready.port], ready.active),
            "result.data_i": _joined([inner[port] for port in payloads]),
            "kept.valid": valid,
            "kept.ready": ready,
            "kept.data_o": _joined(payloads),
        }
        register, name = f"{design.name}_{_REGISTER}", f"u_{channel.name}_register"
        parameters = {"Width": width}
        instances.append(attach(register, _register_ports(width), signals, instance=name, parameters=parameters))
    registered = replace(top, body=body).with_gates(design, nets, instances)
    sources = list(registered.sources)
    sources[top.number : top.number] = packaged_sources(design.name, (_REGISTER,))
    return replace(registered, sources=tuple(sources))


_REGISTER = "output_register"


def _register_ports(width: int) -> Ports:
    """The ports of `aesmith_output_register`."""

    def channel(name: str, direction: PortDirection, end: str, other: str) -> Channel:
        payload = Payload(f"data_{end}", width, Meaning.VALUE)
        return Channel(name, direction, (payload,), Line(f"valid_{end}"), Line(f"ready_{other}"))

    ends = (channel("result", PortDirection.INPUT, "i", "o"), channel("kept", PortDirection.OUTPUT, "o", "i"))
    return Ports("clk_i", Reset("rst_ni"), ends)


def _joined(signals: Sequence[str]) -> str:
    """Signals side by side, the first in the highest bits."""
    return signals[0] if len(signals) == 1 else f"{{{', '.join(signals)}}}"


_PORTS = re.compile(r"^([ ]*input\s+logic\s+)clk_i,\n(?:[ ]*input\s+logic\s+rst_ni,\n)?", re.MULTILINE)
_PINS = re.compile(r"(\s*)\.clk_i(?:\s*\([^()]*\))?,(?:\s*\.rst_ni(?:\s*\([^()]*\))?,)?")
_SWITCHED = re.compile(r"^\s*parameter bit ClockGates\b", re.MULTILINE)
_ENABLE = re.compile(r"\.enable_i(?:\s*\(([^()]*)\))?")
_CLOCKED = re.compile(r"^([ ]*)always_ff @\(posedge [\w\[\]]+( or negedge rst_ni)?\)\s*", re.MULTILINE)
_INDEX = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_ASSIGNED = re.compile(rf"(?:^|\)|\belse|\bbegin)\s*([A-Za-z_]\w*(?:{_INDEX})*)\s+<=\s", re.MULTILINE)
_JOINED = re.compile(r"(?:^|\)|\belse|\bbegin)\s*\{([^{};]*)\}\s+<=\s", re.MULTILINE)
"""Several that are assigned together, in braces."""
_LOOP = re.compile(r"\b(?:foreach|while|do|repeat|forever|for(?!\s*\(\s*int\b))\b")
_COUNTER = re.compile(r"\bfor\s*\(\s*int\s+(?:unsigned\s+)?(\w+)")
_FIXED = re.compile(r"\b(?:[A-Z]\w*|\d\w*)\b")
"""In an index: a parameter, or a number."""
_BEGINS, _ENDS = ("begin", "case", "casex", "casez"), ("end", "endcase")
_GAP = r"(?:\s|//[^\n]*|/\*.*?\*/)*"
_ELSE = re.compile(rf"{_GAP}(?::\s*\w+{_GAP})?else\b", re.DOTALL)
_RESET = re.compile(r"if \(!rst_ni\) (begin\b.*?\n[ ]*end|[^;]*;)(\s+)else\b", re.DOTALL)


def cleared_sources(sources: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The sources with a `clear_i` that takes every register to its value after reset, or to 0 if reset leaves it
    alone.

    It is the port behind clock and reset of each module that has registers, or instances of one that has. Gates of
    clocks are open to it. Raises RequestError for text that is not written as the packaged modules are: one module a
    file, clocked by `clk_i`, reset by `rst_ni`. Registers are looked for in text, and one that is written otherwise may
    be missed: who delivers such sources has each looked at.
    """
    texts, used, gates = _modules("clear", sources)
    clocked = {name for name, text in texts.items() if "always_ff" in text or used[name] & gates}
    cleared = _with_those_above(clocked, used)
    return _with_texts(sources, {name: _cleared(name, texts[name], gates, cleared) for name in cleared})


def scannable_sources(sources: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The sources with a `scan_enable_i` that opens every clock gate, whatever its enable.

    It is the port behind clock and reset of each clock gate's module, and of each that has instances of one. Raises
    RequestError for sources without a clock gate, and for text that is not written as the packaged modules are.
    """
    texts, used, gates = _modules("scan_enable", sources)
    if not gates:
        raise RequestError(NOTHING_TO_OPEN)
    reached = _with_those_above(gates, used)
    return _with_texts(sources, {name: _scannable(name, texts[name], gates, reached) for name in reached})


def _modules(field: str, sources: Sequence[SourceFile]) -> tuple[dict[str, str], dict[str, set[str]], set[str]]:
    """The text of each module, the modules that it has instances of, and which modules are clock gates. Raises
    RequestError, for the `field`, unless each file has one module."""
    texts: dict[str, str] = {}
    for source in sources:
        names = re.findall(r"^module\s+(\w+)", source.text, re.MULTILINE)
        if len(names) != 1:
            raise RequestError(f"{field}: {source.name} must have one module, not {len(names)}")
        texts[names[0]] = source.text
    used = {name: _instantiated(text, texts) for name, text in texts.items()}
    return texts, used, {name for name, text in texts.items() if "always_latch" in text}


def _with_those_above(modules: Iterable[str], used: Mapping[str, Set[str]]) -> set[str]:
    """These modules, and all that have instances of them, or of such a module."""
    found = set(modules)
    while above := {name for name in used if used[name] & found} - found:
        found |= above
    return found


def _with_texts(sources: Sequence[SourceFile], texts: Mapping[str, str]) -> tuple[SourceFile, ...]:
    """The sources with these texts of modules, each in a file of its own."""

    def text(source: SourceFile) -> str:
        [name] = re.findall(r"^module\s+(\w+)", source.text, re.MULTILINE)
        return texts.get(name, source.text)

    return tuple(replace(source, text=text(source)) for source in sources)


def _with_port(field: str, name: str, text: str, port: str) -> str:
    """A module's text with an input behind clock and reset. Raises RequestError if there is no clock."""
    text, ports = _PORTS.subn(rf"\g<0>\1{port},\n", text, count=1)
    if not ports:
        raise RequestError(f"{field}: {name} must have a port clk_i, next to which {port} goes")
    return text


def _scannable(name: str, text: str, gates: Set[str], reached: Set[str]) -> str:
    """A module's text with `scan_enable_i` at its port, at its instances, and at its latch if it is a clock gate."""
    text = _with_port("scan_enable", name, text, SCAN_ENABLE_PORT)
    if name in gates:
        text, latches = re.subn(r"(=\s*)enable_i;", rf"\1enable_i | {SCAN_ENABLE_PORT};", text)
        if latches != 1:
            raise RequestError(f"scan_enable: {name} must have a latch that follows enable_i, as a clock gate has")
        return text

    def instance(match: re.Match[str]) -> str:
        pins, clocks = _PINS.subn(rf"\g<0>\1.{SCAN_ENABLE_PORT},", match[0], count=1)
        if not clocks:
            raise RequestError(f"scan_enable: {name} must connect clk_i of {match[1]}, and other ports after it")
        return pins

    text = _instances(reached - {name}).sub(instance, text)
    if _instantiated(text, gates) and _SWITCHED.search(text):
        # Where a parameter leaves the gate out nothing reads it.
        body, end, rest = text.rpartition("endmodule")
        unused = f"  logic unused_scan_enable;\n  assign unused_scan_enable = {SCAN_ENABLE_PORT};\n"
        text = f"{body}{unused}{end}{rest}"
    return text


def _instances(modules: Iterable[str]) -> re.Pattern[str]:
    """Instances of these modules, from the name up to the semicolon."""
    return re.compile(rf"\b({'|'.join(sorted(modules))})\s+(?:#\s*\(|\w+\s*\()[^;]*;")


def _instantiated(text: str, modules: Iterable[str]) -> set[str]:
    return {match[1] for match in _instances(modules).finditer(text)}


def _cleared(name: str, text: str, gates: Set[str], cleared: Set[str]) -> str:
    """A module's text with `clear_i` at its port, at its registers, and at its instances."""
    text = _with_port("clear", name, text, "clear_i")

    def instance(match: re.Match[str]) -> str:
        if match[1] in gates:
            return _ENABLE.sub(lambda pin: f".enable_i(({pin[1] or 'enable_i'}) | clear_i)", match[0])
        return _PINS.sub(r"\g<0>\1.clear_i,", match[0])

    text = _instances(gates | cleared).sub(instance, text)
    genvars = {*re.findall(r"\bgenvar\s+(\w+)", text)}
    pieces, end = [], 0
    for match in _CLOCKED.finditer(text):
        start, stop = match.end(), end_of_statement(text, match.end())
        statement = text[start:stop]
        still = genvars - {*_COUNTER.findall(statement)}
        registers = dict.fromkeys(_whole(register, still, text) for register in _assigned(statement))
        clears = _reset_too(name, statement) if match[2] else _zeroed(name, statement, match[1], registers)
        pieces += [text[end:start], clears]
        end = stop
    return "".join((*pieces, text[end:]))


def _assigned(statement: str) -> list[str]:
    """What a clocked statement assigns, by itself or joined with others in braces."""
    joined = (part.strip() for names in _JOINED.findall(statement) for part in names.split(","))
    return [*_ASSIGNED.findall(statement), *joined]


def _whole(register: str, still: Set[str], text: str) -> str:
    """What a clear is to wipe where this is assigned: it up to the first index that chooses in time, by a signal or in
    the turns of a loop, so by none of the names `still`. Of an unpacked array, which takes no 0, what is assigned."""
    name, indices = register.partition("[")[0], re.findall(_INDEX, register)
    if re.search(rf"\b{name} \[", text):
        return register
    return name + "".join(takewhile(lambda index: {*re.findall(r"\w+", _FIXED.sub("", index))} <= still, indices))


def end_of_statement(text: str, start: int) -> int:
    """Where the SystemVerilog statement that begins at `start` ends: at its semicolon, or after the `end` of its block,
    with what `else` adds; at the end of the text if it has no end."""
    blocks = brackets = 0
    for match in _TOKEN.finditer(text, start):
        brackets += (match["mark"] == "(") - (match["mark"] == ")")
        blocks += (match["word"] in _BEGINS) - (match["word"] in _ENDS)
        ends = match["mark"] == ";" or match["word"] in _ENDS
        if ends and blocks <= 0 and brackets <= 0 and not _ELSE.match(text, match.end()):
            return match.end()
    return len(text)


def _reset_too(name: str, statement: str) -> str:
    """A clocked statement with reset that does for `clear_i` what it does for reset."""
    text, found = _RESET.subn(r"if (!rst_ni) \1\2else if (clear_i) \1\2else", statement, count=1)
    if not found:
        raise RequestError(f"clear: a register of {name} is not reset as `if (!rst_ni) … else …`")
    return text


def _zeroed(name: str, statement: str, indent: str, registers: Iterable[str]) -> str:
    """A clocked statement without reset, with these registers, all that it assigns, taken to 0 by `clear_i`."""
    if found := _LOOP.search(statement):
        raise RequestError(f"clear: a register of {name} is assigned in a loop ({found[0]}); generate a block for each")
    whole = statement if statement.startswith("begin") else f"begin\n{indent}  {statement}\n{indent}end"
    zeroes = "".join(f"{indent}    {register} <= '0;\n" for register in registers)
    return f"{whole.removesuffix('end').rstrip()}\n{indent}  if (clear_i) begin\n{zeroes}{indent}  end\n{indent}end"


def with_clear(design: CoreDesign) -> CoreDesign:
    """The design with a `clear_i` that takes every register to its value after reset, or to 0 if reset leaves it alone.

    Said in the text of each module that has registers; gates of clocks are open to it. While it is 1 the top module
    neither offers nor takes anything. Raises RequestError for text that is not written as the packaged modules are:
    one module a file, clocked by `clk_i`, reset by `rst_ni`. Registers are looked for in text, and one that is written
    otherwise may be missed: who delivers the design has `aesmith.assurance.proof.prove.check_clear` look at each.
    """
    return _silent_while_cleared(replace(design, sources=cleared_sources(design.sources)))


def has_clock_gates(design: Design) -> bool:
    """Whether clock gates are among its modules."""
    return any("always_latch" in source.text for source in design.sources)


def with_scan_enable(design: CoreDesign) -> CoreDesign:
    """The design with a `scan_enable_i`, which opens every clock gate; at 0 it is as it was.

    Raises what `scannable_sources` does.
    """
    sources = scannable_sources(design.sources)
    ports = replace(design.ports, scan_enable=SCAN_ENABLE_PORT)
    # The core next to a generator of its fresh bits may have none of the gates.
    within = design.within
    if within is not None and _Top.of(replace(within, sources=sources)).head.count(SCAN_ENABLE_PORT):
        within = replace(within, ports=replace(within.ports, scan_enable=SCAN_ENABLE_PORT))
    return replace(design, sources=sources, ports=ports, within=within)


def _silent_while_cleared(design: CoreDesign) -> CoreDesign:
    """The design with all lines that it drives inactive while `clear_i` is 1."""
    top, nets, gates = _Top.of(design), [], []
    body = top.body
    for channel in design.ports.channels:
        line = channel.ready if channel.direction is PortDirection.INPUT else channel.valid
        if line is None:
            continue
        net = f"core_{line.port.removesuffix('_o')}"
        body = _moved(body, line.port, net)
        nets.append(f"  logic {net};")
        gates.append(f"  assign {line.port} = {net} {'& ~' if line.active else '| '}clear_i;")
        # What a quiet core gates by its own valid would go on showing a result that is no longer offered.
        for payload in channel.payloads if channel.quiet else ():
            net = f"core_{payload.port.removesuffix('_o')}"
            body = _moved(body, payload.port, net)
            nets.append(f"  logic {bit_ranges(design.ports.port(payload.port))}{net};")
            gates.append(f"  assign {payload.port} = {net} & {{{payload.bits}{{~clear_i}}}};")
    channels = (CLEAR, *design.ports.channels)
    cleared = replace(design, ports=replace(design.ports, channels=channels))
    return replace(top, body=body).with_gates(cleared, nets, gates)


@dataclass(frozen=True)
class _Top:
    """The text of a top module up to its ports and after them, and the number of its file among the sources."""

    head: str
    body: str
    number: int

    @classmethod
    def of(cls, design: CoreDesign) -> _Top:
        """A design's. Raises RequestError if its sources do not have it."""
        for number, source in enumerate(design.sources):
            if found := re.search(rf"^module\s+{design.top}\b.*?\)\s*;", source.text, re.MULTILINE | re.DOTALL):
                return cls(source.text[: found.end()], source.text[found.end() :], number)
        raise RequestError(f"{design.name}: its sources have no module {design.top}")

    def with_gates(self, design: CoreDesign, nets: Sequence[str], gates: Sequence[str]) -> CoreDesign:
        """The design with this top module, nets declared at its beginning and gates at its end."""
        body, end, rest = self.body.rpartition("endmodule")
        text = "\n".join((self.head, *nets, "", body.strip("\n"), *gates, end)) + rest
        sources = list(design.sources)
        sources[self.number] = replace(sources[self.number], text=text)
        return replace(design, sources=tuple(sources))


def _moved(body: str, port: str, net: str) -> str:
    """A module's text in which what stands at a port stands at a net; pins of other modules keep their names."""

    def token(match: re.Match[str]) -> str:
        if match[0] != port:
            return match[0]
        if not body[: match.start()].rstrip().endswith("."):
            return net
        return port if body[match.end() :].lstrip().startswith("(") else f"{port}({net})"

    return _TOKEN.sub(token, body)


def packaged_sources(
    name: str, modules: Sequence[str], roles: Mapping[str, str] | None = None, folder: Traversable = RTL
) -> tuple[SourceFile, ...]:
    """Modules of a folder under the build's names, in the order given.

    `roles` says which of them take the place of a module that others instantiate under a general name: with
    `{"liu2009_data_path": "data_path"}` that module becomes `<name>_data_path`.
    """
    roles = roles or {}
    texts = {module: packaged_rtl(module, folder) for module in modules}
    taken = {PREFIX + module: f"{name}_{role}" for module, role in roles.items()}
    names = {used: name + used[len(PREFIX) - 1 :] for text in texts.values() for used in module_names(text)} | taken
    return tuple(SourceFile(f"{names[PREFIX + module]}.sv", renamed(text, names)) for module, text in texts.items())


def leaf_source(name: str, module: str, circuit: Circuit, header: str) -> SourceFile:
    """An emitted leaf circuit as module `<name>_<module>`."""
    return SourceFile(f"{name}_{module}.sv", systemverilog(circuit, header, f"{name}_{module}"))


@dataclass(frozen=True)
class PackagedCore:
    """A packaged core as a build has it. In `parameters` a bool is a `parameter bit`, an int an `int unsigned`.
    `optional` are payloads of the block interface that the core has even where the build has not, and what they are
    tied to there."""

    module: str
    parameters: Mapping[str, int | bool]
    optional: Mapping[Meaning, str] = field(default_factory=dict)

    def top(self, name: str, ports: Ports, header: str) -> SourceFile:
        """The build's top module: its ports, and the core with the build's parameters, under `header`."""
        channels: list[Channel] = []
        tied: dict[str, str] = {}
        for channel in ports.channels:
            every = _EVERY_PORT.channel(channel.name).payloads if self.optional else ()
            lacking = [load for load in every if load.meaning in self.optional and not channel.find(load.meaning)]
            tied |= {f"{channel.name}.{load.meaning}": self.optional[load.meaning] for load in lacking}
            channels.append(replace(channel, payloads=(*channel.payloads, *lacking)))
        inner = replace(ports, channels=tuple(channels))
        text = wrapper(header, name, ports, f"{name}_{self.module}", inner, tied=tied, parameters=self.parameters)
        return SourceFile(f"{name}.sv", text)

"""The SystemVerilog that cores are made of, under a build's own names.

In the package every module is called `aesmith_<what>`. In a build the top module has the build's name and every other
module is `<name>_<what>`, so that any two builds fit in one chip. That renaming, on tokens, is all that happens to a
packaged file: what a build sets, it sets by parameters where modules are instantiated, first of all in its top module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from importlib.resources.abc import Traversable

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.systemverilog import systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import KEYWORDS, SIZE_CODES, Channel, Meaning, PortDirection, Ports, block_interface
from aesmith.cores.wrapper import bit_ranges, wrapper
from aesmith.errors import RequestError

PREFIX = "aesmith_"

RTL: Traversable = resources.files("aesmith") / "rtl"
"""The folder of the SystemVerilog that comes with aesmith; a family may bring a folder of its own."""

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


def packaged_rtl(module: str, folder: Traversable = RTL) -> str:
    """The text of `aesmith_<module>.sv` as it stands in the folder. Raises RequestError if it is not there."""
    file = packaged_modules(folder).get(module)
    if file is None:
        raise RequestError(f"module: there is no {PREFIX}{module}.sv in {folder}")
    return file.read_text(encoding="utf-8")


def module_names(text: str) -> frozenset[str]:
    """The names of modules in a packaged file: what it defines and what it instantiates.

    By the package's convention these are all identifiers with its prefix.
    """
    words = (match["word"] for match in _TOKEN.finditer(text))
    return frozenset(word for word in words if word and word.startswith(PREFIX))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """SystemVerilog with identifiers replaced, in comments too; strings and escaped identifiers stay."""

    def word(match: re.Match[str]) -> str:
        return names.get(match[0], match[0])

    def token(match: re.Match[str]) -> str:
        return re.sub(r"(?<![\w$])[A-Za-z_][\w$]*", word, match[0]) if match["comment"] else word(match)

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
    head, body, number = _split_top(design)
    nets, gates = [], []
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
    body, end, rest = body.rpartition("endmodule")
    text = "\n".join((head, *nets, "", body.strip("\n"), *gates, end)) + rest
    sources = list(design.sources)
    sources[number] = replace(sources[number], text=text)
    return replace(design, sources=tuple(sources), ports=replace(design.ports, channels=quiet))


def _split_top(design: CoreDesign) -> tuple[str, str, int]:
    """The top module's text up to its ports, the text after them, and the number of its file."""
    for number, source in enumerate(design.sources):
        if found := re.search(rf"^module\s+{design.top}\b.*?\)\s*;", source.text, re.MULTILINE | re.DOTALL):
            return source.text[: found.end()], source.text[found.end() :], number
    raise RequestError(f"{design.name}: its sources have no module {design.top}")


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
            every = _EVERY_PORT.channel(channel.name).payloads
            lacking = [load for load in every if load.meaning in self.optional and not channel.find(load.meaning)]
            tied |= {f"{channel.name}.{load.meaning}": self.optional[load.meaning] for load in lacking}
            channels.append(replace(channel, payloads=(*channel.payloads, *lacking)))
        inner = replace(ports, channels=tuple(channels))
        text = wrapper(header, name, ports, f"{name}_{self.module}", inner, tied=tied, parameters=self.parameters)
        return SourceFile(f"{name}.sv", text)

"""A third-party masked circuit: Verilog, and a TOML file that says what its inputs are.

clock = "clk"                        # left out of a circuit without registers
reset = "!rst_n"                     # ! means active low; may be left out
held = false                         # whether operands keep their shares from clock to clock
first = 0                            # the clock behind reset in which they first come; before, shares are 0
clocks = 0                           # how many behind reset are looked at; 0: until nothing new comes
random = ["r"]                       # fresh bits, new in each clock
public = ["tweak"]                   # any level, which everybody knows

[shares]                             # of each operand, share 0 first
a = ["a0", "a1"]                     # a port, some of its bits, or several of these, lowest bits first
b = ["b[7:0]", "b[15:8]"]

[results]                            # outputs, likewise; may be left out
c = ["c[0]", "c[1]"]

[constant]
enable = 1
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aesmith.assurance.probing.labelled import InputBit, Labels
from aesmith.assurance.proof.elaborate import CLOCK, RESET, elaborate
from aesmith.assurance.proof.mapped import read_mapped
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.scan import code_of
from aesmith.cores.design import SourceFile
from aesmith.cores.leaf import LeafDesign
from aesmith.cores.ports import PortDirection, Ports
from aesmith.errors import RequestError
from aesmith.flow.synthesis import unpack
from aesmith.flow.yosys import run_script
from aesmith.foreign.description import ForeignSource, fields_of
from aesmith.foreign.reading import check_port, read_sources
from aesmith.technology.library import Library
from aesmith.yosys_json import ModulePort, read_json

_PART = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[\s*(\d+)\s*(?::\s*(\d+)\s*)?\]\s*)?")
_TIMEOUT_S, _INSTANCE = 1800.0, "u_circuit"
Part = Annotated[str, Field(pattern=r"\S")]


class LabelsFile(BaseModel):
    """What the head of this module shows."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    clock: str | None = None
    reset: str | None = None
    held: bool = False
    first: int = Field(default=0, ge=0, le=4096)
    clocks: int = Field(default=0, ge=0, le=4096)
    random: list[Part] = Field(default_factory=list)
    public: list[Part] = Field(default_factory=list)
    shares: dict[str, list[Part | list[Part]]]
    results: dict[str, list[Part | list[Part]]] = Field(default_factory=dict)
    constant: dict[str, int] = Field(default_factory=dict)


def read_labels(path: Path) -> LabelsFile:
    """The labels in a TOML file.

    Raises RequestError for a file that cannot be read, and for a field that is unknown, missing or out of range.
    """
    try:
        return LabelsFile.model_validate(fields_of(path, "labels"))
    except ValidationError as error:
        lines = [f"labels {path}: {'.'.join(map(str, item['loc'][:2]))}: {item['msg']}" for item in error.errors()]
        raise RequestError("\n".join(dict.fromkeys(lines))) from error


def labelled_netlist(
    source: ForeignSource, file: LabelsFile, folder: Path, library: Library | None = None
) -> tuple[Netlist, Labels]:
    """The gates and registers of a circuit, and what its inputs are; the tools' files stay in `folder`, which is made.

    With a library the one file is a netlist of its cells, in which only what outputs depend on is left. Raises
    RequestError for sources that cannot be read and labels of ports that are not there, CheckError for what no circuit
    of one clock has, ToolError for a tool that is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if library is None:
        settings = source.settings
        read = read_sources(
            source.files,
            source.top,
            folder / "read",
            include=settings.include,
            defines=settings.defines,
            parameters=settings.parameters,
            language=settings.language,
            clock=file.clock,
        )
        if read.arrays:
            raise RequestError(f"rtl: port {next(iter(read.arrays))} is an unpacked array; labels are of vectors")
        text, ports = read.text, dict(read.ports)
    else:
        text, ports = _netlist_ports(source, library, folder)
    name = f"{source.top}_labelled"
    while re.search(rf"\b{name}\b", code_of(text)):
        name += "_"
    wrapped = _wrapper(name, source, file, ports)
    labels = _labels(file, {name: port for name, port in ports.items() if name not in _taken(file)})
    if library is None:
        sources = (SourceFile("foreign.v", text), SourceFile(f"{name}.v", wrapped))
        return _unwrapped(elaborate(_design(name, sources), folder / "sources", enum_ports=True), source.top), labels
    (folder / "netlist.v").write_text(f"{text}\n{wrapped}", encoding="utf-8")
    mapped = read_mapped(_design(name, ()), library, folder / "netlist.v", folder, _TIMEOUT_S)
    return _unwrapped(mapped, source.top), labels


def _design(name: str, sources: tuple[SourceFile, ...]) -> LeafDesign:
    """The wrapped circuit as what is elaborated."""
    return LeafDesign(name, sources, Ports(CLOCK, None, ()), 1, 1)


def _unwrapped(netlist: Netlist, name: str) -> Netlist:
    """The netlist with the names that registers have in the circuit itself."""
    registers = (replace(each, name=each.name.removeprefix(f"{_INSTANCE}.")) for each in netlist.registers)
    return replace(netlist, name=name, registers=tuple(registers))


def _netlist_ports(source: ForeignSource, library: Library, folder: Path) -> tuple[str, dict[str, ModulePort]]:
    """The text of a netlist of cells, and the ports of its top module."""
    if len(source.files) != 1:
        raise RequestError(f"rtl: a netlist of cells is one file, not {len(source.files)}")
    try:
        text = source.files[0].read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"rtl: {source.files[0]} cannot be read: {error}") from error
    (folder / "given.v").write_text(text, encoding="utf-8")
    library.check_netlist(text, f"rtl: {source.files[0]}")
    unpack(library, folder)
    cells = "read_liberty -lib -ignore_miss_func library.lib"
    run_script([cells, "read_verilog given.v", "proc", "write_json given.json"], folder / "given.log")
    modules = read_json(folder / "given.json").modules
    if source.top not in modules:
        raise RequestError(f"top: there is no module {source.top}; the file has {', '.join(modules)}")
    return text, dict(modules[source.top].ports)


def _active(line: str) -> tuple[str, bool]:
    """A port, and whether it means what it says while it is high."""
    return line.removeprefix("!").strip(), not line.startswith("!")


def _taken(file: LabelsFile) -> set[str]:
    """The ports of clock and reset."""
    return {_active(line)[0] for line in (file.clock, file.reset) if line is not None}


def _wrapper(name: str, source: ForeignSource, file: LabelsFile, ports: Mapping[str, ModulePort]) -> str:
    """A module of Verilog with the circuit in it, its clock and reset as all cores here have them."""
    pins = {port: port for port in ports if port not in _taken(file)}
    if both := pins.keys() & {CLOCK, RESET}:
        raise RequestError(f"labels: {min(both)} is the clock's or reset's name; say which it is, as clock or reset")
    declared = [f"{ports[port].direction} [{ports[port].width - 1}:0] {port}" for port in pins]
    for line, level in ((file.clock, CLOCK), (file.reset, RESET)):
        if line is not None:
            port, high = _active(line)
            if check_port(ports, port, PortDirection.INPUT, "labels").width != 1:
                raise RequestError(f"labels: {port} has {ports[port].width} bits; a clock or reset has one")
            pins[port] = f"~{level}" if high == (level == RESET) else level
    values = ", ".join(f".{key}({value})" for key, value in source.settings.parameters.items())
    connected = ", ".join(f".{pin}({signal})" for pin, signal in pins.items())
    head = ", ".join([f"input {CLOCK}", f"input {RESET}", *declared])
    inner = f"{source.top} {f'#({values}) ' if values else ''}{_INSTANCE} ({connected});"
    return f"module {name}({head});\n  {inner}\nendmodule\n"


def _labels(file: LabelsFile, ports: Mapping[str, ModulePort]) -> Labels:
    """What each bit is. Raises RequestError for ports and bits that are not there."""

    def bits(parts: str | Iterable[str], direction: PortDirection) -> tuple[InputBit, ...]:
        several = (parts,) if isinstance(parts, str) else parts
        return tuple(bit for part in several for bit in _bits(part, ports, direction))

    def shares(
        of: Mapping[str, Sequence[str | list[str]]], direction: PortDirection
    ) -> dict[str, tuple[tuple[InputBit, ...], ...]]:
        return {name: tuple(bits(share, direction) for share in given) for name, given in of.items()}

    constant = {
        bit: value >> place & 1
        for part, value in file.constant.items()
        for place, bit in enumerate(_constant(part, value, bits(part, PortDirection.INPUT)))
    }
    return Labels(
        shares(file.shares, PortDirection.INPUT),
        frozenset(_once(bits(file.random, PortDirection.INPUT))),
        shares(file.results, PortDirection.OUTPUT),
        constant,
        frozenset(_once(bits(file.public, PortDirection.INPUT))),
        file.held,
        file.first,
        file.clocks,
    )


def _bits(part: str, ports: Mapping[str, ModulePort], direction: PortDirection) -> list[InputBit]:
    """The bits that `name`, `name[3]` or `name[7:0]` says, the lowest first."""
    match = _PART.fullmatch(part)
    if match is None:
        raise RequestError(f"labels: {part!r} is no port, nor bits of one, as x, x[3] or x[7:0]")
    name, high, low = match[1], match[2], match[3]
    port = check_port(ports, name, direction, "labels")
    first, last = (0, port.width - 1) if high is None else (int(low or high), int(high))
    if last < first or last >= port.width:
        raise RequestError(f"labels: {part.strip()}: {name} has bits [{port.width - 1}:0]")
    return [(name, i) for i in range(first, last + 1)]


def _once(bits: Sequence[InputBit]) -> Sequence[InputBit]:
    """These bits. Raises RequestError if one is there twice."""
    if len(set(bits)) < len(bits):
        name, i = next(bit for place, bit in enumerate(bits) if bit in bits[:place])
        raise RequestError(f"labels: {name}[{i}] has two labels")
    return bits


def _constant(part: str, value: int, bits: Sequence[InputBit]) -> Sequence[InputBit]:
    """The bits that have this value. Raises RequestError if it has more."""
    if not 0 <= value < 1 << len(bits):
        raise RequestError(f"labels: constant: {part} has {len(bits)} bits, and cannot be {value}")
    return bits

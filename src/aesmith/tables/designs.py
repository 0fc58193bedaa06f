"""How rows become designs: cores by their presets, circuits bare or between registers, data paths without control.

The data path of a byte-serial core by itself is what Wang and Heys measure: no sequencer, no key store, no round
constants, and no clock enables, for the publication freezes registers by clock gates, which it counts with the control.
What is left out is an input, so the period is that of the data path.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.pipeline import StagedCircuit, pipeline
from aesmith.cores.design import CoreDesign, Design, SourceFile, hash_of
from aesmith.cores.leaf import bare, between_registers
from aesmith.cores.ports import Channel, Meaning, Payload, PortDirection, Ports
from aesmith.cores.specification import build_design, default_name, parse_specification, presets
from aesmith.cores.wrapper import wrapper
from aesmith.errors import RequestError
from aesmith.flow.yosys import run_script
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.scratch import work_folder
from aesmith.tables.model import Make
from aesmith.technology.cost import cost_model
from aesmith.technology.library import Library
from aesmith.yosys_json import read_json


@cache
def core(preset: str, **fields: str) -> Make:
    """A core by the name of its preset, with other values of some fields of its specification."""
    return lambda _library: core_of(preset, **fields)


def alone(name: str, circuit: Callable[[], Circuit]) -> Make:
    """A combinational circuit with nothing around it."""
    return lambda _library: bare(circuit(), name)


def registered(name: str, circuit: Callable[[], Circuit | StagedCircuit]) -> Make:
    """A circuit, in its stages if it has any, between registers."""
    return lambda _library: between_registers(circuit(), name)


def cut_for_library(name: str, circuit: Callable[[], Circuit], stages: int) -> Make:
    """A circuit between registers, cut into stages as short as they can be by the library's delays."""

    def make(library: Library) -> Design:
        return between_registers(pipeline(circuit(), stages=stages, model=cost_model(library)), name)

    return make


def catalogue(name: str, function: Function) -> Callable[[], Circuit]:
    """A circuit of the catalogue of S-boxes."""
    return lambda: sbox(name).circuit(function)


def published_cuts(name: str, function: Function) -> Callable[[], StagedCircuit]:
    """A circuit of the catalogue in its publication's own stages."""
    return lambda: sbox(name).staging(function)


_ALWAYS = re.compile(r"(\w*enable|advance|key_shift)_i")
"""Inputs that say whether registers take what is offered: here they always do."""


@dataclass(frozen=True)
class DataPath:
    """The data path of `core`, its registers never frozen."""

    core: CoreDesign

    @property
    def name(self) -> str:
        """Name of the core with what is measured of it."""
        return f"{self.core.name}_without_control"

    @property
    def top(self) -> str:
        """Name of the wrapper that ties the enables."""
        return self.name

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """The core's files up to its data path, and the wrapper."""
        return (*self._inner, self._wrapper())

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of the sources."""
        return hash_of(self.sources)

    @property
    def ports(self) -> Ports:
        """The data path's own, without the enables."""
        ports = _module_ports(self._inner, self._module)
        free = tuple(payload for payload in ports.payloads if not _ALWAYS.fullmatch(payload.port))
        inputs, outputs = ports.channels
        return Ports(
            ports.clock,
            None,
            (
                Channel(inputs.name, inputs.direction, tuple(port for port in inputs.payloads if port in free)),
                outputs,
            ),
        )

    @property
    def block_bits(self) -> int:
        """Bits of one block."""
        return self.core.block_bits

    @property
    def cycles_per_block(self) -> int:
        """As the core's."""
        return self.core.cycles_per_block

    @property
    def latency_cycles(self) -> int:
        """As the core's."""
        return self.core.latency_cycles

    @property
    def _inner(self) -> tuple[SourceFile, ...]:
        index = next(i for i, source in enumerate(self.core.sources) if source.name.endswith("_data_path.sv"))
        return tuple(self.core.sources[: index + 1])

    @property
    def _module(self) -> str:
        return self._inner[-1].name.removesuffix(".sv")

    def _wrapper(self) -> SourceFile:
        inner = _module_ports(self._inner, self._module)
        free = {port.role for port in self.ports}
        tied = {port.role: "'1" for port in inner if port.role not in free}
        stages = self.core.parameters.get("stages")
        parameters = {"SboxStages": int(str(stages))} if stages else {}
        header = f"The data path of {self.core.name}, its registers never frozen."
        text = wrapper(header, self.name, self.ports, self._module, inner, tied=tied, parameters=parameters)
        return SourceFile(f"{self.name}.sv", text)


@cache
def _module_ports(sources: tuple[SourceFile, ...], module: str) -> Ports:
    """The ports that a module of these sources has, as Yosys elaborates it: the clock, inputs, and outputs."""
    with work_folder("ports") as folder:
        for source in sources:
            (folder / source.name).write_text(source.text)
        files = " ".join(source.name for source in sources)
        commands = [f"read_slang --top {module} {files}", "write_json ports.json"]
        run_script(commands, folder / "ports.log")
        found = read_json(folder / "ports.json").module(module).ports

    def channel(name: str, direction: PortDirection) -> Channel:
        payloads = (
            Payload(port.name, port.width, Meaning.VALUE)
            for port in found.values()
            if port.direction == direction and port.name != "clk_i"
        )
        return Channel(name, direction, tuple(payloads))

    return Ports("clk_i", None, (channel("inputs", PortDirection.INPUT), channel("outputs", PortDirection.OUTPUT)))


def core_of(preset: str, sbox: str | None = None, **fields: str) -> CoreDesign:
    """The core of a preset as its publication has it, with another S-box of the catalogue if one is named, and with
    other values of some `fields` of its specification.

    Its output is bare if no field says otherwise: the publications gate nothing. Raises RequestError for an unknown
    preset or S-box.
    """
    if preset not in presets():
        raise RequestError(f"there is no core {preset}")
    changed = fields | ({"sbox": sbox} if sbox else {})
    specification = parse_specification({"preset": preset, "output": "bare"} | changed)
    return build_design(specification, default_name(preset), preset)


def without_control(preset: str, sbox: str | None = None) -> Make:
    """The data path of a byte-serial core by the name of its preset, with another S-box if one is named."""
    return lambda _library: DataPath(core_of(preset, sbox))

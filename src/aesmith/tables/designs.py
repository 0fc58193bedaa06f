"""How rows become designs: cores by their presets, circuits of the catalogue bare or between registers."""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.pipeline import StagedCircuit, pipeline
from aesmith.cores.design import Design
from aesmith.cores.leaf import bare, between_registers
from aesmith.cores.specification import build_design, default_name, presets
from aesmith.errors import RequestError
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.tables.model import Make
from aesmith.technology.cost import cost_model
from aesmith.technology.library import Library


def core(preset: str) -> Make:
    """A core by the name of its preset."""

    def make(_library: Library) -> Design:
        specifications = presets()
        if preset not in specifications:
            raise RequestError(f"there is no core {preset}")
        return build_design(specifications[preset], default_name(preset), preset)

    return make


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

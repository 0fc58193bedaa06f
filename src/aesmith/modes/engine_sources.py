"""The SystemVerilog of an engine: its cores, the modules of its mode, and a top; and what stands around that.

NAME                      cores, modules, top                           (`engine_top`)
NAME around NAME_wide     one of whole beats, converters of words       (`narrow_top`)
NAME around NAME_direct   one of whole beats, registers for beats       (`beats_top`)
NAME around NAME_inside   one whose registers are cleared, its streams  (`clear_top`)
NAME around NAME_engine   one of either kind, registers, a bus          (`bus_top`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from aesmith import __version__
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import Ports
from aesmith.cores.sources import cleared_sources, packaged_sources
from aesmith.modes.beats_top import BEAT_REGISTERS, beats_top
from aesmith.modes.bus_top import FIFO, FRONT, bus_top
from aesmith.modes.buses import bus_of
from aesmith.modes.clear_top import FRAME, clear_top
from aesmith.modes.engine_top import MemoryPlace, top_module
from aesmith.modes.narrow_top import CONVERTERS, narrow_top
from aesmith.modes.registers import front_parameters
from aesmith.modes.self_test import SELF_TEST, Tested, known_answers, self_test_parameters, self_test_rom


class Sourced(Tested, Protocol):
    """What of an engine its sources are made of; `behind_bus`, `cleared`, `wide` and `direct` are those inside it, or
    itself."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def ports(self) -> Ports: ...
    @property
    def plain_ports(self) -> Ports: ...
    @property
    def sources(self) -> Sequence[SourceFile]: ...
    @property
    def bus(self) -> str: ...
    @property
    def behind_bus(self) -> Sourced: ...
    @property
    def cleared(self) -> Sourced: ...
    @property
    def wide(self) -> Sourced: ...
    @property
    def direct(self) -> Sourced: ...
    @property
    def leaves(self) -> tuple[SourceFile, ...]: ...
    @property
    def modules(self) -> tuple[str, ...]: ...
    @property
    def roles(self) -> Mapping[str, str]: ...
    @property
    def module_parameters(self) -> Mapping[str, int]: ...
    @property
    def cores(self) -> int: ...
    @property
    def least_tag(self) -> int: ...
    @property
    def memory(self) -> MemoryPlace | None: ...


def engine_sources(engine: Sourced) -> tuple[SourceFile, ...]:
    """The files of an engine in compile order, its top last."""
    name, title, plain = engine.name, engine.title, engine.plain_ports
    if engine.bus:
        bus, behind = bus_of(engine.bus), engine.behind_bus
        how: dict[str, Any] = {"behind_ports": behind.ports, "front": front_parameters(behind, __version__)}
        before = [*packaged_sources(name, (bus.adapter, FRONT))]
        if engine.data_fifo:
            how["fifo"] = True
            before += packaged_sources(name, (FIFO,))
        if engine.self_test != "none":
            known = known_answers(behind)
            how["self_test"] = self_test_parameters(behind, known)
            before += [*packaged_sources(name, (SELF_TEST,)), self_test_rom(name, known)]
        top = bus_top(name, title=title, bus=bus, ports=engine.ports, behind=behind.name, **how)
        return (*behind.sources, *before, SourceFile(f"{name}.sv", top))
    inside, wide, direct = engine.cleared, engine.wide, engine.direct
    if inside is not engine:
        top = clear_top(name, title=title, ports=engine.ports, inside=inside.name, inside_ports=inside.ports)
        return (*inside.sources, *packaged_sources(name, (FRAME,)), SourceFile(f"{name}.sv", top))
    if wide is not engine:
        within, around = tuple(wide.sources), packaged_sources(name, CONVERTERS)
        top = narrow_top(name, title=title, ports=plain, wide=wide.name, wide_ports=wide.ports)
    elif direct is not engine:
        within, around = tuple(direct.sources), packaged_sources(name, BEAT_REGISTERS)
        top = beats_top(name, title=title, ports=plain, direct=direct.name, direct_ports=direct.ports)
    else:
        within = tuple(source for place in engine.core_places for source in place.core.sources)
        slots = ("key_slots",) if engine.key_slots > 1 else ()
        around = (*engine.leaves, *packaged_sources(name, (*slots, *engine.modules), engine.roles))
        top = top_module(
            name,
            title=title,
            ports=plain,
            module=f"{name}_{engine.modules[-1]}",
            parameters=engine.module_parameters,
            places=engine.core_places,
            cores=engine.cores,
            key_slots=engine.key_slots,
            memory=engine.memory,
            least_tag=engine.least_tag,
        )
    around = (*around, SourceFile(f"{name}.sv", top))
    return (*within, *(cleared_sources(around) if engine.clear else around))

"""What is asked for of a mode: the fields of its engines, and the engines of a mode as one object."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from operator import not_
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import BLOCK_BITS
from aesmith.cores.sources import NOTHING_TO_OPEN, has_clock_gates
from aesmith.errors import RequestError
from aesmith.modes.bus_top import WORD_BITS
from aesmith.modes.buses import BUSES
from aesmith.modes.engine import MOST_CORES, MOST_SLOTS, SHORTEST_TAG, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import BLOCK
from aesmith.modes.self_test import check_self_test


class EngineSpecification(BaseModel, ABC):
    """The fields of an engine of a mode, one class for each mode. A class gives `mode` its name as default."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    mode: str
    core: str | dict[str, Any] = Field(description="the core inside: a preset, or a table of a specification's fields")
    cores: int = Field(default=1, ge=1, le=MOST_CORES, description="cores that take blocks in turn")
    key_slots: int = Field(default=1, ge=1, le=MOST_SLOTS, description="keys that it keeps: a power of two")
    stream_bits: Literal[8, 16, 32, 64, 128, 256, 512, 1024] = Field(default=128, description="bits of its stream")
    min_tag: int = Field(
        default=SHORTEST_TAG,
        ge=SHORTEST_TAG,
        le=BLOCK,
        exclude_if=lambda size: bool(size == SHORTEST_TAG),
        description="bytes of the shortest tag that it takes; 12 is what NIST means to allow",
    )
    clear: bool = Field(default=False, description="a port clear_i that wipes all of keys and messages in one clock")
    scan_enable: bool = Field(
        default=False, exclude_if=not_, description="a port scan_enable_i that opens all clock gates for scan tests"
    )
    bus: str = Field(default="", description=f"registers on a bus in place of its streams: {', '.join(BUSES)}")
    alarm: bool = Field(default=False, description="ports alarm_i and debug_i that wipe all, too; needs bus and clear")
    data_fifo: bool = Field(default=False, description="room for a block between registers and engine; needs a bus")
    data_streams: bool = Field(
        default=False, description="AXI4-Stream of 32 bits in addition to the registers; needs a bus"
    )
    byte_order: Literal["little", "big"] = Field(
        default="little", description="where byte 0 of a word of registers is: bits 7:0, or 31:24"
    )
    sideload: bool = Field(default=False, description="a port for keys of a vault, and a lock; needs a bus")
    self_test: Literal["none", "on_reset", "on_request"] = Field(
        default="none", description="known answers of each mode through its registers, before anything is served"
    )

    @abstractmethod
    def _engine(self, name: str, core: CoreDesign, **how: Any) -> StreamEngine:
        """The engine around that core."""

    def engine(self, name: str, preset: str) -> StreamEngine:
        """The engine under a build's name; `preset` is how the user called it. Raises RequestError for values that no
        engine has."""
        given: dict[str, object] = {"preset": self.core} if isinstance(self.core, str) else self.core
        # Registers are words; a stream that nothing was said of is theirs.
        width = WORD_BITS if self.bus and self.stream_bits == BLOCK_BITS else self.stream_bits
        check_self_test(self.self_test, self.bus)
        how: dict[str, Any] = {"key_slots": self.key_slots, "stream_bits": width, "clear": self.clear}
        how |= {"scan_enable": self.scan_enable, "min_tag": self.min_tag}
        how |= {"bus": self.bus, "self_test": self.self_test, "alarm": self.alarm, "sideload": self.sideload}
        how |= {"data_streams": self.data_streams, "big_endian": self.byte_order == "big"}
        how["data_fifo"] = self.data_fifo
        for own in ("sideload", "data_streams", "data_fifo"):
            if getattr(self, own) and not self.bus:
                raise RequestError(f"{own}: must be false in an engine without a bus, not true")
        if self.byte_order == "big" and not self.bus:
            raise RequestError("byte_order: must be little in an engine without a bus, not big")
        if self.alarm and not (self.bus and self.clear):
            raise RequestError("alarm: must be false in an engine without a bus or without clear, not true")
        core = core_of(name, given | {"clear": True} if self.clear else given)
        engine = self._engine(name, core, preset=preset, fields=self.model_dump(), **how)
        if self.scan_enable and not any(has_clock_gates(place.core) for place in engine.core_places):
            raise RequestError(NOTHING_TO_OPEN)
        return engine


@dataclass(frozen=True)
class EngineFamily:
    """The engines of a mode, as one object; with `modes`, of these, of which the field `modes` names some."""

    title: str
    specification: type[EngineSpecification]
    presets: Mapping[str, EngineSpecification]
    modes: tuple[str, ...] = ()

    @property
    def mode(self) -> str:
        """Name of the mode."""
        return str(self.specification.model_fields["mode"].default)

    def fields_for(self, mode: str) -> Mapping[str, object] | None:
        """The fields that ask for an engine of one mode; None of a mode that there is none of."""
        if self.modes:
            return {"mode": self.mode, "modes": [mode]} if mode in self.modes else None
        return {"mode": mode} if mode == self.mode else None

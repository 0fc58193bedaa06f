"""What a TOML file says of a design of somebody else's: its files, its top, its clocks, and what each port does.

origin = "https://example.org/aes, commit 1a2b3c4"      # who made it, for tables and datasheets
rtl = ["src/rtl/aes_core.v", "src/rtl/aes_sbox.v"]      # Verilog or SystemVerilog, relative to this file
top = "aes_core"
include = ["src/rtl"]
defines = { TD = "1" }
parameters = { ROUNDS = 10 }
language = "verilog-2005"           # else SystemVerilog: in Verilog a port may be called `do`
key_bits = 128
directions = ["encrypt", "decrypt"]
latency_cycles = 12                 # from the clock of the start to that of the result, both counted
cycles_per_block = 11.05            # from start to start, back to back; may be a mean [latency_cycles]

[ports]
clock = "clk"
reset = "!reset_n"                  # ! means active low
ready = "ready"                     # high while a start is taken
decrypt = "!encdec"
tied = { keylen = 0 }               # other inputs, while the core is verified; measured, they are inputs

[ports.key]
data = "key"                        # or several ports, the one with byte 0 first
start = "init"                      # without it the key goes with each block
done = "ready"                      # or clocks = 11: from the start until the key serves

[ports.block]
data = "block"
start = "next"                      # a pulse of one clock, and the payloads stay until the result

[ports.result]
data = "result"
done = "result_valid"               # looked at from the clock after the start; or clocks = 21

A port narrower than its key, block or result takes or gives it in beats, a clock each: `beat_order` says which comes
first. Then there may be, beside or instead of a start, a line `valid` that is high in the clock of each beat and a line
`ready` that says that the core, or whoever reads the result, takes it. `start_beat` is where the start stands: 0 is the
clock of the first beat, 1 the one after, -1 the one before. A result with `done` goes on clock by clock after its first
beat; with `valid` each beat is told. All `clocks` are counted from that of the start or the first beat, the earlier
one, which is also where `latency_cycles` begins; it ends with the last beat of the result.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from aesmith.cores.ports import ByteOrder, Line
from aesmith.errors import RequestError

MARK = "rtl"
"""The field that tells a description of a foreign design from the specification of one of ours."""


@dataclass(frozen=True)
class RtlSettings:
    """How sources are read: folders of include files, macros, parameters of the top, and the language."""

    include: tuple[Path, ...] = ()
    defines: Mapping[str, str | int] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)
    language: Literal["systemverilog", "verilog-2005"] = "systemverilog"


@dataclass(frozen=True)
class ForeignSource:
    """A design of somebody else's as it is named without a description: its files, and what is known beside them.

    `ports` is a TOML file with what a description says; what stands here counts before what stands there. Paths are
    absolute.
    """

    files: tuple[Path, ...]
    top: str
    settings: RtlSettings = RtlSettings()
    cycles_per_block: float | None = None
    ports: Path | None = None


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DataPins(_Table):
    """One port, or several side by side: that with byte 0 first, whichever end of the port byte 0 is at.

    In beats, of narrow ports, byte 0 is in the first or in the last one.
    """

    data: str | list[str]
    byte_order: ByteOrder = Field(default=ByteOrder.FIRST_BYTE_HIGH, strict=False)
    beat_order: Literal["first beat first", "last beat first"] = "first beat first"
    valid: str | None = None
    ready: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The ports, that with byte 0 first."""
        return (self.data,) if isinstance(self.data, str) else tuple(self.data)

    @property
    def last_first(self) -> bool:
        """Whether the beat with the last bytes comes first."""
        return self.beat_order == "last beat first"


class InputPins(DataPins):
    """Where a key or a block goes in: see the head of this module for start and beats."""

    start: str | None = None
    start_beat: int = Field(default=0, ge=-64, le=64)


class KeyPins(InputPins):
    """Where the key goes in. Without a `start` or `valid` of its own it goes with each block, beat by beat.

    With `each_block` the core forgets it, so that it is sent anew before each block.
    """

    done: str | None = None
    clocks: int | None = Field(default=None, ge=1)
    each_block: bool = False

    @model_validator(mode="after")
    def _ends(self) -> KeyPins:
        if not self.sent and (self.done is not None or self.clocks is not None or self.each_block):
            raise ValueError("ports.key: done and clocks are of a key that has a start or a valid of its own")
        if self.sent and (self.done is None) == (self.clocks is None):
            raise ValueError("ports.key: must have either done or clocks, which tell when the key serves")
        return self

    @property
    def sent(self) -> bool:
        """Whether the key is sent by itself, not with each block."""
        return self.start is not None or self.valid is not None


class ResultPins(DataPins):
    """Where the result comes out: when `done` says so, or so many `clocks` after the start, or beat by `valid` beat."""

    done: str | None = None
    clocks: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _ends(self) -> ResultPins:
        if [self.done, self.clocks, self.valid].count(None) != 2:
            raise ValueError(
                "ports.result: must have either done or clocks, which tell when the result stands there, or valid"
            )
        return self


class PortMap(_Table):
    """What each port does. A line is named as it is, or with `!` before it where it is active low."""

    clock: str
    reset: str | None = None
    ready: str | None = None
    decrypt: str | None = None
    tied: dict[str, int] = Field(default_factory=dict)
    key: KeyPins
    block: InputPins
    result: ResultPins

    @model_validator(mode="after")
    def _starts(self) -> PortMap:
        if self.block.start is None and self.block.valid is None and self.result.clocks is None:
            raise ValueError(
                "ports.block: without a start the result must have clocks: it comes so many after the block"
            )
        return self

    @property
    def lines(self) -> dict[str, Line]:
        """The lines that are there, by what they do."""
        named = {
            "reset": self.reset,
            "ready": self.ready,
            "decrypt": self.decrypt,
            "key.start": self.key.start,
            "key.valid": self.key.valid,
            "key.ready": self.key.ready,
            "key.done": self.key.done,
            "block.start": self.block.start,
            "block.valid": self.block.valid,
            "block.ready": self.block.ready,
            "result.valid": self.result.valid,
            "result.ready": self.result.ready,
            "result.done": self.result.done,
        }
        return {what: line_of(text) for what, text in named.items() if text is not None}


class ForeignDescription(_Table):
    """A design of somebody else's; `folder` is where the relative paths begin. See the head of this module."""

    folder: Path = Path()
    origin: str = ""
    rtl: list[str] = Field(min_length=1)
    top: str
    include: list[str] = Field(default_factory=list)
    defines: dict[str, str | int] = Field(default_factory=dict)
    parameters: dict[str, int] = Field(default_factory=dict)
    language: Literal["systemverilog", "verilog-2005"] = "systemverilog"
    key_bits: Literal[128, 192, 256] = 128
    directions: list[Literal["encrypt", "decrypt"]] = Field(default=["encrypt"], min_length=1)
    latency_cycles: int = Field(ge=1)
    cycles_per_block: float | None = Field(default=None, gt=0, le=1e6)
    ports: PortMap

    @model_validator(mode="after")
    def _fits(self) -> ForeignDescription:
        both = len(set(self.directions)) > 1
        if both and self.ports.decrypt is None:
            raise ValueError("ports.decrypt: a core of both directions must have a port that chooses")
        if not both and self.ports.decrypt is not None:
            raise ValueError("ports.decrypt: a core of one direction has none; name the port under ports.tied")
        return self

    def renamed(self, names: Mapping[str, str]) -> ForeignDescription:
        """The same with other names of the top, of parameters and of ports: a `!` before a line stays."""

        def line(text: str | None) -> str | None:
            if text is None:
                return None
            bare = text.removeprefix("!")
            return text.removesuffix(bare) + names.get(bare, bare)

        def pins(ports: DataPins) -> dict[str, Any]:
            lines = {what: getattr(ports, what) for what in ("start", "done", "valid", "ready") if hasattr(ports, what)}
            payload = [names.get(name, name) for name in ports.names]
            return {"data": payload} | {what: line(text) for what, text in lines.items()}

        named = self.ports
        key, block, result = named.key, named.block, named.result
        ports = named.model_copy(
            update={
                "clock": names.get(named.clock, named.clock),
                "reset": line(named.reset),
                "ready": line(named.ready),
                "decrypt": line(named.decrypt),
                "tied": {names.get(name, name): value for name, value in named.tied.items()},
                "key": key.model_copy(update=pins(key)),
                "block": block.model_copy(update=pins(block)),
                "result": result.model_copy(update=pins(result)),
            }
        )
        parameters = {names.get(name, name): value for name, value in self.parameters.items()}
        return self.model_copy(update={"top": names.get(self.top, self.top), "parameters": parameters, "ports": ports})

    @property
    def clocks(self) -> float:
        """Clocks from block to block."""
        return self.latency_cycles if self.cycles_per_block is None else self.cycles_per_block

    @property
    def key_kept(self) -> bool:
        """Whether the core keeps its key; else it is given with each block, which saves the registers for it."""
        return self.ports.key.sent and not self.ports.key.each_block

    @property
    def files(self) -> tuple[Path, ...]:
        """The sources. Raises RequestError for a file that is not there, and for VHDL."""
        found = []
        for name in self.rtl:
            path = self.folder / name
            if path.suffix.lower() in (".vhd", ".vhdl"):
                raise RequestError(
                    f"rtl: {name} is VHDL, which is not read; `ghdl synth --out=verilog` translates it. Look at tables "
                    "in what comes out: constants written as strings have become wrong there"
                )
            if not path.is_file():
                raise RequestError(f"rtl: there is no file {path}")
            found.append(path.resolve())
        return tuple(found)


def line_of(text: str) -> Line:
    """`name`, or `!name` where it is active low."""
    return Line(text.removeprefix("!"), 0 if text.startswith("!") else 1)


def is_description(path: Path) -> bool:
    """Whether a TOML file describes a foreign design. One that cannot be read does not."""
    try:
        return MARK in tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False


def read_description(path: Path) -> ForeignDescription:
    """The description in a TOML file.

    Raises RequestError for a file that cannot be read, and for a field that is unknown, missing or out of range.
    """
    return parse_description(fields_of(path, "description"), path.parent, f"description {path}")


def fields_of(path: Path, what: str) -> dict[str, Any]:
    """The plain values in a TOML file. Raises RequestError, which begins with `what`, if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{what} {path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{what} {path}: is not TOML ({error})") from error


def parse_description(fields: Mapping[str, Any], folder: Path, where: str) -> ForeignDescription:
    """The description made of plain values; `where` begins every error message."""
    try:
        return ForeignDescription.model_validate({**fields, "folder": folder})
    except ValidationError as error:
        lines = []
        for item in error.errors():
            place = ".".join(map(str, item["loc"]))
            text = str(item["msg"]).removeprefix("Value error, ")
            given = "" if item["type"] in ("missing", "value_error") else f", not {item['input']!r}"
            lines.append(f"{where}: {place}: {text}{given}" if place else f"{where}: {text}")
        raise RequestError("\n".join(dict.fromkeys(lines))) from error

"""What a TOML file says of a third-party design: its files, its top, its clocks, and what each port does.

origin = "https://example.org/aes, commit 1a2b3c4"      # who made it, for tables and datasheets
rtl = ["src/rtl/aes_core.v", "src/rtl/aes_sbox.v"]      # Verilog or SystemVerilog, relative to this file
top = "aes_core"
include = ["src/rtl"]
defines = { TD = "1" }
parameters = { ROUNDS = 10 }
language = "verilog-2005"           # else SystemVerilog: in Verilog a port may be called `do`
key_bits = 128                      # or several, [128, 256]
directions = ["encrypt", "decrypt"]
latency_cycles = 12                 # from the clock of the start to that of the result, both counted
cycles_per_block = 11.05            # from start to start, back to back; may be a mean [latency_cycles]

[ports]
clock = "clk"
reset = "!reset_n"                  # ! means active low
ready = "ready"                     # high while a start is taken
decrypt = "!encdec"
tied = { keylen = 0 }               # other inputs, while the core is verified; measured, they are inputs

[ports.key_size]                    # where a port says with each key how long it is
port = "keylen"
values = { 128 = 0, 256 = 1 }

[ports.key]
data = "key"                        # or several ports, the one with byte 0 first
start = "init"                      # without it the key goes with each block
done = "ready"                      # or clocks = 11: from the start until the key serves

[ports.block]
data = "block"
start = "next"                      # a pulse of one clock, and the payloads stay until the result
held = false                        # true: the start stays, too, until the result is there

[ports.result]
data = "result"
done = "result_valid"               # looked at from the clock after the start; or clocks = 21

Clocks that differ are a table: `{ 128 = 54, 256 = 74 }`, `{ encrypt = 12, decrypt = 22 }`, or for each key size and
direction `{ "128 encrypt" = 12, ... }`. A shorter key stands at the end of the port where byte 0 is. A port that is an
unpacked array is one vector, its leftmost element highest.

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
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

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
    """A third-party design as it is named without a description: its files, and what is known beside them.

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
    held: bool = False

    @model_validator(mode="after")
    def _holds(self) -> InputPins:
        if self.held and (self.start is None or self.start_beat):
            raise ValueError("held: belongs to a start with the first beat; name it as start")
        return self


class KeyPins(InputPins):
    """Where the key goes in. Without a `start` or `valid` of its own it goes with each block, beat by beat.

    With `each_block` the core forgets it, so that it is sent anew before each block.
    """

    done: str | None = None
    clocks: int | None = Field(default=None, ge=1)
    each_block: bool = False

    @model_validator(mode="after")
    def _ends(self) -> KeyPins:
        if self.held:
            raise ValueError("ports.key: only the start of a block may be held")
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
                "ports.result: must have either done or clocks, which tell when the result is valid, or valid"
            )
        return self


class KeySizePins(_Table):
    """The port that says how long a key is, and what it carries for each size; it stands with the key and after."""

    port: str
    values: dict[str, int]


class PortMap(_Table):
    """What each port does. A line is named as it is, or with `!` before it where it is active low."""

    clock: str
    reset: str | None = None
    ready: str | None = None
    decrypt: str | None = None
    key_size: KeySizePins | None = None
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


def _kind(value: object) -> str:
    return "<several>" if isinstance(value, dict | list) else "<one>"


_ONE, _SEVERAL = Tag("<one>"), Tag("<several>")
_KeyBits = Literal[128, 192, 256]
_Clocks = Annotated[int, Field(ge=1)]
_MeanClocks = Annotated[float, Field(gt=0, le=1e6)]
KeySizes = Annotated[
    Annotated[_KeyBits, _ONE] | Annotated[list[_KeyBits], Field(min_length=1), _SEVERAL], Discriminator(_kind)
]
Clocks = Annotated[Annotated[_Clocks, _ONE] | Annotated[dict[str, _Clocks], _SEVERAL], Discriminator(_kind)]
MeanClocks = Annotated[Annotated[_MeanClocks, _ONE] | Annotated[dict[str, _MeanClocks], _SEVERAL], Discriminator(_kind)]


class ForeignDescription(_Table):
    """A third-party design; `folder` is where the relative paths begin. See the head of this module."""

    folder: Path = Path()
    origin: str = ""
    rtl: list[str] = Field(min_length=1)
    top: str
    include: list[str] = Field(default_factory=list)
    defines: dict[str, str | int] = Field(default_factory=dict)
    parameters: dict[str, int] = Field(default_factory=dict)
    language: Literal["systemverilog", "verilog-2005"] = "systemverilog"
    key_bits: KeySizes = 128
    directions: list[Literal["encrypt", "decrypt"]] = Field(default=["encrypt"], min_length=1)
    latency_cycles: Clocks
    cycles_per_block: MeanClocks | None = None
    ports: PortMap

    @model_validator(mode="after")
    def _fits(self) -> ForeignDescription:
        both = len(set(self.directions)) > 1
        if both and self.ports.decrypt is None:
            raise ValueError("ports.decrypt: a core of both directions must have a port that chooses")
        if not both and self.ports.decrypt is not None:
            raise ValueError("ports.decrypt: a core of one direction has none; name the port under ports.tied")
        size = self.ports.key_size
        if len(self.key_sizes) > 1:
            wanted = {str(bits) for bits in self.key_sizes}
            if size is None:
                raise ValueError("ports.key_size: a core with keys of several sizes must have a port that chooses")
            if size.values.keys() != wanted:
                raise ValueError(f"ports.key_size.values: must be for {', '.join(sorted(wanted))}, each once")
        elif size is not None:
            raise ValueError("ports.key_size: a core with keys of one size has none; name the port under ports.tied")
        for name in ("latency_cycles", "cycles_per_block"):
            stated = getattr(self, name)
            for key_bits, direction in self.choices if isinstance(stated, dict) else ():
                if len(_telling(stated, key_bits, direction)) != 1:
                    raise ValueError(
                        f"{name}: must say once what {direction}ion with a key of {key_bits} bits takes, in a table "
                        f'with {key_bits}, {direction} or "{key_bits} {direction}"'
                    )
            known = {name for choice in self.choices for name in _names_of(*choice)}
            if isinstance(stated, dict) and (unknown := stated.keys() - known):
                raise ValueError(f"{name}: {min(unknown)} is no key size and no direction of this core")
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
        key, block, result, size = named.key, named.block, named.result, named.key_size
        ports = named.model_copy(
            update={
                "clock": names.get(named.clock, named.clock),
                "reset": line(named.reset),
                "ready": line(named.ready),
                "decrypt": line(named.decrypt),
                "key_size": size and size.model_copy(update={"port": names.get(size.port, size.port)}),
                "tied": {names.get(name, name): value for name, value in named.tied.items()},
                "key": key.model_copy(update=pins(key)),
                "block": block.model_copy(update=pins(block)),
                "result": result.model_copy(update=pins(result)),
            }
        )
        parameters = {names.get(name, name): value for name, value in self.parameters.items()}
        return self.model_copy(update={"top": names.get(self.top, self.top), "parameters": parameters, "ports": ports})

    @property
    def key_sizes(self) -> tuple[int, ...]:
        """Bits of the keys, shortest first."""
        return tuple(sorted({self.key_bits} if isinstance(self.key_bits, int) else set(self.key_bits)))

    @property
    def choices(self) -> tuple[tuple[int, str], ...]:
        """Every key size with every direction."""
        return tuple((bits, direction) for bits in self.key_sizes for direction in dict.fromkeys(self.directions))

    def latency(self, key_bits: int, direction: str) -> int:
        """Clocks from a block to its result, both counted."""
        stated = self.latency_cycles
        return int(_telling(stated, key_bits, direction)[0]) if isinstance(stated, dict) else stated

    def clocks(self, key_bits: int, direction: str) -> float:
        """Clocks from block to block."""
        stated = self.cycles_per_block
        if stated is None:
            return self.latency(key_bits, direction)
        return _telling(stated, key_bits, direction)[0] if isinstance(stated, dict) else stated

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
                    f"rtl: {name} is VHDL, which is not read; `ghdl synth --out=verilog` translates it. Check tables "
                    "in its output: it has translated constants written as strings wrongly"
                )
            if not path.is_file():
                raise RequestError(f"rtl: there is no file {path}")
            found.append(path.resolve())
        return tuple(found)


def _names_of(key_bits: int, direction: str) -> tuple[str, ...]:
    """What a table of clocks may call a key size and a direction."""
    return str(key_bits), direction, f"{key_bits} {direction}"


def _telling(stated: Mapping[str, float], key_bits: int, direction: str) -> list[float]:
    """What a table of clocks says of a key size and a direction."""
    return [stated[name] for name in _names_of(key_bits, direction) if name in stated]


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
            place = ".".join(str(part) for part in item["loc"] if not str(part).startswith("<"))
            text = str(item["msg"]).removeprefix("Value error, ")
            given = "" if item["type"] in ("missing", "value_error") else f", not {item['input']!r}"
            lines.append(f"{where}: {place}: {text}{given}" if place else f"{where}: {text}")
        raise RequestError("\n".join(dict.fromkeys(lines))) from error

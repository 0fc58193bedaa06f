"""The top module of an engine: the engine's own module and its cores, wires only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import BLOCK_BITS, Channel, Line, Meaning, Payload, PortDirection, Ports
from aesmith.cores.sources import check_name
from aesmith.cores.specification import design_of
from aesmith.cores.wrapper import attach, declarations
from aesmith.errors import RequestError

_LINES = (
    *(("key_valid", "o"), ("key_ready", "i"), ("block_valid", "o"), ("block_ready", "i"), ("block", "o")),
    *(("result_valid", "i"), ("result_ready", "o"), ("result", "i")),
)
"""The engine's lines to cores, and their direction there."""


@dataclass(frozen=True)
class CorePlace:
    """A place for cores in an engine: what its lines begin with, the core, what of `key_i` is its key, and what says
    its size to a core of several; `own_keys` if the engine tells it other keys than that, at a line `NAME_key`.

    With `in_turn` there are `Cores` of it, which take blocks in turn, core i those of lane i mod `lanes`; with `turns`
    the engine tells them which way to compute, else a core that can decrypt encrypts.
    """

    name: str
    core: CoreDesign
    key: str = "key_i"
    key_size: str = "key_bits_i"
    in_turn: bool = False
    turns: bool = False
    lanes: int = 1
    own_keys: bool = False

    @property
    def _key(self) -> str:
        """The line of its key in the top."""
        return f"{self.name}_key" if self.own_keys else self.key

    @property
    def key_bits(self) -> int:
        """Bits of its key, of several sizes the longest."""
        return max(self.core.key_bits)

    @property
    def key_words(self) -> bool:
        """Whether its key goes to it in words."""
        return self.core.ports.payload(Meaning.KEY).width < self.key_bits

    @property
    def path(self) -> str:
        """The path to a core of it in the top module, `core` the number where there are several."""
        return "gen_core[core].u_core" if self.in_turn else f"gen_{self.name}.u_core"

    @property
    def _both(self) -> bool:
        return len(self.core.directions) > 1

    @property
    def _turn(self) -> str:
        return f"{self.name}_decrypt" if self._both else f"unused_{self.name}_decrypt"

    def pins(self) -> list[str]:
        """Of the engine's module."""
        pins = [f"    .{self.name}_{line}_{way}({self.name}_{line})" for line, way in _LINES]
        pins += [f"    .{self._key}_o({self._key})"] * self.own_keys
        return pins + [f"    .{self.name}_decrypt_o({self._turn})"] * self.turns

    def signals(self) -> list[str]:
        """What the top declares for it."""
        name, width = self.name, self.core.block_width
        several = "[Cores-1:0]" if self.in_turn else ""
        bits, words = f"{several} ".lstrip(), f"{several}[{width - 1}:0]"
        lines = [
            f"  logic {bits}{name}_key_valid, {name}_key_ready, {name}_block_valid, {name}_block_ready;",
            f"  logic {bits}{name}_result_valid, {name}_result_ready;",
        ]
        if self.lanes > 1:
            lines = [
                f"  logic [Cores-1:0] {name}_key_valid, {name}_key_ready, {name}_block_ready, {name}_result_valid;",
                f"  logic [Cores/{self.lanes}-1:0] {name}_block_valid, {name}_result_ready;",
            ]
        return [
            *lines,
            f"  logic {f'[{self.lanes - 1}:0]' * (self.lanes > 1)}[{width - 1}:0] {name}_block;",
            f"  logic {words} {name}_result;",
            *[f"  logic [{self.key_bits - 1}:0] {self._key};"] * self.own_keys,
            *[f"  logic {self._turn};"] * self.turns,
        ]

    def instances(self, engine: str) -> Iterator[str]:
        """The cores in an engine of that name."""
        name, index = self.name, "[core]" if self.in_turn else ""
        turn = index if self.lanes == 1 else f"[core / {self.lanes}]"
        at_core: dict[str, str | Line] = {
            "clock": "clk_i",
            "reset": Line("rst_ni", active=0),
            "key.valid": "word_valid" if self.key_words else f"{name}_key_valid{index}",
            "key.ready": "word_ready" if self.key_words else f"{name}_key_ready{index}",
            "key.key": "word" if self.key_words else self._key,
            "block.valid": f"{name}_block_valid{turn}",
            "block.ready": f"{name}_block_ready{index}",
            "block.block": f"{name}_block" + f"[core % {self.lanes}]" * (self.lanes > 1),
            "result.valid": f"{name}_result_valid{index}",
            "result.ready": f"{name}_result_ready{turn}",
            "result.result": f"{name}_result{index}",
        }
        if len(self.core.key_bits) > 1:
            at_core[f"key.{Meaning.KEY_SIZE}"] = self.key_size
        if self.core.ports.clearable:
            at_core["clear.clear"] = "clear_i"
        if self._both:
            at_core["block.direction"] = self._turn if self.turns else "1'b0"
        yield (
            "  for (genvar core = 0; core < Cores; core++) begin : gen_core"
            if self.in_turn
            else (f"  if (1) begin : gen_{name}")
        )
        if self.key_words:
            yield from self._in_words(engine, index)
        yield attach(self.core.top, self.core.ports, at_core)
        yield "  end"

    def _in_words(self, engine: str, index: str) -> Iterator[str]:
        """The core's key in words."""
        width = self.core.ports.payload(Meaning.KEY).width
        yield from (
            "    logic word_valid, word_ready;",
            f"    logic [{width - 1}:0] word;",
            f"    {engine}_key_words #(",
            f"      .KeyBits({self.key_bits}),",
            f"      .WordBits({width})",
            "    ) u_key (",
            "      .clk_i,",
            "      .rst_ni,",
            f"      .valid_i({self.name}_key_valid{index}),",
            f"      .ready_o({self.name}_key_ready{index}),",
            "      .key_i," if self._key == "key_i" else f"      .key_i({self._key}),",
            "      .valid_o(word_valid),",
            "      .ready_i(word_ready),",
            "      .word_o(word)",
            "    );",
        )


@dataclass(frozen=True)
class MemoryPlace:
    """The place for the memory of an engine, of 2^`address_bits` words of so many bits: a generic one in its top
    (`inside`), lines at ports of its top (`outside`), or nowhere (`none`). Inside it is an instance of a module with
    these `parameters` beside that of the address."""

    address_bits: int
    where: Literal["inside", "outside", "none"]
    bits: int = BLOCK_BITS
    module: str = "release_memory"
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def in_netlist(self) -> bool:
        """Whether there is none that a macro takes the place of: nothing, or flip-flops."""
        return self.where == "none" or (self.where == "inside" and not self.module.endswith("_memory"))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Ports of the top that are those of a memory outside."""
        bits = {"enable": 1, "write": 1, "address": self.address_bits, "data": self.bits}
        made = [
            Channel(f"memory {name}", PortDirection.OUTPUT, (Payload(f"memory_{name}_o", width, Meaning.VALUE),))
            for name, width in bits.items()
        ]
        read = Payload("memory_data_i", self.bits, Meaning.VALUE)
        return (*made, Channel("memory read", PortDirection.INPUT, (read,))) if self.where == "outside" else ()

    def pins(self) -> list[str]:
        """Of the engine's module."""
        names = ("enable_o", "write_o", "address_o", "data_o", "data_i")
        signals = {"data_i": "memory_read"}
        if self.where == "outside":
            return [f"    .memory_{name}" for name in names]
        return [f"    .memory_{name}({signals.get(name, f'memory_{name[:-2]}')})" for name in names]

    def signals(self) -> list[str]:
        """What the top declares for it."""
        if self.where == "outside":
            return []
        lines = [
            "  logic memory_enable, memory_write;",
            f"  logic [{self.address_bits - 1}:0] memory_address;",
            f"  logic [{self.bits - 1}:0] memory_data, memory_read;",
        ]
        if self.where == "none":
            unused = "{memory_enable, memory_write, memory_address, memory_data}"
            lines += ["  logic unused_memory;", "  assign memory_read = '0;", f"  assign unused_memory = ^{unused};"]
        return lines

    def instance(self, engine: str) -> list[str]:
        """The memory in an engine of that name."""
        if self.where != "inside":
            return []
        pins = {
            "clk_i": "",
            "enable_i": "(memory_enable)",
            "write_i": "(memory_write)",
            "address_i": "(memory_address)",
        }
        pins |= {"data_i": "(memory_data)", "data_o": "(memory_read)"}
        given = {"AddressBits": self.address_bits, **self.parameters}
        return [
            "",
            f"  {engine}_{self.module} #(",
            ",\n".join(f"    .{name}({value})" for name, value in given.items()),
            "  ) u_memory (",
            ",\n".join(f"    .{pin}{signal}" for pin, signal in pins.items()),
            "  );",
        ]


_SLOTTED = {
    "key_valid_i": "slot_key_valid",
    "key_ready_o": "slot_key_ready",
    "key_i": "slot_key",
    "key_bits_i": "slot_key_bits",
    "s_axis_cmd_tvalid": "slot_command_valid",
    "s_axis_cmd_tready": "slot_command_ready",
    "s_axis_cmd_tdata": "{s_axis_cmd_tdata[255:16], {8{slot_refused}}, s_axis_cmd_tdata[7:0]}",
}
"""What stands at the engine's ports where slots for keys are before it."""


_COMMAND = "s_axis_cmd_tdata"


def _least_tag(size: int) -> list[str]:
    """The signals of a tag that is asked for, and of what the engine is told."""
    short = f"{_COMMAND}[7:4] != 4'd0" + (f" & {_COMMAND}[7:4] < 4'd{size}" if size < BLOCK_BITS // 8 else "")
    return ["  logic [3:0] tag_bytes;", f"  assign tag_bytes = {short} ? 4'd1 : {_COMMAND}[7:4];"]


def _with_tag(command: str) -> str:
    """A command with those bytes of a tag."""
    high = f"{_COMMAND}[255:8]" if command == _COMMAND else command[1:-1].removesuffix(f", {_COMMAND}[7:0]")
    return f"{{{high}, tag_bytes, {_COMMAND}[3:0]}}"


def _key_slots(engine: str, ports: Ports, slots: int) -> list[str]:
    """The signals and the instance of so many slots for keys (aesmith_key_slots) in the top of an engine; a key that
    comes with its size is kept with it, as one word."""
    key_bits, size = ports.payload(Meaning.KEY).width, ports.channel("key").find(Meaning.KEY_SIZE)
    inward = ("clk_i", "rst_ni", "key_valid_i", "key_ready_o", "key_i", "key_slot_i")
    pins = {
        **dict.fromkeys((*inward, "s_axis_cmd_tvalid", "s_axis_cmd_tready"), ""),
        **({} if size is None else {"key_i": f"({{{size.port}, key_i}})"}),
        "slot_i": "(s_axis_cmd_tdata[15:8])",
        "key_valid_o": "(slot_key_valid)",
        "key_ready_i": "(slot_key_ready)",
        "key_o": "(slot_key)" if size is None else "({slot_key_bits, slot_key})",
        "command_valid_o": "(slot_command_valid)",
        "command_ready_i": "(slot_command_ready)",
        "refused_o": "(slot_refused)",
    }
    return [
        "  logic slot_key_valid, slot_key_ready, slot_command_valid, slot_command_ready, slot_refused;",
        f"  logic [{key_bits - 1}:0] slot_key;",
        *([] if size is None else [f"  logic [{size.width - 1}:0] slot_key_bits;"]),
        "",
        f"  {engine}_key_slots #(",
        f"    .KeyBits({key_bits + (0 if size is None else size.width)}),",
        f"    .Slots({slots})",
        "  ) u_key_slots (",
        ",\n".join(f"    .{pin}{signal}" for pin, signal in pins.items()),
        "  );",
    ]


def top_module(
    name: str,
    *,
    title: str,
    ports: Ports,
    module: str,
    parameters: Mapping[str, int],
    places: Sequence[CorePlace],
    cores: int,
    key_slots: int = 1,
    memory: MemoryPlace | None = None,
    least_tag: int = 0,
) -> str:
    """The module `name` with these ports: the engine `module` with its parameters, and cores, of the first place so
    many. Where there are several places, or keys of the engine's own, it sees the key, too. Several slots for keys
    stand before it, and the memory of an engine that has pins for one behind it. A command for a tag of less than
    `least_tag` bytes asks the engine for one of a byte, which it refuses."""
    moved, slots = ({}, []) if key_slots == 1 else (_SLOTTED, _key_slots(name, ports, key_slots))
    if key_slots > 1:
        sized = _SLOTTED["key_bits_i"]
        places = [replace(place, key=place.key.replace("key_i", _SLOTTED["key_i"]), key_size=sized) for place in places]
    aside = {f"key.{Meaning.SLOT}", f"key.{Meaning.KEY_SIZE}"}
    if least_tag:
        moved = {**moved, _COMMAND: _with_tag(moved.get(_COMMAND, _COMMAND))}
    sees_key = len(places) > 1 or places[0].own_keys
    seen = [port.name for port in ports if port.role not in aside and (port.name != "key_i" or sees_key)]
    pins = [f"    .{port}({moved[port]})" if port in moved else f"    .{port}" for port in seen]
    pins += [pin for place in places for pin in place.pins()]
    if memory is not None:
        pins = [pin for pin in pins if "memory_" not in pin] + memory.pins()
    given = ["    .Cores(Cores)", *(f"    .{parameter}({value})" for parameter, value in parameters.items())]
    lines = [
        f"// {title}.",
        f"module {name} (",
        declarations(ports),
        ");",
        f"  localparam int unsigned Cores = {cores};",
        "",
        *(line for place in places for line in place.signals()),
        *(memory.signals() if memory is not None else ()),
        *slots,
        *(_least_tag(least_tag) if least_tag else ()),
        "",
        f"  {module} #(",
        ",\n".join(given),
        "  ) u_engine (",
        ",\n".join(pins),
        "  );",
        *(line for place in places for line in ("", *place.instances(name))),
        *(memory.instance(name) if memory is not None else ()),
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def core_of(name: str, core: dict[str, object]) -> CoreDesign:
    """The core of a specification for the engine of that name; raises RequestError."""
    if core.get("scan_enable"):
        raise RequestError("core: scan_enable must be false: that of the engine reaches the gates of all its cores")
    called = core.get("preset", core.get("architecture"))
    return design_of(core, f"{check_name(name)}_aes", str(called))

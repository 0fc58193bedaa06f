"""The ports of a design as data: clock, reset, and channels with what each of their ports means.

Everything that touches a design from outside derives from this: test benches, wrappers, constraints, proofs, waveforms,
datasheets, manifests. A masked core, a stream engine and a third-party design differ in their data only; ports
are found by what they mean, never by name.

A *channel* is ports that act together: lines that say when, and payloads that say what. Its lines decide the handshake:

- valid and ready: AXI4-Stream's. A transfer happens at a clock edge at which both are active. Valid does not wait for
  ready, and with its payloads it stays until the transfer.
- valid alone: a strobe, such as the start or the end of foreign designs. Every clock in which it is active counts.
- neither: payloads that count in every clock, such as `clear_i`, or the operands of a circuit without registers.

What is longer than a channel is wide comes in several transfers (beats), its first byte first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from aesmith.errors import RequestError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pydantic
else:
    pydantic = LazyModule("pydantic")

BLOCK_BITS = 128
"""Bits of an AES block."""

SIZE_CODES = {128: 0, 192: 1, 256: 2}
"""What a payload that means KEY_SIZE carries for each key size."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


class PortDirection(StrEnum):
    """Which way a port goes, seen from the design; the values are the words of SystemVerilog."""

    INPUT = "input"
    OUTPUT = "output"


class PayloadKind(StrEnum):
    """What a payload may decide. Only CONTROL decides when and which way things happen."""

    DATA = "data"
    SHARE = "share"
    RANDOM = "random"
    CONTROL = "control"


class Meaning(StrEnum):
    """What a payload is."""

    KEY = "key"
    KEY_SIZE = "key size"
    SLOT = "slot"
    BLOCK = "block"
    RESULT = "result"
    DIRECTION = "direction"
    RANDOM = "random bits"
    SEED = "seed"
    CLEAR = "clear"
    CLEARED = "cleared"
    STREAM = "stream"
    KEEP = "keep"
    LAST = "last"
    USER = "user"
    COMMAND = "command"
    CODE = "code"
    VALUE = "value"


class ByteOrder(StrEnum):
    """Where byte 0 of a payload stands: in its most significant bits (FIPS-197), or in its least (AXI4-Stream).

    A shorter value in a wider payload (a key of 128 bits where 256 fit) stands at the end where byte 0 is; the rest
    is 0.
    """

    FIRST_BYTE_HIGH = "first byte high"
    FIRST_BYTE_LOW = "first byte low"


_MEANINGS = {
    Meaning.KEY_SIZE: "size of the key: 0, 1 or 2 = 128, 192 or 256 bits; sampled with it",
    Meaning.SLOT: "slot that the key is for; sampled with it",
    Meaning.DIRECTION: "1 = decrypt, 0 = encrypt; sampled with the block",
    Meaning.RANDOM: "fresh random bits, each used once",
    Meaning.SEED: "seed of the fresh bits: uniform, secret, used once",
    Meaning.CLEAR: "wipes key and state registers in one clock",
    Meaning.CLEARED: "1 after a clear, until a key, a command or a part of a message is offered",
    Meaning.STREAM: "bytes of the stream",
    Meaning.KEEP: "which bytes of the beat count",
    Meaning.LAST: "the beat is the last of its message",
    Meaning.USER: "what the bytes of the beat are",
    Meaning.COMMAND: "what a message is, before its first beat",
    Meaning.CODE: "why the last message that was refused was; 0 if none was",
}


@dataclass(frozen=True)
class Line:
    """A port of one bit that says something while it has the level `active`."""

    port: str
    active: int = 1


@dataclass(frozen=True)
class Reset(Line):
    """A reset: `synchronous` if it acts at clock edges only, else at once."""

    active: int = 0
    synchronous: bool = False


@dataclass(frozen=True)
class Payload:
    """A port of a channel that carries `width` bits, or so many in each of `shares` shares.

    With shares the port is `[shares-1:0][width-1:0]`; a value is the sum over GF(2) of its shares.
    """

    port: str
    width: int
    meaning: Meaning
    kind: PayloadKind = PayloadKind.DATA
    shares: int = 1
    about: str = ""
    """What it is in words, where its meaning does not say it."""

    @property
    def bits(self) -> int:
        """Bits of the port."""
        return self.width * self.shares

    @property
    def text(self) -> str:
        """What the port carries, in words."""
        text = self.about or _MEANINGS.get(self.meaning, str(self.meaning))
        shared = f", in {self.shares} shares of {self.width} bits, share 0 in the least significant"
        return f"{text}{shared if self.shares > 1 else ''}"


@dataclass(frozen=True)
class Channel:
    """Ports that act together: see the head of this module. `item` is what is transferred, in words.

    An output channel with a valid may be `quiet`: its payloads are 0 while valid is not active.
    """

    name: str
    direction: PortDirection
    payloads: tuple[Payload, ...]
    valid: Line | None = None
    ready: Line | None = None
    byte_order: ByteOrder = ByteOrder.FIRST_BYTE_HIGH
    item: str = ""
    quiet: bool = False

    def __iter__(self) -> Iterator[PortDeclaration]:
        """The ports in the order of their declaration: valid, ready, payloads."""
        item = self.item or self.name
        inward = self.direction is PortDirection.INPUT
        if self.valid is not None:
            text = f"{_article(item)} is offered"
            yield PortDeclaration(self.valid.port, self.direction, 1, f"{self.name}.valid", text, self.valid.active)
        if self.ready is not None:
            back = PortDirection.OUTPUT if inward else PortDirection.INPUT
            text = f"the core takes {_article(item)}" if inward else f"the surroundings take the {item}"
            yield PortDeclaration(self.ready.port, back, 1, f"{self.name}.ready", text, self.ready.active)
        for payload in self.payloads:
            what = payload.port if payload.meaning is Meaning.VALUE else payload.meaning
            role = f"{self.name}.{what}"
            order = None if payload.kind is PayloadKind.CONTROL else self.byte_order
            text = f"{payload.text}; 0 while none is offered" if self.quiet else payload.text
            yield PortDeclaration(payload.port, self.direction, payload.width, role, text, 1, payload.shares, order)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines the channel has. A transfer happens at each clock edge at which all of them are active."""
        return tuple(line for line in (self.valid, self.ready) if line is not None)

    @property
    def data(self) -> Payload:
        """The one payload that is no control, or the block with its key. Raises RequestError unless there is one."""
        found = [payload for payload in self.payloads if payload.kind is not PayloadKind.CONTROL]
        if self.find(Meaning.BLOCK) is not None:
            found = [payload for payload in found if payload.meaning is not Meaning.KEY]
        if len(found) != 1:
            raise RequestError(f"channel {self.name}: must have one payload that is no control, not {len(found)}")
        return found[0]

    def find(self, meaning: Meaning) -> Payload | None:
        """The payload that means this, if the channel has one."""
        return next((payload for payload in self.payloads if payload.meaning is meaning), None)

    def beats(self, bits: int) -> int:
        """Transfers that a value of so many bits takes."""
        return max(1, -(-bits // self.data.width))


@dataclass(frozen=True)
class PortDeclaration:
    """A port as the module declares it: `width` bits, or so many in each of `shares` shares; `text` is for people.

    `role` is what the port does whatever its name: `clock`, `reset`, *channel*`.valid`, *channel*`.ready`, or the
    channel and the meaning, such as `block.direction` (for a VALUE the channel and the port's name). `active` is the
    level of a line; `byte_order` is None for lines and controls.
    """

    name: str
    direction: PortDirection
    width: int
    role: str
    text: str
    active: int = 1
    shares: int = 1
    byte_order: ByteOrder | None = None

    @property
    def bits(self) -> int:
        """Bits of the port."""
        return self.width * self.shares


@dataclass(frozen=True)
class Ports:
    """All ports of a design. Raises RequestError for ports that no module can have, and for meanings given twice.

    A circuit without registers has no clock; a pipeline that holds no state worth clearing has no reset. `scan_enable`
    opens all clock gates for a scan test. It is 0 in function, and part of nothing that channels do.
    """

    clock: str | None
    reset: Reset | None
    channels: tuple[Channel, ...]
    scan_enable: str | None = None

    def __post_init__(self) -> None:
        names = [port.name for port in self]
        for port in self:
            if not _NAME.fullmatch(port.name) or port.name in KEYWORDS:
                raise RequestError(f"ports: {port.name!r} is no name of a port")
            if names.count(port.name) > 1:
                raise RequestError(f"ports: {port.name} appears {names.count(port.name)} times")
            if port.width < 1 or port.shares < 1:
                raise RequestError(f"ports: {port.name} must have at least one bit, not {port.bits}")
        titles = [channel.name for channel in self.channels]
        for channel in self.channels:
            if titles.count(channel.name) > 1:
                raise RequestError(f"ports: channel {channel.name} appears {titles.count(channel.name)} times")
            _check(channel)
        for line in self.lines:
            if line.active not in (0, 1):
                raise RequestError(f"ports: {line.port} must be active at 0 or 1, not {line.active}")
        if self.reset is not None and self.clock is None:
            raise RequestError(f"ports: a reset ({self.reset.port}) needs a clock")

    def __iter__(self) -> Iterator[PortDeclaration]:
        """All ports in the order of their declaration: clock, reset, scan enable, channel by channel."""
        if self.clock is not None:
            yield PortDeclaration(self.clock, PortDirection.INPUT, 1, "clock", "clock, rising edge")
        if self.reset is not None:
            text = (
                f"reset, {'synchronous, ' if self.reset.synchronous else ''}active "
                f"{'high' if self.reset.active else 'low'}; clears control state only"
            )
            yield PortDeclaration(self.reset.port, PortDirection.INPUT, 1, "reset", text, self.reset.active)
        if self.scan_enable is not None:
            text = "1 = all clock gates are open, for a scan test; 0 in function"
            yield PortDeclaration(self.scan_enable, PortDirection.INPUT, 1, SCAN_ENABLE, text)
        for channel in self.channels:
            yield from channel

    @property
    def lines(self) -> tuple[Line, ...]:
        """Reset and the lines of all channels."""
        reset = () if self.reset is None else (self.reset,)
        return (*reset, *(line for channel in self.channels for line in channel.lines))

    @property
    def payloads(self) -> tuple[Payload, ...]:
        """The payloads of all channels."""
        return tuple(payload for channel in self.channels for payload in channel.payloads)

    @property
    def quiet(self) -> bool:
        """Whether all output channels that say when they carry something are quiet, and there is one."""
        offering = [channel for channel in self.channels if channel.valid and channel.direction is PortDirection.OUTPUT]
        return bool(offering) and all(channel.quiet for channel in offering)

    @property
    def key_with_block(self) -> bool:
        """Whether a key comes with each block, beat for beat in its channel, and no key is kept."""
        blocks = (channel for channel in self.channels if channel.find(Meaning.BLOCK) is not None)
        return any(channel.find(Meaning.KEY) is not None for channel in blocks)

    @property
    def clearable(self) -> bool:
        """Whether there is a port that wipes key and state."""
        return self.find(Meaning.CLEAR) is not None

    def channel(self, name: str) -> Channel:
        """The channel of that name. Raises RequestError if there is none."""
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise RequestError(f"ports: there is no channel {name}; there are {', '.join(c.name for c in self.channels)}")

    def find(self, meaning: Meaning) -> Payload | None:
        """The payload that means this, if there is one; of several that of the first channel that has it."""
        return next((payload for payload in self.payloads if payload.meaning is meaning), None)

    def payload(self, meaning: Meaning) -> Payload:
        """The payload that means this. Raises RequestError if there is none."""
        found = self.find(meaning)
        if found is None:
            raise RequestError(f"ports: there is no {meaning}; there are {', '.join(p.meaning for p in self.payloads)}")
        return found

    def port(self, name: str) -> PortDeclaration:
        """The port of that name. Raises RequestError if there is none."""
        return self._one("port", name, {port.name: port for port in self})

    def role(self, role: str) -> PortDeclaration:
        """The port that has this role. Raises RequestError if there is none."""
        return self._one("port that is", role, {port.role: port for port in self})

    def _one(self, what: str, wanted: str, ports: Mapping[str, PortDeclaration]) -> PortDeclaration:
        if wanted not in ports:
            raise RequestError(f"ports: there is no {what} {wanted}; there are {', '.join(ports)}")
        return ports[wanted]


def _check(channel: Channel) -> None:
    meanings = [payload.meaning for payload in channel.payloads]
    for payload in channel.payloads:
        if payload.meaning is not Meaning.VALUE and (count := meanings.count(payload.meaning)) > 1:
            raise RequestError(f"channel {channel.name}: {payload.meaning} appears {count} times")
        if payload.shares > 1 and payload.kind is not PayloadKind.SHARE:
            raise RequestError(f"channel {channel.name}: {payload.port} has shares, so its kind must be share")
    if channel.quiet and (channel.valid is None or channel.direction is PortDirection.INPUT):
        raise RequestError(f"channel {channel.name}: only an output channel with a valid can be quiet")
    if channel.ready is not None and channel.valid is None:
        raise RequestError(f"channel {channel.name}: {channel.ready.port} is a ready without a valid")
    if not channel.lines and not channel.payloads:
        raise RequestError(f"channel {channel.name}: must have a port")


def _article(item: str) -> str:
    return f"{'an' if item[0] in 'aeiou' else 'a'} {item}"


SCAN_ENABLE = "scan enable"
"""The role of the port that opens all clock gates."""
SCAN_ENABLE_PORT = "scan_enable_i"
"""What that port is called in a design of this project."""

CLEAR = Channel("clear", PortDirection.INPUT, (Payload("clear_i", 1, Meaning.CLEAR, PayloadKind.CONTROL),))
"""The side input of a core that can be cleared."""


def block_interface(
    key_bits: Collection[int],
    directions: Collection[str],
    block_width: int = BLOCK_BITS,
    key_width: int | None = None,
    *,
    quiet: bool = False,
    clear: bool = False,
) -> Ports:
    """The ports that every core has, so that any core can replace any other: this is where they stand.

    `key_bits` are the key sizes; of several the size comes with each key, in a port as wide as the longest, or with
    each word of the key, of which a shorter key has fewer.
    `directions` are those the core computes; of two the direction comes with each block. Blocks and keys come and go
    in words of `block_width` bits: 128 for whole blocks and keys, less for their bytes in turn; keys may have a
    `key_width` of their own. With a `quiet` output there is nothing on `block_o` while no result is offered; with
    `clear` there is a port that wipes key and state.
    Raises RequestError for a width that does not divide a block or the keys, and where blocks come whole for several
    key sizes in words.
    """
    if block_width not in (8, 16, 32, 64, BLOCK_BITS):
        raise RequestError(f"block_width: must be 8, 16, 32, 64 or 128, not {block_width}")
    if key_width is None:
        key_width = max(key_bits) if block_width == BLOCK_BITS else block_width
    whole = max(key_bits)
    if len(key_bits) > 1 and block_width == BLOCK_BITS and key_width < whole:
        raise RequestError(f"key_width: must be {whole} for a choice of key sizes, not {key_width}")
    odd = [bits for bits in sorted(key_bits, reverse=True) if key_width < whole or bits == whole if bits % key_width]
    if key_width % 8 or odd:
        of = odd[0] if odd else whole
        raise RequestError(f"key_width: must be whole bytes that divide a key of {of} bits, not {key_width}")
    key = [Payload("key_i", key_width, Meaning.KEY)]
    if len(key_bits) > 1:
        key.append(Payload("key_bits_i", 2, Meaning.KEY_SIZE, PayloadKind.CONTROL))
    block = [Payload("block_i", block_width, Meaning.BLOCK)]
    if len(directions) > 1:
        block.append(Payload("decrypt_i", 1, Meaning.DIRECTION, PayloadKind.CONTROL))
    result = Payload("block_o", block_width, Meaning.RESULT)
    offered, taken = Line("block_valid_o"), Line("block_ready_i")
    channels = (
        Channel("key", PortDirection.INPUT, tuple(key), Line("key_valid_i"), Line("key_ready_o")),
        Channel("block", PortDirection.INPUT, tuple(block), Line("block_valid_i"), Line("block_ready_o")),
        Channel("result", PortDirection.OUTPUT, (result,), offered, taken, quiet=quiet),
    )
    return Ports("clk_i", Reset("rst_ni"), (CLEAR, *channels) if clear else channels)


@cache
def _adapter() -> pydantic.TypeAdapter[Ports]:
    return pydantic.TypeAdapter(Ports)


def as_values(ports: Ports) -> dict[str, object]:
    """The ports as plain JSON values: what a manifest records, and a port map of a foreign design states."""
    values: dict[str, object] = _adapter().dump_python(ports, mode="json")
    if ports.scan_enable is None:
        del values["scan_enable"]
    return values


def from_values(values: Mapping[str, object]) -> Ports:
    """The ports that `as_values` gave. Raises RequestError for anything else, with the place and the rule."""
    try:
        return _adapter().validate_python(values)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        wrong = "is missing" if first["type"] == "missing" else f"{first['msg']}, not {first['input']!r}"
        raise RequestError(f"ports: {place}: {wrong}") from error


KEYWORDS = frozenset(
    """
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
    binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge
    else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
    endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect
    export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global
    highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input
    inside instance int integer interconnect interface intersect join join_any join_none large let liblist library local
    localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program
    property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase
    randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0
    rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled
    signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1
    sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri
    tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var
    vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
    """.split()  # noqa: SIM905 - a list of 248 literals would be harder to read
)
"""The reserved words of SystemVerilog (IEEE 1800-2017, annex B), which no module or port can be called."""

"""What a core is, once its parameters are fixed: sources, interface and schedule facts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, reduce
from typing import Any, Protocol, overload

from aesmith.cores.ports import BLOCK_BITS, Meaning, Ports, block_interface
from aesmith.publications import Publication


class Direction(StrEnum):
    """What a core computes."""

    ENCRYPT = "encrypt"
    DECRYPT = "decrypt"


@dataclass(frozen=True)
class SourceFile:
    """One SystemVerilog file: `name` as it will stand in the build's rtl folder, and its whole text."""

    name: str
    text: str


class Sources(Sequence[SourceFile]):
    """Files that are made when somebody first reads them: a core's circuits take long, and its title does not."""

    def __init__(self, make: Callable[[], tuple[SourceFile, ...]]) -> None:
        self._make = make

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """All files, in compile order."""
        return self._make()

    @overload
    def __getitem__(self, place: int) -> SourceFile: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[SourceFile, ...]: ...

    def __getitem__(self, place: int | slice) -> SourceFile | tuple[SourceFile, ...]:
        return self.files[place]

    def __len__(self) -> int:
        return len(self.files)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.files == tuple(other)

    def __hash__(self) -> int:
        return hash(self.files)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.files,)


@dataclass(frozen=True)
class PublishedFigures:
    """What the publication states for one synthesis condition, in its own units. `source` names table and row."""

    source: str
    conditions: str
    area_ge: float
    latency_ns: float
    fmax_mhz: float
    efficiency_kbps_per_ge: float


class Design(Protocol):
    """What can be synthesised and measured: SystemVerilog with one top module, and how often it takes a block.

    `CoreDesign` is one, a leaf circuit by itself (`leaf`) another. `block_bits` is what one block carries.
    """

    @property
    def name(self) -> str:
        """What figures are labelled with."""

    @property
    def top(self) -> str:
        """Name of the top module."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """SystemVerilog files in compile order."""

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of the sources."""

    @property
    def ports(self) -> Ports:
        """The top module's ports, in the order of their declaration."""

    @property
    def block_bits(self) -> int:
        """Bits of one block."""

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block to the next; a mean, where they differ."""

    @property
    def latency_cycles(self) -> int:
        """Clocks from a block taken to its result."""


def hash_of(sources: Sequence[SourceFile]) -> str:
    """SHA-256 (hex) of every source file, names and texts, in order."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{source.name}\0{len(source.text)}\0{source.text}".encode())
    return digest.hexdigest()


FIELD_ELEMENTS = frozenset({"alpha", "beta", "gamma"})
"""Parameters that are elements of GF(2^8): people write them in hexadecimal, as publications do."""


@dataclass(frozen=True)
class Clocks:
    """Clocks of a core for keys of one size and one direction, where sender and receiver never pause.

    `per_block` is from the first beat of a block taken to that of the next, back to back; their mean, where several
    share a loop. `first` is from the first beat of a block taken up to and with the last beat of its result offered,
    both counted, of the first block under a key, by a core at rest. `worst` is the same of the block that takes
    longest: a later one under the key, one that comes right behind the key, behind other blocks or behind one of the
    other direction. None if it is not stated, as of third-party designs.
    """

    per_block: int
    first: int
    worst: int | None

    @classmethod
    def steady(cls, per_block: int, latency: int) -> Clocks:
        """Of a core in which each block takes as long as the first."""
        return cls(per_block, latency, latency)

    @property
    def spread(self) -> int:
        """Clocks by which the block that takes longest takes longer than the first; 0 if that is not stated."""
        return 0 if self.worst is None else self.worst - self.first

    def later(self, clocks: int) -> Clocks:
        """The same with each result so many clocks later."""
        worst = None if self.worst is None else self.worst + clocks
        return replace(self, first=self.first + clocks, worst=worst)

    def slower(self, other: Clocks) -> Clocks:
        """Of both the larger one, figure by figure."""
        worst = None if self.worst is None or other.worst is None else max(self.worst, other.worst)
        return Clocks(max(self.per_block, other.per_block), max(self.first, other.first), worst)


@dataclass(frozen=True)
class CoreDesign:
    """An AES core ready to be simulated, synthesised and published.

    `name` is the build's name, the prefix of every module and the name of the top module. `sources` are in compile
    order (a module before the modules that use it). `ports` are those of the block interface
    (`ports.block_interface`), or what a third-party design has in their place.

    `cycles_per_block` is the number of clocks from one block to the next when blocks come back to back; where several
    share a loop, their mean. `latency_cycles` counts the clock in which the first block under a key is taken up to and
    with the one in which its result is offered, and the block that takes longest takes `latency_spread` clocks more
    (see `Clocks`). Where directions differ, each is that of the slower one.
    `parameters` are the specification's fields as plain JSON values. `remarks` are sentences for the datasheet on what
    the interface's rules leave open: what a change of direction costs, for example. With keys of several sizes the
    clocks are those of the longest, and a round less takes one less, but for `same_clocks`. `other_clocks` are those
    for each key size and direction that takes others than these. `inner` is what is measured in place of a core that
    stands here behind an adapter to the block interface; `inner_clocks` are its clocks per block for each key size, in
    the slower direction. `late_cycles` are the clocks of a block if the next
    one is not offered by the time its result has left; 0 where that costs none. `turn_cycles` are the clocks by which a
    block of another direction than the one before it is taken later; None where that depends on what is in the core.
    `key_cycles` are the clocks from a whole key taken to the first one in which a block can be.
    `within` is the core inside, with its channel of fresh bits open, where a generator of them stands beside it.
    """

    name: str
    preset: str
    title: str
    sources: Sequence[SourceFile]
    key_bits: tuple[int, ...]
    directions: tuple[Direction, ...]
    ports: Ports
    cycles_per_block: int
    latency_cycles: int
    parameters: Mapping[str, object]
    publication: Publication
    published: tuple[PublishedFigures, ...] = ()
    remarks: tuple[str, ...] = ()
    same_clocks: bool = False
    latency_spread: int = 0
    other_clocks: Mapping[tuple[int, Direction], Clocks] = field(default_factory=dict)
    inner: Design | None = None
    inner_clocks: Mapping[int, float] = field(default_factory=dict)
    late_cycles: int = 0
    turn_cycles: int | None = 0
    key_cycles: int = 1
    within: CoreDesign | None = None

    @property
    def opened(self) -> CoreDesign | None:
        """`within` as it is among the sources of this design, which may have been edited."""
        return None if self.within is None else replace(self.within, sources=self.sources)

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.name

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of every source file, names and texts, in order."""
        return hash_of(self.sources)

    @property
    def block_bits(self) -> int:
        """Bits of an AES block."""
        return BLOCK_BITS

    def clocks(self, key_bits: int, direction: Direction) -> Clocks:
        """The clocks for a key size and a direction."""
        shorter = 0 if self.same_clocks else (max(self.key_bits) - key_bits) // 32
        latency = self.latency_cycles - shorter
        usual = Clocks(self.cycles_per_block - shorter, latency, latency + self.latency_spread)
        return self.other_clocks.get((key_bits, direction), usual)

    def slowest_clocks(self, key_bits: int) -> Clocks:
        """Of its directions the slower one's clocks for a key size, figure by figure."""
        return reduce(Clocks.slower, (self.clocks(key_bits, direction) for direction in self.directions))

    def measured_clocks(self, key_bits: int) -> float:
        """Clocks per block of what is measured, for a key size, in the slower direction."""
        return self.inner_clocks.get(key_bits, self.slowest_clocks(key_bits).per_block)

    @property
    def measured(self) -> Design:
        """What area and speed are measured of: the core, without an adapter to the block interface."""
        return self if self.inner is None else self.inner

    @property
    def enum_ports(self) -> bool:
        """Whether bits may be connected to enumerations: an adapter knows the width of a port, and not its type."""
        return self.inner is not None

    @property
    def block_interface(self) -> Ports:
        """The block interface of a core like this one: with a quiet output, a clear and strobes if it has them.

        A key port wider than its longest key counts as one of that width, and one in the channel of the block as one of
        the block's width. Raises RequestError if there is none for its
        widths and key sizes.
        """
        quiet, clear = self.ports.quiet, self.ports.clearable
        key_width = min(self.ports.payload(Meaning.KEY).width, max(self.key_bits))
        if self.ports.key_with_block:
            key_width = self.block_width
        ports = block_interface(self.key_bits, self.directions, self.block_width, key_width, quiet=quiet, clear=clear)
        strobes = tuple(channel for channel in self.ports.channels if not channel.payloads)
        return replace(ports, channels=(*ports.channels, *strobes), scan_enable=self.ports.scan_enable)

    @property
    def ports_with_key_kept(self) -> Ports:
        """The ports of a core to which a key comes with each block, once the key has a channel of its own."""
        ports, key = self.block_interface, self.ports.payload(Meaning.KEY)
        if key.shares == 1:
            return ports
        shared = (
            replace(channel, payloads=tuple(replace(p, kind=key.kind, shares=key.shares) for p in channel.payloads))
            for channel in ports.channels
        )
        others = (channel for channel in self.ports.channels if channel.find(Meaning.RANDOM) is not None)
        return replace(ports, channels=(*shared, *others))

    @property
    def in_shares(self) -> bool:
        """Whether keys, blocks or results come in shares."""
        return any(payload.shares > 1 for payload in self.ports.payloads)

    @property
    def block_width(self) -> int:
        """Bits of a block that are transferred at a time: all 128, or fewer where blocks go in words."""
        return self.ports.payload(Meaning.BLOCK).width

"""In which clocks messages go through a GCM engine: a recurrence over the items of its ring (`aesmith.modes.clocks`).

    words ─▶ look ─▶ put ─▶ send ─▶ cores ─▶ add ─▶ read ─▶ words
                      └───▶ hash ─▶ hash of a message ─┘

An item is put when the one as many places before it was read, and read when it was sent and hashed and has its stream.
A block of text to encrypt is hashed when it has its stream, one to decrypt is sent when it was hashed. Names are those
of `aesmith_gcm_engine`, `aesmith_message_ring`, `aesmith_ghash` and `aesmith_tagged_release`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aesmith.modes.clocks import NEVER, Answers, Front, Part, Passage, PassingMessage, run
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class GcmTiming:
    """What of a GCM engine its clocks depend on: clocks per block and latency of its cores, and how many; clocks of a
    multiplication and stages of the multiplier; places in the ring, and for hashes; when text leaves."""

    core_cycles: int
    core_latency: int
    cores: int
    multiplication_cycles: int
    stages: int
    places: int
    hashes: int
    verified: bool


@dataclass(frozen=True)
class Item:
    """An item of the ring: of which message, its kind (None: the start), bytes, whether it is the message's last."""

    message: int
    kind: Section | None
    size: int
    last: bool
    encrypt: bool

    @property
    def has_block(self) -> bool:
        """Whether a block of it goes to the cores."""
        return self.kind is None or (self.kind is Section.TEXT and self.size > 0)


def _items(number: int, message: PassingMessage) -> Iterator[list[Item]]:
    """The items of each beat of a message. Its start is with the first one behind an IV; if nothing follows that, with
    its last one, and then an end without text."""
    started = False
    for beat in message.beats:
        item = Item(number, beat.section if beat.size else Section.TEXT, beat.size, beat.last, message.encrypt)
        start = Item(number, None, 0, False, message.encrypt)
        if message.iv_in_stream and item.kind is Section.IV:
            end = replace(item, kind=Section.TEXT, size=0)
            yield [replace(item, last=False), start, end] if beat.last else [item]
        else:
            yield [item] if started else [start, item]
            started = True


class GcmClocks:
    """The parts, and the clocks that they have told once they were `run`.

    Of each item: when it was put, sent, had its stream, was hashed and read. Of each message: when its start was read,
    and its hash given, queued and left the queue. Of each IV in the stream: when its first counter block was there.
    """

    def __init__(self, timing: GcmTiming, messages: Sequence[PassingMessage]) -> None:
        self.timing, self.messages = timing, messages
        self.later = int(timing.stages > 1)
        self.front, self.answers = Front(messages, 2), Answers(messages)
        self.of_beats = [made for number, message in enumerate(messages) for made in _items(number, message)]
        self.items = [item for made in self.of_beats for item in made]
        self.put, self.sent, self.streamed = list[int](), list[int](), list[int]()
        self.hashed, self.read = list[int](), list[int]()
        self.counters, self.given = list[int](), list[int]()
        self.queued, self.left, self.starts, self.hash_key = list[int](), list[int](), list[int](), list[int]()

    def parts(self) -> list[Part]:
        """All of them."""
        hashing = self.hash_in_stages() if self.later else self.hash()
        return [
            self.front.words(),
            self.front.told(),
            self.puts(),
            self.send(),
            hashing,
            self.hashes(),
            self.judge(),
            self.reads(),
        ]

    def puts(self) -> Part:
        """Beats are looked at, and their items put; with its IV in the command a start does not wait for its beat."""
        front, later, beat, before = self.front, self.later, 0, NEVER
        for number, message in enumerate(self.messages):
            command = (yield front.commands, number) + 1
            if later:
                command = max(command, (yield front.looked, beat - 1) + 1)
            for _ in message.beats:
                there = max((yield front.entered, beat) + 1, command)
                if later:
                    there = max(there, before)
                    front.looked.append(there)
                    there += 1
                for item in self.of_beats[beat]:
                    early = item.kind is None and not message.iv_in_stream and not later
                    room = (yield self.read, len(self.put) - self.timing.places) + 1
                    before = max(before + 1, command if early else there, room)
                    self.put.append(before)
                if not later:
                    front.looked.append(before)
                beat += 1

    def send(self) -> Part:
        """Blocks go to the cores, the hash key's first; other items are passed."""
        timing, later = self.timing, self.later
        cores = [1 + later]
        self.hash_key.append(cores[0] + timing.core_latency - 1 + later)
        before, counters = 1, 0
        for number, item in enumerate(self.items):
            clock = max((yield self.put, number) + 1 + later, before + 1)
            if item.kind is None and self.messages[item.message].iv_in_stream:
                clock = max(clock, (yield self.counters, counters))
                counters += 1
            if item.kind is Section.TEXT and item.size and not item.encrypt:
                clock = max(clock, (yield self.hashed, number) + 1)
            stream = NEVER
            if item.has_block:
                turn = cores[-timing.cores] + timing.core_cycles if len(cores) >= timing.cores else NEVER
                if later:
                    clock = max(clock, cores[-1])
                    core = max(clock + 1, cores[-1] + 1, turn)
                else:
                    core = clock = max(clock, turn)
                cores.append(core)
                stream = core + timing.core_latency - 1 + later
            before = clock
            self.sent.append(clock)
            self.streamed.append(stream)

    def _follows(self, item: Item) -> bool:
        """Whether it is taken in the clock in which the hash before it is given: a start that has its counter block."""
        return item.kind is None and not self.messages[item.message].iv_in_stream

    def hash(self) -> Part:
        """GHASH of so many clocks per block. A hash whose place has not been left yet waits, and what follows does."""
        steps = self.timing.multiplication_cycles
        known = (yield self.hash_key, 0) + 1
        before = idle = NEVER
        free: tuple[Sequence[int], int] = (self.left, -1)
        for number, item in enumerate(self.items):
            clock = max((yield self.put, number) + 1, before + 1, idle - self._follows(item))
            if item.kind is None:
                if self.messages[item.message].iv_in_stream:
                    begun = max(clock, known)
                    clock = max(begun + steps - 1, (yield free)) + 1
                    self.counters.append(clock)
                    free = self.sent, number
                idle = clock
            elif item.kind is Section.TAG:
                clock = max(max(clock, known) + steps - 1, (yield free))
                self.given.append(clock)
                free = self.queued, item.message
                idle = clock + 1
            else:
                if item.size:
                    clock = max(clock, known)
                    if item.kind is Section.TEXT and item.encrypt:
                        clock = max(clock, (yield self.streamed, number) + 1)
                idle = clock + (steps if item.size else 1)
                if item.last:
                    given = max(max(idle, known) + steps - 1, (yield free))
                    self.given.append(given)
                    idle = given + 1
                    free = self.queued, item.message
            before = clock
            self.hashed.append(clock)

    def hash_in_stages(self) -> Part:
        """GHASH with a block in every clock. So many results are on their way."""
        stages = self.timing.stages
        known = (yield self.hash_key, 0) + 1 + (stages - 1) * (stages + 2)
        before = idle = NEVER
        results: list[tuple[Sequence[int], int]] = []

        for number, item in enumerate(self.items):
            clock = max((yield self.put, number) + 2, before + 1, idle - self._follows(item))
            places = len(results) - stages - 3
            earlier: tuple[Sequence[int], int] = results[places] if places >= 0 else (self.left, -1)
            last: tuple[Sequence[int], int] = results[-1] if results else (self.left, -1)
            if item.kind is None:
                if self.messages[item.message].iv_in_stream:
                    begun = max(clock, known, (yield earlier) + 1)
                    self.counters.append(max(begun + 2 * stages + 2, (yield last) + 1))
                    results.append((self.sent, number))
                    clock = begun + 1
                idle = clock
            elif item.kind is Section.TAG:
                clock = max(clock, known, (yield earlier) + 1)
                self.given.append(max(clock + 2 * stages + 1, (yield last)))
                results.append((self.queued, item.message))
                idle = clock + 1
            else:
                if item.size:
                    clock = max(clock, known)
                    if item.kind is Section.TEXT and item.encrypt:
                        clock = max(clock, (yield self.streamed, number) + 1)
                idle = clock + 1
                if item.last:
                    idle = max(idle, known, (yield earlier) + 1) + 1
                    self.given.append(max(idle + 2 * stages, (yield last)))
                    results.append((self.queued, item.message))
            before = clock
            self.hashed.append(clock)

    def hashes(self) -> Part:
        """Hashes come into their queue."""
        for number in range(len(self.messages)):
            given = yield self.given, number
            room = (yield self.left, number - self.timing.hashes) + 1
            self.queued.append(max(given + 1, room))

    def judge(self) -> Part:
        """Hashes leave their queue: with the verdict, or the tag that is made (`reads`)."""
        for number, message in enumerate(self.messages):
            if not message.encrypt:
                self.left.append(max((yield self.queued, number) + 1, (yield self.starts, number) + 1))
            else:
                yield self.left, number

    def reads(self) -> Part:
        """Items are read, and shown to the receiver word by word."""
        later, before = self.later, NEVER
        shown = False
        for number, item in enumerate(self.items):
            message = self.messages[item.message]
            ready = max((yield self.sent, number), (yield self.hashed, number), (yield self.streamed, number)) + 1
            if later:
                read = max(ready, (yield self.read, number - 1) + 1, before)
                self.read.append(read)
                clock = read + 1
            else:
                clock = max(ready, before + 1)
            if item.message and self.messages[item.message - 1].encrypt:
                # After a tag; a start in the clock that accepts it.
                clock = max(clock, self.left[item.message - 1] + (item.kind is not None))
            if item.kind is None:
                self.starts.append(clock)
                shown = False
            elif item.kind is Section.TEXT and item.size:
                if not item.encrypt:
                    if not self.timing.verified:
                        clock = max(clock, (yield self.put, number + 1) + 1 + 2 * later)
                    if self.timing.verified or self.items[number + 1].kind is Section.TAG:
                        clock = max(clock, (yield self.left, item.message) + 1)
                if item.encrypt or message.opens or not self.timing.verified:
                    clock = self.answers.leave(item.message, clock, message.words(item.size))
                    shown = True
            elif item.kind is Section.TAG:
                clock = max(clock, (yield self.left, item.message) + 1)
                if not shown:
                    self.answers.leave(item.message, clock, 1)
            if item.encrypt and item.last:
                tag = max(clock + 1, (yield self.queued, item.message) + 1)
                self.left.append(self.answers.leave(item.message, tag, message.words(message.tag_bytes)))
            before = clock
            if not later:
                self.read.append(clock)


def gcm_clocks(timing: GcmTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave."""
    gcm = GcmClocks(timing, messages)
    run(gcm.parts())
    return Passage(gcm.front.offered, gcm.answers.clocks)

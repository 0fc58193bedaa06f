"""In which clocks messages go through an engine whose parts wait for one another: recurrences over beats.

Each part of an engine takes what comes to it in order, and takes the n-th in the latest of a few clocks, of others or
its own before, each with a constant added: a recurrence in the max-plus algebra (Baccelli, Cohen, Olsder and Quadrat,
*Synchronization and Linearity*, 1992, chapter 2). A part is a generator: it yields a list of clocks and the number of
the one that it needs, and gets that when another part has appended it. So the order in which `run` takes them does not
matter.

Clocks count from 0, in which the key is taken. From then on every word that is to come is offered until it is taken,
and every word that leaves is taken at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from aesmith.modes.message import BLOCK
from aesmith.modes.stream import UNKNOWN, Section, StreamedMessage
from aesmith.modes.words import widened

BEFORE, BEHIND = 24, 12
"""Messages around those of which clocks are a mean: after reset it takes some until cores are in step."""
NEVER = -(1 << 40)
"""The clock of what was before all that is counted."""
Part = Generator[tuple[Sequence[int], int], int, None]
"""What it needs: of a list of clocks the one of a number, which is NEVER for those below 0."""


Recurrence = Callable[[Sequence["PassingMessage"]], "Passage"]
"""Of messages the clocks in which they come and leave."""


def run(parts: Sequence[Part]) -> None:
    """Let all parts tell their clocks; raises AssertionError if each waits for another one."""
    waiting = [(part, next(part)) for part in parts]
    while waiting:
        left, moved = [], False
        for part, needed in waiting:
            clocks, number = needed
            try:
                while number < len(clocks):
                    clocks, number = part.send(clocks[number] if number >= 0 else NEVER)
                    moved = True
                left.append((part, (clocks, number)))
            except StopIteration:
                moved = True
        assert moved, "each part waits for another one"
        waiting = left


@dataclass(frozen=True)
class PassingBeat:
    """A beat as far as clocks depend on it: its kind, its bytes, and for how many clocks it keeps the stream."""

    section: Section
    size: int
    clocks: int
    last: bool


@dataclass(frozen=True)
class PassingMessage:
    """A message that is not refused, as far as clocks depend on it, on a stream with words of so many bytes.

    `opens`: its tag, if it is to be decrypted, is right; `text_bytes`: what its command says of its text.
    """

    beats: tuple[PassingBeat, ...]
    encrypt: bool
    iv_in_stream: bool
    tag_bytes: int
    opens: bool
    word_bytes: int
    text_bytes: int = UNKNOWN

    @property
    def told(self) -> bool:
        """Whether its command says how much text it has."""
        return self.text_bytes != UNKNOWN

    def words(self, size: int) -> int:
        """Words of so many bytes that leave."""
        return max(1, -(-size // self.word_bytes))


@dataclass(frozen=True)
class Passage:
    """The clocks of messages, one by one: `offered` of each beat, in which its last word is first offered, behind the
    word before it, or its first one in an engine that `answers_words`; `left` of every word that leaves."""

    offered: list[list[int]]
    left: list[list[int]]


def passing(sent: StreamedMessage, word_bytes: int, *, encrypt: bool, opens: bool) -> PassingMessage:
    """The message that is sent in words of so many bytes, which may be 16, or more where a beat has several lanes.

    A section that ends with a full word in the middle of a block keeps the stream for a clock more: its end is seen at
    the word behind it.
    """
    beats = []
    for beat in widened(sent.beats, word_bytes) if word_bytes < BLOCK else sent.beats:
        size = beat.keep.bit_count()
        closed = beat.last or size % word_bytes != 0 or not 0 < size < BLOCK
        clocks = max(1, -(-size // word_bytes)) + (not closed)
        beats.append(PassingBeat(beat.section, size, clocks, beat.last))
    iv_in_stream, tag_bytes = sent.command.iv_bytes == 0, sent.command.tag_bytes or BLOCK
    told = sent.command.text_bytes
    return PassingMessage(tuple(beats), encrypt, iv_in_stream, tag_bytes, opens, word_bytes, told)


class Front:
    """The queues of commands and of beats before an engine, with so many places each.

    `commands` and `entered` are the clocks in which these are put, `looked` those in which beats are taken out, the
    last one of a message with its command; `offered` those in which the last words of beats are first offered, message
    by message.
    """

    def __init__(self, messages: Sequence[PassingMessage], places: int) -> None:
        self.messages, self.places = messages, places
        self.commands, self.entered, self.looked = list[int](), list[int](), list[int]()
        self.offered: list[list[int]] = [[] for _ in messages]
        counts = [len(message.beats) for message in messages]
        self.ends = [sum(counts[: number + 1]) - 1 for number in range(len(counts))]

    def words(self) -> Part:
        """The words that come, and their beats."""
        before = -1
        for number, beat in ((number, beat) for number, message in enumerate(self.messages) for beat in message.beats):
            left = yield self.looked, len(self.entered) - self.places
            self.offered[number].append(before + beat.clocks)
            before = max(before + beat.clocks, left + 1)
            self.entered.append(before)

    def told(self) -> Part:
        """The commands that come, behind the key."""
        before = 0
        for number in range(len(self.messages)):
            earlier = number - self.places
            left = yield self.looked, self.ends[earlier] if earlier >= 0 else -1
            before = max(before + 1, left + 1)
            self.commands.append(before)


class Ends:
    """The ends of an engine that takes beats one after the other and has no queue; with `registers` there is one for a
    beat before it and one for an answer behind it (`aesmith_beat_registers`)."""

    def __init__(self, *, registers: bool) -> None:
        self.registers = registers
        self.taken = self._came = -1
        """When the engine took the last beat, and when that had come to it, or into the register before it."""
        self._shown = NEVER

    def _comes(self, beat: PassingBeat) -> int:
        """When the last word of the next beat is first offered."""
        return self._came + beat.clocks

    def offered(self, beat: PassingBeat) -> int:
        """The first clock in which the engine may look at the next beat."""
        return max(self._comes(beat), self.taken) + 1 if self.registers else self._comes(beat)

    def take(self, beat: PassingBeat, clock: int) -> int:
        """The engine takes the next beat in that clock; the one in which its last word was first offered."""
        comes = self._comes(beat)
        self._came = max(comes, self.taken) if self.registers else clock
        self.taken = clock
        return comes

    def leave(self, first: int, words: int, left: list[int]) -> int:
        """An answer of so many words leaves the engine, not before that clock; the clock in which it has. The clocks of
        its words are added to those of what `left`."""
        if not self.registers:
            left += range(first, first + words)
            return first + words - 1
        at = max(first, self._shown)
        left += range(at + 1, at + 1 + words)
        self._shown = at + words
        return at

    @property
    def state(self) -> tuple[int, int, int]:
        """What clocks depend on."""
        return self.taken, self._came, max(self._shown, self.taken)


class Answers:
    """The words that leave, of each message, and in which clock."""

    def __init__(self, messages: Sequence[PassingMessage]) -> None:
        self.clocks: list[list[int]] = [[] for _ in messages]

    def leave(self, message: int, first: int, words: int) -> int:
        """So many words of a message, the first one offered in this clock; the clock of the last."""
        self.clocks[message] += range(first, first + words)
        return first + words - 1


def mean_clocks(recurrence: Recurrence, message: PassingMessage, counted: int) -> float:
    """Clocks from message to message of equal ones, as a mean of so many."""
    made = recurrence([message] * (BEFORE + counted + BEHIND)).left
    return (made[BEFORE + counted][-1] - made[BEFORE][-1]) / counted


def text_waits(message: PassingMessage, offered: Sequence[int], left: Sequence[int], *, shows_text: bool) -> list[int]:
    """Of the blocks of text of a message the clocks from the one that first offers the last word of each up to and with
    the one that offers its answer; where text does not leave, those from the last beat to the first word that does."""
    if not shows_text:
        return [left[0] - offered[-1] + 1]
    waits, word = list[int](), 0
    for beat, clock in zip(message.beats, offered, strict=True):
        if beat.section is Section.TEXT and beat.size:
            waits.append(left[word] - clock + 1)
            word += message.words(beat.size)
    return waits

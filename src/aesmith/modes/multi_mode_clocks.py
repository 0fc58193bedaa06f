"""In which clocks messages go through an engine of several modes: one after the other, in a schedule without choices.

A command is taken where the engine is idle, and beats are looked at from the next clock on. A block is asked for when
its beat is there and the core can take it; the beat leaves with the result. Names are those of
`aesmith_multi_mode_engine`. Clocks count as in `aesmith.modes.clocks`: from 0, in which the key is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from aesmith.modes.clocks import Ends, Passage, PassingBeat, PassingMessage
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class MultiModeTiming:
    """What of an engine its clocks depend on: the mode; clocks per block and latency of its core, and those of its
    decryption where ECB and CBC decrypt; whether E(0) is made of a key; clocks of a multiplication of GHASH; whether
    GCM takes IVs of any length, and decrypted text waits; whether counters go ahead of the text, a block per clock;
    whether there are registers for beats at its ends."""

    mode: str
    core_cycles: int
    core_latency: int
    decryption_cycles: int
    decryption_latency: int
    hash_key: bool
    steps: int
    long_iv: bool
    verified: bool
    ahead: bool = False
    registers: bool = False


class _Schedule:
    """The engine's state as far as clocks depend on it: when it can look at what comes next, from when on the core
    takes a block, and GHASH another one. `passage` is what it did until then."""

    def __init__(self, timing: MultiModeTiming) -> None:
        self._timing = timing
        self._free, self._hashed, self._released = 1, 0, 0
        self._ends = Ends(registers=timing.registers)
        self.passage = Passage([], [])
        self._beats: Iterator[PassingBeat] = iter(())
        self._came = list[int]()
        self._left, self._words = list[int](), list[int]()
        self._holds = self._opens = self._decrypts = False
        self._now = self._call(1) + 1 if timing.hash_key else 1

    def message(self, message: PassingMessage) -> None:
        """A message passes; its command is taken in this clock."""
        self._left, self._words, self._opens = [], list[int](), message.opens
        self._beats, self._came = iter(message.beats), list[int]()
        mode, decrypts = self._timing.mode, not message.encrypt
        self._holds = self._timing.verified and decrypts and mode in ("gcm", "ccm")
        self._decrypts = decrypts and mode in ("ecb", "cbc")
        self._now += 1
        {"gcm": self._gcm, "ccm": self._ccm, "cmac": self._cmac}.get(mode, self._text)(message)
        self.passage.offered.append(self._came)
        self.passage.left.append(self._left)

    def _offered(self, beat: PassingBeat) -> int:
        """The first clock in which a beat is there to be looked at."""
        return max(self._now, self._ends.offered(beat))

    def _take(self, clock: int) -> None:
        self._came.append(self._ends.take(next(self._beats), clock))
        self._now = clock + 1

    def _call(self, earliest: int) -> int:
        """A block goes to the core, not before that clock; the clock in which its result is offered."""
        timing, at = self._timing, max(earliest, self._free)
        self._free = at + (timing.decryption_cycles if self._decrypts else timing.core_cycles)
        return at + (timing.decryption_latency if self._decrypts else timing.core_latency) - 1

    def _leave(self, first: int, words: int) -> int:
        """So many words leave from that clock on, not before what was held has left; the clock in which they have left
        the engine. Text that waits leaves in a clock, for the memory."""
        first = max(first, self._released)
        if self._holds:
            self._words.append(words)
            return first
        return self._ends.leave(first, words, self._left)

    def _hash(self, earliest: int) -> int:
        """A block goes to GHASH, not before that clock; the clock in which it does."""
        at = max(earliest, self._hashed)
        self._hashed = at + self._timing.steps + 1
        return at

    def _verdict(self, at: int) -> None:
        """The verdict leaves in that clock, or is taken: then the first beat of text that waits leaves in the next."""
        held, self._holds = self._words if self._opens else [], False
        if not held:
            self._now = self._leave(at, 1) + 1
            return
        self._now = max(at, self._released) + 1
        first = self._now
        for words in held:
            first = self._ends.leave(first, words, self._left) + 1
        self._released = first

    def _text(self, message: PassingMessage) -> None:
        for beat in message.beats:
            offered = self._offered(beat)
            if beat.size:
                self._take(self._leave(self._call(offered), message.words(beat.size)))
            else:
                self._take(offered)
                self._verdict(offered + 1)

    def _tag(self, message: PassingMessage, made: int) -> None:
        """The tag is known in that clock: it leaves, or is compared, with the beat that brings it."""
        if message.encrypt:
            self._now = self._leave(made, message.words(message.tag_bytes)) + 1
        else:
            self._take(made)
            self._verdict(made + 2)

    def _cmac(self, message: PassingMessage) -> None:
        """A block goes to the core when the beat behind it is there, for it may be the last."""
        texts = [beat for beat in message.beats if beat.section is not Section.TAG]
        tags = message.beats[len(texts) :]
        for number, beat in enumerate(texts):
            offered = self._offered(beat)
            self._take(offered)
            behind = (*texts[number + 1 :], *tags)
            self._now = self._call(self._offered(behind[0]) if behind else self._now) + 1
        if not texts:
            self._now = self._call(self._offered(tags[0]) + 1) + 1
        self._tag(message, self._now - 1)

    def _ccm(self, message: PassingMessage) -> None:
        self._now = self._call(self._now) + 1
        seen = 0
        for beat in message.beats:
            offered = self._offered(beat)
            if beat.section is Section.TAG or not beat.size:
                seen = offered + 1
                if not beat.size:
                    self._take(offered)
                continue
            if beat.section is Section.HEADER:
                self._take(offered)
            else:
                self._take(self._leave(self._call(offered), message.words(beat.size)))
            self._now = self._call(self._now) + 1
        self._tag(message, self._call(max(self._now, seen)))

    def _gcm(self, message: PassingMessage) -> None:
        iv_open, ends = message.iv_in_stream, self._now
        for beat in message.beats:
            offered = self._offered(beat)
            if iv_open and beat.section is not Section.IV:
                self._first_counter(offered + 1)
                iv_open, offered = False, self._now
            if beat.section is Section.TAG or not beat.size:
                ends = offered + 1
                if not beat.size:
                    self._take(offered)
            elif beat.section is not Section.TEXT:
                self._take(self._hash(offered))
                ends = self._now
            else:
                self._block(message, beat, offered)
                ends = self._now
        if iv_open:
            self._first_counter(ends)
            ends = self._now
        ends += self._timing.long_iv
        mask = self._call(ends)
        self._tag(message, max(mask, self._hash(ends) + self._timing.steps + 1))

    def _block(self, message: PassingMessage, beat: PassingBeat, offered: int) -> None:
        """Text, which is hashed as it leaves or, decrypted, as its counter goes to the core."""
        words = message.words(beat.size)
        if message.encrypt:
            last = self._leave(max(self._call(offered), self._hashed), words)
            self._hash(last)
        else:
            last = self._leave(self._call(self._hash(max(offered, self._free))), words)
        self._take(last)

    def _first_counter(self, at: int) -> None:
        """The length of an IV is hashed, and J0 taken over."""
        self._hash(at)
        self._now = self._hashed + 2


class _Ahead(_Schedule):
    """The same where counter blocks of a message go to the core from its command on, one a clock."""

    _made = 0

    def _text(self, message: PassingMessage) -> None:
        self._made = self._now + self._timing.core_latency - 1
        super()._text(message)

    def _call(self, earliest: int) -> int:
        made, self._made = self._made, self._made + 1
        return max(earliest, made)


def multi_mode_clocks(timing: MultiModeTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave."""
    schedule = (_Ahead if timing.ahead else _Schedule)(timing)
    for message in messages:
        schedule.message(message)
    return schedule.passage


@cache
def clocks_of_blocks(timing: MultiModeTiming, header_blocks: int, text_blocks: int, *, encrypt: bool) -> int:
    """Clocks from message to message of equal ones of whole blocks, in whole beats; their tags are right."""
    ccm = timing.mode == "ccm"
    sizes = [(Section.HEADER, BLOCK)] * header_blocks
    # The length in front of CCM's header moves it on by two bytes.
    sizes += [(Section.HEADER, 2)] * (ccm and header_blocks > 0)
    sizes += [(Section.TEXT, BLOCK)] * text_blocks
    sizes += [(Section.TAG, BLOCK)] * (timing.mode in ("gcm", "ccm", "cmac") and not encrypt)
    sizes = sizes or [(Section.TEXT, 0)]
    last = len(sizes) - 1
    beats = tuple(PassingBeat(section, size, 1, last=n == last) for n, (section, size) in enumerate(sizes))
    message = PassingMessage(beats, encrypt, iv_in_stream=False, tag_bytes=BLOCK, opens=True, word_bytes=BLOCK)
    *_, before, after = multi_mode_clocks(timing, [message] * 3).left
    return after[-1] - before[-1]

"""What an engine of CTR_DRBG answers, as a model, and requests to try it with.

A request is a message: its header is the additional input or the personalization string, and its command says how many
random bytes are to leave as text. Seeds come by the channel of keys; one that came since the last request waits, and
the next request uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from random import Random

from aesmith.modes.ctr_drbg import MOST_REQUEST, CtrDrbg
from aesmith.modes.message import BLOCK, Cipher, Fault
from aesmith.modes.stream import (
    UNKNOWN,
    Beat,
    Command,
    MessageRules,
    Section,
    StreamedMessage,
    ended,
    fault_of_beat,
    in_beats,
    text_beats,
)
from aesmith.modes.traffic import Maker, Traffic, size_of, with_beat, with_command


class DrbgFunction(IntEnum):
    """What a command asks for: bits, with a seed if one waits; bits, or none, with a seed that must wait; the end of
    the instance."""

    GENERATE = 0
    SEEDED = 1
    UNINSTANTIATE = 2


def request(size: int = 0, given: bytes = b"", function: DrbgFunction = DrbgFunction.GENERATE) -> StreamedMessage:
    """A request of so many random bytes with an additional input or a personalization string, as it is sent."""
    return StreamedMessage(
        Command(b"", 0, text_bytes=size, mode=int(function)), in_beats([(Section.HEADER, given)] if given else [])
    )


class DrbgSession:
    """What an engine answers to requests one after the other: called with the seed that was sent last, which waits if
    it is another than that of the request before, and the request, it gives the beats, and why it refuses it if it
    does. A refused request leaves the instance as it was, without the seed that waited."""

    def __init__(self, key_bits: int, interval_bits: int, cipher: type[Cipher] = Cipher) -> None:
        self._key_bits, self._interval, self._cipher = key_bits, 1 << interval_bits, cipher
        self._state: CtrDrbg | None = None
        self._last: bytes | None = None

    @property
    def _most_given(self) -> int:
        """Bytes of input at most: those of key and V."""
        return self._key_bits // 8 + BLOCK

    def __call__(self, seed: bytes | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        waiting, self._last = None if seed == self._last else seed, seed
        fault = self._fault(sent, self._refusal(sent.command, waiting))
        if fault is not None:
            return ended([], fault)
        size, given = sent.command.text_bytes, b"".join(beat.data[: beat.keep.bit_count()] for beat in sent.beats)
        if sent.command.mode == DrbgFunction.UNINSTANTIATE:
            self._state = None
            return ended([], None)
        if waiting is not None:
            self._seed(waiting, given)
            given = b""
        made = b""
        if size or waiting is None:
            assert self._state is not None
            made, self._state = self._state.generate(size, given)
        return ended(text_beats(made), None)

    def _seed(self, seed: bytes, given: bytes) -> None:
        if self._state is not None:
            self._state = self._state.reseed(seed, given)
            return
        how = {"key_bits": self._key_bits, "derivation": False}
        self._state = CtrDrbg.instantiate(seed, personalization=given, cipher=self._cipher, **how)  # type: ignore[arg-type]

    def _refusal(self, command: Command, waiting: bytes | None) -> Fault | None:
        """What a command is refused for."""
        ends = command.mode == DrbgFunction.UNINSTANTIATE
        unseeded = waiting is None and not ends
        if command.slot or (unseeded and (self._state is None or command.mode == DrbgFunction.SEEDED)):
            return Fault.KEY
        if command.iv_bytes:
            return Fault.IV
        if command.text_bytes > (0 if ends else MOST_REQUEST):
            return Fault.LENGTH
        if unseeded and self._state is not None and self._state.requests > self._interval:
            return Fault.WRAP
        return None if command.mode in {*DrbgFunction} else Fault.MODE

    def _fault(self, sent: StreamedMessage, refusal: Fault | None) -> Fault | None:
        """What a request is refused for, by its command or by the first beat that is wrong."""
        ends = sent.command.mode == DrbgFunction.UNINSTANTIATE
        rules, most, size = MessageRules((Section.HEADER,)), 0 if ends else self._most_given, 0
        open_ended = replace(sent, command=replace(sent.command, text_bytes=UNKNOWN))
        for place, beat in enumerate(sent.beats):
            size += beat.keep.bit_count()
            if found := refusal or fault_of_beat(open_ended, place, rules) or (Fault.LENGTH if size > most else None):
                return found
        return None


@dataclass(frozen=True)
class _Requests:
    """Requests to an engine with keys of so many bits."""

    key_bits: int

    @property
    def _most_given(self) -> int:
        return self.key_bits // 8 + BLOCK

    def good(self, random: Random, _: Cipher, most: int) -> StreamedMessage:
        """One that is not refused if a seed waits."""
        given = random.randbytes(random.choice((0, size_of(random, self._most_given), self._most_given)))
        if random.random() < 1 / 32:
            return request(function=DrbgFunction.UNINSTANTIATE)
        function = DrbgFunction.SEEDED if random.random() < 1 / 16 else DrbgFunction.GENERATE
        return request(size_of(random, most), given, function)

    def to_break(self, random: Random, _: Cipher, most: int) -> StreamedMessage:
        """One with as much input as there may be: two beats at least, the first of them whole."""
        return request(size_of(random, most), random.randbytes(self._most_given))

    def _too_long(self, sent: StreamedMessage, random: Random) -> StreamedMessage:
        given = random.randbytes(self._most_given + random.choice((1, BLOCK, 5 * BLOCK)))
        return replace(sent, beats=request(0, given).beats)

    @property
    def traffic(self) -> Traffic:
        """All of them."""
        bad: Mapping[Fault, Sequence[Maker]] = {
            Fault.KEEP: (
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0x000B),
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
            ),
            Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 1), keep=0x00FF),),
            Fault.ORDER: (
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), section=Section.TEXT),
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), section=Section.IV),
                lambda m, _: with_beat(m, len(m.beats) - 1, section=Section.TAG),
            ),
            Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
            Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((1, 8, 16, 255))),),
            Fault.LENGTH: (
                self._too_long,
                lambda m, r: with_command(m, text_bytes=r.choice((MOST_REQUEST + 1, 1 << 17, 1 << 40, UNKNOWN))),
                lambda m, _: with_command(m, text_bytes=0, mode=int(DrbgFunction.UNINSTANTIATE)),
                lambda _, r: with_command(request(function=DrbgFunction.UNINSTANTIATE), text_bytes=r.choice((1, 16))),
            ),
            Fault.MODE: (lambda m, r: with_command(m, mode=r.randrange(3, 8)),),
        }
        return Traffic(self.good, self.to_break, bad)


def traffic_of_drbg(key_bits: int) -> Traffic:
    """Requests to an engine with keys of so many bits, of all functions and of none."""
    return _Requests(key_bits).traffic

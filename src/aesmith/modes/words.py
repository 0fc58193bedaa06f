"""Streams of words: how the beats of a message become words, and words beats again.

A word of more than a block is one of several lanes (`aesmith.modes.lanes`). An engine whose stream is narrower than 128
bits is that of 128 bits between two modules, of which `widened` and `narrowed` are the models: `aesmith_stream_widen`
and `aesmith_stream_narrow`. A word is a Beat with fewer bytes. A beat is the words of one kind up to its 16th byte;
before that it ends with a word that is not full, with the last one of the message, or before a word of another kind.
`size` are the bytes of a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aesmith.errors import RequestError, not_one_of
from aesmith.modes.lanes import gathered, separated, traffic_in_lanes
from aesmith.modes.message import BLOCK, Fault
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import Maker, MixedTraffic, Traffic, mixed

WIDTHS = (8, 16, 32, 64, 128)
"""Bits of a word of a stream of one lane."""
WIDE = (256, 512, 1024)
"""Bits of one of several lanes."""


def check_width(bits: int, one_at_a_time: str) -> None:
    """Raise RequestError for a stream that no engine has, and for several lanes where there is a reason why blocks are
    taken one at a time."""
    if bits not in (*WIDTHS, *WIDE):
        raise not_one_of("stream_bits", str(bits), map(str, (*WIDTHS, *WIDE)))
    if bits > WIDTHS[-1] and one_at_a_time:
        raise RequestError(
            f"stream_bits: must be at most {WIDTHS[-1]}, not {bits}: {one_at_a_time}; engines with mode = ctr or gcm "
            "have lanes"
        )


def narrowed(beats: Sequence[Beat], size: int) -> list[Beat]:
    """Beats as words: up to the one with the last byte, at least one, which ends what the beat does."""
    made: list[Beat] = []
    for beat in beats:
        count = max(1, -(-beat.keep.bit_length() // size))
        for place in range(count):
            data = beat.data[size * place : size * (place + 1)]
            word = Beat(data, beat.keep >> size * place & (1 << size) - 1, beat.section)
            ends = place == count - 1
            made.append(replace(beat, data=data, keep=word.keep) if ends else word)
    return made


def widened(words: Sequence[Beat], size: int) -> list[Beat]:
    """Words as beats."""
    made: list[Beat] = []
    gathered: list[Beat] = []
    for word in words:
        if gathered and word.section is not gathered[0].section:
            made.append(_beat(gathered, size))
            gathered = []
        gathered.append(word)
        if len(gathered) * size == BLOCK or word.keep != (1 << size) - 1 or word.last:
            made.append(_beat(gathered, size))
            gathered = []
    return made


def _beat(words: Sequence[Beat], size: int) -> Beat:
    """The beat of some words; a word without bytes behind others makes its `keep` one that is refused."""
    data = b"".join(word.data for word in words).ljust(BLOCK, b"\0")
    keep = sum(word.keep << size * place for place, word in enumerate(words))
    if len(words) > 1 and not words[-1].keep:
        keep = keep & ~1 | 1 << BLOCK - 1
    return Beat(data, keep, words[0].section, last=words[-1].last)


def in_words(beats: Sequence[Beat], size: int) -> list[Beat]:
    """Whole beats as words, shorter or longer ones."""
    return narrowed(beats, size) if size <= BLOCK else gathered(beats, size // BLOCK)


def message_in_words(sent: StreamedMessage, size: int) -> StreamedMessage:
    """A message of whole beats as it is sent in words."""
    return replace(sent, beats=tuple(in_words(sent.beats, size)))


def message_in_beats(sent: StreamedMessage, size: int) -> StreamedMessage:
    """A message of words as the engine of whole beats gets it, or lane by lane."""
    return replace(sent, beats=tuple(widened(sent.beats, size) if size <= BLOCK else separated(sent.beats)))


def traffic_in_words(traffic: Traffic, size: int) -> Traffic:
    """Messages of a mode in words. Some bad ones are so in one word of a block: it is empty, has a hole, or has fewer
    bytes than a word though the block goes on; full words behind a part of a block would only be more of it."""
    if size >= BLOCK:
        return traffic if size == BLOCK else traffic_in_lanes(traffic, size // BLOCK)
    if isinstance(traffic, MixedTraffic):
        return mixed([traffic_in_words(part, size) for part in traffic.parts], traffic.others)
    tampered = traffic.tampered

    def sent_in_words(make: Maker) -> Maker:
        return lambda sent, random: message_in_words(make(sent, random), size)

    full, count = (1 << size) - 1, BLOCK // size
    bad: dict[Fault, tuple[Maker, ...]] = {
        fault: tuple(map(sent_in_words, makers)) for fault, makers in traffic.bad.items() if fault is not Fault.PARTIAL
    }
    bad[Fault.KEEP] += (lambda sent, random: _with_word(sent, size, random.randrange(1, count), 0),)
    if size > 1:
        bad[Fault.KEEP] += (lambda sent, random: _with_word(sent, size, random.randrange(count), full - 1),)
    if size > 1 and Fault.PARTIAL in traffic.bad:
        bad[Fault.PARTIAL] = (
            lambda sent, random: _with_word(
                sent, size, random.randrange(count - 1), (1 << random.randrange(1, size)) - 1
            ),
        )
    return replace(
        traffic,
        good=lambda random, cipher, most: message_in_words(traffic.good(random, cipher, most), size),
        tampered=tampered and (lambda random, cipher, most: message_in_words(tampered(random, cipher, most), size)),
        bad=bad,
    )


def _with_word(sent: StreamedMessage, size: int, place: int, keep: int) -> StreamedMessage:
    """A message of beats in words, with this `keep` for one word of its last whole block of text, or of header
    where it has no text."""
    whole = (1 << BLOCK) - 1
    _, at = max((beat.section is Section.TEXT, n) for n, beat in enumerate(sent.beats) if beat.keep == whole)
    words = narrowed(sent.beats, size)
    before = len(narrowed(sent.beats[:at], size))
    words[before + place] = replace(words[before + place], keep=keep)
    return replace(sent, beats=tuple(words))

"""Streams of several lanes: a beat has so many blocks, each with a section of its own.

A section begins with a lane of its own, a message in lane 0. Only the last lane of a section may be partial, and only
in the last beat of a message lanes may be without bytes, behind all others. What is sent to an engine so, and what it
gives, are beats of several lanes; what is said of messages elsewhere is of lanes one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from aesmith.modes.message import BLOCK, Cipher
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import Maker, Traffic

_BITS = (1 << BLOCK) - 1


def gathered(beats: Sequence[Beat], lanes: int) -> list[Beat]:
    """Lanes as beats of so many. The last lane of several begins a beat if it has no bytes: it could not be told from
    none in another one."""
    filled = list(beats)
    if len(filled) > 1 and not filled[-1].keep:
        filled[-1:-1] = [Beat()] * ((1 - len(filled)) % lanes)
    filled += [Beat()] * (-len(filled) % lanes)
    return [_together(filled[first : first + lanes]) for first in range(0, len(filled), lanes)]


def separated(beats: Sequence[Beat]) -> list[Beat]:
    """Beats as lanes one by one, without those behind the last one of the message that has bytes."""
    made = [lane for beat in beats for lane in _lanes_of(beat)]
    unused = len(beats[-1].others)
    while unused and not made[-1].keep:
        made.pop()
        unused -= 1
    return [*made[:-1], replace(made[-1], last=beats[-1].last, failed=beats[-1].failed, error=beats[-1].error)]


def _together(lanes: Sequence[Beat]) -> Beat:
    return Beat(
        b"".join(lane.data for lane in lanes),
        sum(lane.keep << BLOCK * place for place, lane in enumerate(lanes)),
        lanes[0].section,
        last=any(lane.last for lane in lanes),
        failed=any(lane.failed for lane in lanes),
        error=any(lane.error for lane in lanes),
        others=tuple(lane.section for lane in lanes[1:]),
    )


def _lanes_of(beat: Beat) -> list[Beat]:
    return [
        Beat(beat.data[BLOCK * place : BLOCK * (place + 1)], beat.keep >> BLOCK * place & _BITS, section)
        for place, section in enumerate((beat.section, *beat.others))
    ]


def message_in_lanes(sent: StreamedMessage, random: Random, lanes: int) -> StreamedMessage:
    """A message as it is sent in beats of so many lanes; what those say that are not used is random."""
    beats = gathered(sent.beats, lanes)
    unused = [place for place in range(1, lanes) if not beats[-1].keep >> BLOCK * place]
    others = [
        random.choice(list(Section)) if place in unused else section
        for place, section in enumerate(beats[-1].others, 1)
    ]
    return replace(sent, beats=(*beats[:-1], replace(beats[-1], others=tuple(others))))


def traffic_in_lanes(traffic: Traffic, lanes: int) -> Traffic:
    """Messages of a mode in beats of so many lanes, each kind of bad one wrong in a lane."""

    def sent_by(
        make: Callable[[Random, Cipher, int], StreamedMessage],
    ) -> Callable[[Random, Cipher, int], StreamedMessage]:
        return lambda random, cipher, most: message_in_lanes(make(random, cipher, most), random, lanes)

    def broken_by(make: Maker) -> Maker:
        return lambda sent, random: message_in_lanes(make(sent, random), random, lanes)

    return replace(
        traffic,
        good=sent_by(traffic.good),
        tampered=traffic.tampered and sent_by(traffic.tampered),
        bad={fault: tuple(map(broken_by, makers)) for fault, makers in traffic.bad.items()},
    )

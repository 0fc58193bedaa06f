"""The self-checking testbench that travels with the build of an engine: messages and the answers of its model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from aesmith.assurance.standalone import MAKEFILE
from aesmith.assurance.streams.check import expected, offers_of
from aesmith.assurance.streams.vectors import vectors_of
from aesmith.assurance.texts import filled
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import BLOCK_BITS, SCAN_ENABLE, Line, Meaning
from aesmith.cores.wrapper import OPEN, attach
from aesmith.modes.engine import COMMAND, COMMAND_BITS, INPUT, MOST_SLOTS, OUTPUT, StreamEngine, key_payloads
from aesmith.modes.message import BLOCK, Cipher
from aesmith.modes.traffic import Keyed, in_slots, with_slots

VECTORS, RANDOM_MESSAGES, MOST_BYTES = 24, 48, 64
"""What travels: published messages, random ones, and the most bytes that a section of one of these has."""
LEAST = 8
"""Published messages, and random ones of each mode, that travel at least."""
CLOCKS = 5000
"""Of the bench of an engine, about so many by blocks of text: an interpreter like Icarus Verilog takes milliseconds for
each. Engines that take more get fewer messages and shorter ones, down to `LEAST` and SHORT_BYTES."""
SHORT_BYTES = 2 * BLOCK + 1

_SIZE_PLACE = MOST_SLOTS.bit_length() - 1
"""Where the size of a key stands beside its slot, if it has one of several."""

_SIGNALS: dict[str, str | Line] = {
    "clock": "clk",
    "reset": Line("rst_n", active=0),
    "key.valid": "key_valid",
    "key.ready": "key_ready",
    "key.key": "key",
    f"{COMMAND}.valid": "command_valid",
    f"{COMMAND}.ready": "command_ready",
    f"{COMMAND}.command": "command",
    **{f"{INPUT}.{role}": f"in_{role}" for role in ("valid", "ready", "keep", "user", "last")},
    f"{INPUT}.stream": "in_data",
    **{f"{OUTPUT}.{role}": f"out_{role}" for role in ("valid", "ready", "keep", "user", "last")},
    f"{OUTPUT}.stream": "out_data",
    "error.code": "code",
}
"""The testbench's signal at each port of an engine whose stream has whole beats."""


def standalone_messages(engine: StreamEngine) -> list[Keyed]:
    """The messages that travel, each under a key: published ones, random ones, good, tampered with and bad, and one of
    each kind of bad one.

    Always the same for equal engines.
    """
    whole = _messages(engine, VECTORS, RANDOM_MESSAGES, MOST_BYTES)
    share = CLOCKS / _clocks(engine, whole)
    if share >= 1:
        return whole
    least = min(RANDOM_MESSAGES, LEAST * len(engine.views))
    count, most = max(least, round(RANDOM_MESSAGES * share)), MOST_BYTES if share > 1 / 2 else SHORT_BYTES
    return _messages(engine, max(LEAST, round(VECTORS * share)), count, most)


def _messages(engine: StreamEngine, vectors: int, count: int, most: int) -> list[Keyed]:
    """So many published and random messages, of up to so many bytes a section, and one of each kind of bad one."""
    published = [(vector.key, vector.sent) for vector in vectors_of(engine, vectors)]
    random, traffic = Random(f"standalone {engine.mode}"), engine.stream_traffic
    key_bytes = [bits // 8 for bits in engine.key_bits]
    drawn = traffic.messages(random, count, most=most, key_bytes=key_bytes)
    drawn = in_slots(random, drawn, engine.key_slots)
    key = random.randbytes(key_bytes[-1])
    bad = [(key, sent) for sent in traffic.bad_ones(random, Cipher(key), most)]
    # The messages run twice, and the second time none is without a key.
    keyed = [(own, sent) for own, sent in drawn if own is not None]
    return [*published, *keyed, *bad, *engine.closing(key)]


def _clocks(engine: StreamEngine, sent: Sequence[Keyed]) -> float:
    """Clocks of the two rounds, about: each block takes those of one in a long message."""
    size = sum(beat.keep.bit_count() for _, message in sent for beat in message.beats)
    return 2 * (size / BLOCK + len(sent)) * engine.cycles_per_block


def _commands(engine: StreamEngine, sent: Sequence[Keyed]) -> Iterator[str]:
    """Keys, with their slots, and commands in the order in which they are offered."""
    digits = _item_bits(engine) // 4
    for _, slot, key, message in with_slots(sent, engine.key_slots):
        if key is not None:
            word, *size = key_payloads(key, key_bits=engine.key_bits)
            yield f"1_{sum(size) << _SIZE_PLACE | slot:02x}_{word:0{digits}x}"
        yield f"0_00_{message.command.word:0{digits}x}"


def _item_bits(engine: StreamEngine) -> int:
    """Bits of a key or a command, whichever has more."""
    return max(COMMAND_BITS, *engine.key_bits)


def _room(engine: StreamEngine) -> int:
    """Bits of data that the testbench has room for: of a beat, also where words come and go."""
    return max(BLOCK_BITS, engine.stream_bits)


def _line(engine: StreamEngine, payloads: Sequence[int]) -> str:
    """A beat of input or output: last, user, keep, data."""
    data, keep, user, last = payloads
    bits = _room(engine)
    return f"{last:x}_{user:0{(bits // 64 + 5) // 4}x}_{keep:0{bits // 32}x}_{data:0{bits // 4}x}"


def _beats(engine: StreamEngine, sent: Sequence[Keyed]) -> Iterator[str]:
    yield from (_line(engine, offer.payloads) for offer in offers_of(sent)[INPUT])


def _answers(engine: StreamEngine, sent: Sequence[Keyed]) -> Iterator[str]:
    """Every beat by the engine's model; the code stands behind messages that are refused."""
    for _, (payloads, code) in expected(engine, sent):
        refused = code if code is not None and payloads[2] >> 2 * engine.lanes & 2 else 0
        yield f"{refused:x}_{_line(engine, payloads)}"


def stream_testbench(engine: StreamEngine) -> tuple[SourceFile, ...]:
    """The files of a build's `tb` folder: testbench, messages and Makefile; the same text for the same engine.

    The Makefile expects the sources in `../rtl` and the one-file Verilog as `../NAME.v`.
    """
    name, ports, sent = engine.name, engine.ports, standalone_messages(engine)
    lines = {
        "commands": list(_commands(engine, sent)),
        "beats": list(_beats(engine, sent)),
        "answers": list(_answers(engine, sent)),
    }
    out = ports.channel(OUTPUT)
    assert out.valid is not None
    assert out.ready is not None
    values = {
        "NAME": name,
        "COMMAND_COUNT": str(len(lines["commands"])),
        "BEAT_COUNT": str(len(lines["beats"])),
        "ANSWER_COUNT": str(len(lines["answers"])),
        "MESSAGES": str(len(sent)),
        "KEY_BITS": str(max(engine.key_bits)),
        "ITEM_BITS": str(_item_bits(engine)),
        "DATA": str(_room(engine)),
        "PATIENCE": str(_patience(engine)),
        "INSTANCE": _instance(engine),
        "CODE": ports.role("error.code").name,
        "STALLED": f"{out.valid.port} or its payload changed before {out.ready.port}",
        "RTL": " ".join(f"../rtl/{source.name}" for source in engine.sources),
    }
    return (
        SourceFile(f"tb_{name}.sv", filled("stream_tb.sv.txt", values)),
        *(SourceFile(f"{name}_{what}.hex", "\n".join(items) + "\n") for what, items in lines.items()),
        SourceFile("Makefile", filled(MAKEFILE, values)),
    )


def _instance(engine: StreamEngine) -> str:
    """The engine in the testbench, whose words stand in the lowest bits of what has room for a beat."""
    signals, spare, key = dict(_SIGNALS), [], engine.ports.channel("key")
    slot, size = key.find(Meaning.SLOT), key.find(Meaning.KEY_SIZE)
    if size is not None:
        signals[f"key.{Meaning.KEY_SIZE}"] = f"key_slot[{_SIZE_PLACE + 1}:{_SIZE_PLACE}]"
    if slot is not None:
        signals[f"key.{Meaning.SLOT}"] = f"key_slot[{slot.width - 1}:0]"
    if engine.scan_enable:
        signals[SCAN_ENABLE] = "1'b0"
    if engine.clear:
        signals |= {"clear.clear": "1'b0", "cleared.cleared": OPEN}
    if engine.stream_words > 1:
        for role, what, whole in (("stream", "data", BLOCK_BITS), ("keep", "keep", BLOCK_BITS // 8)):
            width = whole // engine.stream_words
            signals |= {
                f"{INPUT}.{role}": f"in_{what}[{width - 1}:0]",
                f"{OUTPUT}.{role}": f"out_{what}[{width - 1}:0]",
            }
            spare.append(f"  assign out_{what}[{whole - 1}:{width}] = {whole - width}'d0;")
    return "\n".join([attach(engine.top, engine.ports, signals, instance="u_engine", verilog=True), *spare])


def _patience(engine: StreamEngine) -> int:
    """Clocks after which nothing is on its way any more: far more than the longest message here takes."""
    return 1000 + round(8 * engine.latency_cycles + 16 * MOST_BYTES * engine.cycles_per_block)

"""Scripts for the test bench of an engine with registers on a bus: single accesses, and messages for the driver.

They are made from the table of registers and the models of the modes, for all buses alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Literal

from aesmith import __version__
from aesmith.cores.design import Direction
from aesmith.modes.catalogue import MODES
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.registers import (
    IDENTITY,
    SPACE,
    Access,
    BitField,
    BusRegister,
    mode_number,
    modes_of,
    registers_of,
    tagged_modes,
)
from aesmith.modes.stream import StreamedMessage

OK, FAILED, REFUSED, ARGUMENT = 0, 1, 2, 3
"""What the driver says."""
ALL = 0xFFFF_FFFF
_SHOWN = ("gcm", "ctr", "cfb128", "ofb")
"""Modes whose text leaves as it comes, in whole blocks or not."""

_Line = Callable[..., str]
_Words = Callable[[bytes], list[int]]
_Parts = tuple[bytes, bytes, bytes, bytes]


def standalone_script(engine: StreamEngine) -> list[str]:
    """What travels: every register, errors, interrupts, and messages of all modes, without and with pauses."""
    behind = engine.behind_bus
    return [
        *register_script(behind),
        *error_script(behind),
        *self_test_script(behind),
        *sideload_script(behind),
        *stream_script(behind),
        *(in_byte_order(behind, access_script(behind)) if {*modes_of(behind)} & {*_SHOWN} else ()),
        *message_script(behind, Random("standalone"), 40),
        "pause 60 1",
        *message_script(behind, Random("standalone, with pauses"), 20),
    ]


def register_script(engine: StreamEngine) -> Iterator[str]:
    """Every word of addresses: what it reads as after reset, what of it can be written, and where it is an error."""
    yield "reset"
    at: dict[int, BusRegister] = {}
    for register in registers_of(engine, __version__):
        at |= {register.offset + 4 * word: register for word in range(register.count)}
    single = {address: found for address, found in at.items() if not found.window}
    yield from (f"read {address:x} {_at_rest(engine, found):x} ffffffff 0" for address, found in single.items())
    for address in range(0, SPACE, 4):
        if address not in at:
            yield from (f"read {address:x} 0 ffffffff 1", f"write {address:x} 0 f 1")
    for address, found in single.items():
        yield from (f"write {address:x} 0 {strobes:x} 1" for strobes in _PARTIAL)
        if not found.writable:
            yield f"write {address:x} ffffffff f 1"
        if found.name not in ("ERROR", "INTR_STATE"):
            yield f"read {address:x} {_at_rest(engine, found):x} ffffffff 0"
    # Bits that are kept, those of others as they were.
    plain = [found for found in at.values() if any(field.access is Access.READ_WRITE for field in found.fields)]
    for number, found in enumerate(plain):
        mask = sum(field.mask for field in found.fields if field.access is Access.READ_WRITE)
        for value in (ALL, 0x5A5A_A5A5, 0x0F0F_33CC):
            if found.name == "CTRL" and not mask:
                continue
            yield f"write {found.offset:x} {value:x} f 0"
            yield f"read {found.offset:x} {value & mask:x} {mask:x} 0"
            yield from (
                f"read {other.offset:x} {0x0F0F_33CC & _kept(other):x} {_kept(other):x} 0" for other in plain[:number]
            )
    # What is written to keys and IVs is read nowhere.
    yield "reset"
    for found in at.values():
        if found.name in ("KEY", "IV"):
            yield from (f"write {found.offset + 4 * word:x} deadbeef f 0" for word in range(found.count))
            yield from (f"read {address:x} 0 ffffffff 1" for address in range(0, SPACE, 4) if address not in at)
            yield from (f"read {found.offset + 4 * word:x} 0 ffffffff 0" for word in range(found.count))
    yield from (f"read {address:x} {0:x} ffffffff 0" for address, found in at.items() if found.name in ("KEY", "IV"))
    yield from _still_constant(at.values())


def _at_rest(engine: StreamEngine, register: BusRegister) -> int:
    """What a register reads as after reset and a self-test that comes with it."""
    tested = register.name == "STATUS" and engine.self_test == "on_reset"
    return 1 | _PASSED if tested else register.reset


_PASSED = 1 << 21
"""STATUS.PASSED."""
_PARTIAL = (1, 2, 4, 8, 3, 12)
"""Strobes that every bus can make and that are not a word."""


def _kept(register: BusRegister) -> int:
    return sum(field.mask for field in register.fields if field.access is Access.READ_WRITE)


def _still_constant(registers: object) -> Iterator[str]:
    assert hasattr(registers, "__iter__")
    for found in registers:
        if isinstance(found, BusRegister) and found.name in ("ID", "VERSION", "CAPS"):
            yield f"read {found.offset:x} {found.reset:x} ffffffff 0"


def error_script(engine: StreamEngine) -> Iterator[str]:
    """Accesses that must fail and do nothing, and what ERROR and the interrupts say of them."""
    registers = registers_of(engine, __version__)
    at = {register.name: register.offset for register in registers}
    mapped = {register.offset + 4 * word for register in registers for word in range(register.count)}
    spare = [address for address in range(0, SPACE, 4) if address not in mapped]

    def write(name: str, data: int, *, error: int = 0, strobes: int = 15, word: int = 0) -> str:
        return f"write {at[name] + 4 * word:x} {data:x} {strobes:x} {error:x}"

    def read(name: str, data: int, mask: int = ALL, error: int = 0) -> str:
        return f"read {at[name]:x} {data:x} {mask:x} {error:x}"

    def errors(*bits: int) -> Iterator[str]:
        """ERROR and the interrupt say so, and are cleared bit by bit."""
        word = sum(1 << bit for bit in bits)
        yield from (read("ERROR", word), read("INTR_STATE", 4, 7))
        yield from (write("ERROR", 0), read("ERROR", word), write("ERROR", ALL ^ word), read("ERROR", word))
        yield from (write("ERROR", word), read("ERROR", 0), write("INTR_STATE", 3), read("INTR_STATE", 4, 7))
        yield from (write("INTR_STATE", 4), read("INTR_STATE", 0, 7))

    key_words = engine.key_bits[0] // 32
    yield from ("reset", read("ERROR", 0), f"read {SPACE - 4 * 33:x} 0 0 0")
    yield from (f"read {spare[0]:x} 0 ffffffff 1", *errors(0), f"write {spare[-1]:x} 0 f 1", *errors(0))
    yield from (write("ID", 0, error=1), *errors(1), write("STATUS", ALL, error=1), *errors(1))
    yield from (write("CTRL", ALL, error=1, strobes=1), *errors(1), write("DATA_OUT", 0, error=1), *errors(1))
    yield from (write("TRIGGER", 8 << (engine.self_test != "none"), error=1), *errors(1))
    if not engine.clear:
        yield from (write("TRIGGER", 4, error=1), *errors(1))
    # A key that is not whole, or mixed with an IV, is not loaded; nor does it open a message.
    yield from (write("TRIGGER", 2, error=1), *errors(3))
    for missing in range(key_words):
        yield write("IV", 0)
        yield from (write("KEY", 1, word=word) for word in range(key_words) if word != missing)
        yield from (write("TRIGGER", 2, error=1), read("STATUS", 1, 0x3F))
        yield write("IV", 0)
        yield from (write("KEY", 1, word=word) for word in range(key_words) if word != missing)
        yield write("TRIGGER", 2, error=1)
    yield write("IV", 0)
    yield from (write("KEY", 1, word=word) for word in range(key_words))
    yield from (write("IV", 0, word=3), write("TRIGGER", 2, error=1))
    yield from (write("KEY", 1, word=word) for word in range(key_words))
    yield from (write("TRIGGER", 1, error=1), write("TRIGGER", 3, error=1), *errors(3))
    # Data without a message.
    yield from (write("INPUT", 0x312), write("DATA_IN", 1, error=1), *errors(3), read("INPUT", 0x312))
    # Nothing comes: the access ends.
    yield from (read("DATA_OUT", 0, error=1), *errors(5))
    # Interrupts, by INTR_TEST: state, enable, and the line.
    yield from (write("INTR_ENABLE", 0), write("INTR_TEST", 0x1F), read("INTR_STATE", 0x1F), "idle 2", "pins 0 1")
    for bit in range(5):
        yield from (write("INTR_TEST", 1 << bit), write("INTR_ENABLE", 1 << bit), "idle 2", "pins 1 1")
        yield from (
            write("INTR_ENABLE", 0x1F ^ (1 << bit)),
            write("INTR_TEST", 0),
            write("INTR_STATE", 0x1F ^ (1 << bit)),
        )
        yield from (
            read("INTR_STATE", 1 << bit if bit < 3 else 0),
            "idle 2",
            "pins 0 1",
            write("INTR_STATE", 0x1F),
            read("INTR_STATE", 0),
        )
    yield write("INTR_ENABLE", 0)


def self_test_script(engine: StreamEngine, cipher: type[Cipher] = Cipher) -> Iterator[str]:
    """The self-test: what is locked before it has passed, that it says nothing but its verdict, that it can be
    repeated, and that no message begins with its key. Nothing for an engine without one."""
    if engine.self_test == "none":
        return
    at = {register.name: register.offset for register in registers_of(engine, __version__)}

    def write(name: str, data: int, error: int = 0) -> str:
        return f"write {at[name]:x} {data:x} f {error:x}"

    def read(name: str, data: int, mask: int = ALL, error: int = 0) -> str:
        return f"read {at[name]:x} {data:x} {mask:x} {error:x}"

    testing, passed = 1 << 20, _PASSED
    locked = (
        read("ID", IDENTITY),
        *(write(name, 1, 1) for name in ("KEY", "TRIGGER", "CTRL", "DATA_IN")),
        *(read(name, 0, ALL, 1) for name in ("DATA_OUT", "RESULT", "KEY")),
        *(read("STATUS", testing, testing | passed | 0x17307), "pins 0 e", read("ERROR", 0x40), write("ERROR", 0x40)),
        *(read("INTR_STATE", 4), write("INTR_STATE", 4), read("INTR_STATE", 0), "pins 0 f"),
    )
    if engine.self_test == "on_reset":
        yield from ("start", *locked)
    yield from ("reset", write("INTR_ENABLE", 0x1F), *(f"write {at['IV'] + 4 * word:x} 0 f 0" for word in range(4)))
    if engine.self_test == "on_reset":
        yield from (write("TRIGGER", 1, 1), read("ERROR", 8), write("ERROR", 8), write("INTR_STATE", 4))
    yield from (*(write("TRIGGER", 8 | other, 1) for other in (1, 2, 4)), read("ERROR", 2), write("ERROR", 2))
    for _ in range(2):
        yield from (
            write("INTR_STATE", 4),
            write("INTR_ENABLE", 0x1F),
            write("TRIGGER", 8),
            *locked,
            write("INTR_ENABLE", 0),
        )
        yield from (
            "test 0",
            "idle 4",
            read("STATUS", 1 | passed),
            "pins 0 f",
            read("INTR_STATE", 0),
            read("RESULT", 0),
        )
        yield from (*(read(name, 0) for name in ("ERROR", "CTRL", "INPUT") if _reads(engine, name)),)
        # No message with the test's key.
        yield from (f"write {at['IV'] + 4 * word:x} 0 f 0" for word in range(4))
        yield from (write("TRIGGER", 1, 1), read("ERROR", 8), write("ERROR", 8), write("INTR_STATE", 4))
    # Its key goes to slot 0, whichever CTRL named before: another keeps what it has, which a clear takes away.
    if engine.key_slots > 1:
        slot, key = engine.key_slots - 1, bytes(range(1, engine.key_bits[0] // 8 + 1))
        yield from (f"key {slot:x} {key.hex()} 0", "test 0")
        yield from message_lines(engine, Random("another slot"), modes_of(engine)[0], slot, cipher(key), most=20)
        if engine.clear:
            yield from (f"key {slot:x} {key.hex()} 0", write("TRIGGER", 4), "idle 20", "test 0")
    # None starts while a message is under way, or its result is not taken.
    busy = (write("TRIGGER", 8, 1), read("ERROR", 4), write("ERROR", 4), write("INTR_STATE", 4))
    yield f"key 0 {bytes(engine.key_bits[0] // 8).hex()} 0"
    yield from (write("CTRL", 1 << 28), *(f"write {at['IV'] + 4 * word:x} 0 f 0" for word in range(4)))
    yield from (
        write("TRIGGER", 1),
        "idle 40",
        *busy,
        write("INPUT", 0x302),
        write("DATA_IN", 0),
        *busy,
        "idle 7d0",
        *busy,
    )
    yield from (read("RESULT", 1, 1), write("RESULT", 1), write("INTR_STATE", 7), "test 0")
    yield from message_script(engine, Random("after the self-test"), 2, cipher=cipher, reset=False)


def sideload_script(engine: StreamEngine, cipher: type[Cipher] = Cipher) -> Iterator[str]:
    """Keys of a vault, by which messages go; and the lock, which nothing but a reset undoes. Nothing for an engine
    without."""
    if not engine.sideload:
        return
    at = {register.name: register.offset for register in registers_of(engine, __version__)}
    random, slot = Random("vault"), engine.key_slots - 1

    def messages() -> Iterator[str]:
        key = random.randbytes(engine.key_bits[0] // 8)
        yield f"vault {slot:x} {key.hex()}"
        for mode in modes_of(engine):
            yield from message_lines(engine, random, mode, slot, cipher(key), most=40)

    def locked(now: int) -> Iterator[str]:
        """What software may do with keys."""
        yield f"read {at['LOCK']:x} {now:x} ffffffff 0"
        for word in range(engine.key_bits[0] // 32):
            yield f"write {at['KEY'] + 4 * word:x} 5 f {now:x}"
        yield f"write {at['TRIGGER']:x} 2 f {now:x}"
        yield f"read {at['ERROR']:x} {2 * now:x} ffffffff 0"
        yield from (f"write {at['ERROR']:x} 2 f 0", f"write {at['INTR_STATE']:x} 4 f 0", "idle 400")

    yield from ("reset", *messages(), *locked(0), *messages())
    yield from (f"write {at['LOCK']:x} 0 f 0", *locked(0), f"write {at['LOCK']:x} 1 f 0", *locked(1), *messages())
    yield from (f"write {at['LOCK']:x} 0 f 0", *locked(1))
    if engine.clear:
        yield from (f"write {at['TRIGGER']:x} 4 f 0", "idle 20", *locked(1), *messages())
    if engine.self_test != "none":
        yield from ("test 0", *locked(1), *messages())
    yield from ("reset", *locked(0))


def in_byte_order(engine: StreamEngine, lines: Iterable[str]) -> Iterator[str]:
    """Accesses whose words of keys, IVs and data have byte 0 in bits 7:0, as the engine's registers have it."""
    for line in lines:
        what, *words = line.split()
        address = int(words[0], 16) if what in ("read", "write") else 0
        if not engine.big_endian or not (0x40 <= address < 0x90 or address >= 0x100):
            yield line
            continue
        words[1] = int(words[1], 16).to_bytes(4, "little").hex()
        if what == "read":
            words[2] = int(words[2], 16).to_bytes(4, "little").hex()
        else:
            words[2] = f"{int(f'{int(words[2], 16):04b}'[::-1], 2):x}"
        yield " ".join((what, *words))


def stream_script(engine: StreamEngine, cipher: type[Cipher] = Cipher) -> Iterator[str]:
    """Messages of all modes by the streams beside the registers, with and without pauses, and between messages by
    registers. Nothing for an engine without."""
    if not engine.data_streams:
        return
    at = {register.name: register.offset for register in registers_of(engine, __version__)}
    random = Random("streams")
    key = random.randbytes(engine.key_bits[0] // 8)
    kept = sum(field.mask for field in _fields(engine, "CTRL"))
    yield from ("reset", f"key 0 {key.hex()} 0")
    for number in range(3 * len(engine.views)):
        if number == len(engine.views):
            yield "pause 60 3"
        view = engine.views[number % len(engine.views)]
        message = _message(engine, random, view.mode, 60)
        made = MODES[view.mode].encrypt(cipher(key), message)
        for way in view.mode_directions:
            encrypt = way is Direction.ENCRYPT
            whole = message if encrypt else replace(message, text=made.text or message.text, tag=made.tag)
            sent = view.in_words(view.sends(whole, encrypt=encrypt))
            yield from _streamed_lines(view, at, kept, sent, cipher(key))
        yield from message_lines(engine, random, view.mode, 0, cipher(key), most=20)
    yield from ("pause 0 1", f"write {at['DATA_IN']:x} 1 f 1", "reset")


def _streamed_lines(
    view: StreamEngine, at: Mapping[str, int], kept: int, sent: StreamedMessage, cipher: Cipher
) -> Iterator[str]:
    """A message by the streams: command by registers, words, and RESULT."""
    answer, fault = view.answer(cipher, sent)
    assert fault is None, fault
    yield f"write {at['CTRL']:x} {(sent.command.word | 1 << 14) & kept:x} f 0"
    order: Literal["big", "little"] = "big" if view.big_endian else "little"
    for place in range(0, len(sent.command.iv), 4):
        word = int.from_bytes(sent.command.iv[place : place + 4].ljust(4, b"0"), order)
        yield f"write {at['IV'] + place:x} {word:x} f 0"
    yield from (f"write {at['TRIGGER']:x} 1 f 0", "idle 40", f"read {at['STATUS']:x} 20 26 0", "pins 0 6")
    yield from (f"write {at['DATA_IN']:x} 1 f 1", f"write {at['ERROR']:x} 8 f 0")
    words = " ".join(f"{beat.section:d}:{beat.data[: beat.keep.bit_count()].hex()}" for beat in sent.beats)
    made = b"".join(beat.data[: beat.keep.bit_count()] for beat in answer)
    yield f"stream {words} / {made.hex() or '-'} {answer[-1].user:x}"
    yield from (
        "idle 2",
        f"read {at['RESULT']:x} {1 | answer[-1].failed << 1:x} ffffffff 0",
        f"write {at['RESULT']:x} 1 f 0",
    )
    yield f"write {at['INTR_STATE']:x} 7 f 0"


def _reads(engine: StreamEngine, name: str) -> bool:
    return any(field.access is not Access.WRITE for field in _fields(engine, name))


def access_script(engine: StreamEngine, cipher: type[Cipher] = Cipher) -> Iterator[str]:
    """A message by single accesses, and what registers say on the way: partial words by strobes and by INPUT, requests,
    interrupts, what must not be written meanwhile; and, where the engine has a clear, one in its midst."""
    at = {register.name: register.offset for register in registers_of(engine, __version__)}

    def write(name: str, data: int, *, error: int = 0, strobes: int = 15, word: int = 0) -> str:
        return f"write {at[name] + 4 * word:x} {data:x} {strobes:x} {error:x}"

    def read(name: str, data: int, mask: int = ALL, error: int = 0, *, word: int = 0) -> str:
        return f"read {at[name] + 4 * word:x} {data:x} {mask:x} {error:x}"

    def words(data: bytes) -> list[int]:
        return [int.from_bytes(data[place : place + 4], "little") for place in range(0, len(data), 4)]

    mode, random = _plain_mode(engine), Random(f"accesses {engine.mode}")
    key, text = random.randbytes(engine.key_bits[0] // 8), random.randbytes(22)
    iv = random.randbytes(12 if mode == "gcm" else 16)
    tag = bytes(12 * (mode == "gcm"))
    sealed = MODES[mode].encrypt(cipher(key), Message(iv, b"", text, tag))
    control = mode_number(mode) << 1 if engine.mode_numbers else 0
    control |= len(tag) << 4 | len(iv) << 24 | (engine.key_slots - 1) << 8 | 1
    kept = sum(field.mask for field in _fields(engine, "CTRL"))
    busy = read("ERROR", 4), write("ERROR", 4), write("INTR_STATE", 4)

    yield from ("reset", write("INTR_ENABLE", 1), "pins 0 7", read("STATUS", 1, 0x3F), write("CTRL", control))
    # Words of a key in any order, one of them twice.
    order = [*range(len(key) // 4)]
    random.shuffle(order)
    yield write("KEY", 0, word=order[0])
    yield from (write("KEY", words(key)[word], word=word) for word in order)
    yield from (write("TRIGGER", 2), "idle 40", read("STATUS", 1, 0x3F))
    # It is gone from the registers.
    yield from (write("TRIGGER", 2, error=1), write("ERROR", 8), write("INTR_STATE", 4))
    order = [*range(len(iv) // 4)]
    for missing in order:
        yield write("KEY", 0)
        yield from (write("IV", value, word=word) for word, value in enumerate(words(iv)) if word != missing)
        yield write("TRIGGER", 1, error=1)
    yield from (write("KEY", 0), write("ERROR", 8), write("INTR_STATE", 4))
    yield from (write("IV", words(iv)[word], word=word) for word in reversed(order))
    yield from (write("TRIGGER", 1), "idle 40", read("CTRL", control & kept), read("STATUS", 0x22, 0x3F), "pins 2 7")
    yield from (write("TRIGGER", 1, error=1), *busy, write("INPUT", 2), read("INPUT", 2))
    ins, outs = words(text), words(sealed.text)
    for strobes in (2, 4, 8, 12):
        yield from (write("DATA_IN", 0, error=1, strobes=strobes), write("ERROR", 2), write("INTR_STATE", 4))
    yield from (write("DATA_IN", ins[word], word=7 * word) for word in range(4))
    alone = not engine.looks_at_lengths and not engine.room_for_a_block
    if alone:
        # The engine of several modes answers a block before it takes another word.
        yield from (write("DATA_IN", 1, error=1), read("ERROR", 0x10), write("ERROR", 0x10), write("INTR_STATE", 4))
    yield from ("idle 40", "pins 4 4", read("INTR_STATE", 0x10, 0x17), read("STATUS", 0x4224, 0x17324))
    yield from (read("DATA_OUT", outs[word], word=5 * word) for word in range(4))
    yield from ("idle 40", "pins 2 7", read("RESULT", 0))
    # A full word that INPUT says is the last, and has two bytes by its strobes.
    yield from (
        write("DATA_IN", ins[4]),
        write("INPUT", 0x102),
        read("INPUT", 0x102),
        write("DATA_IN", ins[5], strobes=3),
    )
    yield from (read("INPUT", 2), "idle 40", read("STATUS", 0x4204, 0x17324 & ~0x20), read("DATA_OUT", outs[4]))
    yield from ("idle 4", read("STATUS", 0x2204 | (not tag) << 16, 0x17304))
    yield from ("pins 0 1", read("DATA_OUT", outs[5]))
    if tag:
        made = words(sealed.tag)
        if alone:
            # Nor does it accept a command while an answer is under way: a pending one is not overwritten.
            yield from (write("IV", 1, word=word) for word in range(4))
            yield from (
                write("TRIGGER", 1),
                read("STATUS", 0x10, 0x19),
                write("IV", 2, error=1),
                write("KEY", 2, error=1),
            )
            yield from (write("CTRL", 0, error=1), write("TRIGGER", 1, error=1), write("TRIGGER", 2, error=1), *busy)
            yield from (read("CTRL", control & kept), read("STATUS", 0x10, 0x19))
        yield from ("idle 60", read("STATUS", 0x4304, 0x17304), *(read("DATA_OUT", word) for word in made[:2]))
        yield from ("idle 2", read("STATUS", 0x14304, 0x17304), read("RESULT", 0), read("DATA_OUT", made[2]))
    yield from (
        "idle 2",
        "pins 1 1",
        read("INTR_STATE", 1, 7),
        read("RESULT", 1),
        read("DATA_OUT", 0),
        read("RESULT", 1),
    )
    yield from (write("INTR_STATE", 1), "idle 2", "pins 0 1", read("RESULT", 1), write("RESULT", 6), read("RESULT", 1))
    if tag and alone:
        # The next message is not shown before RESULT was emptied.
        yield from (
            write("INPUT", 2),
            *(write("DATA_IN", 1) for _ in range(4)),
            "idle 40",
            "pins 0 4",
            read("DATA_OUT", 0),
        )
        yield from (read("STATUS", 0x20, 0x24), write("RESULT", 1), read("STATUS", 0x24, 0x24), "reset")
    else:
        yield from (write("RESULT", 1), read("RESULT", 0), read("ERROR", 0))
        yield "reset"
    if tag:
        held = engine.most_beats is not None or bool(getattr(engine, "holds_text", False))
        yield from _wrong_tag(read, write, words, (key, iv, sealed.text, sealed.tag), control=control, held=held)
    if engine.self_test != "on_reset":
        yield from _refused(read, write, control)
    if engine.clear:
        yield from _cleared(engine, read, write, control)


def _wrong_tag(read: _Line, write: _Line, words: _Words, parts: _Parts, *, control: int, held: bool) -> Iterator[str]:
    """A message to decrypt whose tag is wrong in its last byte: no word of the tag is ever shown."""
    key, iv, text, tag = parts
    yield from (write("CTRL", control & ~1), *(write("KEY", word, word=place) for place, word in enumerate(words(key))))
    yield from (write("TRIGGER", 2),)
    yield from (
        "idle 40",
        *(write("IV", word, word=place) for place, word in enumerate(words(iv))),
        write("TRIGGER", 1),
    )
    yield from (write("INTR_ENABLE", 2), write("INPUT", 2), *(write("DATA_IN", word) for word in words(text[:16])))
    if not held:
        yield from (read("DATA_OUT", 0, 0) for _ in range(4))
    yield from (
        write("DATA_IN", words(text)[4]),
        write("INPUT", 0x22),
        write("DATA_IN", words(text)[5]),
        read("INPUT", 2),
    )
    if not held:
        yield from (read("DATA_OUT", 0, 0) for _ in range(2))
    wrong = words(tag[:-1] + bytes([tag[-1] ^ 0x80]))
    yield from ("pins 0 1", write("INPUT", 3), *(write("DATA_IN", word) for word in wrong[:-1]), write("INPUT", 0x103))
    yield from (write("DATA_IN", wrong[-1]), "idle 80", "pins 1 5", read("STATUS", 0, 4), read("INTR_STATE", 3, 0x17))
    yield from (
        read("RESULT", 3),
        read("DATA_OUT", 0),
        write("RESULT", 1),
        write("INTR_STATE", 7),
        read("RESULT", 0),
        "reset",
    )


def _refused(read: _Line, write: _Line, control: int) -> Iterator[str]:
    """A message before any key: its words are taken, and RESULT says why."""
    yield from (write("CTRL", control), *(write("IV", 1, word=word) for word in range(4)), write("TRIGGER", 1))
    yield from (write("INTR_ENABLE", 4), write("INPUT", 2), *(write("DATA_IN", word) for word in range(9)))
    yield from (
        write("INPUT", 0x102),
        write("DATA_IN", 5),
        "idle 40",
        "pins 1 5",
        read("RESULT", 0x405),
        read("INTR_STATE", 5, 7),
    )
    yield from (
        read("DATA_OUT", 0),
        write("INTR_STATE", 7),
        "idle 2",
        "pins 0 1",
        read("RESULT", 0x405),
        write("RESULT", 1),
    )
    # The IV is gone, too.
    yield from (read("RESULT", 0), read("STATUS", 1, 0x3F), write("TRIGGER", 1, error=1), write("ERROR", 8))


def _cleared(engine: StreamEngine, read: _Line, write: _Line, control: int) -> Iterator[str]:
    """A clear before a key is loaded, and in the middle of a message: all is forgotten, the next message is served."""
    key_words = engine.key_bits[0] // 32
    yield "reset"
    yield from (write("KEY", 3, word=word) for word in range(key_words))
    yield from (
        write("TRIGGER", 4),
        "idle 4",
        read("STATUS", 0x41, 0x7F),
        write("TRIGGER", 2, error=1),
        write("ERROR", 8),
    )
    yield from (
        write("CTRL", control),
        *(write("KEY", 3, word=word) for word in range(key_words)),
        write("TRIGGER", 2),
        "idle 40",
    )
    yield from (read("STATUS", 1, 0x7F), *(write("IV", 3, word=word) for word in range(4)), write("TRIGGER", 1))
    yield from (write("INPUT", 2), *(write("DATA_IN", word) for word in range(3)), write("TRIGGER", 4), "idle 8")
    yield from (read("STATUS", 0x41, 0x7F), read("RESULT", 0), read("ERROR", 0))
    # Without a key again.
    yield from _refused(read, write, control)
    yield "reset"


def _plain_mode(engine: StreamEngine) -> str:
    """A mode of it that gives text as it comes, in whole blocks or not."""
    return next(mode for mode in _SHOWN if mode in modes_of(engine))


def _fields(engine: StreamEngine, name: str) -> tuple[BitField, ...]:
    return next(register.fields for register in registers_of(engine, __version__) if register.name == name)


def message_script(
    engine: StreamEngine,
    random: Random,
    count: int,
    most: int = 80,
    cipher: type[Cipher] = Cipher,
    *,
    reset: bool = True,
) -> Iterator[str]:
    """Messages of all modes that are built, under a new key now and then: good ones, and some with a wrong tag."""
    yield from ["reset"] * reset
    keys: dict[int, bytes] = {}
    for number in range(count):
        slot = random.randrange(engine.key_slots)
        if slot not in keys or random.random() < 0.2:
            keys[slot] = random.randbytes(engine.key_bits[0] // 8)
            yield f"key {slot:x} {keys[slot].hex()} 0"
        mode = modes_of(engine)[number % len(modes_of(engine))]
        yield from message_lines(engine, random, mode, slot, cipher(keys[slot]), most=most)


_TAG_BYTES: Mapping[str, tuple[int, ...]] = {
    "cmac": tuple(range(4, 17)),
    "ccm": (4, 6, 8, 10, 12, 14, 16),
    "gcm": (4, 8, 12, 13, 14, 15, 16),
    "ocb3": tuple(range(1, 17)),
}


def _message(engine: StreamEngine, random: Random, mode: str, most: int) -> Message:
    """A random message of a mode, short of what an engine that holds text takes."""
    size = random.choice((0, 1, 15, 16, 17, 32, random.randint(0, most)))
    header = random.choice((0, 0, 1, 14, 16, 20, 33)) if mode in ("gcm", "ccm", "ocb3") else 0
    held = engine.most_beats
    if held is not None:
        size = min(size, BLOCK * (held - 1))
    if mode in ("ecb", "cbc"):
        size -= size % BLOCK
    if mode == "xts":
        size = max(size, BLOCK)
    ivs = {"ecb": (0,), "cmac": (0,), "ccm": range(7, 14), "ocb3": range(1, 16), "gcm": (12,)}.get(mode, (16,))
    if mode == "gcm" and engine.takes_any_iv:
        ivs = (12, 12, 1, 7, 16, 20)
    tags = _TAG_BYTES.get(mode, (0,))
    iv, tag = random.randbytes(random.choice(list(ivs))), bytes(random.choice(tags))
    if held is not None and -(-header // BLOCK) + -(-size // BLOCK) > held:
        header = 0
    return Message(iv, random.randbytes(header), random.randbytes(size), tag)


def message_lines(
    engine: StreamEngine, random: Random, mode: str, slot: int, cipher: Cipher, *, most: int
) -> Iterator[str]:
    """A message of a mode encrypted, or decrypted, with a wrong tag at times, as the engine can."""
    message, number = _message(engine, random, mode, most), mode_number(mode)
    made = MODES[mode].encrypt(cipher, message)
    shows = mode != "cmac"

    def line(encrypt: bool, text: bytes, tag: bytes, status: int, out: bytes, *, code: int = 0) -> str:
        shown = _digits(out) if shows else "none"
        return (
            f"message {number:x} {encrypt:d} {slot:x} {_digits(message.iv)} {_digits(message.header)} {_digits(text)} "
            f"{_digits(tag)} {status:x} {code:x} {shown}"
        )

    inverse = mode in ("ecb", "cbc", "xts")
    ways = engine.directions if engine.mode != mode or inverse else engine.mode_directions
    if inverse and engine.mode_numbers:
        ways = engine.core.directions
    mac = mode == "cmac"
    if Direction.ENCRYPT in ways:
        yield line(True, message.text, made.tag, OK, message.text if mac else made.text)
    if Direction.DECRYPT in ways:
        text = message.text if mac else made.text
        yield line(False, text, made.tag, OK, message.text)
        if mode in tagged_modes(engine):
            place = random.randrange(8 * len(made.tag))
            wrong = (int.from_bytes(made.tag) ^ 1 << place).to_bytes(len(made.tag))
            yield line(False, text, wrong, FAILED, bytes(len(text)))
    for missing in {Direction.ENCRYPT, Direction.DECRYPT} - {*ways} if engine.mode_numbers else ():
        yield line(
            missing is Direction.ENCRYPT, message.text, b"", REFUSED, bytes(len(message.text)), code=int(Fault.MODE)
        )


def _digits(data: bytes) -> str:
    return data.hex() or "-"

"""The registers before an engine, as one table: the RTL's parameters, C header, SystemRDL, IP-XACT and the datasheet's
table are made from it, and a test holds the RTL against it, register by register.

Registers are words of 32 bits, byte 0 of a key, IV or text in bits 7:0 of its first word. `aesmith_register_front` is
the hardware.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from aesmith.cores.design import Direction

IDENTITY = 0x4153_4D01
"""What ID reads as: `ASM` and the version of the map."""
SPACE = 512
"""Bytes of addresses."""
_TAGGED = frozenset({"cmac", "ccm", "gcm", "ocb3"})
_IV_BYTES: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(("ecb", "cmac"), (0,)),
    **dict.fromkeys(("cbc", "cfb128", "cfb8", "ofb", "ctr", "ccm", "xts"), (16,)),
    "gcm": (12,),
    "ocb3": tuple(range(1, 16)),
}
"""Bytes of the IV that commands of each mode may name; of CCM those of B0."""


class Access(StrEnum):
    """What software may do with a field. Of a register that may be written, bits that are not there are ignored."""

    READ = "r"
    READ_WRITE = "rw"
    WRITE = "w"
    SET = "w1s"
    """Read; a 1 that is written sets the bit until reset."""
    CLEAR = "w1c"
    """Read; a 1 that is written clears the bit."""


@dataclass(frozen=True)
class BitField:
    """Bits `low` to `high` of a register; `reset` is what it holds after reset, `changes` whether hardware moves it."""

    name: str
    low: int
    bits: int
    access: Access
    about: str
    reset: int = 0
    changes: bool = False

    @property
    def high(self) -> int:
        """Its highest bit."""
        return self.low + self.bits - 1

    @property
    def mask(self) -> int:
        """Its bits in the register."""
        return (1 << self.bits) - 1 << self.low


@dataclass(frozen=True)
class BusRegister:
    """A register, or `count` equal ones in a row, from byte address `offset` on; a `window` is one register at all of
    them."""

    name: str
    offset: int
    about: str
    fields: tuple[BitField, ...]
    count: int = 1
    window: bool = False

    @property
    def writable(self) -> bool:
        """Whether a write is no error."""
        return any(field.access is not Access.READ for field in self.fields)

    @property
    def readable(self) -> bool:
        """Whether it reads as anything but 0."""
        return any(field.access is not Access.WRITE for field in self.fields)

    @property
    def reset(self) -> int:
        """What it reads as after reset."""
        return sum(field.reset << field.low for field in self.fields if field.access is not Access.WRITE)


class Registered(Protocol):
    """What of an engine its registers are made of."""

    @property
    def mode(self) -> str: ...
    @property
    def mode_numbers(self) -> Mapping[str, int]: ...
    @property
    def directions(self) -> tuple[Direction, ...]: ...
    @property
    def key_bits(self) -> tuple[int, ...]: ...
    @property
    def key_slots(self) -> int: ...
    @property
    def clear(self) -> bool: ...
    @property
    def self_test(self) -> str: ...
    @property
    def alarm(self) -> bool: ...
    @property
    def sideload(self) -> bool: ...
    @property
    def data_streams(self) -> bool: ...
    @property
    def big_endian(self) -> bool: ...
    @property
    def data_fifo(self) -> bool: ...
    @property
    def takes_any_iv(self) -> bool: ...
    @property
    def latency_cycles(self) -> int: ...


def modes_of(engine: Registered) -> tuple[str, ...]:
    """The modes that commands may ask for."""
    return tuple(engine.mode_numbers) or (engine.mode,)


_NUMBERS = ("ecb", "cbc", "cfb128", "ofb", "ctr", "cmac", "ccm", "gcm", "xts", "ocb3", "cfb8")
"""The modes, each at its number: of those that a command may name, the one that it names them by."""


def mode_number(mode: str) -> int:
    """The number of a mode for software."""
    return _NUMBERS.index(mode)


def tagged_modes(engine: Registered) -> tuple[str, ...]:
    """The modes of it that have a tag."""
    return tuple(mode for mode in modes_of(engine) if mode in _TAGGED)


def iv_lengths(engine: Registered) -> tuple[int, ...]:
    """Bytes of the IV that a command may say."""
    found = {length for mode in modes_of(engine) for length in _IV_BYTES[mode]}
    if "gcm" in modes_of(engine) and engine.takes_any_iv:
        found |= {0}
    return tuple(sorted(found))


def control_fields(engine: Registered) -> tuple[BitField, ...]:
    """Fields of CTRL: of the command's lowest 32 bits those that the engine looks at and that may differ."""
    fields = []
    if len(engine.directions) > 1:
        fields.append(
            BitField("ENCRYPT", 0, 1, Access.READ_WRITE, "1 to encrypt or to make a tag, 0 to decrypt or to check one")
        )
    if engine.mode_numbers:
        named = ", ".join(f"{number} {mode.upper()}" for mode, number in engine.mode_numbers.items())
        fields.append(BitField("MODE", 1, 3, Access.READ_WRITE, named))
    if tagged_modes(engine):
        fields.append(BitField("TAG_BYTES", 4, 4, Access.READ_WRITE, "bytes of the tag, 0 for 16"))
    if engine.key_slots > 1:
        bits = (engine.key_slots - 1).bit_length()
        fields.append(BitField("SLOT", 8, bits, Access.READ_WRITE, "slot of the key, of messages and of TRIGGER.KEY"))
    if engine.data_streams:
        fields.append(
            BitField("STREAMS", 14, 1, Access.READ_WRITE, "1 for data by the streams instead of the registers")
        )
    if len(iv_lengths(engine)) > 1:
        fields.append(
            BitField("IV_BYTES", 24, 5, Access.READ_WRITE, "bytes of the IV; 0 if it comes as data or there is none")
        )
    return tuple(fields)


def front_parameters(engine: Registered, version: str) -> Mapping[str, int | str]:
    """Parameters of `aesmith_register_front`."""
    lengths = iv_lengths(engine)
    fixed = (lengths[0] << 24 if len(lengths) == 1 else 0) | (engine.directions == (Direction.ENCRYPT,))
    return {
        "KeyBits": engine.key_bits[0],
        "ControlMask": _word(sum(field.mask for field in control_fields(engine))),
        "ControlFixed": _word(fixed),
        "Clear": f"1'b{engine.clear:d}",
        "Alarm": f"1'b{engine.alarm:d}",
        "Sideload": f"1'b{engine.sideload:d}",
        "Streams": f"1'b{engine.data_streams:d}",
        "BigEndian": f"1'b{engine.big_endian:d}",
        "SelfTest": f"1'b{engine.self_test != 'none':d}",
        "WaitBits": wait_bits(engine),
        "Identity": _word(IDENTITY),
        "Version": _word(version_word(version)),
        "Capabilities": _word(capabilities(engine)),
    }


def _word(value: int) -> str:
    return f"32'h{value:08x}"


def version_word(version: str) -> int:
    """What VERSION reads as: 8 bits each of the first three numbers of a version."""
    numbers = [int("".join(filter(str.isdigit, part)) or 0) for part in version.split(".")[:3]]
    return sum(min(number, 255) << place for number, place in zip(numbers, (16, 8, 0), strict=False))


def capabilities(engine: Registered) -> int:
    """What CAPS reads as."""
    modes = sum(1 << number for number in engine.mode_numbers.values())
    sizes = engine.key_bits[0] // 32
    ways = sum(
        1 << place for place, way in enumerate((Direction.ENCRYPT, Direction.DECRYPT)) if way in engine.directions
    )
    tests = engine.self_test != "none"
    return (
        modes
        | sizes << 8
        | ways << 16
        | engine.clear << 18
        | tests << 20
        | engine.sideload << 21
        | engine.data_streams << 22
        | engine.big_endian << 23
        | engine.key_slots << 24
    )


def wait_bits(engine: Registered) -> int:
    """Bits of the counter of clocks that an access of data may wait: some times what a block takes."""
    return max(8, (8 * engine.latency_cycles).bit_length())


def registers_of(engine: Registered, version: str) -> tuple[BusRegister, ...]:
    """The registers before an engine, by offset."""
    read, write, both, once = Access.READ, Access.WRITE, Access.READ_WRITE, Access.CLEAR
    key_words = engine.key_bits[0] // 32
    first = "31:24" if engine.big_endian else "7:0"
    triggers = [
        BitField("START", 0, 1, write, "1 opens a message: CTRL and the IV, whose words must have been written"),
        BitField("KEY", 1, 1, write, "1 loads the key, whose words must all have been written"),
    ]
    if engine.clear:
        triggers.append(BitField("CLEAR", 2, 1, write, "1 wipes keys, texts and the message that is open"))
    tests, at_once = engine.self_test != "none", engine.self_test == "on_reset"
    if tests:
        triggers.append(BitField("SELF_TEST", 3, 1, write, "1 starts the self-test; alone, with no message under way"))
    tested = (
        BitField("TESTING", 20, 1, read, "the self-test runs", int(at_once), changes=True),
        BitField("PASSED", 21, 1, read, "the last self-test has passed", changes=True),
        BitField("BROKEN", 22, 1, read, "a self-test has failed: only a reset ends that", changes=True),
    )
    found = [
        BusRegister("ID", 0x000, "Constant", (BitField("ID", 0, 32, read, "0x41534D01", IDENTITY),)),
        BusRegister(
            "VERSION",
            0x004,
            "Of the generator",
            (BitField("VERSION", 0, 24, read, "major, minor, patch", version_word(version)),),
        ),
        BusRegister("CAPS", 0x008, "What is built", _capability_fields(engine)),
        BusRegister("TRIGGER", 0x014, "Begins what registers hold", tuple(triggers)),
        BusRegister(
            "STATUS",
            0x018,
            "What is under way",
            (
                BitField(
                    "IDLE", 0, 1, read, "no message is open, nothing triggered waits", int(not at_once), changes=True
                ),
                BitField("IN_READY", 1, 1, read, "DATA_IN has room, and a message is open", changes=True),
                BitField("OUT_VALID", 2, 1, read, "DATA_OUT has a word", changes=True),
                BitField("KEY_WAITS", 3, 1, read, "TRIGGER.KEY is not taken yet", changes=True),
                BitField("START_WAITS", 4, 1, read, "TRIGGER.START is not taken yet", changes=True),
                BitField("OPEN", 5, 1, read, "a message is open whose last word has not gone in", changes=True),
                *(
                    [BitField("CLEARED", 6, 1, read, "cleared, and nothing loaded since", changes=True)]
                    if engine.clear
                    else []
                ),
                BitField("OUT_KIND", 8, 2, read, "the word in DATA_OUT is 2 text, 3 tag", changes=True),
                BitField("OUT_BYTES", 12, 3, read, "bytes of it that count", changes=True),
                BitField("OUT_LAST", 16, 1, read, "it is the last of its message", changes=True),
                *(tested if tests else ()),
                *(
                    [BitField("ALARMED", 23, 1, read, "there was an alarm: all is wiped until a reset", changes=True)]
                    if engine.alarm
                    else []
                ),
            ),
        ),
        BusRegister(
            "ERROR",
            0x01C,
            "Why accesses had a bus error",
            (
                BitField("ADDRESS", 0, 1, once, "there is no register at this address", changes=True),
                BitField(
                    "ACCESS",
                    1,
                    1,
                    once,
                    "written and read-only, or not with all its bytes, or with bits that are not there",
                    changes=True,
                ),
                BitField("BUSY", 2, 1, once, "written while what it belongs to was under way", changes=True),
                BitField(
                    "INCOMPLETE",
                    3,
                    1,
                    once,
                    "words of the key or the IV were missing, or no message was open"
                    + ", or slot 0 had no key since the self-test" * tests,
                    changes=True,
                ),
                BitField("IN_LATE", 4, 1, once, "DATA_IN found no room in time", changes=True),
                BitField("OUT_LATE", 5, 1, once, "DATA_OUT found no word in time", changes=True),
                *([BitField("LOCKED", 6, 1, once, "no self-test has passed", changes=True)] if tests else []),
            ),
        ),
        BusRegister("INTR_STATE", 0x020, "Interrupts", _interrupts(once, read, tests=tests)),
        BusRegister(
            "INTR_ENABLE", 0x024, "Which of them make irq_o 1", _interrupts(both, both, tests=tests, changes=False)
        ),
        BusRegister(
            "INTR_TEST",
            0x028,
            "1 sets the event; a level stays while its bit is 1",
            _interrupts(write, write, tests=tests, changes=False),
        ),
        BusRegister(
            "INPUT",
            0x02C,
            "What the words written to DATA_IN are",
            (
                BitField("KIND", 0, 2, both, "0 IV, 1 header, 2 text, 3 tag"),
                BitField("BYTES", 4, 2, both, "bytes of the next word, 0 for 4; then 0 again", changes=True),
                BitField("LAST", 8, 1, both, "the next word is the last of the message; then 0 again", changes=True),
                BitField(
                    "EMPTY",
                    9,
                    1,
                    both,
                    "the next word has no bytes: it only ends the message; then 0 again",
                    changes=True,
                ),
            ),
        ),
        BusRegister(
            "RESULT",
            0x030,
            "The last message that ended. Until DONE is cleared no other one gets out",
            (
                BitField("DONE", 0, 1, once, "a message has ended; 1 clears the register", changes=True),
                BitField("FAILED", 1, 1, read, "its tag was wrong", changes=True),
                BitField("REFUSED", 2, 1, read, "it was refused, and what came of it is void", changes=True),
                BitField("CODE", 8, 4, read, "why (codes of the engine)", changes=True),
            ),
        ),
        BusRegister(
            "KEY",
            0x040,
            f"The key, byte 0 in bits {first} of word 0",
            (BitField("WORD", 0, 32, write, "never read"),),
            key_words,
        ),
        BusRegister(
            "IV",
            0x080,
            "The IV, likewise",
            (BitField("WORD", 0, 32, write, "one register with the key: never read"),),
            4,
        ),
        BusRegister(
            "DATA_IN",
            0x100,
            "Each write is a word of the message",
            (BitField("WORD", 0, 32, write, f"byte 0 in bits {first}"),),
            32,
            True,
        ),
        BusRegister(
            "DATA_OUT",
            0x180,
            "Each read takes a word of the answer",
            (BitField("WORD", 0, 32, read, "0 after the end", changes=True),),
            32,
            True,
        ),
    ]
    if engine.sideload:
        lock = BitField("KEY", 0, 1, Access.SET, "KEY and TRIGGER.KEY are errors: keys come from the vault alone")
        found.append(BusRegister("LOCK", 0x034, "What stays locked until reset", (lock,)))
    if control_fields(engine):
        found.append(BusRegister("CTRL", 0x010, "Bits 31:0 of the engine's command", control_fields(engine)))
    else:
        found.append(BusRegister("CTRL", 0x010, "Nothing to choose", (BitField("NONE", 0, 1, write, "not looked at"),)))
    return tuple(sorted(found, key=lambda register: register.offset))


def _capability_fields(engine: Registered) -> tuple[BitField, ...]:
    word = capabilities(engine)
    fields: Iterable[tuple[str, int, int, str]] = (
        ("MODES", 0, 8, "bit n: mode n of CTRL.MODE; 0 in an engine of one mode"),
        ("KEY_WORDS", 8, 5, "words of the key"),
        ("ENCRYPTS", 16, 1, "messages can be encrypted"),
        ("DECRYPTS", 17, 1, "messages can be decrypted"),
        ("CLEARS", 18, 1, "TRIGGER.CLEAR exists"),
        ("SELF_TEST", 20, 1, "TRIGGER.SELF_TEST exists"),
        ("SIDELOAD", 21, 1, "a key vault can load keys, and LOCK exists"),
        ("STREAMS", 22, 1, "CTRL.STREAMS and the streams are there"),
        ("BIG_ENDIAN", 23, 1, "byte 0 of KEY, IV, DATA_IN and DATA_OUT is in bits 31:24"),
        ("SLOTS", 24, 7, "keys that are kept"),
    )
    return tuple(
        BitField(name, low, bits, Access.READ, about, word >> low & (1 << bits) - 1)
        for name, low, bits, about in fields
    )


def _interrupts(event: Access, level: Access, *, tests: bool, changes: bool = True) -> tuple[BitField, ...]:
    texts: Sequence[tuple[str, str]] = (
        ("DONE", "a message has ended"),
        ("FAILED", "its tag was wrong"),
        ("ERROR", "it was refused, or an access had an error" + "; stays while STATUS.BROKEN is 1" * tests),
        ("IN_READY", "level: DATA_IN has room"),
        ("OUT_VALID", "level: DATA_OUT has a word"),
    )
    return tuple(
        BitField(name, bit, 1, event if bit < 3 else level, about, changes=changes)
        for bit, (name, about) in enumerate(texts)
    )

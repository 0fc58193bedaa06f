"""The self-test of an engine with registers: known answers of each of its modes and directions, as accesses of its
registers, and the ROM that has them.

Keys, IVs and texts are bytes in a row, so that the ROM has little to hold but answers; these are the models'. What was
encrypted is decrypted, too, and a mode with a tag has a message whose tag is wrong. Each bit of the answers is 0 in one
and 1 in another, so that no bit of DATA_OUT that is stuck goes unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Protocol

from aesmith import __version__
from aesmith.cores.design import Direction, SourceFile
from aesmith.errors import not_one_of
from aesmith.modes.catalogue import MODES
from aesmith.modes.engine_top import CorePlace
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.registers import Registered, control_fields, registers_of, tagged_modes
from aesmith.modes.stream import Beat, StreamedMessage

SELF_TEST = "self_test"
"""The module that does it, and the field that asks for it."""
ROM = "self_test_rom"
"""The module of what it does."""
SELF_TESTS = ("none", "on_reset", "on_request")
"""What the field may say."""


class Tested(Registered, Protocol):
    """What of an engine behind registers its self-test is made of."""

    @property
    def views(self) -> Sequence[TestedMode]: ...
    @property
    def core_places(self) -> tuple[CorePlace, ...]: ...


class TestedMode(Registered, Protocol):
    """One of its modes."""

    @property
    def mode_directions(self) -> tuple[Direction, ...]: ...
    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage: ...
    def in_words(self, sent: StreamedMessage) -> StreamedMessage: ...
    def answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]: ...


@dataclass(frozen=True)
class SelfTestStep:
    """An access: `data` are written to the register at that byte address, or it is read until it has them."""

    address: int
    data: int
    write: bool = True


@dataclass(frozen=True)
class KnownAnswers:
    """The steps of a self-test, and the words that DATA_OUT must have meanwhile, in order."""

    steps: tuple[SelfTestStep, ...]
    answers: tuple[int, ...]


def check_self_test(self_test: str, bus: str) -> None:
    """Raise RequestError for a self-test that there is not."""
    if self_test not in SELF_TESTS:
        raise not_one_of(SELF_TEST, self_test, SELF_TESTS)
    if self_test != "none" and not bus:
        raise not_one_of(SELF_TEST, self_test, ("none",), " in an engine without a bus")


def _row(first: int, count: int) -> bytes:
    return bytes((first + place) % 256 for place in range(count))


IV_BYTES: Mapping[str, int] = {"ecb": 0, "cmac": 0, "gcm": 12, "ccm": 12, "ocb3": 12}
"""Bytes of the IV, or of CCM's nonce, of messages that test an engine, where these are not those of a block."""
HEADER_MODES = ("gcm", "ccm", "ocb3")
"""Modes whose messages have a header."""
_TEXT_BYTES: Mapping[str, int] = {"ecb": 16, "cbc": 32, "cfb8": 12}
_WORD = (1 << 32) - 1


def _texts(mode: str, first: int) -> Iterator[Message]:
    """Messages of a mode: text that ends within its second block where the mode lets it, an IV whose counter has a
    carry; of CMAC also text that ends with a block. Texts begin with the byte `first`."""
    header = _row(0x40, 12) if mode in HEADER_MODES else b""
    iv = _row(0x100 - IV_BYTES.get(mode, 16), IV_BYTES.get(mode, 16))
    for size in (20, 16) if mode == "cmac" else (_TEXT_BYTES.get(mode, 20),):
        yield Message(iv, header, _row(first, size))


def known_answers(engine: Tested, cipher: Callable[[bytes], Cipher] = Cipher) -> KnownAnswers:
    """The self-test of an engine behind registers. `cipher` is the block cipher of a key."""
    for first in range(256):
        known = _known_answers(engine, cipher, first)
        ones, zeros = (reduce(or_, (word ^ level for word in known.answers)) for level in (0, _WORD))
        if ones & zeros == _WORD:
            return known
    raise AssertionError("no texts of which each bit of the answers has both values")


def _known_answers(engine: Tested, cipher: Callable[[bytes], Cipher], first: int) -> KnownAnswers:
    at = {register.name: register.offset for register in registers_of(engine, __version__)}
    key = _row(0, engine.key_bits[0] // 8)
    model = cipher(key)
    answers: list[int] = []
    rest = [SelfTestStep(at["STATUS"], 1, write=False), SelfTestStep(at["RESULT"], 1)]
    load = [SelfTestStep(at["KEY"] + place, word) for place, word in _words(key)]
    # The key goes to slot 0, whichever CTRL named before.
    steps = [*rest, SelfTestStep(at["CTRL"], 0), *load, SelfTestStep(at["TRIGGER"], 2), rest[0]]
    for view in engine.views:
        for sent in _messages(view, model, first):
            made, fault = view.answer(model, sent)
            assert fault is None, f"{view.mode}: {fault}"
            answers += [int.from_bytes(word.data, "little") for word in made if word.keep & 1]
            steps += _steps(engine, at, sent, failed=made[-1].failed)
    if engine.big_endian:
        of_bytes = range(at["DATA_IN"], at["DATA_IN"] + 128), range(at["KEY"], at["IV"] + 16)
        steps = [
            replace(s, data=_byte_swapped(s.data)) if any(s.address in each for each in of_bytes) else s for s in steps
        ]
        answers = [_byte_swapped(word) for word in answers]
    return KnownAnswers((*steps, SelfTestStep(at["CTRL"], 0), SelfTestStep(at["INPUT"], 0)), tuple(answers))


def _byte_swapped(word: int) -> int:
    """A word with its bytes in the other order."""
    return int.from_bytes(word.to_bytes(4, "little"))


def _messages(view: TestedMode, model: Cipher, first: int) -> Iterator[StreamedMessage]:
    """The messages of a mode: encrypted, decrypted, and with a wrong tag. Of several texts the first one is decrypted:
    blocks of another one are those that were encrypted."""
    tag = bytes(16 * (view.mode in tagged_modes(view)))
    for number, plain in enumerate(_texts(view.mode, first)):
        message = replace(plain, tag=tag)
        made = MODES[view.mode].encrypt(model, message)
        if Direction.ENCRYPT in view.mode_directions:
            yield view.in_words(view.sends(message, encrypt=True))
        if Direction.DECRYPT in view.mode_directions and not number:
            # A mode that makes a tag alone has no other text.
            sealed = replace(message, text=made.text or message.text, tag=made.tag)
            yield view.in_words(view.sends(sealed, encrypt=False))
    if tag and Direction.DECRYPT in view.mode_directions:
        wrong = replace(message, header=b"", text=b"", tag=_row(0x60, 16))
        yield view.in_words(view.sends(wrong, encrypt=False))


def _words(data: bytes) -> Iterator[tuple[int, int]]:
    """Offset and value of each word of the data."""
    return ((place, int.from_bytes(data[place : place + 4], "little")) for place in range(0, len(data), 4))


def _steps(engine: Registered, at: Mapping[str, int], sent: StreamedMessage, *, failed: bool) -> Iterator[SelfTestStep]:
    """The accesses of a message; its answers are read meanwhile."""
    word, kept = sent.command.word, sum(field.mask for field in control_fields(engine))
    if kept:
        yield SelfTestStep(at["CTRL"], word & kept)
    yield from (SelfTestStep(at["IV"] + place, value) for place, value in _words(sent.command.iv))
    yield SelfTestStep(at["TRIGGER"], 1)
    told = None
    for beat in sent.beats:
        bytes_ = beat.keep.bit_count() % 4
        if beat.section is not told or bytes_ or beat.last:
            yield SelfTestStep(at["INPUT"], beat.section | bytes_ << 4 | beat.last << 8)
            told = beat.section
        yield SelfTestStep(at["DATA_IN"], int.from_bytes(beat.data, "little"))
    yield SelfTestStep(at["RESULT"], 1 | failed << 1, write=False)
    yield SelfTestStep(at["RESULT"], 1)


def self_test_parameters(engine: Tested, known: KnownAnswers) -> Mapping[str, int | str]:
    """Parameters of `aesmith_self_test`."""
    return {
        "Steps": len(known.steps),
        "Answers": len(known.answers),
        # No step waits for more than a key and some blocks.
        "TimeBits": max(8, (16 * max(place.core.latency_cycles for place in engine.core_places)).bit_length()) + 1,
        "OnReset": f"1'b{engine.self_test == 'on_reset':d}",
    }


def self_test_rom(name: str, known: KnownAnswers) -> SourceFile:
    """The module `name_self_test_rom`: the access of each step, and each answer."""
    step_bits, answer_bits = (len(rows).bit_length() for rows in (known.steps, known.answers))
    lines = [
        "// Known answers of each mode and direction, from the models: each access of the registers, and each word",
        "// that must come. A step without write is a read that is repeated until it has this value.",
        f"module {name}_{ROM} (",
        f"  input  logic [{step_bits - 1}:0] step_i,",
        "  output logic step_write_o,",
        "  output logic [8:2] step_address_o,",
        "  output logic [31:0] step_data_o,",
        f"  input  logic [{answer_bits - 1}:0] answer_i,",
        "  output logic [31:0] answer_data_o",
        ");",
        "  always_comb begin",
        "    unique case (step_i)",
    ]
    for place, step in enumerate(known.steps):
        value = f"{{1'b{step.write:d}, 7'h{step.address >> 2:02x}, 32'h{step.data:08x}}}"
        lines.append(f"      {step_bits}'d{place}: {{step_write_o, step_address_o, step_data_o}} = {value};")
    lines += ["      default: {step_write_o, step_address_o, step_data_o} = '0;", "    endcase"]
    lines.append("    unique case (answer_i)")
    lines += [f"      {answer_bits}'d{n}: answer_data_o = 32'h{word:08x};" for n, word in enumerate(known.answers)]
    lines += ["      default: answer_data_o = '0;", "    endcase", "  end", "endmodule"]
    return SourceFile(f"{name}_{ROM}.sv", "\n".join(lines) + "\n")

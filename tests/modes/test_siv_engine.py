"""The engine of AES-SIV against its model: messages, clocks, published vectors, limits, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from tests.modes.engine_bench import WrongText
from tests.modes.scenarios import (
    PAUSES,
    answers_alike,
    can_be_made,
    finds_wrong_engines,
)

from aesmith.errors import RequestError
from aesmith.modes.chained import doubled
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, added
from aesmith.modes.siv import MOST_COMPONENTS, SIV, halves
from aesmith.modes.siv_engine import SivEngine, siv_engine
from aesmith.modes.siv_stream import KINDS, SIV_FRAME
from aesmith.modes.specification import engine_specification, parse_engine
from aesmith.modes.stream import Section, StreamedMessage
from aesmith.modes.traffic import Keyed


@pytest.fixture(scope="module")
def design() -> SivEngine:
    """The preset."""
    made = engine_specification("siv-compact").engine("siv", "siv-compact")
    assert isinstance(made, SivEngine)
    return made


def shown(beats: Any) -> bytes:
    """The bytes of an answer."""
    return b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)


# The model


def test_the_model_of_the_stream_is_openssl(design: SivEngine) -> None:
    rng = random.Random(5)
    for size in (0, 1, 15, 16, 17, 31, 32, 33, 64, 300):
        for lengths in ((), (0,), (16,), (40, 12), (0, 0, 1), (16, 32, 16, 0, 5)):
            key, text = rng.randbytes(32), rng.randbytes(size)
            header = tuple(map(rng.randbytes, lengths))
            sent = Message(text=text, tag=bytes(16), components=header)
            beats, fault = design.answer(Cipher(key), design.sends(sent))
            sealed = AESSIV(key).encrypt(text, [*header])
            assert (fault, shown(beats)) == (None, sealed[16:] + sealed[:16])
            back = replace(sent, text=sealed[16:], tag=sealed[:16])
            beats, fault = design.answer(Cipher(key), design.sends(back, encrypt=False))
            assert (fault, shown(beats), beats[-1].last) == (None, text, True)
            wrong = replace(back, tag=bytes([sealed[0] ^ 1]) + sealed[1:16])
            beats, fault = design.answer(Cipher(key), design.sends(wrong, encrypt=False))
            assert (fault, [(beat.keep, beat.last, beat.failed) for beat in beats]) == (None, [(0, True, True)])


def test_components_are_of_two_kinds_in_turn() -> None:
    sent = SIV_FRAME.sent(Message(b"nonce", b"h" * 17, b"text", bytes(16)))
    assert [(beat.section, beat.keep.bit_count()) for beat in sent.beats] == [
        *((Section.HEADER, 16), (Section.HEADER, 1), (Section.IV, 5), (Section.TEXT, 4)),
    ]
    several = Message(text=b"", tag=bytes(16), components=(b"", b"a" * 16, b""))
    sent = SIV_FRAME.sent(several)
    assert [(beat.section, beat.keep.bit_count()) for beat in sent.beats] == [
        *((KINDS[0], 0), (KINDS[1], 16), (KINDS[0], 0)),
    ]
    assert SIV_FRAME.received(sent) == several


@pytest.mark.parametrize("encrypt", [True, False])
def test_a_header_has_126_components(stand_ins: Any, encrypt: bool) -> None:
    engine, cipher = SivEngine("siv", stand_ins[0](3, 4), memory_beats=8), stand_ins[1](bytes(32))

    def fault(count: int) -> Fault | None:
        sent = engine.sends(Message(tag=bytes(BLOCK), components=(b"",) * count), encrypt=encrypt)
        return engine.answer(cipher, sent)[1]

    assert [fault(count) for count in (0, MOST_COMPONENTS, MOST_COMPONENTS + 1)] == [None, None, Fault.LENGTH]
    assert engine.limits[1] == "A header has at most 126 components, the nonce among them (RFC 5297)."


def test_keys_have_the_bits_of_two() -> None:
    for size in (128, 192, 256):
        made = parse_engine({"mode": "siv", "core": f"ueno2020-enc{f'-{size}' * (size > 128)}"}).engine("siv", "siv")
        assert (made.key_bits, made.mode, made.memory_beats) == ((2 * size,), "siv", 1024)  # type: ignore[attr-defined]
    with pytest.raises(RequestError, match="min_tag: engines of siv leave no choice"):
        siv_engine("siv", {"preset": "ueno2020-enc"}, min_tag=12)


def test_clocks_are_those_that_the_page_says(stand_ins: Any) -> None:
    """For a latency of L, at a block every L - 1 clocks; a header of one component."""
    made, latency = SivEngine("siv", stand_ins[0](10, 11)), 11
    for headers in range(4):
        header = headers * (latency + 1)
        for texts in range(1, 6):
            assert made.message_cycles(headers, texts) == 2 * (texts + 1) * latency + header + 6
            opened = 2 * (texts + 1) * latency + texts + header + 7
            assert made.message_cycles(headers, texts, encrypt=False) == opened
        assert made.message_cycles(headers, 0) == 3 * latency + header + 5
        assert made.message_cycles(headers, 0, encrypt=False) == 3 * latency + header + 6
    assert made.cycles_per_block == 23


# Wrong engines

_E = "siv_engine"
WRONG: dict[str, WrongText] = {
    "K2 for the tag": (_E, "k_q[KeyBits-1:0] : k_q[2*KeyBits-1:KeyBits]", "k_q[KeyBits-1:0] : k_q[KeyBits-1:0]"),
    "K1 for the counters": (_E, "? k_q[KeyBits-1:0] :", "? k_q[2*KeyBits-1:KeyBits] :"),
    "K1 does not come back": (_E, "encrypt_q ? TagOut : KeyBack;", "encrypt_q ? TagOut : Fetch;"),
    "K2 stays": (
        _E,
        "Idle: if (take_command) state_d = refusal != '0 ? Load : KeyOne;",
        "Idle: if (take_command) state_d = refusal != '0 ? Load : Subkey;",
    ),
    "a subkey is not doubled": (_E, "whole ? doubled(l_q) :", "whole ? l_q :"),
    "a subkey is doubled once": (_E, ": doubled(doubled(l_q));", ": doubled(l_q);"),
    "a part of a block has the key of a whole one": (_E, "assign last_key = whole ?", "assign last_key = 1'b1 ?"),
    "doubling without reduction": (_E, "8'h87 & {8{block[127]}}", "8'h00 & {8{block[127]}}"),
    "doubling by another polynomial": (_E, "8'h87 & {8{block[127]}}", "8'h1b & {8{block[127]}}"),
    "each block is the last of a component": (_E, "waits_q ? ends : hash_last", "waits_q ? 1'b1 : hash_last"),
    "each block of text is the last": (_E, "waits_q ? ends : hash_last", "waits_q ? ends : hash"),
    "no last block": (_E, "waits_q ? ends : hash_last", "waits_q & ends"),
    "components are not doubled": (_E, "d_q <= doubled(d_q) ^ result;", "d_q <= d_q ^ result;"),
    "one component": (_E, "d_q <= doubled(d_q) ^ result;", "d_q <= result;"),
    "D does not begin as a CMAC": (
        _E,
        "if ((subkey & result_taken) | (good & is_header)) waits_q",
        "if (good & is_header) waits_q",
    ),
    "D of the message before": (_E, "    if (idle) d_q <= '0;\n    else if", "    if"),
    "the chain of the message before": (_E, "    if (idle) s_q <= '0;\n    else if", "    if"),
    "the chain of the component before": (_E, "{128{hash | ~ends}}", "{128{1'b1}}"),
    "no chain": (_E, "(result & {128{hash | ~ends}})", "(result & {128{hash}})"),
    "blocks do not add": (_E, "s_q <= s_q ^ turned(marked);", "s_q <= turned(marked);"),
    "no mark behind a part": (_E, "| {~keep[place] & (place", "| {1'b0 & (place"),
    "an empty component has no mark": (_E, "(place == 0 ? 1'b1 : keep", "(place == 0 ? 1'b0 : keep"),
    "marks everywhere": (_E, "(place == 0 ? 1'b1 : keep[(place+15)%16])", "1'b1"),
    "an empty text has no mark": (_E, "empty ? {1'b1, 127'd0} :", "empty ? 128'd0 :"),
    "the text before for an empty one": (
        _E,
        "assign block    = empty ? {1'b1, 127'd0} :",
        "assign block    = 1'b0 ? {1'b1, 127'd0} :",
    ),
    "D is not added": (_E, "s_q ^ ((block ^ addend) & {128{hash}})", "s_q ^ (block & {128{hash}})"),
    "a short text is added to D": (_E, "if (short_text) addend = doubled(d_q);", "if (short_text) addend = d_q;"),
    "an empty text is not short": (_E, "assign short_text  = empty |", "assign short_text  = "),
    "a text of a part is not short": (_E, "assign short_text  = empty | (", "assign short_text  = empty | (1'b0 & "),
    "a block is short": (_E, "(text_q == CountBits'(1) & odd_q != '0)", "(text_q == CountBits'(1))"),
    "D does not turn": (_E, "turn_q != odd_q & ~short_text", "1'b0"),
    "D turns once too often": (_E, "turns & ~waits_q & turn_q != odd_q", "turns & ~waits_q & turn_q != odd_q + 4'd1"),
    "D turns the other way": (_E, "{d_q[7:0], d_q[127:8]}", "{d_q[119:0], d_q[127:120]}"),
    "D turns before it is known": (_E, "turns & ~waits_q & turn_q", "turns & turn_q"),
    "turns are not counted anew": (_E, "text_q, turn_q} <= '0;", "text_q} <= '0;"),
    "nothing for the block before the last": (_E, "(~last_bytes & {128{next_at == text_q}})", "128'd0"),
    "all of D for the last": (_E, "(last_bytes & {128{last_text}})", "{128{last_text}}"),
    "D for each block": (_E, "(last_bytes & {128{last_text}})", "last_bytes"),
    "the last part is whole": (_E, "waits_q ? whole_q : odd_q == '0 | short_text", "waits_q ? whole_q : 1'b1"),
    "a short text is no whole block": (_E, ": odd_q == '0 | short_text;", ": odd_q == '0 & ~short_text;"),
    "the 63rd bit of the counter": (_E, "{tag_q[127:64], 1'b0, tag_q[62:32],", "{tag_q[127:32],"),
    "the 31st bit of the counter": (_E, "32'(tag_q[30:0]) + 32'(at_q)", "tag_q[31:0] + 32'(at_q)"),
    "no counter": (_E, "32'(tag_q[30:0]) + 32'(at_q)", "32'(tag_q[30:0])"),
    "the counter begins one on": (_E, "32'(tag_q[30:0]) + 32'(at_q)", "32'(tag_q[30:0]) + 32'(next_at)"),
    "the counter wraps in 8 bits": (_E, "32'(tag_q[30:0]) + 32'(at_q)", "{1'b0, tag_q[30:8], tag_q[7:0] + 8'(at_q)}"),
    "the counter wraps in 31 bits": (_E, "32'(tag_q[30:0]) + 32'(at_q)", "{1'b0, tag_q[30:0] + 31'(at_q)}"),
    "the tag that came is lost": (_E, "if (good & is_tag) tag_q <= turned(shown);\n    else if", "if"),
    "nothing is compared": (_E, "if (s_q != '0) state_d = Failed;", "if (1'b0) state_d = Failed;"),
    "a byte of the tag is not compared": (_E, "if (s_q != '0)", "if (s_q[127:8] != '0)"),
    "the other end of the tag is not compared": (_E, "if (s_q != '0)", "if (s_q[119:0] != '0)"),
    "text before the verdict": (_E, "(crypt & encrypt_q & result_valid) |", "(crypt & result_valid) |"),
    "text of a bad verdict": (_E, "if (s_q != '0) state_d", "if (s_q != '0 & empty) state_d"),
    "ciphertext is hashed": (
        _E,
        "(good & is_text) | (crypt & ~encrypt_q & result_taken);\n  assign memory_w",
        "(good & is_text);\n  assign memory_w",
    ),
    "bytes behind decrypted text are hashed": (
        _E,
        "if ((crypt | unload) & last_text) keep",
        "if (unload & last_text) keep",
    ),
    "bytes behind the text leave": (_E, "if ((crypt | unload) & last_text) keep", "if (crypt & last_text) keep"),
    "the first block is not read": (_E, "writes | fetch | (hash", "writes | (hash"),
    "the next block is not read to be hashed": (_E, "| (hash & result_taken) | (crypt & issued)", "| (crypt & issued)"),
    "the next block is not read": (_E, "(crypt & issued) | compares", "(crypt & issued & at_q == '0) | compares"),
    "the first to leave is not read": (_E, "| compares | (unload & m_axis_tready);", "| (unload & m_axis_tready);"),
    "blocks are not counted anew": (_E, "| state_q inside {KeyTwo, KeyBack} | (hash_last", "| (hash_last"),
    "a block less leaves": (_E, "(unload | hash ? at_q : next_at)", "(hash ? at_q : next_at)"),
    "a block less is hashed": (_E, "(unload | hash ? at_q : next_at)", "(unload ? at_q : next_at)"),
    "a beat is not waited for": (_E, "Unload: if (leaves & last_text)", "Unload: if (last_text)"),
    "the tag is not waited for": (_E, "default: if (leaves) state_d = Idle;", "default: if (1'b1) state_d = Idle;"),
    "the tag is text": (_E, "m_axis_tvalid, tag_out};", "m_axis_tvalid, 1'b0};"),
    "a bad verdict is an error": (
        _E,
        "state_q == Refused, state_q == Failed, m_axis",
        "state_q == Failed, state_q == Refused, m_axis",
    ),
    "the last text ends the message": (_E, "m_axis_tvalid & ~crypt & (", "m_axis_tvalid & (~crypt | last_text) & ("),
    "a component does not end": (_E, "(~begun_q | s_axis_tuser[0] != kind_q)", "~begun_q"),
    "each beat of header is a component": (_E, "(~begun_q | s_axis_tuser[0] != kind_q)", "1'b1"),
    "a component of the message before goes on": (_E, "{begun_q, components_q,", "{components_q,"),
    "a component behind the text": (_E, "if (good) begun_q <= is_header;", "if (good & is_header) begun_q <= 1'b1;"),
    "a block of header is not waited for": (_E, "| ~is_header | ~waits_q);", "| 1'b1);"),
    "what ends is forgotten": (_E, "    else if (ends) ends_q <= 1'b1;\n", ""),
    "any number of components": (_E, "(begins & components_q == MostComponents)", "1'b0"),
    "125 components": (_E, "MostComponents = 7'd126", "MostComponents = 7'd125"),
    "components are not counted anew": (_E, "{begun_q, components_q,", "{begun_q,"),
    "a header with a hole": (_E, "if (is_header & no_run) found = 4'd1;", ""),
    "a part within a component": (_E, "if (is_header & ~begins & partial_q) found = 4'd2;", ""),
    "a beat without bytes within a component": (_E, "(s_axis_tkeep == '0 & ~begins)", "1'b0"),
    "what is wrong with the command is lost": (_E, "if (code_q != '0) found = code_q;", ""),
    "no room is not seen": (_E, "(is_text & text_q[AddressBits]) |", "1'b0 |"),
    "text is not counted anew": (_E, "components_q, text_q, turn_q", "components_q, turn_q"),
    "any tag": (_E, "if (s_axis_cmd_tdata[7:4] != '0) refusal = 4'd8;", ""),
    "any nonce in the command": (_E, "if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;", ""),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "the code is lost": (_E, "& leaves) error_q <= code_q;", "& leaves) error_q <= '0;"),
    "a refused message is served": (_E, "state_d = good ? Turn : Refused;", "state_d = Turn;"),
    "a refused beat is text": (_E, "assign good = takes & code == '0;", "assign good = takes;"),
    "a tag is not asked for": (_E, ".tag_i       ({16{~encrypt_q}}),", ".tag_i       ('0),"),
    "a tag to encrypt": (_E, "({~encrypt_q, 3'b110})", "(4'b1110)"),
    "a refusal does not wait": (_E, "(state_q == Refused & ~waits_q)", "(state_q == Refused)"),
    "a command before a key that came first": (_E, "cmd_tready = idle & ~key_valid_i;", "cmd_tready = idle;"),
    "a key within a message": (_E, "assign key_ready_o   = idle;", "assign key_ready_o   = idle | load;"),
    "an output that is not quiet": (
        _E,
        "assign m_axis_tdata  = shown & {128{shows}};",
        "assign m_axis_tdata  = shown;",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
TESTED = tuple(WRONG)[::4]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Callable[..., Any]) -> SivEngine:
    """The engine of which wrong ones are made."""
    return SivEngine("right_siv", stand_in(3, 4), memory_beats=8)


@cache
def to_tell_apart(cipher: type[Cipher]) -> tuple[list[Keyed], ...]:
    """What wrong engines are sent."""
    rng, made = random.Random(7), []
    for _ in PAUSES:
        sent = SIV_FRAME.traffic(8).messages(rng, 150, cipher, most=140, key_bytes=32)
        key = sent[-1][0]
        assert key is not None
        made.append([*sent, *((key, each) for each in edges(cipher(key)))])
    return tuple(made)


def edges(cipher: Cipher) -> list[StreamedMessage]:
    """Messages that random ones seldom are: with a bit of each byte of a tag another one, where no text depends on it;
    whose counter has a carry out of its lowest byte, or out of bit 30; and with as many components as there may be."""
    made, rng = list[StreamedMessage](), random.Random(1)
    for place in range(BLOCK):
        message = Message(rng.randbytes(12), tag=bytes(BLOCK))
        tag = bytearray(SIV.encrypt(cipher, message).tag)
        tag[place] ^= 1 << rng.randrange(8)
        made.append(SIV_FRAME.sent(replace(message, tag=bytes(tag)), encrypt=False))
    mac = type(cipher)(halves(cipher.key)[0])
    subkey = doubled(mac.encrypt(bytes(BLOCK)))
    for end in (b"\x7f\xff\xff\xff", b"\xff\xff\xff\xfe", b"\x00\x00\x00\xff"):
        # The text of two blocks without a header that has this tag.
        first, tag = rng.randbytes(BLOCK), rng.randbytes(12) + end
        last = added(added(mac.decrypt(tag), mac.encrypt(first)), added(subkey, mac.encrypt(subkey)))
        sealed = SIV.encrypt(cipher, Message(text=first + last, tag=bytes(BLOCK)))
        assert sealed.tag == tag
        made.append(SIV_FRAME.sent(Message(text=sealed.text, tag=tag), encrypt=False))
    return [*made, SIV_FRAME.sent(Message(tag=bytes(BLOCK), components=(b"", b"c") * (MOST_COMPONENTS // 2)))]


def passes(right: SivEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does."""
    return answers_alike(right, model, number, cipher, to_tell_apart(cipher))


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    can_be_made(right_one(stand_ins[0]), WRONG, 60)


@pytest.mark.thorough
def test_wrong_engines_are_found(stand_ins: Any, tmp_path: Path) -> None:
    wrong = [WRONG[what] for what in TESTED]
    finds_wrong_engines(right_one(stand_ins[0]), wrong, passes, tmp_path, stand_ins[1])

"""The engine of GCM-SIV against its model: messages, clocks, published vectors, limits, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tests.modes.scenarios import (
    answers_alike,
    can_be_made,
    finds_wrong_engines,
)

from aesmith.errors import RequestError
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.gcm_siv_engine import GcmSivEngine, gcm_siv_engine
from aesmith.modes.gcm_siv_stream import GCM_SIV_FRAME
from aesmith.modes.message import Cipher, Message
from aesmith.modes.specification import engine_specification, parse_engine
from aesmith.modes.stream import StreamedMessage, streamed_with_tag
from aesmith.modes.traffic import Keyed


@pytest.fixture(scope="module")
def design() -> GcmSivEngine:
    """The preset."""
    made = engine_specification("gcm-siv-compact").engine("siv", "gcm-siv-compact")
    assert isinstance(made, GcmSivEngine)
    return made


def shown(beats: Any) -> bytes:
    """The bytes of an answer."""
    return b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)


# The model


def test_the_model_of_the_stream_is_openssl(design: GcmSivEngine) -> None:
    rng = random.Random(5)
    for size in (0, 1, 15, 16, 17, 32, 33, 64, 300):
        key, iv, header, text = (rng.randbytes(each) for each in (16, 12, rng.choice((0, 1, 16, 40)), size))
        beats, fault = design.answer(Cipher(key), design.sends(Message(iv, header, text, bytes(16))))
        assert (fault, shown(beats)) == (None, AESGCMSIV(key).encrypt(iv, text, header))
        sealed = shown(beats)
        sent = Message(iv, header, sealed[:-16], sealed[-16:])
        back, fault = design.answer(Cipher(key), design.sends(sent, encrypt=False))
        assert (fault, shown(back), back[-1].last) == (None, text, True)
        wrong = replace(sent, tag=bytes([sent.tag[0] ^ 1]) + sent.tag[1:])
        back, fault = design.answer(Cipher(key), design.sends(wrong, encrypt=False))
        assert (fault, [(beat.keep, beat.last, beat.failed) for beat in back]) == (None, [(0, True, True)])


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-enc", {"digit": 128}, "digit: must be one of 4, 8, 16, 32, 64"),
        ("ueno2020-enc", {"splits": "bx"}, "splits"),
        ("ueno2020-enc-192", {}, "core: must have keys of 128 or 256 bits"),
        ("ueno2020-enc", {"min_tag": 12}, "min_tag: engines of gcm-siv leave no choice"),
    ):
        with pytest.raises(RequestError, match=told):
            gcm_siv_engine("siv", {"preset": core}, **fields)
    made = parse_engine({"mode": "gcm-siv", "core": "ueno2020-enc-256"}).engine("siv", "siv")
    assert (made.key_bits, made.mode, made.memory_beats) == ((256,), "gcm-siv", 1024)  # type: ignore[attr-defined]


def test_clocks_are_those_that_the_page_says(stand_ins: Any) -> None:
    """For latency L at a block each L clocks, and g clocks of GHASH that are fewer."""
    made, g, latency = GcmSivEngine("siv", stand_ins[0](10, 11)), 9, 11
    for headers in range(4):
        waits = g * (headers - 1) + 1 if headers else 0
        for texts in range(6):
            empty = headers + texts == 0  # a beat without bytes
            assert made.message_cycles(headers, texts) == empty + (texts + 5) * latency + g * (headers + texts + 1) + 4
            if texts:
                opened = (texts + 5) * latency + 2 * texts + 2 * g + 4 + waits
                assert made.message_cycles(headers, texts, encrypt=False) == opened
    assert made.cycles_per_block == 20


# Wrong engines

_E = "gcm_siv_engine"
WRONG = {
    "no key of its own": (
        _E,
        "Derive: if (result_taken & half_q == LastHalf) state_d = NewKey;",
        "Derive: if (result_taken & half_q == LastHalf) state_d = Load;",
    ),
    "keys of the message before": (_E, "assign core_key_o = own_key ? k_q : x_q;", "assign core_key_o = x_q;"),
    "a half too few": (_E, "LastHalf = KeyBits == 256 ? 3'd5 : 3'd3;", "LastHalf = KeyBits == 256 ? 3'd5 : 3'd2;"),
    "the second half of a call": (
        _E,
        "KeyBits == 256 ? y_q[127:64] : core_result_i[0][127:64]};",
        "KeyBits == 256 ? y_q[127:64] : core_result_i[0][63:0]};",
    ),
    "halves are not numbered": (_E, "{nonce_q, 32'(half_q)};", "{nonce_q, 32'd0};"),
    "halves are not numbered anew": (_E, "text_odd_q, half_q} <= '0;", "text_odd_q} <= '0;"),
    "no nonce in the keys": (_E, "{nonce_q, 32'(half_q)};", "{96'd0, 32'(half_q)};"),
    "the key is not times x": (_E, ".h_i(doubled(mirrored(turned(h_q)))),", ".h_i(mirrored(turned(h_q))),"),
    "the key as GHASH has it": (_E, ".h_i(doubled(mirrored(turned(h_q)))),", ".h_i(doubled(mirrored(h_q))),"),
    "no nonce in the tag": (_E, "hashed ^ {32'd0, nonce_q}", "hashed"),
    "the nonce at the other end": (_E, "hashed ^ {32'd0, nonce_q}", "hashed ^ {nonce_q, 32'd0}"),
    "a bit is not cleared": (_E, "& {1'b0, {127{1'b1}}};", ";"),
    "a bit is not set": (_E, "{1'b1, tag_q[126:32],", "{tag_q[127:32],"),
    "no counter": (_E, "tag_q[31:0] + 32'(at_q)}", "tag_q[31:0]}"),
    "the counter begins one on": (_E, "tag_q[31:0] + 32'(at_q)}", "tag_q[31:0] + 32'(next_at)}"),
    "the counter wraps in 8 bits": (
        _E,
        "tag_q[31:0] + 32'(at_q)}",
        "tag_q[31:8], tag_q[7:0] + 8'(at_q)}",
    ),
    "the ciphertext is hashed": (
        _E,
        "    sum ^= result & {128{crypt | make_tag}};",
        "    sum ^= result & {128{make_tag | (crypt & encrypt_q)}};",
    ),
    "the header is not hashed": (_E, "assign hashes    = is_header | (", "assign hashes    = ("),
    "text is not hashed": (_E, "is_header | (is_text & encrypt_q);", "is_header;"),
    "text to decrypt is hashed as it comes": (_E, "is_header | (is_text & encrypt_q);", "is_header | is_text;"),
    "no lengths": (_E, "mirrored(lengths ? length_block : shown)", "mirrored(lengths ? 128'd0 : shown)"),
    "lengths in bytes": (
        _E,
        "{64'({whole, text_odd_q, 3'd0}), 25'd0, header_q, header_odd_q, 3'd0};",
        "{64'({whole, text_odd_q}), 28'd0, header_q, header_odd_q};",
    ),
    "lengths change places": (
        _E,
        "{64'({whole, text_odd_q, 3'd0}), 25'd0, header_q, header_odd_q, 3'd0};",
        "{25'd0, header_q, header_odd_q, 3'd0, 64'({whole, text_odd_q, 3'd0})};",
    ),
    "a partial block is whole": (_E, "text_q - CountBits'(text_odd_q != '0);", "text_q;"),
    "headers are not counted": (_E, "if (s_axis_tkeep[15]) header_q <= header_q + 32'd1;", ""),
    "bytes of the header before": (_E, "{header_q, header_odd_q, text_q", "{header_q, text_q"),
    "bytes behind the header are hashed": (_E, "if (load) keep = s_axis_tkeep;", "if (load) keep = '1;"),
    "bytes behind decrypted text are hashed": (
        _E,
        "if ((crypt | unload) & last_text) keep = last_keep;",
        "if (unload & last_text) keep = last_keep;",
    ),
    "bytes behind the text leave": (
        _E,
        "if ((crypt | unload) & last_text) keep = last_keep;",
        "if (crypt & last_text) keep = last_keep;",
    ),
    "Y of the message before": (
        _E,
        "else if (new_key | hash | (make_tag & issued)) y_q <= '0;",
        "else if (hash | (make_tag & issued)) y_q <= '0;",
    ),
    "Y is added twice": (
        _E,
        "else if (new_key | hash | (make_tag & issued)) y_q <= '0;",
        "else if (new_key | (make_tag & issued)) y_q <= '0;",
    ),
    "GHASH is not waited for": (_E, "(code != '0 | ~hashes | ~busy_q);", "1'b1;"),
    "the tag is made too early": (_E, "(make_tag & ~busy_q)) & ~asked_q;", "make_tag) & ~asked_q;"),
    "lengths do not wait": (_E, "Lengths: if (~busy_q) state_d = MakeTag;", "Lengths: state_d = MakeTag;"),
    "decrypted text does not wait": (
        _E,
        "assign free         = ~(busy_q & ~encrypt_q);",
        "assign free         = 1'b1;",
    ),
    "nothing is compared": (_E, "if (x_q != '0) state_d = Failed;", "if (1'b0) state_d = Failed;"),
    "a bit of the tag is not compared": (_E, "if (x_q != '0) state_d", "if (x_q[127:8] != '0) state_d"),
    "the other end of the tag is not compared": (_E, "if (x_q != '0) state_d", "if (x_q[119:0] != '0) state_d"),
    "text before the verdict": (
        _E,
        "assign shows         = (crypt & encrypt_q & result_valid) |",
        "assign shows         = (crypt & result_valid) |",
    ),
    "text of a bad verdict": (
        _E,
        "if (x_q != '0) state_d = Failed;",
        "if (x_q != '0 & text_q == '0) state_d = Failed;",
    ),
    "text as it came leaves": (
        _E,
        "(good & is_text) | (crypt & ~encrypt_q & result_taken);\n  assign memory_w",
        "(good & is_text);\n  assign memory_w",
    ),
    "text is written one on": (
        _E,
        "load ? text_q[AddressBits-1:0] : at_q",
        "load ? text_q[AddressBits-1:0] + 1'b1 : at_q",
    ),
    "the next block is not read": (
        _E,
        "writes | (crypt & issued) | compares",
        "writes | (crypt & issued & at_q == '0) | compares",
    ),
    "the first to leave is not read": (_E, "| compares | (unload & m_axis_tready);", "| (unload & m_axis_tready);"),
    "a block less leaves": (_E, "(unload ? at_q : next_at) == text_q;", "next_at == text_q;"),
    "a beat is not waited for": (_E, "Unload: if (leaves & last_text)", "Unload: if (last_text)"),
    "the tag is not waited for": (
        _E,
        "TagOut, Empty, Failed, Refused: if (leaves)",
        "TagOut, Empty, Failed, Refused: if (1'b1)",
    ),
    "the tag is text": (_E, "m_axis_tvalid, tag_out};", "m_axis_tvalid, 1'b0};"),
    "a bad verdict is an error": (
        _E,
        "{state_q == Refused, state_q == Failed,",
        "{state_q == Failed, state_q == Refused,",
    ),
    "the last text ends the message": (_E, "m_axis_tvalid & ~crypt & (", "m_axis_tvalid & (~crypt | last_text) & ("),
    "a message without text": (
        _E,
        "else state_d = encrypt_q | text_q == '0 ? Lengths : Crypt;",
        "else state_d = encrypt_q ? Lengths : Crypt;",
    ),
    "no room is not seen": (_E, "(is_text & text_q[AddressBits]) |", "(is_text & 1'b0) |"),
    "a beat less of room": (_E, "(is_text & text_q[AddressBits]) |", "(is_text & (&text_q[AddressBits-1:0])) |"),
    "text is not counted anew": (_E, "header_odd_q, text_q, text_odd_q", "header_odd_q, text_odd_q"),
    "any tag": (_E, "if (s_axis_cmd_tdata[7:4] != '0) refusal = 4'd8;", ""),
    "any nonce": (_E, "if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;", ""),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "the code is lost": (_E, "& leaves) error_q <= code_q;", "& leaves) error_q <= '0;"),
    "a refused message is served": (_E, "if (~good) state_d = Refused;", "if (1'b0) state_d = Refused;"),
    "a refused beat is text": (_E, "assign good = takes & code == '0;", "assign good = takes;"),
    "a tag is not asked for": (_E, ".tag_i       ({16{~encrypt_q}}),", ".tag_i       ('0),"),
    "an IV in the stream": (_E, "({~encrypt_q, 3'b110})", "({~encrypt_q, 3'b111})"),
    "a tag to encrypt": (_E, "({~encrypt_q, 3'b110})", "(4'b1110)"),
    "a command before a key that came first": (_E, "cmd_tready = idle & ~key_valid_i;", "cmd_tready = idle;"),
    "a key within a message": (_E, "assign key_ready_o   = idle;", "assign key_ready_o   = idle | load;"),
    "an output that is not quiet": (
        _E,
        "assign m_axis_tdata  = shown & {128{shows}};",
        "assign m_axis_tdata  = shown;",
    ),
    "a step of GHASH less": (_E, "step_q == StepBits'(Steps - 1);", "step_q == StepBits'(Steps - 2);"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
TESTED = tuple(WRONG)[::4]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Callable[..., Any]) -> GcmSivEngine:
    """The engine of which wrong ones are made."""
    return GcmSivEngine("right_siv", stand_in(3, 4), memory_beats=8)


@cache
def to_tell_apart(cipher: type[Cipher]) -> tuple[list[Keyed], ...]:
    """What wrong engines are sent: without pauses, with some, and commands with their keys."""
    rng, made = random.Random(7), []
    for _ in range(3):
        sent: list[Keyed] = GCM_SIV_FRAME.traffic(8).messages(rng, 150, cipher, most=140)
        key = sent[-1][0]
        assert key is not None
        made.append([*sent, *((key, each) for each in edges(cipher(key)))])
    return tuple(made)


def passes(right: GcmSivEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does."""
    return answers_alike(right, model, number, cipher, to_tell_apart(cipher))


def edges(cipher: Cipher) -> list[StreamedMessage]:
    """Messages that random ones seldom are: with a bit of each byte of the tag another one, and whose counter has a
    carry out of its lowest byte."""
    made, rng = list[StreamedMessage](), random.Random(1)
    for number in range(16 + 40):
        message = Message(rng.randbytes(12), b"", rng.randbytes(128 if number >= 16 else 40), bytes(16))
        sealed = GCM_SIV.encrypt(cipher, message)
        tag = bytearray(sealed.tag)
        if number < 16:
            tag[number] ^= 1 << rng.randrange(8)
        if number < 16 or tag[0] > 248:
            made.append(streamed_with_tag(replace(message, text=sealed.text, tag=bytes(tag)), encrypt=False))
    return made


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    can_be_made(right_one(stand_ins[0]), WRONG, 60)


@pytest.mark.thorough
def test_wrong_engines_are_found(stand_ins: Any, tmp_path: Path) -> None:
    wrong = [WRONG[what] for what in TESTED]
    finds_wrong_engines(right_one(stand_ins[0]), wrong, passes, tmp_path, stand_ins[1])

"""The engine of GCM-SST against its model: the draft's vectors, limits of each tag, clocks, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import WrongText, check
from tests.modes.scenarios import PAUSES, answers_alike, can_be_made, finds_wrong_engines

from aesmith.assurance.acvp.run import Models
from aesmith.assurance.vectors.gcm_sst import draft_vectors
from aesmith.errors import RequestError
from aesmith.modes.gcm_sst import GCM_SST, SST_TAGS
from aesmith.modes.gcm_sst_engine import GcmSstEngine, gcm_sst_engine
from aesmith.modes.gcm_sst_stream import GCM_SST_FRAME
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, MessageRefused
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import StreamedMessage
from aesmith.modes.traffic import Keyed


def test_the_model_answers_the_vectors_of_the_draft() -> None:
    found = list(draft_vectors())
    assert len(found) == 12
    for vector in found:
        for way in (vector, vector.other_way):
            assert way is not None
            assert way.call is not None
            [answer] = Models().answers([way.call])
            assert way.wrong(answer) == "", vector.place
        assert replace(vector, tag=bytes(len(vector.tag))).wrong(answer)


def _product(a: int, b: int) -> int:
    """Of GF(2^128) as RFC 8452 writes it: bit i is the coefficient of x^i, x^128 = x^127 + x^126 + x^121 + 1."""
    made = 0
    for bit in range(128):
        made ^= (a << bit) * (b >> bit & 1)
    for bit in reversed(range(128, 255)):
        made ^= ((1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1) << bit - 128) * (made >> bit & 1)
    return made


def test_the_model_is_the_draft_step_by_step() -> None:
    """Section 3.1 by integers: POLYVAL without GHASH, the key stream block by block."""
    rng, inverse = random.Random(3), 1 << 127 | 1 << 124 | 1 << 121 | 1 << 114 | 1  # x^-128
    for header, text in ((0, 0), (1, 0), (0, 1), (16, 16), (17, 33), (40, 31)):
        key, nonce = rng.randbytes(rng.choice((16, 32))), rng.randbytes(12)
        message = Message(nonce, rng.randbytes(header), rng.randbytes(text), bytes(rng.choice(SST_TAGS)))
        stream = [Cipher(key).encrypt(nonce + number.to_bytes(4)) for number in range(3 + 3)]
        sealed = bytes(a ^ b for a, b in zip(message.text, b"".join(stream[3:]), strict=False))
        parts = [part + bytes(-len(part) % 16) for part in (message.header, sealed)]
        hashed, data = 0, b"".join(parts)
        first, second, mask = (int.from_bytes(block, "little") for block in stream[:3])
        for place in range(0, len(data), 16):
            block = int.from_bytes(data[place : place + 16], "little")
            hashed = _product(_product(hashed ^ block, first), inverse)
        lengths = 8 * text | 8 * header << 64
        tag = (_product(_product(hashed ^ lengths, second), inverse) ^ mask).to_bytes(16, "little")
        made = GCM_SST.encrypt(Cipher(key), message)
        assert (made.text, made.tag) == (sealed, tag[: len(message.tag)])


def test_a_message_of_a_tag_is_as_long_as_the_draft_allows() -> None:
    for size in (4, 8, 15, 16):
        with pytest.raises(MessageRefused, match="tag: must have 12, 14, 6 bytes"):
            GCM_SST.encrypt(Cipher(bytes(16)), Message(bytes(12), tag=bytes(size)))
    most = Message(bytes(12), tag=bytes(14))
    for part in ("header", "text"):
        assert GCM_SST.encrypt(Cipher(bytes(16)), replace(most, **{part: bytes(1 << 16)})).tag
        with pytest.raises(
            MessageRefused, match=f"{part}: GCM-SST takes at most 65536 bytes with tags of 14, not 65537"
        ):
            GCM_SST.encrypt(Cipher(bytes(16)), replace(most, **{part: bytes((1 << 16) + 1)}))


@pytest.mark.thorough(but=("text",))
@pytest.mark.parametrize("part", ["header", "text"])
def test_the_engine_takes_what_the_draft_allows_and_no_byte_more(
    part: str, bench: Any, stand_ins: Any, tmp_path: Path
) -> None:
    made = GcmSstEngine("sst", stand_ins[0](2, 3), digit=64, memory_beats=4)
    model, key = bench(made, tmp_path / "model"), bytes(16)
    messages = [
        made.sends(replace(Message(bytes(12), tag=bytes(tag)), **{part: bytes(size)}))
        for size in (1 << 16, (1 << 16) + 1)
        for tag in (14, 12)
    ]
    faults = [made.answer(stand_ins[1](key), sent)[1] for sent in messages]
    assert faults == [None, None, Fault.LENGTH, None]
    check(made, model, [(key, sent) for sent in messages], stand_ins[1])


def test_short_tags_are_refused_where_the_field_says_so(stand_ins: Any) -> None:
    cipher, core = stand_ins[1](bytes(16)), stand_ins[0](3, 4)
    for least, taken in ((4, {6, 12, 14}), (12, {12, 14}), (13, {14})):
        engine = GcmSstEngine("sst", core, memory_beats=4, min_tag=least)
        sent = {size: engine.sends(Message(bytes(12), tag=bytes(size))) for size in range(1, BLOCK + 1)}
        faults = {size: engine.answer(cipher, each)[1] for size, each in sent.items()}
        assert {size for size, fault in faults.items() if fault is None} == taken
        assert set(faults.values()) == {None, Fault.TAG}
    assert "**Tags of 6 bytes are taken" in GcmSstEngine("sst", core).all_remarks[-1]
    with pytest.raises(RequestError, match="min_tag: must be at most 14, the longest tag of GCM-SST, not 15"):
        gcm_sst_engine("sst", {"preset": "ueno2020-enc"}, min_tag=15)
    made = parse_engine({"mode": "gcm-sst", "core": "ueno2020-enc-256"}).engine("sst", "sst")
    assert (made.key_bits, made.mode, made.memory_beats) == ((256,), "gcm-sst", 1024)  # type: ignore[attr-defined]


def test_clocks_are_those_that_the_page_says(stand_ins: Any) -> None:
    """For a latency of L, at a block every L - 1 clocks, and g clocks of GHASH that are fewer."""
    made, g, latency = GcmSstEngine("sst", stand_ins[0](10, 11)), 9, 11
    for texts in range(1, 6):
        assert made.message_cycles(0, texts) == (texts + 3) * latency + 3
        assert made.message_cycles(0, texts, encrypt=False) == (texts + 3) * latency + texts + 4
        for headers in range(1, 4):
            waits = g * (headers - 1) + 1
            assert made.message_cycles(headers, texts) == (texts + 3) * latency + waits + 3
            assert made.message_cycles(headers, texts, encrypt=False) == (texts + 3) * latency + waits + texts + 4
    assert made.cycles_per_block == 12


# Wrong engines

_E = "gcm_sst_engine"
WRONG: dict[str, WrongText] = {
    "one hash key": (_E, "if ((hash_key | second) & result_taken) h_q", "if (hash_key & result_taken) h_q"),
    "the second hash key is that of the next block": (_E, "{30'd0, make_tag, second}", "{30'd0, make_tag, 1'b0}"),
    "the mask is a hash key": (_E, "{30'd0, make_tag, second}", "{31'd0, second | make_tag}"),
    "the second key comes before all is hashed": (
        _E,
        "((second | make_tag) & ~busy_q)",
        "(second | (make_tag & ~busy_q))",
    ),
    "the tag is made too early": (_E, "((second | make_tag) & ~busy_q)", "((second & ~busy_q) | make_tag)"),
    "text begins at block 2": (_E, "text_q + 32'd3", "text_q + 32'd2"),
    "no counter": (_E, "text_q + 32'd3", "32'd3"),
    "no nonce": (_E, "{turned({32'd0, nonce_q})[127:32], number}", "{96'd0, number}"),
    "the nonce the other way round": (_E, "{turned({32'd0, nonce_q})[127:32], number}", "{nonce_q, number}"),
    "the number comes first": (
        _E,
        "{turned({32'd0, nonce_q})[127:32], number}",
        "{number, turned({32'd0, nonce_q})[127:32]}",
    ),
    "the key is not times x": (_E, ".h_i(doubled(mirrored(turned(h_q)))),", ".h_i(mirrored(turned(h_q))),"),
    "the key as GHASH has it": (_E, ".h_i(doubled(mirrored(turned(h_q)))),", ".h_i(doubled(mirrored(h_q))),"),
    "the plaintext is hashed to encrypt": (_E, "operand = is_text & encrypt_q ? shown : came;", "operand = came;"),
    "the plaintext is hashed to decrypt": (
        _E,
        "operand = is_text & encrypt_q ? shown : came;",
        "operand = is_text ? shown : came;",
    ),
    "bytes behind a header are hashed": (
        _E,
        "came[8*place+:8]  = s_axis_tdata[8*place+:8] & {8{keep[place]}};",
        "came[8*place+:8]  = s_axis_tdata[8*place+:8];",
    ),
    "the header is not hashed": (_E, "(good & (is_header | is_text)) | lengths;", "(good & is_text) | lengths;"),
    "text is not hashed": (_E, "(good & (is_header | is_text)) | lengths;", "(good & is_header) | lengths;"),
    "no lengths": (_E, "    if (lengths) operand = length_block;\n", "    if (lengths) operand = '0;\n"),
    "lengths change places": (
        _E,
        "{25'd0, header_q, header_odd_q, 3'd0, 25'd0, text_q, text_odd_q, 3'd0}",
        "{25'd0, text_q, text_odd_q, 3'd0, 25'd0, header_q, header_odd_q, 3'd0}",
    ),
    "lengths in bytes": (
        _E,
        "{25'd0, header_q, header_odd_q, 3'd0, 25'd0, text_q, text_odd_q, 3'd0}",
        "{28'd0, header_q, header_odd_q, 28'd0, text_q, text_odd_q}",
    ),
    "Y of the message before": (_E, "if (hash_key | hash) y_q <= '0;", "if (hash) y_q <= '0;"),
    "Y is added twice": (_E, "if (hash_key | hash) y_q <= '0;", "if (hash_key) y_q <= '0;"),
    "GHASH is not waited for by the header": (_E, "~(is_header & busy_q))", "1'b1)"),
    "GHASH is not waited for by text": (
        _E,
        "core_result_valid_i[0] & ~busy_q & (~encrypt_q",
        "core_result_valid_i[0] & (~encrypt_q",
    ),
    "text is offered before it may leave": (
        _E,
        "core_result_valid_i[0] & ~busy_q) | unload",
        "core_result_valid_i[0]) | unload",
    ),
    "a receiver is not waited for": (_E, "& (~encrypt_q | m_axis_tready);", ";"),
    "no mask": (_E, "sum ^= result & {128{make_tag | (load & is_text)}};", "sum ^= result & {128{load & is_text}};"),
    "no hash in the tag": (_E, "    sum ^= hashed & {128{make_tag}};\n", ""),
    "a whole tag": (_E, "if (make_tag | tag_out) keep = tag_keep;", "if (1'b0) keep = tag_keep;"),
    "tags of 14 bytes are of 12": (_E, "{2'd0, {2{size_q == LongTag}},", "{2'd0, 2'd0,"),
    "tags of 6 bytes are of 12": (_E, "{6{size_q != ShortTag}}, {6{1'b1}}", "{12{1'b1}}"),
    "any tag": (_E, "if (~(s_axis_cmd_tdata[7:4] inside {ShortTag, UsualTag, LongTag})) refusal = 4'd8;", ""),
    "tags of 16 bytes": (_E, "inside {ShortTag,", "inside {4'd0, ShortTag,"),
    "any nonce": (_E, "if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;", ""),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "nothing is compared": (_E, "if (x_q != '0) state_d = Failed;", "if (1'b0) state_d = Failed;"),
    "a byte of the tag is not compared": (_E, "if (x_q != '0) state_d", "if (x_q[127:8] != '0) state_d"),
    "bytes behind six are not compared": (_E, "if (x_q != '0) state_d", "if (x_q[47:0] != '0) state_d"),
    "text before the verdict": (
        _E,
        "assign shows         = (asks_text & encrypt_q &",
        "assign shows         = (asks_text &",
    ),
    "text of a bad verdict": (_E, "if (x_q != '0) state_d", "if (x_q != '0 & text_q == '0) state_d"),
    "ciphertext in the memory": (_E, "assign memory_data_o    = shown;", "assign memory_data_o    = came;"),
    "text is written one on": (
        _E,
        "load ? text_q[AddressBits-1:0] : at_q",
        "load ? text_q[AddressBits-1:0] + 1'b1 : at_q",
    ),
    "the first to leave is not read": (_E, "memory_write_o | compares | (unload", "memory_write_o | (unload"),
    "the next to leave is not read": (_E, "| compares | (unload & m_axis_tready);", "| compares;"),
    "bytes behind the text leave": (
        _E,
        "unload & last_text & text_odd_q != '0 &",
        "unload & 1'b0 & text_odd_q != '0 &",
    ),
    "a part of a block does not leave": (_E, "+ CountBits'(text_odd_q != '0);", ";"),
    "a part alone does not leave": (_E, "text_q == '0 & text_odd_q == '0 ? Empty", "text_q == '0 ? Empty"),
    "a message without text": (_E, "text_q == '0 & text_odd_q == '0 ? Empty : Unload", "Unload"),
    "a beat is not waited for": (_E, "Unload: if (leaves & last_text)", "Unload: if (last_text)"),
    "the tag is not waited for": (_E, "default: if (leaves) state_d = Idle;", "default: if (1'b1) state_d = Idle;"),
    "the tag is text": (_E, "m_axis_tvalid, tag_out};", "m_axis_tvalid, 1'b0};"),
    "a bad verdict is an error": (
        _E,
        "{state_q == Refused, state_q == Failed,",
        "{state_q == Failed, state_q == Refused,",
    ),
    "the last text ends the message": (_E, "m_axis_tvalid & ~load & (", "m_axis_tvalid & (~load | s_axis_tlast) & ("),
    "no room is not seen": (_E, "(~encrypt_q & text_q[AddressBits])", "1'b0"),
    "no room to encrypt": (_E, "(~encrypt_q & text_q[AddressBits])", "text_q[AddressBits]"),
    "a beat less of room": (_E, "(~encrypt_q & text_q[AddressBits])", "(~encrypt_q & (&text_q[AddressBits-1:0]))"),
    "headers are not counted": (_E, "header_q + 32'(s_axis_tkeep[15]);", "header_q;"),
    "a part of a block is counted": (_E, "text_q + 32'(s_axis_tkeep[15]);", "text_q + 32'd1;"),
    "text is not counted anew": (
        _E,
        "{header_q, header_odd_q, text_q, text_odd_q, at_q}",
        "{header_q, header_odd_q, text_odd_q, at_q}",
    ),
    "bytes of the text before": (
        _E,
        "{header_q, header_odd_q, text_q, text_odd_q, at_q}",
        "{header_q, header_odd_q, text_q, at_q}",
    ),
    "bytes of the header before": (
        _E,
        "{header_q, header_odd_q, text_q, text_odd_q, at_q}",
        "{header_q, text_q, text_odd_q, at_q}",
    ),
    "blocks are not read anew": (_E, "text_q, text_odd_q, at_q} <= '0;", "text_q, text_odd_q} <= '0;"),
    "the code is lost": (_E, "& leaves) error_q <= code_q;", "& leaves) error_q <= '0;"),
    "a refused message is served": (_E, "state_d = good ? Second : Refused;", "state_d = Second;"),
    "a refused beat is text": (_E, "assign good = takes & code == '0;", "assign good = takes;"),
    "a tag is not asked for": (_E, ".tag_i       (tag_keep & {16{~encrypt_q}}),", ".tag_i       ('0),"),
    "an IV in the stream": (_E, "({~encrypt_q, 3'b110})", "({~encrypt_q, 3'b111})"),
    "a tag to encrypt": (_E, "({~encrypt_q, 3'b110})", "(4'b1110)"),
    "a command before a key that came first": (_E, "cmd_tready = idle & ~key_valid_i;", "cmd_tready = idle;"),
    "a key within a message": (_E, "= key_valid_i & idle;", "= key_valid_i & (idle | load);"),
    "an output that is not quiet": (_E, "m_axis_tdata  = shown & {128{shows}};", "m_axis_tdata  = shown;"),
    "a step of GHASH less": (_E, "step_q == StepBits'(Steps - 1);", "step_q == StepBits'(Steps - 2);"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
TESTED = tuple(WRONG)[::4]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Callable[..., Any]) -> GcmSstEngine:
    """The engine of which wrong ones are made."""
    return GcmSstEngine("right_sst", stand_in(3, 4), memory_beats=8)


def edges(cipher: Cipher) -> list[StreamedMessage]:
    """Messages that random ones seldom are: with a bit of each byte of a tag another one."""
    made, rng = list[StreamedMessage](), random.Random(1)
    for size in SST_TAGS:
        for place in range(size):
            message = Message(rng.randbytes(12), b"", rng.randbytes(40), bytes(size))
            sealed = GCM_SST.encrypt(cipher, message)
            tag = bytearray(sealed.tag)
            tag[place] ^= 1 << rng.randrange(8)
            made.append(GCM_SST_FRAME.sent(replace(message, text=sealed.text, tag=bytes(tag)), encrypt=False))
    return made


@cache
def to_tell_apart(cipher: type[Cipher]) -> tuple[list[Keyed], ...]:
    """What wrong engines are sent."""
    rng, made = random.Random(7), []
    for _ in PAUSES:
        sent = GCM_SST_FRAME.traffic(8).messages(rng, 150, cipher, most=140)
        key = sent[-1][0]
        assert key is not None
        made.append([*sent, *((key, each) for each in edges(cipher(key)))])
    return tuple(made)


def passes(right: GcmSstEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does."""
    return answers_alike(right, model, number, cipher, to_tell_apart(cipher))


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    can_be_made(right_one(stand_ins[0]), WRONG, 60)


@pytest.mark.thorough
def test_wrong_engines_are_found(stand_ins: Any, tmp_path: Path) -> None:
    wrong = [WRONG[what] for what in TESTED]
    finds_wrong_engines(right_one(stand_ins[0]), wrong, passes, tmp_path, stand_ins[1])

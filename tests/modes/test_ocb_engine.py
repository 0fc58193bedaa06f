"""The OCB3 engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3
from tests.modes.engine_bench import ALWAYS, WRONG_TURNS, Chosen, ManyEngines, check, wrong_engine

from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.assurance.streams.vectors import RFC_7253, iterated_vectors, rfc7253_message, vectors_of
from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes import offset
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.ocb_engine import OcbEngine, ocb_engine
from aesmith.modes.ocb_messages import OCB_TRAFFIC, answer_of_ocb, streamed_for_ocb
from aesmith.modes.offset import OCB3, OCB_NONCES, OCB_TAGS
from aesmith.modes.stream import Section
from aesmith.modes.traffic import with_beat, with_command

pytestmark = pytest.mark.one_in(5)

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "compact": ((10, 11, BOTH), {"entries": 24}),
    "three-cores": ((10, 11, BOTH), {"cores": 3, "release": "cut-through"}),
    "four-cores": ((14, 15, BOTH), {"cores": 4, "entries": 40}),
    "encrypt": ((2, 9), {"cores": 2}),
    "pipeline": ((1, 31, BOTH), {"entries": 64}),
    "small": ((10, 11, BOTH), {"entries": 4}),
}
"""Clocks a block, latency and directions of cores that stand in for AES, and fields of the engine."""

KEY = bytes(range(16))


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    design = OcbEngine("ocb", stand_ins[0](*core), **fields)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    """OpenSSL's OCB3 has nonces of 12 to 15 bytes and tags of 16."""
    rng = random.Random(5)
    for size in [*range(50), 300]:
        key, text, header = rng.randbytes(16), rng.randbytes(size), rng.randbytes(size // 2)
        iv = rng.randbytes(rng.randrange(12, 16))
        beats, fault = answer_of_ocb(Cipher(key), streamed_for_ocb(Message(iv, header, text, bytes(16))), encrypt=True)
        sealed = AESOCB3(key).encrypt(iv, text, header)
        assert fault is None
        assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == sealed
        message = Message(iv, header, sealed[:size], sealed[size:])
        for changed in (message, replace(message, header=header + b"a")):
            beats, _ = answer_of_ocb(Cipher(key), streamed_for_ocb(changed, encrypt=False), encrypt=False)
            opened = b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)
            try:
                expected = AESOCB3(key).decrypt(iv, changed.text + changed.tag, changed.header)
                assert (opened, beats[-1].failed) == (expected, False)
            except InvalidTag:
                assert (opened, beats[-1].failed) == (b"", True)


@pytest.mark.parametrize("fault", OCB_TRAFFIC.bad)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault) -> None:
    design, cipher = ocb_engine("ocb", {"preset": "ueno2020-encdec"}), Cipher(bytes(16))
    rng = random.Random(int(fault))
    for make in OCB_TRAFFIC.bad[fault]:
        for _ in range(20):
            assert design.answer(cipher, make(OCB_TRAFFIC.to_break(rng, cipher, 48), rng))[1] is fault


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("pause", "slow"), [(0, 0), (100, 100), (200, 200), (0, 245)])
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int, slow: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS} | {OUTPUT: slow}
    sent = design.traffic.messages(rng, 200, stand_ins[1])
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough(but=1)
def test_messages_follow_in_the_clocks_of_the_formula(engine: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)


@pytest.mark.thorough
def test_cores_that_turn_between_directions_are_counted_and_compute_aes(bench: Any, tmp_path: Path) -> None:
    design = ocb_engine("ocb", {"preset": "ueno2020-encdec"}, cores=2, entries=12)
    model = bench(design, tmp_path / "model")
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)
    without = replace(design, core=replace(design.core, turn_cycles=0))
    assert design.message_cycles(0, 4, encrypt=False) > without.message_cycles(0, 4, encrypt=False)
    vectors = [*vectors_of(design, 300), *iterated_vectors(design)]
    sent = [*((vector.key, vector.sent) for vector in vectors), *design.traffic.messages(random.Random(1), 60)[1:]]
    check(design, model, sent, Cipher)


@pytest.mark.parametrize(("key_bits", "tag_bytes"), RFC_7253)
def test_the_model_has_the_answers_of_the_iterated_test_of_rfc_7253(key_bits: int, tag_bytes: int) -> None:
    key, message = rfc7253_message(key_bits, tag_bytes)
    assert OCB3.encrypt(Cipher(key), message).tag.hex().upper() == RFC_7253[key_bits, tag_bytes]


@pytest.mark.thorough(but=1)
def test_text_leaves_after_the_clocks_that_are_stated(engine: Any) -> None:
    design, model = engine
    message = streamed_for_ocb(Message(bytes(12), b"", bytes(16), bytes(16)))
    offers = offers_of([(bytes(16), message)] * 2)
    # The second one comes to an engine that is at rest, and has its Δ_0.
    offers[INPUT][1] = replace(offers[INPUT][1], after={COMMAND: 2, OUTPUT: 2})
    made = model.run(offers, pauses={INPUT: 255})
    assert made[OUTPUT][2].clock - made[INPUT][1].clock + 1 == design.latency_cycles


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("engine", ["compact", "small"], indirect=True)
def test_a_message_to_decrypt_that_does_not_fit_is_refused_and_the_next_is_not(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    cipher = stand_ins[1](KEY)
    sent = []
    for blocks in (design.most_beats, design.most_beats + 1, design.most_beats + 9, 3):
        sealed = OCB3.encrypt(cipher, Message(bytes(12), bytes(600), bytes(16 * blocks), bytes(16)))
        message = Message(bytes(12), bytes(600), sealed.text, sealed.tag)
        sent.append((KEY, streamed_for_ocb(message, encrypt=False)))
    faults = [design.answer(cipher, message)[1] for _, message in sent]
    assert faults == [None, Fault.LENGTH, Fault.LENGTH, None]
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("engine", ["compact", "encrypt"], indirect=True)
def test_nonces_and_tags_of_every_length_count(engine: Any, stand_ins: Any) -> None:
    """And each of the 64 places in the stretched nonce at which a first offset begins."""
    design, model = engine
    rng = random.Random(3)
    cipher, sent = stand_ins[1](KEY), []
    for number in range(240):
        nonce = rng.randbytes(OCB_NONCES[number % 15] - 1) + bytes([number % 64 | rng.randrange(4) << 6])
        message = Message(nonce, rng.randbytes(number % 17), rng.randbytes(33), bytes(OCB_TAGS[number // 15]))
        sent.append((KEY, streamed_for_ocb(message)))
        if Direction.DECRYPT in design.directions:
            sealed = OCB3.encrypt(cipher, message)
            sent.append((KEY, streamed_for_ocb(replace(message, text=sealed.text, tag=sealed.tag), encrypt=False)))
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("section", Section)
def test_a_message_without_bytes_has_its_tag_whatever_its_beat_is_called(
    engine: Any, stand_ins: Any, section: Section
) -> None:
    design, model = engine
    empty, text = (streamed_for_ocb(Message(bytes(12), b"", bytes(size), bytes(16))) for size in (0, 20))
    called = with_beat(empty, 0, section=section, data=bytes(range(16)))
    check(design, model, [(KEY, message) for message in (called, text, called, called, text)], stand_ins[1])


@pytest.mark.thorough
def test_an_engine_that_only_encrypts_does_so_whatever_is_asked(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    design = OcbEngine("ocb", stand_ins[0](10, 11))
    sent = [(KEY, with_command(streamed_for_ocb(Message(bytes(12), b"a", b"b", bytes(16))), encrypt=False))] * 3
    assert design.answer(stand_ins[1](KEY), sent[0][1])[1] is None
    check(design, bench(design, tmp_path / "model"), sent, stand_ins[1])


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["pipeline"], indirect=True)
def test_a_long_text_has_an_offset_for_each_block(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    message = Message(bytes(range(12)), bytes(700), random.Random(2).randbytes(65536 + 40), bytes(16))
    check(design, model, [(KEY, streamed_for_ocb(message))], stand_ins[1])


FAR = (7, 17, 31, 40, 52, 59)
"""Powers of two behind whose block an engine is made to number its blocks on."""


@pytest.mark.thorough
def test_offsets_are_right_for_numbers_of_blocks_that_no_simulation_comes_to(
    bench: Any, stand_ins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Engines, and the model, that take the second block of a section for block 2^n."""
    right = OcbEngine("right", stand_ins[0](2, 9, BOTH), entries=12)
    numbers = ("offset_maker", "first_i ? NumberBits'(1)", "first_i ? NumberBits'({})")
    engines = [wrong_engine(right, f"far_{n}", *(part.format(f"60'd{2**n - 1}") for part in numbers)) for n in FAR]
    model = bench(ManyEngines(tuple(engines)), tmp_path / "model")
    near = offset._Offsets.step
    for place, n in enumerate(FAR):
        monkeypatch.setattr(offset._Offsets, "step", lambda self, i, n=n: near(self, i if i < 2 else i - 2 + 2**n))
        check(right, model, right.traffic.messages(random.Random(n), 60, stand_ins[1]), stand_ins[1], Chosen(place))


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-encdec", {"release": "never"}, "release: must be one of verified, cut-through"),
        ("ueno2020-encdec", {"entries": 3}, "entries: must be 4 to 4096, or 0, not 3"),
        ("ueno2020-encdec", {"cores": 11}, "cores: must be at most 10"),
        ("ueno2020-encdec-selectable", {}, "one key size"),
        ("ueno2020-encdec-p2", {}, "must take as long to turn, whatever is in it"),
        ("serial-small-enc", {}, "128 bits at once"),
    ):
        with pytest.raises(RequestError, match=told):
            ocb_engine("ocb", {"preset": core}, **fields)
    with pytest.raises(RequestError, match="core: must encrypt; subpipelined does not"):
        ocb_engine("ocb", {"architecture": "subpipelined", "directions": ("decrypt",), "stages": 1})


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("core", "fields"),
    [
        ("ueno2020-encdec", {"cores": 2}),
        ("ueno2020-encdec-256", {"release": "cut-through"}),
        ("ueno2020-enc-192", {}),
    ],
)
def test_an_engine_with_its_cores_is_clean_under_lint(core: str, fields: dict[str, Any], tmp_path: Path) -> None:
    lint(ocb_engine("ocb", {"preset": core}, **fields), tmp_path)


WRONG = {
    # nonces, and the first offset
    "the bytes of the tag are not in the nonce": (
        "ocb_engine",
        "{s_axis_cmd_tdata[7:4], 124'd0} |",
        "{s_axis_cmd_tdata[7:4] & 4'd0, 124'd0} |",
    ),
    "no one before the nonce": ("ocb_engine", "128'({1'b1, turned(", "128'({1'b0, turned("),
    "every nonce has 12 bytes": (
        "ocb_engine",
        ">> {4'd0 - nonce_bytes, 3'd0})",
        ">> {4'd4 | nonce_bytes & 4'd0, 3'd0})",
    ),
    "the six bits of the nonce are encrypted, too": (
        "ocb_engine",
        "{nonce[127:6], 6'd0}",
        "nonce",
    ),
    "five bits of the nonce choose the offset": ("ocb_engine", "<< bottom_q)", "<< bottom_q[4:0])"),
    "the offset begins one bit late": ("ocb_engine", "<< bottom_q) >> 64)", "<< bottom_q) >> 63)"),
    "stretched by another byte": ("ocb_engine", "result[127:64] ^ result[119:56]", "result[127:64] ^ result[127:64]"),
    "the bottom of the message behind": (
        "ocb_engine",
        "if (s_axis_cmd_tvalid & s_axis_cmd_tready & with_nonce) bottom_q",
        "if (s_axis_cmd_tvalid & with_nonce) bottom_q",
    ),
    "nonces of any size": ("ocb_engine", "s_axis_cmd_tdata[31:28] != '0 | nonce_bytes == '0 ? 4'd5", "1'b0 ? 4'd5"),
    "a nonce of no bytes": ("ocb_engine", "!= '0 | nonce_bytes == '0 ?", "!= '0 ?"),
    "a nonce before a key": ("ocb_engine", "with_nonce  = keyed_q &", "with_nonce  ="),
    "the nonce of a wrong message is kept": ("ocb_engine", "| (ends_wrong & wanted));", ");"),
    "the nonce of the message before": (
        "tweak_maker",
        "else if (comes) value_q <=",
        "else if (comes & 1'b0) value_q <=",
    ),
    # offsets
    "ntz of the block before": (
        "offset_maker",
        "lowest = ~number & (number + 1'b1)",
        "lowest = number & ~(number - 1'b1)",
    ),
    "always L_0": ("offset_maker", "step     = first_i ? step_0 : step_q", "step     = step_0"),
    "ntz of one more": ("offset_maker", "shifted(step_0, zeros)", "shifted(step_0, zeros + 6'd1)"),
    "L_0 is L_$": ("offset_maker", "step_0   = doubled(dollar)", "step_0   = dollar"),
    "L_$ and L_* the other way round": (
        "offset_maker",
        "(tag_i ? dollar : whole_i ? step : star_q)",
        "(tag_i ? star_q : whole_i ? step : dollar)",
    ),
    "a part of a block is numbered as a whole one": ("offset_maker", "whole_i ? step : star_q", "step"),
    "the offset stays at a part of a block": (
        "offset_maker",
        "offset_q <= offset_o;",
        "if (whole_i) offset_q <= offset_o;",
    ),
    "another polynomial": ("offset_maker", "8'h87 &", "8'h86 &"),
    "the shift is not reduced": ("offset_maker", "shifted ^= {64'd0, over} ^", "shifted ^= 128'd0 & {64'd0, over} ^"),
    "the number goes on in the next section": (
        "offset_maker",
        "number   = first_i ? NumberBits'(1) : number_q",
        "number   = number_q",
    ),
    "the header begins with the nonce's offset": (
        "ocb_engine",
        "(first_offset & {128{~is_header | of_tag}})",
        "(first_offset)",
    ),
    "the header's offset goes on in the text": (
        "ocb_engine",
        "(is_header & ~of_tag ? ~hashes_q : ~open_q)",
        "(~hashes_q & ~open_q)",
    ),
    # blocks
    "nothing is added behind": ("ocb_engine", "keep[15] ? turned(offset) : text", "keep[15] ? '0 : text"),
    "the last block goes through the cipher": ("ocb_engine", "(filled & {128{keep[15] | is_header}})", "(filled)"),
    "a header without its one behind": ("ocb_engine", "{one_at[place], 7'd0}", "{one_at[place] & 1'b0, 7'd0}"),
    "a one in the wrong bit": ("ocb_engine", "{one_at[place], 7'd0}", "{7'd0, one_at[place]}"),
    "the checksum of the ciphertext": (
        "ocb_engine",
        "turned(padded(answer, result_keep))",
        "turned(padded(result_beside, result_keep))",
    ),
    "bytes that do not count are in the checksum": (
        "ocb_engine",
        "turned(padded(answer, result_keep))",
        "turned(answer)",
    ),
    "the checksum of the message before": (
        "ocb_engine",
        "if (key_taken | ends_wrong | (sent & of_tag)) checksum_q",
        "if (key_taken | ends_wrong) checksum_q",
    ),
    "the checksum of a wrong message": (
        "ocb_engine",
        "if (key_taken | ends_wrong | (sent & of_tag)) checksum_q",
        "if (key_taken | (sent & of_tag)) checksum_q",
    ),
    "the hash of the message before": ("ocb_engine", "ends_wrong | tag_result) hash_q", "ends_wrong) hash_q"),
    "the hash of a wrong message": (
        "ocb_engine",
        "if (key_taken | ends_wrong | tag_result) hash_q",
        "if (key_taken | tag_result) hash_q",
    ),
    "the tag without the header": ("ocb_engine", "(hash_q & {128{tag_result}})", "(hash_q & {128{tag_result & 1'b0}})"),
    "the header's hash in the text": ("ocb_engine", "(hash_q & {128{tag_result}})", "(hash_q)"),
    "the core never decrypts": (
        "ocb_engine",
        "core_decrypt_o = goes & decrypts &",
        "core_decrypt_o = 1'b0 & decrypts &",
    ),
    "parts of blocks are decrypted": ("ocb_engine", "decrypts & is_text & keep[15];", "decrypts & is_text;"),
    # tags and verdicts
    "the tag before the last plaintext": (
        "ocb_engine",
        "waits_for_text = is_tag & under_way_q != '0",
        "waits_for_text = is_tag & 1'b0",
    ),
    "a tag of all bytes": ("ocb_engine", "of_keep = tag_keep", "of_keep = '1"),
    "the tag is compared but for its last byte": (
        "ocb_engine",
        "place < 16; place++) wrong |=",
        "place < 15; place++) wrong |=",
    ),
    "every tag is right": ("ocb_engine", "failed        = wrong(", "failed        = 1'b0 & wrong("),
    "plaintext before the verdict": ("ocb_engine", "(text_result & ~(Verified & result_decrypts))", "(text_result)"),
    "plaintext of another tag": ("ocb_engine", "(Verified & (hides | ends_wrong))", "(Verified & ends_wrong)"),
    "plaintext of a wrong message": ("ocb_engine", "(Verified & (hides | ends_wrong))", "(Verified & hides)"),
    "the last beat is not marked": ("ocb_engine", "(verdict & shown_q & ~hides)", "(verdict & shown_q & hides)"),
    "an empty message has no answer": ("ocb_engine", "(~verdict | hides | ~shown_q))", "(~verdict | hides))"),
    "a message is shown if the one before was": (
        "ocb_engine",
        "else if (tag_result | ends_wrong) shown_q",
        "else if (ends_wrong) shown_q",
    ),
    "failed is not said": ("ocb_engine", "(verdict & failed),", "(verdict & failed & 1'b0),"),
    "tags of any size": ("section_tracker", "is_tag[lane] & keep_i[lane] != tag_i", "1'b0"),
    # room, keys, codes
    "text that does not fit": ("ocb_engine", "texts_q == CountBits'(Entries - 1);", "1'b0;"),
    "the texts of the message before": ("ocb_engine", "if (last) texts_q <= '0;\n      else if", "if"),
    "no room is kept for results": (
        "ocb_engine",
        "{1'b0, count} + {1'b0, under_way_q} < (CountBits + 1)'(Entries)",
        "{1'b0, count} < (CountBits + 1)'(Entries)",
    ),
    "an error before what was right has come back": (
        "ocb_engine",
        "last & under_way_q == '0 & buffer_room",
        "last & buffer_room",
    ),
    "an error without room": ("ocb_engine", "under_way_q == '0 & buffer_room & (", "under_way_q == '0 & ("),
    "a bad beat is processed": ("ocb_engine", "offers    = valid & good &", "offers    = valid &"),
    "a key while messages are under way": ("ocb_engine", "idle        = under_way_q == '0 &", "idle        ="),
    "the L_* of the key before": (
        "ocb_engine",
        "known_q    <= 1'b0;\n      end else",
        "known_q    <= known_q;\n      end else",
    ),
    "no L_* for the second key": ("ocb_engine", "star_due_q <= 1'b1;", "star_due_q <= ~keyed_q;"),
    "a nonce takes the place of a block that is offered": (
        "ocb_engine",
        "nonce_valid & ~waits_q",
        "nonce_valid",
    ),
    "the code is lost": ("ocb_engine", "error_o <= out_code", "error_o <= '1"),
    "stale bytes of keep": (
        "release_buffer",
        "keep_q[place]   <= keep_i;",
        "keep_q[place]   <= keep_i | keep_q[place];",
    ),
    "an output that is not quiet": ("release_buffer", "keep_q[read_q] & {16{valid_o}}", "keep_q[read_q]"),
    "bytes that do not count are not masked": ("release_buffer", "& {8{keep_o[place]}}", "& {8{valid_o}}"),
    **{what: WRONG_TURNS[what] for what in ("results of the core whose turn it is not", "results of one core")},
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

WRONG_EARLY = {
    "the last beat has left before the verdict": (
        "ocb_engine",
        "(text_result & result_decrypts),",
        "(1'b0 & text_result),",
    ),
    "the last beat is not marked": ("ocb_engine", "(verdict & shown_q & ~hides)", "(verdict & shown_q & hides)"),
    "a failed message is hidden": ("ocb_engine", "hides = Verified & verdict", "hides = verdict"),
    "failed is said of each last beat": (
        "release_buffer",
        "failed_q[place] <= failed_i;\n      end\n",
        "failed_q[place] <= 1'b1;\n      end\n",
    ),
    "failed is never said of text": (
        "release_buffer",
        "if (Holds) failed_q[place] <= failed_i;",
        "",
    ),
    "what was held leaves with the next message": (
        "ocb_engine",
        "(tag_result | ends_wrong | (text",
        "(tag_result & ~verdict | ends_wrong | (text",
    ),
    "what is held counts as left": (
        "release_buffer",
        "count - CountBits'(holds)",
        "count",
    ),
    "what is right of a wrong message does not leave": (
        "ocb_engine",
        "(Verified & (hides | ends_wrong))",
        "(hides | ends_wrong)",
    ),
}
"""The same of an engine that shows text before its verdict."""

TESTED, TESTED_EARLY = tuple(WRONG)[::6], tuple(WRONG_EARLY)[::4]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def strict(core: CoreDesign) -> CoreDesign:
    """The core that stands in, such that it takes keys with blocks under way, and never answers again when a block that
    it did not take yet is another one, or gone."""
    text = core.sources[0].text
    for right, other in (
        ("key_ready_o = valid_q == '0", "key_ready_o = 1'b1"),
        ("assign block_valid_o =", "assign block_valid_o = ~spoilt_q &"),
        ("  logic keyed_q, move;", "  logic keyed_q, move, waits_q, spoilt_q;\n  logic [128:0] offered_q;"),
        (
            "endmodule",
            """  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {waits_q, spoilt_q} <= '0;
    else begin
      waits_q <= block_valid_i & ~block_ready_o;
      if (waits_q & (~block_valid_i | offered_q != {decrypt_i, block_i})) spoilt_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) offered_q <= {decrypt_i, block_i};
endmodule""",
        ),
    ):
        assert text.count(right) == 1
        text = text.replace(right, other)
    return replace(core, sources=(replace(core.sources[0], text=text),))


def right_one(stand_in: Any) -> OcbEngine:
    """The engine of which wrong ones are made: results of several blocks are under way, and messages wait for room."""
    return OcbEngine("right", strict(stand_in(3, 10, BOTH)), 2, entries=8)


def right_early_one(stand_in: Any) -> OcbEngine:
    """That of which those are made that show text before its verdict."""
    return replace(right_one(stand_in), release="cut-through")


def _many(right: OcbEngine, wrong: dict[str, tuple[str, str, str]], tested: tuple[str, ...]) -> ManyEngines:
    engines = (wrong_engine(right, f"wrong_{number}", *wrong[what]) for number, what in enumerate(tested))
    return ManyEngines((right, *engines))


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = right_one(stand_ins[0])
    return right, bench(_many(right, WRONG, TESTED), tmp_path_factory.mktemp("many") / "model")


@pytest.fixture(scope="module")
def early(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same of those that show text before its verdict."""
    right = right_early_one(stand_ins[0])
    return right, bench(_many(right, WRONG_EARLY, TESTED_EARLY), tmp_path_factory.mktemp("early") / "model")


def passes(right: OcbEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model does, without pauses, with them, and to a slow receiver."""
    rng = random.Random(7)
    for pause, slow in ((0, 0), (120, 120), (0, 245)):
        sent = right.traffic.messages(rng, 300, cipher, most=150)
        pauses = dict.fromkeys(ALWAYS, pause) | {OUTPUT: slow}
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    assert passes(*many, ["none", *TESTED].index(what), stand_ins[1]) is (what == "none")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED_EARLY])
def test_a_wrong_engine_that_shows_text_early_is_found(what: str, early: Any, stand_ins: Any) -> None:
    assert passes(*early, ["none", *TESTED_EARLY].index(what), stand_ins[1]) is (what == "none")

"""A generator of fresh bits beside a masked core: its words are those of the specification, and each fault is found."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.proof.shares.generator import check_generator
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.masked.generator import NOT_INSIDE, with_generator
from aesmith.cores.ports import Channel, Line, Meaning, Payload, PayloadKind, PortDirection, Ports, Reset
from aesmith.cores.specification import build_design, described_design, parse_specification, presets
from aesmith.errors import CheckError, RequestError
from aesmith.masking.generator import MOST_STEPS, FreshBits, Prng

SMALL = "little"


def around(bits: int, kind: Prng = "trivium", steps: int = MOST_STEPS, *, clock_gates: bool = True) -> CoreDesign:
    """A generator beside a core of nothing but a channel of so many fresh bits, a word of which may be refused."""
    word = Payload("random_i", bits, Meaning.RANDOM, PayloadKind.RANDOM)
    random = Channel("random", PortDirection.INPUT, (word,), Line("random_valid_i"), Line("random_ready_o"))
    pause = Channel("pause", PortDirection.INPUT, (Payload("pause_i", 1, Meaning.VALUE, PayloadKind.CONTROL),))
    shares = (Payload("share_i", 1, Meaning.VALUE, PayloadKind.SHARE, 2),)
    text = f"""module {SMALL} (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic pause_i,
  input  logic [1:0] share_i,
  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [{bits - 1}:0] random_i,
  output logic sum_o
);
  assign random_ready_o = ~pause_i;
  assign sum_o = ^{{clk_i, rst_ni, share_i, random_valid_i, random_i}};
endmodule
"""
    result = Channel("sum", PortDirection.OUTPUT, (Payload("sum_o", 1, Meaning.VALUE),))
    channels = (pause, Channel("shares", PortDirection.INPUT, shares), random, result)
    core = replace(
        build_design(parse_specification({"preset": "boyar2010-enc"}), SMALL, SMALL),
        ports=Ports("clk_i", Reset("rst_ni"), channels),
        sources=(SourceFile(f"{SMALL}.sv", text),),
        parameters={"prng": kind, "prng_steps": steps, "clock_gates": clock_gates},
    )
    return with_generator(core, kind, steps)


def edited(design: CoreDesign, *changes: tuple[str, str]) -> CoreDesign:
    """The design with texts in its sources replaced; each must stand somewhere."""
    for old, new in changes:
        assert any(old in source.text for source in design.sources), old
        sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
        design = replace(design, sources=sources)
    return design


@pytest.mark.thorough(but=1)
@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["trivium", "bivium"])
@pytest.mark.parametrize(
    ("bits", "steps"), [(1, 64), (30, 64), (64, 64), (65, 64), (120, 64), (600, 64), (800, 64), (70, 70), (600, 300)]
)
def test_words_are_those_of_the_key_streams(bits: int, steps: int, kind: Prng, tmp_path: Path) -> None:
    report = check_generator(around(bits, kind, steps, clock_gates=bits != 30), tmp_path)
    assert report.generator == FreshBits(kind, bits, steps)
    assert report.seeds == 384
    assert report.clocks == 4544


@pytest.mark.parametrize(
    ("generator", "lanes", "steps", "clocks", "skipped"),
    [
        (FreshBits("trivium", 64), 1, 64, 18, 0),
        (FreshBits("trivium", 600), 10, 60, 20, 48),
        (FreshBits("trivium", 600, 300), 2, 300, 4, 48),
        (FreshBits("bivium", 800), 13, 62, 12, 36),
        (FreshBits("bivium", 59), 1, 59, 12, 0),
    ],
)
def test_the_warm_up_is_that_of_the_specification_or_ends_with_its_last_clock(
    generator: FreshBits, lanes: int, steps: int, clocks: int, skipped: int
) -> None:
    assert (generator.lanes, generator.steps) == (lanes, steps)
    assert (generator.warm_up_clocks, generator.skipped) == (clocks, skipped)


KEY_STREAM = next(s.text for s in around(30).sources if s.name.endswith("key_stream.sv"))
TAPS = re.findall(r"\b([abc])\[Steps-j\+(\d+)\]", KEY_STREAM.partition("gen_trivium")[2])


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("register", "place"), sorted(set(TAPS)))
def test_each_wrong_tap_is_found(register: str, place: str, tmp_path: Path) -> None:
    """A tap is a place off wherever it is read."""
    right, wrong = (f"{register}[Steps-j+{at}]" for at in (int(place), int(place) - 1))
    with pytest.raises(CheckError, match=r"R3: bit \d+ of word 0 after a seed is not bit \d+ of key stream 0"):
        check_generator(edited(around(30), (right, wrong)), tmp_path)


WORD = "if (word_enable) word_q <= streams[Bits-1:0];"
FILL = "assign fill = running_q & (~offered_q | random_ready_i) & ~seed_valid_i;"
BROKEN = {
    "a register of nothing at an output bit": (
        ("assign random_o = word_q;", "assign random_o = {word_q[Bits-1:1], streams[0]};"),
        r"R3: random_i\[0\] of the core inside comes from logic",
    ),
    "no output register": (
        ("assign random_o = word_q;", "assign random_o = streams[Bits-1:0];"),
        r"R3: random_i\[0\] of the core inside comes from logic",
    ),
    "a bit tied": (
        ("assign random_o = word_q;", "assign random_o = {word_q[Bits-1:2], 1'b0, word_q[0]};"),
        r"R3: random_i\[1\] of the core inside is tied to a constant",
    ),
    "a bit for two pins": (
        ("assign random_o = word_q;", "assign random_o = {word_q[Bits-2:0], word_q[0]};"),
        r"R3: .*word_q\[0\] serves twice, random_i\[0\] and random_i\[1\]",
    ),
    "a bit that something else reads": (
        ("assign seed_ready_o = 1'b1;", "assign seed_ready_o = word_q[3];"),
        r"R3: random_i\[3\] of the core inside is read by output seed_ready_o",
    ),
    "the warm-up a clock short": (
        ("CountBits'(Clocks - 1);", "CountBits'(Clocks - 2);"),
        r"R3: a word is offered 27 clocks after a seed; the first must be after 28",
    ),
    "the warm-up a step short": (
        ("WarmUp = Bivium ? 4 * 177 : 4 * 288;", "WarmUp = Bivium ? 4 * 177 : 4 * 288 - 28;"),
        r"R3: a word is offered 27 clocks after a seed",
    ),
    "one IV for all key streams": (
        (".Iv    (80'(lane))", ".Iv    (80'd0)"),
        r"R3: bit 45 of word 0 after a seed is not bit 18 of key stream 1",
    ),
    "a word that moves while it waits": (
        (FILL, "assign fill = running_q & ~seed_valid_i;"),
        r"R3: .*word_q\[0\] may move while a word is offered and random_ready_o is 0",
    ),
    "a word that stays after it was taken": (
        (FILL, "assign fill = running_q & ~seed_valid_i & (~offered_q | (random_ready_i & word_turn_q));"),
        r"R3: .*word_q\[0\] may be offered again after it was taken",
    ),
    "key streams that stand while words go": (
        ("assign step = seed_valid_i | warming_q | fill;", "assign step = seed_valid_i | warming_q;"),
        r"R3: bit 0 of word 1 after a seed is not bit 63 of key stream 0",
    ),
    "a seed that is not loaded in the warm-up": (
        (".load_i  (seed_valid_i),", ".load_i  (seed_valid_i & ~warming_q),"),
        r"R3: bit \d+ of word 0 after a seed is not bit",
    ),
    "words of the old seed after a new one": (
        ("offered_q <= ~seed_valid_i & running_q;", "offered_q <= running_q;"),
        r"R3: .*word_q\[0\] may be offered again after it was taken",
    ),
    "words before any seed": (
        ("running_q <= 1'b0;\n      offered_q", "running_q <= 1'b1;\n      offered_q"),
        r"R3: .* moves before a seed was taken",
    ),
    "a word offered in reset": (
        ("offered_q <= 1'b0;", "offered_q <= 1'b1;"),
        r"R3: random_valid_i of the core inside must come from a register that reset clears",
    ),
    "a seed that decides when": (
        ("assign seed_ready_o = 1'b1;", "assign seed_ready_o = ~(seed_i[0] & warming_q);"),
        "R5: seed_ready_o depends on the seed",
    ),
    "a share in the generator": (
        (".seed_i,\n    .random_valid_o", ".seed_i({seed_i[79:1], share_i[0]}),\n    .random_valid_o"),
        "R5: share_i reaches the generator of fresh bits",
    ),
    "a share that is another's": ((".share_i,", ".share_i({share_i[0], share_i[1]}),"), "share_i of the core inside"),
    "a word that always moves": ((WORD, "word_q <= streams[Bits-1:0];"), r"R3: .*word_q\[0\] moves in every clock"),
}


@pytest.mark.thorough(but=6)
@pytest.mark.parametrize("what", BROKEN)
def test_each_fault_of_a_generator_is_found(what: str, tmp_path: Path) -> None:
    change, told = BROKEN[what]
    design = around(90, clock_gates=False) if "always" in what else around(90)
    if "word_turn_q" in change[1]:
        turn = "  logic word_turn_q;\n  always_ff @(posedge clk_i) word_turn_q <= ~word_turn_q;\n"
        design = edited(design, ("  assign seed_ready_o", f"{turn}  assign seed_ready_o"))
    with pytest.raises(CheckError, match=told):
        check_generator(edited(design, change), tmp_path)


def core(**fields: object) -> CoreDesign:
    specification = parse_specification({"preset": "masked-round-gated-enc", **fields})
    return build_design(specification, "core", "masked-round-gated-enc")


@pytest.mark.thorough
def test_a_masked_core_with_a_generator_is_checked_with_it(tmp_path: Path) -> None:
    report = check_structure(core(prng="bivium"), tmp_path)
    assert report.generator is not None
    assert report.generator.generator == FreshBits("bivium", 600)
    assert report.instances == 20
    for change, told in (
        (("assign random_o = word_q;", "assign random_o = streams[Bits-1:0];"), "R3: .* comes from logic"),
        ((".random_2_i(random_i[11:8])", ".random_2_i(random_i[3:0])"), r"R3: random_i\[\d+\] serves twice"),
        (("assign move_o = random_valid_i & random_ready_o;", "assign move_o = random_ready_o;"), "R3: .* may move"),
    ):
        with pytest.raises(CheckError, match=told):
            check_structure(edited(core(prng="bivium"), change), tmp_path)


@pytest.mark.thorough
def test_a_core_with_a_generator_is_proved_as_the_core_without_and_what_is_beside_it(tmp_path: Path) -> None:
    design, tokens = core(prng="trivium"), Tokens()
    report = prove(design, tmp_path / "right", tokens=tokens)
    assert report.proved, report.parts
    assert report.parts[0].name == "generator"
    assert (report.design, report.source_hash) == (design.name, design.source_hash)
    assert set(report.files) == {source.name for source in design.sources}
    late = edited(design, ("CountBits'(Clocks - 1);", "CountBits'(Clocks - 2);"))
    report = prove(late, tmp_path / "wrong", tokens=tokens)
    assert [(part.name, part.verdict) for part in report.failing] == [("generator", Verdict.REFUTED)]


def test_the_datasheet_says_what_makes_fresh_bits() -> None:
    with_it = parse_specification({"preset": "masked-round-3-gated-enc", "prng": "trivium"})
    for design in (described_design(with_it, "core", "core"), build_design(with_it, "core", "core")):
        assert NOT_INSIDE not in design.remarks
        assert "13 key streams of Trivium, 62 bits of each per cycle" in design.remarks[-1]
        assert design.parameters["prng"] == "trivium"
    assert NOT_INSIDE in core().remarks
    assert core().within is None


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("preset", [n for n, s in presets().items() if s.design("core", n).in_shares])
def test_the_datasheet_says_what_protection_covers_and_what_not(preset: str) -> None:
    fields = {"preset": preset, "order": 2, "clock_gates": True}
    for order, chosen in ((1, {"preset": preset}), (2, fields)):
        design = build_design(parse_specification(chosen), "core", preset)
        model, missing = (
            next(r for r in design.remarks if r.startswith(word)) for word in ("Model: ", "Not covered: ")
        )
        assert f"(order {order})" in model
        assert f"attacks of order {order + 1} and more, faults, coupling" in missing
        assert "layout" in missing
        assert "what seeds them" in missing
    enabled = build_design(parse_specification(fields | {"clock_gates": False}), "core", preset)
    assert any(remark.startswith("Of its probes nothing is shown: ") for remark in enabled.remarks)
    assert not any(remark.startswith("Model: ") for remark in enabled.remarks)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"prng": "lfsr"}, "prng: must be 'none', 'trivium' or 'bivium', not 'lfsr'"),
        ({"prng": "trivium", "prng_steps": 0}, "prng_steps: must be a whole number from 1 to 512, not 0"),
        ({"prng": "trivium", "clear": True}, "clear: must be false with a generator of fresh bits"),
    ],
)
def test_what_there_is_not_is_refused(fields: dict[str, object], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        core(**fields)


def test_a_core_without_fresh_bits_takes_no_generator() -> None:
    plain = build_design(parse_specification({"preset": "boyar2010-enc"}), "plain", "boyar2010-enc")
    with pytest.raises(RequestError, match="prng: plain must have one channel of fresh bits, not 0"):
        with_generator(plain, "trivium")

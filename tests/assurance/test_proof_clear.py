"""A clear that leaves something of a key or a block, or control elsewhere than after reset, is refuted by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.proof.behaviour import clear_part
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.prove import check_clear, prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import block_interface
from aesmith.cores.sources import with_clear
from aesmith.cores.specification import build_design, parse_specification
from aesmith.cores.wrapper import declarations
from aesmith.errors import CheckError, RequestError

PIPELINE: dict[str, object] = {"architecture": "subpipelined", "stages": 2, "rounds_in_loop": 1, "skid_entries": 2}
ROUND: dict[str, object] = {"preset": "boyar2010-enc"}
BYTES: dict[str, object] = {"preset": "wang2010-s4-enc"}
GATED = BYTES | {"clock_gates": True}


@cache
def clearable(*fields: tuple[str, object]) -> CoreDesign:
    return build_design(parse_specification({**dict(fields), "clear": True}), "core", "core")


def core(fields: dict[str, object], *edits: tuple[str, str, str]) -> CoreDesign:
    """The core with texts of files, by their endings, put in place of others."""
    design = clearable(*fields.items())
    for file, old, new in edits:
        [source] = [source for source in design.sources if source.name == f"core{file}.sv"]
        assert source.text.count(old) >= 1, source.text
        edited = replace(source, text=source.text.replace(old, new, 1))
        design = replace(design, sources=tuple(edited if s is source else s for s in design.sources))
    return design


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("fields", [ROUND, PIPELINE, BYTES, GATED], ids=["round", "pipeline", "bytes", "gated"])
def test_a_clear_is_proved_of_each_family(fields: dict[str, object], tmp_path: Path) -> None:
    part, run = clear_part(elaborate(core(fields), tmp_path))
    assert (part.verdict, run) == (Verdict.PROVED, None), part.detail


OWN = """\
module core (
{ports}
);
  logic offers_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) offers_q <= 1'b0;
    else offers_q <= block_valid_i;

{body}
  assign {{key_ready_o, block_ready_o, block_valid_o}} = {{2'b11, offers_q}};
  assign block_o = 128'({shown});
endmodule
"""
"""A core that is not AES, whose registers are written as somebody else might."""


def own(body: str, shown: str = "a_q") -> CoreDesign:
    """It with these lines, and what its output is made of."""
    bare = build_design(parse_specification({**ROUND, "output": "bare"}), "core", "core")
    text = OWN.format(ports=declarations(bare.ports), body=body, shown=shown)
    return with_clear(replace(bare, sources=(SourceFile("core.sv", text),)))


PAIR = "  typedef struct packed {logic [3:0] high, low;} pair_t;\n  pair_t a_q;\n  always_ff @(posedge clk_i) "
ARRAY = "  logic [7:0] a_q [4];\n"
BYTE = "  logic [7:0] a_q;\n"
CLOCKED = "  always_ff @(posedge clk_i) "
FIRST = "key_i[7:0]"
WAYS = {
    "a structure": (
        f"{PAIR}a_q <= {FIRST};\n",
        (f"{PAIR}begin\n    a_q.high <= key_i[3:0];\n    a_q.low <= key_i[7:4];\n  end\n", "register a_q"),
    ),
    "an unpacked array": (
        f"{ARRAY}  for (genvar i = 0; i < 4; i++) begin : gen_a\n  {CLOCKED}\n"
        "      if (block_i[1:0] == i) a_q[i] <= key_i[7:0];\n  end\n",
        (f"{ARRAY}{CLOCKED}a_q[block_i[1:0]] <= {FIRST};\n", r"register a_q\[\d\]"),
    ),
    "a packed array": (
        f"  logic [3:0][7:0] a_q;\n{CLOCKED}a_q[block_i[1:0]] <= {FIRST};\n",
        (f"  logic [3:0][7:0] a_q;\n{CLOCKED}{{{{a_q[block_i[1:0]]}}}} <= {FIRST};\n", r"register a_q\[\d\]"),
    ),
    "a loop": (
        f"  logic [3:0][7:0] a_q;\n{CLOCKED}\n"
        "    for (int unsigned i = 0; i < 4; i++) if (block_i[1:0] == 2'(i)) a_q[i][7:4] <= key_i[3:0];\n",
        (
            f"  logic [3:0][7:0] a_q;\n{CLOCKED}for (int i = 0; i < 4; i++)\n"
            f"    case (block_i[i])\n      1'b1: a_q[i] <= {FIRST};\n      default: ;\n    endcase\n",
            r"register a_q\[\d\]",
        ),
    ),
    "a loop beside a genvar of its counter's name": (
        f"{BYTE}  logic [7:0] wire_a;\n  for (genvar i = 0; i < 8; i++) begin : gen_a\n"
        f"    assign wire_a[i] = key_i[i];\n  end\n{CLOCKED}for (int i = 0; i < 8; i++) a_q[i]  <=  wire_a[i];\n",
        (f"{BYTE}{CLOCKED}for (int i = 0; i < 8; i++) {{{{a_q[i]}}}} <= key_i[i];\n", "register a_q"),
    ),
    "a choice": (
        f"{BYTE}{CLOCKED}\n    if (block_i[0]) a_q <= {FIRST};\n    // or the\n    else a_q <= block_i[7:0];\n",
        (
            f"{BYTE}{CLOCKED}\n    case (block_i[0])\n      1'b0: a_q <= {FIRST};\n"
            "      default: a_q <= block_i[7:0];\n    endcase\n",
            "register a_q",
        ),
    ),
    "two at once": (
        f"{BYTE}{CLOCKED}begin\n    a_q[7:4] <= key_i[3:0];\n    a_q[3:0] <= key_i[7:4];\n  end\n",
        (f"{BYTE}{CLOCKED}{{{{a_q[3:0], a_q[7:4]}}}} <= {FIRST};\n", "register a_q"),
    ),
    "joined": (
        f"{BYTE}{CLOCKED}begin\n    if (block_i[0]) {{a_q[3:0], a_q[7:4]}} <= {FIRST};\n"
        "    else {a_q}  <= block_i[7:0];\n  end\n",
        (f"{BYTE}{CLOCKED}{{{{a_q[7:4]}}, a_q[3:0]}} <= {FIRST};\n", "register a_q"),
    ),
    "another always": (
        f"{BYTE}{CLOCKED}a_q <= {FIRST};\n",
        (f"{BYTE}  always @(posedge clk_i) a_q <= {FIRST};\n", "register a_q"),
    ),
    "aligned": (
        f"  logic [3:0] b_q, c_q, a_q;\n{CLOCKED}begin\n    a_q   <= key_i[3:0];\n    b_q <= a_q;\n  end\n",
        (f"{BYTE}{CLOCKED}a_q <=key_i[7:0];\n", "register a_q"),
    ),
    "no spaces": (
        f"{BYTE}{CLOCKED}a_q <= {FIRST};\n",
        (f"{BYTE}{CLOCKED}a_q<={FIRST};\n", "register a_q"),
    ),
    "a memory": (
        f"{BYTE}{CLOCKED}a_q <= {FIRST};\n",
        (f"  logic [7:0] a_q [32];\n{CLOCKED}if (block_i[8]) a_q[block_i[4:0]] <= {FIRST};\n", "a_q"),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_registers_of_other_cores_are_cleared_or_named(way: str, tmp_path: Path) -> None:
    right, (wrong, named) = WAYS[way]
    index = "[block_i[1:0]]" if "array" in way else ""
    check_clear(own(right, f"a_q{index}"), tmp_path / "right")
    index = "[block_i[4:0]]" if "memory" in way else index
    with pytest.raises(CheckError, match=named):
        check_clear(own(wrong, f"a_q{index}"), tmp_path / "wrong")


def test_a_loop_over_registers_is_refused_before_any_tool_runs() -> None:
    with pytest.raises(RequestError, match=r"a register of core is assigned in a loop \(foreach\)"):
        own(f"{ARRAY}{CLOCKED}foreach (a_q[i]) a_q[i] <= {FIRST};\n", "a_q[0]")


UNGATED = "@(posedge clk_i) begin\n      state_q <= next_state;\n      if (clear_i) begin\n        "
LAST_WORD = ("_key_registers", "early_q <= '0;", "early_q[2:0] <= '0;")
WRONG = {
    "one register bit": (
        ROUND,
        ("_round_core", f"{UNGATED}state_q <= '0;", f"{UNGATED}state_q[15:1] <= '0; state_q[0][6:0] <= '0;"),
        "state_q",
    ),
    "the last word of the key schedule": (ROUND, LAST_WORD, "early_q"),
    "control not reset": (ROUND, ("_round_sequencer", "end else if (clear_i) begin", "end else if (1'b0) begin"), "_q"),
    "while stalled": (ROUND, ("", "    .clear_i,", "    .clear_i(clear_i & block_ready_i),"), "_q"),
    "a stage": (PIPELINE, ("_first_column", "if (clear_i)", "if (clear_i & enable_i)"), "rank_1_q"),
    "a round key": (PIPELINE, ("_subpipelined_round_keys", "if (clear_i)", "if (clear_i & store_i[round])"), "key_q"),
    "an entry of the skid": (
        PIPELINE,
        ("_subpipelined_skid", "entries_q[i] <= '0;", "if (i == 0) entries_q[i] <= '0;"),
        "entries_q",
    ),
    "the key store": (BYTES, ("_serial_key_store", "if (clear_i)", "if (clear_i & take_o)"), "key_q"),
    "a closed clock gate": (
        GATED,
        ("_serial_clock_enable", ".enable_i((enable_i) | clear_i)", ".enable_i(enable_i)"),
        "_q",
    ),
    "an offer": (
        ROUND,
        ("", "= core_block_valid & ~clear_i", "= core_block_valid"),
        "block_valid_o while clear_i is 1",
    ),
    "a quiet output": (
        ROUND,
        ("", "block_o = {128{block_valid_o}}", "block_o = {128{block_valid_o | clear_i}}"),
        "while clear_i is 1",
    ),
    "a key taken": (ROUND, ("", "= core_key_ready & ~clear_i", "= core_key_ready"), "key_ready_o while clear_i is 1"),
}


@pytest.mark.thorough(but=4)
@pytest.mark.parametrize("what", WRONG)
def test_what_a_clear_forgets_is_named(what: str, tmp_path: Path) -> None:
    fields, edit, named = WRONG[what]
    part, run = clear_part(elaborate(core(fields, edit), tmp_path))
    assert part.verdict is Verdict.REFUTED, part.detail
    assert named in part.detail
    assert run is not None
    assert run.clocks == 1


def test_a_state_that_is_not_that_after_reset_is_named(tmp_path: Path) -> None:
    design = core(ROUND)
    [source] = [source for source in design.sources if source.name == "core_round_sequencer.sv"]
    before, clears, after = source.text.partition("end else if (clear_i) begin")
    wrong = replace(source, text=before + clears + after.replace("load_phase_q <= 1'b1;", "load_phase_q <= 1'b0;", 1))
    other = replace(design, sources=tuple(wrong if s is source else s for s in design.sources))
    part, _ = clear_part(elaborate(other, tmp_path))
    assert part.verdict is Verdict.REFUTED
    assert "load_phase_q after clear_i is 0" in part.detail


@pytest.mark.thorough
def test_the_whole_report_has_the_clear_and_a_core_without_one_is_refused(tmp_path: Path) -> None:
    report = prove(core(ROUND), tmp_path / "right")
    assert report.proved, report.failing
    assert report.parts[-1].name == "clear"
    assert (tmp_path / "right" / "certificate.json").exists()
    wrong = prove(core(ROUND, LAST_WORD), tmp_path / "wrong")
    assert wrong.verdict is Verdict.REFUTED
    assert wrong.counterexample is not None
    bare = build_design(parse_specification(ROUND), "core", "core")
    claimed = replace(bare, ports=block_interface((128,), ("encrypt",), quiet=True, clear=True))
    assert "input clear_i has no bits" in prove(claimed, tmp_path / "none").parts[0].detail
    unclaimed = replace(core(ROUND), ports=bare.ports)
    assert "input clear_i has 1 bits" in prove(unclaimed, tmp_path / "more").parts[0].detail


@pytest.mark.thorough
def test_clears_at_any_moment_are_simulated(tmp_path: Path) -> None:
    plan = SimulationPlan(random_pairs=10, scenarios=("reset-in-mid-block",))
    right = simulate(core(ROUND), tmp_path, plan)
    assert right.passed, right.failures
    assert right.cases == 2 * 3 * 14
    known = ("_round_sequencer", "      key_known_q <= 1'b0;\n    end else begin", "    end else begin")
    failure = simulate(core(ROUND, known), tmp_path / "wrong", plan).failures[0].failure
    assert "a block was taken before any key" in failure


def test_a_core_that_gates_its_own_output_is_silent_while_it_is_cleared(tmp_path: Path) -> None:
    quiet = build_design(parse_specification({"architecture": "ueno2020-enc"}), "core", "core")
    cleared = with_clear(quiet)
    assert "  assign block_o = core_block & {128{~clear_i}};" in cleared.sources[-1].text.splitlines()
    check_clear(cleared, tmp_path)
    text = cleared.sources[-1].text.replace("core_block & {128{~clear_i}}", "core_block")
    with pytest.raises(CheckError, match=r"clear: block_o\[0\] while clear_i is 1 depends on what came before"):
        check_clear(replace(cleared, sources=(*cleared.sources[:-1], SourceFile("core.sv", text))), tmp_path)

"""Wrong cores, each with the verdict it must get, and for each a right twin that differs in the fault only.

All but a few are a shell around one small core, `inner`: the ports are the shell's, and the fault stands in it.
`signals` says what is put in place of a plain wire, by the wire's name:

    to the inner core   key_valid key block_valid block block_ready
    from the shell      key_ready_o block_ready_o block_valid_o block_o

and what comes out of the inner core is out_key_ready, out_block_ready, out_block_valid and out_block. In a shell,
`taken` is a block taken by it, `key_taken` a key and `left` a result that leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

REFUTED, REFUSED, WRONG = "refuted", "refused", "wrong"
"""What a wrong core must get: a run that shows it, a refusal by name, or anything but "proved" (`WRONG`)."""


@dataclass(frozen=True)
class Attack:
    """A wrong core. `says` must be found in what the verdict says; `text` and `signals` make the shell.

    `twin_text` and `twin_signals` make the right core in its place; without, there is none of its own: the bare shell
    is the twin of all. `file` replaces pieces of the whole file, `ports` of the shell's ports.
    """

    name: str
    verdict: str
    says: str = ""
    text: str = ""
    signals: Mapping[str, str] = field(default_factory=dict)
    twin_text: str | None = None
    twin_signals: Mapping[str, str] | None = None
    file: tuple[tuple[str, str], ...] = ()
    twin_file: tuple[tuple[str, str], ...] | None = None


FLIP = "out_block ^ {{127'b0, {}}}"


def flips(when: str) -> dict[str, str]:
    """A result of which bit 0 is wrong in some clocks."""
    return {"block_o": FLIP.format(when).replace("{{", "{").replace("}}", "}")}


def register(name: str, following: str, reset: str | None = "1'b0", width: int = 1) -> str:
    """A register of the shell; without a reset value, one that reset leaves alone."""
    kind = f"logic [{width - 1}:0]" if width > 1 else "logic"
    if reset is None:
        return f"  {kind} {name};\n  always_ff @(posedge clk_i) {name} <= {following};\n"
    return (
        f"  {kind} {name};\n  always_ff @(posedge clk_i or negedge rst_ni)\n"
        f"    if (!rst_ni) {name} <= {reset};\n    else {name} <= {following};\n"
    )


KEY = register("key_q", "key_taken ? key_i : key_q", None, 128)
BLOCK = register("block_q", "taken ? block_i : block_q", None, 128)
SECRET = "128'h0123456789abcdef0011223344556677"
RACE = """\
  logic early_q, late_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) early_q {0} 1'b0;
    else early_q {0} ~early_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) late_q {0} 1'b1;
    else late_q {0} early_q;
"""
COUNT = register("count_q", "count_q + 6'(taken)", "6'd0", 6)
STALLED = register("stalled_q", "block_valid_o & ~block_ready_i")

VALUES = [
    Attack("one key", WRONG, text=KEY, signals=flips(f"key_q == {SECRET}")),
    Attack("one block", WRONG, text=BLOCK, signals=flips(f"block_q == {SECRET}")),
    Attack("one pair", WRONG, text=KEY + BLOCK, signals=flips(f"key_q == {SECRET} && block_q == ~{SECRET}")),
    Attack("keys with one hash", WRONG, text=KEY, signals=flips("key_q[127:64] ^ key_q[63:0] == 64'h1f2e3d4c5b6a7988")),
    Attack("keys with one byte", REFUTED, text=KEY, signals=flips("key_q[7:0] == 8'h5a")),
    Attack("blocks of one byte", REFUTED, text=BLOCK, signals=flips("block_q[7:0] == 8'h5a")),
    Attack(
        "the same key again",
        REFUTED,
        "the result offered",
        KEY
        + register("known_q", "known_q | key_taken")
        + register("same_q", "key_taken ? key_i[1:0] == key_q[1:0] && known_q : same_q"),
        flips("same_q"),
    ),
    Attack("one lane", REFUTED, signals={"block": "{block_i[127:8], block_i[7:0] == 8'h63 ? 8'h7c : block_i[7:0]}"}),
    Attack("two bytes swapped", REFUTED, signals={"block": "{block_i[127:16], block_i[7:0], block_i[15:8]}"}),
    Attack("key and block swapped", REFUTED, signals={"key": "key_i ^ 128'd1"}),
]

HISTORY = [
    Attack(
        "counter from reset",
        REFUTED,
        text=register("late_q", "late_q + 7'(late_q != 7'd127)", "7'd0", 7),
        signals=flips("late_q == 7'd127"),
    ),
    Attack(
        "counter without reset",
        WRONG,
        text=register("free_q", "free_q + 4'd1", None, 4),
        signals=flips("free_q == 4'd9"),
    ),
    Attack("after 40 blocks", REFUTED, text=COUNT, signals=flips("count_q == 6'd40"), twin_text=COUNT, twin_signals={}),
    Attack(
        "after stalls",
        REFUTED,
        text=register("stalls_q", "stalls_q + 3'(block_valid_o & ~block_ready_i & stalls_q != 3'd7)", "3'd0", 3),
        signals=flips("stalls_q == 3'd7"),
    ),
    Attack(
        "after keys",
        REFUTED,
        text=register("keys_q", "keys_q + 3'(key_taken & keys_q != 3'd7)", "3'd0", 3),
        signals=flips("keys_q == 3'd7"),
    ),
    Attack(
        "after an idle gap",
        REFUTED,
        text=register("gap_q", "block_valid_i | out_block_valid ? 4'd0 : gap_q + 4'(gap_q != 4'd15)", "4'd0", 4)
        + register("long_q", "long_q | gap_q == 4'd15"),
        signals=flips("long_q"),
    ),
    Attack(
        "a bomb that only reset clears",
        REFUTED,
        text=register("armed_q", "armed_q | (key_taken & block_valid_i)"),
        signals=flips("armed_q"),
    ),
]

ORDER = [
    Attack(
        "the key after it",
        REFUTED,
        text=register("late_q", "key_taken"),
        signals={"key_valid": "key_valid_i", "block_valid": "block_valid_i", "key": "late_q ? 128'd0 : key_i"},
    ),
    Attack(
        "a result again",
        REFUTED,
        "result",
        text=register("again_q", "left"),
        signals={"block_valid_o": "out_block_valid | again_q"},
    ),
    Attack(
        "a result lost",
        REFUTED,
        text=register("swallow_q", "block_valid_o ? 1'b0 : swallow_q | (key_taken & taken)"),
        signals={"block_ready": "block_ready_i | swallow_q", "block_valid_o": "out_block_valid & ~swallow_q"},
    ),
    Attack(
        "a bubble",
        REFUTED,
        "",
        text=register("before_q", "key_valid_i") + register("bubble_q", "key_taken & ~before_q"),
        signals={"block_valid_o": "out_block_valid | bubble_q"},
    ),
]

HANDSHAKE = [
    Attack("payload moves under stall", REFUTED, text=STALLED, signals=flips("stalled_q")),
    Attack("valid drops", REFUTED, "no longer offered", STALLED, {"block_valid_o": "out_block_valid & ~stalled_q"}),
    Attack("valid from ready", REFUTED, "", "", {"block_valid_o": "out_block_valid & block_ready_i"}),
    Attack("block before key", REFUTED, "before there is a key|more is under way", "", {"block_ready_o": "1'b1"}),
    Attack(
        "result without block", REFUTED, "no block is under way", "", {"block_valid_o": "out_block_valid | key_valid_i"}
    ),
]

PATIENCE = register("patience_q", "block_ready_i ? patience_q + 3'(patience_q != 3'd7) : 3'd0", "3'd0", 3)
PATIENCE += register("held_q", "~left & (held_q | (out_block_valid & patience_q == 3'd7))")
LIVENESS = [
    Attack(
        "both offered, none taken",
        REFUTED,
        "for ever: a",
        "",
        {
            "key_valid": "key_valid_i & ~block_valid_i",
            "key_ready_o": "out_key_ready & ~block_valid_i",
            "block_valid": "block_valid_i & ~key_valid_i",
            "block_ready_o": "out_block_ready & ~key_valid_i",
        },
        "",
        {"block_valid": "block_valid_i & ~key_valid_i", "block_ready_o": "out_block_ready & ~key_valid_i"},
    ),
    Attack(
        "keys starve under blocks",
        REFUTED,
        "for ever: a key",
        "",
        {"key_valid": "key_valid_i & ~block_valid_i", "key_ready_o": "out_key_ready & ~block_valid_i"},
    ),
    Attack(
        "valid after seven readies",
        REFUTED,
        "for ever: a whole block",
        PATIENCE,
        {"block_valid_o": "out_block_valid & held_q", "block_ready": "block_ready_i & held_q"},
        PATIENCE,
        {},
    ),
    Attack(
        "valid after one ready",
        REFUTED,
        "for ever: a whole block",
        register("seen_q", "~left & (seen_q | (out_block_valid & block_ready_i))"),
        {"block_valid_o": "out_block_valid & seen_q", "block_ready": "block_ready_i & seen_q"},
    ),
    Attack(
        "valid once ready is low",
        REFUTED,
        "for ever: a whole block",
        register("seen_q", "~left & (seen_q | (out_block_valid & ~block_ready_i))"),
        {"block_valid_o": "out_block_valid & seen_q", "block_ready": "block_ready_i & seen_q"},
    ),
    Attack(
        "a stall of three clocks",
        REFUTED,
        "for ever",
        register("stall_q", "block_valid_o & ~block_ready_i ? stall_q + 2'(stall_q != 2'd3) : 2'd0", "2'd0", 2)
        + register("dead_q", "dead_q | (stall_q == 2'd2 & left)"),
        {"block_valid": "block_valid_i & ~dead_q", "block_ready_o": "out_block_ready & ~dead_q"},
    ),
    Attack(
        "dead after a key with a block",
        REFUTED,
        "for ever",
        register("dead_q", "dead_q | (key_taken & block_valid_i)"),
        {"key_valid": "key_valid_i & ~dead_q", "key_ready_o": "out_key_ready & ~dead_q"},
    ),
    Attack(
        "stops with one used",
        REFUTED,
        "for ever",
        register("used_q", "used_q | left"),
        {"block_valid": "block_valid_i & ~used_q", "block_ready_o": "out_block_ready & ~used_q"},
    ),
    Attack("no key", REFUTED, "for ever: a key", "", {"key_valid": "1'b0", "key_ready_o": "1'b0"}),
]

X = "  logic odd;\n"
UNDEFINED = [
    Attack(
        "x in AND",
        REFUTED,
        "",
        X + "  assign odd = 1'bx & key_valid_i;\n",
        flips("odd & out_block_valid"),
        X + "  assign odd = 1'b0 ? 1'bx : 1'b0;\n",
        flips("odd"),
    ),
    Attack("x in OR", REFUTED, "", X + "  assign odd = 1'bx | ~key_valid_i;\n", flips("odd & block_ready_i")),
    Attack("x in XOR", REFUTED, "", X + "  assign odd = 1'bx ^ key_valid_i;\n", flips("odd")),
    Attack(
        "x selected",
        REFUTED,
        "",
        X + "  always_comb begin odd = 1'b0; if (key_valid_i) odd = 1'bx; end\n",
        flips("odd"),
        X + "  always_comb begin odd = 1'b0; if (key_valid_i & ~key_valid_i) odd = 1'bx; end\n",
        flips("odd"),
    ),
    Attack(
        "x as index",
        REFUTED,
        "",
        "  logic [3:0] line;\n  logic [2:0] place;\n  assign line = 4'b0110;\n  assign place = {2'b11, key_valid_i};\n",
        flips("line[place]"),
    ),
    Attack(
        "x in a handshake",
        REFUTED,
        "",
        X + "  assign odd = 1'bx & key_valid_i;\n",
        {"block_valid_o": "out_block_valid | odd"},
    ),
    Attack("x in a register", REFUTED, "", register("odd_q", "key_taken ? 1'bx : odd_q", "1'b0"), flips("odd_q")),
    Attack("undriven wire", REFUSED, "odd.* nothing drives it", X, flips("odd & key_valid_i")),
    Attack(
        "undriven bit of a vector",
        REFUSED,
        r"some\[1\].* nothing drives it",
        "  logic [1:0] some;\n  assign some[0] = key_valid_i;\n",
        flips("some[1]"),
    ),
    Attack(
        "undriven port",
        REFUSED,
        "nothing drives it",
        "  logic odd;\n  half u_half (.a(key_valid_i), .z(odd));\n",
        flips("odd"),
        file=(("module core", "module half (input logic a, output logic z);\nendmodule\nmodule core"),),
    ),
    Attack(
        "arms that overlap",
        REFUTED,
        "",
        X + "  always_comb begin\n    unique case (1'b1)\n      key_valid_i: odd = 1'b0;\n"
        "      block_valid_i: odd = 1'b1;\n"
        "      default: odd = 1'b0;\n    endcase\n  end\n",
        flips("odd & key_valid_i"),
    ),
    Attack(
        "an arm that is missing",
        WRONG,
        "",
        X + "  always_comb begin\n    unique case ({key_valid_i, block_valid_i})\n      2'd0: odd = 1'b0;\n"
        "      2'd1: odd = 1'b0;\n"
        "      2'd2: odd = 1'b0;\n      default: odd = 1'bx;\n    endcase\n  end\n",
        flips("odd"),
    ),
]

DRIVERS = [
    Attack(
        "two assigns",
        REFUSED,
        "",
        "  wire odd;\n  assign odd = key_valid_i;\n  assign odd = block_valid_i;\n",
        flips("odd & 1'b0"),
    ),
    Attack(
        "a constant and an assign",
        REFUSED,
        "",
        "  wire odd;\n  assign odd = 1'b0;\n  assign odd = key_valid_i;\n",
        flips("odd"),
    ),
    Attack(
        "two instances",
        REFUSED,
        "",
        "  wire odd;\n  same u_a (.a(key_valid_i), .z(odd));\n  same u_b (.a(1'b0), .z(odd));\n",
        flips("odd"),
        file=(("module core", "module same (input wire a, output wire z);\n  assign z = a;\nendmodule\nmodule core"),),
    ),
    Attack("an input driven", REFUSED, "", "  assign key_valid_i = 1'b0;\n", {}),
    Attack(
        "wired or",
        REFUSED,
        "wor",
        "  wor odd;\n  assign odd = key_valid_i;\n  assign odd = 1'b0;\n",
        flips("odd & 1'b0"),
    ),
    Attack(
        "a level that floats",
        REFUSED,
        "floats",
        "  wire odd;\n  assign odd = key_valid_i ? 1'b0 : 1'bz;\n",
        flips("odd"),
    ),
]


def scanned(name: str, text: str, says: str = "") -> Attack:
    """Text that two tools may read in two ways."""
    return Attack(name, REFUSED, says or "is refused", text, {})


TEXT = [
    scanned("ifdef SYNTHESIS", "`ifdef SYNTHESIS\n`endif\n", "ifdef.* line|line .*ifdef"),
    scanned("ifndef of another macro", "`ifndef VERILATOR\n`endif\n"),
    scanned("define", "`define ODD 1'b1\n"),
    scanned("include", '`include "other.svh"\n'),
    scanned("translate_off", "  // synthesis translate_off\n  // synthesis translate_on\n"),
    scanned("translate_off of a vendor", "  // synopsys translate_off\n  // synopsys translate_on\n"),
    scanned("translate_off in a block comment", "  /* pragma translate_off */ /* pragma translate_on */\n"),
    scanned("full_case", "  // synopsys full_case parallel_case\n"),
    scanned("full_case as attribute", "  (* full_case *) logic odd;\n", "full_case"),
    scanned("readmem", '  logic [7:0] table_q [256];\n  initial $readmemh("table.hex", table_q);\n'),
    scanned("initial", "  logic odd;\n  initial odd = 1'b1;\n", "initial"),
    scanned("delay", "  logic odd;\n  assign #1 odd = key_valid_i;\n", "delay"),
    scanned("force", "  always_comb force key_ready_o = 1'b1;\n", "force"),
    scanned("static function", "  function logic odd(logic a);\n    odd = a;\n  endfunction\n", "automatic"),
    scanned("case equality", "  logic odd;\n  assign odd = key_valid_i === 1'b1;\n"),
    scanned(
        "casex",
        "  logic odd;\n  always_comb casex (key_valid_i) 1'bx: odd = 1'b1; default: odd = 1'b0; endcase\n",
        "casex",
    ),
    Attack(
        "a list that leaves a signal out",
        REFUSED,
        "only when",
        "  logic odd;\n  always @(key_valid_i) odd = block_valid_i;\n",
        flips("odd ^ block_valid_i"),
        twin_text="  logic odd;\n  always @(*) odd = block_valid_i;\n",
        twin_signals=flips("odd ^ block_valid_i"),
    ),
    scanned(
        "a list of an edge and a level", "  logic odd;\n  always @(posedge clk_i or taken) odd <= taken;\n", "only when"
    ),
    Attack(
        "a race between blocks",
        REFUSED,
        "at once",
        RACE.format("="),
        flips("early_q ^ late_q ^ 1'b1"),
        twin_text=RACE.format("<="),
        twin_signals=flips("early_q ^ late_q ^ 1'b1"),
    ),
    Attack(
        "a quotient by 0",
        REFUSED,
        "quotient",
        signals=flips("4'd3 / {3'd0, key_valid_i} == 4'd5"),
        twin_text="",
        twin_signals=flips("{3'd0, key_valid_i} / 4'd2 == 4'd5"),
    ),
    scanned("random", "  logic odd;\n  assign odd = $random;\n", "random"),
    scanned("bind", "  bind inner half u_half();\n", "bind"),
    scanned("defparam", "  defparam u_inner.x = 1;\n", "defparam"),
]

TRAP = (
    KEY.replace("key_q", "seen_q") + "  logic [1:0] trap_q;\n  always_ff @(posedge clk_i or negedge rst_ni)\n"
    "    if (!rst_ni) trap_q <= 2'b00;\n    else trap_q <= trap_q | {1'b0, seen_q == " + SECRET + "};\n"
)
IDENTITY = [
    Attack(
        "an escaped name",
        REFUSED,
        "another net",
        TRAP + "  logic \\trap_q[0] ;\n  always_ff @(posedge clk_i or negedge rst_ni)\n"
        "    if (!rst_ni) \\trap_q[0] <= 1'b0;\n    else \\trap_q[0] <= 1'b0;\n",
        flips("trap_q[0]"),
    ),
    Attack(
        "an escaped name with a dot",
        REFUSED,
        "another net",
        "  logic \\u_inner.state_q ;\n  assign \\u_inner.state_q = 1'b0;\n",
        flips("\\u_inner.state_q "),
    ),
    Attack(
        "an escaped name with a slash",
        REFUSED,
        "another net",
        "  logic \\a/b ;\n  assign \\a/b = 1'b0;\n",
        flips("\\a/b "),
    ),
    Attack(
        "names that differ in case",
        WRONG,
        "",
        register("Odd_q", f"Odd_q | key_i == {SECRET}") + register("odd_q", "1'b0"),
        flips("Odd_q"),
        register("Odd_q", "1'b0") + register("odd_q", "1'b0"),
        flips("Odd_q | odd_q"),
    ),
]

START = [
    Attack("unreset hold register", REFUTED, "", register("odd_q", "odd_q", None), flips("odd_q")),
    Attack(
        "unreset register of constant D",
        REFUTED,
        "",
        register("odd_q", "1'b1", None) + register("since_q", "since_q | ~odd_q", "1'b0"),
        flips("since_q"),
        register("odd_q", "1'b1", None) + register("since_q", "since_q & ~odd_q", "1'b0"),
        flips("since_q"),
    ),
    Attack(
        "two unreset registers of equal D",
        REFUTED,
        "",
        register("a_q", "key_valid_i", None)
        + register("b_q", "key_valid_i", None)
        + register("apart_q", "apart_q | (a_q ^ b_q)"),
        flips("apart_q"),
        register("a_q", "key_valid_i", None) + register("b_q", "key_valid_i", None),
        {},
    ),
    Attack(
        "two unreset registers in a ready",
        REFUTED,
        "",
        register("a_q", "key_valid_i", None)
        + register("b_q", "key_valid_i", None)
        + register("apart_q", "apart_q | (a_q ^ b_q)"),
        {"key_valid": "key_valid_i & ~apart_q", "key_ready_o": "out_key_ready & ~apart_q"},
    ),
    Attack(
        "an initial value believed",
        REFUSED,
        "initial value",
        "  logic odd_q = 1'b0;\n  always_ff @(posedge clk_i) odd_q <= odd_q;\n",
        flips("odd_q"),
        register("odd_q", "odd_q"),
        flips("odd_q"),
    ),
    Attack(
        "falling edge",
        REFUSED,
        "clocked by something else",
        "  logic odd_q;\n  always_ff @(negedge clk_i) odd_q <= key_valid_i;\n",
        flips("odd_q & 1'b0 | odd_q"),
    ),
    Attack(
        "clock from data",
        REFUSED,
        "clocked by something else",
        "  logic odd_q;\n  always_ff @(posedge key_valid_i) odd_q <= block_valid_i;\n",
        flips("odd_q"),
    ),
    Attack(
        "clock gated by logic",
        REFUSED,
        "clock",
        "  logic odd_q, gated;\n  assign gated = clk_i & key_valid_i;\n"
        "  always_ff @(posedge gated) odd_q <= block_valid_i;\n",
        flips("odd_q"),
    ),
    Attack("clock read as data", REFUSED, "read as data", "", flips("clk_i & key_valid_i")),
    Attack(
        "reset active high",
        REFUSED,
        "reset by something else",
        "  logic odd_q;\n  always_ff @(posedge clk_i or posedge rst_ni)\n    if (rst_ni) odd_q <= 1'b0;\n"
        "    else odd_q <= 1'b1;\n",
        flips("odd_q"),
    ),
    Attack(
        "reset from data",
        REFUSED,
        "a clock or reset is a port",
        "  logic odd_q, clear_n;\n  assign clear_n = rst_ni & ~key_valid_i;\n"
        "  always_ff @(posedge clk_i or negedge clear_n)\n"
        "    if (!clear_n) odd_q <= 1'b0;\n    else odd_q <= 1'b1;\n",
        flips("odd_q & 1'b0 | odd_q"),
    ),
    Attack(
        "wrong reset value",
        REFUTED,
        "",
        register("odd_q", "odd_q & ~left", "1'b1"),
        flips("odd_q"),
        register("odd_q", "odd_q & ~left", "1'b0"),
        flips("odd_q"),
    ),
    Attack(
        "reset read as data",
        REFUTED,
        "",
        "",
        flips("rst_ni"),
        "",
        {"key_ready_o": "out_key_ready & rst_ni", "key_valid": "key_valid_i & rst_ni"},
    ),
    Attack(
        "load on reset",
        WRONG,
        "",
        "  logic odd_q;\n  always_ff @(posedge clk_i or negedge rst_ni)\n"
        "    if (!rst_ni) odd_q <= key_valid_i;\n    else odd_q <= odd_q;\n",
        flips("odd_q"),
    ),
    Attack(
        "a latch",
        REFUSED,
        "latch",
        "  logic odd;\n  always_latch if (key_valid_i) odd = block_valid_i;\n",
        flips("odd"),
    ),
    Attack(
        "an incomplete always block",
        REFUSED,
        "",
        "  logic odd;\n  always @* if (key_valid_i) odd = block_valid_i;\n",
        flips("odd"),
    ),
    Attack(
        "wrong enable of a clock gate",
        REFUTED,
        "",
        "  logic held, gated, odd_q;\n  always_latch if (!clk_i) held = key_valid_i;\n  assign gated = clk_i & held;\n"
        "  always_ff @(posedge gated or negedge rst_ni)\n    if (!rst_ni) odd_q <= 1'b0;\n    else odd_q <= 1'b1;\n",
        flips("odd_q"),
        "  logic held, gated, odd_q;\n  always_latch if (!clk_i) held = key_valid_i;\n  assign gated = clk_i & held;\n"
        "  always_ff @(posedge gated or negedge rst_ni)\n    if (!rst_ni) odd_q <= 1'b0;\n    else odd_q <= 1'b0;\n",
        flips("odd_q"),
    ),
    Attack(
        "a clock gate read as data",
        REFUSED,
        "clock|latch",
        "  logic held, gated, odd_q;\n  always_latch if (!clk_i) held = key_valid_i;\n  assign gated = clk_i & held;\n"
        "  always_ff @(posedge gated) odd_q <= 1'b1;\n",
        flips("gated"),
    ),
    Attack(
        "a gate that is open in the wrong half",
        REFUSED,
        "latch|clock",
        "  logic held, gated, odd_q;\n  always_latch if (clk_i) held = key_valid_i;\n  assign gated = clk_i & held;\n"
        "  always_ff @(posedge gated) odd_q <= 1'b1;\n",
        flips("odd_q"),
    ),
]

INTERFACE = [
    Attack(
        "a wide key",
        REFUSED,
        "key_i has 136 bits",
        file=(
            ("input logic [127:0] key_i", "input logic [135:0] key_i"),
            ("assign key = key_i;", "assign key = key_i[127:0] ^ {120'b0, key_i[135:128]};"),
        ),
    ),
    Attack(
        "a narrow key",
        REFUSED,
        "key_i has 120 bits",
        file=(
            ("input logic [127:0] key_i", "input logic [119:0] key_i"),
            ("assign key = key_i;", "assign key = {8'd0, key_i};"),
        ),
    ),
    Attack(
        "a wide result",
        REFUSED,
        "block_o has 136 bits",
        file=(
            ("output logic [127:0] block_o", "output logic [135:0] block_o"),
            ("assign block_o = out_block;", "assign block_o = {key_i[7:0], out_block};"),
        ),
    ),
    Attack(
        "a wide ready",
        REFUSED,
        "key_ready_o has 2 bits",
        file=(
            ("output logic key_ready_o", "output logic [1:0] key_ready_o"),
            ("assign key_ready_o = out_key_ready;", "assign key_ready_o = {key_i[0], out_key_ready};"),
            ("key_valid_i & key_ready_o", "key_valid_i & key_ready_o[0]"),
        ),
    ),
    Attack(
        "a wide valid",
        REFUSED,
        "block_valid_i has 2 bits",
        file=(
            ("input logic block_valid_i", "input logic [1:0] block_valid_i"),
            ("assign block_valid = block_valid_i;", "assign block_valid = block_valid_i[0];"),
            ("block_valid_i & block_ready_o", "block_valid_i[0] & block_ready_o"),
        ),
    ),
    Attack(
        "a key that is an array of bytes",
        REFUSED,
        "ports of other types",
        file=(
            ("input logic [127:0] key_i", "input bytes_t key_i"),
            ("module core (", "module core\n  import odd::*;\n("),
            ("assign key = key_i;", "for (genvar i = 0; i < 16; i++) assign key[8*i+:8] = key_i[15-i];"),
            ("module core\n", "package odd;\n  typedef logic [7:0] bytes_t[16];\nendpackage\nmodule core\n"),
        ),
        twin_text="",
        twin_file=(
            ("input logic [127:0] key_i", "input bytes_t key_i"),
            ("module core (", "module core\n  import odd::*;\n("),
            ("module core\n", "package odd;\n  typedef logic [15:0][7:0] bytes_t;\nendpackage\nmodule core\n"),
        ),
    ),
    Attack(
        "a valid that is an array of one",
        REFUSED,
        "ports of other types",
        file=(
            ("input logic block_valid_i", "input logic block_valid_i[1]"),
            ("assign block_valid = block_valid_i;", "assign block_valid = block_valid_i[0];"),
            ("block_valid_i & block_ready_o", "block_valid_i[0] & block_ready_o"),
        ),
    ),
    Attack(
        "another output",
        REFUSED,
        "spy_o",
        file=(
            ("  output logic [127:0] block_o", "  output logic spy_o,\n  output logic [127:0] block_o"),
            ("assign block_o = out_block;", "assign block_o = out_block;\n  assign spy_o = key_i[0];"),
        ),
    ),
    Attack(
        "another input",
        REFUSED,
        "test_i",
        file=(("  input logic clk_i", "  input logic test_i,\n  input logic clk_i"),),
    ),
    Attack(
        "an inout", REFUSED, "inout", file=(("  input logic clk_i", "  inout wire spare_io,\n  input logic clk_i"),)
    ),
    Attack("no clock", REFUSED, "clk_i", file=(("  input logic clk_i,\n", ""), (".clk_i,", ".clk_i(1'b0),"))),
    Attack("no reset", REFUSED, "rst_ni", file=(("  input logic rst_ni,\n", ""), (".rst_ni,", ".rst_ni(1'b1),"))),
    Attack(
        "idle block_o shows the key",
        REFUTED,
        "bits of a key",
        KEY,
        {"block_o": "out_block_valid ? out_block : key_q"},
        KEY,
        {"block_o": "out_block_valid ? out_block : 128'd0"},
    ),
    Attack(
        "idle block_o shows the arriving key",
        REFUTED,
        "bits of a key",
        "",
        {"block_o": "out_block_valid ? out_block : key_i"},
    ),
    Attack(
        "time from a key bit",
        REFUTED,
        "path: key_i",
        KEY + register("wait_q", "block_valid_i & ~block_ready_o"),
        {
            "block_valid": "block_valid_i & (key_q[5] | wait_q)",
            "block_ready_o": "out_block_ready & (key_q[5] | wait_q)",
        },
    ),
]

ATTACKS = [
    *VALUES,
    *HISTORY,
    *ORDER,
    *HANDSHAKE,
    *LIVENESS,
    *UNDEFINED,
    *DRIVERS,
    *TEXT,
    *IDENTITY,
    *START,
    *INTERFACE,
]

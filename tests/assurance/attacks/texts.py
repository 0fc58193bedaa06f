"""Endings of a core's top module that tools read in two ways, each with the same written so that all read it alike.

`BARE` stands for a core: `bare_block` is its result, and the ending drives `block_o` and `flag_o`. `says` is found in
the refusal. `before` stands before the module, in the same file.
"""

from __future__ import annotations

from dataclasses import dataclass

BARE = """\
module core (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         a_i,
  input  logic         b_i,
  input  logic [127:0] bare_block,
  output logic         flag_o,
  output logic [127:0] block_o
);
{ending}
endmodule
"""


@dataclass(frozen=True)
class Text:
    """An ending that is refused, what the refusal says, and a right one. `differs`: Icarus computes other levels."""

    wrong: str
    says: str
    right: str
    before: str = ""
    right_before: str | None = None
    differs: bool = False


BLOCK = "assign block_o = bare_block;\n"
PLAIN = BLOCK + "assign flag_o = a_i;\n"


def flag(text: str) -> str:
    """An ending that drives `flag_o` somehow."""
    return BLOCK + text


def clocked(text: str) -> str:
    """An ending with a process clocked by `clk_i`."""
    return flag(f"logic t, q; always_ff @(posedge clk_i) {text} assign flag_o = q;\n")


ORDER = {
    "read before it is assigned": Text(
        "logic [127:0] t, y; always_comb begin y = t; t = bare_block; end assign block_o = y; assign flag_o = a_i;\n",
        r"'t' .*always_comb reads it where not every path",
        "logic [127:0] t, y; always_comb begin t = bare_block; y = t; end assign block_o = y; assign flag_o = a_i;\n",
        differs=True,
    ),
    "assigned on one path": Text(
        flag("logic t; always_comb begin if (a_i) t = b_i; flag_o = t; end\n"),
        "'t' .*not every path",
        flag("logic t; always_comb begin if (a_i) t = b_i; else t = 1'b0; flag_o = t; end\n"),
    ),
    "assigned in some arms": Text(
        flag("logic t; always_comb begin case (a_i) 1'b0: t = b_i; endcase flag_o = t; end\n"),
        "'t' .*not every path",
        flag("logic t; always_comb begin case (a_i) 1'b0: t = b_i; default: t = 1'b1; endcase flag_o = t; end\n"),
    ),
    "assigned in a loop that may be empty": Text(
        flag("logic t; always_comb begin for (int i = 0; i < 0; i++) t = b_i; flag_o = t ^ a_i; end\n"),
        "'t' .*not every path",
        flag("logic t; always_comb begin t = 1'b0; for (int i = 0; i < 2; i++) t = b_i; flag_o = t ^ a_i; end\n"),
    ),
    "the place before, in a loop": Text(
        flag(
            "logic [3:0] t; always_comb begin for (int i = 1; i < 4; i++) t[i] = t[i-1] ^ a_i; t[0] = b_i; "
            "flag_o = a_i; end\n"
        ),
        r"'t\[i-1\]' .*not every path",
        flag(
            "logic [3:0] t; always_comb begin t = {4{b_i}}; for (int i = 1; i < 4; i++) t[i] = t[i-1] ^ a_i; "
            "flag_o = a_i; end\n"
        ),
    ),
    "another bit": Text(
        flag("logic [1:0] t; always_comb begin t[0] = a_i; flag_o = t[1]; t[1] = b_i; end\n"),
        r"'t\[1\]'",
        flag("logic [1:0] t; always_comb begin t[0] = a_i; flag_o = t[0]; t[1] = b_i; end\n"),
        differs=True,
    ),
    "a place that a signal chooses": Text(
        flag("logic [1:0] t; always_comb begin t[a_i] = b_i; flag_o = t[a_i]; end\n"),
        r"'t\[a_i\]'",
        flag("logic [1:0] t; always_comb begin t = 2'b00; t[a_i] = b_i; flag_o = t[a_i]; end\n"),
    ),
    "changed before it is assigned": Text(
        flag("always_comb begin flag_o ^= a_i; end\n"),
        "'flag_o' .*not every path",
        flag("always_comb begin flag_o = b_i; flag_o ^= a_i; end\n"),
    ),
    "a member of a struct": Text(
        flag("struct packed {logic x; logic y;} t; always_comb begin t.x = a_i; flag_o = t.y; t.y = b_i; end\n"),
        r"'t\.y'",
        flag("struct packed {logic x; logic y;} t; always_comb begin t.x = a_i; flag_o = t.x; t.y = b_i; end\n"),
    ),
    "a variable of a block": Text(
        flag("always_comb begin logic t; flag_o = t; t = a_i; end\n"),
        "'t' .*not every path",
        flag("always_comb begin logic t; t = a_i; flag_o = t; end\n"),
        differs=True,
    ),
    "never starts": Text(
        "logic z; always @* z = 1'b1; assign block_o = bare_block & {128{z}}; assign flag_o = a_i;\n",
        r"'always @\*' .*reads nothing",
        "logic z; assign z = 1'b1; assign block_o = bare_block & {128{z}}; assign flag_o = a_i;\n",
        differs=True,
    ),
    "always_comb that reads nothing": Text(
        flag("always_comb flag_o = 1'b1;\n"), "'always_comb' .*reads nothing", flag("assign flag_o = 1'b1;\n")
    ),
    "starts of a parameter": Text(
        flag("parameter bit P = 1'b1; logic z; always @* z = P; assign flag_o = z;\n"),
        "reads nothing",
        flag("parameter bit P = 1'b1; logic z; assign z = P; assign flag_o = z;\n"),
        differs=True,
    ),
    "starts of a constant wire": Text(
        flag("wire one = 1'b1; logic z; always @* z = one; assign flag_o = z;\n"),
        "constant: a simulator may never run it",
        flag("wire one = 1'b1; logic z; always_comb z = one; assign flag_o = z;\n"),
    ),
    "starts of a port that is constant": Text(
        flag("wire o; inner u_inner (.i(1'b1), .o(o)); assign flag_o = o;\n"),
        "constant: a simulator may never run it",
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        before="module inner (input wire i, output reg o);\n  always @* o = i;\nendmodule\n",
    ),
    "starts of what it assigns": Text(
        flag("logic t; always @* begin t = 1'b1; flag_o = t; end\n"),
        "reads nothing",
        flag("logic t; always @* begin t = a_i; flag_o = t; end\n"),
        differs=True,
    ),
    "a list that leaves one out": Text(
        flag("always @(a_i) flag_o = a_i ^ b_i;\n"),
        "only when one of these changes.*b_i is missing",
        flag("always @(a_i or b_i) flag_o = a_i ^ b_i;\n"),
        differs=True,
    ),
    "a list with one too many": Text(
        flag("always @(a_i, b_i) flag_o = a_i;\n"), "only when one of these", flag("always @(a_i) flag_o = a_i;\n")
    ),
    "always without an end": Text(flag("always flag_o = a_i;\n"), "no end", flag("always_comb flag_o = a_i;\n")),
    "an event within": Text(
        flag("always_comb begin @(a_i); flag_o = a_i; end\n"),
        "no statement",
        flag("always_comb begin flag_o = a_i; end\n"),
    ),
    "two kinds of assignment": Text(
        flag("always_comb begin flag_o <= a_i; end\n"), "comes later", flag("always_comb begin flag_o = a_i; end\n")
    ),
}

FUNCTIONS = {
    "a function sees a block": Text(
        "if (1) begin : g logic [127:0] x; assign x = bare_block; end\n"
        "function automatic logic [127:0] f(input logic a); return {128{a}} & g.x; endfunction\n"
        "assign block_o = f(b_i); assign flag_o = a_i;\n",
        r"'g\.x' .*only",
        "if (1) begin : g logic [127:0] x; assign x = bare_block; assign block_o = f(b_i, x); end\n"
        "function automatic logic [127:0] f(input logic a, input logic [127:0] x); return {128{a}} & x; endfunction\n"
        "assign flag_o = a_i;\n".replace("assign block_o = f(b_i, x);", ""),
    ),
    "a function sees a net": Text(
        "function automatic logic f(input logic a); return a & b_i; endfunction\n" + flag("assign flag_o = f(a_i);\n"),
        "'b_i' .*not called again",
        "function automatic logic f(input logic a, input logic b_i); return a & b_i; endfunction\n"
        + flag("assign flag_o = f(a_i, b_i);\n"),
        differs=True,
    ),
    "a function changes a net": Text(
        "logic t; function automatic logic f(input logic a); t = a; return a; endfunction\n"
        + flag("assign flag_o = f(a_i) ^ t;\n"),
        "its own variables only",
        "function automatic logic f(input logic a); logic t; t = a; return t; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
    ),
    "a function keeps its variables": Text(
        "function logic f(input logic a); logic t; t = a; return t; endfunction\n" + flag("assign flag_o = f(a_i);\n"),
        "declare it automatic",
        "function automatic logic f(input logic a); logic t; t = a; return t; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
    ),
    "a static variable in it": Text(
        "function automatic logic f(input logic a); static logic t = 1'b0; t = t ^ a; return t; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
        "from call to call",
        "function automatic logic f(input logic a); logic t = 1'b0; t = t ^ a; return t; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
    ),
    "a function of a module whose variables are static": Text(
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        "'automatic' .*lifetime",
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        before="module automatic inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
        right_before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "its variable is read first": Text(
        "function automatic logic f(input logic a); logic t; f = t; t = a; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
        "'t' .*function f reads it",
        "function automatic logic f(input logic a); logic t; t = a; f = t; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
    ),
    "no result on a path": Text(
        "function automatic logic f(input logic a); if (a) return 1'b1; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
        "f, the result",
        "function automatic logic f(input logic a); if (a) return 1'b1; return 1'b0; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
    ),
    "it calls itself": Text(
        "function automatic logic f(input logic a); return a ? f(1'b0) : 1'b0; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
        "calls itself",
        "function automatic logic f(input logic a); return a ? (1'b1) : 1'b0; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
    ),
    "called before it is declared": Text(
        flag("assign flag_o = f(a_i);\n") + "function automatic logic f(input logic a); return ~a; endfunction\n",
        "'f' .*declared later",
        "function automatic logic f(input logic a); return ~a; endfunction\n" + flag("assign flag_o = f(a_i);\n"),
    ),
    "a result through an argument": Text(
        "function automatic logic f(input logic a, output logic z); z = a; return a; endfunction\n" + PLAIN,
        "through an argument",
        "function automatic logic f(input logic a, input logic z); return a ^ z; endfunction\n" + PLAIN,
    ),
    "an argument with a default": Text(
        "function automatic logic f(input logic a, input logic z = 1'b1); return a ^ z; endfunction\n"
        + flag("assign flag_o = f(a_i);\n"),
        "default of an argument",
        "function automatic logic f(input logic a, input logic z); return a ^ z; endfunction\n"
        + flag("assign flag_o = f(a_i, 1'b1);\n"),
    ),
    "a task": Text(
        "task automatic t(input logic a); flag_o = a; endtask\n" + flag("always_comb t(a_i);\n"), "task", PLAIN
    ),
    "a variable of a package": Text(
        flag("always_comb p::t = a_i; assign flag_o = p::t;\n"),
        "a package has types",
        flag("assign flag_o = a_i ^ p::T;\n"),
        before="package p;\n  logic t;\nendpackage\n",
        right_before="package p;\n  localparam bit T = 1'b1;\nendpackage\n",
    ),
    "a method of an enumeration": Text(
        flag("typedef enum logic {A, B} e_t; e_t e; assign e = a_i ? A : B; assign flag_o = e.next;\n"),
        r"'e\.next' .*method",
        flag("typedef enum logic {A, B} e_t; e_t e; assign e = a_i ? A : B; assign flag_o = e;\n"),
    ),
    "a method of an array": Text(
        flag("logic t [2]; assign t[0] = a_i; assign t[1] = b_i; assign flag_o = t.xor();\n"),
        "no SystemVerilog|method|not part",
        flag("logic t [2]; assign t[0] = a_i; assign t[1] = b_i; assign flag_o = t[0] ^ t[1];\n"),
    ),
}

NAMES = {
    "declared later in a block": Text(
        "logic sel, y; assign sel = 1'b1;\n"
        "if (1) begin : g assign y = sel; logic sel; assign sel = 1'b0; end\n"
        "assign block_o = bare_block & {128{y}}; assign flag_o = a_i;\n",
        "'sel' .*declared later",
        "logic sel, y; assign sel = 1'b1;\n"
        "if (1) begin : g logic sel; assign sel = 1'b0; assign y = sel; end\n"
        "assign block_o = bare_block & {128{y}}; assign flag_o = a_i;\n",
        differs=True,
    ),
    "a constant declared later in a block": Text(
        flag(
            "localparam bit S = 1'b1; logic y; if (1) begin : g assign y = S; localparam bit S = 1'b0; end\n"
            "assign flag_o = y;\n"
        ),
        "'S' .*declared later",
        flag(
            "localparam bit S = 1'b1; logic y; if (1) begin : g localparam bit S = 1'b0; assign y = S; end\n"
            "assign flag_o = y;\n"
        ),
        differs=True,
    ),
    "a function declared later in a block": Text(
        flag(
            "function automatic logic f(input logic a); return a; endfunction logic y;\n"
            "if (1) begin : g assign y = f(a_i);\n"
            "function automatic logic f(input logic a); return ~a; endfunction end\n"
            "assign flag_o = y;\n"
        ),
        "'f' .*declared later",
        flag(
            "function automatic logic f(input logic a); return a; endfunction logic y;\n"
            "if (1) begin : g function automatic logic f(input logic a); return ~a; endfunction\n"
            "assign y = f(a_i); end\n"
            "assign flag_o = y;\n"
        ),
    ),
    "a member of an enumeration that hides a constant": Text(
        flag(
            "localparam logic S = 1'b1; logic y; if (1) begin : g typedef enum logic {S, T} e_t; assign y = S; end\n"
            "assign flag_o = y;\n"
        ),
        "'S' .*hides",
        flag(
            "localparam logic R = 1'b1; logic y; if (1) begin : g typedef enum logic {S, T} e_t; assign y = S; end\n"
            "assign flag_o = y ^ R;\n"
        ),
        differs=True,
    ),
    "a constant that hides a signal": Text(
        flag("if (1) begin : g localparam logic a_i = 1'b1; assign flag_o = a_i; end\n"),
        "'a_i' .*hides",
        flag("if (1) begin : g wire a_i = b_i; assign flag_o = a_i; end\n"),
    ),
    "a type declared later in a block": Text(
        flag(
            "typedef logic [1:0] w_t; logic y; if (1) begin : g w_t t; assign t = {2{a_i}}; assign y = t[0]; "
            "typedef logic w_t; end\nassign flag_o = y;\n"
        ),
        "'w_t' .*declared later",
        flag(
            "typedef logic [1:0] w_t; logic y; if (1) begin : g typedef logic [2:0] w_t; w_t t; assign t = {3{a_i}}; "
            "assign y = t[0]; end\nassign flag_o = y;\n"
        ),
    ),
    "used before it is declared": Text(
        flag("assign flag_o = y; logic y; assign y = a_i;\n"),
        "'y' .*declared later",
        flag("logic y; assign y = a_i; assign flag_o = y;\n"),
    ),
    "a net that nobody declares": Text(
        flag("assign y = a_i; assign flag_o = a_i;\n"),
        "'y' .*nowhere declared",
        flag("wire y; assign y = a_i; assign flag_o = a_i;\n"),
    ),
    "a net that a port makes": Text(
        flag("inner u_inner (.i(a_i), .o(y)); assign flag_o = y;\n"),
        "'y' .*nowhere declared",
        flag("wire y; inner u_inner (.i(a_i), .o(y)); assign flag_o = y;\n"),
        before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "a port without a name of its own": Text(
        flag(
            "wire i, o; assign i = a_i; if (1) begin : g inner u_inner (.i, .o); wire i; assign i = b_i; end\n"
            "assign flag_o = o;\n"
        ),
        "'i' .*declared later",
        flag(
            "wire i, o; assign i = a_i; if (1) begin : g wire i; assign i = b_i; inner u_inner (.i, .o); end\n"
            "assign flag_o = o;\n"
        ),
        before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "all ports by their names": Text(
        flag("wire i, o; assign i = a_i; inner u_inner (.*); assign flag_o = o;\n"),
        r"'\.\*' .*write the ports",
        flag("wire i, o; assign i = a_i; inner u_inner (.i, .o); assign flag_o = o;\n"),
        before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "a name inside a module": Text(
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = u_inner.t;\n"),
        r"'u_inner\.t' .*use a port",
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        before="module inner (input wire i, output wire o);\n  wire t = ~i;\n  assign o = i;\nendmodule\n",
    ),
    "a name of the module above": Text(
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        "'core' .*nowhere declared",
        flag("wire o; inner u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        before="module inner (input wire i, output wire o);\n  assign o = i ^ core.b_i;\nendmodule\n",
        right_before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "a name in a block": Text(
        flag("if (1) begin : g wire t = a_i; end assign flag_o = g.t;\n"),
        r"'g\.t' .*use a port",
        flag("wire t; if (1) begin : g assign t = a_i; end assign flag_o = t;\n"),
    ),
    "a variable of a process, from outside": Text(
        flag("always_comb begin : p logic t; t = a_i; end assign flag_o = p.t;\n"),
        "'p' .*nowhere declared",
        flag("always_comb begin : p logic t; t = a_i; flag_o = t; end\n"),
    ),
    "two packages with the name": Text(
        flag("assign flag_o = T ^ a_i;\n"),
        "two packages",
        flag("assign flag_o = p::T ^ a_i;\n"),
        before="package p;\n  localparam bit T = 1'b1;\nendpackage\n"
        "package q;\n  localparam bit T = 1'b0;\nendpackage\n"
        "import p::*;\nimport q::*;\n",
    ),
    "a name of a package, declared later": Text(
        flag("assign flag_o = T ^ a_i; localparam bit T = 1'b0;\n"),
        "'T' .*declared later",
        flag("localparam bit T = 1'b0; assign flag_o = T ^ a_i;\n"),
        before="package p;\n  localparam bit T = 1'b1;\nendpackage\nimport p::*;\n",
    ),
    "a constant beside modules": Text(
        flag("assign flag_o = T;\n"),
        "outside of modules",
        flag("t_t t; assign t = {2{a_i}}; assign flag_o = t[1];\n"),
        before="localparam bit T = 1'b1;\n",
        right_before="typedef logic [1:0] t_t;\n",
    ),
    "a module in a module": Text(
        flag("module inner (input logic i); endmodule assign flag_o = a_i;\n"), "a module in a module", PLAIN
    ),
    "two of one name": Text(
        flag("logic t; wire t; assign flag_o = a_i;\n"), "'t' .*twice", flag("logic t; wire u; assign flag_o = a_i;\n")
    ),
    "a member of a struct and a constant": Text(
        flag(
            "localparam int x = 1; typedef struct packed {logic x; logic y;} t_t; t_t t;\n"
            "assign t = '{x: a_i, y: b_i}; assign flag_o = t.x;\n"
        ),
        "'x' .*and something else",
        flag(
            "typedef struct packed {logic x; logic y;} t_t; t_t t;\n"
            "assign t = '{x: a_i, y: b_i}; assign flag_o = t.x;\n"
        ),
    ),
}

TWO = "logic q, r; always_ff @(posedge clk_i) q <= a_i; always_ff @(posedge {0}) r <= q; assign flag_o = r;\n"
GATE = "logic held; always_latch if (!{0}) held = b_i;\n"
CLOCKS = {
    "a clock by <=": Text(
        flag("logic g; always_comb g <= clk_i;\n" + TWO.format("g")),
        "comes later",
        flag(TWO.format("clk_i")),
        differs=True,
    ),
    "a clock of a process": Text(
        flag("logic g; always_comb g = clk_i;\n" + TWO.format("g")),
        "'posedge g' .*write assign",
        flag("logic g; assign g = clk_i;\n" + TWO.format("g")),
    ),
    "a clock of a function": Text(
        "function automatic logic f(input logic c); return c; endfunction\n"
        + flag("logic g; assign g = f(clk_i);\n" + TWO.format("g")),
        "'posedge g' .*clock",
        flag("wire g = clk_i;\n" + TWO.format("g")),
    ),
    "an AND without a latch": Text(
        flag("logic g; assign g = clk_i & b_i;\n" + TWO.format("g")),
        "'posedge g' .*latch",
        flag(GATE.format("clk_i") + "logic g; assign g = clk_i & held;\n" + TWO.format("g")),
    ),
    "a latch by <=": Text(
        flag("logic held, g; always_latch if (!clk_i) held <= b_i; assign g = clk_i & held;\n" + TWO.format("g")),
        "comes later",
        flag("logic held, g; always @* if (!clk_i) held = b_i; assign g = held & clk_i;\n" + TWO.format("g")),
    ),
    "a latch and an AND of two copies": Text(
        flag("wire c = clk_i;\n" + GATE.format("c") + "logic g; assign g = clk_i & held;\n" + TWO.format("g")),
        "'posedge g' .*same clock",
        flag("wire c = clk_i;\n" + GATE.format("c") + "logic g; assign g = c & held;\n" + TWO.format("g")),
    ),
    "a latch that is open while the clock is high": Text(
        flag("logic held, g; always @* if (clk_i) held = b_i; assign g = clk_i & held;\n" + TWO.format("g")),
        "'posedge g' .*same clock",
        flag(
            "logic n, held, g; assign n = !clk_i; always @* if (n) held = b_i; assign g = clk_i & held;\n"
            + TWO.format("g")
        ),
    ),
    "an AND of a later copy": Text(
        flag("wire c = clk_i;\n" + GATE.format("clk_i") + "logic g; assign g = c & held;\n" + TWO.format("g")),
        "'posedge g' .*same clock",
        flag(GATE.format("clk_i") + "logic g; assign g = clk_i & held;\n" + TWO.format("g")),
    ),
    "a clock that a signal chooses": Text(
        flag("wire g = b_i ? clk_i : 1'b0;\n" + TWO.format("g")),
        "'posedge g' .*clock",
        flag("localparam bit P = 1'b1; wire g = P ? clk_i : 1'b0;\n" + TWO.format("g")),
    ),
    "a clock of an expression at a port": Text(
        flag("wire o; inner u_inner (.c(clk_i ^ b_i), .o(o)); assign flag_o = o;\n"),
        r"'\.c\(clk_i \^ b_i\)' .*clock",
        flag("wire o; inner u_inner (.c(clk_i), .o(o)); assign flag_o = o;\n"),
        before="module inner (input wire c, output reg o);\n  always @(posedge c) o <= ~o;\nendmodule\n",
    ),
    "a clock of a process in another module": Text(
        flag("wire g; inner u_inner (.i(clk_i), .o(g));\n" + TWO.format("g")),
        "'posedge g' .*write assign",
        flag("wire g; inner u_inner (.i(clk_i), .o(g));\n" + TWO.format("g")),
        before="module inner (input wire i, output reg o);\n  always @* o = i;\nendmodule\n",
        right_before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "a reset of a process": Text(
        flag(
            "logic r_n, q; always_comb r_n = rst_ni; assign flag_o = q;\n"
            "always_ff @(posedge clk_i or negedge r_n) if (!r_n) q <= 1'b0; else q <= a_i;\n"
        ),
        "'negedge r_n' .*write assign",
        flag(
            "logic r_n, q; assign r_n = rst_ni; assign flag_o = q;\n"
            "always_ff @(posedge clk_i or negedge r_n) if (!r_n) q <= 1'b0; else q <= a_i;\n"
        ),
    ),
    "both edges": Text(clocked("q <= a_i;").replace("posedge", "edge"), "one edge", clocked("q <= a_i;")),
    "an edge of an expression": Text(
        clocked("q <= a_i;").replace("posedge clk_i", "posedge (clk_i & b_i)"), "one edge", clocked("q <= a_i;")
    ),
    "an edge sometimes": Text(
        clocked("q <= a_i;").replace("posedge clk_i", "posedge clk_i iff b_i"), "gated clock", clocked("q <= a_i;")
    ),
    "a latch of data": Text(
        flag("logic t; always_latch begin if (a_i) t = b_i; end assign flag_o = t;\n"),
        "a latch",
        flag("logic t; always_comb begin t = 1'b0; if (a_i) t = b_i; end assign flag_o = t;\n"),
    ),
    "at once, read elsewhere": Text(
        flag("logic t; always_ff @(posedge clk_i) t = a_i; always_ff @(posedge clk_i) flag_o <= t;\n"),
        "'t' .*write <=",
        flag("logic t; always_ff @(posedge clk_i) t <= a_i; always_ff @(posedge clk_i) flag_o <= t;\n"),
        differs=True,
    ),
    "at once, through a port": Text(
        flag("logic t, o; always_ff @(posedge clk_i) t = a_i; inner u_inner (.clk_i, .t, .o); assign flag_o = o;\n"),
        "'t' .*write <=",
        flag("logic t, o; always_ff @(posedge clk_i) t <= a_i; inner u_inner (.clk_i, .t, .o); assign flag_o = o;\n"),
        before="module inner (input wire clk_i, input wire t, output reg o);\n"
        "  always @(posedge clk_i) o <= t;\nendmodule\n",
    ),
    "at once, in brackets": Text(
        clocked("if ((t = a_i)) q <= 1'b1; else q <= t;"),
        "within an expression",
        clocked("if (a_i) q <= 1'b1; else q <= t;"),
    ),
    "a step in brackets": Text(
        clocked("if (t++) q <= 1'b1; else q <= a_i;"), "within an expression", clocked("q <= a_i;")
    ),
    "a step of a register": Text(clocked("begin t++; q <= t; end"), "'t\\+\\+' .*at once", clocked("q <= ~q;")),
    "a sum of a register": Text(clocked("begin t += a_i; q <= t; end"), "'t' .*write <=", clocked("q <= q + a_i;")),
    "a variable of its block that stays": Text(
        clocked("begin logic u; q <= u; u = a_i; end"),
        "'u' .*not every path",
        clocked("begin logic u; u = a_i; q <= u; end"),
    ),
    "a variable of its block with a value": Text(
        clocked("begin logic u = 1'b1; q <= u ^ a_i; u = a_i; end"),
        "'u' .*initial value",
        clocked("begin automatic logic u = 1'b1; q <= u ^ a_i; u = a_i; end"),
    ),
    "a counter of two processes": Text(
        flag(
            "integer i; logic [1:0] t, u; always @(posedge clk_i) for (i = 0; i < 2; i = i + 1) t[i] <= a_i;\n"
            "always @(posedge clk_i) for (i = 0; i < 2; i = i + 1) u[i] <= b_i; assign flag_o = t[0] ^ u[1];\n"
        ),
        "others use",
        flag(
            "integer i, j; logic [1:0] t, u; always @(posedge clk_i) for (i = 0; i < 2; i = i + 1) t[i] <= a_i;\n"
            "always @(posedge clk_i) for (j = 0; j < 2; j = j + 1) u[j] <= b_i; assign flag_o = t[0] ^ u[1];\n"
        ),
    ),
    "a counter that is an output": Text(
        flag(
            "integer i; logic [1:0] t; always @(posedge clk_i) for (i = 0; i < 2; i = i + 1) t[i] <= a_i;\n"
            "assign flag_o = i[0] ^ t[1];\n"
        ),
        "others use",
        flag(
            "integer i; logic [1:0] t; always @(posedge clk_i) for (i = 0; i < 2; i = i + 1) t[i] <= a_i;\n"
            "assign flag_o = t[1];\n"
        ),
    ),
    "a counter moved by its loop": Text(
        flag(
            "logic [3:0] t; always_comb begin t = 4'd0; for (int i = 0; i < 4; i++) begin t[i] = a_i; i = i + 1; end\n"
            "end "
            "assign flag_o = t[0];\n"
        ),
        "counter",
        flag(
            "logic [3:0] t; always_comb begin t = 4'd0; for (int i = 0; i < 4; i += 2) begin t[i] = a_i; end end\n"
            "assign flag_o = t[0];\n"
        ),
    ),
}

CHOICES = {
    "unique if": Text(
        flag(
            "logic z; always_comb begin z = 1'b0; unique if (a_i) z = 1'b0; else if (b_i) z = 1'b1; end\n"
            "assign flag_o = z;\n"
        ),
        "'unique if' .*order",
        flag(
            "logic z; always_comb begin z = 1'b0; if (a_i) z = 1'b0; else if (b_i) z = 1'b1; end\nassign flag_o = z;\n"
        ),
    ),
    "priority if": Text(
        flag("always_comb begin flag_o = 1'b0; priority if (a_i) flag_o = b_i; end\n"),
        "'priority if'",
        flag("always_comb begin flag_o = 1'b0; if (a_i) flag_o = b_i; end\n"),
    ),
    "unique0 if": Text(
        flag("always_comb begin flag_o = 1'b0; unique0 if (a_i) flag_o = b_i; end\n"),
        "'unique0 if'",
        flag("always_comb begin flag_o = 1'b0; if (a_i) flag_o = b_i; end\n"),
    ),
    "unique0 case": Text(
        flag("always_comb begin flag_o = 1'b0; unique0 case (a_i) 1'b1: flag_o = b_i; endcase end\n"),
        "'unique0'",
        flag("always_comb begin flag_o = 1'b0; unique case (a_i) 1'b1: flag_o = b_i; default: ; endcase end\n"),
    ),
    "casex": Text(
        flag("always_comb casex (a_i) 1'bx: flag_o = b_i; default: flag_o = 1'b0; endcase\n"),
        "casex",
        flag("always_comb casez ({a_i, b_i}) 2'b1?: flag_o = b_i; default: flag_o = 1'b0; endcase\n"),
    ),
    "case inside": Text(
        flag("always_comb case (a_i) inside 1'b1: flag_o = b_i; default: flag_o = 1'b0; endcase\n"),
        "inside",
        flag("always_comb case (a_i) 1'b1: flag_o = b_i; default: flag_o = 1'b0; endcase\n"),
    ),
    "a loop of so many turns": Text(
        flag("always_comb begin flag_o = a_i; repeat (2) flag_o = ~flag_o; end\n"),
        "fixed count",
        flag("always_comb begin flag_o = a_i; for (int i = 0; i < 2; i++) flag_o = ~flag_o; end\n"),
    ),
    "a loop that is left": Text(
        flag(
            "always_comb begin flag_o = 1'b0; for (int i = 0; i < 2; i++) begin if (a_i) break; flag_o = b_i; end end\n"
        ),
        "depend on levels",
        flag("always_comb begin flag_o = 1'b0; for (int i = 0; i < 2; i++) begin if (!a_i) flag_o = b_i; end end\n"),
    ),
}


def number(text: str, right: str, says: str, *, differs: bool = False, width: int = 8) -> Text:
    """A number that is written so that tools differ, and one that is not."""
    ending = f"wire [{width - 1}:0] t = {{}}; assign flag_o = ^t ^ a_i;\n"
    return Text(flag(ending.format(text)), says, flag(ending.format(right)), differs=differs)


NUMBERS = {
    "more than 32 bits": number("'hfffffffff > 40'h0ffffffff", "40'hfffffffff > 40'h0ffffffff", "write a size"),
    "a sum that carries": number(
        "('hffffffff + 1) == 0", "(32'hffffffff + 32'd1) == 32'd0", "write a size", differs=True
    ),
    "a product that carries": number("(65536 * 65536) == 0", "(32'd65536 * 32'd65536) == 32'd0", "write a size"),
    "a decimal that does not fit": number("4294967296 == 0", "33'd4294967296 == 33'd0", "write a size", differs=True),
    "a shift that carries": number("(1 << 32) == 0", "(33'd1 << 32) == 33'd0", "write a size"),
    "more digits than its size": number("8'h1ff", "8'hff", "does not fit"),
    "more binary digits than its size": number("4'b10101", "4'b0101", "does not fit"),
    "a string": number(r'"\a" == 8\'h07'.replace("\\'", "'"), "8'h07 == 8'h07", "escapes"),
    "a level that floats": number("a_i ? 8'hzz : 8'h00", "a_i ? 8'hff : 8'h00", "floats"),
    "a level that floats, by its other name": number("a_i ? 8'b???????? : 8'h00", "a_i ? 8'hff : 8'h00", "floats"),
    "all bits floating": number("a_i ? 'z : '0", "a_i ? '1 : '0", "floats"),
    "no width in a concatenation": number("{1, a_i}", "{1'b1, a_i}", "no width"),
    "no width of all ones in a concatenation": number("{'1, a_i}", "{1'b1, a_i}", "no width"),
    "x of no width": number("a_i ? 'hx : 8'h00", "a_i ? 8'hx : 8'h00", "write a size"),
    "a real number": number("1.5 > 1.0", "2 > 1", "real"),
    "x compared": number("a_i === b_i", "a_i == b_i", "x is compared"),
    "x matched": number("a_i ==? b_i", "a_i == b_i", "x is compared"),
    "a system function": number("$random", "$signed(8'h01)", "no hardware"),
    "a stream": number("{<<{8'h01}}", "{8'h01}", "not part of"),
}
NUMBERS["a constant that carries"] = Text(
    flag("localparam P = 'hffffffff + 1; assign flag_o = (P == 0) ^ a_i;\n"),
    "write a size",
    flag("localparam P = 'hfffffffe + 1; assign flag_o = (P == 0) ^ a_i;\n"),
    differs=True,
)
NUMBERS["a constant of constants that carries"] = Text(
    flag("localparam P = 65536; localparam Q = P * P; assign flag_o = (Q == 0) ^ a_i;\n"),
    "write a size",
    flag("localparam P = 65536; localparam Q = P * 2; assign flag_o = (Q == 0) ^ a_i;\n"),
    differs=True,
)

REST = {
    "an instance of several": Text(
        flag("wire [1:0] o; inner u_inner [1:0] (.i(bare_block[1:0]), .o(o)); assign flag_o = o[0];\n"),
        "array of instances",
        flag(
            "wire [1:0] o; for (genvar i = 0; i < 2; i++) begin : g inner u_inner (.i(bare_block[i]), .o(o[i])); end\n"
            "assign flag_o = o[0];\n"
        ),
        before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "a port with a default": Text(
        flag("wire o; inner u_inner (.o(o)); assign flag_o = o;\n"),
        "default of a port",
        flag("wire o; inner u_inner (.i(1'b1), .o(o)); assign flag_o = o;\n"),
        before="module inner (input wire i = 1'b1, output wire o);\n  assign o = i;\nendmodule\n",
        right_before="module inner (input wire i, output wire o);\n  assign o = i;\nendmodule\n",
    ),
    "a struct without an order": Text(
        flag("struct {logic x; logic y;} t; assign t.x = a_i; assign t.y = b_i; assign flag_o = t.x;\n"),
        "packed",
        flag("struct packed {logic x; logic y;} t; assign t.x = a_i; assign t.y = b_i; assign flag_o = t.x;\n"),
    ),
    "a union": Text(
        flag("union packed {logic [1:0] x; logic [1:0] y;} t; assign t.x = {a_i, b_i}; assign flag_o = t.y[0];\n"),
        "union",
        flag("wire [1:0] t; assign t = {a_i, b_i}; assign flag_o = t[0];\n"),
    ),
    "a first value": Text(flag("logic t = 1'b1; assign flag_o = a_i;\n"), "'t' .*initial value", PLAIN),
    "an initial block": Text(flag("logic t; initial t = 1'b1; assign flag_o = t;\n"), "no such step", PLAIN),
    "a delay": Text(flag("assign #1 flag_o = a_i;\n"), "a delay", PLAIN),
    "a delay within": Text(flag("always_comb flag_o = #1 a_i;\n"), "a delay", PLAIN),
    "a strength": Text(flag("assign (strong0, weak1) flag_o = a_i;\n"), "strongly", PLAIN),
    "a procedural assign": Text(flag("always_comb assign flag_o = a_i;\n"), "no such step", PLAIN),
    "a wired net": Text(flag("wand t; assign t = a_i; assign t = b_i; assign flag_o = t;\n"), "two drivers", PLAIN),
    "an alias": Text(flag("wire t; alias t = a_i; assign flag_o = t;\n"), "two drivers", PLAIN),
    "a tristate": Text(flag("bufif1 (flag_o, a_i, b_i);\n"), "two drivers", flag("and (flag_o, a_i, b_i);\n")),
    "a parameter from elsewhere": Text(
        flag("wire o; inner u_inner (.i(a_i), .o(o)); defparam u_inner.P = 1'b1; assign flag_o = o;\n"),
        "other modules",
        flag("wire o; inner #(.P(1'b1)) u_inner (.i(a_i), .o(o)); assign flag_o = o;\n"),
        before="module inner #(parameter bit P = 1'b0) (input wire i, output wire o);\n"
        "  assign o = i ^ P;\nendmodule\n",
    ),
    "an interface": Text(
        PLAIN, "not part of|outside of modules", PLAIN, before="interface i; endinterface\n", right_before=""
    ),
    "an attribute": Text(flag("(* full_case *) logic t; assign flag_o = a_i;\n"), "full_case", PLAIN),
    "an attribute of a statement": Text(
        flag("always_comb (* parallel_case *) case (a_i) 1'b1: flag_o = b_i; default: flag_o = 1'b0; endcase\n"),
        "parallel_case",
        flag("always_comb (* keep *) case (a_i) 1'b1: flag_o = b_i; default: flag_o = 1'b0; endcase\n"),
    ),
    "a macro": Text(flag("`define F a_i\nassign flag_o = `F;\n"), "define", PLAIN),
    "an escaped name": Text(flag("logic \\t[0] ; assign flag_o = a_i;\n"), "another net", PLAIN),
    "no SystemVerilog": Text(flag("assign flag_o = a_i b_i;\n"), "no SystemVerilog", PLAIN),
}

BYTES = "logic [15:0][7:0] t; assign t = bare_block; assign flag_o = a_i;\n"


NAMED = BYTES + "logic [14:0][7:0] some; assign some = a_i ? t[14:0] : t[15:1];\n"
WORDS = {
    what: Text(
        BYTES + f"assign block_o = {wrong};\n",
        "takes as many bits as there are words",
        NAMED + f"assign block_o = {right};\n",
        differs=differs,
    )
    for what, wrong, right, differs in (
        ("words chosen in a concatenation", "{a_i ? t[14:0] : t[15:1], t[0]}", "{some, t[0]}", True),
        ("one choice of words, the other of bits", "{t[0], a_i ? {t[14:0]} : t[15:1]}", "{t[0], some}", True),
        ("brackets around words that are chosen", "{a_i ? (t[14:0]) : '0, t[0]}", "{some, t[0]}", True),
        ("words chosen from the first one on", "{a_i ? t[14-:15] : t[15-:15], t[0]}", "{some, t[0]}", False),
        ("a choice of words in a sum", "{(a_i ? t[14:0] : t[15:1]) ^ 120'd1, t[0]}", "{some ^ 120'd1, t[0]}", False),
        ("a sum of words in a choice", "{a_i ? t[14:0] ^ t[15:1] : 120'd0, t[0]}", "{some ^ 120'd1, t[0]}", False),
        ("a choice of words, repeated", "{2{a_i ? t[7:0] : t[15:8]}}", "{2{some[7:0]}}", True),
    )
} | {
    "words of a type with a name": Text(
        "typedef logic [15:0][7:0] bytes_t; bytes_t t; assign t = bare_block; assign flag_o = a_i;\n"
        "assign block_o = {a_i ? t[14:0] : t[15:1], t[0]};\n",
        "takes as many bits as there are words",
        "typedef logic [127:0] bits_t; bits_t t; assign t = bare_block; assign flag_o = a_i;\n"
        "assign block_o = {a_i ? t[119:0] : t[127:8], t[7:0]};\n",
        differs=True,
    ),
    "words of a member of a struct": Text(
        "struct packed {logic [15:0][7:0] m;} t; assign t = bare_block; assign flag_o = a_i;\n"
        "assign block_o = {a_i ? t.m[14:0] : t.m[15:1], t.m[0]};\n",
        "takes as many bits as there are words",
        "struct packed {logic [127:0] m;} t; assign t = bare_block; assign flag_o = a_i;\n"
        "assign block_o = {a_i ? t.m[119:0] : t.m[127:8], t.m[7:0]};\n",
    ),
    "a choice of words at a port": Text(
        BYTES + "inner u_inner (.i(a_i ? t[14:0] : t[15:1]), .o(block_o[119:0])); assign block_o[127:120] = t[0];\n",
        "takes as many bits as there are words",
        NAMED + "inner u_inner (.i(some), .o(block_o[119:0])); assign block_o[127:120] = t[0];\n",
        before="module inner (input wire [119:0] i, output wire [119:0] o);\n  assign o = i;\nendmodule\n",
        differs=True,
    ),
}

TEXTS = {**ORDER, **FUNCTIONS, **NAMES, **CLOCKS, **CHOICES, **NUMBERS, **REST, **WORDS}

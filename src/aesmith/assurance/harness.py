"""The SystemVerilog around a core in simulation: few ports for the testbench to touch, and the Monte Carlo loop.

The testbench wakes once a clock, at the falling edge. What the core said just before the last rising edge stands in
registers, so one look a clock sees every transfer, whatever a core's outputs derive from its inputs within the clock.
"""

from __future__ import annotations

from aesmith.cores.design import CoreDesign, Direction

HARNESS = "aesmith_harness"
"""Module name of the harness."""

# The bits of the harness's `control` port.
KEY_VALID, BLOCK_VALID, RESULT_READY, DECRYPT, RUN, CHAIN = (1 << bit for bit in range(6))
# The bits of its `handshake` port.
KEY_READY, BLOCK_READY, RESULT_VALID = (1 << bit for bit in range(3))

_TEMPLATE = """\
module {harness} (
  input  logic                 clk           /* verilator public_flat_rw */,
  input  logic [5:0]           control       /* verilator public_flat_rw */,
  input  logic [{key_msb}:0]   key           /* verilator public_flat_rw */,
  input  logic [{block_msb}:0] block         /* verilator public_flat_rw */,
  output logic [2:0]           handshake     /* verilator public_flat_rd */,
  output logic [{block_msb}:0] result        /* verilator public_flat_rd */,
  output logic [31:0]          cycle         /* verilator public_flat_rd */,

  // The chain feeds each result back as the next block: `chain_length` blocks from `chain_start` on.
  input  logic [31:0]          chain_length  /* verilator public_flat_rw */,
  input  logic [31:0]          chain_patience /* verilator public_flat_rw */,
  input  logic [127:0]         chain_start   /* verilator public_flat_rw */,
  output logic                 chain_end     /* verilator public_flat_rd */,
  output logic [31:0]          chain_left    /* verilator public_flat_rd */,
  output logic [127:0]         chain_before  /* verilator public_flat_rd */,
  output logic [127:0]         chain_block   /* verilator public_flat_rd */
);
  localparam int unsigned Width = {width};
  localparam int unsigned Beats = 128 / Width;

  logic             key_ready, block_valid, block_ready, result_valid, result_ready;
  logic [Width-1:0] block_in, result_out;
  logic             chain;
  assign chain = control[5];

  {top} u_core (
    .clk_i        (clk),
    .rst_ni       (control[4]),
    .key_valid_i  (control[0]),
    .key_ready_o  (key_ready),
    .key_i        (key),
    .block_valid_i(block_valid),
    .block_ready_o(block_ready),
    .block_i      (block_in),
{decrypt}    .block_valid_o(result_valid),
    .block_ready_i(result_ready),
    .block_o      (result_out)
  );

  always_ff @(posedge clk) begin
    handshake <= {{result_valid, block_ready, key_ready}};
    result    <= result_out;
    cycle     <= cycle + 1;
  end
  initial cycle = 0;

  logic         sending;
  logic [4:0]   sent, received;
  logic [127:0] outgoing, gathered;
  logic [31:0]  quiet;

  assign gathered = {gather};
  assign block_valid = chain ? sending : control[1];
  assign block_in = chain ? outgoing[127-:Width] : block;
  assign result_ready = chain || control[2];
  assign chain_end = chain && (chain_left == 0 || quiet == chain_patience);

  logic [127:0] partial;
  always_ff @(posedge clk) begin
    if (!chain) begin
      sending     <= 1'b1;
      sent        <= '0;
      received    <= '0;
      quiet       <= '0;
      chain_left  <= chain_length;
      chain_block <= chain_start;
      outgoing    <= chain_start;
    end else if (!chain_end) begin
      quiet <= quiet + 1;
      if (block_valid && block_ready) begin
        quiet    <= '0;
        outgoing <= outgoing << Width;
        sent     <= sent + 1;
        if (sent == 5'(Beats - 1)) sending <= 1'b0;
      end
      if (result_valid) begin
        quiet    <= '0;
        partial  <= gathered;
        received <= received + 1;
        if (received == 5'(Beats - 1)) begin
          chain_before <= chain_block;
          chain_block  <= gathered;
          outgoing     <= gathered;
          chain_left   <= chain_left - 1;
          sending      <= chain_left != 1;
          sent         <= '0;
          received     <= '0;
        end
      end
    end
  end
endmodule
"""


def harness(design: CoreDesign) -> str:
    """The harness around `design`, as SystemVerilog; its top module is `HARNESS`."""
    width = design.block_width
    both = set(design.directions) == {Direction.ENCRYPT, Direction.DECRYPT}
    return _TEMPLATE.format(
        harness=HARNESS,
        top=design.top,
        width=width,
        block_msb=width - 1,
        key_msb=(design.key_bits[0] if width == 128 else width) - 1,
        decrypt="    .decrypt_i    (control[3]),\n" if both else "",
        gather="result_out" if width == 128 else f"{{partial[{127 - width}:0], result_out}}",
    )

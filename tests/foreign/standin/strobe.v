// AES-128 encryption as it is often published: a load pulse, a done pulse, delays, macros, an include file, ports with the
// names of SystemVerilog's keywords. A result 11 clocks after the load.
`timescale 1ns / 10ps
`ifndef TD
`define TD 1
`endif
module strobe (clk, rst, ld, done, key, do, final, unused);
  parameter ROUNDS = 3;
  input          clk, rst, ld;
  output         done;
  input  [127:0] key, do;
  output [127:0] final;
  input    [3:0] unused;

  reg            done;
  reg    [127:0] state, round_key;
  reg      [7:0] constant;
  reg      [3:0] round;

`include "sbox.vh"
`include "functions.vh"

  wire   [127:0] shifted = shift_rows(sub_bytes(state));
  wire   [127:0] mixed   = {mix_column(shifted[127:96]), mix_column(shifted[95:64]),
                            mix_column(shifted[63:32]), mix_column(shifted[31:0])};
  wire   [127:0] made    = next_key(round_key, constant);
  assign #`TD final = state;

  always @(posedge clk)
    if (rst) begin
      round <= #`TD 4'd0;
      done  <= #`TD 1'b0;
    end else begin
      done <= #`TD round == ROUNDS;
      if (ld) begin
        state     <= #`TD do ^ key;
        round_key <= #`TD key;
        constant  <= #1.5 8'h01;
        round     <= #`TD 4'd1;
      end else if (round != 4'd0) begin
        state     <= #`TD (round == ROUNDS ? shifted : mixed) ^ made;
        round_key <= #`TD made;
        constant  <= #`TD xtime(constant);
        round     <= #`TD round == ROUNDS ? 4'd0 : round + 4'd1;
      end
    end
endmodule

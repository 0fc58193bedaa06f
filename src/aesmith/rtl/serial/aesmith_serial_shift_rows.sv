// ShiftRows on a stream of bytes: Wang and Heys, 2010, section III.A, registers R1 to R12; after Hamalainen et al., 2006.
//
//   byte_i ─┬▶ R12 R11 R10 R9 ─┬▶ R8 R7 R6 R5 ─┬▶ R4 R3 R2 R1 ─┬▶ byte_o
//           └──────── one row: rotated by its number ──────────┘
//
// Bytes come in the order of columns. While the last column enters, the four bytes of each row stand at R1, R5, R9 and
// the input: row 0 first. rotation_i is that row's number then, and 0 at all other times.
//
// With Apart, each register has an enable of its own; otherwise enable_i is a single bit for all.
module aesmith_serial_shift_rows #(
  parameter bit Apart = 1'b0,
  parameter bit ClockGates = 1'b0,
  localparam int unsigned Banks = Apart ? 12 : 1
) (
  input  logic       clk_i,
  input  logic [Banks-1:0] enable_i,
  input  logic [1:0] rotation_i,
  input  logic [7:0] byte_i,
  output logic [7:0] byte_o
);
  logic [Banks-1:0] clk, enable;
  logic [11:0][7:0] state_d, state_q; // state_q[n] is R(n+1)
  logic [3:0][7:0] row, rotated;

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    aesmith_serial_clock_enable #(
      .ClockGates(ClockGates)
    ) u_clock_enable (
      .clk_i,
      .enable_i(enable_i[bank]),
      .clk_o   (clk[bank]),
      .enable_o(enable[bank])
    );
  end

  assign row = {byte_i, state_q[8], state_q[4], state_q[0]};
  always_comb begin
    unique case (rotation_i)
      2'd0: rotated = row;
      2'd1: rotated = {row[0], row[3:1]};
      2'd2: rotated = {row[1:0], row[3:2]};
      default: rotated = {row[2:0], row[3]};
    endcase
  end
  assign byte_o = rotated[0];

  assign state_d = {
    rotated[3], state_q[11:9], rotated[2], state_q[7:5], rotated[1], state_q[3:1]
  };
  for (genvar n = 0; n < 12; n++) begin : gen_state
    localparam int unsigned Bank = Apart ? n : 0;
    logic [7:0] byte_q;
    always_ff @(posedge clk[Bank]) begin
      if (enable[Bank]) byte_q <= state_d[n];
    end
    assign state_q[n] = byte_q;
  end
endmodule

// Handshakes of a sub-pipelined core, and what travels with each block: where it is, its direction, its pass.
//
// The round units form a ring of Length = Units * Stages places. A block goes round it Passes times. It enters at place
// 0 in the clock of its transfer, if the ring's end does not bring back a block that has further passes to make. In the
// register after the last place it is offered as a result.
//
//   place      0 … Stages-1   Stages … 2*Stages-1   …          Length (the register after the last)
//              unit 0         unit 1                           result, or back to place 0
//
// All registers of the ring move together, by one register (enable_i). A result that is not taken while the ring moves
// goes to the skid register, which decides about enable_i; so no ready runs through the stages.
// A key is taken when no block is in flight; while one waits, no block is taken.
// What moves many registers comes from registers, with no more than one gate between.
module aesmith_subpipelined_control #(
  parameter int unsigned Units = 10,
  parameter int unsigned Stages = 3,
  parameter int unsigned Passes = 1,
  parameter int unsigned KeyPlace = 1,   // place in a unit that a block has when its round key is selected
  parameter int unsigned KeyClocks = 3,  // clocks from the transfer of a key to that of the first block under it
  localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic decrypt_i,

  input  logic enable_i,                               // the ring moves
  input  logic waiting_i,                              // a result waits in the skid register
  output logic finished_o,                             // there is a result at the ring's end
  output logic key_load_o,                             // a key is taken: key_valid_i is 1, for it waited
  output logic entering_o,                             // place 0 has a new block
  output logic result_decrypt_o,                       // direction of the block at the ring's end
  output logic [Units-1:0] decrypt_o,                  // direction of the block in the first place of each unit
  output logic [Units-1:0] last_o,                     // the block in the first place of each unit is in its last pass
  output logic [Units-1:0] key_decrypt_o,              // direction of the block whose round key is selected
  output logic [Units-1:0][PassBits-1:0] key_pass_o    // its pass
);
  localparam int unsigned Length = Units * Stages;
  localparam int unsigned ClockBits = $clog2(KeyClocks + 1);
  localparam logic [PassBits-1:0] LastPass = PassBits'(Passes - 1);

  if (Units < 1 || Stages < 1 || Passes < 1 || KeyPlace >= Stages || KeyClocks < 2) begin : gen_check
    $error("Units, Stages and Passes must be at least 1, KeyClocks at least 2, and KeyPlace below Stages");
  end

  logic [Length:0] valid;
  logic [Length:1] valid_q;
  logic [Length:0] decrypt;
  logic [Length:0][PassBits-1:0] pass;
  logic [Length:1] decrypt_q;
  logic [Length:1][PassBits-1:0] pass_q;
  logic accept;

  // What becomes of the block at the ring's end is decided a clock before, for it steers every bit of the data path.
  logic finished_q, again_q;

  assign accept = block_valid_i & block_ready_o;
  assign entering_o = ~again_q;

  assign valid = {valid_q, accept | again_q};
  assign decrypt = {decrypt_q, again_q ? decrypt_q[Length] : decrypt_i};
  assign pass = {pass_q, again_q ? pass_q[Length] + PassBits'(1) : PassBits'(0)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      finished_q <= 1'b0;
      again_q <= 1'b0;
    end else if (enable_i) begin
      valid_q <= valid[Length-1:0];
      finished_q <= valid[Length-1] & pass[Length-1] == LastPass;
      again_q <= valid[Length-1] & pass[Length-1] != LastPass;
    end
  end
  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      decrypt_q <= decrypt[Length-1:0];
      pass_q <= pass[Length-1:0];
    end
  end

  for (genvar unit = 0; unit < Units; unit++) begin : gen_unit
    assign decrypt_o[unit] = decrypt[unit*Stages];
    assign last_o[unit] = pass[unit*Stages] == LastPass;
    assign key_decrypt_o[unit] = decrypt[unit*Stages+KeyPlace];
    assign key_pass_o[unit] = pass[unit*Stages+KeyPlace];
  end

  assign finished_o = finished_q;
  assign result_decrypt_o = decrypt_q[Length];

  // Keys: while one waits no block is taken. From the second clock on, occupied_q knows of every block in flight.
  logic [Units-1:0] occupied_d, occupied_q;
  logic [ClockBits-1:0] key_clocks_d, key_clocks_q;
  logic key_waits_q, key_waited_q, key_ready_q, key_known_q, open_q;

  assign key_ready_o = key_ready_q;
  assign key_load_o = key_ready_q;
  assign block_ready_o = enable_i & entering_o & open_q & ~key_waits_q;

  for (genvar unit = 0; unit < Units; unit++) begin : gen_occupied
    assign occupied_d[unit] = |valid_q[unit*Stages+1+:Stages] | (unit == Units - 1 & waiting_i);
  end

  always_comb begin
    key_clocks_d = key_clocks_q;
    if (key_load_o) key_clocks_d = ClockBits'(KeyClocks - 2);
    else if (key_clocks_q != '0) key_clocks_d = key_clocks_q - ClockBits'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      occupied_q <= '0;
      key_waits_q <= 1'b0;
      key_waited_q <= 1'b0;
      key_ready_q <= 1'b0;
      key_known_q <= 1'b0;
      key_clocks_q <= '0;
      open_q <= 1'b0;
    end else begin
      occupied_q <= occupied_d;
      key_waits_q <= key_valid_i & ~key_ready_q;
      key_waited_q <= key_waits_q & ~key_ready_q;
      key_ready_q <= key_waited_q & ~key_ready_q & occupied_q == '0;
      key_known_q <= key_known_q | key_load_o;
      key_clocks_q <= key_clocks_d;
      open_q <= key_known_q & ~key_load_o & key_clocks_q == '0;
    end
  end
endmodule

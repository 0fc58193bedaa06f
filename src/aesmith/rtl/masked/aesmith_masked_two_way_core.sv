// AES-128 in both directions on shares: 16 masked inverters for the state and four for the key, whose ranks of registers
// are the state. Both directions have them in common: Ueno et al., TC 2020, section 5.4 and figure 3.
//
//   block, key ──▶ share 0 ──┐                   ┌──▶ share 0 ──▶ result
//                  …         ├──▶ 20 inverters ──┤    …
//   block, key ──▶ share d ──┘                   └──▶ share d ──▶ result
//
// Shares meet in inverters only. A word of random_i is taken in each clock in which the ranks move: Fresh bits for each
// inverter, those of byte 0 lowest, those of the key last.
module aesmith_masked_two_way_core #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Clocks = 4, // of an inverter, and so of a round
  parameter int unsigned Fresh = 30, // bits that an inverter takes in a clock
  parameter bit ClockGates = 1'b1,
  parameter int unsigned AffineConstant = 0,       // of S, and of its inverse, on register words
  parameter int unsigned InverseAffineConstant = 0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [Shares-1:0][127:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [Shares-1:0][127:0] block_i,
  input  logic decrypt_i,

  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [20*Fresh-1:0] random_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [Shares-1:0][127:0] block_o
);
  logic move, key_load, key_turn, key_start, key_turn_next, load_encrypt, load_decrypt, encrypt, decrypt;
  logic last_end, run_decrypt, starts, turns, inverter_clk, inverter_enable;
  logic [3:0] round;
  logic [7:0] constant;
  logic [Shares-1:0][15:0][7:0] entering, inverted;
  logic [Shares-1:0][3:0][7:0] key_entering, key_inverted;

  aesmith_masked_two_way_sequencer #(
    .Clocks(Clocks)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .random_valid_i,
    .random_ready_o,
    .block_valid_o,
    .block_ready_i,
    .move_o         (move),
    .key_load_o     (key_load),
    .key_turn_o     (key_turn),
    .key_start_o    (key_start),
    .key_turn_next_o(key_turn_next),
    .load_encrypt_o (load_encrypt),
    .load_decrypt_o (load_decrypt),
    .encrypt_o      (encrypt),
    .decrypt_o      (decrypt),
    .last_end_o     (last_end),
    .run_decrypt_o  (run_decrypt),
    .starts_o       (starts),
    .turns_o        (turns),
    .round_o        (round)
  );
  aesmith_round_constants u_round_constants (
    .x_i({run_decrypt, round}),
    .y_o(constant)
  );

  for (genvar share = 0; share < Shares; share++) begin : gen_share
    aesmith_masked_two_way_share #(
      .ClockGates           (ClockGates),
      .AffineConstant       (share == 0 ? AffineConstant : 0),
      .InverseAffineConstant(share == 0 ? InverseAffineConstant : 0)
    ) u_share (
      .clk_i,
      .key_load_i     (key_load),
      .key_turn_i     (key_turn),
      .key_start_i    (key_start),
      .key_turn_next_i(key_turn_next),
      .load_encrypt_i (load_encrypt),
      .load_decrypt_i (load_decrypt),
      .encrypt_i      (encrypt),
      .decrypt_i      (decrypt),
      .last_end_i     (last_end),
      .run_decrypt_i  (run_decrypt),
      .starts_i       (starts),
      .turns_i        (turns),
      .constant_i     (share == 0 ? constant : 8'h00),
      .key_i          (key_i[share]),
      .block_i        (block_i[share]),
      .block_o        (block_o[share]),
      .sbox_o         (entering[share]),
      .key_sbox_o     (key_entering[share]),
      .inverted_i     (inverted[share]),
      .key_inverted_i (key_inverted[share])
    );
  end

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_inverter_enable (
    .clk_i,
    .enable_i(move),
    .clk_o   (inverter_clk),
    .enable_o(inverter_enable)
  );
  for (genvar i = 0; i < 20; i++) begin : gen_byte
    logic [Shares-1:0][7:0] x, y;

    for (genvar share = 0; share < Shares; share++) begin : gen_share
      if (i < 16) begin : gen_state
        assign x[share] = entering[share][i];
        assign inverted[share][i] = y[share];
      end else begin : gen_key
        assign x[share] = key_entering[share][i-16];
        assign key_inverted[share][i-16] = y[share];
      end
    end
    aesmith_masked_inverter u_inverter (
      .clk_i   (inverter_clk),
      .enable_i(inverter_enable),
      .x_i     (x),
      .random_i(random_i[Fresh*i+:Fresh]),
      .y_o     (y)
    );
  end
endmodule

// A sub-pipelined AES encryption core with keys of 128, 192 or 256 bits, which is chosen with each key: what Zhang and
// Parhi, 2004, leave to future work.
//
// All 14 rounds of the longest key are unrolled. A block under a shorter key passes the first four or two unchanged, so
// that the last round is the same, and a block takes as many clocks under every key. key_bits_i is 0, 1 or 2 for 128, 192
// or 256 bits; a shorter key stands in the most significant bits of key_i, and the others are not looked at.
// Byte 0 of FIPS-197 is the most significant byte of every port.
//
//   block ─ + ─▶ 4 rounds, skipped or not ─▶ 10 rounds ─▶ skid register ─▶ result
//           └ initial key
module aesmith_subpipelined_selectable_core #(
  parameter int unsigned Stages = 3,
  parameter int unsigned KeyPlace = 2,
  parameter int unsigned KeyClocks = 3,
  parameter int unsigned SkidEntries = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0] key_bits_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned Rounds = 14;
  localparam int unsigned Skipped = 4; // for the shortest key

  logic key_load, enable, finished, waiting;
  logic [Skipped-1:0] skip_q;
  logic [Rounds:0] store;
  logic [15:0][7:0] block_in, initial_key, expanded, inner, state, block_out;
  logic [Rounds-1:0][15:0][7:0] round_keys;
  logic [4*Rounds+1:0] unused_directions;

  for (genvar i = 0; i < 16; i++) begin : gen_port
    assign block_in[i] = block_i[127-8*i-:8];
    assign block_o[127-8*i-:8] = block_out[i];
  end

  aesmith_subpipelined_control #(
    .Units    (Rounds),
    .Stages   (Stages),
    .KeyPlace (KeyPlace),
    .KeyClocks(KeyClocks)
  ) u_control (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i       (1'b0),
    .enable_i        (enable),
    .waiting_i       (waiting),
    .finished_o      (finished),
    .key_load_o      (key_load),
    .entering_o      (unused_directions[0]),
    .result_decrypt_o(unused_directions[1]),
    .decrypt_o       (unused_directions[2+:Rounds]),
    .last_o          (unused_directions[Rounds+2+:Rounds]),
    .key_decrypt_o   (unused_directions[2*Rounds+2+:Rounds]),
    .key_pass_o      (unused_directions[3*Rounds+2+:Rounds])
  );
  logic unused_control;
  assign unused_control = ^unused_directions;

  always_ff @(posedge clk_i) begin
    if (key_load) skip_q <= {{2{key_bits_i == 2'd0}}, {2{key_bits_i != 2'd2}}};
  end

  aesmith_subpipelined_selectable_key_expansion #(
    .Stages(Stages)
  ) u_key_expansion (
    .clk_i,
    .rst_ni,
    .load_i     (key_load),
    .key_i,
    .key_bits_i,
    .round_key_o(expanded),
    .store_o    (store)
  );

  aesmith_subpipelined_round_keys #(
    .Rounds(Rounds),
    .Units (Rounds)
  ) u_round_keys (
    .clk_i,
    .enable_i     (enable),
    .round_key_i  (expanded),
    .store_i      (store),
    .decrypt_i    (1'b0),
    .key_decrypt_i('0),
    .key_pass_i   ('0),
    .initial_key_o(initial_key),
    .round_keys_o (round_keys)
  );

  aesmith_subpipelined_skipped_rounds #(
    .Units(Skipped)
  ) u_skipped_rounds (
    .clk_i,
    .enable_i    (enable),
    .skip_i      (skip_q),
    .block_i     (block_in ^ initial_key),
    .round_keys_i(round_keys[Skipped-1:0]),
    .state_o     (inner)
  );

  aesmith_subpipelined_data_path #(
    .Units     (Rounds - Skipped),
    .StateEntry(1'b1)
  ) u_data_path (
    .clk_i,
    .enable_i     (enable),
    .entering_i   (1'b1),
    .decrypt_i    ('0),
    .last_i       ('0),
    .block_i      (inner),
    .initial_key_i('0),
    .round_keys_i (round_keys[Rounds-1:Skipped]),
    .state_o      (state)
  );

  aesmith_subpipelined_skid #(
    .Entries(SkidEntries)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .finished_i(finished),
    .result_i  (state),
    .enable_o  (enable),
    .waiting_o (waiting),
    .valid_o   (block_valid_o),
    .ready_i   (block_ready_i),
    .result_o  (block_out)
  );
endmodule

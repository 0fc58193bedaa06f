// A sub-pipelined AES core: Zhang and Parhi, 2004, with any number of rounds in the loop, one or both directions.
//
// decrypt_i is a constant where there is one direction. Byte 0 of FIPS-197 is the most significant byte of every port.
module aesmith_subpipelined_core #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned Units = 10,
  parameter int unsigned Stages = 3,
  parameter int unsigned KeyWords = 4,
  parameter int unsigned KeyPlace = 2,
  parameter int unsigned KeyClocks = 3,
  parameter bit SelectRegister = 1'b0,
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b0,
  parameter int unsigned MixClocks = 0,
  parameter int unsigned SkidEntries = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [32*KeyWords-1:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned Passes = Rounds / Units;
  localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1;

  logic key_load, enable, entering, finished, waiting, result_decrypt;
  logic [Units-1:0] decrypt, last, key_decrypt;
  logic [Units-1:0][PassBits-1:0] key_pass;
  logic [Rounds:0] store;
  logic [15:0][7:0] block_in, turned_in, taken, initial_key, expanded, state, turned_out, result, block_out;
  logic [Units-1:0][15:0][7:0] round_keys;

  for (genvar i = 0; i < 16; i++) begin : gen_port
    assign block_in[i] = block_i[127-8*i-:8];
    assign block_o[127-8*i-:8] = block_out[i];
  end

  aesmith_subpipelined_control #(
    .Units    (Units),
    .Stages   (Stages),
    .Passes   (Passes),
    .KeyPlace (KeyPlace),
    .KeyClocks(KeyClocks)
  ) u_control (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .enable_i        (enable),
    .waiting_i       (waiting),
    .finished_o      (finished),
    .key_load_o      (key_load),
    .entering_o      (entering),
    .result_decrypt_o(result_decrypt),
    .decrypt_o       (decrypt),
    .last_o          (last),
    .key_decrypt_o   (key_decrypt),
    .key_pass_o      (key_pass)
  );

  aesmith_subpipelined_key_expansion #(
    .Rounds  (Rounds),
    .Stages  (Stages),
    .KeyWords(KeyWords)
  ) u_key_expansion (
    .clk_i,
    .rst_ni,
    .load_i     (key_load),
    .key_i,
    .round_key_o(expanded),
    .store_o    (store)
  );

  aesmith_subpipelined_round_keys #(
    .Rounds        (Rounds),
    .Units         (Units),
    .Encrypts      (Encrypts),
    .Decrypts      (Decrypts),
    .MixClocks     (MixClocks),
    .SelectRegister(SelectRegister)
  ) u_round_keys (
    .clk_i,
    .enable_i     (enable),
    .round_key_i  (expanded),
    .store_i      (store),
    .decrypt_i,
    .key_decrypt_i(key_decrypt),
    .key_pass_i   (key_pass),
    .initial_key_o(initial_key),
    .round_keys_o (round_keys)
  );

  aesmith_subpipelined_turn_columns u_turn_in (
    .state_i(block_in),
    .state_o(turned_in)
  );
  assign taken = Decrypts && decrypt_i ? turned_in : block_in;

  aesmith_subpipelined_data_path #(
    .Units(Units)
  ) u_data_path (
    .clk_i,
    .enable_i     (enable),
    .entering_i   (entering),
    .decrypt_i    (decrypt),
    .last_i       (last),
    .block_i      (taken),
    .initial_key_i(initial_key),
    .round_keys_i (round_keys),
    .state_o      (state)
  );

  aesmith_subpipelined_turn_columns u_turn_out (
    .state_i(state),
    .state_o(turned_out)
  );
  assign result = Decrypts && result_decrypt ? turned_out : state;

  aesmith_subpipelined_skid #(
    .Entries(SkidEntries)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .finished_i(finished),
    .result_i  (result),
    .enable_o  (enable),
    .waiting_o (waiting),
    .valid_o   (block_valid_o),
    .ready_i   (block_ready_i),
    .result_o  (block_out)
  );
endmodule

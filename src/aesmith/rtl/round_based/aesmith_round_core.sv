// A round-based core: registers, sequencer and channels around a data path and a key schedule.
//
// Decrypts: both directions, else decrypt_i is 0. Selectable: key_bits_i goes with the key, 0, 1 or 2 for 128, 192 or 256
// bits; a shorter key stands in the most significant bits of key_i, and the others are not looked at. The round counter
// ends at 14 for all sizes and begins later for fewer rounds. ClockGates: the initial key, round key and data registers
// are held by gated clocks, else by selectors.
//
// All bytes inside are in the basis of the state register; the maps of blocks and keys into it and of results out of
// it stand only here (they are wires if that basis is the AES field's own). Byte 0 of FIPS-197 is the most significant
// byte of a port, and element 0 inside. The first four words of the round key register are the round key.
//
//   block ─ map ─ data path ─┬▶ data register ─▶ data path      key ─ map ─ key registers ─ key schedule ─▶ key registers
//                            └─ map ─ block
module aesmith_round_core #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned KeyBits = 128,
  parameter bit Decrypts = 1'b0,
  parameter bit Overlap = 1'b1,
  parameter bit Selectable = 1'b0,
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,
  input  logic [1:0] key_bits_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned KeyBytes = KeyBits / 8;
  localparam int unsigned RoundBits = $clog2(Rounds + 1);

  if (Selectable && (Rounds != 14 || KeyBits != 256)) begin : gen_check
    $error("a core with a choice of key sizes has 14 Rounds and 256 KeyBits");
  end

  logic key_load, key_turn, key_advance, key_start, key_run, key_run_next;
  logic data_load, data_encrypt, data_decrypt, data_hold, run_decrypt, selected_decrypt, first_decrypt;
  logic [RoundBits-1:0] round, first_round;
  logic [1:0] selected_size;

  logic [15:0][7:0] block, result, next_state, state_q;
  logic [15:0][7:0] initial_key, round_key;
  logic [KeyBytes-1:0][7:0] key, first_key, next_key, key_source, key_window;
  logic [3:0][7:0] early_word, next_early_word, first_early_word;

  for (genvar i = 0; i < 16; i++) begin : gen_block
    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block[i])
    );
    aesmith_post_round_map u_post_round_map (
      .x_i(result[i]),
      .y_o(block_o[127-8*i-:8])
    );
  end
  for (genvar i = 0; i < KeyBytes; i++) begin : gen_key
    aesmith_pre_round_map u_key_map (
      .x_i(key_i[KeyBits-1-8*i-:8]),
      .y_o(key[i])
    );
  end

  aesmith_round_sequencer #(
    .Rounds    (Rounds),
    .Decrypts  (Decrypts),
    .Overlap   (Overlap),
    .Selectable(Selectable)
  ) u_round_sequencer (
    .clk_i,
    .rst_ni,
    .first_round_i     (first_round),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .block_valid_o,
    .block_ready_i,
    .key_load_o        (key_load),
    .key_turn_o        (key_turn),
    .data_load_o       (data_load),
    .data_encrypt_o    (data_encrypt),
    .data_decrypt_o    (data_decrypt),
    .data_hold_o       (data_hold),
    .key_advance_o     (key_advance),
    .key_start_o       (key_start),
    .key_run_o         (key_run),
    .key_run_next_o    (key_run_next),
    .run_decrypt_o     (run_decrypt),
    .selected_decrypt_o(selected_decrypt),
    .first_decrypt_o   (first_decrypt),
    .round_o           (round)
  );

  aesmith_data_path u_data_path (
    .block_i           (block),
    .initial_key_i     (initial_key),
    .round_key_i       (round_key),
    .key_source_i      (key_source[15:0]),
    .next_key_i        (next_key[15:0]),
    .state_i           (state_q),
    .round_i           (round),
    .start_i           (key_start),
    .load_i            (data_load),
    .encrypt_i         (data_encrypt),
    .decrypt_i         (data_decrypt),
    .hold_i            (ClockGates ? 1'b0 : data_hold),
    .run_decrypt_i     (run_decrypt),
    .selected_decrypt_i(selected_decrypt),
    .next_o            (next_state),
    .result_o          (result)
  );

  aesmith_key_registers #(
    .KeyBytes  (KeyBytes),
    .Overlap   (Overlap),
    .ClockGates(ClockGates)
  ) u_key_registers (
    .clk_i,
    .load_i       (key_load),
    .turn_i       (key_turn),
    .advance_i    (key_advance),
    .start_i      (key_start),
    .run_i        (key_run),
    .run_next_i   (key_run_next),
    .key_i        (key),
    .next_i       (next_key),
    .next_early_i (next_early_word),
    .first_early_i(first_early_word),
    .first_o      (first_key),
    .initial_key_o(initial_key),
    .round_key_o  (round_key),
    .source_o     (key_source),
    .early_o      (early_word)
  );
  // To encrypt, SubWord is of the window's last word.
  assign key_window = Decrypts ? key_source : {early_word, key_source[KeyBytes-5:0]};
  aesmith_key_schedule #(
    .KeyWords(KeyBytes / 4)
  ) u_key_schedule (
    .key_i          (key_window),
    .early_i        (early_word),
    .size_i         (selected_size),
    .decrypt_i      (selected_decrypt),
    .round_i        (round),
    .key_o          (next_key),
    .early_o        (next_early_word),
    .first_i        (first_key),
    .first_decrypt_i(first_decrypt),
    .first_early_o  (first_early_word)
  );

  if (Selectable) begin : gen_size
    logic [1:0] size_q, run_size_q;

    assign first_round = RoundBits'({size_q == 2'd0, size_q[0], 1'b1});

    // A key of another size may come while a block is on its way.
    assign selected_size = key_start ? size_q : run_size_q;

    always_ff @(posedge clk_i) begin
      if (key_load) size_q <= key_bits_i;
      if (key_advance & key_start) run_size_q <= size_q;
    end
  end else begin : gen_one_size
    assign first_round = '0;
    assign selected_size = '0;
    logic unused_size;
    assign unused_size = ^key_bits_i;
  end

  if (ClockGates) begin : gen_data_gate
    logic data_clk;

    aesmith_clock_gate u_data_gate (
      .clk_i,
      .enable_i(~data_hold),
      .clk_o   (data_clk)
    );

    always_ff @(posedge data_clk) state_q <= next_state;
  end else begin : gen_data_selector
    always_ff @(posedge clk_i) state_q <= next_state;
  end
endmodule

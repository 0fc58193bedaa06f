// AES encryption, one round a clock: Ueno et al., TC 2020, section 4, figures 7 to 10.
//
// Data and key live in a tower field with multiplicative offset γ: the registers hold Δ(γ·byte). The maps between the
// AES field and the tower stand only where blocks and keys enter and leave; a round is inversion, ShiftRows wiring and
// one merged linear map. Byte 0 of FIPS-197 is bits 127:120 of a port, and element 0 inside.
//
//   block ─ pre-round map ─ + ─┬▶ data ─ 16 inverters ─ ShiftRows ─ linear operations ┬─▶ (next round)
//                   initial key ▲      ▲ round                             round key ▲ └ post-round map ─ block
module aesmith_ueno2020_enc (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [127:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  logic key_load, advance, data_load_phase, key_load_phase;
  logic [3:0] round;

  logic [15:0][7:0] block_in, key_in, block_out;
  logic [15:0][7:0] mapped_block, mapped_key;
  logic [15:0][7:0] data_d, data_q, initial_key_q, round_key_d, round_key_q;
  logic [15:0][7:0] key_source, next_state, post_round;
  logic [15:0][9:0] inverted, shifted;
  logic [7:0] round_constant;

  for (genvar i = 0; i < 16; i++) begin : gen_port
    assign block_in[i] = block_i[127-8*i-:8];
    assign key_in[i] = key_i[127-8*i-:8];
    assign block_o[127-8*i-:8] = block_out[i];
  end

  aesmith_round_sequencer #(
    .Rounds(10)
  ) u_round_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_load_o       (key_load),
    .advance_o        (advance),
    .data_load_phase_o(data_load_phase),
    .key_load_phase_o (key_load_phase),
    .round_o          (round)
  );

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_pre_round_map u_block_map (
      .x_i(block_in[i]),
      .y_o(mapped_block[i])
    );
    aesmith_pre_round_map u_key_map (
      .x_i(key_in[i]),
      .y_o(mapped_key[i])
    );
    aesmith_inverter u_inverter (
      .x_i(data_q[i]),
      .y_o(inverted[i])
    );
    aesmith_post_round_map u_post_round_map (
      .x_i(post_round[i]),
      .y_o(block_out[i])
    );
  end

  aesmith_shift_rows #(
    .ElementBits(10)
  ) u_shift_rows (
    .state_i(inverted),
    .state_o(shifted)
  );

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_ueno2020_linear_operations u_linear_operations (
      .inverted_i (shifted[4*column+:4]),
      .round_key_i(round_key_q[4*column+:4]),
      .next_o     (next_state[4*column+:4]),
      .post_o     (post_round[4*column+:4])
    );
  end

  assign data_d = data_load_phase ? mapped_block ^ initial_key_q : next_state;
  assign key_source = key_load_phase ? initial_key_q : round_key_q;

  aesmith_round_constants u_round_constants (
    .x_i(round),
    .y_o(round_constant)
  );
  aesmith_ueno2020_key_schedule u_key_schedule (
    .key_i           (key_source),
    .round_constant_i(round_constant),
    .key_o           (round_key_d)
  );

  always_ff @(posedge clk_i) begin
    if (key_load) initial_key_q <= mapped_key;
    if (advance) data_q <= data_d;
    if (advance) round_key_q <= round_key_d;
  end
endmodule

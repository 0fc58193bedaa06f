// One share of a masked encryption with a block in each rank of its S-boxes: all of a round but SubBytes, the key, and the
// round key, which all these blocks have in common.
//
// Nothing here knows another share, so whatever this module's wires carry is of one share index. substituted_i comes out
// of the S-boxes' last rank, sbox_o goes into the first.
//
//            load_i          turn_i                                   neither
//   sbox_o   block + key     MixColumns(ShiftRows) + round key        0
//
// A round key is there from the clock on in which its round begins (first_i), made of the one before and SubWord, which
// the key's S-boxes were given a round before. It stays for the round.
//
// Element i of a vector is byte i of FIPS-197, which is the most significant one of key_i, block_i and block_o for i = 0.
module aesmith_masked_loop_share #(
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic key_load_i,    // the key register takes key_i
  input  logic key_advance_i, // the round key register takes its next value
  input  logic load_i,
  input  logic turn_i,
  input  logic first_i,
  input  logic open_i,           // round 10 and the next round 0
  input  logic [7:0] constant_i, // Rcon in share 0, 0 in the others

  input  logic [127:0] key_i,
  input  logic [127:0] block_i,
  output logic [127:0] block_o, // round 10's result, while it stands in the last rank

  output logic [15:0][7:0] sbox_o,
  output logic [3:0][7:0] key_sbox_o,
  input  logic [15:0][7:0] substituted_i,
  input  logic [3:0][7:0] key_substituted_i
);
  logic key_clk, key_enable, round_key_clk, round_key_enable;
  logic [15:0][7:0] key, block, key_q, round_key_q, round_key;
  logic [15:0][7:0] shifted, mixed;

  for (genvar i = 0; i < 16; i++) begin : gen_port
    assign key[i] = key_i[127-8*i-:8];
    assign block[i] = block_i[127-8*i-:8];
    assign block_o[127-8*i-:8] = shifted[i] ^ round_key[i];
  end

  // The key schedule (FIPS-197 section 5.2): SubWord(RotWord) of the last word, and sums.
  for (genvar i = 0; i < 4; i++) begin : gen_key
    logic [7:0] sub_word;
    if (i == 0) begin : gen_constant
      assign sub_word = key_substituted_i[i] ^ constant_i;
    end else begin : gen_plain
      assign sub_word = key_substituted_i[i];
    end
    assign round_key[i] = round_key_q[i] ^ ({8{first_i}} & sub_word);
    for (genvar word = 1; word < 4; word++) begin : gen_word
      assign round_key[4*word+i] = round_key_q[4*word+i] ^ ({8{first_i}} & round_key[4*word+i-4]);
    end
    assign key_sbox_o[i] = {8{first_i}} & (open_i ? key_q[12+(i+1)%4] : round_key[12+(i+1)%4]);
  end

  for (genvar column = 0; column < 4; column++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      assign shifted[4*column+row] = substituted_i[4*((column+row)%4)+row];
    end
    aesmith_mix_columns u_mix_columns (
      .x_i(shifted[4*column+:4]),
      .y_o(mixed[4*column+:4])
    );
  end

  assign sbox_o = ({128{load_i}} & (block ^ key_q)) | ({128{turn_i}} & (mixed ^ round_key));

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_key_enable (
    .clk_i,
    .enable_i(key_load_i),
    .clk_o   (key_clk),
    .enable_o(key_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_round_key_enable (
    .clk_i,
    .enable_i(key_advance_i),
    .clk_o   (round_key_clk),
    .enable_o(round_key_enable)
  );
  always_ff @(posedge key_clk) begin
    if (key_enable) key_q <= key;
  end
  always_ff @(posedge round_key_clk) begin
    if (round_key_enable) round_key_q <= first_i ? round_key : key_q;
  end
endmodule

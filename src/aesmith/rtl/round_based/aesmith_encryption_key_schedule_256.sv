// One step of the key schedule of AES-256 (FIPS-197 section 5.2), in the field of the leaf circuits: four new words from
// a window of eight.
//
// key[j][i] is byte i of word j of the window w0 … w7; the next window is w4 … w11.
//   w8 = w0 + KeyEx(w7), w9 = w0 + w1 + KeyEx(w7), …   KeyEx has RotWord and the round constant in every other step.
module aesmith_encryption_key_schedule_256 (
  input  logic [7:0][3:0][7:0] key_i,
  input  logic [3:0] round_i,
  output logic [7:0][3:0][7:0] key_o
);
  logic [3:0][3:0][7:0] sum;
  logic [3:0][7:0] expanded, key_ex;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i(round_i),
    .y_o(round_constant)
  );

  assign expanded = round_i[0] ? key_i[7] : {key_i[7][0], key_i[7][3:1]};
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(expanded[row]),
      .y_o(key_ex[row])
    );
  end

  assign sum[0] = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  for (genvar word = 1; word < 4; word++) begin : gen_sum
    assign sum[word] = sum[word-1] ^ key_i[word];
  end
  for (genvar word = 0; word < 4; word++) begin : gen_next
    assign key_o[word] = key_i[word+4];
    assign key_o[word+4] = sum[word] ^ key_ex;
  end
endmodule

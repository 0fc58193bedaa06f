// One step of the key schedule (FIPS-197 section 5.2), in the field of the leaf circuits.
//
// key[j][i] is byte i of word j (byte 4j + i of the key).
//   l0' = l0 + KeyEx(l3); l1' = l0 + l1 + KeyEx(l3); … with KeyEx = S-box(RotWord(l3)) + round constant.
// The sums of words are formed beside KeyEx, so that one XOR follows it; the round constant goes into them.
module aesmith_encryption_key_schedule (
  input  logic [3:0][3:0][7:0] key_i,
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o
);
  logic [3:0][3:0][7:0] sum;
  logic [3:0][7:0] key_ex;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i(round_i),
    .y_o(round_constant)
  );
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(key_i[3][(row+1)%4]),
      .y_o(key_ex[row])
    );
  end

  assign sum[0] = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  for (genvar word = 1; word < 4; word++) begin : gen_sum
    assign sum[word] = sum[word-1] ^ key_i[word];
  end
  for (genvar word = 0; word < 4; word++) begin : gen_next
    assign key_o[word] = sum[word] ^ key_ex;
  end
endmodule

// One step of the key schedule in the tower field with offset: Ueno et al., TC 2020, figure 10, equation 16.
//
// key[j][i] is byte i of word j (byte 4j + i of the key).
//   l0' = l0 + KeyEx(l3); l1' = l0 + l1 + KeyEx(l3); … with KeyEx = Φ(inversion(RotWord(l3))) + round constant.
// The sums of words are formed beside KeyEx, so that one XOR follows it; the round constant goes into them.
module aesmith_ueno2020_key_schedule (
  input  logic [3:0][3:0][7:0] key_i,
  input  logic [7:0] round_constant_i,
  output logic [3:0][3:0][7:0] key_o
);
  logic [3:0][3:0][7:0] sum;
  logic [3:0][7:0] key_ex;

  for (genvar row = 0; row < 4; row++) begin : gen_row
    logic [9:0] inverted;

    aesmith_inverter u_inverter (
      .x_i(key_i[3][(row+1)%4]),
      .y_o(inverted)
    );
    aesmith_affine u_affine (
      .f_i  (inverted),
      .phi_o(key_ex[row])
    );
  end

  assign sum[0] = {key_i[0][3:1], key_i[0][0] ^ round_constant_i};
  for (genvar word = 1; word < 4; word++) begin : gen_sum
    assign sum[word] = sum[word-1] ^ key_i[word];
  end
  for (genvar word = 0; word < 4; word++) begin : gen_next
    assign key_o[word] = sum[word] ^ key_ex;
  end
endmodule

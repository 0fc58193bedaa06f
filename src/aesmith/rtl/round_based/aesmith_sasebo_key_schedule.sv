// One step of the key schedule as in the SASEBO AES macros: each word is the sum of itself and of the new word before.
//
// key[j][i] is byte i of word j. The least gates, and four XOR one after another behind the S-box.
module aesmith_sasebo_key_schedule (
  input  logic [3:0][3:0][7:0] key_i,
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o
);
  logic [3:0][7:0] key_ex, first;
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

  assign first = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  assign key_o[0] = first ^ key_ex;
  for (genvar word = 1; word < 4; word++) begin : gen_next
    assign key_o[word] = key_i[word] ^ key_o[word-1];
  end
endmodule

// One step of the key schedule in two clocks, cut at the inverter output: Ueno et al., TC 2020, figure 10 and section
// 5.2. The sums of words, with the round constant, are formed before the cut; one map and one XOR follow it.
//
// key[j][i] is byte i of word j (byte 4j + i of the key).
module aesmith_pipelined_key_schedule (
  input  logic clk_i,
  input  logic advance_i,
  input  logic [3:0][3:0][7:0] key_i,
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o
);
  logic [3:0][3:0][7:0] sum_d, sum_q;
  logic [3:0][9:0] inverted_d, inverted_q;
  logic [3:0][7:0] key_ex;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i(round_i),
    .y_o(round_constant)
  );
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_inverter u_inverter (
      .x_i(key_i[3][(row+1)%4]),
      .y_o(inverted_d[row])
    );
    aesmith_affine u_affine (
      .f_i  (inverted_q[row]),
      .phi_o(key_ex[row])
    );
  end

  assign sum_d[0] = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  for (genvar word = 1; word < 4; word++) begin : gen_sum
    assign sum_d[word] = sum_d[word-1] ^ key_i[word];
  end
  for (genvar word = 0; word < 4; word++) begin : gen_next
    assign key_o[word] = sum_q[word] ^ key_ex;
  end

  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      sum_q <= sum_d;
      inverted_q <= inverted_d;
    end
  end
endmodule

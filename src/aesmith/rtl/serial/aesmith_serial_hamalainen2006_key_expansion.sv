// Key expansion on a shift register of bytes with an S-box of its own: after Hamalainen, Alho, Hannikainen and
// Hamalainen, DSD 2006, section 3.
//
//   ┌▶ K15 ▶ K14 ▶ K13 ▶ K12 ▶ … ▶ K9 ▶ … ▶ K0 ─(+)─┐      byte j+1 of a round key is
//   │   │            │     └─── chain ───────────│   │      byte j+1 of the one before
//   │   ▼            └─ or K9 ──▶ S-box ──────(or)   │      + byte j-3 (chain), or + SubWord, + round constant
//   └────────────────────────────────────────────────┘
//
// K15 is the byte that is added to the data. The bytes of round key 1 are made of the key itself (source_i), which
// stands in the key store.
module aesmith_serial_hamalainen2006_key_expansion #(
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       enable_i,
  input  logic       from_source_i,
  input  logic       substitute_i,     // the next byte belongs to word 0
  input  logic       first_of_word_i,  // and is its last, made of byte 12
  input  logic [7:0] source_i,         // of the key, what stands at K0, K13 and K9 of a round key
  input  logic [7:0] source_13_i,
  input  logic [7:0] source_9_i,
  input  logic [7:0] round_constant_i,
  output logic [7:0] key_byte_o
);
  logic clk, enable;
  logic [15:0][7:0] key_q;
  logic [7:0] oldest, substitute, substituted, chained;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i,
    .clk_o   (clk),
    .enable_o(enable)
  );

  always_comb begin
    if (from_source_i) begin
      oldest = source_i;
      substitute = first_of_word_i ? source_9_i : source_13_i;
    end else begin
      oldest = key_q[0];
      substitute = first_of_word_i ? key_q[9] : key_q[13];
    end
  end

  aesmith_sbox u_sbox (
    .clk_i,
    .enable_i(1'b1),
    .x_i     (substitute),
    .y_o     (substituted)
  );

  assign chained = substitute_i ? substituted ^ round_constant_i : key_q[12];

  always_ff @(posedge clk) begin
    if (enable) key_q <= {oldest ^ chained, key_q[15:1]};
  end
  assign key_byte_o = key_q[15];
endmodule

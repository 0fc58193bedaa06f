// One block at a time, any latency: the whole cipher is computed when a block is taken and held until its time comes.
// The plusarg +mutant=N breaks one thing (the numbers are in mutants.py).
module standin
  import standin_aes_pkg::*;
#(
  parameter int Latency = 11
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               key_valid_i,
  output logic               key_ready_o,
  input  logic [KeyBits-1:0] key_i,
  input  logic               block_valid_i,
  output logic               block_ready_o,
  input  logic [127:0]       block_i,
  input  logic               decrypt_i,
  output logic               block_valid_o,
  input  logic               block_ready_i,
  output logic [127:0]       block_o
);
  localparam logic [127:0] Fips197C1 = 128'h000102030405060708090a0b0c0d0e0f;
  localparam logic [127:0] Stuck = {{9{8'hff}}, 56'h0};

  int mutant;
  initial if (!$value$plusargs("mutant=%d", mutant)) mutant = 0;

  logic [KeyBits-1:0] key_q, key_of_block_q;
  logic [127:0]       block_q, result_q;
  logic               has_key_q, busy_q, decrypt_q, again_q, moved_q;
  int unsigned        left_q, served_q;

  logic [KeyBits-1:0] key_in;
  always_comb begin
    key_in = key_i;
    if (mutant == 4) key_in[KeyBits-1-:128] = (key_i[KeyBits-1-:128] & ~Stuck) | (Fips197C1 & Stuck);
  end

  logic done, offered;
  assign done = busy_q && left_q == 0;
  assign offered = done && !(mutant == 13 && !block_ready_i && served_q != 0);
  assign block_valid_o = offered && !(mutant == 3 && moved_q);
  assign key_ready_o = mutant != 17 || block_valid_i;
  assign block_ready_o = ((has_key_q || mutant == 10) && (!busy_q || (done && block_ready_i && !(mutant == 6)))
                          && !(mutant == 16 && served_q == 600)) || (mutant == 15 && has_key_q && done);
  assign block_o = mutant == 9 ? aes(mutant, key_q, block_q, decrypt_q)
                 : mutant == 12 ? aes(mutant, key_of_block_q, block_q, decrypt_i)
                 : mutant == 5 && moved_q ? result_q ^ 128'h1 : result_q;

  always_ff @(posedge clk_i) begin
    if ((key_valid_i || mutant == 14) && key_ready_o) key_q <= key_in;
    moved_q <= offered;
    if (block_valid_i && block_ready_o) begin
      block_q   <= block_i;
      key_of_block_q <= key_q;
      decrypt_q <= decrypt_i;
      result_q  <= aes(mutant, mutant == 7 && key_valid_i ? key_in : key_q, block_i, decrypt_i);
      left_q    <= Latency - 2 + (mutant == 8 ? 1 : 0) + (mutant == 18 && block_i[7:0] == 8'h00 ? 1 : 0);
      moved_q   <= 1'b0;
    end else if (busy_q && left_q != 0) begin
      left_q <= left_q - 1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_key_q <= 1'b0;
      if (mutant != 11) busy_q <= 1'b0;
      again_q  <= 1'b0;
      served_q <= 0;
    end else begin
      if (key_valid_i && key_ready_o) has_key_q <= 1'b1;
      if (done && (block_ready_i || mutant == 3)) begin
        busy_q  <= mutant == 6 && !again_q && served_q % 8 == 7;
        again_q <= mutant == 6 && !again_q && served_q % 8 == 7;
        served_q <= served_q + 1;
      end
      if (block_valid_i && block_ready_o) busy_q <= 1'b1;
    end
  end
endmodule

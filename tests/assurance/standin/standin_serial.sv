// Narrow channels: key and block come in word by word, byte 0 in the highest bits of the first, and the result leaves the
// same way.
module standin
  import standin_aes_pkg::*;
#(
  parameter int Compute = 5,
  parameter int Width = @WIDTH@,
  parameter int KeyWidth = @KEY_WIDTH@
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [KeyWidth-1:0] key_i,
  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [Width-1:0] block_i,
  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [Width-1:0] block_o
);
  typedef enum logic [1:0] {Load, Work, Unload} phase_e;
  phase_e             phase_q;
  logic [KeyBits-1:0] key_q;
  logic [127:0]       block_q;
  logic               has_key_q;
  int unsigned        key_count_q, count_q;

  // A new key shifts the old one out, so it may neither begin inside a block nor let a block begin before it is whole.
  assign key_ready_o = phase_q == Load && count_q == 0 && !(block_valid_i && has_key_q && key_count_q == 0);
  assign block_ready_o = phase_q == Load && has_key_q && key_count_q == 0;
  assign block_valid_o = phase_q == Unload;
  assign block_o = block_q[127-:Width];

  always_ff @(posedge clk_i) begin
    if (key_valid_i && key_ready_o) key_q <= (key_q << KeyWidth) | KeyBits'(key_i);
    if (block_valid_i && block_ready_o) block_q <= (block_q << Width) | 128'(block_i);
    else if (phase_q == Work && count_q == 0) block_q <= aes(0, key_q, block_q, 1'b0);
    else if (block_valid_o && block_ready_i) block_q <= block_q << Width;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q     <= Load;
      has_key_q   <= 1'b0;
      key_count_q <= 0;
      count_q     <= 0;
    end else begin
      if (key_valid_i && key_ready_o) begin
        key_count_q <= key_count_q == KeyBits / KeyWidth - 1 ? 0 : key_count_q + 1;
        has_key_q   <= has_key_q || key_count_q == KeyBits / KeyWidth - 1;
      end
      unique case (phase_q)
        Load: if (block_valid_i && block_ready_o) begin
          count_q <= count_q == 128 / Width - 1 ? 0 : count_q + 1;
          if (count_q == 128 / Width - 1) phase_q <= Work;
        end
        Work: begin
          count_q <= count_q == Compute - 1 ? 0 : count_q + 1;
          if (count_q == Compute - 1) phase_q <= Unload;
        end
        default: if (block_ready_i) begin
          count_q <= count_q == 128 / Width - 1 ? 0 : count_q + 1;
          if (count_q == 128 / Width - 1) phase_q <= Load;
        end
      endcase
    end
  end
endmodule

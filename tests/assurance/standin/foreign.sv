// A core of somebody else's around the stand-in: other names, reset active high, waits instead of readies, and byte 0 of
// keys and blocks in the least significant bits.
module foreign (
  input  logic         clk,
  input  logic         reset,
  input  logic         load_key,
  output logic         key_wait,
  input  logic [127:0] key,
  input  logic         start,
  output logic         busy,
  input  logic         inverse,
  input  logic [127:0] din,
  output logic         done,
  input  logic         hold,
  output logic [127:0] dout
);
  logic         key_ready, block_ready;
  logic [127:0] key_high, block_high, result_high;
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    assign key_high[8*i+:8]   = key[120-8*i+:8];
    assign block_high[8*i+:8] = din[120-8*i+:8];
    assign dout[8*i+:8]       = result_high[120-8*i+:8];
  end
  assign key_wait = !key_ready;
  assign busy     = !block_ready;

  standin u_standin (
    .clk_i        (clk),
    .rst_ni       (!reset),
    .key_valid_i  (load_key),
    .key_ready_o  (key_ready),
    .key_i        (key_high),
    .block_valid_i(start),
    .block_ready_o(block_ready),
    .block_i      (block_high),
    .decrypt_i    (inverse),
    .block_valid_o(done),
    .block_ready_i(!hold),
    .block_o      (result_high)
  );
endmodule

// A sub-pipelined AES encryption core in which every block may have a key of its own: Zhang and Parhi, 2004, all rounds
// unrolled, with a key step beside each round.
//
// A key may come in any clock, blocks in flight or not. The last one before a block goes with it: entry_q is the block
// with its initial key added, and the key itself enters the key pipeline. All registers move together, by one register
// (enable), which the skid register decides about.
// Byte 0 of FIPS-197 is the most significant byte of every port.
module aesmith_subpipelined_agile_core #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned Stages = 3,
  parameter int unsigned KeyWords = 4,
  parameter int unsigned SkidEntries = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [32*KeyWords-1:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned Places = Rounds * Stages + 1;

  logic [KeyWords-1:0][3:0][7:0] key_in, key_q;
  logic [15:0][7:0] block_in, entry_q, state, block_out;
  logic [Rounds-1:0][15:0][7:0] round_keys;
  logic [Places-1:0] valid_q;
  logic key_known_q, enable, waiting, accept;

  for (genvar i = 0; i < 16; i++) begin : gen_port
    assign block_in[i] = block_i[127-8*i-:8];
    assign block_o[127-8*i-:8] = block_out[i];
  end
  for (genvar word = 0; word < KeyWords; word++) begin : gen_key
    for (genvar i = 0; i < 4; i++) begin : gen_byte
      assign key_in[word][i] = key_i[32*KeyWords-1-32*word-8*i-:8];
    end
  end

  assign key_ready_o = 1'b1;
  assign block_ready_o = enable & key_known_q;
  assign accept = block_valid_i & block_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_known_q <= 1'b0;
      valid_q <= '0;
    end else begin
      key_known_q <= key_known_q | key_valid_i;
      if (enable) valid_q <= {valid_q[Places-2:0], accept};
    end
  end
  always_ff @(posedge clk_i) begin
    if (key_valid_i) key_q <= key_in;
    if (enable) entry_q <= block_in ^ key_q[3:0];
  end

  aesmith_subpipelined_skid #(
    .Entries(SkidEntries)
  ) u_skid (
    .clk_i,
    .rst_ni,
    .finished_i(valid_q[Places-1]),
    .result_i  (state),
    .enable_o  (enable),
    .waiting_o (waiting),
    .valid_o   (block_valid_o),
    .ready_i   (block_ready_i),
    .result_o  (block_out)
  );
  logic unused_waiting;
  assign unused_waiting = waiting;

  aesmith_subpipelined_key_pipeline #(
    .Rounds  (Rounds),
    .KeyWords(KeyWords)
  ) u_key_pipeline (
    .clk_i,
    .enable_i    (enable),
    .key_i       (key_q),
    .round_keys_o(round_keys)
  );

  aesmith_subpipelined_data_path #(
    .Units     (Rounds),
    .StateEntry(1'b1)
  ) u_data_path (
    .clk_i,
    .enable_i     (enable),
    .entering_i   (1'b1),
    .decrypt_i    ('0),
    .last_i       ('0),
    .block_i      (entry_q),
    .initial_key_i('0),
    .round_keys_i (round_keys),
    .state_o      (state)
  );
endmodule

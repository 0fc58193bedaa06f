// The ring with one shared S-box: 16 bytes of state and four ranks turn once in 20 clocks, a round; 16 bytes of key turn
// beside it. Nothing in it is ever held by itself.
//
//   block + key ─┐
//   C0 + K0 ─────┼▶ S-box, SboxStages - 1 ranks, 4 - SboxStages bytes ─▶ y ─▶ Z ─▶ rows ─▶ SR12 … SR1 ─▶ C3 … C0
//   K13 ─────────┘                                                       │        (SR9, SR5, SR1)  └ MixColumns ┘
//                       K0 ◀ K1 … K3 ◀ K4 … K15 ◀ K0, or a key byte      ▼
//                          + SubWord   + K0 (chain)                   SubWord
//
// Rows are rotated while the last four bytes of the state leave Z (Hamalainen et al., 2006), and in the same four clocks
// the words of the key turn in themselves, so that RotWord is a tap: K13. Key bytes pass the S-box where the state has
// no byte for it. A byte that entered the S-box unfilled is no byte of the state: C0 turns in its place.
module aesmith_serial_shared_data_path #(
  parameter int unsigned SboxStages = 4
) (
  input  logic       clk_i,
  input  logic       enable_i,

  input  logic       take_i,
  input  logic [1:0] rotation_i,
  input  logic       filled_i,
  input  logic       mix_i,
  input  logic       turn_i,
  input  logic       chain_i,
  input  logic       substitute_i,
  input  logic [7:0] round_constant_i,

  input  logic [7:0] key_i,   // byte of the key that belongs to the byte of the block
  input  logic [7:0] block_i,
  output logic [7:0] block_o
);
  if (SboxStages < 1 || SboxStages > 4) begin : gen_check_stages
    $error("SboxStages must be 1 to 4");
  end

  logic [7:0] added, sbox_in, sbox_out, substituted, substituted_q, key_chained;
  logic [3:0][7:0] row, rotated, column, mixed, column_q; // C0 is row 0
  logic [11:0][7:0] shift_q; // shift_q[n] is SR(n+1)
  logic [15:0][7:0] key_q;

  assign added = column_q[0] ^ key_q[0];
  assign block_o = added;
  always_comb begin
    sbox_in = added;
    if (turn_i) sbox_in = key_q[13];
    else if (take_i) sbox_in = block_i ^ key_i;
  end

  aesmith_sbox u_sbox (
    .clk_i,
    .enable_i,
    .x_i(sbox_in),
    .y_o(sbox_out)
  );
  if (SboxStages < 4) begin : gen_delay
    localparam int unsigned Delay = 4 - SboxStages;
    logic [Delay:0][7:0] bytes;
    assign bytes[0] = sbox_out;
    for (genvar i = 0; i < Delay; i++) begin : gen_byte
      logic [7:0] byte_q;
      always_ff @(posedge clk_i) begin
        if (enable_i) byte_q <= bytes[i];
      end
      assign bytes[i+1] = byte_q;
    end
    assign substituted = bytes[Delay];
  end else begin : gen_no_delay
    assign substituted = sbox_out;
  end

  // The bytes of a row, row 0 first, on their way to SR1, SR5, SR9 and Z.
  assign row = {filled_i ? substituted : column_q[1], shift_q[9], shift_q[5], shift_q[1]};
  always_comb begin
    unique case (rotation_i)
      2'd0: rotated = row;
      2'd1: rotated = {row[0], row[3:1]};
      2'd2: rotated = {row[1:0], row[3:2]};
      default: rotated = {row[2:0], row[3]};
    endcase
  end

  assign column = {shift_q[0], column_q[3:1]};
  aesmith_mix_columns u_mix_columns (
    .x_i(column),
    .y_o(mixed)
  );

  assign key_chained = (key_q[4] & {8{~turn_i}}) ^ (key_q[0] & {8{turn_i | chain_i}});

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      substituted_q <= rotated[3];
      shift_q <= {
        substituted_q, shift_q[11:10], rotated[2], shift_q[8:6], rotated[1], shift_q[4:2], rotated[0]
      };
      column_q <= mix_i ? mixed : column;

      key_q[0] <= key_q[1] ^ (substituted & {8{substitute_i}}) ^ round_constant_i;
      key_q[2:1] <= key_q[3:2];
      key_q[3] <= key_chained;
      key_q[6:4] <= key_q[7:5];
      key_q[7] <= turn_i ? key_q[4] : key_q[8];
      key_q[10:8] <= key_q[11:9];
      key_q[11] <= turn_i ? key_q[8] : key_q[12];
      key_q[14:12] <= key_q[15:13];
      key_q[15] <= turn_i ? key_q[12] : take_i ? key_i : key_q[0];
    end
  end
endmodule

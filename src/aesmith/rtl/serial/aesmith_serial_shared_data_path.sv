// The ring with one shared S-box: 16 bytes of state and four ranks turn once in 20 clocks, a round; the bytes of the key turn
// beside it. Nothing in it is ever held by itself.
//
//   block + key ─┐
//   C0 + K0 ─────┼▶ S-box, SboxStages - 1 ranks, 4 - SboxStages bytes ─▶ y ─▶ Z ─▶ rows ─▶ SR12 … SR1 ─▶ C3 … C0
//   K13 ─────────┘                                                       │        (SR9, SR5, SR1)  └ MixColumns ┘
//                       K0 ◀ K1 … K3 ◀ K4 … K15 ◀ K0, or a key byte      ▼
//                          + SubWord   + K0 (chain)                   SubWord
//
//   192 bits: K7 ◀ K8 … K23 ◀ K0, or bytes 16 … 23 into K7 in slots 8 … 15 and 0 … 15 into K23; the S-box has K21, or
//             word 1 before it is made, K1 + K5; SubWord goes to K0 or K8
//   256 bits: K15 ◀ K16 … K31 ◀ K0, or bytes 16 … 31 into K15 and 0 … 15 into K31; the S-box has K29, or K28
//
// Rows are rotated while the last four bytes of the state leave Z (Hamalainen et al., 2006), and in the same four clocks
// the words of the key turn in themselves, so that RotWord is a tap. Key bytes pass the S-box where the state has
// no byte for it. A byte that entered the S-box unfilled is no byte of the state: C0 turns in its place.
module aesmith_serial_shared_data_path #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16
) (
  input  logic       clk_i,
  input  logic       enable_i,

  input  logic       take_i,
  input  logic       take_later_i,
  input  logic       in_place_i,
  input  logic       last_quarter_i,
  input  logic [1:0] rotation_i,
  input  logic       filled_i,
  input  logic       mix_i,
  input  logic       turn_i,
  input  logic       chain_i,
  input  logic       phase_0_i,
  input  logic [1:0] substitute_i,
  input  logic [1:0][7:0] round_constant_i,

  input  logic [7:0] key_i,       // byte of the key that belongs to the byte of the block
  input  logic [7:0] later_key_i, // byte of a longer key that comes beside it
  input  logic [7:0] block_i,
  output logic [7:0] block_o
);
  if (SboxStages < 1 || SboxStages > 4) begin : gen_check_stages
    $error("SboxStages must be 1 to 4");
  end

  logic [7:0] added, sbox_in, sbox_out, substituted, substituted_q, key_tap;
  logic [3:0][7:0] row, rotated, column, mixed, column_q; // C0 is row 0
  logic [11:0][7:0] shift_q; // shift_q[n] is SR(n+1)
  logic [KeyBytes-1:0][7:0] key_d, key_q;
  logic [KeyBytes/4-1:0][7:0] next_word; // what the last byte of each word takes when words do not turn

  assign added = column_q[0] ^ key_q[0];
  assign block_o = added;
  always_comb begin
    sbox_in = added;
    if (turn_i) sbox_in = key_tap;
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

  for (genvar i = 0; i < KeyBytes; i++) begin : gen_key
    if (i == 3) begin : gen_chain
      assign key_d[i] = (next_word[0] & {8{~turn_i}}) ^ (key_q[0] & {8{turn_i | chain_i}});
    end else if (i % 4 == 3) begin : gen_turn
      assign key_d[i] = turn_i ? key_q[i-3] : next_word[i/4];
    end else if (i == 0) begin : gen_word_0
      assign key_d[i] = key_q[i+1] ^ (substituted & {8{substitute_i[0]}}) ^ round_constant_i[0];
    end else if (KeyBytes == 24 && i == 8) begin : gen_word_2
      assign key_d[i] = key_q[i+1] ^ (substituted & {8{substitute_i[1]}}) ^ round_constant_i[1];
    end else begin : gen_shift
      assign key_d[i] = key_q[i+1];
    end
  end
  // What has come of a block's key turns in rings of 16 bytes, or 8, until the rest has come.
  localparam int unsigned Later = KeyBytes - 16;
  for (genvar i = 0; i < KeyBytes / 4; i++) begin : gen_next
    if (KeyBytes == 16 && i == 3) begin : gen_entry
      assign next_word[i] = take_i ? key_i : key_q[0];
    end else if (i == KeyBytes / 4 - 1) begin : gen_entry
      assign next_word[i] = take_i ? key_i : in_place_i ? key_q[Later] : key_q[0];
    end else if (4 * (i + 1) == Later) begin : gen_later
      logic [7:0] later;
      // With 192 bits word 1 enters as the sum of both later words, of which the chain makes it.
      assign later = KeyBytes == 24 ? later_key_i ^ (key_q[4] & {8{last_quarter_i}}) : later_key_i;
      assign next_word[i] = take_later_i ? later : in_place_i ? key_q[0] : key_q[Later];
    end else begin : gen_shift
      assign next_word[i] = key_q[4*(i+1)];
    end
  end
  if (KeyBytes == 16) begin : gen_short
    logic unused_longer;
    assign unused_longer = ^{take_later_i, in_place_i, phase_0_i, later_key_i};
    assign key_tap = key_q[13];
  end else if (KeyBytes == 24) begin : gen_middle
    assign key_tap = phase_0_i ? key_q[1] ^ key_q[5] : key_q[21];
  end else begin : gen_long
    assign key_tap = phase_0_i ? key_q[28] : key_q[29];
  end
  if (KeyBytes != 24) begin : gen_word_0_only
    logic unused_word_2;
    assign unused_word_2 = ^{last_quarter_i, substitute_i[1], round_constant_i[1]};
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      substituted_q <= rotated[3];
      shift_q <= {
        substituted_q, shift_q[11:10], rotated[2], shift_q[8:6], rotated[1], shift_q[4:2], rotated[0]
      };
      column_q <= mix_i ? mixed : column;
      key_q <= key_d;
    end
  end
endmodule

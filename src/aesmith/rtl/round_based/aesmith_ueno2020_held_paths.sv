// What joins the paths behind a demultiplexer: Ueno et al., TC 2020, figure 3.
//
// The path that is not in use gets a constant: the encryption path the word that Φ and its constant take to 0, the
// decryption path 0. So the result is a plain sum of both, the "bit-parallel XOR" of the post-round data path, and the
// constant needs no gate of its own. In encryption the sum with the idle decryption path is the round key itself, which
// the encryption path adds: one array of XOR gates serves as AddRoundKey of both.
module aesmith_ueno2020_held_paths (
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] keyed_i,
  input  logic [15:0][7:0] last_half_i,
  input  logic [15:0][7:0] last_encryption_i,
  input  logic decrypt_i,
  output logic [15:0][7:0] encryption_key_o,
  output logic [15:0][7:0] result_o
);
  logic unused_inputs;
  assign unused_inputs = ^{round_key_i, decrypt_i};

  assign encryption_key_o = keyed_i;
  assign result_o = last_encryption_i ^ last_half_i;
endmodule

// TODO: what this core is, after which publication; a picture of its data format.
//
// The handshakes are there; the cipher is not: a round only adds the key.
//
//   phase   what the state register takes
//   idle    a block + the key
//   rounds  a round
//   done    a block + the key, once the result has left
module aesmith_{{ module }} (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [127:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  typedef enum logic [1:0] {Idle, Rounds, Done} phase_e;
  phase_e phase_q;

  logic [127:0] key_q, round_key_q, state_q, next_state;
  logic [3:0] round_q;
  logic key_known_q, accept;

  // TODO: SubBytes, ShiftRows, MixColumns (not in round 10), and the next round key.
  assign next_state = state_q ^ round_key_q;

  assign key_ready_o = 1'b1;
  assign block_valid_o = phase_q == Done;
  assign block_ready_o = key_known_q & (phase_q == Idle | (phase_q == Done & block_ready_i));
  assign accept = block_valid_i & block_ready_o;
  assign block_o = {128{block_valid_o}} & state_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Idle;
      key_known_q <= 1'b0;
    end else begin
      key_known_q <= key_known_q | key_valid_i;
      unique case (phase_q)
        Rounds: phase_q <= round_q == 4'd10 ? Done : Rounds;
        default: phase_q <= accept ? Rounds : (block_ready_i ? Idle : phase_q);
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_valid_i) key_q <= key_i;
    unique case (phase_q)
      Rounds: begin
        state_q <= next_state;
        round_q <= round_q + 4'd1;
      end
      default: if (accept) begin
        state_q <= block_i ^ key_q;
        round_key_q <= key_q;
        round_q <= 4'd1;
      end
    endcase
  end
endmodule

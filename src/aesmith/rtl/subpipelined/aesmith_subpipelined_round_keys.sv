// The round keys of one key, and the one that each round unit needs: Zhang and Parhi, 2004, figure 9, top row.
//
// Decryption has the mixed round keys of the equivalent inverse cipher, in reversed order, columns 1 and 3 exchanged as
// in its state. Round j adds key[j]; key[0] is added to a block as it enters. A unit's choice of pass and direction is
// registered (SelectRegister) or made in the clock of the addition.
module aesmith_subpipelined_round_keys #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned Units = 10,
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b0,
  parameter int unsigned MixClocks = 0,  // pipeline registers in InvMixColumns
  parameter bit SelectRegister = 1'b0,
  localparam int unsigned Passes = Rounds / Units,
  localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1
) (
  input  logic clk_i,
  input  logic enable_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [Rounds:0] store_i,
  input  logic decrypt_i,                            // direction of the block that enters
  input  logic [Units-1:0] key_decrypt_i,
  input  logic [Units-1:0][PassBits-1:0] key_pass_i,
  output logic [15:0][7:0] initial_key_o,
  output logic [Units-1:0][15:0][7:0] round_keys_o
);
  if (Rounds % Units != 0) begin : gen_check
    $error("Units must divide Rounds");
  end

  localparam bit Joint = Encrypts && Decrypts;

  logic [Rounds:0][15:0][7:0] encrypt_key, decrypt_key;

  if (Encrypts) begin : gen_encrypt
    for (genvar round = 0; round <= Rounds; round++) begin : gen_round
      logic [15:0][7:0] key_q;
      always_ff @(posedge clk_i) begin
        if (store_i[round]) key_q <= round_key_i;
      end
      assign encrypt_key[round] = key_q;
    end
  end else begin : gen_no_encrypt
    assign encrypt_key = '0;
  end

  if (Decrypts) begin : gen_decrypt
    logic [15:0][7:0] turned_key, mixed_key;
    logic [Rounds-1:1] store_mixed;

    aesmith_subpipelined_turn_columns u_turn_round_key (
      .state_i(round_key_i),
      .state_o(turned_key)
    );

    for (genvar column = 0; column < 4; column++) begin : gen_column
      aesmith_mix_round_key u_mix_round_key (
        .clk_i,
        .x_i(turned_key[4*column+:4]),
        .y_o(mixed_key[4*column+:4])
      );
    end

    if (MixClocks == 0) begin : gen_store_now
      assign store_mixed = store_i[Rounds-1:1];
    end else begin : gen_store_later
      logic [MixClocks-1:0][Rounds-1:1] store_q;
      always_ff @(posedge clk_i) store_q <= (MixClocks * (Rounds - 1))'({store_q, store_i[Rounds-1:1]});
      assign store_mixed = store_q[MixClocks-1];
    end

    for (genvar round = 0; round <= Rounds; round++) begin : gen_round
      if (round != 0 && round != Rounds) begin : gen_mixed
        logic [15:0][7:0] key_q;
        always_ff @(posedge clk_i) begin
          if (store_mixed[Rounds-round]) key_q <= mixed_key;
        end
        assign decrypt_key[round] = key_q;
      end else if (Encrypts) begin : gen_shared
        aesmith_subpipelined_turn_columns u_turn_key (
          .state_i(encrypt_key[Rounds-round]),
          .state_o(decrypt_key[round])
        );
      end else begin : gen_plain
        logic [15:0][7:0] key_q;
        always_ff @(posedge clk_i) begin
          if (store_i[Rounds-round]) key_q <= turned_key;
        end
        assign decrypt_key[round] = key_q;
      end
    end
  end else begin : gen_no_decrypt
    assign decrypt_key = '0;
  end

  if (Joint) begin : gen_initial_choice
    assign initial_key_o = decrypt_i ? decrypt_key[0] : encrypt_key[0];
  end else begin : gen_initial
    logic unused_directions;
    assign unused_directions = ^{decrypt_i, key_decrypt_i};
    assign initial_key_o = Encrypts ? encrypt_key[0] : decrypt_key[0];
  end

  if (!SelectRegister) begin : gen_no_enable
    logic unused_enable;
    assign unused_enable = enable_i;
  end

  for (genvar unit = 0; unit < Units; unit++) begin : gen_unit
    logic [Passes-1:0][15:0][7:0] encrypt_choice, decrypt_choice;
    logic [15:0][7:0] chosen;

    for (genvar pass = 0; pass < Passes; pass++) begin : gen_pass
      assign encrypt_choice[pass] = encrypt_key[pass*Units+unit+1];
      assign decrypt_choice[pass] = decrypt_key[pass*Units+unit+1];
    end
    if (Joint) begin : gen_both
      assign chosen = key_decrypt_i[unit] ? decrypt_choice[key_pass_i[unit]] : encrypt_choice[key_pass_i[unit]];
    end else begin : gen_one
      assign chosen = Encrypts ? encrypt_choice[key_pass_i[unit]] : decrypt_choice[key_pass_i[unit]];
    end

    if (SelectRegister) begin : gen_register
      logic [15:0][7:0] chosen_q;
      always_ff @(posedge clk_i) begin
        if (enable_i) chosen_q <= chosen;
      end
      assign round_keys_o[unit] = chosen_q;
    end else begin : gen_direct
      assign round_keys_o[unit] = chosen;
    end
  end
endmodule

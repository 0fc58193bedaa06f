// The whole cipher of FIPS-197 as one function, from the table of the S-box. @KEY_BITS@ and @SBOX@ are filled in.
package standin_aes_pkg;
  localparam int KeyBits = @KEY_BITS@;
  localparam int Nk = KeyBits / 32;
  localparam int Rounds = Nk + 6;
  localparam logic [7:0] Sbox[256] = '{@SBOX@};
  localparam logic [7:0] InverseSbox[256] = '{@INVERSE_SBOX@};

  function automatic logic [7:0] sbox(int mutant, logic [7:0] x);
    return Sbox[x] ^ (mutant == 1 && x == 8'h53 ? 8'h10 : 8'h00);
  endfunction

  function automatic logic [7:0] inverse_sbox(int mutant, logic [7:0] x);
    return InverseSbox[x] ^ (mutant == 19 && x == 8'hca ? 8'h01 : 8'h00);
  endfunction

  function automatic logic [7:0] times2(logic [7:0] x);
    return {x[6:0], 1'b0} ^ (x[7] ? 8'h1b : 8'h00);
  endfunction

  function automatic logic [7:0] times(logic [7:0] x, logic [3:0] factor);
    return (factor[0] ? x : 8'h0) ^ (factor[1] ? times2(x) : 8'h0) ^ (factor[2] ? times2(times2(x)) : 8'h0)
           ^ (factor[3] ? times2(times2(times2(x))) : 8'h0);
  endfunction

  function automatic logic [31:0] sub_word(int mutant, logic [31:0] x);
    return {sbox(mutant, x[31:24]), sbox(mutant, x[23:16]), sbox(mutant, x[15:8]), sbox(mutant, x[7:0])};
  endfunction

  // Byte n of the state is bits 127-8n down to 120-8n; it stands in row n mod 4 and column n / 4.
  function automatic logic [127:0] shift_rows(logic [127:0] x, logic inverse);
    /* verilator no_inline_task */
    logic [127:0] y;
    for (int row = 0; row < 4; row++)
      for (int column = 0; column < 4; column++)
        if (inverse) y[127-8*(row+4*((column+row)%4))-:8] = x[127-8*(row+4*column)-:8];
        else y[127-8*(row+4*column)-:8] = x[127-8*(row+4*((column+row)%4))-:8];
    return y;
  endfunction

  function automatic logic [127:0] mix_columns(logic [127:0] x, logic inverse);
    /* verilator no_inline_task */
    logic [127:0] y;
    logic [3:0] factor[4];
    if (inverse) factor = '{4'd14, 4'd11, 4'd13, 4'd9};
    else factor = '{4'd2, 4'd3, 4'd1, 4'd1};
    y = '0;
    for (int column = 0; column < 4; column++)
      for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
          y[127-8*(4*column+row)-:8] ^= times(x[127-8*(4*column+(row+k)%4)-:8], factor[k]);
    return y;
  endfunction

  function automatic logic [127:0] aes(int mutant, logic [KeyBits-1:0] key, logic [127:0] block, logic decrypt);
    /* verilator no_inline_task */
    logic [31:0] w[4*(Rounds+1)];
    logic [31:0] t;
    logic [7:0] constant;
    logic [127:0] x;
    constant = 8'h01;
    for (int i = 0; i < 4 * (Rounds + 1); i++) begin
      if (i < Nk) w[i] = key[KeyBits-1-32*i-:32];
      else begin
        t = w[i-1];
        if (i % Nk == 0) begin
          t = sub_word(mutant, {t[23:0], t[31:24]}) ^ {constant ^ (mutant == 2 && constant == 8'h36 ? 8'h01 : 8'h00), 24'h0};
          constant = times2(constant);
        end else if (Nk > 6 && i % Nk == 4) t = sub_word(mutant, t);
        w[i] = w[i-Nk] ^ t;
      end
    end
    x = block;
    if (!decrypt) begin
      x ^= {w[0], w[1], w[2], w[3]};
      for (int r = 1; r <= Rounds; r++) begin
        for (int n = 0; n < 16; n++) x[8*n+:8] = sbox(mutant, x[8*n+:8]);
        x = shift_rows(x, 1'b0);
        if (r != Rounds) x = mix_columns(x, 1'b0);
        x ^= {w[4*r], w[4*r+1], w[4*r+2], w[4*r+3]};
      end
    end else begin
      for (int r = Rounds; r >= 1; r--) begin
        x ^= {w[4*r], w[4*r+1], w[4*r+2], w[4*r+3]};
        if (r != Rounds) x = mix_columns(x, 1'b1);
        x = shift_rows(x, 1'b1);
        for (int n = 0; n < 16; n++) x[8*n+:8] = inverse_sbox(mutant, x[8*n+:8]);
      end
      x ^= {w[0], w[1], w[2], w[3]};
    end
    return x;
  endfunction
endpackage

function [7:0] xtime(input [7:0] x);
  xtime = {x[6:0], 1'b0} ^ (x[7] ? 8'h1b : 8'h00);
endfunction

function [127:0] sub_bytes(input [127:0] x);
  integer i;
  for (i = 0; i < 16; i = i + 1) sub_bytes[8*i +: 8] = sbox(x[8*i +: 8]);
endfunction

// Byte 0 is the highest; byte i is row i % 4 of column i / 4.
function [127:0] shift_rows(input [127:0] x);
  integer i;
  for (i = 0; i < 16; i = i + 1) shift_rows[127 - 8*i -: 8] = x[127 - 8*((i + 4*(i % 4)) % 16) -: 8];
endfunction

function [31:0] mix_column(input [31:0] c);
  mix_column = {xtime(c[31:24] ^ c[23:16]) ^ c[23:16] ^ c[15:8] ^ c[7:0],
                xtime(c[23:16] ^ c[15:8]) ^ c[31:24] ^ c[15:8] ^ c[7:0],
                xtime(c[15:8] ^ c[7:0]) ^ c[31:24] ^ c[23:16] ^ c[7:0],
                xtime(c[7:0] ^ c[31:24]) ^ c[31:24] ^ c[23:16] ^ c[15:8]};
endfunction

function [127:0] next_key(input [127:0] k, input [7:0] rc);
  reg [31:0] t;
  begin
    t = {sbox(k[23:16]) ^ rc, sbox(k[15:8]), sbox(k[7:0]), sbox(k[31:24])};
    next_key[127:96] = k[127:96] ^ t;
    next_key[95:64] = k[95:64] ^ next_key[127:96];
    next_key[63:32] = k[63:32] ^ next_key[95:64];
    next_key[31:0] = k[31:0] ^ next_key[63:32];
  end
endfunction

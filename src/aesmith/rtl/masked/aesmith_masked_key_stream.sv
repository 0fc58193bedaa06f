// Key stream of Trivium (De Cannière, Preneel, eSTREAM 2005) or of Bivium B (Raddum, 2006), Steps bits a clock.
//
//   seed_i, Iv ──▶ a_q  s_1 … s_93   ──┐
//                  b_q  s_94 … s_177 ──┼──▶ stream_o, bit 0 the earliest
//                  c_q  s_178 … s_288 ─┘    Trivium only
//
// Bit k of a_q is s_(k+1), and so on: a step shifts up by one. Every tap lies at least 65 places behind where bits
// enter, so up to 64 steps read nothing that another step of the same clock makes; beyond, each 65 add a level of logic.
// K_j of the specification is seed_i[80-j], IV_j is Iv[80-j]. A clock with load_i comes before the warm-up.
module aesmith_masked_key_stream #(
  parameter bit Bivium = 1'b0,
  parameter int unsigned Steps = 64,
  parameter logic [79:0] Iv = '0
) (
  input  logic clk_i,
  input  logic enable_i,
  input  logic load_i,
  input  logic [79:0] seed_i,
  output logic [Steps-1:0] stream_o
);
  if (Steps < 1) begin : gen_check_steps
    $error("Steps must be at least 1");
  end

  // The registers and, below them, what has entered by the end of the clock.
  logic [Steps+92:0] a;
  logic [Steps+83:0] b;
  logic [92:0] a_q, a_first;
  logic [83:0] b_q, b_first;

  for (genvar i = 0; i < 80; i++) begin : gen_first
    assign a_first[79-i] = seed_i[i];
    assign b_first[79-i] = Iv[i];
  end
  assign a_first[92:80] = '0;
  assign b_first[83:80] = '0;

  // In step j, a[Steps-j+k] is where bit k of a_q is at first.
  if (Bivium) begin : gen_bivium
    always_comb begin
      logic t1, t2;

      a = {a_q, Steps'(0)};
      b = {b_q, Steps'(0)};
      for (int unsigned j = 0; j < Steps; j++) begin
        t1 = a[Steps-j+65] ^ a[Steps-j+92];
        t2 = b[Steps-j+68] ^ b[Steps-j+83];
        stream_o[j] = t1 ^ t2;
        a[Steps-1-j] = t2 ^ (b[Steps-j+81] & b[Steps-j+82]) ^ a[Steps-j+68];
        b[Steps-1-j] = t1 ^ (a[Steps-j+90] & a[Steps-j+91]) ^ b[Steps-j+77];
      end
    end
  end else begin : gen_trivium
    logic [Steps+110:0] c;
    logic [110:0] c_q;

    always_comb begin
      logic t1, t2, t3;

      a = {a_q, Steps'(0)};
      b = {b_q, Steps'(0)};
      c = {c_q, Steps'(0)};
      for (int unsigned j = 0; j < Steps; j++) begin
        t1 = a[Steps-j+65] ^ a[Steps-j+92];
        t2 = b[Steps-j+68] ^ b[Steps-j+83];
        t3 = c[Steps-j+65] ^ c[Steps-j+110];
        stream_o[j] = t1 ^ t2 ^ t3;
        a[Steps-1-j] = t3 ^ (c[Steps-j+108] & c[Steps-j+109]) ^ a[Steps-j+68];
        b[Steps-1-j] = t1 ^ (a[Steps-j+90] & a[Steps-j+91]) ^ b[Steps-j+77];
        c[Steps-1-j] = t2 ^ (b[Steps-j+81] & b[Steps-j+82]) ^ c[Steps-j+86];
      end
    end
    always_ff @(posedge clk_i) begin
      if (enable_i) c_q <= load_i ? {3'b111, 108'b0} : c[110:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      a_q <= load_i ? a_first : a[92:0];
      b_q <= load_i ? b_first : b[83:0];
    end
  end
endmodule

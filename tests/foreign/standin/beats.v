// The stand-in behind narrow ports. With KEY_OWN the key comes first, by itself, as often as its line is high; else with
// the block, beat by beat. With PAUSES words go in and out every other clock, and only where they are taken. EARLY: the
// start comes a clock before the first beat. FORGETS: the key is gone with the result.
module beats (clk, rst, go, key_valid, key_ready, key, in_valid, in_ready, in, out_valid, out_ready, out);
  parameter W = 8;
  parameter KW = 8;
  parameter KEY_OWN = 0;
  parameter PAUSES = 0;
  parameter LAST_FIRST = 0;
  parameter EARLY = 0;
  parameter FORGETS = 0;
  input           clk, rst, go, key_valid, in_valid, out_ready;
  input  [KW-1:0] key;
  input   [W-1:0] in;
  output          key_ready, in_ready, out_valid;
  output  [W-1:0] out;

  reg     [127:0] block, held;
  reg       [4:0] taken, given;
  reg             loading, giving, start, pause, went;
  wire            done;
  wire    [127:0] result;

  assign in_ready = KEY_OWN == 0 | !pause;
  assign key_ready = !(PAUSES & pause);
  assign out_valid = giving & !(PAUSES & pause);
  assign out = LAST_FIRST ? block[W-1:0] : block[127 -: W];
  wire in_taken = KEY_OWN ? in_valid & in_ready : (EARLY ? went : go) | loading;
  wire key_taken = KEY_OWN ? key_valid & key_ready : in_taken;

  strobe #(10) core (clk, rst, start, done, held, block, result, 4'd0);

  always @(posedge clk)
    if (rst) begin
      loading <= 0; giving <= 0; start <= 0; taken <= 0; given <= 0; pause <= 0; went <= 0;
    end else begin
      pause <= (key_valid | in_valid | giving) & !pause;
      went <= go;
      start <= in_taken & taken == 128 / W - 1;
      if (key_taken) held <= LAST_FIRST ? {key, held} >> KW : {held, key};
      if (in_taken) begin
        loading <= taken != 128 / W - 1;
        taken <= taken == 128 / W - 1 ? 0 : taken + 1;
        block <= LAST_FIRST ? {in, block} >> W : {block, in};
      end
      if (done) begin
        giving <= 1;
        block <= result;
        if (FORGETS) held <= 0;
      end else if (out_valid & out_ready) begin
        given <= given == 128 / W - 1 ? 0 : given + 1;
        if (given == 128 / W - 1) giving <= 0;
        block <= LAST_FIRST ? block >> W : block << W;
      end
    end
endmodule

// AES-128 encryption a byte at a time, in memories: 64 bytes that are written and read, and a table of S-box multiples.
//
//   64 bytes ─▶ byte ─▶ table: S(x), 2 S(x), 3 S(x), x ─▶ multiple ─▶ sum ─┬─▶ block
//      ▲                                            block, constant ─▶ +   │
//      └── key, or sum ◀───────────────────────────────────────────────────┘
//
//   address   0 … 15, 16 … 31   state before a round, and after it: they change places
//            32 … 47            round key, which the next one takes the place of, byte by byte
//            48 … 63            key
//
// A byte of the next state is a sum of six: of the round key before and of the next one, four bytes before, which give
// that of the next round key; and the four of a column after ShiftRows, with MixColumns' factors (FIPS-197, 5.6). So
// ShiftRows is an address, MixColumns a table, and nothing is shifted. See the sequencer for the steps.
module aesmith_serial_memory_core (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic advance, write, keep, enters, take_key, add_constant;
  logic [1:0] factor;
  logic [5:0] read_address, write_address;
  logic [7:0] read, multiple, addend, constant, sum_q;

  aesmith_serial_memory_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .advance_o      (advance),
    .read_address_o (read_address),
    .factor_o       (factor),
    .keep_o         (keep),
    .block_enters_o (enters),
    .take_key_o     (take_key),
    .add_constant_o (add_constant),
    .constant_o     (constant),
    .write_o        (write),
    .write_address_o(write_address)
  );

  aesmith_serial_memory u_memory (
    .clk_i,
    .write_i        (write),
    .write_address_i(write_address),
    .data_i         (take_key ? key_i : sum_q),
    .enable_i       (advance),
    .read_address_i (read_address),
    .data_o         (read)
  );

  aesmith_multiples u_multiples (
    .clk_i,
    .enable_i(advance),
    .x_i     (read),
    .factor_i(factor),
    .y_o     (multiple)
  );

  always_comb begin
    addend = constant & {8{add_constant}};
    if (keep) addend = sum_q;
    if (enters) addend = block_i;
  end
  always_ff @(posedge clk_i) begin
    if (advance) sum_q <= addend ^ multiple;
  end
  assign block_o = sum_q;
endmodule

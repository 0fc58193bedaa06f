// Control of the core in memories: what is read, looked up, added and written in each step.
//
// A slot makes one byte, j = 4 column + row. What is read in a step is in the sum three steps later.
//
//   step       0          1                2           3            4            5
//   read       key[j]     next key[j-4]    state[s]    state[s+1]   state[s+2]   state[s+3]      s = row, column + row
//   factor     x          x                2 S         3 S          S            S
//              or for column 0: S of key[12 + (row + 1) mod 4], and a constant is added for row 0
//   write      …                           … state[j-1]             next key[j]
//
// The last round has slots of four steps. Step 2 has the factor S, and the result is in the sum in step 1 of the next
// slot; there the core waits until it is taken. The next key is written in step 0 of the next slot.
//
// While a key or a block comes in, slots have four steps, too. In the last one the core waits for byte j. That of a key is
// written at once; that of a block is added to key[j], and written in step 0 of the next slot.
//
// In steps 0, 2 and 4 something is always written; what means nothing goes to the half of the state that is made next, or
// to state and round key while there is no block.
module aesmith_serial_memory_sequencer (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic       advance_o,
  output logic [5:0] read_address_o,
  output logic [1:0] factor_o,        // of what was read in the step before: x, S, 2 S, 3 S
  output logic       block_enters_o,  // what is added is a byte of the block
  output logic       keep_o,          // … or else the sum so far
  output logic       add_constant_o,  // … or else the constant, or nothing
  output logic [7:0] constant_o,
  output logic       write_o,
  output logic       take_key_o,      // what is written is a byte of the key
  output logic [5:0] write_address_o
);
  typedef enum logic [2:0] {Step0 = 3'd0, Step1 = 3'd1, Step2 = 3'd4, Step3 = 3'd5, Step4 = 3'd6, Step5 = 3'd7} step_e;
  typedef enum logic [1:0] {Itself, Single, Double, Triple} factor_e;

  step_e step_d, step_q;
  factor_e factor_d, factor_q;
  logic run_d, run_q;                 // rounds; else a key or a block comes in
  logic odd_q;                        // of the rounds: the state is in the upper half
  logic [1:0] column_q, row_q;
  logic [7:0] constant_q;             // tells the rounds apart, too
  logic key_known_q;
  logic was_run_q, was_key_q, was_last_q;   // the slot before
  // Half of the state, column and half of the row of the slot in step 4, of the one before until then. The other bit of
  // the row is made of the slot's own, so that tools see that what is written is not what is read.
  logic [3:0] written_q;
  logic first, last, middle, first_byte, last_byte, ends, round_ends, waits, take_key, take_block, of_state, of_next_key, rotated;
  logic [1:0] row, column;

  assign first = ~run_q | (constant_q[0] & ~constant_q[1]);          // 01
  assign last = constant_q[1] & constant_q[2];                       // 36
  assign middle = run_q & ~last;
  assign first_byte = {column_q, row_q} == '0;
  assign last_byte = {column_q, row_q} == '1;

  // Steps
  assign ends = advance_o & ((step_q == Step5) | ((step_q == Step3) & ~middle));
  assign round_ends = ends & last_byte & run_q;
  always_comb begin
    unique case (step_q)
      Step0: step_d = Step1;
      Step1: step_d = Step2;
      Step2: step_d = Step3;
      Step3: step_d = middle ? Step4 : Step0;
      Step4: step_d = Step5;
      default: step_d = Step0;
    endcase
  end
  always_comb begin
    run_d = run_q;
    if (last_byte) run_d = run_q ? ~last : take_block;
  end

  // Channels: between the bytes of a key or a block, the other one is closed. A key goes before a block not begun.
  assign waits = ~run_q & (step_q == Step3);
  assign key_ready_o = waits & (first_byte | was_key_q);
  assign take_key = key_ready_o & key_valid_i;
  assign block_ready_o = waits & key_known_q & (first_byte ? ~key_valid_i : ~was_key_q);
  assign take_block = block_ready_o & block_valid_i;
  assign block_valid_o = was_last_q & (step_q == Step1);
  assign advance_o = waits ? take_key | take_block : ~block_valid_o | block_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= Step0;
      run_q <= 1'b0;
      odd_q <= 1'b0;
      {column_q, row_q} <= '0;
      key_known_q <= 1'b0;
      was_key_q <= 1'b0;
      was_last_q <= 1'b0;
    end else begin
      if (advance_o) step_q <= step_d;
      if (take_key) key_known_q <= 1'b1;
      if (ends) begin
        run_q <= run_d;
        row_q <= {row_q[1] ^ row_q[0], ~row_q[0]};
        column_q <= {column_q[1] ^ (column_q[0] & (row_q == '1)), column_q[0] ^ (row_q == '1)};
        was_key_q <= take_key;
        was_last_q <= run_q & last;
      end
      if (round_ends) odd_q <= ~odd_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (ends) was_run_q <= run_q;
    if (~run_q) constant_q <= 8'h01;
    else if (round_ends) constant_q <= {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
    if (step_q == Step2) written_q <= {odd_q, column_q, row_q[1]};
    if (advance_o) factor_q <= factor_d;
  end

  // What is read
  assign of_state = step_q[2];
  assign of_next_key = run_q & (step_q == Step1);
  assign rotated = of_next_key & (column_q == '0);
  assign row = row_q + (of_state ? step_q[1:0] : {1'b0, rotated});
  assign column = column_q + (of_state ? row : {2{of_next_key}});
  assign read_address_o = {~of_state, of_state ? odd_q : first & (rotated | ~of_next_key), column, row};

  always_comb begin
    unique case (step_q)
      Step0: factor_d = Itself;
      Step1: factor_d = rotated ? Single : Itself;
      Step2: factor_d = last ? Single : Double;
      Step3: factor_d = Triple;
      default: factor_d = Single;
    endcase
  end

  // What is added
  assign factor_o = factor_q;
  assign block_enters_o = ~run_q & step_q[2];
  assign keep_o = step_q != Step2;
  assign add_constant_o = first_byte;
  assign constant_o = constant_q;

  // What is written
  assign write_o = ~step_q[0] | take_key;
  assign take_key_o = take_key;
  always_comb begin
    unique case (step_q)
      Step0: write_address_o[5:4] = {was_last_q, was_run_q & ~was_last_q & ~written_q[3]};
      Step2: write_address_o[5:4] = {1'b0, ~written_q[3]};
      Step3: write_address_o[5:4] = 2'b11;
      default: write_address_o[5:4] = 2'b10;
    endcase
  end
  assign write_address_o[3:0] = {written_q[2:0], row_q[0] ^ (~step_q[2] | (step_q == Step2))};
endmodule

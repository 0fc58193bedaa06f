// Exchanges columns 1 and 3 of a state: wires only.
//
// Column c goes to column -c modulo 4. In a state turned so, InvShiftRows is what ShiftRows is in a plain one; decryption
// turns blocks as they come and go, and its rounds have the wiring of encryption.
module aesmith_subpipelined_turn_columns (
  input  logic [15:0][7:0] state_i,
  output logic [15:0][7:0] state_o
);
  for (genvar column = 0; column < 4; column++) begin : gen_column
    assign state_o[4*column+:4] = state_i[4*((4-column)%4)+:4];
  end
endmodule

// In place of a demultiplexer: both paths get every inverter output.
module aesmith_ueno2020_fork (
  input  logic [9:0] f_i,
  input  logic decrypt_i,
  output logic [9:0] encryption_o,
  output logic [9:0] decryption_o
);
  logic unused_input;
  assign unused_input = decrypt_i;

  assign encryption_o = f_i;
  assign decryption_o = f_i;
endmodule

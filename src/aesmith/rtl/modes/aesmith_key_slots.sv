// Keys in slots, before the engine of any mode: a command names a slot, and the engine gets the key that this slot has.
//
//   key, slot ─▶ slots ─▶ key ────────────────────────▶ engine and cores
//   command ─▶ is the key of its slot in the engine? ─▶ engine, as of slot 0
//
// The engine has one key, that of the last slot named. A command of another slot waits at its port while the engine takes
// that slot's key, which it does when the messages before are done; of a slot that is not there or has no key it goes on
// as of slot 255, which no engine serves. A key waits only while another one goes to the engine or a command is before it;
// a key and a command that come together are taken in this order. So a message is under the last key that its slot took
// before its command.
module aesmith_key_slots #(
  parameter int unsigned KeyBits = 128,
  parameter int unsigned Slots = 4 // a power of two
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,
  input  logic [$clog2(Slots)-1:0] key_slot_i,

  input  logic s_axis_cmd_tvalid,
  output logic s_axis_cmd_tready,
  input  logic [7:0] slot_i,

  // To the engine, which has the rest of the command from the port.
  output logic key_valid_o,
  input  logic key_ready_i,
  output logic [KeyBits-1:0] key_o,
  output logic command_valid_o,
  input  logic command_ready_i,
  output logic refused_o
);
  localparam int unsigned SlotBits = $clog2(Slots);

  logic [Slots-1:0][KeyBits-1:0] keys_q;
  logic [Slots-1:0] filled_q;
  logic [SlotBits-1:0] slot, given_slot_q;
  logic given_q, offered_q, served, passes;

  assign slot   = slot_i[SlotBits-1:0];
  assign served = slot_i == 8'(slot) & filled_q[slot];
  assign passes = ~served | (given_q & given_slot_q == slot);

  assign key_valid_o = s_axis_cmd_tvalid & ~passes;
  assign key_o       = keys_q[slot];
  assign key_ready_o = ~key_valid_o & ~offered_q;

  // A command that the engine has seen stays.
  assign command_valid_o   = s_axis_cmd_tvalid & passes & (~key_valid_i | offered_q);
  assign s_axis_cmd_tready = command_ready_i & command_valid_o;
  assign refused_o         = ~served;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q     <= '0;
      offered_q    <= 1'b0;
      given_q      <= 1'b0;
      given_slot_q <= '0;
    end else begin
      offered_q <= command_valid_o & ~command_ready_i;
      if (key_valid_i & key_ready_o) begin
        filled_q[key_slot_i] <= 1'b1;
        if (key_slot_i == given_slot_q) given_q <= 1'b0;
      end
      if (key_valid_o & key_ready_i) begin
        given_q      <= 1'b1;
        given_slot_q <= slot;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned place = 0; place < Slots; place++) begin
      if (key_valid_i & key_ready_o & key_slot_i == SlotBits'(place)) keys_q[place] <= key_i;
    end
  end
endmodule

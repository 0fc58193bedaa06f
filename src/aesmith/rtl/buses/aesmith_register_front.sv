// Registers in front of an engine with a stream of 32 bits (docs/peripheral.md has the map): keys and IVs by one register, data
// word by word, verdicts, interrupts.
//
//   KEY, IV ──▶ staged ─┬─▶ key       with TRIGGER.key, whole
//                       └─▶ command   with TRIGGER.start and CTRL
//   DATA_IN ──▶ word ─────▶ stream in
//   DATA_OUT ◀──────────── stream out ─▶ RESULT, with the word that has tlast
//
// Keys and IVs have one register, since each leaves it as soon as it is triggered. Nothing reads it. What is triggered needs all
// its words, written since that register was emptied, of its kind alone; a word of the other kind drops those before it.
//
// A request is held until ack. Those of DATA_IN wait for room, those of DATA_OUT for a word, but never more than 2^WaitBits
// clocks: then they end in an error, and did nothing. A word without bytes is never shown: it is taken as it comes. Behind the
// last word of a message nothing more is taken until RESULT is emptied; DATA_OUT reads as 0 meanwhile.
module aesmith_register_front #(
  parameter int unsigned KeyBits = 128,
  // Bits of CTRL that are kept, and what the others are in the command.
  parameter logic [31:0] ControlMask = 32'h0000_00f1,
  parameter logic [31:0] ControlFixed = 32'h0c00_0000,
  // Whether the engine can be cleared.
  parameter bit Clear = 1'b0,
  // Whether alarm_i and debug_i clear it, too, and aesmith_self_test stands before it.
  parameter bit Alarm = 1'b0,
  parameter bit SelfTest = 1'b0,
  // Whether keys come from a vault, too; LOCK then keeps those of software away until reset.
  parameter bit Sideload = 1'b0,
  // Whether there are streams beside DATA_IN and DATA_OUT, which CTRL[14] asks for; whether byte 0 of keys, IVs and data is in
  // bits 31:24.
  parameter bit Streams = 1'b0,
  parameter bit BigEndian = 1'b0,
  parameter int unsigned WaitBits = 10,
  parameter logic [31:0] Identity = 32'h4153_4d01,
  parameter logic [31:0] Version = 32'h0,
  parameter logic [31:0] Capabilities = 32'h0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic request_i,
  input  logic write_i,
  input  logic [8:2] address_i,
  input  logic [31:0] data_i,
  input  logic [3:0] strobe_i,
  output logic ack_o,
  output logic error_o,
  output logic [31:0] data_o,

  output logic irq_o,
  output logic dma_in_o,
  output logic dma_out_o,

  // An alarm lasts until reset.
  input  logic clear_i,
  input  logic alarm_i,
  input  logic debug_i,
  output logic clear_o,
  input  logic cleared_i,

  // The self-test: the request is its own; the bus is locked out; it runs, has passed, has failed. It is asked for; DATA_OUT has
  // a word for it.
  input  logic own_i,
  input  logic locked_i,
  input  logic running_i,
  input  logic passed_i,
  input  logic failed_i,
  output logic start_o,
  output logic shown_o,

  input  logic sideload_valid_i,
  output logic sideload_ready_o,
  input  logic [KeyBits-1:0] sideload_key_i,
  input  logic [7:0] sideload_slot_i,

  output logic key_valid_o,
  input  logic key_ready_i,
  output logic [KeyBits-1:0] key_o,
  output logic [7:0] key_slot_o,

  output logic command_valid_o,
  input  logic command_ready_i,
  output logic [255:0] command_o,

  input  logic stream_valid_i,
  output logic stream_ready_o,
  input  logic [31:0] stream_data_i,
  input  logic [3:0] stream_keep_i,
  input  logic [1:0] stream_user_i,
  input  logic stream_last_i,
  output logic answer_valid_o,
  input  logic answer_ready_i,

  output logic in_valid_o,
  input  logic in_ready_i,
  output logic [31:0] in_data_o,
  output logic [3:0] in_keep_o,
  output logic [1:0] in_user_o,
  output logic in_last_o,

  input  logic out_valid_i,
  output logic out_ready_o,
  input  logic [31:0] out_data_i,
  input  logic [3:0] out_keep_i,
  // Kind, *failed*, *error*.
  input  logic [3:0] out_user_i,
  input  logic out_last_i,

  input  logic [3:0] code_i
);
  localparam int unsigned KeyWords = KeyBits / 32, Words = KeyWords > 4 ? KeyWords : 4, ErrorBits = SelfTest ? 7 : 6;

  if (KeyBits % 32 != 0 || KeyBits < 128 || KeyBits > 512) begin : gen_check
    $error("KeyBits must be a multiple of 32 from 128 to 512");
  end

  // The register of a request.
  logic [8:2] at;
  logic is_id, is_version, is_caps, is_control, is_trigger, is_status, is_error, is_state, is_enable, is_test, is_input;
  logic is_lock, is_result, is_key, is_iv, is_in, is_out;
  assign at           = address_i;
  assign is_id        = at == 7'h00;
  assign is_version   = at == 7'h01;
  assign is_caps      = at == 7'h02;
  assign is_control   = at == 7'h04;
  assign is_trigger   = at == 7'h05;
  assign is_status    = at == 7'h06;
  assign is_error     = at == 7'h07;
  assign is_state     = at == 7'h08;
  assign is_enable    = at == 7'h09;
  assign is_test      = at == 7'h0a;
  assign is_input     = at == 7'h0b;
  assign is_result    = at == 7'h0c;
  assign is_lock      = Sideload & at == 7'h0d;
  assign is_key       = at[8:6] == 3'b001 & 32'(at[5:2]) < KeyWords;
  assign is_iv        = at[8:4] == 5'b01000;
  assign is_in        = at[8:7] == 2'b10;
  assign is_out       = at[8:7] == 2'b11;

  // Words of keys, IVs and data with their byte 0 in bits 7:0.
  logic [31:0] turned;
  logic [3:0] strobe;
  if (BigEndian) begin : gen_big
    assign turned = {data_i[7:0], data_i[15:8], data_i[23:16], data_i[31:24]};
    assign strobe = {strobe_i[0], strobe_i[1], strobe_i[2], strobe_i[3]};
  end else begin : gen_little
    assign turned = data_i;
    assign strobe = strobe_i;
  end

  // What a request may do. `staging` and `triggers` must find nothing under way.
  logic mapped, writable, staging, whole, run, wipe, triggers, trigger_clear, complete, busy, refused;
  logic trigger_test, stale, vault, keeps_out, turns, streams, streams_q, under_way, crowded, done_q, hidden, ends, wrong_locked, waits, late, wrong_address, wrong_access, wrong_busy, wrong_incomplete, writes;
  assign mapped   = is_id | is_version | is_caps | is_control | is_trigger | is_status | is_error | is_state | is_enable | is_test |
                    is_input | is_result | is_lock | is_key | is_iv | is_in | is_out;
  assign writable = is_control | is_trigger | is_error | is_state | is_enable | is_test | is_input | is_result | is_lock | staging | is_in;
  assign staging  = is_key | is_iv;
  assign whole    = strobe_i == 4'b1111;
  assign run      = strobe inside {4'b0001, 4'b0011, 4'b0111, 4'b1111};

  // Staged words, of which kind, and which of them.
  logic [Words-1:0][31:0] staged_q;
  logic [Words-1:0] filled_q;
  logic staged_key_q, key_pending_q, command_pending_q, open_q, closing_q, clear_q, alarm_q;
  logic [4:0] iv_bytes;
  logic [31:0] control_q;
  logic key_complete, iv_complete, key_taken, command_taken;
  assign iv_bytes     = control_q[28:24];
  assign key_complete = staged_key_q & filled_q[KeyWords-1:0] == '1;
  always_comb begin
    iv_complete = ~staged_key_q;
    for (int unsigned word = 0; word < 4; word++) if (32'(iv_bytes) > 4 * word & ~filled_q[word]) iv_complete = 1'b0;
  end

  assign triggers      = is_trigger & (data_i[0] | data_i[1]);
  assign trigger_test  = SelfTest & is_trigger & data_i[3];
  assign trigger_clear = Clear & is_trigger & data_i[2];
  assign complete      = (~data_i[0] | (iv_complete & ~data_i[1])) & (~data_i[1] | key_complete);
  assign busy          = key_pending_q | command_pending_q | wipe | closing_q;

  assign wrong_address    = ~mapped;
  assign wrong_access     = write_i & mapped & (~writable | (keeps_out & (is_key | (is_trigger & data_i[1]))) | ~(is_in ? run : whole) | (is_trigger & (data_i[31:4] != '0 | (data_i[2] & ~Clear) | (data_i[3] & (~SelfTest | data_i[2:0] != '0)))));
  assign wrong_busy       = write_i & ~trigger_clear & (((staging | is_control | triggers) & busy) | (triggers & data_i[0] & open_q) | (triggers & data_i[0] & (crowded | turns)) | (is_in & (wipe | closing_q)) |
                                                       ((is_lock | (triggers & data_i[1])) & (key_pending_q | vault)) |
                                                       (trigger_test & (busy | open_q | under_way | done_q | out_valid_i)));
  // A word of data needs a message that it is of.
  assign wrong_incomplete = write_i & ~trigger_clear & ((triggers & (~complete | (data_i[0] & stale))) | (is_in & ~open_q & ~command_pending_q) | (is_in & streams));
  // Without a self-test that has passed the bus reaches constants, STATUS, errors and interrupts.
  assign wrong_locked     = SelfTest & locked_i & ~own_i & ~(is_id | is_version | is_caps | is_status | is_error | is_state | is_enable | is_test);
  assign refused          = wrong_address | wrong_access | wrong_busy | wrong_incomplete | wrong_locked;

  // Data.
  logic word_q, last_q, part_last_q, part_empty_q, room, shown, seen, failed_q, stopped_q, swallows, pops;
  logic [31:0] data_q;
  logic [3:0] keep_q, keep;
  logic [1:0] bytes_q;
  logic [1:0] kind_q, part_kind_q;
  logic [WaitBits-1:0] wait_q;
  assign room     = ~word_q;
  assign shown    = out_valid_i & ~done_q & out_keep_i[0] & ~streams_q;
  assign swallows = out_valid_i & ~done_q & ~out_keep_i[0] & ~streams_q;
  assign waits    = (is_in & write_i & ~room) | (is_out & ~write_i & ~shown & ~done_q);
  assign late     = wait_q == '1;

  assign ack_o   = request_i & (refused | ~waits | late);
  assign error_o = refused | waits;
  assign writes  = ack_o & write_i & ~error_o;
  assign pops    = ack_o & ~write_i & is_out & shown & ~wrong_locked;
  assign keep    = strobe & {bytes_q == 2'd0, ~(bytes_q[1] ^ bytes_q[0]), bytes_q != 2'd1, 1'b1} & {4{~part_empty_q}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wait_q <= '0;
    else if (request_i & ~ack_o) wait_q <= wait_q + 1'b1;
    else wait_q <= '0;
  end

  // Keys of a vault: one is offered to the engine while none of software is.
  logic lock_q;
  assign vault            = Sideload & sideload_valid_i & ~(SelfTest & locked_i);
  assign keeps_out        = lock_q & ~(SelfTest & own_i);
  assign sideload_ready_o = vault & ~key_pending_q & ~wipe & key_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lock_q <= 1'b0;
    else if (Sideload & writes & is_lock & data_i[0]) lock_q <= 1'b1;
  end

  // Streams beside the registers: of the messages under way all or none have them.
  logic [7:0] slot;
  logic [31:0] control;
  if (Streams) begin : gen_streams
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) streams_q <= 1'b0;
      else if (command_taken) streams_q <= control_q[14];
    end
    assign turns   = under_way & control_q[14] != streams_q;
    assign streams = command_pending_q ? control_q[14] : streams_q & open_q;
    assign slot    = {1'b0, 1'b0, control_q[13:8]};
  end else begin : gen_no_streams
    assign {streams_q, turns, streams} = '0;
    assign slot = control_q[15:8];
  end
  assign control = {control_q[31:16], slot, control_q[7:0]};

  // Keys and commands.
  assign wipe            = (Clear & (clear_i | (SelfTest & failed_i) | (Alarm & (alarm_i | debug_i | alarm_q)))) | clear_q;
  assign clear_o         = wipe;
  assign key_valid_o     = (key_pending_q | vault) & ~wipe;
  assign command_valid_o = command_pending_q & ~wipe;
  assign key_taken       = key_pending_q & ~wipe & key_ready_i;
  assign command_taken   = command_valid_o & command_ready_i;
  assign key_slot_o      = vault & ~key_pending_q ? sideload_slot_i : slot;
  for (genvar place = 0; place < KeyBits / 8; place++) begin : gen_key
    assign key_o[KeyBits-1-8*place-:8] = vault & ~key_pending_q ? sideload_key_i[KeyBits-1-8*place-:8] : staged_q[place/4][8*(place%4)+:8];
  end

  logic [Words-1:0] stages;
  logic empties;
  assign empties = wipe | key_taken | command_taken;
  for (genvar word = 0; word < Words; word++) begin : gen_stage
    assign stages[word] = writes & (is_key | (is_iv & word < 4)) & at[5:2] == 4'(word);
    always_ff @(posedge clk_i) if (stages[word] | empties) staged_q[word] <= turned & {32{~empties}};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q          <= '0;
      staged_key_q      <= 1'b0;
      key_pending_q     <= 1'b0;
      command_pending_q <= 1'b0;
      clear_q           <= 1'b0;
      alarm_q           <= 1'b0;
    end else begin
      clear_q <= writes & trigger_clear;
      alarm_q <= Alarm & (alarm_q | alarm_i);
      if (empties) begin
        filled_q     <= '0;
        staged_key_q <= 1'b0;
      end else if (writes & (is_key | is_iv)) begin
        filled_q     <= (staged_key_q == is_key ? filled_q : '0) | stages;
        staged_key_q <= is_key;
      end
      if (wipe | key_taken) key_pending_q <= 1'b0;
      else if (writes & is_trigger & data_i[1] & ~trigger_clear) key_pending_q <= 1'b1;
      if (wipe | command_taken) command_pending_q <= 1'b0;
      else if (writes & is_trigger & data_i[0] & ~trigger_clear) command_pending_q <= 1'b1;
    end
  end
  for (genvar place = 0; place < 32; place++) begin : gen_control
    if (ControlMask[place]) begin : gen_kept
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) control_q[place] <= 1'b0;
        else if (writes & is_control) control_q[place] <= data_i[place];
      end
    end else begin : gen_fixed
      assign control_q[place] = ControlFixed[place];
    end
  end

  // The text's length is known at the last word.
  assign command_o = {64'hffff_ffff_ffff_ffff, staged_q[3:0], 32'd0, control};

  // A word on its way to the engine, which gets it behind its command; of a message that was cleared, its end.
  logic word_taken, wants;
  logic from_stream;
  assign from_stream    = streams_q & ~closing_q;
  assign in_valid_o     = (closing_q | (streams_q ? stream_valid_i & ~hidden : word_q)) & open_q & ~wipe;
  assign in_data_o      = from_stream ? stream_data_i : data_q;
  assign in_keep_o      = (from_stream ? stream_keep_i : keep_q) & {4{~closing_q}};
  assign in_user_o      = from_stream ? stream_user_i : kind_q;
  assign in_last_o      = (from_stream ? stream_last_i : last_q) | closing_q;
  assign stream_ready_o = from_stream & open_q & in_ready_i & ~wipe & ~hidden;
  assign word_taken = in_valid_o & in_ready_i;
  assign wants      = ~streams & (open_q | command_pending_q) & ~closing_q;
  assign dma_in_o   = room & wants & ~hidden;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q      <= 1'b0;
      open_q      <= 1'b0;
      closing_q   <= 1'b0;
      bytes_q      <= 2'd0;
      part_last_q  <= 1'b0;
      part_empty_q <= 1'b0;
      part_kind_q  <= 2'd0;
    end else begin
      if (wipe | word_taken) word_q <= 1'b0;
      else if (writes & is_in) word_q <= 1'b1;
      if (word_taken & in_last_o) open_q <= 1'b0;
      else if (command_taken) open_q <= 1'b1;
      if (wipe) closing_q <= Clear & open_q;
      else if (word_taken) closing_q <= 1'b0;
      if (writes & is_in) begin
        bytes_q      <= 2'd0;
        part_last_q  <= 1'b0;
        part_empty_q <= 1'b0;
      end else if (writes & is_input) begin
        part_kind_q  <= data_i[1:0];
        bytes_q      <= data_i[5:4];
        part_last_q  <= data_i[8];
        part_empty_q <= data_i[9];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (writes & is_in | wipe) begin
      data_q <= turned & {32{~wipe}};
      keep_q <= keep;
      kind_q <= part_kind_q;
      last_q <= part_last_q;
    end
  end

  // What leaves, and what came of it.
  assign answer_valid_o = streams_q & out_valid_i & ~hidden;
  assign out_ready_o = ~done_q & (swallows | pops) | (streams_q & answer_ready_i & ~hidden);
  assign ends        = out_valid_i & out_ready_o & out_last_i;
  assign dma_out_o   = shown & ~hidden;
  assign shown_o     = shown;
  assign hidden      = SelfTest & locked_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else if (wipe) done_q <= 1'b0;
    else if (ends) done_q <= 1'b1;
    else if (writes & is_result & data_i[0]) done_q <= 1'b0;
  end
  always_ff @(posedge clk_i) if (ends | wipe) {stopped_q, failed_q} <= out_user_i[3:2] & {2{~wipe}};

  // The self-test: how many messages are under way, which must be none when it starts, and whether slot 0 has its key.
  assign seen = shown & (~hidden | (SelfTest & own_i));
  if (SelfTest | Streams) begin : gen_messages
    logic [7:0] messages_q;
    logic stale_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        messages_q <= '0;
        stale_q    <= 1'b0;
      end else begin
        if (wipe) messages_q <= '0;
        else if (command_taken & ~ends) messages_q <= messages_q + 8'd1;
        else if (ends & ~command_taken & messages_q != '0) messages_q <= messages_q - 8'd1;
        if (running_i) stale_q <= 1'b1;
        else if (wipe | (key_valid_o & key_ready_i & key_slot_o == '0)) stale_q <= 1'b0;
      end
    end
    assign under_way = messages_q != '0;
    assign crowded   = messages_q == '1;
    assign stale     = SelfTest & stale_q & ~own_i & slot == '0;
    assign start_o   = writes & trigger_test;
  end else begin : gen_no_messages
    assign {under_way, crowded, stale, start_o} = '0;
  end

  // Interrupts: three events, and two levels. Sticky errors.
  logic [2:0] event_q, events;
  logic [4:0] enable_q, state;
  logic [1:0] test_q;
  logic [ErrorBits-1:0] error_q, errors;
  logic [6:0] reasons;
  logic told, fails;
  assign fails   = SelfTest & failed_i;
  assign told    = ends & ~hidden;
  assign reasons = {7{ack_o & ~(SelfTest & own_i)}} &
                   {wrong_locked & ~wrong_access & ~wrong_address, waits & ~refused & ~write_i, waits & ~refused & write_i,
                    wrong_incomplete & ~wrong_busy & ~wrong_access & ~wrong_locked, wrong_busy & ~wrong_access & ~wrong_locked, wrong_access, wrong_address};
  assign errors  = reasons[ErrorBits-1:0];
  assign events  = {(told & out_user_i[3]) | errors != '0, told & out_user_i[2] & ~wipe, told};
  assign state   = {dma_out_o | test_q[1], dma_in_o | test_q[0], event_q | {fails, 2'b00}};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      event_q  <= '0;
      enable_q <= '0;
      test_q   <= '0;
      error_q  <= '0;
      irq_o    <= 1'b0;
    end else begin
      event_q <= (event_q & ~(data_i[2:0] & {3{writes & is_state}}) & {1'b1, ~wipe, 1'b1}) | (data_i[2:0] & {3{writes & is_test}}) | events;
      error_q <= (error_q & ~(data_i[ErrorBits-1:0] & {ErrorBits{writes & is_error}})) | errors;
      if (writes & is_enable) enable_q <= data_i[4:0];
      if (writes & is_test) test_q <= data_i[4:3];
      irq_o <= (state & enable_q) != '0;
    end
  end

  logic [2:0] out_bytes;
  assign out_bytes = out_keep_i[3] ? 3'd4 : {1'b0, out_keep_i[2] | out_keep_i[1], out_keep_i[2] | (out_keep_i[0] & ~out_keep_i[1])};
  logic [2:0] tested;
  assign tested = {failed_i, passed_i, running_i} & {3{SelfTest & ~own_i}};
  always_comb begin
    data_o = '0;
    if (is_id) data_o = Identity;
    if (is_version) data_o = Version;
    if (is_caps) data_o = Capabilities;
    if (is_control) data_o = control_q & ControlMask;
    if (is_status) data_o = {8'd0, alarm_q, tested, 3'd0, out_last_i & seen, 1'b0, out_bytes & {3{seen}}, 2'b00, out_user_i[1:0] & {2{seen}},
                             1'b0, cleared_i & ~(SelfTest & own_i), open_q, command_pending_q | closing_q, key_pending_q | vault, seen, dma_in_o,
                             (~hidden | own_i) & ~busy & ~open_q};
    if (is_error) data_o = 32'(error_q);
    if (is_state) data_o = {27'd0, state};
    if (is_enable) data_o = {27'd0, enable_q};
    if (is_input) data_o = {22'd0, part_empty_q, part_last_q, 2'b00, bytes_q, 2'b00, part_kind_q};
    if (is_lock) data_o = {31'd0, lock_q};
    if (is_result) data_o = {20'd0, code_i & {4{done_q & stopped_q}}, 5'd0, {stopped_q, failed_q} & {2{done_q}}, done_q};
    if (is_out) data_o = (BigEndian ? {out_data_i[7:0], out_data_i[15:8], out_data_i[23:16], out_data_i[31:24]} : out_data_i) & {32{shown}};
    if (write_i | wrong_locked) data_o = '0;
  end

  logic unused;
  assign unused = ^{clear_i, alarm_i, debug_i, data_i, own_i, locked_i, running_i, passed_i, failed_i, reasons, sideload_valid_i, sideload_key_i, sideload_slot_i, stream_valid_i, stream_data_i, stream_keep_i, stream_user_i, stream_last_i,
                    answer_ready_i};
endmodule

// AES-SIV (RFC 5297) around one core: S2V, a chain of CMACs under K1, makes the tag of header and text, and counters that
// begin as the tag encrypt the text under K2. The first block to leave depends on the last one: text waits in a memory.
//
//   0 ─▶ core under K1 ─▶ L                          once a message
//   component ─▶ CMAC under K1 ─▶ C,  D = 2 D ⊕ C    as the header comes; D begins as the CMAC of a block of zeros
//   text ⊕ D at its end ─▶ CMAC under K1 ─▶ tag      of less than a block: text, padded, ⊕ 2 D
//   tag + n ─▶ core under K2 ─▶ ⊕ text n             which leaves, or decrypting goes into the memory again, until the verdict
//
//   state      what
//   KeyOne     the core takes K1                     KeyTwo  it takes K2         KeyBack  it takes K1 again
//   Subkey     L
//   Load       beats come; a block of header waits in S until it is known whether the next one is of its component
//   Turn       D turns by as many bytes as the text's last block has
//   Fetch      the first block of text is read
//   Hash       CMAC of the text                      before the counters if it encrypts, behind them if it decrypts
//   Crypt      a counter per block
//   Compare    the sum of both tags is looked at
//   Unload     decrypted text leaves                 TagOut  the tag leaves
//
// The end of a text is not that of a block: where its last block has r bytes, the first 16 - r bytes of D are added to the
// end of the block before it, the others to the last. Both are D turned by r bytes.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0, which is 16), [15:8] key slot (0), [31:24] 0. Other bits are not looked
// at. Kinds 0 and 1 are both header: where one follows the other a component ends, and a beat without bytes is an empty
// one. The nonce is the last component.
//
// Codes: 3 ORDER, 4 KEY, 8 TAG as in aesmith_section_tracker, 1 KEEP and 2 PARTIAL of a component as of a section; 5 IV:
// [31:24] is not 0; 6 LENGTH: more text than the memory has room for, or a component beyond the 126th.
module aesmith_siv_engine #(
  parameter int unsigned Cores = 1,
  // Of K1, and of K2, which is in the lower half of a key.
  parameter int unsigned KeyBits = 128,
  // A message has at most 2^AddressBits beats of text: at most 16.
  parameter int unsigned AddressBits = 10
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [2*KeyBits-1:0] key_i,

  input  logic s_axis_cmd_tvalid,
  output logic s_axis_cmd_tready,
  input  logic [255:0] s_axis_cmd_tdata,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [127:0] s_axis_tdata,
  input  logic [15:0] s_axis_tkeep,
  input  logic [1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [127:0] m_axis_tdata,
  output logic [15:0] m_axis_tkeep,
  output logic [3:0] m_axis_tuser,
  output logic m_axis_tlast,

  // The code of the last message that was refused; 0 if none was.
  output logic [3:0] error_o,

  // The memory, which gives data one clock after they were read.
  output logic memory_enable_o,
  output logic memory_write_o,
  output logic [AddressBits-1:0] memory_address_o,
  output logic [127:0] memory_data_o,
  input  logic [127:0] memory_data_i,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [KeyBits-1:0] core_key_o,
  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [127:0] core_block_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam int unsigned CountBits = AddressBits + 1;
  localparam logic [1:0] Text = 2'd2, Tag = 2'd3;
  localparam logic [6:0] MostComponents = 7'd126;

  if (Cores != 1) begin : gen_refused_cores
    $error("Cores must be 1");
  end
  if (AddressBits > 16) begin : gen_refused_room
    $error("AddressBits must be at most 16");
  end

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction
  function automatic logic [127:0] doubled(input logic [127:0] block);
    return {block[126:0], 1'b0} ^ {120'd0, 8'h87 & {8{block[127]}}};
  endfunction

  typedef enum logic [3:0] {
    Idle, KeyOne, Subkey, Load, Turn, KeyTwo, Crypt, KeyBack, Fetch, Hash, TagOut, Compare, Unload, Empty, Failed, Refused
  } state_e;
  state_e state_q, state_d;

  // K1 and K2; L, D, the chain of CMAC and the tag as a core has them.
  logic [2*KeyBits-1:0] k_q;
  logic [127:0] l_q, d_q, s_q, tag_q;
  logic [3:0] code_q, error_q;
  logic keyed_q, asked_q, encrypt_q;
  // Of the header: the component that is under way, whether it must not go on, how many there are; a block of it that waits,
  // whether it is the last one of its component, and whether it is whole.
  logic begun_q, kind_q, partial_q, waits_q, ends_q, whole_q;
  logic [6:0] components_q;
  // Beats of text, bytes of its last one if that is partial; the block of text that is at work, and turns of D.
  logic [CountBits-1:0] text_q, at_q, next_at;
  logic [3:0] odd_q, turn_q;

  logic idle, subkey, load, turns, crypt, fetch, hash, tag_out, compares, unload;
  assign idle     = state_q == Idle;
  assign subkey   = state_q == Subkey;
  assign load     = state_q == Load;
  assign turns    = state_q == Turn;
  assign crypt    = state_q == Crypt;
  assign fetch    = state_q == Fetch;
  assign hash     = state_q == Hash;
  assign tag_out  = state_q == TagOut;
  assign compares = state_q == Compare;
  assign unload   = state_q == Unload;

  // A command, and what is wrong with it.
  logic take_command, unused_command;
  logic [3:0] refusal;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign unused_command = ^{s_axis_cmd_tdata[255:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[7:4] != '0) refusal = 4'd8;
    if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The beat at the input. The tracker sees the header as one section of whole beats; what is wrong with its components is
  // found here.
  logic takes, good, is_header, is_text, is_tag, begins, no_room, no_run, unused_first;
  logic [3:0] code, found, odd;
  assign is_header = ~s_axis_tuser[1];
  assign is_text   = s_axis_tkeep[0] & s_axis_tuser == Text;
  assign is_tag    = s_axis_tkeep[0] & s_axis_tuser == Tag;
  assign begins    = is_header & (~begun_q | s_axis_tuser[0] != kind_q);
  assign no_room   = (is_text & text_q[AddressBits]) | (begins & components_q == MostComponents);
  assign no_run    = (s_axis_tkeep & (s_axis_tkeep + 16'd1)) != '0 | (s_axis_tkeep == '0 & ~begins);
  always_comb begin
    found = '0;
    if (is_header & ~begins & partial_q) found = 4'd2;
    if (is_header & no_run) found = 4'd1;
    if (code_q != '0) found = code_q;
  end
  assign takes = s_axis_tvalid & s_axis_tready;
  aesmith_section_tracker u_tracker (
    .clk_i,
    .rst_ni,
    .take_i      (takes),
    .keep_i      (s_axis_tkeep | {16{is_header}}),
    .kind_i      (s_axis_tuser | {1'b0, is_header}),
    .last_i      (s_axis_tlast),
    .refused_i   (found),
    .text_bytes_i('1),
    .kinds_i     ({~encrypt_q, 3'b110}),
    .iv_i        (1'b0),
    .tag_i       ({16{~encrypt_q}}),
    .large_i     (no_room),
    .first_o     (unused_first),
    .code_o      (code)
  );
  assign s_axis_tready = load & (code != '0 | ~is_header | ~waits_q);
  assign good = takes & code == '0;
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{s_axis_tkeep[place] & ~s_axis_tkeep[place+1]}};
  end

  // A block of header goes to the core when it is known whether its component goes on.
  logic continues, ends;
  assign continues = load & s_axis_tvalid & is_header & ~begins & code == '0;
  assign ends      = ends_q | ~load | (s_axis_tvalid & ~continues);

  // The core: one block at a time.
  logic issued, result_valid, result_taken;
  logic [127:0] result;
  assign result_valid = core_result_valid_i[0];
  assign result       = core_result_i[0];
  assign core_key_valid_o    = state_q inside {KeyOne, KeyTwo, KeyBack};
  assign core_key_o          = state_q == KeyTwo ? k_q[KeyBits-1:0] : k_q[2*KeyBits-1:KeyBits];
  assign core_block_valid_o  = (subkey | crypt | hash | (waits_q & (ends | continues))) & ~asked_q;
  assign issued              = core_block_valid_o[0] & core_block_ready_i[0];
  assign core_result_ready_o = subkey | hash | waits_q | (crypt & (~encrypt_q | m_axis_tready));
  assign result_taken        = result_valid & core_result_ready_o[0];

  // What goes to it: the chain of CMAC with a block of text and what of D is added to that, or a counter.
  logic empty, short_text, last_text, hash_last, final_block, whole;
  logic [15:0] last_keep;
  logic [127:0] last_bytes, block, addend, last_key, counter;
  assign next_at     = at_q + CountBits'(1);
  assign empty       = text_q == '0;
  assign short_text  = empty | (text_q == CountBits'(1) & odd_q != '0);
  assign last_text   = (unload | hash ? at_q : next_at) == text_q;
  assign hash_last   = hash & (last_text | empty);
  assign final_block = waits_q ? ends : hash_last;
  assign whole       = waits_q ? whole_q : odd_q == '0 | short_text;
  always_comb begin
    last_keep = '1;
    for (int unsigned place = 1; place < 16; place++) last_keep[place] = odd_q == '0 | odd_q > 4'(place);
    for (int unsigned place = 0; place < 16; place++) last_bytes[8*place+:8] = {8{last_keep[15-place]}};
    addend = d_q & ((last_bytes & {128{last_text}}) | (~last_bytes & {128{next_at == text_q}}));
    if (short_text) addend = doubled(d_q);
  end
  assign block    = empty ? {1'b1, 127'd0} : turned(memory_data_i);
  assign last_key = whole ? doubled(l_q) : doubled(doubled(l_q));
  assign counter  = {tag_q[127:64], 1'b0, tag_q[62:32], 32'(tag_q[30:0]) + 32'(at_q)};
  assign core_block_o = crypt ? counter : s_q ^ ((block ^ addend) & {128{hash}}) ^ (last_key & {128{final_block}});

  // What becomes of text and tag: it leaves, or goes to the memory, where a bit marks the end of a part of a block.
  logic [127:0] sum, shown, marked;
  logic [15:0] keep;
  always_comb begin
    keep = '1;
    if (load) keep = s_axis_tkeep;
    if ((crypt | unload) & last_text) keep = last_keep;
    sum = s_axis_tdata & {128{load}};
    sum |= memory_data_i & {128{crypt | unload}};
    sum |= turned(tag_q) & {128{tag_out}};
    sum ^= turned(result) & {128{crypt}};
    for (int unsigned place = 0; place < 16; place++) begin
      shown[8*place+:8]  = sum[8*place+:8] & {8{keep[place]}};
      marked[8*place+:8] = shown[8*place+:8] | {~keep[place] & (place == 0 ? 1'b1 : keep[(place+15)%16]), 7'd0};
    end
  end

  // The memory: text is written as it comes or is decrypted, and read before it is hashed or leaves, or as its counter goes
  // to the core.
  logic writes;
  assign writes           = (good & is_text) | (crypt & ~encrypt_q & result_taken);
  assign memory_write_o   = writes;
  assign memory_enable_o  = writes | fetch | (hash & result_taken) | (crypt & issued) | compares | (unload & m_axis_tready);
  assign memory_address_o = load ? text_q[AddressBits-1:0] : at_q[AddressBits-1:0];
  assign memory_data_o    = marked;

  // What leaves. A call whose result nobody needs any more ends before a refusal does.
  logic shows, leaves;
  assign shows         = (crypt & encrypt_q & result_valid) | unload | tag_out;
  assign leaves        = m_axis_tvalid & m_axis_tready;
  assign m_axis_tvalid = shows | state_q inside {Empty, Failed} | (state_q == Refused & ~waits_q);
  assign m_axis_tdata  = shown & {128{shows}};
  assign m_axis_tkeep  = keep & {16{shows}};
  assign m_axis_tlast  = m_axis_tvalid & ~crypt & (~unload | last_text);
  assign m_axis_tuser  = {m_axis_tvalid & state_q == Refused, state_q == Failed, m_axis_tvalid, tag_out};
  assign error_o       = error_q;
  assign key_ready_o   = idle;

  logic turn_on;
  assign turn_on = turns & ~waits_q & turn_q != odd_q & ~short_text;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = refusal != '0 ? Load : KeyOne;
      KeyOne: if (core_key_ready_i[0]) state_d = Subkey;
      Subkey: if (result_taken) state_d = Load;
      Load: if (takes & s_axis_tlast) state_d = good ? Turn : Refused;
      Turn: if (~waits_q & ~turn_on) state_d = encrypt_q | empty ? Fetch : KeyTwo;
      KeyTwo: if (core_key_ready_i[0]) state_d = Crypt;
      Crypt: if (result_taken & last_text) state_d = encrypt_q ? TagOut : KeyBack;
      KeyBack: if (core_key_ready_i[0]) state_d = Fetch;
      Fetch: state_d = Hash;
      Hash: begin
        if (result_taken & hash_last) begin
          if (~encrypt_q) state_d = Compare;
          else state_d = empty ? TagOut : KeyTwo;
        end
      end
      Compare: begin
        if (s_q != '0) state_d = Failed;
        else state_d = empty ? Empty : Unload;
      end
      Unload: if (leaves & last_text) state_d = Idle;
      default: if (leaves) state_d = Idle; // TagOut, Empty, Failed, Refused
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      keyed_q <= 1'b0;
      asked_q <= 1'b0;
      waits_q <= 1'b0;
      error_q <= '0;
    end else begin
      state_q <= state_d;
      if (key_valid_i & idle) keyed_q <= 1'b1;
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if ((subkey & result_taken) | (good & is_header)) waits_q <= 1'b1;
      else if (result_taken) waits_q <= 1'b0;
      if (state_q == Refused & leaves) error_q <= code_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_valid_i & idle) k_q <= key_i;
    if (subkey & result_taken) l_q <= result;
    if (idle) s_q <= '0;
    else if (good & is_header) s_q <= s_q ^ turned(marked);
    else if ((waits_q | hash) & result_taken) s_q <= (result & {128{hash | ~ends}}) ^ (tag_q & {128{hash_last}});
    if (idle) d_q <= '0;
    else if (waits_q & ends & result_taken) d_q <= doubled(d_q) ^ result;
    else if (turn_on) d_q <= {d_q[7:0], d_q[127:8]};
    if (good & is_tag) tag_q <= turned(shown);
    else if (hash_last & result_taken) tag_q <= result;
  end

  always_ff @(posedge clk_i) begin
    if (idle) begin
      encrypt_q <= s_axis_cmd_tdata[0];
      code_q    <= refusal;
      {begun_q, components_q, text_q, turn_q} <= '0;
    end else if (load & s_axis_tvalid) begin
      code_q <= code;
    end
    if (good) begun_q <= is_header;
    if (good & is_header) begin
      kind_q    <= s_axis_tuser[0];
      partial_q <= ~s_axis_tkeep[15];
      if (begins) components_q <= components_q + 7'd1;
    end
    // CMAC of a block of zeros is that of a component, the first one.
    if (subkey | (good & is_header)) {whole_q, ends_q} <= subkey ? 2'b11 : {s_axis_tkeep[15], ~s_axis_tkeep[15]};
    else if (ends) ends_q <= 1'b1;
    if (good & is_text) begin
      odd_q  <= odd;
      text_q <= text_q + CountBits'(1);
    end
    if (turn_on) turn_q <= turn_q + 4'd1;
    if (idle | state_q inside {KeyTwo, KeyBack} | (hash_last & result_taken)) at_q <= '0;
    else if (fetch | compares | ((crypt | hash) & result_taken) | (unload & leaves)) at_q <= next_at;
  end
endmodule

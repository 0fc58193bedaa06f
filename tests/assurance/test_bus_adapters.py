"""Bus adapters and registers: what is claimed of each is proved, and ones with a fault are refuted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.peripheral.conftest import small, wrong_one

from aesmith.assurance.engines.bus_adapters import parts_before, prove_adapter
from aesmith.assurance.engines.prove import prove_engine
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.sources import PREFIX, packaged_rtl
from aesmith.modes.specification import parse_engine

ADAPTERS = ("apb4", "axi4_lite", "ahb_lite", "tl_ul", "wishbone", "register_front")

WRONG = {
    "a request in the setup phase": ("apb4", "s_apb_psel & s_apb_penable", "s_apb_psel"),
    "an error that is not told": ("apb4", "s_apb_pready & error_i", "1'b0"),
    "strobes are ignored": ("apb4", "= s_apb_pstrb", "= 4'b1111"),
    "ready before the registers are": ("apb4", "s_apb_pready  = request_o & ack_i", "s_apb_pready  = request_o"),
    "read data beside a transfer": ("apb4", "data_i & {32{s_apb_pready & ~s_apb_pwrite}}", "data_i"),
    "strobe without cycle": ("wishbone", "s_wb_cyc & s_wb_stb", "s_wb_stb"),
    "an answer beside the error": ("wishbone", "request_o & ack_i & ~error_i", "request_o & ack_i"),
    "a stall that is not told": ("wishbone", "request_o & ~ack_i", "1'b0"),
    "a request in the error's second clock": (
        "ahb_lite",
        "request_o = pending_q & ~bad_q & ~second_q",
        "request_o = pending_q & ~bad_q",
    ),
    "an error of one clock": ("ahb_lite", "~pending_q | second_q | done", "~pending_q | fails | done"),
    "the address of the next transfer": (
        "ahb_lite",
        "address_o = address_q",
        "address_o = s_ahb_haddr[AddressBits-1:2]",
    ),
    "a transfer for another subordinate": ("ahb_lite", "take = s_ahb_hsel & s_ahb_hready", "take = s_ahb_hready"),
    "a halfword is a word": ("ahb_lite", "s_ahb_haddr[1] ? 4'b1100 : 4'b0011", "4'b1111"),
    "an idle transfer": ("ahb_lite", "s_ahb_hready & s_ahb_htrans[1]", "s_ahb_hready"),
    "a write without its data": ("axi4_lite", "s_axil_awvalid & s_axil_wvalid & (", "s_axil_awvalid & ("),
    "a response that is overwritten": ("axi4_lite", "s_axil_wvalid & (~b_valid_q | s_axil_bready)", "s_axil_wvalid"),
    "read data that change": ("axi4_lite", "= r_data_q;", "= data_i;"),
    "a write starves a read": ("axi4_lite", "writes & ~(reads & wrote_q)", "writes"),
    "a request that is left": ("axi4_lite", "held_q ? held_write_q : writes", "writes"),
    "a write taken twice": (
        "axi4_lite",
        "s_axil_awready = writes & write_o & ack_i",
        "s_axil_awready = writes & write_o & ack_i & ~held_q",
    ),
    "an error of the other channel": ("axi4_lite", "if (s_axil_awready) b_error_q", "if (request_o & ack_i) b_error_q"),
    "another source": (
        "tl_ul",
        "d_source_q <= s_tl_a_source",
        "if (s_tl_a_valid) d_source_q <= s_tl_a_source ^ 8'(~free)",
    ),
    "a bad mask is served": ("tl_ul", "if ((s_tl_a_mask & ~inside_size) != '0) bad", "if (s_tl_a_size == 2'd3) bad"),
    "an answer that is lost": ("tl_ul", "free    = ~d_valid_q | s_tl_d_ready", "free    = 1'b1"),
    "an operation that is not there": (
        "tl_ul",
        "default: bad = 1'b1;\n    endcase\n  end",
        "default: ;\n    endcase\n  end",
    ),
    "a denied write is acknowledged": ("tl_ul", "bad | error_i", "bad"),
    "an access without an end": ("register_front", "refused | ~waits | late", "refused | ~waits"),
    "a key of three words": ("register_front", "filled_q[KeyWords-1:0] == '1", "filled_q[KeyWords-2:0] == '1"),
    "a key with a word of an IV": ("register_front", "(staged_key_q == is_key ? filled_q : '0)", "filled_q"),
    "an IV of a key": ("register_front", "iv_complete = ~staged_key_q", "iv_complete = 1'b1"),
    "an IV that lacks its last word": ("register_front", "32'(iv_bytes) > 4 * word", "32'(iv_bytes) > 4 * word + 4"),
    "words that stay behind their key": ("register_front", "if (empties) begin", "if (wipe) begin"),
    "a key that is written while it waits": ("register_front", "((staging | is_control", "((is_iv | is_control"),
    "a command that changes": ("register_front", "(staging | is_control | triggers)", "(staging | triggers)"),
    "a failed trigger": (
        "register_front",
        "writes & is_trigger & data_i[1]",
        "ack_o & write_i & is_trigger & data_i[1]",
    ),
    "a word that is written over": ("register_front", "(is_in & write_i & ~room) |", ""),
    "a word that comes twice": (
        "register_front",
        "if (wipe | word_taken) word_q",
        "if (wipe | (word_taken & in_last_o)) word_q",
    ),
    "bytes beyond the strobes": ("register_front", "keep    = strobe &", "keep    ="),
}
"""Adapters with a fault: the module, what of its text is another, and what it is."""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_is_proved(adapter: str, tmp_path: Path) -> None:
    proof = prove_adapter(adapter, tmp_path / "work")
    assert proof.verdict is Verdict.PROVED, proof.detail


@pytest.mark.thorough(but=("strobes are ignored", "a write taken twice"))
@pytest.mark.one_in(3)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_adapter_is_refuted_by_a_run(fault: str, tmp_path: Path) -> None:
    adapter, right, wrong = WRONG[fault]
    text = packaged_rtl(adapter)
    assert text.count(right) >= 1
    proof = prove_adapter(adapter, tmp_path / "work", text.replace(right, wrong, 1))
    assert proof.verdict is Verdict.REFUTED, proof.detail
    assert proof.run is not None


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("if (is_out) data_o", "if (is_key) data_o = staged_q[0];\n    if (is_out) data_o"),
        ("irq_o <= (state & enable_q) != '0", "irq_o <= (state & enable_q) != '0 & staged_q[3][31]"),
        ("ack_o   = request_i &", "ack_o   = request_i & (staged_q[1] != 32'd5 | wait_q[1]) &"),
    ],
)
def test_a_read_that_depends_on_a_key_is_seen(right: str, wrong: str, tmp_path: Path) -> None:
    text = packaged_rtl("register_front")
    assert text.count(right) == 1
    proof = prove_adapter("register_front", tmp_path / "work", text.replace(right, wrong))
    assert proof.verdict is Verdict.REFUTED, proof.detail
    assert "depends on a word of a key" in proof.detail


def test_an_adapter_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=f"there is no {PREFIX}avalon.sv"):
        prove_adapter("avalon", tmp_path)


WRONG_PERIPHERALS = {
    "its adapter": ("bus", "apb4", "s_apb_pready & error_i", "1'b0", Verdict.REFUTED),
    "its registers": ("registers", "register_front", "wipe | key_taken | command_taken", "wipe", Verdict.REFUTED),
    "its self-test": ("self-test", "self_test", "failed_q  <= 1'b1", "failed_q  <= 1'b0", Verdict.REFUTED),
    "a known answer": ("connections", "self_test_rom", "answer_data_o = 32'h", "answer_data_o = ~32'h", Verdict.OPEN),
    "its top": ("connections", "", "    .irq_o,\n", "    .irq_o(),\n", Verdict.OPEN),
}
"""What is wrong in a peripheral: the part of the proof that says so, and how."""


@pytest.mark.thorough(but=("its adapter",))
@pytest.mark.parametrize("what", WRONG_PERIPHERALS)
def test_a_fault_before_an_engine_is_named_by_its_part(what: str, tmp_path: Path) -> None:
    part, module, right, wrong, verdict = WRONG_PERIPHERALS[what]
    parts, run = parts_before(wrong_one(small(self_test="on_reset"), module, right, wrong), tmp_path, Limits())
    assert (parts[-1].name, parts[-1].verdict) == (part, verdict), parts[-1].detail
    assert {each.verdict for each in parts[:-1]} <= {Verdict.PROVED}
    assert (run is not None) is (verdict is Verdict.REFUTED)


@pytest.mark.thorough
def test_a_peripheral_is_proved_part_by_part(tmp_path: Path) -> None:
    fields = {"preset": "ofb-compact", "bus": "apb", "self_test": "on_request", "clear": True, "release": "cut-through"}
    fields |= {"data_fifo": True, "beat_registers": True}
    report = prove_engine(parse_engine(fields).engine("device", "device"), tmp_path)
    assert report.proved
    names = [part.name for part in report.parts]
    assert names[:6] == ["bus", "registers", "lock", "self-test", "room for words", "connections"]
    assert {"clear", "streams", "converters", "registers for beats", "claims", "core"} <= {*names}
    assert any("proved separately" in line for line in report.assumptions)

"""Peripherals with a fault are found by the script that travels with each build; the right one passes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.peripheral.conftest import chosen_front, small, whole_script, wrong_one

from aesmith.assurance.peripherals import PeripheralBench
from aesmith.errors import CheckError
from aesmith.modes.engine import StreamEngine

Bench = Callable[[StreamEngine, Path], PeripheralBench]

FRONT = "register_front"
WRONG: dict[str, tuple[str, str, str]] = {
    "a key is read at its own address": (
        FRONT,
        "if (is_out) data_o",
        "if (is_key) data_o = staged_q[at[3:2]];\n    if (is_out) data_o",
    ),
    "a key is read through an alias": (
        FRONT,
        "if (is_out) data_o",
        "if (at == 7'h30) data_o = staged_q[0];\n    if (is_out) data_o",
    ),
    "a key is read as an IV": (
        FRONT,
        "if (is_out) data_o",
        "if (is_iv) data_o = staged_q[at[3:2]];\n    if (is_out) data_o",
    ),
    "a key stays when it was loaded": (FRONT, "wipe | key_taken | command_taken", "wipe | command_taken"),
    "an IV stays when it was used": (FRONT, "wipe | key_taken | command_taken", "wipe | key_taken"),
    "a key is loaded without a word of it": (FRONT, "filled_q[KeyWords-1:0] == '1", "filled_q[KeyWords-1:1] == '1"),
    "a key is mixed with an IV": (FRONT, "(staged_key_q == is_key ? filled_q : '0)", "filled_q"),
    "a key opens a message": (FRONT, "iv_complete = ~staged_key_q", "iv_complete = 1'b1"),
    "a message without a word of its IV": (FRONT, "word < 4; word++) if", "word < 2; word++) if"),
    "words of a key in reverse": (FRONT, "staged_q[place/4]", "staged_q[(KeyBits/8-1-place)/4]"),
    "a write to a register that is read only": (FRONT, "mapped & (~writable |", "mapped & ("),
    "an address that is not there": (FRONT, "wrong_address    = ~mapped", "wrong_address    = 1'b0"),
    "a register is written in part": (FRONT, "is_in ? run : whole", "is_in ? run : strobe_i[0]"),
    "strobes of data that are no run": (FRONT, "is_in ? run : whole", "is_in | whole"),
    "strobes of data are ignored": (FRONT, "keep    = strobe &", "keep    = 4'hf &"),
    "bytes of INPUT are ignored": (FRONT, "bytes_q == 2'd0, ~(bytes_q[1] ^ bytes_q[0]), bytes_q != 2'd1", "3'b111"),
    "LAST stays": (
        FRONT,
        "        part_last_q  <= 1'b0;\n        part_empty_q <= 1'b0;",
        "        part_empty_q <= 1'b0;",
    ),
    "bytes of INPUT stay": (FRONT, "        bytes_q      <= 2'd0;\n        part_last_q", "        part_last_q"),
    "a word is lost while one waits": (FRONT, "waits    = (is_in & write_i & ~room) |", "waits    ="),
    "a word is taken twice": (
        FRONT,
        "if (wipe | word_taken) word_q <= 1'b0;",
        "if (wipe | (word_taken & (in_last_o | wait_q[0] | ~dma_out_o))) word_q <= 1'b0;",
    ),
    "data before a message": (FRONT, " | (is_in & ~open_q & ~command_pending_q)", ""),
    "a second message into the first": (FRONT, " | (triggers & data_i[0] & open_q)", ""),
    "CTRL is written while a command waits": (
        FRONT,
        "((staging | is_control | triggers) & busy)",
        "((staging | triggers) & busy)",
    ),
    "an IV is written while a command waits": (
        FRONT,
        "((staging | is_control | triggers) & busy)",
        "((is_control | triggers) & busy)",
    ),
    "an access waits for ever": (FRONT, "refused | ~waits | late", "refused | ~waits"),
    "a late access has no error": (FRONT, "error_o = refused | waits", "error_o = refused"),
    "an answer is read past its end": (
        FRONT,
        "shown    = out_valid_i & ~done_q & out_keep_i[0]",
        "shown    = out_valid_i & out_keep_i[0]",
    ),
    "a word leaves with a look at RESULT": (
        FRONT,
        "out_ready_o = ~done_q & (swallows | pops)",
        "out_ready_o = ~done_q & (swallows | pops | (request_i & is_result & shown))",
    ),
    "a word leaves with a read of STATUS": (
        FRONT,
        "pops    = ack_o & ~write_i & is_out & shown",
        "pops    = ack_o & ~write_i & (is_out | is_status) & shown",
    ),
    "a verdict is shown as a word": (
        FRONT,
        "& ~done_q & out_keep_i[0] & ~streams_q;\n  assign swallows = out_valid_i & ~done_q & ~out_keep_i[0]",
        "& ~done_q;\n  assign swallows = 1'b0",
    ),
    "a wrong tag is not told": (
        FRONT,
        "{stopped_q, failed_q} <= out_user_i[3:2]",
        "{stopped_q, failed_q} <= {out_user_i[3], 1'b0}",
    ),
    "a refusal is not told": (
        FRONT,
        "{stopped_q, failed_q} <= out_user_i[3:2]",
        "{stopped_q, failed_q} <= {1'b0, out_user_i[2]}",
    ),
    "RESULT goes with a read": (
        FRONT,
        "else if (writes & is_result & data_i[0])",
        "else if ((writes & is_result & data_i[0]) | (ack_o & is_result & ~write_i))",
    ),
    "RESULT goes with any write": (FRONT, "writes & is_result & data_i[0]", "writes & is_result"),
    "an interrupt is lost": (
        FRONT,
        "{3{writes & is_test}}) | events",
        "{3{writes & is_test}}) | (events & ~{3{request_i & ~write_i}})",
    ),
    "an interrupt comes back": (FRONT, "event_q & ~(data_i[2:0] & {3{writes & is_state}})", "event_q"),
    "an interrupt is cleared by a 0": (
        FRONT,
        "event_q & ~(data_i[2:0] & {3{writes & is_state}})",
        "event_q & ~{3{writes & is_state}}",
    ),
    "an interrupt that is not enabled": (FRONT, "(state & enable_q) != '0", "state != '0"),
    "an interrupt that cannot be tested": (
        FRONT,
        "{dma_out_o | test_q[1], dma_in_o | test_q[0], event_q",
        "{dma_out_o, dma_in_o, event_q",
    ),
    "failure and end are exchanged": (FRONT, "told & out_user_i[2] & ~wipe, told}", "told, told & out_user_i[2]}"),
    "an error is cleared by a 0": (
        FRONT,
        "error_q & ~(data_i[ErrorBits-1:0] & {ErrorBits{writes & is_error}})",
        "error_q & ~{ErrorBits{writes & is_error}}",
    ),
    "a request for data with no room": (FRONT, "dma_in_o   = room &", "dma_in_o   ="),
    "a request for data after the last": (FRONT, "& (open_q | command_pending_q) & ~closing_q", ""),
    "idle with a message open": (FRONT, "~busy & ~open_q}", "~busy}"),
    "the tag's kind is text": (FRONT, "out_user_i[1:0] & {2{seen}}", "2'd2 & {2{seen}}"),
    "CTRL is not kept": (FRONT, "if (is_control) data_o = control_q & ControlMask;", ""),
    "a computed tag is read while decrypting": (
        "engine_wide_multi_mode_engine",
        "state_q == AtTag & encrypt & result_valid & ~busy_q;\n  assign tag_leaves   = tag_here & out_ready;\n"
        "  assign tag_taken    = state_q == AtTag & ~encrypt & result_valid & ~busy_q;",
        "state_q == AtTag & result_valid & ~busy_q;\n  assign tag_leaves   = tag_here & out_ready;\n"
        "  assign tag_taken    = tag_leaves & ~encrypt;",
    ),
    "the engine has another tag length": ("", "32'h000000f1", "32'h00000071"),
    "the engine never hears of a key": ("", ".key_valid_i(engine_key_valid_i)", ".key_valid_i(1'b0)"),
    "the interrupt is not connected": ("", "    .irq_o,\n", "    .irq_o(),\n"),
    "the bus has no error": ("apb4", "s_apb_pready & error_i", "1'b0"),
}
"""Peripherals with a fault: the module, what of its text is another, and what it is."""
_FRONTS = [name for name, (module, _, _) in WRONG.items() if module == FRONT]


_FEW = (
    "a key is read through an alias",
    "strobes of data are ignored",
    "an interrupt is lost",
    "a wrong tag is not told",
)


def found(fronts: PeripheralBench, number: int) -> bool:
    """Whether a wrong front in a simulator of several is found, by an answer that must be another one."""
    try:
        fronts.run(whole_script(fronts.engine), f"+fault={number}")
    except CheckError as error:
        return re.search(r"must be|after \d+ clocks", str(error)) is not None
    return False


def few_fronts() -> StreamEngine:
    """A few wrong fronts in one engine, and the right one, which is connected unless `+fault=` names another."""
    return chosen_front(small(), [WRONG[name][1:] for name in _FEW])


def test_the_right_one_passes_and_wrong_ones_are_found(bench: Bench, tmp_path: Path) -> None:
    fronts = bench(few_fronts(), tmp_path)
    checks, clocks = fronts.run(whole_script(fronts.engine))
    assert clocks > checks > 1000
    assert [found(fronts, number) for number in range(1 + len(_FEW))] == [False] + [True] * len(_FEW)


@pytest.fixture(scope="module")
def fronts(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> PeripheralBench:
    """All wrong fronts, and the right one, in one simulator."""
    engine = chosen_front(small(), [WRONG[name][1:] for name in _FRONTS])
    return bench(engine, tmp_path_factory.mktemp("fronts"))


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.parametrize("fault", _FRONTS)
def test_a_wrong_front_is_found(fault: str, fronts: PeripheralBench) -> None:
    assert found(fronts, 1 + _FRONTS.index(fault))


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize("fault", [name for name in WRONG if name not in _FRONTS])
def test_another_wrong_module_is_found(fault: str, bench: Bench, tmp_path: Path) -> None:
    engine = small()
    with pytest.raises(CheckError, match=r"must be|after"):
        bench(wrong_one(engine, *WRONG[fault]), tmp_path).run(whole_script(engine))

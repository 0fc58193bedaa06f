"""Keys of a vault, and the lock that keeps software's keys away until reset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.modes.conftest import StandIn
from tests.peripheral.conftest import chosen_front, small, wrong_one

from aesmith.assurance.peripherals import PeripheralBench
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import parse_engine
from aesmith.peripheral.scripts import register_script, sideload_script, standalone_script

Bench = Callable[[StreamEngine, Path], PeripheralBench]


def device(**fields: object) -> StreamEngine:
    return small("wishbone", sideload=True, **{"modes": ("ctr", "cmac"), "key_slots": 4, **fields})


def script_of(engine: StreamEngine) -> list[str]:
    behind = engine.behind_bus
    return [*register_script(behind), *sideload_script(behind, StandIn)]


@pytest.mark.thorough
def test_keys_of_a_vault_serve_messages_and_the_lock_holds(bench: Bench, tmp_path: Path) -> None:
    engine = device()
    lint(engine, tmp_path / "lint")
    assert bench(engine, tmp_path).run(script_of(engine))[0] > 400


@pytest.mark.thorough
def test_nothing_but_a_reset_undoes_the_lock_around_aes(bench: Bench, tmp_path: Path) -> None:
    fields = {"preset": "gcm-small", "bus": "apb", "clear": True, "alarm": True, "sideload": True}
    engine = parse_engine(fields | {"self_test": "on_request"}).engine("device", "device")
    lint(engine, tmp_path / "lint")
    assert bench(engine, tmp_path).run(standalone_script(engine))[0] > 1000


WRONG: dict[str, tuple[str, str, str]] = {
    "the lock is undone by a write of 0": (
        "register_front",
        "else if (Sideload & writes & is_lock & data_i[0]) lock_q <= 1'b1;",
        "else if (Sideload & writes & is_lock) lock_q <= data_i[0];",
    ),
    "software's key is staged behind the lock": (
        "register_front",
        "(is_key | (is_trigger & data_i[1]))",
        "(is_trigger & data_i[1])",
    ),
    "software's key is loaded behind the lock": ("register_front", "(is_key | (is_trigger & data_i[1]))", "is_key"),
    "the vault's key goes to another slot": (
        "register_front",
        "? sideload_slot_i : slot",
        "? ~sideload_slot_i : slot",
    ),
    "the vault's key is taken and lost": (
        "register_front",
        "key_pending_q | vault) & ~wipe",
        "key_pending_q | (vault & lock_q)) & ~wipe",
    ),
}
"""Locks with a fault: the module, what of its text is another, and what it is."""
SOFT_RESET = (
    "register_front",
    "if (!rst_ni) lock_q <= 1'b0;",
    "if (!rst_ni) lock_q <= 1'b0;\n    else if (wipe) lock_q <= 1'b0;",
)


@pytest.mark.thorough
def test_wrong_locks_are_found(bench: Bench, tmp_path: Path) -> None:
    fronts = bench(chosen_front(device(), [(right, wrong) for _, right, wrong in WRONG.values()]), tmp_path)
    script = script_of(fronts.engine)
    assert fronts.run(script)[0] > 400
    for number, fault in enumerate(WRONG, 1):
        with pytest.raises(CheckError, match=r"must be|after"):
            assert not fronts.run(script, f"+fault={number}"), fault


@pytest.mark.thorough
def test_a_lock_that_a_soft_reset_undoes_is_found(bench: Bench, tmp_path: Path) -> None:
    fields = {"preset": "gcm-small", "bus": "apb", "clear": True, "sideload": True}
    engine = parse_engine(fields).engine("device", "device")
    with pytest.raises(CheckError, match="data must be 1, and is 0"):
        bench(wrong_one(engine, *SOFT_RESET), tmp_path).run([*sideload_script(engine.behind_bus)])


def test_a_sideload_needs_a_bus() -> None:
    with pytest.raises(RequestError, match="sideload: must be false in an engine without a bus, not true"):
        parse_engine({"preset": "gcm-small", "sideload": True})

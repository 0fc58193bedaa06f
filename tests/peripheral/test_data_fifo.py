"""Room for a block between registers and engine: the same answers in fewer clocks of the bus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.modes.conftest import StandIn
from tests.peripheral.conftest import small, whole_script, wrong_one

from aesmith.assurance.peripherals import PeripheralBench
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.catalogue import MODES
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import Cipher, Message
from aesmith.modes.specification import parse_engine
from aesmith.peripheral.scripts import message_script, mode_number, standalone_script

Bench = Callable[[StreamEngine, Path], PeripheralBench]


def clocks_per_block(simulator: PeripheralBench, mode: str) -> float:
    """Clocks of the driver for each block of a long message, from two lengths."""
    key, found = bytes(16), []
    for size in (512, 1536):
        message = Message(
            bytes(12 if mode == "gcm" else 16), b"", Random(size).randbytes(size), bytes(16 * (mode == "gcm"))
        )
        made = MODES[mode].encrypt(Cipher(key), message)
        number, tag = mode_number(mode), made.tag.hex() or "-"
        words = f"message {number:x} 1 0 {message.iv.hex()} - {message.text.hex()} {tag} 0 0 {made.text.hex()}"
        simulator.run(["reset", f"key 0 {key.hex()} 0", "begin", words, "clocks ffff"])
        log = (simulator.folder / "run.log").read_text().splitlines()
        found.append(next(int(line.split()[0]) for line in log if "clocks, line" in line))
    return (found[1] - found[0]) / 64


@pytest.mark.thorough
@pytest.mark.parametrize(("room", "most"), [("", 25.0), ("data_fifo", 18.0), ("beat_registers", 18.0)])
def test_clocks_of_axi4_lite_for_a_block(room: str, most: float, bench: Bench, tmp_path: Path) -> None:
    fields = {"preset": "multi-compact", "bus": "axi4-lite"} | ({room: True} if room else {})
    engine = parse_engine(fields).engine("device", "device")
    lint(engine, tmp_path / "lint")
    simulator = bench(engine, tmp_path)
    assert clocks_per_block(simulator, "ctr") <= most
    assert clocks_per_block(simulator, "gcm") <= most + 0.3
    if room:
        assert simulator.run(list(standalone_script(engine)))[0] > 1000


@pytest.mark.thorough
def test_a_clear_leaves_no_word_in_it(bench: Bench, tmp_path: Path) -> None:
    fields = {"preset": "gcm-small", "bus": "apb", "clear": True, "data_fifo": True, "self_test": "on_request"}
    engine = parse_engine(fields).engine("device", "device")
    simulator = bench(engine, tmp_path)
    assert simulator.run(list(standalone_script(engine)))[0] > 1000


WRONG = {
    "a word is lost where it is full": ("data_fifo", "ready_o   = count_q != CountBits'(Entries)", "ready_o   = 1'b1"),
    "its count is not kept": ("data_fifo", "if (put & ~got) count_q", "if (put) count_q"),
    "one word comes twice": ("data_fifo", "if (got) read_q <= read_q + 1'b1", "if (got & put) read_q <= read_q + 1'b1"),
    "its kinds are those of another word": ("data_fifo", "control_q[read_q] &", "control_q[write_q] &"),
}
"""Ones with a fault: the module, what of its text is another, and what it is."""


def run_in(bench: Bench, engine: StreamEngine, folder: Path) -> int:
    """The checks of registers, accesses, and long messages."""
    messages = message_script(engine.behind_bus, Random("long"), 6, most=400, cipher=StandIn)
    return bench(engine, folder).run([*whole_script(engine), *messages])[0]


def with_fifo() -> StreamEngine:
    return small("axi4-lite", modes=("ctr", "cmac"), data_fifo=True)


@pytest.mark.thorough
def test_the_right_one_passes(bench: Bench, tmp_path: Path) -> None:
    assert run_in(bench, with_fifo(), tmp_path) > 1000


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_one_is_found(fault: str, bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=r"must be|after"):
        run_in(bench, wrong_one(with_fifo(), *WRONG[fault]), tmp_path)


def test_it_is_clean_under_lint(tmp_path: Path) -> None:
    lint(small("apb", modes=("ctr",), data_fifo=True, data_streams=True, sideload=True), tmp_path)


def test_it_needs_a_bus() -> None:
    with pytest.raises(RequestError, match="data_fifo: must be false in an engine without a bus, not true"):
        parse_engine({"preset": "gcm-small", "data_fifo": True})

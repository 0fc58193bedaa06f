"""Zeroising a peripheral: two runs with other keys, IVs, texts and verdicts are the same one behind cleared_o.

The whole peripheral is elaborated and run on words of two bits, one for each run; each register is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from tests.peripheral.conftest import wrong_one

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Netlist, compile_words
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import parse_engine

BOTH = 3
Write = tuple[int, int, int]
"""Address, and what is written in each of both runs; an address below 0 waits so many clocks, None of both reads."""


def device(bus: str) -> StreamEngine:
    """A small engine with a clear and with alarms."""
    fields: dict[str, object] = {
        "core": "ueno2020-enc",
        "modes": ["ctr", "cmac"],
        "release": "cut-through",
        "clear": True,
        "alarm": True,
    }
    fields |= dict.fromkeys(("data_fifo", "beat_registers"), bus == "axi4-lite")
    return parse_engine(fields | {"bus": bus}).engine("device", "device")


class Runs:
    """Both runs of a peripheral on AXI4-Lite or APB, clock by clock."""

    def __init__(self, engine: StreamEngine, folder: Path) -> None:
        self.netlist: Netlist = elaborate(engine, folder, 120.0, chosen_parts=True)
        self._step = compile_words(self.netlist, BOTH)
        self._registers = [each.reset * BOTH if each.reset is not None else 0 for each in self.netlist.registers]
        self._places = self.netlist.outputs
        self.axi = "s_axil_awvalid" in self.netlist.inputs
        self.out: dict[str, int] = {}

    def clock(self, lines: Mapping[str, tuple[int, int]]) -> None:
        """A clock with these levels of inputs in each run, the others 0."""
        given = []
        for name, bits in self.netlist.inputs.items():
            one, other = lines.get(name, (0, 0))
            given += [(one >> bit & 1) | (other >> bit & 1) << 1 for bit in range(len(bits))]
        given += [0] * len(self.netlist.free)
        outputs, self._registers = self._step(given, self._registers)
        self.out, place = {}, 0
        for name, bits in self._places.items():
            words = outputs[place : place + len(bits)]
            self.out[name] = sum((word & 1) << bit for bit, word in enumerate(words))
            place += len(bits)

    def access(self, write: bool, address: int, one: int = 0, other: int = 0) -> None:
        """An access of both runs, which must take as long in both."""
        address_line = (address, address)
        if self.axi:
            up = (1, 1)
            lines = {"s_axil_bready": up, "s_axil_rready": up}
            if write:
                lines |= {"s_axil_awvalid": up, "s_axil_wvalid": up, "s_axil_awaddr": address_line}
                lines |= {"s_axil_wdata": (one, other), "s_axil_wstrb": (15, 15)}
            else:
                lines |= {"s_axil_arvalid": up, "s_axil_araddr": address_line}
            ready = "s_axil_awready" if write else "s_axil_arready"
        else:
            lines = {"s_apb_psel": (1, 1), "s_apb_pwrite": (write, write), "s_apb_paddr": address_line}
            lines |= {"s_apb_pwdata": (one, other), "s_apb_pstrb": (15, 15)}
            self.clock(lines)
            lines |= {"s_apb_penable": (1, 1)}
            ready = "s_apb_pready"
        for _ in range(400):
            self.clock(lines)
            if self.out[ready]:
                self.clock({"s_axil_bready": (1, 1), "s_axil_rready": (1, 1)} if self.axi else {})
                return
        raise AssertionError(f"no answer at {address:x}")

    @property
    def different(self) -> set[str]:
        """Registers that are not the same in both runs."""
        pairs = zip(self.netlist.registers, self._registers, strict=True)
        return {register.name for register, word in pairs if word not in (0, BOTH)}


def secrets(random: Random) -> tuple[int, int]:
    return random.getrandbits(32), random.getrandbits(32)


def used(runs: Runs) -> None:
    """A key, a message of CMAC, one of CTR whose answer is read in part, most of another key."""
    random = Random("secrets")
    write = lambda address, *values: runs.access(True, address, *values)  # noqa: E731
    for word in range(4):
        write(0x40 + 4 * word, *secrets(random))
    write(0x14, 2, 2)
    for _ in range(20):
        runs.clock({})
    # A tag that is compared: wrong in both; then a word of CTR's answer is read and others wait.
    write(0x10, 0x0A, 0x0A)
    write(0x14, 1, 1)
    write(0x2C, 2, 2)
    for _ in range(4):
        write(0x100, *secrets(random))
    write(0x2C, 3, 3)
    for word in range(4):
        if word == 3:
            write(0x2C, 0x103, 0x103)
        write(0x100, *secrets(random))
    for _ in range(60):
        runs.clock({})
    write(0x30, 1, 1)
    write(0x10, 0x10000009, 0x10000009)
    for word in range(4):
        write(0x80 + 4 * word, *secrets(random))
    write(0x14, 1, 1)
    write(0x2C, 2, 2)
    for _ in range(4):
        write(0x100, *secrets(random))
    runs.access(False, 0x180)
    runs.access(False, 0x180)
    for word in range(3):
        write(0x40 + 4 * word, *secrets(random))


WAYS = ("TRIGGER", "clear_i", "alarm_i", "debug_i")


def zeroised(runs: Runs, way: str) -> None:
    """One of the ways, and clocks until cleared_o."""
    if way == "TRIGGER":
        runs.access(True, 0x14, 4, 4)
    else:
        runs.clock({way: (1, 1)})
    for _ in range(4):
        if runs.out["cleared_o"]:
            return
        runs.clock({})
    raise AssertionError("no cleared_o")


def left(engine: StreamEngine, folder: Path, way: str) -> set[str]:
    """Registers that differ behind cleared_o; before it there must be some of all kinds."""
    runs = Runs(engine, folder)
    used(runs)
    before = runs.different
    assert len(before) > 300, before
    zeroised(runs, way)
    return runs.different


@pytest.mark.thorough(but=("TRIGGER-axi4-lite",))
@pytest.mark.one_in(3)
@pytest.mark.parametrize("bus", ["apb", "axi4-lite"])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_left_of_an_older_key(way: str, bus: str, tmp_path: Path) -> None:
    assert left(device(bus), tmp_path, way) == set()


SPARED: dict[str, tuple[str, str, str]] = {
    "a staged key": (
        "register_front",
        "staged_q[word] <= turned & {32{~empties}}",
        "staged_q[word] <= empties ? staged_q[word] : turned",
    ),
    "a word on its way in": ("register_front", "data_q <= turned & {32{~wipe}};", "if (~wipe) data_q <= turned;"),
    "read data": ("axi4_lite", "r_data_q  <= data_i & {32{s_axil_arready}}", "if (s_axil_arready) r_data_q <= data_i"),
    "words on their way in": ("data_fifo", "data_i & {32{~clear_i}}", "clear_i ? data_q[place] : data_i"),
    "a beat before the engine": ("engine_inside_wide_beat_registers", "      beat_q <= '0;\n", ""),
    "words of the engine": ("engine_inside", ".clear_i,", ".clear_i(1'b0),"),
}
"""Zeroisers that spare something: the module, what of its text is another, and what it is."""


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize("spared", SPARED)
def test_what_is_spared_is_found(spared: str, tmp_path: Path) -> None:
    assert left(wrong_one(device("axi4-lite"), *SPARED[spared]), tmp_path, "debug_i")


def test_alarms_need_a_clear() -> None:
    with pytest.raises(
        RequestError, match="alarm: must be false in an engine without a bus or without clear, not true"
    ):
        parse_engine({"preset": "gcm-small", "bus": "apb", "alarm": True})

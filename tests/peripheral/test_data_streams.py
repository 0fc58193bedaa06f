"""Data by AXI4-Stream beside the registers, and registers whose byte 0 is in bits 31:24."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.modes.conftest import StandIn
from tests.peripheral.conftest import chosen_front, small

from aesmith.assurance.peripherals import PeripheralBench
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine import StreamEngine
from aesmith.modes.self_test import known_answers
from aesmith.modes.specification import parse_engine
from aesmith.peripheral.files import driver
from aesmith.peripheral.scripts import (
    access_script,
    in_byte_order,
    message_script,
    register_script,
    standalone_script,
    stream_script,
)

Bench = Callable[[StreamEngine, Path], PeripheralBench]


def device(**fields: object) -> StreamEngine:
    return small("axi4-lite", **{"modes": ("ctr", "cmac"), "data_streams": True, "big_endian": True, **fields})


def script_of(engine: StreamEngine) -> list[str]:
    behind = engine.behind_bus
    return [
        *register_script(behind),
        *in_byte_order(behind, access_script(behind, StandIn)),
        *stream_script(behind, StandIn),
        *message_script(behind, Random("big"), 6, cipher=StandIn),
    ]


def test_the_other_byte_order_is_in_steps_lines_and_driver() -> None:
    little, big = (
        parse_engine({"preset": "gcm-small", "bus": "apb", "self_test": "on_reset", "byte_order": order}).engine(
            "device", "x"
        )
        for order in ("little", "big")
    )
    turned = [int.from_bytes(word.to_bytes(4), "little") for word in known_answers(little.behind_bus).answers]
    assert list(known_answers(big.behind_bus).answers) == turned
    lines = [
        "write 100 11223344 3 0",
        "read 184 11223344 ffff0000 0",
        "write 1c 3f f 0",
        "idle 4",
        "write 4c 1020304 f 0",
    ]
    assert list(in_byte_order(little.behind_bus, lines)) == lines
    assert list(in_byte_order(big.behind_bus, lines)) == [
        "write 100 44332211 c 0",
        "read 184 44332211 0000ffff 0",
        "write 1c 3f f 0",
        "idle 4",
        "write 4c 04030201 f 0",
    ]
    assert "(24u - 8u * (i))" in driver(big)["driver/device.c"]
    assert "(8u * (i))" in driver(little)["driver/device.c"]


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.parametrize("fields", [{}, {"modes": ("gcm", "ctr", "cmac"), "key_slots": 4}, {"data_streams": False}])
def test_messages_by_streams_and_by_registers(fields: dict[str, object], bench: Bench, tmp_path: Path) -> None:
    engine = device(**fields)
    lint(engine, tmp_path / "lint")
    assert bench(engine, tmp_path).run(script_of(engine))[0] > 1000


@pytest.mark.thorough
def test_all_options_at_once_around_aes(bench: Bench, tmp_path: Path) -> None:
    fields: dict[str, object] = {"preset": "gcm-small", "bus": "tl-ul", "clear": True, "alarm": True, "sideload": True}
    fields |= {"data_streams": True, "byte_order": "big", "self_test": "on_reset", "key_slots": 2}
    engine = parse_engine(fields).engine("device", "device")
    lint(engine, tmp_path / "lint")
    assert bench(engine, tmp_path).run(standalone_script(engine))[0] > 1000


WRONG: dict[str, tuple[str, str, str]] = {
    "a word of the stream is lost": ("register_front", "from_stream & open_q & in_ready_i", "from_stream & open_q"),
    "the kind is not the stream's": ("register_front", "from_stream ? stream_user_i : kind_q", "kind_q"),
    "the last word is not the stream's": (
        "register_front",
        "from_stream ? stream_last_i : last_q",
        "from_stream & stream_last_i & word_q",
    ),
    "data by registers into a streamed message": ("register_front", " | (is_in & streams)", ""),
    "a bit of CTRL is a bit of the slot": (
        "register_front",
        "assign slot    = {1'b0, 1'b0, control_q[13:8]}",
        "assign slot    = control_q[15:8]",
    ),
    "a key in the other order": ("register_front", "<= turned & {32{~empties}}", "<= data_i & {32{~empties}}"),
    "data in the other order": ("register_front", "data_q <= turned & {32{~wipe}}", "data_q <= data_i & {32{~wipe}}"),
    "strobes in the other order": ("register_front", "keep    = strobe &", "keep    = strobe_i &"),
}
"""Front ends with a fault: the module, what of its text is another, and what it is."""


@pytest.mark.thorough
def test_wrong_ones_are_found(bench: Bench, tmp_path: Path) -> None:
    fronts = bench(chosen_front(device(), [(right, wrong) for _, right, wrong in WRONG.values()]), tmp_path)
    script = script_of(fronts.engine)
    assert fronts.run(script)[0] > 1000
    for number, fault in enumerate(WRONG, 1):
        with pytest.raises(CheckError, match=r"must be|after|no end"):
            assert not fronts.run(script, f"+fault={number}"), fault


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"data_streams": True}, "data_streams: must be false in an engine without a bus, not true"),
        ({"byte_order": "big"}, "byte_order: must be little in an engine without a bus, not big"),
    ],
)
def test_both_need_a_bus(fields: dict[str, object], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        parse_engine({"preset": "gcm-small"} | fields)

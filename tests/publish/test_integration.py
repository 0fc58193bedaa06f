"""The datasheet's section on integration: what it says follows from the ports, and no error is left without advice."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.modes.conftest import stand_in
from tests.peripheral.conftest import small

import aesmith
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import Reset
from aesmith.cores.specification import build_design, load_specification
from aesmith.modes.engine import StreamEngine
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.peripheral.files import driver, registers_header
from aesmith.publish.datasheet import datasheet


def section(design: CoreDesign | StreamEngine) -> str:
    text = datasheet(design, modules=(), steps=())
    return text[text.index("## Integration") : text.index("## Measured figures")]


@pytest.mark.thorough(but=("self_test",))
@pytest.mark.parametrize("field", ["none", "self_test", "clear"])
def test_every_status_of_the_driver_and_every_bit_of_errors_has_its_advice(field: str) -> None:
    fields = {"none": {}, "self_test": {"self_test": "on_reset"}, "clear": {"clear": True}}[field]
    engine = aesmith.engine("gcm-small", name="device", bus="apb", **fields).design
    said = section(engine)
    header = driver(engine)["driver/device.h"]
    statuses = set(re.findall(r"^  DEVICE_(\w+) = \d,? +/\*", header, re.MULTILINE))
    assert statuses >= {"FAILED", "REFUSED", "ARGUMENT", "LATE", "ABSENT"}
    assert set(re.findall(r"^\| `(\w+)` \|", said.split("bit of `ERROR`")[0], re.MULTILINE)) == statuses
    bits = set(re.findall(r"^#define DEVICE_ERROR_(\w+)_MASK", registers_header(engine), re.MULTILINE))
    assert set(re.findall(r"^\| `(\w+)` \|", said.split("bit of `ERROR`")[1], re.MULTILINE)) == bits
    assert ("LOCKED" in said, "BROKEN" in said) == ("self_test" in fields,) * 2
    assert ("`device_clear`" in said, "reset the device" in said) == ("clear" in fields, "clear" not in fields)


def test_ports_that_may_be_unused_are_named_and_no_others() -> None:
    plain = section(small("tl-ul"))
    assert "Unused inputs" not in plain
    assert "s_ahb" not in plain
    fields = {"clear": True, "alarm": True, "sideload": True, "data_streams": True}
    whole = section(aesmith.engine("gcm-small", name="device", bus="ahb-lite", **fields).design)
    assert "`s_ahb_hreadyout` to 1" in whole
    [unused] = re.findall(r"Unused inputs.*", whole)
    named = {"clear_i", "alarm_i", "debug_i", "sideload_valid_i", "s_axis_tvalid", "m_axis_tready"}
    assert set(re.findall(r"`(\w+)`", unused)) == named
    assert "Synchronise `alarm_i`, `debug_i`, `clear_i`, too." in whole


def test_reset_and_gates_are_those_of_the_design(tiny: CoreDesign) -> None:
    assert "asynchronous: assert it at any time" in section(tiny)
    assert "the only false path is the edge that asserts the reset" in section(tiny)
    reset = Reset("rst_i", active=1, synchronous=True)
    other = section(replace(tiny, ports=replace(tiny.ports, reset=reset)))
    assert "`rst_i`, active high, synchronous: hold it for a clock" in other
    assert "no multicycle paths and no false ones" in other
    assert "clock gates" not in section(tiny)
    gated = build_design(load_specification("serial-shared-small-enc"), "core", "serial-shared-small-enc")
    assert "held by clock gates, the module `core_clock_gate`" in section(gated)


@pytest.mark.parametrize("release", ["verified", "cut-through"])
def test_engines_say_what_to_do_with_their_verdicts_and_which_memory_may_be_a_macro(release: str) -> None:
    engine = MultiModeEngine("device", stand_in(10, 11), modes=("gcm",), digit=8, release=release)
    said = section(engine)
    assert "At *failed*, discard the message's text" in said
    assert ("`device_release_memory`" in said) == (release == "verified")

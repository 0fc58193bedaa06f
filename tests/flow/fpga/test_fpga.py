"""FPGA figures: counts of the core alone, clocks from nextpnr, refusals before any work."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesmith.cores.design import CoreDesign
from aesmith.cores.serial.family import FAMILY
from aesmith.errors import RequestError, ToolError
from aesmith.flow.fpga.devices import DEVICES, device_named
from aesmith.flow.fpga.measure import DEFAULT_TIMING_WEIGHT, check_request, measure_on, run_key
from aesmith.flow.fpga.nextpnr import PlacedRun, Unrouted, nextpnr_version, place_and_route, require_nextpnr
from aesmith.flow.fpga.synthesis import Counts, count, synthesise_for, wrapper_source


@pytest.fixture(scope="module")
def serial() -> CoreDesign:
    """The smallest core there is."""
    return FAMILY.presets["wang2010-s1-enc"].design("serial", "wang2010-s1-enc")


def test_all_ports_of_a_core_are_in_the_wrapper(serial: CoreDesign) -> None:
    text = wrapper_source(serial)
    for port in ("key_i", "block_i", "block_o", "rst_ni", "block_ready_i", "block_valid_o"):
        assert re.search(rf"\.{port}\s*\(", text), port
    assert "decrypt_i" not in text


def test_no_gate_of_the_wrapper_is_between_an_output_and_its_register(serial: CoreDesign) -> None:
    uses = [line for line in wrapper_source(serial).splitlines() if re.search(r"\bresult\b(?!\[)", line)]
    assert [line.strip() for line in uses if not line.lstrip().startswith("wire")] == ["result_q <= result;"]


def test_cells_are_counted_as_what_they_take() -> None:
    cells = {"LUT4": 10, "CCU2C": 3, "PFUMX": 4, "TRELLIS_FF": 7, "DP16KD": 2, "TRELLIS_DPR16X4": 1}
    counts = count(cells, device_named("ecp5-45k"))
    assert (counts.luts, counts.flip_flops, counts.memories) == (10 + 6 + 4, 7, 2)
    counts = count({"LUT6": 4, "LUT2": 1, "FDRE": 5, "FDCE": 2, "MUXF7": 9, "RAMB18E1": 1}, device_named("xc7"))
    assert (counts.luts, counts.flip_flops, counts.memories) == (5, 7, 1)


@pytest.mark.parametrize(
    ("device", "seeds", "speed", "message"),
    [
        ("ice40-hx8k", 0, None, "seeds: must be at least 1, not 0"),
        ("ecp5-85k", 1, "9", "speed: must be one of 6, 7, 8 for ecp5-85k, not '9'"),
        ("ice40-hx8k", 1, "8", "speed: must be left out for ice40-hx8k"),
    ],
)
def test_wrong_requests_are_refused(device: str, seeds: int, speed: str | None, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        check_request(device_named(device), seeds, speed)


@pytest.mark.parametrize(
    ("device", "placer", "valid"), [("ecp5-85k", "wood", "heap or static"), ("ice40-hx8k", "static", "heap")]
)
def test_a_placer_that_there_is_not_is_refused(device: str, placer: str, valid: str) -> None:
    with pytest.raises(RequestError, match=f"placer: must be {valid} for {device}, not '{placer}'"):
        check_request(device_named(device), 1, None, placer)


def test_luts_are_not_joined_to_wider_ones_where_that_is_asked_and_there_are_any() -> None:
    plain = device_named("ecp5-85k").without_wide_luts()
    assert plain.synthesis == "synth_ecp5 -nowidelut"
    assert plain.title.endswith("CABGA381, no wide LUTs")
    with pytest.raises(RequestError, match="no-wide-luts: must be left out for ice40-hx8k"):
        device_named("ice40-hx8k").without_wide_luts()


@pytest.mark.thorough
@pytest.mark.slow
def test_a_core_without_wide_luts_has_no_multiplexer_between_luts(serial: CoreDesign, tmp_path: Path) -> None:
    device = DEVICES["ecp5-85k"]
    joined = synthesise_for(serial, device, tmp_path / "joined").cells
    plain = synthesise_for(serial, device.without_wide_luts(), tmp_path / "plain").cells
    assert joined["PFUMX"] > 0
    assert not {"PFUMX", "L6MUX21"} & plain.keys()


def test_an_unknown_device_is_refused_with_all_there_are() -> None:
    with pytest.raises(RequestError, match=r"ecp5-25k, .*, not 'spartan'"):
        device_named("spartan")


@pytest.mark.thorough
@pytest.mark.slow
def test_amd_parts_are_counted_and_marked_as_not_placed(serial: CoreDesign, tmp_path: Path) -> None:
    measurement = measure_on(serial, DEVICES["xc7"], tmp_path)
    assert measurement.luts > 100
    # Shift registers are LUTs in these parts.
    shifts = measurement.cells.get("SRL16E", 0)
    assert 0 < shifts < measurement.luts
    assert measurement.flip_flops > 50
    assert measurement.fmax_mhz is None
    assert measurement.mbps_per_lut is None
    assert measurement.runs == ()
    assert "fmax_mhz" in measurement.gaps
    assert any("not placed" in condition for condition in measurement.conditions)


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_a_core_is_placed_with_every_seed_and_the_best_counts(serial: CoreDesign, tmp_path: Path) -> None:
    steps: list[str] = []
    device = DEVICES["ice40-up5k"]
    measurement = measure_on(serial, device, tmp_path, seeds=2, progress=lambda step, _done, _total: steps.append(step))
    clocks = [run.fmax_mhz for run in measurement.runs]
    assert [run.seed for run in measurement.runs] == [1, 2]
    assert measurement.fmax_mhz == max(clocks) > 1
    assert measurement.throughput_mbps == pytest.approx(max(clocks) * 128 / serial.cycles_per_block)
    assert measurement.runs[0].used > measurement.luts
    assert steps[0] == "synthesis"
    assert steps[-1] == "done"
    again = place_and_route(
        device, tmp_path, 1, speed=None, target_mhz=400, timing_weight=DEFAULT_TIMING_WEIGHT, timeout_s=600
    )
    assert isinstance(again, PlacedRun)
    assert again.fmax_mhz == clocks[0]


class Shelf(dict[str, dict[str, Any]]):
    """Keeps runs in memory, as a result store does in a file."""

    def get_fpga_run(self, key: str) -> dict[str, Any] | None:
        return self.get(key)

    def put_fpga_run(self, key: str, design: str, device: str, run: Mapping[str, Any]) -> None:
        assert (design, device) == ("serial", "ice40-up5k")
        self[key] = dict(run)


def test_what_is_kept_is_not_done_again(serial: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    counts = Counts(luts=10, flip_flops=5, memories=0, cells={"SB_LUT4": 10})

    def synthesise(*_: object, **__: object) -> Counts:
        done.append("synthesis")
        return counts

    def place(_device: object, _folder: object, seed: int, **_: object) -> PlacedRun:
        done.append(seed)
        if seed == 3:
            raise ToolError("nextpnr: power cut")
        return PlacedRun(seed, 100.0 + seed, 12, 5280, 1.0)

    monkeypatch.setattr("aesmith.flow.fpga.measure.synthesise_for", synthesise)
    monkeypatch.setattr("aesmith.flow.fpga.measure.place_and_route", place)
    kept, device = Shelf(), DEVICES["ice40-up5k"]
    with pytest.raises(ToolError, match="power cut"):
        measure_on(serial, device, tmp_path, seeds=3, kept=kept)
    assert done == ["synthesis", 1, 2, 3]
    found = measure_on(serial, device, tmp_path, seeds=2, kept=kept)
    assert done == ["synthesis", 1, 2, 3], "all of it was kept"
    assert (found.from_store, found.fmax_mhz, found.luts) == (3, 102.0, 10)
    measure_on(serial, device, tmp_path, seeds=1, target_mhz=50, kept=kept)
    measure_on(serial, device, tmp_path, seeds=1, kept=kept, refresh=True)
    assert done[4:] == ["synthesis", 1, "synthesis", 1], "another target needs the netlist again; refreshing does all"


CLOCK = "Failed to route arc 0.0 of net 'clk$TRELLIS_IO_IN', from X69/Y0/JPADDIA_PIO to X0/Y0/G_CLKI_TDCC0."


def test_a_seed_that_cannot_be_routed_is_kept_and_told_and_the_others_count(
    serial: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def place(_device: object, _folder: object, seed: int, **_: object) -> PlacedRun | Unrouted:
        asked.append(seed)
        return Unrouted(seed, CLOCK) if seed != 2 else PlacedRun(seed, 90.0, 12, 5280, 1.0)

    counts = Counts(luts=10, flip_flops=5, memories=0, cells={"SB_LUT4": 10})
    monkeypatch.setattr("aesmith.flow.fpga.measure.synthesise_for", lambda *_, **__: counts)
    monkeypatch.setattr("aesmith.flow.fpga.measure.place_and_route", place)
    kept, device = Shelf(), DEVICES["ice40-up5k"]
    for _ in range(2):
        found = measure_on(serial, device, tmp_path, seeds=3, kept=kept)
        assert asked == [1, 2, 3], "not routed again, either"
        assert [run.seed for run in found.runs] == [2]
        assert (found.fmax_mhz, found.median_fmax_mhz, found.steps) == (90.0, 90.0, 4)
        assert list(found.gaps.values()) == [f"serial: seed {n} is not routed: {CLOCK}" for n in (1, 3)]
    with pytest.raises(ToolError, match="no placement of 1 is routed: Failed to route"):
        measure_on(serial, device, tmp_path, seeds=1, kept=kept)


VERSION = "if [ $1 = --version ]; then echo '\"nextpnr-ice40\" (Version nextpnr-0.11.1)' >&2; exit 0; fi\n"
REPORT = '{"fmax": {"clk": {"achieved": 123.4}}, "utilization": {"ICESTORM_LC": {"used": 12, "available": 5280}}}'


def _native(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A nextpnr-ice40 that is found before the wheel."""
    program = folder / "nextpnr-ice40"
    program.write_text(f"#!/bin/sh\n{body}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


@pytest.mark.parametrize(
    ("said", "routed"),
    [(CLOCK, False), ("Failed to find a route for arc 3 of net n7.", False), ("cell type 'X' is unsupported", None)],
)
def test_what_nextpnr_cannot_route_is_no_failure_of_the_tool(
    said: str, routed: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _native(tmp_path, f"{VERSION}echo 'Info: Routing'\necho {shlex.quote(f'ERROR: {said}')}\nexit 1\n", monkeypatch)
    how: dict[str, Any] = {"speed": None, "target_mhz": 100, "timing_weight": 10, "timeout_s": 60}
    if routed is None:
        with pytest.raises(ToolError, match="unsupported"):
            place_and_route(DEVICES["ice40-up5k"], tmp_path, 1, **how)
    else:
        assert place_and_route(DEVICES["ice40-up5k"], tmp_path, 1, **how) == Unrouted(1, said)


def test_a_native_nextpnr_is_taken_before_the_wheel_and_its_runs_are_kept_apart(
    serial: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = DEVICES["ice40-up5k"]

    def key() -> str:
        return run_key(serial, device, speed=None, target_mhz=100, timing_weight=10, seed=1)

    wheel = key()
    asked = tmp_path / "asked"
    called = f"printf '%s ' \"$@\" > '{asked}'\nprintf '%s' '{REPORT}' > report-7.json\n"
    _native(tmp_path, VERSION + called, monkeypatch)
    assert nextpnr_version(device) == "0.11.1 (native)"
    assert key() != wheel
    placed = place_and_route(device, tmp_path, 7, speed=None, target_mhz=80.5, timing_weight=9, timeout_s=60)
    assert isinstance(placed, PlacedRun)
    assert (placed.seed, placed.fmax_mhz, placed.used, placed.available) == (7, 123.4, 12, 5280)
    for option in ("--up5k --package sg48", "--seed 7", "--freq 80.5", "--placer-heap-timingweight 9"):
        assert f"{option} " in asked.read_text()
    place_and_route(device, tmp_path, 7, placer="static", speed=None, target_mhz=80, timing_weight=9, timeout_s=60)
    assert "--placer static " in asked.read_text()
    assert "timingweight" not in asked.read_text()


def test_routing_for_another_clock_is_a_second_run_from_what_the_first_one_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = replace(DEVICES["ice40-up5k"], route_target_mhz=79)
    written = '{"modules": {"top": {"settings": {"target_freq": "90000000.000000"}}, "LUT4": {}}}'
    body = (
        f"printf '%s ' \"$@\" >> '{tmp_path}/asked'\necho >> '{tmp_path}/asked'\n"
        f"case \"$*\" in *--no-route*) printf '%s' '{written}' > placed-7.json;; "
        f"*) printf '%s' '{REPORT}' > report-7.json;; esac\n"
    )
    _native(tmp_path, VERSION + body, monkeypatch)
    found = place_and_route(device, tmp_path, 7, speed=None, target_mhz=90, timing_weight=9, timeout_s=60)
    assert isinstance(found, PlacedRun)
    first, second = (tmp_path / "asked").read_text().splitlines()
    assert "--freq 90 " in first
    assert "--no-route --write placed-7.json" in first
    assert "--report" not in first
    assert "--json placed-7.json --no-pack --no-place --tmg-ripup --report report-7.json" in second
    assert "--freq" not in second
    settings = json.loads((tmp_path / "placed-7.json").read_text())["modules"]["top"]["settings"]
    assert float(settings["target_freq"]) == 79e6


@pytest.mark.parametrize("body", ["exit 127\n", "echo 'error while loading shared libraries: libboost'\nexit 127\n"])
def test_a_native_nextpnr_that_does_not_run_is_named_before_any_work(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _native(tmp_path, body, monkeypatch)
    with pytest.raises(ToolError, match=re.escape(f"{tmp_path}/nextpnr-ice40: ")):
        require_nextpnr(DEVICES["ice40-up5k"])


@pytest.mark.slow
def test_a_device_that_is_too_small_is_an_error_that_says_by_how_much(tmp_path: Path) -> None:
    (tmp_path / "netlist.json").write_text(_many_registers(6000))
    with pytest.raises(
        RequestError, match=r"ice40-up5k is too small: it has 5,280 ICESTORM_LC .* needs 6,\d+ \(1\d % more"
    ):
        place_and_route(DEVICES["ice40-up5k"], tmp_path, 1, speed=None, target_mhz=100, timing_weight=10, timeout_s=600)


def _many_registers(number: int) -> str:
    """A netlist of a shift register, as Yosys would write it."""
    cells = ",".join(
        f'"r{i}":{{"type":"SB_DFF","parameters":{{}},"attributes":{{}},"port_directions":'
        f'{{"C":"input","D":"input","Q":"output"}},"connections":{{"C":[2],"D":[{3 + i}],"Q":[{4 + i}]}}}}'
        for i in range(number)
    )
    ports = (
        f'"clk":{{"direction":"input","bits":[2]}},"d":{{"direction":"input","bits":[3]}},'
        f'"q":{{"direction":"output","bits":[{3 + number}]}}'
    )
    top = f'{{"attributes":{{"top":"1"}},"ports":{{{ports}}},"cells":{{{cells}}},"netnames":{{}}}}'
    return f'{{"modules":{{"top":{top}}}}}'

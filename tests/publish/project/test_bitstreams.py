"""Projects as a user builds them: bitstreams with open tools, and the self-test in the cells of each device."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from aesmith.api import core
from aesmith.cores.design import CoreDesign
from aesmith.flow.fpga.devices import DEVICES
from aesmith.flow.fpga.nextpnr import program_of
from aesmith.flow.verilog2005 import verilog2005
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.publish.package import write_files
from aesmith.publish.project.boards import BOARDS
from aesmith.publish.project.files import project_files, project_folder

pytestmark = [pytest.mark.thorough, pytest.mark.slow]
SMALLEST = "serial-small-enc"
WITH_WHEELS = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
"""Where make finds what pip installed."""


def written(preset: str, board: str, folder: Path) -> tuple[CoreDesign, Path]:
    """A core's one-file Verilog and its project for a board, and where the project is."""
    design = core(preset).design
    assert isinstance(design, CoreDesign)
    verilog = verilog2005(design, f"{preset}.\n", folder / "work")
    write_files({f"{design.name}.v": verilog, **project_files(design, BOARDS[board])}, folder)
    return design, folder / project_folder(BOARDS[board])


def made(preset: str, board: str, folder: Path) -> Path:
    """The bitstream that `make` leaves."""
    design, here = written(preset, board, folder)
    call = ["make", f"PYTHON={sys.executable}"]
    ran = subprocess.run(call, cwd=here, env=WITH_WHEELS, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
    (bitstream,) = (file for end in ("bin", "bit", "fs") for file in here.glob(f"{design.name}_selftest.{end}"))
    return bitstream


def lines(text: Path, begin: str = "") -> Counter[str]:
    """The lines of a text that begin so, without those for people alone."""
    kept = (line for line in text.read_text().splitlines() if line and not line.startswith((".sym", ".comment")))
    return Counter(line for line in kept if line.startswith(begin))


def test_the_icebreaker_s_bitstream_is_what_was_routed(tmp_path: Path) -> None:
    bitstream = made(SMALLEST, "icebreaker", tmp_path)
    back = bitstream.with_name("back.asc")
    subprocess.run(["yowasp-iceunpack", bitstream.name, back.name], cwd=bitstream.parent, env=WITH_WHEELS, check=True)
    routed, found = lines(bitstream.with_suffix(".asc")), lines(back)
    assert routed - found == Counter()
    # Block memories that nobody uses are in the bitstream, and empty.
    assert all(line.startswith(".ram_data") or not line.strip("0") for line in found - routed)
    assert routed[".device 5k"] == 1


def test_the_ulx3s_bitstream_has_the_tables_that_were_routed(tmp_path: Path) -> None:
    bitstream = made("ueno2020-enc", "ulx3s", tmp_path)
    back = bitstream.with_name("back.config")
    unpack = ["yowasp-ecpunpack", "--input", bitstream.name, "--textcfg", back.name]
    said = subprocess.run(unpack, cwd=bitstream.parent, env=WITH_WHEELS, check=True, capture_output=True, text=True)
    # The identity of an LFE5U-85F.
    assert "device ID: 0x41113043" in said.stdout + said.stderr
    routed, found = lines(bitstream.with_suffix(".config"), "word: "), lines(back, "word: ")
    # A table of ones is what a device without one has: the way back does not write it.
    assert {line for line in routed - found if not line.endswith(f" {'1' * 16}")} == set()
    assert found - routed == Counter()
    assert sum(found.values()) > 2000


def test_the_tang_nano_s_bitstream_is_made_with_open_tools(tmp_path: Path) -> None:
    bitstream = made(SMALLEST, "tang-nano-20k", tmp_path)
    frames = [line for line in bitstream.read_text().splitlines() if not line.startswith("//")]
    assert len(frames) > 1000
    assert all(set(line) <= {"0", "1"} for line in frames)


def test_a_clock_that_is_not_met_gives_no_bitstream(tmp_path: Path) -> None:
    _, here = written(SMALLEST, "icebreaker", tmp_path)
    makefile = here / "Makefile"
    makefile.write_text(makefile.read_text().replace("--freq 12 ", "--freq 120 "))
    call = ["make", f"PYTHON={sys.executable}"]
    # Nor does the second try go on with what the first one left.
    for _ in range(2):
        ran = subprocess.run(call, cwd=here, env=WITH_WHEELS, capture_output=True, text=True, check=False)
        assert ran.returncode != 0
        assert not list(here.glob("*.bin"))


@dataclass(frozen=True)
class Modelled:
    """A device, and Yosys' models of its cells in Verilog; `floating` is what an open input is in the device."""

    device: str
    models: tuple[str, ...]
    floating: str = ""


MODELLED = (
    Modelled("ice40-up5k", ("ice40/cells_sim.v",)),
    Modelled("ecp5-25k", ("ecp5/cells_sim.v",)),
    Modelled("gowin-gw2a-18", ("gowin/cells_sim.v",)),
    Modelled("gatemate-a1", ("gatemate/cells_sim.v",)),
    Modelled("nexus-40", ("nexus/cells_sim.v",), floating="one"),
    Modelled("xc7", ("xilinx/cells_sim.v",)),
    Modelled("xcup", ("xilinx/cells_sim.v",)),
    Modelled("cyclonev", tuple(f"intel_alm/common/{name}_sim.v" for name in ("alm", "dff", "mem", "misc"))),
    Modelled("k6n10f", ("quicklogic/common/cells_sim.v", "quicklogic/qlf_k6n10f/cells_sim.v")),
    Modelled("trion", ("efinix/cells_sim.v",)),
)


"""Those of which Yosys has models that simulate: the flip-flops of its Intel LUT4 families do not know how they begin,
and its pass for PolarFire refuses registers that begin with a value, as those of the self-test do."""


def benched(here: Path, netlist: str, modelled: Modelled, preset: str = SMALLEST, further: str = "") -> str:
    """What the bench says of a netlist of the self-test, by Yosys' models of its cells and `further` ones."""
    top = f"{core(preset).design.name}_selftest"
    (here / "further.v").write_text(further)
    flat = [
        f"read_verilog {netlist}",
        "read_verilog further.v",
        *(f"read_verilog -overwrite +/{model}" for model in modelled.models),
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        *([f"setundef -undriven -{modelled.floating}"] if modelled.floating else []),
        "opt_clean",
        "write_verilog -noattr flat.v",
    ]
    run_script(flat, here / "flat.log", timeout_s=1800)
    bench = ["iverilog", "-g2005", "-DNETLIST", "-DBIT_CLOCKS=2", "-s", "tb_selftest", "-o", "bench.vvp"]
    subprocess.run([*bench, "tb_selftest.v", "flat.v"], cwd=here, check=True)
    return subprocess.run(["vvp", "-n", "bench.vvp"], cwd=here, check=True, capture_output=True, text=True).stdout


def mapped(modelled: Modelled, folder: Path, preset: str = SMALLEST, *, memories: bool = False) -> tuple[Path, str]:
    """The self-test with a core in a device's cells, netlist.v and netlist.json, and its top; with `memories` of the
    core's SystemVerilog, of which the one-file Verilog has registers."""
    design, here = written(preset, "icebreaker", folder)
    device, top = DEVICES[modelled.device], f"{design.name}_selftest"
    read = [f"read_verilog ../../{design.name}.v"]
    if memories:
        read = read_commands(design, write_sources(design, here), keep_hierarchy=False, memories=True)
    commands = [
        *read,
        "read_verilog selftest.v",
        f"chparam -set BIT_CLOCKS 2 -set PAUSE_BITS 4 {top}",
        # Not every pass flattens; that of AMD does not end with the S-box as a module of its own.
        *(f"hierarchy -top {top}", "proc", "flatten"),
        f"{device.synthesis} -top {top}",
        *device.pads,
        "write_verilog -noattr netlist.v",
        "write_json netlist.json",
    ]
    run_script(commands, here / "mapped.log", timeout_s=1800)
    return here, top


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("modelled", MODELLED, ids=lambda modelled: modelled.device)
def test_the_self_test_passes_in_the_cells_of_each_family(modelled: Modelled, tmp_path: Path) -> None:
    here, _ = mapped(modelled, tmp_path)
    said = benched(here, "netlist.v", modelled).splitlines()
    assert said[1] == "e 69c4e0d86a7b0430d8cdb78070b4c55a OK"
    assert said[-1] == "PASS: 4 known answers, LED lit"


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
def test_a_netlist_with_a_wrong_table_fails(tmp_path: Path) -> None:
    def inverted(netlist: str) -> str:
        """The hundredth table, the other way round."""
        found = list(re.finditer(r"\.LUT_INIT\(16'h(\w+)\)", netlist))[100]
        assert found[1] != "xxxx"
        return f"{netlist[: found.start(1)]}{0xFFFF ^ int(found[1], 16):04x}{netlist[found.end(1) :]}"

    here, _ = mapped(MODELLED[0], tmp_path)
    netlist = here / "netlist.v"
    netlist.write_text(inverted(netlist.read_text()))
    assert benched(here, "netlist.v", MODELLED[0]).splitlines()[-1].startswith("FAIL")


@pytest.mark.one_in(4)
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
def test_the_icebreaker_s_netlist_passes_after_routing(tmp_path: Path) -> None:
    here, top = mapped(MODELLED[0], tmp_path)
    device = DEVICES[MODELLED[0].device]
    pins = ["--pcf", "icebreaker.pcf", "--json", "netlist.json", "--write", "routed.json", "--freq", "12"]
    subprocess.run([program_of(device), *device.arguments, *pins], cwd=here, check=True, capture_output=True)
    run_script(["read_json routed.json", f"rename top {top}", "write_verilog -noattr routed.v"], here / "routed.log")
    assert "ICESTORM_LC" in (here / "routed.v").read_text()
    said = benched(here, "routed.v", MODELLED[0]).splitlines()
    assert said[-1] == "PASS: 4 known answers, LED lit"


IN_MEMORIES = "serial-memory-enc"
_RAM_PINS = {"RADDR": 11, "WADDR": 11, "WDATA": 16, "MASK": 16}
_RAM_CONTROLS = ("RCLK", "RCLKE", "RE", "WCLK", "WCLKE", "WE")


def placed_ram() -> str:
    """A block memory as nextpnr writes it, a pin a bit, around Yosys' model of it."""
    inputs = [f"{pin}_{bit}" for pin, bits in _RAM_PINS.items() for bit in range(bits)]
    outputs = [f"RDATA_{bit}" for bit in range(16)]
    contents = [f"INIT_{row:X}" for row in range(16)]
    parameters = [*(f"parameter [255:0] {name} = 256'bx" for name in contents)]
    parameters += [f"parameter {name} = {value}" for name, value in (("READ_MODE", 0), ("WRITE_MODE", 0))]
    parameters += [f"parameter [0:0] {name} = 0" for name in ("NEG_CLK_R", "NEG_CLK_W", "NEG_CLK")]
    joined = [
        f".{pin}({{{', '.join(f'{pin}_{bit}' for bit in reversed(range(bits)))}}})"
        for pin, bits in {**_RAM_PINS, "RDATA": 16}.items()
    ]
    names = [*contents, "READ_MODE", "WRITE_MODE"]
    return "\n".join(
        (
            f"module ICESTORM_RAM #({', '.join(parameters)}) (",
            ", ".join([*(f"input {pin}" for pin in (*inputs, *_RAM_CONTROLS)), *(f"output {pin}" for pin in outputs)]),
            ");",
            f"SB_RAM40_4K #({', '.join(f'.{name}({name})' for name in names)}) ram",
            f"({', '.join([*joined, *(f'.{pin}({pin})' for pin in _RAM_CONTROLS)])});",
            "endmodule",
        )
    )


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
@pytest.mark.parametrize("device", ["ice40-up5k", "xc7"])
def test_the_self_test_passes_with_the_core_in_memories_of_the_device(device: str, tmp_path: Path) -> None:
    (modelled,) = (one for one in MODELLED if one.device == device)
    here, _ = mapped(modelled, tmp_path, IN_MEMORIES, memories=True)
    memory = {"ice40-up5k": "SB_RAM40_4K", "xc7": "RAM64M"}[device]
    assert f" {memory} " in (here / "netlist.v").read_text()
    said = benched(here, "netlist.v", modelled, IN_MEMORIES).splitlines()
    assert said[-1] == "PASS: 4 known answers, LED lit"


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
def test_the_core_in_memories_passes_after_routing_and_not_with_a_wrong_byte_in_its_table(tmp_path: Path) -> None:
    here, top = mapped(MODELLED[0], tmp_path, IN_MEMORIES, memories=True)
    device = DEVICES[MODELLED[0].device]
    pins = ["--pcf", "icebreaker.pcf", "--json", "netlist.json", "--write", "routed.json", "--freq", "12"]
    subprocess.run([program_of(device), *device.arguments, *pins], cwd=here, check=True, capture_output=True)
    run_script(["read_json routed.json", f"rename top {top}", "write_verilog -noattr routed.v"], here / "routed.log")
    routed = (here / "routed.v").read_text()
    assert routed.count("ICESTORM_RAM ") == 3
    said = benched(here, "routed.v", MODELLED[0], IN_MEMORIES, placed_ram()).splitlines()
    assert said[-1] == "PASS: 4 known answers, LED lit"
    found = next(re.finditer(r"\.INIT_3\(256'h([0-9a-f]{64})\)", routed))
    wrong = f"{int(found[1], 16) ^ (1 << 100):064x}"
    (here / "routed.v").write_text(routed[: found.start(1)] + wrong + routed[found.end(1) :])
    said = benched(here, "routed.v", MODELLED[0], IN_MEMORIES, placed_ram()).splitlines()
    assert said[-1].startswith("FAIL")

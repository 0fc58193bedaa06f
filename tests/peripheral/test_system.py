"""The system with a processor in packages of engines with registers: LiteX takes it, its firmware runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.object_cache import object_cache

import aesmith
from aesmith.flow.verilator import find_verilator
from aesmith.modes.engine import StreamEngine
from aesmith.peripheral.files import peripheral_files
from aesmith.peripheral.system import BUSES, SIZES, digest_of, system_files

COMPILER = "riscv64-unknown-elf-gcc"
FIELDS: dict[str, dict[str, object]] = {
    "axi4-lite": {"preset": "multi-compact", "data_streams": True},
    "wishbone": {"preset": "gcm-small", "self_test": "on_request", "clear": True},
}


def engine(bus: str) -> StreamEngine:
    """An engine whose system is tried."""
    preset, fields = (
        str(FIELDS[bus]["preset"]),
        {name: value for name, value in FIELDS[bus].items() if name != "preset"},
    )
    return aesmith.engine(preset, name="my_aes", bus=bus, **fields).design


def placed(design: StreamEngine, folder: Path) -> Path:
    """What a package has for its system, and the system's folder."""
    files = {f"rtl/{source.name}": source.text for source in design.sources} | peripheral_files(design)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder / "system"


def make(system: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`make` in the folder of a system, by the Verilator and the Python of these tests."""
    environment = {**os.environ, **find_verilator().environment(), **object_cache(), "PYTHON": sys.executable}
    for inherited in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(inherited, None)
    command = ["make", f"PYTHON={sys.executable}", f"BYTES={SIZES[0]}", *arguments]
    return subprocess.run(
        command, cwd=system, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )


def edited(file: Path, old: str, new: str) -> None:
    """Another text in a file, where the old one stood once."""
    text = file.read_text()
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new))


needs_compiler = pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"{COMPILER} is not installed")


@pytest.mark.parametrize("bus", BUSES)
def test_litex_writes_the_system_with_the_device_in_it(bus: str, tmp_path: Path) -> None:
    design = engine(bus)
    system = placed(design, tmp_path)
    ended = make(system, "build/system.v")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    text = (system / "build" / "system.v").read_text()
    instance = text[text.index("my_aes my_aes") :]
    instance = instance[: instance.index(");")]
    connected = {
        line.strip().split(" ")[0].strip(".(") for line in instance.splitlines() if line.strip().startswith(".")
    }
    # What nothing reads may be left open.
    assert {port.name for port in design.ports} - connected <= {
        *("dma_in_o", "dma_out_o", "m_axis_tuser", "m_axis_tlast", "s_wb_stall", "cleared_o"),
        "self_test_failed_o",
    }
    assert "VexRiscv.v" in (system / "build" / "sources.txt").read_text()


@needs_compiler
@pytest.mark.parametrize("bus", BUSES)
def test_the_firmware_compiles_without_a_warning_for_each_size(bus: str, tmp_path: Path) -> None:
    system = placed(engine(bus), tmp_path)
    for size in SIZES:
        ended = make(system, "build/system_rom.init", f"BYTES={size}")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "warning" not in ended.stderr
    ended = make(system, "build/system_rom.init", "BYTES=77")
    assert ended.returncode != 0
    assert "BYTES must be 1024 or 65536" in ended.stderr


def test_other_buses_have_no_system_and_a_digest_is_fnv_1a() -> None:
    """The two values of the digest are of the page of its authors."""
    assert system_files(aesmith.engine("gcm-small", bus="apb").design) == {}
    assert system_files(aesmith.engine("gcm-small").design) == {}
    assert (digest_of(b""), digest_of(b"a"), digest_of(b"foobar")) == (0x811C9DC5, 0xE40C292C, 0xBF9CF968)


@needs_compiler
@pytest.mark.thorough(but=("wishbone",))
@pytest.mark.slow
@pytest.mark.parametrize("bus", BUSES)
def test_the_processor_uses_the_device_in_all_its_modes(bus: str, tmp_path: Path) -> None:
    design = engine(bus)
    system = placed(design, tmp_path)
    ended = make(system)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    lines = ended.stdout.splitlines()
    assert lines[-1] == "PASS"
    for view in design.views:
        [line] = [line for line in lines if line.startswith(f"{view.mode}:")]
        assert ("DMA" in line, "interrupt" in line) == (design.data_streams, design.data_streams)
    # The same system with a wrong answer expected: only the firmware is made again.
    header = system / "expected.h"
    wanted = header.read_text()
    at = wanted.index("0x", wanted.index('{"gcm"'))
    header.write_text(f"{wanted[:at]}0x{int(wanted[at + 2 : at + 10], 16) ^ 1:08x}{wanted[at + 10 :]}")
    ended = make(system)
    assert ended.returncode != 0
    assert "gcm: encryption is wrong" in ended.stdout
    assert "FAIL" in ended.stdout


@needs_compiler
@pytest.mark.thorough
@pytest.mark.slow
def test_dma_of_64_kib_of_gcm_takes_less_than_three_clocks_for_four_bytes(tmp_path: Path) -> None:
    fields = {"bus": "axi4-lite", "data_streams": True, "beat_registers": True}
    ended = make(placed(aesmith.engine("gcm-compact", name="my_aes", **fields).design, tmp_path), "BYTES=65536")
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    clocks = {name: float(value) for name, value in re.findall(r"(CTR:|DMA|interrupt) +([\d.]+)", ended.stdout)}
    assert clocks["DMA"] < 0.75
    assert clocks["interrupt"] < 0.75
    assert clocks["CTR:"] > 200 * clocks["DMA"]


@needs_compiler
@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("o_irq_o=self.ev.device.trigger", "o_irq_o=Signal()", "the firmware has not ended after 3000000 clocks"),
        ('"i_s_axis_tuser": self.kind.storage', '"i_s_axis_tuser": 2', "gcm: DMA is wrong"),
        (
            'port.aw.addr[:9], "i_s_axil_araddr": port.ar.addr[:9]',
            'port.aw.addr[:8], "i_s_axil_araddr": port.ar.addr[:8]',
            "gcm: encryption ends with an error",
        ),
    ],
    ids=["no interrupt", "headers as text", "half the registers"],
)
def test_a_system_that_is_put_together_wrongly_is_found(old: str, new: str, told: str, tmp_path: Path) -> None:
    design = aesmith.engine("gcm-small", name="my_aes", bus="axi4-lite", data_streams=True).design
    system = placed(design, tmp_path)
    edited(system / "system.py", old, new)
    edited(system / "Makefile", "./obj/Vsystem", "./obj/Vsystem 3000000")
    ended = make(system)
    assert ended.returncode != 0
    assert told in ended.stdout + ended.stderr

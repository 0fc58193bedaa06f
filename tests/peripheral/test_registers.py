"""One table, and what is made of it: RDL, IP-XACT, header and driver say the same, and other tools read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import reduce
from operator import or_
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode
from tests.peripheral.conftest import small

from aesmith import __version__
from aesmith.assurance.peripherals import PeripheralBench
from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.buses import BUSES
from aesmith.modes.engine import StreamEngine
from aesmith.modes.registers import Access, BusRegister, registers_of
from aesmith.modes.specification import parse_engine
from aesmith.peripheral.files import ip_xact, peripheral_files, register_table, registers_header, system_rdl
from aesmith.peripheral.scripts import message_script, register_script, standalone_script

ENGINES: dict[str, dict[str, object]] = {
    "gcm": {"preset": "gcm-small", "bus": "apb"},
    "all": {"preset": "multi-compact", "bus": "axi4-lite", "key_slots": 4, "gcm_iv": "any"},
    "clear": {"preset": "gcm-small", "bus": "tl-ul", "clear": True},
    "ccm": {"preset": "ccm-radio", "bus": "wishbone"},
    "xts": {"preset": "xts-disk", "bus": "ahb-lite"},
    "cbc": {"preset": "cbc-compact", "bus": "apb"},
}

SEVERAL: dict[str, Any] = {"key_slots": 4, "modes": ("gcm", "ctr", "cmac")}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> StreamEngine:
    return parse_engine(ENGINES[request.param]).engine("device", request.param)


def registers(engine: StreamEngine) -> dict[str, BusRegister]:
    return {register.name: register for register in registers_of(engine.behind_bus, __version__)}


def test_systemrdl_compiler_reads_the_same_registers(engine: StreamEngine, tmp_path: Path) -> None:
    (tmp_path / "device.rdl").write_text(system_rdl(engine))
    compiler = RDLCompiler()
    compiler.compile_file(str(tmp_path / "device.rdl"))
    found: dict[str, tuple[int, int]] = {}
    fields: dict[tuple[str, str], tuple[int, int, bool, bool, int]] = {}
    for node in compiler.elaborate().top.descendants(unroll=False):
        if isinstance(node, RegNode):
            count = node.array_dimensions[0] if node.array_dimensions else 1
            found[node.inst_name] = (node.raw_address_offset, count)
        if isinstance(node, FieldNode):
            reset = node.get_property("reset") or 0
            place = (node.parent.inst_name, node.inst_name)
            fields[place] = (node.low, node.high, node.is_sw_readable, node.is_sw_writable, reset)
    assert found == {name: (each.offset, each.count) for name, each in registers(engine).items()}
    assert fields == {
        (name, field.name): (
            field.low,
            field.high,
            field.access is not Access.WRITE,
            field.access is not Access.READ,
            field.reset,
        )
        for name, each in registers(engine).items()
        for field in each.fields
    }


def test_ip_xact_has_the_same_registers_and_ports(engine: StreamEngine) -> None:
    space = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    tree = ElementTree.fromstring(ip_xact(engine))
    found = {
        each.findtext("x:name", "", space): int(each.findtext("x:addressOffset", "", space), 16)
        for each in tree.findall(".//x:register", space)
    }
    assert found == {name: each.offset for name, each in registers(engine).items()}
    ports = [each.findtext("x:name", "", space) for each in tree.findall(".//x:port", space)]
    assert ports == [port.name for port in engine.ports]


def test_the_header_and_the_datasheet_have_the_same_registers(engine: StreamEngine) -> None:
    header, table = registers_header(engine), register_table(engine)
    defined = {name: int(value, 16) for name, value in re.findall(r"#define DEVICE_(\w+) (0x\w+?)u", header)}
    for name, register in registers(engine).items():
        assert defined[name] == register.offset
        assert f"0x{register.offset:03X}" in table
        for field in register.fields:
            assert field.bits == 32 or defined[f"{name}_{field.name}_MASK"] == field.mask
            assert field.about in table


def test_no_two_registers_and_no_two_fields_overlap(engine: StreamEngine) -> None:
    words = [each.offset + 4 * n for each in registers(engine).values() for n in range(each.count)]
    assert len(words) == len({*words})
    for register in registers(engine).values():
        masks = [field.mask for field in register.fields]
        assert sum(masks) == reduce(or_, masks)


@pytest.mark.parametrize("flags", [(), ("-DDEVICE_EXTERNAL_ACCESS",)])
def test_the_driver_is_c99_and_needs_no_library(engine: StreamEngine, flags: tuple[str, ...], tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    assert compiler is not None
    for path, text in peripheral_files(engine).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    strict = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror", "-ffreestanding", "-O2", *flags)
    subprocess.run([compiler, *strict, "-c", "driver/device.c", "-o", "driver.o"], cwd=tmp_path, check=True)
    listed = subprocess.run(["nm", "-u", "driver.o"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    own = {"device_read32", "device_write32"} if flags else set()
    assert {line.split()[-1] for line in listed.splitlines()} == own


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize("bus", BUSES)
def test_it_is_clean_under_lint_on_each_bus(bus: str, tmp_path: Path) -> None:
    # The front is the same on each.
    lint(small(bus, **SEVERAL) if bus == next(iter(BUSES)) else small(bus), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("bus", BUSES)
def test_it_is_clean_under_lint_with_slots_and_modes(bus: str, tmp_path: Path) -> None:
    lint(small(bus, **SEVERAL), tmp_path)


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ENGINES)
def test_the_script_that_travels_passes(name: str, tmp_path: Path) -> None:
    engine = parse_engine(ENGINES[name]).engine("device", name)
    checks, _ = PeripheralBench(engine, tmp_path).run(standalone_script(engine))
    assert checks > 1000


def test_names_and_widths_that_there_are_not_are_refused() -> None:
    with pytest.raises(
        RequestError, match="bus: must be one of apb, axi4-lite, ahb-lite, tl-ul, wishbone, not 'avalon'"
    ):
        parse_engine({"preset": "gcm-small", "bus": "avalon"})
    with pytest.raises(RequestError, match="stream_bits: must be 32 with a bus"):
        parse_engine({"preset": "gcm-small", "bus": "apb", "stream_bits": 64})


def test_scripts_look_at_each_register_and_each_mode() -> None:
    engine = small(modes=("gcm", "ctr", "cmac")).behind_bus
    script = "\n".join(register_script(engine))
    assert all(
        f" {register.offset:x} " in script for register in registers_of(engine, __version__) if not register.window
    )
    modes = {line.split()[1] for line in message_script(engine, Random(1), 9) if line.startswith("message")}
    assert modes == {"7", "4", "5"}

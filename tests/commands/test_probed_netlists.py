"""`aesmith verify --probing --netlist`, with and without `--sample`: a sound netlist passes, one without fresh bits or
with a sum of two shares does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aesmith.cli import run
from aesmith.cores.specification import build_design, parse_specification
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.synthesis import synthesise
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path

CORE = "masked-serial-enc"
FLIP_FLOPS = 941

pytestmark = [pytest.mark.slow, pytest.mark.one_in(2)]


@pytest.fixture(scope="module")
def netlist(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The core in cells of the embedded library, each module by itself."""
    design = build_design(parse_specification({"preset": CORE}), "masked_serial_enc", CORE)
    folder = tmp_path_factory.mktemp("made")
    return synthesise(
        design, read_library(embedded_path()), recipe_by_name("keep-modules"), None, folder
    ).netlist.read_text()


def verified(capsys: pytest.CaptureFixture[str], text: str, folder: Path, *options: str) -> tuple[int, Any, str]:
    """Exit status, the JSON on stdout, and stderr, of the core's verification by its netlist."""
    (folder / "netlist.v").write_text(text)
    capsys.readouterr()
    command = ("verify", CORE, "--probing", "--netlist", str(folder / "netlist.v"), "--liberty", str(embedded_path()))
    status = run([*command, *options, "--json"])
    said = capsys.readouterr()
    return status, json.loads(said.out) if said.out.strip() else None, said.err


def without_fresh_bits(netlist: str) -> str:
    """Four fresh bits of the S-box's first product are 0: what blinds the right operand."""
    for bit in range(4):
        assert f"(random_i[{bit}])" in netlist
        netlist = netlist.replace(f"(random_i[{bit}])", "(1'b0)")
    return netlist


def with_a_sum_of_shares(netlist: str) -> str:
    """A cell that sums a bit of the block in both shares, and that nothing reads."""
    cell = "wire odd; XOR2_X1 there (.A(block_i[0]), .B(block_i[8]), .Z(odd));"
    return netlist.rstrip().removesuffix("endmodule") + cell + "\nendmodule\n"


@pytest.mark.thorough
def test_a_sound_netlist_passes(netlist: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found, _ = verified(capsys, netlist, tmp_path)
    assert status == 0
    assert found["shown"] is True
    assert found["netlist"]["registers"] == FLIP_FLOPS
    assert found["netlist"]["cones"] >= FLIP_FLOPS


@pytest.mark.thorough
def test_a_wire_of_two_shares_in_a_netlist_is_refused(
    netlist: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, said = verified(capsys, with_a_sum_of_shares(netlist), tmp_path)
    assert status == 1
    assert "odd, which nothing reads, reads more than any wire of the sources" in said


@pytest.mark.thorough
def test_a_sound_netlist_is_sampled_and_passes(
    netlist: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found, _ = verified(capsys, netlist, tmp_path, "--sample", "4096")
    assert status == 0
    assert (found["leak"], found["blocks"]) == (False, 4096)
    assert found["probes"] > 300


@pytest.mark.thorough
def test_a_netlist_without_fresh_bits_is_sampled_and_found(
    netlist: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found, said = verified(capsys, without_fresh_bits(netlist), tmp_path, "--sample", "16384")
    assert status == 1
    assert found["leak"] is True
    assert "fixed and random secrets differ" in said

"""A core of somebody else's with keys of several sizes, chosen by a port: one of ours that encrypts stands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.commands.measure import key_size_figures
from aesmith.cores.design import Clocks, Direction
from aesmith.cores.specification import build_design, presets
from aesmith.errors import RequestError
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP, SynthesisPlan
from aesmith.foreign.description import read_description
from aesmith.foreign.design import read_foreign
from aesmith.technology.registry import EMBEDDED, library_by

SIZES = (128, 192, 256)
PLAN = SimulationPlan(random_pairs=20, scenarios=("known-answers", "timing", "random-pairs"))
DESCRIPTION = """\
origin = "a stand-in"
rtl = [RTL]
top = "selectable"
key_bits = [256, 128, 192]
latency_cycles = { 128 = 11, 192 = 13, 256 = 15 }
cycles_per_block = { 128 = 10, 192 = 12.5, 256 = 14 }

[ports]
clock = "clk_i"
reset = "!rst_ni"
tied = { decrypt_i = 0 }

[ports.key_size]
port = "key_bits_i"
values = { 128 = 0, 192 = 1, 256 = 2 }

[ports.key]
data = "key_i"
valid = "key_valid_i"
ready = "key_ready_o"
clocks = 1

[ports.block]
data = "block_i"
valid = "block_valid_i"
ready = "block_ready_o"

[ports.result]
data = "block_o"
valid = "block_valid_o"
ready = "block_ready_i"
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    design = build_design(presets()["ueno2020-encdec-selectable"], "selectable", "stand-in")
    for source in design.sources:
        (tmp_path / source.name).write_text(source.text)
    path = tmp_path / "theirs.toml"
    path.write_text(DESCRIPTION.replace("RTL", ", ".join(f'"{source.name}"' for source in design.sources)))
    return path


@pytest.mark.thorough
@pytest.mark.one_in(2)
def test_all_sizes_are_verified_and_each_has_its_figures(description: Path, tmp_path: Path) -> None:
    design = read_foreign(description, "theirs")
    assert design.key_bits == SIZES
    assert simulate(design, tmp_path / "simulation", PLAN).passed
    found = measure(
        design.measured, library_by(EMBEDDED), Optimise.AREA, tmp_path / "measure", plan=SynthesisPlan((KEEP,))
    )
    figures = key_size_figures(design, found)
    assert {bits: of["cycles_per_block"] for bits, of in figures.items()} == {128: 10, 192: 12.5, 256: 14}
    assert found.cycles_per_block == 14
    throughput = figures[128]["throughput_gbps"]
    assert throughput == pytest.approx(128 / (10 * (found.period_ns or 0)))


@pytest.mark.thorough
def test_wrong_values_and_wrong_clocks_of_one_size_are_found(description: Path, tmp_path: Path) -> None:
    text = description.read_text().replace("192 = 1, 256 = 2", "192 = 2, 256 = 1").replace("128 = 11", "128 = 12")
    description.write_text(text)
    found = simulate(read_foreign(description, "theirs"), tmp_path / "turned", PLAN)
    wrong = {
        bits: [report.name for report in found.failures if report.name.endswith(f"{bits}-bit keys")] for bits in SIZES
    }
    assert wrong[128] == ["timing, 128-bit keys"]
    assert all(f"known-answers, {bits}-bit keys" in wrong[bits] for bits in (192, 256))


@pytest.mark.thorough(but=4)
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("[256, 128, 192]", "[256, 128, 129]", "key_bits.2: Input should be 128, 192 or 256, not 129"),
        ("[256, 128, 192]", "[256, 128]", "ports.key_size.values: must be for 128, 256, each once"),
        ("[256, 128, 192]", "256", "ports.key_size: a core with keys of one size has none"),
        ("128 = 0, 192 = 1", "128 = 1, 192 = 1", "ports.key_size.values: must differ from size to size"),
        ("256 = 2 }", "256 = 4 }", "ports.key_size.values: 256: must fit the 2 bits of key_bits_i, not 4"),
        ('port = "key_bits_i"', 'port = "key"', "ports.key_size.port: there is no port key"),
        ("128 = 11, ", "", "latency_cycles: must say once what encryption with a key of 128 bits takes"),
        (
            "128 = 11,",
            "encrypt = 11, 128 = 11,",
            "latency_cycles: must say once what encryption with a key of 128",
        ),
        ("128 = 10,", "127 = 1, 128 = 10,", "cycles_per_block: 127 is no key size and no direction of this core"),
        (
            "128 = 11",
            "128 = 0",
            "latency_cycles.128: Input should be greater than or equal to 1, not 0",
        ),
    ],
)
def test_what_does_not_fit_is_refused(before: str, after: str, told: str, description: Path) -> None:
    assert before in description.read_text()
    description.write_text(description.read_text().replace(before, after, 1))
    with pytest.raises(RequestError, match=told):
        read_foreign(description, "theirs")


def test_clocks_may_differ_by_direction(description: Path) -> None:
    text = description.read_text().replace("tied = { decrypt_i = 0 }", 'decrypt = "decrypt_i"')
    clocks = '{ encrypt = 15, "128 decrypt" = 21, "192 decrypt" = 23, "256 decrypt" = 25 }'
    text = text.replace("{ 128 = 11, 192 = 13, 256 = 15 }", clocks + '\ndirections = ["encrypt", "decrypt"]')
    description.write_text(text)
    read = read_description(description)
    assert [read.latency(*choice) for choice in read.choices] == [15, 21, 15, 23, 15, 25]
    design = read_foreign(description, "theirs")
    assert (design.cycles_per_block, design.latency_cycles) == (27, 27)
    assert design.clocks(128, Direction.ENCRYPT) == Clocks(17, 17, None)

"""Designs of somebody else's with narrow ports: key, block and result in beats, in the order that the file states."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.errors import RequestError
from aesmith.foreign.design import read_foreign

from .standins import write_standin

PLAN = SimulationPlan(random_pairs=20, scenarios=("known-answers", "timing", "random-stalls", "reset-in-mid-block"))
HEAD = """\
rtl = ["strobe.v", "beats.v"]
top = "beats"
include = ["include"]
language = "verilog-2005"
"""
BYTES = f"""\
{HEAD}
latency_cycles = 44

[ports]
clock = "clk"
reset = "rst"
tied = {{ key_valid = 0, in_valid = 0, out_ready = 1 }}

[ports.key]
data = "key"

[ports.block]
data = "in"
start = "go"

[ports.result]
data = "out"
done = "out_valid"
"""
WORDS = f"""\
{HEAD}
parameters = {{ W = 32, KW = 64, KEY_OWN = 1, PAUSES = 1, LAST_FIRST = 1 }}
latency_cycles = 26

[ports]
clock = "clk"
reset = "rst"
tied = {{ go = 0 }}

[ports.key]
data = "key"
valid = "key_valid"
ready = "key_ready"
clocks = 2
beat_order = "last beat first"

[ports.block]
data = "in"
valid = "in_valid"
ready = "in_ready"
beat_order = "last beat first"

[ports.result]
data = "out"
valid = "out_valid"
ready = "out_ready"
beat_order = "last beat first"
"""


EARLY = (
    BYTES.replace("latency_cycles = 44", "parameters = { EARLY = 1 }\nlatency_cycles = 45")
    .replace('start = "go"', 'start = "go"\nstart_beat = -1')
)  # fmt: skip
FORGETS = (
    WORDS.replace("LAST_FIRST = 1", "LAST_FIRST = 1, FORGETS = 1")
    .replace("clocks = 2", "clocks = 2\neach_block = true")
    .replace("latency_cycles = 26", "latency_cycles = 30")
)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("description", "wrongs"),
    [
        (EARLY, [("start_beat = -1", "start_beat = 0")]),
        (
            FORGETS,
            [
                ("each_block = true", "each_block = false"),
                ('ready = "key_ready"\n', ""),
                ('ready = "out_ready"\nbeat_order = "last beat first"', 'ready = "out_ready"'),
            ],
        ),
    ],
    ids=["bytes with the key, after an early start", "words with pauses, the key anew each time"],
)
def test_beats_go_in_and_out_as_the_file_says(description: str, wrongs: list[tuple[str, str]], tmp_path: Path) -> None:
    path = write_standin(tmp_path / "standin", description=description)
    right = simulate(read_foreign(path, "theirs"), tmp_path / "right", PLAN)
    assert right.passed, right.failures
    for number, wrong in enumerate(wrongs):
        path.write_text(description.replace(*wrong))
        assert not simulate(read_foreign(path, "theirs"), tmp_path / f"wrong{number}", PLAN).passed, wrong


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("W = 32", "W = 24", "ports.block.data: in has 24 bits, not 128, nor whole bytes that divide the block"),
        ("clocks = 2", "clocks = 1", "ports.key.clocks: must be at least 2, in which the key goes in, not 1"),
        ('valid = "key_valid"', 'valid = "out_valid"', "ports.key.valid: port out_valid is an output, not an input"),
        ('ready = "key_ready"\nclocks = 2', 'ready = "key_ready"', "ports.key: must have either done or clocks"),
    ],
)
def test_beats_that_do_not_fit_are_refused(before: str, after: str, told: str, tmp_path: Path) -> None:
    path = write_standin(tmp_path / "standin", description=WORDS.replace(before, after))
    with pytest.raises(RequestError, match=told):
        read_foreign(path, "theirs")

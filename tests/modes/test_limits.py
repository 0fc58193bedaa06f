"""Engines that take less than their mode allows say so: when they are built, in datasheet and manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.modes.specification import build_engine, engine_presets, parse_engine

LIMITED = {
    "gcm-10g": (
        {"release": "verified", "cores": 1, "digit": 8, "splits": "bbb"},
        "A message to decrypt has at most 80 bytes of header and text (5 blocks), which wait for its tag; longer ones "
        "are refused with code 6; entries = 66 holds 1,024.",
    ),
    "ccm-radio": ({"memory_beats": 4}, "at most 64 bytes of text (4 blocks), which wait for its tag;"),
    "ccm-bytes": ({}, "Messages have at most 65,535 bytes of text; a command that tells more is refused with code 6."),
    "ocb-compact": (
        {"release": "verified", "entries": 6},
        "at most 80 bytes of text (5 blocks), which wait for its tag;",
    ),
    "ctr-pipeline": (
        {"counter_bits": 8},
        "A message has at most 2^8 blocks, which its counter of 8 bits serves;",
    ),
    "gcm-siv-compact": ({"memory_beats": 4}, "at most 64 bytes of text (4 blocks)"),
    "siv-compact": ({"memory_beats": 4}, "at most 64 bytes of text (4 blocks)"),
    "gcm-sst-compact": ({"memory_beats": 4}, "A message to decrypt has at most 64 bytes of text (4 blocks)"),
    "gcm-10g with lanes": (
        {"digit": 128, "splits": "ooooo", "release": "cut-through", "stream_bits": 256, "cores": 2},
        "IVs have 12 bytes, and come in the command; others are refused with code 5.",
    ),
}


@pytest.mark.parametrize("preset", LIMITED)
def test_an_engine_that_takes_less_than_its_mode_says_so_in_a_line(preset: str) -> None:
    fields, says = LIMITED[preset]
    made = build_engine(parse_engine({"preset": preset.split(maxsplit=1)[0]} | fields), "engine", preset)
    [limit] = [limit for limit in made.limits if "wait for" in limit or len(made.limits) == 1]
    assert says in limit
    assert limit in made.remarks
    assert "\n" not in limit


def test_no_other_engine_has_a_limit() -> None:
    """Each mode's engine of the most there is: those with a limit are the ones above."""
    found = {name: build_engine(preset, "engine", name) for name, preset in engine_presets().items()}
    limited = {made.mode for made in found.values() if made.most_beats is not None}
    assert limited <= {"gcm", "gcm-siv", "gcm-sst", "siv", "ccm", "ocb3", "kw"}
    for name in ("cbc-compact", "cfb-compact", "cfb8-compact", "ofb-compact", "cmac-small", "xts-disk"):
        assert found[name].limits == ()


@pytest.mark.thorough
def test_a_build_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The TOML of docs/modes.md, with a core that is faster to build."""
    (tmp_path / "mine.toml").write_text('mode = "gcm"\ncore = "boyar2010-enc"\ndigit = 1\n')
    assert run(["build", str(tmp_path / "mine.toml"), "--no-measure", "--out", str(tmp_path / "out")]) == 0
    [limit] = json.loads((tmp_path / "out" / "manifest.json").read_text())["limits"]
    assert f"note: mine: {limit}" in " ".join(capsys.readouterr().err.split())
    assert limit in (tmp_path / "out" / "datasheet.md").read_text()

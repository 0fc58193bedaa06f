"""Public cores by recipe and clone: `aesmith reproduce peers`, with a stand-in for what others publish."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.cli import run
from aesmith.errors import RequestError
from aesmith.explore.obtain import Obtained
from aesmith.foreign import peers
from aesmith.foreign.peers import GROUPS, clone_of, ours, peer_of

from ..foreign.standins import DESCRIPTION, write_standin

ROOT = Path(__file__).parents[2]
RECIPE = """\
[peer]
repository = "https://example.org/somebody/aes"
commit = "COMMIT"
author = "Somebody"
group = "encryption"

[design]
"""


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    return subprocess.run(
        ["git", "-C", folder, *settings, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`clones` with a repository of two cores, one of which has a broken S-box, and `recipes` of both; figures are
    those of stand-ins."""
    clone = tmp_path / "clones" / "somebody+aes"
    write_standin(clone)
    write_standin(clone / "broken", ("74_dd_e8_c6", "74_dd_e9_c6"))
    git(clone, "init", "-q")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "as published")
    recipes = tmp_path / "recipes"
    recipes.mkdir()
    head = RECIPE.replace("COMMIT", git(clone, "rev-parse", "--short=10", "HEAD"))
    design = DESCRIPTION.replace('origin = "a stand-in"\n', "").replace("[ports", "[design.ports")
    (recipes / "right.toml").write_text(head + design)
    broken = design.replace('"strobe.v"', '"broken/strobe.v"').replace('"include"', '"broken/include"')
    (recipes / "broken.toml").write_text(head + broken)
    figures = {"period_ns": 2.0, "period_with_ports_ns": 2.5, "throughput_gbps": 5.0}

    def measured(design: Any, *_: object, **__: object) -> Obtained:
        own = {"cycles_per_block": design.cycles_per_block, "area_ge": 1000.0}
        efficiency = 300.0 if "ueno" in design.name else 100.0
        return Obtained(SimpleNamespace(**figures, **own, efficiency_kbps_per_ge=efficiency), from_store=False)  # type: ignore[arg-type]

    monkeypatch.setattr("aesmith.commands.reproduce.obtain", measured)
    monkeypatch.setattr(peers, "PLAN", SimulationPlan(scenarios=("known-answers",)))
    return tmp_path


def test_who_is_not_aes_is_in_no_table(places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["reproduce", "peers", "--clones", str(places / "clones"), "--recipes", str(places / "recipes")]
    assert run([*command, "--no-store", "--json"]) == 1
    answer = capsys.readouterr()
    found = json.loads(answer.out)
    assert list(found["refused"]) == ["broken"]
    assert "is not AES" in found["refused"]["broken"]
    assert "peers: 1 of 2 are in no table: broken" in answer.err
    assert [row["core"] for row in found["groups"]["encryption"]] == [
        "**ueno2020-enc**",
        "right",
        "**sasebo-tower-enc**",
    ]
    assert list(found["groups"]) == ["encryption"], "no group without a peer"
    row = found["groups"]["encryption"][1]
    assert (row["key"], row["clocks a block"], row["direction"]) == ("with each block", "11.05", "encrypt")

    assert run([*command, "--no-store", "--markdown", "--leave-out", "broken"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "generic45 (typical); condition `area-speed`."
    assert (
        "| right | [Somebody](https://example.org/somebody/aes) | encrypt | 128 | with each block | 11.05 |" in lines[7]
    )


def test_a_clone_that_is_not_the_published_one_is_refused(places: Path) -> None:
    peer, _ = peer_of(places / "recipes" / "right.toml")
    clones, sources = places / "clones", ("strobe.v", "include")
    clone = clones / "somebody+aes"
    (clone / "beats.v").write_text("// not one of its sources\n")
    assert clone_of(peer, clones, sources) == clone
    with pytest.raises(RequestError, match=r"there is no .*: git clone https://example.org/somebody/aes"):
        clone_of(peer, places, sources)
    source = clone / "strobe.v"
    source.write_text(source.read_text() + "// edited\n")
    with pytest.raises(RequestError, match=r"was edited: M strobe\.v"):
        clone_of(peer, clones, sources)
    git(clone, "commit", "-qam", "another")
    with pytest.raises(RequestError, match=f"is at .*checkout {peer.commit}"):
        clone_of(peer, clones, sources)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("COMMIT", "--upload", "peer.commit: must be 7 to 40 hexadecimal digits, not '--upload'"),
        ('author = "Somebody"', "", "peer.author: must be a text, not None"),
        ("[design]", "[designs]", r"there is no table \[design\]"),
        ("[peer]", "[peer", "is not TOML"),
    ],
)
def test_a_recipe_that_will_not_do_is_refused(before: str, after: str, told: str, tmp_path: Path) -> None:
    recipe = tmp_path / "x.toml"
    recipe.write_text(RECIPE.replace(before, after))
    with pytest.raises(RequestError, match=told):
        peer_of(recipe)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("peers", "clones: give --clones DIR"),
        ("peers --clones x --recipes x", "recipes: there is no recipe in x"),
        ("peers --clones x --plot x.svg", "plot: peers are measured in a cell library, without --plot"),
        ("lin-table4 --clones x", "clones: lin-table4 is a table of a publication; --clones is of peers"),
    ],
)
def test_wrong_options_are_told(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", *words.split()]) == 2
    assert told in capsys.readouterr().err


def test_the_page_has_a_row_for_each_recipe_in_its_group_and_for_each_of_ours() -> None:
    page = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    shown = re.findall(r"(?m)^### (.*)\n\n((?:\|.*\n)+)", page)
    assert shown
    groups = {title.lower(): re.findall(r"(?m)^\| ([^ |]+) \|", rows)[1:] for title, rows in shown}
    groups = {title: [name for name in names if name != "---"] for title, names in groups.items()}
    recipes = [peer_of(recipe)[0] for recipe in sorted((ROOT / "benchmarks" / "peers").glob("*.toml"))]
    for group, names in groups.items():
        expected = [peer.name for peer in recipes if peer.group == group] + [
            f"**{core.preset}**" for core in ours(group)
        ]
        assert sorted(names) == sorted(expected)
    assert {peer.group for peer in recipes} - groups.keys() <= {"unrolled"}, "the page says that these are not there"
    assert groups.keys() <= GROUPS.keys()

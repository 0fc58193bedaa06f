"""Public cores by recipe and clone: `aesmith reproduce peers`, with a stand-in for what others publish."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.cli import run
from aesmith.errors import RequestError
from aesmith.explore.obtain import Obtained
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import SynthesisPlan, one_recipe
from aesmith.foreign import peers
from aesmith.foreign.peers import GROUPS, clone_of, ours, peer_of, recipe_of, recipes_in

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


@dataclass(frozen=True)
class StandIn:
    """What of a measurement a row shows."""

    area_ge: float
    period_ns: float = 2.0
    period_with_ports_ns: float = 2.5
    cycles_per_block: float = 0.0
    throughput_gbps: float = 0.0
    efficiency_kbps_per_ge: float = 0.0


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

    def measured(design: Any, *_: object, **__: object) -> Obtained:
        return Obtained(StandIn(area_ge=990.0 if design.name == "right" else 1000.0), from_store=False)  # type: ignore[arg-type]

    monkeypatch.setattr("aesmith.commands.reproduce.obtain", measured)
    monkeypatch.setattr(peers, "PLAN", SimulationPlan(scenarios=("known-answers",)))
    return tmp_path


@pytest.mark.thorough
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
    assert (row["key"], row["cycles per block"], row["direction"]) == ("with each block", "11.05", "encrypt")
    assert (row["Gbit/s"], row["Kbit/s/GE"]) == ("5.79", "5,850.4"), "128 bits in 11.05 clocks of 2 ns, by 990 GE"

    assert run([*command, "--no-store", "--markdown", "--leave-out", "broken"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "generic45 (typical); condition `area-speed`."
    assert (
        "| right | [Somebody](https://example.org/somebody/aes) | encrypt | 128 | with each block | 11.05 |" in lines[7]
    )


@pytest.mark.thorough
def test_unrolled_cores_are_measured_by_one_recipe_all_alike(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipes, asked = places / "recipes", dict[str, SynthesisPlan | None]()

    def measured(
        design: Any, _library: object, _optimise: Optimise, *_: object, plan: SynthesisPlan | None, **__: object
    ) -> Obtained:
        asked[design.name] = plan
        return Obtained(StandIn(area_ge=1000.0), from_store=False)  # type: ignore[arg-type]

    monkeypatch.setattr("aesmith.commands.reproduce.obtain", measured)
    (recipes / "broken.toml").unlink()
    unrolled = (recipes / "right.toml").read_text().replace('group = "encryption"', 'group = "unrolled"')
    (recipes / "unrolled.toml").write_text(unrolled)
    command = ["reproduce", "peers", "--clones", str(places / "clones"), "--recipes", str(recipes), "--no-store"]
    assert run([*command, "--optimise", "area", "--markdown"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "generic45 (typical); condition `area`; unrolled: recipe `compress-modules` alone."
    alone = one_recipe("compress-modules")
    assert asked == {
        "unrolled": alone, "zhang2004_r3_enc": alone, "right": None, "ueno2020_enc": None, "sasebo_tower_enc": None,
    }  # fmt: skip
    assert recipe_of("unrolled", Optimise.AREA_SPEED) == "keep-modules"
    assert recipe_of("encryption", Optimise.AREA) is None


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


def test_recipes_of_several_folders_are_told_apart(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, name in ((first, "b"), (first, "a"), (second, "c")):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.toml").write_text(RECIPE)
    assert [recipe.stem for recipe in recipes_in([first, second])] == ["a", "b", "c"]
    (second / "a.toml").write_text(RECIPE)
    with pytest.raises(RequestError, match=r"recipes: .*second/a\.toml and .*first/a\.toml have one name: rename one"):
        recipes_in([first, second])


PAGE = (ROOT / "docs" / "evidence" / "public-cores.md").read_text(encoding="utf-8")


def rows_of(page: str) -> dict[str, list[tuple[str, str, str]]]:
    """Of each group the core, whose it is, and the key size, row by row."""
    shown = re.findall(r"(?m)^### (.*)\n\n((?:\|.*\n)+)", page)
    cells = {title.lower(): [row.strip("| ").split(" | ") for row in rows.splitlines()[2:]] for title, rows in shown}
    return {title: [(row[0], row[1], row[3]) for row in rows] for title, rows in cells.items()}


def own_recipes_of(page: str) -> dict[str, tuple[str, str]]:
    """Of each core whose recipe is not in the project the repository and the commit that the page states."""
    found = re.findall(r"(?m)^\| `([^`]+)` \| (https://\S+) \| `([0-9a-f]{7,40})` \|", page)
    return {name: (repository, commit) for name, repository, commit in found}


def check_page(page: str) -> None:
    """Each row of a table is one of ours, of a recipe in the project, or of a core whose repository and commit the page
    states; each of these is in a table, or said not to be, and each key size of ours."""
    recipes = {peer.name: peer for peer, _ in map(peer_of, recipes_in([ROOT / "benchmarks" / "peers"]))}
    groups, stated = rows_of(page), own_recipes_of(page)
    assert groups.keys() <= GROUPS.keys()
    assert not stated.keys() & recipes.keys()
    peers = {name: (peer.repository, peer.group) for name, peer in recipes.items()}
    seen = set()
    for group, rows in groups.items():
        own = sorted((name, bits) for name, whose, bits in rows if whose == "ours")
        assert own == sorted(
            (f"**{core.preset}**", bits) for core in ours(group) for bits in sizes_of(core.key_bits)
        ), group
        for name, whose, _ in rows:
            if whose == "ours":
                continue
            seen.add(name)
            repository = stated[name][0] if name in stated else peers[name][0]
            assert whose.endswith(f"]({repository})"), name
            assert name in stated or peers[name][1] == group, name
    told = re.findall(r"(?ms)^Not measured: (.*?)\.$", page)
    missing = {name for text in told for name in re.findall(r"`([^`]+)`", text)}
    assert seen == (recipes.keys() | stated.keys()) - missing
    assert missing <= recipes.keys() - seen


def sizes_of(key_bits: tuple[int, ...]) -> list[str]:
    if len(key_bits) == 1:
        return [str(key_bits[0])]
    return [f"{bits} of {'/'.join(map(str, key_bits))}" for bits in key_bits]


def test_the_page_says_of_each_row_where_it_is_from() -> None:
    check_page(PAGE)


@pytest.mark.parametrize("cut", [r"(?m)^\| secworks-256 .*\n", r"(?m)^\| \*\*ueno2020-enc\*\* .*\n"])
def test_a_page_that_lacks_a_row_is_found(cut: str) -> None:
    wrong, count = re.subn(cut, "", PAGE)
    assert count
    with pytest.raises(AssertionError):
        check_page(wrong)


def test_a_row_from_nowhere_is_found() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| secworks-128 "))
    with pytest.raises((AssertionError, KeyError)):
        check_page(PAGE.replace(row, f"{row}\n{row.replace('secworks-128', 'somebody-128')}"))

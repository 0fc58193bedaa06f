"""`import aesmith`: a dozen names, quickly there, and the same as what the command line does."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import aesmith
from aesmith import api
from aesmith.api import listing
from aesmith.cli import run
from aesmith.explore.recommend.needed import Needed
from aesmith.flow import measure as measuring
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.placement.placed import PlacementPlan
from aesmith.flow.recipes import KEEP, SynthesisPlan

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_package_gives_what_its_stub_says_and_the_api_has() -> None:
    stub = ast.parse((ROOT / "src" / "aesmith" / "__init__.pyi").read_text())
    typed = {name.asname for node in stub.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert typed == set(api.__all__) == set(aesmith.__all__) - {"__version__"} == set(dir(aesmith)) - {"__version__"}
    for name in api.__all__:
        assert getattr(aesmith, name) is getattr(api, name)
        assert name in PAGE
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = aesmith.nothing  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_and_a_core_nothing_that_takes_long() -> None:
    program = (
        "import sys; before = set(sys.modules); import aesmith; print(*(set(sys.modules) - before)); "
        "aesmith.core('ueno2020-enc').sources[0].text; print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, then = (set(line.split()) for line in ran.stdout.splitlines())
    assert first == {"aesmith"}
    heavy = {"cocotb", "distributed", "jinja2", "numba", "pandas", "pyosys", "rich", "scipy", "sqlalchemy", "typer"}
    assert heavy.isdisjoint(then), heavy & then


@pytest.mark.thorough
def test_a_core_takes_fields_and_is_what_the_command_line_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('preset = "ueno2020-enc"\noutput = "bare"\n')
    assert run(["build", "mine.toml", "--no-measure", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    core = aesmith.core("mine.toml")
    assert {f"rtl/{file.name}" for file in core.sources} == {name for name in made["files"] if name.startswith("rtl/")}
    assert all((Path("mine") / "rtl" / file.name).read_text() == file.text for file in core.sources)
    same = aesmith.core("ueno2020-enc", name="mine", output="bare")
    assert [(file.name, file.text) for file in same.sources] == [(file.name, file.text) for file in core.sources]
    assert aesmith.core("ueno2020-enc", name="mine").sources != core.sources


def test_what_is_wrong_is_an_error_with_what_is_valid() -> None:
    with pytest.raises(aesmith.AesmithError, match="did you mean ueno2020-enc"):
        aesmith.core("ueno2020-en")
    with pytest.raises(aesmith.AesmithError, match="gamma: must be a whole number from 1 to 255, not 0"):
        aesmith.core("ueno2020-enc", gamma=0)
    with pytest.raises(aesmith.AesmithError, match=r"gama: there is no such field.*did you mean gamma"):
        aesmith.core("ueno2020-enc", gama=1)


def test_what_the_page_shows_works_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(measuring.PLANS, Optimise.AREA, SynthesisPlan((KEEP,)))
    names: dict[str, object] = {}
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert len(examples) >= 6
    for example in examples:
        exec(compile(example, "docs/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "AES-128 encryption" in said
    assert " Gbit/s" in said
    assert ", gamma 0x" in said
    assert "24 XOR gates in 2 levels" in said
    assert "gamma: must be a whole number from 1 to 255, not 0" in said


def test_an_offset_search_is_that_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["search", "offset", "--inverter", "ueno2015", "--constraint", "phi-depth=2", "--multiplicity", "phi=3"]
    assert run([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = aesmith.search.offset("ueno2015", depths={"phi": 2}, multiplicities={"phi": 3})
    best, printed = found.best("inverter_towers"), told["inverter_towers"]["with_offset"]["best"]
    assert best is not None
    assert (f"{best.gamma:#04x}", dict(best.weights), best.score) == (
        printed["gamma"], printed["weights"], printed["score"],
    )  # fmt: skip
    by_weight = aesmith.search.offset("ueno2015", objective=lambda weights: weights.weight("phi")).best()
    assert by_weight is not None
    assert by_weight.score == by_weight.weights["phi"]
    with pytest.raises(aesmith.AesmithError, match="constraint: the depth of phi must be 0 to 10, not 11"):
        aesmith.search.offset("ueno2015", depths={"phi": 11})


def test_a_linear_search_is_that_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "ueno2020-enc-unified-affine"
    assert run(["search", "linear", name, "--depth", "2", "--steps", "20000", "--seed", "5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = aesmith.search.linear(name, depth=2, steps=20_000, seed=5)
    assert (found.xors, found.depth, found.text) == (told["xors"], told["depth"], told["program"])
    written = tmp_path / "program.slp"
    written.write_text(found.text)
    same = aesmith.search.linear(found.request.matrix, depth=2, steps=0, start=written)
    assert same.program == found.program
    with pytest.raises(aesmith.AesmithError, match="method: must be one of walk, paar, boyar-peralta, not 'walkk'"):
        aesmith.search.linear(name, method="walkk")


def test_what_is_listed_is_what_there_is() -> None:
    assert [core["name"] for core in aesmith.listing.cores()] == list(aesmith.presets())
    assert [sbox["name"] for sbox in aesmith.listing.sboxes()] == aesmith.sbox_names()
    assert {each["name"]: Path(each["path"]) for each in aesmith.listing.libraries()} == aesmith.libraries()


def test_placing_is_asked_for_like_measuring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[object] = []
    found = SimpleNamespace(from_store=False, measurement=SimpleNamespace(recipe="area"))

    def obtain(*_: object, **__: object) -> object:
        return found

    def obtain_placed(*_: object, plan: object, **__: object) -> object:
        asked.append(plan)
        return found

    monkeypatch.setattr("aesmith.api.measuring.obtain", obtain)
    monkeypatch.setattr("aesmith.api.measuring.obtain_placed", obtain_placed)
    core, store = aesmith.core("serial-small-enc"), tmp_path / "store.sqlite"
    core.measure(store=store)
    assert asked == []
    core.measure(store=store, placed=True)
    core.measure(store=store, placed=PlacementPlan(utilisation=0.5, seed=7))
    assert asked == [PlacementPlan(), PlacementPlan(utilisation=0.5, seed=7)]
    with pytest.raises(aesmith.AesmithError, match=r"optimise: must be one of area, .*not 'sped'; did you mean"):
        core.measure(optimise="sped", store=store)


def test_a_recommendation_is_measured_for_where_that_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[str, float]] = []

    def measure_in_time(wanted: object, *_: object, seconds: float, **__: object) -> Needed:
        asked.append((str(wanted), seconds))
        return Needed(aesmith.points_of("presets").query("library == 'generic45'"), 2, {})

    monkeypatch.setattr("aesmith.explore.recommend.needed.measure_in_time", measure_in_time)
    store = tmp_path / "store.sqlite"
    found = aesmith.recommend(measure=True, budget="90s", store=store, max_area="4kGE", maximise="throughput")
    assert found.chosen is not None
    assert found.chosen.figures["area"] <= 4000
    assert [budget for _, budget in asked] == [90.0]
    known = aesmith.recommend(store=store, max_area="4kGE", maximise="throughput")
    assert known.chosen is not None
    assert len(asked) == 1


@pytest.mark.parametrize("what", ["cores", "families", "sboxes", "libraries", "devices", "boards", "tables"])
def test_what_is_printed_keeps_to_its_schema(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", what, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    kind: Any = listing.SCHEMAS[what]
    members = TypeAdapter(list[kind]).validate_python(listed, strict=True)
    assert members
    assert all(each.keys() == kind.__annotations__.keys() for each in listed)
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python({name: value for name, value in listed[0].items() if name != "name"})


def test_the_schema_of_a_measurement_has_its_figures() -> None:
    schema = TypeAdapter(Measurement).json_schema(mode="serialization")
    assert {"area_ge", "period_ns", "conditions", "placed"} <= schema["properties"].keys()

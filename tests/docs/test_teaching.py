"""The page that steps through a round shows what a core computes, and the exercises have a bug that is found."""

from __future__ import annotations

import difflib
import json
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from playwright.sync_api import Browser, Page

import aesmith
from aesmith.api import exercises
from aesmith.api.exercises import EXERCISES, DrawnExercise, drawn_exercise, recorded, seed_of, write_exercise
from aesmith.assurance.plan import SimulationPlan
from aesmith.cli import run
from aesmith.cores.design import SourceFile
from aesmith.errors import AesmithError, CheckError, RequestError
from aesmith.fields.aes import SBOX, round_constant, round_keys

from .test_site import complaints

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "round.html"
COUNT = len(EXERCISES)
FIND = {4: {"random-stalls", "stalled-output"}, 5: {"key-in-flight", "random-stalls"}}
MISS = {
    4: {"known-answers", "timing", "random-pairs", "monte-carlo"},
    5: {"known-answers", "random-pairs", "monte-carlo"},
}
"""Of the bugs that not every scenario finds, scenarios that do and that do not."""


def script() -> ModuleType:
    spec = spec_from_file_location("round_page", ROOT / "scripts" / "round_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data() -> Any:
    found = re.search(r"^const DATA = (.*);$", PAGE.read_text(), re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def test_the_page_is_what_a_simulation_of_the_core_gives() -> None:
    assert PAGE.read_text() == script().page()


def test_its_values_are_those_of_the_standard() -> None:
    key, block = bytes(range(16)), bytes(17 * k for k in range(16))
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    first, *rounds = data()["rounds"]
    assert (first["block"], first["key"]) == (block.hex(), key.hex())
    assert first["start"] == first["end"] == rounds[0]["start"]
    assert [first["key"], *(one["key"] for one in rounds)] == [each.hex() for each in round_keys(key)]
    assert [one["constant"] for one in rounds] == [f"{round_constant(number):02x}" for number in range(1, 11)]
    assert bytes.fromhex(rounds[-1]["end"]) == encryptor.update(block)
    assert bytes.fromhex(rounds[0]["start"]) == bytes(a ^ b for a, b in zip(key, block, strict=True))
    for one, after in zip(rounds, [*rounds[1:], None], strict=True):
        start, substituted, shifted, round_key, end = (
            bytes.fromhex(one[name]) for name in ("start", "substituted", "shifted", "key", "end")
        )
        assert substituted == bytes(SBOX[value] for value in start)
        assert shifted == bytes(substituted[(4 * (k // 4 + k % 4) + k % 4) % 16] for k in range(16))
        mixed = bytes.fromhex(one["mixed"]) if one["mixed"] else shifted
        assert end == bytes(a ^ b for a, b in zip(mixed, round_key, strict=True))
        assert after is None or after["start"] == one["end"]
    assert [one["round"] for one in rounds] == list(range(1, 11))


@pytest.fixture(params=[(1280, "light"), (360, "dark")], ids=["wide", "narrow"])
def opened(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith("file:") else wrong.append(asked.url))
    page.goto(f"file://{PAGE}")
    yield page
    page.close()
    assert wrong == []


def test_it_is_stepped_through_by_keys_alone(opened: Page) -> None:
    seen = []
    for _ in range(5 * 10):
        seen.append(opened.inner_text("#name"))
        assert opened.evaluate("document.documentElement.scrollWidth") <= opened.viewport_size["width"]  # type: ignore[index]
        opened.keyboard.press("ArrowRight")
    assert seen == (
        ["AddRoundKey"]
        + ["SubBytes", "ShiftRows", "MixColumns", "Key schedule", "AddRoundKey"] * 9
        + ["SubBytes", "ShiftRows", "Key schedule", "AddRoundKey"]
    )
    values = opened.locator("[data-table=after]").all_inner_texts()
    by_columns = [values[4 * row + column] for column in range(4) for row in range(4)]
    assert "".join(by_columns) == data()["rounds"][-1]["end"]
    assert opened.is_disabled("#on")
    opened.keyboard.press("PageUp")
    assert "Round 9 of 10" in opened.inner_text("#where")
    opened.focus("#round")
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.id") == "back"


def test_a_byte_says_what_it_is_made_of(opened: Page) -> None:
    for step, text in enumerate(
        (
            "66 + 06 = 60",
            "S(60) = d0",
            "row 2: e1 comes from column 3, now in column 1",
            "01·09 + 01·60 + 02·e1 + 03·04 = 09 + 60 + d9 + 0c = bc",
            "06 + 74 = 72",
            "bc + 72 = ce",
        )
    ):
        if step:
            opened.keyboard.press("ArrowRight")
        opened.locator('[data-table=after][data-place="6"]').focus()
        opened.keyboard.press("Enter")
        assert opened.inner_text("#how") == text
        assert opened.evaluate("document.activeElement.dataset.place") == "6"


def test_the_key_schedule_says_what_a_first_column_is_made_of(opened: Page) -> None:
    opened.select_option("#round", "1")
    opened.locator("[data-step='3']").click()
    assert opened.inner_text("#name") == "Key schedule"
    opened.locator('[data-table=after][data-place="0"]').click()
    assert opened.inner_text("#how") == "00 + S(0d) + 01 = d6"


def test_it_computes_any_key_and_block(opened: Page) -> None:
    """The page's own rounds are those of the simulation for its key and block, and AES for others."""
    page = data()
    given = [[*bytes.fromhex(page["rounds"][0][name])] for name in ("key", "block")]
    assert opened.evaluate("([key, block]) => computed(key, block)", given) == page["rounds"]
    generator = random.Random(1)
    for _ in range(20):
        key, block = generator.randbytes(16), generator.randbytes(16)
        expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block).hex()
        opened.fill("#own-key", f"{key[:8].hex().upper()} {key[8:].hex()}")
        opened.fill("#own-block", block.hex())
        opened.keyboard.press("Enter")
        assert expected in opened.inner_text("#origin")
        opened.select_option("#round", "10")
        for _ in range(3):
            opened.click("#on")
        values = opened.locator("[data-table=after]").all_inner_texts()
        assert "".join(values[4 * row + column] for column in range(4) for row in range(4)) == expected
    opened.click("#example")
    assert "boyar2010-enc" in opened.inner_text("#origin")
    opened.fill("#own-key", "00ff")
    opened.keyboard.press("Enter")
    assert opened.inner_text("#wrong") == 'The key must have 32 hexadecimal digits, not "00ff".'
    assert "boyar2010-enc" in opened.inner_text("#origin")


def test_it_can_be_read_without_mouse_and_with_weak_eyes(opened: Page) -> None:
    for _ in range(6):
        assert complaints(opened) == []
        opened.keyboard.press("ArrowRight")


CASES = [(number, bug) for number, each in enumerate(EXERCISES, 1) for bug in range(len(each.bugs))]
"""Every bug of every exercise."""


def drawn(number: int, bug: int) -> DrawnExercise:
    """The first seed's instance that has this bug."""
    wanted = EXERCISES[number - 1].bugs[bug]
    return drawn_exercise(number, next(seed for seed in range(1000) if exercises.bug_of(number, seed) is wanted))


def lines_of(sources: Sequence[SourceFile]) -> dict[str, list[str]]:
    """The lines of each file, with white space as one blank."""
    return {source.name: [" ".join(line.split()) for line in source.text.splitlines()] for source in sources}


def changed(first: Sequence[str], second: Sequence[str]) -> set[str]:
    """The lines of the second that a comparison with the first shows as changed."""
    return {line[2:] for line in difflib.ndiff(first, second) if line.startswith("+ ")}


@pytest.mark.parametrize(("number", "bug"), CASES)
def test_the_solution_of_an_exercise_is_one_line_and_gives_back_a_right_core(number: int, bug: int) -> None:
    each = drawn(number, bug)
    place, wrong, right = each.change
    mended = [
        replace(source, text=source.text.replace(wrong, right)) if source.name == place else source
        for source in each.design.sources
    ]
    assert mended == [*each.mended]
    assert place.endswith(each.bug.place)
    assert each.edited(each.design) == 0
    assert each.edited(replace(each.design, sources=each.mended)) == 1


@pytest.mark.parametrize("number", range(1, COUNT + 1))
def test_a_seed_gives_the_same_instance_and_others_give_others(number: int) -> None:
    texts = {tuple(source.text for source in drawn_exercise(number, seed).design.sources) for seed in (None, *range(9))}
    assert len(texts) == 10
    assert drawn_exercise(number, 3) == drawn_exercise(number, 3)
    bugs = {exercises.bug_of(number, seed) for seed in range(100)}
    assert bugs == {*EXERCISES[number - 1].bugs}
    assert drawn_exercise(number).bug is EXERCISES[number - 1].bugs[0]


@pytest.mark.parametrize("number", range(1, COUNT + 1))
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_comparison_with_the_preset_does_not_tell_the_bug(number: int, seed: int | None) -> None:
    """White space apart, most lines of most files differ, and more than the bug's in its own file."""
    each = drawn_exercise(number, seed)
    known = lines_of(aesmith.core(exercises.CORE, name=each.design.name).design.sources)
    found = {name: changed(known[name], lines) for name, lines in lines_of(each.design.sources).items()}
    place, wrong, _ = each.change
    assert wrong in found[place]
    assert len(found[place]) >= 5
    assert sum(len(lines) >= 5 for lines in found.values()) > len(found) - 3
    assert sum(map(len, found.values())) > 500
    # Nor does sorting, nor the S-boxes' other copy in the same package.
    ordered = {line for line in lines_of(each.design.sources)[place] if line not in known[place]}
    assert len(ordered) >= 5
    texts = lines_of(each.design.sources)
    assert len(changed(*(texts[f"{each.design.name}{sbox}"] for sbox in ("_sbox.sv", "_key_sbox.sv")))) > 50


@pytest.mark.slow
def test_a_spelling_changes_nothing_but_spelling() -> None:
    each = drawn_exercise(4, 4)
    plan = SimulationPlan(scenarios=("known-answers", "random-stalls"), random_pairs=100)
    assert aesmith.Core(replace(each.design, sources=each.mended)).verify(plan).passed
    report = aesmith.Core(each.design).verify(plan)
    assert [scenario.name.partition(",")[0] for scenario in report.failures][:1] == ["random-stalls"]


def test_a_bug_that_has_no_place_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    bug = replace(EXERCISES[0].bugs[0], right="assign nowhere = 1;")
    monkeypatch.setattr(exercises, "EXERCISES", (replace(EXERCISES[0], bugs=(bug,)),))
    with pytest.raises(CheckError, match="exercise 1: 0 files of boyar2010-enc have the line"):
        drawn_exercise(1)
    with pytest.raises(AesmithError, match="exercise: must be 1 to 1, not 2"):
        drawn_exercise(2)


@pytest.mark.thorough
@pytest.mark.one_in(12)
@pytest.mark.slow
@pytest.mark.parametrize(("number", "bug"), [case for case in CASES if not EXERCISES[case[0] - 1].proof])
def test_simulation_finds_the_bug_and_passes_the_solution(number: int, bug: int) -> None:
    each = drawn(number, bug)
    report = aesmith.Core(each.design).verify()
    failed = {scenario.name.partition(",")[0] for scenario in report.failures}
    passed = {scenario.name.partition(",")[0] for scenario in report.scenarios} - failed
    assert FIND.get(number, {"known-answers", "monte-carlo"}) <= failed
    assert MISS.get(number, set()) <= passed
    assert bool(passed) == (number in MISS), passed
    assert aesmith.Core(replace(each.design, sources=each.mended)).verify().passed


@pytest.mark.thorough
@pytest.mark.one_in(8)
@pytest.mark.slow
@pytest.mark.parametrize(("number", "bug"), [case for case in CASES if EXERCISES[case[0] - 1].proof])
def test_what_simulation_never_sees_is_not_proved(number: int, bug: int, tmp_path: Path) -> None:
    core = aesmith.Core(drawn(number, bug).design)
    assert core.verify().passed
    report = core.prove(tmp_path / "proof")
    assert not report.proved
    assert {part.name for part in report.failing} == {"every result", "progress"}
    assert aesmith.Core(replace(core.design, sources=drawn(number, bug).mended)).prove(tmp_path / "mended").proved


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_a_package_with_a_bug_says_nothing_of_it_and_one_that_was_mended_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    seed = seed_of("ada")
    assert run(["exercise", "2", "--student", "ada", "--out", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == seed
    each = drawn_exercise(2, seed)
    place, wrong, right = each.change
    texts = {path: path.read_text() for path in Path("mine").rglob("*") if path.is_file()}
    assert each.bug.task in texts[Path("mine/EXERCISE.md")]
    assert f"--seed {seed} --hint" in texts[Path("mine/EXERCISE.md")]
    assert not any(each.bug.why in text or right in text or each.bug.hint in text for text in texts.values())
    file = Path("mine/rtl", place)
    assert run(["exercise", "2", "--check", "--out", "mine"]) == 1
    said = capsys.readouterr()
    assert "mine: fails 11 of 11 scenarios" in said.err.replace("exercise_2", "mine")
    (waveform,) = Path().glob("exercise_2-*.vcd")
    assert str(waveform) in said.out
    for folder in ("wrong", "right", "other", "unknown"):
        shutil.copytree("mine", Path("all", folder))
    mended = Path("all/right/rtl", place)
    mended.write_text(mended.read_text().replace(wrong, right))
    Path("all/other/exercise.json").write_text('{"exercise": 3, "seed": 1}')
    Path("all/unknown/exercise.json").unlink()
    # A core of the preset is right, and is not this exercise.
    assert run(["exercise", "2", "--seed", "1", "--out", "all/taken"]) == 0
    for source in aesmith.core(exercises.CORE, name="exercise_2").design.sources:
        Path("all/taken/rtl", source.name).write_text(source.text)
    Path("all/empty").mkdir()
    capsys.readouterr()
    assert run(["exercise", "2", "--grade", "all", "--json"]) == 0
    graded = {one["folder"]: one for one in json.loads(capsys.readouterr().out)}
    results = {name: (one["result"], one["seed"]) for name, one in graded.items()}
    assert results == {
        "empty": ("not examined", None),
        "other": ("not examined", 1),
        "right": ("right", seed),
        "taken": ("right", 1),
        "unknown": ("not examined", None),
        "wrong": ("wrong", seed),
    }
    assert (graded["right"]["lines"], graded["wrong"]["lines"]) == (1, 0)
    assert graded["taken"]["lines"] > 500
    assert "is exercise 3, not 2" in graded["other"]["fails"]
    file.write_text(texts[file].replace(wrong, right))
    assert run(["exercise", "2", "--check", "--out", "mine"]) == 0
    assert "exercise_2: verified by simulation" in capsys.readouterr().out


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"exercise": "2", "seed": 1}', '{"exercise": 2, "seed": 1.5}'])
def test_a_damaged_record_is_told(record: str, tmp_path: Path) -> None:
    (tmp_path / "exercise.json").write_text(record)
    with pytest.raises(RequestError, match=r"exercise.json|exercise and seed"):
        recorded(tmp_path)


def test_exercises_are_listed_and_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exercise"]) == 0
    said = capsys.readouterr().out
    page = (ROOT / "docs" / "teaching.md").read_text()
    for number, exercise in enumerate(EXERCISES, 1):
        assert exercise.title in said
        assert f"| {number} | {exercise.title} |" in page
        for seed in (None, 1, 2):
            each, given = drawn_exercise(number, seed), [] if seed is None else ["--seed", str(seed)]
            assert each.bug.why not in said
            assert run(["exercise", str(number), *given, "--solution", "--json"]) == 0
            solution = json.loads(capsys.readouterr().out)
            assert tuple(solution[name] for name in ("file", "wrong", "right", "why")) == (*each.change, each.bug.why)
            assert run(["exercise", str(number), *given, "--hint"]) == 0
            assert "".join(capsys.readouterr().out.split()) == "".join(each.bug.hint.split())
    for wrong in (
        ["7"],
        ["1", "--solution", "--force"],
        ["1", "--solution", "--check"],
        ["1", "--check", "--out", "nowhere"],
        ["1", "--check", "--hint"],
        ["1", "--hint", "--out", "mine"],
        ["1", "--grade", "nowhere"],
        ["1", "--seed", "1", "--check"],
        ["1", "--seed", "1", "--student", "ada"],
        ["1", "--student", "ada", "--grade", "nowhere"],
        ["--seed", "1"],
        ["--solution"],
    ):
        assert run(["exercise", *wrong]) == 2


def test_a_folder_that_is_not_free_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(AesmithError, match="output folder"):
        write_exercise(1, tmp_path / "mine")


def test_an_exercise_is_written_anew_until_a_student_has_edited_it(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    for _ in range(2):
        write_exercise(1, folder)
    with (folder / "EXERCISE.md").open("a") as task:
        task.write("My notes.\n")
    with pytest.raises(AesmithError, match=r"edited or added since \(EXERCISE.md\)"):
        write_exercise(1, folder)

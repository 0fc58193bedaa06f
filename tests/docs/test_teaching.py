"""The page that steps through a round shows what a core computes, and the exercises have a bug that is found."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
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
from aesmith.api.exercises import EXERCISES, with_bug, write_exercise
from aesmith.cli import run
from aesmith.errors import AesmithError, CheckError
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


@pytest.mark.parametrize("number", range(1, COUNT + 1))
def test_the_solution_of_an_exercise_gives_back_the_core(number: int) -> None:
    planted, right = EXERCISES[number - 1], aesmith.core(exercises.CORE, name="exercise").design
    broken = with_bug(number, "exercise")
    mended = [
        source.text.replace(planted.wrong, planted.right) if source.name.endswith(planted.place) else source.text
        for source in broken.sources
    ]
    assert mended == [source.text for source in right.sources]
    assert broken.source_hash != right.source_hash


def test_a_bug_that_has_no_place_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercises, "EXERCISES", (replace(EXERCISES[0], right="assign nowhere = 1;"),))
    with pytest.raises(CheckError, match="exercise 1: 0 files of boyar2010-enc have the line"):
        with_bug(1)
    with pytest.raises(AesmithError, match="exercise: must be 1 to 1, not 2"):
        with_bug(2)


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize("number", [n for n, each in enumerate(EXERCISES, 1) if not each.proof])
def test_simulation_finds_the_bug(number: int) -> None:
    report = aesmith.Core(with_bug(number)).verify()
    failed = {scenario.name.partition(",")[0] for scenario in report.failures}
    passed = {scenario.name.partition(",")[0] for scenario in report.scenarios} - failed
    assert FIND.get(number, {"known-answers", "monte-carlo"}) <= failed
    assert MISS.get(number, set()) <= passed
    assert bool(passed) == (number in MISS), passed


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_what_simulation_never_sees_is_not_proved(tmp_path: Path) -> None:
    (number,) = (n for n, each in enumerate(EXERCISES, 1) if each.proof)
    core = aesmith.Core(with_bug(number))
    assert core.verify().passed
    report = core.prove(tmp_path / "proof")
    assert not report.proved
    assert {part.name for part in report.failing} == {"every result", "progress"}


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_a_package_with_a_bug_says_nothing_of_it_and_one_that_was_mended_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["exercise", "2", "--out", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "exercise_2"
    texts = {path: path.read_text() for path in Path("mine").rglob("*") if path.is_file()}
    planted = EXERCISES[1]
    assert planted.task in texts[Path("mine/EXERCISE.md")]
    assert not any(planted.why in text or planted.right in text or planted.hint in text for text in texts.values())
    (file,) = (path for path in texts if path.name.endswith(planted.place))
    assert run(["exercise", "2", "--check", "--out", "mine"]) == 1
    said = capsys.readouterr()
    assert "mine: fails 11 of 11 scenarios" in said.err.replace("exercise_2", "mine")
    (waveform,) = Path().glob("exercise_2-*.vcd")
    assert str(waveform) in said.out
    assert run(["exercise", "2", "--out", "all/right"]) == 0
    shutil.copytree("mine", "all/wrong")
    mended = Path("all/right/rtl", file.name)
    mended.write_text(mended.read_text().replace(planted.wrong, planted.right))
    Path("all/empty").mkdir()
    capsys.readouterr()
    assert run(["exercise", "2", "--grade", "all", "--json"]) == 0
    graded = {one["folder"]: one["result"] for one in json.loads(capsys.readouterr().out)}
    assert graded == {"empty": "not examined", "right": "right", "wrong": "wrong"}
    file.write_text(texts[file].replace(planted.wrong, planted.right))
    assert run(["exercise", "2", "--check", "--out", "mine"]) == 0
    assert "exercise_2: verified by simulation" in capsys.readouterr().out


def test_exercises_are_listed_and_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exercise"]) == 0
    said = capsys.readouterr().out
    page = (ROOT / "docs" / "teaching.md").read_text()
    for number, each in enumerate(EXERCISES, 1):
        assert each.title in said
        assert f"| {number} | {each.title} |" in page
        assert each.why not in said
        assert run(["exercise", str(number), "--solution", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["why"] == each.why
        assert run(["exercise", str(number), "--hint"]) == 0
        assert "".join(capsys.readouterr().out.split()) == "".join(each.hint.split())
    for wrong in (
        ["7"],
        ["1", "--solution", "--force"],
        ["1", "--solution", "--check"],
        ["1", "--check", "--out", "nowhere"],
        ["1", "--check", "--hint"],
        ["1", "--hint", "--out", "mine"],
        ["1", "--grade", "nowhere"],
        ["--solution"],
    ):
        assert run(["exercise", *wrong]) == 2


def test_a_folder_that_is_not_free_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(AesmithError, match="output folder"):
        write_exercise(1, tmp_path / "mine")

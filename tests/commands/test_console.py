"""What verbs print through: whole names on narrow terminals, errors in the words of the command line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from aesmith.cli import run
from aesmith.commands import console
from aesmith.commands.console import Display, StepPace
from aesmith.commands.explore_results import show_command
from aesmith.commands.listing import cores
from aesmith.cores.specification import presets
from aesmith.explore.points import points_by

COLUMNS = ("design", ">area (GE), published", ">area (GE), measured", ">latency (ns), published", "recipe")
ROWS = [
    ("Satoh et al., one data path for both (`satoh2001-encdec`)", "15,270", "13,040", "32.56", "keep-timed-modules"),
    ("This work", "16,418", "15,264", "19.25", "keep"),
]


class Narrow(Console):
    """A terminal of 80 columns that is written down."""

    written = StringIO()

    def __init__(self, **options: object) -> None:
        said = StringIO() if options.get("stderr") else self.written
        super().__init__(file=said, width=80, force_terminal=True, color_system=None)


def test_the_names_of_cores_are_whole_on_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "Console", Narrow)
    cores()
    lines = Narrow.written.getvalue().splitlines()
    assert presets().keys() <= {line.split()[0] for line in lines if line.strip()}
    assert "…" not in Narrow.written.getvalue(), "nothing of the other columns is cut off either"


def shown(width: int) -> list[str]:
    display, out = Display(as_json=False), StringIO()
    display._out = Console(file=out, width=width)
    display.table("areas", COLUMNS, ROWS, in_turn=True)
    return out.getvalue().splitlines()


def test_a_table_that_fits_is_printed_whole() -> None:
    lines = shown(200)
    assert sum("design" in line for line in lines) == 1
    assert any(all(cell in line for cell in ROWS[0]) for line in lines)


def test_columns_come_in_turn_where_words_would_break() -> None:
    for width in (80, 60, 50):
        lines = shown(width)
        assert max(map(len, lines)) <= width
        words = " ".join(lines).split()
        assert {"published", "measured", "(`satoh2001-encdec`)", "keep-timed-modules", "13,040"} <= set(words)
        assert words.count("areas") == 1
        assert sum("design" in line for line in lines) == {80: 1, 60: 2, 50: 3}[width]


def told(columns: tuple[str, ...], rows: list[tuple[str, ...]], width: int) -> list[str]:
    display, out = Display(as_json=False), StringIO()
    display._out = Console(file=out, width=width)
    display.table("", columns, rows)
    return out.getvalue().splitlines()


SENTENCE = "AES-128 encryption, one round a clock, in a tower field with multiplicative offset"


def test_sentences_are_wrapped_in_their_column_while_there_is_room() -> None:
    lines = told(("core", ">clocks", "what it is"), [("ueno2020-enc", "10", SENTENCE)], 60)
    assert max(map(len, lines)) <= 60
    assert not any("AES-128" in line and "ueno2020-enc" not in line for line in lines)


@pytest.mark.parametrize("width", [80, 60, 48])
def test_a_row_takes_several_lines_where_there_is_none(width: int) -> None:
    columns = ("core", "library", "recipe", ">area GE", ">period ns", "what it is")
    rows = [("subpipelined-r7-u10-bare", "nangate45-typ", "compress", "123,456", "0.321", SENTENCE)]
    lines = told(columns, rows, width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert {*rows[0][:5], *SENTENCE.split()} <= set(words), "nothing is broken"
    assert next(line for line in lines if "subpipelined" in line).startswith("  subpipelined")
    assert next(line for line in lines if "AES-128" in line).startswith("    AES-128"), "what belongs to it is set in"


def test_rows_of_points_can_be_told_apart_on_80_columns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(console, "Console", Narrow)
    monkeypatch.setattr(Narrow, "written", StringIO())
    points = points_by("presets")
    monkeypatch.setattr("aesmith.commands.explore_results._points", lambda *_: points)
    show_command(store=str(tmp_path / "none"))
    words = [line.split() for line in Narrow.written.getvalue().splitlines()]
    assert max(map(len, Narrow.written.getvalue().splitlines())) <= 80
    shown = [tuple(line[:3]) for line in words if line and line[0] in set(points["design"])]
    expected = set(points[["design", "library", "recipe"]].itertuples(index=False, name=None))
    assert len(shown) == len(expected) == len(points)
    assert set(shown) == expected, "name, library and recipe stand in one line"


@pytest.mark.parametrize("as_json", [False, True])
def test_who_watches_no_terminal_is_told_how_far_work_is(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "WORDS_FOR_MACHINES" if as_json else "WORDS_FOR_PEOPLE", (0.05, 0.05))
    said = ""
    with Display(as_json=as_json).progress("measuring") as steps:
        steps.done("sizing", 2, 7)
        end = time.monotonic() + 20
        while said.count("sizing") < 2 and time.monotonic() < end:
            time.sleep(0.02)
            said += capsys.readouterr().err
    if as_json:
        value = json.loads(said.splitlines()[0])["progress"]
        told = {"title": "measuring", "step": "sizing", "done": 2, "total": 7, "seconds": value["seconds"]}
        assert value == told | {"left": None}, "how long a step takes is not known yet"
    else:
        assert said.startswith("measuring ...\nmeasuring: sizing, 2 of 7, ")
    capsys.readouterr()
    time.sleep(0.2)
    assert capsys.readouterr().err == "", "whose work is done says nothing more"


def test_the_time_left_is_that_of_steps_like_those_that_ended() -> None:
    pace = StepPace()
    pace.step(0, 10, 100.0)
    assert pace.left_s(150.0) is None, "no step has ended"
    pace.step(2, 10, 160.0)
    assert pace.left_s(160.0) == 8 * 30.0
    assert pace.left_s(180.0) == 8 * 40.0, "the present step takes long, as those to come may"
    pace.step(5, 10, 190.0)
    assert pace.left_s(190.0) == 5 * 18.0
    pace.step(5, 8, 190.0)
    assert pace.left_s(190.0) == 3 * 18.0, "there are fewer than was thought"
    pace.step(8, 8, 400.0)
    assert pace.left_s(400.0) is None


def test_steps_of_another_kind_have_times_of_their_own() -> None:
    """A verification compiles, and then counts the cases of each scenario anew."""
    pace = StepPace()
    pace.step(0, 1, 0.0)
    pace.step(0, 10, 40.0)
    assert pace.left_s(50.0) is None
    pace.step(4, 10, 60.0)
    assert pace.left_s(60.0) == pytest.approx(30.0), "the 40 seconds before say nothing of them"
    pace.step(10, 10, 90.0)
    pace.step(2, 400, 91.0)
    assert pace.left_s(95.0) is None
    pace.step(12, 400, 101.0)
    assert pace.left_s(101.0) == pytest.approx(388.0)


@pytest.mark.parametrize("as_json", [False, True])
def test_who_watches_no_terminal_is_told_how_long_work_may_take(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "WORDS_FOR_MACHINES" if as_json else "WORDS_FOR_PEOPLE", (0.05, 0.05))
    monkeypatch.setattr(console.StepPace, "left_s", lambda _self, _now: 425.0)
    with Display(as_json=as_json).progress("measuring") as steps:
        steps.done("sizing", 2, 7)
        said, end = "", time.monotonic() + 20
        while "sizing" not in said and time.monotonic() < end:
            time.sleep(0.02)
            said += capsys.readouterr().err
    assert ('"left": 425' if as_json else ", about 7 min left\n") in said


@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_wrong_number_of_random_pairs_is_named_as_it_was_given(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "ueno2020-enc", "--random", number]) == 2
    said = capsys.readouterr().err
    assert "--random" in said
    assert "random_pairs" not in said


class Piped(Console):
    """Where there is no terminal, whatever the number of columns."""

    written = StringIO()

    def __init__(self, **options: object) -> None:
        said = StringIO() if options.get("stderr") else self.written
        super().__init__(file=said, width=console.WIDE, color_system=None)


REMARKED = (
    "list cores",
    "list families",
    "list sboxes",
    "list libraries",
    "list tables",
    "explore list",
    "recommend --mode ctr --min-throughput 2Gbps",
    "recommend --core --min-throughput 1Gbps --library nangate45-typ",
    "doctor",
    "pipeline canright2005",
    "pipeline canright2005 --stages 2",
)
MEASURED = (
    "explore points presets",
    "list engines",
    "measure serial-small-enc",
    "measure serial-small-enc --power",
    "reproduce lin-table1",
    "fpga serial-small-enc --device xc7",
    "search linear mixcolumns",
    "build serial-small-enc --no-measure --out build",
)
LONGEST = 80


def written(verb: str, terminal: type[Console], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that a verb writes to a terminal, or to none."""
    said = StringIO()
    monkeypatch.setattr(terminal, "written", said)
    monkeypatch.setattr(console, "Console", terminal)
    assert run(verb.split()) in (0, 1, 4), verb
    return said.getvalue().splitlines()


def check_remarks(verb: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Hold what a verb writes on 80 columns against what it writes to a file; how many lines of that are longer."""
    whole = written(verb, Piped, monkeypatch)
    narrow = written(verb, Narrow, monkeypatch)
    for line in narrow:
        assert len(line) <= LONGEST or " " not in line.strip(), line
    flowing = " ".join(" ".join(narrow).split())
    remarks = [line for line in map(str.rstrip, whole) if len(line) > LONGEST and not line.startswith(" ")]
    lost = [line for line in remarks if " ".join(line.split()) not in flowing]
    assert not lost
    return len(remarks)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("verb", REMARKED)
def test_remarks_are_wrapped_at_words_on_80_columns(verb: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    check_remarks(verb, monkeypatch)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("verb", MEASURED)
def test_so_are_those_below_measurements(verb: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    check_remarks(verb, monkeypatch)


def test_remarks_stay_whole_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["list", "cores"]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines() if line.startswith("clocks:")) > 200


def test_a_remark_keeps_its_margin_and_its_longest_words() -> None:
    path = "/" + 9 * "a/long/folder/"
    display, out = Display(as_json=False), StringIO()
    display._out = Console(file=out, width=40, force_terminal=True, color_system=None)
    display.line(f"- {' '.join(20 * ['words'])}\n{path} is there\n  as it is")
    lines = out.getvalue().splitlines()
    assert lines[0] == "- words words words words words words"
    assert lines[1] == "  words words words words words words"
    assert lines[-3:] == [path, "is there", "  as it is"]
    display._err = Console(file=out, width=40, force_terminal=True, color_system=None)
    display.note(f"note: {' '.join(20 * ['words'])}")
    assert max(map(len, out.getvalue().splitlines()[len(lines) :])) <= 40


def test_on_a_pseudo_terminal_no_line_of_a_list_is_cut_by_it() -> None:
    master, terminal = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    command = [sys.executable, "-m", "aesmith", "list", "cores"]
    with subprocess.Popen(command, stdout=terminal, env=environment) as program:
        os.close(terminal)
        said = b""
        while chunk := _read(master):
            said += chunk
    os.close(master)
    assert program.returncode == 0
    lines = said.decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("clocks:") for line in lines)


def _read(master: int) -> bytes:
    """What comes next of a pseudo-terminal; nothing at its end, which Linux says by an error."""
    try:
        return os.read(master, 65536)
    except OSError:
        return b""

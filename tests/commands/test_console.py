"""What verbs print through: whole names on narrow terminals, errors in the words of the command line."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from aesmith.cli import run
from aesmith.commands import console
from aesmith.commands.console import Display
from aesmith.commands.listing import cores
from aesmith.cores.specification import presets

COLUMNS = ("design", ">area (GE), published", ">area (GE), measured", ">latency (ns), published", "recipe")
ROWS = [
    ("Satoh et al., one data path for both (`satoh2001-encdec`)", "15,270", "13,040", "32.56", "keep-timed-modules"),
    ("This work", "16,418", "15,264", "19.25", "keep"),
]


class Narrow(Console):
    """A terminal of 80 columns that is written down."""

    written = StringIO()

    def __init__(self, **options: object) -> None:
        super().__init__(file=self.written, width=80, force_terminal=not options.get("stderr"), color_system=None)


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


@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_wrong_number_of_random_pairs_is_named_as_it_was_given(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "ueno2020-enc", "--random", number]) == 2
    said = capsys.readouterr().err
    assert "--random" in said
    assert "random_pairs" not in said

"""What verbs print through: whole names on narrow terminals, errors in the words of the command line."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from aesmith.cli import run
from aesmith.commands import console
from aesmith.commands.listing import cores
from aesmith.cores.specification import presets


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


@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_wrong_number_of_random_pairs_is_named_as_it_was_given(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "ueno2020-enc", "--random", number]) == 2
    said = capsys.readouterr().err
    assert "--random" in said
    assert "random_pairs" not in said

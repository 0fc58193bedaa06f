"""What every verb prints through: JSON on stdout for machines; tables on stdout and progress on stderr for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

WIDE = 10_000
NAME = 32
"""A first column no wider than this holds names, which stay whole on a narrow terminal."""

_LABEL = 20
"""What a first column of longer texts has at least, where the terminal is narrow."""

_BETWEEN = 3
"""Characters between two columns."""


class Display:
    """Where a verb's words go. With `as_json`, stdout gets one JSON value and nothing else is printed."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._out = Console(highlight=False)
        if not self._out.is_terminal:
            self._out = Console(highlight=False, width=WIDE)
        self._err = Console(stderr=True, highlight=False, quiet=as_json)

    def value(self, content: object) -> None:
        """Prints the JSON of a verb's result; nothing for people."""
        if self.as_json:
            print(json.dumps(content, indent=2, ensure_ascii=False))

    def line(self, words: str = "", *, style: str = "") -> None:
        """Prints one line for people."""
        if not self.as_json:
            self._out.print(escape(words), style=style or None, soft_wrap=True)

    def note(self, words: str) -> None:
        """Prints one line for people that is no part of the result, to stderr."""
        self._err.print(escape(words), style="dim", soft_wrap=True)

    def table(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, in_turn: bool = False
    ) -> None:
        """Prints a table for people; columns whose name begins with `>` are set flush right.

        `in_turn`: where the terminal is so narrow that words would break, as many columns at a time as there is room
        for, each time beside the first.
        """
        if self.as_json:
            return
        groups = _fitting(columns, rows, self._out.width) if in_turn else [range(len(columns))]
        for number, chosen in enumerate(groups):
            room = self._out.width if in_turn else WIDE
            self._out.print(_table("" if number else title, columns, rows, chosen, room))

    @contextmanager
    def progress(self, title: str) -> Iterator[Steps]:
        """A progress bar on stderr while the body runs."""
        columns = (
            SpinnerColumn(),
            TextColumn("{task.fields[title]}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.description}"),
        )
        live = self._err.is_terminal and not self.as_json
        if not live:
            self.note(f"{title} ...")
        with Progress(*columns, console=self._err, disable=not live, transient=True) as bars:
            yield Steps(bars, title)


class Steps:
    """The bar of one progress display."""

    def __init__(self, bars: Progress, title: str) -> None:
        self._bars = bars
        self._task = bars.add_task("", total=None, title=title)

    def done(self, label: str, count: int, total: int) -> None:
        """`count` of `total` steps are done; `label` says which was the last, or is under way."""
        self._bars.update(self._task, description=escape(label), completed=count, total=total)


def _fitting(columns: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> list[Sequence[int]]:
    """The columns to be printed together: in `width` characters no word of theirs breaks, if that is possible."""
    if len(columns) < 2:
        return [range(len(columns))]
    widths = [min(_longest_word(columns, rows, number), NAME) + _BETWEEN for number in range(len(columns))]
    names = max((len(str(row[0])) for row in rows if row), default=0)
    room = width - 1 - max(widths[0], (names if names <= NAME else _LABEL) + _BETWEEN)
    groups: list[list[int]] = [[]]
    for number, wide in enumerate(widths[1:], start=1):
        if groups[-1] and sum(widths[k] for k in groups[-1]) + wide > room:
            groups.append([])
        groups[-1].append(number)
    return [[0, *group] for group in groups]


def _table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], chosen: Sequence[int], width: int
) -> Table:
    """A table of the columns of these numbers. Where it is wider than `width`, numbers have no more than they need."""
    table = Table(
        title=title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, show_header=any(columns)
    )
    names = max((len(str(row[0])) for row in rows if row), default=0)
    longest = [max(len(columns[k].removeprefix(">")), *(len(str(row[k])) for row in rows), 0) for k in chosen]
    narrow = sum(longest) + _BETWEEN * len(longest) + 1 > width
    for number in chosen:
        column = columns[number]
        table.add_column(
            column.removeprefix(">"),
            justify="right" if column.startswith(">") else "left",
            no_wrap=number == 0 and names <= NAME,
            width=_longest_word(columns, rows, number) if narrow and column.startswith(">") else None,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(escape(str(row[number])) for number in chosen))
    return table


def _longest_word(columns: Sequence[str], rows: Sequence[Sequence[object]], number: int) -> int:
    """The length of the longest word of a column, its name included."""
    texts = (columns[number].removeprefix(">"), *(str(row[number]) for row in rows))
    return max((len(word) for text in texts for word in text.split()), default=0)

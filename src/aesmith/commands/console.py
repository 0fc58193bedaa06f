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

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Prints a table for people; columns whose name begins with `>` are set flush right."""
        if self.as_json:
            return
        table = Table(
            title=title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, show_header=any(columns)
        )
        names = max((len(str(row[0])) for row in rows if row), default=0)
        for number, column in enumerate(columns):
            table.add_column(
                column.removeprefix(">"),
                justify="right" if column.startswith(">") else "left",
                no_wrap=number == 0 and names <= NAME,
                overflow="fold",
            )
        for row in rows:
            table.add_row(*(escape(str(cell)) for cell in row))
        self._out.print(table)

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

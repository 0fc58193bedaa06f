"""What every verb prints through: JSON on stdout for machines; tables on stdout and progress on stderr for people."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread

from rich import box, progress
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from aesmith.commands.typeset import SETTERS, TableFormat
from aesmith.errors import RequestError
from aesmith.progress import Progress

WIDE = 10_000
NAME = 32
"""A first column no wider than this holds names, which stay whole on a narrow terminal."""

_LABEL = 20
"""What a first column of longer texts has at least, where the terminal is narrow."""

_BETWEEN = 3
"""Characters between two columns."""

_TEXT = 24
"""What a column of sentences has at least; where there is no room for that, rows take several lines."""

WORDS_FOR_PEOPLE, WORDS_FOR_MACHINES = (10.0, 10.0), (60.0, 60.0)
"""Seconds until who watches no terminal is told how far the work is, and from then on between two times."""

_MINUTES_FROM_S, _WORTH_SAYING_S = 90.0, 10.0
"""From when on an estimate is told in minutes, and from when on at all on a terminal."""


class Display:
    """Where a verb's words go. With `as_json`, stdout gets one JSON value and nothing else is printed; with a format
    `form`, tables in it, one after the other, and what is said beside them as its comments.

    Raises RequestError for both.
    """

    def __init__(self, *, as_json: bool, form: TableFormat | None = None) -> None:
        if as_json and form is not None:
            raise RequestError("format: give --format or --json, not both")
        self.as_json, self.form, self._begun = as_json, form, False
        self._remarks: list[str] = []
        self._out = Console(highlight=False)
        if not self._out.is_terminal:
            self._out = Console(highlight=False, width=WIDE)
        self._err = Console(stderr=True, highlight=False, quiet=as_json)

    def value(self, content: object) -> None:
        """Prints the JSON of a verb's result, with the remarks on it as `notes`, if any; nothing for people."""
        if self.as_json:
            told = content | {"notes": self._remarks} if self._remarks and isinstance(content, dict) else content
            print(json.dumps(told, indent=2, ensure_ascii=False))

    def line(self, words: str = "", *, style: str = "") -> None:
        """Prints one line for people; on a terminal that it is too long for, several."""
        if self.form is not None:
            print(SETTERS[self.form][1](words), end="")
        elif not self.as_json:
            self._out.print(escape(_wrapped(words, self._out)), style=style or None, soft_wrap=True)

    def remark(self, words: str) -> None:
        """Notes what a reader of the result is to know, for people as `note` does; it stands in the JSON, too."""
        self._remarks.append(words)
        self.note(f"note: {words}")

    def note(self, words: str) -> None:
        """Prints one line for people that is no part of the result, to stderr; wrapped as `line` does."""
        self._err.print(escape(_wrapped(words, self._err)), style="dim", soft_wrap=True)

    def table(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, in_turn: bool = False
    ) -> None:
        """Prints a table for people; columns whose name begins with `>` are set flush right.

        Names and numbers are never broken. Where the terminal is so narrow that sentences would stand in a column of a
        few letters, a row takes several lines, and the head says what stands where. `in_turn`: there
        are as many columns at a time as there is room for, each time beside the first.
        """
        if self.as_json:
            return
        if self.form is not None:
            print("\n" * self._begun + SETTERS[self.form][0](title, columns, rows), end="")
            self._begun = True
            return
        widths = None if in_turn else _side_by_side(columns, rows, self._out.width)
        if not in_turn and widths is None:
            for line, style in _in_lines(title, columns, rows, self._out.width):
                self._out.print(escape(line), style=style, soft_wrap=True)
            return
        if not in_turn:
            self._out.print(_table(title, columns, rows, range(len(columns)), WIDE, widths=widths))
            return
        groups = _fitting(columns, rows, self._out.width)
        for number, chosen in enumerate(groups):
            self._out.print(_table("" if number else title, columns, rows, chosen, self._out.width))

    def tell(self, kind: str, values: dict[str, object], words: str) -> None:
        """Prints what is known meanwhile to stderr: a line for people, or one of JSON, `{kind: values}`."""
        with suppress(OSError, ValueError):
            if self.as_json:
                print(json.dumps({kind: values}, ensure_ascii=False), file=sys.stderr, flush=True)
            else:
                self.note(words)

    @contextmanager
    def progress(self, title: str) -> Iterator[Steps]:
        """A progress bar on stderr while the body runs; where there is no terminal, or for machines, a line at times.

        For machines a line is `{"progress": {"title": …, "step": …, "done": …, "total": …, "seconds": …, "left": …}}`:
        seconds so far, and an estimate of those still to go, null while nothing is known of them.
        """
        columns = (
            SpinnerColumn(),
            TextColumn("{task.fields[title]}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            _TimeLeft(),
            TextColumn("[dim]{task.description}"),
        )
        live = self._err.is_terminal and not self.as_json
        if not live:
            self.note(f"{title} ...")
            words = _Words(title, self.tell, WORDS_FOR_MACHINES if self.as_json else WORDS_FOR_PEOPLE)
            try:
                yield Steps(words.step)
            finally:
                words.ended.set()
            return
        with progress.Progress(*columns, console=self._err, transient=True) as bars:
            pace = StepPace()
            task = bars.add_task("", total=None, title=title, pace=pace)

            def step(label: str, count: int, total: int) -> None:
                pace.step(count, total, time.monotonic())
                bars.update(task, description=escape(label), completed=count, total=total)

            yield Steps(step)


class Steps:
    """Takes the steps of work that is under way."""

    def __init__(self, show: Progress) -> None:
        self._show = show

    def done(self, label: str, count: int, total: int) -> None:
        """`count` of `total` steps are done; `label` says which was the last, or is under way."""
        self._show(label, count, total)


class StepPace:
    """How fast steps end, and so how long those still to go may take. Times are seconds of one clock.

    Where the count goes back, or the total is another before anything is counted, other steps have begun, of which
    nothing is known yet. A total that is known better in the midst of the work is of the same steps.
    """

    def __init__(self) -> None:
        self._total = self._first = self._count = 0
        self._began = 0.0

    def step(self, count: int, total: int, now: float) -> None:
        """`count` of `total` steps have ended by `now`."""
        if count < self._count or not self._total or (total != self._total and not count):
            self._first, self._began = count, now
        self._count, self._total = count, total

    def left_s(self, now: float) -> float | None:
        """Seconds to go, where steps take what those did that ended, the time of the present one with them: whatever
        takes longer than the others did makes the estimate grow. None before the first has ended."""
        ended, waiting = self._count - self._first, self._total - self._count
        return (now - self._began) / ended * waiting if ended > 0 and waiting > 0 else None


def _about(seconds: float) -> str:
    """An estimate in words: `about 40 s left`, `about 7 min left`."""
    rough = f"{max(10, 10 * round(seconds / 10))} s" if seconds < _MINUTES_FROM_S else f"{round(seconds / 60)} min"
    return f"about {rough} left"


class _TimeLeft(ProgressColumn):
    """The estimate of a bar's `pace`, once there is one and it is worth saying."""

    def render(self, task: Task) -> Text:
        left = task.fields["pace"].left_s(time.monotonic())
        return Text("" if left is None or left < _WORTH_SAYING_S else _about(left))


class _Words:
    """Says from a thread of its own how far the work is, the last step being known or not."""

    def __init__(
        self, title: str, tell: Callable[[str, dict[str, object], str], None], waits: tuple[float, float]
    ) -> None:
        self.title, self._tell, self._waits = title, tell, waits
        self.ended = Event()
        self._last: tuple[str, int, int] = ("", 0, 0)
        self._pace = StepPace()
        Thread(target=self._say, daemon=True).start()

    def step(self, label: str, count: int, total: int) -> None:
        """Remembers a step."""
        self._last = (label, count, total)
        self._pace.step(count, total, time.monotonic())

    def _say(self) -> None:
        began, (wait, after) = time.monotonic(), self._waits
        while not self.ended.wait(wait):
            wait = after
            label, count, total = self._last
            now = time.monotonic()
            seconds, left = round(now - began), self._pace.left_s(now)
            values = {"title": self.title, "step": label, "done": count, "total": total or None, "seconds": seconds}
            values["left"] = None if left is None else round(left)
            estimate = "" if left is None else _about(left)
            where = ", ".join(filter(None, (label, f"{count} of {total}" if total else "", f"{seconds} s", estimate)))
            self._tell("progress", values, f"{self.title}: {where}")


def _wrapped(words: str, console: Console) -> str:
    """Lines broken between words where the console is a terminal that is narrower, and as they are elsewhere; what
    follows stands under the first word. A word that is too long, a path perhaps, stays whole."""
    if not console.is_terminal:
        return words
    lines: list[str] = []
    for line in words.splitlines():
        margin = " " * (len(line) - len(line.lstrip(" -")))
        lines += textwrap.wrap(
            line, console.width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False,
            replace_whitespace=False, drop_whitespace=True,
        ) if len(line) > console.width else [line]  # fmt: skip
    return "\n".join(lines)


def _cells(columns: Sequence[str], rows: Sequence[Sequence[object]], number: int) -> tuple[str, list[str]]:
    """Head and texts of a column."""
    return columns[number].removeprefix(">"), [str(row[number]) for row in rows]


def _side_by_side(columns: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> list[int] | None:
    """The widths of the columns in a terminal: none where there is no room for all beside each other.

    Names and numbers have all they need, sentences at least `_TEXT`, and what is left.
    """
    least, full = [], []
    for number, column in enumerate(columns):
        head, texts = _cells(columns, rows, number)
        needed = max(map(len, texts), default=0)
        whole = column.startswith(">") or not any(" " in text for text in texts)
        least.append(max(needed if whole else min(needed, _TEXT), _longest_word(columns, rows, number)))
        full.append(max(needed, len(head)))
    room = width - 1 - _BETWEEN * len(columns)
    if sum(least) > room:
        return None
    while sum(least) < room and (short := [k for k in range(len(least)) if least[k] < full[k]]):
        least[min(short, key=lambda k: least[k])] += 1
    return least


def _in_lines(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], width: int
) -> Iterator[tuple[str, str | None]]:
    """The lines of a table whose rows take several, each with its style; every line but a row's first is set in."""
    widths = [
        max(len(head), *map(len, texts), 0) for head, texts in (_cells(columns, rows, k) for k in range(len(columns)))
    ]
    groups: list[list[int]] = []
    for number, wide in enumerate(widths):
        room = width - (3 if len(groups) == 1 else 5)
        if not groups or sum(widths[k] + _BETWEEN for k in groups[-1]) + wide > room:
            groups.append([])
        groups[-1].append(number)

    def lines(texts: Sequence[str]) -> Iterator[str]:
        for place, group in enumerate(groups):
            margin = "    " if place else "  "
            if len(group) == 1:
                yield from textwrap.wrap(
                    texts[group[0]], width - 1, initial_indent=margin, subsequent_indent=margin,
                    break_on_hyphens=False,
                )  # fmt: skip
                continue
            cells = (
                texts[k].rjust(widths[k]) if columns[k].startswith(">") else texts[k].ljust(widths[k]) for k in group
            )
            if line := (" " * _BETWEEN).join(cells).rstrip():
                yield margin + line

    yield "", None
    if title:
        yield title, "bold"
    yield from ((line, "bold") for line in lines([column.removeprefix(">") for column in columns]))
    yield " " + "─" * (width - 2), None
    for row in rows:
        yield from ((line, None) for line in lines([str(cell) for cell in row]))
    yield "", None


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
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    chosen: Sequence[int],
    width: int,
    *,
    widths: Sequence[int] | None = None,
) -> Table:
    """A table of the columns of these numbers, of these `widths` if they are known.

    Else, where it is wider than `width`, numbers have no more than they need.
    """
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
            width=widths[number]
            if widths is not None
            else _longest_word(columns, rows, number)
            if narrow and column.startswith(">")
            else None,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(escape(str(row[number])) for number in chosen))
    return table


def _longest_word(columns: Sequence[str], rows: Sequence[Sequence[object]], number: int) -> int:
    """The length of the longest word of a column, its name included."""
    texts = (columns[number].removeprefix(">"), *(str(row[number]) for row in rows))
    return max((len(word) for text in texts for word in text.split()), default=0)

"""The live table of a sweep: how far it is, what each worker does, what came last, and how long it will take."""

from __future__ import annotations

import time
from types import TracebackType

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from aesmith.commands.console import Display
from aesmith.explore.runs import DONE, FAILED
from aesmith.explore.sweep import Status

_NOTE_EVERY_S = 60.0


class SweepTable:
    """On a terminal a table that is drawn again and again, elsewhere a line a minute; nothing for machines."""

    def __init__(self, display: Display) -> None:
        self._display = display
        console = Console(stderr=True, highlight=False)
        shown = console.is_terminal and not display.as_json
        self._live = Live(console=console, transient=True, auto_refresh=False) if shown else None
        self._noted = 0.0

    def __enter__(self) -> SweepTable:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, status: Status) -> None:
        """Draw what there is to see now."""
        if self._live is not None:
            self._live.update(drawn(status), refresh=True)
        elif status.now - self._noted >= _NOTE_EVERY_S:
            self._noted = status.now
            self._display.note(_line(status))


def drawn(status: Status) -> Group:
    """The table for one moment."""
    bar = ProgressBar(total=len(status.plan.points), completed=len(status.states), width=60)
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    for column, justify in (("worker", "left"), ("point", "left"), ("does", "left"), ("s", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for number, (point, state, since) in enumerate(status.workers.values(), 1):
        table.add_row(str(number), point.label, state, f"{status.now - since:.0f}")
    for point, state, seconds in reversed(status.latest):
        table.add_row("", Text(point.label, style="dim"), Text(state, style="red" if state == FAILED else "dim"),
                      Text(f"{seconds:.0f}", style="dim"))  # fmt: skip
    return Group(Text(_line(status)), bar, table)


def _line(status: Status) -> str:
    count, left = status.count, status.left_s()
    words = [
        f"{len(status.states)} of {len(status.plan.points)} points",
        f"{count[DONE]} done",
        *([f"{count[FAILED]} failed"] if count[FAILED] else []),
        f"{_clock(status.now - status.began)} so far",
        f"about {_clock(left)} left" if left is not None else "time left not known yet",
    ]
    return ", ".join(words)


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return time.strftime("%H:%M:%S", time.gmtime(seconds)) if seconds < 86400 else f"{seconds / 3600:.0f} h"

"""The program `aesmith`, and `python -m aesmith`.

Signals are in hand before anything is imported that takes time: who presses Ctrl-C at once sees no traceback.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Imports and runs the command line. Nothing has begun until then, so a signal just ends the process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    from aesmith import cli  # noqa: PLC0415 - not before now, see above

    cli.main()


def _end(number: int, _frame: object) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()

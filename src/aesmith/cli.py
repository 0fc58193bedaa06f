"""The command line: the verbs, and what becomes of errors. No logic."""

from __future__ import annotations

import json
import signal
import sys
from types import FrameType
from typing import Annotated, cast

import typer

from aesmith import __version__
from aesmith.commands import (
    build,
    explore,
    fpga,
    library,
    listing,
    measure,
    pipeline,
    recommend,
    report,
    reproduce,
    search,
    verify,
)
from aesmith.errors import AesmithError

INTERRUPTED, TERMINATED = 130, 143

# typer has a public name for one kind of usage error only; this is what all of them are.
_USAGE_ERROR = cast(type[Exception], typer.BadParameter.__base__)

app = typer.Typer(
    name="aesmith",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="From a requirement to a proved and measured AES core.\n\n"
    "Exit status: 0 done; 1 the thing checked does not hold; 2 the request is wrong; 3 a tool is missing or failed.",
)
app.add_typer(listing.app, name="list")
app.command("build", short_help="Write a core package: sources, datasheet, testbench.")(build.command)
app.command("verify", short_help="Simulate a core against the standard.")(verify.command)
app.command("measure", short_help="Measure area and speed in a library.")(measure.command)
app.command("fpga", short_help="Place and route a core on an FPGA.")(fpga.command)
app.command("reproduce", short_help="Measure a published table, row by row.")(reproduce.command)
app.add_typer(explore.app, name="explore")
app.command("recommend", short_help="Find the core that serves a requirement best.")(recommend.command)
app.command("report", short_help="Write all measured designs as one HTML page.")(report.command)
app.add_typer(library.app, name="library")
app.add_typer(search.app, name="search")
app.command("pipeline", short_help="Cut an S-box into pipeline stages.")(pipeline.command)
app.command("demo", short_help="Build, verify and measure one core.")(build.demo_command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"aesmith {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The options that stand before a verb."""
    _ = version


def main() -> None:
    """The program `aesmith`. Ends the process with the exit status of DESIGN 4.7."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command line and returns its exit status; errors are printed, as JSON if `--json` is among them."""
    as_json = "--json" in arguments
    signal.signal(signal.SIGTERM, _terminate)
    try:
        result = app(arguments, prog_name="aesmith", standalone_mode=False)
    except AesmithError as error:
        _print_error(type(error).__name__, str(error), error.exit_code, as_json=as_json)
        return error.exit_code
    except _USAGE_ERROR as error:
        message = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
        if not message.startswith("Usage:"):
            message = f"{message.rstrip('.')}; see --help"
        _print_error("UsageError", message, 2, as_json=as_json)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    if result == INTERRUPTED:  # typer itself makes this of most interrupts
        _print_error("Interrupted", "interrupted; nothing was left half-written", INTERRUPTED, as_json=as_json)
    return result if isinstance(result, int) else 0


def _print_error(kind: str, message: str, status: int, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": {"kind": kind, "message": message, "exit_status": status}}), file=sys.stderr)
    else:
        print(message if message.startswith("Usage:") else f"aesmith: {message}", file=sys.stderr)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)

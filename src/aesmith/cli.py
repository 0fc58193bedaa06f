"""The command line: the verbs, and what becomes of errors and signals. No logic.

A verb's module is imported when the verb is called or asked for its help, so that no verb waits for what another needs.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group

from aesmith import __version__
from aesmith.errors import AesmithError, ToolError, explained, meant
from aesmith.lazy import LazyModule
from aesmith.processes import adopt_orphans, end_children

if TYPE_CHECKING:
    from aesmith.commands import (
        acvp,
        build,
        datasheet,
        doctor,
        explore,
        explore_results,
        fpga,
        listing,
        measure,
        new,
        pipeline,
        power,
        recommend,
        reproduce,
        search,
        vectors,
        verify,
    )
else:
    acvp = LazyModule("aesmith.commands.acvp")
    build = LazyModule("aesmith.commands.build")
    datasheet = LazyModule("aesmith.commands.datasheet")
    doctor = LazyModule("aesmith.commands.doctor")
    explore = LazyModule("aesmith.commands.explore")
    explore_results = LazyModule("aesmith.commands.explore_results")
    fpga = LazyModule("aesmith.commands.fpga")
    listing = LazyModule("aesmith.commands.listing")
    measure = LazyModule("aesmith.commands.measure")
    new = LazyModule("aesmith.commands.new")
    pipeline = LazyModule("aesmith.commands.pipeline")
    power = LazyModule("aesmith.commands.power")
    recommend = LazyModule("aesmith.commands.recommend")
    reproduce = LazyModule("aesmith.commands.reproduce")
    search = LazyModule("aesmith.commands.search")
    vectors = LazyModule("aesmith.commands.vectors")
    verify = LazyModule("aesmith.commands.verify")

INTERRUPTED, TERMINATED, UNREAD = 130, 143, 141
"""Exit statuses of who is ended by Ctrl-C, by SIGTERM, and because nobody reads the output any more."""

_ENDING = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]

_WORDING = (
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be a valid number.*", "must be a number"),
    (r"Input should be greater than or equal to (\S+)", r"must be at least \1"),
    (r"Input should be less than or equal to (\S+)", r"must be at most \1"),
    (r"Input should be", "must be"),
    (r"Value error, ", ""),
    (r"No such command '(.*)'\. Did you mean (.*)\?", r"there is no verb '\1'; did you mean \2?"),
    (r" \(Possible options: (.*)\)", r"; did you mean \1?"),
)

YOUNG_OBJECTS = 1_000_000
"""New objects that begin a collection of garbage. Netlists are many small objects that live as long as a verb works on
them: with Python's own threshold, looking through them takes a fifth of its time."""

# typer has a public name for one kind of usage error only; this is what all of them are.
_USAGE_ERROR = cast(type[Exception], typer.BadParameter.__base__)


@dataclass(frozen=True)
class Verb:
    """What a verb does, in a line, and where it is: one command, or an app of several, imported when asked for."""

    does: str
    load: Callable[[], Callable[..., object] | typer.Typer]


VERBS = {
    "list": Verb("List cores, families, S-boxes, libraries and tables.", lambda: listing.app),
    "build": Verb("Write a core package: sources, datasheet, testbench.", lambda: build.command),
    "verify": Verb("Simulate a core against the standard, or prove it.", lambda: verify.command),
    "check-proof": Verb("Check a proof's certificate, independently of the prover.", lambda: verify.check_command),
    "check-package": Verb("Acceptance-test a package.", lambda: build.package_command),
    "datasheet": Verb("Write the datasheet of a package as PDF.", lambda: datasheet.command),
    "vectors": Verb("Send published vectors through an engine.", lambda: vectors.command),
    "acvp": Verb("Answer vector sets of NIST's validation programme.", lambda: acvp.app),
    "measure": Verb("Measure area, speed and power in a library.", lambda: measure.command),
    "ports": Verb("Draft a port map for a third-party design.", lambda: new.ports_command),
    "fpga": Verb("Place and route a core on an FPGA.", lambda: fpga.command),
    "reproduce": Verb("Measure a published table, row by row.", lambda: reproduce.command),
    "explore": Verb("Sweep design spaces; every core is measured once.", lambda: explore.app),
    "recommend": Verb("Find the best core or engine for a requirement.", lambda: recommend.command),
    "report": Verb("Write all measured designs as one HTML page.", lambda: explore_results.report_command),
    "serve": Verb(
        "Open the report with a local server that builds and measures.", lambda: explore_results.serve_command
    ),
    "library": Verb("Register cell libraries under names.", lambda: listing.library_app),
    "search": Verb("Search towers and offsets, or a map's circuit.", lambda: search.app),
    "pipeline": Verb("Cut an S-box into pipeline stages.", lambda: pipeline.command),
    "mask": Verb("Make a masked S-box, and check its probes.", lambda: pipeline.mask_command),
    "probe": Verb("Check a third-party masked circuit for probing security.", lambda: pipeline.probe_command),
    "leakage": Verb("Test simulated power for leakage.", lambda: power.leakage_command),
    "new": Verb("Scaffold a new S-box or core family.", lambda: new.app),
    "exercise": Verb("Write a core with a bug that verify finds.", lambda: new.exercise_command),
    "doctor": Verb("List tools and versions, and how to get missing ones.", lambda: doctor.command),
    "demo": Verb("Build, verify and measure one core.", lambda: build.demo_command),
}


class _Verbs(TyperGroup):
    """The verbs by their lines only, until one is called."""

    def resolve_command(self, *arguments: Any) -> Any:
        """The verb that the arguments begin with, imported, and the arguments left. Raises a usage error for others."""
        name, _, left = super().resolve_command(*arguments)
        assert name is not None
        left = _with_values(left)
        called, alone = VERBS[name].load(), _typer()
        if isinstance(called, typer.Typer):
            alone.add_typer(called, name=name)
        else:
            alone.command(name, context_settings=_SHORT_HELP)(called)
        return name, get_group(alone).commands[name], left


def _with_values(arguments: list[str]) -> list[str]:
    """Arguments in which a bare `--clock-gates` is on: it took no value once."""
    followed = zip(arguments, [*arguments[1:], ""], strict=False)
    return [
        word
        for argument, after in followed
        for word in ([argument, "on"] if argument == "--clock-gates" and after not in ("on", "off") else [argument])
    ]


_SHORT_HELP = {"help_option_names": ["-h", "--help"]}
"""What a verb's own verbs take from it."""


def _typer(*, completion: bool = False, **settings: Any) -> typer.Typer:
    settings |= {"add_completion": completion, "context_settings": _SHORT_HELP}
    return typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, **settings)


app = _typer(
    completion=True,
    name="aesmith",
    cls=_Verbs,
    no_args_is_help=True,
    help="From a requirement to a proved and measured AES core.\n\n"
    "Exit status: 0 done; 1 the check failed; 2 the request is wrong; 3 a tool is missing or failed; "
    "4 inconclusive.",
)
for _name, _verb in VERBS.items():
    app.command(_name, short_help=_verb.does)(lambda: None)


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


def main() -> NoReturn:
    """The program `aesmith`. Ends the process with the exit status of DESIGN 4.7, and every process it has started."""
    gc.set_threshold(YOUNG_OBJECTS)
    adopt_orphans()
    _on_signals(_interrupt)
    try:
        status = run(sys.argv[1:])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else ToolError.exit_code
    except BaseException as error:
        traceback.print_exception(error)
        _print_error(
            "Fault",
            f"{error!r}: this is a fault of aesmith itself; please report it",
            ToolError.exit_code,
            as_json=False,
        )
        status = ToolError.exit_code
    finally:
        _on_signals(_end_at_once)
        end_children()
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Runs one command line and returns its exit status; errors are printed, as JSON if `--json` is among them."""
    as_json = "--json" in arguments
    try:
        result = app(arguments, prog_name="aesmith", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except AesmithError as error:
        return _print_error(type(error).__name__, str(error), error.exit_code, as_json=as_json)
    except _USAGE_ERROR as error:
        # Of the kinds of usage errors some have a longer text than their `str`.
        message = str(getattr(error, "format_message", error.__str__)())
        if not message.startswith("Usage:"):
            message = _plain(message).rstrip(".")
            message += " (see --help)" if message.endswith("?") else "; see --help"
        return _print_error("UsageError", message, 2, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except SystemExit as end:
        # Where nobody reads the output, libraries end the program, with a status that means something else here.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return _unread()
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        where = error.filename if error.filename is not None else "output"
        told = explained(error, f"{where}: cannot be used")
        _to_nowhere()
        return _print_error(type(told).__name__, str(told), told.exit_code, as_json=as_json)
    if result == INTERRUPTED:  # typer itself makes this of most interrupts
        _print_error("Interrupted", "interrupted; nothing was left half-written", INTERRUPTED, as_json=as_json)
    return result if isinstance(result, int) else 0


def _print_error(kind: str, message: str, status: int, *, as_json: bool) -> int:
    with suppress(OSError):  # nobody can be told
        if as_json:
            print(json.dumps({"error": {"kind": kind, "message": message, "exit_status": status}}), file=sys.stderr)
        else:
            print(message if message.startswith("Usage:") else f"aesmith: {message}", file=sys.stderr, flush=True)
    return status


def _plain(message: str) -> str:
    """A usage error without the wording of what checks types."""
    for theirs, ours in _WORDING:
        message = re.sub(theirs, ours, message)
    if choice := re.search(r"'([^']*)' is not one of ('.*')$", message.rstrip(".")):
        message = message.rstrip(".") + meant(choice[1], re.findall(r"'([^']*)'", choice[2]))
    return message


def _unread() -> int:
    _to_nowhere()
    return UNREAD


def _to_nowhere() -> None:
    """What is still to be printed would fail again when the process ends."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _on_signals(handler: object) -> None:
    """Who was started with a signal ignored (as under nohup) goes on ignoring it."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)  # type: ignore[arg-type]


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """The first signal lets everybody clear up; the next one does not wait for them."""
    _on_signals(_end_at_once)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    end_children()
    with suppress(OSError):
        os.write(2, b"aesmith: interrupted\n" if number == signal.SIGINT else b"")
    os._exit(128 + number)

"""`aesmith leakage`: what the simulated power of a mapped netlist tells of its data, by a t-test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import assessing, presets
from aesmith.assurance.leakage.plan import (
    FEWEST,
    THRESHOLD,
    LeakagePlan,
    LeakageReport,
    LeakageVerdict,
)
from aesmith.commands.console import Display, Steps
from aesmith.commands.request import Json, LibertyFile, LibraryName, completing, read_named_library, read_request
from aesmith.drawing.leakage import t_plot
from aesmith.errors import CheckError, RequestError, UndecidedError
from aesmith.scratch import check_place, write_whole
from aesmith.technology.library import Library

MASKED_SBOX = "masked-sbox"
"""What stands for a specification where the target is the masked S-box."""


def command(
    spec: Annotated[
        str,
        typer.Argument(
            metavar=f"SPEC|DIR|{MASKED_SBOX}",
            autocompletion=completing(lambda: [MASKED_SBOX, *presets()]),
            help=f"A core: preset, TOML file or folder of a build; or {MASKED_SBOX}, the S-box of `aesmith mask`.",
        ),
    ],
    *,
    order: Annotated[
        int | None, typer.Option("--order", metavar="D", help="Order of the masked S-box. [default: 1]")
    ] = None,
    sbox_clocks: Annotated[
        int | None, typer.Option("--sbox-clocks", metavar="N", help="Its latency: 3 or 4 clocks. [default: 4]")
    ] = None,
    traces: Annotated[int, typer.Option("--traces", metavar="N", min=1, help="Traces at most.")] = 100_000,
    clocks: Annotated[
        int | None, typer.Option("--clocks", metavar="N", help="Clocks of a trace. [default: the first two rounds]")
    ] = None,
    parts: Annotated[int, typer.Option("--parts", metavar="N", min=1, help="Samples in a clock.")] = 1,
    clock: Annotated[float, typer.Option("--clock", metavar="MHZ", help="Clock of the simulation.")] = 100.0,
    key: Annotated[str | None, typer.Option("--key", metavar="HEX", help="The key. [default: drawn]")] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", metavar="HEX", help="One more fixed block, or operand of the S-box.")
    ] = None,
    zero_fresh: Annotated[
        bool, typer.Option("--zero-fresh", help="All fresh bits 0, as who forgets their generator.")
    ] = False,
    all_traces: Annotated[bool, typer.Option("--all-traces", help="Do not end at the first leak.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Decides every random choice.")] = 1,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME", help="How it is mapped. [default: keep; with shares keep-modules]"),
    ] = None,
    netlist: Annotated[
        Path | None,
        typer.Option("--netlist", metavar="FILE", help="A mapped netlist of the core, Verilog or Yosys' JSON."),
    ] = None,
    library: LibraryName = None,
    liberty: LibertyFile = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Processors at work.")] = 1,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Write t over the clocks as SVG.")] = None,
    as_json: Json = False,
) -> None:
    """Test if the power of a netlist, simulated with glitches, tells fixed data from random.

    The exit status is 1 if it does: |t| above 4.5 at the same point of both halves of the traces, at an order up to
    that of the protection, at order 1 or 2 where there is none. It is 0 if it does not in enough traces, and 4 if they
    are too few. Ctrl-C ends with what is known. That nothing is found proves nothing; see `aesmith mask --check` and
    `aesmith verify --probing`.

    Example: aesmith leakage masked-sbox --traces 20000 --plot t.svg
    """
    display = Display(as_json=as_json)
    check_place(plot, "plot")
    plan = LeakagePlan(
        traces=traces,
        seed=seed,
        clocks=clocks,
        parts=parts,
        clock_mhz=clock,
        key=None if key is None else _bytes("key", key),
        fixed=tuple(_bytes("fixed", text) for text in fixed or ()),
        fresh=not zero_fresh,
        all_traces=all_traces,
        jobs=jobs,
    )
    cells = read_named_library(library, liberty)
    with display.progress(f"traces of {spec} in {cells.name}") as steps:
        if spec == MASKED_SBOX:
            if netlist is not None:
                raise RequestError(f"netlist: of cores only; {MASKED_SBOX} is synthesised")
            found = assessing.assess_sbox(
                1 if order is None else order, 4 if sbox_clocks is None else sbox_clocks, plan, cells, recipe=recipe,
                progress=steps.done,
            )  # fmt: skip
        else:
            if order is not None or sbox_clocks is not None:
                raise RequestError(f"order: --order and --sbox-clocks are of {MASKED_SBOX}; a core has its own")
            found = _of_core(spec, plan, cells, recipe=recipe, netlist=netlist, steps=steps)
    if plot is not None:
        write_whole(plot, t_plot(found), "plot")
    display.value(found.to_json() | {"file": None if plot is None else str(plot)})
    _show(found, display)
    if plot is not None:
        display.line(f"Written: {plot}")
    _check(found)


def _of_core(
    spec: str,
    plan: LeakagePlan,
    cells: Library,
    *,
    recipe: str | None,
    netlist: Path | None,
    steps: Steps,
) -> LeakageReport:
    design = read_request(spec).core("leakage")
    return assessing.assess_core(design, plan, cells, recipe=recipe, netlist=netlist, progress=steps.done)


def _bytes(what: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise RequestError(f"{what}: must be bytes in hexadecimal, not {text!r}") from None


def _show(found: LeakageReport, display: Display) -> None:
    """Prints a line a fixed class, then what was compared and under what conditions."""
    rows = []
    for order, classes in found.t.items():
        for name in classes:
            first, second = found.largest(order, name)
            judged = "" if order in found.judged else "above the order of protection, not judged"
            rows.append((name, order, f"{first:.1f}", f"{second:.1f}", judged))
    ended = " (interrupted)" if found.interrupted else ""
    title = f"{found.target}: {found.verdict} in {found.traces:,} traces of {found.clocks} clocks{ended}"
    display.table(title, ("fixed class", ">order", ">|t|, first half", ">second half", ""), rows)
    for order, count in found.found_after.items():
        display.line(f"order {order}: first above {THRESHOLD:g} in both halves after {count:,} traces")
    counts = ", ".join(f"{count:,} {name}" for name, count in found.per_class.items())
    for line in (
        counts,
        *found.conditions,
        "no noise, no wires, no coupling: a leak is one, no leak found is no proof",
    ):
        display.line(line, style="dim")


def _check(found: LeakageReport) -> None:
    """Raises CheckError for a leak, UndecidedError for too few traces."""
    if found.verdict is LeakageVerdict.LEAK:
        leak = found.leak
        assert leak is not None
        raise CheckError(
            f"{found.target}: fixed class {leak.fixed} leaks at order {leak.order} in clock {leak.clock}: t is "
            f"{leak.t[0]:.1f} and {leak.t[1]:.1f} in the halves of {found.traces:,} traces"
        )
    if found.verdict is LeakageVerdict.TOO_FEW:
        raise UndecidedError(
            f"{found.target}: no leak found, in too few traces to say so: {found.fewest:,} of a class in a half, of "
            f"{FEWEST:,} at least"
        )

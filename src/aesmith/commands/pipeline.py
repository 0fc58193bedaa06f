"""S-boxes as leaf modules, in any number of stages (`aesmith pipeline`) or on shares (`aesmith mask`); and masked
circuits of somebody else's (`aesmith probe`).
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import sbox
from aesmith.api.masked import probe_circuit
from aesmith.assurance.probing.check import ProbingVerdict, check_probing
from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import LEVELS, CostModel
from aesmith.circuits.pipeline import PipelineFigures, pipeline, pipeline_figures, possible_stages, staged_figures
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.commands.console import Display
from aesmith.commands.request import (
    Json,
    LibertyFiles,
    LibraryName,
    completing,
    gathering,
    read_named_library,
    rtl_settings,
)
from aesmith.cores.sources import check_name
from aesmith.errors import CheckError, RequestError
from aesmith.foreign.description import RtlSettings
from aesmith.masking.gatewise import masked_circuit
from aesmith.masking.sbox import masked_sbox
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function, SBox
from aesmith.scratch import write_whole
from aesmith.technology.cost import cost_model

MASKED = "canright2005"
"""The S-box whose field products are masked."""

MOST_LEFT = 12
"""Variables left of a set of probes that are enumerated here: pairs of probes are thousands."""


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SBOX", autocompletion=completing(catalogue), help="An S-box (see `aesmith list sboxes`)."
        ),
    ],
    *,
    function: Annotated[
        str, typer.Option("--function", metavar="NAME", help="forward, inverse, combined or inverter.")
    ] = "forward",
    stages: Annotated[int | None, typer.Option("--stages", metavar="N", help="Cut into N stages.")] = None,
    period: Annotated[
        float | None,
        typer.Option(
            "--period", metavar="T", help="Cut for a clock of this period, in gate levels or the library's ps."
        ),
    ] = None,
    duplicate: Annotated[
        bool,
        typer.Option("--duplicate", help="Recompute cheap gates after a cut where that saves registers and area."),
    ] = False,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    enable: Annotated[bool, typer.Option("--enable", help="Add a port enable_i that holds all registers.")] = False,
    valid: Annotated[bool, typer.Option("--valid", help="Add ports valid_i and valid_o, cleared by rst_ni.")] = False,
    module: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the module.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the pipelined module as SystemVerilog.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Cut an S-box into pipeline stages: minimal longest stage, then fewest register bits, both exact.

    Without --stages and --period, the cost of every number of stages is printed. Delays are gate levels, or those of a
    library. --out writes the module.

    Example: aesmith pipeline canright2005 --stages 4 --duplicate --out sbox.sv
    """
    display = Display(as_json=as_json)
    entry = sbox(name)
    kind = _function(entry, function)
    circuit = entry.circuit(kind)
    model = LEVELS if library is None and not liberty else cost_model(read_named_library(library, liberty, display))
    if stages is None and period is None:
        if out is not None:
            raise RequestError("out: say with --stages or --period which of the table's rows to write")
        rows = _all_rows(circuit, model, duplicate, display)
    else:
        with display.progress(f"pipelining {name}") as steps:
            steps.done("cutting", 0, 1)
            staged = pipeline(circuit, stages=stages, period=period, model=model, duplicate=duplicate)
            steps.done("cutting", 1, 1)
        rows = [staged_figures(staged, model, duplicate=duplicate)]
        if out is not None:
            title = check_name(module or f"{circuit.name}_{staged.stages}_stages")
            header = f"{name}, {kind}: {entry.summary}.\nAfter {entry.publication}."
            write_whole(out, staged_systemverilog(staged, header, title, enable=enable, valid=valid), "out")
    display.value(
        {
            "sbox": name,
            "function": str(kind),
            "model": model.name,
            "delay_unit": model.delay_unit,
            "area_unit": model.area_unit,
            "stages": [asdict(row) for row in rows],
            "file": str(out) if out is not None else None,
        }
    )
    _show(name, kind, rows, model, display)
    if out is not None:
        display.line(f"Written: {out}")


def mask_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SBOX",
            autocompletion=completing(catalogue),
            help="The S-box; only the default has masked field products.",
        ),
    ] = MASKED,
    *,
    order: Annotated[int, typer.Option("--order", metavar="D", help="Order of protection, 1 to 5.")] = 1,
    clocks: Annotated[
        int | None,
        typer.Option("--clocks", metavar="N", help="Latency with field products: 3 or 4 cycles. [default: 4]"),
    ] = None,
    gates: Annotated[
        bool, typer.Option("--gate-by-gate", help=f"Mask each AND separately, also of {MASKED}, in the fewest cycles.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Examine all sets of D probes, with glitches.")] = False,
    enable: Annotated[bool, typer.Option("--enable", help="Add a port enable_i that holds all registers.")] = False,
    module: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the module.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the module as SystemVerilog.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a masked AES S-box from HPC3 field products; other S-boxes of the catalogue are masked gate by gate.

    The XOR of the result's shares is the S-box of the XOR of the operand's shares. With --check the exit status is 0
    only if no set of probes reveals anything of the operand.

    Example: aesmith mask --order 1 --clocks 4 --check --out masked_sbox.sv
    """
    display = Display(as_json=as_json)
    entry = sbox(name)
    by_gates = gates or entry.name != MASKED
    if by_gates and clocks is not None:
        raise RequestError("clocks: gate by gate they are as few as the S-box's products allow; leave --clocks out")
    if by_gates:
        masked = masked_circuit(entry.circuit(_function(entry, "forward")), order)
    else:
        masked = masked_sbox(order, 4 if clocks is None else clocks)
    text = f"{masked.shares} shares, {masked.latency} clocks, {masked.fresh_bits} fresh bits an input, "
    text += f"{masked.staged.register_bits} register bits"
    result = check_probing(masked, most_variables=MOST_LEFT) if check else None
    if out is not None:
        title = check_name(module or masked.staged.circuit.name)
        products = f"of the gates of {name}" if by_gates else f"in the tower of {name}"
        header = f"AES S-box on {masked.shares} shares, by HPC3 products {products}: y = S(x), x and y the XOR\n"
        header += (
            "of their shares. Fresh bits are to be uniform, independent, new in every clock, and come from registers."
        )
        write_whole(out, staged_systemverilog(masked.staged, header, title, enable=enable), "out")
    display.value(
        {
            "sbox": name,
            "order": order,
            "shares": masked.shares,
            "clocks": masked.latency,
            "fresh_bits": masked.fresh_bits,
            "register_bits": masked.staged.register_bits,
            "probing": None if result is None else {"verdict": str(result.verdict), "sets": result.examined},
            "file": str(out) if out is not None else None,
        }
    )
    display.line(text)
    if out is not None:
        display.line(f"Written: {out}")
    if result is not None:
        display.line(f"Order {order}, glitches: {result}")
        if result.verdict is not ProbingVerdict.SECURE:
            raise CheckError(f"probing at order {order}: {result}")


@gathering(rtl_settings)
def probe_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Verilog or SystemVerilog; a netlist is one file.")
    ],
    *,
    top: Annotated[str, typer.Option("--top", metavar="MODULE", help="The masked circuit.")],
    labels: Annotated[
        Path, typer.Option("--labels", metavar="FILE", help="TOML: which inputs are shares, and which fresh bits.")
    ],
    theirs: RtlSettings,
    order: Annotated[
        int | None,
        typer.Option("--order", metavar="D", help="Number of simultaneous probes. [default: one less than shares]"),
    ] = None,
    transitions: Annotated[
        bool, typer.Option("--transitions", help="Each probe reads two consecutive cycles.")
    ] = False,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    as_json: Json = False,
) -> None:
    """Check a third-party masked circuit with all sets of glitch-extended probes.

    The circuit is a gadget or an S-box, or with --library a netlist of cells. The labels name the shares, the bits that
    are fresh in each cycle, and all other inputs. The exit status is 0 only if no set of probes reveals anything;
    otherwise the set is printed, with everything it reads.

    Example: aesmith probe masked_and.v --top masked_and --labels labels.toml
    """
    display = Display(as_json=as_json)
    cells = None if library is None and not liberty else read_named_library(library, liberty, display)
    with display.progress(f"probing {top}") as steps:
        found = probe_circuit(
            files,
            top,
            labels,
            order=order,
            transitions=transitions,
            library=cells,
            settings=theirs,
            progress=steps.done,
        )
    display.value(found.to_json())
    extended = "glitches and transitions" if transitions else "glitches"
    sets = f"{found.result.verdict}; {found.result.examined:,} sets of probes"
    display.line(f"{top}, {found.registers:,} registers; order {found.order}, {extended}: {sets}")
    if not found.secure:
        raise CheckError(f"{top}: probing at order {found.order}: {found.result}")


def _function(entry: SBox, name: str) -> Function:
    if name not in entry.functions:
        raise RequestError(f"function: S-box {entry.name} has {', '.join(entry.functions)}, not {name!r}")
    return Function(name)


def _all_rows(circuit: Circuit, model: CostModel, duplicate: bool, display: Display) -> list[PipelineFigures]:
    counts = possible_stages(circuit, model)
    rows: list[PipelineFigures] = []
    with display.progress(f"pipelining {circuit.name}") as steps:
        for count in counts:
            steps.done(f"{count} stages", count - counts.start, len(counts))
            rows += pipeline_figures(circuit, (count,), model, duplicate=duplicate)
    return rows


def _show(name: str, function: Function, rows: list[PipelineFigures], model: CostModel, display: Display) -> None:
    columns = (
        ">stages",
        "gates recomputed",
        f">period ({model.delay_unit})",
        ">register bits",
        ">gates",
        f">area ({model.area_unit})",
    )
    cells = [
        (
            row.stages,
            "yes" if row.duplicate else "no",
            f"{row.period:g}",
            row.register_bits,
            row.gates,
            f"{row.area:.1f}",
        )
        for row in rows
    ]
    display.table(f"{name}, {function}, in stages; delays and areas of {model.name}", columns, cells)

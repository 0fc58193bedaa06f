"""`aesmith pipeline`: an S-box of the catalogue in any number of stages."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import LEVELS, CostModel
from aesmith.circuits.pipeline import PipelineFigures, pipeline, pipeline_figures, possible_stages, staged_figures
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.commands.console import Display
from aesmith.commands.request import Json, LibertyFile, LibraryName, completing, read_named_library
from aesmith.cores.sources import check_name
from aesmith.errors import RequestError
from aesmith.sboxes.catalogue import catalogue, sbox
from aesmith.sboxes.entry import Function, SBox
from aesmith.scratch import write_whole
from aesmith.technology.cost import cost_model


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
        typer.Option("--duplicate", help="Compute cheap gates again after a cut where that saves registers and area."),
    ] = False,
    library: LibraryName = None,
    liberty: LibertyFile = None,
    enable: Annotated[bool, typer.Option("--enable", help="A port enable_i that holds all ranks.")] = False,
    valid: Annotated[bool, typer.Option("--valid", help="Ports valid_i and valid_o, cleared by rst_ni.")] = False,
    module: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the module.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the pipelined module as SystemVerilog.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Cut an S-box into pipeline stages: the shortest longest stage, then the fewest register bits, both exactly.

    Without --stages and --period, print what every number of stages costs. Delays are gate levels, or those of a
    library. --out writes the module.

    Example: aesmith pipeline canright2005 --stages 4 --duplicate --out sbox.sv
    """
    display = Display(as_json=as_json)
    entry = sbox(name)
    kind = _function(entry, function)
    circuit = entry.circuit(kind)
    model = LEVELS if library is None and liberty is None else cost_model(read_named_library(library, liberty))
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

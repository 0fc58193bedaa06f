"""`aesmith library`: cell libraries by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.commands import listing
from aesmith.commands.console import Display
from aesmith.commands.request import Json
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by, register, remove

app = typer.Typer(no_args_is_help=True, help="Register cell libraries under names.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the library is to be called.")]


@app.command("add")
def add(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Liberty file, plain or gzip.")],
    as_json: Json = False,
) -> None:
    """Register a Liberty file under a name, after checking that it will do. The file stays where it is."""
    display = Display(as_json=as_json)
    _show(register(name, file), display)
    display.line(f"Registered as {name}; measure in it with `aesmith measure SPEC --library {name}`.")


@app.command("remove")
def forget(name: Annotated[str, typer.Argument(metavar="NAME")], as_json: Json = False) -> None:
    """Forget a registered library. Its file stays."""
    display = Display(as_json=as_json)
    remove(name)
    display.value({"removed": name})
    display.line(f"{name} is no longer registered.")


@app.command("list")
def libraries(as_json: Json = False) -> None:
    """List the libraries known by name (the same as `aesmith list libraries`)."""
    listing.libraries(as_json)


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A library's name, or a Liberty file.")],
    as_json: Json = False,
) -> None:
    """Show what a library is: corner, cells, and the cell that one GE is measured by."""
    _show(library_by(name), Display(as_json=as_json))


def _show(library: Library, display: Display) -> None:
    corner = library.corner
    usable = [cell for cell in library.cells.values() if cell.synthesisable]
    facts = {
        "name": library.name,
        "title": library.title,
        "path": str(library.path),
        "digest": library.digest,
        "corner": {
            "name": corner.name,
            "process": corner.process,
            "voltage": corner.voltage,
            "temperature": corner.temperature,
        },
        "cells": len(library.cells),
        "cells_for_synthesis": len(usable),
        "gate_equivalent_cell": library.nand2.name,
        "gate_equivalent_area": library.gate_equivalent,
        "flip_flop": library.flip_flop.name,
        "flip_flop_ge": library.area_ge(library.flip_flop),
    }
    display.value(facts)
    display.table(
        library.name,
        ("", ""),
        (
            ("library", library.title),
            ("file", library.path),
            ("corner", f"{corner.name}: {corner.voltage:g} V, {corner.temperature:g} °C"),
            ("cells", f"{len(library.cells)}, of which synthesis uses {len(usable)}"),
            ("1 GE", f"{library.nand2.name}, area {library.gate_equivalent:g}"),
            ("flip-flop", f"{library.flip_flop.name}, {library.area_ge(library.flip_flop):.2f} GE"),
        ),
    )

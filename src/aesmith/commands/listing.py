"""`aesmith list`: what there is to choose from; and `aesmith library`: cell libraries of the user's own, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aesmith.circuits.cost import area, depth
from aesmith.commands.console import Display
from aesmith.commands.request import Json
from aesmith.cores.specification import default_name, described_design, families, family_of, presets
from aesmith.lazy import LazyModule
from aesmith.sboxes.catalogue import catalogue
from aesmith.technology.library import Library
from aesmith.technology.registry import EMBEDDED, library_by, register, registered_libraries, remove

if TYPE_CHECKING:
    from aesmith.tables import catalogue as published
    from aesmith.tables.fpga import FpgaTable
    from aesmith.tables.model import Table
else:
    published = LazyModule("aesmith.tables.catalogue")

app = typer.Typer(no_args_is_help=True, help="List the cores, their families, S-boxes, libraries and published tables.")


@app.command("cores")
def cores(as_json: Json = False) -> None:
    """List the cores that can be built by name (presets)."""
    display = Display(as_json=as_json)
    designs = {name: described_design(spec, default_name(name), name) for name, spec in presets().items()}
    display.value(
        [
            {
                "name": name,
                "title": design.title,
                "family": family_of(presets()[name].architecture).name,
                "key_bits": list(design.key_bits),
                "directions": [str(direction) for direction in design.directions],
                "block_width": design.block_width,
                "cycles_per_block": design.cycles_per_block,
                "latency_cycles": design.latency_cycles,
                "citation": str(design.publication),
                "specification": presets()[name].model_dump(mode="json"),
            }
            for name, design in designs.items()
        ]
    )
    rows = [
        (
            name,
            "/".join(map(str, d.key_bits)),
            ", ".join(str(way)[:3] for way in d.directions),
            d.cycles_per_block,
            d.latency_cycles,
            d.title,
        )
        for name, d in designs.items()
    ]
    display.table("", ("core", ">key bits", "directions", ">clocks", ">latency", "what it is"), rows)
    display.line("clocks: from one block to the next; latency: clocks from a block to its result.")
    display.line('Build one with `aesmith build NAME`; change its fields in a TOML file that begins `preset = "NAME"`.')


@app.command("families")
def families_command(as_json: Json = False) -> None:
    """List the families of cores, with their architectures and presets."""
    display = Display(as_json=as_json)
    display.value(
        [
            {
                "name": name,
                "title": family.title,
                "architectures": list(family.architectures),
                "presets": list(family.presets),
            }
            for name, family in families().items()
        ]
    )
    rows = [(name, len(family.architectures), len(family.presets), family.title) for name, family in families().items()]
    display.table("", ("family", ">architectures", ">presets", "what its cores have in common"), rows)
    display.line("Families of your own stand beside them: see docs/contributing.md.")


@app.command("sboxes")
def sboxes(as_json: Json = False) -> None:
    """List the S-boxes and inverters of the catalogue."""
    display = Display(as_json=as_json)
    entries = []
    rows = []
    for entry in catalogue().values():
        functions = {str(f): entry.circuit(f) for f in entry.functions}
        costs = {name: {"gates": round(area(c)), "depth": round(depth(c))} for name, c in functions.items()}
        entries.append(
            {
                "name": entry.name,
                "summary": entry.summary,
                "functions": costs,
                "citation": str(entry.publication),
                "claims": [{"function": str(claim.function), "text": claim.text} for claim in entry.claims],
                "provenance": entry.provenance,
                "patent": entry.patent,
            }
        )
        rows += [
            (entry.name, function, cost["gates"], cost["depth"], entry.summary) for function, cost in costs.items()
        ]
    display.value(entries)
    display.table("", ("S-box", "function", ">gates", ">depth", "what it is"), rows)
    for entry in catalogue().values():
        if entry.patent:
            display.line(f"{entry.name}: {entry.patent}")


@app.command("libraries")
def libraries(as_json: Json = False) -> None:
    """List the cell libraries known by name."""
    display = Display(as_json=as_json)
    known = registered_libraries()
    display.value([{"name": name, "path": str(path), "embedded": name == EMBEDDED} for name, path in known.items()])
    rows = [
        (name, "embedded: a model of a 45-nm class process" if name == EMBEDDED else str(path))
        for name, path in known.items()
    ]
    display.table("", ("library", "file"), rows)
    display.line("Register your own with `aesmith library add NAME FILE`.")


@app.command("tables")
def tables(as_json: Json = False) -> None:
    """List the published tables that can be reproduced."""
    display = Display(as_json=as_json)
    every: list[Table | FpgaTable] = [*published.TABLES.values(), *published.FPGA_TABLES.values()]
    display.value(
        [
            {
                "name": table.name,
                "title": table.title,
                "citation": str(table.publication),
                "source": table.source,
                "optimise": [str(o) for o in getattr(table, "optimise", ())],
                "rows": [{"name": row.name, "label": row.label} for row in table.rows],
            }
            for table in every
        ]
    )
    rows = [(table.name, len(table.rows), table.publication.key, table.source, table.title) for table in every]
    display.table("", ("table", ">rows", "publication", "where", "what it compares"), rows)
    display.line("Measure one with `aesmith reproduce TABLE`.")


library_app = typer.Typer(no_args_is_help=True, help="Register cell libraries under names.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the library is to be called.")]


@library_app.command("add")
def add_library(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Liberty file, plain or gzip.")],
    as_json: Json = False,
) -> None:
    """Register a Liberty file under a name, after checking that it will do. The file stays where it is."""
    display = Display(as_json=as_json)
    _show_library(register(name, file), display)
    display.line(f"Registered as {name}; measure in it with `aesmith measure SPEC --library {name}`.")


@library_app.command("remove")
def forget_library(name: Annotated[str, typer.Argument(metavar="NAME")], as_json: Json = False) -> None:
    """Forget a registered library. Its file stays."""
    display = Display(as_json=as_json)
    remove(name)
    display.value({"removed": name})
    display.line(f"{name} is no longer registered.")


@library_app.command("list")
def libraries_again(as_json: Json = False) -> None:
    """List the libraries known by name (the same as `aesmith list libraries`)."""
    libraries(as_json)


@library_app.command("show")
def show_library(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A library's name, or a Liberty file.")],
    as_json: Json = False,
) -> None:
    """Show what a library is: corner, cells, and the cell that one GE is measured by."""
    _show_library(library_by(name), Display(as_json=as_json))


def _show_library(library: Library, display: Display) -> None:
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

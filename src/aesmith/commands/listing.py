"""`aesmith list`: what there is to choose from; and `aesmith library`: cell libraries of the user's own, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import listing
from aesmith.api.designs import library_by
from aesmith.commands.console import Display
from aesmith.commands.request import Format, Json
from aesmith.technology.library import Library

app = typer.Typer(
    no_args_is_help=True,
    help="List the cores, their families, engines of modes, S-boxes, libraries, FPGAs, boards and published tables.",
)


@app.command("cores")
def cores(form: Format = None, as_json: Json = False) -> None:
    """List the cores that can be built by name (presets)."""
    display = Display(as_json=as_json, form=form)
    found = listing.cores()
    display.value(found)
    rows = [
        (
            core["name"],
            "/".join(map(str, core["key_bits"])),
            ", ".join(way[:3] for way in core["directions"]),
            core["cycles_per_block"],
            core["latency_cycles"],
            core["worst_latency_cycles"],
            core["title"],
        )
        for core in found
    ]
    display.table("", ("core", ">key bits", "directions", ">clocks", ">latency", ">worst", "what it is"), rows)
    display.line(
        "clocks: from one block to the next, back to back; latency: clocks from a block taken to its result, of the "
        "first block under a key in a core at rest; worst: of the block that takes longest. Each is of the slower "
        "direction with the longest key."
    )
    display.line('Build one with `aesmith build NAME`; change its fields in a TOML file that begins `preset = "NAME"`.')


@app.command("families")
def families_command(form: Format = None, as_json: Json = False) -> None:
    """List the families of cores, with their architectures and presets."""
    display = Display(as_json=as_json, form=form)
    found = listing.families()
    display.value(found)
    rows = [(family["name"], len(family["architectures"]), len(family["presets"]), family["title"]) for family in found]
    display.table("", ("family", ">architectures", ">presets", "what its cores have in common"), rows)
    display.line("Add your own families: see docs/extending.md.")


@app.command("engines")
def engines(form: Format = None, as_json: Json = False) -> None:
    """List the engines of modes of operation."""
    display = Display(as_json=as_json, form=form)
    found = listing.engines()
    display.value(found)
    rows = [
        (
            engine["name"],
            engine["mode"],
            engine["aes"].removeprefix("AES-"),
            f"{engine['cycles_per_block']:g}",
            engine["latency_cycles"],
            "-" if engine["worst_latency_cycles"] is None else engine["worst_latency_cycles"],
            engine["title"],
        )
        for engine in found
    ]
    display.table("", ("engine", "mode", "AES", ">clocks", ">latency", ">worst", "what it is"), rows)
    display.line(
        "clocks: from one block to the next in a long message; latency: from a beat of text to its answer in an idle "
        "engine; worst: from a block first offered to its answer, after other messages under one key."
    )
    display.line("Try one with `aesmith verify NAME`; fields of your own go in a TOML file that names its mode.")


@app.command("sboxes")
def sboxes(form: Format = None, as_json: Json = False) -> None:
    """List the S-boxes and inverters of the catalogue."""
    display = Display(as_json=as_json, form=form)
    found = listing.sboxes()
    display.value(found)
    rows = [
        (sbox["name"], function, cost["gates"], cost["depth"], sbox["summary"])
        for sbox in found
        for function, cost in sbox["functions"].items()
    ]
    display.table("", ("S-box", "function", ">gates", ">depth", "what it is"), rows)
    for sbox in found:
        if sbox["patent"]:
            display.line(f"{sbox['name']}: {sbox['patent']}")


@app.command("libraries")
def libraries(form: Format = None, as_json: Json = False) -> None:
    """List the cell libraries known by name."""
    display = Display(as_json=as_json, form=form)
    found = listing.libraries()
    display.value(found)
    rows = [
        (it["name"], "embedded: a model of a 45-nm class process" if it["embedded"] else it["path"]) for it in found
    ]
    display.table("", ("library", "file"), rows)
    display.line("Register your own with `aesmith library add NAME FILE`.")


@app.command("devices")
def devices(form: Format = None, as_json: Json = False) -> None:
    """List the FPGAs that cores can be mapped to, and the figures of each."""
    display = Display(as_json=as_json, form=form)
    found = listing.devices()
    display.value(found)
    rows = [
        (
            device["name"],
            "clock and counts" if device["gives"] == "clock" else "counts",
            device["lut_inputs"],
            "/".join(device["speeds"]) or "-",
            device["clock_pad"] or "-",
            device["placer"] or "-",
            device["title"],
        )
        for device in found
    ]
    display.table("", ("device", "gives", ">LUT", "speeds", "clock pad", "placed by", "what it is"), rows)
    display.line("counts: LUTs, flip-flops and memories of a core, mapped; clock: also its fmax, placed and routed.")
    display.line("Measure on one with `aesmith fpga CORE --device NAME`; `aesmith doctor` says which placers it has.")


@app.command("boards")
def boards(form: Format = None, as_json: Json = False) -> None:
    """List the boards with self-test projects."""
    display = Display(as_json=as_json, form=form)
    found = listing.boards()
    display.value(found)
    rows = [
        (
            board["name"],
            board["project"],
            board["part"],
            f"{board['core_mhz']:g}",
            board["pins"]["led_pass_o"],
            board["pins"]["uart_tx_o"],
            board["title"],
        )
        for board in found
    ]
    display.table("", ("board", "project", "FPGA", ">core MHz", "LED", "console", "what it is"), rows)
    display.line("Write the project of a core with `aesmith build CORE --board NAME`.")


@app.command("tables")
def tables(form: Format = None, as_json: Json = False) -> None:
    """List the published tables that can be reproduced."""
    display = Display(as_json=as_json, form=form)
    found = listing.tables()
    display.value(found)
    rows = [
        (table["name"], len(table["rows"]), table["publication"], table["source"], table["title"]) for table in found
    ]
    display.table("", ("table", ">rows", "publication", "where", "what it compares"), rows)
    display.line("Measure one with `aesmith reproduce TABLE`.")


library_app = typer.Typer(no_args_is_help=True, help="Register cell libraries under names.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the library.")]


@library_app.command("add")
def add_library(
    name: Name,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The library's Liberty files, plain or gzip.")],
    as_json: Json = False,
) -> None:
    """Check a library and register it under a name. Its files are not copied."""
    display = Display(as_json=as_json)
    _show_library(listing.add_library(name, *files), display)
    display.line(f"Registered as {name}; measure in it with `aesmith measure SPEC --library {name}`.")


@library_app.command("remove")
def forget_library(name: Annotated[str, typer.Argument(metavar="NAME")], as_json: Json = False) -> None:
    """Unregister a library. Its files are not deleted."""
    display = Display(as_json=as_json)
    listing.remove_library(name)
    display.value({"removed": name})
    display.line(f"{name} is no longer registered.")


@library_app.command("list")
def libraries_again(form: Format = None, as_json: Json = False) -> None:
    """List the libraries known by name (the same as `aesmith list libraries`)."""
    libraries(form, as_json)


@library_app.command("show")
def show_library(
    names: Annotated[list[str], typer.Argument(metavar="NAME|FILE...", help="A library's name, or its Liberty files.")],
    as_json: Json = False,
) -> None:
    """Show corner, cells, reference cell of the gate equivalent, and unused cells of a library."""
    _show_library(library_by(names[0] if len(names) == 1 else tuple(names)), Display(as_json=as_json))


def _show_library(library: Library, display: Display) -> None:
    corner, facts = library.corner, listing.library_facts(library)
    display.value(facts)
    display.table(
        library.name,
        ("", ""),
        (
            ("library", library.title),
            *(("file", path) for path in library.files),
            ("corner", f"{corner.name}: {corner.voltage:g} V, {corner.temperature:g} °C"),
            ("cells", f"{len(library.cells)}, of which synthesis uses {facts['cells_for_synthesis']}"),
            ("1 GE", f"{library.nand2.name}, area {library.gate_equivalent:g}"),
            ("flip-flop", f"{library.flip_flop.name}, {library.area_ge(library.flip_flop):.2f} GE"),
        ),
    )
    aside = [(name, "cell", cell.reason) for name, cell in library.set_aside.items()]
    aside += [(name, "its power", reason) for name, reason in library.without_power.items()]
    if library.wire_defect is not None:
        aside.append(("", "wire loads", library.wire_defect))
    if aside:
        display.table("Set aside", ("cell", "what", "why"), aside)

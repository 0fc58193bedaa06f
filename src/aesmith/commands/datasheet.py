"""`aesmith datasheet`: the datasheet of a package as PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.api.typesetting import datasheet
from aesmith.commands.console import Display
from aesmith.commands.request import Json
from aesmith.publish.descriptions import read_build
from aesmith.scratch import check_place, write_whole


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a package.")],
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The PDF to write. [default: NAME.pdf]")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the datasheet of a package as PDF: A4, with its pictures and bookmarks.

    Needs WeasyPrint: `pip install 'aesmith[pdf]'`. The same package gives the same bytes.

    Example: aesmith datasheet my_core --out my_core.pdf
    """
    display = Display(as_json=as_json)
    build = read_build(folder)
    name = build.design.name
    out = Path(f"{name}.pdf") if out is None else out
    check_place(out, "out")
    pdf = datasheet(build)
    write_whole(out, pdf, "out")
    display.value({"name": name, "file": str(out.resolve()), "bytes": len(pdf)})
    display.line(f"{out}: {len(pdf) / 1e3:,.0f} kB")

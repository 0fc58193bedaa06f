"""`aesmith demo`: the whole road once, for who sees it for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.assurance.plan import SimulationPlan
from aesmith.commands import build
from aesmith.commands.console import Display
from aesmith.commands.options import Json
from aesmith.commands.request import read_named_library, read_specification

PRESET = "ueno2020-enc"


def command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the build.")] = Path("ueno2020_enc"),
    as_json: Json = False,
) -> None:
    """Build the core ueno2020-enc, verify it, and measure it with the embedded library."""
    display = Display(as_json=as_json)
    request = read_specification(PRESET)
    plan = build.BuildPlan(read_named_library(None, None), simulation=SimulationPlan())
    built = build.run(request, out, plan, display)
    display.value(build.as_values(built))
    build.show(request, built, display)

"""The arguments and options that verbs share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.flow.measurement import Optimise

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value for machines; errors are JSON on stderr.")]
Specification = Annotated[
    str,
    typer.Argument(metavar="SPEC", help="A preset (see `aesmith list cores`) or a TOML file with the same fields."),
]
SpecificationOrBuild = Annotated[
    str,
    typer.Argument(metavar="SPEC|DIR", help="A preset, a TOML specification, or the folder of a build."),
]
LibraryName = Annotated[
    str | None,
    typer.Option("--library", metavar="NAME", help="A library by name (see `aesmith list libraries`)."),
]
LibertyFile = Annotated[
    Path | None,
    typer.Option("--liberty", metavar="FILE", help="A Liberty file, plain or gzip, instead of a named library."),
]
Condition = Annotated[
    Optimise,
    typer.Option(
        "--optimise",
        help="area: the smallest; area-speed: the most throughput for each GE; speed: the shortest period.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", min=1, help="Syntheses at a time. [default: one a processor core]"),
]
StoreLocation = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE|URL",
        help="Where results are kept. [default: $AESMITH_STORE, else results.sqlite in the user's data folder]",
    ),
]
NoStore = Annotated[bool, typer.Option("--no-store", help="Neither read kept results nor keep new ones.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Measure anew what is in the store, and replace it.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Decides every random choice of the simulation.")]
RandomPairs = Annotated[
    int,
    typer.Option(
        "--random", metavar="N", min=1, help="Number of random key/block pairs, without stalls and again with."
    ),
]
PointsFile = Annotated[
    str | None,
    typer.Option(
        "--points",
        metavar="FILE|NAME",
        help="Points exported from a store (CSV or Parquet), or an export that comes with aesmith, instead of a store.",
    ),
]
SpaceName = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only points of the last sweep of this design space.")
]
RunName = Annotated[str | None, typer.Option("--run", metavar="NAME", help="Only points of this sweep.")]

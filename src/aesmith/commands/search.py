"""`aesmith search`: the lightest tower and offset, the smallest linear circuit."""

from __future__ import annotations

import typer

from aesmith.commands import search_linear, search_offset

app = typer.Typer(no_args_is_help=True, help="Search towers and offsets, or the smallest circuit of a linear map.")
app.command("offset")(search_offset.command)
app.command("linear")(search_linear.command)

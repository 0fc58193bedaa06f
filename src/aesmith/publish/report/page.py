"""The page itself: template, style, scripts and data in one text.

The scatter is drawn by the page's own scripts, as SVG. Plotly was the alternative: its script is 4.8 MB in every
report, its marks cannot be reached by keyboard, and its colours do not follow the reader's.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from aesmith import __version__
from aesmith.errors import RequestError
from aesmith.publish.output import templates
from aesmith.publish.report.content import as_json, content

if TYPE_CHECKING:
    import pandas as pd

SCRIPTS = ("dom", "axis", "front", "model", "marks", "plot", "pointer", "panel", "compare", "table", "filters", "main")
"""In the order in which they stand in the page."""

_TEMPLATES = "aesmith.publish.report"
_NOTES = (
    "Area is all cells, registers and control included, in gate equivalents: area over that of the library's smallest "
    "NAND2. The clock is that of the worst path from register to register, before layout: wires have no delay.",
    "Throughput is of independent blocks, back to back. A chained stream, such as one of CBC encryption, starts a "
    "block when the one before is done: it gets one per latency.",
    "Published points come from other synthesisers and libraries: compare ratios between designs of one flow, not "
    "figures across flows.",
)


def report_html(points: pd.DataFrame, title: str = "AES cores, measured") -> str:
    """The report of a frame of points (columns as in `explore.points`) as one self-contained HTML page.

    Raises RequestError if no point is done.
    """
    done = points[points["status"].eq("done")]
    if done.empty:
        raise RequestError("report: there is no point to show; sweep a design space first, or name another store")
    return (
        templates(_TEMPLATES, html=True)
        .get_template("page.html.j2")
        .render(
            title=title,
            version=__version__,
            subtitle=_subtitle(done),
            css=_text("report.css"),
            data=as_json(content(points)),
            script="\n".join(_text(f"{name}.js") for name in SCRIPTS),
            notes=_NOTES,
        )
    )


def _subtitle(done: pd.DataFrame) -> str:
    designs, corners = done["design"].nunique(), done[["library", "corner"]].drop_duplicates()
    where = "; ".join(f"{row.library} ({row.corner})" for row in corners.itertuples())
    return f"{designs} cores at {len(done)} points of synthesis, in {where}. Made by aesmith {__version__}."


def _text(name: str) -> str:
    return (files(_TEMPLATES) / "templates" / name).read_text(encoding="utf-8")

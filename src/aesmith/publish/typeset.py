"""A datasheet as PDF, set by WeasyPrint: the Markdown of a package with its pictures, on A4."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from aesmith.errors import ToolError
from aesmith.lazy import LazyModule
from aesmith.templates import copied

if TYPE_CHECKING:
    import weasyprint
else:
    weasyprint = LazyModule("weasyprint")


def datasheet_pdf(markdown: str, title: str, folder: Path) -> bytes:
    """A datasheet in Markdown as PDF; its pictures are those of the folder. The same text gives the same bytes.

    Raises ToolError where WeasyPrint, or the library it draws text with, is not installed.
    """
    try:
        html, css = weasyprint.HTML, weasyprint.CSS
    except OSError as error:
        raise ToolError(f"weasyprint: a library of Pango is missing ({error}); apt install libpango-1.0-0") from error
    body = MarkdownIt("commonmark").enable("table").render(markdown)
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><body>{body}'
    style = css(string=copied("aesmith.publish", "datasheet.css"))
    made = html(string=page, base_url=f"{folder.resolve()}/").write_pdf(stylesheets=[style])
    assert isinstance(made, bytes)
    return made

"""Packages as documents to print."""

from __future__ import annotations

from aesmith.errors import RequestError
from aesmith.publish.descriptions import Build
from aesmith.publish.typeset import datasheet_pdf

DATASHEET = "datasheet.md"


def datasheet(build: Build) -> bytes:
    """The datasheet of a package as PDF, with its pictures. Raises ToolError without WeasyPrint, RequestError
    for a package whose datasheet is gone."""
    file = build.folder / DATASHEET
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{file}: cannot be read; build it again") from error
    return datasheet_pdf(text, build.design.name, build.folder)

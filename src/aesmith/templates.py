"""Templates of text: the folders `templates` of packages, filled in by Jinja. A name without a value is an error."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import jinja2
else:
    jinja2 = LazyModule("jinja2")


@cache
def templates(package: str, *, html: bool = False, trimmed: bool = False) -> jinja2.Environment:
    """The templates of a package's folder `templates`. In `html` values are escaped; `trimmed` ones leave no line where
    a statement stood alone."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=html,
        keep_trailing_newline=True,
        trim_blocks=trimmed,
        lstrip_blocks=trimmed,
    )


def copied(package: str, name: str) -> str:
    """The text of `templates/<name>` of a package as it is."""
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")

"""This room's templates."""

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
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("aesmith.peripheral", "templates"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(template_name: str, /, **values: object) -> str:
    """The text of `templates/<template_name>` with `values`; a name that is not given is an error."""
    return _environment().get_template(template_name).render(**values)


def template(name: str) -> str:
    """The text of `templates/<name>` as it is."""
    return resources.files("aesmith.peripheral").joinpath("templates", name).read_text(encoding="utf-8")

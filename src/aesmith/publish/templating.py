"""The one way this room fills in its templates."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

_ENVIRONMENT = Environment(
    loader=PackageLoader("aesmith.publish", "templates"),
    undefined=StrictUndefined,
    autoescape=False,
    keep_trailing_newline=True,
    trim_blocks=False,
)


def render(template: str, **values: object) -> str:
    """The text of `templates/<template>.j2` with `values`; a name that is not given is an error."""
    return _ENVIRONMENT.get_template(f"{template}.j2").render(**values)

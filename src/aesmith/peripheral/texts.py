"""This room's templates, filled in and as they are."""

from __future__ import annotations

from aesmith.templates import copied, templates

_ROOM = "aesmith.peripheral"


def rendered(template_name: str, /, **values: object) -> str:
    """The text of `templates/<template_name>` with `values`; a name that is not given is an error."""
    return templates(_ROOM, trimmed=True).get_template(template_name).render(**values)


def template(name: str) -> str:
    """The text of `templates/<name>` as it is."""
    return copied(_ROOM, name)

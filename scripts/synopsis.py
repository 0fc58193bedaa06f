"""Prints every verb of the command line with its arguments and options, as docs/cli.md begins with them.

    python scripts/synopsis.py

It is read from the program itself; a test holds the page against it. `--help` and `--json`, which all verbs have, are
left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from typer.main import get_group

from aesmith.cli import VERBS, app

WIDTH = 80
EVERYWHERE = {"help", "as_json"}


def verbs() -> Iterator[tuple[str, Any]]:
    """Each verb that does something by itself, by its words, with the command behind it."""
    root = get_group(app)
    with root.make_context("aesmith", ["list"], resilient_parsing=True) as context:
        for name in VERBS:
            _, command, _ = root.resolve_command(context, [name])
            below = getattr(command, "commands", None)
            if below is None:
                yield name, command
            else:
                yield from ((f"{name} {word}", each) for word, each in below.items())


def synopsis() -> str:
    """A paragraph a verb."""
    return "\n".join(
        textwrap.fill(
            " ".join((f"aesmith {name}", *filter(None, map(_parameter, command.params)))),
            WIDTH,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for name, command in verbs()
    )


def _parameter(parameter: Any) -> str:
    """An argument or option as a reader is to type it; words that belong together have no blank between them yet."""
    if parameter.name in EVERYWHERE:
        return ""
    words = [] if parameter.param_type_name == "argument" else [parameter.opts[0]]
    if parameter.param_type_name == "argument" or not parameter.is_flag:
        choices = "|".join(getattr(choice, "value", str(choice)) for choice in parameter.type_descriptor.choices or ())
        words.append(parameter.metavar or choices or parameter.name.upper())
    text = "\N{NO-BREAK SPACE}".join(words) + ("…" if getattr(parameter, "multiple", False) else "")
    return text if parameter.required else f"[{text}]"


def section() -> str:
    """What stands in docs/cli.md."""
    return synopsis().replace("\N{NO-BREAK SPACE}", " ") + "\n"


if __name__ == "__main__":
    print(section(), end="")

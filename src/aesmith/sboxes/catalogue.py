"""All S-boxes by name: those of the modules beside this one, and those of other distributions.

A module of S-boxes has circuits, figures and citation of one publication in it, as `ENTRY`: an `SBox`, or a tuple of
several. A distribution names such a module of its own by an entry point of the group `aesmith.sboxes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pkgutil import iter_modules

from aesmith import sboxes
from aesmith.circuits.circuit import Circuit
from aesmith.errors import RequestError, not_one_of
from aesmith.plugins import SBOXES, Extension
from aesmith.sboxes.entry import Function, SBox

_MODULES = tuple(f"{sboxes.__name__}.{module.name}" for module in iter_modules(sboxes.__path__))
_EXTENSION = Extension(SBOXES, "ENTRY", tuple(name for name in _MODULES if name != __name__))


@cache
def catalogue() -> Mapping[str, SBox]:
    """Every S-box by name, in the order of publication. Raises PluginError if a distribution's are broken."""
    entries = _EXTENSION.objects(SBox).values()
    ordered = sorted(entries, key=lambda entry: (entry.publication.year, entry.publication.key))
    return {entry.name: entry for entry in ordered}


def sbox(name: str) -> SBox:
    """The entry of that name. Raises RequestError, listing the valid names, if there is none."""
    if name not in catalogue():
        raise not_one_of("sbox", name, catalogue())
    return catalogue()[name]


def sbox_circuit(name: str, function: Function) -> Circuit:
    """One function of an entry. Raises RequestError if there is no such entry, or it does not have the function."""
    if function not in sbox(name).functions:
        having = ", ".join(other for other, entry in catalogue().items() if function in entry.functions)
        raise RequestError(f"sbox: must be an S-box with a {function} function ({having}), not {name}")
    return sbox(name).circuit(function)


def markdown_table() -> str:
    """The catalogue in Markdown: gates (inverters apart) and levels of each function, and what is claimed."""
    lines = [
        f"| entry | {' | '.join(Function)} | what it is | published (forward unless said) |",
        "|---" * (len(Function) + 3) + "|",
    ]
    for entry in catalogue().values():
        cells = [f"`{entry.name}`"]
        for function in Function:
            figures = entry.figures(function) if function in entry.functions else None
            cells.append(f"{figures.gates} / {figures.levels}" if figures else "")
        claims = [
            claim.text if claim.function is Function.FORWARD else f"{claim.function}: {claim.text}"
            for claim in entry.claims
        ]
        lines.append("| " + " | ".join([*cells, entry.summary, "; ".join(claims)]) + " |")
    return "\n".join(re.sub(" +", " ", line) for line in lines) + "\n"


if __name__ == "__main__":
    print(markdown_table(), end="")

"""All S-boxes by name."""

from __future__ import annotations

from aesmith.errors import RequestError
from aesmith.sboxes import canright2005, table, ueno2015
from aesmith.sboxes.entry import SBox

CATALOGUE = {entry.name: entry for entry in (table.ENTRY, canright2005.ENTRY, ueno2015.ENTRY)}


def sbox(name: str) -> SBox:
    """The entry of that name. Raises RequestError, listing the valid names, if there is none."""
    if name not in CATALOGUE:
        raise RequestError(f"sbox: must be one of {', '.join(CATALOGUE)}, not {name!r}")
    return CATALOGUE[name]

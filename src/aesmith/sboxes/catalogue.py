"""All S-boxes by name."""

from __future__ import annotations

from aesmith.errors import RequestError
from aesmith.sboxes import (
    boyar2010,
    boyar2012,
    canright2005,
    lin2023,
    maximov2019,
    nekado2012,
    reyhani2018,
    satoh2001,
    table,
    teng2022,
    ueno2015,
    ueno2015_fast,
    zhang2004,
)
from aesmith.sboxes.entry import SBox

CATALOGUE = {
    entry.name: entry
    for entry in (
        table.ENTRY,
        satoh2001.ENTRY,
        zhang2004.ENTRY,
        zhang2004.POWERS_ENTRY,
        zhang2004.DECOMPOSED_ENTRY,
        canright2005.ENTRY,
        boyar2010.ENTRY,
        boyar2012.ENTRY,
        nekado2012.ENTRY,
        ueno2015.ENTRY,
        ueno2015_fast.ENTRY,
        reyhani2018.ENTRY,
        maximov2019.ENTRY,
        teng2022.ENTRY,
        lin2023.ENTRY,
    )
}


def sbox(name: str) -> SBox:
    """The entry of that name. Raises RequestError, listing the valid names, if there is none."""
    if name not in CATALOGUE:
        raise RequestError(f"sbox: must be one of {', '.join(CATALOGUE)}, not {name!r}")
    return CATALOGUE[name]

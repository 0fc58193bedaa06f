"""Logic depth of each preset's longest path between registers, and the publication's formula for it.

Paths are of the sources' own gates, before any synthesis: an inverter of Ueno et al. is 5 T_XOR + 5 T_AND, selectors
written as AND and OR gates are T_AND. The tests find the same depths in the presets' netlists.
"""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.circuits.cost import LogicDepth

LOGIC_DEPTHS: Mapping[str, LogicDepth] = {
    "ueno2020-enc": LogicDepth(10, 8, 0),
    "ueno2020-enc-192": LogicDepth(9, 9, 4),
    "ueno2020-enc-256": LogicDepth(10, 8, 0),
    "ueno2020-encdec": LogicDepth(11, 11, 0),
    "ueno2016-encdec": LogicDepth(11, 11, 0),
    "ueno2020-encdec-192": LogicDepth(10, 9, 6),
    "ueno2020-encdec-256": LogicDepth(10, 8, 3),
    "ueno2020-encdec-selectable": LogicDepth(10, 15, 9),
    "ueno2020-enc-p2": LogicDepth(4, 0, 5),
    "ueno2020-encdec-p2": LogicDepth(6, 6, 1),
    "satoh2001-encdec": LogicDepth(31, 8, 3),
    "lutz2002-encdec": LogicDepth(9, 7, 9),
    "liu2009-encdec": LogicDepth(29, 8, 3),
    "mathew2011-encdec": LogicDepth(31, 8, 3),
    "sasebo-table-enc": LogicDepth(4, 4, 7),
    "sasebo-tower-enc": LogicDepth(26, 8, 0),
    "gueron2016-mapped-enc": LogicDepth(22, 7, 0),
    "gueron2016-native-enc": LogicDepth(23, 7, 0),
    "gueron2016-native-enc-192": LogicDepth(20, 8, 4),
    "gueron2016-native-enc-256": LogicDepth(23, 7, 0),
    "boyar2010-enc": LogicDepth(29, 7, 0),
    "maximov2019-enc": LogicDepth(12, 6, 1),
    "boyar2010-encdec": LogicDepth(35, 8, 3),
    "maximov2019-encdec": LogicDepth(20, 7, 3),
}

_CONVENTIONAL = "at least T_INV + 12 T_XOR + 3 T_2:1SEL"

PUBLISHED_DEPTHS: Mapping[str, str] = {
    "ueno2020-enc": "T_INV + 5 T_XOR + T_2:1SEL",
    "ueno2020-encdec": "T_INV + T_DeMUX + 6 T_XOR + T_4:1SEL",
    "satoh2001-encdec": _CONVENTIONAL,
    "liu2009-encdec": _CONVENTIONAL,
    "mathew2011-encdec": _CONVENTIONAL,
    "sasebo-table-enc": "T_INV + 7 T_XOR + T_2:1SEL",
    "sasebo-tower-enc": "T_INV + 11 T_XOR + T_2:1SEL",
    "gueron2016-mapped-enc": "T_INV + 11 T_XOR + T_2:1SEL",
    "gueron2016-native-enc": "at least T_INV + 8 T_XOR + T_2:1SEL",
}
"""Longest paths as in Ueno et al., TC 2020, sections 3.4 and 4.3, by preset."""


def depth_remarks(preset: str) -> tuple[str, ...]:
    """What a datasheet says of the longest path of a preset; nothing of other cores."""
    if preset not in LOGIC_DEPTHS:
        return ()
    published = PUBLISHED_DEPTHS.get(preset)
    beside = f"; the publication: {published}" if published else ""
    return (f"Longest path between registers, in the sources: {LOGIC_DEPTHS[preset]}{beside}.",)

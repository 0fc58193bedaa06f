"""The family of round-based cores: presets, and the longest paths that are claimed of them."""

from __future__ import annotations

from aesmith.circuits.cost import LogicDepth
from aesmith.cores.design import CoreDesign
from aesmith.cores.family import DepthClaim, Family, NameWord, Specification
from aesmith.cores.round_based.publications import published
from aesmith.cores.round_based.specification import (
    Gueron2016MappedEncSpecification,
    Gueron2016NativeEncSpecification,
    Liu2009EncdecSpecification,
    Lutz2002EncdecSpecification,
    Mathew2011EncdecSpecification,
    SaseboEncSpecification,
    Satoh2001EncdecSpecification,
    StandardEncdecSpecification,
    StandardEncSpecification,
    Ueno2020EncdecP2Specification,
    Ueno2020EncdecSelectableSpecification,
    Ueno2020EncdecSpecification,
    Ueno2020EncP2Specification,
    Ueno2020EncSpecification,
)

PRESETS: dict[str, Specification] = {
    "ueno2020-enc": Ueno2020EncSpecification(),
    "ueno2020-enc-192": Ueno2020EncSpecification(key_bits=192),
    "ueno2020-enc-256": Ueno2020EncSpecification(key_bits=256),
    "ueno2020-encdec": Ueno2020EncdecSpecification(),
    "ueno2016-encdec": Ueno2020EncdecSpecification(alpha=0xEE, beta=0x0C, gamma=1),
    "ueno2020-encdec-192": Ueno2020EncdecSpecification(key_bits=192),
    "ueno2020-encdec-256": Ueno2020EncdecSpecification(key_bits=256),
    "ueno2020-encdec-selectable": Ueno2020EncdecSelectableSpecification(),
    "ueno2020-enc-p2": Ueno2020EncP2Specification(),
    "ueno2020-encdec-p2": Ueno2020EncdecP2Specification(),
    "ueno2020-enc-p4": Ueno2020EncSpecification(blocks_in_flight=4),
    "ueno2020-gated-enc": Ueno2020EncSpecification(clock_gates=True),
    "ueno2020-gated-encdec": Ueno2020EncdecSpecification(clock_gates=True),
    "satoh2001-encdec": Satoh2001EncdecSpecification(),
    "lutz2002-encdec": Lutz2002EncdecSpecification(),
    "liu2009-encdec": Liu2009EncdecSpecification(),
    "mathew2011-encdec": Mathew2011EncdecSpecification(),
    "sasebo-table-enc": SaseboEncSpecification(),
    "sasebo-tower-enc": SaseboEncSpecification(sbox="zhang2004"),
    "gueron2016-mapped-enc": Gueron2016MappedEncSpecification(
        ground=0x1F, linear=1, constant=2, image=0xA0, mix_columns_levels=3
    ),
    "gueron2016-native-enc": Gueron2016NativeEncSpecification(),
    "gueron2016-native-enc-192": Gueron2016NativeEncSpecification(key_bits=192),
    "gueron2016-native-enc-256": Gueron2016NativeEncSpecification(key_bits=256),
    "boyar2010-enc": StandardEncSpecification(sbox="boyar2010-derived"),
    "maximov2019-enc": StandardEncSpecification(sbox="maximov2019"),
    "boyar2010-encdec": StandardEncdecSpecification(sbox="boyar2010-derived"),
    "maximov2019-encdec": StandardEncdecSpecification(sbox="maximov2019"),
}
"""The towers are those with the fewest XOR gates in all maps."""

_CONVENTIONAL = "at least T_INV + 12 T_XOR + 3 T_2:1SEL"

DEPTHS = {
    "ueno2020-enc": DepthClaim(LogicDepth(10, 8, 0), "T_INV + 5 T_XOR + T_2:1SEL"),
    "ueno2020-enc-192": DepthClaim(LogicDepth(9, 9, 4)),
    "ueno2020-enc-256": DepthClaim(LogicDepth(10, 8, 0)),
    "ueno2020-encdec": DepthClaim(LogicDepth(11, 11, 0), "T_INV + T_DeMUX + 6 T_XOR + T_4:1SEL"),
    "ueno2016-encdec": DepthClaim(LogicDepth(11, 11, 0)),
    "ueno2020-encdec-192": DepthClaim(LogicDepth(10, 9, 6)),
    "ueno2020-encdec-256": DepthClaim(LogicDepth(10, 8, 3)),
    "ueno2020-encdec-selectable": DepthClaim(LogicDepth(10, 15, 9)),
    "ueno2020-enc-p2": DepthClaim(LogicDepth(4, 0, 5)),
    "ueno2020-encdec-p2": DepthClaim(LogicDepth(6, 6, 1)),
    "ueno2020-enc-p4": DepthClaim(LogicDepth(1, 1, 5)),
    "ueno2020-gated-enc": DepthClaim(LogicDepth(10, 7, 0)),
    "ueno2020-gated-encdec": DepthClaim(LogicDepth(11, 10, 0)),
    "satoh2001-encdec": DepthClaim(LogicDepth(31, 8, 3), _CONVENTIONAL),
    "lutz2002-encdec": DepthClaim(LogicDepth(9, 7, 9)),
    "liu2009-encdec": DepthClaim(LogicDepth(29, 8, 3), _CONVENTIONAL),
    "mathew2011-encdec": DepthClaim(LogicDepth(31, 8, 3), _CONVENTIONAL),
    "sasebo-table-enc": DepthClaim(LogicDepth(4, 4, 7), "T_INV + 7 T_XOR + T_2:1SEL"),
    "sasebo-tower-enc": DepthClaim(LogicDepth(26, 8, 0), "T_INV + 11 T_XOR + T_2:1SEL"),
    "gueron2016-mapped-enc": DepthClaim(LogicDepth(22, 7, 0), "T_INV + 11 T_XOR + T_2:1SEL"),
    "gueron2016-native-enc": DepthClaim(LogicDepth(23, 7, 0), "at least T_INV + 8 T_XOR + T_2:1SEL"),
    "gueron2016-native-enc-192": DepthClaim(LogicDepth(20, 8, 4)),
    "gueron2016-native-enc-256": DepthClaim(LogicDepth(23, 7, 0)),
    "boyar2010-enc": DepthClaim(LogicDepth(29, 7, 0)),
    "maximov2019-enc": DepthClaim(LogicDepth(12, 6, 1)),
    "boyar2010-encdec": DepthClaim(LogicDepth(35, 8, 3)),
    "maximov2019-encdec": DepthClaim(LogicDepth(20, 7, 3)),
}
"""Longest paths of the sources' own gates, before any synthesis: an inverter of Ueno et al. is 5 T_XOR + 5 T_AND,
selectors written as AND and OR gates are T_AND. The formulas are those of Ueno et al., TC 2020, sections 3.4 and 4.3.
"""


def _byte(value: object) -> str:
    return f"{value:02x}"


def _levels(value: object) -> str:
    return "x" if value is None else str(value)


def _rounds_per_clock(design: CoreDesign) -> int:
    return int(str(design.parameters.get("rounds_per_clock", 1)))


_BYTES = ("alpha", "beta", "gamma", "ground", "linear", "constant", "image")

FAMILY = Family(
    name="round-based",
    title="one round per cycle, or several, through one state register",
    specifications=(
        Ueno2020EncSpecification,
        Ueno2020EncdecSpecification,
        Ueno2020EncdecSelectableSpecification,
        Ueno2020EncdecP2Specification,
        Ueno2020EncP2Specification,
        StandardEncSpecification,
        StandardEncdecSpecification,
        SaseboEncSpecification,
        Gueron2016MappedEncSpecification,
        Gueron2016NativeEncSpecification,
        Satoh2001EncdecSpecification,
        Liu2009EncdecSpecification,
        Mathew2011EncdecSpecification,
        Lutz2002EncdecSpecification,
    ),
    presets=PRESETS,
    rounds_in_hardware=_rounds_per_clock,
    usual_rounds=1,
    words={
        "mix_columns_levels": NameWord("m", _levels),
        "circuits": NameWord(""),
        "rounds_per_clock": NameWord("u"),
        "blocks_in_flight": NameWord("p"),
        "clock_gates": NameWord("gated", lambda _: ""),
    }
    | {name: NameWord(name, _byte) for name in _BYTES},
    depths=DEPTHS,
    published={preset: figures for preset in PRESETS if (figures := published(preset))},
)

"""The core inside an engine."""

from __future__ import annotations

from aesmith.cores.design import CoreDesign
from aesmith.cores.sources import check_name
from aesmith.cores.specification import build_design, parse_specification


def core_of(name: str, core: dict[str, object]) -> CoreDesign:
    """The core of a specification for the engine of that name; raises RequestError."""
    called = core.get("preset", core.get("architecture"))
    return build_design(parse_specification(core), f"{check_name(name)}_aes", str(called))

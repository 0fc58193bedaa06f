"""From the row of a point back to what makes it: the core, and what was asked of synthesis."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aesmith.cores.specification import default_name, presets
from aesmith.explore.design_space import Condition
from aesmith.flow.measurement import Optimise

if TYPE_CHECKING:
    import pandas as pd

ONE_RECIPE = "recipe"
"""What `optimise` says where one recipe was asked for."""


def how_to_make(design: str, specification: str) -> str:
    """The command that builds it; for what is no preset, the specification file first. `specification` is JSON."""
    fields = json.loads(specification)
    known = presets()
    if design in known and known[design].model_dump(mode="json") == fields:
        return f"aesmith build {design}"
    name = f"{default_name(design)}.toml"
    lines = [f"{field} = {json.dumps(value)}" for field, value in fields.items() if value is not None]
    return "\n".join((f"# {name}: build it with `aesmith build {name}`", *lines))


def condition_of(row: Mapping[str, object]) -> Condition:
    """What was asked of synthesis for the point of a row."""
    if row["optimise"] == ONE_RECIPE:
        return Condition(Optimise.AREA, str(row["recipe"]))
    return Condition(Optimise(str(row["optimise"])))


def synthesis_of(points: pd.DataFrame) -> pd.Series:
    """What was asked of synthesis, in a word for each point: area, area-speed, speed, or the name of a recipe."""
    return points["optimise"].where(points["optimise"].ne(ONE_RECIPE), points["recipe"])

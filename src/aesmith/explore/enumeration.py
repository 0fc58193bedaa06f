"""All cores and points of a design space, counted before any work: what the cores' own rules refuse is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.explore.design_space import Condition, DesignSpace
from aesmith.explore.facts import Fact, digest_of, keep_facts, known_facts
from aesmith.explore.outline import Outline, outline, refusal
from aesmith.explore.store import Store
from aesmith.own_code import GENERATOR, code_digest

Progress = Callable[[int, int], None]
"""Called with the number of combinations looked at, and of all."""

_KIND = "core"
_KEPT_EVERY = 25


@dataclass(frozen=True)
class SpaceCores:
    """The cores of a space, each with the conditions it is to be measured under, in the order of the space.

    `refused` counts combinations by the rule they break; `repeated` is the number of those that give a core again.
    """

    space: DesignSpace
    cores: Mapping[Outline, tuple[Condition, ...]]
    combinations: int
    refused: Mapping[str, int]
    repeated: int

    @property
    def points(self) -> int:
        """Number of points, in one library."""
        return sum(len(conditions) for conditions in self.cores.values())


def enumerate_cores(space: DesignSpace, store: Store | None = None, progress: Progress | None = None) -> SpaceCores:
    """Build every core of a space once; what the store knows of a combination is not found out again.

    Raises RequestError if no combination is left.
    """
    known = {} if store is None else known_facts(store, _KIND)
    found: dict[str, Fact] = {}
    combinations = [(values, block.conditions) for block in space.blocks for values in block.combinations()]
    cores: dict[Outline, tuple[Condition, ...]] = {}
    refused: Counter[str] = Counter()
    repeated = 0
    for number, (values, conditions) in enumerate(combinations):
        if progress is not None:
            progress(number, len(combinations))
        key = digest_of(_KIND, code_digest(GENERATOR), values)
        fact = known.get(key) or found.get(key)
        if fact is None:
            fact = found[key] = _fact(values)
        if "refused" in fact:
            refused[fact["refused"]] += 1
            continue
        core = Outline.from_json(fact)
        repeated += core in cores
        cores[core] = tuple(dict.fromkeys((*cores.get(core, ()), *conditions)))
        if store is not None and len(found) >= _KEPT_EVERY:
            keep_facts(store, _KIND, found)
            known |= found
            found = {}
    if store is not None and found:
        keep_facts(store, _KIND, found)
    if not cores:
        reasons = "; ".join(f"{count} times: {reason}" for reason, count in refused.most_common())
        raise RequestError(f"space {space.name}: no combination is a core ({reasons})")
    return SpaceCores(space, cores, len(combinations), dict(refused.most_common()), repeated)


def _fact(values: Mapping[str, object]) -> Fact:
    try:
        return outline(values).to_json()
    except RequestError as error:
        return {"refused": refusal(error)}

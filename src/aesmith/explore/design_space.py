"""Design spaces: a TOML file names parameters and the values each may have; the space is all their combinations.

Its cores and engines are enumerated before any work: what their own rules refuse is left out and counted.
"""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from aesmith.cores.specification import architectures
from aesmith.errors import RequestError, not_one_of
from aesmith.explore.facts import Fact, digest_of, keep_facts, known_facts
from aesmith.explore.outline import Outline, engine_outline, outline, refusal
from aesmith.explore.store import Store
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.foreign.description import MARK
from aesmith.modes.specification import core_fields, engine_families
from aesmith.own_code import ENGINES, GENERATOR, Code, code_digest

Values = dict[str, Any]
"""Fields of a specification by name."""

PointsProgress = Callable[[int, int], None]
"""Called with the number of combinations looked at, and of all."""

_KEPT_EVERY = 25
_CONDITIONS = ("optimise", "recipe")
_TOP = ("name", "title", "library", *_CONDITIONS, "cores", "engines")
_NONE = "none"


@dataclass(frozen=True)
class Condition:
    """What is asked of synthesis: the best netlist of several recipes for `optimise`, or that of one `recipe`."""

    optimise: Optimise
    recipe: str | None = None

    @property
    def label(self) -> str:
        """`optimise` and the recipe in a word."""
        return self.recipe or str(self.optimise)


@dataclass(frozen=True)
class DesignKind:
    """Cores or engines, as a space has them: the fields of their specifications, one of `needed` in each combination;
    how one is outlined, and the code that this depends on."""

    name: str
    fields: frozenset[str]
    needed: tuple[str, str]
    outline: Callable[[Values], Outline]
    code: Code


@cache
def _kinds() -> Mapping[str, DesignKind]:
    """The kinds by the name of their tables."""
    of_cores = {name for model in architectures().values() for name in model.model_fields}
    of_engines = {name for family in engine_families().values() for name in family.specification.model_fields}
    return {
        "cores": DesignKind("core", frozenset(of_cores), ("architecture", "preset"), outline, GENERATOR),
        "engines": DesignKind("engine", frozenset(of_engines), ("mode", "preset"), engine_outline, ENGINES),
    }


@dataclass(frozen=True)
class Choices:
    """Each field of a specification with the values it may have; `together` are alternatives that set several fields
    at once."""

    fields: tuple[tuple[str, tuple[Any, ...]], ...]
    together: tuple[Values, ...]

    def combinations(self) -> Iterator[Values]:
        """Every combination of values, the last field changing fastest."""
        names = [name for name, _ in self.fields]
        for joint in self.together or ({},):
            for chosen in itertools.product(*(values for _, values in self.fields)):
                yield joint | dict(zip(names, chosen, strict=True))


@dataclass(frozen=True)
class SpaceBlock:
    """A table of the space: cores or engines, their fields, and the synthesis conditions."""

    kind: DesignKind
    choices: Choices
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class DesignSpace:
    """A design space. `libraries` are names or files, or none, where the one who sweeps is to say."""

    name: str
    title: str
    libraries: tuple[str, ...]
    blocks: tuple[SpaceBlock, ...]


def shipped_spaces() -> dict[str, Path]:
    """The spaces that come with aesmith, by name."""
    folder = Path(str(files("aesmith.explore") / "data"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_space(request: str) -> DesignSpace:
    """The space of this name that comes with aesmith, or else of a TOML file.

    Raises RequestError for a file that cannot be read, an unknown field, or a value that will not do.
    """
    shipped = shipped_spaces()
    if request not in shipped and not request.endswith(".toml"):
        raise not_one_of("space", request, shipped, ", or a file that ends in .toml")
    path = shipped.get(request, Path(request))
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"space {request}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"space {request}: is not TOML ({error})") from error
    except (ValueError, RecursionError) as error:
        raise RequestError(f"space {request}: has too long a number, or is nested too deeply") from error
    if MARK in content:
        raise RequestError(
            f"space {request}: describes a third-party design, which has no fields to sweep: "
            "`aesmith measure` measures it"
        )
    return parse_space(content, path.stem, f"space {request}")


def parse_space(content: Mapping[str, Any], name: str, where: str = "space") -> DesignSpace:
    """The space of plain values; `name` is its name if it has none, `where` begins every error message."""
    unknown = [key for key in content if key not in _TOP]
    if unknown:
        raise RequestError(f"{where}: {unknown[0]}: there is no such field; the fields are {', '.join(_TOP)}")
    named = content.get("name", name)
    if not isinstance(named, str) or not 1 <= len(named) <= 80 or not all(c.isalnum() or c in "-_." for c in named):
        raise RequestError(f"{where}: name: must be at most 80 letters, digits, '-', '_' and '.', not {named!r}")
    tables = {kind: content[kind] for kind in _kinds() if kind in content}
    for kind, blocks in (tables or {"cores": []}).items():
        if not isinstance(blocks, list) or not blocks or not all(isinstance(block, dict) for block in blocks):
            raise RequestError(f"{where}: {kind}: there must be at least one table [[cores]] or [[engines]]")
    conditions = _conditions(content, where) or (Condition(Optimise.AREA),)
    libraries = tuple(_listed(content.get("library", [])))
    if not all(isinstance(library, str) for library in libraries):
        raise RequestError(f"{where}: library: must be names or files of libraries, not {list(libraries)!r}")
    return DesignSpace(
        named,
        str(content.get("title", "")),
        libraries,
        tuple(
            _block(block, kind, conditions, f"{where}: {kind} {number}")
            for kind, blocks in tables.items()
            for number, block in enumerate(blocks, 1)
        ),
    )


def _block(block: Mapping[str, Any], kind: str, conditions: tuple[Condition, ...], where: str) -> SpaceBlock:
    choices = _choices({name: given for name, given in block.items() if name not in _CONDITIONS}, kind, where)
    return SpaceBlock(_kinds()[kind], choices, _conditions(block, where) or conditions)


def _choices(table: Mapping[str, Any], kind: str, where: str) -> Choices:
    """The choices of a table of a space, or of one that stands for the core of an engine."""
    together = table.get("together", [])
    if not isinstance(together, list) or not all(isinstance(values, dict) for values in together):
        raise RequestError(f"{where}: together: must be a list of tables, each with values for several fields")
    known = _kinds()[kind].fields | {"preset"}
    fields: list[tuple[str, tuple[Any, ...]]] = []
    for name, given in table.items():
        if name == "together":
            continue
        for other, of_other in _kinds().items():
            if name not in known and name in of_other.fields:
                raise RequestError(f"{where}: {name}: is a field of {other}; it belongs in a table [[{other}]]")
        if name not in known:
            raise RequestError(
                f"{where}: {name}: there is no such field; the fields are {', '.join(sorted(known))}, together, "
                f"{', '.join(_CONDITIONS)}"
            )
        values = tuple(_value(name, value, where) for value in _spread(name, given, where))
        if not values:
            raise RequestError(f"{where}: {name}: must have at least one value")
        fields.append((name, values))
    needed = _kinds()[kind].needed
    if not {*needed} & {name for values in (dict(fields), *together) for name in values}:
        raise RequestError(f"{where}: there must be {'an' if kind == 'cores' else 'a'} {needed[0]} or a {needed[1]}")
    for name in (name for values in together for name in values if name not in known):
        raise RequestError(f"{where}: together: {name}: there is no such field")
    joint = tuple({name: _value(name, value, where) for name, value in values.items()} for values in together)
    return Choices(tuple(fields), joint)


def _spread(name: str, given: Any, where: str) -> Sequence[Any]:
    """The values of a field: a list of them, one of them, or a range with `from`, `to` and perhaps `step`.

    A table for the core of an engine has choices itself, and is all their combinations.
    """
    if name in _cores_of_engines():
        given = _listed(given)
        tables = (_choices(each, "cores", f"{where}: {name}") if isinstance(each, dict) else each for each in given)
        return [one for each in tables for one in (each.combinations() if isinstance(each, Choices) else [each])]
    if not isinstance(given, dict):
        return _listed(given)
    ends = [given.get("from"), given.get("to"), given.get("step", 1)]
    if set(given) - {"from", "to", "step"} or not all(type(end) is int for end in ends) or ends[2] < 1:
        raise RequestError(f"{where}: {name}: a range is {{from = 1, to = 4, step = 1}} of whole numbers, not {given}")
    return range(ends[0], ends[1] + 1, ends[2])


@cache
def _cores_of_engines() -> frozenset[str]:
    """The fields of engines that say what a core of theirs is."""
    return frozenset(name for family in engine_families().values() for name in core_fields(family.specification))


def _value(name: str, given: Any, where: str) -> Any:
    """A value as a specification has it: `encrypt+decrypt` is both directions, `none` leaves an optional field out."""
    if name == "directions":
        if not isinstance(given, str):
            raise RequestError(f"{where}: directions: must be encrypt, decrypt or encrypt+decrypt, not {given!r}")
        return tuple(given.split("+"))
    return None if given == _NONE else given


def _conditions(content: Mapping[str, Any], where: str) -> tuple[Condition, ...]:
    """What `optimise` and `recipe` ask for; a recipe by itself is measured as for area, of one netlist."""
    found: list[Condition] = []
    for given in _listed(content.get("optimise", [])):
        if given not in set(Optimise):
            raise RequestError(f"{where}: optimise: must be one of {', '.join(Optimise)}, not {given!r}")
        found.append(Condition(Optimise(given)))
    for label in _listed(content.get("recipe", [])):
        try:
            one_recipe(str(label))
        except RequestError as error:
            raise RequestError(f"{where}: {error}") from error
        found.append(Condition(Optimise.AREA, str(label)))
    return tuple(dict.fromkeys(found))


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list) else [given]


@dataclass(frozen=True)
class SpaceDesigns:
    """The cores and engines of a space, each with the conditions it is to be measured under, in the order of the space.

    `refused` counts combinations by the rule they break; `repeated` is the number of those that give a design again.
    """

    space: DesignSpace
    designs: Mapping[Outline, tuple[Condition, ...]]
    combinations: int
    refused: Mapping[str, int]
    repeated: int

    @property
    def points(self) -> int:
        """Number of points, in one library."""
        return sum(len(conditions) for conditions in self.designs.values())


def enumerate_designs(
    space: DesignSpace, store: Store | None = None, progress: PointsProgress | None = None
) -> SpaceDesigns:
    """Build every core and engine of a space once; what the store knows of a combination is not found out again.

    Raises RequestError if no combination is left.
    """
    kinds = [block.kind for block in space.blocks]
    facts = {kind: {} if store is None else known_facts(store, kind.name) for kind in dict.fromkeys(kinds)}
    found: dict[DesignKind, dict[str, Fact]] = {kind: {} for kind in facts}
    combinations = [(block, values) for block in space.blocks for values in block.choices.combinations()]
    designs: dict[Outline, tuple[Condition, ...]] = {}
    refused: Counter[str] = Counter()
    repeated = 0
    for number, (block, values) in enumerate(combinations):
        if progress is not None:
            progress(number, len(combinations))
        known, new = facts[block.kind], found[block.kind]
        key = digest_of(block.kind.name, code_digest(block.kind.code), values)
        if key not in known:
            known[key] = new[key] = _fact(block.kind, values)
        if "refused" in known[key]:
            refused[known[key]["refused"]] += 1
            continue
        design = Outline.from_json(known[key])
        repeated += design in designs
        designs[design] = tuple(dict.fromkeys((*designs.get(design, ()), *block.conditions)))
        if store is not None and len(new) >= _KEPT_EVERY:
            keep_facts(store, block.kind.name, new)
            new.clear()
    for kind, new in found.items():
        if store is not None and new:
            keep_facts(store, kind.name, new)
    if not designs:
        reasons = "; ".join(f"{count} times: {reason}" for reason, count in refused.most_common())
        ones = " or ".join("a core" if kind.name == "core" else "an engine" for kind in facts)
        raise RequestError(f"space {space.name}: no combination is {ones} ({reasons})")
    return SpaceDesigns(space, designs, len(combinations), dict(refused.most_common()), repeated)


def _fact(kind: DesignKind, values: Values) -> Fact:
    try:
        return kind.outline(values).to_json()
    except RequestError as error:
        return {"refused": refusal(error)}

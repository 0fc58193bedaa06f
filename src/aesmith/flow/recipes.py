"""Synthesis recipes as data: what ABC does between the generic netlist and the mapped one.

No recipe serves all designs. Names are *method*, `-modules` where the hierarchy of the sources is kept and every module
is mapped by itself, `+noxor2` where XOR2 cells are forbidden (XNOR2 cells and inverters then serve; in some libraries
they are faster), `+gated` where clock gates hold registers, and `@ps` once a target is chosen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from aesmith.errors import RequestError
from aesmith.technology.library import Library

_XOR2 = "a ^ b"
_NO_LIMIT_PS = 100000
REWIRING_STEPS = 11
"""Steps that rewiring a netlist counts for, ten legs at most and the proof, where mapping one counts for one."""

_PREPARE = "strash; &get -n; &fraig -x; &put; scorr; dc2; dretime; strash; &get -n; &dch -f"
_SHRINK = f"{_PREPARE}; &nf -p -R 1000 -F 20 -A 20 -a; &put"
_COMPRESS_ONCE = (
    "balance -l; resub -K 6 -l; rewrite -l; resub -K 6 -N 2 -l; refactor -l; resub -K 8 -l; balance -l; "
    "resub -K 8 -N 2 -l; rewrite -l; resub -K 10 -l; rewrite -z -l; resub -K 10 -N 2 -l; balance -l; resub -K 12 -l; "
    "refactor -z -l; resub -K 12 -N 2 -l; rewrite -z -l; balance -l"
)
_COMPRESS = f"strash; ifraig; scorr; {_COMPRESS_ONCE}; {_COMPRESS_ONCE}; dch; amap -m"
_SIZE = "upsize {D}; dnsize {D}"
EASE = 0.02
"""Share of the area that counts for nothing: netlists differ as much by the order in which gates are looked at."""

GATED = "+gated"
"""What the name of a recipe has behind all else if it puts clock gates before registers."""

_SMALLEST = f"dnsize -D {_NO_LIMIT_PS}"


@dataclass(frozen=True)
class Recipe:
    """How ABC maps a design.

    `script` is an ABC script without line breaks in which `{D}` stands for the target as ABC's option, or for nothing.
    `hierarchical` maps every module by itself. `targets` says whether the recipe can size for a target; without one it
    then sizes for the shortest delay it reaches. `xor2` False forbids the library's two-input XOR cells. `timed` sizes
    gates after ABC, on the library's timing tables (`aesmith.flow.sizing`): for the best throughput per area, or for
    the least area that keeps every path within the target; `growth` is the share of the area that it may add at most,
    None for any. `gated` puts a clock gate before registers that load by an enable, in the place of their selectors.
    """

    name: str
    purpose: str
    source: str
    script: str
    hierarchical: bool = False
    targets: bool = False
    xor2: bool = True
    timed: bool = False
    growth: float | None = None
    gated: bool = False

    @property
    def mapping(self) -> Recipe:
        """The recipe up to its netlist as ABC leaves it, without the sizing after it."""
        if not self.timed:
            return self
        return replace(self, name=f"{self.name}-mapping", targets=False, timed=False, growth=None)

    @property
    def sized_by_abc(self) -> bool:
        """Whether ABC sizes gates for delay, together with its buffers behind flip-flops: then these stay."""
        return "upsize" in self.script

    def by_modules(self) -> Recipe:
        """The same recipe on every module by itself: no gate moves across a border of modules but in being sized."""
        base, without, rest = self.name.partition("+")
        if self.hierarchical:
            return self
        purpose = f"as {base}, each module by itself"
        return replace(self, name=f"{base}-modules{without}{rest}", purpose=purpose, hierarchical=True)

    def without_xor2(self) -> Recipe:
        """The same recipe with the two-input XOR cells forbidden."""
        return replace(self, name=f"{self.name}+noxor2", xor2=False)

    def with_clock_gates(self) -> Recipe:
        """The same recipe with clock gates before registers that load by an enable."""
        return self if self.gated else replace(self, name=f"{self.name}{GATED}", gated=True)

    def abc_script(self, target_ps: float | None) -> str:
        """The ABC script for a target: the delay in ps, between registers, that gates are sized for.

        Raises RequestError for a target given to a recipe that has none, or that is not positive.
        """
        if target_ps is None:
            return self.script.replace(" {D}", "")
        if not self.targets:
            raise RequestError(
                f"target: recipe {self.name} sizes for no target; of {target_ps:g} ps nothing would be seen"
            )
        if target_ps <= 0:
            raise RequestError(f"target: must be a positive number of ps, not {target_ps:g}")
        return self.script.replace("{D}", f"-D {target_ps:.0f}")

    def label(self, target_ps: float | None) -> str:
        """The recipe's name with its target, as figures are labelled."""
        return self.name if target_ps is None else f"{self.name}@{target_ps:.0f}"

    def forbidden_cells(self, library: Library) -> tuple[str, ...]:
        """Names of the cells of `library` that the recipe must not use.

        XOR2 stays allowed in a library that has no XNOR2 to take its place.
        """
        forbidden = list(library.not_for_synthesis)
        if not self.xor2 and library.cells_computing(f"!({_XOR2})"):
            forbidden += [cell.name for cell in library.cells_computing(_XOR2)]
        return tuple(dict.fromkeys(forbidden))


KEEP = Recipe(
    "keep",
    "keeps the structure of the sources, smallest gates that buffering allows: the smallest tower-field cores",
    "strash; map -a, no restructuring; measured against the other mappers on six round-based cores",
    f"strash; map -a; topo; buffer -p -N 24; {_SMALLEST}; stime -p",
)
KEEP_SIZED = Recipe(
    "keep-sized",
    "keeps the structure of the sources and sizes gates for the target: best for compressed tower-field cores",
    "strash; map -a, then ABC's buffer, upsize and dnsize",
    f"strash; map -a; topo; buffer -p -N 12; {_SIZE}; stime -p",
    targets=True,
)
KEEP_TIMED = replace(
    KEEP,
    name="keep-timed",
    purpose="as keep, then gates sized on the library's timing tables for throughput per area",
    source="keep; TILOS (Fishburn and Dunlop, ICCAD 1985)",
    targets=True,
    timed=True,
)
SHRINK = Recipe(
    "shrink",
    "restructures for area: small for S-boxes of two-input gates such as Boyar-Peralta's and Canright's",
    "the preparation of Yosys' default script, then &nf with area flow and exact area (-a)",
    f"{_SHRINK}; buffer -p -N 24; topo; {_SMALLEST}; stime -p",
)
SHRINK_TIMED = replace(
    SHRINK,
    name="shrink-timed",
    purpose="as shrink, then gates sized on the library's timing tables for throughput per area",
    source="shrink; TILOS (Fishburn and Dunlop, ICCAD 1985)",
    targets=True,
    timed=True,
)
SHRINK_SIZED = Recipe(
    "shrink-sized",
    "restructures for area, sizes gates for the target: efficient for Boyar-Peralta's and Canright's S-boxes",
    "as shrink, with ABC's upsize and dnsize",
    f"{_SHRINK}; buffer -p; {_SIZE}; stime -p",
    targets=True,
)
COMPRESS = Recipe(
    "compress",
    "restructures for area with all of ABC's resubstitution: as a rule the smallest",
    "compress2rs of abc.rc, twice, then amap",
    f"{_COMPRESS}; topo; buffer -p -N 24; {_SMALLEST}; stime -p",
)
COMPRESS_MODULES = replace(
    COMPRESS.by_modules(), purpose="as compress, each module by itself: small where one S-box module is used often"
)
KEEP_EASED, SHRINK_EASED, COMPRESS_EASED = (
    replace(
        plain,
        name=f"{plain.name}-eased",
        purpose=f"as {plain.name}, then gates sized on the library's timing tables for at most {EASE:.0%} more area",
        source=f"{plain.name}; TILOS (Fishburn and Dunlop, ICCAD 1985)",
        timed=True,
        growth=EASE,
    )
    for plain in (KEEP, SHRINK, COMPRESS)
)
DELAY = Recipe(
    "delay",
    "maps for delay: fastest, and for S-boxes written as tables also efficient; breaks up XOR networks",
    "abc_area.script of OpenROAD-flow-scripts",
    "strash; dch; map -B 0.9; topo; buffer -c -p; upsize -c; dnsize -c; stime -p",
)

COMPRESS_TIMED = replace(
    COMPRESS,
    name="compress-timed",
    purpose="as compress, then gates sized on the library's timing tables for throughput per area",
    source="compress; TILOS (Fishburn and Dunlop, ICCAD 1985)",
    targets=True,
    timed=True,
)
DELAY_TIMED = replace(
    DELAY,
    name="delay-timed",
    purpose="maps for delay, smallest gates, then sized on the library's timing tables for throughput per area",
    source="delay; TILOS (Fishburn and Dunlop, ICCAD 1985)",
    script=f"strash; dch; map -B 0.9; topo; buffer -p -N 24; {_SMALLEST}; stime -p",
    targets=True,
    timed=True,
)

_WHOLE = (
    KEEP,
    KEEP_SIZED,
    KEEP_TIMED,
    SHRINK,
    SHRINK_SIZED,
    SHRINK_TIMED,
    COMPRESS,
    KEEP_EASED,
    SHRINK_EASED,
    COMPRESS_EASED,
    COMPRESS_TIMED,
    DELAY,
    DELAY_TIMED,
)
RECIPES = {recipe.name: recipe for recipe in _WHOLE} | {
    recipe.name: recipe for recipe in (*(recipe.by_modules() for recipe in _WHOLE), COMPRESS_MODULES)
}
"""All recipes by name, XOR2 allowed."""


def recipe_by_name(name: str) -> Recipe:
    """The recipe of this name, `+noxor2` and then `+gated` understood. Raises RequestError for an unknown one."""
    enabled = name.removesuffix(GATED)
    base = enabled.removesuffix("+noxor2")
    if base not in RECIPES:
        raise RequestError(
            f"recipe: unknown {name!r}; valid are: {', '.join(RECIPES)}, each also with '+noxor2' and with '{GATED}'"
        )
    recipe = RECIPES[base] if base == enabled else RECIPES[base].without_xor2()
    return recipe if enabled == name else recipe.with_clock_gates()


REWIRED = "+rewired"
"""What the label of a netlist has after its recipe if it was rewired (`aesmith.flow.rewiring`)."""
_BY_ALL = "-all"
_REWIRED = re.compile(rf"{re.escape(REWIRED)}([1-9]\d*)?({_BY_ALL})?$")


@dataclass(frozen=True)
class Rewiring:
    """That a netlist is rewired, by this many moves for each cell, or, with None, as many as its condition takes; with
    `all_kinds` by those, too, that only some circuits gain by."""

    moves: int | None = None
    all_kinds: bool = False

    def __post_init__(self) -> None:
        if self.moves is not None and self.moves < 1:
            raise RequestError(f"moves: must be at least 1, not {self.moves}")

    @property
    def suffix(self) -> str:
        """What stands after the recipe's name: `+rewired`, or `+rewired1000` for a number of moves, and then `-all` if
        all kinds of them are tried."""
        return f"{REWIRED}{'' if self.moves is None else self.moves}{_BY_ALL * self.all_kinds}"


def rewired_recipe(name: str) -> tuple[str, Rewiring | None]:
    """The name of a recipe without `+rewired`, and how its netlist is rewired; None if it is not."""
    found = _REWIRED.search(name)
    if found is None:
        return name, None
    return name[: found.start()], Rewiring(int(found[1]) if found[1] else None, found[2] is not None)


@dataclass(frozen=True)
class SynthesisPlan:
    """What to try: every recipe of `first` without a target, and those of `aimed` with theirs in ps; then, for the
    `finalists` best of `first` that can have one, targets of `factors` times the shortest delay the recipe reached.

    Then the `rewired` best netlists of all are rewired as `rewiring` says; candidates that this gives have `+rewired`
    in their recipe's name. None is in the plans of the conditions.
    """

    first: tuple[Recipe, ...]
    finalists: int = 0
    factors: tuple[float, ...] = ()
    aimed: tuple[tuple[Recipe, float], ...] = ()
    rewired: int = 0
    rewiring: Rewiring = Rewiring()

    def by_modules(self) -> SynthesisPlan:
        """The same recipes, each on every module by itself."""
        first = dict.fromkeys(recipe.by_modules().name for recipe in self.first)
        aimed = tuple((recipe.by_modules(), target) for recipe, target in self.aimed)
        return replace(self, first=tuple(recipe_by_name(name) for name in first), aimed=aimed)

    def with_clock_gates(self) -> SynthesisPlan:
        """The same recipes, each with clock gates before registers that load by an enable."""
        first = tuple(recipe.with_clock_gates() for recipe in self.first)
        return replace(self, first=first, aimed=tuple((recipe.with_clock_gates(), ps) for recipe, ps in self.aimed))

    @property
    def gated(self) -> bool:
        """Whether a netlist of it has clock gates in the place of enables."""
        return any(recipe.gated for recipe in (*self.first, *(recipe for recipe, _ in self.aimed)))

    @property
    def netlists(self) -> int:
        """Number of netlists."""
        return len(self.first) + len(self.aimed) + self.finalists * len(self.factors) + self.rewired


def one_recipe(label: str) -> SynthesisPlan:
    """The plan that tries one recipe: its name, or NAME@TARGET with a target in ps, as in `keep-sized@900`.

    `+rewired` after the name has its netlist rewired, too, `+rewired1000` by 1,000 moves for each cell, and either with
    `-all` behind it by all kinds of moves.

    Raises RequestError for an unknown recipe, and for a target that is no positive number or that it cannot use.
    """
    name, at, target = label.partition("@")
    plain, rewiring = rewired_recipe(name)
    recipe, rewired = recipe_by_name(plain), int(rewiring is not None)
    how = rewiring or Rewiring()
    if not at:
        return SynthesisPlan((recipe,), rewired=rewired, rewiring=how)
    try:
        target_ps = float(target)
    except ValueError as error:
        raise RequestError(f"recipe: the target after @ must be a number of ps, not {target!r}") from error
    recipe.abc_script(target_ps)
    return SynthesisPlan((), aimed=((recipe, target_ps),), rewired=rewired, rewiring=how)

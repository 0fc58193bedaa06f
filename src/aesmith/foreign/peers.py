"""Public cores, each by a recipe: whose, which commit of which repository, in which group, and the description of it.

A recipe is a TOML file: `[peer]` has repository, commit, author and group; `[design]` is a description as
`foreign.description` has it, its paths those of the repository. No source stands in it: whoever measures a peer has a
clone of the repository, in a folder `OWNER+NAME`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from aesmith.assurance.plan import SCENARIOS, SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, presets
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.measurement import Optimise
from aesmith.foreign.description import fields_of, parse_description
from aesmith.foreign.design import foreign_design

GROUPS: Mapping[str, tuple[str, ...]] = {
    "encryption": ("ueno2020-enc", "sasebo-tower-enc"),
    "decryption": (),
    "both directions": ("ueno2020-encdec",),
    "keys of 128 and 256 bits": ("ueno2020-encdec-selectable",),
    "all key sizes": ("ueno2020-encdec-selectable",),
    "byte by byte": ("hamalainen2006-enc", "serial-encdec", "serial-shared-enc", "serial-shared-encdec"),
    "unrolled": ("zhang2004-r3-enc",),
}
"""What is compared with like, and the presets of this project that stand beside the peers of each group."""

BY_ONE_RECIPE = frozenset({"unrolled"})
"""Groups of cores with hundreds of equal S-boxes. Mapped flat one of them did not end in 40 minutes, and sizing one did
not either: they are measured by one recipe that maps each module by itself, once."""

PLAN = SimulationPlan(random_pairs=1000, monte_carlo_rounds=2, scenarios=tuple(SCENARIOS))
"""What a peer is verified by before it is measured."""

_HASH = re.compile(r"[0-9a-f]{7,40}")
_INCLUDE = "include"
_GIT_SECONDS = 60


@dataclass(frozen=True)
class Peer:
    """A public core: the file of its recipe by name, and what that says of whose it is."""

    name: str
    repository: str
    commit: str
    author: str
    group: str

    @property
    def folder(self) -> str:
        """What the folder of its clone is called."""
        return "+".join(self.repository.rstrip("/").removesuffix(".git").split("/")[-2:])


def recipe_of(group: str, optimise: Optimise) -> str | None:
    """The one recipe by which all in a group are measured, peers and ours; None where the condition's plan is tried."""
    if group not in BY_ONE_RECIPE:
        return None
    return "compress-modules" if optimise.goal is Optimise.AREA else "keep-modules"


def recipes_in(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The recipes in these folders, folder by folder, by name.

    Raises RequestError for a folder without one, and for two recipes of one name.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        here = sorted(folder.glob("*.toml"))
        if not here:
            raise RequestError(
                f"recipes: there is no recipe in {folder}; name the folder that has them by --recipes DIR"
            )
        for recipe in here:
            if recipe.name in found:
                raise RequestError(f"recipes: {recipe} and {found[recipe.name]} have one name: rename one")
            found[recipe.name] = recipe
    return tuple(found.values())


def peer_of(recipe: Path) -> tuple[Peer, dict[str, Any]]:
    """What a recipe says of the peer, and the fields of its design. Raises RequestError if it will not do."""
    read = fields_of(recipe, "recipe")
    where = f"recipe {recipe.name}"
    for table in ("peer", "design"):
        if not isinstance(read.get(table), dict):
            raise RequestError(f"{where}: there is no table [{table}]")
    wanted = [field.name for field in fields(Peer) if field.name != "name"]
    for name in wanted:
        if not isinstance(read["peer"].get(name), str):
            raise RequestError(f"{where}: peer.{name}: must be a text, not {read['peer'].get(name)!r}")
    peer = Peer(recipe.stem, **{name: read["peer"][name] for name in wanted})
    if not _HASH.fullmatch(peer.commit):
        raise RequestError(f"{where}: peer.commit: must be 7 to 40 hexadecimal digits, not {peer.commit!r}")
    return peer, read["design"]


def clone_of(peer: Peer, clones: Path, sources: Sequence[str]) -> Path:
    """The clone of a peer's repository, in which the `sources`, files and folders, are as they were committed.

    Raises RequestError if it is not there, at another commit, or they were edited; ToolError without git.
    """
    folder = clones / peer.folder
    if not folder.is_dir():
        raise RequestError(f"{peer.name}: there is no {folder}: git clone {peer.repository} {folder}")
    head = _git(folder, "rev-parse", "HEAD")
    if not head.startswith(peer.commit):
        raise RequestError(f"{peer.name}: {folder} is at {head[:7]}: git -C {folder} checkout {peer.commit}")
    if edits := _git(folder, "status", "--porcelain", "--untracked-files=no", "--", *sources):
        raise RequestError(f"{peer.name}: {folder} was edited: {edits.splitlines()[0].strip()}")
    return folder


def _git(folder: Path, *words: str) -> str:
    git = shutil.which("git")
    if git is None:
        raise ToolError("git: is not installed; it tells the commits of clones")
    try:
        ended = subprocess.run(
            [git, "-C", str(folder), *words], capture_output=True, text=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"git: does not answer ({error})") from error
    if ended.returncode:
        raise RequestError(f"{folder}: is no clone ({ended.stderr.strip()})")
    return ended.stdout.strip()


def read_peer(recipe: Path, clones: Path) -> tuple[Peer, CoreDesign]:
    """What a recipe says of a peer, and its design from its clone. Include files of our own stand beside the recipes.

    Raises what `peer_of`, `clone_of` and `foreign_design` raise.
    """
    peer, design = peer_of(recipe)
    origin = f"{peer.repository}, commit {peer.commit}"
    description = parse_description({**design, "origin": origin}, Path(), f"recipe {recipe.name}: design")
    clone = clone_of(peer, clones, (*description.rtl, *description.include))
    include = [*description.include, str((recipe.parent / _INCLUDE).resolve())]
    found = description.model_copy(update={"folder": clone, "include": include})
    return peer, foreign_design(found, recipe.stem.replace("-", "_"))


def check_peer(design: CoreDesign, folder: Path) -> None:
    """Raise CheckError unless a design passes all scenarios of `PLAN`; works in `folder`."""
    report = simulate(design, folder, PLAN)
    if not report.passed:
        raise CheckError(f"{design.name}: is not AES: {report.failures[0].failure}")


def ours(group: str) -> tuple[CoreDesign, ...]:
    """The cores of this project beside the peers of a group, with their results bare as those of the papers."""
    return tuple(
        build_design(presets()[name].model_copy(update={"output": "bare"}), default_name(name), name)
        for name in GROUPS.get(group, ())
    )

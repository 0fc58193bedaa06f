"""Measure public cores in the flow of this project, each verified first, and write the table of docs/peers.md.

    python benchmarks/peers_page.py --clones DIR [--library NAME|FILE] [--optimise CONDITION] [--store FILE|URL]
        [--leave-out GROUP] [PEER ...]

`benchmarks/peers` has a recipe for each core: repository and commit, files, top, and what each port does; never its
source. DIR has a clone of each repository as OWNER+NAME, which whoever runs this makes:

    git clone https://github.com/secworks/aes DIR/secworks+aes

A clone at another commit, and a core that is not AES, is told and left out of the table. Without a PEER all are run;
the table is written only then, between its marks.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from aesmith.assurance.plan import SCENARIOS, SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, presets
from aesmith.errors import AesmithError, CheckError, RequestError
from aesmith.explore.obtain import obtain
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.foreign.description import parse_description
from aesmith.foreign.design import foreign_design
from aesmith.technology.registry import library_by

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "benchmarks" / "peers"
PAGE = ROOT / "docs" / "peers.md"
MARKS = ("<!-- begin: benchmarks/peers_page.py -->", "<!-- end -->")
OURS = {
    "encryption": ("ueno2020-enc", "sasebo-tower-enc"),
    "decryption": (),
    "keys of 128 and 256 bits": ("ueno2020-encdec-selectable",),
    "unrolled": ("zhang2004-r3-enc",),
}
"""Groups, and cores of this project beside the peers of each."""
PLAN = SimulationPlan(random_pairs=1000, monte_carlo_rounds=2, scenarios=tuple(SCENARIOS))


def clone_of(peer: dict[str, str], clones: Path) -> Path:
    """The clone of a peer's repository. Raises RequestError if it is not there, or at another commit."""
    folder = clones / peer["repository"].removeprefix("https://github.com/").replace("/", "+")
    if not folder.is_dir():
        raise RequestError(f"there is no {folder}: git clone {peer['repository']} {folder}")
    head = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    if not head.stdout.startswith(peer["commit"]):
        raise RequestError(f"{folder} is at {head.stdout[:7]}: git -C {folder} checkout {peer['commit']}")
    return folder


def read_peer(recipe: Path, clones: Path) -> tuple[dict[str, str], CoreDesign]:
    """What a recipe says of a peer, and its design. Raises what reading it raises."""
    fields: dict[str, Any] = tomllib.loads(recipe.read_text(encoding="utf-8"))
    peer = fields["peer"]
    design = {**fields["design"], "origin": f"{peer['repository']}, commit {peer['commit']}"}
    description = parse_description(design, clone_of(peer, clones), recipe.name)
    include = [*description.include, str(PEERS / "include")]
    return peer, foreign_design(description.model_copy(update={"include": include}), recipe.stem.replace("-", "_"))


def row(name: str, who: str, design: CoreDesign, found: Measurement) -> str:
    """A line of the table."""
    kept = getattr(design.measured, "key_kept", True)
    directions = "both" if len(design.directions) > 1 else design.directions[0]
    cells = (
        name,
        who,
        directions,
        "/".join(map(str, design.key_bits)),
        "inside" if kept else "with each block",
        f"{found.cycles_per_block:g}",
        f"{found.area_ge:,.0f}",
        "–" if found.period_ns is None else f"{found.period_ns:.3f}",
        "–" if found.period_with_ports_ns is None else f"{found.period_with_ports_ns:.3f}",
        "–" if found.throughput_gbps is None else f"{found.throughput_gbps:.2f}",
        "–" if found.efficiency_kbps_per_ge is None else f"{found.efficiency_kbps_per_ge:.1f}",
    )
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| core | whose | direction | key bits | key | clocks a block | area (GE) | period (ns) | with ports (ns) | Gbit/s "
    "| Kbit/s/GE |\n|---|---|---|---|---|---:|---:|---:|---:|---:|---:|"
)


def main(arguments: list[str]) -> None:
    """Verify, measure, write. Raises CheckError at the end if a core is not AES or could not be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="PEER", help="recipes by name [default: all]")
    parser.add_argument("--clones", type=Path, required=True, help="the folder with the clones")
    parser.add_argument("--leave-out", action="append", default=[], metavar="GROUP", help="a group that takes too long")
    parser.add_argument("--library", default="generic45", help="a registered library or a Liberty file")
    parser.add_argument("--optimise", type=Optimise, choices=Optimise, default=Optimise.AREA_SPEED)
    parser.add_argument("--store", help="the result store [default: the user's]")
    options = parser.parse_args(arguments)
    library = library_by(options.library)
    recipes = sorted(PEERS.glob("*.toml"))
    rows: dict[str, list[tuple[float, str]]] = {group: [] for group in OURS}
    wrong = []
    with open_store(options.store) as store, tempfile.TemporaryDirectory() as work:
        designs: list[tuple[str, str, str, CoreDesign]] = []
        for recipe in recipes:
            group = tomllib.loads(recipe.read_text(encoding="utf-8"))["peer"]["group"]
            if group in options.leave_out or (options.peers and recipe.stem not in options.peers):
                continue
            try:
                peer, design = read_peer(recipe, options.clones)
                report = simulate(design, Path(work) / recipe.stem, PLAN)
                if not report.passed:
                    raise CheckError(f"{recipe.stem}: is not AES: {report.failures[0].failure}")
            except AesmithError as error:
                wrong.append(str(error))
                print(error, flush=True)
                continue
            designs.append((peer["group"], recipe.stem, f"[{peer['author']}]({peer['repository']})", design))
        for group, names in OURS.items() if not options.peers else ():
            for name in names if group not in options.leave_out else ():
                specification = presets()[name].model_copy(update={"output": "bare"})
                designs.append((group, f"**{name}**", "ours", build_design(specification, default_name(name), name)))
        for group, name, who, design in designs:
            place = Path(work) / f"measure-{design.name}"
            found = obtain(design.measured, library, options.optimise, place, store).measurement
            line = row(name, who, design, found)
            print(line, flush=True)
            rows[group].append((-(found.efficiency_kbps_per_ge or 0.0), line))
    if not options.peers:
        tables = [
            f"### {g.capitalize()}\n\n{HEAD}\n" + "\n".join(x for _, x in sorted(found))
            for g, found in rows.items()
            if found
        ]
        corner = f"{library.name} ({library.corner.name}); condition `{options.optimise}`."
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        made = "\n\n".join((MARKS[0], corner, *tables, MARKS[1]))
        PAGE.write_text(f"{before}{made}{after}", encoding="utf-8")
    if wrong:
        raise CheckError(f"{len(wrong)} of the peers are not in the table")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AesmithError as error:
        sys.exit(f"peers: {error}")

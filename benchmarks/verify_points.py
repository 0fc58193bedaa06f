"""Verify and prove the cores of the points that come with aesmith, without measuring anything again.

    python benchmarks/verify_points.py RESULTS [--seconds S] [--random-pairs N] [--merge]

Appends to RESULTS a line of JSON for each core, smallest first, and leaves out what is there: it may be interrupted at
any time, and called again. A result is of the SystemVerilog whose digest it carries. With `--merge` nothing is run:
every row of the shipped points gets what RESULTS says of the sources that are generated of it now.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import multiprocessing
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits
from aesmith.assurance.simulation import simulate
from aesmith.cores.specification import build_design, default_name, parse_specification
from aesmith.errors import AesmithError
from aesmith.explore.outline import rtl_digest
from aesmith.explore.points import PROOF, points_by, shipped_points
from aesmith.scratch import write_whole


def cores() -> dict[str, str]:
    """The specifications (JSON) of all shipped points by their designs' names, those of the smallest cores first."""
    frames = [points_by(name) for name in shipped_points()]
    smallest: dict[tuple[str, str], float] = {}
    for frame in frames:
        for design, specification, area in zip(
            frame["design"], frame["specification"], frame["area_ge"].fillna(1e9), strict=True
        ):
            smallest[specification, design] = min(float(area), smallest.get((specification, design), 1e9))
    return dict(sorted(smallest, key=lambda core: smallest[core]))


def examined(specification: str, design: str, plan: SimulationPlan, seconds: float) -> dict[str, Any]:
    """What proof and simulation say of a core; `open` is why it is not proved, `failure` why it is not verified."""
    core = build_design(parse_specification(json.loads(specification)), default_name(design), design)
    found: dict[str, Any] = {"design": design, "sources": rtl_digest(specification)}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="aesmith-points-") as folder:
        try:
            proof = prove(core, Path(folder) / "proof", Limits(seconds=seconds))
            found |= {"proved": proof.proved}
            found |= {"open": "; ".join(f"{part.name}: {part.verdict}: {part.detail}" for part in proof.failing)}
        except AesmithError as error:
            found |= {"proved": False, "open": str(error)}
        found |= {"proof_seconds": round(time.monotonic() - began)}
        began = time.monotonic()
        try:
            report = simulate(core, Path(folder) / "simulation", plan)
            failures = [f"{scenario.name}: {scenario.failure}" for scenario in report.failures]
            found |= {"blocks": report.cases, "failure": "; ".join(failures)}
        except AesmithError as error:
            found |= {"blocks": 0, "failure": str(error)}
        found |= {"simulation_seconds": round(time.monotonic() - began)}
    return found


def known(results: Path) -> dict[str, dict[str, Any]]:
    """The results that are there, by the digest of their sources; of a core that was looked at twice the last."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    # A line that an interruption cut short is no result.
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return {str(result["sources"]): result for result in found}


def run(results: Path, plan: SimulationPlan, seconds: float) -> bool:
    """Whether every core that was looked at is proved and passes."""
    there, well = known(results), True
    context = multiprocessing.get_context("spawn")
    for specification, design in cores().items():
        if rtl_digest(specification) in there:
            continue
        # A process for each: the memory of a proof ends with it.
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            found = pool.submit(examined, specification, design, plan, seconds).result()
        there[found["sources"]] = found
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found, sort_keys=True) + "\n")
        print(json.dumps(found), flush=True)
        well &= found["proved"] and not found["failure"]
    return well


def mark(result: dict[str, Any]) -> str:
    """What a point says of a result; empty if the core was neither proved nor passed its simulation."""
    if result["failure"]:
        return ""
    simulated = f"simulation of {result['blocks']} blocks"
    return f"{PROOF} and {simulated}" if result["proved"] else simulated


def merge(results: Path) -> tuple[int, int]:
    """Put the results into the shipped points; how many cores are proved by them, and how many there are.

    What RESULTS does not know keeps what it says of the sources that are generated now, and nothing of others.
    """
    there, digests = known(results), dict[str, str]()
    for path in shipped_points().values():
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
        names, after = rows[0], rows[0].index("verified")
        if "rtl" not in names:
            rows = [[*row[: after + 1], "rtl" if row is names else "", *row[after + 1 :]] for row in rows]
        place = rows[0].index("rtl")
        for row in rows[1:]:
            specification = row[names.index("specification")]
            digest = digests.setdefault(specification, rtl_digest(specification))
            if digest in there or row[place] != digest:
                row[after] = mark(there[digest]) if digest in there else ""
                row[place] = digest if row[after] else ""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        write_whole(path, text.getvalue(), "points")
    return sum(digest in there and there[digest]["proved"] for digest in digests.values()), len(digests)


def main() -> int:
    """Verify, or merge."""
    parser = argparse.ArgumentParser(description="verify the cores of the shipped points")
    parser.add_argument("results", type=Path, help="a file of JSON lines")
    parser.add_argument("--seconds", type=float, default=1200.0, help="for each proof (default: %(default)s)")
    parser.add_argument("--random-pairs", type=int, default=200, help="in each simulation (default: %(default)s)")
    parser.add_argument("--merge", action="store_true", help="put the results into the shipped points")
    arguments = parser.parse_args()
    if arguments.merge:
        proved, every = merge(arguments.results)
        print(f"{proved} of {every} cores of the shipped points are proved")
        return 0
    plan = SimulationPlan(random_pairs=arguments.random_pairs, monte_carlo_rounds=1, monte_carlo_clocks=20_000)
    return int(not run(arguments.results, plan, arguments.seconds))


if __name__ == "__main__":
    sys.exit(main())

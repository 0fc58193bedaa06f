"""Verify presets by simulation, one after another: every scenario, and 10,000 random operations on each.

    python benchmarks/verify_cores.py [PRESET …] [--random-pairs N] [--monte-carlo-rounds N]

Without a preset, all round-based ones. Prints a line a core; the exit status is 1 if any core fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.round_based.family import FAMILY
from aesmith.cores.specification import build_design, default_name, load_specification
from aesmith.flow.verilator import lint


def main() -> int:
    """Lint and simulate."""
    parser = argparse.ArgumentParser(description="verify presets by simulation")
    parser.add_argument("presets", nargs="*", default=[*FAMILY.presets])
    parser.add_argument("--random-pairs", type=int, default=10_000, help="random operations (default: %(default)s)")
    parser.add_argument("--monte-carlo-rounds", type=int, default=100, help="1 to 100 (default: %(default)s)")
    arguments = parser.parse_args()
    plan = SimulationPlan(random_pairs=arguments.random_pairs, monte_carlo_rounds=arguments.monte_carlo_rounds)
    failed = False
    for preset in arguments.presets:
        design = build_design(load_specification(preset), default_name(preset), preset)
        with tempfile.TemporaryDirectory(prefix="aesmith-verify-") as folder:
            lint(design, Path(folder) / "lint")
            report = simulate(design, Path(folder) / "simulation", plan)
        cycles = sum(scenario.cycles for scenario in report.scenarios)
        print(
            f"{preset}: {'verified' if report.passed else 'FAILED'}, {report.cases:,} blocks in {cycles:,} clocks, "
            f"{report.seconds:.0f} s of which {report.build_seconds:.0f} s to compile",
            flush=True,
        )
        for scenario in report.failures:
            print(f"  {scenario.name}: {scenario.failure}", flush=True)
        failed |= not report.passed
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

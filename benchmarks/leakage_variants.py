"""What a t-test of simulated power sees of a masked S-box whose fresh bits fail, variant by variant.

    python benchmarks/leakage_variants.py --library nangate45-typ --traces 100000

A row has the largest |t| at order 1 of each fixed operand, the smaller one of both halves; then what the exact check
says of all glitch-extended probes of the S-box in which these bits are constants.
"""

from __future__ import annotations

import argparse

from aesmith.api.assessing import assess_sbox
from aesmith.assurance.leakage.plan import LeakagePlan
from aesmith.assurance.probing.check import check_probing
from aesmith.circuits.circuit import Wire
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import ShareBuilder

VARIANTS = {
    "sound": frozenset[int](),
    "all fresh bits 0": frozenset({1, 2, 3, 4}),
    **{f"fresh bits of stage {stage} 0": frozenset({stage}) for stage in (1, 2, 3, 4)},
}


def without_fresh(stages: frozenset[int]) -> type[ShareBuilder]:
    """A builder of circuits whose fresh bits of these stages, from 1 on, are 0."""

    class Without(ShareBuilder):
        def fresh(self, stage: int) -> Wire:
            return self.zero() if stage + 1 in stages else super().fresh(stage)

    return Without


def main() -> None:
    """Print a row a variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", default="generic45")
    parser.add_argument("--traces", type=int, default=100_000)
    parser.add_argument("--only", choices=VARIANTS, action="append")
    given = parser.parse_args()
    for name in given.only or VARIANTS:
        plan = LeakagePlan(traces=given.traces, all_traces=True)
        report = assess_sbox(1, 4, plan, given.library, zero_stages=VARIANTS[name])
        largest = (f"{min(report.largest(1, fixed)):.1f}" for fixed in report.t[1])
        after = report.found_after.get(1)
        found = "not found" if after is None else f"after {after:,}"
        exact = check_probing(masked_sbox(1, 4, builder=without_fresh(VARIANTS[name]))).verdict
        print(f"| {name} | {' | '.join(largest)} | {found} | {exact} |", flush=True)


if __name__ == "__main__":
    main()

"""Prove wrong cores: mutants of a preset, each with one fault, made by rule and drawn by seed.

    python benchmarks/prove_mutants.py PRESET [PRESET …] [--count N] [--seed S] [--seconds S] [--out DIR]

Each mutant must be refuted by a run on real keys and blocks, or be proved: then the fault is none, as far as anyone can
see from outside. To a core to which a key comes with each block a store of keys is added, whose faults are among them.
Prints a line a mutant and a sum a preset; the exit status is 1 if a mutant is left open. With `--out`
the waveform of each run is kept as DIR/PRESET-NUMBER.vcd.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from aesmith.assurance.proof.behaviour import prove_netlist
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.interface import block_ports
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.narrow import with_key_kept
from aesmith.cores.specification import build_design, default_name, load_specification
from aesmith.testing.mutants import mutants


def _examine(preset: str, count: int, seed: int, limits: Limits, out: Path | None) -> Counter[str]:
    """How many mutants of a preset came to which end."""
    design = with_key_kept(build_design(load_specification(preset), default_name(preset), preset))
    with tempfile.TemporaryDirectory(prefix="aesmith-mutants-") as folder:
        netlist = elaborate(design, Path(folder))
    ports, tokens = block_ports(netlist, design), Tokens()
    ends: Counter[str] = Counter()
    for number, mutant in enumerate(mutants(netlist, count, seed), start=1):
        began = time.process_time()
        clocks = 200 + 8 * design.latency_cycles
        outcome = prove_netlist(mutant.netlist, ports, limits, tokens=tokens, clocks=clocks)
        open_parts = [part for part in outcome.parts if part.verdict is not Verdict.PROVED]
        if outcome.proved:
            end, why = "equal", "proved"
        elif outcome.run is not None:
            engine = next((p.engine for p in outcome.parts if p.verdict is Verdict.REFUTED), "")
            end, why = "refuted", f"{engine}: {outcome.run.rule}, in clock {outcome.run.clocks - 1}"
            if out is not None:
                out.mkdir(parents=True, exist_ok=True)
                (out / f"{preset}-{number}.vcd").write_text(outcome.run.waveform())
        else:
            end, why = "open", "; ".join(f"{part.name}: {part.detail}" for part in open_parts)
        ends[end] += 1
        spent = time.process_time() - began
        print(f"{preset} {number}: {mutant.kind}, {mutant.place}: {end}, {spent:.1f} s: {why}", flush=True)
    return ends


def main() -> int:
    """Examine."""
    parser = argparse.ArgumentParser(description="prove mutants of presets")
    parser.add_argument("presets", nargs="+")
    parser.add_argument("--count", type=int, default=40, help="mutants of each preset (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each mutant (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="keep the waveforms there")
    arguments = parser.parse_args()
    left_open = 0
    for preset in arguments.presets:
        limits = Limits(seconds=arguments.seconds)
        ends = _examine(preset, arguments.count, arguments.seed, limits, arguments.out)
        print(f"{preset}: {', '.join(f'{count} {end}' for end, count in sorted(ends.items()))}", flush=True)
        left_open += ends["open"]
    return int(left_open > 0)


if __name__ == "__main__":
    sys.exit(main())

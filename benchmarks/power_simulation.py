"""Speed and agreement of the power simulation against Icarus Verilog with SDF, in one run on one processor core.

Usage: python benchmarks/power_simulation.py [CORE] [--liberty FILE] [--clocks N]

CORE (default ueno2020-enc) is synthesised; both simulate the same netlist on the same delays, the project's own
simulation 64 stimuli at a time, Icarus one of them. Figures are processor time, compilation left out on both sides,
and Icarus writes no waveform while it is timed. A second run of Icarus, with one, is compared net by net.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, load_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.registry import library_by
from aesmith.testing import icarus
from aesmith.timing.netlist import read_netlist
from aesmith.timing.power.activity import input_delay
from aesmith.timing.power.arrays import ALL_LANES, LANES
from aesmith.timing.power.driver import BlockDriver, Clocking
from aesmith.timing.power.program import PowerProgram, compile_netlist
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import analyse

LANE = 5
PERIOD = 10_000


def main() -> None:
    """Measure, and print a line a figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("core", nargs="?", default="ueno2020-enc")
    parser.add_argument("--liberty", type=Path)
    parser.add_argument("--clocks", type=int, default=100)
    arguments = parser.parse_args()
    library = library_by(arguments.liberty or "generic45")
    design = build_design(load_specification(arguments.core), default_name(arguments.core), arguments.core)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        mapped = synthesise(design, library, KEEP, None, folder / "netlist")
        report = analyse(read_netlist(mapped.json, mapped.top), library)
        program = compile_netlist(report.graph, report.state)
        print(f"{design.name} in {library.name}: {len(program.models)} cells, recipe {mapped.recipe}")
        _run(program, design, 2, counted=ALL_LANES)  # compiles the kernels, or loads them
        simulator, _, seconds = _run(program, design, arguments.clocks, counted=ALL_LANES)
        ours = arguments.clocks * LANES / seconds
        toggles = int(simulator.net_toggles()[0].sum()) / arguments.clocks / LANES
        print(
            f"aesmith: {ours:,.0f} clocks a second ({seconds:.1f} s for {arguments.clocks} clocks of {LANES} stimuli)"
        )
        recorded, start, _ = _run(program, design, arguments.clocks, counted=np.uint64(1 << LANE), record=True)
        assert recorded.recording is not None
        end = recorded.time
        icarus.compile_testbench(program, recorded.recording, LANE, end, folder / "icarus", dump=False)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        icarus.run_testbench(folder / "icarus")
        icarus_seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        theirs = end / PERIOD / icarus_seconds
        print(f"Icarus:  {theirs:,.1f} clocks a second ({icarus_seconds:.1f} s for {end // PERIOD} clocks)")
        print(f"ratio:   {ours / theirs:.0f}; {toggles:,.0f} transitions in a clock")
        oracle = icarus.simulate(program, recorded.recording, LANE, (start - 1, end - 1), folder / "icarus")
    found = recorded.net_toggles()[0].astype(np.int64)[2:]
    expected = np.array(oracle.toggles)[2:]
    print(
        f"transitions of one stimulus: aesmith {found.sum():,}, Icarus {expected.sum():,} "
        f"({found.sum() / expected.sum() - 1:+.4%}); the same on {(found == expected).mean():.2%} of the nets"
    )


def _run(
    program: PowerProgram, design: CoreDesign, clocks: int, *, counted: np.uint64, record: bool = False
) -> tuple[Simulator, int, float]:
    """Random blocks for so many clocks; the simulator, when counting began, and the processor seconds it took."""
    simulator = Simulator(program, record=record)
    driver = BlockDriver(simulator, design, design.directions[0], Clocking(PERIOD, input_delay(program)))
    random = np.random.default_rng(1)
    driver.reset()
    driver.send_key(random.integers(0, 256, (LANES, design.key_bits[0] // 8), dtype=np.uint8))
    driver.run_until(lambda: not driver.keys_waiting)
    simulator.counted_lanes = counted
    simulator.clear_counts()
    start = simulator.time
    began = time.process_time()
    for _ in range(clocks):
        if not driver.blocks_waiting:
            driver.send_block(random.integers(0, 256, (LANES, 16), dtype=np.uint8))
        driver.step()
    return simulator, start, time.process_time() - began


if __name__ == "__main__":
    main()

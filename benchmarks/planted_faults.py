"""Plant a fault in each room, one at a time, and see the quick tier find it.

    python benchmarks/planted_faults.py [ROOM …]

Each fault is made in a copy of the tree, and the quick tests of its room's folder run there until one fails. Prints a
line a fault with the test that found it; the exit status is 1 if one is not found.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Fault:
    """What is wrong, by what is put in the place of what in a file of `src/aesmith`, and the tests of that room."""

    what: str
    file: str
    right: str
    wrong: str
    tests: str


FAULTS = {
    "fields": Fault(
        "the S-box's constant", "fields/aes.py", "AFFINE_CONSTANT = 0x63", "AFFINE_CONSTANT = 0x62", "fields"
    ),
    "circuits": Fault(
        "a gate is not counted",
        "circuits/circuit.py",
        "return Counter(gate.op for gate in self.gates)",
        "return Counter(gate.op for gate in self.gates[1:])",
        "circuits",
    ),
    "sboxes": Fault("a sum for a product", "sboxes/boyar2010.py", "z17=t41&y8", "z17=t41+y8", "sboxes"),
    "masking": Fault(
        "a product without its fresh bit",
        "masking/gadgets.py",
        "u = net.xor_words(product.place(net, a[i], second), s[i, j])",
        "u = product.place(net, a[i], second)",
        "masking tests/assurance/probing",
    ),
    "rtl": Fault(
        "a round too many",
        "rtl/round_based/aesmith_round_sequencer.sv",
        "Last = RoundBits'(Rounds);",
        "Last = RoundBits'(Rounds + 1);",
        "cores/round_based",
    ),
    "cores": Fault(
        "clocks of a block",
        "cores/column/family.py",
        "cycles_per_block=clocks",
        "cycles_per_block=clocks + 1",
        "cores/column",
    ),
    "reference": Fault(
        "the next key of the chain",
        "reference/monte_carlo.py",
        "tail = (before + result)[-len(key) :]",
        "tail = (result + before)[-len(key) :]",
        "reference",
    ),
    "modes": Fault(
        "a counter that carries into the IV",
        "modes/message.py",
        "low = (1 << bits) - 1",
        "low = (1 << 128) - 1",
        "modes/test_modes.py",
    ),
    "technology": Fault(
        "the unit of a figure",
        "technology/reading/cells.py",
        'return None if text is None else read(text, f"pin {name}: {attribute}") * factor',
        'return None if text is None else read(text, f"pin {name}: {attribute}") / factor',
        "technology",
    ),
    "timing": Fault(
        "setup is left out",
        "timing/static.py",
        "arrivals = state.arrival[row, graph.check_node] + state.setup",
        "arrivals = state.arrival[row, graph.check_node]",
        "timing",
    ),
    "flow": Fault(
        "the smallest within 2 %, not the best of these",
        "flow/measure.py",
        "return min(alike, key=lambda candidate: _rank(candidate, Optimise.AREA_SPEED))",
        "return smallest",
        "flow/test_measure.py",
    ),
    "check_proof": Fault(
        "sources that were changed",
        "check_proof/__init__.py",
        'if hashlib.sha256(text).hexdigest() != certificate["sources"][name]:',
        "if not text:",
        "check_proof",
    ),
    "proof": Fault(
        "whoever waits is excused",
        "assurance/proof/liveness.py",
        "return int(not stimulus.withheld) if _whole(state, shape) and not shakes.block_valid else None",
        "return 0 if _whole(state, shape) and not shakes.block_valid else None",
        "assurance",
    ),
    "probing": Fault(
        "what could not be enumerated is secure",
        "assurance/probing/check.py",
        "return ProbingResult(ProbingVerdict.NOT_SHOWN if open_ else ProbingVerdict.SECURE, examined)",
        "return ProbingResult(ProbingVerdict.SECURE, examined)",
        "assurance/probing",
    ),
    "simulation": Fault(
        "a result is not compared",
        "assurance/testbench/monitor.py",
        "if got != flight.expected:",
        "if not got:",
        "assurance/test_monitor.py tests/assurance/test_simulation.py",
    ),
    "leakage": Fault(
        "the other variance",
        "assurance/leakage/statistics.py",
        "other_variance / second.count, 0.0",
        "variance / second.count, 0.0",
        "assurance/leakage",
    ),
    "foreign": Fault(
        "a reset that is active low", "foreign/proposal.py", '("!" if _LOW.search(reset) else "")', '""', "foreign"
    ),
    "explore": Fault(
        "points that are alike push each other out",
        "explore/points.py",
        "(kept < costs[row]).any(axis=1)",
        "(kept <= costs[row]).any(axis=1)",
        "explore",
    ),
    "drawing": Fault("a coordinate", "drawing/svg.py", 'f"{value:.1f}"', 'f"{value:.0f}"', "drawing"),
    "tables": Fault(
        "a ratio the wrong way round", "tables/figures.py", "else upper / lower", "else lower / upper", "tables"
    ),
    "publish": Fault(
        "files that somebody edited are replaced",
        "publish/output.py",
        "if file not in known or _sha256(path / file) != known[file]]",
        "if file not in known]",
        "publish/test_output.py",
    ),
    "serve": Fault(
        "work that waits is not called off",
        "serve/queue.py",
        "job.state = State.CANCELLED",
        "pass",
        "serve/test_queue.py",
    ),
    "cli": Fault(
        "an error ends as success",
        "cli.py",
        "return _print_error(type(error).__name__, str(error), error.exit_code, as_json=as_json)",
        "_print_error(type(error).__name__, str(error), error.exit_code, as_json=as_json)\n        return 0",
        "test_cli.py",
    ),
}


def found_by(fault: Fault, tree: Path) -> str | None:
    """The first quick test that fails with the fault; None if none does. Raises ValueError for a text that moved on."""
    file = tree / "src" / "aesmith" / fault.file
    text = file.read_text(encoding="utf-8")
    if text.count(fault.right) != 1:
        raise ValueError(f"{fault.file}: has {fault.right!r} {text.count(fault.right)} times")
    file.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--tier=quick",
        "-x",
        "-p",
        "no:cacheprovider",
        *f"tests/{fault.tests}".split(),
    ]
    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    try:
        ran = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    finally:
        file.write_text(text, encoding="utf-8")
    if ran.returncode == 0:
        return None
    match = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    if match is None:
        raise ValueError(f"pytest ended with {ran.returncode}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return match[1]


def main() -> int:
    """Plant and look."""
    parser = argparse.ArgumentParser(description="plant faults and see the quick tier find them")
    parser.add_argument("rooms", nargs="*", default=[*FAULTS])
    missed = 0
    with tempfile.TemporaryDirectory(prefix="aesmith-planted-") as folder:
        tree = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv", "build", ".*_cache", "__pycache__")
        shutil.copytree(ROOT, tree, ignore=ignored)
        for room in parser.parse_args().rooms:
            test = found_by(FAULTS[room], tree)
            missed += test is None
            print(f"{room}: {FAULTS[room].what}: {test or 'NOT FOUND'}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())

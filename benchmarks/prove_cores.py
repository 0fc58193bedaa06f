"""Prove presets, for all keys, blocks and stalls: the table of docs/evidence/proofs.md.

    python benchmarks/prove_cores.py [PRESET …] [--seconds S] [--jobs N] [--out DIR]
        [--check-certificates | --netlists LIBRARY [--recipe NAME]]

Without a preset, every preset there is but masked ones, which the prover refuses; with `--netlists` it is proved
instead that what a recipe makes of a preset in that library is the preset, by default of ten presets of all families.
Prints a line a core, as they end, with the part that is open where a core is not proved; the exit status is 1 if any is
not. With `--out` the folder of each proof is kept as DIR/PRESET. With `--check-certificates` the certificate that each
proof leaves is given to `aesmith check-proof`, in a process of its own; the exit status is 1, too, if one is not
accepted.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from aesmith.assurance.proof.certificate import CERTIFICATE
from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.specification import build_design, default_name, load_specification, presets
from aesmith.errors import AesmithError
from aesmith.flow.recipes import COMPRESS, recipe_by_name
from aesmith.flow.synthesis import synthesise
from aesmith.technology.registry import library_by

NETLISTS = (
    "ueno2020-enc",
    "ueno2020-encdec",
    "ueno2020-encdec-selectable",
    "sasebo-table-enc",
    "gueron2016-native-enc",
    "zhang2004-r3-enc",
    "hamalainen2006-enc",
    "wang2010-s4-enc",
    "serial-small-enc",
    "serial-encdec",
    "serial-memory-enc",
)
"""Round-based, sub-pipelined and byte-serial cores."""


def unshared() -> list[str]:
    """The presets without shares."""
    designs = {name: build_design(fields, default_name(name), name) for name, fields in presets().items()}
    return [name for name, design in designs.items() if not design.in_shares]


def _prove(preset: str, certified: bool, seconds: float, out: Path | None) -> tuple[bool, str]:
    """Whether a preset is proved, and its certificate accepted if that is asked, and its line."""
    design = build_design(load_specification(preset), default_name(preset), preset)
    with tempfile.TemporaryDirectory(prefix="aesmith-prove-") as scratch:
        folder = out / preset if out else Path(scratch)
        try:
            report = prove(design, folder, Limits(seconds=seconds))
        except AesmithError as error:
            return False, f"{preset}: NOT PROVED: {error}"
        spent, memory = sum(os.times()[:4]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        accepted, checked = _check_certificate(folder) if certified and report.proved else (True, "")
    details = "; ".join(f"{part.name} ({part.engine}): {part.detail}" for part in report.parts)
    verdict = "proved" if report.proved else "NOT PROVED"
    figures = f"{report.seconds:.0f} s, of which {spent:.0f} s of one processor, {memory // 1024} MB"
    return report.proved and accepted, f"{preset}: {verdict}, {figures}{checked}: {details}"


def _check_certificate(folder: Path) -> tuple[bool, str]:
    """Whether `aesmith check-proof` accepts the proof in a folder, and how many states that are, or what it says."""
    command = [sys.executable, "-m", "aesmith", "check-proof", str(folder), "--json"]
    before = os.times()
    check = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if check.returncode:
        said = " ".join((check.stderr or check.stdout).split())
        return False, f"; certificate NOT ACCEPTED, exit status {check.returncode}: {said}"
    found, size = json.loads(check.stdout), (folder / CERTIFICATE).stat().st_size
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    what = f"{found['states']:,} states, {found['clocks']:,} clocks, {size / 1e6:.1f} MB"
    return True, f"; certificate accepted, {what}, in {spent:.0f} s of one processor"


def _prove_netlist(preset: str, library: str, recipe: str, seconds: float, out: Path | None) -> tuple[bool, str]:
    """Whether the netlist that a recipe makes of a preset is proved to be it, and its line."""
    design = build_design(load_specification(preset), default_name(preset), preset)
    cells = library_by(library)
    with tempfile.TemporaryDirectory(prefix="aesmith-prove-") as scratch:
        folder = out / preset if out else Path(scratch)
        try:
            mapped = synthesise(design, cells, recipe_by_name(recipe), None, folder / "synthesis")
            began = sum(os.times()[:4])
            part = prove_mapped(design, cells, mapped.netlist, folder / "netlist", seconds)
        except AesmithError as error:
            return False, f"{preset}: NOT PROVED: {error}"
    proved = part.verdict is Verdict.PROVED
    spent = f"{part.seconds:.0f} s, of which {sum(os.times()[:4]) - began:.0f} s of one processor"
    figures = f"{library}, {recipe}: {mapped.cell_count:,} cells, {mapped.flip_flops} flip-flops, {spent}"
    return proved, f"{preset}: {'proved' if proved else part.verdict.upper()}, {figures}: {part.detail}"


def main() -> int:
    """Prove."""
    parser = argparse.ArgumentParser(description="prove presets")
    parser.add_argument("presets", nargs="*")
    parser.add_argument("--seconds", type=float, default=Limits().seconds, help="for each core (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cores at a time (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="keep the folders of the proofs there")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--check-certificates", action="store_true", help="and have `aesmith check-proof` check them")
    kinds.add_argument("--netlists", metavar="LIBRARY", help="prove netlists of this library instead")
    parser.add_argument("--recipe", default=COMPRESS.name, help="what makes them (default: %(default)s)")
    arguments = parser.parse_args()
    netlists, limit = arguments.netlists, (arguments.seconds, arguments.out)
    names = arguments.presets or (NETLISTS if netlists else unshared())
    # A process for each proof: its memory ends with it.
    context = multiprocessing.get_context("spawn")
    failed = False
    with ProcessPoolExecutor(arguments.jobs, mp_context=context, max_tasks_per_child=1) as pool:
        if netlists:
            running = [pool.submit(_prove_netlist, name, netlists, arguments.recipe, *limit) for name in names]
        else:
            running = [pool.submit(_prove, name, arguments.check_certificates, *limit) for name in names]
        for ended in as_completed(running):
            proved, line = ended.result()
            print(line, flush=True)
            failed |= not proved
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

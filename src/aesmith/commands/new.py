"""What a user begins with: `aesmith new`, an S-box or a family of cores with a test that fails until it is right;
`aesmith ports`, the file that describes a third-party design; `aesmith exercise`, a core with a bug to be found.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import Core
from aesmith.api.exercises import EXERCISES, drawn_exercise, exercise, recorded, seed_of, write_exercise
from aesmith.api.measuring import core_of
from aesmith.assurance.plan import SimulationPlan
from aesmith.commands import verify
from aesmith.commands.console import Display
from aesmith.commands.request import Json, gathering, named_folder, rtl_settings
from aesmith.cores.specification import families
from aesmith.errors import AesmithError, RequestError
from aesmith.foreign.description import ForeignSource, RtlSettings
from aesmith.foreign.given import files_in, proposed
from aesmith.publish.datasheet import report_json
from aesmith.publish.descriptions import read_build
from aesmith.publish.output import output_folder
from aesmith.sboxes.catalogue import catalogue
from aesmith.scratch import absolute, check_place, work_folder, write_whole
from aesmith.templates import templates

app = typer.Typer(no_args_is_help=True, help="Scaffold a new S-box or core family.")

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_FILES: Mapping[str, Mapping[str, str]] = {
    "sbox": {
        "pyproject.toml": "new-sbox.toml.j2",
        "{module}.py": "new-sbox.py.j2",
        "test_{module}.py": "new-sbox-test.py.j2",
        "TODO.md": "new-sbox.md.j2",
    },
    "family": {
        "pyproject.toml": "new-family.toml.j2",
        "{module}/__init__.py": "new-family.py.j2",
        "{module}/aesmith_{module}.sv": "new-family.sv",
        "test_{module}.py": "new-family-test.py.j2",
        "TODO.md": "new-family.md.j2",
    },
}
"""What is begun, and each file of its folder with its template."""

NewName = Annotated[str, typer.Argument(metavar="NAME", help="Name: lower-case letters and digits, parts joined by -.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", parser=named_folder, help="The folder. [default: NAME]")
]


@app.command("sbox")
def sbox_command(name: NewName, *, out: Out = None, as_json: Json = False) -> None:
    """Scaffold an S-box: module, failing test, to-do list. Installed by pip, it joins the catalogue.

    Example: aesmith new sbox mine2026
    """
    check_new_name("sbox", name, catalogue())
    begin("sbox", name, out, Display(as_json=as_json))


@app.command("family")
def family_command(name: NewName, *, out: Out = None, as_json: Json = False) -> None:
    """Scaffold a core family: package with SystemVerilog, failing test, to-do list.

    Example: aesmith new family half-round
    """
    check_new_name("family", name, families())
    begin("family", name, out, Display(as_json=as_json))


def begin(what: str, name: str, out: Path | None, display: Display) -> None:
    """Writes the files. Raises RequestError for a folder that is not free."""
    module = name.replace("-", "_")
    kind = "".join(part.capitalize() for part in name.split("-"))
    values = {"name": name, "module": module, "kind": kind, "year": datetime.date.today().year}
    folder = Path(name) if out is None else out
    files, environment = _FILES[what], templates("aesmith.commands")
    with output_folder(folder) as place:
        for file, template in files.items():
            path = place / file.format(module=module)
            path.parent.mkdir(exist_ok=True)
            path.write_text(environment.get_template(template).render(values), encoding="utf-8")
    display.value({"folder": str(folder), "files": [file.format(module=module) for file in files]})
    display.line(f"Wrote {folder}/. What is to be done: {folder / 'TODO.md'}")
    display.line(f"Its test fails until it is done: cd {folder} && python -m pytest")


def check_new_name(what: str, name: str, known: Mapping[str, object]) -> None:
    """Raises RequestError unless a module and an entry point can have the name, and nothing has it yet."""
    if not _NAME.fullmatch(name):
        rule = "must be lower-case letters and digits in parts joined by -, and begin with a letter"
        raise RequestError(f"{what}: {rule}, not {name!r}")
    if name in known:
        raise RequestError(f"{what}: there is {name} already; choose another name")
    module = name.replace("-", "_")
    if iskeyword(module) or find_spec(module) is not None:
        raise RequestError(f"{what}: Python has something called {module} already; choose another name")


@gathering(rtl_settings)
def ports_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Verilog or SystemVerilog sources, or a folder with them.")
    ],
    *,
    top: Annotated[str, typer.Option("--top", metavar="MODULE", help="The top module.")],
    theirs: RtlSettings,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="File for the description.")] = None,
) -> None:
    """Draft the file that describes a third-party design: the role of each port.

    It tries connections on the gates of the core, and writes the one that encrypts two blocks correctly. If it finds
    none, or the core is too large, it guesses ports by name, and marks unknown ones FIXME. With the file, `verify` and
    `measure` accept the design like any core; `verify` shows whether the guess was right.

    Example: aesmith ports src/rtl/*.v --top aes_core --out their_core.toml
    """
    check_place(out, "out")
    if missing := [file for file in files if not file.exists()]:
        raise RequestError(f"FILE: there is no file {missing[0]}")
    display = Display(as_json=False)
    sources = (absolute(file) for path in files for file in files_in(path))
    source = ForeignSource(tuple(sources), top, theirs)
    with work_folder("ports") as folder, display.progress(f"reading {top}") as steps:
        text, tried = proposed(source, folder, steps.done)
    what = "gave AES on the core's gates for two blocks" if tried else "is a guess by names"
    if out is None:
        print(text, end="")
        return
    write_whole(out, text, "description")
    display.note(f"note: {out} {what}; {text.count('FIXME')} places in it are marked FIXME; read it through")


def exercise_command(
    number: Annotated[
        int | None, typer.Argument(metavar="N", help="Number of the exercise; without it, all are listed.")
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", parser=named_folder, help="The folder. [default: exercise_N]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Draw another bug and other names.")
    ] = None,
    student: Annotated[
        str | None, typer.Option("--student", metavar="TEXT", help="The seed from a name: one exercise for each.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Simulate or prove the present sources.")] = False,
    hint: Annotated[bool, typer.Option("--hint", help="Print where to look.")] = False,
    solution: Annotated[bool, typer.Option("--solution", help="Print the bug and explain it.")] = False,
    grade: Annotated[
        Path | None,
        typer.Option("--grade", metavar="DIR", help="Check every package in this folder: one for each student."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Start again, and discard edits.")] = False,
    as_json: Json = False,
) -> None:
    """Write a core package with a planted bug, for teaching. `aesmith verify` finds it; --check says when it is fixed.

    The exit status of --check is 1 while the core is not AES, and the waveform of the first failing scenario is written
    to the current folder. It checks the sources only; other files of the package are not updated. --grade checks a
    folder of packages, such as those that students hand in: each has a record of its seed.

    Example: aesmith exercise 1
    """
    display = Display(as_json=as_json)
    if number is None:
        if out or check or hint or solution or force or grade or student is not None or seed is not None:
            raise RequestError("exercise: say which one; without a number all are listed")
        rows = [(n, each.title, each.bugs[0].task) for n, each in enumerate(EXERCISES, 1)]
        display.value([{"number": n, "title": title, "task": task} for n, title, task in rows])
        display.table("Exercises", (">N", "title", "what is asked"), rows)
        display.line("Write the core of one with `aesmith exercise N`; the bug is not revealed.")
        return
    wanted = exercise(number)
    if check + hint + solution + force + (grade is not None) > 1:
        raise RequestError("exercise: give one of --check, --hint, --solution, --grade and --force")
    if student is not None:
        if seed is not None:
            raise RequestError("student: give --seed or --student, not both")
        seed = seed_of(student)
    if seed is not None and (check or grade):
        raise RequestError("seed: each exercise has a record of its own; leave --seed and --student out")
    if check:
        check_exercise(Path(f"exercise_{number}") if out is None else out, display, proof=wanted.proof)
        return
    if out is not None and (hint or solution or grade):
        raise RequestError("out: nothing is written; leave --out out")
    if grade is not None:
        grade_exercises(grade, number, display, proof=wanted.proof)
        return
    names = {"number": number, "title": wanted.title, "seed": seed}
    if hint or solution:
        drawn = drawn_exercise(number, seed)
        if hint:
            display.value(names | {"hint": drawn.bug.hint})
            display.line(drawn.bug.hint)
            return
        facts = dict(zip(("file", "wrong", "right", "why"), (*drawn.change, drawn.bug.why), strict=True))
        display.value(names | facts)
        display.table(f"Exercise {number}: {wanted.title}", ("", ""), list(facts.items()))
        return
    folder, drawn = write_exercise(number, out, seed=seed, force=force)
    display.value(
        {"number": number, "seed": seed, "folder": str(folder), "name": drawn.design.name, "task": drawn.bug.task}
    )
    display.line(f"Wrote {folder}/. {drawn.bug.task}")
    display.line(f"Task: {folder / 'EXERCISE.md'}; begin with: aesmith verify {folder}")


def check_exercise(folder: Path, display: Display, *, proof: bool) -> None:
    """Simulates or proves the sources of a package alone. Raises CheckError if they are not AES."""
    design = core_of(read_build(folder).design, "exercises")
    if proof:
        proved = verify.run_proof(design, None, verify.DEFAULT_SECONDS, display)
        display.value(proved.as_json())
        verify.show_proof(proved, verify.proof_folder(design, None), display)
        verify.check_proof(proved)
        return
    Core(design).check_simulator()
    with work_folder() as work:
        report = verify.run(design, SimulationPlan(waves=True), work, display)
        waveform = verify.keep_waveform(report)
    display.value(report_json(report))
    verify.show(report, display)
    if waveform is not None:
        display.line(f"Waveform of {report.failures[0].name}: {waveform}")
    verify.check(report)


def grade_exercises(folder: Path, number: int, display: Display, *, proof: bool) -> None:
    """Simulates or proves the sources of each package in a folder, and prints a line for each, also for what is no
    package of this exercise: with its seed, and how many lines are not those of the exercise that the seed draws.
    Raises RequestError if there is no folder in it.
    """
    handed_in = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not handed_in:
        raise RequestError(f"grade: {folder} must be a folder of packages, one for each student")
    graded: list[dict[str, str | int | None]] = []
    with display.progress(f"grading {folder}") as steps, work_folder() as work:
        for count, each in enumerate(handed_in):
            steps.done(each.name, count, len(handed_in))
            seed = edited = None
            try:
                written, seed = recorded(each)
                if written != number:
                    raise RequestError(f"exercise: {each.name} is exercise {written}, not {number}")
                core = Core(core_of(read_build(each).design, "exercises"))
                edited = drawn_exercise(number, seed, core.name).edited(core.design)
                if proof:
                    failing = [part.name for part in core.prove(work / each.name).failing]
                else:
                    report = core.verify(SimulationPlan(fail_fast=True), folder=work / each.name)
                    failing = [scenario.name for scenario in report.failures]
                result, said = ("wrong", failing[0]) if failing else ("right", "")
            except AesmithError as error:
                result, said = "not examined", str(error)
            graded.append({"folder": each.name, "seed": seed, "result": result, "lines": edited, "fails": said})
    display.value(graded)
    right = sum(one["result"] == "right" for one in graded)
    rows = [tuple("" if value is None else value for value in one.values()) for one in graded]
    display.table(
        f"{right} of {len(graded)} right", ("folder", ">seed", "result", ">lines edited", "fails first"), rows
    )

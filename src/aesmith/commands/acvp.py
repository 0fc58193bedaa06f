"""`aesmith acvp`: vector sets of the validation programme, answered by an engine's RTL; and what it registers with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import validating
from aesmith.commands.console import Display
from aesmith.commands.request import Json, named_engine
from aesmith.errors import CheckError, RequestError, UndecidedError
from aesmith.scratch import check_place, write_whole

SHOWN = 5
"""Wrong answers that are printed."""

app = typer.Typer(
    no_args_is_help=True,
    help="Answer vector sets of ACVP, the protocol of NIST's validation programme.",
)

_ENGINE = typer.Argument(metavar="ENGINE", help="A preset of an engine, a TOML file, or the folder of a build.")
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the registration. [default: stdout]")
]


@app.command("run")
def run_command(
    vectors: Annotated[
        Path, typer.Argument(metavar="FILE", help="A vector set, or a folder with the server's prompt.json.")
    ],
    spec: Annotated[str | None, _ENGINE] = None,
    *,
    model: Annotated[bool, typer.Option("--model", help="Answer with the models of the modes, without RTL.")] = False,
    expected: Annotated[
        Path | None,
        typer.Option("--expected", metavar="FILE", help="Expected answers. [default: those in its folder]"),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for the response.")] = None,
    as_json: Json = False,
) -> None:
    """Answer a vector set of ACVP with the simulated RTL of an engine, and compare with the expected answers.

    Known answers (AFT) and Monte Carlo tests (MCT) are run. Tests that the engine does not support, by key, mode,
    direction or length, are skipped with the reason. Answered groups are stored, so an interrupted run resumes. The
    exit status is 1 if an answer or a Monte Carlo test is wrong, 4 if nothing was answered.

    Example: aesmith acvp run ACVP-AES-GCM-1.0 gcm-compact --out response.json
    """
    display = Display(as_json=as_json)
    if (spec is None) is not model:
        raise RequestError(
            "ENGINE: name one, or give --model" if spec is None else "--model: give it or ENGINE, not both"
        )
    check_place(out, "--out")
    engine = None if spec is None else named_engine(spec)
    with display.progress(f"answering {vectors}") as steps:
        found = validating.validate(vectors, engine, expected=expected, progress=steps.done)
    if out is not None:
        write_whole(out, found.response, "--out")
    _show(found, "the models" if spec is None else spec, display)
    if found.wrong:
        raise CheckError(f"{found.prompt.algorithm}: {len(found.wrong)} answers are not the expected ones")
    if not found.answers:
        raise UndecidedError(f"{found.prompt.algorithm}: no test of this set is one that {spec} takes")


def _show(found: validating.Validation, who: str, display: Display) -> None:
    prompt = found.prompt
    display.value(
        {
            "algorithm": prompt.algorithm,
            "answered": len(found.answers),
            "left": dict(found.reasons),
            "mode_in_software": found.in_blocks,
            "derivation_in_software": found.derived_in_software,
            "compared": found.wrong is not None,
            "wrong": found.wrong or [],
        }
    )
    rows: dict[tuple[str, str, int], list[int]] = {}
    for group in prompt.test_groups:
        row = rows.setdefault((group.test_type, group.direction, group.key_len), [0, 0])
        row[0] += len(group.cases)
        row[1] += sum(test.tc_id in found.answers for test in group.cases)
    columns = ("kind", "direction", ">key bits", ">tests", ">answered")
    display.table(f"{prompt.algorithm} by {who}", columns, [(*kind, *counts) for kind, counts in rows.items()])
    if found.in_blocks:
        display.line(f"{who} has not this mode: it was run in software, and each call of AES in {who}")
    if found.derived_in_software:
        display.line("the derivation function was run in software, in front of the engine")
    for why, count in found.reasons.most_common():
        display.line(f"not answered: {count} with {why}")
    if found.wrong is None:
        display.line("no expected answers to compare with")
    else:
        display.line(f"{len(found.answers)} answers compared with those expected: {len(found.wrong)} differences")
    for line in (found.wrong or [])[:SHOWN]:
        display.line(line)


@app.command("register")
def register_command(spec: Annotated[str, _ENGINE], *, out: Out = None) -> None:
    """Write the capabilities of an engine for registration with ACVP.

    They list its modes, key sizes, directions, and lengths of texts, tags and IVs.

    Example: aesmith acvp register multi-compact --out registration.json
    """
    check_place(out, "--out")
    text = validating.registration(named_engine(spec))
    if out is None:
        print(text, end="")
    else:
        write_whole(out, text, "--out")

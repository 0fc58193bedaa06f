"""`aesmith vectors`: published vectors in files, through an engine's RTL."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import validating
from aesmith.commands.console import Display
from aesmith.commands.request import Json, named_engine
from aesmith.errors import CheckError, RequestError, UndecidedError

SHOWN = 10
"""Wrong answers that are printed."""


def command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... ENGINE",
            help="Files or folders of vectors; then a preset of an engine, a TOML file, or the folder of a build.",
        ),
    ],
    *,
    model: Annotated[bool, typer.Option("--model", help="Check the models of the modes, without RTL.")] = False,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="The mode of CAVP files, if their names do not say.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate the RTL of an engine on published vectors, and compare its answers.

    It recognises response files of NIST's CAVP (CBCMMT128.rsp; Monte Carlo files too), Wycheproof's JSON
    (aes_gcm_test.json), and ACVP's vector sets with expected answers (prompt.json, expectedResults.json). A folder
    stands for all such files in it. Vectors that the engine does not support, by key, mode, direction or length, are
    skipped with the reason. The exit status is 1 if an answer is wrong, 4 if none is right.

    Example: aesmith vectors gcmDecrypt128.rsp gcmEncryptExtIV128.rsp gcm-small
    """
    display = Display(as_json=as_json)
    if len(names) < 1 + (not model):
        raise RequestError("FILE... ENGINE: name files, then an engine; or give --model")
    who = "the models" if model else names[-1]
    engine = None if model else named_engine(names[-1])
    files, passed = validating.vector_paths(names if model else names[:-1])
    for file in passed:
        display.remark(f"{file.name}: is passed over, since its name tells no mode that is known")
    with display.progress(f"sending vectors through {who}") as steps:
        found = validating.check_vectors(files, engine, mode=mode, progress=steps.done)
    wrong = [line for checked in found for line in checked.wrong]
    _show(found, wrong, who, display)
    if wrong:
        raise CheckError(f"{who}: {len(wrong)} wrong answer{'s' * (len(wrong) > 1)}")
    if not any(checked.right for checked in found):
        raise UndecidedError(f"{who}: takes no vector of these files")


def _show(found: list[validating.CheckedFile], wrong: list[str], who: str, display: Display) -> None:
    display.value(
        {
            "by": who,
            "files": [
                {
                    "file": str(checked.file),
                    "vectors": checked.vectors,
                    "right": checked.right,
                    "wrong": list(checked.wrong),
                    "left": dict(checked.left),
                    "mode_in_software": checked.in_blocks,
                }
                for checked in found
            ],
        }
    )
    columns = ("file", ">vectors", ">right", ">wrong", ">left out")
    rows = [
        (Path(checked.file).name, checked.vectors, checked.right, len(checked.wrong), checked.left.total())
        for checked in found
    ]
    display.table(f"Published vectors through {who}", columns, rows)
    if any(checked.in_blocks for checked in found):
        display.line(
            f"{who} has not all of these modes: the others were run in software, and each call of AES in {who}"
        )
    for why, count in sum((checked.left for checked in found), Counter[str]()).most_common():
        display.line(f"left out: {count} with {why}")
    for line in wrong[:SHOWN]:
        display.line(line)

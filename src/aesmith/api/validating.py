"""Vector sets of ACVP from Python: answered by an engine's RTL or by the models, and compared with what is expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from aesmith.api.designs import Progress
from aesmith.assurance.acvp.algorithms import algorithm_of
from aesmith.assurance.acvp.files import Answers, VectorSet, differences, is_versioned, read_answers, read_prompt
from aesmith.assurance.acvp.files import response as as_file
from aesmith.assurance.acvp.registration import registration as registered
from aesmith.assurance.acvp.run import EngineInSimulation, Models, answer_set
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.scratch import work_folder

PROMPT, EXPECTED = "prompt.json", "expectedResults.json"
"""Files of a folder as the server's repository has them."""


@dataclass(frozen=True)
class Validation:
    """A set that was answered. `left` says, by the number of a test, why it was not; `wrong` has a line for each answer
    that is not the expected one, and is None where nothing was expected. `in_blocks` if the engine has not the mode:
    the model of the mode was run, and each of its calls of AES was compared with the engine's."""

    prompt: VectorSet
    answers: Answers
    left: Mapping[int, str]
    response: str
    wrong: list[str] | None
    in_blocks: bool = False

    @property
    def reasons(self) -> Counter[str]:
        """How many tests were left for each reason."""
        return Counter(self.left.values())


def vector_files(named: Path, expected: Path | None = None) -> tuple[Path, Path | None]:
    """The set and the expected answers of a folder, or of a file with `expected`. Raises RequestError."""
    if not named.is_dir():
        return named, expected
    prompt, beside = named / PROMPT, named / EXPECTED
    if not prompt.is_file():
        raise RequestError(f"{named}: has no {PROMPT}")
    return prompt, expected or (beside if beside.is_file() else None)


def validate(
    vectors: str | Path,
    engine: StreamEngine | None = None,
    *,
    expected: str | Path | None = None,
    progress: Progress | None = None,
) -> Validation:
    """Answer the vector set of a file, or of a folder with `prompt.json`, by an engine in simulation; without one, by
    the models. Tests that it does not take are left, with the reason.

    Raises RequestError for a file that is no such set or has another algorithm than those that are known, CheckError
    for an engine that hangs or is seen not to be AES, ToolError if a tool is missing or fails.
    """
    prompt_file, expected_file = vector_files(Path(vectors), None if expected is None else Path(expected))
    prompt = read_prompt(prompt_file)
    algorithm_of(prompt)
    answered_before = None if expected_file is None else read_answers(expected_file)
    many = any(group.test_type == "MCT" for group in prompt.test_groups)
    with ExitStack() as stack:
        if engine is None:
            by: Models | EngineInSimulation = Models()
        else:
            by = EngineInSimulation(engine, stack.enter_context(work_folder()) / "model", many=many)
        found = answer_set(prompt, by, progress)
    text = as_file(prompt, found.answers, versioned=is_versioned(prompt_file))
    wrong = None if answered_before is None else differences(answered_before, found.answers)
    return Validation(prompt, found.answers, found.left, text, wrong, found.in_blocks)


def registration(engine: StreamEngine) -> str:
    """The capabilities of an engine as ACVP's server takes them, JSON. Raises RequestError for a mode that it lacks."""
    return registered(engine)

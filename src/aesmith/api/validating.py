"""Vector sets of ACVP from Python: answered by an engine's RTL or by the models, and compared with what is expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.acvp.algorithms import check_algorithm
from aesmith.assurance.acvp.files import Answers, VectorSet, differences, is_versioned, read_answers, read_prompt
from aesmith.assurance.acvp.files import response as as_file
from aesmith.assurance.acvp.registration import registration as registered
from aesmith.assurance.acvp.run import Answerer, EngineInSimulation, Models, answer_set, refused_by_mode
from aesmith.assurance.vectors.files import is_known, is_vector_set, read_vectors
from aesmith.assurance.vectors.known import Call, KnownVector
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.progress import Progress
from aesmith.scratch import work_folder

PROMPT, EXPECTED = "prompt.json", "expectedResults.json"
"""Files of a folder as the server's repository has them."""
MANY_VECTORS = 2000
"""From so many on it pays to compile a simulator that runs fast."""


@dataclass(frozen=True)
class Validation:
    """A set that was answered. `left` says, by the number of a test, why it was not; `wrong` has a line for each answer
    that is not the expected one, and is None where nothing was expected. `in_blocks` if the engine has not the mode:
    the model of the mode was run, and each of its calls of AES was compared with the engine's; `derived_in_software` if
    an engine of a DRBG was given what its derivation function had made in software."""

    prompt: VectorSet
    answers: Answers
    left: Mapping[int, str]
    response: str
    wrong: list[str] | None
    in_blocks: bool = False
    derived_in_software: bool = False

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
    with prompt.named():
        check_algorithm(prompt)
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
    derived = engine is not None and any(
        group.der_func and case.tc_id in found.answers for group in prompt.test_groups for case in group.cases
    )
    return Validation(prompt, found.answers, found.left, text, wrong, found.in_blocks, derived)


@dataclass(frozen=True)
class CheckedFile:
    """A file of published vectors that was gone through: how many gave what they say, a line for each that did not, and
    how many were left for each reason. Modes in `in_blocks` were in software around the engine's blocks."""

    file: Path
    vectors: int
    right: int
    wrong: tuple[str, ...]
    left: Counter[str]
    in_blocks: bool = False


def vector_paths(named: Sequence[str | Path]) -> tuple[list[Path], list[Path]]:
    """The files of vectors that are named, of a folder those that are known to be some, or the folder itself if it is
    one of ACVP's; and the files of folders that are passed over. Raises RequestError for a folder without any."""
    paths: list[Path] = []
    passed: list[Path] = []
    for place in map(Path, named):
        if not place.is_dir() or (place / PROMPT).is_file():
            paths.append(place)
            continue
        files = sorted(file for file in place.iterdir() if file.is_file())
        known = [file for file in files if is_known(file)]
        if not known:
            raise RequestError(f"{place}: has no files of vectors that are known by their names")
        paths += known
        passed += [file for file in files if file not in known]
    return paths, passed


def check_vectors(
    files: Sequence[str | Path],
    engine: StreamEngine | None = None,
    *,
    mode: str | None = None,
    progress: Progress | None = None,
) -> list[CheckedFile]:
    """Go through files of published vectors of ACVP, CAVP and Wycheproof by an engine in simulation; without one, by
    the models of the modes. `mode` is that of CAVP's files whose name does not tell it. Vectors that the engine does
    not take are left, with the reason.

    Raises RequestError for a file that is none of these, before any is simulated; CheckError for an engine that hangs
    or is seen not to be AES; ToolError if a tool is missing or fails.
    """
    tell = progress or (lambda _what, _done, _total: None)
    paths, _ = vector_paths(files)
    sets = [path.is_dir() or is_vector_set(path) for path in paths]
    known = [[] if is_set else read_vectors(path, mode) for path, is_set in zip(paths, sets, strict=True)]
    checked: list[CheckedFile] = []
    with ExitStack() as stack:
        if engine is None:
            by: Answerer = Models()
        else:
            many = sum(map(len, known)) > MANY_VECTORS
            by = EngineInSimulation(engine, stack.enter_context(work_folder()) / "model", many=many)
        for number, (path, is_set, vectors) in enumerate(zip(paths, sets, known, strict=True)):
            tell(path.name, number, len(paths))
            checked.append(_of_set(path, engine) if is_set else _checked(path, vectors, by))
        tell("done", len(paths), len(paths))
    return checked


def _of_set(path: Path, engine: StreamEngine | None) -> CheckedFile:
    found = validate(path, engine)
    if found.wrong is None:
        raise RequestError(f"{path}: has no expected answers next to it ({EXPECTED}); `aesmith acvp run` answers it")
    count = sum(len(group.cases) for group in found.prompt.test_groups)
    right = len(found.answers) - len({line.partition(":")[0] for line in found.wrong})
    return CheckedFile(path, count, right, tuple(found.wrong), found.reasons, found.in_blocks)


def _checked(path: Path, vectors: Sequence[KnownVector], by: Answerer) -> CheckedFile:
    asked: list[tuple[KnownVector, Call]] = []
    right, wrong, left, in_blocks = 0, list[str](), Counter[str](), False
    for vector in vectors:
        if vector.call is None:
            left[vector.left] += 1
        elif vector.fails and refused_by_mode(vector.call):
            # No model takes it, so no engine is asked.
            right += 1
        elif why := by.refusal(vector.call):
            left[why] += 1
        else:
            asked.append((vector, vector.call))
    for (vector, call), answer in zip(asked, by.answers([call for _, call in asked]) if asked else [], strict=True):
        in_blocks = in_blocks or by.in_blocks(call.mode)
        odd = vector.wrong(answer)
        right += not odd
        wrong += [f"{path.name}, {vector.place}: {odd}"] if odd else []
    return CheckedFile(path, len(vectors), right, tuple(wrong), left, in_blocks)


def registration(engine: StreamEngine) -> str:
    """The capabilities of an engine as ACVP's server takes them, JSON. Raises RequestError for a mode that it lacks."""
    return registered(engine)

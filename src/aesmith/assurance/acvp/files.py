"""Files of ACVP: a vector set as the server gives it (`prompt.json`), and the answers to it, own or expected ones.

Field names are those of draft-celi-acvp-symmetric. A set may stand alone in its file, as in the server's repository, or
behind an object that tells the version, as the server sends it. Byte strings are hexadecimal, first byte first; lengths
are in bits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from aesmith.errors import RequestError


def _bytes(text: object) -> bytes:
    if isinstance(text, str):
        try:
            return bytes.fromhex(text)
        except ValueError:
            pass
    raise ValueError("must be whole bytes in hexadecimal digits")


Hex = Annotated[bytes, BeforeValidator(_bytes)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True, alias_generator=to_camel, ser_json_bytes="hex")


class OtherInput(_Part):
    """Of a test of a DRBG what comes behind its instantiation: a reseed, or a request."""

    intended_use: str
    additional_input: Hex = b""
    entropy_input: Hex = b""


class VectorTest(_Part):
    """A test case; which fields it has depends on the algorithm, the direction and the kind of test."""

    tc_id: int
    key: Hex = b""
    iv: Hex | None = None
    pt: Hex | None = None
    ct: Hex | None = None
    aad: Hex = b""
    tag: Hex | None = None
    message: Hex = b""
    mac: Hex | None = None
    tweak_value: Hex | None = None
    sequence_number: int | None = None
    payload_len: int | None = None
    entropy_input: Hex = b""
    nonce: Hex = b""
    perso_string: Hex = b""
    other_input: tuple[OtherInput, ...] = ()


class VectorGroup(_Part):
    """Test cases of one kind."""

    tg_id: int
    test_type: str = "AFT"
    direction: str = "encrypt"
    key_len: int
    iv_len: int = 96
    iv_gen: str = "external"
    tag_len: int = 128
    mac_len: int = 128
    payload_len: int | None = None
    tweak_mode: str = "hex"
    kw_cipher: str = "cipher"
    der_func: bool = False
    pred_resistance: bool = False
    returned_bits_len: int = 0
    counter_field_len: int = 128
    mode: str = ""
    tests: tuple[VectorTest, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_drbg(cls, given: object) -> object:
        """A group of a DRBG names its cipher, and no direction."""
        cipher = given.get("mode") if isinstance(given, dict) else None
        if not isinstance(given, dict) or not isinstance(cipher, str) or "keyLen" in given:
            return given
        bits = cipher.removeprefix("AES-")
        return {"direction": "generate", "keyLen": int(bits) if bits.isdecimal() else 0, **given}

    @property
    def cases(self) -> tuple[VectorTest, ...]:
        """Its tests; a set may have groups without any."""
        return self.tests or ()


class VectorSet(_Part):
    """The tests of one algorithm; `source` is the file that it was read from, for errors."""

    vs_id: int = 0
    algorithm: str
    revision: str = "1.0"
    test_groups: tuple[VectorGroup, ...]
    source: str = Field(default="", exclude=True)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Puts the file before what a RequestError of the body says."""
        try:
            yield
        except RequestError as error:
            raise RequestError(f"{self.source}: {error}" if self.source else str(error)) from error


Answers = dict[int, dict[str, Any]]
"""What was answered, by the number of the test."""


def _objects(file: Path) -> Iterator[Any]:
    """The JSON values of a file, one behind the other, and those in a list at the top.

    A file in which something else follows a whole set is taken, too: of the public ones, some end so.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{file}: is no JSON (not UTF-8 at byte {error.start})") from error
    decoder, place, whole = json.JSONDecoder(), 0, False
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            if whole:
                return
            line = text.count("\n", 0, getattr(error, "pos", place)) + 1
            raise RequestError(
                f"{file}: is no JSON (line {line}: {getattr(error, 'msg', 'nested too deep')})"
            ) from error
        values = value if isinstance(value, list) else [value]
        whole = whole or any(isinstance(found, dict) and "testGroups" in found for found in values)
        yield from values


def _sets(file: Path) -> list[dict[str, Any]]:
    return [found for found in _objects(file) if isinstance(found, dict) and "testGroups" in found]


def is_versioned(file: Path) -> bool:
    """Whether a version stands before the set, in a list."""
    return any("acvVersion" in found for found in _objects(file) if isinstance(found, dict))


def read_prompt(file: Path) -> VectorSet:
    """The vector set of a file. Raises RequestError, in one line that names file, place, rule and value."""
    found = _sets(file)
    if len(found) != 1:
        raise RequestError(f"{file}: must hold one vector set, an object with testGroups, not {len(found)}")
    try:
        read = VectorSet.model_validate(found[0], strict=False)
    except ValidationError as error:
        raise RequestError(f"{file}: {_first(error)}") from error
    numbers = [test.tc_id for group in read.test_groups for test in group.cases]
    twice = next((number for number in numbers if numbers.count(number) > 1), None) if _repeats(numbers) else None
    if twice is not None:
        raise RequestError(f"{file}: tcId: must be unique for each test, and {twice} appears twice")
    return read.model_copy(update={"source": str(file)})


def _repeats(numbers: list[int]) -> bool:
    return len(set(numbers)) < len(numbers)


def _first(error: ValidationError) -> str:
    """The first thing that is wrong: where it stands, what it must be, and what it is."""
    wrong = error.errors()[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in wrong["loc"]).lstrip(".")
    if wrong["type"] == "missing":
        return f"{place}: is missing"
    rule = wrong["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    given = repr(wrong["input"])
    return f"{place}: {rule}, not {given if len(given) <= 40 else given[:36] + ' ...'}"


def read_answers(file: Path) -> Answers:
    """What a file of answers (`expectedResults.json`) has, by the number of the test. Raises RequestError."""
    answers: Answers = {}
    for found in _sets(file):
        try:
            for group in found["testGroups"]:
                for test in group["tests"] or ():
                    answers[int(test["tcId"])] = {name: value for name, value in test.items() if name != "tcId"}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RequestError(f"{file}: is no file of answers ({type(error).__name__}: {error})") from error
    if not answers:
        raise RequestError(f"{file}: has no answers: there are no testGroups with tests in it")
    return answers


def response(prompt: VectorSet, answers: Mapping[int, Mapping[str, Any]], *, versioned: bool) -> str:
    """The answers as a file that the server takes: the groups and tests of the set that have one, in its order."""
    groups = [
        {
            "tgId": group.tg_id,
            "tests": [{"tcId": t.tc_id, **answers[t.tc_id]} for t in group.cases if t.tc_id in answers],
        }
        for group in prompt.test_groups
        if any(test.tc_id in answers for test in group.cases)
    ]
    made = {
        "vsId": prompt.vs_id,
        "algorithm": prompt.algorithm,
        "revision": prompt.revision,
        "isSample": bool((prompt.model_extra or {}).get("isSample", False)),
        "testGroups": groups,
    }
    return json.dumps([{"acvVersion": "1.0"}, made] if versioned else made, indent=2) + "\n"


def _same(expected: object, found: object) -> bool:
    """Whether two values are one: hexadecimal digits in either case."""
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(
            isinstance(e, dict) and isinstance(f, dict) and all(_same(v, f.get(k)) for k, v in e.items())
            for e, f in pairs
        )
    if isinstance(expected, str) and isinstance(found, str):
        return expected.upper() == found.upper()
    return expected == found and isinstance(expected, bool) == isinstance(found, bool)


def differences(expected: Mapping[int, Mapping[str, Any]], answers: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """A line for each answer that is not the expected one. What only the answer has is not looked at."""
    lines = []
    for number, found in answers.items():
        if number not in expected:
            lines.append(f"test {number}: there is no expected answer")
            continue
        for name, value in expected[number].items():
            if not _same(value, found.get(name)):
                lines.append(f"test {number}: {name} must be {_short(value)}, and is {_short(found.get(name))}")
    return lines


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 72 else text[:68] + " ..."

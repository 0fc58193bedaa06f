"""Tests of ctrDRBG (draft-vassilev-acvp-drbg), answered by the model or by an engine of CTR_DRBG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from aesmith.assurance.acvp.files import VectorGroup, VectorTest
from aesmith.assurance.vectors.drbg import DrbgCase, DrbgStep
from aesmith.errors import RequestError
from aesmith.modes.ctr_drbg import MOST_REQUEST
from aesmith.modes.message import BLOCK

CTR_DRBG = "ctrDRBG"
"""The algorithm's name."""
MODE = "ctr-drbg"
"""The mode of engines that answer it."""


def unanswered(group: VectorGroup) -> str:
    """Why a group is not answered here: another cipher, or a counter of fewer bits than a block; empty if it is."""
    if group.key_len not in (128, 192, 256):
        return f"a DRBG with {group.mode}"
    return "" if group.counter_field_len == 8 * BLOCK else f"a counter of {group.counter_field_len} bits"


def case_of(group: VectorGroup, test: VectorTest) -> DrbgCase:
    """A test as a case; a nonce counts with the derivation function only. Raises RequestError for one that lacks what
    it must have."""
    if group.returned_bits_len % 8 or not 0 < group.returned_bits_len <= 8 * MOST_REQUEST:
        rule = f"must be whole bytes, at most {8 * MOST_REQUEST} bits"
        raise RequestError(f"group {group.tg_id}: returnedBitsLen: {rule}, not {group.returned_bits_len}")
    uses = [other.intended_use for other in test.other_input]
    if uses[-1:] != ["generate"] or {*uses} - {"generate", "reSeed"}:
        raise RequestError(f"test {test.tc_id}: otherInput: must be reSeed and generate, the last one generate")
    steps = tuple(
        DrbgStep(reseeds, other.additional_input, other.entropy_input if reseeds or group.pred_resistance else None)
        for other in test.other_input
        for reseeds in (other.intended_use == "reSeed",)
    )
    inputs = (test.entropy_input, test.nonce if group.der_func else b"", test.perso_string, steps)
    return DrbgCase(group.key_len, group.der_func, group.returned_bits_len // 8, *inputs)


class DrawsBits(Protocol):
    """What answers such tests: an engine, or the model."""

    def refuses_drbg(self, case: DrbgCase) -> str:
        """Why it does not take a case whose sizes are right; empty if it does."""

    def random_bits(self, cases: Sequence[DrbgCase]) -> list[bytes]:
        """What the cases that it takes return."""


def answer_drbg(group: VectorGroup, by: DrawsBits) -> dict[str, Any]:
    """The answers to a group's tests, and why others were left. Raises RequestError for a test that lacks a field."""
    left: dict[str, str] = {}
    asked: list[tuple[str, DrbgCase]] = []
    if why := unanswered(group):
        return {"answers": {}, "left": dict.fromkeys((str(test.tc_id) for test in group.cases), why)}
    for test in group.cases:
        case, number = case_of(group, test), str(test.tc_id)
        try:
            case.by_model()
            why = by.refuses_drbg(case)
        except RequestError as error:
            why = str(error)
        if why:
            left[number] = why
        else:
            asked.append((number, case))
    made = by.random_bits([case for _, case in asked]) if asked else []
    answers = {number: {"returnedBits": bits.hex().upper()} for (number, _), bits in zip(asked, made, strict=True)}
    return {"answers": answers, "left": left}

"""Texts that tools read in two ways are refused by what stands there and why; the same, written otherwise, passes."""

from __future__ import annotations

import re

import pytest

from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError

from .texts import BARE, TEXTS


def file(before: str, ending: str) -> SourceFile:
    return SourceFile("core.sv", before + BARE.format(ending=ending))


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_two_readings_is_refused_by_its_place(name: str) -> None:
    case = TEXTS[name]
    with pytest.raises(CheckError, match=case.says) as refusal:
        refuse_ambiguous([file(case.before, case.wrong)])
    assert re.match(r"core\.sv, line \d+: ['\"].*['\"] is refused in a proof: ", str(refusal.value))


@pytest.mark.parametrize("name", TEXTS)
def test_the_same_in_one_reading_passes(name: str) -> None:
    case = TEXTS[name]
    before = case.before if case.right_before is None else case.right_before
    refuse_ambiguous([file(before, case.right)])

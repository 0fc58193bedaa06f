"""The publications' own register cuts: bits a cut, and that the staged circuit is the S-box."""

from __future__ import annotations

import numpy as np
import pytest

from aesmith.circuits.cost import UNIT
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.sboxes.catalogue import catalogue, sbox
from aesmith.sboxes.entry import Function

STAGED = [(name, function) for name, entry in catalogue().items() for function in entry.stagings]


@pytest.mark.parametrize(("name", "bits"), [("lin2023", [8, 19, 12, 12, 17, 8]), ("teng2022", [8, 12, 12, 8])])
def test_the_cuts_hold_the_published_bits_and_the_direction(name: str, bits: list[int]) -> None:
    staged = sbox(name).staging(Function.COMBINED)
    decrypt = 8
    assert [len(set(rank) - {decrypt}) for rank in staged.registers] == bits
    assert all(decrypt in rank for rank in staged.registers)


def test_lin2023_has_76_bits_in_seven_stages_and_teng2022_44_in_five() -> None:
    lin, teng = sbox("lin2023").staging(Function.COMBINED), sbox("teng2022").staging(Function.COMBINED)
    assert (lin.stages, lin.register_bits - lin.latency) == (7, 76)
    assert (teng.stages, teng.register_bits) == (5, 44)


def test_the_multiplications_limit_teng2022_and_no_longer_lin2023() -> None:
    lin, teng = sbox("lin2023").staging(Function.COMBINED), sbox("teng2022").staging(Function.COMBINED)
    assert lin.period(UNIT) == 4
    assert teng.period(UNIT) == 7


@pytest.mark.parametrize(("name", "function"), STAGED)
def test_a_staged_circuit_gives_every_answer_after_its_latency(name: str, function: Function) -> None:
    staged = sbox(name).staging(function)
    words = np.zeros((512 + staged.latency, 9, 1), dtype=np.uint64)
    for case in range(512):
        words[case, :, 0] = [(case >> bit) & 1 for bit in range(9)]
    outputs = staged.simulate(words)[staged.latency :, :, 0] & np.uint64(1)
    found = [sum(int(bit) << i for i, bit in enumerate(row)) for row in outputs]
    assert found == [*aes.SBOX, *aes.INVERSE_SBOX]


def test_an_entry_without_cuts_says_so() -> None:
    with pytest.raises(RequestError, match="canright2005: the publication cuts no function into stages, not forward"):
        sbox("canright2005").staging(Function.FORWARD)

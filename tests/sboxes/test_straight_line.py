"""Straight-line programs in the notation of Boyar and Peralta."""

from __future__ import annotations

import pytest

from aesmith.errors import RequestError
from aesmith.sboxes.boyar2010 import straight_line

OUTPUTS = ("A", "B", "C", "U3", "U4", "U5", "U6", "U7")


def test_number_0_is_the_most_significant_bit() -> None:
    circuit = straight_line("three", "A=U0+U1 B=U0&U1\nC=U6#U7", OUTPUTS)
    for x in range(256):
        u = [x >> 7 - bit & 1 for bit in range(8)]
        y = [u[0] ^ u[1], u[0] & u[1], 1 ^ u[6] ^ u[7], *u[3:]]
        assert circuit(x=x) == {"y": int("".join(map(str, y)), 2)}


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("A=U0-U1", "not a statement"),
        ("A=U0+U8", "A=U0.U8: a signal is given twice, or not there"),
        ("A=B+U0 B=U1+U2", "A=B.U0: a signal is given twice, or not there"),
        ("A=U0+U1 A=U2+U3", "A=U2.U3: a signal is given twice"),
    ],
)
def test_what_is_no_program_is_refused(program: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason):
        straight_line("wrong", program, OUTPUTS)

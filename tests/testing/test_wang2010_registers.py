"""The register model against tables 1 and 2 of Wang and Heys, and against AES."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from aesmith.cores.serial.wang2010 import latency_cycles
from aesmith.fields import aes
from aesmith.reference.golden import encrypt
from aesmith.testing.wang2010_registers import register_trace

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
BLOCK = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
NEXT = bytes(range(0xA0, 0xB0))

Row = dict[int, tuple[int, int]]
"""Register number to (N, m): byte m of round N, as printed."""


def row(text: str) -> Row:
    """`2:0.1 3-8:0.2` means R2 holds 0_1 and R3 to R8 hold 0_2 to 0_7."""
    cells: Row = {}
    for item in text.split():
        registers, label = item.split(":")
        first, _, last = registers.partition("-")
        number, byte = (int(part) for part in label.split("."))
        for step in range(int(last or first) - int(first) + 1):
            cells[int(first) + step] = number, byte + step
    return cells


# Printed, but not as the other rows imply: row 223-227 has 8_13 and row 230 has 8_16 for 9_13 and 9_16.
TABLE_1 = {
    (2,): "16:0.1",
    (15,): "2-12:0.1 14-16:0.12",
    (16, 17, 18, 19, 20): "1-12:0.1 14-16:0.13",
    (27,): "1-9:0.8 13:1.1",
    (28,): "1-8:0.9 12:1.1 14-16:1.2",
    (39, 40, 41, 42, 43): "1-12:1.1 13:1.13",
    (223, 224, 225, 226, 227): "1-12:9.1 13:9.13",
    (230,): "1-12:9.4 14:9.16",
    (231,): "1-12:9.5 13:10.1",
    (232,): "1-11:9.6 13:10.2",
    (244,): "13:10.14 16:0.1",
    (246,): "13:10.16 14-16:0.1",
}
# Row 234 has 10_5 in R30 for 9_5.
TABLE_2 = {
    (1,): "32:0.1",
    (17,): "17-31:0.2 32:0.1",
    (20,): "17-28:0.5 29:1.1 30-32:0.2",
    (21,): "17-24:0.5 25-27:0.14 28:0.13 29:1.1 30-31:0.3 32:1.2",
    (23,): "17-24:0.5 25:0.16 26-28:0.13 29-32:1.1",
    (24, 25, 26, 27): "17-28:0.5 29-32:1.1",
    (28,): "17-27:0.6 28-31:1.1 32:0.5",
    (30,): "17-25:0.8 26-29:1.1 30-32:0.5",
    (39,): "17-29:1.1 30-32:0.14",
    (43,): "17-28:1.5 29:2.1 30-32:1.2",
    (227,): "17-28:9.5 29:10.1 30-32:9.2",
    (231,): "17-28:9.5 29-32:10.1",
    (232,): "17-27:9.6 28-31:10.1 32:9.5",
    (234,): "17-25:9.8 26-29:10.1 30-32:9.5",
    (246,): "17-29:10.4 30-32:0.1",
}


def round_keys() -> list[bytes]:
    """Keys of rounds 0 to 10, FIPS-197 section 5.2."""
    words = [KEY[4 * i : 4 * i + 4] for i in range(4)]
    for i in range(4, 44):
        word = words[-1]
        if i % 4 == 0:
            word = bytes(aes.SBOX[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ aes.round_constant(i // 4)]) + word[1:]
        words.append(bytes(a ^ b for a, b in zip(words[-4], word, strict=True)))
    return [b"".join(words[i : i + 4]) for i in range(0, 44, 4)]


def shifted(state: bytes) -> bytes:
    """ShiftRows."""
    return bytes(state[(4 * (i // 4 + i % 4) + i % 4) % 16] for i in range(16))


def mixed(state: bytes) -> bytes:
    """MixColumns."""
    times = aes.FIELD.multiply
    out = []
    for i in range(16):
        column, r = state[i - i % 4 : i - i % 4 + 4], i % 4
        out.append(times(2, column[r]) ^ times(3, column[(r + 1) % 4]) ^ column[(r + 2) % 4] ^ column[(r + 3) % 4])
    return bytes(out)


def states() -> Iterator[tuple[bytes, bytes]]:
    """For N = 0 to 10: what AddRoundKey of round N takes, and what it gives."""
    before = BLOCK
    for number, key in enumerate(round_keys()):
        after = bytes(a ^ b for a, b in zip(before, key, strict=True))
        yield before, after
        substituted = shifted(bytes(aes.SBOX[b] for b in after))
        before = substituted if number == 9 else mixed(substituted)


TRACE = register_trace(KEY, BLOCK, 4, NEXT)


@pytest.mark.parametrize(("cycles", "text"), TABLE_1.items())
def test_table_1(cycles: tuple[int, ...], text: str) -> None:
    before, after = zip(*states(), strict=True)
    for cycle in cycles:
        phase = (cycle - 16) % 23 if cycle < 223 else cycle - 223
        for register, (number, byte) in row(text).items():
            if cycle == 230 and register in (1, 5, 9):
                continue  # row 3 is being rotated: printed is where its bytes will be
            if register < 13:
                rows_rotated = cycle >= 16 and phase >= 5 and not (phase >= 11 and register == 12)
                expected = (shifted(after[number]) if rows_rotated else after[number])[byte - 1]
            elif cycle >= 244 and register > 13:
                expected = NEXT[byte - 1]
            else:
                expected = before[number][byte - 1]
            assert TRACE.contents[cycle][register] == expected, f"cycle {cycle}, R{register}"


@pytest.mark.parametrize(("cycles", "text"), TABLE_2.items())
def test_table_2(cycles: tuple[int, ...], text: str) -> None:
    keys = round_keys()
    for cycle in cycles:
        for register, (number, byte) in row(text).items():
            assert TRACE.contents[cycle][register] == keys[number][byte - 1], f"cycle {cycle}, R{register}"


def test_the_clocks_a_block_are_those_of_the_publication() -> None:
    assert latency_cycles(4) == 246
    assert [latency_cycles(stages) - 3 for stages in range(1, 6)] == [216, 225, 234, 243, 253]


@pytest.mark.parametrize("stages", range(1, 6))
def test_what_leaves_is_the_ciphertext(stages: int) -> None:
    draw = random.Random(stages)
    for _ in range(5):
        key, block = draw.randbytes(16), draw.randbytes(16)
        trace = register_trace(key, block, stages, NEXT)
        assert trace.result == encrypt(key, block)
        assert len(trace.contents) - 1 == latency_cycles(stages)

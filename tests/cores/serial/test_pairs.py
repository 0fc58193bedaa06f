"""The core on pairs of bytes: what stands in its registers in each clock of a round, and that its page says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import SourceFile
from aesmith.cores.serial.shared import PASS_OF_PAIRS, SharedPair
from aesmith.drawing.waveform import Trace
from aesmith.fields import aes
from aesmith.publish.trace import KEY, PLAINTEXTS, trace_core
from aesmith.reference.golden import encrypt

PAGE = Path(__file__).parents[3] / "docs" / "evidence" / "byte-serial.md"
REGISTERS = ("C0", "C1", *(f"SR{n}" for n in range(1, 7)), "Z", *(f"Q{n}" for n in range(8)))
ROUNDS = 10

State = bytes
Contents = dict[str, int]


def substituted(state: State) -> State:
    return bytes(aes.SBOX[byte] for byte in state)


def shifted(state: State) -> State:
    return bytes(state[(4 * (place // 4 + place % 4) + place % 4) % 16] for place in range(16))


def mixed(state: State) -> State:
    def byte(place: int) -> int:
        column = [state[4 * (place // 4) + (place + row) % 4] for row in range(4)]
        return aes.FIELD.multiply(2, column[0]) ^ aes.FIELD.multiply(3, column[1]) ^ column[2] ^ column[3]

    return bytes(map(byte, range(16)))


def added(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def round_keys(key: bytes) -> list[bytes]:
    keys = [key]
    for number in range(1, ROUNDS + 1):
        last, words = keys[-1], []
        word = substituted(last[13:] + last[12:13])
        word = bytes((word[0] ^ aes.round_constant(number), *word[1:]))
        for start in range(0, 16, 4):
            word = added(last[start : start + 4], word)
            words.append(word)
        keys.append(b"".join(words))
    return keys


def pairs(what: bytes, label: str = "") -> Mapping[str, int]:
    """What each pair is, by its name."""
    return {f"{n}{label}": int.from_bytes(what[2 * n : 2 * n + 2], "big") for n in range(8)}


def named(number: int, block: bytes) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Of a pass the pairs of the state, before AddRoundKey and behind SubBytes and ShiftRows, those of the pass before
    that are still to be mixed; and the pairs of the key: of the round key that is added, and of the one before it.
    """
    keys, state, rotated = round_keys(KEY[:16]), block, b""
    for done in range(number):
        rotated = shifted(substituted(added(state, keys[done])))
        state = mixed(rotated)
    behind = substituted(added(state, keys[number]))
    of_state = {**pairs(rotated, "p"), **pairs(shifted(behind), "r"), **pairs(behind, "s"), **pairs(state)}
    return of_state, {**pairs(keys[number - 1], "-"), **pairs(keys[number])}


def contents(trace: Trace, clock: int) -> Contents:
    """What the registers hold at the beginning of a clock."""

    def register(name: str) -> int:
        (path,) = [path for path in trace.registers if path.endswith(f"u_data_path.{name}")]
        value = trace.registers[path][clock]
        assert value is not None
        return value

    def words(name: str, count: int) -> list[int]:
        return [(register(name) >> 16 * n) & 0xFFFF for n in range(count)]

    key = [*words("first_q", 2), *words("middle_q", 4), *words("last_q", 2)]
    values = [*words("column_q", 2), *words("shift_q", 6), register("z_q"), *key]
    return dict(zip(REGISTERS, values, strict=True))


def drawn() -> list[Mapping[str, str]]:
    """The table of the page: a row a slot, the name of a pair for each register."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    head = next(line.split() for line in lines if line.startswith("slot    Z SR6"))
    return [dict(zip(head, next(lines).split(), strict=True)) for _ in range(PASS_OF_PAIRS)]


def differences(trace: Trace, number: int) -> list[tuple[int, str]]:
    """The slots and registers in which, in one pass of the first block, another pair stands than the page says."""
    begin = trace.transfers("block")[0] + PASS_OF_PAIRS * number
    of_state, of_key = named(number, PLAINTEXTS[0])
    found = []
    for slot, row in enumerate(drawn()):
        held = contents(trace, begin + slot)
        assert int(row["slot"]) == slot
        assert {*row} == {"slot", *held}
        for name, value in held.items():
            if (of_key if name.startswith("Q") else of_state)[row[name]] != value:
                found.append((slot, name))
    return found


def traced(folder: Path, right: str = "", broken: str = "") -> Trace:
    """What the core does with a key and three blocks, one piece of its sources replaced."""
    design = SharedPair(clock_gates=True).design("core", "")
    sources = tuple(SourceFile(source.name, source.text.replace(right, broken)) for source in design.sources)
    assert (sources != design.sources) == (right != broken)
    return trace_core(replace(design, sources=sources), folder)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return traced(tmp_path_factory.mktemp("trace"))


def test_the_names_are_of_aes() -> None:
    of_state, _ = named(ROUNDS - 1, PLAINTEXTS[0])
    state = b"".join(of_state[f"{n}r"].to_bytes(2, "big") for n in range(8))
    assert added(state, round_keys(KEY[:16])[ROUNDS]) == encrypt(KEY[:16], PLAINTEXTS[0])


@pytest.mark.parametrize("number", range(1, ROUNDS))
def test_all_rounds_are_as_the_page_draws_them(trace: Trace, number: int) -> None:
    assert differences(trace, number) == []


def test_a_pair_that_stands_elsewhere_is_seen(tmp_path: Path) -> None:
    still = traced(tmp_path, "advance & ~turn", "advance")
    assert differences(still, 1)[:3] == [(0, "Q2"), (0, "Q3"), (0, "Q4")]

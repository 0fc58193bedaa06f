"""The bit-serial core: its schedule as a model, its registers clock by clock, its registers counted."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cores.serial.bit_ring import BitRing

from aesmith.cores.design import SourceFile
from aesmith.cores.serial.small import BIT_BACK, BIT_ROUNDS, BitSerial
from aesmith.drawing.waveform import Trace
from aesmith.publish.trace import KEY, PLAINTEXTS, trace_core
from aesmith.reference.golden import encrypt


def test_the_schedule_is_aes_and_brings_the_key_back() -> None:
    draw = random.Random(1)
    for _ in range(5):
        block, key = draw.randbytes(16), draw.randbytes(16)
        ring = BitRing(list(block), list(key))
        assert sum(1 for _ in ring.rounds()) == BIT_ROUNDS
        assert bytes(ring.state) == encrypt(key, block)
        assert bytes(ring.key) != key
        assert sum(1 for _ in ring.back()) == BIT_BACK
        assert bytes(ring.key) == key


class Unchained(BitRing):
    """Words 3, 2 and 1 are not brought back."""

    def _turn(self, number, *, unchain):  # type: ignore[no-untyped-def]
        yield from super()._turn(number, unchain=False) if not unchain else ()


def test_the_model_can_be_wrong() -> None:
    ring = Unchained(list(bytes(16)), list(bytes(16)))
    assert len([*ring.rounds(), *ring.back()]) == BIT_ROUNDS + BIT_BACK // 2
    assert ring.key != [0] * 16


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return traced_core(tmp_path_factory.mktemp("trace"))


def traced_core(folder: Path, right: str = "", broken: str = "") -> Trace:
    """What the core does with a key and three blocks, one piece of its sources replaced."""
    design = BitSerial().design("core", "")
    sources = tuple(SourceFile(source.name, source.text.replace(right, broken)) for source in design.sources)
    assert (sources != design.sources) == (right != broken)
    return trace_core(replace(design, sources=sources), folder)


def register(trace: Trace, name: str, clock: int) -> tuple[int, ...]:
    """R0 … R15 or K0 … K15 at the beginning of a clock."""
    (path,) = [path for path in trace.registers if path.endswith(f"u_core.{name}")]
    value = trace.registers[path][clock]
    assert value is not None
    return tuple(value.to_bytes(16, "little"))


def first_difference(trace: Trace) -> tuple[int, str] | None:
    """The clock of a block's rounds, or of its key's way back, in which a register is not as in the model."""
    taken, given = trace.transfers("block")[15::16], trace.transfers("result")
    for number, block in enumerate(PLAINTEXTS[:2]):
        begin = taken[number] + 1
        ring = BitRing(list(block), list(KEY[:16]))
        clocks = [*ring.rounds(), *ring.back()]
        assert given[16 * number + 15] == begin + BIT_ROUNDS
        for clock, (state, key) in enumerate(clocks):
            for name, bytes_ in (("state_q", state), ("key_q", key)):
                if register(trace, name, begin + clock) != bytes_:
                    return clock, name
    return None


@pytest.mark.thorough
def test_every_register_is_as_in_the_model_in_every_clock(traced: Trace) -> None:
    assert first_difference(traced) is None


@pytest.mark.thorough
def test_a_row_that_is_not_moved_is_seen_when_it_should_be(tmp_path: Path) -> None:
    still = "assign swap_o[2] = active & (slot_q[3:0] == '1);"
    broken = traced_core(tmp_path, still, "assign swap_o[2] = active & (slot_q[3:0] == '0);")
    assert first_difference(broken) == (15 * 8 + 1, "state_q")

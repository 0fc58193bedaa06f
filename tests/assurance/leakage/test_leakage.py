"""What leaks is found in few traces, at the order it leaks at; what is sound is not accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aesmith.assurance.leakage.assess import Assessment, core_assessment, sbox_assessment
from aesmith.assurance.leakage.benches import BATCH, Batch
from aesmith.assurance.leakage.classes import zero_block
from aesmith.assurance.leakage.plan import LeakagePlan, LeakageReport, LeakageVerdict
from aesmith.assurance.probing.check import ProbingVerdict, check_probing
from aesmith.circuits.circuit import Wire
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.errors import CheckError, RequestError
from aesmith.fields import aes
from aesmith.flow.recipes import KEEP
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import ShareBuilder
from aesmith.technology.registry import library_by


def core(preset: str) -> CoreDesign:
    return build_design(load_specification(preset), "core", preset)


@pytest.fixture(scope="module")
def sbox(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., LeakageReport]:
    def assess(plan: LeakagePlan, zero_stages: frozenset[int] = frozenset(), order: int = 1) -> LeakageReport:
        folder = tmp_path_factory.mktemp("sbox")
        library = library_by("generic45")
        return sbox_assessment(order, 4, library, plan, recipe=KEEP, folder=folder, zero_stages=zero_stages).run()

    return assess


@pytest.mark.thorough
def test_a_masked_s_box_with_fresh_bits_shows_nothing_at_its_order(sbox: Callable[..., LeakageReport]) -> None:
    report = sbox(LeakagePlan(traces=20_000))
    assert report.verdict is LeakageVerdict.NONE_FOUND
    assert report.judged == (1,)
    # What masking at order 1 leaves: the traces are fine enough to see it.
    assert report.found_after[2] < 10_000
    assert sum(report.per_class.values()) == report.traces >= 20_000


@pytest.mark.thorough
def test_without_fresh_bits_it_leaks_and_not_in_every_class(sbox: Callable[..., LeakageReport]) -> None:
    """The t-test finds it by zero alone: other fixed operands show nothing in the same traces."""
    report = sbox(LeakagePlan(traces=20_000, fresh=False))
    assert report.verdict is LeakageVerdict.LEAK
    assert report.leak is not None
    assert report.leak.fixed == "00"
    assert report.found_after[1] < 1000
    assert max(report.largest(1, "52")) < 4.5


@pytest.mark.thorough
def test_one_stage_without_fresh_bits_leaks_and_is_not_seen(sbox: Callable[..., LeakageReport]) -> None:
    """Why a t-test is no gate."""

    class Without(ShareBuilder):
        def fresh(self, stage: int) -> Wire:
            return super().fresh(stage) if stage else self.zero()

    assert check_probing(masked_sbox(1, 4, builder=Without)).verdict is ProbingVerdict.LEAKS
    assert sbox(LeakagePlan(traces=20_000), frozenset({1})).verdict is LeakageVerdict.NONE_FOUND


def test_a_core_without_masks_is_found_in_under_1000_traces(tmp_path: Path) -> None:
    plan = LeakagePlan(traces=4000)
    report = core_assessment(core("ueno2020-enc"), library_by("generic45"), plan, recipe=KEEP, folder=tmp_path).run()
    assert report.verdict is LeakageVerdict.LEAK
    assert report.traces == report.found_after[1] < 1000
    assert report.judged == (1, 2)
    assert set(report.per_class) == {"random", "zero in round 1", "zero in round 2", "drawn"}


@pytest.mark.thorough
def test_a_core_on_shares_is_driven_and_computes_aes(tmp_path: Path) -> None:
    """Two rounds of 4 clocks and the clock that takes the block; results are compared with OpenSSL's on the way."""
    plan = LeakagePlan(traces=256, parts=2)
    design, library = core("masked-round-enc"), library_by("generic45")
    report = core_assessment(design, library, plan, recipe=KEEP.by_modules(), folder=tmp_path).run()
    assert report.verdict is LeakageVerdict.TOO_FEW
    assert (report.clocks, report.parts, report.judged) == (9, 2, (1,))
    assert report.t[1]["drawn"].shape == (2, 18)
    assert "keys and blocks shared anew" in report.conditions[1]


@pytest.mark.thorough
@pytest.mark.slow
def test_a_core_with_a_generator_gets_a_seed_for_each_trace(tmp_path: Path) -> None:
    fields = {"preset": "masked-round-enc", "prng": "bivium", "prng_steps": 300}
    design, library = build_design(parse_specification(fields), "core", "core"), library_by("generic45")
    plan = LeakagePlan(traces=256)
    report = core_assessment(design, library, plan, recipe=KEEP.by_modules(), folder=tmp_path).run()
    assert report.traces == 256
    assert "its generator of fresh bits seeded anew for each" in report.conditions[1]
    with pytest.raises(RequestError, match="makes its fresh bits itself"):
        core_assessment(design, library, replace(plan, fresh=False), recipe=KEEP, folder=tmp_path)


def test_a_clock_that_is_too_fast_for_traces_is_refused(sbox: Callable[..., LeakageReport]) -> None:
    with pytest.raises(CheckError, match="too short for traces"):
        sbox(LeakagePlan(traces=256, clock_mhz=4000))


@pytest.mark.thorough
def test_traces_depend_on_the_seed_alone(sbox: Callable[..., LeakageReport]) -> None:
    plan = LeakagePlan(traces=1024)
    one, two, other = sbox(plan), sbox(replace(plan, jobs=3)), sbox(replace(plan, seed=2))
    for order in (1, 2):
        for name in one.t[order]:
            assert (one.t[order][name] == two.t[order][name]).all()
            assert (one.t[order][name] != other.t[order][name]).any()
    assert one.verdict is LeakageVerdict.TOO_FEW


class _Noise:
    """A bench of noise; with `leak` class 1 is above it in odd batches, or in all."""

    clocks = 2

    def __init__(self, leak: Callable[[int], float], interrupt_at: int = 1 << 30) -> None:
        self._leak, self._interrupt_at = leak, interrupt_at

    def batch(self, seed: int, number: int) -> Batch:
        if number == self._interrupt_at:
            raise KeyboardInterrupt
        random = np.random.default_rng([seed, number])
        classes = random.integers(0, 2, BATCH)
        traces = random.normal(size=(BATCH, 2)) + np.outer(classes, [0, self._leak(number)])
        return Batch(classes, traces, np.zeros((BATCH, 1), dtype=np.uint8))


@pytest.mark.parametrize(
    ("leak", "verdict"),
    [
        (lambda _: 0.0, LeakageVerdict.NONE_FOUND),
        (lambda _: 0.5, LeakageVerdict.LEAK),
        (lambda number: number % 2, LeakageVerdict.NONE_FOUND),
        (lambda number: 1 - 2 * (number % 2), LeakageVerdict.NONE_FOUND),
    ],
    ids=["none", "in both", "in one half", "of other sign"],
)
def test_a_leak_is_one_that_both_halves_have(leak: Callable[[int], float], verdict: LeakageVerdict) -> None:
    plan = LeakagePlan(traces=20_000, all_traces=True)
    report = Assessment("noise", _Noise(leak), ("fixed",), plan, order=1).run()
    assert report.verdict is verdict
    if verdict is LeakageVerdict.LEAK:
        assert report.leak is not None
        assert (report.leak.clock, report.leak.order) == (1, 1)


def test_an_interrupt_leaves_what_is_known() -> None:
    plan = LeakagePlan(traces=50_000)
    report = Assessment("noise", _Noise(lambda _: 0.0, 40), ("fixed",), plan, order=1).run()
    assert report.interrupted
    assert report.traces == 40 * BATCH
    assert report.verdict is LeakageVerdict.NONE_FOUND


def test_zero_blocks_make_the_inputs_of_inversions_zero() -> None:
    key = bytes(range(3, 19))
    keys = aes.round_keys(key)
    mix = aes.column_matrix(aes.MIX_COLUMNS)
    block = zero_block(key, Direction.ENCRYPT, 2)
    state = bytes(a ^ b for a, b in zip(block, keys[0], strict=True))
    state = bytes(aes.SBOX[state[(place + 4 * (place % 4)) % 16]] for place in range(16))
    columns = [mix.apply(int.from_bytes(state[k : k + 4], "little")).to_bytes(4, "little") for k in range(0, 16, 4)]
    assert b"".join(columns) == keys[1]
    assert zero_block(key, Direction.ENCRYPT, 1) == key
    # The zero of the second round of decryption, gone back: encryption makes it of a state that is 0 before round 9.
    last = zero_block(key, Direction.DECRYPT, 2)
    state = bytes(a ^ b for a, b in zip(last, keys[10], strict=True))
    state = bytes(aes.INVERSE_SBOX[state[(place - 4 * (place % 4)) % 16]] for place in range(16))
    state = bytes(a ^ b for a, b in zip(state, keys[9], strict=True))
    unmix = aes.column_matrix(aes.INVERSE_MIX_COLUMNS)
    columns = [unmix.apply(int.from_bytes(state[k : k + 4], "little")).to_bytes(4, "little") for k in range(0, 16, 4)]
    assert b"".join(columns) == bytes([aes.AFFINE_CONSTANT] * 16)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"key": bytes(24)}, "key: ueno2020-enc takes 128 bits, not 192"),
        ({"fixed": (b"ab",)}, "fixed: a block has 16 bytes"),
        ({"clocks": 40}, "clocks: ueno2020-enc is done after 12, not 40"),
    ],
)
def test_plans_that_the_core_does_not_allow(plan: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=message):
        core_assessment(
            core("ueno2020-enc"),
            library_by("generic45"),
            LeakagePlan(**plan),
            recipe=KEEP,
            folder=tmp_path,  # type: ignore[arg-type]
        )

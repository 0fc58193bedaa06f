"""The model of CTR_DRBG: vectors of NIST's CAVP (CAVS 14.3), wrong models, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from tests.modes.openssl_drbg import drawn, needs_openssl

from aesmith.assurance.vectors.drbg import CAVP, DrbgCase, DrbgStep
from aesmith.errors import RequestError
from aesmith.modes import ctr_drbg
from aesmith.modes.ctr_drbg import RESEED_INTERVAL, CtrDrbg


@pytest.mark.parametrize("number", range(len(CAVP)))
def test_bits_are_the_published_ones(number: int) -> None:
    """Without derivation function, with it, reseeded, and with prediction resistance."""
    case, returned = CAVP[number]
    assert case.by_model() == returned


def random_case(rng: Random, key_bits: int, *, derivation: bool, resists: bool) -> DrbgCase:
    """A case with inputs of any sizes that the standard allows, up to 60 bytes."""
    seed = key_bits // 8 + 16
    most = 60 if derivation else seed

    def entropy() -> bytes:
        return rng.randbytes(rng.randrange(key_bits // 8, 60) if derivation else seed)

    def given() -> bytes:
        return rng.randbytes(rng.choice((0, rng.randrange(most + 1), most)))

    steps = [DrbgStep(rng.random() < 0.4, given(), entropy()) for _ in range(rng.randrange(4))]
    steps = [step if step.reseeds or resists else replace(step, entropy=None) for step in steps]
    last = DrbgStep(False, given(), entropy() if resists else None)
    nonce = rng.randbytes(rng.randrange(key_bits // 16, 40)) if derivation else b""
    return DrbgCase(key_bits, derivation, rng.randrange(1, 100), entropy(), nonce, given(), (*steps, last))


@needs_openssl
@pytest.mark.parametrize("key_bits", [128, 192, 256])
@pytest.mark.parametrize("derivation", [False, True])
def test_the_model_agrees_with_openssl(key_bits: int, *, derivation: bool) -> None:
    rng = Random(f"{key_bits} {derivation}")
    for number in range(60):
        case = random_case(rng, key_bits, derivation=derivation, resists=number % 2 == 0)
        assert case.by_model() == drawn(case), case


def test_states_are_the_published_ones() -> None:
    """[AES-128 use df], PredictionResistance = False, nothing but entropy, count 0: key and V behind each step."""
    state = CtrDrbg.instantiate(bytes.fromhex("0f65da13dca407999d4773c2b4a11d85"), bytes.fromhex("5209e5b4ed82a234"))
    seen = [state]
    seen.append(seen[-1].reseed(bytes.fromhex("1dea0a12c52bf64339dd291c80d8ca89")))
    seen.append(seen[-1].generate(64)[1])
    assert [(each.key.hex(), each.v.hex()) for each in seen] == [
        ("0c42ea6804303954deb197a07e6dbdd2", "80941680713df715056fb2a3d2e998b2"),
        ("32fbfd0109f364ed21ef21a6e5c763e7", "f2bacbb233252fba35fb0582f9286179"),
        ("757c8eb766f9aaa4650d6500b58624a3", "99003d630bba500fe17c37f8c7331bf6"),
    ]
    assert [each.requests for each in seen] == [1, 1, 2]
    with_fresh = CtrDrbg.instantiate(
        bytes.fromhex("5d4041942bcf68864a4997d8171f1f9f"), bytes.fromhex("d4f1f4ae08bcb3e1")
    )
    _, behind = with_fresh.generate(64, entropy=bytes.fromhex("ef55a769b7eaf03fe082029bb32a2b9d"))
    assert (behind.key.hex(), behind.v.hex()) == (
        "a18e8cbe91fbd1e4f8219e5c66e692a3",
        "09d2be3972a1bc31198579691577b7a9",
    )


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_requests_are_cut_and_v_counts_in_all_bits(key_bits: int) -> None:
    state = CtrDrbg.instantiate(bytes(key_bits // 8 + 16), key_bits=key_bits, derivation=False)
    longer, _ = state.generate(40)
    assert state.generate(17)[0] == longer[:17]
    assert state.generate(0)[0] == b""
    full = replace(state, v=b"\xff" * 16)
    zero = replace(state, v=bytes(16))
    assert full.generate(32)[0][16:] == zero.generate(16)[0]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: CtrDrbg.instantiate(bytes(16), bytes(8), key_bits=512), "key_bits: must be one of 128, 192, 256, not"),
        (lambda: CtrDrbg.instantiate(bytes(15), bytes(8)), "entropy: must have at least 16 bytes, not 15"),
        (lambda: CtrDrbg.instantiate(bytes(16), bytes(7)), "nonce: must have at least 8 bytes, not 7"),
        (lambda: CtrDrbg.instantiate(bytes(31), derivation=False), "entropy: must have 32 bytes, not 31"),
        (lambda: CtrDrbg.instantiate(bytes(32), bytes(8), derivation=False), "nonce: must be empty without"),
        (
            lambda: CtrDrbg.instantiate(bytes(32), derivation=False).generate(1, bytes(33)),
            "additional: must have at most 32 bytes here, not 33",
        ),
        (lambda: CtrDrbg(bytes(16), bytes(16)).generate(65537), "size: must be 0 to 65536 bytes, not 65537"),
        (lambda: CtrDrbg(bytes(16), bytes(16), RESEED_INTERVAL + 1).generate(1), "a seed is due"),
    ],
)
def test_what_the_standard_forbids_is_refused(call: Callable[[], object], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        call()
    assert CtrDrbg(bytes(16), bytes(16), RESEED_INTERVAL).generate(1)[1].requests == RESEED_INTERVAL + 1


WRONG: dict[str, tuple[object, str, object]] = {
    "zeros in front": (ctr_drbg, "padded", lambda data: bytes(-len(data) % 16) + data),
    "nothing is added": (ctr_drbg, "added", lambda first, _: first),
    "a request changes V alone": (CtrDrbg, "_updated", lambda self, _: self),
    "inputs are filled with zeros": (CtrDrbg, "_input", lambda _, data, __: data.ljust(32, b"\0")[:32]),
}
"""Models with one fault each: where, what, and in place of it what."""


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_models_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*WRONG[fault])
    with pytest.raises(AssertionError):
        test_bits_are_the_published_ones(4)

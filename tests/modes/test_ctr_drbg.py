"""The model of CTR_DRBG: vectors of NIST's CAVP (CAVS 14.3), wrong models, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aesmith.errors import RequestError
from aesmith.modes import ctr_drbg
from aesmith.modes.ctr_drbg import RESEED_INTERVAL, CtrDrbg

NO_DF = (
    # entropy, personalization, additional input of both requests, what the second one returns
    (
        *("ce50f33da5d4c1d3d4004eb35244b7f2cd7f2e5076fbf6780a7ff634b249a5fc", "", "", ""),
        "6545c0529d372443b392ceb3ae3a99a30f963eaf313280f1d1a1e87f9db373d3"
        "61e75d18018266499cccd64d9bbb8de0185f213383080faddec46bae1f784e5a",
    ),
    (
        "6bd4f2ae649fc99350951ff0c5d460c1a9214154e7384975ee54b34b7cae0704",
        "",
        "ecd4893b979ac92db1894ae3724518a2f78cf2dbe2f6bbc6fda596df87c7a4ae",
        "b23e9188687c88768b26738862c4791fa52f92502e1f94bf66af017c4228a0dc",
        "5b2bf7a5c60d8ab6591110cbd61cd387b02de19784f496d1a109123d8b3562a5"
        "de2dd6d5d1aef957a6c4f371cecd93c15799d82e34d6a0dba7e915a27d8e65f3",
    ),
    (
        "cee23de86a69c7ef57f6e1e12bd16e35e51624226fa19597bf93ec476a44b0f2",
        "a2ef16f226ea324f23abd59d5e3c660561c25e73638fe21c87566e86a9e04c3e",
        *("", ""),
        "2a76d71b329f449c98dc08fff1d205a2fbd9e4ade120c7611c225c984eac8531"
        "288dd3049f3dc3bb3671501ab8fbf9ad49c86cce307653bd8caf29cb0cf07764",
    ),
    (
        "50b96542a1f2b8b05074051fe8fb0e45adbbd5560e3594e12d485fe1bfcb741f",
        "820c3030f97b3ead81a93b88b871937278fd3d711d2085d9280cba394673b17e",
        "1f1632058806d6d8e231288f3b15a3c324e90ccef4891bd595f09c3e80e27469",
        "5cadc8bfd86d2a5d44f921f64c7d153001b9bdd7caa6618639b948ebfad5cb8a",
        "02b76a66f103e98d450e25e09c35337747d987471d2b3d81e03be24c7e985417"
        "a32acd72bc0a6eddd9871410dacb921c659249b4e2b368c4ac8580fb5db559bc",
    ),
)
"""[AES-128 no df], not reseeded, count 0 of each."""
DF = (
    # entropy, nonce, personalization, entropy and additional input of a reseed or None, of each request entropy and
    # additional input, what the second one returns
    (
        *("e796b728ec69cf79f97eaa2c06e7187f", "3568f011c282c01d", "b5ae693192ff057e682a629b84b8feec"),
        ("31c4db5713e08e4e8cfbf777b9621a04", "b6997617e4e2c94d8a3bf3c61439a55e"),
        ((None, "c3998f9edd938286d7fad2cc75963fdd"), (None, "648fc7360ae27002e1aa77d85895b89e")),
        "6ce1eb64fdca9fd3b3ef61913cc1c214f93bca0e515d0514fa488d8af529f498"
        "92bb7cd7fbf584eb020fd8cb2af9e6dbfce8a8a3439be85d5cc4de7640b4ef7d",
    ),
    (
        *("5d4041942bcf68864a4997d8171f1f9f", "d4f1f4ae08bcb3e1", "", None),
        (("ef55a769b7eaf03fe082029bb32a2b9d", ""), ("8239e865c0a42e14b964b9c09de85a20", "")),
        "4155320287eedcf7d484c2c2a1e2eb64b9c9ce77c87202a1ae1616c7a5cfd1c6"
        "87c7a0bfcc85bda48fdd4629fd330c22d0a76076f88fc7cd04037ee06b7af602",
    ),
    (
        *("c87bcfa53ded926698bb792254eba853", "1165ebdb6fe78232", "7ee8c40ebd3551fe103c8349377ea7cc", None),
        (
            ("da60722bd8d6d4313d47ce07c4f63c29", "db2422dba1157857785ce57b43bc938e"),
            ("933623ef7527bc0449ca8d629d84a91f", "06b93f6b069e4859a8c76247a4825a64"),
        ),
        "fd76ace1287a800d01a969fc99d6db8b3f309f6cf5b2b07eec12e3f0169cbbcd"
        "ebf9a1485a57ed0f5ecc14de122c5eee9c39f48ee8e98e5bb58141e9dc33121e",
    ),
)
"""[AES-128 use df], count 0: reseeded; with prediction resistance, without and with other input."""


@pytest.mark.parametrize("vector", NO_DF)
def test_bits_without_derivation_are_the_published_ones(vector: tuple[str, str, str, str, str]) -> None:
    entropy, personalization, first, second, returned = map(bytes.fromhex, vector)
    state = CtrDrbg.instantiate(entropy, personalization=personalization, derivation=False)
    _, state = state.generate(64, first)
    assert state.generate(64, second)[0] == returned


@pytest.mark.parametrize("vector", DF)
def test_bits_with_derivation_are_the_published_ones(vector: tuple[object, ...]) -> None:
    entropy, nonce, personalization, reseed, requests, returned = vector
    state = CtrDrbg.instantiate(*(bytes.fromhex(str(each)) for each in (entropy, nonce, personalization)))
    if isinstance(reseed, tuple):
        state = state.reseed(*map(bytes.fromhex, reseed))
    made = b""
    assert isinstance(requests, tuple)
    for fresh, additional in requests:
        made, state = state.generate(
            64, bytes.fromhex(additional), entropy=None if fresh is None else bytes.fromhex(fresh)
        )
    assert made.hex() == returned


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
        test_bits_with_derivation_are_the_published_ones(DF[0])

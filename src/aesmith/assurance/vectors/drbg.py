"""Known answers of CTR_DRBG, in the form of CAVP and ACVP: instantiate, perhaps reseed, and requests, of which the last
one's bits are the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from aesmith.modes.ctr_drbg import CtrDrbg, derived_seed
from aesmith.modes.ctr_drbg_stream import request
from aesmith.modes.traffic import Keyed


@dataclass(frozen=True)
class DrbgStep:
    """A reseed or a request, with its additional input, and its entropy; without, a request has no prediction
    resistance."""

    reseeds: bool
    additional: bytes = b""
    entropy: bytes | None = None


@dataclass(frozen=True)
class DrbgCase:
    """Bits of the key, whether there is the derivation function, and bytes that each request returns; what an instance
    is made of, and the steps behind it."""

    key_bits: int
    derivation: bool
    returned: int
    entropy: bytes
    nonce: bytes
    personalization: bytes
    steps: tuple[DrbgStep, ...]

    def by_model(self) -> bytes:
        """What the model returns last. Raises RequestError for inputs of other sizes than the standard's."""
        state, made = self._instance, b""
        for step in self.steps:
            if step.reseeds:
                state = state.reseed(step.entropy or b"", step.additional)
            else:
                made, state = state.generate(self.returned, step.additional, entropy=step.entropy)
        return made

    @property
    def _instance(self) -> CtrDrbg:
        """The first state."""
        inputs = (self.entropy, self.nonce, self.personalization)
        return CtrDrbg.instantiate(*inputs, key_bits=self.key_bits, derivation=self.derivation)

    def requests(self) -> Iterator[Keyed]:
        """The same as requests to an engine, which has no derivation function: its seeds and inputs are derived here,
        as a driver would."""
        seed, given = self._seeded(self.entropy, self.nonce + self.personalization)
        yield seed, request(0, given)
        for step in self.steps:
            given = step.additional
            if step.entropy is not None:
                seed, given = self._seeded(step.entropy, given)
            elif self.derivation and given:
                given = derived_seed(given, self.key_bits // 8)
            yield seed, request(0 if step.reseeds else self.returned, given)

    def _seeded(self, entropy: bytes, other: bytes) -> tuple[bytes, bytes]:
        """A seed, and the input beside it."""
        return (derived_seed(entropy + other, self.key_bits // 8), b"") if self.derivation else (entropy, other)

    @property
    def repeats(self) -> bool:
        """Whether two seeds in a row are equal, which a simulation does not send as two."""
        fresh = [True, *(step.entropy is not None for step in self.steps)]
        seeds = [seed for (seed, _), comes in zip(self.requests(), fresh, strict=True) if comes]
        return any(seed == after for seed, after in pairwise(seeds))


_CAVP = (
    (
        ("ce50f33da5d4c1d3d4004eb35244b7f2cd7f2e5076fbf6780a7ff634b249a5fc", "", ""),
        ((None, ""), (None, "")),
        "6545c0529d372443b392ceb3ae3a99a30f963eaf313280f1d1a1e87f9db373d361e75d18018266499cccd64d9bbb8de0185f213383080faddec46bae1f784e5a",
    ),
    (
        ("6bd4f2ae649fc99350951ff0c5d460c1a9214154e7384975ee54b34b7cae0704", "", ""),
        (
            (None, "ecd4893b979ac92db1894ae3724518a2f78cf2dbe2f6bbc6fda596df87c7a4ae"),
            (None, "b23e9188687c88768b26738862c4791fa52f92502e1f94bf66af017c4228a0dc"),
        ),
        "5b2bf7a5c60d8ab6591110cbd61cd387b02de19784f496d1a109123d8b3562a5de2dd6d5d1aef957a6c4f371cecd93c15799d82e34d6a0dba7e915a27d8e65f3",
    ),
    (
        (
            "cee23de86a69c7ef57f6e1e12bd16e35e51624226fa19597bf93ec476a44b0f2",
            "",
            "a2ef16f226ea324f23abd59d5e3c660561c25e73638fe21c87566e86a9e04c3e",
        ),
        ((None, ""), (None, "")),
        "2a76d71b329f449c98dc08fff1d205a2fbd9e4ade120c7611c225c984eac8531288dd3049f3dc3bb3671501ab8fbf9ad49c86cce307653bd8caf29cb0cf07764",
    ),
    (
        (
            "50b96542a1f2b8b05074051fe8fb0e45adbbd5560e3594e12d485fe1bfcb741f",
            "",
            "820c3030f97b3ead81a93b88b871937278fd3d711d2085d9280cba394673b17e",
        ),
        (
            (None, "1f1632058806d6d8e231288f3b15a3c324e90ccef4891bd595f09c3e80e27469"),
            (None, "5cadc8bfd86d2a5d44f921f64c7d153001b9bdd7caa6618639b948ebfad5cb8a"),
        ),
        "02b76a66f103e98d450e25e09c35337747d987471d2b3d81e03be24c7e985417a32acd72bc0a6eddd9871410dacb921c659249b4e2b368c4ac8580fb5db559bc",
    ),
    (
        ("e796b728ec69cf79f97eaa2c06e7187f", "3568f011c282c01d", "b5ae693192ff057e682a629b84b8feec"),
        (
            ("31c4db5713e08e4e8cfbf777b9621a04", "b6997617e4e2c94d8a3bf3c61439a55e", "reseed"),
            (None, "c3998f9edd938286d7fad2cc75963fdd"),
            (None, "648fc7360ae27002e1aa77d85895b89e"),
        ),
        "6ce1eb64fdca9fd3b3ef61913cc1c214f93bca0e515d0514fa488d8af529f49892bb7cd7fbf584eb020fd8cb2af9e6dbfce8a8a3439be85d5cc4de7640b4ef7d",
    ),
    (
        ("5d4041942bcf68864a4997d8171f1f9f", "d4f1f4ae08bcb3e1", ""),
        (("ef55a769b7eaf03fe082029bb32a2b9d", ""), ("8239e865c0a42e14b964b9c09de85a20", "")),
        "4155320287eedcf7d484c2c2a1e2eb64b9c9ce77c87202a1ae1616c7a5cfd1c687c7a0bfcc85bda48fdd4629fd330c22d0a76076f88fc7cd04037ee06b7af602",
    ),
    (
        ("c87bcfa53ded926698bb792254eba853", "1165ebdb6fe78232", "7ee8c40ebd3551fe103c8349377ea7cc"),
        (
            ("da60722bd8d6d4313d47ce07c4f63c29", "db2422dba1157857785ce57b43bc938e"),
            ("933623ef7527bc0449ca8d629d84a91f", "06b93f6b069e4859a8c76247a4825a64"),
        ),
        "fd76ace1287a800d01a969fc99d6db8b3f309f6cf5b2b07eec12e3f0169cbbcdebf9a1485a57ed0f5ecc14de122c5eee9c39f48ee8e98e5bb58141e9dc33121e",
    ),
)
"""Of CAVP's CTR_DRBG.rsp (CAVS 14.3), AES-128, count 0: entropy, nonce and personalization; of a reseed and of each
request entropy and additional input; what the second request returns. Four without derivation function; three with it,
of which one is reseeded and two have prediction resistance."""


def _case(made_of: tuple[str, ...], steps: tuple[tuple[str | None, ...], ...]) -> DrbgCase:
    entropy, nonce, personalization = map(bytes.fromhex, made_of)
    found = tuple(
        DrbgStep(bool(reseed), bytes.fromhex(given or ""), None if fresh is None else bytes.fromhex(fresh))
        for fresh, given, *reseed in steps
    )
    return DrbgCase(128, bool(nonce), 64, entropy, nonce, personalization, found)


CAVP = [(_case(made_of, steps), bytes.fromhex(returned)) for made_of, steps, returned in _CAVP]
"""The same as cases, with what they return."""

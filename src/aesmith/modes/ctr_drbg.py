"""CTR_DRBG with AES (SP 800-90A, 10.2): random bits of a seed, as a model.

Entropy is the caller's: this is the deterministic part, and no source. Bytes are in the order in which they are used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aesmith.errors import RequestError
from aesmith.modes.message import BLOCK, Cipher, added, padded

KEY_BITS = (128, 192, 256)
MOST_REQUEST = 1 << 16
"""Bytes of a request: 2^19 bits (table 3)."""
RESEED_INTERVAL = 1 << 48
"""Requests between seeds (table 3)."""
MOST_INPUT = 1 << 32
"""Bytes of an input of the derivation function: 2^35 bits (table 3)."""


def derived_seed(data: bytes, key_bytes: int) -> bytes:
    """Block_Cipher_df (10.3.2): a seed for keys of so many bytes, from an input of any length."""
    size = key_bytes + BLOCK
    string = padded(len(data).to_bytes(4) + size.to_bytes(4) + data + b"\x80")
    first, made = Cipher(bytes(range(key_bytes))), b""
    for number in range(-(-size // BLOCK)):
        chain = bytes(BLOCK)
        whole = padded(number.to_bytes(4)) + string
        for start in range(0, len(whole), BLOCK):
            chain = first.encrypt(added(chain, whole[start : start + BLOCK]))
        made += chain
    cipher, block, seed = Cipher(made[:key_bytes]), made[key_bytes:size], b""
    while len(seed) < size:
        block = cipher.encrypt(block)
        seed += block
    return seed[:size]


@dataclass(frozen=True)
class CtrDrbg:
    """The state of a CTR_DRBG: key, V, requests since the last seed plus one, and whether it has the derivation
    function; `cipher` is its block cipher. Each function gives the next state; a state must not be used twice."""

    key: bytes
    v: bytes
    requests: int = 1
    derivation: bool = True
    cipher: type[Cipher] = Cipher

    @classmethod
    def instantiate(
        cls,
        entropy: bytes,
        nonce: bytes = b"",
        personalization: bytes = b"",
        *,
        key_bits: int = 128,
        derivation: bool = True,
        cipher: type[Cipher] = Cipher,
    ) -> CtrDrbg:
        """A new one. With the derivation function the entropy has at least as many bits as the key, and the nonce half
        of them; without it the entropy has as many as key and V together, and there is no nonce.

        Raises RequestError for other sizes.
        """
        if key_bits not in KEY_BITS:
            raise RequestError(f"key_bits: must be one of 128, 192, 256, not {key_bits}")
        if derivation and len(nonce) < key_bits // 16:
            raise RequestError(f"nonce: must have at least {key_bits // 16} bytes, not {len(nonce)}")
        if not derivation and nonce:
            raise RequestError("nonce: must be empty without a derivation function")
        empty = cls(bytes(key_bits // 8), bytes(BLOCK), derivation=derivation, cipher=cipher)
        return empty._seeded(entropy, nonce + personalization)

    @property
    def seed_bytes(self) -> int:
        """Bytes of key and V."""
        return len(self.key) + BLOCK

    def reseed(self, entropy: bytes, additional: bytes = b"") -> CtrDrbg:
        """The same with fresh entropy; raises RequestError for sizes that `instantiate` refuses."""
        return self._seeded(entropy, additional)

    def generate(self, size: int, additional: bytes = b"", *, entropy: bytes | None = None) -> tuple[bytes, CtrDrbg]:
        """So many random bytes, and the next state; with `entropy` prediction resistance: it is seeded before.

        Raises RequestError for more bytes than a request may have, for additional input that is too long, and where a
        seed is due.
        """
        if not 0 <= size <= MOST_REQUEST:
            raise RequestError(f"size: must be 0 to {MOST_REQUEST} bytes, not {size}")
        state = self
        if entropy is not None:
            state, additional = state._seeded(entropy, additional), b""
        if state.requests > RESEED_INTERVAL:
            raise RequestError(f"a seed is due: {RESEED_INTERVAL} requests were served with this one")
        given = state._input(additional, "additional") if additional else bytes(state.seed_bytes)
        state = state._updated(given) if additional else state
        made, v = state._blocks(-(-size // BLOCK))
        return made[:size], replace(replace(state, v=v)._updated(given), requests=state.requests + 1)

    def _seeded(self, entropy: bytes, other: bytes) -> CtrDrbg:
        """A state from entropy and other input."""
        if self.derivation:
            if len(entropy) < len(self.key):
                raise RequestError(f"entropy: must have at least {len(self.key)} bytes, not {len(entropy)}")
            given = self._input(entropy + other, "entropy")
        else:
            if len(entropy) != self.seed_bytes:
                raise RequestError(f"entropy: must have {self.seed_bytes} bytes, not {len(entropy)}")
            given = added(entropy, self._input(other, "input"))
        return replace(self._updated(given), requests=1)

    def _input(self, data: bytes, name: str) -> bytes:
        """An input as a seed: derived, or filled with zeros."""
        most = MOST_INPUT if self.derivation else self.seed_bytes
        if len(data) > most:
            raise RequestError(f"{name}: must have at most {most} bytes here, not {len(data)}")
        if self.derivation:
            return derived_seed(data, len(self.key))
        return data + bytes(self.seed_bytes - len(data))

    def _blocks(self, count: int) -> tuple[bytes, bytes]:
        """So many encryptions of V, which counts in all of its bits; and the last V."""
        cipher, made, v = self.cipher(self.key), b"", int.from_bytes(self.v)
        for _ in range(count):
            v = (v + 1) % (1 << 8 * BLOCK)
            made += cipher.encrypt(v.to_bytes(BLOCK))
        return made, v.to_bytes(BLOCK)

    def _updated(self, given: bytes) -> CtrDrbg:
        """CTR_DRBG_Update (10.2.1.2)."""
        made, _ = self._blocks(-(-self.seed_bytes // BLOCK))
        fresh = added(made[: self.seed_bytes], given)
        return replace(self, key=fresh[: len(self.key)], v=fresh[len(self.key) :])

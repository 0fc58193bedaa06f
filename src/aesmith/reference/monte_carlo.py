"""The Monte Carlo test of AESAVS section 6.4, ECB mode: long chains of blocks and keys that depend on each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aesmith.reference.golden import decrypt, encrypt
from aesmith.reference.known_answers import check_key_bits

OUTER_ROUNDS = 100
INNER_ROUNDS = 1000


@dataclass(frozen=True)
class MonteCarloRound:
    """One outer round: `key` (16, 24 or 32 bytes), the first input block, and the last two output blocks.

    `result` is the published record's answer; `before` is the block before it, which enters longer keys.
    """

    key: bytes
    start: bytes
    before: bytes
    result: bytes


def next_key(key: bytes, before: bytes, result: bytes) -> bytes:
    """The key of the next outer round (AESAVS 6.4.1): the key XOR the last bytes of `before` and `result` together."""
    tail = (before + result)[-len(key) :]
    return bytes(a ^ b for a, b in zip(key, tail, strict=True))


def monte_carlo(
    key: bytes, start: bytes, *, decrypting: bool = False, inner_rounds: int = INNER_ROUNDS
) -> Iterator[MonteCarloRound]:
    """The outer rounds, without end, from the golden model; a validation has 100 of them.

    `start` is the first plaintext (the first ciphertext if `decrypting`). Raises RequestError for a wrong length.
    """
    operation = decrypt if decrypting else encrypt
    while True:
        before = block = start
        for _ in range(inner_rounds):
            before, block = block, operation(key, block)
        yield MonteCarloRound(key, start, before, block)
        key, start = next_key(key, before, block), block


@dataclass(frozen=True)
class MonteCarloRecord:
    """A published chain: the key and input block of its first outer round, and the result of its last (COUNT 99)."""

    source: str
    key: bytes
    start: bytes
    final_result: bytes


def _record(key_bits: int, section: str, *fields: str) -> MonteCarloRecord:
    source = f"NIST CAVP aesmct ECBMCT{key_bits} [{section}], CAVS 11.1"
    return MonteCarloRecord(source, *(bytes.fromhex(field) for field in fields))


_PUBLISHED = {
    (128, False): _record(
        128,
        "ENCRYPT",
        "139a35422f1d61de3c91787fe0507afd",
        "b9145a768b7dc489a096b546f43b231f",
        "fb2649694783b551eacd9d5db6126d47",
    ),
    (128, True): _record(
        128,
        "DECRYPT",
        "0c60e7bf20ada9baa9e1ddf0d1540726",
        "b08a29b11a500ea3aca42c36675b9785",
        "d1d2bfdc58ffcad2341b095bce55221e",
    ),
    (192, False): _record(
        192,
        "ENCRYPT",
        "b9a63e09e1dfc42e93a90d9bad739e5967aef672eedd5da9",
        "85a1f7a58167b389cddc8a9ff175ee26",
        "5d1196da8f184975e240949a25104554",
    ),
    (192, True): _record(
        192,
        "DECRYPT",
        "4b97585701c03fbebdfa8555024f589f1482c58a00fdd9fd",
        "d0bd0e02ded155e4516be83f42d347a4",
        "b63ef1b79507a62eba3dafcec54a6328",
    ),
    (256, False): _record(
        256,
        "ENCRYPT",
        "f9e8389f5b80712e3886cc1fa2d28a3b8c9cd88a2d4a54c6aa86ce0fef944be0",
        "b379777f9050e2a818f2940cbbd9aba4",
        "c5d2cb3d5b7ff0e23e308967ee074825",
    ),
    (256, True): _record(
        256,
        "DECRYPT",
        "2b09ba39b834062b9e93f48373b8dd018dedf1e5ba1b8af831ebbacbc92a2643",
        "89649bd0115f30bd878567610223a59d",
        "e3d3868f578caf34e36445bf14cefc68",
    ),
}


def published_record(key_bits: int, *, decrypting: bool = False) -> MonteCarloRecord:
    """The published chain of one key size and direction. Raises RequestError for a key size that AES has not."""
    check_key_bits(key_bits)
    return _PUBLISHED[key_bits, decrypting]

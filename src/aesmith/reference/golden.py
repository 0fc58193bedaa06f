"""AES on single blocks, as computed by OpenSSL through the `cryptography` package.

Every result a core gives is compared with these functions; the project has no second AES of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from aesmith.errors import RequestError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    # A simulation needs single blocks only, and is to begin soon.
    np = LazyModule("numpy")

BLOCK_BYTES = 16
KEY_BITS = (128, 192, 256)


def _contexts(key: bytes) -> tuple[CipherContext, CipherContext]:
    if 8 * len(key) not in KEY_BITS:
        raise RequestError(f"key: must have 128, 192 or 256 bits (16, 24 or 32 bytes), not {8 * len(key)} bits")
    # ECB is the block cipher itself, block after block: what a core computes.
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return cipher.encryptor(), cipher.decryptor()


# A context of ECB keeps no state between whole blocks, so one per key serves all its blocks.
_cached_contexts = lru_cache(maxsize=256)(_contexts)


def _check_length(name: str, data: bytes) -> None:
    if len(data) != BLOCK_BYTES:
        raise RequestError(f"{name}: must be one block of 16 bytes, not {len(data)} bytes")


def encrypt(key: bytes, plaintext: bytes) -> bytes:
    """The ciphertext of one 16-byte block under a key of 16, 24 or 32 bytes; byte 0 first, as in FIPS-197.

    Raises RequestError for any other length.
    """
    _check_length("plaintext", plaintext)
    return _cached_contexts(bytes(key))[0].update(plaintext)


def decrypt(key: bytes, ciphertext: bytes) -> bytes:
    """The plaintext of one 16-byte block under a key of 16, 24 or 32 bytes; byte 0 first, as in FIPS-197.

    Raises RequestError for any other length.
    """
    _check_length("ciphertext", ciphertext)
    return _cached_contexts(bytes(key))[1].update(ciphertext)


def _on_blocks(keys: NDArray[np.uint8], blocks: NDArray[np.uint8], context: int) -> NDArray[np.uint8]:
    if blocks.ndim != 2 or blocks.shape[1] != BLOCK_BYTES or blocks.dtype != np.uint8:
        raise RequestError(f"blocks: must be uint8 of shape (n, 16), not {blocks.dtype} of shape {blocks.shape}")
    if keys.dtype != np.uint8 or keys.ndim not in (1, 2) or (keys.ndim == 2 and len(keys) != len(blocks)):
        raise RequestError(
            f"keys: must be uint8 of shape (bytes,), or (n, bytes) with one key a block (n = {len(blocks)}), "
            f"not {keys.dtype} of shape {keys.shape}"
        )
    if keys.ndim == 1:
        data = _contexts(keys.tobytes())[context].update(np.ascontiguousarray(blocks).tobytes())
    else:
        pairs = zip(keys, blocks, strict=True)
        data = b"".join(_contexts(key.tobytes())[context].update(block.tobytes()) for key, block in pairs)
    return np.frombuffer(data, dtype=np.uint8).reshape(blocks.shape)


def encrypt_blocks(keys: NDArray[np.uint8], plaintexts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Ciphertexts (n, 16) of plaintexts (n, 16), all uint8; `keys` is one key (bytes,) or a key a block (n, bytes).

    Raises RequestError for other shapes and types.
    """
    return _on_blocks(keys, plaintexts, 0)


def decrypt_blocks(keys: NDArray[np.uint8], ciphertexts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Plaintexts (n, 16) of ciphertexts (n, 16), all uint8; `keys` is one key (bytes,) or a key a block (n, bytes).

    Raises RequestError for other shapes and types.
    """
    return _on_blocks(keys, ciphertexts, 1)

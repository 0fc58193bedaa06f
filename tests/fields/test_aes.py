"""What the standard computes with bytes, against OpenSSL's AES."""

from __future__ import annotations

import pytest

from aesmith.fields import aes
from aesmith.reference import golden


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_round_keys_are_the_standards(bits: int) -> None:
    """Encryption by the round keys is OpenSSL's."""
    key = bytes(range(bits // 8))
    keys = aes.round_keys(key)
    state = bytes(a ^ b for a, b in zip(bytes(16), keys[0], strict=True))
    for number, round_key in enumerate(keys[1:], 1):
        state = bytes(aes.SBOX[state[(place + 4 * (place % 4)) % 16]] for place in range(16))
        if number < len(keys) - 1:
            mix = aes.column_matrix(aes.MIX_COLUMNS)
            state = b"".join(
                mix.apply(int.from_bytes(state[k : k + 4], "little")).to_bytes(4, "little") for k in range(0, 16, 4)
            )
        state = bytes(a ^ b for a, b in zip(state, round_key, strict=True))
    assert state == golden.encrypt(key, bytes(16))

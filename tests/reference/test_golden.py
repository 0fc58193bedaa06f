"""The golden model is AES: it gives every published answer, on single blocks and on batches."""

import numpy as np
import pytest

from aesmith.errors import RequestError
from aesmith.reference.golden import KEY_BITS, decrypt, decrypt_blocks, encrypt, encrypt_blocks
from aesmith.reference.known_answers import known_answers


@pytest.mark.parametrize("key_bits", KEY_BITS)
def test_every_published_answer_holds_in_both_directions(key_bits: int) -> None:
    for case in known_answers(key_bits):
        assert encrypt(case.key, case.plaintext) == case.ciphertext, case.source
        assert decrypt(case.key, case.ciphertext) == case.plaintext, case.source


@pytest.mark.parametrize("key_bits", KEY_BITS)
def test_a_batch_is_the_single_blocks_with_one_key_or_with_many(key_bits: int) -> None:
    random = np.random.default_rng(1)
    keys = random.integers(0, 256, (20, key_bits // 8), dtype=np.uint8)
    blocks = random.integers(0, 256, (20, 16), dtype=np.uint8)
    one_key = encrypt_blocks(keys[0], blocks)
    many_keys = encrypt_blocks(keys, blocks)
    for i in range(20):
        assert one_key[i].tobytes() == encrypt(keys[0].tobytes(), blocks[i].tobytes())
        assert many_keys[i].tobytes() == encrypt(keys[i].tobytes(), blocks[i].tobytes())
    assert (decrypt_blocks(keys[0], one_key) == blocks).all()
    assert (decrypt_blocks(keys, many_keys) == blocks).all()


@pytest.mark.parametrize("key_bytes", [0, 8, 15, 17, 64])
def test_a_key_of_another_size_is_refused_with_the_size_given(key_bytes: int) -> None:
    with pytest.raises(RequestError, match=f"key: .*not {8 * key_bytes} bits"):
        encrypt(bytes(key_bytes), bytes(16))


@pytest.mark.parametrize("operation", [encrypt, decrypt])
def test_a_block_of_another_size_is_refused(operation: object) -> None:
    with pytest.raises(RequestError, match=r"text: must be one block of 16 bytes, not 17"):
        operation(bytes(16), bytes(17))  # type: ignore[operator]


def test_batches_of_wrong_shape_or_type_are_refused() -> None:
    blocks = np.zeros((3, 16), np.uint8)
    with pytest.raises(RequestError, match=r"keys: .*one key a block \(n = 3\)"):
        encrypt_blocks(np.zeros((2, 16), np.uint8), blocks)
    with pytest.raises(RequestError, match=r"blocks: .*shape \(n, 16\)"):
        encrypt_blocks(np.zeros(16, np.uint8), blocks.astype(np.uint32))

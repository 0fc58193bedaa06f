"""Modes need the directions of AES that the standards give them, and chained ones get a block per latency."""

import pytest

from aesmith.cores.design import Direction
from aesmith.errors import RequestError
from aesmith.explore.recommend.requirement import MODES, clocks_per_block, directions_by_name, mode_by_name

ENC, DEC = Direction.ENCRYPT, Direction.DECRYPT


@pytest.mark.parametrize(
    ("mode", "to_encrypt", "to_decrypt"),
    [
        ("ecb", {ENC}, {DEC}),
        ("cbc", {ENC}, {DEC}),
        ("xts", {ENC}, {ENC, DEC}),
        *((mode, {ENC}, {ENC}) for mode in ("cfb", "ofb", "ctr", "gcm", "ccm", "cmac")),
    ],
)
def test_directions_of_the_core(mode: str, to_encrypt: set[Direction], to_decrypt: set[Direction]) -> None:
    assert mode_by_name(mode.upper()).core_directions((ENC,)) == to_encrypt
    assert mode_by_name(mode).core_directions((DEC,)) == to_decrypt
    assert mode_by_name(mode).core_directions((ENC, DEC)) == to_encrypt | to_decrypt


@pytest.mark.parametrize(
    ("mode", "encrypting", "decrypting"),
    [
        *((mode, 1, 1) for mode in ("ecb", "ctr", "gcm", "xts")),
        *((mode, 70, 1) for mode in ("cbc", "cfb")),
        *((mode, 70, 70) for mode in ("ofb", "cmac", "ccm")),
    ],
)
def test_clocks_of_a_pipeline_of_seventy_stages(mode: str, encrypting: int, decrypting: int) -> None:
    assert clocks_per_block(MODES[mode], (ENC,), 1, 70) == encrypting
    assert clocks_per_block(MODES[mode], (DEC,), 1, 70) == decrypting
    assert clocks_per_block(MODES[mode], (ENC, DEC), 1, 70) == max(encrypting, decrypting)


def test_streams_fill_a_pipeline_up_to_what_it_takes() -> None:
    assert clocks_per_block(MODES["cbc"], (ENC,), 10, 21, streams=2) == pytest.approx(10.5)
    assert clocks_per_block(MODES["cbc"], (ENC,), 10, 21, streams=9) == 10


def test_ccm_uses_aes_twice() -> None:
    assert clocks_per_block(MODES["ccm"], (ENC,), 10, 11) == 20


def test_unknown_words_are_answered_with_the_known() -> None:
    with pytest.raises(RequestError, match=r"mode: must be one of ecb, cbc.*not 'cbs'"):
        mode_by_name("cbs")
    with pytest.raises(RequestError, match="enc, dec or encdec, not 'up'"):
        directions_by_name("up")

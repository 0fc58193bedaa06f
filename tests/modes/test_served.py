"""Names that users ask by for what an engine of another mode does: published values, specifications, requirements."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesmith.errors import RequestError
from aesmith.explore.recommend.requirement import mode_by_name
from aesmith.modes.counting import GCM
from aesmith.modes.message import Cipher, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.served import SERVED, quic_mask, xpn_iv
from aesmith.modes.specification import parse_engine

SALT = bytes.fromhex("E630E81A48DE86A21C66FA6D")


def test_masks_are_those_of_rfc_9001() -> None:
    """Appendix A.2, of the client, and A.3, of the server."""
    for key, sample, mask in (
        ("9f50449e04a0e810283a1e9933adedd2", "d1b1c98dd7689fb8ec11d242b123dc9b", "437b9aec36"),
        ("c206b8d9b9f0f37644430b490eeaa314", "2cd0991cd25b0aac406a5816b6394100", "2ec0d8356a"),
    ):
        assert quic_mask(Cipher(bytes.fromhex(key)), bytes.fromhex(sample)).hex() == mask
    with pytest.raises(RequestError, match="sample: must have 16 bytes, not 15"):
        quic_mask(Cipher(bytes(16)), bytes(15))


def test_ivs_are_those_of_macsec() -> None:
    """IEEE 802.1AEbw, annex C; a number that moves by one moves the IV in its place."""
    assert xpn_iv(SALT, 0x7A30C118, 0xB0DF459CB2C28465).hex().upper() == "9C002902F801C33EAEA47E08"
    assert xpn_iv(bytes(12), 1, 0) == b"\0\0\0\1" + bytes(8)
    assert xpn_iv(bytes(12), 0, (1 << 64) - 1) == bytes(4) + b"\xff" * 8
    for salt, ssci, number, told in (
        (SALT[1:], 0, 0, "salt: must have 12 bytes, not 11"),
        (SALT, 1 << 32, 0, "ssci: must be a number of 32 bits"),
        (SALT, 0, -1, "packet_number: must be a number of 64 bits"),
    ):
        with pytest.raises(RequestError, match=told):
            xpn_iv(salt, ssci, number)


def test_gmac_is_gcm_without_text() -> None:
    key, iv, data = bytes(range(16)), bytes(12), bytes(range(50))
    made = GCM.encrypt(Cipher(key), Message(iv, data, b"", bytes(16)))
    assert (made.text, made.tag) == (b"", AESGCM(key).encrypt(iv, b"", data))


def test_a_specification_may_name_them() -> None:
    for fields, modes, release in (
        ({"mode": "gmac"}, ("gcm",), "cut-through"),
        ({"modes": ["gmac"]}, ("gcm",), "cut-through"),
        ({"modes": ["gmac"], "release": "verified"}, ("gcm",), "verified"),
        ({"modes": ["gmac", "ctr"]}, ("gcm", "ctr"), "verified"),
        ({"modes": ["gcm", "gmac"]}, ("gcm",), "verified"),
        ({"mode": "xpn"}, ("gcm",), "verified"),
        ({"mode": "quic"}, ("ecb",), "verified"),
    ):
        made = parse_engine({"core": "ueno2020-enc"} | fields).engine("named", "named")
        assert isinstance(made, MultiModeEngine)
        assert (made.modes, made.release) == (modes, release), fields
    same = parse_engine({"core": "ueno2020-enc", "modes": ["gcm"], "release": "cut-through"})
    assert parse_engine({"core": "ueno2020-enc", "modes": ["gmac"]}) == same
    with pytest.raises(RequestError, match=r"mode: must be one of gmac, cmac, … .*did you mean gmac"):
        parse_engine({"core": "ueno2020-enc", "mode": "hmac"})


def test_a_recommendation_names_the_mode_that_serves() -> None:
    for name, served in SERVED.items():
        found = mode_by_name(name)
        assert (found.name, found.engine) == (name, "" if served.mode == "ecb" else served.mode)
    assert (mode_by_name("gcm").name, mode_by_name("cfb128").name) == ("gcm", "cfb")


def test_the_page_has_each_of_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "streams.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | {served.standard.split(',')[0]}" in page for name, served in SERVED.items())

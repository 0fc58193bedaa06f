"""Names that users ask by for what an engine of another mode does: GMAC, XPN of MACsec, header masks of QUIC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aesmith.errors import RequestError
from aesmith.modes.message import Cipher, added

SALT, SSCI_BITS, PN_BITS, SAMPLE, MASK = 12, 32, 64, 16, 5
"""Bytes of a salt of XPN, bits of its two numbers, bytes of a sample of QUIC and of its mask."""


@dataclass(frozen=True)
class ServedName:
    """A name, the mode that serves it, and the fields of the smallest engine that does; `how` says what goes where."""

    name: str
    title: str
    standard: str
    mode: str
    how: str
    fields: Mapping[str, object] = field(default_factory=dict)
    key_bits: tuple[int, ...] = (128, 192, 256)


SERVED: Mapping[str, ServedName] = {
    served.name: served
    for served in (
        ServedName(
            "gmac",
            "GMAC",
            "SP 800-38D",
            "gcm",
            "a message of GCM without text: all that is authenticated goes as its header",
            {"release": "cut-through"},
        ),
        ServedName(
            "xpn",
            "GCM-AES-XPN",
            "IEEE 802.1AE",
            "gcm",
            "the sender makes the IV: the salt plus the SSCI and the packet number",
            key_bits=(128, 256),
        ),
        ServedName(
            "quic",
            "QUIC header masks",
            "RFC 9001, 5.4.3",
            "ecb",
            "a mask is the first five bytes of the encrypted sample, a block per packet",
            key_bits=(128, 256),
        ),
    )
}
"""All of them by name."""


def xpn_iv(salt: bytes, ssci: int, packet_number: int) -> bytes:
    """The IV of GCM of a packet of MACsec with extended packet numbers (IEEE 802.1AE, 14.8): the salt of 12 bytes, plus
    over GF(2) the short secure channel identifier (32 bits) with the packet number (64 bits) behind it.

    Raises RequestError for a salt of another size, and for numbers that have more bits or a sign.
    """
    if len(salt) != SALT:
        raise RequestError(f"salt: must have {SALT} bytes, not {len(salt)}")
    for name, number, bits in (("ssci", ssci, SSCI_BITS), ("packet_number", packet_number, PN_BITS)):
        if not 0 <= number < 1 << bits:
            raise RequestError(f"{name}: must be a number of {bits} bits, not {number}")
    return added(salt, ssci.to_bytes(SSCI_BITS // 8) + packet_number.to_bytes(PN_BITS // 8))


def quic_mask(cipher: Cipher, sample: bytes) -> bytes:
    """The five bytes that the header of a packet of QUIC is masked with (RFC 9001, 5.4.3), by the key of its headers.

    Raises RequestError for a sample of other than 16 bytes.
    """
    if len(sample) != SAMPLE:
        raise RequestError(f"sample: must have {SAMPLE} bytes, not {len(sample)}")
    return cipher.encrypt(sample)[:MASK]

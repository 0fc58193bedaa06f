"""Known answers of GCM-SST: the test vectors of draft-mattsson-cfrg-aes-gcm-sst (July 2026), appendix A."""

from __future__ import annotations

from collections.abc import Iterator

from aesmith.assurance.vectors.known import Call, KnownVector
from aesmith.modes.gcm_sst import GCM_SST
from aesmith.modes.message import Message

_CASES = (
    ("000102030405060708090a0b0c0d0e0f", "303132333435363738393a3b", "", "", "", "9b1d49ea42b00aecb0bceb8d"),
    ("000102030405060708090a0b0c0d0e0f", "303132333435363738393a3b", "4041424344", "", "", "7ff3cba4d5f308a5704e2fd5"),
    (
        "000102030405060708090a0b0c0d0e0f",
        "303132333435363738393a3b",
        "",
        "606162636465666768696a6b",
        "64f05bae1ed2403a71255edd",
        "f8de1785fd1a90d9818fcb7b",
    ),
    (
        "000102030405060708090a0b0c0d0e0f",
        "303132333435363738393a3b",
        "404142434445464748494a4b4c4d4e4f",
        "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e",
        "64f05bae1ed2403a71255edd53495ce17dc0cbc785a7a920db4228ff633210",
        "934356140b84482cd014c740",
    ),
    (
        "000102030405060708090a0b0c0d0e0f",
        "303132333435363738393a3b",
        "404142434445464748494a4b4c4d4e",
        "606162636465666768696a6b6c6d6e6f70",
        "64f05bae1ed2403a71255edd53495ce17d",
        "f850b7971143abe9315ad7eb",
    ),
    (
        "2923be84e16cd6ae529049f1f1bbe9eb",
        "9a50ee407836fd124932f69e",
        "1f035a7d0938251f5dd4cbfc96f5453b130d",
        "ad4f14f2444066d06bc430b7323ba122f622919d",
        "b865d5160783117321f56cb0754516b3da9db809",
        "4503bfb09682",
    ),
    (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "303132333435363738393a3b",
        "",
        "",
        "",
        "b33531c0e96f4a032a338eec",
    ),
    (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "303132333435363738393a3b",
        "4041424344",
        "",
        "",
        "63acca4d209fb39028ffc317",
    ),
    (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "303132333435363738393a3b",
        "",
        "606162636465666768696a6b",
        "fc462d34a75b22624fd73b27",
        "e1debffd5f3a85e348bd6fcc",
    ),
    (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "303132333435363738393a3b",
        "404142434445464748494a4b4c4d4e4f",
        "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e",
        "fc462d34a75b22624fd73b2784de105133117e1758b5edd0d65d683206bbad",
        "c35ed7839f21f7bba5a8a28e",
    ),
    (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "303132333435363738393a3b",
        "404142434445464748494a4b4c4d4e",
        "606162636465666768696a6b6c6d6e6f70",
        "fc462d34a75b22624fd73b2784de105133",
        "497c147767a53d5764cefd03",
    ),
    (
        "2923be84e16cd6ae529049f1f1bbe9ebb3a6db3c870c3e99245e0d1c06b7b312",
        "9a50ee407836fd124932f69e",
        "1f035a7d0938251f5dd4cbfc96f5453b130d",
        "ad4f14f2444066d06bc430b7323ba122f622919d",
        "b5c2a407f33e9988dec12f10647b3d4feb8ff7cc",
        "c4a1ca9a38c673afbf9c7349bf3c",
    ),
)
"""Key, nonce, associated data, plaintext, ciphertext and tag."""


def draft_vectors() -> Iterator[KnownVector]:
    """All of them, to encrypt."""
    for number, case in enumerate(_CASES, 1):
        key, nonce, header, plain, sealed, tag = map(bytes.fromhex, case)
        call = Call(GCM_SST, key, Message(nonce, header, plain, tag), encrypt=True)
        yield KnownVector(f"case {number}", call, sealed, tag)

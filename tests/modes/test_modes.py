"""The models of modes against OpenSSL and published vectors, their limits, and their number of calls."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import cmac, keywrap
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import aead, algorithms, modes
from tests.modes.engine_bench import iv_of

from aesmith.assurance.acvp.run import Models
from aesmith.assurance.streams.vectors import FILES, KEY_OF_RFC_3962, PUBLISHED, RFC_3962, TEXT_OF_RFC_3962
from aesmith.assurance.vectors.files import read_vectors
from aesmith.errors import RequestError
from aesmith.modes import chained, counting, message, offset
from aesmith.modes.catalogue import MODES
from aesmith.modes.chained import CBC, CBC_CS1, CBC_CS2, CBC_CS3, CFB8, CFB128, CMAC, OFB
from aesmith.modes.counting import CCM, CTR, GCM, check_gcm_length, ctr, first_counter
from aesmith.modes.gcm_siv import GCM_SIV, polyval
from aesmith.modes.gcm_sst import GCM_SST
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, MessageOutcome, MessageRefused, ModeOfOperation
from aesmith.modes.offset import OCB3, XTS
from aesmith.modes.siv import SIV

try:
    from cryptography.hazmat.decrepit.ciphers import modes as old_modes
except ImportError:  # Older versions have them beside the others.
    old_modes = modes

PLAIN: dict[str, tuple[ModeOfOperation, Callable[[bytes], modes.Mode]]] = {
    "cbc": (CBC, modes.CBC),
    "cfb128": (CFB128, old_modes.CFB),
    "cfb8": (CFB8, old_modes.CFB8),
    "ofb": (OFB, old_modes.OFB),
    "ctr": (CTR, modes.CTR),
    "xts": (XTS, modes.XTS),
}


def _openssl(mode: modes.Mode, key: bytes, text: bytes) -> bytes:
    encryptor = OpenSsl(algorithms.AES(key), mode).encryptor()
    return encryptor.update(text) + encryptor.finalize()


def _round_trip(mode: ModeOfOperation, key: bytes, sent: Message) -> MessageOutcome:
    """Encrypt, check the calls, decrypt, check that it is the text again; gives what encryption made."""
    cipher = Cipher(key)
    made = mode.encrypt(cipher, sent)
    # Of GCM-SIV two more with keys of 256 bits, for a longer key of the message.
    more = 2 * (mode is GCM_SIV and len(key) == 32)
    if mode is SIV:  # and of AES-SIV those of the nonce, which is a component of the header
        more = -(-len(sent.iv) // BLOCK)
    assert cipher.calls == mode.calls(len(sent.header), len(sent.text)) + more, mode.name
    received = Message(sent.iv, sent.header, sent.text if mode is CMAC else made.text, made.tag)
    back = mode.decrypt(Cipher(key), received)
    assert back.authentic in ((True,) if mode.authenticated else (None,))
    assert back.text == (b"" if mode is CMAC else sent.text)
    return made


@pytest.mark.parametrize("name", PLAIN)
def test_random_messages_are_encrypted_as_by_openssl(name: str) -> None:
    mode, theirs = PLAIN[name]
    rng = random.Random(name)
    for size in [*range(0, 70), 255, 256, 300]:
        if (name == "cbc" and size % 16) or (name == "xts" and size < 16):
            continue
        key = rng.randbytes(rng.choice((32, 64) if name == "xts" else (16, 24, 32)))
        sent = Message(iv=rng.randbytes(16), text=rng.randbytes(size))
        assert _round_trip(mode, key, sent).text == _openssl(theirs(sent.iv), key, sent.text), size


def test_counters_wrap_in_their_own_bits() -> None:
    key, text = bytes(range(16)), bytes(64)
    full = Message(iv=b"\xff" * 16, text=text)
    assert CTR.encrypt(Cipher(key), full).text == _openssl(modes.CTR(full.iv), key, text)
    low = ctr(8).encrypt(Cipher(key), full).text
    assert low[:16] == _openssl(modes.CTR(full.iv), key, text)[:16]
    assert low[16:] == _openssl(modes.CTR(b"\xff" * 15 + b"\0"), key, text[16:])
    assert low[16:32] != CTR.encrypt(Cipher(key), full).text[16:32]


def test_the_counter_of_gcm_wraps_at_32_bits() -> None:
    """An IV is solved for whose first counter block is the last, or the last but one, before the wrap."""
    key = bytes(range(16))
    hash_key = Cipher(key).constant(bytes(16))
    for last in (0xFFFFFFFF, 0xFFFFFFFE):
        wanted = b"\x5a" * 12 + last.to_bytes(4)
        iv = iv_of(wanted, hash_key)
        assert first_counter(hash_key, iv) == wanted
        sent = Message(iv=iv, text=bytes(80), tag=bytes(16))
        made = _round_trip(GCM, key, sent)
        assert made.text + made.tag == aead.AESGCM(key).encrypt(iv, sent.text, None)


def _siv_of_openssl(key: bytes, header: list[bytes], text: bytes) -> bytes:
    """Text and tag of AES-SIV; empty components of the header are left out."""
    sealed = aead.AESSIV(key).encrypt(text, [part for part in header if part])
    return sealed[BLOCK:] + sealed[:BLOCK]


AEADS: dict[
    str, tuple[ModeOfOperation, tuple[int, ...], tuple[int, ...], Callable[[bytes, bytes, bytes, bytes, int], bytes]]
] = {
    "gcm": (GCM, (16,), (8, 12, 13, 16, 60), lambda k, n, t, h, _: aead.AESGCM(k).encrypt(n, t, h)),
    "ccm": (CCM, counting.CCM_TAGS, (7, 8, 11, 13), lambda k, n, t, h, size: aead.AESCCM(k, size).encrypt(n, t, h)),
    "gcm-siv": (GCM_SIV, (16,), (12,), lambda k, n, t, h, _: aead.AESGCMSIV(k).encrypt(n, t, h)),
    "siv": (SIV, (16,), (0, 12, 16, 17), lambda k, n, t, h, _: _siv_of_openssl(k, [h, n], t)),
    "ocb3": (OCB3, (16,), (12, 13, 15), lambda k, n, t, h, _: aead.AESOCB3(k).encrypt(n, t, h)),
}


@pytest.mark.parametrize("name", AEADS)
def test_random_messages_are_authenticated_as_by_openssl(name: str) -> None:
    mode, tags, nonces, theirs = AEADS[name]
    rng = random.Random(name)
    for size in [*range(0, 50), 128, 300]:
        keys = {GCM_SIV.name: (16, 32), SIV.name: (32, 48, 64)}.get(mode.name, (16, 24, 32))
        key, iv = rng.randbytes(rng.choice(keys)), rng.randbytes(rng.choice(nonces))
        sent = Message(
            iv, rng.randbytes(rng.choice((0, 1, 15, 16, 17, 40))), rng.randbytes(size), bytes(rng.choice(tags))
        )
        made = _round_trip(mode, key, sent)
        assert made.text + made.tag == theirs(key, iv, sent.text, sent.header, len(sent.tag)), size
        for part in ("iv", "header", "text", "tag"):
            received = {"iv": iv, "header": sent.header, "text": made.text, "tag": made.tag}
            if not received[part]:
                continue
            received[part] = bytes([received[part][0] ^ 1]) + received[part][1:]
            assert mode.decrypt(Cipher(key), Message(**received)) == MessageOutcome(b"", authentic=False), part


def test_components_of_a_header_of_aes_siv_are_told_apart() -> None:
    key, tags = bytes(range(32)), set[bytes]()
    for header in ((), (b"",), (b"", b""), (b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"c", b"ab"), (b"x",) * 126):
        sent = Message(text=b"text", tag=bytes(16), components=header)
        made = SIV.encrypt(Cipher(key), sent)
        assert made.tag + made.text == aead.AESSIV(key).encrypt(sent.text, [*header])
        tags.add(made.tag)
    assert len(tags) == 8


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 32, 33, 300])
def test_cmac_is_that_of_openssl(size: int) -> None:
    rng = random.Random(size)
    key, text = rng.randbytes(24), rng.randbytes(size)
    theirs = cmac.CMAC(algorithms.AES(key))
    theirs.update(text)
    assert _round_trip(CMAC, key, Message(text=text, tag=bytes(16))).tag == theirs.finalize()
    assert CMAC.decrypt(Cipher(key), Message(text=text + b"x", tag=bytes(16))).authentic is False


@pytest.mark.parametrize("name", FILES)
def test_published_vectors(name: str) -> None:
    """Of large files every 31st vector, so that all lengths come; `aesmith vectors --model` takes all."""
    models, agreed = Models(), 0
    for file in FILES[name]:
        step = 1 if name in ("ctr", "ocb3", "cbc", "cmac", "gcm-siv", "siv") else 31
        for vector in read_vectors(PUBLISHED / file, name)[::step]:
            assert vector.call is not None or name == "xts"
            for way in (vector, vector.other_way):
                if way is not None and way.call is not None:
                    [answer] = models.answers([way.call])
                    assert way.wrong(answer) == "", (file, way.place)
                    agreed += 1
    assert agreed >= (8 if name == "siv" else 10)


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_vector_is_seen_in_both_directions(name: str) -> None:
    vector = next(vector for vector in read_vectors(PUBLISHED / FILES[name][-1], name) if vector.other_way is not None)
    for way in (vector, vector.other_way):
        assert way is not None
        assert way.call is not None
        message, named = way.call.message, "tag" if way.call.message.tag else "text"
        changed = replace(message, **{named: flipped(getattr(message, named))})
        call = way.call if way.call.encrypt and named == "tag" else replace(way.call, message=changed)
        wanted = replace(way, tag=flipped(way.tag)) if call is way.call else way
        assert wanted.wrong(Models().answers([call])[0])
        assert replace(way, fails=True).wrong(Models().answers([way.call])[0]) == "must be found wrong, and is not"


def flipped(data: bytes) -> bytes:
    """The data with the last bit the other way round."""
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    ("mode", "sent", "fault"),
    [
        (CTR, Message(iv=bytes(12)), Fault.IV),
        (CBC, Message(iv=bytes(15), text=bytes(16)), Fault.IV),
        (CBC, Message(iv=bytes(16), text=bytes(17)), Fault.LENGTH),
        (ctr(8), Message(iv=bytes(16), text=bytes(16 * 256 + 1)), Fault.WRAP),
        (GCM, Message(tag=bytes(16)), Fault.IV),
        (GCM, Message(iv=bytes(12), tag=bytes(11)), Fault.TAG),
        (GCM_SIV, Message(iv=bytes(16), tag=bytes(16)), Fault.IV),
        (GCM_SIV, Message(iv=bytes(12), tag=bytes(12)), Fault.TAG),
        (GCM_SST, Message(iv=bytes(16), tag=bytes(12)), Fault.IV),
        (GCM_SST, Message(iv=bytes(12), tag=bytes(16)), Fault.TAG),
        (GCM_SST, Message(iv=bytes(12), text=bytes((1 << 16) + 1), tag=bytes(14)), Fault.LENGTH),
        (SIV, Message(tag=bytes(12)), Fault.TAG),
        (SIV, Message(tag=bytes(16), components=(b"",) * 127), Fault.LENGTH),
        (CCM, Message(iv=bytes(6), tag=bytes(16)), Fault.IV),
        (CCM, Message(iv=bytes(14), tag=bytes(16)), Fault.IV),
        (CCM, Message(iv=bytes(13), tag=bytes(5)), Fault.TAG),
        (CCM, Message(iv=bytes(13), text=bytes(65536), tag=bytes(16)), Fault.LENGTH),
        (OCB3, Message(tag=bytes(16)), Fault.IV),
        (OCB3, Message(iv=bytes(16), tag=bytes(16)), Fault.IV),
        (OCB3, Message(iv=bytes(12)), Fault.TAG),
        (XTS, Message(iv=bytes(16), text=bytes(15)), Fault.LENGTH),
        (XTS, Message(iv=bytes(8), text=bytes(16)), Fault.IV),
        (CMAC, Message(tag=bytes(3)), Fault.TAG),
        (CBC_CS1, Message(iv=bytes(16), text=bytes(15)), Fault.LENGTH),
        (CBC_CS3, Message(iv=bytes(15), text=bytes(17)), Fault.IV),
        (KW, Message(text=bytes(8)), Fault.LENGTH),
        (KW, Message(text=bytes(25)), Fault.LENGTH),
        (KW, Message(iv=bytes(8), text=bytes(24)), Fault.IV),
        (KWP, Message(), Fault.LENGTH),
    ],
)
def test_messages_a_mode_does_not_take_are_refused_in_both_directions(
    mode: ModeOfOperation, sent: Message, fault: Fault
) -> None:
    cipher = Cipher(bytes(range(32)))
    for work in (mode.encrypt, mode.decrypt):
        with pytest.raises(MessageRefused, match=fault.name) as refused:
            work(cipher, sent)
        assert refused.value.fault is fault
    assert cipher.calls == 0


def test_the_last_message_that_a_mode_takes_is_taken() -> None:
    key = bytes(range(32))
    assert len(ctr(8).encrypt(Cipher(key), Message(iv=bytes(16), text=bytes(16 * 256))).text) == 16 * 256
    assert len(CCM.encrypt(Cipher(key), Message(iv=bytes(13), text=bytes(65535), tag=bytes(4))).text) == 65535
    check_gcm_length(counting.GCM_MOST_TEXT)
    with pytest.raises(MessageRefused, match="LENGTH"):
        check_gcm_length(counting.GCM_MOST_TEXT + 1)


def test_equal_halves_of_an_xts_key_and_odd_keys_are_refused() -> None:
    with pytest.raises(MessageRefused, match="XTS"):
        XTS.encrypt(Cipher(bytes(32)), Message(iv=bytes(16), text=bytes(16)))
    with pytest.raises(RequestError):
        CTR.encrypt(Cipher(bytes(17)), Message(iv=bytes(16), text=bytes(16)))


def test_the_page_says_of_each_mode_what_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "modes.md").read_text(encoding="utf-8")
    table = page.partition("| mode |")[2].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table if line.startswith("| `")]
    said = {name: row[1:] for row in rows for name in row[0].split("`")[1::2] if name != "w"}
    assert said.keys() == MODES.keys()
    yes = {True: "yes", False: "no"}
    for name, mode in MODES.items():
        standard, _, chained, inverse, _ = said[name]
        assert mode.standard.startswith(standard), name
        assert (chained, inverse) == (yes[mode.chained], yes[mode.decrypts_with_inverse]), name


def test_counters_and_keys_that_no_mode_has_are_refused() -> None:
    for bits in (0, 129):
        with pytest.raises(RequestError, match=f"bits: a counter must have 1 to 128 bits, not {bits}"):
            ctr(bits)
    for size in (16, 40):
        with pytest.raises(RequestError, match=f"key: AES-SIV takes two keys of 16, 24 or 32 bytes, .*, not {size}"):
            SIV.encrypt(Cipher(bytes(size)), Message(tag=bytes(16)))
    for size in (16, 48):
        with pytest.raises(RequestError, match=f"key: XTS takes two keys of 16 or of 32 bytes, .*, not {size}"):
            XTS.encrypt(Cipher(bytes(range(size))), Message(iv=bytes(16), text=bytes(16)))


def test_polyval_is_that_of_the_rfc_and_keys_of_192_bits_are_refused() -> None:
    """RFC 8452, appendix A."""
    key, *data = map(
        bytes.fromhex,
        ("25629347589242761d31f826ba4b757b", "4f4f95668c83dfb6401762bb2d01a262", "d1a24ddd2721d006bbe45f20d3c9f362"),
    )
    assert polyval(key, data).hex() == "f7a3b47b846119fae5b7866cf5e5b77e"
    with pytest.raises(RequestError, match="key: GCM-SIV takes keys of 16 or of 32 bytes, not 24"):
        GCM_SIV.encrypt(Cipher(bytes(24)), Message(iv=bytes(12), tag=bytes(16)))


WRAPPED = {"kw": (KW, keywrap.aes_key_wrap, 8), "kwp": (KWP, keywrap.aes_key_wrap_with_padding, 1)}


@pytest.mark.parametrize("name", WRAPPED)
def test_keys_are_wrapped_as_by_openssl_and_a_changed_bit_is_seen(name: str) -> None:
    mode, theirs, unit = WRAPPED[name]
    rng = random.Random(name)
    for size in range(16 if name == "kw" else 1, 70, unit):
        key = rng.randbytes(rng.choice((16, 24, 32)))
        sent = Message(text=rng.randbytes(size))
        made = _round_trip(mode, key, sent)
        assert made.text == theirs(key, sent.text)
        wrong = bytearray(made.text)
        wrong[rng.randrange(len(wrong))] ^= 1 << rng.randrange(8)
        back = mode.decrypt(Cipher(key), Message(text=bytes(wrong)))
        assert (back.authentic, back.text) == (False, b"")


def test_a_padding_of_kwp_that_is_not_zero_or_too_long_is_refused() -> None:
    """RFC 5649, section 3: the length may leave less than eight bytes of padding, all zero."""
    key = bytes(range(16))
    for first, text in (
        ("A65959A600000003", "0102030000000001"),
        ("A65959A600000009", "0102030405060708"),
        ("A65959A600000000", "0000000000000000"),
        ("A65959A700000008", "0102030405060708"),
    ):
        sealed = Cipher(key).encrypt(bytes.fromhex(first + text))
        assert KWP.decrypt(Cipher(key), Message(text=sealed)).authentic is False
    sealed = Cipher(key).encrypt(bytes.fromhex("A65959A6000000030102030000000000"))
    assert KWP.decrypt(Cipher(key), Message(text=sealed)).text == b"\1\2\3"


@pytest.mark.parametrize("size", RFC_3962)
def test_stolen_ciphertext_is_the_published_one(size: int) -> None:
    made = _round_trip(CBC_CS3, KEY_OF_RFC_3962, Message(bytes(16), text=TEXT_OF_RFC_3962[:size])).text
    assert made.hex() == RFC_3962[size]


def test_variants_of_stealing_differ_in_the_order_of_the_last_two_parts() -> None:
    key, iv, rng = bytes(range(16)), bytes(range(16, 32)), random.Random(3)
    for size in range(16, 70):
        sent = Message(iv, text=rng.randbytes(size))
        one, two, three = (_round_trip(mode, key, sent).text for mode in (CBC_CS1, CBC_CS2, CBC_CS3))
        partial, cut = size % 16, (size - 1) // 16 * 16 - 16
        swapped = one[:cut] + one[-16:] + one[cut:-16] if size > 16 else one
        assert (two, three) == (swapped if partial else one, swapped)
        if not partial:
            assert one == CBC.encrypt(Cipher(key), sent).text


def _wrong(monkeypatch: pytest.MonkeyPatch, module: object, name: str, value: object) -> None:
    monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("mutant", ["carry", "padding", "lengths in bits", "late doubling"])
def test_wrong_models_are_seen(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparisons above can fail: each with a model that is a little wrong."""
    checks: dict[str, Callable[[], None]] = {
        "carry": test_the_counter_of_gcm_wraps_at_32_bits,
        "padding": lambda: test_random_messages_are_authenticated_as_by_openssl("gcm"),
        "lengths in bits": lambda: test_random_messages_are_authenticated_as_by_openssl("ccm"),
        "late doubling": lambda: test_random_messages_are_authenticated_as_by_openssl("ocb3"),
    }
    if mutant == "carry":
        _wrong(monkeypatch, counting, "key_stream", lambda c, f, s, _bits: message.key_stream(c, f, s, 128))
    elif mutant == "padding":
        _wrong(monkeypatch, counting, "padded", lambda data: data + b"\x01" * (-len(data) % 16))
    elif mutant == "lengths in bits":
        _wrong(monkeypatch, counting, "length_of_header", lambda size: (8 * size).to_bytes(2) if size else b"")
    else:
        _wrong(monkeypatch, offset, "doubled", lambda block, times=1: chained.doubled(block, times + 1))
    with pytest.raises((AssertionError, InvalidTag)):
        checks[mutant]()

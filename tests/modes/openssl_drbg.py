"""CTR_DRBG of OpenSSL 3 (EVP_RAND), with entropy that a test gives: an oracle for models."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import Any

import pytest

from aesmith.assurance.vectors.drbg import DrbgCase

_LIBRARY = ctypes.util.find_library("crypto")
_POINTER = ctypes.c_void_p
_UNSIGNED, _TEXT, _BYTES = 2, 4, 5
"""Types of parameters (core.h)."""


class _Parameter(ctypes.Structure):
    """OSSL_PARAM."""

    _fields_ = (
        ("key", ctypes.c_char_p),
        ("type", ctypes.c_uint),
        ("data", _POINTER),
        ("size", ctypes.c_size_t),
        ("returned", ctypes.c_size_t),
    )


@cache
def _library() -> Any:
    library = ctypes.CDLL(_LIBRARY)
    size, flag, text = ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
    for name, result, *arguments in (
        ("fetch", _POINTER, _POINTER, text, text),
        ("CTX_new", _POINTER, _POINTER, _POINTER),
        ("CTX_free", None, _POINTER),
        ("CTX_set_params", flag, _POINTER, _POINTER),
        ("instantiate", flag, _POINTER, ctypes.c_uint, flag, text, size, _POINTER),
        ("reseed", flag, _POINTER, flag, text, size, text, size),
        ("generate", flag, _POINTER, _POINTER, size, ctypes.c_uint, flag, text, size),
    ):
        function = getattr(library, f"EVP_RAND_{name}")
        function.restype, function.argtypes = result, arguments
    return library


@cache
def _has_it() -> bool:
    try:
        return bool(_library().EVP_RAND_fetch(None, b"TEST-RAND", None))
    except (AttributeError, OSError, TypeError):
        return False


needs_openssl = pytest.mark.skipif(not _has_it(), reason="libcrypto of OpenSSL 3 with TEST-RAND is not installed")
"""Mark of tests that call it."""


def _set(context: int, **values: bytes | str | int) -> None:
    """Parameters of a context by their names."""
    made, kept = (_Parameter * (len(values) + 1))(), list[Any]()
    for parameter, (name, value) in zip(made, values.items(), strict=False):
        if isinstance(value, int):
            kept.append(ctypes.c_uint(value))
            kind, size = _UNSIGNED, 4
        else:
            data = value.encode() if isinstance(value, str) else value
            kept.append(ctypes.create_string_buffer(data, max(1, len(data))))
            kind, size = _TEXT if isinstance(value, str) else _BYTES, len(data)
        parameter.key, parameter.type, parameter.size = name.encode(), kind, size
        parameter.data = ctypes.cast(ctypes.pointer(kept[-1]), _POINTER)
    assert _library().EVP_RAND_CTX_set_params(context, made)


def drawn(case: DrbgCase) -> bytes:
    """What the last request of a case returns."""
    rand, strength = _library(), case.key_bits
    source = rand.EVP_RAND_CTX_new(rand.EVP_RAND_fetch(None, b"TEST-RAND", None), None)
    drbg = rand.EVP_RAND_CTX_new(rand.EVP_RAND_fetch(None, b"CTR-DRBG", None), source)
    _set(source, strength=strength, test_entropy=case.entropy, test_nonce=case.nonce)
    _set(drbg, cipher=f"AES-{case.key_bits}-CTR", use_derivation_function=int(case.derivation))
    assert rand.EVP_RAND_instantiate(source, strength, 0, None, 0, None)
    assert rand.EVP_RAND_instantiate(drbg, strength, 0, case.personalization, len(case.personalization), None)
    bits = ctypes.create_string_buffer(case.returned)
    for step in case.steps:
        given, resists = (step.additional, len(step.additional)), step.entropy is not None
        if step.entropy is not None:
            _set(source, test_entropy=step.entropy)
        if step.reseeds:
            assert rand.EVP_RAND_reseed(drbg, 0, None, 0, *given)
        else:
            assert rand.EVP_RAND_generate(drbg, bits, case.returned, strength, int(resists), *given)
    for context in (drbg, source):
        rand.EVP_RAND_CTX_free(context)
    return bits.raw

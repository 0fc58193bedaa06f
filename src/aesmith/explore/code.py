"""Digests of the code that things come from: it may change while the version does not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable

from aesmith.explore.facts import digest_of

_GENERATOR = ("fields", "circuits", "sboxes", "rtl", "cores", "compiled.py", "publications.py")
_GENERATOR_NEEDS = ("numpy", "scipy", "pydantic")
_SIMULATION = ("assurance", "reference")
_APART = ("proof",)
_PROOF = ("assurance/proof", "circuits")


@cache
def generator_digest() -> str:
    """SHA-256 (hex) of what makes cores of specifications, with the versions of what calculates there."""
    return digest_of(_digest(_GENERATOR, ()), [metadata.version(name) for name in _GENERATOR_NEEDS])


@cache
def simulation_digest() -> str:
    """SHA-256 (hex) of what simulates cores against the reference."""
    return _digest(_SIMULATION, _APART)


@cache
def proof_digest() -> str:
    """SHA-256 (hex) of what proves cores."""
    return _digest(_PROOF, ())


def _digest(parts: tuple[str, ...], apart: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    root = files("aesmith")
    for part in parts:
        for name, content in _contents(root.joinpath(part), part, apart):
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _contents(place: Traversable, name: str, apart: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    if place.is_file():
        yield name, place.read_bytes()
        return
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.name not in ("__pycache__", *apart) and not entry.name.endswith(".pyc"):
            yield from _contents(entry, f"{name}/{entry.name}", apart)

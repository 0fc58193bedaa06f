"""Search the inverse in GF(2^4) from RRB words to RRB words with the smallest sum of products.

    python benchmarks/nekado_inverse.py

Both words of an element may stand for its inverse, so each orbit of words under rotation leaves one choice of two. The
inverse of β·n is β^-1·n^-1: bit k of the result is bit 0 of the result for the word rotated by k, so one function of
five bits is all there is to minimise, exactly, for every choice. Prints the smallest covers: products of literals of
n_0 to n_4, a prime for a complement.
"""

from __future__ import annotations

import itertools

from aesmith.fields.aes import FIELD
from aesmith.sboxes.nekado2012 import TOWER

Cube = tuple[int, int]
"""Mask of the bits that matter, and their values."""

CUBES = [(mask, value) for mask in range(32) for value in range(32) if value & ~mask == 0]


def element(word: int) -> int:
    """The element of GF(2^4) that an RRB word stands for."""
    total = 0
    for i in range(5):
        if word >> i & 1:
            total ^= FIELD.power(TOWER.beta, i)
    return total


def rotated(word: int, by: int) -> int:
    """Bit i of the word becomes bit i + by, modulo 5."""
    return (word << by % 5 | word >> (5 - by % 5)) & 31


def covered(cube: Cube) -> frozenset[int]:
    """The words in a cube."""
    return frozenset(word for word in range(32) if word & cube[0] == cube[1])


def smallest_cover(ones: frozenset[int]) -> list[Cube]:
    """Fewest prime implicants, then fewest literals, that cover exactly these words."""
    inside = {cube: covered(cube) for cube in CUBES if covered(cube) <= ones}
    primes = {cube: words for cube, words in inside.items() if not any(words < other for other in inside.values())}
    best: list[Cube] = []

    def cover(left: frozenset[int], chosen: list[Cube]) -> None:
        nonlocal best
        if best and _cost(chosen) >= _cost(best):
            return
        if not left:
            best = chosen
            return
        word = min(left, key=lambda w: sum(w in words for words in primes.values()))
        for cube, words in primes.items():
            if word in words:
                cover(left - words, [*chosen, cube])

    cover(ones, [])
    return best


def _cost(cover: list[Cube]) -> tuple[int, int]:
    return len(cover), sum(mask.bit_count() for mask, _ in cover)


def literals(cube: Cube) -> str:
    """For example 0 2' 3'."""
    return " ".join(f"{i}{'' if cube[1] >> i & 1 else chr(39)}" for i in range(5) if cube[0] >> i & 1)


def main() -> None:
    """Search all choices and print the best covers of bit 0."""
    words: dict[int, list[int]] = {}
    for word in range(32):
        words.setdefault(element(word), []).append(word)
    orbits = sorted({min(rotated(word, k) for k in range(5)) for word in range(32)})
    found = []
    for choices in itertools.product((0, 1), repeat=len(orbits)):
        ones = set()
        for orbit, choice in zip(orbits, choices, strict=True):
            result = words[FIELD.inverse(element(orbit))][choice]
            ones |= {rotated(orbit, k) for k in range(5) if result >> k & 1}
        cover = smallest_cover(frozenset(ones))
        if cover:
            found.append((_cost(cover), cover))
    found.sort(key=lambda entry: entry[0])
    for (products, count), cover in found[:8]:
        print(f"{products} products, {count} literals: {' | '.join(map(literals, cover))}")


if __name__ == "__main__":
    main()

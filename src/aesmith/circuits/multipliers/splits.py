"""Products of polynomials over GF(2) by a word of splits, each of which makes three products of half the length.

The word has a letter a split, the outermost first; below the last one products are schoolbook. With factors of 2h
coefficients A = A0 + A1·s, and P0 = A0·B0, P1 = A1·B1, P2 = (A0 + A1)(B0 + B1), the product is
P0 + (P0 + P1 + P2)·s + P1·s²:

| letter | A0 and A1 | additions | source |
|---|---|---|---|
| `k` | halves, s = x^h | 8h - 4 | Karatsuba and Ofman, 1962, as usually written |
| `b` | halves | 7h - 3: (P0 + x^h·P1)(1 + x^h) + x^h·P2 | Bernstein, 2000 and 2009 |
| `o` | even and odd coefficients, s = x | 8h - 4, one level fewer: P0 and s²·P1 do not overlap | Fan et al., 2010 |

A product is made in three steps, *leaves* of each factor, *columns* of the base products and *recombination*, so that
several products can be added before the last one, which is linear (Hasan, Méloni, Namin and Nègre, 2012).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

from aesmith.circuits.circuit import CircuitBuilder, Wire
from aesmith.errors import RequestError

LETTERS = "bko"
"""The splits there are."""


def check_splits(word: str, width: int) -> None:
    """Raises RequestError for a letter that is no split, or if `width` can't be halved so often."""
    if unknown := sorted(set(word) - set(LETTERS)):
        raise RequestError(f"splits: must be a word of the letters b, k and o, not {word!r} ({unknown[0]!r})")
    if width % (1 << len(word)):
        raise RequestError(f"splits: {width} coefficients can't be halved {len(word)} times, as {word!r} asks")


Columns = list[list[Wire]]
"""The terms of each coefficient of a polynomial, coefficient 0 first; none is without terms."""


@dataclass
class Summing:
    """Gates of a multiplier. Sums of several terms take first what is there first, so that they have least depth."""

    builder: CircuitBuilder
    _levels: dict[Wire, int] = field(default_factory=dict)

    def level(self, wire: Wire) -> int:
        """Gates in series before a wire; 0 for an input."""
        return self._levels.get(wire, 0)

    def _placed(self, wire: Wire, a: Wire, b: Wire) -> Wire:
        self._levels[wire] = 1 + max(self.level(a), self.level(b))
        return wire

    def and_(self, a: Wire, b: Wire) -> Wire:
        """The product of two bits."""
        return self._placed(self.builder.and_(a, b), a, b)

    def xor(self, a: Wire, b: Wire) -> Wire:
        """The sum of two bits."""
        return self._placed(self.builder.xor(a, b), a, b)

    def sum(self, terms: Sequence[Wire]) -> Wire:
        """The sum of one bit or more, by one gate fewer than there are bits."""
        queue = [(self.level(wire), order, wire) for order, wire in enumerate(terms)]
        heapq.heapify(queue)
        order = len(queue)
        while len(queue) > 1:
            a, b = heapq.heappop(queue)[2], heapq.heappop(queue)[2]
            total = self.xor(a, b)
            heapq.heappush(queue, (self.level(total), order, total))
            order += 1
        return queue[0][2]

    def sums(self, columns: Sequence[Sequence[Wire]]) -> list[Wire]:
        """The sum of each column."""
        return [self.sum(column) for column in columns]


def leaves(gates: Summing, word: str, factor: Sequence[Wire]) -> list[list[Wire]]:
    """The 3^len(word) factors of the base products, coefficient 0 first: those of A0, of A1, of A0 + A1."""
    if not word:
        return [list(factor)]
    low, high = _parts(word[0], factor)
    both = [gates.xor(a, b) for a, b in zip(low, high, strict=True)]
    return [leaf for part in (low, high, both) for leaf in leaves(gates, word[1:], part)]


def _parts(letter: str, factor: Sequence[Wire]) -> tuple[Sequence[Wire], Sequence[Wire]]:
    half = len(factor) // 2
    return (factor[0::2], factor[1::2]) if letter == "o" else (factor[:half], factor[half:])


def columns(gates: Summing, a: Sequence[Wire], b: Sequence[Wire]) -> Columns:
    """The terms of each coefficient of a schoolbook product."""
    terms: Columns = [[] for _ in range(len(a) + len(b) - 1)]
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            terms[i + j].append(gates.and_(left, right))
    return terms


def recombined(gates: Summing, word: str, products: Sequence[Columns]) -> Columns:
    """The terms of each coefficient of the product; `products` are the base products in the order of `leaves`.

    Sums of the outermost split are left open: what is added to a coefficient later is added in the order of arrival.
    """
    if not word:
        return products[0]
    third = len(products) // 3
    inner = [recombined(gates, word[1:], products[i * third : (i + 1) * third]) for i in range(3)]
    p0, p1, p2 = (gates.sums(terms) for terms in inner)
    half = (len(p0) + 1) // 2
    if word[0] == "b":
        once = gates.sums(overlapped([(p0, 0), (p1, half)]))
        return overlapped([(once, 0), (once, half), (p2, half)])
    middle = [gates.sum(terms) for terms in zip(p0, p1, p2, strict=True)]
    if word[0] == "k":
        return overlapped([(p0, 0), (middle, half), (p1, 2 * half)])
    even = overlapped([(p0, 0), (p1, 1)])
    product = [even[0]]
    for odd, following in zip(middle, even[1:], strict=True):
        product += [[odd], following]
    return product


def overlapped(parts: Sequence[tuple[Sequence[Wire], int]]) -> Columns:
    """The terms of the sum of polynomials, each times a power of x, which leave no coefficient out."""
    terms: Columns = [[] for _ in range(max(len(part) + shift for part, shift in parts))]
    for part, shift in parts:
        for i, wire in enumerate(part):
            terms[shift + i].append(wire)
    return terms

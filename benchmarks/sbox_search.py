"""Search all towers for small S-boxes of the kind of `aesmith.sboxes.norm_tower`.

    python benchmarks/sbox_search.py forward|inverse [--objective OBJECTIVE] [--most-input-xors 18] [--keep 20]
    python benchmarks/sbox_search.py combined [--objective small|no-output-map] [--seconds 300]

A half of the input (the coefficient a or b of x = a·P + b·Q) gives nine forms: three of the five GF(2^2)-lines of one
of the 17 GF(2^4)-lines of GF(2^8). Up to rotation there are two kinds of triples, so there are 2·136·25 = 6,800
pairs of halves. For each, the walk over node sets gives the XORs of the 18 input forms, and of the output map over the
18 products (which has the same shape, transposed: a map of 8 to 18 turned round costs ten XORs more). Pairs whose norm
has its square merged into the products, in a basis that an inverter in GF(2^4) takes, are ranked by gate equivalents:
XOR and XNOR 2, NAND and NOR 1, and the inverter (objective `small`); the best of them again by the XORs of maps bounded
to the least depth (`shallow`), or of the maps of a circuit without output map (`no-output-map`). `combined` tries
towers that are good for either direction, each with many offsets. Takes about a quarter of an hour on one core.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.circuits.linear import LinearSearch, smallest_depth
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.aes import FIELD
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.sboxes.norm_tower import (
    NormTower,
    PlaceInverse4,
    forms,
    independent,
    place_inverse_by_selection,
    place_inverse_in_four_levels,
    trace_4,
)

GENERATOR = 0x03
POWERS = [FIELD.power(GENERATOR, i) for i in range(255)]
LOGARITHM = {element: i for i, element in enumerate(POWERS)}
KINDS = ((0, 1, 2), (0, 1, 3))
"""Triples of the five lines, up to rotation."""

INVERTERS: dict[str, tuple[PlaceInverse4, float]] = {
    "selection": (place_inverse_by_selection, 16.7),
    "four levels": (place_inverse_in_four_levels, 27.0),
}
"""Each with its gate equivalents."""

MAPS = {
    "forward": (BitMatrix.identity(8), aes.AFFINE),
    "inverse": (aes.INVERSE_AFFINE, BitMatrix.identity(8)),
}
"""Before the forms, and after the inversion."""

SUMS_OF_INVERSE, PRODUCTS, MULTIPLEXER = 5 * 2.0, 18.0, 2.3
EXTRA_FOR_OUTPUT = 10


@dataclass(frozen=True)
class Halves:
    """Two halves of the input: kind of triple, line and rotation of either."""

    kind: int
    lines: tuple[int, int]
    rotations: tuple[int, int]

    def cosets(self, half: int) -> list[int]:
        """The three GF(2^2)-lines of a half, as logarithms modulo 85."""
        return [(self.lines[half] + 17 * ((k + self.rotations[half]) % 5)) % 85 for k in KINDS[self.kind]]

    def half(self, half: int, shifts: tuple[int, ...] = (0, 0, 0)) -> tuple[int, ...]:
        """The nine forms of a half, those of each GF(2^2)-line rotated by its shift."""
        cosets = zip(self.cosets(half), shifts, strict=True)
        return tuple(line(coset)[(k + shift) % 3] for coset, shift in cosets for k in range(3))


@dataclass(frozen=True)
class Candidate:
    """A tower with its estimated gate equivalents and the XORs of its input forms and output map."""

    area: float
    input_xors: int
    output_xors: int
    inverter: str
    tower: NormTower


def line(logarithm: int) -> list[int]:
    """A GF(2^2)-line without 0."""
    return [POWERS[(logarithm + 85 * k) % 255] for k in range(3)]


def all_halves() -> Iterator[Halves]:
    """All 6,800."""
    for kind in range(len(KINDS)):
        for lines in itertools.combinations(range(17), 2):
            for rotation, other in itertools.product(range(5), repeat=2):
                yield Halves(kind, lines, (rotation, other))


def xors(matrix: BitMatrix) -> int:
    """XORs after one round of the walk, which is nearly always the smallest found at all."""
    search = LinearSearch(matrix)
    search.advance()
    return search.best.xors


def output_costs(out_of: BitMatrix) -> dict[frozenset[int], int]:
    """XORs of every output map, by the six GF(2^2)-lines that its columns are before `out_of`."""
    costs = {}
    for halves in all_halves():
        cosets = halves.cosets(0) + halves.cosets(1)
        columns = tuple(out_of.apply(element) for coset in cosets for element in line(coset))
        costs[frozenset(cosets)] = xors(BitMatrix(columns, 8)) + EXTRA_FOR_OUTPUT
    return costs


def inverter_bases(place: PlaceInverse4) -> dict[tuple[int, ...], tuple[int, ...]]:
    """For each ordered basis (forms of N) in which the gates invert: the forms of N^-1 that they give."""
    builder = CircuitBuilder("inverse")
    builder.output("y", place(builder, builder.input("x", 4)))
    table = builder.build().table()
    elements = FIELD.subfield(4)
    values = {psi: tuple(trace_4(psi, n) for n in elements) for psi in elements if psi}
    of_inverse = {tuple(trace_4(psi, FIELD.inverse(n)) for n in elements): psi for psi in values}
    bases: dict[tuple[int, ...], tuple[int, ...]] = {}
    for basis in itertools.permutations(values, 4):
        words = [sum(values[psi][n] << i for i, psi in enumerate(basis)) for n in range(16)]
        if len(set(words)) < 16:
            continue
        outputs = [of_inverse.get(tuple(table[word] >> i & 1 for word in words)) for i in range(4)]
        if all(psi is not None for psi in outputs):
            bases[basis] = tuple(psi for psi in outputs if psi is not None)
    return bases


def output_choices(halves: Halves, costs: dict[frozenset[int], int]) -> dict[tuple[int, ...], int]:
    """XORs of the output map for each nine forms of N^-1 that can be multiplied with these halves."""
    choices = {}
    for rotation in range(5):
        d = tuple(psi for k in KINDS[halves.kind] for psi in line(17 * ((k + rotation) % 5)))
        try:
            matrix = NormTower(halves.half(0), halves.half(1), (), (), d).outputs(BitMatrix.identity(8))
        except RequestError:
            continue
        choices[d] = costs[frozenset(LOGARITHM[column] % 85 for column in matrix.transpose().rows)]
    return choices


def candidates(
    halves: Halves,
    input_xors: int,
    costs: dict[frozenset[int], int],
    bases: dict[str, dict[tuple[int, ...], tuple[int, ...]]],
) -> Iterator[Candidate]:
    """All towers on these halves with a merged norm."""
    choices = output_choices(halves, costs)
    every = tuple(psi for psi in FIELD.subfield(4) if psi)
    a = halves.half(0)
    for shifts in itertools.product(range(3), repeat=3):
        b = halves.half(1, shifts)
        try:
            bits = dict(zip(every, NormTower(a, b, every, (), ()).norm_bits, strict=True))
        except RequestError:
            continue
        merged = {}
        for psi, bit in bits.items():
            at = [k for k in bit.products if a[k] ^ b[k] == bit.linear]
            if at and len(bit.products) % 2 == 0:
                merged[psi] = {(k, k == at[0]) for k in bit.products}
        for name, (_, inverter_area) in INVERTERS.items():
            for c, e in bases[name].items():
                if not set(c) <= set(merged):
                    continue
                gates = len(set().union(*(merged[psi] for psi in c)))
                sums = sum(len(merged[psi]) - 1 for psi in c)
                area = 2 * (input_xors + sums) + gates + inverter_area + SUMS_OF_INVERSE + PRODUCTS
                for d, output_xors in choices.items():
                    if set(e) <= set(d):
                        tower = NormTower(a, b, c, e, d)
                        yield Candidate(area + 2 * output_xors, input_xors, output_xors, name, tower)


def shallow(candidate: Candidate, into: BitMatrix, out_of: BitMatrix) -> float:
    """XORs of the input forms in three levels and of the output map in as few as its rows allow."""
    outputs = candidate.tower.outputs(out_of)
    bounded = LinearSearch(candidate.tower.input_forms @ into, 3), LinearSearch(outputs, smallest_depth(outputs))
    for search in bounded:
        search.advance()
    return sum(search.best.xors for search in bounded)


def no_output_map(candidate: Candidate, into: BitMatrix, out_of: BitMatrix) -> float:
    """XORs, in three levels, of the input forms and of the forms that N^-1 is multiplied by."""
    tower = candidate.tower
    search = LinearSearch(stack([tower.input_forms, tower.input_multiples(out_of)]) @ into, 3)
    search.advance()
    return search.best.xors


def both_directions(candidate: Candidate, offset: int) -> float:
    """XORs of the maps before and after the inversion in a combined S-box."""
    tower, scaled = candidate.tower, FIELD.multiplication(offset)
    base = forms([(tower.a + tower.b)[k] for k in independent(tower)])
    into = xors(stack([base, base @ scaled @ aes.INVERSE_AFFINE]))
    return into + xors(stack([tower.outputs(aes.AFFINE), tower.outputs(scaled)]))


def both_without_output_map(candidate: Candidate, offset: int) -> float:
    """Gate equivalents of the maps and multiplexers in a combined S-box without output map."""
    tower, scaled = candidate.tower, FIELD.multiplication(offset)
    base = forms([(tower.a + tower.b)[k] for k in independent(tower)])
    into = LinearSearch(stack([base, base @ scaled @ aes.INVERSE_AFFINE]), 3)
    both = [tower.input_multiples(aes.AFFINE), tower.input_multiples(scaled)]
    multiples = LinearSearch(stack([tower.input_forms, *both]) @ base.inverse(), 3)
    for search in (into, multiples):
        search.advance()
    selected = sum(row != other for row, other in zip(both[0].rows, both[1].rows, strict=True))
    return 2 * (into.best.xors + multiples.best.xors) + MULTIPLEXER * selected


def small(candidate: Candidate, _into: BitMatrix, _out_of: BitMatrix) -> float:
    """Gate equivalents."""
    return candidate.area


OBJECTIVES = {
    "small": small,
    "shallow": shallow,
    "no-output-map": no_output_map,
}


def ranked(direction: str, most_input_xors: int) -> list[Candidate]:
    """All candidates of one direction, the smallest first."""
    into, out_of = MAPS[direction]
    inputs = {halves: xors(forms(halves.half(0) + halves.half(1)) @ into) for halves in all_halves()}
    print(f"{direction}, input forms: {min(inputs.values())} to {max(inputs.values())} XORs", flush=True)
    outputs = output_costs(out_of)
    print(f"{direction}, output maps: {min(outputs.values())} to {max(outputs.values())} XORs", flush=True)
    bases = {name: inverter_bases(place) for name, (place, _) in INVERTERS.items()}
    found: list[Candidate] = []
    for halves, count in inputs.items():
        if count <= most_input_xors:
            found.extend(candidates(halves, count, outputs, bases))
    return sorted(found, key=lambda candidate: candidate.area)


def distinct(found: list[Candidate]) -> list[Candidate]:
    """The first candidate of each set of forms, inverter and forms of N^-1."""
    first: dict[tuple[object, ...], Candidate] = {}
    for candidate in found:
        tower = candidate.tower
        first.setdefault((candidate.inverter, frozenset(tower.a + tower.b), frozenset(tower.d)), candidate)
    return list(first.values())


COMBINED_OBJECTIVES = {"small": both_directions, "no-output-map": both_without_output_map}


def search_combined(objective: str, seconds: float, most_input_xors: int, keep: int) -> None:
    """Random towers and offsets for the given time, then every offset of the best tower."""
    rating = COMBINED_OBJECTIVES[objective]
    found = distinct(ranked("forward", most_input_xors) + ranked("inverse", most_input_xors))
    found = [candidate for candidate in found if candidate.inverter == "selection"]
    source = random.Random(0)
    tried: list[tuple[float, int, Candidate]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        candidate, offset = source.choice(found), source.randrange(1, 256)
        tried.append((rating(candidate, offset), offset, candidate))
    best = min(tried, key=lambda entry: entry[0])[2]
    tried += [(rating(best, offset), offset, best) for offset in range(1, 256)]
    for value, offset, candidate in sorted(tried, key=lambda entry: entry[:2])[:keep]:
        print(f"{value:g}, offset {offset}: {candidate.tower}")


def main() -> None:
    """Search and print."""
    parser = argparse.ArgumentParser(description="search all towers for small S-boxes")
    parser.add_argument("direction", choices=(*MAPS, "combined"))
    parser.add_argument("--objective", choices=tuple(OBJECTIVES), default="small")
    parser.add_argument("--most-input-xors", type=int, default=18)
    parser.add_argument("--keep", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0, help="of random towers and offsets, for combined")
    arguments = parser.parse_args()
    if arguments.direction == "combined":
        if arguments.objective not in COMBINED_OBJECTIVES:
            parser.error(f"--objective: for combined, must be one of {', '.join(COMBINED_OBJECTIVES)}")
        search_combined(arguments.objective, arguments.seconds, arguments.most_input_xors, arguments.keep)
        return
    found = distinct(ranked(arguments.direction, arguments.most_input_xors))
    rated = [(OBJECTIVES[arguments.objective](candidate, *MAPS[arguments.direction]), candidate) for candidate in found]
    for value, candidate in sorted(rated, key=lambda entry: entry[0])[: arguments.keep]:
        print(f"{value:g}: {candidate}")


if __name__ == "__main__":
    main()

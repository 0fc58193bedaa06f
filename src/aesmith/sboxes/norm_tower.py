"""S-boxes that form the norm N = x^17 in GF(2^4), invert it there, and multiply: x^-1 = x^16·N^-1.

A multiplication in GF(2^4) by Karatsuba's method over GF(2^2) takes nine products of one bit of each factor. The nine
bits of either factor are *forms*: sums of its coordinates. A form of the input is x → Tr(θ·x) for an element θ of
GF(2^8), a form of N or of N^-1 is N → Tr(ψ·N) for an element ψ of GF(2^4), traces to GF(2). So a choice of basis is a
choice of elements, and everything between the forms follows by linear algebra: no basis needs to be written down.

With x = a·P + b·Q, the norm takes nine products of a form of a and one of b; the inverse nine of N^-1 and a, nine of
N^-1 and b. Any P and Q serve, whatever their offset: normal and polynomial bases are special cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.aes import FIELD
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.sboxes.entry import Function

_ELEMENTS = range(256)


@dataclass(frozen=True)
class NormBit:
    """One form of the norm: the sum of some of the nine products (by number) and of the input form Tr(`linear`·x)."""

    products: tuple[int, ...]
    linear: int


@dataclass(frozen=True)
class NormTower:
    """The forms of one architecture; product k of the norm is a_k·b_k, those of the inverse are d_k·a_k and d_k·b_k.

    `a` and `b` are nine elements θ each, `c` the four forms of the norm, `e` the four forms of N^-1 that the inverter
    in GF(2^4) gives, `d` the nine that are multiplied, all of them sums of `e`.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    c: tuple[int, ...]
    e: tuple[int, ...]
    d: tuple[int, ...]

    @property
    def input_forms(self) -> BitMatrix:
        """The 18 forms of the input, a then b, on its bits."""
        return forms(self.a + self.b)

    @cached_property
    def norm_bits(self) -> tuple[NormBit, ...]:
        """What the forms `c` are sums of. Raises RequestError if the products do not give the norm."""
        products = [_form_table(f) & _form_table(g) for f, g in zip(self.a, self.b, strict=True)]
        vectors = products + [_form_table(1 << i) for i in range(8)]
        bits = []
        for target in self.c:
            mask = _combination(vectors, _table([trace_4(target, FIELD.power(x, 17)) for x in _ELEMENTS]))
            numbers = tuple(k for k in range(len(products)) if mask >> k & 1)
            bits.append(NormBit(numbers, mask >> len(products)))
        return tuple(bits)

    @cached_property
    def spread(self) -> BitMatrix:
        """`d` as sums of `e`."""
        return BitMatrix(tuple(_combination(self.e, form) for form in self.d), len(self.e))

    def outputs(self, matrix: BitMatrix) -> BitMatrix:
        """`matrix`·x^-1 on the 18 products, those with a first. Raises RequestError if the products do not give it."""
        inverse = [_inverse_form_table(form) for form in self.d]
        vectors = [d & _form_table(form) for half in (self.a, self.b) for d, form in zip(inverse, half, strict=True)]
        values = [matrix.apply(FIELD.inverse(x)) for x in _ELEMENTS]
        rows = (_combination(vectors, _table([value >> i & 1 for value in values])) for i in range(matrix.height))
        return BitMatrix(tuple(rows), len(vectors))

    def input_multiples(self, matrix: BitMatrix) -> BitMatrix:
        """`matrix`·x^-1 = Σ e_j·L_j(x): the rows of L_0, then of L_1, … on the bits of x."""
        dual = _dual(self.e)
        rows: list[int] = []
        for element in dual:
            part = BitMatrix.from_map(lambda x, d=element: FIELD.multiply(d, FIELD.power(x, 16)), 8, 8)  # type: ignore[misc]
            rows.extend((matrix @ part).rows)
        return BitMatrix(tuple(rows), 8)


def forms(elements: Sequence[int]) -> BitMatrix:
    """The forms x → Tr(θ·x) as rows on the bits of x."""
    return BitMatrix(
        tuple(sum(FIELD.trace(FIELD.multiply(theta, 1 << i)) << i for i in range(8)) for theta in elements), 8
    )


def place_norm_merged(builder: CircuitBuilder, tower: NormTower, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
    """`c` from the forms, each linear part merged into a product: f·g + f + g is f OR g (Canright, section 4.3).

    Raises RequestError if a linear part is not the sum of the two factors of one of the bit's products.
    """
    wires = []
    for bit in tower.norm_bits:
        merged = [k for k in bit.products if tower.a[k] ^ tower.b[k] == bit.linear]
        if not merged:
            raise RequestError("norm: this choice of forms does not let the square be merged into the products")
        terms = [builder.nor(a[merged[0]], b[merged[0]])]
        terms += [builder.nand(a[k], b[k]) for k in bit.products if k != merged[0]]
        if len(terms) % 2:
            raise RequestError("norm: an odd number of complemented products does not cancel")
        wires.append(balanced_sum(builder, terms))
    return wires


def balanced_sum(builder: CircuitBuilder, wires: Sequence[Wire]) -> Wire:
    """The sum of the wires as a tree of least depth, neighbours first."""
    level = list(wires)
    while len(level) > 1:
        level = [builder.xor(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def place_inverse_by_selection(builder: CircuitBuilder, c: Sequence[Wire]) -> list[Wire]:
    """The inverter in GF(2^4) of Maximov and Ekdahl (2019): NAND, NOR, XNOR and multiplexers."""
    x0, x1, x2, x3 = c
    t = builder.xnor(builder.nand(x0, x2), builder.nor(x1, x3))
    y1 = builder.mux(t, builder.nand(x1, builder.not_(x2)), x3)
    y3 = builder.mux(t, builder.nand(x3, builder.not_(x0)), x1)
    return [builder.mux(x2, x3, t), y1, builder.mux(x0, x1, t), y3]


def place_inverse_in_four_levels(builder: CircuitBuilder, c: Sequence[Wire]) -> list[Wire]:
    """The inverter in GF(2^4) of Boyar and Peralta's shallow circuit (2012): 7 AND, 10 XOR, four levels."""
    x0, x1, x2, x3 = c
    xor, and_ = builder.xor, builder.and_
    both = and_(x2, x0)
    low, high, left, right = xor(x1, both), xor(x3, both), xor(x0, x1), xor(x2, x3)
    y1 = xor(and_(left, and_(x0, x3)), xor(left, both))
    y3 = xor(and_(right, and_(x1, x2)), xor(right, both))
    return [xor(x1, and_(high, left)), y1, xor(x3, and_(low, right)), y3]


def _table(bits: Sequence[int]) -> int:
    """The values of a function on 0 to 255, as one integer."""
    return sum(bit << x for x, bit in enumerate(bits))


@cache
def _form_table(theta: int) -> int:
    return _table([FIELD.trace(FIELD.multiply(theta, x)) for x in _ELEMENTS])


@cache
def _inverse_form_table(psi: int) -> int:
    return _table([trace_4(psi, FIELD.power(x, -17)) for x in _ELEMENTS])


def trace_4(psi: int, n: int) -> int:
    """Tr(ψ·n) from GF(2^4) to GF(2)."""
    product = FIELD.multiply(psi, n)
    total = 0
    for _ in range(4):
        total ^= product
        product = FIELD.multiply(product, product)
    return total


def _dual(e: Sequence[int]) -> list[int]:
    """The elements of GF(2^4) whose sum over the forms e_j that are 1 is the element itself."""
    elements = FIELD.subfield(4)
    return [
        next(n for n in elements if [trace_4(psi, n) for psi in e] == [int(i == j) for i in range(4)]) for j in range(4)
    ]


def _combination(vectors: Sequence[int], target: int) -> int:
    """The set of vectors (bit k = vector k) that add up to the target. Raises RequestError if none does."""
    pivots: list[tuple[int, int]] = []
    for k, vector in enumerate(vectors):
        rest, used = _reduce(pivots, vector, 1 << k)
        if rest:
            pivots.append((rest, used))
            pivots.sort(reverse=True)
    rest, used = _reduce(pivots, target, 0)
    if rest:
        raise RequestError("norm tower: its products do not give what they should; the choice of forms is wrong")
    return used


def _reduce(pivots: Sequence[tuple[int, int]], vector: int, used: int) -> tuple[int, int]:
    for pivot, by in pivots:
        if vector ^ pivot < vector:
            vector ^= pivot
            used ^= by
    return vector, used


PlaceInverse4 = Callable[[CircuitBuilder, Sequence[Wire]], list[Wire]]
PlaceNorm = Callable[[CircuitBuilder, NormTower, Sequence[Wire], Sequence[Wire]], list[Wire]]
"""Puts the norm's four forms into a circuit, from the nine forms of a and the nine of b."""

DECRYPTED = (aes.INVERSE_AFFINE, aes.INVERSE_AFFINE_CONSTANT)


@dataclass(frozen=True)
class NormSbox:
    """The circuits of one architecture, named `name`_*function*, each with the tower that suits it.

    `combined_offset` is γ of the combined S-box's inverse direction: it inverts γ·(A'x + c') and multiplies by γ.
    `input_levels` bounds the XOR levels of the forms; `output_levels` the levels from the norm to the output, of which
    the inverter takes `inverse_levels` to its four outputs and a product takes one.
    """

    name: str
    forward_tower: NormTower
    inverse_tower: NormTower
    combined_tower: NormTower
    place_norm: PlaceNorm
    place_inverse_4: PlaceInverse4
    combined_offset: int = 1
    input_levels: int | None = None
    output_levels: int | None = None
    inverse_levels: tuple[int, ...] = (0, 0, 0, 0)

    def circuits(self) -> Mapping[Function, Callable[[], Circuit]]:
        """Forward, inverse and combined."""
        return {Function.FORWARD: self.forward, Function.INVERSE: self.inverse, Function.COMBINED: self.combined}

    def forward(self) -> Circuit:
        """S-box."""
        builder = CircuitBuilder(f"{self.name}_forward")
        x = builder.input("x", 8)
        wires = self._forms(builder, self.forward_tower.input_forms, x)
        products = self._products(builder, self.forward_tower, wires)
        with builder.block("output map: products to A·x^-1 + c"):
            matrix = self.forward_tower.outputs(aes.AFFINE)
            builder.output("y", self._outputs(builder, self.forward_tower, matrix, products, aes.AFFINE_CONSTANT))
        return builder.build()

    def inverse(self) -> Circuit:
        """Inverse S-box."""
        builder = CircuitBuilder(f"{self.name}_inverse")
        x = builder.input("x", 8)
        matrix, constant = DECRYPTED
        into = self.inverse_tower.input_forms
        wires = self._forms(builder, into @ matrix, x, into.apply(constant))
        products = self._products(builder, self.inverse_tower, wires)
        with builder.block("output map: products to x^-1"):
            matrix = self.inverse_tower.outputs(BitMatrix.identity(8))
            builder.output("y", self._outputs(builder, self.inverse_tower, matrix, products))
        return builder.build()

    def combined(self) -> Circuit:
        """Both around one inversion: the eight forms that all others are sums of are selected, and the outputs."""
        builder = CircuitBuilder(f"{self.name}_combined")
        x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
        tower, offset = self.combined_tower, aes.FIELD.multiplication(self.combined_offset)
        chosen = independent(tower)
        base = forms([(tower.a + tower.b)[k] for k in chosen])
        matrix, constant = DECRYPTED
        with builder.block("eight input forms of both directions, and selection"):
            both = stack([base, base @ offset @ matrix])
            wires = linear_map(both).place(builder, x, (base @ offset).apply(constant) << 8)
            selected = [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)]
        with builder.block("all 18 input forms"):
            wires = linear_map(tower.input_forms @ base.inverse()).place(builder, selected)
        products = self._products(builder, tower, wires)
        with builder.block("output maps of both directions, and selection"):
            both = stack([tower.outputs(aes.AFFINE), tower.outputs(offset)])
            wires = self._outputs(builder, tower, both, products, aes.AFFINE_CONSTANT)
            builder.output("y", [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)])
        return builder.build()

    def _forms(self, builder: CircuitBuilder, matrix: BitMatrix, x: list[Wire], constant: int = 0) -> list[Wire]:
        with builder.block("18 input forms"):
            return linear_map(matrix, self.input_levels).place(builder, x, constant)

    def _products(self, builder: CircuitBuilder, tower: NormTower, wires: Sequence[Wire]) -> list[Wire]:
        """The 18 products, complemented."""
        with builder.block("norm N = x^17 in GF(2^4)"):
            norm = self.place_norm(builder, tower, wires[:9], wires[9:])
        with builder.block("N^-1 in GF(2^4)"):
            inverse = self.place_inverse_4(builder, norm)
        with builder.block("nine forms of N^-1"):
            spread = linear_map(tower.spread).place(builder, inverse)
        with builder.block("18 products"):
            return [builder.nand(d, x) for half in (wires[:9], wires[9:]) for d, x in zip(spread, half, strict=True)]

    def _outputs(
        self,
        builder: CircuitBuilder,
        tower: NormTower,
        matrix: BitMatrix,
        products: Sequence[Wire],
        constant: int = 0,
    ) -> list[Wire]:
        """The map on complemented products: a row with an odd number of them is complemented once more."""
        odd = sum((weight & 1) << i for i, weight in enumerate(matrix.row_weights))
        arrivals = None
        if self.output_levels is not None:
            arrivals = 2 * tuple(level + 1 for level in linear_map(tower.spread).levels(self.inverse_levels))
        return linear_map(matrix, self.output_levels, arrivals).place(builder, products, constant ^ odd)


def independent(tower: NormTower) -> tuple[int, ...]:
    """Numbers of eight input forms that all 18 are sums of: four of a, four of b, the first of each that do."""
    chosen: list[int] = []
    for k in range(18):
        candidate = forms([(tower.a + tower.b)[i] for i in (*chosen, k)])
        if candidate.rank() == len(chosen) + 1:
            chosen.append(k)
    return tuple(chosen)

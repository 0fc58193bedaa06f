"""Masked S-boxes by field products: Canright's tower with one HPC3 gadget a product, in three or four clocks.

The byte is A = a·d^16 + b·d in GF((2^4)^2), its norm N = A^17 lies in GF(2^4), and A^-1 = A^16·N^-1, where A^16 swaps a
and b. Squares, scalings and changes of basis are linear: they go share by share, beside the products.

  four clocks  N = a·b + L(a+b) · D = norm of N = g·h + … in GF(2^2) · N^-1 = (h, g)·D^-1 · A^-1 = (a, b)·N^-1
  three clocks N · N^3 = N·N^2 beside A^16·N^2 · A^-1 = (A^16·N^2)·(N^3)^4, since N^-1 = N^14

A pair of products with a common operand is one gadget. S-boxes of fewer than three clocks there are none with products
of two: the S-box has degree 7.

Without changes of basis and affine map the same is an inverter on words of the tower, which both directions of AES have
in common (Ueno et al., TC 2020, section 5.4).
"""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.linear import LinearProgram, linear_map
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.masking.gadgets import GF4, GF16, Gadget, hpc3, paired
from aesmith.masking.sharing import MaskedCircuit, ShareBuilder, Sharing
from aesmith.sboxes import canright2005
from aesmith.sboxes.canright2005 import BASIS

CLOCKS = (3, 4)
"""The latencies there are."""


def masked_sbox(
    order: int, clocks: int = 4, *, gadget: Gadget = hpc3, builder: type[ShareBuilder] = ShareBuilder
) -> MaskedCircuit:
    """The AES S-box y = S(x) on `order` + 1 shares.

    Fresh bits a pair of shares: 30 in four clocks, 40 in three. `gadget` is what masks each product: another one than
    HPC3 is for experiments, such as showing that it leaks. Raises RequestError for an order or a latency out of range.
    """
    net = _net("sbox", order, clocks, builder)
    x = net.operand("x", 8)
    with net.block("change of basis, share by share"):
        inner = net.linear(linear_map(BASIS.from_field), x)
    inverse = _inverse(net, inner, clocks, gadget)
    with net.block("change of basis and affine map, share by share"):
        y = net.linear(linear_map(aes.AFFINE @ BASIS.to_field), inverse, aes.AFFINE_CONSTANT)
    net.result("y", y)
    return net.masked()


def masked_inverter(
    order: int,
    clocks: int = 4,
    behind: tuple[BitMatrix, int] | None = None,
    *,
    gadget: Gadget = hpc3,
    builder: type[ShareBuilder] = ShareBuilder,
) -> MaskedCircuit:
    """Inversion on `order` + 1 shares: x and y are words of `canright2005.BASIS`. Arguments and errors of
    `masked_sbox`; `behind` is an affine map, matrix and constant, on the result, for checks of rings."""
    net = _net("inverter", order, clocks, builder)
    y = _inverse(net, net.operand("x", 8), clocks, gadget)
    net.result("y", y if behind is None else net.linear(linear_map(behind[0], quick=True), y, behind[1]))
    return net.masked()


def unmasked(masked: MaskedCircuit) -> Circuit:
    """The circuit that does with sums what such a masked one is to do with shares."""
    return canright2005.inverter() if "inverter" in masked.staged.circuit.name else canright2005.forward()


def _net(what: str, order: int, clocks: int, builder: type[ShareBuilder]) -> ShareBuilder:
    if clocks not in CLOCKS:
        raise RequestError(f"clocks: a masked S-box by field products takes 3 or 4, not {clocks}")
    if order < 1:
        raise RequestError(f"order: must be 1 or more, not {order}")
    return builder(f"masked_{what}_order_{order}_clocks_{clocks}", shares=order + 1)


def _inverse(net: ShareBuilder, inner: Sharing, clocks: int, gadget: Gadget) -> Sharing:
    with net.block("N = A^17 in GF(2^4)"):
        a, b = _halves(inner)
        product = gadget(net, a, b, GF16)
        with net.stage(1):
            sums = [net.xor_words(*halves) for halves in zip(a, b, strict=True)]
            squares = net.linear(_subfield_map(17), sums)
            norm = _added(net, product, squares)
    return (_inverse_in_four if clocks == 4 else _inverse_in_three)(net, inner, norm, gadget)


def _inverse_in_four(net: ShareBuilder, inner: Sharing, norm: Sharing, gadget: Gadget) -> Sharing:
    h, g = _halves(norm)[1], _halves(norm)[0]
    with net.block("D^-1, with D the norm of N in GF(2^2)"):
        product = gadget(net, g, h, GF4)
        with net.stage(2):
            inverse = [
                [net.xor(q[1], net.xor(x[1], y[1])), net.xor(q[0], net.xor(net.xor(x[1], x[0]), net.xor(y[1], y[0])))]
                for q, x, y in zip(product, g, h, strict=True)
            ]
    with net.block("N^-1 = (g, h)·D^-1, swapped"):
        swapped = [y + x for x, y in zip(g, h, strict=True)]
        inverse = [z[2:] + z[:2] for z in gadget(net, swapped, inverse, paired(GF4))]
    with net.block("A^-1 = A^16·N^-1"):
        return gadget(net, _conjugate(inner), inverse, paired(GF16))


def _inverse_in_three(net: ShareBuilder, inner: Sharing, norm: Sharing, gadget: Gadget) -> Sharing:
    with net.block("N^3 = N·N^2"):
        square = net.linear(_subfield_map(2), norm)
        cube = gadget(net, norm, square, GF16)
    with net.block("A^16·N^2"):
        left = gadget(net, _conjugate(inner), square, paired(GF16))
    with net.block("A^-1 = (A^16·N^2)·(N^3)^4"):
        return gadget(net, left, net.linear(_subfield_map(4), cube), paired(GF16))


def _conjugate(inner: Sharing) -> Sharing:
    """A^16: the halves of A change places."""
    return [share[4:] + share[:4] for share in inner]


def _halves(sharing: Sharing) -> tuple[Sharing, Sharing]:
    """High and low halves of every share."""
    middle = len(sharing[0]) // 2
    return [share[middle:] for share in sharing], [share[:middle] for share in sharing]


def _added(net: ShareBuilder, a: Sharing, b: Sharing) -> Sharing:
    return [net.xor_words(x, y) for x, y in zip(a, b, strict=True)]


def _subfield_map(power: int) -> LinearProgram:
    """A linear map of GF(2^4) in Canright's basis: z^2, z^4, or (17) what of N = A^17 is linear in a + b.

    Element z of GF(2^4) has the word (z, z) in the basis of GF(2^8); d has the word (0, 1).
    """
    element: Callable[[int], int] = (lambda z: z << 4) if power == 17 else (lambda z: z << 4 | z)
    images = [BASIS.encode(aes.FIELD.power(BASIS.decode(element(1 << bit)), power)) for bit in range(4)]
    if any(image >> 4 != image & 15 for image in images):
        raise RequestError(f"x^{power} does not lie in GF(2^4)")
    return linear_map(BitMatrix.from_columns([image & 15 for image in images], 4), quick=True)

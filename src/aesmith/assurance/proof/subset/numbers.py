"""Numbers as they are written: what has one value in all tools."""

from __future__ import annotations

import re
from collections.abc import Callable

from aesmith.assurance.proof.subset.names import DeclaredName, Scope
from aesmith.assurance.proof.subset.nodes import Node, is_a, plain

ARITHMETIC = (
    "AddExpression SubtractExpression MultiplyExpression PowerExpression LogicalShiftLeftExpression "
    "ArithmeticShiftLeftExpression UnaryMinusExpression"
)
"""Operators whose result may be wider than what they are of."""

_BITS = {"b": 1, "o": 3, "h": 4}
_DIGITS = {"b": "01x?z_", "o": "01234567x?z_", "d": "0123456789x?z_", "h": "0123456789abcdefx?z_"}
_WIDEST = 1 << 16
_SIGNED, _UNSIGNED = range(-(1 << 31), 1 << 31), range(1 << 32)
CARRIES = (
    "without a size it needs more than 32 bits: Icarus gives it as many as it needs, other tools cut it; write a size"
)


def why_not_plain(text: str) -> str:
    """Why a decimal number without a size is refused; empty if it is not."""
    return "" if int(text.replace("_", "")) in _SIGNED else CARRIES


def why_not_vector(size: str, base: str, digits: str, *, wild: bool) -> str:
    """Why a number with a base is refused; empty if it is not. `wild`: it is an item of a casez."""
    letter = base.lower().lstrip("'").lstrip("s")
    digits = digits.lower().replace("_", "")
    if set(digits) - set(_DIGITS.get(letter, "")) or not digits:
        return "a digit that the base does not have"
    if set(digits) & {"z"} or ("?" in digits and not wild):
        return "a level that floats: two drivers may meet there"
    undefined = "x" in digits or "?" in digits
    if not size:
        if undefined:
            return "how wide it is, each tool decides; write a size"
        return "" if _value(letter, digits) in _UNSIGNED else CARRIES
    width = int(size.replace("_", ""))
    if not 0 < width <= _WIDEST:
        return "a size that is none"
    if undefined:
        if letter == "d":
            return "" if digits == "x" else "a digit that the base does not have"
        lead = digits.lstrip("0")
        fits = (len(lead) - 1) * _BITS[letter] < width
        return "" if fits else "it has more digits than its size"
    return "" if _value(letter, digits) < 1 << width else "it does not fit into its size"


def _value(letter: str, digits: str) -> int:
    return int(digits, {"b": 2, "o": 8, "d": 10, "h": 16}[letter])


def unsized(node: Node, scope: Scope, overflow: Callable[[Node], Exception]) -> tuple[int, range] | None:
    """The value of an expression of numbers and parameters without sizes, and the range of its kind of numbers; None
    for anything else. Raises what `overflow` makes of a node that needs more than 32 bits."""
    node = plain(node)
    if is_a(node, "IntegerLiteralExpression"):
        return int(re.sub("_", "", node.literal.rawText)), _SIGNED
    if is_a(node, "IntegerVectorExpression") and not node.size.rawText:
        signed = "s" in node.base.rawText.lower()
        letter = node.base.rawText.lower().lstrip("'").lstrip("s")
        return _value(letter, node.value.rawText.lower().replace("_", "")), _SIGNED if signed else _UNSIGNED
    if is_a(node, "IdentifierName"):
        symbol = scope.found(node.identifier.valueText)
        return symbol.value if isinstance(symbol, DeclaredName) else None
    if is_a(node, "UnaryMinusExpression"):
        of = unsized(node.operand, scope, overflow)
        return None if of is None else _within(node, -of[0], of[1], overflow)
    if not is_a(node, ARITHMETIC):
        return None
    left, right = (unsized(side, scope, overflow) for side in (node.left, node.right))
    if left is None or right is None:
        return None
    kind = _UNSIGNED if _UNSIGNED in (left[1], right[1]) else _SIGNED
    value = _result(node.operatorToken.rawText, left[0], right[0])
    return None if value is None else _within(node, value, kind, overflow)


def _result(operator: str, left: int, right: int) -> int | None:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "**" if 0 <= right <= _WIDEST:
            return int(left**right)
        case "<<" | "<<<" if 0 <= right <= _WIDEST:
            return left << right
    return None


def _within(node: Node, value: int, kind: range, overflow: Callable[[Node], Exception]) -> tuple[int, range]:
    if value not in kind:
        raise overflow(node)
    return value, kind

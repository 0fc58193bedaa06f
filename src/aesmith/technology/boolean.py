"""Boolean functions as Liberty writes them: `! ' & * + | ^`, juxtaposition for AND, 0, 1 and parentheses.

Precedence, strongest first (Liberty user guide, "function attribute"): inversion, XOR, AND, OR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aesmith.errors import RequestError

Word = TypeVar("Word", int, NDArray[np.uint64])
Node = tuple["str | Node", ...]

# A name with other characters than these is quoted.
_TOKEN = re.compile(r"\s*(\"[^\"]+\"|[A-Za-z_][\w.\-]*(?:\[\d+\])?|[01](?!\w)|[!'&*|+^()])")


@dataclass(frozen=True)
class BooleanFunction:
    """A boolean function of named inputs.

    `root` is an expression tree: ("input", name), ("constant", "0" or "1"), ("not", x), ("and" | "or" | "xor", x, y).
    """

    text: str
    root: Node

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names used, in order of appearance."""
        return tuple(dict.fromkeys(_names(self.root)))

    def evaluate(self, values: Mapping[str, Word], ones: Word) -> Word:
        """Evaluate bitwise on integers or numpy words; `ones` is the word whose every bit stands for a true case."""
        return _evaluate(self.root, values, ones)

    def truth_table(self, inputs: tuple[str, ...] | None = None) -> int:
        """Bit i of the result is the value for inputs[k] = bit k of i. `inputs` (default: the function's own) may
        name more inputs than the function uses. At most 16 inputs."""
        names = self.inputs if inputs is None else inputs
        if missing := set(self.inputs) - set(names):
            raise RequestError(f"function: {self.text} also depends on {sorted(missing)}")
        return self.evaluate(dict(zip(names, _columns(len(names)), strict=True)), (1 << (1 << len(names))) - 1)

    @cached_property
    def signature(self) -> tuple[int, int]:
        """(number of inputs it depends on, truth table made independent of input order and names).

        Two functions of at most six inputs have the same signature exactly if one is the other with inputs renamed;
        with more inputs the order of appearance is kept.
        """
        names = self.support
        if len(names) > 6:
            return len(names), self.truth_table(_padded(names, self.inputs))
        return len(names), min(self._table_on(order) for order in permutations(names))

    @cached_property
    def support(self) -> tuple[str, ...]:
        """The inputs the value really depends on, in order of appearance."""
        table = self.truth_table()
        return tuple(
            name
            for name, column in zip(self.inputs, _columns(len(self.inputs)), strict=True)
            if _differs(table, column)
        )

    def _table_on(self, order: Iterable[str]) -> int:
        names = tuple(order)
        values = dict.fromkeys(self.inputs, 0) | dict(zip(names, _columns(len(names)), strict=True))
        return self.evaluate(values, (1 << (1 << len(names))) - 1)

    def given(self, known: Mapping[str, bool]) -> BooleanFunction:
        """The function with some inputs fixed."""
        return BooleanFunction(self.text, _fix(self.root, known))

    @cached_property
    def constant(self) -> bool | None:
        """The value if it is the same for all inputs, else None."""
        table = self.truth_table()
        if table == 0:
            return False
        return True if table == (1 << (1 << len(self.inputs))) - 1 else None

    def sense(self, name: str) -> int:
        """How the value follows one input: 1 rises with it, -1 falls with it, 0 both happen, 2 never depends on it."""
        if name not in self.inputs:
            return 2
        position = self.inputs.index(name)
        table, column = self.truth_table(), _columns(len(self.inputs))[position]
        low, high = table & ~column, (table & column) >> (1 << position)
        rises, falls = high & ~low, low & ~high
        if rises and falls:
            return 0
        return 1 if rises else -1 if falls else 2


def parse_function(text: str, where: str) -> BooleanFunction:
    """Parse a Liberty boolean expression. `where` names the attribute in the RequestError raised for a wrong one."""
    try:
        return _parse(text)
    except _ExpressionError as error:
        raise RequestError(f"liberty: {where}: {error}") from None
    except RecursionError:
        raise RequestError(f"liberty: {where}: {text[:40]!r}... has brackets inside brackets too deep") from None


class _ExpressionError(Exception):
    """What is wrong with an expression."""


@lru_cache(maxsize=8192)
def _parse(text: str) -> BooleanFunction:
    tokens: list[str] = []
    position = 0
    stripped = text.rstrip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise _ExpressionError(f"{text!r} is no boolean expression at {stripped[position:]!r}")
        tokens.append(match[1])
        position = match.end()
    tokens.reverse()
    root = _or(tokens, text)
    if tokens:
        raise _ExpressionError(f"{text!r} is no boolean expression at {tokens[-1]!r}")
    return BooleanFunction(text, root)


def _or(tokens: list[str], text: str) -> Node:
    left = _and(tokens, text)
    while tokens and tokens[-1] in "+|":
        tokens.pop()
        left = ("or", left, _and(tokens, text))
    return left


def _and(tokens: list[str], text: str) -> Node:
    left = _xor(tokens, text)
    while tokens and tokens[-1] not in (")", "+", "|"):
        if tokens[-1] in "&*":
            tokens.pop()
        left = ("and", left, _xor(tokens, text))
    return left


def _xor(tokens: list[str], text: str) -> Node:
    left = _not(tokens, text)
    while tokens and tokens[-1] == "^":
        tokens.pop()
        left = ("xor", left, _not(tokens, text))
    return left


def _not(tokens: list[str], text: str) -> Node:
    token = tokens.pop() if tokens else ""
    node: Node
    if token == "!":
        return ("not", _not(tokens, text))
    if token == "(":
        node = _or(tokens, text)
        if not tokens or tokens.pop() != ")":
            raise _ExpressionError(f"{text!r} lacks a closing parenthesis")
    elif token in ("0", "1"):
        node = ("constant", token)
    elif token and (token[0].isalpha() or token[0] in '_"'):
        node = ("input", token.strip('"'))
    else:
        raise _ExpressionError(f"{text!r} is no boolean expression at {token or 'its end'!r}")
    while tokens and tokens[-1] == "'":
        tokens.pop()
        node = ("not", node)
    return node


def _names(node: Node) -> list[str]:
    if node[0] == "input":
        return [str(node[1])]
    if node[0] == "constant":
        return []
    return [name for child in node[1:] if not isinstance(child, str) for name in _names(child)]


def _evaluate(node: Node, values: Mapping[str, Word], ones: Word) -> Word:
    kind = node[0]
    first = node[1]
    if isinstance(first, str):
        if kind == "input":
            return values[first]
        return ones if first == "1" else ones ^ ones
    left = _evaluate(first, values, ones)
    if kind == "not":
        return left ^ ones
    second = node[2]
    assert not isinstance(second, str)
    right = _evaluate(second, values, ones)
    if kind == "and":
        return left & right
    return left | right if kind == "or" else left ^ right


def _fix(node: Node, known: Mapping[str, bool]) -> Node:
    if node[0] == "input":
        name = str(node[1])
        return ("constant", "1" if known[name] else "0") if name in known else node
    if node[0] == "constant":
        return node
    return (node[0], *(child if isinstance(child, str) else _fix(child, known) for child in node[1:]))


@lru_cache(maxsize=32)
def _columns(count: int) -> tuple[int, ...]:
    """For each of `count` inputs, the word of its values in all 2**count cases."""
    cases = 1 << count
    return tuple(sum(1 << case for case in range(cases) if case >> k & 1) for k in range(count))


def _differs(table: int, column: int) -> bool:
    """Whether the table has different values where the input of this column is 0 and where it is 1."""
    step = (column & -column).bit_length() - 1
    return (table & column) >> step != table & (column >> step)


def _padded(names: tuple[str, ...], inputs: tuple[str, ...]) -> tuple[str, ...]:
    return names + tuple(name for name in inputs if name not in names)

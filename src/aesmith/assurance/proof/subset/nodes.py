"""Small words on slang's syntax nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from pyslang.syntax import SyntaxKind, SyntaxNode

Node = Any
"""A node or token of slang's syntax tree. Its stubs type members by the class of the node, which its kind says here."""


def nodes(separated: Any) -> list[Node]:
    """The nodes of a list, without what stands between them."""
    return [each for each in separated if isinstance(each, SyntaxNode)]


def identifiers(node: Node) -> Iterator[Node]:
    """The tokens of all names in a node."""
    for child in node:
        if isinstance(child, SyntaxNode):
            yield from identifiers(child)
        elif child.kind.name == "Identifier":
            yield child


def text_of(node: Node, most: int = 60) -> str:
    """What a node or token says, without comments, in one line."""
    if not isinstance(node, SyntaxNode):
        return str(node.rawText)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", str(node), flags=re.DOTALL)
    return " ".join(text.split())[:most]


def is_a(node: Node, kinds: str) -> bool:
    """Whether a node is there, of one of these kinds."""
    return node is not None and node.kind in _split(kinds)


@cache
def _split(kinds: str) -> frozenset[object]:
    return frozenset(getattr(SyntaxKind, kind) for kind in kinds.split())


def plain(expression: Node) -> Node:
    """An expression without what slang puts around one that is connected or passed."""
    while is_a(expression, "SimplePropertyExpr SimpleSequenceExpr ParenthesizedExpression"):
        expression = expression.expression if is_a(expression, "ParenthesizedExpression") else expression.expr
    return expression


def is_message(node: Node) -> bool:
    """Whether an argument is a string."""
    return is_a(node, "OrderedArgument") and is_a(plain(node.expr), "StringLiteralExpression")


def events(node: Node) -> Iterator[Node]:
    """The events of a list, from left to right."""
    if is_a(node, "ParenthesizedEventExpression"):
        yield from events(node.expr)
    elif is_a(node, "BinaryEventExpression"):
        yield from events(node.left)
        yield from events(node.right)
    else:
        yield node

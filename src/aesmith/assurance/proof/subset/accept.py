"""Whether sources are written in the SystemVerilog that proofs accept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from pyslang import SourceManager
from pyslang.syntax import SyntaxKind, SyntaxTree

from aesmith.assurance.proof.subset.clocks import check_clocks, check_woken
from aesmith.assurance.proof.subset.kinds import ACCEPTED_KINDS, DEFAULT, NETLIST_KINDS, REFUSED
from aesmith.assurance.proof.subset.nodes import Node, nodes, text_of
from aesmith.assurance.proof.subset.reading import Reader
from aesmith.assurance.proof.subset.refusal import RefusalError
from aesmith.cores.design import SourceFile

_ATTRIBUTES = frozenset(("keep", "keep_hierarchy"))
_LISTS = frozenset(("SyntaxList", "TokenList", "SeparatedList", "Unknown"))
"""Kinds of the lists that nodes have, which say nothing."""


def refuse_unknown(sources: Sequence[SourceFile], *, netlist: bool = False) -> None:
    """Raise RefusalError for the first thing in sources that is not accepted; its place is in bytes of UTF-8.

    A `netlist` that a tool wrote has instances and wires only, and any attributes and names.
    """
    trees = [_tree(source, number, netlist=netlist) for number, source in enumerate(sources)]
    if netlist:
        return
    reader = Reader()
    for number, tree in enumerate(trees):
        reader.read(tree, number)
    check_clocks(reader.modules)
    check_woken(reader.modules)


def _words(code: str) -> str:
    """What slang calls a fault, in words: DiagCode(ExpectedToken) is an expected token."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", code.removeprefix("DiagCode(").removesuffix(")")).lower()


def _tree(source: SourceFile, number: int, *, netlist: bool) -> Any:
    """The syntax tree of a source in which each node is of an accepted kind."""
    tree = SyntaxTree.fromFileInMemory(source.text, SourceManager(), source.name)
    for diagnostic in tree.diagnostics:
        if diagnostic.isError():
            at = diagnostic.location.offset
            shown = source.text.encode()[at:].decode(errors="replace").split("\n", maxsplit=1)[0] or source.name
            raise RefusalError((number, at), shown, f"it is no SystemVerilog: {_words(str(diagnostic.code))}")
    found: list[RefusalError] = []

    def refuse(node: Node) -> None:
        kind = str(node.kind.name)
        found.append(RefusalError((number, node.sourceRange.start.offset), text_of(node), REFUSED.get(kind, DEFAULT)))

    def attribute(node: Node) -> None:
        for spec in nodes(node.specs):
            if (name := spec.name.valueText) not in _ATTRIBUTES:
                reason = f"attribute {name} may change what a tool makes of it"
                found.append(RefusalError((number, node.sourceRange.start.offset), text_of(node), reason))

    accepted = NETLIST_KINDS if netlist else ACCEPTED_KINDS
    handlers: dict[Any, Callable[[Node], None]] = {
        kind: refuse for kind in SyntaxKind if kind.name not in accepted and kind.name not in _LISTS
    }
    if netlist:
        for kind in (SyntaxKind.AttributeInstance, SyntaxKind.AttributeSpec, SyntaxKind.StringLiteralExpression):
            handlers.pop(kind, None)
    else:
        handlers[SyntaxKind.AttributeInstance] = attribute
    tree.root.visit(lookup_table=handlers)
    if found:
        raise min(found, key=lambda refusal: refusal.place)
    return tree

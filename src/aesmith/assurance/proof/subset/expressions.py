"""Names and expressions: what each name stands for where it is used, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from pyslang.syntax import SyntaxKind, SyntaxNode

from aesmith.assurance.proof.subset import numbers
from aesmith.assurance.proof.subset.modules import ReadModule
from aesmith.assurance.proof.subset.names import FIXED, DeclaredName, NameKind, Scope
from aesmith.assurance.proof.subset.nodes import Node, identifiers, is_a, nodes, plain, text_of
from aesmith.assurance.proof.subset.order import UNKNOWN, Path, Process
from aesmith.assurance.proof.subset.refusal import Place, RefusalError

_OF_TYPES = frozenset(("$bits", "$size", "$high", "$low", "$left", "$right"))
_FUNCTIONS = _OF_TYPES | {"$clog2", "$signed", "$unsigned", "$countones", "$onehot", "$onehot0"}
_NO_MEMBER = "no member of a struct has this name: a name in another block, or a method, is read by some tools only"
_ELSEWHERE = "a name in another block or module is found by some tools only; use a port"
_WORDS_TO_CHOOSE = (
    "a choice of several words of an array that nothing around it gives a width: Icarus 11 takes as many bits as there "
    "are words; give it a name of its own"
)
_RANGES = "SimpleRangeSelect AscendingRangeSelect DescendingRangeSelect"
_FOLLOWED = 20
_WHOLE = 100_000


class Expressions:
    """What is common to all that is read: the block and process that it is in, and the handlers of kinds of nodes."""

    def __init__(self) -> None:
        of_kinds = {kind: name for each in reversed(type(self).__mro__) for kind, name in _handled(each).items()}
        self._handlers: dict[object, Callable[[Node], None]] = {
            getattr(SyntaxKind, kind): getattr(self, name) for kind, name in of_kinds.items()
        }
        self.modules: dict[str, ReadModule] = {}
        self._trees: list[Any] = []
        self._packages: dict[str, Scope] = {}
        self._beside: dict[str, int] = {}
        self._file = 0
        self._module = ReadModule("", (0, 0))
        self._scope = Scope(None)
        self._process: Process | None = None
        self._reads: set[DeclaredName] = set()
        self._wild = False
        self._alone = False

    def _place(self, node: Node, *, end: bool = False) -> Place:
        if isinstance(node, SyntaxNode):
            of = node.sourceRange
            return self._file, (of.end if end else of.start).offset
        return self._file, node.location.offset + (len(node.rawText) if end else 0)

    def _refusal(self, node: Node, reason: str, shown: str = "") -> RefusalError:
        return RefusalError(self._place(node), shown or text_of(node), reason)

    def _enter(self, *, routine: bool = False) -> Scope:
        """Begin a block; returns the one around it, to go back to."""
        before = self._scope
        self._scope = before.inner(routine=routine)
        return before

    def _add(
        self,
        token: Node,
        meaning: NameKind,
        type_: Node = None,
        dimensions: Node = None,
        *,
        port: bool = False,
        member: bool = False,
        after: Node = None,
    ) -> DeclaredName:
        """Declare a name in this block, to be used behind `after`, or its token; `member`: of an enumeration."""
        name = token.valueText
        place = self._place(token if after is None else after, end=True)
        known = self._scope.names.get(name)
        if known is not None and known.meaning is NameKind.BLOCK is meaning:
            return known
        if known is not None and not known.port:
            raise RefusalError(self._place(token), name, "it is declared twice in one block")
        if known is not None:
            known.port = False
            return known
        of_type = getattr(type_, "dimensions", None) or ()
        selecting = tuple(re.sub(r"\s+", "", text_of(each, _WHOLE)) for each in (*(dimensions or ()), *of_type))
        symbol = DeclaredName(name, meaning, place, self._scope, type_, selecting, port)
        self._scope.names[name] = symbol
        outer = None if self._scope.parent is None else self._scope.parent.found(name)
        if isinstance(outer, DeclaredName) and (member or not outer.is_like(symbol)) and not self._is_result(outer):
            why = f"it hides a {outer.meaning.value} of a block around it, which some tools take instead"
            raise RefusalError(self._place(token), name, why)
        return symbol

    def _is_result(self, outer: DeclaredName) -> bool:
        """Whether a name in this block may be that of the function that the block is: its result has it."""
        return outer.meaning is NameKind.FUNCTION and self._scope.routine is self._scope

    def _visit(self, node: Node) -> None:
        handler = self._handlers.get(node.kind)
        if handler is not None:
            handler(node)
        else:
            self._children(node)

    def _children(self, node: Node) -> None:
        for child in node:
            if isinstance(child, SyntaxNode):
                self._visit(child)

    def _reading(self, *expressions: Node) -> frozenset[DeclaredName]:
        """The signals that expressions read."""
        before, self._reads = self._reads, set()
        for expression in expressions:
            self._visit(expression)
        found, self._reads = frozenset(self._reads), before
        self._reads |= found
        return found

    def _resolve(self, token: Node) -> DeclaredName:
        name = token.valueText
        found = self._scope.found(name)
        if found is None:
            raise RefusalError(self._place(token), name, "it is nowhere declared in this block or one around it")
        if isinstance(found, str):
            raise RefusalError(self._place(token), name, found)
        if found.place > self._place(token):
            why = "it is declared later in the same block or one around it; some tools take another one, or make a net"
            raise RefusalError(self._place(token), name, why)
        return found

    def _parts(self, node: Node) -> list[tuple[str, Node, list[Node]]]:
        """A name as its words: what stands before each (`.`, `::` or nothing), its token, and what selects in it."""
        if is_a(node, "ScopedName"):
            left, (right,) = self._parts(node.left), self._parts(node.right)
            return [*left, (node.separator.rawText, right[1], right[2])]
        if is_a(node, "IdentifierName"):
            return [("", node.identifier, [])]
        if is_a(node, "IdentifierSelectName"):
            return [("", node.identifier, list(node.selectors))]
        raise self._refusal(node, "such a name is not read alike")

    def _base(self, node: Node) -> DeclaredName | None:
        """What the first word of a name stands for, or of one in a package the second."""
        if not is_a(node, "IdentifierName IdentifierSelectName ScopedName"):
            return None
        parts = self._parts(node)
        if len(parts) > 1 and parts[1][0] == "::":
            package = self._packages.get(parts[0][1].valueText)
            symbol = None if package is None else package.names.get(parts[1][1].valueText)
            if symbol is None:
                raise self._refusal(node, "no earlier package has this name")
            return symbol
        return self._resolve(parts[0][1])

    def _name(self, node: Node) -> tuple[DeclaredName, Path]:
        """What a name stands for and the part of it that is meant; what selects the part is read."""
        symbol = self._base(node)
        assert symbol is not None
        if is_a(node, "IdentifierName") and symbol.meaning is not NameKind.BLOCK:
            return symbol, ()
        parts = self._parts(node)
        if len(parts) > 1 and parts[1][0] == "::":
            parts = parts[1:]
        if symbol.meaning is NameKind.BLOCK or (
            len(parts) > 1 and symbol.meaning in (NameKind.FUNCTION, NameKind.TYPE)
        ):
            raise self._refusal(node, _ELSEWHERE)
        path: list[str] = []
        members = self._struct_type(symbol.type, symbol.scope)
        for number, (separator, token, selectors) in enumerate(parts):
            if number:
                if separator != "." or members is None or token.valueText not in members:
                    raise self._refusal(node, _NO_MEMBER)
                path.append(f".{token.valueText}")
                members = self._struct_type(members[token.valueText], symbol.scope)
            for selector in selectors:
                self._visit(selector)
                path.append(self._selected(selector))
        return symbol, tuple(path)

    def _struct_type(self, type_: Node, scope: Scope) -> dict[str, Node] | None:
        """Members of a struct with their types, or None for another type."""
        type_, _ = self._followed(type_, scope)
        if not is_a(type_, "StructType"):
            return None
        return {each.name.valueText: member.type for member in type_.members for each in nodes(member.declarators)}

    def _followed(self, type_: Node, scope: Scope) -> tuple[Node, int]:
        """The type that a named one comes to, None if it is not known, and how many dimensions the names add to it."""
        dimensions = 0
        for _ in range(_FOLLOWED):
            if not is_a(type_, "NamedType"):
                return type_, dimensions
            parts = self._parts(type_.name)
            found: DeclaredName | str | None
            if len(parts) == 2:
                package = self._packages.get(parts[0][1].valueText)
                found = None if package is None else package.names.get(parts[1][1].valueText)
            else:
                found = scope.found(parts[0][1].valueText)
            if not isinstance(found, DeclaredName):
                break
            dimensions += len(parts[-1][2]) + len(found.dimensions)
            type_, scope = found.type, found.scope
        return None, dimensions

    def _is_words(self, node: Node) -> bool:
        """Whether an expression is a range of an array whose elements are vectors themselves."""
        node = plain(node)
        if not is_a(node, "IdentifierSelectName ScopedName"):
            return False
        symbol, parts = self._base(node), self._parts(node)
        selectors = parts[-1][2]
        if symbol is None or not selectors or not is_a(selectors[-1].selector, _RANGES):
            return False
        type_, dimensions = symbol.type, len(symbol.dimensions)
        for separator, token, _ in parts[1:]:
            if separator == ".":
                members = self._struct_type(type_, symbol.scope)
                if members is None or token.valueText not in members:
                    return False
                type_ = members[token.valueText]
                dimensions = len(getattr(type_, "dimensions", None) or ())
        type_, added = self._followed(type_, symbol.scope)
        return dimensions + added + is_a(type_, "StructType") > len(selectors)

    def _choice(self, node: Node) -> None:
        waiting = [node.left, node.right] if self._alone else []
        while waiting:
            part = waiting.pop()
            if self._is_words(part):
                raise self._refusal(part, _WORDS_TO_CHOOSE)
            if not is_a(part, "IdentifierSelectName ScopedName"):
                waiting += [child for child in part if isinstance(child, SyntaxNode)]
        self._children(node)

    def _as_wide_as_it_is(self, node: Node) -> None:
        """A part of a concatenation, or what is connected to a port: nothing around it decides how wide it is."""
        before, self._alone = self._alone, True
        self._children(node)
        self._alone = before

    def _selected(self, selector: Node) -> str:
        """What selects a part, as text if it is the same throughout a process: UNKNOWN where signals decide."""
        return self._fixed_text(selector) or UNKNOWN

    def _fixed_text(self, node: Node) -> str:
        """The text of what is the same throughout a process, each name with its number; empty where signals decide."""
        text = re.sub(r"\s+", "", text_of(node, _WHOLE))
        for name in {token.valueText for token in identifiers(node)}:
            found = self._scope.found(name)
            if not isinstance(found, DeclaredName):
                return ""
            if found.meaning not in FIXED and (self._process is None or found not in self._process.counting):
                return ""
            text = re.sub(rf"(?<![\w'$]){re.escape(name)}\b", found.label, text)
        return text

    def _used(self, symbol: DeclaredName, path: Path, node: Node) -> None:
        """A signal is read here."""
        if symbol.meaning is NameKind.BLOCK:
            raise self._refusal(node, _ELSEWHERE)
        if symbol.meaning is not NameKind.SIGNAL:
            return
        routine = self._scope.routine
        if routine is not None and symbol.scope.routine is not routine:
            why = "a function uses it that is not called again when it changes; make it an argument"
            raise self._refusal(node, why, symbol.name)
        self._reads.add(symbol)
        symbol.users.add(self._process or self._module)
        if self._process is not None:
            self._process.read(symbol, path, self._place(node), text_of(node))

    def _identifier(self, node: Node) -> None:
        symbol, path = self._name(node)
        if symbol.meaning is NameKind.FUNCTION:
            raise self._refusal(node, "a function is called with its arguments in brackets")
        self._used(symbol, path, node)

    def _named_type(self, node: Node) -> None:
        symbol = self._base(node.name)
        if symbol is None or symbol.meaning is not NameKind.TYPE:
            raise self._refusal(node, "no earlier type has this name")

    def _call(self, node: Node) -> None:
        left = node.left
        arguments = [] if node.arguments is None else nodes(node.arguments.parameters)
        if any(not is_a(each, "OrderedArgument") for each in arguments):
            raise self._refusal(node, "arguments are given in their order")
        if is_a(left, "SystemName"):
            self._visit(left)
            if left.systemIdentifier.valueText in _OF_TYPES:
                self._of_type(arguments)
                return
        else:
            symbol = self._base(left)
            if symbol is None or (len(self._parts(left)) > 1 and self._parts(left)[1][0] == "."):
                raise self._refusal(left, "a method: tools differ in it")
            if symbol.scope.routine is symbol.scope and self._scope.routine is symbol.scope:
                raise self._refusal(left, "a function that calls itself has no end", symbol.name)
            if symbol.meaning is not NameKind.FUNCTION:
                raise self._refusal(left, "no earlier function has this name")
        for argument in arguments:
            self._visit(argument)

    def _system(self, node: Node) -> None:
        if node.systemIdentifier.valueText not in _FUNCTIONS:
            raise self._refusal(node, "no hardware does it, or tools differ in it")

    def _of_type(self, arguments: list[Node]) -> None:
        """Arguments of which the type counts, and no level is read."""
        process, self._process = self._process, None
        reads, self._reads = self._reads, set()
        for argument in arguments:
            inner = plain(argument.expr)
            if is_a(inner, "IdentifierName"):
                self._resolve(inner.identifier)
            else:
                self._visit(argument)
        self._process, self._reads = process, reads

    def _cast(self, node: Node) -> None:
        if is_a(node.left, "IdentifierName ScopedName"):
            self._base(node.left)
        else:
            self._visit(node.left)
        self._visit(node.right)

    def _pattern(self, node: Node) -> None:
        for item in nodes(node.items):
            if is_a(item.key, "IdentifierName"):
                found = self._scope.found(item.key.identifier.valueText)
                if isinstance(found, DeclaredName) and found.meaning in (
                    NameKind.CONSTANT,
                    NameKind.COUNTER,
                    NameKind.TYPE,
                ):
                    raise self._refusal(item.key, "a member of a struct and something else have this name")
            elif not is_a(item.key, "DefaultPatternKeyExpression"):
                self._visit(item.key)
            self._visit(item.expr)

    def _pattern_expression(self, node: Node) -> None:
        if node.type is not None:
            self._visit(node.type)
        self._visit(node.pattern)

    def _string_literal(self, node: Node) -> None:
        raise self._refusal(node, "a string is no level: what its escapes mean is each tool's own")

    def _no_value(self, node: Node) -> None:
        """An end label, an attribute: nothing is read."""

    def _plain_number(self, node: Node) -> None:
        if why := numbers.why_not_plain(node.literal.rawText):
            raise self._refusal(node, why)

    def _vector(self, node: Node) -> None:
        size, base, digits = node.size.rawText, node.base.rawText, node.value.rawText
        if why := numbers.why_not_vector(size, base, digits, wild=self._wild):
            raise self._refusal(node, why)

    def _all_alike(self, node: Node) -> None:
        if node.literal.rawText.lower() == "'z":
            raise self._refusal(node, "a level that floats: two drivers may meet there")

    def _arithmetic(self, node: Node) -> None:
        numbers.unsized(node, self._scope, lambda part: self._refusal(part, numbers.CARRIES))
        self._children(node)

    def _concatenation(self, node: Node) -> None:
        for each in nodes(node.expressions):
            if is_a(each, "IntegerLiteralExpression UnbasedUnsizedLiteralExpression"):
                raise self._refusal(each, "without a size it has no width in a concatenation")
            if is_a(each, "IntegerVectorExpression") and not each.size.rawText:
                raise self._refusal(each, "without a size it has no width in a concatenation")
        self._as_wide_as_it_is(node)

    HANDLED: ClassVar[Mapping[str, str]] = {
        "AttributeInstance": "_no_value",
        "NamedBlockClause": "_no_value",
        "IdentifierName": "_identifier",
        "IdentifierSelectName": "_identifier",
        "ScopedName": "_identifier",
        "NamedType": "_named_type",
        "InvocationExpression": "_call",
        "SystemName": "_system",
        "CastExpression": "_cast",
        "StructuredAssignmentPattern": "_pattern",
        "AssignmentPatternExpression": "_pattern_expression",
        "StringLiteralExpression": "_string_literal",
        "IntegerLiteralExpression": "_plain_number",
        "IntegerVectorExpression": "_vector",
        "UnbasedUnsizedLiteralExpression": "_all_alike",
        "ConcatenationExpression": "_concatenation",
        "MultipleConcatenationExpression": "_as_wide_as_it_is",
        "ConditionalExpression": "_choice",
        **dict.fromkeys(numbers.ARITHMETIC.split(), "_arithmetic"),
    }
    """Methods by the kinds of nodes that they read; of any other node the children are read."""


def _handled(of: type) -> Mapping[str, str]:
    handled: Mapping[str, str] = vars(of).get("HANDLED", {})
    return handled

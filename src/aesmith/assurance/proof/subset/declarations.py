"""Declarations: which names a block has, and what they are declared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from aesmith.assurance.proof.subset import numbers
from aesmith.assurance.proof.subset.expressions import Expressions
from aesmith.assurance.proof.subset.modules import SignalDriver
from aesmith.assurance.proof.subset.names import NameKind
from aesmith.assurance.proof.subset.nodes import Node, is_a, nodes
from aesmith.assurance.proof.subset.order import Process

_NETS = frozenset(("wire", "uwire"))
_DRIVERS = "two drivers or none may meet on such a net"
_INITIAL = "an initial value, which no hardware is sure to have"


class Declarations(Expressions):
    """Reads declarations."""

    def _declare(self, members: Iterable[Node]) -> None:
        """Make the names known that members of this block declare, with their places."""
        for member in members:
            self._declare_one(member)

    def _declare_one(self, member: Node) -> None:
        kind = str(member.kind.name)
        if kind in ("DataDeclaration", "NetDeclaration", "PortDeclaration", "LocalVariableDeclaration"):
            type_ = member.header.dataType if kind == "PortDeclaration" else member.type
            self._declare_enum(type_)
            for declarator in nodes(member.declarators):
                port = kind == "PortDeclaration"
                self._add(declarator.name, NameKind.SIGNAL, type_, declarator.dimensions, port=port, after=declarator)
        elif kind == "ParameterDeclarationStatement":
            self._declare_parameter(member.parameter)
        elif kind == "TypedefDeclaration":
            self._declare_enum(member.type)
            self._add(member.name, NameKind.TYPE, member.type)
        elif kind == "FunctionDeclaration":
            name = member.prototype.name
            if not is_a(name, "IdentifierName"):
                raise self._refusal(name, "a function has a plain name")
            self._add(name.identifier, NameKind.FUNCTION)
        elif kind == "GenvarDeclaration":
            for each in nodes(member.identifiers):
                self._add(each.identifier, NameKind.GENVAR)
        elif kind in ("HierarchyInstantiation", "PrimitiveInstantiation"):
            for instance in nodes(member.instances):
                if instance.decl is not None:
                    self._add(instance.decl.name, NameKind.BLOCK)
        elif kind == "GenerateRegion":
            self._declare(member.members)
        elif kind == "GenerateBlock":
            if member.beginName is not None:
                self._add(member.beginName.name, NameKind.BLOCK)
        elif kind == "LoopGenerate":
            self._declare_label(member.block)
        elif kind == "IfGenerate":
            self._declare_label(member.block)
            if member.elseClause is not None:
                self._declare_label(member.elseClause.clause)
        elif kind == "CaseGenerate":
            for item in member.items:
                self._declare_label(item.clause)
        elif kind == "PackageImportDeclaration":
            for item in nodes(member.items):
                package = self._packages.get(item.package.valueText)
                if package is None:
                    raise self._refusal(item, "no earlier package has this name")
                if item.item.rawText == "*":
                    self._scope.imports.append(package)
                elif (symbol := package.names.get(item.item.valueText)) is not None:
                    self._scope.names[item.item.valueText] = symbol
                else:
                    raise self._refusal(item, "the package has no such name")

    def _declare_label(self, block: Node) -> None:
        """Make the name of a generated block known, of each that a choice has."""
        if is_a(block, "GenerateBlock IfGenerate CaseGenerate LoopGenerate"):
            self._declare_one(block)

    def _declare_enum(self, type_: Node) -> None:
        if is_a(type_, "EnumType"):
            for each in nodes(type_.members):
                self._add(each.name, NameKind.CONSTANT, member=True, after=each)
        elif is_a(type_, "StructType"):
            for member in type_.members:
                self._declare_enum(member.type)

    def _declare_parameter(self, parameter: Node) -> None:
        self._declare_enum(parameter.type)
        for declarator in nodes(parameter.declarators):
            self._add(declarator.name, NameKind.CONSTANT, parameter.type, after=declarator)

    def _direction(self, header: Node, before: str = "") -> str:
        if is_a(header, "NetPortHeader") and header.netType.rawText not in _NETS:
            raise self._refusal(header.netType, _DRIVERS)
        direction = header.direction.rawText or before
        if direction not in ("input", "output"):
            shown = direction or "a port without a direction"
            raise self._refusal(header, _DRIVERS, shown)
        return direction

    def _data_declaration(self, node: Node) -> None:
        words = [each.rawText for each in node.modifiers]
        if odd := [word for word in words if word not in ("automatic", "var")]:
            raise self._refusal(node, "its variables keep their values from call to call", odd[0])
        automatic = "automatic" in words or self._scope.routine is not None
        self._visit(node.type)
        for declarator in nodes(node.declarators):
            self._declared(declarator, process=self._process if automatic else None)

    def _declared(self, declarator: Node, process: Process | None) -> None:
        for dimension in declarator.dimensions:
            self._visit(dimension)
        if declarator.initializer is None:
            return
        if process is None:
            shown = declarator.name.valueText
            raise self._refusal(declarator, _INITIAL, shown)
        self._visit(declarator.initializer.expr)
        symbol = self._scope.names[declarator.name.valueText]
        process.write(symbol, (), blocking=True)

    def _net_declaration(self, node: Node) -> None:
        if node.netType.rawText not in _NETS:
            raise self._refusal(node.netType, _DRIVERS)
        if node.expansionHint.rawText:
            raise self._refusal(node.expansionHint, "tools differ in what it does")
        self._visit(node.type)
        for declarator in nodes(node.declarators):
            for dimension in declarator.dimensions:
                self._visit(dimension)
            if declarator.initializer is not None:
                reads = self._reading(declarator.initializer.expr)
                symbol = self._scope.names[declarator.name.valueText]
                driver = SignalDriver(expression=declarator.initializer.expr, scope=self._scope, reads=reads)
                self._module.drivers.setdefault(symbol, []).append(driver)

    def _struct(self, node: Node) -> None:
        if not node.packed.rawText:
            raise self._refusal(node, "a struct that is not packed has no order of levels", "struct")
        for member in node.members:
            self._visit(member.type)
            for declarator in nodes(member.declarators):
                if declarator.initializer is not None:
                    raise self._refusal(declarator, _INITIAL)
                for dimension in declarator.dimensions:
                    self._visit(dimension)

    def _enum(self, node: Node) -> None:
        if node.baseType is not None:
            self._visit(node.baseType)
        for member in nodes(node.members):
            if member.initializer is not None:
                self._visit(member.initializer.expr)
            for dimension in member.dimensions:
                self._visit(dimension)

    def _parameter(self, node: Node) -> None:
        self._visit(node.type)
        for declarator in nodes(node.declarators):
            for dimension in declarator.dimensions:
                self._visit(dimension)
            if declarator.initializer is None:
                raise self._refusal(declarator, "a parameter without a value: not all tools take it")
            self._visit(declarator.initializer.expr)
            if not len(declarator.dimensions) and is_a(node.type, "ImplicitType IntType IntegerType"):
                value = declarator.initializer.expr
                known = numbers.unsized(value, self._scope, lambda part: self._refusal(part, numbers.CARRIES))
                self._scope.names[declarator.name.valueText].value = known

    HANDLED: ClassVar[Mapping[str, str]] = {
        "DataDeclaration": "_data_declaration",
        "NetDeclaration": "_net_declaration",
        "StructType": "_struct",
        "EnumType": "_enum",
        "ParameterDeclaration": "_parameter",
        "PackageImportDeclaration": "_no_value",
        "GenvarDeclaration": "_no_value",
    }

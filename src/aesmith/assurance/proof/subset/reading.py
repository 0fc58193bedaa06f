"""The reader of one design's syntax trees: names, processes and functions, in the order in which they stand.

Nothing is elaborated: a text is judged for all values of its parameters, every branch of it, each module once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from aesmith.assurance.proof.subset.modules import PinConnection, ReadModule, SignalDriver
from aesmith.assurance.proof.subset.names import DeclaredName, NameKind, Scope
from aesmith.assurance.proof.subset.nodes import Node, is_a, is_message, nodes, plain, text_of
from aesmith.assurance.proof.subset.refusal import RefusalError
from aesmith.assurance.proof.subset.statements import Statements

_MESSAGES = frozenset(("error", "warning", "info", "fatal"))
_GATES = frozenset(("and", "or", "xor", "nand", "nor", "xnor", "not", "buf"))
_BESIDE = "TypedefDeclaration ModuleDeclaration PackageDeclaration PackageImportDeclaration EmptyMember"
_OF_PACKAGES = (
    "TypedefDeclaration ParameterDeclarationStatement FunctionDeclaration PackageImportDeclaration EmptyMember"
)
_IMPORT = "PackageImportDeclaration"
_OUTSIDE = "it is outside of modules, and only some tools show it to other files"


class Reader(Statements):
    """Reads files one after the other; `modules` are what clocks and silent signals are judged by afterwards."""

    def read(self, tree: Any, file: int) -> None:
        """Read the tree of a file, the number `file`. Raises RefusalError for the first thing that is refused."""
        # Nodes do not keep their tree.
        self._trees.append(tree)
        self._file = file
        self._scope = Scope(None)
        members = tree.root.members
        for member in members:
            if not is_a(member, _BESIDE):
                raise self._refusal(member, _OUTSIDE)
            if is_a(member, "TypedefDeclaration"):
                name = member.name.valueText
                if self._beside.setdefault(name, file) != file:
                    raise self._refusal(member, "it is outside of modules in two files, and some tools see both")
        self._declare(member for member in members if not is_a(member, _IMPORT))
        for member in members:
            if is_a(member, _IMPORT):
                self._declare([member])
            self._visit(member)

    def _module_declaration(self, node: Node) -> None:
        header = node.header
        if header.moduleKeyword.rawText not in ("module", "package"):
            raise self._refusal(header.moduleKeyword, "modules and packages only")
        if header.lifetime.rawText:
            raise self._refusal(header.lifetime, "a lifetime of all that is in it: tools differ in what it does")
        outer = self._scope
        self._scope = Scope(outer)
        name = header.name.valueText
        if name in self.modules or name in self._packages:
            raise self._refusal(header.name, "two modules or packages have this name", name)
        self._module = ReadModule(name, self._place(header))
        if header.moduleKeyword.rawText == "package":
            self._packages[name] = self._scope
        else:
            self.modules[name] = self._module
        self._declare(header.imports)
        if header.parameters is not None:
            for parameter in nodes(header.parameters.declarations):
                self._declare_parameter(parameter)
        if is_a(header.ports, "AnsiPortList"):
            self._ansi_ports(header.ports)
        elif header.ports is not None:
            for port in nodes(header.ports.ports):
                if port.expr is None or port.expr.select is not None:
                    raise self._refusal(port, "a port is one whole signal")
                self._module.ports[port.expr.name.valueText] = ""
        members = list(node.members)
        self._declare(members)
        if header.parameters is not None:
            self._visit(header.parameters)
        for member in members:
            if is_a(member, "PortDeclaration"):
                for declarator in nodes(member.declarators):
                    self._module.ports[declarator.name.valueText] = self._direction(member.header)
        for port in self._module.ports:
            if port not in self._scope.names:
                raise self._refusal(header, "a port that is nowhere declared", port)
            self._module.signals[port] = self._scope.names[port]
        if is_a(header.ports, "AnsiPortList"):
            self._visit(header.ports)
        for member in members:
            if is_a(member, "ModuleDeclaration PackageDeclaration"):
                raise self._refusal(member, "a module in a module: tools differ in who sees it")
            if header.moduleKeyword.rawText == "package" and not is_a(member, _OF_PACKAGES):
                raise self._refusal(member, "a package has types, constants and functions")
            self._visit(member)
        for symbol, place, shown in self._module.counters:
            if len(symbol.users) != 1:
                raise RefusalError(place, shown, "a counter that others use, too: each may move it")
        self._scope = outer

    def _ansi_ports(self, ports: Node) -> None:
        direction = ""
        for port in nodes(ports.ports):
            if port.declarator.initializer is not None:
                raise self._refusal(port, "a default of a port: not all tools take it")
            header = port.header
            direction = self._direction(header, direction)
            self._declare_enum(header.dataType)
            self._add(port.declarator.name, NameKind.SIGNAL, header.dataType, port.declarator.dimensions, after=port)
            self._module.ports[port.declarator.name.valueText] = direction

    def _generate(self, node: Node) -> None:
        before = self._enter()
        members = list(node.members) if is_a(node, "GenerateBlock") else [node]
        self._declare(members)
        for member in members:
            self._visit(member)
        self._scope = before

    def _branch(self, clause: Node) -> None:
        """A branch of generated hardware: a block of its own, also without begin; `else if` is one more choice."""
        if is_a(clause, "IfGenerate CaseGenerate LoopGenerate"):
            self._visit(clause)
        else:
            self._generate(clause)

    def _if_generate(self, node: Node) -> None:
        self._visit(node.condition)
        self._branch(node.block)
        if node.elseClause is not None:
            self._branch(node.elseClause.clause)

    def _case_generate(self, node: Node) -> None:
        self._visit(node.condition)
        for item in node.items:
            for expression in nodes(getattr(item, "expressions", ())):
                self._visit(expression)
            self._branch(item.clause)

    def _loop_generate(self, node: Node) -> None:
        before = self._enter()
        if node.genvar.rawText:
            self._add(node.identifier, NameKind.GENVAR)
        elif not isinstance(found := self._scope.found(node.identifier.valueText), DeclaredName) or (
            found.meaning is not NameKind.GENVAR
        ):
            raise self._refusal(node.identifier, "the counter of a loop is a genvar")
        for expression in (node.initialExpr, node.stopExpr):
            self._visit(expression)
        self._step(node.iterationExpr)
        self._branch(node.block)
        self._scope = before

    def _message(self, node: Node) -> None:
        if node.name.valueText.removeprefix("$") not in _MESSAGES:
            raise self._refusal(node, "no hardware does it, or tools differ in it", node.name.rawText)
        if node.arguments is not None:
            for argument in nodes(node.arguments.parameters):
                if not is_message(argument):
                    self._visit(argument)

    def _instances(self, node: Node) -> None:
        if node.parameters is not None:
            for parameter in nodes(node.parameters.parameters):
                if parameter.expr is None:
                    raise self._refusal(parameter, "a parameter without a value")
                self._visit(parameter.expr)
        module = node.type.valueText
        for instance in nodes(node.instances):
            if instance.decl is not None and len(instance.decl.dimensions):
                raise self._refusal(instance, "how an array of instances is connected is not read alike")
            for number, connection in enumerate(nodes(instance.connections)):
                self._connection(module, number, connection)

    def _connection(self, module: str, number: int, node: Node) -> None:
        port: str | int = number
        expression = None
        if is_a(node, "NamedPortConnection"):
            port = node.name.valueText
            if not node.openParen.rawText:
                symbol = self._resolve(node.name)
                self._used(symbol, (), node)
                reads = frozenset((symbol,))
                found = PinConnection(module, port, node, self._scope, reads, self._place(node), text_of(node))
                self._module.connections.append(found)
                self._drive_by(symbol, module, port)
                return
            expression = node.expr
        elif is_a(node, "OrderedPortConnection"):
            expression = node.expr
        if expression is None:
            return
        expression = plain(expression)
        self._alone = True
        reads = self._reading(expression)
        self._alone = False
        found = PinConnection(module, port, expression, self._scope, reads, self._place(node), text_of(node))
        self._module.connections.append(found)
        for symbol in self._bases(expression):
            self._drive_by(symbol, module, port)

    def _drive_by(self, symbol: DeclaredName, module: str, port: str | int) -> None:
        self._module.drivers.setdefault(symbol, []).append(SignalDriver(module=module, port=port))

    def _bases(self, expression: Node) -> Iterator[DeclaredName]:
        """The signals of which an expression is made that something may be assigned to."""
        expression = plain(expression)
        if is_a(expression, "ConcatenationExpression"):
            for each in nodes(expression.expressions):
                yield from self._bases(each)
        elif is_a(expression, "IdentifierName IdentifierSelectName ScopedName"):
            symbol = self._base(expression)
            if symbol is not None and symbol.meaning is NameKind.SIGNAL:
                yield symbol

    def _primitive(self, node: Node) -> None:
        if node.type.rawText not in _GATES:
            raise self._refusal(node.type, "two drivers or none may meet on such a net")
        for instance in nodes(node.instances):
            if instance.decl is not None and len(instance.decl.dimensions):
                raise self._refusal(instance, "how an array of instances is connected is not read alike")
            connections = nodes(instance.connections)
            inputs = [each.expr for each in connections[1:] if is_a(each, "OrderedPortConnection")]
            if len(inputs) + 1 != len(connections) or not is_a(connections[0], "OrderedPortConnection"):
                raise self._refusal(instance, "a gate has its output first, then its inputs")
            reads = self._reading(*inputs)
            self._visit(connections[0].expr)
            for symbol in self._bases(connections[0].expr):
                alike = node.type.rawText in ("buf", "not")
                driver = SignalDriver(expression=inputs[0] if alike else node, scope=self._scope, reads=reads)
                self._module.drivers.setdefault(symbol, []).append(driver)

    def _continuous(self, node: Node) -> None:
        for each in nodes(node.assignments):
            if not is_a(each, "AssignmentExpression"):
                raise self._refusal(each, "assign has a plain =")
            reads = self._reading(each.right)
            for symbol, _ in self._targets(each.left):
                driver = SignalDriver(expression=each.right, scope=self._scope, reads=reads)
                self._module.drivers.setdefault(symbol, []).append(driver)

    HANDLED: ClassVar[Mapping[str, str]] = {
        "ModuleDeclaration": "_module_declaration",
        "PackageDeclaration": "_module_declaration",
        "GenerateBlock": "_generate",
        "IfGenerate": "_if_generate",
        "CaseGenerate": "_case_generate",
        "LoopGenerate": "_loop_generate",
        "ElabSystemTask": "_message",
        "HierarchyInstantiation": "_instances",
        "PrimitiveInstantiation": "_primitive",
        "ContinuousAssign": "_continuous",
    }

"""Processes and functions, statement by statement: what they assign and read, on which paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from aesmith.assurance.proof.subset.declarations import Declarations
from aesmith.assurance.proof.subset.modules import SignalDriver
from aesmith.assurance.proof.subset.names import DeclaredName, NameKind
from aesmith.assurance.proof.subset.nodes import Node, events, is_a, nodes, text_of
from aesmith.assurance.proof.subset.order import Part, Path, Process, Style

ASSIGNMENTS = (
    "AssignmentExpression NonblockingAssignmentExpression AddAssignmentExpression SubtractAssignmentExpression "
    "AndAssignmentExpression OrAssignmentExpression XorAssignmentExpression"
)
STEPS = "PostincrementExpression PostdecrementExpression UnaryPreincrementExpression UnaryPredecrementExpression"
_PROCESSES = ("AlwaysBlock", "AlwaysCombBlock", "AlwaysFFBlock", "AlwaysLatchBlock")
_PLAIN = "AssignmentExpression NonblockingAssignmentExpression"
_DECLARATIONS = "DataDeclaration TypedefDeclaration ParameterDeclarationStatement"
_THROUGH = "an output through an argument is assigned at once, and others may read it"
_COUNTER = "the counter of a loop is declared by the loop, or used by this process alone: another one may move it"


class Statements(Declarations):
    """Reads processes and functions."""

    def _targets(self, node: Node) -> Iterator[tuple[DeclaredName, Path]]:
        """The signals that are assigned to, with the parts of them; indices are read."""
        if is_a(node, "ConcatenationExpression"):
            for each in nodes(node.expressions):
                yield from self._targets(each)
        elif is_a(node, "IdentifierName IdentifierSelectName ScopedName"):
            symbol, path = self._name(node)
            if symbol.meaning is not NameKind.SIGNAL:
                raise self._refusal(node, f"a {symbol.meaning.value} is not assigned to")
            if self._process is not None and symbol.scope.routine is not self._scope.routine:
                raise self._refusal(node, "a function assigns its own variables only")
            yield symbol, path
        else:
            raise self._refusal(node, "what is assigned to is a signal, a part of one, or a concatenation of these")

    def _always(self, node: Node) -> None:
        keyword, statement = node.keyword.rawText, node.statement
        listed: list[Node] | None = None
        style = Style.COMBINATIONAL
        if is_a(statement, "TimingControlStatement"):
            control, statement = statement.timingControl, statement.statement
            if is_a(control, "EventControlWithExpression"):
                listed = list(events(control.expr))
            elif is_a(control, "EventControl"):
                listed = [control.eventName]
            elif not is_a(control, "ImplicitEventControl"):
                raise self._refusal(
                    control, "a delay" if is_a(control, "DelayControl") else "such an event is no clock"
                )
            if keyword in ("always_comb", "always_latch"):
                raise self._refusal(control, f"{keyword} waits by itself")
        elif keyword in ("always", "always_ff"):
            raise self._refusal(node, "such a process has no end: it waits for nothing", keyword)
        edged = [each for each in listed or () if is_a(each, "SignalEventExpression") and each.edge.rawText]
        if edged:
            style = Style.CLOCKED
            if len(edged) != len(listed or ()):
                odd = next(each for each in listed or () if each not in edged)
                raise self._refusal(odd, "edges and levels: a simulator looks only when one of these changes")
            for each in edged:
                if each.edge.rawText == "edge" or not is_a(each.expr, "IdentifierName IdentifierSelectName"):
                    raise self._refusal(each, "a clock is one edge of a signal")
                symbol, path = self._name(each.expr)
                if symbol.meaning is not NameKind.SIGNAL or "?" in path:
                    raise self._refusal(each, "a clock is one edge of a signal")
                self._module.edges.setdefault(symbol, (self._place(each), text_of(each)))
        elif keyword == "always_ff":
            raise self._refusal(node, "always_ff waits for an edge of a clock", keyword)
        process = Process(style, self._place(node), f"{keyword} @*" if keyword == "always" else keyword)
        latch = self._latch(statement) if listed is None else None
        if latch is not None and (keyword == "always" or latch[1] == 0):
            process.style, (process.latch_signal, process.open_while) = Style.LATCH, latch
        elif keyword == "always_latch":
            why = "a latch is written as the one of a clock gate: if (!clock) held = enable;"
            raise self._refusal(node, why, keyword)
        self._module.processes.append(process)
        outer, self._process = self._process, process
        before = self._enter()
        process.scope = self._scope
        self._statement(statement)
        self._scope = before
        self._process = outer
        process.finish()
        if listed is not None and not edged:
            self._check_list(listed, process)
        for symbol in process.written:
            self._module.drivers.setdefault(symbol, []).append(SignalDriver(process=process))

    def _check_list(self, listed: list[Node], process: Process) -> None:
        """That a list of levels has the signals that are read, and no others."""
        names = set()
        for each in listed:
            expression = each.expr if is_a(each, "SignalEventExpression") else each
            if not is_a(expression, "IdentifierName"):
                raise self._refusal(each, "a list has signals with plain names; write always_comb")
            names.add(self._resolve(expression.identifier))
        if names != process.reads:
            missing = sorted(each.name for each in process.reads - names)
            lacks = f": {', '.join(missing)} is missing" if missing else ""
            why = f"a simulator looks only when one of these changes; logic is written with always_comb{lacks}"
            raise self._refusal(listed[0], why)

    def _latch(self, statement: Node) -> tuple[DeclaredName, int] | None:
        """The signal that opens a latch, and its level then, or None for another statement."""
        while is_a(statement, "SequentialBlockStatement") and len(statement.items) == 1:
            statement = statement.items[0]
        if not is_a(statement, "ConditionalStatement") or statement.elseClause is not None:
            return None
        conditions = nodes(statement.predicate.conditions)
        body = statement.statement
        while is_a(body, "SequentialBlockStatement") and len(body.items) == 1:
            body = body.items[0]
        if len(conditions) != 1 or not is_a(body, "ExpressionStatement"):
            return None
        if not is_a(body.expr, _PLAIN) or not is_a(body.expr.left, "IdentifierName"):
            return None
        signal, inverted = self._wire(conditions[0].expr)
        return None if signal is None else (signal, int(not inverted))

    def _wire(self, expression: Node) -> tuple[DeclaredName | None, bool]:
        """The signal that an expression is, or the inverse of, and whether it is that."""
        inverted = False
        while is_a(expression, "UnaryBitwiseNotExpression UnaryLogicalNotExpression ParenthesizedExpression"):
            if is_a(expression, "ParenthesizedExpression"):
                expression = expression.expression
            else:
                expression, inverted = expression.operand, not inverted
        if is_a(expression, "IdentifierName"):
            return self._resolve(expression.identifier), inverted
        return None, inverted

    def _function(self, node: Node) -> None:
        prototype = node.prototype
        if prototype.keyword.rawText != "function" or len(prototype.specifiers):
            raise self._refusal(prototype, "only functions are read alike")
        if prototype.lifetime.rawText != "automatic":
            shown = prototype.name.identifier.valueText
            raise self._refusal(
                prototype, "its variables keep their values from call to call; declare it automatic", shown
            )
        self._visit(prototype.returnType)
        name = prototype.name.identifier
        before = self._enter(routine=True)
        process = Process(Style.FUNCTION, self._place(node), f"function {name.valueText}")
        process.scope = self._scope
        result = self._add(name, NameKind.SIGNAL, prototype.returnType)
        outer, self._process = self._process, process
        items = list(node.items)
        if prototype.portList is not None:
            for port in nodes(prototype.portList.ports):
                if port.direction.rawText not in ("", "input") or port.constKeyword.rawText:
                    raise self._refusal(port, _THROUGH, port.direction.rawText)
                if port.declarator.initializer is not None:
                    raise self._refusal(port, "a default of an argument: not all tools take it")
                if port.dataType is not None:
                    self._visit(port.dataType)
                for dimension in port.declarator.dimensions:
                    self._visit(dimension)
                symbol = self._add(port.declarator.name, NameKind.SIGNAL, port.dataType, port.declarator.dimensions)
                process.write(symbol, (), blocking=True)
        self._declare(items)
        for item in items:
            if is_a(item, "PortDeclaration"):
                if self._direction(item.header) != "input":
                    raise self._refusal(item, _THROUGH, item.header.direction.rawText)
                self._children(item)
                for declarator in nodes(item.declarators):
                    symbol = self._scope.names[declarator.name.valueText]
                    process.write(symbol, (), blocking=True)
            elif is_a(item, _DECLARATIONS):
                self._visit(item)
            else:
                self._statement(item)
        process.read(result, (), self._place(node), f"{name.valueText}, the result")
        process.finish()
        self._process = outer
        self._scope = before

    def _statement(self, node: Node) -> None:
        assert self._process is not None
        process = self._process
        kind = node.kind.name
        if kind == "SequentialBlockStatement":
            before = self._enter()
            items = list(node.items)
            self._declare(item for item in items if is_a(item, _DECLARATIONS))
            for item in items:
                if is_a(item, _DECLARATIONS):
                    self._visit(item)
                else:
                    self._statement(item)
            self._scope = before
        elif kind == "ExpressionStatement":
            self._assignment(node.expr)
        elif kind == "ConditionalStatement":
            if node.uniqueOrPriority.rawText:
                why = "synthesis may believe that one arm applies, a simulator goes by their order; write if, or a case"
                raise self._refusal(node, why, f"{node.uniqueOrPriority.rawText} if")
            self._visit(node.predicate)
            before_state = process.copy()
            self._statement(node.statement)
            after = process.state
            process.state = before_state
            if node.elseClause is not None:
                self._statement(node.elseClause.clause)
            process.join(after)
        elif kind == "CaseStatement":
            self._case(node)
        elif kind == "ForLoopStatement":
            self._for(node)
        elif kind == "ForeachLoopStatement":
            self._foreach(node)
        elif kind == "ReturnStatement":
            if process.style is not Style.FUNCTION or node.returnValue is None:
                raise self._refusal(node, "a process has nothing to return from")
            self._visit(node.returnValue)
            process.state = None
        elif kind != "EmptyStatement":
            raise self._refusal(node, "no statement of hardware")

    def _assignment(self, node: Node) -> None:
        assert self._process is not None
        process = self._process
        kind = node.kind.name
        if not is_a(node, ASSIGNMENTS):
            if is_a(node, STEPS):
                raise self._refusal(
                    node, "a step of what is no counter of a loop is assigned at once, and others may read it"
                )
            raise self._refusal(node, "no statement of hardware: it assigns nothing")
        blocking = kind != "NonblockingAssignmentExpression"
        self._visit(node.right)
        targets = list(self._targets(node.left))
        for symbol, path in targets:
            if not is_a(node, _PLAIN):
                process.read(symbol, path, self._place(node.left), text_of(node.left))
            if symbol in process.counting:
                raise self._refusal(node, "the counter of a loop is moved by the loop alone", symbol.name)
            if blocking and process.style is Style.CLOCKED and not self._is_local(symbol):
                why = "a clocked block assigns it at once, and others may read it; write <="
                raise self._refusal(node, why, symbol.name)
            if not blocking and process.style is not Style.CLOCKED:
                why = "<= comes later than = does, which a clock path makes another clock; in logic and latches write ="
                raise self._refusal(node, why, f"{symbol.name} <=")
            symbol.users.add(process)
            process.write(symbol, path, blocking=blocking)

    def _is_local(self, symbol: DeclaredName) -> bool:
        process = self._process
        return process is not None and process.scope is not None and symbol.scope.is_within(process.scope)

    def _case(self, node: Node) -> None:
        assert self._process is not None
        process = self._process
        if node.matchesOrInside.rawText or node.caseKeyword.rawText == "casex":
            shown = node.matchesOrInside.rawText or "casex"
            raise self._refusal(node, "x is compared or matched, which no gate does", shown)
        if node.uniqueOrPriority.rawText == "unique0":
            raise self._refusal(node, "tools differ in what it promises", "unique0")
        self._visit(node.expr)
        before = process.copy()
        paths: list[set[Part] | None] = []
        for item in node.items:
            process.state = None if before is None else set(before)
            self._wild = node.caseKeyword.rawText == "casez"
            for expression in nodes(item.expressions) if is_a(item, "StandardCaseItem") else ():
                self._visit(expression)
            self._wild = False
            self._statement(item.clause)
            paths.append(process.state)
        if all(is_a(item, "StandardCaseItem") for item in node.items):
            paths.append(before)
        process.state = None
        for path in paths:
            process.join(path)

    def _for(self, node: Node) -> None:
        assert self._process is not None
        process = self._process
        before = self._enter()
        initial = nodes(node.initializers)
        if len(initial) != 1:
            raise self._refusal(node, "a loop has one counter", "for")
        counter = self._counter(initial[0])
        process.counting.add(counter)
        self._visit(node.stopExpr)
        count = self._count(node, counter)
        self._body(node.statement, [counter], count)
        for step in nodes(node.steps):
            self._step(step, counter)
        self._scope = before

    def _count(self, node: Node, counter: DeclaredName) -> str:
        """How often a loop turns that counts up from 0, as text; empty for another loop."""
        (initial,), stop, steps = nodes(node.initializers), node.stopExpr, nodes(node.steps)
        first = initial.declarator.initializer.expr if is_a(initial, "ForVariableDeclaration") else initial.right
        if text_of(first) != "0" or not is_a(stop, "LessThanExpression") or text_of(stop.left) != counter.name:
            return ""
        if len(steps) != 1 or not is_a(steps[0], "PostincrementExpression UnaryPreincrementExpression"):
            return ""
        return self._fixed_text(stop.right)

    def _counter(self, initial: Node) -> DeclaredName:
        """What counts a loop: a variable of the loop, or one that only this process uses."""
        if is_a(initial, "ForVariableDeclaration") and initial.declarator.initializer is not None:
            if initial.type is not None:
                self._visit(initial.type)
            self._visit(initial.declarator.initializer.expr)
            return self._add(initial.declarator.name, NameKind.COUNTER, initial.type)
        if not is_a(initial, "AssignmentExpression") or not is_a(initial.left, "IdentifierName"):
            raise self._refusal(initial, _COUNTER)
        self._visit(initial.right)
        assert self._process is not None
        ((symbol, path),) = self._targets(initial.left)
        symbol.users.add(self._process)
        self._process.write(symbol, path, blocking=True)
        if not self._is_local(symbol):
            self._module.counters.append((symbol, self._place(initial), text_of(initial)))
        return symbol

    def _body(self, body: Node, counters: list[DeclaredName], count: str) -> None:
        """The body of a loop. Sure to be assigned behind it is a vector of which each turn of `count` assigns a part;
        nothing else, for it may be run never."""
        assert self._process is not None
        state = self._process.copy()
        self._statement(body)
        whole = self._process.covered(counters[0], count) if len(counters) == 1 and count else set()
        self._process.leave(counters)
        self._process.join(state)
        if self._process.state is not None:
            self._process.state |= whole

    def _foreach(self, node: Node) -> None:
        assert self._process is not None
        listed = node.loopList
        if not is_a(listed.arrayName, "IdentifierName"):
            raise self._refusal(listed, "foreach runs over a signal with a plain name")
        array = self._base(listed.arrayName)
        before = self._enter()
        counters = [
            self._add(each.identifier, NameKind.COUNTER)
            for each in nodes(listed.loopVariables)
            if is_a(each, "IdentifierName")
        ]
        # Each place of its one dimension.
        self._body(node.statement, counters, array.dimensions[0] if array and array.dimensions else "")
        self._scope = before

    def _step(self, node: Node, counter: DeclaredName | None = None) -> None:
        """The step of a loop: it moves its counter, or a genvar."""
        if is_a(node, STEPS):
            target = node.operand
        elif is_a(node, ASSIGNMENTS):
            self._visit(node.right)
            target = node.left
        else:
            raise self._refusal(node, "the step of a loop moves its counter")
        if not is_a(target, "IdentifierName"):
            raise self._refusal(target, "the counter of a loop has a plain name")
        symbol = self._resolve(target.identifier)
        if symbol is not counter if counter is not None else symbol.meaning is not NameKind.GENVAR:
            raise self._refusal(target, _COUNTER)

    def _within(self, node: Node) -> None:
        raise self._refusal(node, "what an assignment within an expression does, and when, is not read alike")

    HANDLED: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(_PROCESSES, "_always"),
        "FunctionDeclaration": "_function",
        **dict.fromkeys(ASSIGNMENTS.split(), "_within"),
        **dict.fromkeys(STEPS.split(), "_within"),
    }

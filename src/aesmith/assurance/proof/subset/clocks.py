"""What is judged when all modules are read: the way of each clock and reset, and processes that nothing may wake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aesmith.assurance.proof.subset.modules import ReadModule
from aesmith.assurance.proof.subset.names import DeclaredName, NameKind, Scope
from aesmith.assurance.proof.subset.nodes import identifiers, is_a, nodes, plain
from aesmith.assurance.proof.subset.order import Process, Style
from aesmith.assurance.proof.subset.refusal import Place, RefusalError

_BY_PROCESS = "a clock or reset that a process assigns comes late by a step of the simulator; write assign"
_NO_WIRE = (
    "a clock or reset is a port, a plain wire of one, its inverse, or `clock & held` with the latch "
    "`if (!clock) held = enable;` of the same clock in the same module"
)
Signal = tuple[str, DeclaredName]


def check_clocks(modules: Mapping[str, ReadModule]) -> None:
    """Raise RefusalError for a clock or reset that on its way is no port, wire, inverse or clock gate."""
    waiting: list[tuple[Signal, Place, str]] = [
        ((module.name, symbol), place, shown)
        for module in modules.values()
        for symbol, (place, shown) in module.edges.items()
    ]
    known = {signal for signal, _, _ in waiting}
    while waiting:
        (name, symbol), place, shown = waiting.pop()
        for signal, at, said in _before(modules, modules[name], symbol, place, shown):
            if signal not in known:
                known.add(signal)
                waiting.append((signal, at, said))


def _before(
    modules: Mapping[str, ReadModule], module: ReadModule, symbol: DeclaredName, place: Place, shown: str
) -> Iterator[tuple[Signal, Place, str]]:
    """What a clock is made of."""
    for driver in module.drivers.get(symbol, ()):
        if driver.process is not None:
            raise RefusalError(place, shown, _BY_PROCESS)
        if driver.expression is not None:
            assert driver.scope is not None
            for found in _wires(driver.expression, driver.scope, module, place, shown):
                yield (module.name, found), place, shown
        elif (inner := modules.get(driver.module)) and (port := inner.output(driver.port)):
            yield (inner.name, port), place, shown
    if module.ports.get(symbol.name) == "input" and module.signals[symbol.name] is symbol:
        for outer in modules.values():
            for connection in outer.connections:
                if connection.module == module.name and module.port(connection.port) is symbol:
                    for found in _wires(
                        connection.expression, connection.scope, outer, connection.place, connection.shown
                    ):
                        yield (outer.name, found), connection.place, connection.shown


def _wires(expression: Any, scope: Scope, module: ReadModule, place: Place, shown: str) -> Iterator[DeclaredName]:
    """The clocks that an expression passes on. Raises RefusalError for one that does something else."""
    expression = plain(expression)
    if is_a(expression, "UnaryBitwiseNotExpression UnaryLogicalNotExpression"):
        yield from _wires(expression.operand, scope, module, place, shown)
    elif (name := _of_name(expression)) is not None and isinstance(symbol := scope.found(name), DeclaredName):
        if symbol.meaning is NameKind.SIGNAL:
            yield symbol
    elif is_a(expression, "IntegerVectorExpression UnbasedUnsizedLiteralExpression"):
        return
    elif is_a(expression, "ConcatenationExpression"):
        for each in nodes(expression.expressions):
            yield from _wires(each, scope, module, place, shown)
    elif is_a(expression, "MultipleConcatenationExpression"):
        yield from _wires(expression.concatenation, scope, module, place, shown)
    elif is_a(expression, "ConditionalExpression") and not _signals(expression.predicate, scope):
        yield from _wires(expression.left, scope, module, place, shown)
        yield from _wires(expression.right, scope, module, place, shown)
    elif is_a(expression, "BinaryAndExpression") and (clock := _gated(expression, scope, module)) is not None:
        yield clock
    else:
        raise RefusalError(place, shown, _NO_WIRE)


def _of_name(expression: Any) -> str | None:
    """The name that an expression is: that of a port, too, which is connected to what has its name."""
    if is_a(expression, "NamedPortConnection"):
        return str(expression.name.valueText)
    if is_a(expression, "IdentifierName IdentifierSelectName"):
        return str(expression.identifier.valueText)
    return None


def _signals(node: Any, scope: Scope) -> list[DeclaredName]:
    found = (scope.found(token.valueText) for token in identifiers(node))
    return [symbol for symbol in found if isinstance(symbol, DeclaredName) and symbol.meaning is NameKind.SIGNAL]


def _gated(expression: Any, scope: Scope, module: ReadModule) -> DeclaredName | None:
    """The clock of an AND that is the second half of a clock gate."""
    sides = [plain(expression.left), plain(expression.right)]
    if not all(is_a(side, "IdentifierName") for side in sides):
        return None
    symbols = [scope.found(side.identifier.valueText) for side in sides]
    for clock, held in (symbols, symbols[::-1]):
        if isinstance(clock, DeclaredName) and isinstance(held, DeclaredName):
            drivers = module.drivers.get(held, [])
            latches = [driver.process for driver in drivers if driver.process is not None]
            if len(drivers) == len(latches) == 1 and clock is _closing(latches[0], module):
                return clock
    return None


def _closing(latch: Process, module: ReadModule) -> DeclaredName | None:
    """The clock that closes a latch while it is high: its signal, or what that one is the inverse of."""
    if not latch.open_while or latch.latch_signal is None:
        return latch.latch_signal
    drivers = module.drivers.get(latch.latch_signal, [])
    if len(drivers) != 1 or drivers[0].scope is None:
        return None
    expression = plain(drivers[0].expression)
    if not is_a(expression, "UnaryBitwiseNotExpression UnaryLogicalNotExpression"):
        return None
    operand = plain(expression.operand)
    found = drivers[0].scope.found(operand.identifier.valueText) if is_a(operand, "IdentifierName") else None
    return found if isinstance(found, DeclaredName) else None


def check_woken(modules: Mapping[str, ReadModule]) -> None:
    """Raise RefusalError for a process that waits for signals of which none ever changes: `always @*` may have
    missed the moment in which a constant came, and never runs."""
    waiting = [
        (module, process)
        for module in modules.values()
        for process in module.processes
        if process.style is Style.COMBINATIONAL and process.keyword != "always_comb"
    ]
    if not waiting:
        return
    live: set[DeclaredName] = set()
    while True:
        found = {symbol for module in modules.values() for symbol in _woken(modules, module, live)} - live
        if not found:
            break
        live |= found
    for _, process in waiting:
        if live.isdisjoint(process.reads):
            raise _never(process)


def _never(process: Process) -> RefusalError:
    why = "all that the process reads is constant: a simulator may never run it; write always_comb or assign"
    return RefusalError(process.place, process.keyword, why)


def _woken(modules: Mapping[str, ReadModule], module: ReadModule, live: set[DeclaredName]) -> Iterator[DeclaredName]:
    """Signals of a module that change if `live` do."""
    connected: dict[DeclaredName, list[bool]] = {}
    for outer in modules.values():
        for connection in outer.connections:
            if connection.module == module.name and (port := module.port(connection.port)) is not None:
                connected.setdefault(port, []).append(not live.isdisjoint(connection.reads))
    for name, symbol in module.signals.items():
        if module.ports[name] == "input" and all(connected.get(symbol, [True])):
            yield symbol
    for symbol, drivers in module.drivers.items():
        for driver in drivers:
            if driver.process is not None:
                if driver.process.style is Style.CLOCKED or not live.isdisjoint(driver.process.reads):
                    yield symbol
            elif driver.expression is not None:
                if not live.isdisjoint(driver.reads):
                    yield symbol
            elif (inner := modules.get(driver.module)) is None or inner.output(driver.port) in live:
                yield symbol

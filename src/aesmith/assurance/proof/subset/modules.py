"""What is remembered of each module: its ports, what drives what in it, and where other modules stand in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from aesmith.assurance.proof.subset.names import DeclaredName, Scope
from aesmith.assurance.proof.subset.nodes import Node
from aesmith.assurance.proof.subset.order import Process
from aesmith.assurance.proof.subset.refusal import Place


@dataclass(eq=False)
class SignalDriver:
    """What drives a signal: an expression that reads some, a process, or the output `port` of a module."""

    process: Process | None = None
    expression: Node = None
    scope: Scope | None = None
    reads: frozenset[DeclaredName] = frozenset()
    module: str = ""
    port: str | int = ""


@dataclass(eq=False)
class PinConnection:
    """What a module's port is connected to where it stands."""

    module: str
    port: str | int
    expression: Node
    scope: Scope
    reads: frozenset[DeclaredName]
    place: Place
    shown: str


@dataclass(eq=False)
class ReadModule:
    """A module's ports by name in order, with their directions, and what drives what in it."""

    name: str
    place: Place
    ports: dict[str, str] = field(default_factory=dict)
    signals: dict[str, DeclaredName] = field(default_factory=dict)
    drivers: dict[DeclaredName, list[SignalDriver]] = field(default_factory=dict)
    connections: list[PinConnection] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    edges: dict[DeclaredName, tuple[Place, str]] = field(default_factory=dict)
    counters: list[tuple[DeclaredName, Place, str]] = field(default_factory=list)

    def port(self, which: str | int) -> DeclaredName | None:
        """A port by its name or place."""
        if isinstance(which, int):
            names = list(self.ports)
            return self.signals.get(names[which]) if which < len(names) else None
        return self.signals.get(which)

    def output(self, which: str | int) -> DeclaredName | None:
        """A port by its name or place, if it is an output."""
        port = self.port(which)
        return port if port is not None and self.ports[port.name] == "output" else None

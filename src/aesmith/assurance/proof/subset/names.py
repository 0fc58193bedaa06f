"""Names and what they stand for: blocks within blocks, in which a name is looked up without regard to the order."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from aesmith.assurance.proof.subset.nodes import Node
from aesmith.assurance.proof.subset.refusal import Place


class NameKind(Enum):
    """What a name stands for."""

    CONSTANT = "constant"
    GENVAR = "genvar"
    COUNTER = "counter of a loop"
    SIGNAL = "signal"
    FUNCTION = "function"
    TYPE = "type"
    BLOCK = "block or instance"


FIXED = frozenset((NameKind.CONSTANT, NameKind.GENVAR, NameKind.COUNTER))
"""What is the same throughout one turn of a process."""
_LIKE = {NameKind.GENVAR: NameKind.CONSTANT, NameKind.COUNTER: NameKind.SIGNAL}


@dataclass(eq=False)
class DeclaredName:
    """A name that is declared up to `place`, in `scope`; `type` is its type's node, `dimensions` those
    that select in it, from left to right. `port`: a port whose net or
    variable may be declared once more. `value` is that of a constant without a size; `users` are the
    processes that use it, and the module where something else does."""

    name: str
    meaning: NameKind
    place: Place
    scope: Scope
    type: Node = None
    dimensions: tuple[str, ...] = ()
    port: bool = False
    value: tuple[int, range] | None = None
    users: set[object] = field(default_factory=set)

    @property
    def label(self) -> str:
        """Its name, with a number that no other one has."""
        return f"{self.name}@{id(self)}"

    def is_like(self, other: DeclaredName) -> bool:
        """Whether both are of a kind, so that one may hide the other: tools look for kinds one after the other."""
        return _LIKE.get(self.meaning, self.meaning) is _LIKE.get(other.meaning, other.meaning)


@dataclass(eq=False)
class Scope:
    """A block of names in the block `parent`; `routine` is the function that it is in, or is."""

    parent: Scope | None
    routine: Scope | None = None
    names: dict[str, DeclaredName] = field(default_factory=dict)
    imports: list[Scope] = field(default_factory=list)

    def inner(self, *, routine: bool = False) -> Scope:
        """A new block in this one."""
        made = Scope(self, self.routine)
        if routine:
            made.routine = made
        return made

    def found(self, name: str) -> DeclaredName | str | None:
        """What the name stands for here, wherever it is declared; a str says why that is not clear."""
        scope: Scope | None = self
        while scope is not None:
            if symbol := scope.names.get(name):
                return symbol
            imported = {id(each): each for package in scope.imports if (each := package.names.get(name))}
            if len(imported) > 1:
                return "two packages that are imported have this name"
            if imported:
                return next(iter(imported.values()))
            scope = scope.parent
        return None

    def is_within(self, other: Scope) -> bool:
        """Whether this is `other`, or in it."""
        scope: Scope | None = self
        while scope is not None and scope is not other:
            scope = scope.parent
        return scope is other

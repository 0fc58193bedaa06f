"""The content of a block diagram: blocks, and the connections that carry data among them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Symbol(StrEnum):
    """How a block is drawn."""

    INPUT = "input"
    OUTPUT = "output"
    INSTANCE = "instance"
    REGISTER = "register"
    MULTIPLEXER = "multiplexer"
    GATE = "gate"
    CONTROL = "control"


@dataclass(frozen=True)
class Block:
    """One shape of the diagram, for `count` identical instances; `controls` names the narrow nets that steer it."""

    key: str
    kind: Symbol
    label: str
    detail: str = ""
    count: int = 1
    width: int = 0
    controls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Connection:
    """`width` bits of data between blocks. Connections share an `outlet` of the source if they share bits."""

    source: str
    target: str
    width: int
    outlet: int = 0


@dataclass(frozen=True)
class Structure:
    """The blocks of `module` and the data connections among them, both in a fixed order.

    Blocks of kind CONTROL have no data connections; `control_inputs` and `control_outputs` are the narrow ports.
    """

    module: str
    blocks: tuple[Block, ...]
    connections: tuple[Connection, ...]
    control_inputs: tuple[str, ...]
    control_outputs: tuple[str, ...]

    def block(self, key: str) -> Block:
        """The block of that key; KeyError if there is none."""
        return {block.key: block for block in self.blocks}[key]

"""The block interface of a netlist: which of its inputs are control, which are payload, and where bytes lie in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aesmith.assurance.proof.automaton import Shape, Stimulus
from aesmith.assurance.proof.netlist import Netlist
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import CLEAR, SIZE_CODES, PortDirection, block_interface
from aesmith.errors import CheckError, RequestError

_NAMES = {port.role: port.name for port in block_interface(tuple(SIZE_CODES), tuple(Direction))}
RESULT, RESULT_VALID = _NAMES["result.result"], _NAMES["result.valid"]
"""The output that is data, and the line that says when it is."""
HANDSHAKES = tuple(_NAMES[role] for role in ("key.ready", "block.ready", "result.valid"))
"""The outputs that are lines, in the order in which proofs have them."""
PAYLOADS = (_NAMES["key.key"], _NAMES["block.block"])
"""The inputs that are data."""
CLEAR_INPUT = CLEAR.payloads[0].port
"""The input that wipes a core that can be cleared."""
IDLE_CODES = tuple(-code for code in range(4))
"""Sizes of a stimulus that stand for what is on `key_bits_i` while no key is offered: any code, also an illegal one."""

_BITS = [bytes(byte >> i & 1 for i in range(8)) for byte in range(256)]


@dataclass(frozen=True)
class BlockPorts:
    """The ports of a core. `inputs` and `outputs` are (name, width) in the netlist's order.

    `quiet` says that `block_o` is claimed to be 0 while no result is offered.
    """

    shape: Shape
    has_direction: bool
    has_key_size: bool
    decrypts: bool
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    handshake_nets: tuple[int, ...]
    quiet: bool = False

    @property
    def in_one_beat(self) -> bool:
        """Whether keys and blocks come and go in one transfer, and keys have one size."""
        return self.shape.block_beats == 1 and self.shape.key_bits == (self.shape.key_width,)

    def input_levels(self, levels: Sequence[int], key: bytes, block: bytes) -> bytes:
        """All input bits in the netlist's order, a byte each: `levels` of control, and the bytes of one beat."""
        pieces, first = [], 0
        for name, width in self.inputs:
            if name in PAYLOADS:
                pieces += [_BITS[byte] for byte in reversed(key if name == PAYLOADS[0] else block)]
            else:
                pieces.append(bytes(levels[first : first + width]))
                first += width
        return b"".join(pieces)

    def levels(self, stimulus: Stimulus) -> tuple[int, ...]:
        """The bits of the control inputs in the netlist's order."""
        levels = {
            "key.valid": int(stimulus.key_valid),
            "key.key size": SIZE_CODES.get(stimulus.key_bits, -stimulus.key_bits),
            "block.valid": int(stimulus.block_valid),
            "result.ready": int(stimulus.block_ready),
            "block.direction": int(stimulus.decrypt),
        }
        by_name = {_NAMES[role]: level for role, level in levels.items()}
        return tuple(
            by_name[name] >> bit & 1 for name, width in self.inputs if name not in PAYLOADS for bit in range(width)
        )

    def payload(self, key: Sequence[int], block: Sequence[int], idle: int) -> list[int]:
        """The bits of the payloads, all `idle` where there is no transfer.

        A key that is shorter than its port stands in the most significant bits.
        """
        widths = dict(self.inputs)
        key_width, block_width = (widths[name] for name in PAYLOADS)
        return [*[idle] * (key_width - len(key)), *key, *(block or [idle] * block_width)]

    def handshakes(self, outputs: Sequence[Any]) -> list[Any]:
        """The levels of HANDSHAKES from all output bits in the netlist's order."""
        first, found = 0, {}
        for name, width in self.outputs:
            found[name] = outputs[first]
            first += width
        return [found[name] for name in HANDSHAKES]

    def result_bytes(self, outputs: Sequence[Any]) -> list[list[Any]]:
        """The bytes of the result, byte 0 first, from all output bits in the netlist's order."""
        first = 0
        for name, width in self.outputs:
            if name == RESULT:
                bits = list(outputs[first : first + width])
                return [bits[i : i + 8] for i in range(width - 8, -1, -8)]
            first += width
        raise CheckError("the core has no result")


def block_ports(netlist: Netlist, design: CoreDesign) -> BlockPorts:
    """The block interface of an elaborated design.

    Raises CheckError unless the netlist has exactly the ports that key sizes, directions and width of the design ask
    for, each as wide as they ask: no other, none wider. One that can be cleared comes with `clear_i` tied.
    """
    try:
        wanted = design.block_interface
    except RequestError as error:
        raise CheckError(f"{design.name}: {error}") from error
    if design.ports != wanted:
        raise CheckError(f"{design.name}: a proof knows the block interface only, and the design states other ports")
    clocking = (wanted.clock, wanted.reset.port if wanted.reset else None, CLEAR_INPUT)
    directions = ((netlist.inputs, PortDirection.INPUT), (netlist.outputs, PortDirection.OUTPUT))
    for has, direction in directions:
        asked = {port.name: port.bits for port in wanted if port.direction is direction and port.name not in clocking}
        for name in sorted(asked.keys() | has.keys()):
            width = len(has.get(name, ()))
            if width != asked.get(name, 0):
                raise CheckError(
                    f"{design.name}: {direction} {name} has {width or 'no'} bits in the sources; for keys of "
                    f"{', '.join(map(str, design.key_bits))} bits and {' and '.join(design.directions)} the block "
                    f"interface has {asked.get(name, 'no such port')}"
                )
    key_width = len(netlist.inputs["key_i"])
    return BlockPorts(
        Shape(128 // design.block_width, key_width, design.key_bits, len(netlist.registers)),
        len(design.directions) == 2,
        len(design.key_bits) > 1,
        design.directions == (Direction.DECRYPT,),
        tuple((name, len(bits)) for name, bits in netlist.inputs.items()),
        tuple((name, len(bits)) for name, bits in netlist.outputs.items()),
        tuple(netlist.outputs[name][0] for name in HANDSHAKES),
        wanted.quiet,
    )

"""The block interface of a netlist: which of its inputs are control, which are payload, and where bytes lie in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aesmith.assurance.proof.automaton import Shape, Stimulus
from aesmith.assurance.proof.netlist import Netlist
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SIZE_CODES
from aesmith.errors import CheckError

_INPUTS = ("key_valid_i", "key_i", "key_bits_i", "block_valid_i", "block_i", "block_ready_i", "decrypt_i")
HANDSHAKES = ("key_ready_o", "block_ready_o", "block_valid_o")
PAYLOADS = ("key_i", "block_i")
_OUTPUTS = (*HANDSHAKES, "block_o")


@dataclass(frozen=True)
class BlockPorts:
    """The ports of a core. `input_names` and `output_names` are (name, width) in the netlist's order."""

    shape: Shape
    has_direction: bool
    has_key_size: bool
    decrypts: bool
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]
    handshake_nets: tuple[int, ...]

    @property
    def in_one_beat(self) -> bool:
        """Whether keys and blocks come and go in one transfer, and keys have one size."""
        return self.shape.block_beats == 1 and self.shape.key_bits == (self.shape.key_width,)

    def words(self, stimulus: Stimulus, key: Sequence[Any] | None, block: Sequence[Any] | None, idle: Any) -> list[Any]:
        """All input bits in the netlist's order. `key` and `block` are the bytes of one beat, each of 8 bits.

        Where there is no transfer they are None and every payload bit is `idle`.
        """
        levels = iter(self.levels(stimulus))
        values: list[Any] = []
        for name, width in self.inputs:
            if name not in PAYLOADS:
                values += [next(levels) for _ in range(width)]
                continue
            payload = key if name == "key_i" else block
            values += [idle] * width if payload is None else [bit for byte in reversed(payload) for bit in byte]
        return values

    def levels(self, stimulus: Stimulus) -> tuple[int, ...]:
        """The bits of the control inputs in the netlist's order."""
        levels = {
            "key_valid_i": int(stimulus.key_valid),
            "key_bits_i": SIZE_CODES.get(stimulus.key_bits, 0),
            "block_valid_i": int(stimulus.block_valid),
            "block_ready_i": int(stimulus.block_ready),
            "decrypt_i": int(stimulus.decrypt),
        }
        return tuple(
            levels[name] >> bit & 1 for name, width in self.inputs if name not in PAYLOADS for bit in range(width)
        )

    def payload(self, key: Sequence[int], block: Sequence[int], idle: int) -> list[int]:
        """The bits of `key_i` and `block_i`, all `idle` where there is no transfer.

        A key that is shorter than its port stands in the most significant bits.
        """
        widths = dict(self.inputs)
        return [*[idle] * (widths["key_i"] - len(key)), *key, *(block or [idle] * widths["block_i"])]

    def handshakes(self, outputs: Sequence[Any]) -> list[Any]:
        """`key_ready_o`, `block_ready_o`, `block_valid_o` from all output bits in the netlist's order."""
        first, found = 0, {}
        for name, width in self.outputs:
            found[name] = outputs[first]
            first += width
        return [found[name] for name in HANDSHAKES]

    def result_bytes(self, outputs: Sequence[Any]) -> list[list[Any]]:
        """The bytes of `block_o`, byte 0 first, from all output bits in the netlist's order."""
        first = 0
        for name, width in self.outputs:
            if name == "block_o":
                bits = list(outputs[first : first + width])
                return [bits[i : i + 8] for i in range(width - 8, -1, -8)]
            first += width
        raise CheckError("the core has no port block_o")


def block_ports(netlist: Netlist, design: CoreDesign) -> BlockPorts:
    """The block interface of an elaborated design. Raises CheckError for a port that is missing or unknown."""
    both = len(design.directions) == 2
    several = len(design.key_bits) > 1
    needed = {"decrypt_i": both, "key_bits_i": several}
    expected = [name for name in _INPUTS if needed.get(name, True)]
    if set(netlist.inputs) != set(expected) or set(netlist.outputs) != set(_OUTPUTS):
        raise CheckError(
            f"{design.name}: a proof needs the ports of the block interface, clk_i, rst_ni, "
            f"{', '.join((*expected, *_OUTPUTS))}; it has {', '.join((*netlist.inputs, *netlist.outputs))}"
        )
    width = len(netlist.inputs["block_i"])
    key_width = len(netlist.inputs["key_i"])
    return BlockPorts(
        Shape(128 // width, key_width, design.key_bits, len(netlist.registers)),
        both,
        several,
        design.directions == (Direction.DECRYPT,),
        tuple((name, len(bits)) for name, bits in netlist.inputs.items()),
        tuple((name, len(bits)) for name, bits in netlist.outputs.items()),
        tuple(netlist.outputs[name][0] for name in HANDSHAKES),
    )

"""The smallest serial cores, whose key is not kept twice.

`serial-small-enc` and `serial-encdec` have few gates because nothing stands still; `serial-bit-enc` has fewer, because
a bit of the state and a bit of the key are all that moves in a clock, and one S-box serves the bytes of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear.named import named_map
from aesmith.circuits.linear.program import LinearProgram
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.narrow import mix_columns_source, round_constants_source, sbox_source
from aesmith.cores.ports import Meaning, Ports, block_interface
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources
from aesmith.publications import FIPS_197
from aesmith.sboxes.entry import Function

PASS = 16
"""Clocks in which state and key turn once."""

LOAD, ROUNDS, UNLOAD = 1, 10 * 2, 1
"""Passes: a block comes in; key expansion and round; the result goes out."""

RESTORE_ENCRYPTING, RESTORE_BOTH = 10 * 3 + 1, 10 * 4 + 1
"""Passes of the key schedule backwards."""

SLOT = 8
"""Clocks of a byte in the bit-serial core."""
BIT_PASS = 16 * SLOT
WORD = 4 * SLOT
"""Clocks in which the words of the key turn once in themselves."""
BIT_ROUNDS = 10 * (BIT_PASS + WORD) + BIT_PASS
"""AddRoundKey, nine rounds with MixColumns, and one without: a round key is made after each but the last."""
BIT_BACK = 10 * 2 * WORD
"""Clocks in which the key comes back: a turn brings words 1, 2 and 3 back, and another word 0."""

_CORE = "serial_small_core"
_MODULES = ("serial_clock_enable", "serial_shift_rows", "serial_small_sequencer", _CORE)


def mix_columns_both(program: LinearProgram) -> Circuit:
    """MixColumns of one column, or with `decrypt` its inverse: x and y are 32 bits, byte 0 is row 0.

    The inverse is MixColumns after circ(5, 0, 4, 0), which adds 4·(row i + row i+2) to row i.
    """
    builder = CircuitBuilder("both_mix_columns")
    x, decrypt = builder.input("x", 32), builder.input("decrypt", 1)[0]
    prepared: list[Wire] = [0] * 32
    with builder.block("circ(5, 0, 4, 0), for decryption only"):
        for row in (0, 1):
            pair = [builder.and_(decrypt, builder.xor(x[8 * row + k], x[8 * row + 16 + k])) for k in range(8)]
            twice = _times_2(builder, _times_2(builder, pair))
            for half in (row, row + 2):
                prepared[8 * half : 8 * half + 8] = [builder.xor(x[8 * half + k], twice[k]) for k in range(8)]
    with builder.block("MixColumns"):
        builder.output("y", program.place(builder, prepared))
    return builder.build()


def _times_2(builder: CircuitBuilder, byte: list[Wire]) -> list[Wire]:
    return [byte[7], *(builder.xor(byte[k - 1], byte[7]) if k in (1, 3, 4) else byte[k - 1] for k in range(1, 8))]


def both_mix_columns_source(name: str) -> SourceFile:
    """Module `<name>_both_mix_columns`: x_i (32 bits, byte 0 is row 0) to MixColumns of it, or the inverse, y_o."""
    program = named_map("mixcolumns").program()
    header = f"MixColumns of one column (FIPS-197 section 5.1.3) in {program.xors} XOR gates; byte 0 is row 0."
    return leaf_source(name, "both_mix_columns", mix_columns_both(program), header)


@dataclass(frozen=True)
class Small:
    """The core for encryption or for both directions, with an S-box of the catalogue, unpipelined.

    Raises RequestError for an S-box that lacks the function it needs: forward, or combined for both directions.
    """

    both_directions: bool
    sbox: str = "reyhani2018"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """What the core computes."""
        return (Direction.ENCRYPT, Direction.DECRYPT) if self.both_directions else (Direction.ENCRYPT,)

    @property
    def ports(self) -> Ports:
        """Those of the block interface."""
        return block_interface((128,), self.directions, 8)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        both = "both_" if self.both_directions else ""
        function = Function.COMBINED if both else Function.FORWARD
        leaves = (
            round_constants_source(name, range(1, 11)),
            sbox_source(name, self.sbox, 1, function, f"{both}sbox"),
            both_mix_columns_source(name) if both else mix_columns_source(name),
        )
        about = f"AES-128 encryption{' and decryption' if both else ''} on bytes in few gates."
        core = PackagedCore(_CORE, {"BothDirections": self.both_directions}, {Meaning.DIRECTION: "1'b0"})
        return (*leaves, *packaged_sources(name, _MODULES), core.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        both = self.both_directions
        # With both directions the result leaves at the end, else while the key is restored.
        before_unloading = LOAD + ROUNDS + (RESTORE_BOTH if both else 0)
        passes = before_unloading + (UNLOAD if both else RESTORE_ENCRYPTING)
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-128 encryption{' and decryption' if both else ''} on bytes in few gates, one S-box",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=self.directions,
            ports=self.ports,
            cycles_per_block=PASS * passes,
            latency_cycles=PASS * (before_unloading + UNLOAD) + 1,
            parameters={"key_bits": 128, "sbox": self.sbox},
            publication=FIPS_197,
            # The bytes go around: a block that misses its place waits for it.
            late_cycles=PASS * (passes + 1) if both else 0,
        )


@dataclass(frozen=True)
class BitSerial:
    """The core with an S-box of the catalogue, unpipelined. `clock_gates` holds registers by gated clocks.

    Raises RequestError for an S-box that there is not, or that has no forward function.
    """

    sbox: str = "reyhani2018"
    clock_gates: bool = False

    @property
    def ports(self) -> Ports:
        """Those of the block interface, bytes wide."""
        return block_interface((128,), (Direction.ENCRYPT,), 8)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        gates = ("clock_gate",) if self.clock_gates else ()
        packaged = PackagedCore("serial_bit_core", {"ClockGates": self.clock_gates})
        about = "AES-128 encryption a bit at a time in few gates."
        rtl = packaged_sources(name, (*gates, "serial_clock_enable", "serial_bit_sequencer", "serial_bit_core"))
        return (sbox_source(name, self.sbox, 1), *rtl, packaged.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        # A byte is taken at the end of its slot, and the last byte of the result leaves a clock after the rounds.
        latency = BIT_PASS - (SLOT - 1) + BIT_ROUNDS + 1
        return CoreDesign(
            name=name,
            preset=preset,
            title="AES-128 encryption on bits in few gates, one S-box",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=BIT_ROUNDS + BIT_PASS + BIT_BACK,
            latency_cycles=latency,
            parameters={"key_bits": 128, "sbox": self.sbox, "clock_gates": self.clock_gates},
            publication=FIPS_197,
        )

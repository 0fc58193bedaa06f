"""The core of 32 bits for both directions: `column-encdec`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.cores.design import Clocks, CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.narrow import AroundSbox, mix_columns_source, sbox_source
from aesmith.cores.ports import Meaning, Ports, block_interface
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources
from aesmith.publications import FIPS_197
from aesmith.sboxes.entry import Function

WORD = 32
BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
STAGES = 2
CUT = 16
"""Where the S-boxes are cut by default: later than those of encryption, for there is a choice more before them."""
MIX_LEVELS = 3
"""XOR gates on the longest path of MixColumns: the fewest, for it stands on the longest path of the core."""
_MODULES = ("serial_clock_enable", *(f"column_two_way_{part}" for part in ("key", "sequencer", "data_path", "core")))

CLOCKS = {
    (128, Direction.ENCRYPT): Clocks(105, first=63, worst=110),
    (128, Direction.DECRYPT): Clocks(96, first=101, worst=101),
    (192, Direction.ENCRYPT): Clocks(134, first=77, worst=137),
    (192, Direction.DECRYPT): Clocks(130, first=133, worst=133),
    (256, Direction.ENCRYPT): Clocks(136, first=83, worst=137),
    (256, Direction.DECRYPT): Clocks(136, first=137, worst=137),
}
"""By key size and direction. Words of the key run on to the last round key in a block, and back before the next one."""


def before_inverse_mix_columns() -> Circuit:
    """What makes MixColumns InvMixColumns: circ(5, 0, 4, 0) of one column; x to y, 32 bits, byte 0 is row 0."""
    builder = CircuitBuilder("before_inverse_mix_columns")
    x = builder.input("x", 32)
    rows = [list(x[8 * row : 8 * row + 8]) for row in range(4)]

    def add(a: list[Wire], b: list[Wire]) -> list[Wire]:
        return [builder.xor(p, q) for p, q in zip(a, b, strict=True)]

    def twice(a: list[Wire]) -> list[Wire]:
        return [a[7], *(builder.xor(a[k - 1], a[7]) if k in (1, 3, 4) else a[k - 1] for k in range(1, 8))]

    quadruple = [twice(twice(add(rows[row], rows[row + 2]))) for row in (0, 1)]
    builder.output("y", [bit for row in range(4) for bit in add(rows[row], quadruple[row % 2])])
    return builder.build()


@dataclass(frozen=True)
class ColumnEncdec:
    """The core for keys of one size, or of several of which each key says its own, with an S-box of the catalogue."""

    key_sizes: tuple[int, ...]
    sbox: str
    clock_gates: bool
    surroundings: AroundSbox

    @property
    def ports(self) -> Ports:
        """Those of the block interface, all channels 32 bits wide."""
        return block_interface(self.key_sizes, BOTH, WORD)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        sbox = sbox_source(name, self.sbox, STAGES, Function.COMBINED, "both_sbox", surroundings=self.surroundings)
        header = "circ(5, 0, 4, 0) of one column, after which MixColumns is InvMixColumns (FIPS-197); byte 0 is row 0."
        leaf = leaf_source(name, "before_inverse_mix_columns", before_inverse_mix_columns(), header)
        gates = ("clock_gate",) if self.clock_gates else ()
        fixed = self.key_sizes[0] if len(self.key_sizes) == 1 else 0
        parameters = {"KeyBits": fixed, "ClockGates": self.clock_gates}
        core = PackagedCore("column_two_way_core", parameters, {Meaning.KEY_SIZE: "2'd0"})
        about = f"AES-{self._sizes} encryption and decryption a column at a time, four S-boxes for both."
        rtl = packaged_sources(name, (*gates, *_MODULES))
        return (sbox, mix_columns_source(name, MIX_LEVELS), leaf, *rtl, core.top(name, self.ports, about))

    @property
    def _sizes(self) -> str:
        return "/".join(map(str, self.key_sizes))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        slowest = reduce(Clocks.slower, (CLOCKS[max(self.key_sizes), direction] for direction in BOTH))
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-{self._sizes} encryption and decryption on columns, four S-boxes, in beats of {WORD} bits",
            sources=Sources(partial(self.sources, name)),
            key_bits=self.key_sizes,
            directions=BOTH,
            ports=self.ports,
            cycles_per_block=slowest.per_block,
            latency_cycles=slowest.first,
            latency_spread=slowest.spread,
            other_clocks={key: own for key, own in CLOCKS.items() if key[0] in self.key_sizes},
            parameters={
                "key_bits": self.key_sizes if len(self.key_sizes) > 1 else self.key_sizes[0],
                "sbox": self.sbox,
                "cut": self.surroundings.before,
                "clock_gates": self.clock_gates,
            },
            publication=FIPS_197,
        )

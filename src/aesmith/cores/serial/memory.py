"""The serial core in memories: for devices that have them, as FPGAs do.

State and keys are bytes of one memory, ShiftRows is an address, and a byte of the next state is a sum of six that are
read one after the other. Nothing is shifted, so there is next to no logic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.narrow import sbox_source
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.publications import FIPS_197
from aesmith.sboxes import table

SHORT_SLOT, SLOT = 4, 6
"""Clocks of a byte: of one that comes in or leaves, and of any other."""

LOAD = 16 * SHORT_SLOT
ROUNDS = 9 * 16 * SLOT + 16 * SHORT_SLOT

_CORE = "serial_memory_core"


def multiples_source(name: str) -> SourceFile:
    """Module `<name>_multiples` as a table: a byte, or a multiple of the S-box of it, in the next clock."""
    words = [*range(256), *(aes.FIELD.multiply(factor, value) for factor in (1, 2, 3) for value in aes.SBOX)]
    # The last word first, so that the address is the index: of an array [1024] tools take the index's complement.
    words.reverse()
    rows = [", ".join(f"8'h{word:02x}" for word in words[i : i + 12]) for i in range(0, len(words), 12)]
    return SourceFile(f"{name}_multiples.sv", _TABLE.format(name=name, rows=",\n    ".join(rows)))


def multiples_of_sbox_source(name: str) -> SourceFile:
    """Module `<name>_multiples` around `<name>_sbox`: the same, of gates."""
    return SourceFile(f"{name}_multiples.sv", _GATES.format(name=name))


@dataclass(frozen=True)
class Memory:
    """The core. What multiplies is a table of all multiples of the S-box, or with `gates` an S-box of the catalogue and
    a choice of its multiples.

    Raises RequestError for an S-box that there is not, or that has no forward function, and for another than `table`
    without gates.
    """

    sbox: str = table.ENTRY.name
    gates: bool = False

    def __post_init__(self) -> None:
        if not self.gates and self.sbox != table.ENTRY.name:
            raise RequestError(f'sbox: must be {table.ENTRY.name} unless multiples = "gates", not {self.sbox}')

    @property
    def ports(self) -> Ports:
        """Those of the block interface, bytes wide."""
        return block_interface((128,), (Direction.ENCRYPT,), 8)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        leaves: tuple[SourceFile, ...] = (multiples_source(name),)
        if self.gates:
            leaves = (sbox_source(name, self.sbox, 1), multiples_of_sbox_source(name))
        rtl = packaged_sources(name, ("serial_memory", "serial_memory_sequencer", _CORE))
        top = PackagedCore(_CORE, {}).top(name, self.ports, "AES-128 encryption on bytes in memories.")
        return (*leaves, *rtl, top)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        return CoreDesign(
            name=name,
            preset=preset,
            title="AES-128 encryption on bytes in memories, for FPGAs",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=LOAD + ROUNDS,
            # The first byte is taken in the last step of its slot; the last one leaves in the second of a slot.
            latency_cycles=LOAD - (SHORT_SLOT - 1) + ROUNDS + 2,
            parameters={"key_bits": 128, "sbox": self.sbox, "multiples": "gates" if self.gates else "table"},
            publication=FIPS_197,
        )


_TABLE = """\
// A byte, or one, two or three times the S-box of it (FIPS-197, figure 7 and section 4.2), read from a table in one
// clock; the last word comes first.
module {name}_multiples (
  input  logic       clk_i,
  input  logic       enable_i,
  input  logic [7:0] x_i,
  input  logic [1:0] factor_i,   // 0: the byte itself
  output logic [7:0] y_o
);
  localparam logic [1023:0][7:0] Words = {{
    {rows}
  }};

  always_ff @(posedge clk_i) begin
    if (enable_i) y_o <= Words[{{factor_i, x_i}}];
  end
endmodule
"""

_GATES = """\
// A byte, or one, two or three times the S-box of it (FIPS-197, figure 7 and section 4.2), in the next clock.
module {name}_multiples (
  input  logic       clk_i,
  input  logic       enable_i,
  input  logic [7:0] x_i,
  input  logic [1:0] factor_i,   // 0: the byte itself
  output logic [7:0] y_o
);
  logic [7:0] once, twice;

  {name}_sbox u_sbox (
    .clk_i,
    .enable_i(1'b1),
    .x_i,
    .y_o     (once)
  );
  assign twice = {{once[6:0], 1'b0}} ^ (8'h1b & {{8{{once[7]}}}});

  always_ff @(posedge clk_i) begin
    if (enable_i) y_o <= factor_i == '0 ? x_i : (once & {{8{{factor_i[0]}}}}) ^ (twice & {{8{{factor_i[1]}}}});
  end
endmodule
"""

"""Key sizes, and a core for several of them seen as one for a single size: a wrapper ties the choice."""

from __future__ import annotations

from dataclasses import replace

from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import SIZE_CODES, block_interface
from aesmith.errors import RequestError


def rounds(key_bits: int) -> int:
    """Rounds of AES with a key of so many bits (FIPS-197, figure 4)."""
    return key_bits // 32 + 6


_TEMPLATE = """\
// {core} with keys of {bits} bits only: the size is tied, and the key stands in the most significant bits.
module {name} (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [{msb}:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
{decrypt_port}
  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  {core} u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i     ({key}),
    .key_bits_i(2'd{code}),
    .block_valid_i,
    .block_ready_o,
    .block_i,
{decrypt_pin}    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
"""


def with_one_key_size(design: CoreDesign, key_bits: int) -> CoreDesign:
    """The design for one of its key sizes, under the name `<name>_<key_bits>`, one clock a round.

    Tests and measurements of cores with one size then serve this one too. Raises RequestError for a size that the
    design does not have.
    """
    if key_bits not in design.key_bits:
        raise RequestError(f"key_bits: must be one of {', '.join(map(str, design.key_bits))}, not {key_bits}")
    if len(design.key_bits) == 1:
        return design
    both = Direction.DECRYPT in design.directions
    name = f"{design.name}_{key_bits}"
    unused = max(design.key_bits) - key_bits
    text = _TEMPLATE.format(
        core=design.name,
        name=name,
        bits=key_bits,
        msb=key_bits - 1,
        code=SIZE_CODES[key_bits],
        key=f"{{key_i, {unused}'b0}}" if unused else "key_i",
        decrypt_port="  input  logic decrypt_i,\n" if both else "",
        decrypt_pin="    .decrypt_i,\n" if both else "",
    )
    shorter = rounds(max(design.key_bits)) - rounds(key_bits)
    return replace(
        design,
        name=name,
        sources=(*design.sources, SourceFile(f"{name}.sv", text)),
        key_bits=(key_bits,),
        ports=block_interface((key_bits,), design.directions),
        cycles_per_block=design.cycles_per_block - shorter,
        latency_cycles=design.latency_cycles - shorter,
    )

"""Cores that stand in for AES, and a simulator of channels that keeps what is made of Verilator's library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aesmith.assurance.streams.channels import ChannelBench
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import SIZE_CODES, block_interface
from aesmith.cores.wrapper import declarations
from aesmith.modes.message import Cipher
from aesmith.publications import Publication

_STAND_IN = """\
// A core that stands in for AES: in order, {clocks} clocks a block, {latency} to a result; takes keys {when}{sizes}.
module {name} (
{ports}
);
  logic [{latency}-2:0] valid_q;
  logic [{latency}-2:0][127:0] block_q;
  logic [127:0] key_q, sum, product, right, left;
  logic [7:0] pause_q;
  logic keyed_q, move;
  logic [{latency}-2:0] enters;
{size}  assign move = ~valid_q[{latency}-2] | block_ready_i;
  assign key_ready_o = {takes_keys};
  assign block_ready_o = keyed_q & pause_q == '0 & move & ~key_valid_i;
  assign block_valid_o = valid_q[{latency}-2];
  assign block_o = block_q[{latency}-2] & {{128{{block_valid_o}}}};
  assign sum = (block_i ^ key_q) * 128'h{factor:x};
  assign product = (sum ^ sum >> 61) * 128'h{factor:x};
  assign right = (block_i ^ block_i >> 59 ^ block_i >> 118) * 128'h{inverse:x};
  assign left = (right ^ right >> 61 ^ right >> 122) * 128'h{inverse:x} ^ key_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      keyed_q <= 1'b0;
      pause_q <= '0;
    end else begin
      if (move) valid_q <= valid_q << 1 | enters;
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      if (block_valid_i & block_ready_o) pause_q <= 8'd{clocks} - 8'd1 - {fewer};
      else if (pause_q != '0) pause_q <= pause_q - 8'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (move) begin
      for (int unsigned stage = 1; stage < {latency} - 1; stage++) block_q[stage] <= block_q[stage-1];
      for (int unsigned stage = 0; stage < {latency} - 1; stage++) begin
        if (enters[stage]) block_q[stage] <= {decrypt} ? left : product ^ product >> 59;
      end
    end
{takes_key}  end
  assign enters = ({latency}-1)'(block_valid_i & block_ready_o) << {fewer};
endmodule
"""
_FACTOR = 0xD6E8FEB86659FD93A5A3564E27F8862B
_INVERSE = pow(_FACTOR, -1, 1 << 128)


_ENCRYPTS = (Direction.ENCRYPT,)
_ONE_SIZE = "    if (key_valid_i & key_ready_o) key_q <= key_i;\n"
_SEVERAL_SIZES = """\
    if (key_valid_i & key_ready_o) begin
      size_q <= key_bits_i;
      key_q  <= key_i[255:128] ^ 128'(key_bits_i) ^
                {key_i[127:64] & {64{key_bits_i != 2'd0}}, key_i[63:0] & {64{key_bits_i[1]}}};
    end
"""


def stand_in(
    clocks: int,
    latency: int,
    directions: tuple[Direction, ...] = _ENCRYPTS,
    *,
    agile: bool = False,
    key_bits: tuple[int, ...] = (128,),
) -> CoreDesign:
    """A core behind the block interface that is no AES but another permutation, `StandIn`, and small.

    It takes a key when it is empty, or, `agile`, in any clock. Of several sizes of keys the clocks are those of the
    longest; a block takes four less under one of 128 bits, and two less under one of 192.
    """
    ports, sized = block_interface(key_bits, directions, quiet=True), len(key_bits) > 1
    name = f"stand_in_{clocks}_{latency}_{'_'.join(directions)}{'_agile' * agile}{'_sized' * sized}"
    decrypt = "decrypt_i" if len(directions) > 1 else f"1'b{directions == (Direction.DECRYPT,):d}"
    text = _STAND_IN.format(
        name=name,
        ports=declarations(ports),
        clocks=clocks,
        latency=latency,
        when="in any clock" if agile else "when empty",
        sizes=" of several sizes" * sized,
        fewer="(8'd4 - 8'd2 * 8'(size_q))" if sized else "8'd0",
        takes_key=_SEVERAL_SIZES if sized else _ONE_SIZE,
        size="  logic [1:0] size_q;\n" * sized,
        takes_keys="1'b1" if agile else "valid_q == '0",
        factor=_FACTOR,
        inverse=_INVERSE,
        decrypt=decrypt,
    )
    return CoreDesign(
        name=name,
        preset="stand-in",
        title="no AES",
        sources=(SourceFile(f"{name}.sv", text),),
        key_bits=key_bits,
        directions=directions,
        ports=ports,
        cycles_per_block=clocks,
        latency_cycles=latency,
        parameters={},
        publication=Publication("stand-in", "nobody", "none", "none", 0),
    )


class StandIn(Cipher):
    """What a core that stands in computes."""

    @property
    def word(self) -> int:
        """What becomes of a key of any size."""
        whole = self.key.ljust(32, b"\0")
        return int.from_bytes(whole[:16]) ^ int.from_bytes(whole[16:]) ^ SIZE_CODES[8 * len(self.key)]

    def encrypt(self, block: bytes) -> bytes:
        """A block under the permutation."""
        rest = (1 << 128) - 1
        value = (int.from_bytes(block) ^ self.word) * _FACTOR & rest
        value = (value ^ value >> 61) * _FACTOR & rest
        return (value ^ value >> 59).to_bytes(16)

    def decrypt(self, block: bytes) -> bytes:
        """A block under its inverse."""
        rest = (1 << 128) - 1
        value = int.from_bytes(block)
        value = (value ^ value >> 59 ^ value >> 118) * _INVERSE & rest
        value = (value ^ value >> 61 ^ value >> 122) * _INVERSE & rest
        return (value ^ self.word).to_bytes(16)

    def constant(self, block: bytes) -> bytes:
        """A block that depends on the key alone."""
        return self.encrypt(block)


@pytest.fixture(scope="session")
def stand_ins() -> tuple[Callable[..., CoreDesign], type[Cipher]]:
    """Cores that stand in for AES, of any clocks and latency, and their model."""
    return stand_in, StandIn


@pytest.fixture(scope="session")
def bench() -> type[ChannelBench]:
    """The simulator of channels, of which one is made for each design."""
    return ChannelBench

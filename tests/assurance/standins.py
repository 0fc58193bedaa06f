"""Small AES cores to try the simulation on: table S-box, computed as FIPS-197 says, with the block interface."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import Meaning, block_interface, from_values
from aesmith.publications import FIPS_197

FOLDER = Path(__file__).parent / "standin"


def _times(a: int, b: int) -> int:
    product = 0
    for i in range(8):
        if b >> i & 1:
            product ^= a << i
    for i in range(14, 7, -1):
        if product >> i & 1:
            product ^= 0x11B << (i - 8)
    return product


@cache
def _sbox() -> list[int]:
    table = []
    for x in range(256):
        inverse = next((y for y in range(256) if _times(x, y) == 1), 0)
        doubled = inverse << 8 | inverse
        table.append(inverse ^ doubled >> 7 & 255 ^ doubled >> 6 & 255 ^ doubled >> 5 & 255 ^ doubled >> 4 & 255 ^ 0x63)
    return table


def _package(key_bits: int) -> SourceFile:
    sbox = _sbox()
    text = (FOLDER / "standin_aes_pkg.sv").read_text()
    text = text.replace("@KEY_BITS@", str(key_bits))
    text = text.replace("@SBOX@", ", ".join(f"8'h{value:02x}" for value in sbox))
    text = text.replace("@INVERSE_SBOX@", ", ".join(f"8'h{sbox.index(value):02x}" for value in range(256)))
    return SourceFile("standin_aes_pkg.sv", text)


def _design(
    file: str,
    key_bits: int,
    directions: tuple[Direction, ...],
    *,
    width: int,
    cycles: int,
    latency: int,
    key_width: int | None = None,
) -> CoreDesign:
    ports = block_interface((key_bits,), directions, width, key_width)
    text = (FOLDER / f"standin_{file}.sv").read_text()
    text = text.replace("@WIDTH@", str(width)).replace("@KEY_WIDTH@", str(ports.payload(Meaning.KEY).width))
    return CoreDesign(
        name="standin",
        preset=file,
        title=f"Stand-in {file}",
        sources=(_package(key_bits), SourceFile("standin.sv", text)),
        key_bits=(key_bits,),
        directions=directions,
        ports=ports,
        cycles_per_block=cycles,
        latency_cycles=latency,
        parameters={},
        publication=FIPS_197,
    )


def iterative() -> CoreDesign:
    """AES-128, both directions, one block at a time; takes the next block in the clock in which the last leaves."""
    return _design("iterative", 128, (Direction.ENCRYPT, Direction.DECRYPT), width=128, cycles=10, latency=11)


def pipelined() -> CoreDesign:
    """AES-192, decryption only, a block a clock with six blocks in flight."""
    return _design("pipelined", 192, (Direction.DECRYPT,), width=128, cycles=1, latency=7)


def serial(width: int = 8, key_width: int | None = None) -> CoreDesign:
    """AES-256, encryption only, in words of `width` bits, by default bytes: 16 clocks in, 5 of work, 16 out."""
    clocks = 2 * (128 // width) + 5
    return _design("serial", 256, (Direction.ENCRYPT,), width=width, key_width=key_width, cycles=clocks, latency=clocks)


def foreign() -> CoreDesign:
    """The iterative stand-in as a design of somebody else's, its ports given by a file."""
    ports = from_values(json.loads((FOLDER / "foreign.json").read_text()))
    sources = (*iterative().sources, SourceFile("foreign.sv", (FOLDER / "foreign.sv").read_text()))
    return replace(iterative(), name="foreign", sources=sources, ports=ports)

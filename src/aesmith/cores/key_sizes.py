"""Key sizes, and a core for several of them seen as one for a single size: a wrapper ties the choice."""

from __future__ import annotations

from dataclasses import replace

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import SIZE_CODES
from aesmith.cores.wrapper import wrapper
from aesmith.errors import RequestError


def rounds(key_bits: int) -> int:
    """Rounds of AES with a key of so many bits (FIPS-197, figure 4)."""
    return key_bits // 32 + 6


def with_one_key_size(design: CoreDesign, key_bits: int) -> CoreDesign:
    """The design for one of its key sizes, under the name `<name>_<key_bits>`, one clock a round.

    Tests and measurements of cores with one size then serve this one too. Raises RequestError for a size that the
    design does not have.
    """
    if key_bits not in design.key_bits:
        raise RequestError(f"key_bits: must be one of {', '.join(map(str, design.key_bits))}, not {key_bits}")
    if len(design.key_bits) == 1:
        return design
    name = f"{design.name}_{key_bits}"
    key = design.ports.channel("key")
    narrow = replace(key, payloads=(replace(key.data, width=key_bits),))
    channels = tuple(narrow if channel is key else channel for channel in design.ports.channels)
    ports = replace(design.ports, channels=channels)
    header = f"{design.name} with keys of {key_bits} bits only: the size is tied, and the key stands where byte 0 is."
    size = {"key.key size": f"2'd{SIZE_CODES[key_bits]}"}
    text = wrapper(header, name, ports, design.top, design.ports, tied=size)
    shorter = rounds(max(design.key_bits)) - rounds(key_bits)
    return replace(
        design,
        name=name,
        sources=(*design.sources, SourceFile(f"{name}.sv", text)),
        key_bits=(key_bits,),
        ports=ports,
        cycles_per_block=design.cycles_per_block - shorter,
        latency_cycles=design.latency_cycles - shorter,
    )

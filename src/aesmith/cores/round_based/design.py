"""The facts of a round-based core around its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.round_based.assembly import Parts
from aesmith.cores.round_based.published import published
from aesmith.publications import PUBLICATIONS

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENCRYPT = (Direction.ENCRYPT,)


@dataclass(frozen=True)
class Facts:
    """What a reader is told of an architecture. `table` is the core's name in `published`; `pace` and `title` follow
    "AES-128 encryption" in its description."""

    title: str
    publication: str
    table: str
    directions: tuple[Direction, ...]
    cycles_per_block: int = 10
    latency_cycles: int = 11
    pace: str = "one round a clock"


def core_design(facts: Facts, parts: Parts, name: str, preset: str, parameters: Mapping[str, object]) -> CoreDesign:
    """The core under the build's name; the paper's figures are those of the preset itself, not of variants of it.

    `parameters` are those particular to the architecture, and `key_bits` if it is not 128.
    """
    key_bits = int(str(parameters.get("key_bits", 128)))
    verbs = "encryption and decryption" if len(facts.directions) == 2 else "encryption"
    return CoreDesign(
        name=name,
        preset=preset,
        title=f"AES-{key_bits} {verbs}, {facts.pace}, {facts.title}",
        sources=parts.sources(name),
        key_bits=(key_bits,),
        directions=facts.directions,
        block_width=128,
        cycles_per_block=facts.cycles_per_block,
        latency_cycles=facts.latency_cycles,
        parameters={"key_bits": key_bits, **parameters},
        publication=PUBLICATIONS[facts.publication],
        published=published(facts.table) if preset == facts.table else (),
    )

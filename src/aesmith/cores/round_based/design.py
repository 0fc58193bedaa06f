"""The facts of a round-based core around its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import block_interface
from aesmith.cores.round_based.assembly import Parts
from aesmith.cores.round_based.maps import ROUNDS
from aesmith.publications import Publication

TWO_STAGES = "two blocks in flight through a round of two stages"
"""The pace of cores with a register inside the round."""

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENCRYPT = (Direction.ENCRYPT,)


@dataclass(frozen=True)
class Facts:
    """What a reader is told of an architecture: `pace` and `title` follow "AES-128 encryption" in its description."""

    title: str
    publication: Publication
    directions: tuple[Direction, ...]
    cycles_per_block: int = 10
    latency_cycles: int = 11
    pace: str = "one round a clock"
    remarks: tuple[str, ...] = ()


def _direction_remarks(run: int, *, two_blocks: bool) -> tuple[str, str]:
    """What directions cost; `run` is the number of clocks of one run of the key schedule with what ends it."""
    first = (
        f"The first block to decrypt under a new key is taken {run} clocks after it is offered to an idle core: the "
        "last round key is computed once a key, by a run of the key schedule, during which no key is accepted."
    )
    if two_blocks:
        turn = (
            "Under one key, a block of the other direction is taken one or two clocks after the next result of the "
            f"present direction; with no block in flight it waits {run} clocks, for a run of the key schedule."
        )
    else:
        turn = "Under one key, a change of direction costs one clock."
    return first, turn


def core_design(facts: Facts, parts: Parts, name: str, preset: str, parameters: Mapping[str, object]) -> CoreDesign:
    """The core under the build's name.

    `parameters` are those particular to the architecture, and `key_bits` if it is not 128: one size, or several.
    """
    given = parameters.get("key_bits", 128)
    key_bits = tuple(given) if isinstance(given, tuple) else (int(str(given)),)
    verbs = "encryption and decryption" if len(facts.directions) == 2 else "encryption"
    title = f"AES-{'/'.join(map(str, key_bits))} {verbs}, {facts.pace}, {facts.title}"
    ports = block_interface(key_bits, facts.directions)
    remarks = facts.remarks
    if len(facts.directions) == 2:
        rounds, two_blocks = ROUNDS[max(key_bits)], facts.pace == TWO_STAGES
        remarks += _direction_remarks((2 if two_blocks else 1) * rounds + 1, two_blocks=two_blocks)
    return CoreDesign(
        name=name,
        preset=preset,
        title=title,
        sources=parts.sources(name, ports, f"{title}."),
        key_bits=key_bits,
        directions=facts.directions,
        ports=ports,
        cycles_per_block=facts.cycles_per_block,
        latency_cycles=facts.latency_cycles,
        parameters={"key_bits": given, **parameters},
        publication=facts.publication,
        remarks=remarks,
    )

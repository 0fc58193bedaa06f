"""What a power measurement is to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from aesmith.errors import RequestError


class PowerStimulus(StrEnum):
    """What the core is given to do."""

    RANDOM = "random"
    REKEYED = "rekeyed"
    IDLE = "idle"
    LISTED = "listed"


STIMULI = {
    PowerStimulus.RANDOM: "random blocks back to back under a random key",
    PowerStimulus.REKEYED: "random blocks, a random key before each",
    PowerStimulus.IDLE: "a random key loaded, blocks done, nothing offered",
    PowerStimulus.LISTED: "the blocks of a list, back to back in its order",
}


@dataclass(frozen=True)
class PowerPlan:
    """`clock_mhz` is the simulated clock. Random stimuli go on, 64 at a time, until the 95 % confidence interval of the
    mean energy is within ± `precision` (a fraction) of it, at most `most_batches` times. `listed` are the (key, block)
    pairs of the stimulus LISTED. `zero_delay` leaves delays out: fast, and no glitch is seen.

    Raises RequestError for a value out of range.
    """

    clock_mhz: float = 100.0
    stimulus: PowerStimulus = PowerStimulus.RANDOM
    precision: float = 0.01
    most_batches: int = 50
    seed: int = 1
    zero_delay: bool = False
    listed: tuple[tuple[bytes, bytes], ...] = ()

    def __post_init__(self) -> None:
        if not 0.001 <= self.clock_mhz <= 100_000:
            raise RequestError(f"clock_mhz: must be 0.001 to 100000, not {self.clock_mhz:g}")
        if not 0.0001 <= self.precision <= 0.5:
            raise RequestError(f"precision: must be a fraction from 0.0001 to 0.5, not {self.precision:g}")
        if self.most_batches < 1:
            raise RequestError(f"most_batches: must be at least 1, not {self.most_batches}")
        if self.seed < 0:
            raise RequestError(f"seed: must be at least 0, not {self.seed}")
        if (self.stimulus is PowerStimulus.LISTED) != bool(self.listed):
            raise RequestError("listed: the stimulus 'listed' needs blocks, and no other takes them")


def read_blocks(path: Path, key_bits: Sequence[int]) -> tuple[tuple[bytes, bytes], ...]:
    """The blocks of a file: a line each, key and block in hexadecimal, or the block alone under the key before it.

    Empty lines and what follows # are skipped. Raises RequestError, with the line, for anything else.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"blocks: {path} cannot be read ({error})") from error
    digits = [bits // 4 for bits in key_bits]
    found: list[tuple[bytes, bytes]] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        key = words[0] if len(words) == 2 else found[-1][0].hex() if found else ""
        block = words[-1]
        right = len(words) <= 2 and all(re.fullmatch("[0-9a-fA-F]+", word) for word in (key, block))
        if not right or len(key) not in digits or len(block) != 32:
            raise RequestError(
                f"blocks: {path}, line {number}: must be a key of {' or '.join(map(str, digits))} hexadecimal digits "
                f"(on the first line at least) and a block of 32, not {line.strip()!r}"
            )
        found.append((bytes.fromhex(key), bytes.fromhex(block)))
    if not found:
        raise RequestError(f"blocks: {path} has no block")
    return tuple(found)

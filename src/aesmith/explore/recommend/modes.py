"""Modes of operation: which directions of AES they need, and where a block waits for the one before.

In a chained direction the input of AES is made from the previous result, so blocks in flight are of no use to one
stream: it gets one block per latency. Sources: NIST SP 800-38A (ECB, CBC, CFB with segments of 128 bits, OFB, CTR), 38B
(CMAC), 38C (CCM), 38D (GCM), 38E with IEEE 1619 (XTS).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aesmith.cores.design import Direction
from aesmith.errors import RequestError, not_one_of

ENCRYPT, DECRYPT = Direction.ENCRYPT, Direction.DECRYPT
KEY_SIZES = (128, 192, 256)
Clocks = float | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Mode:
    """A mode. `uses` has the directions of AES that encrypting and decrypting in this mode need.

    `chained` are the mode's directions in which a block waits for the result before it; `calls` is how many blocks AES
    processes for one block of data. `note` says what else the mode needs, which is no part of an AES core.
    """

    name: str
    title: str
    uses: Mapping[Direction, frozenset[Direction]]
    chained: frozenset[Direction] = frozenset()
    calls: int = 1
    key_bits: tuple[int, ...] = KEY_SIZES
    note: str = ""

    def core_directions(self, directions: tuple[Direction, ...]) -> frozenset[Direction]:
        """The directions of AES that a core must have for these directions of the mode."""
        return frozenset().union(*(self.uses[direction] for direction in directions))


_BOTH_WAYS = {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({DECRYPT})}
_FORWARD = {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({ENCRYPT})}

MODES = {
    mode.name: mode
    for mode in (
        Mode("ecb", "ECB", _BOTH_WAYS, note="equal blocks encrypt to equal blocks: not for data of any structure"),
        Mode("cbc", "CBC", _BOTH_WAYS, frozenset({ENCRYPT})),
        Mode("cfb", "CFB", _FORWARD, frozenset({ENCRYPT}), note="segments of 128 bits"),
        Mode("ofb", "OFB", _FORWARD, frozenset({ENCRYPT, DECRYPT}), note="the key stream may be computed ahead"),
        Mode("ctr", "CTR", _FORWARD),
        Mode("gcm", "GCM", _FORWARD, note="the hash, GHASH, is beside the AES core and in none of the figures"),
        Mode("ccm", "CCM", _FORWARD, frozenset({ENCRYPT, DECRYPT}), calls=2),
        Mode("cmac", "CMAC", _FORWARD, frozenset({ENCRYPT, DECRYPT})),
        Mode(
            "xts",
            "XTS",
            {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({ENCRYPT, DECRYPT})},
            key_bits=(128, 256),
            note="a data unit also encrypts its tweak, under a key of its own, which is not in the throughput",
        ),
    )
}
"""All modes by name."""

_DIRECTIONS = {
    "encrypt": (ENCRYPT,),
    "enc": (ENCRYPT,),
    "decrypt": (DECRYPT,),
    "dec": (DECRYPT,),
    "encdec": (ENCRYPT, DECRYPT),
    "both": (ENCRYPT, DECRYPT),
}


def mode_by_name(name: str) -> Mode:
    """The mode of that name, in any case. Raises RequestError, listing them, if there is none."""
    if name.lower() not in MODES:
        raise not_one_of("mode", name, MODES)
    return MODES[name.lower()]


def directions_by_name(name: str) -> tuple[Direction, ...]:
    """The mode's directions that enc, dec or encdec mean. Raises RequestError for anything else."""
    if name.lower() not in _DIRECTIONS:
        raise RequestError(f"directions: must be enc, dec or encdec, not {name!r}")
    return _DIRECTIONS[name.lower()]


def clocks_per_block(
    mode: Mode, directions: tuple[Direction, ...], cycles_per_block: Clocks, latency_cycles: Clocks, streams: int = 1
) -> Clocks:
    """Clocks from one block of data to the next, all streams together, in the slowest of the directions.

    A stream that is chained starts a block in the clock after the one that offers the result before, so once every
    `latency_cycles`; `streams` independent ones take turns. Clocks are of one core or of many at once.
    """
    busy = mode.calls * np.asarray(cycles_per_block, dtype=np.float64)
    if mode.chained.isdisjoint(directions):
        return busy
    return np.maximum(busy, np.asarray(latency_cycles) / streams)

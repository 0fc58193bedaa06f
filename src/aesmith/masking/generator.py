"""What a generator of fresh bits gives: words of key streams of Trivium or Bivium B, which stand here bit by bit.

C. De Cannière, B. Preneel, "Trivium" (eSTREAM, 2005): state bits s_1 to s_288 in registers of 93, 84 and 111 bits, of
which each step shifts all by one place, and gives a bit z. Bivium B is what H. Raddum ("Cryptanalytic Results on
Trivium", eSTREAM report 2006/039) left of it: without the last register, s_1 to s_177.

Bit order is that of eSTREAM's vectors: bit i of a key, an IV or the key stream is bit i mod 8, from the least
significant on, of byte i // 8. The specification's K_j is bit 80 - j of the key, IV_j of the IV, z_(i+1) bit i of the
key stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Literal

Prng = Literal["none", "trivium", "bivium"]
"""What can make a core's fresh bits; `none` leaves its channel of them open."""

SEED_BITS = 80
"""Bits of a seed, which is the key, and of an IV."""
MOST_STEPS = 64
"""Steps of a key stream in a clock beyond which the path between its registers becomes longer."""


class StreamCipher(StrEnum):
    """A generator of key stream."""

    TRIVIUM = "trivium"
    BIVIUM = "bivium"

    @property
    def warm_up(self) -> int:
        """Steps before the first bit that is given: four times the bits of the state."""
        return 4 * (288 if self is StreamCipher.TRIVIUM else 177)


@dataclass(frozen=True)
class FreshBits:
    """Words of `bits` fresh bits, made by key streams of `kind`: `lanes` of them, `steps` bits of each a clock, no more
    than `most_steps`."""

    kind: str
    bits: int
    most_steps: int = MOST_STEPS

    @property
    def lanes(self) -> int:
        """Key streams; IV of each is its number."""
        return -(-self.bits // self.most_steps)

    @property
    def steps(self) -> int:
        """Bits of a key stream in a word, and steps in a clock: bit i of a word is bit i mod `steps` of its part of
        key stream i // `steps`. What the last one has over is used nowhere."""
        return -(-self.bits // self.lanes)

    @property
    def warm_up_clocks(self) -> int:
        """Clocks from the one after a seed's until the key streams move to the first bits that are offered."""
        return -(-StreamCipher(self.kind).warm_up // self.steps)

    @property
    def skipped(self) -> int:
        """Bits of each key stream that go by in the last clock of the warm-up, and are used nowhere."""
        return self.warm_up_clocks * self.steps - StreamCipher(self.kind).warm_up

    @property
    def first_word(self) -> int:
        """Clocks from the one in which a seed is taken to the one in which its first word is offered."""
        return self.warm_up_clocks + 2

    def words(self, seeds: Sequence[int], cases: int) -> Iterator[list[int]]:
        """The words after seeds, bit by bit, without end. Each bit is a word of so many cases, those of a seed too."""
        lanes, mask = range(self.lanes), (1 << cases) - 1
        every = sum(1 << cases * lane for lane in lanes)
        key = [bit * every for bit in seeds]
        iv = [sum((lane >> i & 1) * mask << cases * lane for lane in lanes) for i in range(SEED_BITS)]
        stream = key_stream(StreamCipher(self.kind), key, iv, mask * every)
        for _ in range(self.skipped):
            next(stream)
        while True:
            steps = [next(stream) for _ in range(self.steps)]
            yield [step >> cases * lane & mask for lane in lanes for step in steps][: self.bits]

    def parameters(self, *, clock_gates: bool) -> dict[str, int | bool]:
        """The values of the module's parameters."""
        own = {"Bits": self.bits, "Bivium": self.kind == "bivium", "MostSteps": self.most_steps}
        return own | {"ClockGates": clock_gates}

    @property
    def name(self) -> str:
        """What people call the key streams' generator."""
        return {"trivium": "Trivium", "bivium": "Bivium B"}[self.kind]

    @property
    def remark(self) -> str:
        """Sentences for the datasheet."""
        weak = (
            ""
            if self.kind == "trivium"
            else "Bivium B is a reduced Trivium, and broken as a cipher: who learns some of its key stream can find "
            "the rest. "
        )
        return (
            f"Fresh bits are made inside: {self.lanes} key streams of {self.name}, {self.steps} bits of each per "
            f"cycle, from a seed of {SEED_BITS} bits. No block is accepted before a seed, and the first word is ready "
            f"{self.first_word} cycles after it. {weak}The generator is no source of randomness: seeds must be "
            "uniform, secret and never used twice."
        )


def key_stream(cipher: StreamCipher, key: Sequence[int], iv: Sequence[int], ones: int = 1) -> Iterator[int]:
    """The key stream without end, bit by bit, after the warm-up.

    Each bit is a word, of as many independent cases as `ones` has bits; so are those of key and IV.
    """
    s = [0] * (1 + 288)
    for i in range(SEED_BITS):
        s[80 - i], s[93 + 80 - i] = key[i], iv[i]
    if cipher is StreamCipher.TRIVIUM:
        s[286] = s[287] = s[288] = ones
    step = _trivium if cipher is StreamCipher.TRIVIUM else _bivium
    for _ in range(cipher.warm_up):
        step(s)
    while True:
        yield step(s)


def _trivium(s: list[int]) -> int:
    t1, t2, t3 = s[66] ^ s[93], s[162] ^ s[177], s[243] ^ s[288]
    z = t1 ^ t2 ^ t3
    t1 ^= s[91] & s[92] ^ s[171]
    t2 ^= s[175] & s[176] ^ s[264]
    t3 ^= s[286] & s[287] ^ s[69]
    s[1:94], s[94:178], s[178:289] = [t3, *s[1:93]], [t1, *s[94:177]], [t2, *s[178:288]]
    return z


def _bivium(s: list[int]) -> int:
    t1, t2 = s[66] ^ s[93], s[162] ^ s[177]
    z = t1 ^ t2
    t1 ^= s[91] & s[92] ^ s[171]
    t2 ^= s[175] & s[176] ^ s[69]
    s[1:94], s[94:178] = [t2, *s[1:93]], [t1, *s[94:177]]
    return z


def key_stream_bytes(cipher: StreamCipher, key: bytes, iv: bytes, size: int) -> bytes:
    """The first `size` bytes of the key stream of a key and an IV of ten bytes each."""
    bits = islice(key_stream(cipher, _bits(key), _bits(iv)), 8 * size)
    return sum(bit << i for i, bit in enumerate(bits)).to_bytes(size, "little")


def _bits(value: bytes) -> list[int]:
    return [int.from_bytes(value, "little") >> i & 1 for i in range(8 * len(value))]

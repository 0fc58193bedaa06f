"""`serial-shared-enc`: one S-box for state and key in a ring of 20 bytes, 20 clocks per round. Beside it the smallest
rings, and `serial-shared16-enc`: two S-boxes in a ring of ten pairs of bytes, ten clocks per round.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

from aesmith.cores.design import Clocks, CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.narrow import PAIRS, mix_columns_source, round_constants_source, sbox_source, with_block
from aesmith.cores.ports import Meaning, Ports, block_interface
from aesmith.cores.serial.small import both_mix_columns_source
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.publications import FIPS_197
from aesmith.sboxes.entry import Function

STAGES = range(1, 5)
PASS = 16 + 4
"""Slots of a round: the bytes of the state, and the bytes of the key that pass the S-box."""
PAIR = 16
"""Bits of a pair of bytes: of a beat of each channel, and of what passes the S-boxes in a clock."""
PASS_OF_PAIRS = 128 // PAIR + 2
"""Slots of a round on pairs of bytes: those of the state, and of the last word of the key."""
BACK = 10 * 4
"""Clocks in which the smallest core brings its key back, or forward to the last round key."""
_ENCRYPTING = 10 * PASS + 16
_DECRYPTING = BACK + PASS + 16 + 9 * PASS + 16 + 16
"""Clocks from the last byte of a block that has come to the last byte of its result."""
ENCRYPTS = Clocks(_ENCRYPTING + BACK, first=16 + _ENCRYPTING, worst=_ENCRYPTING + BACK)
"""Of the smallest core: a block that comes at once behind another comes while its key is brought back."""
DECRYPTS = Clocks.steady(_DECRYPTING, 16 + _DECRYPTING)
BOTH = {
    Direction.ENCRYPT: Clocks(_ENCRYPTING + BACK, first=16 + _ENCRYPTING, worst=16 + _ENCRYPTING + BACK),
    Direction.DECRYPT: Clocks(_DECRYPTING, first=16 + _DECRYPTING, worst=16 + _DECRYPTING + BACK),
}
"""Of the one for both directions: a block comes while the result of the block before leaves, and then waits for its key
to be brought back, if that block was encrypted."""

_NUMBERS = (1, 2, 4, 9, 3, 6, 13, 10, 5, 11)
"""What the smallest core numbers its rounds by: powers of x modulo x^4 + x + 1. From one to the next, and back, it is a
shift and an XOR."""

_RING = ("serial_clock_enable", "serial_shared_sequencer", "serial_shared_data_path", "serial_shared_ring")
_RING_OF_PAIRS = ("serial_clock_enable", "serial_pair_sequencer", "serial_pair_data_path", "serial_pair_ring")


@dataclass(frozen=True)
class SharedEnc:
    """The core with an S-box of the catalogue in 1 to 4 stages. `clock_gates` holds registers by gated clocks.
    Its key is kept until the next, or comes with each block: a byte with each of its bytes, and of a longer key one
    more, byte s + 16 of 32 with byte s of the block, or byte s + 8 of 24 with byte s from the eighth on.

    Raises RequestError for a number of stages that the architecture or the S-box does not have.
    """

    stages: int = 4
    sbox: str = "boyar2012-derived"
    clock_gates: bool = False
    key_kept: bool = True
    key_bits: int = 128

    @property
    def ports(self) -> Ports:
        """Those of the block interface; a key that comes with each block is in the channel of the block."""
        ports = block_interface((self.key_bits,), (Direction.ENCRYPT,), 8)
        if self.key_kept:
            return ports
        # A byte of the key, and one more of a key longer than a block.
        return with_block(ports, 8 if self.key_bits == 128 else 16)

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            raise RequestError(f"stages: must be 1 to 4 (the ring has four ranks to spare), not {self.stages}")

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        leaves = (sbox_source(name, self.sbox, self.stages), mix_columns_source(name))
        core = "serial_shared_core" if self.key_kept else "serial_shared_keyed_core"
        modules = (*_RING, *(("serial_key_store",) if self.key_kept else ()), core)
        gates = ("clock_gate",) if self.clock_gates else ()
        about = f"AES-{self.key_bits} encryption on bytes, one S-box for state and key, 20 clocks a round."
        parameters = {"SboxStages": self.stages, "ClockGates": self.clock_gates, "KeyBytes": self.key_bits // 8}
        packaged = PackagedCore(core, parameters)
        return (*leaves, *packaged_sources(name, (*gates, *modules)), packaged.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        stages = f"{self.stages} stage{'s' if self.stages > 1 else ''}"
        rounds = aes.rounds(self.key_bits)
        with_block = "" if self.key_kept else ", the key with each block"
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-{self.key_bits} encryption on bytes, one S-box in {stages}, 20 clocks a round{with_block}",
            sources=Sources(partial(self.sources, name)),
            key_bits=(self.key_bits,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=rounds * PASS,
            latency_cycles=rounds * PASS + 16,
            parameters={
                "key_bits": self.key_bits,
                "stages": self.stages,
                "sbox": self.sbox,
                "key": "kept" if self.key_kept else "with-block",
                "clock_gates": self.clock_gates,
            },
            publication=FIPS_197,
        )


@dataclass(frozen=True)
class SharedPair:
    """The core with S-boxes of the catalogue in 1 or 2 stages. `clock_gates` holds registers by gated clocks.
    Its key is kept until the next, or comes with each block, a pair of bytes with each pair.

    Raises RequestError for a number of stages that the architecture or the S-box does not have.
    """

    stages: int = 2
    sbox: str = "boyar2012-derived"
    clock_gates: bool = False
    key_kept: bool = True

    def __post_init__(self) -> None:
        if self.stages not in (1, 2):
            raise RequestError(
                f"stages: must be 1 or 2 (SubWord is added in the clock after its bytes enter), not {self.stages}"
            )

    @property
    def ports(self) -> Ports:
        """Those of the block interface; a key that comes with each block is in the channel of the block."""
        ports = block_interface((128,), (Direction.ENCRYPT,), PAIR)
        return ports if self.key_kept else with_block(ports, PAIR)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        leaves = (sbox_source(name, self.sbox, self.stages, surroundings=PAIRS), mix_columns_source(name))
        core = PackagedCore(
            "serial_pair_core" if self.key_kept else "serial_pair_keyed_core",
            {"SboxStages": self.stages, "ClockGates": self.clock_gates},
        )
        gates = ("clock_gate",) if self.clock_gates else ()
        about = f"AES-128 encryption on pairs of bytes, two S-boxes for state and key, {PASS_OF_PAIRS} clocks a round."
        rtl = packaged_sources(name, (*gates, *_RING_OF_PAIRS, core.module))
        return (*leaves, *rtl, core.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        stages = f"{self.stages} stage{'s' if self.stages > 1 else ''}"
        clocks = aes.rounds(128) * PASS_OF_PAIRS
        key = "" if self.key_kept else ", the key with each block"
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-128 encryption on pairs of bytes, two S-boxes in {stages}, {PASS_OF_PAIRS} clocks a round{key}",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=clocks,
            latency_cycles=clocks + 128 // PAIR,
            parameters={
                "key_bits": 128,
                "stages": self.stages,
                "sbox": self.sbox,
                "key": "kept" if self.key_kept else "with-block",
                "clock_gates": self.clock_gates,
            },
            publication=FIPS_197,
        )


@dataclass(frozen=True)
class SharedSmall:
    """The smallest of its kind: an S-box of the catalogue without stages, and a key that is brought back after a block.
    For encryption, decryption, or both directions. `clock_gates` holds registers by gated clocks.

    Raises RequestError for an S-box that lacks the function it needs: forward, or combined for a core that decrypts,
    whose key schedule has the S-box forwards.
    """

    sbox: str = "reyhani2018"
    clock_gates: bool = False
    directions: tuple[Direction, ...] = (Direction.ENCRYPT,)

    @property
    def ports(self) -> Ports:
        """Those of the block interface."""
        return block_interface((128,), self.directions, 8)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        leaves = [round_constants_source(name, [_NUMBERS.index(x) + 1 if x in _NUMBERS else 0 for x in range(16)])]
        parameters = {"ClockGates": self.clock_gates}
        ties = {}
        if Direction.DECRYPT in self.directions:
            base = "serial_shared_encdec"
            leaves += [
                sbox_source(name, self.sbox, 1, Function.COMBINED, "both_sbox"),
                both_mix_columns_source(name),
            ]
            parameters["Encrypts"] = Direction.ENCRYPT in self.directions
            ties[Meaning.DIRECTION] = "1'b1"
        else:
            base = "serial_shared_small"
            leaves.append(sbox_source(name, self.sbox, 1))
        core = f"{base}_core"
        gates = ("clock_gate",) if self.clock_gates else ()
        about = f"AES-128 {self._what} on bytes in few gates, 20 clocks a round."
        packaged = PackagedCore(core, parameters, ties)
        modules = packaged_sources(name, (*gates, "serial_clock_enable", f"{base}_sequencer", core))
        return (*leaves, *modules, packaged.top(name, self.ports, about))

    @property
    def _clocks(self) -> dict[Direction, Clocks]:
        if self.directions == tuple(BOTH):
            return BOTH
        return {way: ENCRYPTS if way is Direction.ENCRYPT else DECRYPTS for way in self.directions}

    @property
    def _what(self) -> str:
        return " and ".join(f"{way.value}ion" for way in self.directions)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        clocks = self._clocks
        slowest = reduce(Clocks.slower, clocks.values())
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-128 {self._what} on bytes in few gates, one S-box, 20 cycles per round",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=self.directions,
            ports=self.ports,
            cycles_per_block=slowest.per_block,
            latency_cycles=slowest.first,
            latency_spread=slowest.spread,
            other_clocks={(128, way): own for way, own in clocks.items()},
            parameters={"key_bits": 128, "sbox": self.sbox, "clock_gates": self.clock_gates},
            publication=FIPS_197,
            late_cycles=slowest.per_block + 16,
        )

"""How a round-based core is put together: leaf circuits, packaged modules in their roles, a shell, and its facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.pipeline import StagedCircuit
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.ports import Meaning, Ports, block_interface
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources
from aesmith.fields import aes
from aesmith.publications import Publication

TWO_STAGES = "two blocks in flight through a round of two stages"
"""The pace of cores with a register inside the round."""

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENCRYPT = (Direction.ENCRYPT,)


CORE = "round_core"
"""The shell: registers, channels and control around a data path and a key schedule."""

CONTROL = ("round_sequencer", "key_registers")
"""What the shell has around them."""

TWO_SLOT_CORE = "two_slot_core"
"""The shell of cores with a register at the inverter output, two blocks in flight."""

TWO_SLOT_CONTROL = ("two_slot_sequencer", "key_registers")
"""What that shell has around data path and key schedule."""

SLOT_CORE = "slot_core"
"""The shell of cores with any number of blocks in flight."""

TWO_WAY_SLOT_CORE = "two_way_slot_core"
"""The same for both directions, with one key size or the choice of one."""

UNROLLED_CORE = "unrolled_core"
"""The shell of encryption cores with several rounds per clock; of `CONTROL` it has the sequencer."""

_OPTIONAL = {
    CORE: {Meaning.DIRECTION: "1'b0", Meaning.KEY_SIZE: "2'd0"},
    TWO_SLOT_CORE: {Meaning.DIRECTION: "1'b0"},
    SLOT_CORE: {},
    TWO_WAY_SLOT_CORE: {Meaning.KEY_SIZE: "2'd0"},
    UNROLLED_CORE: {},
}
"""Payloads that a shell has whatever the build has, and what they are tied to there."""


def two_way_key_schedule(key_bits: int) -> tuple[str, ...]:
    """The modules of the key schedule of Ueno et al. for both directions, the one that stands for it last."""
    return ("two_way_words_192" if key_bits == 192 else "two_way_words", "two_way_key_schedule")


@dataclass(frozen=True)
class Leaf:
    """An emitted circuit: the module's name without the build's, the circuit, and what it is after which source.

    The registers of one in stages have an enable."""

    module: str
    circuit: Circuit | StagedCircuit
    text: str

    def source(self, name: str) -> SourceFile:
        """Its file under the build's name."""
        if isinstance(self.circuit, Circuit):
            return leaf_source(name, self.module, self.circuit, self.text)
        full = f"{name}_{self.module}"
        return SourceFile(f"{full}.sv", staged_systemverilog(self.circuit, self.text, full, enable=True))


@dataclass(frozen=True)
class Parts:
    """All modules of a core in compile order. `rtl` are names of the packaged modules that `core` needs; `roles`
    gives some of them the name by which the others instantiate them."""

    leaves: Sequence[Leaf]
    rtl: Sequence[str]
    core: str
    parameters: Mapping[str, int | bool] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    def gated(self) -> Parts:
        """The same with registers held by gated clocks; of the shells only `CORE` has that."""
        parameters = {**self.parameters, "ClockGates": True}
        return replace(self, rtl=("clock_gate", *self.rtl), parameters=parameters)

    def sources(self, name: str, ports: Ports, about: str) -> tuple[SourceFile, ...]:
        """All files under the build's name; `about` is the comment of the top module."""
        emitted = tuple(leaf.source(name) for leaf in self.leaves)
        packaged = packaged_sources(name, (*self.rtl, self.core), self.roles)
        core = PackagedCore(self.core, self.parameters, _OPTIONAL[self.core])
        return (*emitted, *packaged, core.top(name, ports, about))


@dataclass(frozen=True)
class Facts:
    """What a reader is told of an architecture: `pace` and `title` follow "AES-128 encryption" in its description.

    `slots` is the number of blocks in flight; `ends` the clocks from the end of a run of the key schedule without a
    block to the first block that can be taken.
    """

    title: str
    publication: Publication
    directions: tuple[Direction, ...]
    cycles_per_block: int = 10
    latency_cycles: int = 11
    pace: str = "one round a clock"
    slots: int = 1
    ends: int = 1
    remarks: tuple[str, ...] = ()


def _direction_remarks(run: int, slots: int) -> tuple[str, str]:
    """What directions cost; `run` is the number of clocks of one run of the key schedule with what ends it."""
    first = (
        f"The first block to decrypt under a new key is taken {run} clocks after it is offered to an idle core: the "
        "last round key is computed once a key, by a run of the key schedule, during which no key is accepted."
    )
    if slots == 1:
        return first, "Under one key, a change of direction costs one clock."
    turn = (
        f"Under one key, a block of the other direction is taken one to {slots} clocks after the next result of the "
        f"present direction; with no block in flight it waits {run} clocks, for a run of the key schedule."
    )
    return first, turn


def core_design(
    facts: Facts, parts: Callable[[], Parts], name: str, preset: str, parameters: Mapping[str, object]
) -> CoreDesign:
    """The core under the build's name; its parts are asked for when its sources are read.

    `parameters` are those particular to the architecture, and `key_bits` if it is not 128: one size, or several.
    """
    given = parameters.get("key_bits", 128)
    key_bits = tuple(given) if isinstance(given, tuple) else (int(str(given)),)
    verbs = "encryption and decryption" if len(facts.directions) == 2 else "encryption"
    title = f"AES-{'/'.join(map(str, key_bits))} {verbs}, {facts.pace}, {facts.title}"
    ports = block_interface(key_bits, facts.directions)
    remarks, turns = facts.remarks, 0
    if len(facts.directions) == 2:
        rounds, turns = aes.rounds(max(key_bits)), 1
        remarks += _direction_remarks(facts.slots * rounds + facts.ends, facts.slots)
    return CoreDesign(
        name=name,
        preset=preset,
        title=title,
        sources=Sources(lambda: parts().sources(name, ports, f"{title}.")),
        key_bits=key_bits,
        directions=facts.directions,
        ports=ports,
        cycles_per_block=facts.cycles_per_block,
        latency_cycles=facts.latency_cycles,
        parameters={"key_bits": given, **parameters},
        publication=facts.publication,
        remarks=remarks,
        turn_cycles=None if turns and facts.slots > 1 else turns,
    )

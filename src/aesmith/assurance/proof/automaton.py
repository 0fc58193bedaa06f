"""The specification automaton: what DESIGN calls the block interface, as state that runs in lockstep with a core.

It knows keys and blocks by number only. What is computed of them is the business of the domain the core runs in:
symbolic forms in the proof, bytes in the replay of a counterexample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Stimulus:
    """The control inputs of one clock."""

    key_valid: bool
    block_valid: bool
    block_ready: bool
    decrypt: bool = False
    key_bits: int = 0


@dataclass(frozen=True)
class Handshakes:
    """The control outputs of one clock."""

    key_ready: bool
    block_ready: bool
    block_valid: bool


@dataclass(frozen=True)
class Shape:
    """Beats of a block; the key sizes, the width of the key channel, and all registers of the core, in bits."""

    block_beats: int
    key_width: int
    key_bits: tuple[int, ...]
    register_bits: int

    def key_beats(self, key_bits: int) -> int:
        """Transfers of one key."""
        return max(1, key_bits // self.key_width)


@dataclass(frozen=True)
class Key:
    """A key by number, with its size in bits."""

    number: int
    bits: int


@dataclass(frozen=True)
class Job:
    """A block under way: which, under which key, in which direction, how many beats came in and went out."""

    block: int
    key: Key
    decrypt: bool
    taken: int
    left: int = 0


@dataclass(frozen=True)
class Automaton:
    """The state of the specification.

    `key` is the last key accepted; `arriving` a key of which `arrived` beats were accepted. `jobs` are the blocks under
    way, the oldest first; only the last can be incomplete, only the first partly gone. `offered` is set while a beat
    of a result was valid and not ready. With senders that keep the handshake's rules, `key_waits` and `block_waits`
    hold what must stay valid.
    """

    key: Key | None = None
    arriving: Key | None = None
    arrived: int = 0
    jobs: tuple[Job, ...] = ()
    offered: bool = False
    key_waits: Stimulus | None = None
    block_waits: Stimulus | None = None

    @property
    def keys(self) -> frozenset[int]:
        """Numbers of all keys that still matter."""
        named = [self.key, self.arriving, *(job.key for job in self.jobs)]
        return frozenset(key.number for key in named if key is not None)

    @property
    def blocks(self) -> frozenset[int]:
        """Numbers of all blocks that still matter."""
        return frozenset(job.block for job in self.jobs)


@dataclass(frozen=True)
class Transfers:
    """What one clock moves. Numbers are those of the key and block (None: no transfer); beats count from 0."""

    key: Key | None = None
    key_beat: int = 0
    block: int | None = None
    block_beat: int = 0
    result: Job | None = None


def permitted(state: Automaton, shape: Shape, stimulus: Stimulus) -> bool:
    """Whether senders that keep the handshake's rules may give this stimulus."""
    key, block = state.key_waits, state.block_waits
    last = state.jobs[-1] if state.jobs else None
    begun = last is not None and last.taken < shape.block_beats
    if begun and last is not None and stimulus.block_valid and stimulus.decrypt != last.decrypt:
        return False
    if key is not None and not (stimulus.key_valid and stimulus.key_bits == key.key_bits):
        return False
    return block is None or (stimulus.block_valid and stimulus.decrypt == block.decrypt)


def broken_rule(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes) -> str:
    """Which rule of the handshakes a clock breaks, whatever its data; empty if none."""
    taking = stimulus.block_valid and shakes.block_ready
    begins = not state.jobs or state.jobs[-1].taken == shape.block_beats
    if taking and begins and state.key is None:
        return "a block is accepted before there is a key"
    if shakes.block_valid and not state.jobs:
        return "a result is offered, and no block is under way"
    if shakes.block_valid and state.jobs[0].taken < shape.block_beats:
        return "a result is offered before its block has come"
    held = sum(job.taken - job.left for job in state.jobs) * (128 // shape.block_beats)
    if held > shape.register_bits:
        return "more is under way than all registers can hold: a block is lost"
    if state.offered and not shakes.block_valid:
        return "a result was offered and not taken, and is no longer offered"
    return ""


def transfers(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes) -> Transfers:
    """What the clock moves. New keys and blocks get the lowest number that is free."""
    key, key_beat, block, block_beat = None, 0, None, 0
    if stimulus.key_valid and shakes.key_ready:
        if state.arriving is not None:
            key, key_beat = state.arriving, state.arrived
        else:
            key = Key(_free(state.keys), stimulus.key_bits or shape.key_bits[0])
    if stimulus.block_valid and shakes.block_ready:
        last = state.jobs[-1] if state.jobs else None
        if last is not None and last.taken < shape.block_beats:
            block, block_beat = last.block, last.taken
        else:
            block = _free(state.blocks)
    result = state.jobs[0] if state.jobs and shakes.block_valid else None
    return Transfers(key, key_beat, block, block_beat, result)


def following(
    state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes, moved: Transfers, *, polite: bool
) -> Automaton:
    """The state after the clock. With `polite`, senders keep the handshake's rules."""
    jobs = state.jobs
    if moved.block is not None:
        if moved.block_beat:
            jobs = (*jobs[:-1], replace(jobs[-1], taken=jobs[-1].taken + 1))
        elif state.key is not None:
            jobs = (*jobs, Job(moved.block, state.key, stimulus.decrypt, 1))
    if moved.result is not None and stimulus.block_ready:
        first = replace(jobs[0], left=jobs[0].left + 1)
        jobs = jobs[1:] if first.left == shape.block_beats else (first, *jobs[1:])
    key, arriving, arrived = state.key, state.arriving, state.arrived
    if moved.key is not None:
        arriving, arrived = moved.key, moved.key_beat + 1
        if arrived == shape.key_beats(moved.key.bits):
            key, arriving, arrived = moved.key, None, 0
    return Automaton(
        key,
        arriving,
        arrived,
        jobs,
        offered=shakes.block_valid and not stimulus.block_ready,
        key_waits=stimulus_of_key(stimulus) if polite and stimulus.key_valid and not shakes.key_ready else None,
        block_waits=stimulus_of_block(stimulus) if polite and stimulus.block_valid and not shakes.block_ready else None,
    )


def stimulus_of_key(stimulus: Stimulus) -> Stimulus:
    """The part of a stimulus that belongs to the key channel."""
    return Stimulus(stimulus.key_valid, False, False, key_bits=stimulus.key_bits)


def stimulus_of_block(stimulus: Stimulus) -> Stimulus:
    """The part of a stimulus that belongs to the input block channel."""
    return Stimulus(False, stimulus.block_valid, False, stimulus.decrypt)


def _free(used: frozenset[int]) -> int:
    return next(number for number in range(len(used) + 1) if number not in used)


def in_order_of_age(state: Automaton) -> tuple[dict[int, int], dict[int, int]]:
    """New numbers for keys and blocks: the last key accepted is 0, the oldest block is 0.

    States that differ in numbers only become one by it.
    """
    keys = [state.key, *(job.key for job in reversed(state.jobs)), state.arriving]
    key_numbers = list(dict.fromkeys(key.number for key in keys if key is not None))
    block_numbers = list(dict.fromkeys(job.block for job in state.jobs))
    return {old: new for new, old in enumerate(key_numbers)}, {old: new for new, old in enumerate(block_numbers)}


def renumbered(state: Automaton, keys: dict[int, int], blocks: dict[int, int]) -> Automaton:
    """The state with other numbers."""

    def key(old: Key | None) -> Key | None:
        return None if old is None else Key(keys[old.number], old.bits)

    jobs = tuple(
        replace(job, block=blocks[job.block], key=Key(keys[job.key.number], job.key.bits)) for job in state.jobs
    )
    return replace(state, key=key(state.key), arriving=key(state.arriving), jobs=jobs)

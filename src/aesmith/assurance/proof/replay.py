"""A counterexample as it happens: the netlist with real keys and blocks, against the reference, as a waveform.

The walk says after which handshakes a rule breaks, for keys and blocks in general. Here they get values, and the same
specification automaton watches the bytes.

Random values seldom show a core that is wrong for one value only. Such a core has a product of bits of different
bytes, which no core of AES needs: the engine does not know it. On the way to the broken rule the known factors of such
products are noted, clock by clock. Where they are sums of bits of key and block, a key and a block that make them all
1, a *trigger*, are the solution of linear equations.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat

from aesmith.assurance.proof.algebra import Algebra
from aesmith.assurance.proof.automaton import (
    Automaton,
    Handshakes,
    Shape,
    Stimulus,
    Transfers,
    broken_rule,
    following,
    in_order_of_age,
    renumbered,
    transfers,
)
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.explore import SHOWS_KEY, Explorer, Violation
from aesmith.assurance.proof.liveness import PROMISES
from aesmith.assurance.proof.netlist import Netlist, Step, compile_words, words_of
from aesmith.assurance.proof.partition import timing_independence
from aesmith.assurance.proof.ports import IDLE_CODES, BlockPorts
from aesmith.reference import golden

MOST = 16
"""Triggers made for one violation."""

_BLOCK = 8 * 32
"""The number of the first bit of the block in the equations: the longest key comes before it."""


@dataclass(frozen=True)
class Trigger:
    """A key of the longest size, of which shorter ones are the beginning, and a block."""

    key: bytes
    block: bytes


def triggers(netlist: Netlist, ports: BlockPorts, violation: Violation, seed: int = 1) -> Iterator[Trigger]:
    """For each clock on the way to the violation that has such products, the last first."""
    tokens = Tokens()
    chance = random.Random(seed)
    clocks = Explorer(netlist, ports, tokens).unknown_factors(violation)
    for factors in [factors for factors in reversed(clocks) if factors][:MOST]:
        bits = _solution([_equation(tokens.algebra, factor) for factor in factors], chance)
        yield Trigger(_packed(bits[:_BLOCK]), _packed(bits[_BLOCK:]))


def _equation(algebra: Algebra, factor: int) -> int:
    """`factor` = 1 in the bits of a key, a block and (bit 0) a constant, as what must be 0; 0 if it has others.

    All keys of the run are one, and all blocks.
    """
    bits = algebra.input_bits(factor)
    if bits is None:
        return 0
    equation = (factor & 1) ^ 1
    for (what, *_), index in bits:
        equation ^= 1 << 1 + index + (_BLOCK if what == "block" else 0)
    return equation


def _solution(equations: Sequence[int], chance: random.Random) -> list[int]:
    """Bits that solve the equations, of which those that contradict the ones before are left out."""
    rows: dict[int, int] = {}
    for equation in equations:
        rest = equation
        while rest > 1 and rest.bit_length() in rows:
            rest ^= rows[rest.bit_length()]
        if rest > 1:
            rows[rest.bit_length()] = rest
    known = 1
    for place in range(1, _BLOCK + 129):
        row = rows.get(place + 1)
        bit = chance.getrandbits(1) if row is None else (row & known).bit_count() & 1
        known |= bit << place
    return [known >> place & 1 for place in range(1, _BLOCK + 129)]


def _packed(bits: Sequence[int]) -> bytes:
    return bytes(sum(bit << i for i, bit in enumerate(bits[8 * n : 8 * n + 8])) for n in range(len(bits) // 8))


UNDEFINED_WAYS = ("0", "1", "any", "new in each clock")
"""What a level that the sources leave undefined is, in one run after the other: hardware may have either."""

TRIES = 24
AFTER = 400


def settled(netlist: Netlist, way: str) -> Netlist:
    """The netlist with its undefined levels settled in one of UNDEFINED_WAYS, for good."""
    chance = random.Random(way)
    return netlist.settled(lambda: int(way) if way.isdigit() else chance.getrandbits(1))


@dataclass(frozen=True)
class Counterexample:
    """A run that breaks a rule in its last clock. `inputs[c]` and `registers[c]` are the bits of clock c.

    After the bits of the input ports come the levels that the netlist's free nets had.
    """

    rule: str
    netlist: Netlist
    inputs: tuple[tuple[int, ...], ...]
    registers: tuple[tuple[int, ...], ...]

    @property
    def clocks(self) -> int:
        """Length of the run."""
        return len(self.inputs)

    def waveform(self) -> str:
        """The run as a VCD file: every port, and every net that has a name in the sources.

        Names of the same nets share a symbol, and so their changes.
        """
        names = {**self.netlist.inputs, **self.netlist.outputs, **self.netlist.names}
        symbols = {bits: _symbol(i) for i, bits in enumerate(dict.fromkeys(names.values()))}
        lines = ["$timescale 1ns $end", f"$scope module {self.netlist.name} $end", "$var wire 1 ! clk_i $end"]
        lines += [
            f"$var wire {len(bits)} {symbols[bits]} {name.replace(' ', '_')} $end" for name, bits in names.items()
        ]
        lines += ["$upscope $end", "$enddefinitions $end"]
        changes: list[list[str]] = [[] for _ in range(self.clocks)]
        levels = self._levels({bit for bits in symbols for bit in bits})
        for bits, symbol in symbols.items():
            start, end = ("", "") if len(bits) == 1 else ("b", " ")
            before = None
            for clock, word in enumerate(zip(*(levels[bit] for bit in reversed(bits)), strict=True)):
                if word != before:
                    before = word
                    changes[clock].append(f"{start}{''.join(word)}{end}{symbol}")
        for clock, changed in enumerate(changes):
            lines += [f"#{10 * clock}\n0!", *changed, f"#{10 * clock + 5}\n1!"]
        lines.append(f"#{10 * self.clocks}")
        return "\n".join(lines) + "\n"

    def _levels(self, nets: Collection[int]) -> dict[int, str]:
        """The levels of nets as digits, one for each clock, of all clocks at once: a word has a bit for each."""
        mask = (1 << self.clocks) - 1
        inputs, registers = (
            [_word(levels) for levels in zip(*run, strict=True)] for run in (self.inputs, self.registers)
        )
        words = words_of(self.netlist, [*nets], mask, inputs, registers)
        return {net: f"{word:0{self.clocks}b}"[::-1] for net, word in zip(nets, words, strict=True)}


def _word(levels: Iterable[int]) -> int:
    """Levels, the first in bit 0."""
    return int("".join(map(str, levels))[::-1], 2)


@dataclass(frozen=True)
class _Clock:
    """What a clock of a run is for the specification."""

    state: Automaton
    stimulus: Stimulus
    shakes: Handshakes
    moved: Transfers


class Replayer:
    """Runs of one netlist."""

    def __init__(self, netlist: Netlist, ports: BlockPorts) -> None:
        self._netlist, self._ports = netlist, ports
        self._ways = UNDEFINED_WAYS if netlist.free else UNDEFINED_WAYS[:1]
        self._step: Step = compile_words(netlist, 1)
        independence = timing_independence(netlist)
        self._times = independence.registers if independence.holds else ()

    def show(self, violation: Violation, seed: int = 1) -> Counterexample | None:
        """A run that breaks a rule: along the violation's path with random values, then on at random.

        An endless wait is shown by the path as it stands, if the registers that time depends on come round with it.
        None if no run tried breaks any rule.
        """
        if violation.rule == SHOWS_KEY:
            return self._show_key(violation, seed)
        for attempt in range(TRIES):
            chance = random.Random(f"{seed} along {attempt}")
            more = () if violation.loop else islice(self._any(chance), AFTER)
            found, states = self._run(attempt, chain(violation.path, more), chance, violation.start)
            if found.rule:
                return found
            if violation.loop and self._comes_round(violation, found, states):
                return replace(found, rule=violation.rule)
        return None

    def _show_key(self, violation: Violation, seed: int) -> Counterexample | None:
        """Two runs that differ in keys only, and in what stands on `block_o` while nothing is offered: the second."""
        for attempt in range(TRIES):
            shown = []
            for keys in range(2):
                chance = random.Random(f"{seed} along {attempt}")
                found, clocks = self._run(attempt, iter(violation.path), chance, violation.start, keys=keys)
                outputs, _ = self._step(found.inputs[-1], found.registers[-1])
                shown.append(self._ports.result_bytes(outputs))
            if found.rule:
                return found
            if shown[0] != shown[1] and not clocks[-1].shakes.block_valid:
                return replace(found, rule=violation.rule)
        return None

    def _comes_round(self, violation: Violation, run: Counterexample, states: Sequence[_Clock]) -> bool:
        """Whether the loop at a run's end repeats for ever, and keeps a promise unkept in clocks that count."""
        promise = PROMISES[violation.rule.removeprefix("for ever: ")]
        last = run.clocks - violation.loop
        first = last - violation.loop
        if first < 0 or not self._times:
            return False
        then, now = ([run.registers[clock][i] for i in self._times] for clock in (first, last))
        shape = self._ports.shape
        weights = [promise(c.state, shape, c.stimulus, c.shakes, c.moved) for c in states[last:]]
        same = _by_age(states[first].state) == _by_age(states[last].state)
        return then == now and same and None not in weights and 1 in weights

    def show_with(self, violation: Violation, trigger: Trigger, seed: int = 1) -> Counterexample | None:
        """As `show`, with the trigger's key and block for all keys and blocks."""
        for attempt in range(len(self._ways)):
            chance = random.Random(f"{seed} with {attempt}")
            stimuli = chain(violation.path, islice(self._any(chance), AFTER))
            found, _ = self._run(attempt, stimuli, chance, violation.start, trigger=trigger)
            if found.rule:
                return found
        return None

    def hunt(self, runs: int, clocks: int, seed: int = 1) -> Counterexample | None:
        """The first of `runs` random runs of `clocks` clocks from reset that breaks a rule, or a patient one."""
        for attempt in {0, len(self._ways) - 1}:
            chance = random.Random(f"{seed} patient {attempt}")
            found, _ = self._run(attempt, self._patient(clocks), chance, {})
            if found.rule:
                return found
        for attempt in range(runs):
            chance = random.Random(f"{seed} hunt {attempt}")
            found, _ = self._run(attempt, islice(self._any(chance), clocks), chance, {})
            if found.rule:
                return found
        return None

    def _patient(self, clocks: int) -> Iterator[Stimulus]:
        """Each channel alone and all at once, so long that an endless wait comes round to where it was.

        With a receiver that is ready, and with one that waits for valid.
        """
        key = Stimulus(True, False, True, self._ports.decrypts, self._ports.shape.key_bits[0])
        block = replace(key, key_valid=False, block_valid=True)
        both = replace(key, block_valid=True)
        unready = [replace(stimulus, block_ready=False) for stimulus in (block, both)]
        idle = replace(key, key_valid=False)
        order = (key, block, key, block, unready[0], idle, both, unready[1])
        return chain.from_iterable(repeat(stimulus, clocks // 4) for stimulus in order)

    def _any(self, chance: random.Random) -> Iterator[Stimulus]:
        """Random handshakes; each run has its own share of stalls and key changes."""
        key, block, ready = (
            chance.choice((0.02, 0.1, 0.5)),
            chance.choice((0.3, 0.9, 1.0)),
            chance.choice((0.3, 0.9, 1.0)),
        )
        sized = self._ports.has_key_size
        while True:
            direction = chance.random() < 0.5 if self._ports.has_direction else self._ports.decrypts
            key_valid = chance.random() < key
            sizes = (0,) if not sized else self._ports.shape.key_bits if key_valid else IDLE_CODES
            yield Stimulus(key_valid, chance.random() < block, chance.random() < ready, direction, chance.choice(sizes))

    def _free_levels(self, way: str, chance: random.Random) -> Iterator[list[int]]:
        """The levels of the netlist's free nets, clock by clock."""
        count = len(self._netlist.free)
        levels = [int(way) if way.isdigit() else chance.getrandbits(1) for _ in range(count)]
        while True:
            yield levels
            if way == UNDEFINED_WAYS[-1]:
                levels = [chance.getrandbits(1) for _ in range(count)]

    def _run(
        self,
        attempt: int,
        stimuli: Iterator[Stimulus],
        chance: random.Random,
        start: Mapping[int, int],
        *,
        trigger: Trigger | None = None,
        keys: int = 0,
    ) -> tuple[Counterexample, list[_Clock]]:
        netlist, shape = self._netlist, self._ports.shape
        free = self._free_levels(self._ways[attempt % len(self._ways)], chance)
        state = Automaton()
        key_chance = random.Random(f"{chance.random()} {keys}")
        known_keys: dict[int, bytearray] = {}
        blocks: dict[int, bytearray] = {}
        registers = [
            start.get(i, chance.getrandbits(1)) if r.reset is None else r.reset for i, r in enumerate(netlist.registers)
        ]
        inputs_seen: list[tuple[int, ...]] = []
        registers_seen: list[tuple[int, ...]] = []
        key_bytes, block_bytes = shape.key_width // 8, 16 // shape.block_beats
        rule = ""
        clocks: list[_Clock] = []
        before: Stimulus | None = None
        waited: set[tuple[int, ...]] = set()
        for wished in stimuli:
            stimulus = _kept(state, shape, wished)
            key, block = key_chance.randbytes(key_bytes), chance.randbytes(block_bytes)
            if trigger is not None:
                taken = state.jobs[-1].taken % shape.block_beats if state.jobs else 0
                key = trigger.key[key_bytes * state.arrived :][:key_bytes]
                block = trigger.block[block_bytes * taken :][:block_bytes]
            words = [*self._ports.words(stimulus, _bits(key), _bits(block), 0), *next(free)]
            outputs, after = self._step(words, registers)
            inputs_seen.append(tuple(words))
            registers_seen.append(tuple(registers))
            shakes = Handshakes(*(bool(level) for level in self._ports.handshakes(outputs)))
            rule = broken_rule(state, shape, stimulus, shakes)
            if rule:
                break
            moved = transfers(state, shape, stimulus, shakes)
            clocks.append(_Clock(state, stimulus, shakes, moved))
            if moved.key is not None:
                known_keys[moved.key.number] = (known_keys[moved.key.number] if moved.key_beat else bytearray()) + key
            if moved.block is not None:
                blocks[moved.block] = (blocks[moved.block] if moved.block_beat else bytearray()) + block
            if moved.result is not None:
                job = moved.result
                cipher = golden.decrypt if job.decrypt else golden.encrypt
                whole = cipher(bytes(known_keys[job.key.number][: job.key.bits // 8]), bytes(blocks[job.block]))
                expected = whole[block_bytes * job.left : block_bytes * (job.left + 1)]
                offered = _bytes(self._ports.result_bytes(outputs))
                if offered != expected:
                    rule = f"the result offered is {offered.hex()}, that of AES is {expected.hex()}"
                    break
            then = following(state, shape, stimulus, shakes, moved, polite=True)
            if stimulus != before or _without_waits(then) != _without_waits(state):
                waited.clear()
            elif self._times:
                # Time does not depend on data: where control is as it was, it will be so again.
                control = tuple(registers[i] for i in self._times)
                if control in waited:
                    unkept = (n for n, weight in PROMISES.items() if weight(state, shape, stimulus, shakes, moved))
                    rule = next((f"for ever: {name}" for name in unkept), "")
                if rule:
                    break
                waited.add(control)
            before = stimulus
            state = then
            registers = after
        return Counterexample(rule, netlist, tuple(inputs_seen), tuple(registers_seen)), clocks


def _by_age(state: Automaton) -> Automaton:
    return renumbered(state, *in_order_of_age(state))


def _without_waits(state: Automaton) -> Automaton:
    return replace(state, offered=False, key_waits=None, block_waits=None)


def _kept(state: Automaton, shape: Shape, wished: Stimulus) -> Stimulus:
    """The stimulus, with what has to stay valid kept valid, and one direction for all beats of a block."""
    key, block = state.key_waits, state.block_waits
    if state.jobs and state.jobs[-1].taken < shape.block_beats:
        wished = replace(wished, decrypt=state.jobs[-1].decrypt)
    if key is not None:
        wished = replace(wished, key_valid=True, key_bits=key.key_bits)
    if block is not None:
        wished = replace(wished, block_valid=True, decrypt=block.decrypt)
    return wished


_BITS = [[byte >> i & 1 for i in range(8)] for byte in range(256)]


def _bits(data: bytes) -> list[list[int]]:
    return [_BITS[byte] for byte in data]


def _bytes(bits: Sequence[Sequence[int]]) -> bytes:
    return bytes(sum(bit << i for i, bit in enumerate(byte)) for byte in bits)


def _symbol(number: int) -> str:
    """VCD's short name of a variable: two or more printable characters, so that none is the clock's."""
    digits = ""
    number += 94
    while number:
        number, digit = divmod(number, 94)
        digits += chr(33 + digit)
    return digits

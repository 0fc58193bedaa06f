"""That a core with a generator of fresh bits is the core without one, and what stands at its channel of them.

The sources are elaborated with the core inside as a black box, so that what is left is the generator and wires:

  through   every other port of the core is the port of that name of the whole, bit for bit
  bits      each bit of the channel is a register of the generator, one for itself, that nothing else reads
  offer     the valid of the channel is a register that reset clears, and no control moves before a seed was taken; it
            and the ready of seeds depend on no bit of a seed
  closed    the generator reads nothing but seeds and whether a word is taken
  holding   while a word is offered and not taken its registers stand still; in the clock after it was taken they have
            moved, or nothing is offered

That is exact. That the words are those of the specification is tried: seeds in all cases at once, pauses by chance, new
seeds in the warm-up, in a pause, and while words are taken.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path

from aesmith.assurance.proof.elaborate import CLOCK, RESET, lowered, read_netlist
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, Register, compile_words
from aesmith.assurance.proof.pace import UNKNOWN, evaluate
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import SCAN_ENABLE, Channel, Meaning, PortDirection
from aesmith.errors import CheckError
from aesmith.masking.generator import FreshBits
from aesmith.yosys_json import Module, ModulePort

STATEMENT = (
    "The whole is the generator and the core that the other parts cover, and each port of that core except the "
    "channel of fresh bits is a port of the whole: whatever the core does with any fresh bits, offered in any clocks, "
    "the whole does. Each fresh bit comes straight from a register that nothing else reads. No word is offered before "
    "a seed was accepted. A word is stable until it is accepted, and is not offered again."
)
ENGINE = "structure, and all levels of control"

CASES = 64
"""Seeds of a run."""
WORDS = (3, 30, 0, 12, 1, 25)
"""Clocks of a run after the warm-up of each of its seeds; with 0 the next seed comes in the warm-up."""
_PAUSES = 0.3


@dataclass(frozen=True)
class GeneratorReport:
    """What was looked at: bits of a word, key streams, seeds of the runs, and clocks in which words were offered."""

    generator: FreshBits
    seeds: int
    clocks: int

    def __str__(self) -> str:
        of = self.generator
        return (
            f"{of.bits} fresh bits from registers, {of.lanes} key streams of {of.name}; compared with it in "
            f"{self.clocks:,} clocks after {self.seeds} seeds"
        )


def check_generator(design: CoreDesign, work_dir: Path) -> GeneratorReport:
    """Check a core with a generator; Yosys' files stay in `work_dir`, which is made.

    Raises CheckError, naming the rule of masked cores and the net, for what is none of the above, and what `elaborate`
    raises; ToolError if Yosys is missing or fails.
    """
    opened = design.opened
    if opened is None:
        raise CheckError(f"{design.name}: has no generator of fresh bits")
    module = lowered(design, work_dir, boxes=[opened.top])
    netlist = read_netlist(with_core_outside(design, opened, module), design.top)
    check = _Check(design, opened, netlist)
    check.through()
    words = check.bits()
    check.offer()
    check.closed(words)
    check.holding(words)
    generator = FreshBits(
        str(design.parameters["prng"]), check.fresh.data.bits, int(str(design.parameters["prng_steps"]))
    )
    return GeneratorReport(generator, CASES * len(WORDS), check.runs(generator))


def outer_port(port: str) -> str:
    """A port of the whole that stands in the place of one of the core inside."""
    return f"core {port}"


def with_core_outside(design: CoreDesign, opened: CoreDesign, module: Module) -> Module:
    """The whole with ports in the place of the core inside; clock and reset must be its own."""
    cores = [cell for cell in module.cells.values() if cell.type.partition("$")[0] == opened.top]
    if len(cores) != 1:
        raise CheckError(f"{design.name}: has {len(cores)} cores inside; must have one")
    (core,) = cores
    for name in (CLOCK, RESET):
        if core.pins[name] != module.ports[name].nets:
            raise CheckError(f"{design.name}: {name} of the core inside is not its own")
    ports = dict(module.ports)
    for pin, nets in core.pins.items():
        if pin not in (CLOCK, RESET):
            ports[outer_port(pin)] = ModulePort(
                outer_port(pin), "output" if core.directions[pin] == "input" else "input", nets
            )
    return replace(module, ports=ports, cells={k: cell for k, cell in module.cells.items() if cell is not core})


def _channel(design: CoreDesign, meaning: Meaning) -> Channel:
    return next(channel for channel in design.ports.channels if channel.find(meaning))


def _ports(channel: Channel) -> tuple[str, str, str]:
    """The ports of its payload, its valid and its ready."""
    assert channel.valid is not None
    assert channel.ready is not None
    return channel.data.port, channel.valid.port, channel.ready.port


@dataclass
class _Check:
    design: CoreDesign
    opened: CoreDesign
    netlist: Netlist
    registers: dict[int, Register] = field(init=False)
    driver: dict[int, Gate] = field(init=False)
    fresh: Channel = field(init=False)

    def __post_init__(self) -> None:
        self.registers = {register.q: register for register in self.netlist.registers}
        self.driver = {gate.output: gate for gate in self.netlist.gates}
        self.fresh = _channel(self.opened, Meaning.RANDOM)
        self.word, self.valid, self.ready = _ports(self.fresh)
        self.seed, self.seeds, self.seeded = _ports(_channel(self.design, Meaning.SEED))

    def through(self) -> None:
        """Each other port of the core inside is that of the whole."""
        own = {self.word, self.valid, self.ready}
        for port in self.opened.ports:
            if port.role in ("clock", "reset", SCAN_ENABLE) or port.name in own:
                continue
            inward = port.direction is PortDirection.INPUT
            there, here = (
                (self.netlist.inputs, self.netlist.outputs) if inward else (self.netlist.outputs, self.netlist.inputs)
            )
            if there.get(port.name) != here[outer_port(port.name)]:
                raise CheckError(f"{self.design.name}: {port.name} of the core inside is not its own")

    def bits(self) -> list[Register]:
        """The registers of a word. Raises CheckError unless each is one, and read by the core alone."""
        readers: dict[int, list[str]] = defaultdict(list)
        for gate in self.netlist.gates:
            for net in gate.inputs:
                # What a register keeps while its clock is gated, or its enable 0.
                kept = gate.op is NetlistOp.MUX and net == gate.inputs[1] and gate.output == self._next(net)
                readers[net] += [] if kept else [f"logic at net {gate.output}"]
        for register in self.netlist.registers:
            readers[register.d].append(register.name)
        for name, nets in self.netlist.outputs.items():
            for net in nets if name != outer_port(self.word) else ():
                readers[net].append(f"output {name}")
        found: dict[int, int] = {}
        words = []
        for i, net in enumerate(self.netlist.outputs[outer_port(self.word)]):
            name = f"{self.word}[{i}]"
            if net <= TRUE:
                raise CheckError(f"R3: {name} of the core inside is tied to a constant")
            if net not in self.registers:
                raise CheckError(f"R3: {name} of the core inside comes from logic, and must come from a register")
            if net in found:
                raise CheckError(f"R3: {self.registers[net].name} serves twice, {self.word}[{found[net]}] and {name}")
            if readers[net]:
                raise CheckError(f"R3: {name} of the core inside is read by {readers[net][0]} too")
            found[net] = i
            words.append(self.registers[net])
        return words

    def _next(self, net: int) -> int:
        return self.registers[net].d if net in self.registers else -1

    def offer(self) -> None:
        """The valid of the channel is a register that reset clears, and no seed decides about a handshake."""
        (valid,) = self.netlist.outputs[outer_port(self.valid)]
        if valid not in self.registers or self.registers[valid].reset != 0:
            raise CheckError(f"R3: {self.valid} of the core inside must come from a register that reset clears")
        seed = set(self.netlist.inputs[self.seed])
        for name, net in ((self.valid, valid), (self.seeded, self.netlist.outputs[self.seeded][0])):
            if seed & self._reached([net]):
                raise CheckError(f"R5: {name} depends on the seed")
        control = [register for register in self.netlist.registers if register.reset is not None]
        levels = [FALSE, TRUE, *(UNKNOWN for _ in range(2, self.netlist.net_count))]
        for register in control:
            levels[register.q] = register.reset or 0
        levels[self.netlist.inputs[self.seeds][0]] = FALSE
        evaluate(self.netlist.gates, levels)
        for register in control:
            if levels[register.d] != register.reset:
                raise CheckError(f"R3: {register.name} moves before a seed was taken")

    def closed(self, words: Sequence[Register]) -> None:
        """Words depend on seeds and on the handshakes of both channels alone."""
        known = {self.seed, self.seeds, outer_port(self.ready)}
        reached = self._reached([register.q for register in words] + list(self.netlist.outputs[outer_port(self.valid)]))
        for name, nets in self.netlist.inputs.items():
            if name not in known and not reached.isdisjoint(nets):
                raise CheckError(f"R5: {name.removeprefix(outer_port(''))} reaches the generator of fresh bits")

    def _reached(self, nets: Iterable[int]) -> set[int]:
        """All nets that these depend on, through any number of clocks."""
        waiting = list(nets)
        reached = set(waiting)
        while waiting:
            net = waiting.pop()
            before = self.driver[net].inputs if net in self.driver else (self._next(net),)
            new = {each for each in before if each > TRUE} - reached
            reached |= new
            waiting += new
        return reached

    def holding(self, words: Sequence[Register]) -> None:
        """No word moves before it is taken, and none is offered after that, at all levels of control."""
        moves: dict[int, str] = {}
        for register in words:
            gate = self.driver.get(register.d)
            if gate is None or gate.op is not NetlistOp.MUX or gate.inputs[1] != register.q:
                raise CheckError(f"R3: {register.name} moves in every clock")
            moves.setdefault(gate.inputs[0], register.name)
        (valid,) = self.netlist.outputs[outer_port(self.valid)]
        (ready,) = self.netlist.inputs[outer_port(self.ready)]
        control = [register.q for register in self.netlist.registers if register.reset is not None]
        lines = [*self.netlist.inputs[self.seeds], *(net for net in control if net != valid)]
        for levels_of in product((FALSE, TRUE), repeat=len(lines)):
            for taken in (FALSE, TRUE):
                levels = [FALSE, TRUE, *(UNKNOWN for _ in range(2, self.netlist.net_count))]
                for net, level in zip((*lines, valid, ready), (*levels_of, TRUE, taken), strict=True):
                    levels[net] = level
                evaluate(self.netlist.gates, levels)
                for net, name in moves.items():
                    if not taken and levels[net] != FALSE:
                        raise CheckError(f"R3: {name} may move while a word is offered and {self.ready} is 0")
                    if taken and levels[net] != TRUE and levels[self._next(valid)] != FALSE:
                        raise CheckError(f"R3: {name} may be offered again after it was taken")

    def runs(self, generator: FreshBits) -> int:
        """Compare words with the specification's in runs; in how many clocks."""
        chance = random.Random("generator")
        mask = (1 << CASES) - 1
        step = compile_words(self.netlist, mask)
        state = [
            chance.getrandbits(CASES) if register.reset is None else mask * register.reset
            for register in self.netlist.registers
        ]
        bits = {name: [0] * len(nets) for name, nets in self.netlist.inputs.items()}
        names = list(self.netlist.outputs)
        compared = 0
        for number, clocks in enumerate(WORDS):
            seed = [chance.getrandbits(CASES) for _ in self.netlist.inputs[self.seed]]
            expected = generator.words(seed, CASES)
            made: list[list[int]] = []
            taken = [0] * CASES
            first = generator.first_word
            for clock in range(first + clocks if clocks else first // 2):
                ready = sum((chance.random() >= _PAUSES) << case for case in range(CASES)) if number else mask
                bits |= {self.seeds: [mask * (clock == 0)], self.seed: seed, outer_port(self.ready): [ready]}
                free = [chance.getrandbits(CASES) for _ in self.netlist.free]
                flat, state = step([*(word for nets in bits.values() for word in nets), *free], state)
                found = dict(zip(names, _cut(flat, [len(self.netlist.outputs[name]) for name in names]), strict=True))
                if clock == 0:
                    continue
                (offered,) = found[outer_port(self.valid)]
                if offered != mask * (clock >= first):
                    odd = "a word is offered" if offered else "no word is offered"
                    raise CheckError(f"R3: {odd} {clock} clocks after a seed; the first must be after {first}")
                if offered:
                    while len(made) <= max(taken):
                        made.append(next(expected))
                    self._compare(found[outer_port(self.word)], made, taken, generator)
                    compared += CASES
                    taken = [n + (ready >> case & 1) for case, n in enumerate(taken)]
        return compared

    def _compare(self, word: Sequence[int], made: Sequence[Sequence[int]], taken: Sequence[int], of: FreshBits) -> None:
        """Raises CheckError unless in each case the word is the one after those taken."""
        cases: dict[int, int] = defaultdict(int)
        for case, number in enumerate(taken):
            cases[number] |= 1 << case
        for i, bit in enumerate(word):
            for number, those in cases.items():
                if (bit ^ made[number][i]) & those:
                    lane, at = divmod(i, of.steps)
                    step = of.skipped + number * of.steps + at
                    raise CheckError(
                        f"R3: bit {i} of word {number} after a seed is not bit {step} of key stream {lane} of {of.name}"
                    )


def _cut(flat: Sequence[int], sizes: Iterable[int]) -> Iterator[Sequence[int]]:
    rest = iter(flat)
    for size in sizes:
        yield list(islice(rest, size))

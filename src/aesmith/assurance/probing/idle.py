"""What enters the S-boxes of a masked core in slots in which no block does: constants, never what an old block left.

Each S-box is as many ranks of registers as it has, with any shares behind them. Every net is followed with what it is
of: the key that is kept, one of the blocks in work, an idle slot (what an S-box makes of constants), or old: what a
register without reset held at first, what stands at a port and is not taken, and all of a block whose result has left.
Control has its levels; one that nothing tells is either. An AND with a 0 is of nothing.

All states are walked from the end of reset, with all levels of the handshakes and of the direction in each clock. In
each clock in which an S-box moves, each bit of its operand must be a constant, or of the key and of one block in work.
What is followed is how nets are wired, so a net that is of nothing only because a share cancels in it counts as what it
is wired to.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, Register
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import BLOCK_BITS, Meaning
from aesmith.errors import CheckError

Levels = NDArray[np.uint16]
"""A level of each net in each lane: bit 0 if it can be 0, bit 1 if it can be 1, and from bit 2 on what it is of."""

ZERO, ONE, EITHER = 1, 2, 3
KEY, SLOT, OLD = 4, 8, 16
BLOCKS = (32, 64, 128, 256, 512)
"""Blocks in work are told apart in turn."""
_FEWEST_TURNS = 3
_ALL_BLOCKS = sum(BLOCKS)
_OF = KEY | SLOT | OLD | _ALL_BLOCKS
_CODES = 1024
_LANES = 4096
_MOST_STATES = 100_000

_RANK = re.compile(r"^(.*)x_(\d+)_(\d+)_q\[(\d+)\]$")
"""A register of an S-box: where it is, share, rank and bit."""
_BOX = re.compile(r"^(box \d+) (x|y)_(\d+)_[io]$")


@dataclass(frozen=True)
class IdleReport:
    """How many states of control and contents were walked, and how many clocks."""

    states: int
    clocks: int


def check_idle_slots(design: CoreDesign, netlist: Netlist) -> IdleReport:
    """Walk a masked core, whose S-boxes `netlist` has as ranks with their results open (`with_ranks`).

    Raises CheckError, naming rule and register, if something old, an idle slot or a mixture of blocks enters an S-box,
    and for a core with more than five blocks at a time, more than it states, or too many states.
    """
    return _Walk(design, netlist).walk()


def _table(truth: tuple[int, int, int, int]) -> Levels:
    """What a gate of two inputs makes of codes. An input that decides the result by its level alone hides the other."""
    outcomes = np.zeros((4, 4), dtype=np.uint16)
    for low, high, x, y in product(range(4), range(4), (0, 1), (0, 1)):
        if low >> x & 1 and high >> y & 1:
            outcomes[low, high] |= 1 << truth[2 * x + y]
    a, b = np.arange(_CODES, dtype=np.uint16)[:, None], np.arange(_CODES, dtype=np.uint16)[None, :]
    hidden = (outcomes[a & 3, 3] != EITHER) & (a & _OF == 0) | (outcomes[3, b & 3] != EITHER) & (b & _OF == 0)
    table: Levels = outcomes[a & 3, b & 3] | np.where(hidden, 0, (a | b) & _OF).astype(np.uint16)
    return table


_TABLES = {
    NetlistOp.AND: _table((0, 0, 0, 1)),
    NetlistOp.OR: _table((0, 1, 1, 1)),
    NetlistOp.XOR: _table((0, 1, 1, 0)),
}
_NOT = np.array([(code & ~EITHER) | (code & 1) << 1 | (code & 2) >> 1 for code in range(_CODES)], dtype=np.uint16)


_Batches = list[tuple[NetlistOp, NDArray[np.int64], NDArray[np.int64]]]


class _Walk:
    def __init__(self, design: CoreDesign, netlist: Netlist) -> None:
        self.name, self.netlist = design.name, netlist
        self.beats = BLOCK_BITS // design.block_width
        # One more than are under way: a block may come in the clock in which a result leaves.
        under_way = -(-(design.latency_cycles - 1) // design.cycles_per_block)
        self.turns = np.array(BLOCKS[: max(_FEWEST_TURNS, 1 + under_way)], dtype=np.uint16)
        ports = design.ports
        self.secret = [p.port for p in ports.payloads if p.shares > 1 and p.port in netlist.inputs]
        self.with_block = ports.key_with_block
        self.key, self.block = ports.payload(Meaning.KEY).port, ports.payload(Meaning.BLOCK).port
        self.lines = {port.role: port.name for port in ports if port.role.endswith((".valid", ".ready"))}
        self.directions = [payload.port for payload in ports.payloads if payload.meaning is Meaning.DIRECTION]
        self.boxes: dict[str, dict[str, list[int]]] = defaultdict(lambda: {"x": [], "y": []})
        for name, nets in (*netlist.outputs.items(), *netlist.inputs.items()):
            if found := _BOX.match(name):
                self.boxes[found[1]][found[2]] += nets
        self.q = np.array([register.q for register in netlist.registers])
        self.d = np.array([register.d for register in netlist.registers])
        self.driver = {gate.output: gate for gate in netlist.gates}
        first = [each for each in netlist.registers if (m := _RANK.match(each.name)) and m[3] == "1"]
        choices = [(each.name, self.driver[each.d].inputs) for each in first]
        self.entering = [(name, select, data) for name, (select, _, data) in choices]
        driven = [netlist.outputs[name] for name in self.lines.values() if name in netlist.outputs]
        self.control = self._in_batches(netlist.cone(net for nets in driven for net in nets))
        self.everything = self._in_batches(netlist.gates)

    def _in_batches(self, gates: Sequence[Gate]) -> _Batches:
        """Gates that are evaluated together, with their outputs and inputs, in order."""
        depth: dict[int, int] = defaultdict(int)
        groups: dict[tuple[int, NetlistOp], list[Gate]] = defaultdict(list)
        for gate in gates:
            depth[gate.output] = 1 + max(depth[net] for net in gate.inputs)
            groups[depth[gate.output], gate.op].append(gate)
        return [
            (op, np.array([gate.output for gate in group]), np.array([gate.inputs for gate in group]).T)
            for (_, op), group in sorted(groups.items(), key=lambda item: item[0][0])
        ]

    def walk(self) -> IdleReport:
        """All states from reset: levels of registers, then the oldest block in work, how many there are, and how many
        beats of the last and of the oldest one have come and gone."""
        of_shares = self._of_shares()
        start = [self._at_first(each, old=each.q in of_shares) for each in self.netlist.registers]
        offered = [name for name in (*self.lines.values(), *self.directions) if name in self.netlist.inputs]
        choices = np.array(list(product((ZERO, ONE), repeat=len(offered))), dtype=np.uint16).T
        first = np.array([*start, 0, 0, 0, 0], dtype=np.uint16)
        seen, waiting, clocks = {first.tobytes()}, [first], 0
        while waiting:
            states, waiting = waiting, []
            for at in range(0, len(states), _LANES // choices.shape[1]):
                batch = np.stack(states[at : at + _LANES // choices.shape[1]], axis=1)
                every = np.repeat(batch, choices.shape[1], axis=1)
                given = np.tile(choices, batch.shape[1])
                following = self._clock(every, dict(zip(offered, given, strict=True)))
                clocks += every.shape[1]
                for state in {column.tobytes() for column in following.T} - seen:
                    seen.add(state)
                    waiting.append(np.frombuffer(state, dtype=np.uint16))
            if len(seen) > _MOST_STATES:
                raise CheckError(f"R4: {self.name}: idle slots have more than {_MOST_STATES:,} states")
        return IdleReport(len(seen), clocks)

    def _at_first(self, register: Register, *, old: bool) -> int:
        if register.reset is None:
            return EITHER | OLD if old else EITHER
        return ONE if register.reset else ZERO

    def _of_shares(self) -> set[int]:
        """The nets that shares ever reach."""
        readers: dict[int, list[int]] = defaultdict(list)
        for gate in self.netlist.gates:
            for net in gate.inputs:
                readers[net].append(gate.output)
        for register in self.netlist.registers:
            readers[register.d].append(register.q)
        waiting = [net for name in self.secret for net in self.netlist.inputs[name]]
        waiting += [net for box in self.boxes.values() for net in box["y"]]
        reached = set(waiting)
        while waiting:
            new = set(readers[waiting.pop()]) - reached
            reached |= new
            waiting += new
        return reached

    def _clock(self, states: Levels, offered: dict[str, Levels]) -> Levels:
        """The states that follow."""
        head, count, come, gone = states[-4:]
        levels = np.full((self.netlist.net_count, states.shape[1]), EITHER, dtype=np.uint16)
        levels[FALSE], levels[TRUE] = ZERO, ONE
        levels[self.q] = states[:-4]
        for name, codes in offered.items():
            levels[list(self.netlist.inputs[name])] = codes
        for name in self.secret:
            levels[list(self.netlist.inputs[name])] = EITHER | OLD
        for box in self.boxes.values():
            of = np.bitwise_or.reduce(levels[box["x"]], axis=0) & _OF
            levels[box["y"]] = EITHER | np.where(of == 0, SLOT, of)
        _evaluate(self.control, levels)
        accepts, leaves = (self._happens(levels, name) for name in ("block", "result"))
        begins = accepts & (come == 0)
        turns, most = self.turns, len(self.turns)
        if (begins & (count == most)).any():
            raise CheckError(f"R4: {self.name}: has more than {most} blocks at a time, which is not examined")
        of_block = EITHER | np.where(accepts, turns[(head + count - (come > 0)) % most], OLD)
        levels[list(self.netlist.inputs[self.block])] = of_block
        # A key that comes with a block is of that block.
        of_key = of_block if self.with_block else EITHER | np.where(self._happens(levels, "key"), KEY, OLD)
        levels[list(self.netlist.inputs[self.key])] = of_key
        _evaluate(self.everything, levels)
        self._check(levels)
        following = levels[self.d]
        ends = leaves & (gone == self.beats - 1)
        done = np.where(ends, turns[head], 0).astype(np.uint16)
        following = np.where(following & done, (following & ~done) | OLD, following)
        come, gone = ((now + some) % self.beats for now, some in ((come, accepts), (gone, leaves)))
        return np.vstack([following, (head + ends) % most, count + begins - ends, come, gone]).astype(np.uint16)

    def _happens(self, levels: Levels, channel: str) -> NDArray[np.bool_]:
        """In which lanes a channel has a transfer."""
        found = np.ones(levels.shape[1], dtype=bool)
        for role in (f"{channel}.valid", f"{channel}.ready"):
            name = self.lines[role]
            (net,) = self.netlist.inputs.get(name) or self.netlist.outputs[name]
            if (levels[net] & EITHER == EITHER).any():
                raise CheckError(f"R4: {self.name}: {name} does not follow from control alone")
            found &= levels[net] & EITHER == ONE
        return found

    def _check(self, levels: Levels) -> None:
        """Refuse what enters S-boxes that move, if it is old, an idle slot, or of two blocks."""
        for name, select, data in self.entering:
            of = np.where(levels[select] & ONE, levels[data] & _OF, 0)
            blocks = of & _ALL_BLOCKS
            for wrong, what in (
                (of & OLD, "what is of no block in work"),
                (of & SLOT, "an idle slot"),
                (blocks & (blocks - 1), "a mixture of two blocks"),
            ):
                if wrong.any():
                    raise CheckError(f"R4: {name} takes {what}; slots without a block must carry constants")


def _evaluate(batches: _Batches, levels: Levels) -> None:
    """Set what gates give."""
    for op, out, inputs in batches:
        if op is NetlistOp.NOT:
            levels[out] = _NOT[levels[inputs[0]]]
        elif op is NetlistOp.MUX:
            select, low, high = (levels[nets] for nets in inputs)
            level = select & EITHER
            levels[out] = np.where(level == ZERO, low, np.where(level == ONE, high, low | high)) | select & _OF
        else:
            levels[out] = _TABLES[op][levels[inputs[0]], levels[inputs[1]]]

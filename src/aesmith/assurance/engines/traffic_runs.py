"""Random traffic through an engine of GCM with its claims, in many runs at once: a fault is seen in seconds, where a
search from reset takes minutes to come to a hash.

Messages are those of the simulation, made with an E that is 0. In half of the runs E and S are 0, so that tags may be
right; in a quarter all bits of each are equal, so that counters made of an IV come round; in the rest they are random.
One run of four has a message to encrypt without bytes, whose one beat is called a tag.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from aesmith.assurance.engines.claims import ClaimsDesign, roles_of
from aesmith.assurance.engines.induction import ASSUMED, Beginning
from aesmith.assurance.proof.netlist import Gate, Netlist, compile_words
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import BLOCK, Cipher, Message
from aesmith.modes.stream import Beat, Command, Section, streamed_with_tag
from aesmith.modes.traffic import GCM_TRAFFIC, with_beat

_MOST, _MESSAGES = 3 * BLOCK, 16
"""Bytes of a section at most, and messages of a run."""
_FRAME = "u_reference.u_frame"
_EMPTY = with_beat(streamed_with_tag(Message(bytes(12), tag=bytes(BLOCK)), encrypt=True), 0, section=Section.TAG)


class _Zero(Cipher):
    """An E that is 0 of every key and block."""

    def encrypt(self, block: bytes) -> bytes:
        return bytes(len(block))

    constant = encrypt


class TrafficRuns:
    """An engine in its claims, from reset on: words of the netlist have a bit for each run. `kept` has those in which
    all promises were kept, `seen` the outputs that were 1 in a clock of one of these."""

    def __init__(self, netlist: Netlist, engine: GcmEngine, runs: int = 64, seed: int = 1) -> None:
        self.netlist, self._runs, self._random = netlist, runs, Random(seed)
        self._mask = self.kept = (1 << runs) - 1
        self.seen = set[str]()
        self._zero, self._equal = self._mask // 3, self._mask // 15 << 1  # every other run; every fourth one
        sent = [
            [message for _, message in GCM_TRAFFIC.messages(self._random, _MESSAGES, _Zero, most=_MOST)]
            for _ in range(runs)
        ]
        for messages in sent[::4]:
            messages.insert(3, _EMPTY)
        self._commands = [deque[Command | Beat](message.command for message in messages) for messages in sent]
        self._beats = [
            deque[Command | Beat](beat for message in messages for beat in message.beats) for messages in sent
        ]
        self._step = compile_words(netlist, self._mask)
        self._places = {each.q: n for n, each in enumerate(netlist.registers)}
        self._outputs = [name for name, bits in netlist.outputs.items() for _ in bits]
        self._queue = ClaimsDesign(engine).structure.parameters["Queue"]
        drivers = {gate.output: gate for gate in netlist.gates}
        self._product = [self._free(drivers, net) for net in netlist.names["u_dut.u_engine.u_ghash.sum"]]
        self._cores = [
            {
                role: [self._free(drivers, net) for net in netlist.names[f"u_dut.gen_core[{core}].u_core.{name}"]]
                for role, name in roles_of(engine.core).items()
                if role in ("key.ready", "block.ready", "result.valid", "result.result")
            }
            for core in range(engine.cores)
        ]
        self._paces = [(self._word(), self._word()) for _ in range(3 + 3 * engine.cores)]
        self._other_key = 0
        self._state: Sequence[int] = [
            self._word() if each.reset is None else self._mask * each.reset for each in netlist.registers
        ]

    def refuting(self, names: Iterable[str], clocks: int) -> Beginning | None:
        """A run of at most so many clocks, with all promises kept, in whose last clock one of these outputs is not 1;
        None if there is none among the runs."""
        asked, first, given = set(names), self._state, list[Sequence[int]]()
        for _ in range(clocks):
            given.append(self._inputs())
            said, self._state = self._step(given[-1], self._state)
            self.kept &= said[self._outputs.index(ASSUMED)]
            wrong = 0
            for name, word in zip(self._outputs, said, strict=True):
                if word & self.kept:
                    self.seen.add(name)
                if name in asked:
                    wrong |= self.kept & ~word
            if wrong:
                run = (wrong & -wrong).bit_length() - 1
                registers, *inputs = (tuple(word >> run & 1 for word in words) for words in (first, *given))
                return Beginning(registers, tuple(inputs))
        return None

    def _inputs(self) -> list[int]:
        """Of all runs the next clock's inputs: everybody at a pace of its own."""
        netlist = self.netlist
        paces = iter(self._paces)
        levels = dict.fromkeys(netlist.input_bits, 0)
        for nets in (netlist.inputs["value_i"], self._product):
            equal = self._word() & self._equal
            for net in nets:
                levels[net] = self._word() & ~(self._zero | self._equal) | equal
        for number, core in enumerate(self._cores):
            promises = f"gen_promises[{number}].u_promises"
            under_way = 0
            for word in self._register(f"{promises}.count_q"):
                under_way |= word
            levels[core["key.ready"][0]] = self._when(next(paces))
            levels[core["block.ready"][0]] = self._when(next(paces))
            valid = self._when(next(paces)) & under_way
            levels[core["result.valid"][0]] = valid | self._register(f"{promises}.result_held_q")[0]
            told = self._register(f"{promises}.told_q")
            levels.update(zip(core["result.result"], told[: len(core["result.result"])], strict=True))

        held = self._register("key_held_q")[0]
        new = ~held & self._word() & self._word() & self._word() & self._word() & self._word()
        self._other_key = self._other_key & ~new | new & self._word() & self._word()
        keys = netlist.inputs["key_i"]
        levels.update(zip(keys, self._register("star_key_q"), strict=True))
        levels[keys[0]] ^= self._other_key
        levels[netlist.inputs["key_valid_i"][0]] = held | new
        levels[netlist.inputs["m_axis_tready"][0]] = self._when(next(paces))

        for name, ahead, count, barred in (
            ("s_axis_cmd_tvalid", self._commands, "commands_q", held | new),
            ("s_axis_tvalid", self._beats, "beats_q", 0),
        ):
            room = self._when(next(paces)) & ~barred & ~self._is(f"{_FRAME}.{count}", self._queue)
            for run, waiting in enumerate(ahead):
                if room >> run & 1 and waiting:
                    self._send(levels, 1 << run, {name: 1, **_lines(waiting.popleft())})
        return [levels[net] for net in netlist.input_bits]

    def _send(self, levels: dict[int, int], run: int, lines: Mapping[str, int]) -> None:
        """Give a run these numbers on input ports."""
        for name, number in lines.items():
            for bit, net in enumerate(self.netlist.inputs[name]):
                if number >> bit & 1:
                    levels[net] |= run

    def _register(self, name: str) -> list[int]:
        return [self._state[self._places[net]] for net in self.netlist.names[name]]

    def _is(self, name: str, number: int) -> int:
        """The runs in which a register holds a number."""
        same = self._mask
        for bit, word in enumerate(self._register(name)):
            same &= word if number >> bit & 1 else ~word
        return same

    def _word(self) -> int:
        return self._random.getrandbits(self._runs)

    def _when(self, pace: tuple[int, int]) -> int:
        """The runs in which somebody is ready: always, in three of four clocks, in half, in one of four."""
        one, other = self._word(), self._word()
        (slow, often), always = pace, self._mask
        return ~slow & (often & always | ~often & (one | other)) | slow & one & (often | other)

    def _free(self, drivers: Mapping[int, Gate], net: int) -> int:
        """The free net that a net's level is, or has been added to it."""
        while net not in self.netlist.free:
            inputs = [each for each in drivers[net].inputs if each > 1]
            net = next((each for each in inputs if each in self.netlist.free), inputs[0])
        return net


def _lines(sent: Command | Beat) -> dict[str, int]:
    """What input ports are when it is sent."""
    if isinstance(sent, Command):
        return {"s_axis_cmd_tdata": sent.word}
    return {
        "s_axis_tdata": int.from_bytes(sent.data, "little"),
        "s_axis_tkeep": sent.keep,
        "s_axis_tuser": int(sent.section),
        "s_axis_tlast": int(sent.last),
    }

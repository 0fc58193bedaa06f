"""Random traffic through an engine with its claims, in many runs at once: a fault is seen in seconds, where a search
from reset takes minutes to come to a second block or to a hash.

Messages are those of the simulation, everybody has a pace of its own, and what the reference is told of E, and of GCM
of S, is random. Of modes with tags messages are made with an E that is 0; in half of the runs E and S are 0, so that
tags may be right, and in a quarter all bits of each are equal, so that counters made of an IV come round; of engines
of several modes some IVs do at once. Of GCM one run of four has a message to encrypt without bytes, whose one beat is
called a tag; of XTS one of four has a key of equal halves, and another one of others. Where claims follow one pair of
key and block, runs are made twice: one of the blocks that the reference asked for in the first is the pair's in the
second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from aesmith.assurance.engines.claims import ClaimsDesign
from aesmith.assurance.engines.induction import ASSUMED, Beginning
from aesmith.assurance.engines.runs import BOUNDS, FreeCore, free_cores
from aesmith.assurance.proof.netlist import Gate, Netlist, compile_words
from aesmith.modes.byte_engine import ByteEngine
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import BLOCK, Cipher, Message
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.stream import Beat, Command, Section, StreamedMessage, streamed_with_tag
from aesmith.modes.traffic import with_beat, with_command
from aesmith.modes.xts_engine import XtsEngine

_MOST, _MESSAGES = 3 * BLOCK, 16
"""Bytes of a section at most, and messages of a run."""
_FRAME = "u_reference.u_frame"
_RUNS = 512
"""Runs at once."""
_STAR, _STAR_STREAM = "star_block_q", "star_stream_q"
_PRODUCTS, _TWEAK_FREE = ("u_dut.u_engine.u_ghash.sum", "u_dut.u_engine.product"), "u_dut.u_engine.u_tweak.free_q"
_TAKEN, _MEMORY = ("command_taken_o", "beat_taken_o"), "u_dut.u_memory.read_q"
_EMPTY = with_beat(streamed_with_tag(Message(bytes(12), tag=bytes(BLOCK)), encrypt=True), 0, section=Section.TAG)


class _Zero(Cipher):
    """An E that is 0 of every key and block."""

    def encrypt(self, block: bytes) -> bytes:
        return bytes(len(block))

    constant = encrypt


def _wrapping(message: StreamedMessage, random: Random) -> StreamedMessage:
    """One of four messages that begin with a block that counts, with one whose low word comes round, or half of it."""
    iv = message.command.iv
    if len(iv) < BLOCK or message.command.mode == MESSAGE_MODES["ccm"].number or random.random() < 0.75:
        return message
    return with_command(message, iv=iv[:12] + random.choice((b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff")))


class TrafficRuns:
    """An engine in its claims, after reset: words of the netlist have a bit for each run. `kept` has those in which
    all promises were kept, `seen` the outputs that were 1 in a clock of one of these."""

    def __init__(self, netlist: Netlist, engine: StreamEngine, seed: int = 1) -> None:
        self.netlist, self._runs, self._random = netlist, _RUNS, Random(seed)
        self._others = Random(seed + 1)
        self._mask = self.kept = (1 << _RUNS) - 1
        self.seen = set[str]()
        every_other, every_fourth = self._mask // 3, self._mask // 15 << 1
        tagged = (
            engine.has_tags
            if isinstance(engine, MultiModeEngine)
            else isinstance(engine, ByteEngine | CmacEngine | GcmEngine)
        )
        self._zero, self._equal = (every_other, every_fourth) if tagged else (0, 0)
        how: dict[str, int] = {"most": _MOST, "key_bytes": engine.key_bits[0] // 8}
        # Kinds of bad messages take turns: modes that have more of them than a run has messages go on in the next run.
        lists = 1 if isinstance(engine, MultiModeEngine) else _RUNS
        made = [
            message
            for _ in range(lists)
            for _, message in engine.stream_traffic.messages(self._random, _MESSAGES * _RUNS // lists, _Zero, **how)
        ]
        if isinstance(engine, CounterEngine | MultiModeEngine):
            made = [_wrapping(message, self._random) for message in made]
        sent = [made[first : first + _MESSAGES] for first in range(0, len(made), _MESSAGES)]
        for messages in sent[::4] if isinstance(engine, GcmEngine) else ():
            messages.insert(3, _EMPTY)
        self._commands = [deque[Command | Beat](message.command for message in messages) for messages in sent]
        self._beats = [
            deque[Command | Beat](beat for message in messages for beat in message.beats) for messages in sent
        ]
        # The runs in which a beat that is offered stays until it is taken, as is promised to engines of CMAC and of
        # several modes; and in which one does now.
        persists = isinstance(engine, ByteEngine | CmacEngine | CounterEngine | MultiModeEngine)
        # Cores that hold one block take the next one when that is gone.
        self._single = self._mask * isinstance(engine, GcmAheadEngine)
        self._persists, self._offered = self._mask if persists else every_other, 0
        self._step = compile_words(netlist, self._mask)
        self._places = {each.q: n for n, each in enumerate(netlist.registers)}
        self._input_places = {net: n for n, net in enumerate(netlist.input_bits)}
        self._outputs = [name for name, bits in netlist.outputs.items() for _ in bits]
        # An engine without a queue says what it takes; a core that has no result then offers 0.
        self._says = _TAKEN[1] in netlist.outputs
        self._queue = ClaimsDesign(engine).structure.parameters.get("Queue", 0)
        drivers = {gate.output: gate for gate in netlist.gates}
        told = ("value_i", "tweak_value_i")
        self._told: list[Sequence[int]] = [netlist.inputs[name] for name in told if name in netlist.inputs]
        for product in _PRODUCTS:
            if product in netlist.names and netlist.names[product][0] in drivers:
                self._told.append([self._free(drivers, net) for net in netlist.names[product]])
        data_of = {register.q: register.d for register in netlist.registers}
        self._memory = [self._free(drivers, data_of[net]) for net in netlist.names.get(_MEMORY, ())]
        self._cores = [
            (
                core,
                {
                    role: [self._free(drivers, net) for net in netlist.names[core.ports[role]]]
                    for role in ("key.ready", "block.ready", "result.valid", "result.result")
                },
            )
            for core in free_cores(netlist, engine)
        ]
        self._paces = [(self._word(), self._word()) for _ in range(3 + 3 * len(self._cores))]
        self._other_key = 0
        self._state = [self._word() if each.reset is None else self._mask * each.reset for each in netlist.registers]
        for name, bits in BOUNDS.items():
            for bit, net in enumerate(netlist.names.get(name, ())):
                self._state[self._places[net]] = self._mask * (bit < bits)
        if isinstance(engine, XtsEngine):
            key = [self._places[net] for net in netlist.names["star_key_q"]]
            for low, high in zip(key[: len(key) // 2], key[len(key) // 2 :], strict=True):
                self._state[high] = self._state[high] & ~every_fourth | self._state[low] & every_fourth

    def refuting(self, names: Iterable[str], clocks: int) -> Beginning | None:
        """A run of at most so many clocks, with all promises kept, in whose last clock one of these outputs is not 1;
        None if there is none among the runs."""
        if _STAR in self.netlist.names:
            self._choose_pairs(clocks)
        asked, first, given = set(names), self._state, list[Sequence[int]]()
        for _ in range(clocks):
            given.append(self._inputs())
            said, state = self._step(given[-1], self._state)
            self._state = list(state)
            self._take(said)
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

    def _choose_pairs(self, clocks: int) -> None:
        """Of each run that begins here a block that the reference asked for, and what it was told, as the pair's."""
        begins = self._state, [*map(deque, self._commands)], [*map(deque, self._beats)], self._other_key, self._offered
        draws, random = self._random.getstate(), Random(clocks)
        block, stream = ([0] * len(self.netlist.names[name]) for name in (_STAR, _STAR_STREAM))
        for _ in range(clocks):
            given = self._inputs()
            said, state = self._step(given, self._state)
            self._state, out = list(state), dict[str, list[int]]()
            for name, word in zip(self._outputs, said, strict=True):
                out.setdefault(name, []).append(word)
            told = [given[self._input_places[net]] for net in self.netlist.inputs["value_i"]]
            taken = out["asked_o"][0] & random.getrandbits(self._runs) & random.getrandbits(self._runs)
            for kept, new in ((block, out["asked_block_o"]), (stream, told)):
                kept[:] = [one & ~taken | other & taken for one, other in zip(kept, new, strict=True)]
        self._random.setstate(draws)
        self._state, self._commands, self._beats, self._other_key, self._offered = begins
        for name, words in ((_STAR, block), (_STAR_STREAM, stream)):
            for net, word in zip(self.netlist.names[name], words, strict=True):
                self._state[self._places[net]] = word

    def _inputs(self) -> list[int]:
        """Of all runs the next clock's inputs: everybody at a pace of its own."""
        netlist = self.netlist
        paces = iter(self._paces)
        levels = dict.fromkeys(netlist.input_bits, 0)
        for nets in self._told:
            equal = self._word() & self._equal
            for net in nets:
                levels[net] = self._word() & ~(self._zero | self._equal) | equal
        for core, nets_of in self._cores:
            under_way = 0
            for word in self._register(core.under_way):
                under_way |= word
            levels[nets_of["key.ready"][0]] = self._when(next(paces))
            levels[nets_of["block.ready"][0]] = self._when(next(paces)) & ~(under_way & self._single)
            valid = self._when(next(paces)) & under_way | self._register(f"{core.promises}.result_held_q")[0]
            levels[nets_of["result.valid"][0]] = valid
            shown = valid if self._says else self._mask
            result = zip(nets_of["result.result"], self._result(core), strict=True)
            levels.update((net, word & shown) for net, word in result)
        if self._memory:
            levels.update(zip(self._memory, self._register("u_memory_promises.content_q"), strict=True))

        held = self._register("key_held_q")[0]
        new = ~held & self._word() & self._word() & self._word() & self._word() & self._word()
        self._other_key = self._other_key & ~new | new & self._word() & self._word()
        keys = netlist.inputs["key_i"]
        levels.update(zip(keys, self._register("star_key_q"), strict=True))
        levels[keys[0]] ^= self._other_key
        levels[netlist.inputs["key_valid_i"][0]] = held | new
        levels[netlist.inputs["m_axis_tready"][0]] = self._when(next(paces))
        for net in netlist.inputs.get("follow_i", ()):
            levels[net] = self._mask

        # What is offered is taken if there is room, a command when no key waits and the tweak before it is taken.
        busy = held | new
        if _TWEAK_FREE in netlist.names:
            busy |= ~self._register(_TWEAK_FREE)[0]
        for name, ahead, count, barred in (
            ("s_axis_cmd_tvalid", self._commands, "commands_q", busy),
            ("s_axis_tvalid", self._beats, "beats_q", 0),
        ):
            offered = self._when(next(paces)) | (self._offered if ahead is self._beats else 0)
            taken = 0 if self._says else offered & ~barred & ~self._is(f"{_FRAME}.{count}", self._queue)
            if ahead is self._beats:
                self._offered = offered & ~taken & self._persists
            for run, waiting in enumerate(ahead):
                if offered >> run & 1 and waiting:
                    self._send(levels, 1 << run, {name: 1, **_lines(waiting[0])})
                    if taken >> run & 1:
                        waiting.popleft()
        return [levels[net] for net in netlist.input_bits]

    def _take(self, said: Sequence[int]) -> None:
        """Of an engine that says what it takes, do without that."""
        if not self._says:
            return
        for name, ahead in zip(_TAKEN, (self._commands, self._beats), strict=True):
            taken = said[self._outputs.index(name)]
            for run, waiting in enumerate(ahead):
                if taken >> run & 1:
                    waiting.popleft()
            if ahead is self._beats:
                self._offered &= ~taken

    def _send(self, levels: dict[int, int], run: int, lines: Mapping[str, int]) -> None:
        """Give a run these numbers on input ports."""
        for name, number in lines.items():
            for bit, net in enumerate(self.netlist.inputs[name]):
                if number >> bit & 1:
                    levels[net] |= run

    def _result(self, core: FreeCore) -> list[int]:
        """What the reference was told of a core's oldest block, or the next word of that; of one of which nothing is
        promised, anything."""
        named, promises = self.netlist.names, core.promises
        if f"{promises}.told_q" in named:
            told, asked = self._register(f"{promises}.told_q")[: 8 * BLOCK], self._register(f"{promises}.asked_q")[0]
        else:
            told = self._register(f"{promises}.newest_stream_q")
            asked = self._register(f"{promises}.newest_asked_q")[0] & self._is(core.under_way, 1)
        told = [one & asked | self._others.getrandbits(self._runs) & ~asked for one in told]
        if _STAR in named:
            pair = self._register(f"{promises}.stars_q")[0]
            told = [one & ~pair | other & pair for one, other in zip(told, self._register(_STAR_STREAM), strict=True)]
        words = [told[place : place + core.word_bits] for place in range(0, len(told), core.word_bits)][::-1]
        result = words[0]
        for number, word in enumerate(words[1:], 1):
            chosen = self._is(f"{promises}.out_q", number)
            result = [one & ~chosen | other & chosen for one, other in zip(result, word, strict=True)]
        return result

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

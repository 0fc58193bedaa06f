"""Runs of an engine with its claims that are known beforehand, for what a search would look for too long.

All data are 0, each result of the cores and what the reference is told of E included, the key is 1, and nobody waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from aesmith.assurance.engines.claims import ClaimsDesign, roles_of
from aesmith.assurance.engines.induction import ASSUMED, Beginning
from aesmith.assurance.proof.netlist import Netlist, Step, compile_words
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import BLOCK, Message
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.stream import Beat, StreamedMessage, streamed
from aesmith.modes.xts_engine import XtsEngine

BOUNDS = {"most_key_q": 6, "most_block_q": 6, "most_result_q": 6, "most_q": 7}
"""Registers of the bounds of waits, whichever there are, and how many of their lowest bits are 1."""
_BEATS_TAKEN = 8
"""Clocks in which an engine of GCM that is ready takes three beats."""


def free_net(netlist: Netlist, name: str) -> int:
    """The net of a free core's output that is its level, behind the gate of its reset."""
    drivers = {gate.output: gate for gate in netlist.gates}
    net = netlist.names[name][0]
    while net not in netlist.free:
        net = next(each for each in drivers[net].inputs if each > 1)
    return net


@dataclass(frozen=True)
class FreeCore:
    """A core in the claims: its ports by what they are, the module of its promises, and bits of a block at its port."""

    ports: Mapping[str, str]
    promises: str
    under_way: str
    """The register of the promises that is not 0 while a block is under way."""
    word_bits: int


def free_cores(netlist: Netlist, engine: StreamEngine) -> Iterator[FreeCore]:
    """The cores of an engine, those that take blocks in turn first."""
    for place in engine.core_places:
        for core in range(engine.cores if place.in_turn else 1):
            path = f"u_dut.{place.path.replace('[core]', f'[{core}]')}"
            ports = {role: f"{path}.{name}" for role, name in roles_of(place.core).items()}
            modules = (f"gen_promises[{core}].u_promises", "u_promises") if place.in_turn else (f"u_{place.name}s",)
            promises, register = next(
                (module, name)
                for module in modules
                for name in ("count_q", "whole_q")
                if f"{module}.{name}" in netlist.names
            )
            yield FreeCore(ports, promises, f"{promises}.{register}", place.core.block_width)


class PlainRun:
    """An engine in its claims after reset, with cores that are always ready and give each result at once; where a core
    holds one block, it is ready while it has none. Who makes several of one netlist compiles it once, which takes
    longer than a run."""

    def __init__(self, netlist: Netlist, engine: StreamEngine, step: Step | None = None) -> None:
        self.netlist = netlist
        self.levels = dict.fromkeys(netlist.input_bits, 0)
        self._places = {each.q: n for n, each in enumerate(netlist.registers)}
        ones = {
            net for name, bits in (BOUNDS | {"star_key_q": 1}).items() for net in netlist.names.get(name, ())[:bits]
        }
        self.state: Sequence[int] = [each.reset or int(each.q in ones) for each in netlist.registers]
        self.first = tuple(self.state)
        self.inputs: list[tuple[int, ...]] = []
        self._step = step or compile_words(netlist, 1)
        self._outputs = [name for name, bits in netlist.outputs.items() for _ in bits]
        self.levels[netlist.inputs["key_i"][0]] = 1
        self._results, self._blocks = list[tuple[int, str]](), list[tuple[int, str]]()
        for core in free_cores(netlist, engine):
            # Of a wrong engine there may be ports that nothing reads.
            for role in ("key.ready", "block.ready"):
                if core.ports[role] in netlist.names:
                    self.levels[free_net(netlist, core.ports[role])] = 1
            if isinstance(engine, GcmAheadEngine) and core.ports["block.ready"] in netlist.names:
                self._blocks.append((free_net(netlist, core.ports["block.ready"]), core.under_way))
            if core.ports["result.valid"] in netlist.names:
                self._results.append((free_net(netlist, core.ports["result.valid"]), core.under_way))

    def register(self, name: str) -> int:
        """What a register of the claims holds."""
        return sum(self.state[self._places[net]] << bit for bit, net in enumerate(self.netlist.names[name]))

    def clock(self, **levels: int) -> Mapping[str, int]:
        """One clock with these numbers at input ports, others as they were; the outputs' lowest bits."""
        for name, number in levels.items():
            for bit, net in enumerate(self.netlist.inputs.get(name, ())):
                self.levels[net] = number >> bit & 1
        for net, under_way in self._results:
            self.levels[net] = int(self.register(under_way) > 0)
        for net, under_way in self._blocks:
            self.levels[net] = int(self.register(under_way) == 0)
        self.inputs.append(tuple(self.levels[net] for net in self.netlist.input_bits))
        said, self.state = self._step(self.inputs[-1], self.state)
        return dict(zip(reversed(self._outputs), reversed(said), strict=True))


def long_message(netlist: Netlist, engine: CtrEngine) -> Beginning:
    """A key, a command, a message's blocks up to the last but two that its counter serves."""
    run = PlainRun(netlist, engine)
    run.clock(m_axis_tready=1, s_axis_tkeep=0xFFFF, s_axis_tuser=2, key_valid_i=1)
    run.clock(key_valid_i=0, s_axis_cmd_tvalid=1, s_axis_cmd_tdata=engine.plain(0, 1).command.word)
    for _ in range(2 + 2**engine.counter_bits - 2):
        run.clock(s_axis_cmd_tvalid=0, s_axis_tvalid=1)
    return Beginning(run.first, tuple(run.inputs))


def hashed_messages(netlist: Netlist, engine: GcmEngine) -> Iterator[Beginning]:
    """A key, a command, and a block of header and one of text, to encrypt; and such a message to decrypt, with its tag,
    up to where two products are made and that of its lengths has begun."""
    queue, step = ClaimsDesign(engine).structure.parameters["Queue"], compile_words(netlist, 1)
    for encrypt in (True, False):
        run, message = PlainRun(netlist, engine, step), engine.plain(1, 1, encrypt=encrypt)
        run.clock(m_axis_tready=1, key_valid_i=1)
        run.clock(key_valid_i=0, s_axis_cmd_tvalid=1, s_axis_cmd_tdata=message.command.word)
        beats = list(message.beats)
        for _ in range(_BEATS_TAKEN):
            room = run.register("u_reference.u_frame.beats_q") < queue
            beat = beats[0] if beats else Beat()
            run.clock(
                s_axis_cmd_tvalid=0,
                s_axis_tvalid=int(bool(beats)),
                s_axis_tkeep=beat.keep,
                s_axis_tuser=int(beat.section),
                s_axis_tlast=int(beat.last),
            )
            if beats and room:
                beats.pop(0)
            elif not beats:
                break
        for _ in range(0 if encrypt else 2 * engine.multiplication_cycles):
            run.clock()
        yield Beginning(run.first, tuple(run.inputs))


def _messages(engine: StreamEngine) -> Iterator[StreamedMessage]:
    """Messages that do what there is to do: of both directions, and a wrong one; of XTS one with a part of a block."""
    if isinstance(engine, XtsEngine):
        yield streamed(Message(bytes(BLOCK), text=bytes(2 * BLOCK + 1)), encrypt=engine.encrypts(asked=True))
    views = engine.views if isinstance(engine, MultiModeEngine) else (engine,)
    of_one_size = [view for view in views if view.rated_key_bits == engine.rated_key_bits]
    for view, encrypt in product(of_one_size, (True, False)):
        plain = view.plain(0, 2, encrypt=encrypt)
        if isinstance(engine, CtrEngine):  # the second block is 0, as it is in a chain
            first = (1 << engine.counter_bits) - 1
            plain = replace(plain, command=replace(plain.command, iv=first.to_bytes(16)))
        yield plain
        yield replace(plain, beats=(Beat(keep=1), Beat(last=True)))


def reached(design: ClaimsDesign, netlist: Netlist, names: Sequence[str], clocks: int) -> dict[str, int]:
    """Of outputs those that are 1 in a clock of such a run of one message, and the clocks up to there. The promises are
    kept in all of them."""
    found, queue = dict[str, int](), design.structure.parameters.get("Queue", 0)
    step = compile_words(netlist, 1)
    for message in _messages(design.engine):
        if len(found) == len(names):
            break
        run, beats, commanded = PlainRun(netlist, design.engine, step), list(message.beats), False
        frame, is_open = "u_reference.u_frame", "commands_q"
        if not queue:  # an engine without one says what it takes
            frame, is_open = "u_reference", "open_q"
        keys = "u_dut.u_key_slots.filled_q" if design.engine.key_slots > 1 else f"{frame}.keyed_q"
        for clock in range(clocks):
            keyed, room = run.register(keys), queue and run.register(f"{frame}.beats_q") < queue
            commanded |= run.register(f"{frame}.{is_open}") > 0
            beat = beats[0] if beats else Beat()
            said = run.clock(
                m_axis_tready=1,
                key_valid_i=int(not keyed),
                s_axis_cmd_tvalid=int(not commanded),  # a key that comes with it is first
                s_axis_cmd_tdata=message.command.word,
                s_axis_tvalid=int(bool(beats)),
                s_axis_tkeep=beat.keep,
                s_axis_tuser=int(beat.section),
                s_axis_tlast=int(beat.last),
                follow_i=1 - run.register(f"{frame}.first_q"),
            )
            if not said[ASSUMED]:
                break
            if beats and (room if queue else said["beat_taken_o"]):
                beats.pop(0)
            found |= {name: clock + 1 for name in names if said[name] and name not in found}
    return found

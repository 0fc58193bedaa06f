"""Messages through engines in simulation: compared with the model, engines side by side, wrong ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from aesmith.assurance.streams.channels import ChannelBench, Offer, Transfer
from aesmith.assurance.streams.check import compare, offers_of
from aesmith.circuits.multipliers.gf2_128 import gcm_block, gcm_element, multiply_128
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import Channel, Line, Meaning, Payload, PortDirection, Ports
from aesmith.cores.wrapper import declarations
from aesmith.modes.clocks import PassingMessage, passing
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.message import Cipher
from aesmith.modes.traffic import Keyed

ALWAYS = {"key": 0, COMMAND: 0, INPUT: 0, OUTPUT: 0}
"""No pauses."""
with_pauses = pytest.mark.parametrize(
    "pause", [pytest.param(0, marks=pytest.mark.thorough), pytest.param(100, marks=pytest.mark.thorough), 200]
)
"""Mark of a test that takes `pause`: in so many of 256 clocks, at most, a channel pauses."""
WRONG_TURNS = {
    "results of the core whose turn it is not": (
        "core_turns",
        "core_result_i[core] & {128 * Lanes{receiving_q[core]}}",
        "core_result_i[core] & {128 * Lanes{~receiving_q[core]}}",
    ),
    "results of one core": ("core_turns", "receiving_q <= after(receiving_q)", "receiving_q <= receiving_q"),
    "a block goes when any core is ready": (
        "core_turns",
        "|(ready & sending_q)",
        "|ready",
    ),
    "a key that one core has not": (
        "core_keys",
        "&(given_q | core_key_ready_i)",
        "|(given_q | core_key_ready_i)",
    ),
}
"""Faults of engines whose cores take blocks in turn: the module, and what stands in it in place of what."""
WrongText = tuple[str, str, str]
"""A fault: the module, its text that is right, and what stands there in place of it."""
_LARGE = 40_000
"""Characters of a circuit by which compilers take long: those of generators, not modules written by hand."""


def check(
    engine: StreamEngine,
    model: ChannelBench,
    sent: Sequence[Keyed],
    cipher: type[Cipher],
    offer: Any = Offer,
    **how: Any,
) -> dict[str, list[Transfer]]:
    """Run messages and compare every beat of output; the transfers. Raises CheckError for what is not the model's."""
    offers = offers_of(sent, offer, key_slots=engine.key_slots, key_bits=engine.key_bits)
    if isinstance(offer, Chosen):
        offers["chosen"] = [Offer((offer.number,))]
    made = model.run(offers, **how)
    compare(engine, sent, made[OUTPUT], cipher)
    return made


def passing_messages(engine: StreamEngine, sent: Sequence[Keyed], cipher: type[Cipher]) -> list[PassingMessage]:
    """Messages under one key, none of which is refused, as the engine's recurrence takes them."""
    made = []
    for key, message in sent:
        assert key is not None
        beats, fault = engine.answer(cipher(key), message)
        assert fault is None
        encrypt, size = engine.encrypts(asked=message.command.encrypt), engine.stream_bits // 8
        made.append(passing(message, size, encrypt=encrypt, opens=not beats[-1].failed))
    return made


def served(engine: StreamEngine, rng: Random, count: int, cipher: type[Cipher], most: int) -> list[Keyed]:
    """Messages under one key that are not refused; the tag of some is wrong."""
    key, traffic = bytes(range(min(engine.key_bits) // 8)), engine.stream_traffic
    made: list[Keyed] = []
    while len(made) < count:
        make = traffic.tampered if traffic.tampered and rng.random() < 0.2 else traffic.good
        message = make(rng, cipher(key), most)
        if engine.answer(cipher(key), message)[1] is None:
            made.append((key, message))
    return made


def clocks_of_answers(made: Mapping[str, Sequence[Transfer]]) -> list[int]:
    """The clock of every word that left, from the one in which the key was taken, which is the first of all."""
    start = made["key"][0].clock
    assert start <= made[INPUT][0].clock
    return [transfer.clock - start for transfer in made[OUTPUT]]


@dataclass(frozen=True)
class ManyEngines:
    """Engines side by side in one design, so that the compiler runs once: a number chooses the one that is heard."""

    engines: tuple[StreamEngine, ...]
    name: str = "many"

    @property
    def top(self) -> str:
        return self.name

    @property
    def ports(self) -> Ports:
        chosen = Payload("chosen_i", 8, Meaning.VALUE)
        valid, ready = Line("chosen_valid_i"), Line("chosen_ready_o")
        channel = Channel("chosen", PortDirection.INPUT, (chosen,), valid, ready)
        ports = self.engines[0].ports
        return replace(ports, channels=(*ports.channels, channel))

    def _with_one_of_each_circuit(self) -> Iterator[SourceFile]:
        """The sources, where large circuits that are the same but for the engine's name are one module.

        So the compiler has one of them to do, which is not inlined.
        """
        known: dict[str, str] = {}
        for engine in self.engines:
            own = re.compile(rf"\b{re.escape(engine.name)}_")
            modules = {}
            for source in engine.sources:
                if len(source.text) > _LARGE:
                    module = source.name.removesuffix(".sv")
                    modules[module] = known.setdefault(own.sub("", source.text), module)
            elsewhere = {module: one for module, one in modules.items() if module != one}
            for source in engine.sources:
                module, text = source.name.removesuffix(".sv"), source.text
                if module in elsewhere:
                    continue
                for mine, one in elsewhere.items():
                    text = re.sub(rf"\b{mine}\b", one, text)
                if module in modules:
                    text = text.replace("\nendmodule", "\n  /* verilator no_inline_module */\nendmodule")
                yield SourceFile(source.name, text)

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        files = dict.fromkeys(self._with_one_of_each_circuit())
        own = self.engines[0].ports
        inputs = [port for port in own if port.direction is PortDirection.INPUT]
        outputs = [port for port in own if port.direction is PortDirection.OUTPUT]
        lines = [f"module {self.name} (", declarations(self.ports), ");", "  logic [7:0] chosen_q; logic started_q;"]
        lines += ["  assign chosen_ready_o = 1'b1;"]
        lines += ["  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) started_q <= 1'b0;"]
        lines += ["    else if (chosen_valid_i) begin started_q <= 1'b1; chosen_q <= chosen_i; end"]
        for n, engine in enumerate(self.engines):
            pins = [f".{port.name}" for port in inputs if not port.role.endswith("valid")]
            pins += [
                f".{port.name}({port.name} & started_q & chosen_q == 8'd{n})"
                for port in inputs
                if port.role.endswith("valid")
            ]
            for port in outputs:
                lines.append(f"  logic [{port.width - 1}:0] {port.name}_{n};")
                pins.append(f".{port.name}({port.name}_{n})")
            lines.append(f"  {engine.top} u_{n} ({', '.join(pins)});")
        for port in outputs:
            heard = " | ".join(
                f"({port.name}_{n} & {{{port.width}{{started_q & chosen_q == 8'd{n}}}}})"
                for n in range(len(self.engines))
            )
            lines.append(f"  assign {port.name} = {heard};")
        return (*files, SourceFile(f"{self.name}.sv", "\n".join([*lines, "endmodule", ""])))


def file_of(name: str, module: str) -> str:
    """The file of a module of an engine; of its top, if it is empty."""
    return f"{name}_{module}.sv" if module else f"{name}.sv"


def wrong_engine(design: StreamEngine, name: str, module: str, right: str, wrong: str) -> StreamEngine:
    """The engine under a name of its own, with other text in one of its modules, or in the top, whose name is empty."""
    changed = replace(design, name=name)
    sources = list(changed.sources)
    place = next(n for n, source in enumerate(sources) if source.name == file_of(name, module))
    assert sources[place].text.count(right) == 1, right
    sources[place] = SourceFile(sources[place].name, sources[place].text.replace(right, wrong))
    return replace(changed, shipped=tuple(sources))


class Chosen:
    """Offers that wait for the number of the engine, which comes first; commands do `with_keys`, not for them."""

    def __init__(self, number: int, *, with_keys: bool = False) -> None:
        self.number, self.with_keys = number, with_keys

    def __call__(self, payloads: tuple[int, ...], after: Any = None) -> Offer:
        made = together(payloads, after) if self.with_keys else Offer(payloads, after or {})
        return Offer(payloads, {**made.after, "chosen": 1})


def together(payloads: tuple[int, ...], after: Mapping[str, int] | None = None) -> Offer:
    """An offer that waits for no key: without pauses, a command and its key are offered in the same clock."""
    return Offer(payloads, {name: count for name, count in (after or {}).items() if name != "key"})


def iv_of(first: bytes, hash_key: bytes) -> bytes:
    """The IV of 16 bytes of which GCM makes this first counter block under a hash key."""
    inverse, power = 1, gcm_element(hash_key)
    for _ in range(127):  # H^(2^128 - 2)
        power = multiply_128(power, power)
        inverse = multiply_128(inverse, power)
    inner = multiply_128(gcm_element(first), inverse) ^ gcm_element(bytes(8) + (128).to_bytes(8))
    return gcm_block(multiply_128(inner, inverse))

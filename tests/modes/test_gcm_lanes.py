"""The GCM engine of several lanes in simulation against its model: messages, pauses, clocks, wrong engines.

Cores stand in for AES and a plain multiplication for the multiplier, which are proved elsewhere; one engine has its own.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, wrong_engine

from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError
from aesmith.modes.counting import GCM
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.gcm_lanes_engine import GcmLanesEngine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import StreamedMessage, streamed_with_tag
from aesmith.modes.traffic import Keyed, in_slots

KEY = bytes(range(16))
"""A key under which no block that stands in for AES's is 0."""
ENGINES = {
    "unrolled-2": (1, 21, 2, 1),
    "unrolled-4": (1, 31, 4, 1),
    "in-turn-2": (10, 11, 8, 1),
    "slots-4": (3, 7, 8, 4),
}
"""Clocks a block, latency, cores, slots for keys; lanes stand in the name."""

_STEP = """\
// What stands in for the multiplier: the same, bit by bit.
module {name} (
  input  logic [127:0] y_i,
  input  logic [{lanes}-1:0][127:0] c_i,
  input  logic [{lanes}-1:0][127:0] h_i,
  output logic [127:0] p_o
);
  function automatic logic [127:0] product(input logic [127:0] left, input logic [127:0] right);
    logic [127:0] power;
    power = left;
    product = '0;
    for (int unsigned i = 0; i < 128; i++) begin
      product ^= power & {{128{{right[i]}}}};
      power = {{power[126:0], 1'b0}} ^ (128'h87 & {{128{{power[127]}}}});
    end
  endfunction

  always_comb begin
    p_o = product(y_i, h_i[0]);
    for (int unsigned lane = 0; lane < {lanes}; lane++) p_o ^= product(c_i[lane], h_i[lane]);
  end
endmodule
"""


def with_plain_multiplier(design: GcmLanesEngine) -> GcmLanesEngine:
    """The engine with a multiplier that takes no time to compile."""
    step, circuit = (f"{design.name}_{what}.sv" for what in ("ghash_lanes_step", "ghash_sum"))
    text = _STEP.format(name=step.removesuffix(".sv"), lanes=design.lanes)
    sources = [
        SourceFile(step, text) if source.name == step else source
        for source in design.sources
        if source.name != circuit
    ]
    return replace(design, shipped=tuple(sources))


def engine_of(name: str, stand_in: Any) -> GcmLanesEngine:
    """An engine of lanes, around cores that stand in for AES."""
    clocks, latency, cores, slots = ENGINES[name]
    width = 128 * int(name.rpartition("-")[2])
    design = GcmLanesEngine("gcm", stand_in(clocks, latency), cores, stream_bits=width, key_slots=slots)
    return with_plain_multiplier(design)


def sealed(cipher: Cipher, header: bytes, text: bytes, iv: bytes = bytes(12), tag: int = 16) -> StreamedMessage:
    """A message to decrypt."""
    made = GCM.encrypt(cipher, Message(iv, header, text, bytes(tag)))
    return streamed_with_tag(Message(iv, header, made.text, made.tag), encrypt=False)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    design = engine_of(request.param, stand_ins[0])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


@pytest.mark.parametrize("pause", [0, 100, 200])
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = in_slots(rng, design.stream_traffic.messages(rng, 200, stand_ins[1]), design.key_slots)
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


def test_clocks_are_those_of_the_formula(engine: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        beats = -(-(headers + texts + 1) // design.lanes)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt)
        assert seen == beats * design.core.cycles_per_block * design.lanes / design.cores

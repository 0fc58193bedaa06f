"""What every engine that is simulated by itself must pass: stalls, its clocks, keys, resets, many messages.

`made` is the engine, `model` its simulator, `cipher` what its cores compute, which may stand in for AES.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.modes.engine_bench import ALWAYS, check, together
from tests.modes.test_waits import check_waits

from aesmith.assurance.streams.channels import ChannelBench, ResetAt
from aesmith.assurance.streams.check import compare, message_clocks, offers_of
from aesmith.modes.engine import OUTPUT, StreamEngine
from aesmith.modes.message import Cipher
from aesmith.modes.traffic import Keyed, in_slots


def _traffic(made: StreamEngine, rng: Random, count: int, cipher: type[Cipher]) -> list[Keyed]:
    sent = made.stream_traffic.messages(rng, count, cipher, key_bytes=made.key_bits[0] // 8)
    return in_slots(rng, sent, made.key_slots)


def answers_with_pauses(made: StreamEngine, model: ChannelBench, cipher: type[Cipher], pause: int, count: int) -> None:
    """Messages good and bad, with pauses of every channel of at most so many in 256 clocks."""
    rng = Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(made, model, _traffic(made, rng, count, cipher), cipher, pauses=pauses, seed=pause + 1)


def keeps_its_formula(made: StreamEngine, model: ChannelBench, cipher: type[Cipher]) -> None:
    """Messages of each kind follow in the clocks that are stated, and none waits for longer than is."""
    for view in made.views:
        for headers, texts, encrypt in view.kinds():
            seen, _ = message_clocks(view, model.run, headers, texts, encrypt=encrypt, cipher=cipher)
            assert seen == view.message_cycles(headers, texts, encrypt=encrypt), (view.mode, headers, texts, encrypt)
    assert made.key_slots > 1 or check_waits(made, model, cipher) > 0


def takes_keys_with_commands(made: StreamEngine, model: ChannelBench, cipher: type[Cipher], count: int) -> None:
    """A key is before a command of the same clock."""
    check(made, model, _traffic(made, Random(3), count, cipher), cipher, together)


def keeps_nothing_over_resets(
    made: StreamEngine, model: ChannelBench, cipher: type[Cipher], times: int, count: int
) -> None:
    """A reset in mid-message, and then messages that are answered as after the first one."""
    for number in range(times):
        rng = Random(number)
        before, after = (_traffic(made, rng, count, cipher) for _ in range(2))
        offers, rest = (offers_of(each, key_slots=made.key_slots) for each in (before, after))
        ends = model.run(offers)[OUTPUT][-1].clock
        seen = model.run(offers, reset=ResetAt(rng.randrange(1, ends), rest))[OUTPUT]
        compare(made, after, seen, cipher)


def answers_20_000(made: StreamEngine, folder: Path, cipher: type[Cipher], most: int) -> None:
    """20,000 messages of at most so many bytes, with stalls."""
    model = ChannelBench(made, folder / "model", optimised=True)
    for part in range(20):
        rng = Random(f"20000 {part}")
        pauses = {name: rng.choice((0, 60, 200, 240)) for name in ALWAYS}
        sent = made.traffic.messages(rng, 1000, cipher, most=most, key_bytes=made.key_bits[0] // 8)
        check(made, model, sent, cipher, pauses=pauses, seed=part + 1)

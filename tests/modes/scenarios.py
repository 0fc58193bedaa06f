"""What every engine that is simulated by itself must pass: stalls, its clocks, keys, resets, many messages.

`made` is the engine, `model` its simulator, `cipher` what its cores compute, which may stand in for AES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    WrongText,
    check,
    clocks_of_answers,
    file_of,
    passing_messages,
    served,
    together,
    wrong_engine,
)
from tests.modes.test_waits import check_waits

from aesmith.assurance.streams.channels import ChannelBench, ResetAt
from aesmith.assurance.streams.check import compare, message_clocks, offers_of
from aesmith.errors import CheckError
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


def follows_its_schedule(made: StreamEngine, model: ChannelBench, cipher: type[Cipher]) -> None:
    """Every word of messages of all lengths, one after the other, leaves in the clock that its recurrence tells."""
    assert made.recurrence is not None
    for most in (20, 200):
        sent = served(made, Random(most), 60, cipher, most)
        seen = clocks_of_answers(check(made, model, sent, cipher))
        stated = made.recurrence(passing_messages(made, sent, cipher)).left
        assert [clock for message in stated for clock in message] == seen


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


# Wrong engines

PAUSES = ((0, False), (200, False), (0, True))
"""Of each run of a wrong engine the pauses of every channel, and whether commands come with their keys."""


def answers_alike(
    right: StreamEngine, model: ChannelBench, number: int, cipher: type[Cipher], runs: Sequence[Sequence[Keyed]]
) -> bool:
    """Whether engine `number` answers as the model of the right one does, a run for each of PAUSES."""
    for sent, (pause, with_keys) in zip(runs, PAUSES, strict=True):
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, cipher, Chosen(number, with_keys=with_keys), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


def can_be_made(right: StreamEngine, wrong: Mapping[str, WrongText], least: int) -> None:
    """There are so many wrong engines at least, and each has its fault at one place of the right one."""
    texts = {source.name: source.text for source in right.sources}
    odd = {what for what, (module, text, _) in wrong.items() if texts[file_of(right.name, module)].count(text) != 1}
    assert odd == set()
    assert len(wrong) >= least


def finds_wrong_engines(
    right: StreamEngine,
    wrong: Sequence[WrongText],
    passes: Callable[[StreamEngine, ChannelBench, int, type[Cipher]], bool],
    folder: Path,
    cipher: type[Cipher],
) -> None:
    """The right engine passes, and none of the wrong ones does."""
    made = [wrong_engine(right, f"{right.name.replace('right', 'wrong')}_{n}", *each) for n, each in enumerate(wrong)]
    model = ChannelBench(ManyEngines((right, *made)), folder / "model")
    assert [passes(right, model, number, cipher) for number in range(len(made) + 1)] == [True] + [False] * len(made)

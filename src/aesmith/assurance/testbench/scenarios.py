"""The scenarios: what is done to a core, one function each. A function returns when the core has served it all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from aesmith.assurance.plan import CoreFacts, SimulationPlan
from aesmith.assurance.testbench.bench import Bench
from aesmith.assurance.testbench.monitor import Flight, RuleError
from aesmith.reference.known_answers import known_answers
from aesmith.reference.monte_carlo import INNER_ROUNDS, OUTER_ROUNDS, monte_carlo, published_record


@dataclass
class ScenarioContext:
    """What a scenario works with. It counts its `cases` (blocks), may leave a `note`, and puts figures in `timing`."""

    bench: Bench
    facts: CoreFacts
    plan: SimulationPlan
    progress: Callable[[int, int], None]
    cases: int = 0
    note: str = ""
    timing: dict[bool, tuple[float, int, int]] = field(default_factory=dict)

    def random_key(self) -> bytes:
        """A random key of the core's size."""
        return self.bench.random.randbytes(self.facts.key_bits // 8)

    def random_block(self) -> bytes:
        """A random block."""
        return self.bench.random.randbytes(16)

    def random_mode(self) -> bool:
        """A random direction of those the core has."""
        return self.bench.random.choice(self.facts.modes)

    def clocks_of_a_block(self) -> list[int]:
        """Numbers of clocks that reach from a block's transfer past its result: all, or 48 spread over a long way."""
        last = self.facts.latency_cycles + 2
        return sorted({round(i * last / 47) for i in range(48)}) if last > 48 else list(range(last + 1))


async def known_answer_test(context: ScenarioContext) -> None:
    """All published vectors, in each direction."""
    bench, facts = context.bench, context.facts
    cases = [(case, mode) for mode in facts.modes for case in known_answers(facts.key_bits)]
    key = b""
    for case, mode in cases:
        if case.key != key:
            key = case.key
            await bench.give_key(key)
        await bench.give_block(case.ciphertext if mode else case.plaintext, mode)
        context.cases += 1
        context.progress(context.cases, len(cases))
    await bench.drain()


def _only(values: Iterable[tuple[int, Flight]], what: str) -> int:
    """The value they all have; a RuleError if they differ."""
    by_value = dict(values)
    if len(by_value) > 1:
        examples = "; ".join(f"{value} for {flight}" for value, flight in sorted(by_value.items())[:3])
        raise RuleError(f"{what} depends on key or data, or is not constant: {examples}")
    return next(iter(by_value))


async def timing(context: ScenarioContext) -> None:
    """Latency of blocks that come alone, distance of blocks that come back to back, and the latency of the block that
    takes longest, whatever came before it; all three must be as designed."""
    bench, facts = context.bench, context.facts
    ones, special = b"\xff" * 16, [bytes(16), b"\xff" * 16, b"\x63" * 16, b"\x52" * 16]
    special += [(1 << bit).to_bytes(16, "big") for bit in (0, 1, 7, 8, 64, 127)]
    streak = 24 + 2 * (facts.latency_cycles // facts.cycles_per_block)
    courses = list(product((1, 2)[: len(facts.modes)], (False, True), (None, facts.latency_cycles)))
    total = len(facts.modes) * (len(special) + 22 + streak + len(_RESTS) + len(_SOON)) + len(courses) * _TURNS
    seen = dict[bool, tuple[float, int]]()
    for mode in facts.modes:
        keys = [bytes(facts.key_bits // 8), (ones * 2)[: facts.key_bits // 8]]
        alone = []
        for block in special + [context.random_block() for _ in range(22)]:
            await bench.give_key(keys.pop() if keys else context.random_key())
            await bench.steps(facts.latency_cycles)
            await bench.give_block(block, mode)
            await bench.drain()
            flight = bench.monitor.finished[-1]
            alone.append((_latency(flight), flight))
            context.cases += 1
            context.progress(context.cases, total)
        for _ in range(streak):
            await bench.give_block(context.random_block(), mode)
            context.cases += 1
            context.progress(context.cases, total)
        await bench.drain()
        # The first blocks may fill buffers: the distance counts once the core is full. It is the mean over as many
        # blocks as are in flight, for a loop may take as many in a row and then none until they leave it.
        together = max(1, facts.latency_cycles // facts.cycles_per_block)
        full = bench.monitor.finished[-16 - together :]
        direction = "decryption" if mode else "encryption"
        latency = _only(alone, f"the latency of {direction}")
        ends = zip(full, full[together:], strict=False)
        span = _only(((b.taken - a.taken, b) for a, b in ends), f"the distance of {direction}")
        distance = span // together if span % together == 0 else span / together
        seen[mode] = distance, latency
    await _other_courses(context, courses, total)
    for mode, own in seen.items():
        worst = max(_latency(flight) for flight in bench.monitor.finished if flight.decrypting is mode)
        context.timing[mode] = (*own, worst)
    for mode, measured in context.timing.items():
        stated = facts.clocks(mode)
        distance, latency, worst = measured
        for name, said, took in (
            ("latency_cycles", stated.first, latency),
            ("cycles_per_block", stated.per_block, distance),
            ("worst_latency_cycles", stated.worst, worst),
        ):
            if said is not None and said != took:
                direction = "decryption" if mode else "encryption"
                raise RuleError(f"{name}: the design says {said}, {direction} took {took:g}")


def _latency(flight: Flight) -> int:
    """Clocks from the first beat of a block up to and with the last beat of its result."""
    return flight.offered - flight.taken + 1


_SOON = range(4)
"""Clocks that a block comes behind a key."""
_RESTS = (None, None, *_SOON)
"""Clocks that a block comes behind the result before it; None: long after it."""
_TURNS = 8
"""Blocks of a course."""


async def _other_courses(context: ScenarioContext, courses: Sequence[tuple[int, bool, int | None]], total: int) -> None:
    """Later blocks of a key, after a rest and right behind a result; blocks right behind a key; and `courses`: so many
    blocks of a direction, then of the other, whether a key comes before each, and how long after its result the next.
    No block waits for a sender or a receiver."""
    bench, facts = context.bench, context.facts

    async def give(mode: bool, rest: int | None) -> None:
        await bench.give_block(context.random_block(), mode)
        if rest is not None:
            await bench.until(lambda: not bench.monitor.in_flight)
            await bench.steps(rest)
        context.cases += 1
        context.progress(context.cases, total)

    for mode in facts.modes:
        await bench.give_key(context.random_key())
        for pause in _RESTS:
            await give(mode, 2 * facts.latency_cycles if pause is None else pause)
        for wait in _SOON:
            await bench.give_key(context.random_key())
            await bench.steps(wait)
            await give(mode, facts.latency_cycles)
    for together, keys, rest in courses:
        for number in range(_TURNS):
            if keys:
                await bench.give_key(context.random_key())
            await give(facts.modes[number // together % len(facts.modes)], rest)
    await bench.drain()


async def random_pairs(context: ScenarioContext) -> None:
    """A new random key before each random block, no pauses."""
    bench = context.bench
    for _ in range(context.plan.random_pairs):
        await bench.give_key(context.random_key())
        await bench.give_block(context.random_block(), context.random_mode())
        context.cases += 1
        context.progress(context.cases, context.plan.random_pairs)
    await bench.drain()


async def random_stalls(context: ScenarioContext) -> None:
    """Pauses on all channels; keys come when they like: the monitor hears which key a block has."""
    bench, rates = context.bench, context.plan.stall_rates
    blocks = -(-context.plan.random_pairs // len(rates))
    for key_pause, block_pause, result_pause in rates:
        bench.keys.pause, bench.blocks.pause, bench.pause = key_pause, block_pause, result_pause
        bench.random_pause = key_pause if "random.valid" in context.facts.names else 0.0
        await bench.give_key(context.random_key())
        for _ in range(blocks):
            for _ in range(bench.random.choice((0, 0, 1, 1, 2))):
                if len(bench.keys.beats) <= bench.facts.key_beats:
                    bench.offer_key(context.random_key())
            await bench.give_block(context.random_block(), context.random_mode())
            context.cases += 1
            context.progress(context.cases, blocks * len(rates))
        await bench.drain()


async def keys_without_blocks(context: ScenarioContext) -> None:
    """Keys in a row, back to back and with gaps; a block then uses the last."""
    bench = context.bench
    for number in range(2, 10):
        for _ in range(number):
            bench.offer_key(context.random_key())
        while bench.keys.beats:
            await bench.step()
            await bench.steps(bench.random.choice((0, 0, 0, 1, 5)))
        await bench.give_block(context.random_block(), context.random_mode())
        await bench.drain()
        context.cases += 1
        context.progress(context.cases, 8)


async def key_in_flight(context: ScenarioContext) -> None:
    """A key offered 0, 1, 2, ... clocks after a block was offered; the next block waits for it, or comes with it."""
    bench = context.bench
    offsets = context.clocks_of_a_block()
    for offset in offsets:
        for together in (False, True):
            await bench.give_key(context.random_key())
            await bench.steps(context.facts.latency_cycles)
            if offset:
                await bench.give_block(context.random_block(), context.random_mode())
                await bench.steps(offset - 1)
            else:
                bench.offer_block(context.random_block(), context.random_mode())
            bench.offer_key(context.random_key())
            if not together:
                await bench.until(lambda: not bench.keys.beats)
            bench.offer_block(context.random_block(), context.random_mode())
            await bench.drain()
            context.cases += 2
            context.progress(context.cases, 4 * len(offsets))
    context.note = f"key and block were accepted in the same clock {bench.same_clock} times"


async def block_before_key(context: ScenarioContext) -> None:
    """No key yet, neither after power-up nor after a reset that follows other work."""
    bench = context.bench
    for _ in range(2):
        await bench.reset()
        bench.patient = True
        bench.offer_block(context.random_block(), context.random_mode())
        await bench.steps(2 * context.facts.latency_cycles + 16)
        bench.patient = False
        bench.offer_key(context.random_key())
        await bench.drain()
        context.cases += 1
        context.progress(context.cases, 2)


async def withheld_block(context: ScenarioContext) -> None:
    """A sender that gives some beats of a block, and the others only when it has the whole result before it."""
    bench, facts = context.bench, context.facts
    pauses = (0.0, 0.5)
    for pause in pauses:
        bench.pause = pause
        for beats in range(facts.block_beats):
            await bench.give_key(context.random_key())
            for _ in range(2):
                await bench.give_block(context.random_block(), context.random_mode())
                bench.offer_block(context.random_block(), context.random_mode())
                withheld = [bench.blocks.beats.pop() for _ in range(facts.block_beats - beats)]
                await bench.until(lambda: not bench.monitor.in_flight)
                await bench.steps(bench.random.choice((0, 1, facts.latency_cycles)))
                bench.blocks.beats.extend(reversed(withheld))
                context.cases += 2
            await bench.drain()
            context.progress(context.cases, 4 * facts.block_beats * len(pauses))


async def stalled_output(context: ScenarioContext) -> None:
    """The output stays blocked while the core takes all it can; it must offer a result and keep it."""
    bench, facts = context.bench, context.facts
    blocks = facts.latency_cycles // facts.cycles_per_block + 4
    for number in range(4):
        await bench.give_key(context.random_key())
        bench.ready, bench.patient = False, True
        for _ in range(blocks):
            bench.offer_block(context.random_block(), context.random_mode())
        if number % 2:
            bench.offer_key(context.random_key())
        await bench.steps(12 * facts.latency_cycles + 64)
        if bench.monitor.stalled is None:
            raise RuleError(
                f"{facts.names['result.valid']} waits for {facts.names['result.ready']}: with the output blocked, no "
                "result was offered in "
                f"{12 * facts.latency_cycles + 64} clocks, though {len(bench.monitor.in_flight)} block(s) were taken"
            )
        bench.ready, bench.patient = True, False
        await bench.drain()
        context.cases += blocks
        context.progress(number + 1, 4)


async def reset_in_mid_block(context: ScenarioContext) -> None:
    """A reset at every point of a block's way, some with the result stalled; then silence, then right results again.

    A core that can be cleared is, in the same places; it then waits for a key, though a block is offered.
    """
    bench, facts = context.bench, context.facts
    offsets = context.clocks_of_a_block()
    ways = (False, True) if "clear.clear" in facts.names else (False,)
    for number, (clears, offset) in enumerate(product(ways, offsets)):
        bench.offer_key(context.random_key())
        # A reset may also cut a key in two where keys come in several beats.
        if facts.key_beats > 1 and number % 4 == 3:
            await bench.steps(bench.random.randrange(1, facts.key_beats))
        else:
            bench.offer_block(context.random_block(), context.random_mode())
            bench.ready = number % 2 == 0
            await bench.until(lambda: len(bench.blocks.beats) < facts.block_beats)
            await bench.steps(offset)
        if clears:
            await bench.clear()
            bench.patient = True
            bench.offer_block(context.random_block(), context.random_mode())
        else:
            await bench.reset(1 + number % 3)
        await bench.steps(2 * facts.latency_cycles + 8)
        bench.patient = False
        await bench.give_key(context.random_key())
        for _ in range(2):
            await bench.give_block(context.random_block(), context.random_mode())
        await bench.drain()
        context.cases += 3
        context.progress(number + 1, len(offsets) * len(ways))


async def monte_carlo_test(context: ScenarioContext) -> None:
    """AESAVS 6.4.1: outer rounds of 1000 chained blocks, each round's key made from the results of the last."""
    bench, facts, plan = context.bench, context.facts, context.plan
    affordable = plan.monte_carlo_clocks // (INNER_ROUNDS * facts.latency_cycles)
    rounds = max(1, min(plan.monte_carlo_rounds, affordable))
    for mode in facts.modes:
        record = published_record(facts.key_bits, decrypting=mode)
        chain = monte_carlo(record.key, record.start, decrypting=mode)
        for number in range(rounds):
            expected = next(chain)
            await bench.give_key(expected.key)
            before, result = await bench.chain(expected.start, INNER_ROUNDS, mode)
            final = record.final_result if number == OUTER_ROUNDS - 1 else expected.result
            if (before, result) != (expected.before, final):
                raise RuleError(
                    f"{record.source}, outer round {number}, key {expected.key.hex()}, first block "
                    f"{expected.start.hex()}: expected {final.hex()} after {INNER_ROUNDS} blocks, got {result.hex()}"
                )
            context.cases += INNER_ROUNDS
            context.progress(context.cases, rounds * INNER_ROUNDS * len(facts.modes))
    context.note = f"{rounds} of {OUTER_ROUNDS} outer rounds a direction"
    if rounds == OUTER_ROUNDS:
        context.note += ", ending in the published results"


FUNCTIONS: dict[str, Callable[[ScenarioContext], Awaitable[None]]] = {
    "known-answers": known_answer_test,
    "timing": timing,
    "random-pairs": random_pairs,
    "random-stalls": random_stalls,
    "keys-without-blocks": keys_without_blocks,
    "key-in-flight": key_in_flight,
    "block-before-key": block_before_key,
    "withheld-block": withheld_block,
    "stalled-output": stalled_output,
    "reset-in-mid-block": reset_in_mid_block,
    "monte-carlo": monte_carlo_test,
}
"""The function of each scenario in `aesmith.assurance.plan.SCENARIOS`."""

"""Engines around real AES cores against their models, and every wrong engine of the tests.

    python benchmarks/engine_traffic.py [MESSAGES [VECTORS]]

For each preset and three other engines all that `aesmith verify` does, with so many random messages of 0 to 300 bytes,
good and bad, in each of its three scenarios, and so many published vectors.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.modes import conftest, test_engine, test_gcm_engine
from tests.modes.engine_bench import ManyEngines, wrong_engine

from aesmith.assurance.streams.channels import ChannelBench
from aesmith.assurance.streams.check import StreamPlan, verify_engine
from aesmith.modes.ctr_engine import CtrEngine, ctr_engine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.gcm_engine import GcmEngine, gcm_engine
from aesmith.modes.specification import build_engine, engine_presets

TOGETHER = 6
"""Wrong engines that are compiled as one."""


def engines() -> list[StreamEngine]:
    """The presets, and engines of other fields: more cores, a longer key, a counter that comes round, a longer ring."""
    made = [build_engine(specification, "engine", name) for name, specification in engine_presets().items()]
    key_256: dict[str, object] = {"preset": "ueno2020-enc-256"}
    return [
        *made,
        ctr_engine("engine", {"preset": "ueno2020-enc"}, 4, 8),
        gcm_engine("engine", key_256, cores=4, digit=64, splits="bbbb", release="cut-through"),
        gcm_engine("engine", {"preset": "ueno2020-enc"}, digit=16, splits="bbb", entries=24),
    ]


def wrong_engines(folder: Path) -> None:
    """Every one of them is found, and the right ones pass; raises AssertionError if not."""
    for right, each, passes in (
        (CtrEngine("right", conftest.stand_in(10, 11), 3, 8), test_engine.WRONG, test_engine.passes),
        (
            GcmEngine("right", conftest.stand_in(10, 11), **test_gcm_engine.FIELDS),
            test_gcm_engine.WRONG,
            test_gcm_engine.passes,
        ),
    ):
        names = list(each)
        for start in range(0, len(names), TOGETHER):
            some = names[start : start + TOGETHER]
            engines = (right, *(wrong_engine(right, f"wrong_{n}", *each[name]) for n, name in enumerate(some)))
            model = ChannelBench(ManyEngines(engines), folder / f"{type(right).__name__}{start}")
            found = [passes(right, model, n, conftest.StandIn) for n in range(len(some) + 1)]
            assert found == [True] + [False] * len(some), dict(zip(["none", *some], found, strict=True))
        print(f"{type(right).__name__}: wrong engines found: {len(names)} of {len(names)}", flush=True)


def main(messages: int, count: int) -> None:
    """Prints a line an engine; raises AssertionError for an answer that is not the model's."""
    with tempfile.TemporaryDirectory() as folder:
        wrong_engines(Path(folder))
        for number, engine in enumerate(engines()):
            start = time.monotonic()
            report = verify_engine(engine, Path(folder) / str(number), StreamPlan(messages=messages, vectors=count))
            assert report.passed, [(each.name, each.failure) for each in report.failures]
            cases = ", ".join(f"{each.name} {each.cases:,}" for each in report.scenarios)
            print(f"{engine.title}: {cases}, {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(*(given + [20_000, 3_000][len(given) :]))

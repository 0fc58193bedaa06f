"""CTR engines around real AES cores against the model, and every wrong engine of the tests.

    python benchmarks/engine_traffic.py [MESSAGES]

For each engine so many messages of 0 to 300 bytes, good and bad, without pauses and with pauses on every channel.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "modes"))
import test_engine

import conftest
from aesmith.modes.engine import CtrEngine, ctr_engine
from aesmith.modes.message import Cipher

REAL = ((test_engine.ROUND_BASED, 1, 128), (test_engine.ROUND_BASED, 4, 8), (test_engine.UNROLLED, 1, 32))


def main(messages: int) -> None:
    """Prints a line an engine; raises AssertionError for an answer that is not the model's."""
    with tempfile.TemporaryDirectory() as folder:
        right = CtrEngine("right", conftest.stand_in(10, 11), 3, 8)
        wrong = [
            test_engine._wrong(right, f"wrong_{n}", *change) for n, change in enumerate(test_engine.WRONG.values())
        ]
        model = conftest.ChannelBench(test_engine.ManyEngines((right, *wrong)), Path(folder) / "wrong")
        passed = [test_engine._passes(model, n, conftest.Offer, conftest.StandIn) for n in range(len(wrong) + 1)]
        assert passed == [True] + [False] * len(wrong), passed
        print(f"wrong engines found: {len(wrong)} of {len(wrong)}", flush=True)
        for number, (core, cores, bits) in enumerate(REAL):
            design = ctr_engine("ctr", core, cores, bits)
            model = conftest.ChannelBench(design, Path(folder) / str(number))
            start, blocks = time.monotonic(), 0
            for part in range(max(1, messages // 500)):
                rng = random.Random(part)
                pauses = {name: rng.randrange(200) * (part % 2) for name in test_engine.ALWAYS}
                sent = test_engine.traffic(rng, min(500, messages))
                made = test_engine.check(model, sent, bits, conftest.Offer, Cipher, pauses=pauses, seed=part + 1)
                blocks += len(made[test_engine.OUTPUT])
            took = time.monotonic() - start
            print(f"{cores} x {design.core.title}: {blocks} beats as by the model, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)

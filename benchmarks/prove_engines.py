"""Engines of CTR proved around any cores, and every wrong engine of the tests refuted, by the same prover.

    python benchmarks/prove_engines.py [WRONG …]

Without arguments the preset, engines of other fields, and all wrong engines; with numbers, these wrong ones only. The
exit status is 1 if a right engine is not proved or a wrong one is.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.modes import conftest
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_engine_proof import ALL_WRONG

from aesmith.assurance.engines.prove import prove_claims
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.modes.ctr_engine import CtrEngine, ctr_engine
from aesmith.modes.specification import build_engine, engine_presets


def main() -> None:
    """Prints a line an engine."""
    chosen = {int(number) for number in sys.argv[1:]}
    small = CtrEngine("right", conftest.stand_in(2, 3), 2, 8)
    cases = [("a small engine", small, Verdict.PROVED)]
    if not chosen:
        preset = build_engine(engine_presets()["ctr-pipeline"], "engine", "ctr-pipeline")
        cases.append(("ctr-pipeline", preset, Verdict.PROVED))
        for cores, bits in ((1, 128), (4, 32)):
            engine = ctr_engine("engine", {"preset": "ueno2020-enc"}, cores, bits)
            cases.append((engine.title, engine, Verdict.PROVED))
    else:
        cases.clear()
    for number, (what, change) in enumerate(ALL_WRONG.items()):
        if not chosen or number in chosen:
            cases.append((f"{number}: {what}", wrong_engine(small, f"wrong_{number}", *change), Verdict.REFUTED))
    failed = 0
    for what, engine, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            parts, _ = prove_claims(engine, Path(folder), Limits(seconds=900))
            worst = next((part for part in parts if part.verdict is not Verdict.PROVED), parts[0])
            right = worst.verdict is expected
            failed += not right
            seconds = time.monotonic() - began
            print(f"{what:55} {worst.verdict:10} {seconds:6.0f} s  {worst.detail}{'' if right else '  !!'}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

"""Engines of modes proved around any cores, and every wrong engine of the tests refuted, by the same prover.

    python benchmarks/prove_engines.py [ctr] [cmac] [gcm] [xts] [multi] [bytes] [ccm-bytes] [ahead] [gcm-ahead] [slots]
        [WRONG …]

Without arguments all: presets, engines of other fields, and all wrong engines; with numbers, these wrong ones only. A
fault that is none in one of the engines that have it is to be refuted in another one. The exit status is 1 if a right
engine is not proved or a wrong one is.
"""

import csv
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.modes import (
    conftest,
    test_byte_ccm_engine,
    test_byte_cmac_engine,
    test_cmac_proof,
    test_counter_engine,
    test_engine_proof,
    test_gcm_ahead_proof,
    test_gcm_proof,
    test_key_slots_proof,
    test_multi_mode_proof,
    test_xts_proof,
)
from tests.modes.engine_bench import file_of, wrong_engine

from aesmith.assurance.engines.prove import prove_claims
from aesmith.assurance.proof.report import Limits, Part, Verdict
from aesmith.modes.ctr_engine import CtrEngine, ctr_engine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import build_engine, engine_presets


@dataclass(frozen=True)
class ProofFamily:
    """Presets that are proved, engines of other fields, the ones of which wrong ones are made, and what is wrong."""

    presets: Sequence[str]
    right: Sequence[StreamEngine]
    small: Sequence[StreamEngine]
    wrong: Mapping[str, tuple[str, str, str]]


ROOT = Path(__file__).parents[1]


def presets_of(group: str) -> list[str]:
    """The presets of a group in docs/tables/proved.csv, which README and gallery show as proved."""
    with (ROOT / "docs" / "tables" / "proved.csv").open(encoding="utf-8") as file:
        return [row["design"] for row in csv.DictReader(file) if row["group"] == group]


def families() -> dict[str, ProofFamily]:
    """By name."""
    small = CtrEngine("right", conftest.stand_in(2, 3), 2, 8)
    others = [ctr_engine("engine", {"preset": "ueno2020-enc"}, cores, bits) for cores, bits in ((1, 128), (4, 32))]
    slots, multi, ahead = test_key_slots_proof, test_multi_mode_proof, test_gcm_ahead_proof
    cmac, gcm, xts = test_cmac_proof, test_gcm_proof, test_xts_proof
    return {
        "ctr": ProofFamily(presets_of("ctr"), others, [small], test_engine_proof.ALL_WRONG),
        "cmac": ProofFamily(presets_of("cmac"), cmac.more_right(), cmac.small_ones(), cmac.ALL_WRONG),
        "gcm": ProofFamily(presets_of("gcm"), gcm.more_right(), gcm.small_ones(), gcm.ALL_WRONG),
        "xts": ProofFamily(presets_of("xts"), xts.more_right(), xts.small_ones(), xts.ALL_WRONG),
        "multi": ProofFamily(presets_of("multi"), multi.more_right(), multi.small_ones(), multi.ALL_WRONG),
        "bytes": ProofFamily(presets_of("bytes"), [], [test_byte_cmac_engine.design_of()], test_byte_cmac_engine.WRONG),
        "ccm-bytes": ProofFamily(
            presets_of("ccm-bytes"), [], [test_byte_ccm_engine.design_of()], test_byte_ccm_engine.WRONG
        ),
        "ahead": ProofFamily(
            presets_of("ahead"),
            [test_counter_engine.right_one(conftest.stand_in)],
            [test_counter_engine.small_one()],
            test_counter_engine.WRONG,
        ),
        "gcm-ahead": ProofFamily(presets_of("gcm-ahead"), ahead.more_right(), [ahead.small_one()], ahead.ALL_WRONG),
        "slots": ProofFamily([], slots.more_right(), slots.small_ones(), slots.ALL_WRONG),
    }


def worst_of(engine: StreamEngine) -> Part:
    """The part of the proof that says most: one that is refuted, or else one that is not proved."""
    with tempfile.TemporaryDirectory() as folder:
        parts, _ = prove_claims(engine, Path(folder), Limits(seconds=900))
    odd = [part for part in parts if part.verdict is not Verdict.PROVED]
    return next((part for part in odd if part.verdict is Verdict.REFUTED), [*odd, parts[0]][0])


def wrong_ones(family: ProofFamily, number: int, change: tuple[str, str, str]) -> Iterator[StreamEngine]:
    """The engines that may have this fault."""
    for small in family.small:
        if any(source.name == file_of(small.name, change[0]) and change[1] in source.text for source in small.sources):
            yield wrong_engine(small, f"wrong_{number}", *change)


def main() -> None:
    """Prints a line an engine."""
    known = families()
    numbers = {int(word) for word in sys.argv[1:] if word.isdigit()}
    named = [word for word in sys.argv[1:] if word in known] or list(known)
    failed = 0

    def told(what: str, part: Part, expected: Verdict, began: float) -> None:
        nonlocal failed
        right = part.verdict is expected
        failed += not right
        seconds = time.monotonic() - began
        print(f"{what:60} {part.verdict:10} {seconds:6.0f} s  {part.detail}{'' if right else '  !!'}", flush=True)

    for family in map(known.__getitem__, named):
        right = [] if numbers else [build_engine(engine_presets()[name], "engine", name) for name in family.presets]
        for engine in right + ([] if numbers else [*family.small, *family.right]):
            began = time.monotonic()
            told(engine.title, worst_of(engine), Verdict.PROVED, began)
        for number, (what, change) in enumerate(family.wrong.items()):
            if not numbers or number in numbers:
                began = time.monotonic()
                engines = list(wrong_ones(family, number, change))
                assert engines, f"{what}: no engine has the text that is changed"
                for engine in engines:
                    part = worst_of(engine)
                    if part.verdict is Verdict.REFUTED:
                        break
                told(f"{number}: {what}", part, Verdict.REFUTED, began)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

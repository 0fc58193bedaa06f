"""Engines around real AES cores against their models, and every wrong engine of the tests.

    python benchmarks/engine_traffic.py [MESSAGES [VECTORS [MODE ...]]]

For each preset and some other engines, of all modes or those named, all that `aesmith verify` does, with so many random
messages of 0 to 300 bytes, good and bad, in each of its three scenarios, and so many published vectors.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.modes import (
    conftest,
    test_byte_ccm_engine,
    test_byte_cmac_engine,
    test_cfb8_engine,
    test_cmac_engine,
    test_counter_engine,
    test_ctr_drbg_engine,
    test_engine,
    test_gcm_ahead_engine,
    test_gcm_engine,
    test_gcm_lanes,
    test_gcm_siv_engine,
    test_gcm_sst_engine,
    test_key_wrap_engine,
    test_lanes,
    test_multi_mode_engine,
    test_ocb_engine,
    test_siv_engine,
    test_stealing_engine,
    test_xts_engine,
)
from tests.modes.engine_bench import ManyEngines, wrong_engine

from aesmith.assurance.streams.channels import ChannelBench
from aesmith.assurance.streams.check import StreamPlan, verify_engine
from aesmith.modes.cfb8_engine import cfb8_engine
from aesmith.modes.cmac_engine import cmac_engine
from aesmith.modes.ctr_drbg_engine import ctr_drbg_engine
from aesmith.modes.ctr_engine import CtrEngine, ctr_engine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.gcm_engine import GcmEngine, gcm_engine
from aesmith.modes.gcm_lanes_engine import GcmLanesEngine
from aesmith.modes.gcm_siv_engine import gcm_siv_engine
from aesmith.modes.gcm_sst_engine import gcm_sst_engine
from aesmith.modes.key_wrap_engine import key_wrap_engine
from aesmith.modes.ocb_engine import ocb_engine
from aesmith.modes.siv_engine import siv_engine
from aesmith.modes.specification import build_engine, engine_presets
from aesmith.modes.stealing_engine import stealing_engine
from aesmith.modes.xts_engine import xts_engine

TOGETHER = 6
"""Wrong engines that are compiled as one."""


def engines() -> list[StreamEngine]:
    """The presets, and engines of other fields: more cores, a longer key, a counter that comes round, a longer ring."""
    made = [build_engine(specification, "engine", name) for name, specification in engine_presets().items()]
    key_256: dict[str, object] = {"preset": "ueno2020-enc-256"}
    return [
        *made,
        ctr_engine("engine", {"preset": "ueno2020-enc"}, 4, 8),
        replace(ctr_engine("engine", {"preset": "ueno2020-enc"}, 8, 32), stream_bits=256),
        gcm_engine("engine", key_256, cores=4, digit=64, splits="bbbb", release="cut-through"),
        gcm_engine("engine", {"preset": "ueno2020-enc"}, digit=16, splits="bbb", entries=24),
        GcmLanesEngine("engine", core_of("engine", key_256), 8, splits="ooooo", stream_bits=512),
        cfb8_engine("engine", key_256, cores=4, chain="registered"),
        cmac_engine("engine", key_256),
        xts_engine("engine", key_256, {"preset": "ueno2020-encdec-256"}, cores=4),
        xts_engine("engine", {"architecture": "subpipelined", "stages": 1}, {"preset": "ueno2020-enc"}),
        ocb_engine("engine", {"preset": "ueno2020-encdec-256"}, cores=4, entries=40),
        ocb_engine("engine", {"preset": "ueno2020-enc-192"}, cores=2),
        key_wrap_engine("engine", {"preset": "ueno2020-encdec-selectable"}, longest=520),
        gcm_siv_engine("engine", key_256),
        siv_engine("engine", key_256),
        gcm_sst_engine("engine", key_256),
        stealing_engine("engine", {"preset": "ueno2020-encdec-selectable"}),
        ctr_drbg_engine("engine", key_256),
    ]


def wrong_lists() -> list[tuple[StreamEngine, dict[str, tuple[str, str, str]], Callable[..., bool]]]:
    """Right engines around cores that stand in for AES, the wrong ones of each, and what tells them apart."""
    stand_in = conftest.stand_in
    return [
        *(
            (module.right_one(stand_in), module.WRONG, module.passes)
            for module in (
                *(test_cfb8_engine, test_cmac_engine, test_xts_engine, test_ocb_engine),
                *(test_key_wrap_engine, test_gcm_siv_engine, test_stealing_engine, test_ctr_drbg_engine),
                *(test_siv_engine, test_gcm_sst_engine),
            )
        ),
        (test_ocb_engine.right_early_one(stand_in), test_ocb_engine.WRONG_EARLY, test_ocb_engine.passes),
        (CtrEngine("right", stand_in(10, 11), 3, 8), test_engine.WRONG, test_engine.passes),
        (CtrEngine("right", stand_in(10, 11), 6, 8, stream_bits=256), test_lanes.WRONG, test_lanes.passes),
        (GcmEngine("right", stand_in(10, 11), **test_gcm_engine.FIELDS), test_gcm_engine.WRONG, test_gcm_engine.passes),
        (
            GcmEngine("right", stand_in(*test_gcm_engine.STAGED_CORE), **test_gcm_engine.STAGED_FIELDS),
            test_gcm_engine.WRONG_STAGED,
            test_gcm_engine.passes,
        ),
        (
            GcmEngine("right", stand_in(10, 11), ring="memory", **test_gcm_engine.FIELDS),
            test_gcm_engine.WRONG_IN_MEMORY,
            test_gcm_engine.passes,
        ),
        (test_gcm_lanes.right_engine(stand_in), test_gcm_lanes.WRONG, test_gcm_lanes.passes),
        (test_multi_mode_engine.right_one(stand_in), test_multi_mode_engine.WRONG, test_multi_mode_engine.passes),
        (
            test_multi_mode_engine.right_one_that_waits(stand_in),
            test_multi_mode_engine.WRONG_RELEASE,
            test_multi_mode_engine.passes,
        ),
        (
            test_byte_cmac_engine.right_one(),
            {
                what: each
                for what, each in test_byte_cmac_engine.WRONG.items()
                if what not in test_byte_cmac_engine.UNSEEN
            },
            test_byte_cmac_engine.passes,
        ),
        (
            test_byte_ccm_engine.right_one(),
            {
                what: each
                for what, each in test_byte_ccm_engine.WRONG.items()
                if what not in test_byte_ccm_engine.UNSEEN
            },
            test_byte_ccm_engine.passes,
        ),
        (
            test_counter_engine.right_one(stand_in),
            {what: each for what, each in test_counter_engine.WRONG.items() if what not in test_counter_engine.UNSEEN},
            test_counter_engine.passes,
        ),
        (
            test_gcm_ahead_engine.right_one(stand_in),
            test_gcm_ahead_engine.WRONG,
            test_gcm_ahead_engine.passes,
        ),
        (
            test_gcm_ahead_engine.right_slow_one(stand_in),
            test_gcm_ahead_engine.WRONG_SLOW,
            test_gcm_ahead_engine.passes,
        ),
        (
            test_gcm_ahead_engine.right_hash_one(stand_in),
            test_gcm_ahead_engine.WRONG_HASH,
            test_gcm_ahead_engine.passes,
        ),
        (
            test_multi_mode_engine.right_one_of_sizes(stand_in),
            test_multi_mode_engine.WRONG_SIZES,
            test_multi_mode_engine.passes,
        ),
        (
            test_multi_mode_engine.right_one_of_few(stand_in),
            test_multi_mode_engine.WRONG_FEW,
            test_multi_mode_engine.passes,
        ),
    ]


def wrong_engines(folder: Path, modes: list[str]) -> None:
    """Every one of them is found, and the right ones pass; raises AssertionError if not."""
    for right, each, passes in wrong_lists():
        if modes and right.mode not in modes:
            continue
        names = list(each)
        for start in range(0, len(names), TOGETHER):
            some = names[start : start + TOGETHER]
            engines = (right, *(wrong_engine(right, f"wrong_{n}", *each[name]) for n, name in enumerate(some)))
            model = ChannelBench(ManyEngines(engines), folder / f"{len(each)}_{type(right).__name__}{start}")
            found = [passes(right, model, n, conftest.StandIn) for n in range(len(some) + 1)]
            assert found == [True] + [False] * len(some), dict(zip(["none", *some], found, strict=True))
        print(f"{type(right).__name__}: wrong engines found: {len(names)} of {len(names)}", flush=True)


def main(messages: int, count: int, modes: list[str]) -> None:
    """Prints a line an engine; raises AssertionError for an answer that is not the model's."""
    with tempfile.TemporaryDirectory() as folder:
        wrong_engines(Path(folder), modes)
        for number, engine in enumerate(each for each in engines() if not modes or each.mode in modes):
            start = time.monotonic()
            report = verify_engine(engine, Path(folder) / str(number), StreamPlan(messages=messages, vectors=count))
            assert report.passed, [(each.name, each.failure) for each in report.failures]
            cases = ", ".join(f"{each.name} {each.cases:,}" for each in report.scenarios)
            print(f"{engine.title}: {cases}, {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:3]]
    main(*(given + [20_000, 3_000][len(given) :]), sys.argv[3:])

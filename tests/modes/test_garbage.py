"""Beats at random under commands that are served: whatever comes, an engine answers as its model, and never hangs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.modes.engine_bench import ALWAYS, check, wrong_engine

from aesmith.cores.design import Direction
from aesmith.errors import CheckError
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.ctr_drbg_engine import CtrDrbgEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.gcm_siv_engine import GcmSivEngine
from aesmith.modes.gcm_sst_engine import GcmSstEngine
from aesmith.modes.key_wrap_engine import KeyWrapEngine
from aesmith.modes.message import BLOCK, Cipher
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.ocb_engine import OcbEngine
from aesmith.modes.siv_engine import SivEngine
from aesmith.modes.stealing_engine import StealingEngine
from aesmith.modes.stream import UNKNOWN, Beat, Section, StreamedMessage
from aesmith.modes.traffic import with_command
from aesmith.modes.xts_engine import XtsEngine

pytestmark = pytest.mark.one_in(6)

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
MOST_BEATS = 12
"""Beats of a message at most: more than any of these engines holds."""
TIGHT: dict[str, Callable[[Any], StreamEngine]] = {
    "ctr": lambda core: CtrEngine("tight", core(2, 5), 2, 8),
    "cmac": lambda core: CmacEngine("tight", core(2, 5)),
    "gcm": lambda core: GcmEngine("tight", core(2, 5), digit=8, entries=4, hashes=1),
    "gcm-at-once": lambda core: GcmEngine("tight", core(2, 5), digit=8, release="cut-through", entries=4, hashes=1),
    "ocb": lambda core: OcbEngine("tight", core(2, 5, BOTH), entries=4),
    "ocb-at-once": lambda core: OcbEngine("tight", core(2, 5, BOTH), release="cut-through", entries=4),
    "multi": lambda core: MultiModeEngine("tight", core(2, 5, BOTH), modes=tuple(MESSAGE_MODES), gcm_iv="any"),
    "multi-verified": lambda core: MultiModeEngine(
        "tight", core(2, 5), modes=("gcm", "ccm"), digit=8, splits="", release="verified", memory_beats=2
    ),
    "gcm-ahead": lambda core: GcmAheadEngine("tight", core(4, 5), 3, digit=64, splits="b"),
    "gcm-ahead-verified": lambda core: GcmAheadEngine(
        "tight", core(4, 4), 2, digit=8, splits="", release="verified", memory_beats=2
    ),
    "gcm-siv": lambda core: GcmSivEngine("tight", core(4, 5), memory_beats=4),
    "gcm-sst": lambda core: GcmSstEngine("tight", core(4, 5), memory_beats=4),
    "siv": lambda core: SivEngine("tight", core(4, 5), memory_beats=4),
    "cbc-cs": lambda core: StealingEngine("tight", core(2, 5, BOTH)),
    "drbg": lambda core: CtrDrbgEngine("tight", core(4, 5)),
    "kw": lambda core: KeyWrapEngine("tight", core(2, 5, BOTH), longest=32),
    "xts": lambda core: XtsEngine("tight", core(2, 5, BOTH), tweak_core=core(2, 5)),
}
"""Engines that hold as little as they may, with cores that stand in for AES."""


def garbage(engine: StreamEngine, rng: Random, cipher: Cipher) -> StreamedMessage:
    """The command of a good message, whose lengths may be others; beats of any kind and size, mostly in order."""
    command = engine.traffic.good(rng, cipher, 60).command
    kinds = [rng.choice([*Section]) for _ in range(rng.randrange(1, MOST_BEATS))]
    if rng.random() < 0.8:
        kinds.sort()
    if rng.random() < 0.5:
        kinds = [Section.TEXT if kind is Section.IV else kind for kind in kinds]
    beats = [
        Beat(rng.randbytes(BLOCK), 0xFFFF if rng.random() < 0.9 else (1 << rng.randrange(17)) - 1, kind)
        for kind in kinds
    ]
    sent = StreamedMessage(command, (*beats[:-1], replace(beats[-1], last=True)))
    told = [command.text_bytes, UNKNOWN, BLOCK * sent.text_blocks, BLOCK * rng.randrange(4)]
    return engine.in_words(with_command(sent, text_bytes=rng.choice(told)))


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("name", TIGHT)
def test_beats_at_random_are_answered_as_by_the_model(name: str, bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    engine = TIGHT[name](stand_ins[0])
    passes_garbage(engine, bench(engine, tmp_path / "model"), stand_ins[1])


def passes_garbage(engine: StreamEngine, model: Any, cipher: type[Cipher]) -> None:
    """400 messages, without pauses and with them; raises CheckError."""
    rng = Random(engine.mode)
    key = rng.randbytes(engine.key_bits[0] // 8)
    sent = [(key, garbage(engine, rng, cipher(key))) for _ in range(400)]
    for pause in (0, 150):
        check(engine, model, sent, cipher, pauses=dict.fromkeys(ALWAYS, pause), seed=pause)


@pytest.mark.thorough
def test_an_engine_that_waits_for_what_never_comes_is_found(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    right = TIGHT["multi-verified"](stand_ins[0])
    wrong = wrong_engine(right, "wrong", "verified_release", "(~hold_i | (verdict & ~starts))", "~hold_i")
    with pytest.raises(CheckError, match="no other"):
        passes_garbage(wrong, bench(wrong, tmp_path / "model"), stand_ins[1])

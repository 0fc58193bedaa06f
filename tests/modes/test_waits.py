"""How long a block of text waits behind other messages: what engines state is what simulations see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aesmith
from aesmith.api import listing
from aesmith.assurance.streams.channels import PATIENCE, Offers, Transfer
from aesmith.assurance.streams.check import StreamPlan, _Session, longest_wait, offers_of, verify_engine
from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import CheckError
from aesmith.modes.cfb8_engine import Cfb8Engine
from aesmith.modes.clocks import BEFORE, BEHIND
from aesmith.modes.cmac_engine import CmacEngine, cmac_engine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import LOADED, StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import Cipher
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.ocb_engine import OcbEngine
from aesmith.modes.specification import engine_presets
from aesmith.modes.xts_engine import XtsEngine

pytestmark = pytest.mark.one_in(8)

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
SOME = ("gcm", "ccm", "cmac", "cbc", "ctr")
Core = Callable[..., CoreDesign]
ENGINES: dict[str, Callable[[Core], StreamEngine]] = {
    "ctr of three cores": lambda core: CtrEngine("engine", core(10, 11), cores=3),
    "ctr of bytes": lambda core: CtrEngine("engine", core(3, 11), stream_bits=8),
    "ctr of words": lambda core: CtrEngine("engine", core(10, 11), stream_bits=32),
    "ctr of four lanes": lambda core: CtrEngine("engine", core(10, 11), cores=8, stream_bits=512),
    "cfb8": lambda core: Cfb8Engine("engine", core(10, 11), cores=2, stream_bits=8),
    "cfb8, registered": lambda core: Cfb8Engine("engine", core(12, 5), chain="registered"),
    "cfb8 of a pipeline": lambda core: Cfb8Engine("engine", core(1, 31), stream_bits=16),
    "cmac": lambda core: CmacEngine("engine", core(10, 11)),
    "cmac, registered": lambda core: CmacEngine("engine", core(10, 11), chain="registered"),
    "cmac of a pipeline": lambda core: CmacEngine("engine", core(1, 31), stream_bits=8),
    "xts of three cores": lambda core: XtsEngine("engine", core(10, 11, BOTH), 3, tweak_core=core(20, 30)),
    "xts of words": lambda core: XtsEngine("engine", core(10, 11, BOTH), tweak_core=core(10, 11), stream_bits=32),
    "xts of a pipeline": lambda core: XtsEngine("engine", core(1, 31, BOTH), tweak_core=core(10, 11)),
    "gcm": lambda core: GcmEngine("engine", core(10, 11), digit=16, release="cut-through", stream_bits=32),
    "ocb": lambda core: OcbEngine("engine", core(10, 11, BOTH), cores=3, release="cut-through"),
    "several": lambda core: MultiModeEngine("engine", core(10, 11, BOTH), modes=SOME, stream_bits=32),
}
CORES_OF_WORDS = ("serial-shared-small-enc", "serial-small-enc", "column-beat32-enc")


def check_waits(design: StreamEngine, model: Any, cipher: type[Cipher]) -> int:
    """Compare the waits of all kinds of messages, of which some have none; how many have."""
    compared = 0
    for view in design.views:
        for headers, texts, encrypt in view.kinds():
            stated = view.worst_wait(headers, texts, encrypt=encrypt)
            if stated is not None:
                key = bytes(range(view.key_bits[0] // 8))
                message = view.plain(headers, texts, encrypt=encrypt, cipher=cipher(key))
                made = model.run(offers_of([(key, message)] * (BEFORE + LOADED + BEHIND)))
                seen = longest_wait(view, made, headers, texts, encrypt=encrypt)
                assert seen == stated, (view.mode, headers, texts, encrypt)
                compared += 1
    return compared


@pytest.mark.thorough(but=("ctr of three cores",))
@pytest.mark.parametrize("name", ENGINES)
def test_a_block_waits_as_long_as_is_stated(name: str, stand_ins: Any, bench: Any, tmp_path: Path) -> None:
    design = ENGINES[name](stand_ins[0])
    model = bench(design, tmp_path / "model")
    assert check_waits(design, model, Cipher if design.mode == "xts" else stand_ins[1]) > 1
    if design.mode == "ctr":
        slower = replace(design, core=replace(design.core, latency_cycles=design.core.latency_cycles + 1))
        with pytest.raises(AssertionError):
            check_waits(slower, model, stand_ins[1])


@pytest.mark.thorough
@pytest.mark.parametrize("core", CORES_OF_WORDS)
def test_tags_of_cores_of_words(core: str, bench: Any, tmp_path: Path) -> None:
    design = cmac_engine("cmac", {"preset": core})
    assert check_waits(design, bench(design, tmp_path / "model"), Cipher) == 8


@pytest.mark.thorough
@pytest.mark.parametrize("preset", engine_presets())
def test_presets(preset: str, bench: Any, tmp_path: Path) -> None:
    design = aesmith.engine(preset).design
    assert check_waits(design, bench(design, tmp_path / "model"), Cipher) > 0


@pytest.mark.thorough
@pytest.mark.usefixtures("bench")
def test_verify_says_that_a_block_waits_longer_than_is_stated(tmp_path: Path) -> None:
    design = aesmith.engine("ctr-pipeline").design
    wrong = replace(design, core=replace(design.core, latency_cycles=12), shipped=design.sources)
    small = StreamPlan(messages=20, vectors=4, resets=1)
    (clocks,) = (each for each in verify_engine(wrong, tmp_path, small).scenarios if each.name == "clocks")
    assert "a block waits 14 clocks at most as stated, 13 as seen" in clocks.failure


def test_verify_waits_for_a_message_no_longer_than_it_can_take() -> None:
    """A run for clocks ends by its own patience, which the bench is given."""
    waits: list[int] = []

    class Bench:
        def run(self, _offers: Offers, *, patience: int) -> dict[str, list[Transfer]]:
            waits.append(patience)
            raise CheckError("stopped")

    design = aesmith.engine("cmac-small").design
    report = _Session(design, Bench(), StreamPlan(), lambda *_: None).clocks()  # type: ignore[arg-type]
    assert report.failure == "stopped"
    assert design.message_cycles(0, 1, encrypt=True) < waits[0] < PATIENCE


def test_what_is_listed_is_no_less_than_what_an_idle_engine_takes() -> None:
    listed = {engine["name"]: engine for engine in listing.engines()}
    for name, engine in listed.items():
        worst = engine["worst_latency_cycles"]
        assert worst is not None, name
        assert worst >= max(engine["latency_cycles"], engine["first_answer_cycles"]), name
    stated = {name: engine["worst_latency_cycles"] for name, engine in listed.items()}
    assert (stated["gcm-compact"], stated["ccm-radio"], stated["xts-disk"], stated["cmac-small"]) == (30, 205, 827, 740)


def test_text_that_waits_for_its_verdict_has_no_longest_wait() -> None:
    waits = aesmith.engine("gcm-compact").design.worst_waits
    assert waits == {Direction.ENCRYPT: 30, Direction.DECRYPT: None}
    assert aesmith.engine("gcm-small").design.worst_waits == {Direction.ENCRYPT: 30, Direction.DECRYPT: 19}

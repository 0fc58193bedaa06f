"""min_tag: tags that are shorter are refused, by model and RTL, and engines without it are as they were."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, wrong_engine

from aesmith.assurance.acvp.registration import registration
from aesmith.assurance.engines.claims import structure_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.engine import SHORT_TAGS, StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.ocb_engine import OcbEngine
from aesmith.modes.specification import engine_presets, parse_engine
from aesmith.modes.traffic import in_slots

ENGINES = {
    "two": lambda **how: MultiModeEngine("least", stand_in(3, 4), modes=("cmac", "ctr"), **how),
    "several": lambda **how: MultiModeEngine("least", stand_in(3, 4), modes=("gcm", "ccm", "cmac", "ctr"), **how),
    "ring": lambda **how: GcmEngine("least", stand_in(4, 5), 2, digit=32, splits="bb", **how),
    "cmac, in words and slots": lambda **how: CmacEngine("least", stand_in(3, 4), stream_bits=32, key_slots=4, **how),
}
"""Engines whose messages have tags, with cores that stand in for AES."""


def faults(engine: StreamEngine) -> dict[int, Fault | None]:
    """Why messages to encrypt with tags of all sizes of CMAC are refused."""
    sent = {size: engine.in_words(engine.sends(Message(text=bytes(16), tag=bytes(size)))) for size in range(4, 17)}
    return {size: engine.answer(Cipher(bytes(16)), each)[1] for size, each in sent.items()}


def test_shorter_tags_are_refused_by_the_model() -> None:
    for least in (4, 12, 16):
        engine = CmacEngine("least", stand_in(3, 4), min_tag=least)
        assert faults(engine) == {size: Fault.TAG if size < least else None for size in range(4, 17)}


def test_engines_that_do_not_ask_are_as_they_were() -> None:
    for name, made in ENGINES.items():
        plain, least = made(), made(min_tag=12)
        assert made(min_tag=4).sources == plain.sources, name
        changed = [a.name for a, b in zip(plain.sources, least.sources, strict=True) if a != b]
        assert len(changed) == 1, name
    for name, preset in engine_presets().items():
        assert "min_tag" not in preset.model_dump(), name


def test_short_tags_are_warned_of_where_they_are_taken() -> None:
    for made in ENGINES.values():
        assert made().all_remarks[-1] == SHORT_TAGS
        assert made(min_tag=12).all_remarks[-1].startswith("Tags have at least 12 bytes")
    assert "SP 800-38D" in SHORT_TAGS
    assert SHORT_TAGS not in MultiModeEngine("least", stand_in(3, 4), modes=("ctr",)).all_remarks


def test_what_is_no_least_tag_is_refused() -> None:
    for size in (3, 17):
        with pytest.raises(RequestError, match=f"min_tag: must be 4 to 16 bytes, not {size}"):
            ENGINES["several"](min_tag=size)
    with pytest.raises(RequestError, match="min_tag: engines of ocb3 leave no choice; leave 12 out"):
        OcbEngine("least", stand_in(3, 4), 1, min_tag=12)
    with pytest.raises(RequestError, match="min_tag: engines of ctr leave no choice"):
        MultiModeEngine("least", stand_in(3, 4), modes=("ctr",), min_tag=12)
    with pytest.raises(RequestError, match="min_tag"):
        parse_engine({"preset": "gcm-small", "min_tag": 2})
    with pytest.raises(RequestError, match="has min_tag = 12, of which nothing is proved"):
        structure_of(parse_engine({"preset": "gcm-small", "min_tag": 12}).engine("least", "gcm-small"))


def test_a_registration_has_the_tags_that_are_taken() -> None:
    made = parse_engine({"preset": "gcm-small", "min_tag": 12}).engine("least", "gcm-small")
    assert [one["tagLen"] for one in json.loads(registration(made))[1]["algorithms"]] == [[128, 120, 112, 104, 96]] * 2


@pytest.mark.thorough(but=("two",))
@pytest.mark.parametrize("name", ENGINES)
def test_the_rtl_refuses_shorter_tags(name: str, bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    """And one whose top lets them pass, or refuses one size too few or too many, is found."""
    right = ENGINES[name](min_tag=12)
    lint(right, tmp_path / "lint")
    rule = "s_axis_cmd_tdata[7:4] < 4'd12 ? 4'd1"
    module = "wide" if right.stream_words > 1 else ""
    wrong = [
        wrong_engine(right, f"wrong_{n}", module, rule, other)
        for n, other in enumerate(
            (
                "s_axis_cmd_tdata[7:4] < 4'd4 ? 4'd1",
                "s_axis_cmd_tdata[7:4] < 4'd8 ? 4'd1",
                "s_axis_cmd_tdata[7:4] < 4'd13 ? 4'd1",
                "s_axis_cmd_tdata[7:4] < 4'd12 ? 4'd0",
            )
        )
    ]
    model = bench(ManyEngines((right, *wrong)), tmp_path / "model")
    rng = random.Random(name)
    sent = in_slots(rng, right.stream_traffic.messages(rng, 120, stand_ins[1]), right.key_slots)
    refused = [right.answer(stand_ins[1](key), right.told(each))[1] for key, each in sent if key is not None]
    assert refused.count(Fault.TAG) > 8
    found = []
    for number in range(len(wrong) + 1):
        try:
            check(right, model, sent, stand_ins[1], Chosen(number), pauses=dict.fromkeys(ALWAYS, 60), seed=1)
            found.append(True)
        except CheckError:
            found.append(False)
    assert found == [True] + [False] * len(wrong)

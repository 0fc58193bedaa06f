"""The proof of engines of CBC, CFB128 and OFB around any cores: right ones are proved, wrong ones refuted by a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_chained_engine import BOTH, WRONG

import aesmith
from aesmith.assurance.engines.claims import structure_of
from aesmith.assurance.engines.prove import prove_claims
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.errors import RequestError
from aesmith.modes.chained_engine import CbcEngine, Cfb128Engine, ChainedEngine, OfbEngine

pytestmark = pytest.mark.one_in(2)

CHAIN = """\
  assign waits = owed_q & ~(Direct & pays);
  always_comb begin
    chain = chain_q;
    if (Direct & pays) chain = sum;
    if (first & at == '0) chain = iv;
"""
MORE_WRONG = {
    "the IV is that of the message before": (
        "chained_engine",
        CHAIN,
        "  logic [127:0] before_q;\n  always_ff @(posedge clk_i) if (take & last) before_q <= iv;\n"
        + CHAIN.replace("chain = iv;", "chain = before_q;"),
    ),
    "the chain is the block before the last one": (
        "chained_engine",
        "Mode == Cfb | core_decrypt_o ? text : '0",
        "core_decrypt_o ? chain : Mode == Cfb ? text : '0",
    ),
    "the first block that is decrypted is added to no IV": (
        "chained_engine",
        "(core_decrypt_o ? chain : '0) : text",
        "(core_decrypt_o ? chain_q : '0) : text",
    ),
    "a result is not there in the clock in which it comes": (
        "chained_engine",
        "if (Direct & pays) chain = sum;",
        "if (Direct & pays & first) chain = sum;",
    ),
    "what was kept is not added to the result": (
        "chained_engine",
        "else if (pays) chain_q <= sum;",
        "else if (pays) chain_q <= turned(result);",
    ),
    "the first block goes the wrong way": (
        "chained_engine",
        "Decrypts & (~encrypt | ~Encrypts)",
        "Decrypts & (~encrypt | ~Encrypts) & ~first",
    ),
    "the last result is waited for": ("chained_engine", "owed_q <= ~at_once & ~(last & ends)", "owed_q <= ~at_once"),
    "an error shows the bytes of its beat": (
        "chained_engine",
        ".keep_i      (code == '0 ? keep : '0)",
        ".keep_i(keep)",
    ),
    "keep stays that of the beat before": (
        "text_ring",
        "keep_q[place]  <= keep_i;",
        "if (last_i) keep_q[place] <= keep_i;",
    ),
}
"""More engines with one fault each, beside those of the simulation."""
ALL_WRONG = WRONG | MORE_WRONG


def small_ones() -> tuple[ChainedEngine, ...]:
    """The engines of which wrong ones are made, with cores that answer soon, so that runs are short."""
    both = stand_in(2, 3, BOTH)
    return CbcEngine("right_cbc", both, 2), Cfb128Engine("right_cfb128", stand_in(2, 3), 2)


def more_right() -> tuple[ChainedEngine, ...]:
    """Engines of other fields: a registered chain, cores of one direction, a queue of one beat."""
    return (
        CbcEngine("right", stand_in(2, 3, BOTH), 1),
        CbcEngine("right", stand_in(2, 3, BOTH), 2, "registered"),
        CbcEngine("right", stand_in(1, 4, BOTH[1:]), 1),
        CbcEngine("right", stand_in(2, 3, BOTH[:1]), 1),
        Cfb128Engine("right", stand_in(1, 4), 1, "registered"),
        OfbEngine("right", stand_in(2, 3), 2),
    )


@pytest.mark.thorough
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(tmp_path: Path) -> None:
    parts, found = prove_claims(more_right()[0], tmp_path, Limits(seconds=300))
    assert found is None
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(("claims", "reached", "timing"), Verdict.PROVED)
    assert "C_i = E(key, P_i + C_i-1)" in parts[0].statement


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "what"), [(0, "the IV is that of the message before"), (1, "the result alone is CFB's chain")]
)
def test_a_wrong_engine_is_refuted_by_a_run(place: int, what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_ones()[place], "wrong", *ALL_WRONG[what]), tmp_path, Limits(300))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED
    assert "is false in clock" in parts[0].detail


@pytest.mark.parametrize(
    ("preset", "fields", "what"),
    [
        ("cfb8-compact", {}, "the mode cfb8"),
        ("ocb-compact", {}, "the mode ocb3"),
        ("gcm-100g", {"ghash_stages": 2}, "a GHASH in stages"),
        ("gcm-10g", {"ring": "memory"}, "a ring in memory"),
    ],
)
def test_an_engine_of_which_nothing_is_claimed_is_refused_by_name(
    preset: str, fields: dict[str, Any], what: str
) -> None:
    with pytest.raises(RequestError, match=f"and {preset} is an engine; .* nothing is proved of {what}"):
        structure_of(aesmith.engine(preset, **fields).design)

"""Random traffic through engines with their claims: a right one keeps them all, and what they speak of comes about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.modes import test_cmac_proof, test_gcm_proof, test_multi_mode_proof, test_xts_proof
from tests.modes.conftest import stand_in

from aesmith.assurance.engines.claims import ClaimsDesign
from aesmith.assurance.engines.induction import CLAIM, DUTY, LEMMA, REACHED
from aesmith.assurance.engines.traffic_runs import TrafficRuns
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine

pytestmark = pytest.mark.one_in(6)

ENGINES = (
    CtrEngine("right_ctr", stand_in(2, 3), 2, 8),
    *test_cmac_proof.small_ones()[::2],
    test_gcm_proof.small_ones()[1],
    *test_xts_proof.small_ones(),
    *test_multi_mode_proof.small_ones(),
)


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.mode}-{engine.name}")
def test_a_right_engine_keeps_all_that_is_claimed_and_does_all_of_it(engine: StreamEngine, tmp_path: Path) -> None:
    netlist = elaborate(ClaimsDesign(engine), tmp_path, 900, chosen_parts=True)
    runs = TrafficRuns(netlist, engine)
    asked = [name for name in netlist.outputs if name.startswith((CLAIM, DUTY, LEMMA))]
    assert runs.refuting(asked, 300) is None
    assert runs.kept == (1 << 512) - 1
    assert runs.seen >= {name for name in netlist.outputs if name.startswith(REACHED)}

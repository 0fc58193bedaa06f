"""Power of a whole core: the sums agree, wrong computations are refused, stimuli differ as they should."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.specification import build_design, load_specification
from aesmith.errors import CheckError, RequestError
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.library import Library
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.power.figures import DirectionPower, PowerPlan, PowerStimulus
from aesmith.timing.power.report import PowerMeter, PowerResult
from aesmith.timing.static import analyse

pytestmark = pytest.mark.slow

Measure = Callable[[PowerPlan], PowerResult]


@pytest.fixture(scope="module")
def design() -> CoreDesign:
    return build_design(load_specification("ueno2020-enc"), "core", "ueno2020-enc")


@pytest.fixture(scope="module")
def netlist(design: CoreDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> str:
    return synthesise(design, library, KEEP, None, tmp_path_factory.mktemp("core")).netlist.read_text()


@pytest.fixture(scope="module")
def meter(design: CoreDesign, library: Library, netlist: str) -> PowerMeter:
    return PowerMeter(design, analyse(parse_netlist(netlist, library), library))


@pytest.fixture(scope="module")
def busy(meter: PowerMeter) -> PowerResult:
    return meter.measure(Direction.ENCRYPT, PowerPlan())


@pytest.mark.thorough
def test_the_parts_are_the_whole(busy: PowerResult) -> None:
    power = busy.power
    parts = power.switching_uw + power.internal_uw + power.port_uw + power.leakage_uw
    assert parts == pytest.approx(power.power_uw_at_100mhz)
    assert power.power_uw == pytest.approx(power.power_uw_at_100mhz)
    for shares in (power.by_depth, power.by_cell, busy.shares(lambda index: str(index % 7))):
        assert sum(share.total_uw for share in shares) + power.port_uw == pytest.approx(parts)
        assert sum(share.cells for share in shares) == len(busy.leakage)
    dynamic = parts - power.leakage_uw
    glitch = sum(share.glitch_uw for share in power.by_depth)
    assert power.glitch_fraction == pytest.approx(glitch / dynamic)


def test_energy_and_product_follow_from_power(busy: PowerResult) -> None:
    power = busy.power
    assert power.energy_pj_per_block == pytest.approx(power.power_uw_at_100mhz * 0.1)
    period = power.power_latency_product / power.power_uw_at_100mhz / 11 if power.power_latency_product else 0
    assert 0.5 < period < 5
    assert power.nets == power.annotated_nets > 5000


def test_the_interval_holds_what_other_stimuli_give(meter: PowerMeter, busy: PowerResult) -> None:
    assert busy.power.blocks == 64
    assert busy.power.clocks == 640
    assert busy.power.interval is not None
    assert 0 < busy.power.interval < 0.01
    other = meter.measure(Direction.ENCRYPT, PowerPlan(seed=7)).power
    ratio = other.power_uw_at_100mhz / busy.power.power_uw_at_100mhz
    assert ratio != 1
    assert abs(ratio - 1) < 3 * busy.power.interval


def test_more_stimuli_follow_until_the_interval_is_narrow_enough(meter: PowerMeter, busy: PowerResult) -> None:
    assert busy.power.interval is not None
    narrower = 0.8 * busy.power.interval
    longer = meter.measure(Direction.ENCRYPT, PowerPlan(precision=narrower)).power
    assert longer.blocks > busy.power.blocks
    assert longer.interval is not None
    assert longer.interval <= narrower
    stopped = meter.measure(Direction.ENCRYPT, PowerPlan(precision=narrower, most_batches=1)).power
    assert (stopped.blocks, stopped.interval) == (64, busy.power.interval)


def test_glitches_are_seen_with_delays_only(meter: PowerMeter, busy: PowerResult) -> None:
    still = meter.measure(Direction.ENCRYPT, PowerPlan(zero_delay=True)).power
    assert still.zero_delay
    assert still.glitch_fraction is None
    assert "zero delay" in still.label
    assert (busy.power.glitch_fraction or 0) > 0.3
    functional = sum(share.functional_uw for share in busy.power.by_depth)
    assert sum(share.functional_uw for share in still.by_depth) == pytest.approx(functional, rel=0.1)
    assert busy.power.switching_uw > 1.5 * still.switching_uw


def test_a_core_that_does_nothing_takes_little(meter: PowerMeter, busy: PowerResult) -> None:
    idle = meter.measure(Direction.ENCRYPT, PowerPlan(stimulus=PowerStimulus.IDLE)).power
    assert idle.leakage_uw < idle.power_uw_at_100mhz < 0.5 * busy.power.power_uw_at_100mhz
    assert idle.switching_uw == 0
    assert idle.energy_pj_per_block is None


def test_a_list_is_simulated_in_its_order(meter: PowerMeter, busy: PowerResult) -> None:
    """Blocks that repeat change less than blocks that do not; keys may change from block to block."""
    key, blocks = bytes(16), [bytes([number] * 16) for number in range(70)]
    changing = _listed(meter, [(key, block) for block in blocks])
    repeated = _listed(meter, [(key, blocks[0])] * 70)
    rekeyed = _listed(meter, [(block, block) for block in blocks])
    assert changing.blocks == repeated.blocks == rekeyed.blocks == 70
    assert changing.interval is None
    assert changing.power_uw_at_100mhz == pytest.approx(busy.power.power_uw_at_100mhz, rel=0.1)
    assert repeated.power_uw_at_100mhz != changing.power_uw_at_100mhz
    assert rekeyed.port_uw > changing.port_uw
    alone = _listed(meter, [(key, blocks[1])])
    assert alone.blocks == 1
    assert alone.clocks == 10


def _listed(meter: PowerMeter, listed: list[tuple[bytes, bytes]]) -> DirectionPower:
    plan = PowerPlan(stimulus=PowerStimulus.LISTED, listed=tuple(listed))
    return meter.measure(Direction.ENCRYPT, plan).power


def test_a_clock_that_is_too_fast_is_refused(meter: PowerMeter) -> None:
    with pytest.raises(RequestError, match=r"clock: 2500 MHz is a period of 0\.4 ns, but the netlist needs .* or less"):
        meter.measure(Direction.ENCRYPT, PowerPlan(clock_mhz=2500))


def test_a_netlist_that_is_not_aes_is_refused(design: CoreDesign, library: Library, netlist: str) -> None:
    place = netlist.index("XNOR2_X1 ", len(netlist) // 2)
    wrong = netlist[:place] + "XOR2_X1 " + netlist[place + len("XNOR2_X1 ") :]
    with pytest.raises(CheckError, match=r"blocks wrong, so its power means nothing; encrypt of [0-9a-f]{32} under"):
        PowerMeter(design, analyse(parse_netlist(wrong, library), library)).measure(Direction.ENCRYPT, PowerPlan())


def test_figures_survive_json(busy: PowerResult) -> None:
    assert DirectionPower.from_json(busy.power.to_json()) == busy.power

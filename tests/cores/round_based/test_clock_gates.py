"""Round-based cores whose three wide registers are held by clock gates: proved, broken on purpose, and smaller."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library
from aesmith.testing.mutants import with_fault

pytestmark = pytest.mark.one_in(4)

ENC, BOTH = "ueno2020-gated-enc", "ueno2020-gated-encdec"


def core(preset: str, **fields: object) -> CoreDesign:
    return build_design(parse_specification({"preset": preset, **fields}), "core", preset)


def test_without_clock_gates_it_is_the_core_that_has_no_such_field() -> None:
    """No latch in any file, and nothing said of gates where the core is instantiated."""
    for preset in (ENC, BOTH):
        plain = core(preset, clock_gates=False)
        assert plain.sources == core(preset.replace("-gated", "")).sources
        assert not any("always_latch" in source.text for source in plain.sources)
        assert "ClockGates" not in plain.sources[-1].text
        latched = [source.name for source in core(preset).sources if "always_latch" in source.text]
        assert latched == ["core_clock_gate.sv"]


def test_shells_without_clock_gates_refuse_them_by_name() -> None:
    with pytest.raises(RequestError, match="clock_gates: must be false, not true, with several rounds per clock"):
        core(ENC, rounds_per_clock=2)
    with pytest.raises(RequestError, match="clock_gates: there is no such field"):
        core("ueno2020-enc-p2", clock_gates=True)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "fields"),
    [
        (ENC, {}),
        (BOTH, {}),
        (BOTH, {"output": "registered"}),
        (ENC, {"clear": True}),
        (BOTH, {"clear": True}),
        ("lutz2002-encdec", {"clock_gates": True}),
        ("sasebo-tower-enc", {"clock_gates": True}),
        ("liu2009-encdec", {"clock_gates": True, "circuits": "as-published"}),
    ],
)
def test_it_is_proved(preset: str, fields: dict[str, object], tmp_path: Path) -> None:
    assert prove(core(preset, **fields), tmp_path).verdict is Verdict.PROVED


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("preset", "right", "broken"),
    [
        # The last round key never gets into the initial key register.
        (BOTH, ".enable_i(load_i | turn_i)", ".enable_i(load_i)"),
        # No key does.
        (ENC, ".enable_i(load_i | turn_i)", ".enable_i(turn_i)"),
        # The round key goes on while its result waits.
        (ENC, ".enable_i(advance_i)", ".enable_i(1'b1)"),
        # The state moves when it should stay, and stays when it should move.
        (ENC, ".enable_i(~data_hold)", ".enable_i(data_hold)"),
        # It moves in each clock.
        (BOTH, ".enable_i(~data_hold)", ".enable_i(1'b1)"),
        # What is taken is the key at the port, a turn or not.
        (BOTH, "({Bits{~turn_i}} & key_i) | ({Bits{turn_i}} & round_key_q)", "key_i"),
        # SubWord begins with a word of the key before.
        (ENC, "first_o = initial_key_d", "first_o = initial_key_q"),
        # The initial key is clocked with the round key.
        (ENC, "always_ff @(posedge initial_clk)", "always_ff @(posedge round_clk)"),
    ],
)
def test_a_broken_gate_is_refuted(preset: str, right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core(preset), right, broken), tmp_path).verdict is Verdict.REFUTED


@pytest.mark.thorough
@pytest.mark.slow
def test_three_gates_of_the_library_stand_for_the_selectors(
    pdk_library: Callable[[str], Library], tmp_path: Path
) -> None:
    library = pdk_library("nangate45_typ")
    gated, plain = (
        synthesise(core(ENC, clock_gates=gates), library, KEEP, None, tmp_path / str(gates)) for gates in (True, False)
    )
    gates = {name: n for name, n in gated.cells.items() if library.cell(name).kind is CellKind.CLOCK_GATE}
    assert gates == {"CLKGATE_X1": 3}
    assert gated.flip_flops == plain.flip_flops
    assert gated.area_ge < plain.area_ge - 650

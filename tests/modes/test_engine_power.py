"""Power of engines: messages of one shape in 64 lanes, every beat of output compared, whole messages counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import aesmith
from aesmith.api.measuring import Measuring
from aesmith.cli import run
from aesmith.cores.design import Direction
from aesmith.errors import CheckError
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP, one_recipe
from aesmith.flow.synthesis import synthesise
from aesmith.modes.engine import StreamEngine
from aesmith.modes.key_wrap_stream import WRAPS
from aesmith.modes.message import Cipher
from aesmith.modes.shapes import MessageShape, message_for, shape_of
from aesmith.modes.specification import build_engine, engine_presets, parse_engine
from aesmith.modes.stream import StreamedMessage
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.netlist import read_netlist
from aesmith.timing.power.activity import clocking_of
from aesmith.timing.power.driver import MessageDriver
from aesmith.timing.power.figures import DirectionPower, PowerPlan, PowerStimulus
from aesmith.timing.power.program import compile_netlist
from aesmith.timing.power.report import PowerMeter
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import TimingReport, analyse

QUICK = PowerPlan(precision=0.5, most_batches=1, zero_delay=True, text_blocks=1)


def _engine(preset: str) -> StreamEngine:
    return build_engine(engine_presets()[preset], preset.replace("-", "_"), preset)


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


Netlists = Callable[[str], tuple[StreamEngine, Path, TimingReport]]


@pytest.fixture(scope="module")
def mapped(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Netlists:
    """An engine of a preset, or of the mode CCM, around one small core, its netlist, and the timing of it."""

    @cache
    def made(preset: str) -> tuple[StreamEngine, Path, TimingReport]:
        of_ccm = {"mode": "ccm", "core": "column-gated-enc", "release": "cut-through"}
        what = of_ccm if preset == "ccm" else {"preset": preset, "core": "serial-shared-enc"}
        engine = parse_engine(what).engine("engine", preset)
        folder = tmp_path_factory.mktemp(preset)
        synthesise(engine, library, KEEP, None, folder)
        netlist = folder / "netlist.json"
        return engine, netlist, analyse(read_netlist(netlist, engine.top), library)

    return made


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize("preset", ["cmac-small", "ccm"])
def test_messages_take_the_clocks_of_the_formula_and_their_answers_are_the_models(
    preset: str, mapped: Netlists
) -> None:
    engine, _, timing = mapped(preset)
    meter = PowerMeter(engine, timing)
    assert meter.directions == tuple(Direction)
    for direction in meter.directions:
        power = meter.measure(direction, QUICK).power
        shape = shape_of(engine, 1)
        clocks = engine.message_cycles(shape.header_blocks, 1, encrypt=direction is Direction.ENCRYPT)
        assert power.clocks / power.blocks == clocks
        assert power.energy_pj_per_block == pytest.approx(power.power_uw_at_100mhz * clocks * 0.01)
        assert power.power_latency_product is None, "the publications have it of a block"
        assert f"{direction}, random messages of " in power.label
        assert "1 block of text back to back under a random key" in power.label
        assert DirectionPower.from_json(power.to_json()) == power


@pytest.mark.thorough
def test_an_idle_engine_takes_less_and_a_key_before_each_message_is_taken(mapped: Netlists) -> None:
    engine, _, timing = mapped("cmac-small")
    meter = PowerMeter(engine, timing)
    at_work, idle, rekeyed = (
        meter.measure(Direction.ENCRYPT, PowerPlan(stimulus=stimulus, zero_delay=True, most_batches=1, text_blocks=1))
        for stimulus in (PowerStimulus.RANDOM, PowerStimulus.IDLE, PowerStimulus.REKEYED)
    )
    assert idle.power.power_uw < at_work.power.power_uw
    assert idle.power.energy_pj_per_block is None
    assert rekeyed.power.clocks / rekeyed.power.blocks > at_work.power.clocks / at_work.power.blocks


@pytest.mark.thorough
def test_a_netlist_that_answers_wrongly_has_no_power(mapped: Netlists, library: Library) -> None:
    engine, netlist, _ = mapped("cmac-small")
    text = netlist.read_text()
    gates = [match.start() for match in re.finditer(r'"type": "XOR2_X1"', text)]
    where = gates[len(gates) // 2]
    netlist.with_name("wrong.json").write_text(text[:where] + text[where:].replace("XOR2_X1", "XNOR2_X1"))
    wrong = analyse(read_netlist(netlist.with_name("wrong.json"), engine.top), library)
    with pytest.raises(CheckError, match=f"power of {engine.name}: "):
        PowerMeter(engine, wrong).measure(Direction.ENCRYPT, QUICK)


@pytest.mark.thorough
def test_beats_that_differ_in_their_lines_alone_are_seen(mapped: Netlists, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, _, timing = mapped("cmac-small")
    program = compile_netlist(timing.graph, timing.state)
    driver = MessageDriver(Simulator(program, zero_delay=True), engine, clocking_of(program, QUICK))
    keys = [Random(lane).randbytes(engine.key_bits[0] // 8) for lane in range(64)]
    random, shape = Random(1), MessageShape(0, 1)
    sent = [message_for(engine, Cipher(key), shape, random, encrypt=False) for key in keys]
    right = type(engine).answer

    def failed(self: StreamEngine, cipher: Any, message: Any) -> Any:
        beats, fault = right(self, cipher, message)
        return [*beats[:-1], replace(beats[-1], failed=not beats[-1].failed)], fault

    monkeypatch.setattr(type(engine), "answer", failed)
    driver.send_key(keys)
    driver.send(keys, sent)
    with pytest.raises(CheckError, match="of output is wrong in 64 of 64 lanes"):
        driver.run_until(lambda: not driver.due)


@pytest.mark.parametrize("preset", list(engine_presets()))
@pytest.mark.parametrize("encrypt", [True, False])
def test_messages_of_every_mode_are_good_ones_of_one_shape(preset: str, encrypt: bool) -> None:
    engine, random = _engine(preset), Random(1)
    shape = shape_of(engine)
    shapes, datas = set(), set()
    for lane in range(3):
        key = Random(lane).randbytes(engine.key_bits[0] // 8)
        sent = message_for(engine, Cipher(key), shape, random, encrypt=encrypt)
        beats, fault = engine.answer(Cipher(key), sent)
        assert fault is None
        assert not any(beat.failed or beat.error for beat in beats)
        # What is wrapped has a semiblock more.
        more = engine.mode in WRAPS and not encrypt
        # Of a request for random bits text leaves, and none comes.
        text_blocks = sent.text_blocks or StreamedMessage(sent.command, tuple(beats)).text_blocks
        assert text_blocks == shape.text_blocks * engine.stream_words + more
        shapes.add(tuple((beat.keep, beat.section, beat.last) for beat in (*sent.beats, *beats)))
        datas.add(sent.beats[-1].data)
    assert len(shapes) == 1
    assert len(datas) == 3
    assert len(sent.beats[-1].data) == engine.stream_bits // 8


def test_what_an_engine_does_not_take_is_refused_before_work_starts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    listed = tmp_path / "blocks"
    listed.write_text("00" * 16 + " " + "11" * 16 + "\n")
    for options, told in (
        (
            ("ocb-compact", "--text-blocks", "999"),
            "not 999: ocb-compact holds a message until",
        ),
        (("gcm-compact", "--text-blocks", "4"), "with release = cut-through it has none"),
        (("cbc-compact", "--text-blocks", "0"), "text_blocks: must be 1 to 4096, not 0"),
        (("cbc-compact", "--blocks", str(listed)), "blocks: a list is of cores only, and cbc-compact is an engine"),
        (("ueno2020-enc", "--text-blocks", "4"), "text_blocks: of engines only"),
    ):
        assert run(["measure", *options, "--power"]) == 2
        assert told in capsys.readouterr().err
    assert run(["measure", "cbc-compact", "--text-blocks", "4"]) == 2
    assert "the options for power need --power" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.one_in(2)
def test_power_of_an_engine_is_measured_and_kept_like_a_cores(library: Library, tmp_path: Path) -> None:
    small = aesmith.engine("cmac-small", core="serial-shared-enc").design
    work = Measuring(small, library, Optimise.AREA, tmp_path, synthesis=one_recipe("keep"))
    found = work.power(work.area_and_speed().measurement, QUICK).measurement
    assert [power.direction for power in found.power] == list(Direction)
    names = {share.name for share in found.power[0].by_module}
    assert "registers" in names
    assert any("cmac" in name for name in names), names

"""What is answered from the points that come with aesmith: as a plain look at all of them has it, at once, and never
against a figure that is there."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import random
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aesmith.api.recommending import answer_known
from aesmith.cli import run
from aesmith.cores.design import Direction
from aesmith.cores.specification import described_design, presets, specified
from aesmith.errors import RequestError
from aesmith.explore.outline import build_specified
from aesmith.explore.points import (
    EARLIER,
    PRESETS,
    is_engine,
    known_points,
    points_by,
    quiet_core,
    shipped_points,
    whole_specification,
)
from aesmith.explore.recommend import needed
from aesmith.explore.recommend.choice import TIE
from aesmith.explore.recommend.requirement import MODES, Packets, mode_by_name, requirement
from aesmith.explore.recommend.words import failures, reasons
from aesmith.explore.store import open_store
from aesmith.modes.catalogue import MODES as ENGINE_MODES
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import engine_presets, presets_of
from aesmith.technology.registry import embedded_path, library_by

Asked = Mapping[str, Any]
Row = dict[str, str]

LIBRARIES = ("generic45", "nangate45-typ", "nangate45-slow")
BARE = 0.03
"""What a bare output may save, where the point of the same core with the output that is built was chosen instead."""

PLAIN: tuple[Asked, ...] = (
    {"max_area": "3000GE"},
    {"min_throughput": "1Gbps"},
    {"min_throughput": "10Gbps"},
    {"directions": "encdec", "min_throughput": "1Gbps"},
    {"key": 256, "min_throughput": "1Gbps"},
    {"directions": "encdec", "key": 256},
    {"maximise": "throughput"},
    {"maximise": "efficiency", "max_area": "20kGE"},
    {"minimise": "latency", "directions": "encdec"},
    {"mode": "cbc", "core": True, "directions": "encdec", "min_throughput": "1Gbps"},
    {"mode": "gcm", "core": True, "min_throughput": "5Gbps"},
    {"mode": "ctr", "core": True, "key": 256, "maximise": "throughput"},
    {"block_width": 8, "maximise": "throughput"},
    {"min_fmax": "700MHz", "mode": "ctr", "core": True},
    {"clock": "500MHz", "min_throughput": "3Gbps"},
    {"mode": "ccm", "min_throughput": "2Gbps"},
    {"mode": "kwp", "directions": "encdec"},
)
PACKETS: tuple[Asked, ...] = (
    {"mode": "gcm", "min_throughput": "1Gbps", "packets": Packets((64, 200))},
    {"mode": "gcm", "min_throughput": "2Gbps", "packets": Packets((64, 200), (0, 28), 44)},
    {"mode": "gcm", "maximise": "throughput", "packets": Packets((256, 256)), "directions": "encdec"},
    {"mode": "gcm", "clock": "400MHz", "min_throughput": "1Gbps", "packets": Packets((64, 128), release="verified")},
    {"mode": "ctr", "min_throughput": "10Gbps", "packets": Packets((64, 200))},
    {"mode": "cbc", "min_throughput": "1Gbps", "packets": Packets((64, 100)), "directions": "encdec"},
    {"mode": "cmac", "packets": Packets((16, 64))},
    {"mode": "ccm", "min_throughput": "1Gbps", "packets": Packets((64, 96)), "directions": "encdec"},
    {"mode": "xts", "min_throughput": "1Gbps", "packets": Packets((512, 512)), "directions": "encdec"},
    {"mode": "ofb", "min_throughput": "500Mbps", "packets": Packets((64, 64))},
)
IMPOSSIBLE: tuple[Asked, ...] = (
    {"min_throughput": "9Tbps"},
    {"max_area": "900GE"},
    {"mode": "gcm", "min_throughput": "50Tbps"},
    {"min_throughput": "100Gbps", "max_area": "4kGE"},
    {"max_latency": "1ns", "mode": "ctr", "core": True},
)
LIMITS = {
    "min_throughput": ("throughput", {"Gbps": 1.0, "Mbps": 1e-3, "Tbps": 1e3}),
    "max_area": ("area", {"kGE": 1e3, "GE": 1.0}),
    "min_fmax": ("fmax", {"MHz": 1.0}),
    "max_latency": ("latency", {"ns": 1.0}),
    "clock": ("fmax", {"MHz": 1.0}),
}


@cache
def shipped(library: str) -> tuple[Row, ...]:
    """All rows of a library in all exports, as text."""
    rows = (row for path in shipped_points().values() for row in csv.DictReader(path.read_text().splitlines()))
    return tuple(row for row in rows if row["library"] == library and row["status"] == "done")


@cache
def verified() -> frozenset[str]:
    """The specifications, their outputs aside, that some row has a mark of."""
    rows = (row for library in LIBRARIES for row in shipped(library))
    return frozenset(but_output(row["specification"]) for row in rows if row["verified"])


def but_output(specification: str) -> str:
    fields = json.loads(specification)
    if "mode" in fields:
        return specification
    preset = next((p for p in presets().values() if p.architecture == fields["architecture"]), None)
    whole = {} if preset is None else type(preset).model_validate(fields).model_dump(mode="json")
    return json.dumps({**whole, **fields, "output": ""}, sort_keys=True)


@cache
def engine_with(specification: str, mode: str) -> StreamEngine:
    """An engine as one of a mode that it has, with its longest keys."""
    engine = build_specified(specification, "engine", "")
    assert isinstance(engine, StreamEngine)
    *_, view = sorted((view for view in engine.views if view.mode == mode), key=lambda view: view.rated_key_bits)
    return view


@cache
def packet_rate(specification: str, mode: str, packets: Packets, ways: tuple[str, ...]) -> float | None:
    """Bits a clock of the worst packet, by every size; None if an engine cannot."""
    engine = engine_with(specification, mode)
    if packets.release and json.loads(specification).get("release") != packets.release:
        return None
    headers = math.ceil(packets.headers[1] / 16)
    most = math.ceil(packets.sizes[1] / 16)
    if Direction.DECRYPT in ways and engine.most_beats is not None and headers + most > engine.most_beats:
        return None
    clocks = {
        (blocks, way): engine.message_cycles(headers, blocks, encrypt=way == "encrypt")
        for blocks in range(1, most + 1)
        for way in ways
    }
    sizes = range(packets.sizes[0], packets.sizes[1] + 1)
    return min(8 * (n + packets.overhead) / clocks[math.ceil(n / 16), way] for n in sizes for way in ways)


def core_of(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of the core in those of an engine: a preset's, or a table of its own."""
    core = fields["core"]
    return presets()[core].model_dump(mode="json") if isinstance(core, str) else core


def figures(row: Row, asked: Asked) -> dict[str, float] | None:
    """The figures of a row for what is asked, None if it does not fit. Nothing of the code under test is used."""
    mode = MODES[asked.get("mode", "ecb")]
    engine = bool(mode.engine) and not asked.get("core")
    ways = {"enc": ("encrypt",), "dec": ("decrypt",), "encdec": ("encrypt", "decrypt")}[asked.get("directions", "enc")]
    fields = json.loads(row["specification"])
    if engine != ("mode" in fields) or but_output(row["specification"]) not in verified():
        return None
    core = fields
    if engine:
        core = core_of(fields)
    sizes = core.get("key_bits", 128)
    if asked.get("key", 128) not in (sizes if isinstance(sizes, list) else [sizes]):
        return None
    forward = not engine and mode.name not in ("ecb", "cbc", "xts", "ocb3")
    if not {"encrypt"} & set(ways) <= set(row["directions"].split("+")) or not (
        {"encrypt"} if forward else set(ways)
    ) <= set(row["directions"].split("+")):
        return None
    others = fields.get("modes", ()) if engine else ()
    if (engine and mode.engine not in (row["family"], *others)) or asked.get(
        "block_width", int(row["block_width"])
    ) != int(row["block_width"]):
        return None
    fmax, area = float(row["fmax_mhz"]), float(row["area_ge"])
    clock = bound("clock", asked["clock"]) if "clock" in asked else fmax
    clocks, latency = float(row["cycles_per_block"]), int(row["latency_cycles"])
    if engine and row["family"] != mode.engine:
        view = engine_with(row["specification"], mode.engine)
        clocks, latency = float(view.cycles_per_block), view.latency_cycles
    if "packets" in asked:
        rate = packet_rate(row["specification"], mode.engine, asked["packets"], ways)
        if rate is None:
            return None
        clocks = 128 / rate
    elif not engine and mode.name == "cbc" and "encrypt" in ways:
        clocks = max(clocks, latency)
    gbps = 0.128 * clock / clocks
    return {
        "area": area,
        "throughput": gbps,
        "fmax": fmax,
        "latency": latency * 1e3 / clock,
        "efficiency": gbps * 1e6 / area,
    }


def bound(name: str, text: str) -> float:
    unit = next(unit for unit in LIMITS[name][1] if text.endswith(unit))
    return float(text.removesuffix(unit)) * LIMITS[name][1][unit]


def within(found: Mapping[str, float], asked: Asked) -> bool:
    limits = [(name, found[LIMITS[name][0]], bound(name, text)) for name, text in asked.items() if name in LIMITS]
    return all(value <= most if name.startswith("max") else value >= most for name, value, most in limits)


@pytest.fixture(autouse=True)
def no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the points that come with aesmith are known."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("AESMITH_STORE", raising=False)


def every_case() -> Iterator[Any]:
    """Each requirement in each library; one of each kind in the embedded one is quick."""
    for library in LIBRARIES:
        for kind in (PLAIN, PACKETS, IMPOSSIBLE):
            for asked in kind:
                quick = library == LIBRARIES[0] and asked is kind[0]
                marks = () if quick else (pytest.mark.thorough, pytest.mark.one_in(4))
                yield pytest.param(asked, library, marks=marks, id=f"{library}-{'-'.join(map(str, asked.values()))}")


@pytest.mark.parametrize(("asked", "library"), list(every_case()))
def test_an_answer_is_that_of_all_the_points_there_are(asked: Asked, library: str) -> None:
    """Or as good, but for a tie with what is proved and for the gates of an output."""
    found = [each for row in shipped(library) if (each := figures(row, asked))]
    meeting = [each for each in found if within(each, asked)]
    if not shipped(library):
        with pytest.raises(RequestError, match="library: must be one of"):
            answer_known(requirement(**asked), library)
        return
    answer = answer_known(requirement(**asked), library)
    chosen = answer.found.chosen
    assert (chosen is not None) == bool(meeting)
    if chosen is None:
        said = "\n".join(failures(answer.found))
        assert "out of reach" not in said
        assert bool(found) == (answer.found.closest is not None)
        assert answer.unknown or found
        return
    which = asked.get("maximise", asked.get("minimise", "area"))
    best = (max if "maximise" in asked else min)(each[which] for each in meeting)
    value = chosen.figures[which]
    assert value is not None
    assert abs(value / best - 1) <= TIE + BARE
    assert within({name: value or 0.0 for name, value in chosen.figures.items()}, asked)
    assert chosen.row["verified"]
    assert reasons(answer.found)
    assert (chosen.row["core"] is not None) == bool(requirement(**asked).engine)


def test_there_are_thirty_requirements_and_more() -> None:
    assert (len(PLAIN) + len(PACKETS) + len(IMPOSSIBLE), len(PACKETS), len(IMPOSSIBLE)) == (32, 10, 5)


@pytest.mark.parametrize("mode", [mode for mode in (*ENGINE_MODES, "ctr-drbg") if presets_of(mode) and mode != "ecb"])
def test_each_mode_that_an_engine_has_can_be_required(mode: str) -> None:
    """Of each preset that has it, with the clocks of that mode, which other modes of the engine need not have."""
    asked = mode_by_name(mode)
    assert asked.engine == mode
    rows = [row for row in shipped(LIBRARIES[0]) if "mode" in json.loads(row["specification"])]
    having = [row for row in rows if mode in (row["family"], *json.loads(row["specification"]).get("modes", ()))]
    assert having
    for row in having:
        fields = json.loads(row["specification"])
        view = engine_with(row["specification"], mode)
        gbps = 0.128 * float(row["fmax_mhz"]) / view.cycles_per_block
        wanted = {"key": max(keys) if isinstance(keys := core_of(fields).get("key_bits", 128), list) else keys}
        wanted |= {"directions": {"encrypt": "enc"}.get("+".join(view.mode_directions), "encdec")}
        found = answer_known(requirement(mode=asked.name, **wanted, min_throughput=f"{0.9999 * gbps:.9f}Gbps")).found
        assert found.chosen is not None, row["design"]


@pytest.mark.thorough(but=("generic45",))
@pytest.mark.parametrize("library", LIBRARIES)
def test_no_answer_contradicts_a_figure_that_is_there(library: str) -> None:
    """What asks for the figures of a verified point gets it, or one that is as good."""
    rows = [row for row in shipped(library) if but_output(row["specification"]) in verified()]
    for row in random.Random(5).sample(rows, min(12, len(rows))):
        engine = "mode" in json.loads(row["specification"])
        fields = json.loads(row["specification"])
        mode = mode_by_name(row["family"]).name if engine else "ecb"
        sizes = (core_of(fields) if engine else fields).get("key_bits", 128)
        ways = {"encrypt": "enc", "decrypt": "dec"}.get(row["directions"], "encdec")
        key = max(sizes) if isinstance(sizes, list) else sizes
        slack = 1 + BARE if but_output(row["specification"]) != row["specification"] else 1
        asked = {
            "mode": mode,
            "directions": ways,
            "key": key,
            "max_area": f"{float(row['area_ge']) * slack:.3f}GE",
            "min_throughput": f"{float(row['throughput_gbps']) / slack**2 * 0.9999:.9f}Gbps",
        }
        assert answer_known(requirement(**asked), library).found.chosen is not None, row["design"]


COLD: tuple[tuple[str, ...], ...] = (
    ("--max-area", "3000GE"),
    ("--mode", "gcm", "--key", "256", "--min-throughput", "10Gbps", "--clock", "500MHz", "--directions", "encdec"),
    ("--mode", "gcm", "--min-throughput", "2Gbps", "--packets", "64..1500", "--header", "0..28"),
    ("--min-throughput", "9Tbps"),
)


@pytest.mark.parametrize(
    "options", [COLD[0], *(pytest.param(each, marks=pytest.mark.thorough) for each in COLD[1:])], ids=" ".join
)
def test_an_answer_takes_less_than_three_seconds_cold(options: tuple[str, ...]) -> None:
    """Of a processor, the start of the process included: others may be busy here."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [sys.executable, "-m", "aesmith", "recommend", *options, "--json"], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode in (0, 1, 4), ended.stderr
    assert json.loads(ended.stdout)["measured_now"] == 0
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3.0


def test_gcm_of_ten_gigabits_with_long_keys_is_answered_with_an_engine(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("--mode", "gcm", "--key", "256", "--min-throughput", "10Gbps", "--clock", "500MHz")
    assert run(["recommend", *wanted, "--directions", "encdec"]) == 0
    assert "aesmith build gcm-lean-10g-256" in capsys.readouterr().out


def test_verified_packets_of_all_sizes_at_ten_gigabits_are_answered_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """With a ring and a buffer of flip-flops 403,583 GE were needed; the size that is hardest is 65 bytes."""
    wanted = ("--mode", "gcm", "--key", "256", "--clock", "500MHz", "--packets", "64..1500", "--release", "verified")
    asked = ("recommend", *wanted, "--directions", "encdec", "--library", "nangate45-typ", "--json")
    assert run([*asked, "--min-throughput", "10Gbps"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["chosen"]["design"] == "gcm-packets-10g-256"
    assert answer["chosen"]["figures"]["area"] <= 80_000
    assert run([*asked, "--min-throughput", "10.01Gbps"]) != 0


def test_what_was_not_measured_is_called_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """One engine of GCM with keys of 192 bits comes with points, and the family that is fast enough has none."""
    wanted = ("--mode", "gcm", "--key", "192", "--min-throughput", "10Gbps", "--clock", "500MHz")
    assert run(["recommend", *wanted, "--directions", "encdec"]) == 4
    said = capsys.readouterr().err
    assert "not known: no engine that was measured meets the requirement" in said
    assert "closest to all limits together: multi-compact-selectable" in said
    assert re.search("presets that may fit: .*gcm-10g with keys of 192 bits", said)
    assert "--measure measures" in said
    assert "out of reach" not in said


def test_where_no_engine_has_the_keys_the_nearest_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("--mode", "cfb8", "--key", "256", "--min-throughput", "1Mbps", "--directions", "encdec")
    assert run(["recommend", *wanted]) == 4
    said = capsys.readouterr().err
    assert "without keys of 256 bits: what has that was not measured" in said
    assert "nearest: cfb8-compact" in said


def test_every_preset_has_a_verified_point_in_each_library_or_is_listed_with_what_it_lacks() -> None:
    """If not: benchmarks/preset_points.py says how."""
    listed = csv.DictReader((Path(__file__).parents[3] / "docs" / "tables" / "lacking.csv").read_text().splitlines())
    told = {(row["library"], row["preset"]): row["lacks"] for row in listed}
    names = {*presets(), *engine_presets()}
    assert {library for library, _ in told} <= set(LIBRARIES)
    assert {preset for _, preset in told} <= names
    assert set(told.values()) <= {"measurement", "verification"}
    specifications = {but_output(json.dumps(p.model_dump(mode="json"))): name for name, p in presets().items()}
    for library in LIBRARIES:
        points = known_points(library, None)
        found = {}
        for design, text, mark in zip(points["design"], points["specification"], points["verified"], strict=True):
            name = design if "mode" in json.loads(text) else specifications.get(but_output(text))
            found[name] = found.get(name, False) or isinstance(mark, str)
        for name in names:
            lacks = None if found.get(name) else "verification" if name in found else "measurement"
            assert told.get((library, name)) == lacks, f"{name} in {library}"


def test_points_of_presets_are_of_presets_that_there_are() -> None:
    """If not: benchmarks/preset_points.py leaves those of earlier ones out."""
    known = {quiet_core(name, preset.model_dump_json()) for name, preset in presets().items()}
    shipped = points_by(PRESETS)
    for design, text in zip(shipped["design"], shipped["specification"], strict=True):
        assert quiet_core(design, whole_specification(text)) in known, design


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.thorough), 9])
def test_points_that_come_with_aesmith_have_the_clocks_that_cores_state(step: int) -> None:
    """Of all of them, or of one in so many."""
    shipped = pd.concat([points_by(name) for name in shipped_points()], ignore_index=True)
    engines = shipped["specification"].map(is_engine).astype(bool)
    cores = shipped[~engines].drop_duplicates(["specification", "cycles_per_block"])
    for _, row in cores[::step].iterrows():
        design = described_design(specified(json.loads(row["specification"])), "core", row["design"])
        stated = design.cycles_per_block, design.latency_cycles
        assert (row["cycles_per_block"], row["latency_cycles"]) == stated, row["design"]


def test_modes_and_engines_have_the_same_names() -> None:
    """Those of all presets; of ECB a core is recommended, which is all that it needs."""
    served = {mode for each in engine_presets().values() for mode in getattr(each, "modes", None) or (each.mode,)}
    assert {mode.engine for mode in MODES.values() if mode.engine} == served - {"ecb"}


def test_points_of_an_earlier_text_of_the_embedded_library_are_of_it() -> None:
    """It is the same text but for cells that were added, and for the name in a comment."""
    text = embedded_path().read_text(encoding="utf-8")
    cells = re.split(r"(?m)^(?=  cell \()", text)
    assert cells[-1].startswith("  cell (CLKGATE"), "the end of the library stands behind its last cell"
    without = "".join(cell for cell in cells if not cell.startswith("  cell (CLKGATE")) + "}\n"
    texts = [without, without.replace("aesmith.technology.generic45:", "aesmith.technology.generic45_liberty:")]
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert set(EARLIER[digest]) <= {hashlib.sha256(each.encode()).hexdigest() for each in texts}


class Slow:
    """A measurement that takes as long as it may."""

    def __init__(self) -> None:
        self.ended: list[float] = []

    def __call__(self, *_: object, cancel: threading.Event, **__: object) -> None:
        assert cancel.wait(60)
        self.ended.append(time.monotonic())


def test_measuring_keeps_to_its_budget_and_says_before_what_it_will_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a tenth, whatever a measurement takes. A machine that is not at measuring in three seconds gets thirty."""
    every = known_points("nangate45-typ", None)
    few = every[every["core"].isna()].head(8)
    monkeypatch.setattr(needed, "known_points", lambda *_, elsewhere=False: few if elsewhere else few.head(0))
    library = library_by("generic45")
    for seconds in (3.0, 30.0):
        slow, told = Slow(), list[tuple[int, int, float]]()
        monkeypatch.setattr(needed, "measure_point", slow)
        with open_store(tmp_path / f"{seconds}.sqlite") as store:
            began = time.monotonic()
            found = needed.measure_in_time(
                requirement(),
                library,
                store,
                tmp_path,
                seconds=seconds,
                begin=lambda outlook, slow=slow, told=told: told.append(  # type: ignore[misc]
                    (len(slow.ended), outlook.points, outlook.seconds)
                ),
            )
        if slow.ended:
            break
    [ended] = slow.ended
    assert 0.9 * seconds <= ended - began <= 1.1 * seconds
    [(before, points, cost)] = told
    assert before == 0
    assert points > 0
    assert cost > 0
    assert found.unmeasured["promising, but the time was up"] > 0


def test_with_a_budget_of_nothing_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(needed, "measure_in_time", None)
    for budget in (("--measure", "--budget", "0"), ("--budget", "0"), ("--budget", "0s")):
        assert run(["recommend", "--max-area", "5kGE", *budget, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["measured_now"] == 0

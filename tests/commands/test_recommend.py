"""`aesmith recommend` and `aesmith report`: from points to an answer, a build or a page; errors say what is wrong."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.assurance.clock_gate import with_gates

from aesmith.cli import run
from aesmith.cores.specification import presets
from aesmith.explore.outline import BARE
from aesmith.explore.points import COLUMNS, export, frame, points, points_by, read_points, shipped_points
from aesmith.explore.store import open_store
from aesmith.technology.registry import embedded_path


def row(design: str, area: float, period: float, **more: object) -> dict[str, object]:
    """A point of a preset of ten rounds."""
    specification = json.dumps(presets()[design].model_dump(mode="json"), sort_keys=True)
    gbps = 12.8 / period
    return {
        "design": design,
        "specification": specification,
        "family": "round-based",
        "architecture": presets()[design].architecture,
        "directions": "encrypt+decrypt" if design.endswith("encdec") else "encrypt",
        "key_bits": 128,
        "block_width": 128,
        "stages": 1,
        "units": 1,
        "library": "mine",
        "library_digest": "0" * 64,
        "corner": "slow",
        "optimise": "area",
        "recipe": "keep@900",
        "cycles_per_block": 10,
        "latency_cycles": 11,
        "blocks_in_flight": 1,
        "area_ge": area,
        "period_ns": period,
        "fmax_mhz": 1e3 / period,
        "latency_ns": 11 * period,
        "throughput_gbps": gbps,
        "efficiency_kbps_per_ge": gbps * 1e6 / area,
        "verified": "simulation",
        "status": "done",
        "key": design.encode().hex(),
        **more,
    }


ROWS = [
    row("ueno2020-enc", 11000, 1.6),
    row("boyar2010-enc", 9500, 2.4),
    row("ueno2020-encdec", 15000, 1.9),
    row("boyar2010-encdec", 13500, 3.1),
    row("lutz2002-encdec", 20000, 1.5),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the points as CSV and Parquet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("points.csv", "points.parquet"):
        export(frame(ROWS), tmp_path / name)
    return tmp_path


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    """Exit status, the JSON on stdout, and stderr."""
    capsys.readouterr()
    status = run([*arguments, "--json"])
    out, err = capsys.readouterr()
    return status, json.loads(out) if out else None, err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["points.csv", "points.parquet"])
def test_the_answer_is_the_same_from_every_kind_of_file(capsys: pytest.CaptureFixture[str], file: str) -> None:
    request = ("--core", "--mode", "cbc", "--directions", "encdec", "--min-throughput", "5Gbps", "--minimise", "area")
    status, found, err = asked(capsys, "recommend", "--points", file, *request)
    assert (status, err) == (0, "")
    assert found["chosen"]["design"] == "ueno2020-encdec"
    assert [option["design"] for option in found["alternatives"]] == ["lutz2002-encdec"]
    assert found["alternatives"][0]["relative_to_chosen"]["area"] == pytest.approx(1 / 3)
    assert found["chosen"]["figures"]["throughput"] == pytest.approx(128 / 1.9 / 11)
    assert [binding["without_it"]["design"] for binding in found["binding"]] == ["boyar2010-encdec"]


@pytest.mark.usefixtures("here")
def test_people_get_the_core_the_reasons_and_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recommend", "--points", "points.csv", "--core", "--mode", "ctr", "--max-latency", "25ns"]) == 0
    out = capsys.readouterr().out
    assert "Recommended: ueno2020-enc" in out
    assert "latency ≤ 25 ns: holds with 29.6 % to spare; it binds: without it boyar2010-enc, -13.6 % area" in out
    assert "near: boyar2010-enc, -13.6 % area, but its latency is 26.4 ns, 5.6 % above the limit" in out
    assert "20,000 GE (+81.8 %)" in out
    assert out.rstrip().endswith("aesmith build ueno2020-enc")


@pytest.mark.usefixtures("here")
def test_what_nothing_meets_is_exit_status_1_with_the_limit_that_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    status, found, err = asked(capsys, "recommend", "--points", "points.csv", "--min-throughput", "100Gbps")
    assert status == 1
    assert found["chosen"] is None
    assert found["not_reached"][0]["best"]["design"] == "lutz2002-encdec"
    message = json.loads(err)["error"]["message"]
    best = "no measured point reaches it: the best is 8.533 Gbit/s (lutz2002-encdec), 91.5 % below the limit"
    assert f"throughput ≥ 100 Gbit/s: {best}" in message
    assert "out of reach" not in message


def test_who_finds_nothing_is_told_what_was_searched_and_where_there_is_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The presets' points have no power: that says nothing of whether there is such a core."""
    status, found, err = asked(capsys, "recommend", "--points", "presets", "--max-power", "2mW")
    message = json.loads(err)["error"]["message"]
    assert status == 4
    assert message.startswith("not known: no core that was measured meets the requirement, and not all were measured")
    assert found["searched"] in message
    assert "in generic45 (--points presets)" in message
    assert "--points families has 388, in nangate45-typ" in message
    assert "with --measure, what is lacking is measured" in message


@pytest.mark.usefixtures("here")
def test_figures_are_in_units_that_people_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recommend", "--points", "points.csv", "--core", "--mode", "ctr", "--min-throughput", "1.5Mbps"]) == 0
    out = capsys.readouterr().out
    assert "throughput ≥ 1.5 Mbit/s: holds 3.56e+03 times over" not in out
    assert "throughput ≥ 1.5 Mbit/s: holds 3,556 times over" in out
    assert "Gbps" not in out


WRONG = {
    "unit": (("--min-throughput", "10"), "min-throughput: must be a number with a unit"),
    "mode": (("--mode", "cbs"), "mode: must be one of ecb"),
    "two objectives": (("--minimise", "area", "--maximise", "fmax"), "not both"),
    "library": (("--library", "yours"), "library: must be one of mine"),
    "budget": (("--budget", "1h"), "with --points nothing is measured; leave --budget out"),
    "measure": (("--measure",), "with --points nothing is measured; leave --measure out"),
    "bus": (("--mode", "gcm", "--bus", "avalon"), "bus: must be one of apb, axi4-lite"),
    "bus of a core": (("--core", "--mode", "gcm", "--bus", "apb"), "bus: registers are of an engine, and --core asks"),
    "bus of ECB": (("--bus", "apb"), "bus: registers are of an engine, and there is no engine of ECB"),
    "self-test": (
        ("--mode", "gcm", "--bus", "apb", "--self-test", "later"),
        "self_test: must be one of none, on_reset",
    ),
    "no bus": (("--mode", "gcm", "--data-streams"), "data-streams: is of registers; give --bus too"),
    "width": (("--mode", "gcm", "--bus", "apb", "--block-width", "128"), "block-width: must be 32 with a bus, not 128"),
    "file": (("--points", "nix.csv"), "nix.csv cannot be read"),
    "kind of file": (("--points", "nix"), "points: must be an export that comes with aesmith"),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_request_is_refused(capsys: pytest.CaptureFixture[str], case: str) -> None:
    options, message = WRONG[case]
    status, found, err = asked(capsys, "recommend", "--points", "points.csv", *options)
    assert (status, found) == (2, None)
    assert message in json.loads(err)["error"]["message"]


@pytest.mark.thorough
def test_the_chosen_core_is_built(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = ("--core", "--mode", "ctr", "--directions", "encdec", "--build", "mine")
    status, found, err = asked(capsys, "recommend", "--points", "points.csv", *request)
    assert (status, err) == (0, "")
    assert found["chosen"]["design"] == "boyar2010-enc"
    assert found["built"]["folder"] == str(here / "mine")
    assert json.loads((here / "mine" / "manifest.json").read_text())["top"] == "boyar2010_enc"


BUS = ("--mode", "gcm", "--directions", "encdec", "--clock", "100MHz")


@pytest.fixture
def gcm(tmp_path: Path) -> tuple[str, ...]:
    """A request among a few of the points of GCM: that of a small engine, and one whose keys have several sizes."""
    known = points_by("engines")
    few = known[known["design"].isin(["gcm-small", "multi-compact-selectable"]) & known["recipe"].eq("keep-timed")]
    export(few, tmp_path / "gcm.csv")
    return ("recommend", "--points", str(tmp_path / "gcm.csv"), "--library", str(few.iloc[0]["library"]), *BUS)


def test_registers_count_in_clocks_and_are_in_the_command(
    gcm: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """With a bus a block takes 17 clocks in place of 11; an engine whose keys have several sizes has no registers."""
    status, streams, _ = asked(capsys, *gcm, "--min-throughput", "1Gbps")
    assert (status, streams["chosen"]["design"], streams["left_out"]) == (0, "gcm-small", {})
    assert streams["chosen"]["figures"]["throughput"] == pytest.approx(0.1 * 128 / 11)
    assert asked(capsys, *gcm, "--bus", "apb", "--min-throughput", "1Gbps")[0] == 1
    assert run([*gcm, "--bus", "apb", "--self-test", "on_reset", "--data-streams"]) == 0
    said = capsys.readouterr().out
    assert said.rstrip().endswith("aesmith build gcm-small --bus apb --self-test on_reset --data-streams")
    assert "registers on AMBA APB4: throughput and latency are with words of 32 bits, a block every 17 clocks" in said
    status, found, _ = asked(capsys, *gcm, "--bus", "apb", "--min-throughput", "700Mbps")
    assert (status, found["left_out"]) == (0, {"without registers on AMBA APB4": 1})
    assert found["chosen"]["figures"]["throughput"] == pytest.approx(0.1 * 128 / 17)


@pytest.mark.thorough
def test_packets_that_only_the_stream_keeps_up_with_are_too_many_for_a_bus(
    gcm: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for limit, with_bus in (("800Mbps", 1), ("300Mbps", 0)):
        packets = ("--packets", "256..272", "--min-throughput", limit)
        assert asked(capsys, *gcm, *packets)[0] == 0
        assert asked(capsys, *gcm, *packets, "--bus", "apb")[0] == with_bus


def test_an_engine_that_was_measured_with_registers_is_no_answer_to_who_asks_for_streams(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = points_by("engines")
    known = known[known["design"].eq("gcm-small") & known["recipe"].eq("keep-timed")].head(1)
    text = json.dumps(json.loads(str(known.iloc[0]["specification"])) | {"bus": "apb"}, sort_keys=True)
    export(known.assign(specification=text), tmp_path / "bus.csv")
    status, found, _ = asked(capsys, "recommend", "--points", str(tmp_path / "bus.csv"), "--mode", "gcm")
    assert (status, found["left_out"]) == (4, {"measured with registers": 1})


def test_it_measures_where_it_is_asked_to_in_the_time_there_is(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest core of all is the most promising: it is measured for real, and kept; without --measure nothing."""
    monkeypatch.setattr("aesmith.explore.points.shipped_points", lambda: {"known": here / "known.csv"})
    small = row("serial-small-enc", 2600, 3.0, optimise="recipe", recipe="compress", block_width=8, latency_cycles=840)
    export(frame([small | {"cycles_per_block": 832}, *ROWS]), here / "known.csv")
    request = ("recommend", "--liberty", str(embedded_path()), "--store", "s.sqlite", "--jobs", "1")
    for without in ((), ("--budget", "0"), ("--measure", "--budget", "0")):
        nothing, _, said = asked(capsys, *request, *without)
        assert nothing == 4
        assert "none of the 0 points fits" in said
    status, found, said = asked(capsys, *request, "--measure", "--budget", "20min")
    assert status == 0
    outlook = json.loads(said.splitlines()[0])["expected"]
    assert (outlook["design"], outlook["value"], outlook["points"]) == ("serial-small-enc", 2600, 7)
    assert outlook["budget_seconds"] == 1200
    assert found["measured_now"] == 2, "with clock gates, too"
    assert found["unmeasured"]["of presets that were measured in no library"] == len(presets()) - 6
    assert found["chosen"]["design"] == "serial-small-enc"
    assert found["chosen"]["verified"] == "simulation"
    with open_store("s.sqlite") as store:
        kept = points(store)
    assert kept["area_ge"].min() == found["chosen"]["figures"]["area"]
    status, again, _ = asked(capsys, *request, "--measure", "--budget", "20min")
    assert (status, again["measured_now"], again["chosen"]) == (0, 0, found["chosen"])
    status, known, _ = asked(capsys, *request)
    assert (status, known["measured_now"], known["chosen"]) == (0, 0, found["chosen"])


@pytest.mark.thorough
@pytest.mark.slow
def test_a_protected_core_is_measured_and_says_what_it_takes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The one masked core on bytes that a library without clock gates can have, by both recipes."""
    (here / "plain.lib").write_text(with_gates())
    request = (
        "recommend",
        "--liberty",
        "plain.lib",
        "--store",
        "s.sqlite",
        "--jobs",
        "1",
        "--block-width",
        "8",
    )
    status, found, _ = asked(capsys, *request, "--protected", "order=1", "--measure", "--budget", "60min")
    assert status == 0
    assert (found["measured_now"], found["chosen"]["design"]) == (2, "masked-serial-enc")
    assert found["chosen"]["protection"] == {"order": 1, "random_bits": 30, "seeded": False}
    assert found["requirement"]["order"] == 1
    assert 7000 < found["chosen"]["figures"]["area"] < 10_000
    status, _, said = asked(capsys, *request, "--protected", "order=2", "--measure", "--budget", "60min")
    assert status == 4
    assert "2 not protected at order 2" in said
    assert "above order 1 they need a library with clock gates" in said


def test_points_without_protected_cores_are_refused_and_so_is_what_is_no_order(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, said = asked(capsys, "recommend", "--points", str(here / "points.csv"), "--protected", "order=1")
    assert status == 4
    assert "none of the 5 points fits: 5 not protected at order 1" in said
    assert "protected cores are those with shares at their ports" in said
    status, _, said = asked(capsys, "recommend", "--points", str(here / "points.csv"), "--protected", "1")
    assert status == 2
    assert "protected: must be order=1 to order=5" in said


def test_a_report_is_written_from_an_export(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, made, _ = asked(capsys, "report", "--points", "points.parquet", "--out", "page.html", "--title", "Mine")
    assert status == 0
    assert (made["points"], made["designs"], made["failed"]) == (5, 5, 0)
    assert (here / "page.html").read_text(encoding="utf-8").count("<title>Mine</title>") == 1
    assert made["bytes"] == (here / "page.html").stat().st_size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "nowhere/page.html"), "is in no folder"),
        (("--out", "."), "is a folder"),
        (("--library", "yours"), "there are points in mine, not in 'yours'"),
        (("--store", "s.sqlite"), "not both"),
    ],
)
def test_a_report_that_cannot_be_made_leaves_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    status, _, err = asked(capsys, "report", "--points", "points.csv", *arguments)
    assert status == 2
    assert message in json.loads(err)["error"]["message"]
    assert sorted(file.name for file in here.iterdir()) == ["points.csv", "points.parquet"]


def test_a_file_that_lacks_a_column_or_has_a_wrong_value_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = pd.read_csv(here / "points.csv")
    whole.drop(columns="fmax_mhz").to_csv(here / "lacks.csv", index=False)
    whole.assign(area_ge="big").to_csv(here / "wrong.csv", index=False)
    (here / "not.parquet").write_text("no")
    for file, message in (
        ("lacks.csv", "lacks the column fmax_mhz"),
        ("wrong.csv", "column area_ge"),
        ("not.parquet", "no table of points"),
    ):
        status, _, err = asked(capsys, "report", "--points", file)
        assert status == 2
        assert message in json.loads(err)["error"]["message"]


def test_what_is_exported_is_read_as_it_was(here: Path) -> None:
    for name in ("points.csv", "points.parquet"):
        read = read_points(here / name)
        assert list(read.columns) == [column.name for column in COLUMNS]
        pd.testing.assert_frame_equal(read, frame(ROWS))


def test_the_python_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "docs" / "requirements.md"
    [program] = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    exec(compile(program, str(page), "exec"), {})
    design, area = capsys.readouterr().out.splitlines()[0].split()
    assert design.removesuffix(BARE) in presets()
    assert float(area) > 1000


@pytest.mark.parametrize("name", shipped_points())
def test_the_points_that_come_with_aesmith_can_be_read(name: str) -> None:
    assert read_points(shipped_points()[name])["status"].eq("done").all()

"""The requirement in the page: its answer is that of `aesmith recommend --json`, in figures and in words."""

from __future__ import annotations

import json
import random
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.explore.recommend.conftest import rows

from aesmith.cli import run
from aesmith.errors import RequestError
from aesmith.explore.points import export, frame, points_by, points_in
from aesmith.explore.recommend.choice import recommend
from aesmith.explore.recommend.devices import device_points
from aesmith.explore.recommend.requirement import CLOCKS, FIGURES, MODES, requirement
from aesmith.explore.recommend.words import failures, reasons
from aesmith.publish.report.page import further_sets, report_html

Need = Mapping[str, str]

LIMITS = {
    "min_throughput": (0.3, 60, "Gbps"),
    "max_area": (3e3, 1.5e5, "GE"),
    "max_latency": (4, 500, "ns"),
    "min_fmax": (400, 1500, "MHz"),
    "min_efficiency": (50, 900, "Kbps/GE"),
    "max_power": (100, 6000, "uW"),
    "max_energy": (5, 500, "pJ"),
}
DECIDES = ("least area", "most throughput", "least latency", "most efficiency", "least energy", "most fmax")
PARTICULAR: tuple[Need, ...] = (
    {},
    {"min_throughput": "9Tbps"},
    {"min_throughput": "6Gbps"},
    {"min_throughput": "9Tbps", "max_area": "1kGE", "mode": "gcm"},
    {"min_throughput": "30Gbps", "max_area": "9kGE"},
    {"max_power": "2mW"},
    {"max_power": "1nW", "max_latency": "1ns"},
    {"decides": "least power"},
    {"decides": "most area"},
    {"mode": "cbc", "core": "core", "directions": "encdec", "key": "128,192,256"},
    {"mode": "xts", "core": "core", "directions": "encdec", "key": "256", "block_width": "8"},
    {"max_latency": "11cycles", "decides": "most latency-cycles"},
    {"max_latency": "40 clocks", "min_fmax": "0.5GHz", "clock": "500MHz"},
    {"mode": "cmac", "core": "core", "streams": "4", "min_throughput": "1.2GB/s", "decides": "most efficiency"},
    {
        "mode": "ccm",
        "core": "core",
        "streams": "64",
        "directions": "dec",
        "decides": "most throughput",
        "block_width": "128",
    },
    {"mode": "cbc", "core": "core", "clock": "600MHz", "min_throughput": "2Gbps"},
    {"mode": "ctr", "min_throughput": "2Gbps", "decides": "most efficiency"},
    {"mode": "ctr", "key": "256"},
    {"max_area": "3.5kGE", "decides": "most throughput"},
    {"max_area": "5.5kGE", "decides": "most throughput", "block_width": "32"},
    {"kind": "protected", "order": "1"},
    {"kind": "protected", "order": "1", "mode": "gcm", "core": "core", "decides": "most throughput"},
    {"kind": "protected", "order": "1", "directions": "dec", "mode": "cbc", "core": "core"},
    {"kind": "protected", "order": "1", "key": "256", "min_throughput": "1Gbps"},
    {"kind": "protected", "order": "1", "max_area": "20kGE", "decides": "most throughput"},
    {"kind": "protected", "order": "2"},
    {"kind": "protected", "order": "1", "max_area": "1kGE", "min_throughput": "9Gbps"},
    {"kind": "device", "library": "ice40-up5k"},
    {"kind": "device", "library": "ice40-hx8k", "max_memories": "0", "min_throughput": "50Mbps"},
    {"kind": "device", "library": "ecp5-25k", "min_throughput": "20Mbps", "max_luts": "400"},
    {"kind": "device", "library": "ecp5-25k", "decides": "most throughput", "mode": "ctr", "core": "core"},
    {"kind": "device", "library": "gowin-gw2a-18", "max_luts": "10", "max_latency": "1us"},
    {"kind": "device", "library": "gowin-gw2a-18", "decides": "least memories"},
    {"kind": "device", "library": "xc7"},
    {"kind": "device", "library": "xc7", "mode": "gcm", "core": ""},
    {"kind": "device", "library": "xc7", "mode": "gcm", "core": "", "min_throughput": "1Gbps"},
    {"kind": "device", "library": "xc7", "decides": "most throughput"},
    {"kind": "device", "library": "ecp5-25k", "key": "256"},
    {"mode": "gcm"},
    {"mode": "gcm", "min_throughput": "5Gbps", "directions": "encdec"},
    {"mode": "xts", "key": "256", "max_area": "90kGE", "decides": "most throughput"},
    {"mode": "ccm", "decides": "most throughput", "clock": "300MHz"},
)


def requests() -> list[Need]:
    """Every mode in every direction, with limits drawn evenly on a logarithmic scale, and what stands at an edge."""
    rng = random.Random(23)
    found = list(PARTICULAR)
    for mode in MODES.values():
        for directions in ("enc", "dec", "encdec"):
            need = {"mode": mode.name, "directions": directions, "decides": rng.choice(DECIDES)}
            if mode.engine and len(found) % 6:
                need["core"] = "core"
            for name in rng.sample(sorted(LIMITS), rng.choice((0, 1, 1, 2, 2, 3))):
                low, high, unit = LIMITS[name]
                need[name] = f"{low * (high / low) ** rng.random():.4g}{unit}"
            if rng.random() < 0.3:
                key = rng.choice(("256", "128,256"))
                need["key"] = key if "core" in need or not mode.engine else "256"
            if rng.random() < 0.2:
                need["clock"] = f"{rng.choice((300, 500, 800))}MHz"
            if rng.random() < 0.2:
                streams = rng.choice(("2", "4", "64"))
                need |= {"streams": streams} if "core" in need or not mode.engine else {}
            found.append(need)
    return found


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Points with power of most cores, and some that failed; that one is proved decides between some.

    An engine that is smaller than any core is no answer for a core, and one that nothing verified none at all.
    """
    file = tmp_path_factory.mktemp("points") / "invented.csv"
    told = [row | {"verified": "proof" if index % 3 else "simulation"} for index, row in enumerate(rows(7))]
    specification = json.dumps({"mode": "ctr", "core": "ueno2020-enc", "cores": 2})
    engine = {"family": "ctr", "specification": specification, "core": "ueno2020-enc", "cores": 2}
    told.append(told[0] | engine | {"design": "small", "area_ge": 9.0, "throughput_gbps": 1e3, "key": "e" * 64})
    told.append(told[-1] | {"design": "unverified", "verified": None, "area_ge": 5.0, "key": "f" * 64})
    export(frame(told), file)
    return file


@pytest.fixture(scope="module", params=["invented", "families"])
def source(request: pytest.FixtureRequest, invented: Path) -> str:
    return str(invented) if request.param == "invented" else str(request.param)


@pytest.fixture(scope="module")
def searched_points(source: str) -> pd.DataFrame:
    return points_by(source)


@pytest.fixture(scope="module")
def opened(
    browser: Browser, source: str, searched_points: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    file = tmp_path_factory.mktemp("page") / "report.html"
    further = further_sets(searched_points)
    file.write_text(report_html(searched_points, source=source, further=further), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert errors == []


def kind_of(need: Need) -> str:
    engine = "core" not in need and MODES[need.get("mode", "ecb")].engine
    return need.get("kind", "engine" if engine else "core")


def place_of(need: Need, source: str) -> list[str]:
    """Where the command line finds the points that the page has of a kind."""
    match kind_of(need):
        case "device":
            return ["--device", need["library"]]
        case "protected":
            return ["--points", "presets", "--library", "nangate45-typ" if source == "families" else "generic45"]
        case "engine" if source == "families":
            return ["--points", "engines", "--library", "nangate45-typ"]
        case _:
            return ["--points", source]


def points_of(need: Need, source: str) -> pd.DataFrame:
    place = place_of(need, source)
    if place[0] == "--device":
        return device_points(place[1])
    return points_in(points_by(place[1]), place[3] if len(place) > 2 else None)


def options_of(need: Need, source: str) -> list[str]:
    side, figure = decides_of(need)
    given = [*place_of(need, source), "--minimise" if side == "least" else "--maximise", figure]
    for name, text in need.items():
        if name == "key":
            given += [word for bits in text.split(",") for word in ("--key", bits)]
        elif name == "core":
            given += ["--core"] * bool(text)
        elif name == "order":
            given += ["--protected", f"order={text}"]
        elif name not in ("decides", "kind", "library"):
            given += [f"--{name.replace('_', '-')}", text]
    return given


def decides_of(need: Need) -> list[str]:
    return need.get("decides", "least luts" if kind_of(need) == "device" else "least area").split()


def wanted(need: Need) -> Any:
    side, figure = decides_of(need)
    apart = ("decides", "key", "kind", "library", "order", "core")
    given: dict[str, Any] = {name: text for name, text in need.items() if name not in apart}
    given["core"] = bool(need.get("core"))
    if kind_of(need) == "device":
        given["device"] = need["library"]
    if "order" in need:
        given["protected"] = f"order={need['order']}"
    given |= {name: int(given[name]) for name in ("streams", "block_width") if name in given}
    keys = tuple(int(bits) for bits in need.get("key", "128").split(","))
    return requirement(key=keys, **given, **{"minimise" if side == "least" else "maximise": figure})


ANSWER = """([{ kind, ...texts }, key]) => {
  report.setKind(kind);
  const found = report.recommendation(report.requirementOf(texts));
  const side = ({ least_is_best: least }) => least ? "at_most" : "at_least";
  const limit = ({ figure, bound }) => ({ figure: figure.name, [side(figure)]: bound });
  const option = (one) => one && { design: one.point.design, optimise: one.point.optimise, recipe: one.point.recipe,
    verified: one.point.verified, library: one.point.library, key: one.point.id.slice(0, key), figures: one.figures };
  const miss = (one) => ({ ...limit(one.limit), margin: one.margin });
  report.change({ need: { mode: "ecb", ...texts } });
  return {
    points: found.set.points, designs: found.set.designs, left_out: found.leftOut, searched: found.set.searched,
    chosen: option(found.chosen), alternatives: found.alternatives.map(option), unproved: option(found.unproved),
    binding: found.binding.map((one) => ({ limit: limit(one.limit), without_it: option(one.better) })),
    unknown: !found.chosen
      && (!found.closest || !found.misses.length || found.misses.some((one) => one.margin === null)),
    nearest: found.nearest && { ...option(found.nearest), lacks: found.lacks },
    near: found.near && { ...option(found.near.option), limit: limit(found.near.limit) },
    closest: found.closest && { ...option(found.closest), misses: found.misses.map(miss) },
    not_reached: found.notReached.map((one) => ({ ...miss(one), best: option(one.best) })),
    words: found.chosen ? report.reasonsOf(found) : report.failuresOf(found),
    required: report.requirementText(found.need),
    shown: [...document.querySelectorAll("#need-answer .reasons li")].map((node) => node.textContent),
    said: document.getElementById("need-said").textContent,
  };
}"""


def told(option: Any, key: int) -> Any:
    """What the page has of an option of the command line; keys are as short as there."""
    if option is None:
        return None
    names = ("design", "optimise", "recipe", "verified", "library", "figures")
    return {name: option[name] for name in names} | {"key": (option["key"] or "")[:key]}


def limit_of(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "unit"}


def expected(found: Any, key: int) -> dict[str, Any]:
    near, closest = found["near"], found["closest"]
    return {
        **{name: found[name] for name in ("points", "designs", "left_out", "searched")},
        **{name: told(found[name], key) for name in ("chosen", "unproved")},
        "alternatives": [told(one, key) for one in found["alternatives"]],
        "binding": [
            {"limit": limit_of(one["limit"]), "without_it": told(one["without_it"], key)} for one in found["binding"]
        ],
        "near": near
        and told(near, key)
        | {"limit": {name: n for name, n in limit_of(near["misses"][0]).items() if name != "margin"}},
        "unknown": found["unknown"],
        "nearest": found["nearest"] and told(found["nearest"], key) | {"lacks": found["nearest"]["lacks"]},
        "closest": closest and told(closest, key) | {"misses": [limit_of(miss) for miss in closest["misses"]]},
        "not_reached": [
            limit_of({name: value for name, value in one.items() if name != "best"}) | {"best": told(one["best"], key)}
            for one in found["not_reached"]
        ],
    }


@pytest.mark.thorough
def test_the_page_answers_as_the_command_line(opened: Page, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    length = len(opened.evaluate("report.points[0].id"))
    counts: Counter[tuple[str, str]] = Counter()
    for need in requests():
        kind = kind_of(need)
        key = 0 if kind == "device" else length
        capsys.readouterr()
        status = run(["recommend", *options_of(need, source), "--json"])
        found = json.loads(capsys.readouterr().out)
        answer = opened.evaluate(ANSWER, [{**need, "kind": kind}, key])
        words, required, shown, said = (answer.pop(name) for name in ("words", "required", "shown", "said"))
        assert answer == expected(found, key), need
        plain = recommend(points_of(need, source), wanted(need))
        assert required == str(plain.requirement)
        assert words == shown == (failures(plain) if status else reasons(plain)), need
        chosen, what = found["chosen"], "engine" if found["requirement"]["engine"] else "core"
        unmatched = "Not known: nothing that was measured fits the requirement"
        if found["closest"]:
            unmatched = f"No {what} that was measured meets the requirement"
        assert said == (f"Recommended: {chosen['design']}" if chosen else unmatched)
        counts[kind, "near"] += found["near"] is not None
        counts[kind, "met" if status == 0 else "unmet"] += 1
    assert counts["core", "met"] + counts["core", "unmet"] >= 30
    assert counts["core", "near"], "all kinds of answers were compared"
    for kind in ("core", "engine", "protected", "device"):
        few = kind == "engine" and source != "families"  # one invented engine
        assert min(counts[kind, "met"], counts[kind, "unmet"]) >= (1 if few else 3), (kind, counts)


@pytest.mark.parametrize("kind", ["core", "engine", "protected", "device"])
def test_each_kind_is_answered_at_once_by_what_was_verified_from_at_most_four_fields(opened: Page, kind: str) -> None:
    opened.evaluate("report.change({ need: null })")
    opened.select_option("#kind", kind)
    opened.evaluate("document.getElementById('need').open || document.querySelector('#need > summary').click()")
    expect(opened.locator("#need-said")).to_contain_text("Recommended: ")
    fields = opened.locator("#kind, #need-form :is(select, input:not([type=checkbox]), fieldset):visible")
    assert 2 <= fields.count() <= 4
    wanted = opened.evaluate("report.recommendation(report.requirementOf({})).chosen.point")
    assert wanted["verified"]
    assert wanted["kind"] == kind
    row = opened.locator("#need-answer tr", has_text="verified by").locator("td").first
    assert row.inner_text().startswith(("proof", "simulation"))
    assert opened.locator("#plot .mark.wanted").count() == 1
    assert set(opened.evaluate("report.points.map((point) => point.kind)")) == {kind}
    address = opened.url
    opened.goto("about:blank")
    opened.goto(address)
    assert opened.input_value("#kind") == kind
    expect(opened.locator("#need-said")).to_contain_text(f"Recommended: {wanted['design']}")


def test_a_rule_that_is_another_is_found(opened: Page, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The comparison above is not of nothing: an answer for one mode is not that for another."""
    key = len(opened.evaluate("report.points[0].id"))
    need = {"mode": "cbc", "core": "core", "decides": "most throughput"}
    run(["recommend", *options_of({**need, "mode": "ctr"}, source), "--json"])
    found = expected(json.loads(capsys.readouterr().out), key)
    answer = opened.evaluate(ANSWER, [{**need, "kind": "core"}, key])
    assert {name: answer[name] for name in found} != found


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 390), ("dark", 1400), ("light", 390)])
def test_axe_finds_nothing_that_keeps_anybody_out_of_any_kind(
    opened: Page, scheme: Literal["light", "dark"], width: int
) -> None:
    """With all fields unfolded, at both widths nothing is cut off."""
    opened.emulate_media(color_scheme=scheme)
    opened.set_viewport_size({"width": width, "height": 900})
    opened.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    for kind in ("core", "engine", "protected", "device"):
        opened.evaluate("(kind) => { report.change({ need: { mode: 'ctr' } }); report.setKind(kind) }", kind)
        opened.evaluate("document.getElementById('need-more').open = true")
        opened.evaluate(
            "report.change({ selected: report.points[0].id, pinned: report.points.map(({ id }) => id).slice(0, 2) })"
        )
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        found = opened.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})")
        assert [(one["id"], one["nodes"][0]["target"]) for one in found["violations"]] == [], kind
    opened.set_viewport_size({"width": 1400, "height": 900})


QUANTITIES = {
    "throughput": ("10Gbps", "1_000 Mbps", "1.2GB/s", "gbps", "5gbps", "5gb/s", "3 kB/s", "1e-3Tbit/s", "1,5Gbps", "7"),
    "area": ("12kGE", "9000", "12 kge", ".5MGE", "0GE", "-3GE", "twelve", "1.2.3GE", "1e999GE"),
    "power": ("2mW", "3MW", "30 µW", "1.5w", "0.002W"),
    "latency": ("25ns", "40 ps", "1us", "12NS", "12"),
    "latency-cycles": ("11cycles", "1 clock", "2 Clocks", "3c"),
    "efficiency": ("400", "1Mbps/GE", "1mbps/ge", "12 K"),
}


@pytest.mark.parametrize("figure", QUANTITIES)
def test_quantities_are_read_and_written_as_on_the_command_line(page: Page, figure: str) -> None:
    kind = FIGURES[figure].kind if figure != "latency-cycles" else CLOCKS
    for text in QUANTITIES[figure]:
        try:
            by_python: object = kind.parse(text, "x")
        except RequestError as error:
            by_python = str(error)
        found = page.evaluate(
            "([name, text]) => { try { return report.parse(name, text, 'x') } catch (error) { return error.message } }",
            [figure, text],
        )
        assert found == by_python, text
        if isinstance(by_python, float):
            written = page.evaluate("([name, value]) => report.text(name, value)", [figure, by_python])
            assert written == kind.text(by_python)


def test_a_requirement_is_asked_by_keyboard_and_its_address_keeps_it(page: Page) -> None:
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('details').id") == "need"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "mode"
    page.keyboard.press("c")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "key"
    page.get_by_label("At least: throughput").fill("1Gbps")
    expect(page.locator("#need-said")).to_have_text("Recommended: maximov2019-enc")
    expect(page.locator("#live")).to_have_text("Recommended: maximov2019-enc")
    address = page.url
    assert "need.min_throughput=1Gbps" in address
    assert "need.mode=cbc" in address
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_label("At least: throughput")).to_have_value("1Gbps")
    expect(page.locator("#need-answer")).to_contain_text("throughput ≥ 1 Gbit/s: holds")
    assert page.locator("#plot .mark.wanted").count() == 1
    page.locator("#need-answer button.name").first.click()
    expect(page.locator("#sheet-title")).to_have_text("maximov2019-enc")
    page.get_by_role("button", name="Compare these").click()
    assert page.locator("#comparison-table thead th").count() == 3
    page.emulate_media(media="print")
    expect(page.locator("#need-form")).to_be_hidden()
    expect(page.locator("#need-answer")).to_be_visible()


def test_what_cannot_be_is_said_at_its_field(page: Page) -> None:
    page.click("#need > summary")
    page.click("#need-more > summary")
    page.get_by_label("At most: area").fill("12 acres")
    expect(page.locator("#need-said")).to_contain_text("max-area: must be a number, with a unit or without")
    expect(page.get_by_label("At most: area")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("At most: area").fill("12kGE")
    expect(page.locator("#need-said")).to_contain_text("Recommended")
    assert page.locator("[aria-invalid]").count() == 0


@pytest.mark.thorough
def test_the_command_that_the_page_shows_gives_its_answer(opened: Page, capsys: pytest.CaptureFixture[str]) -> None:
    for need in PARTICULAR:
        kind = kind_of(need)
        words = shlex.split(
            opened.evaluate(
                "({ kind, ...texts }) => { report.setKind(kind); return report.commandOf(texts) }",
                {**need, "kind": kind},
            )
        )
        capsys.readouterr()
        run([*words[1:], "--json"])
        chosen = json.loads(capsys.readouterr().out)["chosen"]
        here = opened.evaluate(ANSWER, [{**need, "kind": kind}, 0])["chosen"]
        assert (here and here["design"]) == (chosen and chosen["design"])

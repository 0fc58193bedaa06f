"""The report in a browser: filters filter, the front is the Pareto front, a click and keys lead to the right sheet."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from aesmith.errors import RequestError
from aesmith.explore.points import pareto_front
from aesmith.flow.measurement import PlacedFigures
from aesmith.publish.report.page import report_html

LEAST = {"area_ge", "latency_ns", "energy_pj_per_block_encrypt"}


def front_of(points: pd.DataFrame, x: str, y: str) -> list[tuple[str, str]]:
    """By the Python functions: (design, what was asked of synthesis), best in x first."""
    done = points[points["status"].eq("done")]
    names = {x: x in LEAST, y: y in LEAST}
    front = pareto_front(
        done,
        minimise=[n for n, least in names.items() if least],
        maximise=[n for n, least in names.items() if not least],
    ).sort_values(x, ascending=names[x])
    return list(zip(front["design"], front["optimise"], strict=True))


def front_shown(page: Page) -> list[tuple[str, str]]:
    found = page.evaluate("report.front().map(({design, synthesis}) => [design, synthesis])")
    return [(design, synthesis) for design, synthesis in found]


def marks(page: Page, selector: str = ".mark") -> set[str]:
    return set(page.locator(f"#plot {selector}").evaluate_all("nodes => nodes.map((node) => node.dataset.id)"))


def chip(page: Page, parameter: str, value: str) -> Any:
    return page.locator(f'.chip[data-parameter="{parameter}"][data-value="{value}"]')


def figure_text(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("area_ge", "throughput_gbps"),
        ("area_ge", "latency_ns"),
        ("throughput_gbps", "efficiency_kbps_per_ge"),
        ("energy_pj_per_block_encrypt", "throughput_gbps"),
    ],
)
def test_the_front_is_that_of_the_python_functions(page: Page, points: pd.DataFrame, x: str, y: str) -> None:
    page.select_option("#x", x)
    page.select_option("#y", y)
    expected = front_of(points, x, y)
    assert front_shown(page) == expected
    assert len(marks(page, ".mark.best")) == len(expected)
    assert page.locator("#points-table tbody tr").count() == len(expected)
    drawn = points[points["status"].eq("done") & points[x].notna() & points[y].notna()]
    assert len(marks(page)) == len(drawn)
    if len(drawn) < 21:
        expect(page.locator("#missing")).to_contain_text(f"{21 - len(drawn)} not drawn: no energy")


def test_filters_filter(page: Page, points: pd.DataFrame) -> None:
    done = points[points["status"].eq("done")]
    chip(page, "family", "round-based").click()
    assert len(marks(page)) == done["family"].eq("round-based").sum()
    chip(page, "directions", "encrypt").click()
    kept = done[done["family"].eq("round-based") & done["directions"].eq("encrypt")]
    assert len(marks(page)) == len(kept)
    assert front_shown(page) == front_of(kept, "area_ge", "throughput_gbps")
    expect(chip(page, "sbox", "maximov2019")).to_contain_text("3")
    expect(chip(page, "sbox", "zhang2004")).to_contain_text("0")
    chip(page, "family", "byte-serial").click()
    assert len(marks(page)) == done[done["directions"].eq("encrypt")]["family"].ne("sub-pipelined").sum()
    page.click("#clear")
    assert len(marks(page)) == len(done)
    page.fill("#search", "zhang r7")
    assert len(marks(page)) == done["design"].eq("zhang2004-r7-enc").sum()


def test_a_click_shows_the_datasheet_of_what_was_clicked(page: Page, points: pd.DataFrame) -> None:
    done = points[points["status"].eq("done")].reset_index(drop=True)
    identities = page.evaluate("report.points.map((point) => point.id)")
    for index in (0, 9, 17):
        row = done.loc[index]
        mark = page.locator(f'#plot [data-id="{identities[index]}"]')
        box = mark.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        sheet = page.locator("#sheet")
        expect(sheet.locator("h2")).to_have_text(row["design"])
        expect(sheet.locator(".headline")).to_contain_text(figure_text(row["area_ge"], 0))
        expect(sheet.locator(".headline")).to_contain_text(figure_text(row["throughput_gbps"], 2))
        expect(sheet).to_contain_text(figure_text(row["efficiency_kbps_per_ge"], 1))
        expect(sheet).to_contain_text(row["corner"])
        assert identities[index] in page.url
    expect(page.locator("#sheet")).to_contain_text("aesmith build")


def test_the_datasheet_says_where_a_design_comes_from(page: Page) -> None:
    page.fill("#search", "maximov")
    page.click("#points-table button.name >> nth=0")
    sheet = page.locator("#sheet")
    expect(sheet).to_contain_text("New Circuit Minimization Techniques")
    expect(sheet.locator(".warning")).to_contain_text("EP3957023")
    page.fill("#search", "ueno2020-enc")
    page.locator('#points-table tr:has(button:text-is("ueno2020-enc")) button.name').first.click()
    expect(sheet.locator(".paper").first).to_contain_text("NanGate 45 nm, worst case")
    expect(sheet.locator(".paper").first).to_contain_text("11,257 GE")


def test_published_points_are_marks_of_their_own(page: Page) -> None:
    shown = page.locator("#plot .publication").count()
    assert shown > 20
    page.uncheck("#published")
    assert page.locator("#plot .publication").count() == 0
    assert front_shown(page), "they are in no front"


def test_keys_move_choose_and_compare(page: Page, points: pd.DataFrame) -> None:
    best = front_of(points, "area_ge", "throughput_gbps")
    page.focus("#plot")
    page.keyboard.press("Home")
    expect(page.locator("#tip strong")).to_have_text(best[0][0])
    page.keyboard.press("PageDown")
    expect(page.locator("#live")).to_contain_text(best[1][0])
    expect(page.locator("#live")).to_contain_text("on the front")
    page.keyboard.press("c")
    page.focus("#plot")
    page.keyboard.press("End")
    page.keyboard.press("c")
    assert page.locator("#comparison-table thead th").count() == 2
    page.focus("#plot")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    moved = page.locator("#tip strong").text_content()
    page.keyboard.press("Enter")
    expect(page.locator("#sheet h2")).to_have_text(str(moved))
    assert page.evaluate("document.activeElement.id") == "sheet-title"


def test_comparison_is_relative_to_the_first(page: Page, points: pd.DataFrame) -> None:
    done = points[points["status"].eq("done")].reset_index(drop=True)
    page.evaluate("report.change({pinned: [report.points[6].id, report.points[9].id]})")
    row = page.locator("#comparison-table tr", has_text="Area, GE")
    one, other = done.loc[6, "area_ge"], done.loc[9, "area_ge"]
    expect(row).to_contain_text(figure_text(one, 0))
    change = 100 * (other / one - 1)
    expect(row).to_contain_text(
        re.compile(rf"{'−' if change < 0 else '[+]'}{abs(change):.{1 if abs(change) < 9.95 else 0}f} %")
    )
    assert row.locator(".wins").count() == 1
    expect(row.locator(".wins")).to_contain_text(figure_text(min(one, other), 0))


def test_columns_sort(page: Page, points: pd.DataFrame) -> None:
    page.click("#table-all")
    header = page.locator("#points-table th", has_text="Latency")
    header.locator("button").click()
    first = points.loc[points["latency_ns"].idxmin()]
    expect(page.locator("#points-table tbody tr").first).to_contain_text(first["design"])
    expect(page.locator("#points-table th", has_text="Latency")).to_have_attribute("aria-sort", "ascending")


def test_dragging_zooms_and_a_double_click_zooms_out(page: Page) -> None:
    box = page.locator("#plot").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + box["height"] * 0.6, steps=4)
    page.mouse.up()
    zoom = page.evaluate("report.state.zoom")
    assert zoom["x"][0] > 1e4
    expect(page.locator("#unzoom")).to_be_visible()
    page.dblclick("#plot", position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert page.evaluate("report.state.zoom") is None


def test_the_address_keeps_the_view(page: Page, report_file: Path) -> None:
    page.select_option("#y", "latency_ns")
    chip(page, "family", "round-based").click()
    page.uncheck("#xlog")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.evaluate("[report.state.y, report.state.xlog, report.state.filters.family]") == [
        "latency_ns",
        False,
        ["round-based"],
    ]
    expect(chip(page, "family", "round-based")).to_have_attribute("aria-pressed", "true")
    assert report_file.as_uri() in address


def test_of_several_libraries_the_one_with_most_points_is_shown_first(
    page: Page, points: pd.DataFrame, tmp_path: Path
) -> None:
    done = points[points["status"].eq("done")]
    other = done.head(5).assign(library="another", key=[f"{n:064x}" for n in range(5)])
    file = tmp_path / "two.html"
    file.write_text(report_html(pd.concat([other, done])), encoding="utf-8")
    page.goto(file.as_uri())
    assert len(marks(page)) == len(done)
    chip(page, "library", "another").click()
    assert len(marks(page)) == len(done) + 5


def luminance(page: Page) -> float:
    red, green, blue = (
        int(part) for part in re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3]
    )
    return (red + green + blue) / 3


def test_dark_follows_the_system_and_the_button(page: Page, browser: Browser, report_file: Path) -> None:
    assert luminance(page) > 200
    page.click("#theme")
    assert luminance(page) < 60
    page.reload()
    assert luminance(page) < 60, "what was chosen is kept"
    context = browser.new_context(color_scheme="dark")
    dark = context.new_page()
    dark.goto(report_file.as_uri())
    assert luminance(dark) < 60
    dark.emulate_media(media="print")
    assert luminance(dark) > 200, "paper is white"
    expect(dark.locator("#controls")).to_be_hidden()
    context.close()


def stops_before(page: Page, identity: str) -> int:
    """How often Tab is pressed until the element of that id has the focus."""
    for stops in range(200):
        if page.evaluate("document.activeElement.id") == identity:
            return stops
        page.keyboard.press("Tab")
    raise AssertionError(f"{identity} is never reached")


@pytest.mark.parametrize("width", [1500, 375])
def test_the_scatter_comes_before_the_filters(page: Page, width: int) -> None:
    """By keyboard: two links that skip, the theme, the requirement, and then the scatter; filters are many stops."""
    page.set_viewport_size({"width": width, "height": 900})
    assert stops_before(page, "plot") == 5
    page.keyboard.press("Home")
    assert page.locator("#tip").is_visible()
    page.locator("#controls").evaluate("node => { node.open = true }")
    assert stops_before(page, "table-front") > 20, "what stood before it"


def test_two_links_skip(page: Page) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "plot"


@pytest.mark.parametrize("width", [360, 375, 1500])
def test_figures_stand_beside_the_names(page: Page, width: int) -> None:
    """Without scrolling a table sideways at least two of its figures can be read; on wide screens all."""
    page.set_viewport_size({"width": width, "height": 900})
    rows = page.locator("#points-table tbody tr")
    assert rows.count() > 4
    for row in rows.all():
        shown = row.evaluate(
            "row => { const end = row.closest('.scroll').getBoundingClientRect().right + 1;"
            " const cells = [...row.querySelectorAll('td.figure')];"
            " return cells.filter((cell) => cell.getBoundingClientRect().right <= end).length }"
        )
        assert shown >= (5 if width > 1000 else 2)
        name = row.locator(".name").bounding_box()
        figure = row.locator("td.figure").first.bounding_box()
        assert name is not None
        assert figure is not None
        assert name["x"] + name["width"] <= figure["x"] + 1, "a name runs into a figure"


@pytest.mark.thorough(but=4)
@pytest.mark.parametrize(
    "need", ["", "#need.mode=cbc&need.min_throughput=1Gbps", "#need.max_area=1GE", "#need.clock=x"]
)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1500), ("dark", 1500), ("light", 360), ("dark", 360)])
def test_axe_finds_nothing_that_keeps_anybody_out(
    page: Page, scheme: Literal["light", "dark"], width: int, need: str
) -> None:
    """Rules of WCAG 2.1, A and AA: contrast, names of what can be operated, order of headings and tables."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(page.url.split("#")[0] + need)
    page.evaluate("report.change({pinned: report.points.slice(0, 3).map((point) => point.id)})")
    if need:
        page.wait_for_selector("#need-said")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})")
    assert [(one["id"], one["nodes"][0]["target"]) for one in found["violations"]] == []


@pytest.mark.parametrize("width", [360, 390, 900])
def test_nothing_is_cut_off_on_narrow_screens(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_is_whole_and_small(report_file: Path) -> None:
    text = report_file.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
    assert "@import" not in text
    assert len(text) < 200_000
    assert "<title>Invented cores &lt;&amp;&gt;</title>" in text


def test_nothing_to_show_is_said(points: pd.DataFrame) -> None:
    with pytest.raises(RequestError, match="no point to show"):
        report_html(points[points["status"].eq("failed")])


def test_figures_with_wires_stand_in_columns_of_their_own(page: Page, points: pd.DataFrame, tmp_path: Path) -> None:
    """On axes, in the datasheet and side by side; a point that was not placed has none, and no page without any."""
    assert page.locator('#x option[value="placed_area_ge"]').count() == 0
    assert "Placed figures" not in page.content()
    done = points[points["status"].eq("done")].reset_index(drop=True)
    with_wires = PlacedFigures(
        technology="invented",
        source="invented",
        utilisation=0.7,
        core_width_um=100.0,
        core_height_um=100.0,
        wire_mm=71.25,
        half_perimeter_mm=60.0,
        area_ge=11111.0,
        period_ns=2.125,
        period_with_ports_ns=2.5,
        wired_period_ns=3.0,
        throughput_gbps=6.02,
        efficiency_kbps_per_ge=541.8,
        turns=2,
        stands=True,
        seed=1,
    )
    file = tmp_path / "placed.html"
    file.write_text(report_html(points, placed={done.loc[6, "key"]: with_wires}), encoding="utf-8")
    page.goto(file.as_uri())
    page.evaluate("report.change({pinned: [report.points[6].id, report.points[7].id]})")
    row = page.locator("#comparison-table tr", has_text="Area, placed, GE")
    expect(row.locator("td").first).to_contain_text("11,111")
    expect(row.locator("td").last).to_have_text("–")
    page.evaluate("report.select(report.points[6].id)")
    for text in ("Area, placed", "11,111 GE", "2.125 ns", "71.3 mm"):
        expect(page.locator("#sheet")).to_contain_text(text)
    page.select_option("#x", "placed_area_ge")
    assert len(marks(page)) == 1
    expect(page.locator("#missing")).to_contain_text("20 not drawn: no area, placed")
    expect(page.locator("footer")).to_contain_text("cells fill 0.7 of the core")


def luminance_of(colour: str) -> float:
    """Relative luminance of an rgb() colour (WCAG 2.1)."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_marks_are_told_apart_without_colour_and_seen_on_their_ground(
    page: Page, scheme: Literal["light", "dark"], media: Literal["screen", "print"]
) -> None:
    """Who sees no colours has eight shapes; each colour has a contrast of 3 to 1, as WCAG 2.1 asks of graphics."""
    page.select_option("#colour", "architecture")
    page.emulate_media(color_scheme=scheme, media=media)
    # The page hears of it by an event.
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    shapes = page.evaluate("report.shapes")
    assert len(set(shapes)) == len(shapes) == 8
    swatches = page.locator("#legend .swatch:not(.publication) path")
    drawn = swatches.evaluate_all("nodes => nodes.map((node) => node.getAttribute('d'))")
    assert len(set(drawn)) == len(drawn) > 3
    ground = luminance_of(page.evaluate("getComputedStyle(document.getElementById('scatter')).backgroundColor"))
    for kind in range(8):
        colour = page.evaluate(
            "kind => { const node = document.createElementNS('http://www.w3.org/2000/svg', 'path');"
            " node.setAttribute('class', `kind${kind}`); document.getElementById('plot').append(node);"
            " const fill = getComputedStyle(node).fill; node.remove(); return fill }",
            kind,
        )
        lighter, darker = sorted((luminance_of(colour), ground), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 3, (kind, colour)


def test_paper_shows_whole_tables(page: Page) -> None:
    """At the width of A4: nothing scrolls on paper."""
    page.evaluate("report.change({pinned: report.points.slice(0, 4).map((point) => point.id)})")
    page.click("#need summary")
    page.evaluate("report.select(report.points[1].id)")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})
    assert page.locator(".scroll").count() == 3
    wide = page.locator(".scroll").evaluate_all("nodes => nodes.map((n) => n.scrollWidth - n.clientWidth)")
    assert [extra for extra in wide if extra > 1] == []
    for place in ("#need-answer", "#scatter", "#comparison", "#points", "#sheet"):
        expect(page.locator(place)).to_be_visible()
    for place in ("#controls", "#need-form", "#theme"):
        expect(page.locator(place)).to_be_hidden()


@pytest.mark.parametrize("width", [360, 375])
def test_designs_side_by_side_can_be_read_on_narrow_screens(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("report.change({pinned: report.points.slice(0, 3).map((point) => point.id)})")
    row = page.locator("#comparison-table tr", has_text="Area, GE")
    for cell in row.locator("td.figure").all()[:2]:
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width

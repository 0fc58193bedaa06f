"""Writes what README shows of measured cores: its picture, docs/front.svg, and its table of five cores.

    python scripts/front_page.py

All figures are of points that are in the repository: those that come with aesmith (`presets`, `families`), and
docs/tables/front.csv, which `benchmarks/front_points.py` measures. A test holds both against what stands there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from aesmith.drawing.svg import INK, document, group, number, path, text
from aesmith.explore.points import pareto_front, points_by, shipped_points, with_marks

ROOT = Path(__file__).parents[1]
POINTS, PICTURE, README = ROOT / "docs" / "tables" / "front.csv", ROOT / "docs" / "front.svg", ROOT / "README.md"
BEGIN, END = "<!-- begin: scripts/front_page.py -->\n", "<!-- end -->\n"
LIBRARIES = {"nangate45-typ": "NanGate 45 nm", "generic45": "generic45"}
RECIPE = "compress"
"""The recipe of the table's figures: the one that all shipped points have in both libraries."""

FIVE = {
    "serial-small-enc": "the smallest preset without clock gates",
    "boyar2010-enc": "the smallest preset with a round a clock",
    "ueno2020-enc": "of these, the most throughput per area in NanGate 45 nm",
    "ueno2020-encdec": "the same for both directions",
    "zhang2004-r3-enc": "ten rounds in hardware: a block a clock",
}
NAMED = {
    "serial-shared-small-enc": "serial-shared-small",
    "serial-shared-keyed-gated-enc": "serial-shared-keyed",
    "column-beat32-gated-enc": "column-beat32-gated-enc",
    "maximov2019-enc": "maximov2019-enc",
    "ueno2020-enc": "ueno2020-enc",
    "ueno2020-enc-p2": "ueno2020-enc-p2",
    "subpipelined-r3-u5": "subpipelined, 5 rounds of 3 stages",
    "subpipelined-r3-u10": "subpipelined, 10 rounds of 3 stages",
}
"""What is written at the first point of the front that is of a design."""

GROUPS = {
    "SASEBO, tower field": ("sasebo-comp-enc", "sasebo-comp-dec"),
    "SASEBO, tables; Usselmann": ("sasebo-tbl-enc", "sasebo-enc", "usselmann-enc"),
    "Secworks (both directions, two key sizes)": ("secworks-128",),
}
"""What is written at the lowest point of public cores."""

WIDTH, HEIGHT, LEFT, TOP = 720.0, 400.0, 62.0, 104.0
AREAS, SPEEDS = (1e3, 3e5), (0.03, 400.0)
OURS, PUBLIC = "#1d5fa8", "#b45309"


@dataclass(frozen=True)
class Place:
    """Where a point of area (GE) and throughput (Gbit/s) is drawn; both axes are logarithmic."""

    x: float
    y: float

    @classmethod
    def of(cls, area: float, speed: float) -> Place:
        """The coordinates in the frame."""

        def share(value: float, ends: tuple[float, float]) -> float:
            return math.log(value / ends[0]) / math.log(ends[1] / ends[0])

        return cls(WIDTH * share(area, AREAS), HEIGHT * (1 - share(speed, SPEEDS)))


def shipped(name: str) -> pd.DataFrame:
    """Shipped points under the names of presets; outputs are bare, or quiet where a core has no bare one.

    Each is verified as its core is in any of the shipped points: what `aesmith recommend` says of it.
    """
    points = with_marks(points_by(name), pd.concat([points_by(each) for each in shipped_points()]))
    assert set(points["status"]) == {"done"}
    # Of a core that was measured with a bare output and a quiet one by the same recipe, the bare one counts.
    bare = points.sort_values("design", key=lambda names: ~names.str.endswith("-bare"), kind="stable")
    named = bare.assign(design=bare["design"].str.removesuffix("-bare"))
    return named.drop_duplicates(["design", "library", "recipe"]).sort_index()


def beside() -> pd.DataFrame:
    """The points that were measured for the picture and the table: public cores, and ours that `families` lacks."""
    return pd.read_csv(POINTS)


def ours() -> pd.DataFrame:
    """All points of our cores in the picture."""
    return shipped("families")


def front() -> pd.DataFrame:
    """The points of ours that no other point of ours beats in both figures, the smallest first."""
    return pareto_front(ours(), minimise=["area_ge"], maximise=["throughput_gbps"]).sort_values("area_ge")


def picture() -> str:
    """The text of the SVG file."""
    public = beside().query("whose != 'ours'")
    title = "AES cores: throughput over area"
    library, recipes = LIBRARIES["nangate45-typ"], shipped("families")["recipe"].nunique()
    notes = (
        f"{library}, typical corner, without wires; each core by up to {recipes} recipes of synthesis, at its highest "
        "clock",
        f"{len(ours())} points of {ours()['design'].nunique()} cores made by aesmith, and "
        f"{public['design'].nunique()} public cores in the same flow",
    )
    head = [text(24, 30, title, 16, weight=600), *(text(24, 50 + 16 * i, note, 11.5) for i, note in enumerate(notes))]
    content = [*_axes(), *_our_marks(), *_public_marks(public), *_legend()]
    return document(LEFT + WIDTH + 30, TOP + HEIGHT + 56, title, [*head, *group(LEFT, TOP, content)])


def _axes() -> Iterator[str]:
    yield path("M", 0, 0, "V", HEIGHT, "H", WIDTH, stroke=INK, line=1)
    yield text(WIDTH / 2, HEIGHT + 42, "area (gate equivalents)", 12, anchor="middle")
    yield text(-44, -12, "Gbit/s", 12)
    for area in (1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5):
        x = Place.of(area, 1).x
        yield path("M", x, HEIGHT, "V", 0, stroke="#e4e7eb", line=0.8)
        yield text(x, HEIGHT + 20, f"{area:,.0f}", 12, anchor="middle")
    for speed in (0.1, 1.0, 10.0, 100.0):
        y = Place.of(1e4, speed).y
        yield path("M", 0, y, "H", WIDTH, stroke="#e4e7eb", line=0.8)
        yield text(-8, y + 4, f"{speed:g}", 12, anchor="end")


def _our_marks() -> Iterator[str]:
    for point in ours().itertuples():
        place = Place.of(point.area_ge, point.throughput_gbps)
        yield _circle(place, 2.4, OURS, 0.35)
    best = [(point.design, Place.of(point.area_ge, point.throughput_gbps)) for point in front().itertuples()]
    steps = [part for _, place in best[1:] for part in ("H", place.x, "V", place.y)]
    yield path("M", best[0][1].x, best[0][1].y, *steps, stroke=OURS, line=1.8)
    labelled = set()
    for design, place in best:
        yield _circle(place, 3.4, OURS, 1)
        if design in NAMED and design not in labelled:
            labelled.add(design)
            yield text(place.x - 8, place.y - 7, NAMED[design], 12, anchor="end", color=OURS, weight=600)


def _public_marks(public: pd.DataFrame) -> Iterator[str]:
    assert set(public["design"]) == {design for group in GROUPS.values() for design in group}
    for words, designs in GROUPS.items():
        places = [
            Place.of(point.area_ge, point.throughput_gbps) for point in public.itertuples() if point.design in designs
        ]
        yield from map(_diamond, places)
        x, y = max(place.x for place in places), max(place.y for place in places)
        yield text(x - 40, y + 20, words, 12, color=PUBLIC, weight=600)


def _legend() -> Iterator[str]:
    rows: tuple[tuple[str, str], ...] = (
        (_circle(Place(WIDTH - 250, HEIGHT - 62), 3.4, OURS, 1), "aesmith, the front of these points"),
        (_circle(Place(WIDTH - 250, HEIGHT - 42), 2.4, OURS, 0.35), "aesmith, the other points"),
        (_diamond(Place(WIDTH - 250, HEIGHT - 22)), "public Verilog cores"),
    )
    for i, (mark, words) in enumerate(rows):
        yield mark
        yield text(WIDTH - 238, HEIGHT - 58 + 20 * i, words, 12)


def _circle(place: Place, radius: float, colour: str, shade: float) -> str:
    return (
        f'<circle cx="{number(place.x)}" cy="{number(place.y)}" r="{radius}" fill="{colour}" fill-opacity="{shade:g}"/>'
    )


def _diamond(place: Place) -> str:
    return path("M", place.x, place.y - 5, "l", 5, 5, "l", -5, 5, "l", -5, -5, "z", fill=PUBLIC)


def table() -> str:
    """The table of five cores."""
    known = {
        "nangate45-typ": pd.concat([ours(), beside().query("whose == 'ours'")]),
        "generic45": shipped("presets").query("library == 'generic45'"),
    }
    known = {library: points.query("recipe == @RECIPE").set_index("design") for library, points in known.items()}
    head = "".join(f" {name}: GE | Gbit/s |" for name in LIBRARIES.values())
    lines = [f"| core | what it is | clocks a block |{head} proved |", f"|---|---|---:|{'---:|' * 4}---|"]
    for design, words in FIVE.items():
        shown = known["generic45"].loc[design]
        assert shown["verified"].startswith("proof and simulation"), design
        figures = [known[library].loc[design] for library in LIBRARIES]
        cells = " | ".join(f"{_area(row)} | {_digits(row['throughput_gbps'])}" for row in figures)
        lines.append(f"| `{design}` | {words} | {shown['cycles_per_block']:g} | {cells} | yes |")
    return "\n".join(lines) + "\n"


def _area(point: pd.Series) -> str:
    """The area in GE, and whether it is of a core with a quiet output; that of the others is bare."""
    quiet = '"output": "quiet"' in str(point.get("specification"))
    return f"{point['area_ge']:,.0f}" + " (quiet)" * quiet


def _digits(value: float) -> str:
    """Three digits that count."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def written(readme: str) -> str:
    """README with the table as it is now."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")

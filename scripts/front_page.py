"""Writes what README and docs/index.md show of measured designs: the picture docs/front.svg, and the table in README.

    python scripts/front_page.py

All figures are of points in the repository: those that come with aesmith (`presets`, `families`, `engines`), and the
public cores of docs/tables/front.csv, which `benchmarks/front_points.py` measures. A test compares both with the files.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from aesmith.drawing.svg import INK, document, group, number, path, text
from aesmith.explore.points import PROOF, is_engine, pareto_front, points_by, shipped_points, with_marks

ROOT = Path(__file__).parents[1]
POINTS, PROVED = ROOT / "docs" / "tables" / "front.csv", ROOT / "docs" / "tables" / "proved.csv"
CERTIFICATES = ROOT / "docs" / "evidence" / "certificate.md"
PICTURE, README = ROOT / "docs" / "front.svg", ROOT / "README.md"
BEGIN, END = "<!-- begin: scripts/front_page.py -->\n", "<!-- end -->\n"
LIBRARY, LIBRARY_NAME = "nangate45-typ", "NanGate 45 nm"
MASKED = "masked"
"""The family of cores in shares."""

ROWS = {
    "serial-bit-enc": "fewest gates",
    "column-beat32-gated-enc": "32-bit data path",
    "boyar2010-enc": "round per cycle, smallest",
    "ueno2020-enc": "round per cycle, best per GE",
    "ueno2020-enc-p4": "four blocks in flight",
    "ueno2020-encdec": "both directions",
    "zhang2004-r3-enc": "block per cycle",
    "masked-column-gated-enc": "masked, order 1",
    "gcm-compact": "GCM, small",
    "gcm-lean-10g": "GCM at 10 Gbit/s",
    "ctr-ahead": "CTR, block per cycle",
    "xts-disk": "XTS for disks",
    "multi-compact": "eight modes in one",
}
"""What a designer asks for, by the preset that answers it."""
SMALLEST = ("serial-bit-enc", "boyar2010-enc")
"""Presets shown at their smallest point; every other one at its best throughput per area."""

NAMED = {
    "serial-bit-enc": "serial-bit-enc",
    "serial-shared-small-enc": "serial-shared-small",
    "serial-shared-keyed-gated-enc": "serial-shared-keyed",
    "column-beat32-gated-enc": "column-beat32-gated-enc",
    "ueno2020-enc": "ueno2020-enc",
    "ueno2020-enc-p4": "ueno2020-enc-p4",
    "subpipelined-r3-u5": "subpipelined, 5 rounds of 3 stages",
    "subpipelined-r3-u10": "subpipelined, 10 rounds of 3 stages",
}
"""What is written at the first point of the front that is of a design."""
OTHERS = {
    "masked-serial-gated-enc": (-30, 16),
    "masked-loop-gated-enc": (10, 22),
    "gcm-lean-10g": (-30, 20),
    "ctr-ahead": (8, 14),
}
"""Masked cores and engines whose names are written, and how far from their points."""

GROUPS = {
    "SASEBO, tower": ("sasebo-comp-enc", "sasebo-comp-dec"),
    "SASEBO, Usselmann": ("sasebo-tbl-enc", "sasebo-enc", "usselmann-enc"),
    "Secworks, both directions": ("secworks-128",),
}
"""What is written at the lowest point of public cores."""

WIDTH, HEIGHT, LEFT, TOP = 720.0, 400.0, 62.0, 104.0
AREAS, SPEEDS = (7e2, 4e5), (0.015, 400.0)
OURS, ENGINES, SHARES, PUBLIC = "#1d5fa8", "#2f7d4f", "#8a2f5b", "#b45309"


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


@cache
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


@cache
def known() -> pd.DataFrame:
    """All shipped points in the library of picture and table; `kind` is core, masked or engine."""
    every = pd.concat([shipped(name) for name in ("families", "presets", "engines")], ignore_index=True)
    here = every[every["library"].eq(LIBRARY)].drop_duplicates(["design", "recipe"])
    engine = here["specification"].map(is_engine)
    kind = here["family"].eq(MASKED).map({True: MASKED, False: "core"}).mask(engine, "engine")
    return here.assign(kind=kind).reset_index(drop=True)


def public_points() -> pd.DataFrame:
    """The public cores, measured in the same flow."""
    return pd.read_csv(POINTS).query("whose != 'ours'")


def ours() -> pd.DataFrame:
    """All points of cores without masks: the field that the front is of."""
    return known().query("kind == 'core'")


def front() -> pd.DataFrame:
    """The points of ours that no other point of ours beats in both figures, the smallest first."""
    return pareto_front(ours(), minimise=["area_ge"], maximise=["throughput_gbps"]).sort_values("area_ge")


def shown(design: str) -> pd.Series:
    """The point of a design that tables show: its smallest, or that with the most throughput per area."""
    points = known().query("design == @design").set_index("recipe")
    if design in SMALLEST:
        return points.loc[points["area_ge"].astype(float).idxmin()]
    return points.loc[points["efficiency_kbps_per_ge"].astype(float).idxmax()]


@cache
def proved() -> frozenset[str]:
    """Designs that are proved: cores by the marks of shipped points and by the certificates that were checked, engines
    and masked cores by what docs/tables/proved.csv names."""
    marked = pd.concat([shipped(name) for name in shipped_points()])
    marked = marked[marked["verified"].fillna("").str.startswith(PROOF)]
    certified = re.findall(r"^\| `([\w-]+)` \|", CERTIFICATES.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(marked["design"]) | frozenset(certified) | frozenset(pd.read_csv(PROVED)["design"])


def picture() -> str:
    """The text of the SVG file."""
    public = public_points()
    title = "AES cores and engines: throughput over area"
    counts = known().groupby("kind")["design"].nunique()
    notes = (
        f"{LIBRARY_NAME}, typical corner, before placement; up to {ours()['recipe'].nunique()} synthesis recipes per "
        "core, each at its highest clock",
        f"{len(known())} points of {counts['core']} cores, {counts[MASKED]} masked cores and {counts['engine']} "
        f"engines by aesmith; {public['design'].nunique()} public cores in the same flow",
    )
    head = [text(24, 30, title, 16, weight=600), *(text(24, 50 + 16 * i, note, 11.5) for i, note in enumerate(notes))]
    content = [*_axes(), *_our_marks(), *_public_marks(public), *_other_marks(), *_legend()]
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


def _other_marks() -> Iterator[str]:
    """The best point of each masked core and of each engine."""
    points = known()
    for kind, mark, colour in ((MASKED, _triangle, SHARES), ("engine", _square, ENGINES)):
        for design in dict.fromkeys(points.loc[points["kind"].eq(kind), "design"]):
            point = shown(design)
            place = Place.of(point["area_ge"], point["throughput_gbps"])
            yield mark(place)
            if design in OTHERS:
                right, down = OTHERS[design]
                yield text(place.x + right, place.y + down, design, 12, color=colour, weight=600)


def _legend() -> Iterator[str]:
    x, top = WIDTH - 275, HEIGHT - 102
    rows: tuple[tuple[str, str], ...] = (
        (_circle(Place(x, top), 3.4, OURS, 1), "core on the front"),
        (_circle(Place(x, top + 20), 2.4, OURS, 0.35), "other core"),
        (_triangle(Place(x, top + 40)), "masked core (order 1)"),
        (_square(Place(x, top + 60)), "engine: a mode with everything it needs"),
        (_diamond(Place(x, top + 80)), "public Verilog core"),
    )
    for i, (mark, words) in enumerate(rows):
        yield mark
        yield text(x + 12, top + 4 + 20 * i, words, 12)


def _circle(place: Place, radius: float, colour: str, shade: float) -> str:
    return (
        f'<circle cx="{number(place.x)}" cy="{number(place.y)}" r="{radius}" fill="{colour}" fill-opacity="{shade:g}"/>'
    )


def _diamond(place: Place) -> str:
    return path("M", place.x, place.y - 5, "l", 5, 5, "l", -5, 5, "l", -5, -5, "z", fill=PUBLIC)


def _square(place: Place) -> str:
    return path("M", place.x - 3.5, place.y - 3.5, "h", 7, "v", 7, "h", -7, "z", fill=ENGINES)


def _triangle(place: Place) -> str:
    return path("M", place.x, place.y - 4.5, "l", 4.5, 8, "h", -9, "z", fill=SHARES)


def table() -> str:
    """The table of designs: what each is for, its clocks, area and throughput, and how it is verified."""
    lines = ["| you need | name | cycles | GE | Gbit/s | verified by |", "|---|---|---:|---:|---:|---|"]
    for design, words in ROWS.items():
        point = shown(design)
        cells = (words, f"`{design}`", f"{point['cycles_per_block']:,g}", area(point))
        lines.append(f"| {' | '.join(cells)} | {digits(point['throughput_gbps'])} | {verdict(design)} |")
    return "\n".join(lines) + "\n"


def verdict(design: str) -> str:
    """How a design is verified."""
    return "proof" if design in proved() else "simulation"


def area(point: pd.Series) -> str:
    """The area in GE, with a star if it is of a core with a bare output."""
    bare = json.loads(str(point["specification"])).get("output") == "bare"
    return f"{point['area_ge']:,.0f}" + ("\\*" if bare else "")


def digits(value: float) -> str:
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

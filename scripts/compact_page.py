"""Writes what docs/evidence/compact-front.md shows: its tables, and the picture docs/evidence/compact-front.svg.

    python scripts/compact_page.py

All figures are of docs/tables/compact.csv, which `benchmarks/compact_front.py` measures. A test holds page and picture
against it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from aesmith.drawing.svg import FAINT, INK, document, group, number, path, text
from aesmith.explore.points import pareto_front

ROOT = Path(__file__).parents[1]
POINTS = ROOT / "docs" / "tables" / "compact.csv"
PICTURE, PAGE = ROOT / "docs" / "evidence" / "compact-front.svg", ROOT / "docs" / "evidence" / "compact-front.md"
BEGIN, END = "<!-- begin: scripts/compact_page.py -->\n", "<!-- end -->\n"
LIBRARIES = {
    "nangate45-slow": "NanGate 45 nm, slow",
    "nangate45-typ": "NanGate 45 nm, typical",
    "sky130hd": "SkyWater 130 nm",
    "ihp-sg13g2": "IHP 130 nm",
    "generic45": "generic45",
}
"""The names they were registered by, in the order of the page."""

KEPT, WITH_BLOCK, BOTH = "encryption, key kept", "encryption, a key with each block", "both directions"
CLASSES = (KEPT, WITH_BLOCK, BOTH)
FAMILIES = {
    "a bit": "#7b4fa3",
    "8 bits": "#1d5fa8",
    "8 bits, others' data paths": "#56a0d0",
    "16 bits": "#8a2f5b",
    "32 bits": "#b45309",
    "128 bits": "#2f7d4f",
}
"""Widths of the data path, and their colours."""
AREAS = (2e3, 1.25e4)
"""What the page is about, in GE."""
PANEL, HEIGHT, LEFT, TOP, GAP, BELOW, COLUMNS = 430.0, 250.0, 64.0, 92.0, 84.0, 86.0, 2


def points() -> pd.DataFrame:
    """The rows of the table within `AREAS`, with their class and the width of their data path."""
    found = pd.read_csv(POINTS)
    found = found[found["area_ge"].between(*AREAS)]
    both = found["directions"].eq("encrypt+decrypt")
    of_class = found["key"].map({"kept": KEPT, "with block": WITH_BLOCK}).mask(both, BOTH)
    return found.assign(of_class=of_class, width=[_width(row) for row in found.to_dict("records")])


def _width(row: dict[str, Any]) -> str:
    if row["family"] != "byte-serial":
        return {"column": "32 bits", "round-based": "128 bits"}[row["family"]]
    if row["block_width"] == 16:
        return "16 bits"
    if row["design"] == "serial-bit-enc":
        return "a bit"
    published = row["design"].startswith(("wang2010", "hamalainen2006"))
    return "8 bits, others' data paths" if published else "8 bits"


def front(found: pd.DataFrame) -> pd.DataFrame:
    """The points that no other beats in both area and throughput per area, the smallest first."""
    return pareto_front(found, minimise=["area_ge"], maximise=["efficiency_kbps_per_ge"]).sort_values("area_ge")


def tables() -> str:
    """Where each width stops paying, and the fronts of all libraries."""
    found = points()
    shown = [name for name in LIBRARIES if name in set(found["library"])]
    parts = [_stops(found, shown)]
    for library in shown:
        rows = found[found["library"].eq(library)]
        parts.append(f"### {LIBRARIES[library]}\n\n{rows['corner'].iloc[0]}, {rows['design'].nunique()} cores.\n")
        parts.append(_fronts(rows))
    return "\n".join(parts)


def _stops(found: pd.DataFrame, shown: list[str]) -> str:
    lines = [
        "| library | front of | " + " | ".join(FAMILIES) + " |",
        "|---|---|" + "---|" * len(FAMILIES),
    ]
    for library in shown:
        for of_class in CLASSES:
            best = front(found[found["library"].eq(library) & found["of_class"].eq(of_class)])
            cells = [_span(best[best["width"].eq(width)]) for width in FAMILIES]
            lines.append(f"| {LIBRARIES[library]} | {of_class} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _span(rows: pd.DataFrame) -> str:
    """From its smallest to its largest point on the front; its most throughput per area."""
    if rows.empty:
        return "–"
    ends = " to ".join(dict.fromkeys(f"{rows['area_ge'].agg(end):,.0f}" for end in ("min", "max")))
    return f"{ends} GE: {rows['efficiency_kbps_per_ge'].max():.1f}"


def _fronts(rows: pd.DataFrame) -> str:
    lines = [
        "| front of | core | recipe | GE | ns | clocks | Gbit/s | Kbit/s/GE | pJ a block |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for of_class in CLASSES:
        for row in front(rows[rows["of_class"].eq(of_class)]).to_dict("records"):
            lines.append(
                f"| {of_class} | `{row['design']}` | {row['recipe']} | {row['area_ge']:,.0f} | {row['period_ns']:.3f} "
                f"| {float(row['cycles_per_block']):g} | {row['throughput_gbps']:.3f} "
                f"| {row['efficiency_kbps_per_ge']:.1f} | {_energy(row)} |"
            )
    return "\n".join(lines) + "\n"


def _energy(row: dict[str, float]) -> str:
    """Encrypting, and decrypting where the core does."""
    figures = [row[f"energy_pj_per_block_{way}"] for way in ("encrypt", "decrypt")]
    return ", ".join(f"{figure:,.0f}" for figure in figures if not math.isnan(figure)) or "–"


@dataclass(frozen=True)
class Frame:
    """Logarithmic axes: area in GE, and throughput per area in Kbit/s/GE."""

    bottom: float
    top: float

    def place(self, area: float, efficiency: float) -> tuple[float, float]:
        """The coordinates of a point."""
        x = PANEL * math.log(area / AREAS[0]) / math.log(AREAS[1] / AREAS[0])
        return x, HEIGHT * math.log(self.top / efficiency) / math.log(self.top / self.bottom)


def picture() -> str:
    """The text of the SVG file: a panel for each library."""
    found = points()
    shown = [name for name in LIBRARIES if name in set(found["library"])]
    title = "Compact AES-128 cores: throughput per area over area"
    head = [
        text(24, 30, title, 16, weight=600),
        text(
            24, 50, "each core by two recipes of synthesis, before layout; lines: fronts of cores that keep a key", 11.5
        ),
    ]
    x = 24.0
    for family, colour in FAMILIES.items():
        head += [_mark(KEPT, x + 5, 66, colour), text(x + 14, 70, family, 11.5)]
        x += 32 + 6.2 * len(family)
    for of_class, words in ((WITH_BLOCK, "a key with each block"), (BOTH, "both directions")):
        head += [_mark(of_class, x + 5, 66, INK), text(x + 14, 70, words, 11.5)]
        x += 32 + 6.2 * len(words)
    content: list[str] = []
    for place, library in enumerate(shown):
        row, column = divmod(place, COLUMNS)
        panel = list(_panel(found[found["library"].eq(library)], LIBRARIES[library]))
        content += group(LEFT + column * (PANEL + GAP), TOP + 22 + row * (HEIGHT + BELOW), panel)
    rows = math.ceil(len(shown) / COLUMNS)
    width = LEFT + COLUMNS * (PANEL + GAP) - GAP + 30
    return document(width, TOP + 22 + rows * (HEIGHT + BELOW) - 26, title, [*head, *content])


def _panel(rows: pd.DataFrame, name: str) -> Iterator[str]:
    speeds = rows["efficiency_kbps_per_ge"]
    frame = Frame(float(speeds.min()) / 1.2, float(speeds.max()) * 1.25)
    yield text(PANEL / 2, -10, name, 12.5, anchor="middle", weight=600)
    yield path("M", 0, 0, "V", HEIGHT, "H", PANEL, stroke=INK, line=1)
    for area in (2.5e3, 3e3, 4e3, 5e3, 6e3, 8e3, 1e4, 1.2e4):
        x, _ = frame.place(area, frame.top)
        yield path("M", x, HEIGHT, "V", 0, stroke="#e4e7eb", line=0.8)
        yield text(x, HEIGHT + 17, f"{area / 1e3:g}", 11, anchor="middle")
    yield text(PANEL / 2, HEIGHT + 34, "area (kGE)", 11, anchor="middle", color=FAINT)
    for speed in (k * 10**e for e in range(4) for k in (1, 2, 5)):
        if frame.bottom <= speed <= frame.top:
            _, y = frame.place(AREAS[0], speed)
            yield path("M", 0, y, "H", PANEL, stroke="#e4e7eb", line=0.8)
            yield text(-8, y + 4, f"{speed:g}", 11, anchor="end")
    yield text(-50, -10, "Kbit/s/GE", 11, color=FAINT)
    line = front(rows[rows["of_class"].eq(KEPT)])
    best = [frame.place(row.area_ge, row.efficiency_kbps_per_ge) for row in line.itertuples()]
    steps = [part for x, y in best[1:] for part in ("H", x, "V", y)]
    yield path("M", *best[0], *steps, stroke=FAINT, line=1.3)
    for row in rows.itertuples():
        yield _mark(row.of_class, *frame.place(row.area_ge, row.efficiency_kbps_per_ge), FAMILIES[row.width])


def _mark(of_class: str, x: float, y: float, colour: str) -> str:
    """A disc, a ring or a triangle."""
    if of_class == BOTH:
        return path("M", x, y - 4.4, "l", 4.2, 7.6, "h", -8.4, "z", fill=colour)
    fill = colour if of_class == KEPT else "#ffffff"
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="3.6" fill="{fill}" stroke="{colour}" stroke-width="1.4"/>'


def written(page: str) -> str:
    """The page with its tables as they are now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

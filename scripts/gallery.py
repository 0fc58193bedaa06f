"""Writes docs/gallery.md, a card for each family of cores and each kind of engine, and its pictures docs/gallery/*.svg.

    python scripts/gallery.py

Figures are of the points that come with aesmith, as on the front page (`scripts/front_page.py`), names and facts of the
catalogue. A test compares the page with both.
"""

from __future__ import annotations

import math
import runpy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from aesmith.api import listing
from aesmith.drawing.svg import FAINT, INK, document, group, number, path, text

ROOT = Path(__file__).parents[1]
PAGE, PICTURES = ROOT / "docs" / "gallery.md", ROOT / "docs" / "gallery"
BEGIN, END = "<!-- begin: scripts/gallery.py -->\n", "<!-- end -->\n"
FRONT: Mapping[str, Any] = runpy.run_path(str(ROOT / "scripts" / "front_page.py"))
WIDTH, HEIGHT, LEFT, TOP = 300.0, 150.0, 40.0, 26.0
AREAS, SPEEDS = (1.5e3, 4e5), (0.015, 400.0)
COLOURS = {"core": FRONT["OURS"], "masked": FRONT["SHARES"], "engine": FRONT["ENGINES"]}


@dataclass(frozen=True)
class Card:
    """A family of cores or a kind of engine: its heading, what it is for, the page that explains it, and its designs,
    all of which are shown where `every`."""

    key: str
    title: str
    purpose: str
    page: str
    kind: str
    designs: Sequence[str]
    every: bool = False


FAMILIES = {
    "byte-serial": (
        "Byte-serial cores",
        "The smallest cores: one or two S-boxes work on a byte at a time. Take one for a sensor, a tag or a key store.",
        "byte-serial.md",
    ),
    "column": (
        "32-bit cores",
        "Four S-boxes work on a column per cycle. "
        "Take one between a microcontroller's byte-serial core and a full round.",
        "column.md",
    ),
    "round-based": (
        "Round-based cores",
        "One round per cycle: the usual choice, with the most throughput per gate for chained modes such as CBC.",
        "round-based.md",
    ),
    "sub-pipelined": (
        "Pipelined cores",
        "Rounds cut into stages, up to a block per cycle. Take one for ECB, CTR or GCM at tens of gigabits.",
        "subpipelined.md",
    ),
    "masked": (
        "Masked cores",
        "Key and data are in shares, against power analysis in the glitch-extended probing model. "
        "They need fresh random bits.",
        "masked-cores.md",
    ),
}
"""Heading, purpose and page of each family."""

ENGINES = {
    "multi": (
        "Eight modes in one engine",
        "ECB, CBC, CFB128, OFB, CTR, CMAC, CCM and GCM around one core. Each command chooses its mode.",
        "multi-mode.md",
    ),
    "gcm": ("GCM", "Authenticated encryption for links and storage, from small to 100 Gbit/s.", "gcm.md"),
    "gcm-siv": ("GCM-SIV", "Authenticated encryption that forgives a nonce that comes twice.", "gcm-siv.md"),
    "gcm-sst": ("GCM-SST", "GCM for short tags, each with hash keys of its own.", "gcm-sst.md"),
    "siv": ("AES-SIV", "Authenticated encryption that needs no nonce, by CMAC and counters.", "siv.md"),
    "ccm": ("CCM", "Authenticated encryption for radio protocols, with one core for both passes.", "multi-mode.md"),
    "ocb3": ("OCB3", "Authenticated encryption with one AES call per block.", "ocb3.md"),
    "ctr": ("CTR", "Key stream for any rate; encryption and decryption are the same.", "modes.md"),
    "xts": ("XTS", "Disk sectors, with ciphertext stealing.", "xts.md"),
    "cmac": ("CMAC", "Message authentication in few gates.", "chained-modes.md"),
    "cbc": ("CBC", "Chained blocks, for protocols that ask for it.", "chained-modes.md"),
    "cfb": ("CFB128 and CFB8", "Ciphertext feedback, by blocks or by bytes.", "chained-modes.md"),
    "kw": ("Key wrap", "Keys wrapped under a key, by KW and KWP.", "key-wrap.md"),
    "drbg": ("CTR_DRBG", "Random bits from a seed, by SP 800-90A.", "ctr-drbg.md"),
    "ofb": ("OFB", "Output feedback: a key stream that depends on no data.", "chained-modes.md"),
}
"""Heading, purpose and page of each kind of engine; a kind is the beginning of its presets' names."""


@cache
def listed() -> Mapping[str, Mapping[str, Any]]:
    """What there is to choose from, by name."""
    return {one["name"]: one for one in (*listing.cores(), *listing.engines())}


def cards() -> list[Card]:
    """All cards, engines first."""
    cores = [one for one in listed().values() if "family" in one]
    engines = [name for name, one in listed().items() if "family" not in one]
    kinds = {name: max((key for key in ENGINES if name.startswith(key.removesuffix("3"))), key=len) for name in engines}
    made = [
        Card(key, *words, "engine", [name for name in engines if kinds[name] == key], every=True)
        for key, words in ENGINES.items()
    ]
    for key, words in FAMILIES.items():
        names = [core["name"] for core in cores if core["family"] == key]
        made.append(Card(key, *words, "masked" if key == "masked" else "core", names))
    return made


def points_of(card: Card) -> pd.DataFrame:
    """The points of a card's designs."""
    points: pd.DataFrame = FRONT["known"]()
    return points[points["design"].isin(card.designs)]


def rows_of(card: Card) -> list[pd.Series]:
    """What the table of a card shows, a point each, by area: all its designs, or the few that are best in something."""
    points = points_of(card)
    if card.every:
        chosen = [FRONT["shown"](name) for name in card.designs if name in set(points["design"])]
    else:
        areas, speeds, best = (
            points[name].astype(float) for name in ("area_ge", "throughput_gbps", "efficiency_kbps_per_ge")
        )
        kept = dict.fromkeys([areas.idxmin(), best.idxmax(), speeds.idxmax()])
        chosen = list({points.loc[one, "design"]: points.loc[one] for one in kept}.values())
    return sorted(chosen, key=lambda point: float(point["area_ge"]))


def place(area: float, speed: float) -> tuple[float, float]:
    """Where a point is drawn; both axes are logarithmic."""
    return (
        WIDTH * math.log(area / AREAS[0]) / math.log(AREAS[1] / AREAS[0]),
        HEIGHT * (1 - math.log(speed / SPEEDS[0]) / math.log(SPEEDS[1] / SPEEDS[0])),
    )


def picture(card: Card) -> str:
    """The text of a card's SVG: all designs faint, those of the card in colour."""
    title = f"{card.title}: throughput over area"
    content = [
        *_axes(),
        *_dots(FRONT["known"](), FAINT, 1.3, 0.35),
        *_dots(points_of(card), COLOURS[card.kind], 2.6, 1),
    ]
    return document(LEFT + WIDTH + 16, TOP + HEIGHT + 38, title, group(LEFT, TOP, content))


def _axes() -> Iterator[str]:
    yield path("M", 0, 0, "V", HEIGHT, "H", WIDTH, stroke=INK, line=1)
    yield text(-LEFT + 8, -11, "Gbit/s", 11)
    for area, words in ((2e3, "2 kGE"), (1e4, "10"), (1e5, "100 kGE")):
        x, _ = place(area, 1)
        yield path("M", x, HEIGHT, "V", 0, stroke="#e4e7eb", line=0.8)
        yield text(x, HEIGHT + 18, words, 11, anchor="middle")
    for speed in (0.1, 1.0, 10.0, 100.0):
        _, y = place(1e4, speed)
        yield path("M", 0, y, "H", WIDTH, stroke="#e4e7eb", line=0.8)
        yield text(-6, y + 4, f"{speed:g}", 11, anchor="end")


def _dots(points: pd.DataFrame, colour: str, radius: float, shade: float) -> Iterator[str]:
    """All points as one path of round dots."""
    spots = (place(float(a), float(s)) for a, s in zip(points["area_ge"], points["throughput_gbps"], strict=True))
    drawn = "".join(dict.fromkeys(f"M{number(x)} {number(y)}h0" for x, y in spots))
    yield (
        f'<path d="{drawn}" stroke="{colour}" stroke-width="{number(2 * radius)}" stroke-opacity="{shade:g}" '
        'stroke-linecap="round" fill="none"/>'
    )


def facts(card: Card) -> str:
    """In a line: how many designs, keys, directions, how many are proved."""
    ones = [listed()[name] for name in card.designs]
    keys = sorted({bits for one in ones for bits in _bits(one)})
    pairs = [one["aes"] for one in ones if ", " in one.get("aes", "")]
    proofs = sum(name in FRONT["proved"]() for name in card.designs)
    said = [
        f"{len(card.designs)} preset{'s' if len(card.designs) > 1 else ''}",
        pairs[0] if pairs else f"keys of {_or([f'{bits}' for bits in keys])} bits",
        f"{proofs or 'none'} proved" if proofs < len(card.designs) or proofs == 1 else "all proved",
        "masked at order 1 to 5" if card.kind == "masked" else "not masked",
    ]
    if lacking := [f"`{name}`" for name in card.designs if name not in set(points_of(card)["design"])]:
        said.append(f"no figures in this library: {', '.join(lacking)}")
    return "; ".join(said)


def _bits(one: Mapping[str, Any]) -> Sequence[int]:
    return one["key_bits"] if isinstance(one["key_bits"], list) else [one["key_bits"]]


def _or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def markdown(card: Card) -> str:
    """A card: picture, purpose, table, facts, first command."""
    rows = rows_of(card)
    lines = [
        '<div class="card" markdown>',
        "",
        f"### {card.title}",
        "",
        f"![{card.title} among all designs: throughput over area](gallery/{card.key}.svg)",
        "",
        f"{card.purpose} [More]({card.page})",
        "",
        "| preset | cycles | GE | Gbit/s | verified by |",
        "|---|---:|---:|---:|---|",
    ]
    for point in rows:
        name, clocks = point["design"], f"{float(point['cycles_per_block']):,.3g}"
        if float(point["cycles_per_block"]) >= 1000:
            clocks = f"{float(point['cycles_per_block']):,.0f}"
        figures = f"{FRONT['area'](point)} | {FRONT['digits'](point['throughput_gbps'])}"
        lines.append(f"| `{name}` | {clocks} | {figures} | {FRONT['verdict'](name)} |")
    lines += ["", f"{facts(card)[0].upper()}{facts(card)[1:]}.", "", "</div>", ""]
    return "\n".join(lines)


def gallery() -> str:
    """Both groups of cards."""
    made = cards()
    parts = []
    for heading, kinds in (("Engines", ("engine",)), ("Cores", ("core", "masked"))):
        chosen = [markdown(card) for card in made if card.kind in kinds]
        parts += [f"## {heading}", "", '<div class="cards wide" markdown>', "", *chosen, "</div>", ""]
    return "\n".join(parts)


def written(page: str) -> str:
    """The page with its cards as they are now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{gallery()}\n{END}{after}"


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for one in cards():
        (PICTURES / f"{one.key}.svg").write_text(picture(one), encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

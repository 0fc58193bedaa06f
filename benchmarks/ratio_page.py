"""What Ueno et al. (TC 2020) claim, from all sections of their tables: ratios, and their figures 6 and 11.

    python benchmarks/ratio_page.py

docs/tables/ueno-ratios.md has the ratios of all conditions and libraries; docs/ueno-table2.svg and docs/ueno-table4.svg
are latency over area. Nothing is measured for them: they are made of the sections of ueno-table1 to 4.
`reproduce_page.py` writes them, too, so that they have all that has been measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from measured_pages import BOTH, PAGES, PLACED, REWIRED, ROOT, Section, measured_sections
from quoted_figures import quoted

from aesmith.drawing.charts import Mark, scatter
from aesmith.flow.measurement import Optimise
from aesmith.tables.catalogue import TABLES
from aesmith.tables.render import NOTHING

PAGE = PAGES / "ueno-ratios.md"
PICTURES = ("ueno-table2/nangate45-slow", "ueno-table4/nangate45-slow")
"""The sections that are drawn."""

_HEAD = """# The ratios of Ueno et al., 2020, side by side

What the paper claims as ratios, as published and by both ways of synthesis: [what was found](../papers/ueno2020.md).

- as published (kept): the hierarchy is kept, and each module is mapped by itself, as in the paper (conditions
  `area-kept` and `area-speed-kept`)
- restructured: the description is flattened, as a modern flow does (conditions `area` and `area-speed`)
- rewired: the same, the two best netlists of every core rewired, too ([how](../optimiser.md))
- over the front: of all netlists tried either way, each core by the one with the most throughput per area, so that no
  rule of choice decides
- placed: the restructured netlists with their wires ([what placed means](../placement.md)), each column by its own best
- the best conventional core is the best in that figure; it may be another one in the paper, and in each column. Where
  libraries are compared, it stands in brackets
- the conventional cores are their authors' structure with today's circuits; “own circuits” are what is known of their
  publications' S-boxes, MixColumns and selectors, in the rows “as published” of the tables. Of Liu et al.'s core that
  is a reconstruction, so the ratio is also given with the core of today's circuits in its place
- a dash was not measured; of a library only the tables, and the ways, that were measured in it are here

<!-- All of this page: python benchmarks/ratio_page.py -->
"""


class RatioClaim(NamedTuple):
    """What is claimed of a table: a ratio of the rows' figures in a column."""

    what: str
    column: str
    rows: str


_OVER_BEST = RatioClaim("throughput per area, over the best conventional core", "efficiency", "This work")
_OVER_OWN = RatioClaim("the same, the others with their own circuits", "as published", "This work")
_BOTH = (
    _OVER_BEST,
    _OVER_OWN,
    RatioClaim("the same, but Liu et al. with today's", "as published, but for Liu et al.", "This work"),
    RatioClaim("throughput per area, over the version of 2016", "efficiency (Kbps/GE)", "This work / Previous"),
    RatioClaim("latency, to the shortest conventional one", "latency (ns)", "This work / best"),
    RatioClaim("power, encryption", "power at 100 MHz, enc. (µW)", "This work / best"),
    RatioClaim("power, decryption", "power at 100 MHz, dec. (µW)", "This work / best"),
    RatioClaim("power × latency, encryption", "power × latency, enc. (fJ)", "This work / best"),
    RatioClaim("power × latency, decryption", "power × latency, dec. (fJ)", "This work / best"),
)
_ENCRYPT = (
    _OVER_BEST,
    _OVER_OWN,
    RatioClaim("latency, to the shortest conventional one", "latency (ns)", "This work / best"),
    RatioClaim("power", "power at 100 MHz (µW)", "This work / best"),
    RatioClaim("power × latency", "power × latency (fJ)", "This work / best"),
)
CLAIMS = {"ueno-table1": _BOTH, "ueno-table2": _BOTH, "ueno-table3": _ENCRYPT, "ueno-table4": _ENCRYPT}
_KINDS = {
    "kept": "as published (kept)",
    "": "restructured",
    REWIRED: "rewired",
    BOTH: "over the front",
    PLACED: "placed",
}

_RATIOS = {BOTH: "front", PLACED: "ratio, placed"}
"""Sections that have ratios of throughput per area only, in this column."""


def page(sections: Iterable[Section]) -> str:
    """The page that these sections make."""
    found = {(s.table, s.library, s.condition): s for s in sections if s.table in CLAIMS}
    libraries = list(dict.fromkeys(library for _, library, _ in found))
    parts = [_HEAD]
    for kind, title in _KINDS.items():
        if len({library for name, library, condition in found if condition == _condition(name, kind)}) > 1:
            header = ("", "published", *libraries)
            rows = [
                (f"{_short(name)}: {claims[0].what}", _published(found, name, claims[0]),
                 *(_over_best(found, name, library, kind) for library in libraries))
                for name, claims in CLAIMS.items()
            ]  # fmt: skip
            parts += [f"## {title[0].upper()}{title[1:]}, in all libraries", _table(header, rows)]
    for library in libraries:
        parts.append(f"## {library}")
        measured = {name for name, where, _ in found if where == library}
        kinds = [k for k in _KINDS if any((name, library, _condition(name, k)) in found for name in measured)]
        for name, claims in [(name, claims) for name, claims in CLAIMS.items() if name in measured]:
            header = (f"{_short(name)} ([{name}]({name}.md))", "published", *(_KINDS[k] for k in kinds))
            rows = [
                (
                    claim.what,
                    _published(found, name, claim),
                    *(_measured(found, name, library, k, claim) for k in kinds),
                )
                for claim in claims
            ]
            parts.append(_table(header, rows))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _short(name: str) -> str:
    return TABLES[name].title.removeprefix("AES-128 ").removesuffix(" optimisation")


def _published(found: Mapping[tuple[str, str, str], Section], name: str, claim: RatioClaim) -> str:
    """A published ratio: the same in every section that has the figure."""
    column = f"{claim.column}, published"
    having = [s for (table, _, _), s in found.items() if table == name and column in next(iter(s.rows.values()))]
    return f"{quoted(having[0], column, claim.rows):.2f}" if having else NOTHING


def _measured(
    found: Mapping[tuple[str, str, str], Section], name: str, library: str, kind: str, claim: RatioClaim
) -> str:
    """A measured ratio, or a dash where it was not measured in the library so."""
    section = found.get((name, library, _condition(name, kind)))
    column = claim.column
    if kind in _RATIOS:
        column = _RATIOS[kind] if column.startswith("efficiency") else ""
    if section is None or not {column, f"{column}, measured"} & next(iter(section.rows.values())).keys():
        return NOTHING
    return f"{quoted(section, column, claim.rows):.2f}"


def _over_best(found: Mapping[tuple[str, str, str], Section], name: str, library: str, kind: str) -> str:
    """The ratio over the best conventional core, and which that is; fronts do not tell."""
    ratio = _measured(found, name, library, kind, _OVER_BEST)
    section = found.get((name, library, _condition(name, kind)))
    if ratio == NOTHING or section is None or kind in _RATIOS:
        return ratio
    labels = [TABLES[name].row(base).label for base in TABLES[name].base]
    best = max(labels, key=partial(section.value, "efficiency (Kbps/GE)"))
    best = best.removesuffix(" (today's circuits)")
    return f"{ratio} ({best})"


def _condition(name: str, kind: str) -> str:
    """What the sections of a table that are of this kind are measured under, as they say it."""
    kept = next(optimise for optimise in Optimise if optimise.kept and optimise.goal == TABLES[name].optimise[0])
    return kept if kind == "kept" else kind


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|---{'|---:' * (len(header) - 1)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def picture(section: Section) -> str:
    """Latency over area of a section, published and measured in frames of their own, as SVG."""
    table = TABLES[section.table]

    def marks(kind: str) -> Iterator[Mark]:
        for row in table.rows:
            if kind == "measured" or row.published:
                x, y = (section.value(f"{column}, {kind}", row.label) for column in ("area (GE)", "latency (ns)"))
                yield Mark(x, y, row.label, row.name.startswith("ueno"))

    note = f"measured in {section.library}; lower left is better; curves of equal area × latency"
    frames = {kind: tuple(marks(kind)) for kind in ("published", "measured")}
    return scatter(f"{table.name}: {table.title}", note, frames)


def written(sections: Sequence[Section]) -> dict[Path, str]:
    """All that is made of the sections, by its file."""
    drawn = [s for s in sections if s.label in PICTURES]
    return {PAGE: page(sections)} | {ROOT / "docs" / f"{s.table}.svg": picture(s) for s in drawn}


def write() -> None:
    """Make page and pictures anew."""
    for file, text in written(measured_sections()).items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()

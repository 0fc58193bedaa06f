"""The data of the report's page: a frame of points as columns of plain values, with what is known of each design."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from aesmith.cores.family import Specification
from aesmith.cores.specification import build_design, default_name, families, presets
from aesmith.explore.points import how_to_make, synthesis_of
from aesmith.lazy import LazyModule
from aesmith.publish.report.columns import CONDITIONS, DEFAULTS, FIGURES, PARAMETERS
from aesmith.publish.report.papers import published_points
from aesmith.sboxes.catalogue import catalogue

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

_DIGITS = 9
_WORDS = ("design", "title", "citation", "make", "verified", *dict(CONDITIONS), *(p.name for p in PARAMETERS))


def content(points: pd.DataFrame) -> dict[str, object]:
    """What the page's scripts read. Points that failed are left out; columns are those of `points`."""
    done = points[points["status"].eq("done")].reset_index(drop=True)
    told = done.assign(
        synthesis=synthesis_of(done),
        chained_gbps=128 / done["latency_ns"],
        title=[_title(row) for row in done.to_dict("records")],
        citation=_citations(done),
        make=[how_to_make(design, text) for design, text in zip(done["design"], done["specification"], strict=True)],
    )
    figures = [figure for figure in FIGURES if told[figure.name].notna().any()]
    libraries = told["library"].value_counts()
    return {
        "figures": [asdict(figure) for figure in figures],
        "parameters": [asdict(parameter) for parameter in PARAMETERS],
        "conditions": [{"name": name, "label": label} for name, label in CONDITIONS],
        "defaults": DEFAULTS | {"filters": {"library": [str(libraries.index[0])]} if len(libraries) > 1 else {}},
        "ids": _short(done["key"].tolist()),
        "columns": {figure.name: _numbers(told[figure.name]) for figure in figures}
        | {name: _words(told[name].tolist()) for name in dict.fromkeys(_WORDS)},
        "published": published_points(),
        "sboxes": _sboxes(set(told["sbox"].dropna())),
    }


def as_json(values: Mapping[str, object]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _title(row: Mapping[str, object]) -> str:
    """What the design is, in one line."""
    key_bits = json.loads(str(row["specification"])).get("key_bits", row["key_bits"])
    keys = "/".join(map(str, key_bits if isinstance(key_bits, list) else [key_bits]))
    ways = " and ".join(f"{direction}ion" for direction in str(row["directions"]).split("+"))
    parts = [f"AES-{keys} {ways}, {row['family']}"]
    family = families().get(str(row["family"]))
    if family is not None:
        stages, rounds = (None if pd.isna(row[name]) else int(str(row[name])) for name in ("stages", "units"))
        parts += family.structure(stages or 1, rounds)
    if not pd.isna(row["sbox"]):
        parts.append(f"S-box {row['sbox']}")
    return ", ".join(parts)


def _citations(points: pd.DataFrame) -> list[str]:
    """The publication of each design: the preset's own, or that of the architecture's first preset.

    Presets that are named after the same publication and have the same architecture are built once.
    """
    known = presets()
    found: dict[tuple[str, str], str] = {}
    citations = []
    for design, architecture in zip(points["design"], points["architecture"], strict=True):
        preset = design if design in known else _first(known, architecture)
        if preset is None:
            citations.append("")
            continue
        group = (preset.split("-")[0], architecture)
        if group not in found:
            found[group] = str(build_design(known[preset], default_name(preset), preset).publication)
        citations.append(found[group])
    return citations


def _first(known: Mapping[str, Specification], architecture: str) -> str | None:
    return next((name for name, spec in known.items() if spec.architecture == architecture), None)


def _short(keys: Sequence[str]) -> list[str]:
    """The first letters of each key, as many as tell them apart."""
    length = next((n for n in range(8, 64) if len({key[:n] for key in keys}) == len(keys)), 64)
    return [key[:length] for key in keys]


def _numbers(column: pd.Series) -> list[float | int | None]:
    def plain(value: float | int) -> float | int:
        whole = float(value).is_integer()
        return int(value) if whole else float(f"{float(value):.{_DIGITS}g}")

    return [None if pd.isna(value) else plain(value) for value in column.tolist()]


def _words(values: Sequence[object]) -> dict[str, list[object]]:
    """The different words, and for each point the index of its own."""
    texts = [None if pd.isna(value) else str(value) for value in values]
    words = list(dict.fromkeys(text for text in texts if text is not None))
    places = {word: index for index, word in enumerate(words)}
    return {"words": list(words), "index": [None if text is None else places[text] for text in texts]}


def _sboxes(names: set[str]) -> dict[str, dict[str, str]]:
    return {
        name: {
            "citation": str(catalogue()[name].publication),
            "provenance": catalogue()[name].provenance,
            "patent": catalogue()[name].patent,
        }
        for name in sorted(names)
        if name in catalogue()
    }

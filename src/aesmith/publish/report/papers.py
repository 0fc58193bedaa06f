"""The cores of the published tables as points of a scatter: figures as the papers state them, slips corrected."""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.cores.specification import presets
from aesmith.tables.catalogue import TABLES
from aesmith.tables.model import Row, Table

_COLUMNS = {
    "area": "area_ge",
    "throughput": "throughput_gbps",
    "latency": "latency_ns",
    "fmax": "fmax_mhz",
    "efficiency": "efficiency_kbps_per_ge",
    "clocks": "cycles_per_block",
    "power": "power_uw_at_100mhz_encrypt",
    "power_decrypt": "power_uw_at_100mhz_decrypt",
    "power_latency": "power_latency_product_encrypt",
    "power_latency_decrypt": "power_latency_product_decrypt",
}
"""A table's figure: the column of a frame of points that has the same quantity."""

_UNITS = {"(Mbps)": 1e-3, "(Mbps/GE)": 1e3}
"""What titles of figures end with where the unit is not the column's, and the factor to it."""


def published_points() -> list[dict[str, object]]:
    """Every row of a published table that is a core, with the columns it has a figure for.

    Each also has `name` (the preset), `label`, `publication`, `source` (table and row) and `conditions`.
    """
    known = presets()
    return [
        _point(table, row) for table in TABLES.values() for row in table.rows if row.name in known and row.published
    ]


def _point(table: Table, row: Row) -> dict[str, object]:
    figures = _figures(table, row)
    corrected = any(correction.figure in _COLUMNS for correction in row.corrections)
    latency = figures.get("latency_ns")
    return {
        "name": row.name,
        "label": row.label,
        "publication": table.publication.short,
        "source": f"{table.publication.key}, {table.source}" + (", a slip corrected" if corrected else ""),
        "conditions": f"{table.conditions}; {table.title}",
        **figures,
        **({"chained_gbps": 128 / latency} if latency else {}),
    }


def _figures(table: Table, row: Row) -> Mapping[str, float]:
    found = {}
    for figure in table.figures:
        value = row.stated(figure.name)
        if value is not None and figure.name in _COLUMNS:
            scale = next((factor for unit, factor in _UNITS.items() if figure.title.endswith(unit)), 1.0)
            found[_COLUMNS[figure.name]] = value * scale
    return found

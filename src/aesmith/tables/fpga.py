"""Published tables of FPGA implementations: rows of stated figures, and the cores that are placed beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.cores.family import Specification
from aesmith.cores.specification import build_design
from aesmith.flow.fpga.devices import Device
from aesmith.flow.fpga.measure import FpgaMeasurement, Kept, check_request, measure_on
from aesmith.progress import Progress
from aesmith.publications import Publication
from aesmith.tables.render import NOTHING, Grid

LUTS_A_MEMORY = 256
"""What a block memory counts as in throughput a LUT: the publications' 128 slices, of two LUTs each."""


@dataclass(frozen=True)
class FpgaRow:
    """One design. `published` has the figures as printed, by name; `specification` is what is placed here, if anything.

    `compared` names the rows that this one's throughput a LUT is divided by.
    """

    name: str
    label: str
    published: Mapping[str, float] = field(default_factory=dict)
    device: str = ""
    specification: Specification | None = None
    compared: tuple[str, ...] = ()


@dataclass(frozen=True)
class FpgaTable:
    """A published table. `columns` are the titles and digits of the published figures, by name."""

    name: str
    title: str
    publication: Publication
    source: str
    columns: Mapping[str, tuple[str, int]]
    rows: tuple[FpgaRow, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FpgaReproduction:
    """A table as measured on one device, by row."""

    table: FpgaTable
    device: Device
    measurements: Mapping[str, FpgaMeasurement]

    @property
    def from_store(self) -> int:
        """Steps that were known."""
        return sum(measurement.from_store for measurement in self.measurements.values())

    @property
    def steps(self) -> int:
        """Syntheses and placements in all."""
        return sum(measurement.steps for measurement in self.measurements.values())

    def per_lut(self, name: str, *, median: bool = False) -> float | None:
        """Mbps a LUT of a row, a block memory counted as LUTS_A_MEMORY, of the best seed or of the median of all.

        None on a device that is not placed on.
        """
        found = self.measurements[name]
        if found.throughput_mbps is None or found.fmax_mhz is None or found.median_fmax_mhz is None:
            return None
        share = found.median_fmax_mhz / found.fmax_mhz if median else 1.0
        return share * found.throughput_mbps / (found.luts + LUTS_A_MEMORY * found.memories)

    def advantages(self, name: str, *, median: bool = False) -> dict[str, float]:
        """Mbps a LUT of a row over that of each row it is compared with."""
        own = self.per_lut(name, median=median)
        others = {other: self.per_lut(other, median=median) for other in self.table_row(name).compared}
        return {other: own / value for other, value in others.items() if own is not None and value is not None}

    def table_row(self, name: str) -> FpgaRow:
        """The row of that name."""
        return next(row for row in self.table.rows if row.name == name)


def reproduce_on(
    table: FpgaTable,
    device: Device,
    work_dir: Path,
    kept: Kept | None,
    *,
    seeds: int,
    speed: str | None,
    refresh: bool = False,
    progress: Progress | None = None,
) -> FpgaReproduction:
    """Place every row that has a specification; what is kept is not placed again.

    Raises RequestError for a wrong request or a device too small for a row, ToolError if a tool is missing or fails.
    """
    check_request(device, seeds, speed)
    designs = {row.name: _design(row, row.specification) for row in table.rows if row.specification is not None}
    steps = (1 + seeds if device.placed else 1) * len(designs)
    measurements: dict[str, FpgaMeasurement] = {}
    for number, (name, design) in enumerate(designs.items()):

        def tell(step: str, done: int, total: int, *, name: str = name, before: int = number) -> None:
            if progress is not None:
                progress(f"{name}: {step}", before * total + done, steps)

        measurements[name] = measure_on(
            design,
            device,
            work_dir / name,
            seeds=seeds,
            speed=speed,
            kept=kept,
            refresh=refresh,
            progress=tell,
        )
    return FpgaReproduction(table, device, measurements)


def _design(row: FpgaRow, specification: Specification) -> CoreDesign:
    return build_design(specification.model_copy(update={"output": "bare"}), row.name.replace("-", "_"), row.name)


def fpga_grids(found: FpgaReproduction) -> tuple[Grid, ...]:
    """Published figures; ours; and who is how much better in throughput a LUT."""
    table = found.table
    published = Grid(
        f"{table.name}: {table.title}, published",
        ("design", "device", *(f">{title}" for title, _ in table.columns.values())),
        tuple(
            (row.label, row.device, *(_number(row.published.get(name), d) for name, (_, d) in table.columns.items()))
            for row in table.rows
            if row.published
        ),
    )
    titles = ("MHz", "median MHz", "lowest MHz", "Mbps", "LUTs", "flip-flops", "memories", "Mbps/LUT")
    measured = Grid(
        f"{table.name}: {table.title}, measured on {found.device.name}",
        ("design", *(f">{title}" for title in titles)),
        tuple((found.table_row(name).label, *_figures(found, name)) for name in found.measurements),
    )
    compared = [name for name in found.measurements if found.advantages(name)]
    if not compared:
        return published, measured
    advantages = Grid(
        "Mbps/LUT, how many times that of another",
        ("design", "over", ">times", ">of medians"),
        tuple(
            (found.table_row(name).label, found.table_row(other).label, f"{times:.2f}", f"{medians[other]:.2f}")
            for name in compared
            for medians in [found.advantages(name, median=True)]
            for other, times in found.advantages(name).items()
        ),
    )
    return published, measured, advantages


def fpga_footnotes(found: FpgaReproduction) -> list[str]:
    """Where the figures are from, and under which conditions, a sentence each."""
    table = found.table
    lines = [f"published: {table.publication}, {table.source}", *table.notes]
    conditions = dict.fromkeys(line for m in found.measurements.values() for line in m.conditions)
    lines.append("measured: " + "; ".join(conditions))
    grades = sorted({m.speed_grade for m in found.measurements.values() if m.speed_grade})
    lines += [f"speed grade {grade}" for grade in grades]
    tools = {f"{tool} {version}" for m in found.measurements.values() for tool, version in m.tool_versions.items()}
    lines.append(", ".join(sorted(tools)))
    gaps = dict.fromkeys(gap for m in found.measurements.values() for gap in m.gaps.values())
    return lines + list(gaps)


def fpga_json(found: FpgaReproduction) -> dict[str, object]:
    """The table as plain JSON values."""
    table = found.table
    return {
        "table": table.name,
        "title": table.title,
        "publication": str(table.publication),
        "source": table.source,
        "device": found.device.name,
        "steps": found.steps,
        "from_store": found.from_store,
        "rows": [
            {
                "name": row.name,
                "label": row.label,
                "device": row.device,
                "published": dict(row.published),
                "measured": found.measurements[row.name].to_json() if row.name in found.measurements else None,
                "mbps_per_lut": found.per_lut(row.name) if row.name in found.measurements else None,
                "times": found.advantages(row.name) if row.name in found.measurements else {},
                "times_of_medians": found.advantages(row.name, median=True) if row.name in found.measurements else {},
            }
            for row in table.rows
        ],
        "notes": fpga_footnotes(found),
    }


def fpga_markdown(found: FpgaReproduction) -> str:
    """The table as a section of a Markdown page."""
    lines: list[str] = []
    for grid in fpga_grids(found):
        lines += [f"## {grid.title}" if not lines else f"{grid.title[0].upper()}{grid.title[1:]}:", ""]
        lines.append(f"| {' | '.join(column.removeprefix('>') for column in grid.columns)} |")
        lines.append(f"|{'|'.join('---:' if column.startswith('>') else '---' for column in grid.columns)}|")
        lines += [f"| {' | '.join(row)} |" for row in grid.rows]
        lines.append("")
    return "\n".join([*lines, *(f"- {line}" for line in fpga_footnotes(found))]) + "\n"


def _figures(found: FpgaReproduction, name: str) -> tuple[str, ...]:
    m = found.measurements[name]
    return (
        _number(m.fmax_mhz, 1),
        _number(m.median_fmax_mhz, 1),
        _number(min((run.fmax_mhz for run in m.runs), default=None), 1),
        _number(m.throughput_mbps, 0),
        f"{m.luts:,}",
        f"{m.flip_flops:,}",
        f"{m.memories:,}",
        _number(found.per_lut(name), 3),
    )


def _number(value: float | None, digits: int) -> str:
    return NOTHING if value is None else f"{value:,.{digits}f}"

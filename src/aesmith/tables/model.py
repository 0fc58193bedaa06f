"""What a published table is: rows of stated figures, the slips in them, and how each row is measured here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit
from aesmith.cores.design import Design
from aesmith.flow.measurement import Candidate, Measurement, Optimise
from aesmith.publications import Correction, Publication, corrected
from aesmith.technology.library import Library

DESIGN = "design"
"""The part of a row that its figures are of, where it has only one."""


@dataclass(frozen=True)
class Gap:
    """A figure that could not be had, and why."""

    reason: str


Value = float | Gap
Make = Callable[[Library], Design]
"""Makes the design to be measured. It may be cut for the library. Raises RequestError if there is no such design."""


@dataclass(frozen=True)
class Row:
    """One design. `published` has the figures as printed, by `Figure.name`; it is empty for designs set beside them.

    `parts` are the designs that are measured for it; `circuit` is the circuit whose gates are counted. `gap` says why
    nothing can be measured, if so. `note` says how the design measured differs from the publication's.
    """

    name: str
    label: str
    published: Mapping[str, float]
    parts: Mapping[str, Make] = field(default_factory=dict)
    circuit: Callable[[], Circuit] | None = None
    corrections: tuple[Correction, ...] = ()
    gap: str = ""
    note: str = ""

    def stated(self, figure: str) -> float | None:
        """The published figure, corrected where it is a slip; None if the publication has none."""
        return corrected(self.published, self.corrections).get(figure)


@dataclass(frozen=True)
class TableFindings:
    """What was measured for a table: by row, part and condition; `absent` says of rows why they have nothing.

    `powered` has, by row and part, what `Table.powered` chose, with its power; `rewired` says that the best netlists of
    each were rewired, too.
    """

    table: Table
    library: Library
    optimise: tuple[Optimise, ...]
    designs: Mapping[str, Mapping[str, Design]]
    measurements: Mapping[str, Mapping[str, Mapping[Optimise, Measurement]]]
    absent: Mapping[str, str]
    powered: Mapping[str, Mapping[str, Measurement]] = field(default_factory=dict)
    rewired: bool = False

    def measurement(self, row: Row, part: str = DESIGN, optimise: Optimise | None = None) -> Measurement | Gap:
        """One measurement of a row; without `optimise` under the table's condition, the first if it has several."""
        if row.name in self.absent:
            return Gap(self.absent[row.name])
        if part not in self.measurements[row.name]:
            return Gap(f"the row has no {part}")
        return self.measurements[row.name][part][optimise or self.optimise[0]]


@dataclass(frozen=True)
class Figure:
    """A column, or a pair of them. `measured` finds the figure, None where only the publication has it.

    `ratio` says that it is also shown relative to the base row; `best` is what is good: "least" or "most". `power` says
    that it is of power, which is measured only on demand. Figures of one `group`, which names them, are shown together.
    """

    name: str
    title: str
    digits: int
    measured: Callable[[TableFindings, Row], Value] | None = None
    ratio: bool = False
    best: str = "most"
    power: bool = False
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A published table. `conditions` are the publication's, in its words; `optimise` are ours.

    Ratios are to the row of `base`; of several, to the one that is best by the figure `base_by`, in which published and
    measured may differ. `base_sets` are sets of rows by what they are called: `base_by` is also shown relative to the
    best row measured of each. `powered` chooses, of the netlists tried for a part of a row, the one whose power is
    measured: where it is not that of the measurement.
    """

    name: str
    title: str
    publication: Publication
    source: str
    conditions: str
    figures: tuple[Figure, ...]
    rows: tuple[Row, ...]
    base: tuple[str, ...]
    base_by: str
    optimise: tuple[Optimise, ...]
    notes: tuple[str, ...] = ()
    base_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recipe: Callable[[TableFindings, Row], str] | None = None
    powered: Callable[[TableFindings, Row, str], Candidate | Gap] | None = None

    def row(self, name: str) -> Row:
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)

    def figure(self, name: str) -> Figure:
        """The figure of that name."""
        return next(figure for figure in self.figures if figure.name == name)

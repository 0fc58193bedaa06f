"""Tables I to IV of Lin et al. (IEEE Access 2023): combined S-boxes, not pipelined and pipelined.

Tables I and III compare at one frequency for both designs, 800 and 2500 MHz in the paper's process. Another library is
faster or slower, so here it is the same share of what the design compared with reaches at most: 800 of 1000 MHz, and
2500 of 3030.3 MHz. The smallest netlist that is fast enough counts, of all that were tried, and its power is measured.

Tables II and IV have the fastest netlist of all that were tried, and beside it the fastest of those that keep the gates
of the description: mapping for delay restructures long stages more than short ones, and so takes from a design with
short ones what its stages were cut for.
"""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.pipeline import StagedCircuit, pipeline
from aesmith.cores.design import Design
from aesmith.cores.leaf import between_registers
from aesmith.errors import RequestError
from aesmith.flow.measurement import Candidate, Measurement, Optimise
from aesmith.sboxes.entry import Function
from aesmith.sboxes.lin2023 import PUBLICATION
from aesmith.tables.designs import catalogue, published_cuts, registered
from aesmith.tables.figures import (
    Measured,
    grouped,
    power_at,
    power_figures,
    power_of_cells_at,
    product,
    quotient,
)
from aesmith.tables.model import DESIGN, Figure, Gap, Make, Row, Table, TableFindings, Value
from aesmith.technology.cost import cost_model
from aesmith.technology.library import Library

BITS = 8
_COMBINED = Function.COMBINED
_DECRYPT = 8  # the input bit after the eight of x

REGISTER_BITS = 76
"""The publication's register bits; that which says the direction is not counted."""

LONGER = (0.10, 0.12, 0.14)
"""How much longer than the shortest possible stages may be, to have no more registers than the publication's cuts.

Cuts that the model finds equal differ by some per cent once they are mapped: several are tried, the fastest counts.
"""


def counted_bits(staged: StagedCircuit) -> int:
    """Register bits as the publication counts them: without the direction."""
    return sum(len(set(rank) - {_DECRYPT}) for rank in staged.registers)


def our_cuts(name: str, library: Library, longer: float = 0.0) -> StagedCircuit:
    """A combined S-box in seven stages with the fewest registers, by the library's delays.

    Stages are the shortest possible, or up to the share `longer` longer than that.
    """
    model = cost_model(library)
    circuit = catalogue(name, _COMBINED)()
    shortest = pipeline(circuit, stages=7, model=model)
    return pipeline(circuit, stages=7, model=model, relax=longer * shortest.period(model)) if longer else shortest


def _ours(name: str, module: str, longer: float = 0.0, bits: int | None = None) -> Make:
    def make(library: Library) -> Design:
        staged = our_cuts(name, library, longer)
        if bits is not None and counted_bits(staged) > bits:
            raise RequestError(f"stages {longer:.0%} longer than the shortest need more than {bits} register bits")
        return between_registers(staged, module)

    return make


def _circuit_area(area_ge: float, library: Library) -> float:
    """Area without the registers that stand around the circuit only so that it has a period."""
    return area_ge - (BITS + 1 + BITS) * library.area_ge(library.flip_flop)


def _measured(findings: TableFindings, row: Row) -> Measurement | Gap:
    """The row measured for speed; of several cuts of one circuit the fastest."""
    if row.name in findings.absent:
        return Gap(findings.absent[row.name])
    parts = findings.measurements[row.name].values()
    return min((part[Optimise.SPEED] for part in parts), key=lambda found: found.period_ns or float("inf"))


def _fastest(findings: TableFindings, row: Row) -> Value:
    measurement = _measured(findings, row)
    if isinstance(measurement, Gap):
        return measurement
    return measurement.fmax_mhz if measurement.fmax_mhz is not None else Gap(measurement.gaps["fmax_mhz"])


def _area_at_most(findings: TableFindings, row: Row) -> Value:
    measurement = _measured(findings, row)
    return measurement if isinstance(measurement, Gap) else _circuit_area(measurement.area_ge, findings.library)


def _latency(findings: TableFindings, row: Row) -> Value:
    frequency = _frequency_of(findings, row)
    if isinstance(frequency, Gap):
        return frequency
    stages = _stages(findings, row)
    return stages if isinstance(stages, Gap) else 1e3 * stages / frequency


def _stages(findings: TableFindings, row: Row) -> Value:
    if row.name in findings.absent:
        return Gap(findings.absent[row.name])
    return float(next(iter(findings.designs[row.name].values())).latency_cycles)


def _register_bits(findings: TableFindings, row: Row) -> Value:
    measurement = _measured(findings, row)
    if isinstance(measurement, Gap):
        return measurement
    return float(measurement.flip_flops - (BITS + 1 + BITS))


_SHARES = {"lin-table1": 800 / 1000, "lin-table3": 2500 / 3030.3}
"""Tables with one frequency for all rows: its share of the base row's highest."""


def _frequency_of(findings: TableFindings, row: Row) -> Value:
    share = _SHARES.get(findings.table.name)
    if share is None:
        return _fastest(findings, row)
    base = _fastest(findings, findings.table.row(findings.table.base[0]))
    return base if isinstance(base, Gap) else share * base


def _smallest(findings: TableFindings, row: Row, part: str | None = None) -> Candidate | Gap:
    """The smallest netlist of the row, or of a part of it, that is fast enough."""
    frequency = _frequency_of(findings, row)
    if isinstance(frequency, Gap):
        return frequency
    if row.name in findings.absent:
        return Gap(findings.absent[row.name])
    parts = findings.measurements[row.name]
    every = [c for name in parts if part in (None, name) for m in parts[name].values() for c in m.candidates]
    able = [c for c in every if c.area_ge is not None and c.period_ns is not None and frequency * c.period_ns <= 1e3]
    if not able:
        return Gap(f"no netlist reaches {frequency:.0f} MHz")
    return min(able, key=lambda c: c.area_ge or 0.0)


def _powered(findings: TableFindings, row: Row) -> Measurement | Gap:
    """The measurement whose power the row has: of the smallest of its parts that are fast enough."""
    able = findings.powered.get(row.name)
    if not able:
        return Gap("power was not measured") if able is None else Gap("no netlist is fast enough")
    return min(able.values(), key=lambda found: found.area_ge)


def _kept(findings: TableFindings, row: Row) -> Candidate | Gap:
    """The fastest netlist of the row that keeps the gates of the description."""
    if row.name in findings.absent:
        return Gap(findings.absent[row.name])
    every = [c for part in findings.measurements[row.name].values() for c in part[Optimise.SPEED].candidates]
    able = [c for c in every if c.period_ns is not None and c.recipe.startswith("keep-")]
    return min(able, key=lambda c: c.period_ns or 0.0) if able else Gap("no such netlist has a period")


def _frequency_kept(findings: TableFindings, row: Row) -> Value:
    found = _kept(findings, row)
    return found if isinstance(found, Gap) else 1e3 / (found.period_ns or float("inf"))


def _area_kept(findings: TableFindings, row: Row) -> Value:
    found = _kept(findings, row)
    return found if isinstance(found, Gap) else _circuit_area(found.area_ge or 0.0, findings.library)


def _latency_kept(findings: TableFindings, row: Row) -> Value:
    return quotient(product(_stages(findings, row), 1e3), _frequency_kept(findings, row))


def _efficiency_kept(findings: TableFindings, row: Row) -> Value:
    return quotient(product(_frequency_kept(findings, row), float(BITS)), _area_kept(findings, row))


def _area(findings: TableFindings, row: Row) -> Value:
    if findings.table.name not in _SHARES:
        return _area_at_most(findings, row)
    candidate = _smallest(findings, row)
    if isinstance(candidate, Gap):
        return candidate
    return _circuit_area(candidate.area_ge or 0.0, findings.library)


def _throughput(findings: TableFindings, row: Row) -> Value:
    area = _area(findings, row)
    frequency = _frequency_of(findings, row)
    if isinstance(area, Gap) or isinstance(frequency, Gap):
        return area if isinstance(area, Gap) else frequency
    return BITS * frequency / 1e3


def _efficiency(findings: TableFindings, row: Row) -> Value:
    ratio = quotient(_throughput(findings, row), _area(findings, row))
    return ratio if isinstance(ratio, Gap) else 1e3 * ratio


def _recipe(findings: TableFindings, row: Row) -> str:
    if row.name in findings.absent:
        return ""
    if findings.table.name in _SHARES:
        candidate = _smallest(findings, row)
        return "" if isinstance(candidate, Gap) else candidate.label
    measurement = _measured(findings, row)
    return "" if isinstance(measurement, Gap) else measurement.recipe


def _own_or_none(found: Callable[[TableFindings, Row], Value]) -> Callable[[TableFindings, Row], Value]:
    """A figure at the table's frequency, which exists only where some netlist is fast enough."""

    def find(findings: TableFindings, row: Row) -> Value:
        area = _area(findings, row)
        return area if isinstance(area, Gap) else found(findings, row)

    return find


_SPEED, _EFFICIENCY = "frequency, area and latency", "throughput and efficiency"
_PLAIN = (
    Figure("frequency", "frequency (MHz)", 0, _own_or_none(_frequency_of), ratio=True, group=_SPEED),
    Figure("throughput", "throughput (Gbps)", 2, _throughput, group=_EFFICIENCY),
    Figure("area", "area (GE)", 1, _area, ratio=True, best="least", group=_SPEED),
    Figure("latency", "latency (ns)", 2, _own_or_none(_latency), ratio=True, best="least", group=_SPEED),
    Figure("efficiency", "efficiency (Mbps/GE)", 2, _efficiency, ratio=True, group=_EFFICIENCY),
)
_KEPT = grouped(
    "gates of the description kept",
    Figure("frequency_kept", "frequency kept (MHz)", 0, _frequency_kept, ratio=True),
    Figure("area_kept", "area kept (GE)", 1, _area_kept, ratio=True, best="least"),
    Figure("latency_kept", "latency kept (ns)", 2, _latency_kept, ratio=True, best="least"),
    Figure("efficiency_kept", "efficiency kept (Mbps/GE)", 2, _efficiency_kept, ratio=True),
)


def _power_at(mhz: Callable[[TableFindings, Row], Value], of: Measured) -> tuple[Figure, ...]:
    """Power at a frequency, and how much of it registers and other cells take."""

    def figure(name: str, title: str, found: Callable[[TableFindings, Row], Value]) -> Figure:
        return Figure(name, title, 4, found, ratio=True, best="least", power=True, group="power")

    whole = power_at(mhz, 1e-3, of)
    registers, logic = (power_of_cells_at(mhz, 1e-3, of, registers=which) for which in (True, False))

    def share(findings: TableFindings, row: Row) -> Value:
        return quotient(product(registers(findings, row), 100.0), whole(findings, row))

    return (
        figure("power", "power (mW)", whole),
        figure("register_power", "of it registers (mW)", registers),
        figure("logic_power", "of it logic (mW)", logic),
        Figure("register_share", "registers' share (%)", 0, share, best="least", power=True, group="power"),
    )


_POWER = (
    *_power_at(_fastest, _measured),
    *power_figures(None, suffix="_100", digits=1, ratio=False, group="power at 100 MHz", measurement_of=_measured),
)
_PIPELINED = (
    *_PLAIN[:3],
    *grouped(
        "stages and registers",
        Figure("register_bits", "register bits", 0, _register_bits, best="least"),
        Figure("stages", "stages", 0, _stages, best="least"),
    ),
    *_PLAIN[3:],
)

_COLUMNS = ("frequency", "throughput", "cell_area", "area", "stages", "latency", "power", "efficiency")
"""Columns as printed: MHz, Gbps, µm², gate counts, clocks, ns, mW, Mbps per gate."""

_PRINTED = {
    1: ((800, 6.4, 615.76, 905, 1, 1.25, 0.3895, 7.07), (800, 6.4, 462.45, 679.67, 1, 1.25, 0.2996, 9.42)),
    2: ((1000, 8, 850.95, 1250.67, 1, 1, 0.6416, 6.4), (1250, 10, 832.13, 1223, 1, 0.8, 0.7149, 8.18)),
    3: ((2500, 20, 551.57, 810.67, 5, 2, 0.9034, 24.67), (2500, 20, 569.26, 836.67, 7, 2.8, 1.1028, 23.9)),
    4: (
        (3030.3, 24.24, 632.77, 930, 5, 1.65, 1.1897, 26.07),
        (4347.83, 34.78, 702.17, 1031.99, 7, 1.61, 2.0889, 33.70),
    ),
}

_REYHANI = (
    "the paper's [13] is the authors' low-area S-box of 2020, whose equations are not openly accessible; measured is "
    "the catalogue's reyhani2018, of the same authors' structure"
)


def _published(number: int, which: int) -> dict[str, float]:
    stated = dict(zip(_COLUMNS, _PRINTED[number][which], strict=True))
    # Whether the publication's synthesis restructured is not said: its figures are next to both.
    stated |= {f"{name}_kept": stated[name] for name in ("frequency", "area", "latency", "efficiency")}
    if number > 2:
        stated["register_bits"] = (44, REGISTER_BITS)[which]
    return stated


def _plain_rows(number: int) -> tuple[Row, ...]:
    def beside(name: str, label: str) -> Row:
        return Row(name, label, {}, {DESIGN: registered(f"{name}_combined", catalogue(name, _COMBINED))})

    reyhani = {DESIGN: registered("reyhani2018_combined", catalogue("reyhani2018", _COMBINED))}
    lin = {DESIGN: registered("lin2023_combined", catalogue("lin2023", _COMBINED))}
    return (
        Row("reyhani2018", "[13] Reyhani-Masoleh et al.", _published(number, 0), reyhani, note=_REYHANI),
        Row("lin2023", "Lin et al.", _published(number, 1), lin),
        beside("canright2005", "Canright"),
        beside("maximov2019", "after Maximov and Ekdahl"),
    )


def _pipelined_rows(number: int) -> tuple[Row, ...]:
    teng = {DESIGN: registered("teng2022_stages", published_cuts("teng2022", _COMBINED))}
    lin = {DESIGN: registered("lin2023_stages", published_cuts("lin2023", _COMBINED))}

    def shortest(name: str, label: str) -> Row:
        return Row(f"{name}-shortest", label, {}, {DESIGN: _ours(name, f"{name}_shortest")})

    fewer = {
        f"{longer:.0%}": _ours("lin2023", f"lin2023_longer_{100 * longer:.0f}", longer, REGISTER_BITS)
        for longer in LONGER
    }

    reconstructed = "reconstructed from what Lin et al. say of it"
    return (
        Row("teng2022", "[16] Teng et al., own cuts", _published(number, 0), teng, note=reconstructed),
        Row("lin2023", "Lin et al., own cuts", _published(number, 1), lin),
        Row("lin2023-fewer", "Lin et al.'s circuit, our cuts: fewer registers", {}, fewer),
        shortest("lin2023", "Lin et al.'s circuit, our cuts: shortest stages"),
        shortest("maximov2019", "Maximov and Ekdahl's structure, our cuts: shortest stages"),
    )


def _table(number: int) -> Table:
    pipelined, highest = number > 2, number % 2 == 0
    notes = ["the registers around the circuit, which give it a period, are not in the area"]
    if pipelined:
        notes.append(
            "the bit that says the direction of a byte has a register in every rank, which the paper's 76 leave out"
        )
    if highest:
        notes.append(
            "kept: the fastest of the netlists that keep the gates of the description (recipes keep-…); the published "
            "figures are the same, for the paper does not say whether its synthesis restructured"
        )
    else:
        share = "800 of 1000" if not pipelined else "2500 of 3030.3"
        notes.append(f"the frequency is {share} of the highest that the design compared with reaches")
    notes.append(
        "power is on a random word in every clock, glitches included, at the frequency of the row; the registers "
        "around the circuit are in it; neither registers nor logic have the nets of clock and inputs"
    )
    kind = "pipelined" if pipelined else "not pipelined"
    at = "at the highest frequency" if highest else "at one frequency"
    return Table(
        name=f"lin-table{number}",
        title=f"combined S-boxes, {kind}, {at}",
        publication=PUBLICATION,
        source=f"table {('I', 'II', 'III', 'IV')[number - 1]}",
        conditions="TSMC 40 nm; Design Compiler Q-2019.12; a gate count is 0.68 µm²",
        figures=(
            *(_PIPELINED if pipelined else _PLAIN),
            *((*_KEPT, *_POWER) if highest else _power_at(_frequency_of, _powered)),
        ),
        rows=_pipelined_rows(number) if pipelined else _plain_rows(number),
        base=("teng2022" if pipelined else "reyhani2018",),
        base_by="frequency",
        optimise=(Optimise.SPEED,) if highest else (Optimise.SPEED, Optimise.AREA_SPEED, Optimise.AREA),
        notes=tuple(notes),
        recipe=_recipe,
        powered=None if highest else _smallest,
    )


TABLES = tuple(_table(number) for number in (1, 2, 3, 4))

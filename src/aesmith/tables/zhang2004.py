"""Tables I to III of Zhang and Parhi (TVLSI 2004): blocks of SubBytes, inverters in GF(2^4), and encryptors on FPGAs;
and what its text claims: the gates of figures 7 and 8, and what more stages a round bring (section II).

What tables I and II count is the circuit, before any synthesis: gates in all, and on the critical path. Area and delay
in a library, which the paper does not have, stand beside them.

Table III claims that S-boxes of logic have no unbreakable delay, as tables have, so that more stages bring more: 79 %
more throughput a slice than the fastest before it, whose tables are in block memories. Beside the paper's designs stand
the same architectures with tables, all on one device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.linear import linear_map
from aesmith.circuits.pipeline import StagedCircuit, pipeline
from aesmith.cores.subpipelined.columns import ENCRYPT, Column, Entry, Mix, place_inverse_part, times_2
from aesmith.cores.subpipelined.cuts import PAPER_SBOX, paper_column
from aesmith.cores.subpipelined.family import PRESETS, SubpipelinedSpecification
from aesmith.cores.subpipelined.tables import SBoxForm
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.flow.measurement import Optimise
from aesmith.sboxes.zhang2004 import (
    BASIS,
    PUBLICATION,
    inverse_4_by_powers,
    inverse_4_decomposed,
    inverse_4_direct,
    inverse_4_shallow,
    product_2,
    product_4,
    square_4,
    sum_,
    times_lambda,
    times_phi,
)
from aesmith.tables.designs import alone, registered
from aesmith.tables.figures import ANDS, PATH_ANDS, PATH_XORS, XORS, grouped, measured, power_figures
from aesmith.tables.fpga import FpgaRow, FpgaTable
from aesmith.tables.model import DESIGN, Figure, Gap, Row, Table, TableFindings, Value
from aesmith.technology.cost import cost_model

MAP_LEVELS = 4
"""XOR levels of the paper's maps into and out of the tower."""

_Place = Callable[..., list[Wire]]


def _circuit(name: str, place: _Place, widths: Sequence[int]) -> Callable[[], Circuit]:
    """A block by itself: inputs x0, x1, …, output y."""

    def build() -> Circuit:
        builder = CircuitBuilder(name)
        operands = [builder.input(f"x{i}", width) for i, width in enumerate(widths)]
        builder.output("y", place(builder, *operands))
        return builder.build()

    return build


def _map(name: str, matrix: BitMatrix, constant: int = 0) -> Callable[[], Circuit]:
    """A linear map with the fewest gates found at the paper's four levels."""

    def place(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
        return linear_map(matrix, MAP_LEVELS).place(builder, x, constant)

    return _circuit(name, place, (8,))


def _row(
    name: str,
    label: str,
    printed: tuple[int, int, int, int],
    circuit: Callable[[], Circuit],
    note: str = "",
) -> Row:
    columns = ("xor", "and", "path_xor", "path_and")
    published = {column: float(value) for column, value in zip(columns, printed, strict=True)}
    return Row(name, label, published, {DESIGN: alone(f"zhang2004_{name}", circuit)}, circuit=circuit, note=note)


_FIGURES = (
    *grouped(
        "gates",
        Figure("xor", "XOR", 0, XORS, best="least"),
        Figure("and", "AND", 0, ANDS, best="least"),
        Figure("path_xor", "XOR in critical path", 0, PATH_XORS, best="least"),
        Figure("path_and", "AND in critical path", 0, PATH_ANDS, best="least"),
    ),
    *grouped(
        "area and delay",
        Figure("area", "area (GE)", 1, measured("area_ge"), best="least"),
        Figure("delay", "delay (ns)", 3, measured("input_to_output_ns"), best="least"),
    ),
    *power_figures(None, digits=2),
)
_CONDITIONS = "gates of the circuit, substructures shared; before synthesis"
_NOTES = (
    "published and measured gates are of the circuit; the adder of the affine constant is not counted",
    "area, delay and, on a random word in every clock, power are measured only: the block alone, mapped for least area",
)

_OURS = "by our optimiser, at most the four levels of the paper"

_BLOCKS = (
    _row("times_phi", "×φ", (1, 0, 1, 0), _circuit("times_phi", times_phi, (2,))),
    _row("times_lambda", "×λ", (3, 0, 2, 0), _circuit("times_lambda", times_lambda, (4,))),
    _row("square", "x²", (4, 0, 2, 0), _circuit("square", square_4, (4,))),
    _row("product_2", "multiplier in GF(2²)", (4, 3, 2, 1), _circuit("product_2", product_2, (2, 2))),
    _row("product_4", "multiplier in GF(2⁴)", (21, 9, 4, 1), _circuit("product_4", product_4, (4, 4))),
    _row("delta", "×δ", (12, 0, 4, 0), _map("delta", BASIS.from_field), _OURS),
    _row(
        "inverse_delta_affine",
        "×δ⁻¹ and affine",
        (19, 0, 4, 0),
        _map("inverse_delta_affine", aes.AFFINE @ BASIS.to_field),
        _OURS,
    ),
)

_INVERTERS = (
    _row("powers", "1: square and multiply", (54, 18, 12, 2), _circuit("powers", inverse_4_by_powers, (4,))),
    _row("decomposed", "2: decomposition to GF(2²)", (17, 9, 7, 2), _circuit("decomposed", inverse_4_decomposed, (4,))),
    _row("direct", "3: direct equations (10)", (14, 9, 3, 2), _circuit("direct", inverse_4_direct, (4,))),
)


def mix_columns(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """Figure 7 (equation 11): {02}(Si + Si+1) + (Si+2 + Si+3) + Si+1. Bit 8·i + b of `x` is bit b of Si."""
    rows = [x[8 * i : 8 * i + 8] for i in range(4)]
    sums = [sum_(builder, rows[i], rows[(i + 1) % 4]) for i in range(4)]
    mixed = []
    for i in range(4):
        rest = sum_(builder, sums[(i + 2) % 4], rows[(i + 1) % 4])
        mixed += sum_(builder, times_2(builder, sums[i]), rest)
    return mixed


def inverse_mix_columns(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """Figure 8 (equation 12): figure 7, and what it adds below the dashed line."""
    return sum_(builder, mix_columns(builder, x), place_inverse_part(builder, x))


_OF_THE_TEXT = (
    _row(
        "mix_columns", "MixColumns of a column (figure 7)", (108, 0, 3, 0), _circuit("mix_columns", mix_columns, (32,))
    ),
    _row(
        "inverse_mix_columns",
        "InvMixColumns of a column (figure 8)",
        (193, 0, 7, 0),
        _circuit("inverse_mix_columns", inverse_mix_columns, (32,)),
        "by blocks the path has seven XOR gates; no bit goes through all of them",
    ),
    _row(
        "direct_shallow",
        "equations (10) with three XOR in series",
        (14, 9, 3, 2),
        _circuit("direct_shallow", inverse_4_shallow, (4,)),
        "published in table II; some terms are added as products of sums",
    ),
)


def _table(name: str, title: str, source: str, rows: tuple[Row, ...], base: str) -> Table:
    return Table(
        name=name,
        title=title,
        publication=PUBLICATION,
        source=source,
        conditions=_CONDITIONS,
        figures=_FIGURES,
        rows=rows,
        base=(base,),
        base_by="area",
        optimise=(Optimise.AREA,),
        notes=_NOTES,
    )


_ROUND = Column(Entry.STATE, Mix.ALWAYS, ENCRYPT, PAPER_SBOX)
_PAPER_STAGES, _OUR_STAGES = (3, 7), (3, 7, 9)
"""Substages by the paper's cuts, and by the pipeliner's."""


def _substages(findings: TableFindings, row: Row) -> Value:
    if row.name in findings.absent:
        return Gap(findings.absent[row.name])
    return float(findings.designs[row.name][DESIGN].latency_cycles)


def speed_up(substages: float, tau: float) -> float:
    """r(1 + τ) / (1 + rτ): how much faster a round in r substages of equal delay is; τ is register over round."""
    return substages * (1 + tau) / (1 + substages * tau)


def _by_formula(findings: TableFindings, row: Row) -> Value:
    """The formula with the clock to Q and setup of the library's register; the rest of the period of the round that is
    not cut is its logic."""
    whole = findings.measurement(findings.table.row(findings.table.base[0]))
    if isinstance(whole, Gap) or whole.period_ns is None:
        return whole if isinstance(whole, Gap) else Gap(whole.gaps["period_ns"])
    register = cost_model(findings.library).register_delay * 1e-3
    substages = _substages(findings, row)
    return substages if isinstance(substages, Gap) else speed_up(substages, register / (whole.period_ns - register))


def _round_row(stages: int, how: str, staged: Callable[[], StagedCircuit]) -> Row:
    name = f"{how}-{stages}"
    label = {"paper": "the paper's cuts", "ours": "our cuts", "whole": "not cut"}[how]
    published = {} if how == "ours" else {"substages": float(stages)}
    return Row(
        name, f"r = {stages}, {label}", published, {DESIGN: registered(f"zhang2004_round_{how}_{stages}", staged)}
    )


def _ours(stages: int) -> Callable[[], StagedCircuit]:
    return lambda: pipeline(_ROUND.circuit(), stages=stages, model=LEVELS)


_SUBSTAGES = Table(
    name="zhang-substages",
    title="what substages of a round bring: a column of a round, its key in registers",
    publication=PUBLICATION,
    source="section II",
    conditions="substages of equal delay",
    figures=grouped(
        "speed",
        Figure("substages", "substages", 0, _substages),
        Figure("period", "period (ns)", 3, measured("period_ns"), best="least"),
        Figure("frequency", "frequency (MHz)", 0, measured("fmax_mhz"), ratio=True),
        Figure("formula", "r(1 + τ)/(1 + rτ)", 2, _by_formula),
    ),
    rows=(
        _round_row(1, "whole", _ours(1)),
        *(_round_row(r, "paper", partial(paper_column, _ROUND, r)) for r in _PAPER_STAGES),
        *(_round_row(r, "ours", _ours(r)) for r in _OUR_STAGES),
    ),
    base=("whole-1",),
    base_by="frequency",
    optimise=(Optimise.SPEED,),
    notes=(
        "the formula supposes substages of equal delay; its τ is of the library's register and of the round not cut",
        "in the paper's seven the last holds no logic of a round",
    ),
)

TABLES = (
    _table("zhang-table1", "blocks of SubBytes in the polynomial tower", "table I", _BLOCKS, "product_4"),
    _table("zhang-table2", "three inverters in GF(2^4)", "table II", _INVERTERS, "direct"),
    _table(
        "zhang-blocks",
        "figures 7 and 8, and equations (10) as table II has them",
        "section III",
        _OF_THE_TEXT,
        "mix_columns",
    ),
    _SUBSTAGES,
)


_FPGA_COLUMNS = {
    "frequency": ("MHz", 1),
    "throughput": ("Mbps", 0),
    "slices": ("slices", 0),
    "memories": ("BRAMs", 0),
    "per_slice": ("Mbps/slice", 3),
}

_SKID_ENTRIES = 2
"""So the decision to stop has two clocks to reach all parts of the core."""


def _printed(*figures: float) -> dict[str, float]:
    return dict(zip(_FPGA_COLUMNS, figures, strict=True))


def _core(preset: str) -> SubpipelinedSpecification:
    """The preset with the room for results that a core needs whose decision to stop crosses a device."""
    return PRESETS[preset].model_copy(update={"skid_entries": _SKID_ENTRIES})


def _with_tables(stages: int, form: SBoxForm, what: str) -> FpgaRow:
    specification = SubpipelinedSpecification(stages=stages, sbox="table", sbox_form=form, skid_entries=_SKID_ENTRIES)
    return FpgaRow(f"r{stages}-{form}", f"r = {stages}, {what}", specification=specification)


_FPGA_ROWS = (
    FpgaRow("elbirt", "Elbirt et al.", _printed(31.8, 1938, 10992, 0, 0.176), "XCV1000-4"),
    FpgaRow("mcloone", "McLoone et al. (before placement)", _printed(93.9, 12020, 2000, 244, 0.362), "XCV812E-8"),
    FpgaRow("jarvinen", "Järvinen et al.", _printed(129.2, 16500, 11719, 0, 1.408), "XCV1000E-8"),
    FpgaRow("saggese", "Saggese et al.", _printed(158, 20300, 5810, 100, 1.091), "XCV2000E-8"),
    FpgaRow("standaert", "Standaert et al.", _printed(145, 18560, 15112, 0, 1.228), "XCV3200E-8"),
    FpgaRow("r3-slow", "this paper, r = 3", _printed(71.8, 9184, 9406, 0, 0.976), "XCV800-6"),
    FpgaRow(
        "zhang2004-r3-enc",
        "this paper, r = 3",
        _printed(93.5, 11965, 9406, 0, 1.272),
        "XCV812E-8",
        _core("zhang2004-r3-enc"),
        ("r3-luts", "r3-block-memory"),
    ),
    FpgaRow("r7-slow", "this paper, r = 7", _printed(125.3, 16032, 11014, 0, 1.456), "XCV1000-6"),
    FpgaRow(
        "zhang2004-r7-enc",
        "this paper, r = 7",
        _printed(168.4, 21556, 11022, 0, 1.956),
        "XCV1000E-8",
        _core("zhang2004-r7-enc"),
        ("r7-luts", "r7-block-memory"),
    ),
    FpgaRow(
        "r7-lut-cuts",
        "r = 7, cut by levels of LUTs",
        specification=SubpipelinedSpecification(stages=7, cuts="luts", skid_entries=_SKID_ENTRIES),
        compared=("r7-luts", "r7-block-memory", "zhang2004-r7-enc"),
    ),
    _with_tables(3, SBoxForm.LUTS, "tables in LUTs"),
    _with_tables(3, SBoxForm.BLOCK_MEMORY, "tables in block memories"),
    _with_tables(7, SBoxForm.LUTS, "tables in LUTs"),
    _with_tables(7, SBoxForm.BLOCK_MEMORY, "tables in block memories"),
)

FPGA_TABLES = (
    FpgaTable(
        name="zhang-table3",
        title="unrolled encryptors on FPGAs, a block per cycle",
        publication=PUBLICATION,
        source="table III",
        columns=_FPGA_COLUMNS,
        rows=_FPGA_ROWS,
        notes=(
            "published Mbps/slice counts a BRAM as 128 slices; measured Mbps/LUT counts a block memory as 256 LUTs",
            f"measured with {_SKID_ENTRIES} skid entries",
            "tables are read in one clock, and the registers after them are the next stage's",
        ),
    ),
)

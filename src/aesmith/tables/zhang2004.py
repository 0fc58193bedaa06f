"""Tables I to III of Zhang and Parhi (TVLSI 2004): blocks of SubBytes, inverters in GF(2^4), and encryptors on FPGAs.

What tables I and II count is the circuit, before any synthesis: gates in all, and on the critical path. Area and delay
in a library, which the paper does not have, stand beside them.

Table III claims that S-boxes of logic have no unbreakable delay, as tables have, so that more stages bring more: 79 %
more throughput a slice than the fastest before it, whose tables are in block memories. Beside the paper's designs stand
the same architectures with tables, all on one device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.cores.subpipelined.family import PRESETS, SubpipelinedSpecification
from aesmith.cores.subpipelined.tables import SBoxForm
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.flow.measurement import Optimise
from aesmith.sboxes.polynomial_tower import (
    BASIS,
    inverse_4_decomposed,
    product_2,
    product_4,
    square_4,
    times_lambda,
    times_phi,
)
from aesmith.sboxes.zhang2004 import PUBLICATION, inverse_4_by_powers, inverse_4_direct
from aesmith.tables.designs import alone
from aesmith.tables.figures import ANDS, PATH_ANDS, PATH_XORS, XORS, grouped, measured, power_figures
from aesmith.tables.fpga import FpgaRow, FpgaTable
from aesmith.tables.model import DESIGN, Figure, Row, Table

LEVELS = 4
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
        return linear_map(matrix, LEVELS).place(builder, x, constant)

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


def _table(number: int, title: str, rows: tuple[Row, ...], base: str) -> Table:
    return Table(
        name=f"zhang-table{number}",
        title=title,
        publication=PUBLICATION,
        source=f"table {'I' * number}",
        conditions=_CONDITIONS,
        figures=_FIGURES,
        rows=rows,
        base=(base,),
        base_by="area",
        optimise=(Optimise.AREA,),
        notes=_NOTES,
    )


TABLES = (
    _table(1, "blocks of SubBytes in the polynomial tower", _BLOCKS, "product_4"),
    _table(2, "three inverters in GF(2^4)", _INVERTERS, "direct"),
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
        title="unrolled encryptors on FPGAs, a block a clock",
        publication=PUBLICATION,
        source="table III",
        columns=_FPGA_COLUMNS,
        rows=_FPGA_ROWS,
        notes=(
            "published Mbps/slice counts a BRAM as 128 slices; measured Mbps/LUT counts a block memory as 256 LUTs",
            f"measured with {_SKID_ENTRIES} skid entries",
            "tables are read in one clock, and the registers behind them are the next stage's",
        ),
    ),
)

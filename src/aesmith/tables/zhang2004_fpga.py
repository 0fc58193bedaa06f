"""Table III of Zhang and Parhi (TVLSI 2004): unrolled encryptors on FPGAs.

The paper's claim is that S-boxes of logic have no unbreakable delay, as tables have, so that more stages bring more:
79 % more throughput a slice than the fastest before it, whose tables are in block memories. Beside the paper's designs
stand the same architectures with tables, all on one device.
"""

from __future__ import annotations

from aesmith.cores.subpipelined.family import PRESETS, SubpipelinedSpecification
from aesmith.cores.subpipelined.tables import SBoxForm
from aesmith.sboxes.zhang2004 import PUBLICATION
from aesmith.tables.fpga import FpgaRow, FpgaTable

_COLUMNS = {
    "frequency": ("MHz", 1),
    "throughput": ("Mbps", 0),
    "slices": ("slices", 0),
    "memories": ("BRAMs", 0),
    "per_slice": ("Mbps/slice", 3),
}

_SKID_ENTRIES = 2
"""So the decision to stop has two clocks to reach all parts of the core."""


def _printed(*figures: float) -> dict[str, float]:
    return dict(zip(_COLUMNS, figures, strict=True))


def _core(preset: str) -> SubpipelinedSpecification:
    """The preset with the room for results that a core needs whose decision to stop crosses a device."""
    return PRESETS[preset].model_copy(update={"skid_entries": _SKID_ENTRIES})


def _tables(stages: int, form: SBoxForm, what: str) -> FpgaRow:
    specification = SubpipelinedSpecification(stages=stages, sbox="table", sbox_form=form, skid_entries=_SKID_ENTRIES)
    return FpgaRow(f"r{stages}-{form}", f"r = {stages}, {what}", specification=specification)


_ROWS = (
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
    _tables(3, SBoxForm.LUTS, "tables in LUTs"),
    _tables(3, SBoxForm.BLOCK_MEMORY, "tables in block memories"),
    _tables(7, SBoxForm.LUTS, "tables in LUTs"),
    _tables(7, SBoxForm.BLOCK_MEMORY, "tables in block memories"),
)

TABLES = (
    FpgaTable(
        name="zhang-table3",
        title="unrolled encryptors on FPGAs, a block a clock",
        publication=PUBLICATION,
        source="table III",
        columns=_COLUMNS,
        rows=_ROWS,
        notes=(
            "published Mbps/slice counts a BRAM as 128 slices; measured Mbps/LUT counts a block memory as 256 LUTs",
            f"measured with {_SKID_ENTRIES} skid entries",
            "tables are read in one clock, and the registers behind them are the next stage's",
        ),
    ),
)

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aesmith.errors import RequestError
from aesmith.technology.cell import CellKind, PinDirection, Sense
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

TEXT = """library (small) {
  time_unit : "10ps";
  capacitive_load_unit (2, pf);
  voltage_unit : "100mV";
  leakage_power_unit : "1uW";
  default_input_pin_cap : 0.5;
  nom_voltage : 11;
  nom_temperature : 85;
  lu_table_template (by_load) {
    variable_1 : total_output_net_capacitance;
    variable_2 : input_net_transition;
    index_1 ("1, 2"); index_2 ("10, 20, 30");
  }
  power_lut_template (energy) { variable_1 : input_transition_time; index_1 ("1, 2"); }
  cell (G) {
    area : 3;
    cell_leakage_power : 4;
    leakage_power () { when : "A & !B"; value : 5; }
    pin (A, B) { direction : input; capacitance : 1; rise_capacitance : 2; rise_capacitance_range (1, 3); }
    pin (C) { direction : input; }
    pin (Z) {
      direction : output; function : "!(A & B) C"; max_capacitance : 7;
      timing () {
        related_pin : "A B"; when : "C";
        cell_rise (by_load) { values ("1, 2, 3", "4, 5, 6"); }
        cell_fall (scalar) { values ("9"); }
        rise_transition (scalar) { values ("7"); }
        fall_transition (scalar) { values ("8"); }
      }
      timing () {
        related_pin : C; timing_sense : non_unate;
        cell_fall (by_load) { index_1 ("3, 5"); values ("1,2,3,4,5,6"); }
        cell_rise (scalar) { values ("9"); }
        rise_transition (scalar) { values ("7"); }
        fall_transition (scalar) { values ("7"); }
      }
      internal_power () { related_pin : A; power (energy) { values ("1, 2"); } }
    }
  }
}
"""


def _read(tmp_path: Path, text: str) -> Library:
    (tmp_path / "small.lib").write_text(text)
    return read_library(tmp_path / "small.lib")


def test_units_become_ns_ff_v_nw_and_fj(tmp_path: Path) -> None:
    library = _read(tmp_path, TEXT)
    gate = library.cell("G")
    assert (library.corner.voltage, library.corner.temperature) == (pytest.approx(1.1), 85)
    assert gate.pins["A"].capacitance == pytest.approx(2000)
    assert gate.pins["Z"].max_capacitance == pytest.approx(14000)
    assert gate.cell_leakage == pytest.approx(4000)
    assert gate.leakage[0].nanowatts == pytest.approx(5000)
    power = gate.internal_power[0]
    assert power.rise is not None
    assert power.rise.rows == pytest.approx([0.01, 0.02])
    assert power.rise.values[:, 0] == pytest.approx([2000 * 0.01, 2 * 2000 * 0.01])


def test_pins_have_their_edges_capacitance(tmp_path: Path) -> None:
    pins = _read(tmp_path, TEXT).cell("G").pins
    assert pins["A"].rise == pytest.approx(6000), "the upper end of the range, as OpenSTA takes it"
    assert pins["A"].fall == pytest.approx(2000)
    assert pins["B"].rise == pins["A"].rise
    assert pins["C"].rise == pytest.approx(1000), "the library's default"
    assert pins["Z"].direction is PinDirection.OUTPUT


def test_tables_have_slews_as_rows_whatever_their_order_in_the_file(tmp_path: Path) -> None:
    arcs = _read(tmp_path, TEXT).cell("G").arcs
    assert [arc.related_pin for arc in arcs] == ["A", "B", "C"]
    table = arcs[0].cell_rise
    assert table is not None
    assert table.rows == pytest.approx([0.1, 0.2, 0.3])
    assert table.columns == pytest.approx([2000, 4000])
    assert table.values == pytest.approx(np.array([[1, 4], [2, 5], [3, 6]]) * 0.01)
    assert arcs[0].fall_constraint is None
    assert arcs[0].fall_transition is not None
    assert arcs[0].fall_transition.at(1, 1) == pytest.approx(0.08)
    assert arcs[2].cell_fall is not None
    assert arcs[2].cell_fall.columns == pytest.approx([6000, 10000])


def test_sense_is_the_declared_one_or_that_of_the_function(tmp_path: Path) -> None:
    arcs = _read(tmp_path, TEXT).cell("G").arcs
    assert [arc.sense for arc in arcs] == [Sense.NEGATIVE, Sense.NEGATIVE, Sense.NON_UNATE]
    assert arcs[0].when is not None
    assert arcs[0].when.support == ("C",)
    assert arcs[2].when is None


def test_the_digest_is_that_of_the_unpacked_text(tmp_path: Path) -> None:
    plain = _read(tmp_path, TEXT)
    (tmp_path / "small.lib.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert read_library(tmp_path / "small.lib.gz").digest == plain.digest
    assert _read(tmp_path, TEXT.replace("area : 3", "area : 4")).digest != plain.digest


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("area : 3", "area : three", "cell G: area: must be a number, not 'three'"),
        ('time_unit : "10ps"', 'time_unit : "10pF"', "time_unit: must be a number with a unit"),
        ("(2, pf)", "(2)", "capacitive_load_unit: must be"),
        ('values ("8")', "", "fall_transition: the table has no values"),
        ('values ("8")', 'values ("8, 9")', "2 values do not fit its axes"),
        (
            "variable_1 : total_output_net_capacitance",
            "variable_1 : related_out",
            "a table over related_out, .* not taken",
        ),
        ("direction : output", "direction : sideways", "pin Z: direction must be .* not 'sideways'"),
        ('function : "!(A & B) C"', 'function : "!(A & B"', "pin Z: function"),
        ("cell (G)", "model (G)", "holds no cells"),
    ],
)
def test_a_wrong_library_is_refused_with_the_place(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(RequestError, match=says):
        _read(tmp_path, TEXT.replace(old, new))


KINDS = {
    "nangate45_typ": {
        "NAND2_X1": CellKind.LOGIC,
        "FA_X1": CellKind.LOGIC,
        "DFFRS_X1": CellKind.FLIP_FLOP,
        "SDFF_X1": CellKind.SCAN,
        "DLH_X1": CellKind.LATCH,
        "CLKGATE_X1": CellKind.CLOCK_GATE,
        "TBUF_X1": CellKind.TRISTATE,
        "LOGIC1_X1": CellKind.TIE,
        "FILLCELL_X1": CellKind.PHYSICAL,
        "ANTENNA_X1": CellKind.PHYSICAL,
    },
    "sky130hd_tt": {
        "sky130_fd_sc_hd__mux2i_1": CellKind.LOGIC,
        "sky130_fd_sc_hd__dfrtn_1": CellKind.FLIP_FLOP,
        "sky130_fd_sc_hd__edfxtp_1": CellKind.ENABLE,
        "sky130_fd_sc_hd__sedfxtp_1": CellKind.SCAN,
        "sky130_fd_sc_hd__sdfbbn_1": CellKind.SCAN,
        "sky130_fd_sc_hd__dlrtp_1": CellKind.LATCH,
        "sky130_fd_sc_hd__dlclkp_1": CellKind.CLOCK_GATE,
        "sky130_fd_sc_hd__ebufn_1": CellKind.TRISTATE,
        "sky130_fd_sc_hd__conb_1": CellKind.TIE,
        "sky130_fd_sc_hd__clkdlybuf4s50_1": CellKind.DELAY,
        "sky130_fd_sc_hd__dlygate4sd3_1": CellKind.DELAY,
        "sky130_fd_sc_hd__lpflow_isobufsrc_1": CellKind.SPECIAL,
        "sky130_fd_sc_hd__lpflow_clkinvkapwr_1": CellKind.SPECIAL,
        "sky130_fd_sc_hd__decap_3": CellKind.PHYSICAL,
    },
    "ihp_sg13g2_stdcell_typ": {
        "sg13g2_a221oi_1": CellKind.LOGIC,
        "sg13g2_dfrbpq_1": CellKind.FLIP_FLOP,
        "sg13g2_sdfbbp_1": CellKind.SCAN,
        "sg13g2_dlhq_1": CellKind.LATCH,
        "sg13g2_slgcp_1": CellKind.CLOCK_GATE,
        "sg13g2_einvn_2": CellKind.TRISTATE,
        "sg13g2_tiehi": CellKind.TIE,
        "sg13g2_dlygate4sd3_1": CellKind.DELAY,
        "sg13g2_sighold": CellKind.TRISTATE,
    },
}


@pytest.mark.parametrize("name", KINDS)
def test_cells_of_real_libraries_are_told_apart(name: str, pdk_library: Callable[[str], Library]) -> None:
    library = pdk_library(name)
    assert {cell: library.cell(cell).kind for cell in KINDS[name]} == KINDS[name]
    # Of each gate the statetable is a latch that is open while the clock is low; with a pin for tests either opens it.
    gates = [cell.gate for cell in library.cells.values() if cell.kind is CellKind.CLOCK_GATE]
    opened = {1: {(1,)}, 2: {(0, 1), (1, 0), (1, 1)}}
    assert gates
    assert all(gate is not None and gate.enables == opened[len(gate.inputs)] for gate in gates)


def test_power_figures_of_a_real_library_are_read(pdk_library: Callable[[str], Library]) -> None:
    cell = pdk_library("nangate45_typ").cell("DFF_X1")
    assert len(cell.leakage) == 8
    assert cell.leakage[0].nanowatts == pytest.approx(73.81231)
    clock = [power for power in cell.internal_power if power.pin == "CK" and power.related_pin is None]
    assert len(clock) == 4
    output = next(power for power in cell.internal_power if power.pin == "Q" and power.related_pin == "CK")
    assert output.fall is not None
    assert output.fall.values[0, 0] == pytest.approx(3.976646)
    assert cell.register is not None
    assert (cell.register.clocked_on.text, cell.register.next_state.text) == ("CK", "D")

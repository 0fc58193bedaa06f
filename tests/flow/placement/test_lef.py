"""LEF: site, widths and wires are read, and what does not fit is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.flow.placement.technology import technology_of
from aesmith.technology.registry import library_by

LEF = """\
VERSION 5.8 ;
BUSBITCHARS "[]" ;
UNITS
  CAPACITANCE PICOFARADS 1 ;
  RESISTANCE OHMS 1 ;
  DATABASE MICRONS 2000 ;
END UNITS
MANUFACTURINGGRID 0.005 ;

SITE core12
  SYMMETRY y ;   # of the rows
  CLASS CORE ;
  SIZE 0.2 BY 1.8 ;
END core12

LAYER poly
  TYPE MASTERSLICE ;
END poly
LAYER m1
  TYPE ROUTING ;
  WIDTH 0.07 ;
  RESISTANCE RPERSQ 9 ;
  CAPACITANCE CPERSQDIST 9 ;
END m1
LAYER v1
  TYPE CUT ;
END v1
LAYER m2
  TYPE ROUTING ;
  DIRECTION VERTICAL ;
  WIDTH 0.1 ;
  RESISTANCE RPERSQ 0.3 ;
  CAPACITANCE CPERSQDIST 0.0005 ;
  EDGECAPACITANCE 0.00005 ;
END m2
LAYER m3
  TYPE ROUTING ;
  WIDTH 0.1 ;
  RESISTANCE RPERSQ 0.1 ;
  CAPACITANCE CPERSQDIST 0.0003 ;
  EDGECAPACITANCE 0.00005 ;
END m3

MACRO INV_X1
  CLASS CORE ;
  ORIGIN 0 0 ;
  SIZE 0.6 BY 1.8 ;
  SITE core12 ;
  PIN A
    DIRECTION INPUT ;
    PORT
      LAYER m1 ;
        RECT 0.1 0.1 0.2 0.2 ;
    END
  END A
END INV_X1
MACRO NAND2_X1
  CLASS CORE ;
  SIZE 0.8 BY 1.8 ;
  SITE core12 ;
END NAND2_X1
MACRO RAM
  SIZE 100.03 BY 77 ;
END RAM
END LIBRARY
"""


def _written(folder: Path, text: str = LEF) -> Path:
    path = folder / "cells.lef"
    path.write_text(text)
    return path


def test_site_widths_and_wires_are_read(tmp_path: Path) -> None:
    library = library_by("generic45")
    found = technology_of(library, lef=[_written(tmp_path)])
    assert (found.name, found.site_um, found.row_height_um) == ("core12", 0.2, 1.8)
    assert [found.sites(library.cell(name)) for name in ("INV_X1", "NAND2_X1")] == [3, 4]
    assert found.resistance_ohm_per_um == pytest.approx((3 + 1) / 2), "ohms a square over the width, m2 and m3"
    assert found.capacitance_ff_per_um == pytest.approx((0.15 + 0.13) / 2), "area and two edges, in femtofarads"
    with pytest.raises(RequestError, match="lef: there is no MACRO NOR2_X1, which the netlist has"):
        found.sites(library.cell("NOR2_X1"))


def test_of_a_process_and_its_cells_there_may_be_two_files(tmp_path: Path) -> None:
    begins = LEF.index("MACRO INV_X1")
    both = [tmp_path / "process.lef", tmp_path / "macros.lef"]
    both[0].write_text(LEF[:begins])
    both[1].write_text(f"VERSION 5.8 ;\n{LEF[begins:]}")
    library = library_by("generic45")
    one, two = technology_of(library, lef=[_written(tmp_path)]), technology_of(library, lef=both)
    assert (one.widths, one.site_um, one.resistance_ohm_per_um) == (two.widths, two.site_um, two.resistance_ohm_per_um)


def test_what_layers_do_not_state_is_known_otherwise(tmp_path: Path) -> None:
    library = library_by("generic45")
    path = _written(tmp_path, LEF.replace("  CAPACITANCE CPERSQDIST 0.0003 ;\n", ""))
    found, known = technology_of(library, lef=[path]), technology_of(library)
    assert found.capacitance_ff_per_um == known.capacitance_ff_per_um
    assert found.resistance_ohm_per_um == pytest.approx(2)
    assert known.source in found.source


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("CAPACITANCE PICOFARADS 1 ;", "CAPACITANCE FEMTOFARADS 1 ;", "CAPACITANCE must be PICOFARADS 1, not FEMTO"),
        ("RESISTANCE OHMS 1 ;", "RESISTANCE OHMS 1000 ;", "RESISTANCE must be OHMS 1, not OHMS 1000"),
        ("DATABASE MICRONS 2000", "DATABASE NANOMETERS 1", "DATABASE must be MICRONS, one of .*, not NANOMETERS 1"),
        ("DATABASE MICRONS 2000", "DATABASE MICRONS 1500", "DATABASE must be MICRONS, one of .*, not MICRONS 1500"),
        (
            "SITE core12\n  SYM",
            "SITE other\n  SYM",
            "there must be one SITE for all cells .*: cells are on core12; the ",
        ),
        (
            "SIZE 0.8 BY 1.8 ;\n  SITE core12 ;",
            "SIZE 0.8 BY 1.8 ;\n  SITE tall ;",
            "one SITE .*: cells are on core12, tall",
        ),
        ("SIZE 0.2 BY 1.8 ;", "SIZE 0.2 BY 9 ;", "no cell fits into the rows: MACRO INV_X1: must be as high as a row"),
        ("  SIZE 0.8 BY 1.8 ;\n", "", "MACRO NAND2_X1: must have SIZE"),
        ("SIZE 0.2 BY 1.8 ;", "SIZE 0 BY 1.8 ;", "SITE core12: must have SIZE, a width BY a height above 0"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(before: str, after: str, told: str, tmp_path: Path) -> None:
    wrong = LEF.replace(before, after, 1)
    assert wrong != LEF
    if "other" in after:
        wrong = wrong.replace("END core12", "END other")
    with pytest.raises(RequestError, match=f"lef: .*{told}"):
        technology_of(library_by("generic45"), lef=[_written(tmp_path, wrong)])


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("SIZE 0.8 BY 3.6", "MACRO NAND2_X1: must be as high as a row, 1.8 µm, not 3.6"),
        ("SIZE 0.75 BY 1.8", "MACRO NAND2_X1: must be whole sites of 0.2 µm wide, not 0.75"),
    ],
)
def test_a_cell_that_does_not_fit_is_refused_where_the_netlist_has_it(after: str, told: str, tmp_path: Path) -> None:
    """SkyWater's library has level shifters of two rows, which no core has."""
    library = library_by("generic45")
    found = technology_of(library, lef=[_written(tmp_path, LEF.replace("SIZE 0.8 BY 1.8", after, 1))])
    assert found.sites(library.cell("INV_X1")) == 3
    with pytest.raises(RequestError, match=f"lef: {told}; the netlist has it"):
        found.sites(library.cell("NAND2_X1"))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    library = library_by("generic45")
    for text, told in (("", "is no LEF"), (LEF[: LEF.index("MACRO INV_X1")], "no MACRO of the library's cells")):
        with pytest.raises(RequestError, match=f"lef: .*{told}"):
            technology_of(library, lef=[_written(tmp_path, text)])
    with pytest.raises(RequestError, match=r"lef: .*cannot be read"):
        technology_of(library, lef=[tmp_path / "gone.lef"])

from collections.abc import Callable
from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path

CHOICES = {
    "nangate45_slow": ("NAND2_X1", "DFF_X1", "LOGIC1_X1/Z", "LOGIC0_X1/Z", "INV_X1", "XOR2_X1"),
    "sky130hd_tt": (
        "sky130_fd_sc_hd__nand2_1",
        "sky130_fd_sc_hd__dfxtp_1",
        "sky130_fd_sc_hd__conb_1/HI",
        "sky130_fd_sc_hd__conb_1/LO",
        "sky130_fd_sc_hd__inv_1",
        "sky130_fd_sc_hd__xor2_1",
    ),
    "ihp_sg13g2_stdcell_typ": (
        "sg13g2_nand2_1",
        "sg13g2_dfrbpq_1",
        "sg13g2_tiehi/L_HI",
        "sg13g2_tielo/L_LO",
        "sg13g2_inv_1",
        "sg13g2_xor2_1",
    ),
}


@pytest.mark.parametrize("name", CHOICES)
def test_cells_are_found_by_function(name: str, pdk_library: Callable[[str], Library]) -> None:
    library = pdk_library(name)
    library.check_for_synthesis()
    xor = library.smallest("a ^ b")
    assert library.tie_high is not None
    assert library.tie_low is not None
    assert xor is not None
    assert (
        library.nand2.name,
        library.flip_flop.name,
        f"{library.tie_high.cell.name}/{library.tie_high.pin}",
        f"{library.tie_low.cell.name}/{library.tie_low.pin}",
        library.inverters[0].name,
        xor.name,
    ) == CHOICES[name]


def test_a_gate_equivalent_is_the_smallest_nand2(pdk_library: Callable[[str], Library]) -> None:
    library = pdk_library("nangate45_slow")
    assert library.gate_equivalent == 0.798
    assert library.area_ge("NAND2_X1") == 1
    assert library.area_ge(library.cell("DFF_X1")) == pytest.approx(4.522 / 0.798)


def test_cells_not_for_synthesis_are_not_offered(pdk_library: Callable[[str], Library]) -> None:
    library = pdk_library("sky130hd_tt")
    offered = {cell.name for cell in (*library.buffers, *library.inverters, *library.flip_flops, library.nand2)}
    assert not offered & set(library.not_for_synthesis)
    assert not any("clkdlybuf" in name or "lpflow" in name for name in offered)


def test_an_unknown_cell_is_refused() -> None:
    with pytest.raises(RequestError, match="library generic45: has no cell NAND9"):
        read_library(embedded_path()).cell("NAND9")


def _without(prefixes: tuple[str, ...], folder: Path) -> Library:
    """The embedded library with the cells of these names gone; their groups are renamed, so nobody reads them."""
    text = read_text(embedded_path())
    for prefix in prefixes:
        text = text.replace(f"  cell ({prefix}", f"  model ({prefix}")
    file = folder / "less.lib"
    file.write_text(text)
    return read_library(file)


@pytest.mark.parametrize(
    ("gone", "says"),
    [
        (("DFF",), "a D flip-flop"),
        (("NAND2",), "a two-input NAND"),
        (("XOR2", "XNOR2"), "a two-input XOR or XNOR"),
        (("INV",), "an inverter"),
        (("BUF",), "a buffer"),
    ],
)
def test_a_library_synthesis_cannot_use_is_refused(gone: tuple[str, ...], says: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=rf"less\.lib \(library generic45\) lacks {says}"):
        _without(gone, tmp_path).check_for_synthesis()


def test_xnor_alone_will_do(tmp_path: Path) -> None:
    _without(("XOR2",), tmp_path).check_for_synthesis()


def test_a_library_without_plain_flip_flops_has_its_others(tmp_path: Path) -> None:
    assert _without(("DFF_",), tmp_path).flip_flop.name == "DFFR_X1"

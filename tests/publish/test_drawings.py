"""The drawings are valid SVG, legible on any ground, and the same every time."""

import xml.etree.ElementTree as ET

from aesmith.drawing.diagram import draw_diagram
from aesmith.drawing.waveform import Trace, draw_waveform
from aesmith.publish.structure import Elaborated, read_structure

SVG = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def diagram(netlist: Elaborated) -> str:
    return draw_diagram(read_structure(netlist.modules, netlist.top), "tiny <&> core")


def test_the_diagram_names_every_block(tiny_netlist: Elaborated) -> None:
    shown = words(diagram(tiny_netlist))
    assert {"tiny <&> core", "substitute", "×16", "mix", "×4", "state", "key", "control", "key_i", "block_o"} <= {
        *shown
    }
    assert shown.count("128") == 9


def test_the_diagram_is_the_same_every_time(tiny_netlist: Elaborated) -> None:
    assert diagram(tiny_netlist) == diagram(tiny_netlist)


def test_a_drawing_brings_its_own_ground(tiny_netlist: Elaborated, tiny_trace: Trace) -> None:
    for svg in (diagram(tiny_netlist), draw_waveform(tiny_trace, "tiny")):
        root = ET.fromstring(svg)
        ground = next(root.iter(f"{SVG}rect"))
        assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
        assert ground.get("fill") == "#ffffff"


def test_nothing_is_drawn_outside(tiny_netlist: Elaborated) -> None:
    root = ET.fromstring(diagram(tiny_netlist))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.get("x", 0)) <= width
        assert 0 <= float(element.get("y", 0)) <= height


def test_the_waveform_shows_every_port(tiny_trace: Trace) -> None:
    shown = words(draw_waveform(tiny_trace, "tiny"))
    assert {"clk_i", "rst_ni", "key_i", "key_valid_i", "block_ready_o", "block_o", "key", "block", "result"} <= {*shown}


def test_the_waveform_shows_payloads_only_where_they_are_valid(tiny_trace: Trace) -> None:
    shown = words(draw_waveform(tiny_trace, "tiny"))
    assert "5544776611003322ddccffee9988bbaa" in shown
    assert sum(word.endswith("…") for word in shown) == 5, "the key, the first block, three results"


def test_a_long_waveform_is_folded(serial_trace: Trace) -> None:
    shown = words(draw_waveform(serial_trace, "serial"))
    assert "decrypt_i" in shown
    assert len(shown) < 4 * serial_trace.clocks

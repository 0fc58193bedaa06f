"""The pictures of the pages are what the sources say, and can be read on a telephone, on dark pages and by ear."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import aesmith
from aesmith.assurance.probing.check import extended_probes
from aesmith.assurance.streams.check import expected
from aesmith.circuits.cost import UNIT
from aesmith.circuits.pipeline import pipeline
from aesmith.drawing.lanes import CHARACTER, Lane, Span, draw_lanes
from aesmith.drawing.svg import DARK, INK, document, rect
from aesmith.drawing.waveform import Trace
from aesmith.fields import aes
from aesmith.masking.gadgets import dom
from aesmith.masking.sbox import masked_sbox
from aesmith.modes.engine import INPUT, OUTPUT
from aesmith.publish.trace import INSTANCE, KEY, STALL_CLOCKS, _stream_driver, simulate_driven
from aesmith.sboxes import canright2005

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "pictures.py"))
SCHEDULES = runpy.run_path(str(ROOT / "scripts" / "schedule_drawing.py"))["SCHEDULES"]
NAMES = [*SCRIPT["NARROW"], *(name for schedule in SCHEDULES for name in schedule.pictures)]
SVG = "{http://www.w3.org/2000/svg}"
TELEPHONE = 358
"""Pixels that the text of a page has where the screen has 390."""


def committed(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.thorough(but=("round-compressed.svg", "gcm-timeline.svg", "pipeline-cut.svg", "masked-sbox-probes.svg"))
@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_a_picture_is_what_its_sources_say(name: str, tmp_path: Path) -> None:
    assert SCRIPT["PICTURES"][name](tmp_path) == committed(name), f"python scripts/pictures.py {name}"


def mistakes(svg: str) -> list[str]:
    """What of a picture cannot be read."""
    root = ET.fromstring(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    found = [f"no {part}" for part in ("title", "desc") if not (root.findtext(f"{SVG}{part}") or "").strip()]
    for element in root.iter(f"{SVG}text"):
        words, size = element.text or "", float(element.get("font-size", 0))
        long = size * CHARACTER * len(words)
        left = float(element.get("x", 0)) - long * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "")]
        if left < 0 or left + long > width or not size < float(element.get("y", 0)) <= height:
            found.append(f"outside: {words}")
        if size * min(1, TELEPHONE / width) < 10:
            found.append(f"small: {words}")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_can_be_read(name: str) -> None:
    assert mistakes(committed(name)) == []


def test_what_cannot_be_read_is_found() -> None:
    lanes = [Lane("a lane", (Span(0, 2, "words", 0),))]
    right = draw_lanes("title", "note", "what is seen", lanes, unit=20, step=1, scale="clocks")
    assert mistakes(right) == []
    assert mistakes(right.replace('x="214"', 'x="384"')) == ["outside: a lane", "outside: words"]
    assert mistakes(right.replace('font-size="12"', 'font-size="11"'))[0] == "small: note"
    assert "no desc" in mistakes(document(100, 50, "title", []))
    with pytest.raises(AssertionError, match="no room"):
        draw_lanes(
            "title", "note", "", [Lane("a", (Span(0, 1, "far too many words " * 3, 0),))], unit=20, step=1, scale=""
        )


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.2 between two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def light_on_dark_pages(svg: str) -> list[str]:
    """The colours of a picture that stay as they are on dark pages."""
    root = ET.fromstring(svg)
    used = {f"[{of}='{value}']" for element in root.iter() for of in ("fill", "stroke") if (value := element.get(of))}
    rules = root.findtext(f"{SVG}style") or ""
    assert rules.startswith("@media (prefers-color-scheme:dark){")
    return sorted(rule for rule in used if f"{rule}{{" not in rules and "none" not in rule)


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.svg")), ids=lambda path: path.stem)
def test_every_picture_has_the_colours_of_the_readers_page(path: Path) -> None:
    assert light_on_dark_pages(path.read_text(encoding="utf-8")) == []


def test_a_colour_that_stays_light_is_found() -> None:
    stroked = rect(0, 0, 9, 9, radius=0, fill="#123456", stroke=INK)
    assert light_on_dark_pages(document(100, 50, "title", [stroked])) == ["[fill='#123456']"]
    with pytest.raises(AssertionError):
        light_on_dark_pages('<svg xmlns="http://www.w3.org/2000/svg"/>')


def test_every_colour_that_is_drawn_with_has_a_dark_one() -> None:
    drawers = [*(ROOT / "src" / "aesmith" / "drawing").glob("*.py"), *(ROOT / "scripts").glob("*.py")]
    used = {colour for file in drawers for colour in re.findall(r'"(#[0-9a-f]{6})"', file.read_text(encoding="utf-8"))}
    assert used - set(DARK) - set(DARK.values()) == set()


def test_dark_colours_are_as_legible_as_light_ones() -> None:
    shades = list(DARK.items())
    (ground, ink, wire, faint), kinds, cells = shades[:4], shades[5:13], shades[13:20]
    for light, dark in shades[1:]:
        assert contrast(dark, ground[1]) > min(3, contrast(light, ground[0])), light
    fills = [ground, *kinds[::2]]
    for shade in (0, 1):
        assert min(contrast(ink[shade], fill[shade]) for fill in fills) > 7
        assert min(contrast(ink[shade], fill[shade]) for fill in cells) > 4.5
        assert contrast(wire[shade], ground[shade]) > 4.5
        assert contrast(faint[shade], ground[shade]) > 3.5
        assert all(contrast(line[shade], fill[shade]) > 3 for fill, line in zip(kinds[::2], kinds[1::2], strict=True))


def test_both_drawn_rounds_are_that_of_the_standard() -> None:
    chance, maps, mix = Random(1), SCRIPT["TOWER"].maps, aes.column_matrix(aes.MIX_COLUMNS).apply
    plain, compressed = SCRIPT["plain_column"](), SCRIPT["compressed_column"]()
    for _ in range(64):
        state, key = chance.randbytes(4), chance.randbytes(4)
        mixed = mix(int.from_bytes(bytes(aes.SBOX[byte] for byte in state), "little")) ^ int.from_bytes(key, "little")
        words = {"state": state, "key": key}
        assert plain(**{name: int.from_bytes(word, "little") for name, word in words.items()}) == {"next": mixed}
        inside = {name: int.from_bytes(bytes(map(maps.delta.apply, word)), "little") for name, word in words.items()}
        drawn = compressed(**inside)
        assert [maps.delta_inverse.apply(drawn[f"next{row}"]) for row in range(4)] == [*mixed.to_bytes(4, "little")]


@pytest.mark.thorough
def test_the_timeline_is_what_a_simulation_shows(tmp_path: Path) -> None:
    """Of ports, of the handshakes of the cores inside, and of the register that says that GHASH multiplies."""
    engine = aesmith.engine(SCRIPT["ENGINE"]).design
    sent = [(KEY[: engine.rated_key_bits // 8], SCRIPT["gcm_message"](engine))]
    driver = _stream_driver(engine, sent, len(list(expected(engine, sent))))
    # Beats are offered from the key's clock on, and the command from the clock behind it.
    text = driver.text
    for rest, now in (("rest", "key_q"), ("pause", "(key_valid || key_q)")):
        text, count = re.subn(rf"{rest}_q == 16'd\d+ &&", f"{now} &&", text)
        assert count == 1
    wires = ("block_valid_i", "block_ready_o")
    found = simulate_driven(engine, replace(driver, text=text), 60, tmp_path / "run", wires)
    trace = Trace(engine.ports, {port.name: found[port.name] for port in engine.ports}, {}, 1)
    (start,) = trace.transfers("key")
    lanes = SCRIPT["gcm_lanes"](engine)

    def clocks(*names: str) -> list[int]:
        """In which all of these registers or wires are 1."""
        values = zip(*(found[f"{INSTANCE}.{name}"].values for name in names), strict=True)
        return [clock - start for clock, levels in enumerate(values) if all(level == 1 for level in levels)]

    assert [span.first + start for span in lanes["input"]] == list(trace.transfers(INPUT))
    *texts, tag = (span.first + start for span in lanes["output"])
    assert (*texts, tag + STALL_CLOCKS) == trace.transfers(OUTPUT)
    for core in range(engine.cores):
        called = clocks(*(f"gen_core[{core}].u_core.{wire}" for wire in wires))
        assert [span.first for span in lanes[f"AES {core + 1}"]] == called
    # The register is set in the clock in which a multiplication begins.
    assert clocks("u_engine.u_ghash.busy_q") == [
        clock for span in lanes["GHASH"] for clock in range(span.first + 1, span.end)
    ]


def test_every_drawn_path_crosses_each_cut_once() -> None:
    """And between two cuts it has no more gates than the pipeliner says."""
    part = SCRIPT["block_of"](canright2005.forward(), SCRIPT["PART"])
    staged = pipeline(part, stages=SCRIPT["STAGES"])
    ranks, edges = SCRIPT["ranks_of"](staged)
    after: dict[str, list[str]] = {}
    for upper, lower in edges:
        after.setdefault(upper, []).append(lower)

    def runs(key: str) -> Iterator[tuple[int, ...]]:
        """Of each path from a node on the gates before, between and behind its registers."""
        if key not in after:
            yield (0,)
        for first, *others in (run for lower in after.get(key, []) for run in runs(lower)):
            yield (0, first, *others) if key.startswith("cut") else (first + key[0].isdigit(), *others)

    found = {run for i in range(part.input_width) for run in runs(f"x{i}")}
    assert {len(run) for run in found} == {staged.stages}
    assert tuple(map(max, zip(*found, strict=True))) == staged.stage_delays(UNIT)
    shown = [node for rank in ranks for node in rank.nodes]
    assert sum(node.register for node in shown) == staged.register_bits
    assert sum(node.kind == 1 for node in shown) == staged.gate_count


def test_the_walk_has_the_states_that_the_page_reports() -> None:
    (stated,) = re.findall(r"(\d+) states, \d+ clocks: all", (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8"))
    shapes = ET.fromstring(committed("proof-walk.svg")).findall(f"{SVG}rect")
    assert len(shapes) == 1 + int(stated), "the ground, and a shape for each state"


def test_every_probe_is_in_a_drawn_shape() -> None:
    masked = masked_sbox(SCRIPT["ORDER"], SCRIPT["CLOCKS"])
    ranks, edges = SCRIPT["shares_of"](masked)
    shapes = {node.key: node for rank in ranks for node in rank.nodes}
    counted = [int(count) for node in shapes.values() for count in re.findall(r"(\d+) probe", node.words)]
    assert sum(counted) == len(extended_probes(masked))
    gates = [int(count) for node in shapes.values() for count in re.findall(r"(\d+) gates", node.words)]
    assert sum(gates) == masked.staged.gate_count
    bits = [int(node.words.split()[0]) for node in shapes.values() if node.register]
    assert sum(bits) == masked.staged.register_bits
    meet = {(shapes[source].kind, shapes[target].kind) for source, target in edges}
    assert meet.isdisjoint({(1, 2), (2, 1)}), "shares meet only in what tells nothing"


def test_a_probe_that_tells_of_both_shares_is_not_drawn() -> None:
    with pytest.raises(AssertionError, match=r"tells of the shares \[0, 1\]"):
        SCRIPT["shares_of"](masked_sbox(1, 4, gadget=dom))


def test_the_drawn_weights_are_those_of_the_page() -> None:
    """Which a search finds, and which are published; every choice is in a bar."""
    page = (ROOT / "docs" / "towers-and-offset.md").read_text(encoding="utf-8")
    without, best = (int(words.replace(",", "")) for words in re.findall(r"weights, ([\d,]+) and ([\d,]+):", page)[0])
    described = ET.fromstring(committed("offset-weights.svg")).findtext(f"{SVG}desc") or ""
    assert f"have {without}, " in described
    assert f"with one {best} to" in described


def test_a_picture_is_on_a_page_with_words_that_say_what_it_shows() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    for name in NAMES:
        assert re.findall(rf"^!\[[^\]]{{25,}}\]\({re.escape(name)}\)$", pages, re.MULTILINE), name

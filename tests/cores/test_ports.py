"""Ports as data: what they say of each core is what its top module has, and what cannot be is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.cores.design import Design
from aesmith.cores.leaf import bare, between_registers
from aesmith.cores.ports import (
    Channel,
    Line,
    Meaning,
    Payload,
    PayloadKind,
    PortDirection,
    Ports,
    Reset,
    as_values,
    block_interface,
    from_values,
)
from aesmith.cores.specification import build_design, load_specification
from aesmith.errors import RequestError
from aesmith.flow.yosys import read_commands, run_script, write_sources

from .toys import CLEAR, ENGINE, STROBES

IN, OUT = PortDirection.INPUT, PortDirection.OUTPUT
BOTH = ("encrypt", "decrypt")


def elaborated(design: Design, folder: Path) -> list[tuple[str, str, int]]:
    """Name, direction and bits of each port that the top module has."""
    run_script(
        [*read_commands(design, write_sources(design, folder), keep_hierarchy=True), "write_json ports.json"],
        folder / "ports.log",
    )
    ports = json.loads((folder / "ports.json").read_text())["modules"][design.top]["ports"]
    return [(name, facts["direction"], len(facts["bits"])) for name, facts in ports.items()]


def stated(design: Design) -> list[tuple[str, str, int]]:
    return [(port.name, str(port.direction), port.bits) for port in design.ports]


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    "preset",
    [
        "ueno2020-enc-192",
        "ueno2020-encdec-selectable",
        "ueno2020-encdec-p2",
        "serial-encdec",
        "wang2010-s4-enc-256",
        "zhang2004-r7-encdec",
    ],
)
def test_a_core_has_the_ports_it_states_in_their_order(preset: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", preset)
    assert elaborated(design, tmp_path) == stated(design)


def test_a_leaf_has_the_ports_it_states(tmp_path: Path) -> None:
    builder = CircuitBuilder("both")
    x, s = builder.input("x", 2), builder.input("s", 1)
    builder.output("y", [builder.xor(x[0], x[1])])
    builder.output("z", [builder.and_(s[0], x[0])])
    for number, design in enumerate((bare(builder.build(), "both"), between_registers(builder.build(), "ranks"))):
        (tmp_path / str(number)).mkdir()
        assert sorted(elaborated(design, tmp_path / str(number))) == sorted(stated(design))


def test_the_block_interface_of_several_key_sizes_and_both_directions() -> None:
    ports = block_interface((128, 192, 256), BOTH)
    assert [(port.name, port.direction, port.width) for port in ports] == [
        ("clk_i", IN, 1),
        ("rst_ni", IN, 1),
        ("key_valid_i", IN, 1),
        ("key_ready_o", OUT, 1),
        ("key_i", IN, 256),
        ("key_bits_i", IN, 2),
        ("block_valid_i", IN, 1),
        ("block_ready_o", OUT, 1),
        ("block_i", IN, 128),
        ("decrypt_i", IN, 1),
        ("block_valid_o", OUT, 1),
        ("block_ready_i", IN, 1),
        ("block_o", OUT, 128),
    ]
    assert ports.payload(Meaning.DIRECTION) in ports.channel("block").payloads
    assert ports.payload(Meaning.KEY_SIZE) in ports.channel("key").payloads


def test_one_size_and_one_direction_have_no_ports_to_choose_them() -> None:
    ports = block_interface((128,), ("encrypt",))
    assert ports.find(Meaning.DIRECTION) is None
    assert ports.find(Meaning.KEY_SIZE) is None
    assert ports.port("key_i").width == 128


def test_bytes_come_in_as_many_beats_as_they_are() -> None:
    ports = block_interface((192,), ("encrypt",), 8)
    assert (ports.channel("key").beats(192), ports.channel("block").beats(128)) == (24, 16)
    assert block_interface((128, 256), ("encrypt",)).channel("key").beats(128) == 1


@pytest.mark.parametrize(
    ("key_bits", "width", "message"),
    [
        ((128,), 24, "block_width: must be 8, 16, 32, 64 or 128, not 24"),
    ],
)
def test_an_interface_that_cannot_be_is_refused(key_bits: tuple[int, ...], width: int, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        block_interface(key_bits, ("encrypt",), width)


def test_words_of_keys_of_several_sizes_come_with_their_size() -> None:
    ports = block_interface((128, 192, 256), ("encrypt",), 32)
    assert ports.payload(Meaning.KEY_SIZE).width == 2
    assert [ports.channel("key").beats(bits) for bits in (128, 192, 256)] == [4, 6, 8]
    with pytest.raises(RequestError, match="key_width: must be 256 for a choice of key sizes, not 64"):
        block_interface((128, 256), ("encrypt",), key_width=64)
    with pytest.raises(RequestError, match="key_width: must be whole bytes that divide a key of 192 bits, not 128"):
        block_interface((128, 192), ("encrypt",), 32, 128)


def test_shares_random_bits_streams_and_side_inputs_are_ports_too() -> None:
    assert ENGINE.port("key_i").bits == 384
    assert "3 shares of 128 bits, share 0 in the least significant" in ENGINE.port("key_i").text
    assert ENGINE.channel("text").data.port == "s_axis_tdata"
    assert ENGINE.channel("random").data.kind is PayloadKind.RANDOM
    assert ENGINE.channel("clear").lines == ()
    assert [port.name for port in ENGINE][-1] == "clear_i"


def test_each_line_has_a_level() -> None:
    assert [(line.port, line.active) for line in STROBES.lines] == [
        ("reset", 1),
        ("start", 1),
        ("busy", 0),
        ("done", 1),
    ]


@pytest.mark.parametrize("ports", [STROBES, ENGINE, block_interface((128, 256), BOTH), Ports(None, None, (CLEAR,))])
def test_ports_go_through_json(ports: Ports) -> None:
    assert from_values(json.loads(json.dumps(as_values(ports)))) == ports


@pytest.mark.parametrize(
    ("clock", "channels", "message"),
    [
        ("clear_i", (CLEAR,), "clear_i appears 2 times"),
        ("clk_i", (CLEAR, CLEAR), "clear_i appears 2 times"),
        (
            "clk_i",
            (CLEAR, Channel("clear", OUT, (Payload("y_o", 1, Meaning.VALUE),))),
            "channel clear appears 2 times",
        ),
        ("clk_i", (Channel("x", IN, (Payload("x_i", 0, Meaning.VALUE),)),), "x_i must have at least one bit"),
        ("module", (CLEAR,), "'module' is no name of a port"),
        ("clk_i", (Channel("x", IN, (), ready=Line("x_ready_o")),), "x_ready_o is a ready without a valid"),
        ("clk_i", (Channel("x", IN, (), Line("x_valid_i", active=2)),), "x_valid_i must be active at 0 or 1, not 2"),
        ("clk_i", (Channel("x", IN, ()),), "channel x: must have a port"),
        (
            "clk_i",
            (Channel("x", IN, (Payload("x_i", 8, Meaning.KEY, shares=2),)),),
            "channel x: x_i has shares, so its kind must be share",
        ),
        (
            "clk_i",
            (Channel("x", IN, (Payload("x_i", 8, Meaning.KEY), Payload("y_i", 8, Meaning.KEY))),),
            "channel x: key appears 2 times",
        ),
        (None, (CLEAR,), "a reset .rst_ni. needs a clock"),
    ],
)
def test_ports_that_no_module_has_are_refused(clock: str | None, channels: tuple[Channel, ...], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        Ports(clock, Reset("rst_ni"), channels)


def test_what_is_not_there_is_named_with_what_is() -> None:
    with pytest.raises(RequestError, match="there is no channel key; there are block, result"):
        STROBES.channel("key")
    with pytest.raises(RequestError, match="there is no direction; there are block, result"):
        STROBES.payload(Meaning.DIRECTION)
    with pytest.raises(RequestError, match="there is no port rst_ni; there are clk, reset, start"):
        STROBES.port("rst_ni")
    with pytest.raises(RequestError, match="channel block: must have one payload that is no control, not 0"):
        Channel("block", IN, (), Line("valid")).data  # noqa: B018 - the look-up itself is refused


def test_values_that_are_no_ports_are_refused_with_the_place() -> None:
    values = as_values(block_interface((128,), ("encrypt",)))
    values["channels"][0]["direction"] = "sideways"  # type: ignore[index]
    with pytest.raises(RequestError, match=r"ports: channels\.0\.direction: .*'input' or 'output', not 'sideways'"):
        from_values(values)

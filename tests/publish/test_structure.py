"""The block diagram's content is what the sources say."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import block_interface
from aesmith.drawing.diagram import Structure, Symbol
from aesmith.errors import CheckError
from aesmith.modes.specification import parse_engine
from aesmith.publish.structure import (
    Elaborated,
    check_ports,
    elaborate,
    module_uses,
    plain_name,
    read_parts,
    read_structure,
)
from aesmith.yosys_json import parse_json


def named(structure: Structure) -> dict[str, str]:
    """Key -> a short name: the label, or the kind where there is none."""
    return {block.key: block.label or str(block.kind) for block in structure.blocks}


def wires(structure: Structure) -> set[tuple[str, str, int]]:
    names = named(structure)
    return {(names[c.source], names[c.target], c.width) for c in structure.connections}


def test_identical_instances_are_one_block(tiny_netlist: Elaborated) -> None:
    structure = read_structure(tiny_netlist.modules, tiny_netlist.top)
    assert {b.label: b.count for b in structure.blocks if b.kind is Symbol.INSTANCE} == {"substitute": 16, "mix": 4}


def test_data_takes_the_way_the_sources_give_it(tiny_netlist: Elaborated) -> None:
    assert wires(read_structure(tiny_netlist.modules, tiny_netlist.top)) == {
        ("block_i", "⊕", 128),
        ("key_i", "key", 128),
        ("key", "⊕", 128),
        ("⊕", "multiplexer", 128),
        ("multiplexer", "state", 128),
        ("state", "substitute", 128),
        ("state", "block_o", 128),
        ("substitute", "mix", 128),
        ("mix", "⊕", 128),
    }


def test_control_is_named_and_not_drawn(tiny_netlist: Elaborated) -> None:
    structure = read_structure(tiny_netlist.modules, tiny_netlist.top)
    controls = {block.label: block.controls for block in structure.blocks if block.controls}
    assert controls["key"] == ("take_key",)
    assert controls["state"] == ("step", "take_block")
    assert [block.label for block in structure.blocks if block.kind is Symbol.CONTROL] == ["control"]
    assert structure.control_inputs == ("key_valid_i", "block_valid_i", "block_ready_i")


def test_clock_and_reset_are_left_out(tiny_netlist: Elaborated) -> None:
    structure = read_structure(tiny_netlist.modules, tiny_netlist.top)
    assert not {"clk_i", "rst_ni"} & {*structure.control_inputs, *named(structure).values()}


def test_registers_have_their_width(tiny_netlist: Elaborated) -> None:
    structure = read_structure(tiny_netlist.modules, tiny_netlist.top)
    assert {b.label: b.width for b in structure.blocks if b.kind is Symbol.REGISTER} == {"key": 128, "state": 128}


def cell(kind: str, **connections: list[int | str]) -> dict[str, object]:
    directions = {port: "output" if port in ("Y", "Q", "out") else "input" for port in connections}
    facts = {"type": kind, "connections": connections, "port_directions": directions}
    return facts | {"parameters": {}, "attributes": {}}


def module(ports: dict[str, tuple[str, list[int]]], cells: dict[str, object]) -> dict[str, object]:
    facts = {name: {"direction": direction, "bits": bits} for name, (direction, bits) in ports.items()}
    nets = {name: {"hide_name": 0, "bits": bits, "attributes": {}} for name, (_, bits) in ports.items()}
    return {"ports": facts, "cells": cells, "netnames": nets, "attributes": {}}


def structure_of(**modules: dict[str, object]) -> Structure:
    """Of the module `m` of these, as Yosys would write them."""
    return read_structure(parse_json(json.dumps({"modules": modules})).modules, "m")


A, B, C, D, SUM, OUT = (list(range(8 * i + 2, 8 * i + 10)) for i in range(6))


def test_a_chain_of_xors_is_one_with_many_inputs() -> None:
    ports = {"a": ("input", A), "b": ("input", B), "c": ("input", C), "y": ("output", OUT)}
    cells = {"$1": cell("$xor", A=A, B=B, Y=SUM), "$2": cell("$xor", A=SUM, B=C, Y=OUT)}
    structure = structure_of(m=module(ports, cells))
    assert wires(structure) == {("a", "⊕", 8), ("b", "⊕", 8), ("c", "⊕", 8), ("⊕", "y", 8)}
    assert sum(block.kind is Symbol.GATE for block in structure.blocks) == 1


def test_an_xor_with_a_constant_is_only_glue() -> None:
    ports = {"a": ("input", A), "y": ("output", OUT)}
    cells = {"$1": cell("$xor", A=A, B=["0", "1"] * 4, Y=OUT)}
    assert wires(structure_of(m=module(ports, cells))) == {("a", "y", 8)}


def test_different_bits_leave_by_different_outlets() -> None:
    leaf = module({"in": ("input", A), "out": ("output", B + C)}, {})
    ports = {"a": ("input", A), "y": ("output", SUM), "z": ("output", OUT), "w": ("output", SUM)}
    top = module(ports, {"u_leaf": cell("leaf", **{"in": A, "out": SUM + OUT}), "$1": cell("$not", A=A, Y=D)})
    structure = structure_of(m=top, leaf=leaf)
    outlets = {named(structure)[c.target]: c.outlet for c in structure.connections if "leaf" in c.source}
    assert outlets == {"y": 0, "w": 0, "z": 1}


def test_a_wrapper_is_looked_through() -> None:
    inner = module({"a": ("input", A), "y": ("output", OUT)}, {"$1": cell("$xor", A=A, B=A, Y=OUT)})
    outer = module({"a": ("input", A), "y": ("output", OUT)}, {"u_core": cell("core$m.u_core", a=A, out=OUT)})
    assert structure_of(**{"m": outer, "core$m.u_core": inner}).module == "core"


def test_names_lose_what_yosys_and_the_build_added() -> None:
    assert plain_name("\\mine_sbox$mine.gen_byte[3].u_sbox", "mine") == "sbox"


def test_the_hierarchy_counts_instances_and_flip_flops(tiny_netlist: Elaborated) -> None:
    uses = {use.name: (use.depth, use.instances, use.flip_flops) for use in module_uses(tiny_netlist)}
    assert uses["tiny"] == (0, 1, 256)
    assert uses["tiny_substitute"] == (1, 16, 0)
    assert uses["tiny_control"] == (1, 1, 5)


def test_ports_that_the_sources_do_not_have_are_refused(tiny: CoreDesign, tiny_netlist: Elaborated) -> None:
    check_ports(tiny, tiny_netlist)
    for ports, message in (
        (block_interface((192,), ("encrypt",)), "port key_i is stated as input of 192, but is input of 128 in the"),
        (block_interface((128,), ("encrypt", "decrypt")), "port decrypt_i is stated as input of 1, but is missing in"),
        (replace(tiny.ports, channels=tiny.ports.channels[1:]), "port key_i is stated as missing, but is input of 128"),
    ):
        with pytest.raises(CheckError, match=message):
            check_ports(replace(tiny, ports=ports), tiny_netlist)


def test_parts_are_registers_and_modules_and_what_reaches_them() -> None:
    """Gates are looked through, narrow registers are one block, and a control port of any width is only named."""
    leaf = module({"in": ("input", A), "out": ("output", B)}, {})
    ports = {
        "a": ("input", A),
        "keep": ("input", D),
        "y": ("output", OUT),
        "z": ("output", [100]),
        "w": ("output", [101]),
    }
    narrow = {f"$f{i}": cell("$dff", D=[A[i]], Q=[100 + i], CLK=[99]) for i in range(2)}
    gates = {
        "$x": cell("$xor", A=A, B=D, Y=B),
        "u_leaf": cell("leaf", **{"in": B, "out": C}),
        "$q": cell("$dff", D=C, Q=SUM, CLK=[99]),
        "$y": cell("$and", A=SUM, B=D, Y=OUT),
    }
    top = module(ports, gates | narrow)
    modules = parse_json(json.dumps({"modules": {"m": top, "leaf": leaf}})).modules
    structure = read_parts(modules, "m", control=["keep"])
    assert wires(structure) == {("a", "leaf", 8), ("leaf", "register", 8), ("register", "y", 8)}
    assert structure.control_inputs == ("keep",)
    assert [(b.label, b.detail) for b in structure.blocks if b.kind is Symbol.CONTROL] == [("control", "2 bit")]


def test_an_engine_is_drawn_by_its_parts(tmp_path: Path) -> None:
    """What is around the core stands in the picture by its registers and modules, whatever wraps it."""
    engine = parse_engine({"preset": "gcm-small", "stream_bits": 32}).engine("my_gcm", "gcm-small")
    netlist = elaborate(engine, tmp_path / "netlist")
    structure = read_parts(netlist.opened, netlist.top)
    shown = {(block.label, block.detail.removeprefix("my_gcm_wide_")) for block in structure.blocks}
    assert {("core", "aes"), ("widen", "stream_widen"), ("narrow", "stream_narrow")} <= shown
    assert {("x", "128 bit"), ("y", "128 bit"), ("r", "128 bit"), ("h", "128 bit")} <= shown
    assert ("y", "step", 128) in wires(structure)
    assert ("engine", "") not in shown

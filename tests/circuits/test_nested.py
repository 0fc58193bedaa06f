"""Multipliers as text that can be read: few lines, and the gates of the circuit all the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op
from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.nested import nested_systemverilog
from aesmith.circuits.systemverilog import systemverilog
from aesmith.flow.yosys import run_script

from .test_systemverilog import every_gate


def _gates(text: str, folder: Path) -> dict[str, int]:
    """Cells that the front end makes of a text, by kind, before anything is optimised."""
    folder.mkdir()
    (folder / "m.sv").write_text(text)
    run_script(["read_slang --top m m.sv", "tee -q -o stat.json stat -json"], folder / "log")
    counted: dict[str, int] = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    return {kind: count for kind, count in counted.items() if kind not in ("$scopeinfo", "$buf")}


def _proved_equal(circuit: Circuit, folder: Path) -> None:
    """Raises ToolError unless both texts compute the same."""
    folder.mkdir()
    (folder / "flat.sv").write_text(systemverilog(circuit, "", "flat"))
    (folder / "nested.sv").write_text(nested_systemverilog(circuit, "", "nested"))
    read = ["read_slang --top flat flat.sv", "read_slang --top nested nested.sv"]
    run_script(
        [*read, "equiv_make flat nested equal", "hierarchy -top equal", "equiv_simple", "equiv_status -assert"],
        folder / "log",
    )


def test_a_digit_of_ghash_is_a_column_a_bit(tmp_path: Path) -> None:
    circuit = digit_step(8).circuit
    text = nested_systemverilog(circuit, "a step", "m")
    assert text.startswith("// a step\nmodule m (")
    assert len(text.splitlines()) < len(systemverilog(circuit, "a step", "m").splitlines()) / 5
    assert max(map(len, text.splitlines())) <= 100
    assert re.findall(r"assign (p_o\[\d+\])", text) == [f"p_o[{bit}]" for bit in range(128)]
    assert "  assign sum_1[6] = y_i[126] ^ (d_i[7] & h_i[127]);" in text
    assert not re.search(r"\bn\d+\b", text)
    assert _gates(text, tmp_path / "nested") == _gates(systemverilog(circuit, "", "m"), tmp_path / "flat")


def test_every_gate_and_an_output_that_is_an_input(tmp_path: Path) -> None:
    circuit = every_gate()
    _proved_equal(circuit, tmp_path / "proof")


def test_no_vector_reads_itself() -> None:
    """Linters take a vector whose bits read one another for a loop."""
    text = nested_systemverilog(digit_step(32, "kk").circuit, "", "m")
    statements = re.findall(r"assign (\w+)\[\d+\] = ([^;]*);", text)
    assert len({target for target, _ in statements}) > 4
    assert all(not re.search(rf"\b{target}\b", expression) for target, expression in statements)


def test_long_chains_are_cut(tmp_path: Path) -> None:
    builder = CircuitBuilder("chain")
    x = builder.input("x", 200)
    total = x[0]
    for wire in x[1:]:
        total = builder.gate(Op.XOR, total, wire)
    builder.output("y", [total])
    circuit = builder.build()
    text = nested_systemverilog(circuit, "", "m")
    assert max(line.count("(") for line in text.replace("\n      ", " ").splitlines()) <= 41
    _proved_equal(circuit, tmp_path / "proof")


@pytest.mark.thorough
def test_karatsuba_is_itself(tmp_path: Path) -> None:
    _proved_equal(digit_step(16, "kb").circuit, tmp_path / "proof")

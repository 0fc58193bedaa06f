"""Every circuit of the catalogue as RTL in simulation, and as a mapped netlist by proof."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Circuit, CircuitGate, Op
from aesmith.circuits.systemverilog import systemverilog
from aesmith.errors import ToolError
from aesmith.flow.recipes import SHRINK
from aesmith.flow.yosys import run_script
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function
from aesmith.sboxes.table import lookup
from aesmith.technology.liberty import read_text
from aesmith.technology.registry import embedded_path

CIRCUITS = {
    f"{name.replace('-', '_')}_{function}": entry.circuit(function)
    for name, entry in catalogue().items()
    for function in entry.functions
}


def _bench(circuits: Mapping[str, Circuit]) -> str:
    """A test bench that compares every module with its table for all inputs, and counts the comparisons."""
    lines = ["module bench;", "  logic [8:0] word;", "  integer errors = 0, checks = 0;"]
    for name, circuit in circuits.items():
        lines.append(f"  logic [{circuit.output_width - 1}:0] {name}_y, {name}_table [{1 << circuit.input_width}];")
        select = ", .decrypt_i(word[8])" if circuit.input_width == 9 else ""
        lines.append(f"  {name} u_{name} (.x_i(word[7:0]){select}, .y_o({name}_y));")
    lines.append("  initial begin")
    lines += [f'    $readmemh("{name}.hex", {name}_table);' for name in circuits]
    lines.append("    for (int i = 0; i < 512; i++) begin")
    lines.append("      word = i[8:0]; #1;")
    for name, circuit in circuits.items():
        index = "word" if circuit.input_width == 9 else "word[7:0]"
        lines.append(f"      checks++; if ({name}_y !== {name}_table[{index}]) errors++;")
    lines += ["    end", '    $display("%0d errors in %0d checks", errors, checks);', "  end", "endmodule"]
    return "\n".join(lines) + "\n"


def _simulate(circuits: Mapping[str, Circuit], tables: Mapping[str, list[int]], folder: Path) -> tuple[int, int]:
    """Errors and checks of one Icarus run over all modules."""
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog (iverilog) is not installed")
    for name, circuit in circuits.items():
        (folder / f"{name}.sv").write_text(systemverilog(circuit, name, module=name))
        (folder / f"{name}.hex").write_text("\n".join(f"{word:x}" for word in tables[name]))
    (folder / "bench.sv").write_text(_bench(circuits))
    files = [f"{name}.sv" for name in circuits]
    subprocess.run(["iverilog", "-g2012", "-o", "bench.vvp", "bench.sv", *files], cwd=folder, check=True)
    result = subprocess.run(["vvp", "-n", "bench.vvp"], cwd=folder, check=True, capture_output=True, text=True)
    found = re.search(r"(\d+) errors in (\d+) checks", result.stdout)
    assert found, result.stdout
    return int(found[1]), int(found[2])


def _tables(circuits: Mapping[str, Circuit]) -> dict[str, list[int]]:
    return {name: circuit.table() for name, circuit in circuits.items()}


def _prove_mapped(circuits: Mapping[str, Circuit], tables: Mapping[str, list[int]], folder: Path) -> str:
    """Map all modules and prove each equal to its table; returns the log. Raises ToolError where a proof fails."""
    for name, circuit in circuits.items():
        reference = lookup(f"{name}_reference", tables[name], circuit.output_width)
        (folder / f"{name}.sv").write_text(systemverilog(circuit, name, module=name))
        (folder / f"{name}_reference.sv").write_text(_with_ports_of(circuit, systemverilog(reference, name), name))
    (folder / "library.lib").write_text(read_text(embedded_path()))
    (folder / "recipe.abc").write_text(SHRINK.abc_script(None) + "\n")
    files = " ".join(f"{name}.sv" for name in circuits)
    references = " ".join(f"{name}_reference.sv" for name in circuits)
    commands = [
        f"read_verilog -sv {files}",
        "opt",
        "techmap",
        "abc -liberty library.lib -script recipe.abc",
        "opt_clean -purge",
        "select -assert-none t:$*",
        "read_liberty -overwrite -ignore_miss_func library.lib",
        f"read_verilog -sv {references}",
        "proc",
        "flatten",
    ]
    for name in circuits:
        commands += [
            f"miter -equiv -flatten {name} {name}_reference {name}_miter",
            f"sat -verify -prove trigger 0 {name}_miter",
        ]
    log = folder / "yosys.log"
    run_script(commands, log)
    return log.read_text()


def _with_ports_of(circuit: Circuit, reference: str, name: str) -> str:
    """The reference as it is, or, for a combined circuit, under a module with the circuit's two input ports."""
    if circuit.input_width == 8:
        return reference
    inner = reference.replace(f"module {name}_reference", f"module {name}_table")
    return inner + (
        f"module {name}_reference (input logic [7:0] x_i, input logic decrypt_i, output logic [7:0] y_o);\n"
        f"  {name}_table u_table (.x_i({{decrypt_i, x_i}}), .y_o(y_o));\nendmodule\n"
    )


def _broken(name: str) -> dict[str, Circuit]:
    """One circuit with its last XOR made an OR."""
    circuit = CIRCUITS[name]
    i = max(i for i, gate in enumerate(circuit.gates) if gate.op is Op.XOR)
    wrong = CircuitGate(Op.OR, circuit.gates[i].args, circuit.gates[i].block)
    gates = (*circuit.gates[:i], wrong, *circuit.gates[i + 1 :])
    return {name: dataclasses.replace(circuit, gates=gates)}


def test_the_rtl_of_every_circuit_is_exact_in_simulation(tmp_path: Path) -> None:
    assert _simulate(CIRCUITS, _tables(CIRCUITS), tmp_path) == (0, 512 * len(CIRCUITS))


def test_the_simulation_sees_one_wrong_gate(tmp_path: Path) -> None:
    errors, _ = _simulate(_broken("reyhani2018_forward"), _tables(CIRCUITS), tmp_path)
    assert errors


@pytest.mark.slow
def test_every_circuit_is_exact_as_a_mapped_netlist(tmp_path: Path) -> None:
    log = _prove_mapped(CIRCUITS, _tables(CIRCUITS), tmp_path)
    assert log.count("SAT proof finished - no model found: SUCCESS!") == len(CIRCUITS)


def test_the_proof_sees_one_wrong_gate(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_mapped(_broken("reyhani2018_forward"), _tables(CIRCUITS), tmp_path)


def test_the_combined_circuits_have_both_directions_in_their_table() -> None:
    for name, entry in catalogue().items():
        if Function.COMBINED in entry.functions:
            table = entry.circuit(Function.COMBINED).table()
            assert table[:256] == entry.circuit(Function.FORWARD).table(), name
            assert table[256:] == entry.circuit(Function.INVERSE).table(), name

"""Every circuit of the catalogue as RTL and as a mapped netlist, for all its inputs."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Circuit, CircuitGate, Op
from aesmith.circuits.systemverilog import systemverilog
from aesmith.flow.recipes import SHRINK
from aesmith.flow.yosys import run_script
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function
from aesmith.technology.liberty import read_text
from aesmith.technology.registry import embedded_path

CIRCUITS = {
    f"{name.replace('-', '_')}_{function}": entry.circuit(function)
    for name, entry in catalogue().items()
    for function in entry.functions
}
TABLES = {name: circuit.table() for name, circuit in CIRCUITS.items()}


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


def _simulate(circuits: Mapping[str, Circuit], files: list[str], folder: Path) -> tuple[int, int]:
    """Errors and checks of one Icarus run over all modules, which the files in `folder` have."""
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog (iverilog) is not installed")
    for name in circuits:
        (folder / f"{name}.hex").write_text("\n".join(f"{word:x}" for word in TABLES[name]))
    (folder / "bench.sv").write_text(_bench(circuits))
    subprocess.run(["iverilog", "-g2012", "-o", "bench.vvp", "bench.sv", *files], cwd=folder, check=True)
    result = subprocess.run(["vvp", "-n", "bench.vvp"], cwd=folder, check=True, capture_output=True, text=True)
    found = re.search(r"(\d+) errors in (\d+) checks", result.stdout)
    assert found, result.stdout
    return int(found[1]), int(found[2])


def _write(circuits: Mapping[str, Circuit], folder: Path) -> list[str]:
    """The RTL of the circuits, a file each; the names of the files."""
    for name, circuit in circuits.items():
        (folder / f"{name}.sv").write_text(systemverilog(circuit, name, module=name))
    return [f"{name}.sv" for name in circuits]


def _map(circuits: Mapping[str, Circuit], folder: Path) -> list[str]:
    """The circuits as netlists of the embedded library's cells, and these by their functions in Liberty: one file."""
    (folder / "library.lib").write_text(read_text(embedded_path()))
    (folder / "recipe.abc").write_text(SHRINK.abc_script(None) + "\n")
    commands = [
        f"read_verilog -sv {' '.join(_write(circuits, folder))}",
        "opt",
        "techmap",
        "abc -liberty library.lib -script recipe.abc",
        "opt_clean -purge",
        "select -assert-none t:$*",
        "read_liberty -overwrite -ignore_miss_func library.lib",
        "write_verilog -noattr mapped.v",
    ]
    run_script(commands, folder / "yosys.log")
    return ["mapped.v"]


def _broken(name: str) -> dict[str, Circuit]:
    """One circuit with its last XOR made an OR."""
    circuit = CIRCUITS[name]
    i = max(i for i, gate in enumerate(circuit.gates) if gate.op is Op.XOR)
    wrong = CircuitGate(Op.OR, circuit.gates[i].args, circuit.gates[i].block)
    gates = (*circuit.gates[:i], wrong, *circuit.gates[i + 1 :])
    return {name: dataclasses.replace(circuit, gates=gates)}


def test_the_rtl_of_every_circuit_is_exact_for_every_input(tmp_path: Path) -> None:
    assert _simulate(CIRCUITS, _write(CIRCUITS, tmp_path), tmp_path) == (0, 512 * len(CIRCUITS))


@pytest.mark.thorough
@pytest.mark.slow
def test_every_circuit_is_exact_for_every_input_as_a_mapped_netlist(tmp_path: Path) -> None:
    assert _simulate(CIRCUITS, _map(CIRCUITS, tmp_path), tmp_path) == (0, 512 * len(CIRCUITS))


@pytest.mark.parametrize("write", [_write, _map])
def test_one_wrong_gate_is_seen(write: Callable[[Mapping[str, Circuit], Path], list[str]], tmp_path: Path) -> None:
    broken = _broken("reyhani2018_forward")
    errors, checks = _simulate(broken, write(broken, tmp_path), tmp_path)
    assert 0 < errors < checks


def test_the_combined_circuits_have_both_directions_in_their_table() -> None:
    for name, entry in catalogue().items():
        if Function.COMBINED in entry.functions:
            table = entry.circuit(Function.COMBINED).table()
            assert table[:256] == entry.circuit(Function.FORWARD).table(), name
            assert table[256:] == entry.circuit(Function.INVERSE).table(), name

"""The same simulation by Icarus Verilog with SDF, the independent oracle (Debian package `iverilog`; from version 11).

Icarus takes an SDF file's plain IOPATHs only, and loads others without a word and without effect. So there is one
IOPATH for each input and output of an instance, with one figure for each edge: the delays of the annotation.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.errors import ToolError
from aesmith.technology.boolean import Node
from aesmith.technology.cell import Cell
from aesmith.timing.power.arrays import Drive
from aesmith.timing.power.program import TICKS_PER_NS, PowerProgram

_VARIABLE = re.compile(r"\$var \w+ 1 (\S+) n(\d+) \$end")
_CHANGE = re.compile(r"^(?:#(\d+)|([01xz])(\S+))$", re.MULTILINE)
_BITS = {"not": "~", "and": "&", "or": "|", "xor": "^"}
_START = 2 * TICKS_PER_NS


@dataclass(frozen=True, eq=False)
class IcarusRun:
    """`toggles[n]` transitions of net n between the two times asked for; `high[n]` whether it was 1 at the end."""

    toggles: list[int]
    high: list[bool]


def simulate(
    program: PowerProgram,
    drives: Sequence[Drive],
    lane: int,
    between: tuple[int, int],
    folder: Path,
    *,
    timeout_seconds: float = 3600,
) -> IcarusRun:
    """Drive one lane of a recording; count transitions after the first time in `between` and up to the second.

    Files go to `folder`. Raises ToolError if Icarus is missing or fails.
    """
    compile_testbench(program, drives, lane, between[1], folder, dump=True, timeout_seconds=timeout_seconds)
    run_testbench(folder, timeout_seconds=timeout_seconds)
    return read_dump(folder / "dump.vcd", len(program.bound.netlist.nets), between)


def compile_testbench(
    program: PowerProgram,
    drives: Sequence[Drive],
    lane: int,
    end: int,
    folder: Path,
    *,
    dump: bool,
    timeout_seconds: float = 3600,
) -> None:
    """Write cells, netlist, delays and testbench to `folder`, and compile them. Raises ToolError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "delays.sdf").write_text(sdf(program))
    (folder / "design.v").write_text(
        "\n".join(
            [
                "`timescale 1ps/1ps",
                *_cells(program),
                *_netlist(program),
                *_testbench(program, drives, lane, end, dump=dump),
            ]
        )
    )
    command = [
        _executable("iverilog"),
        "-g2012",
        "-gspecify",
        "-Ttyp",
        "-o",
        "design.vvp",
        "-s",
        "testbench",
        "design.v",
    ]
    _run(command, folder, timeout_seconds)


def run_testbench(folder: Path, *, timeout_seconds: float = 3600) -> None:
    """Run what `compile_testbench` has left in `folder`. Raises ToolError."""
    output = _run([_executable("vvp"), "-n", "design.vvp"], folder, timeout_seconds)
    if "SDF ERROR" in output or "SDF WARNING" in output or "finished" not in output:
        raise ToolError(f"Icarus (vvp) did not take the delays or did not finish: {output.strip()[-400:]}")


def sdf(program: PowerProgram) -> str:
    """The delays of a program in Standard Delay Format; instances are u0, u1, ... by their numbers."""
    lines = ['(DELAYFILE (SDFVERSION "3.0") (TIMESCALE 1ps)']
    for index, instance in enumerate(program.bound.netlist.instances):
        model = program.models[index]
        paths = []
        for pin in model.cell.outputs:
            for variable, name in enumerate(model.variables):
                delay = program.annotation.delays.get((index, pin, variable))
                if delay is None or pin not in instance.pins:
                    continue
                source = name
                if model.sequential:
                    assert model.cell.register is not None
                    source = f"(posedge {model.cell.register.clocked_on.inputs[0]})"
                paths.append(f"(IOPATH {source} {pin} ({delay.rise}) ({delay.fall}))")
        if paths:
            lines.append(
                f'(CELL (CELLTYPE "{instance.cell}") (INSTANCE u{index}) (DELAY (ABSOLUTE {" ".join(paths)})))'
            )
    return "\n".join([*lines, ")\n"])


def _cells(program: PowerProgram) -> Iterator[str]:
    for cell in {model.cell.name: model.cell for model in program.models}.values():
        yield f"module {cell.name}({', '.join((*cell.inputs, *cell.outputs))});"
        yield from (f"  input {name};" for name in cell.inputs)
        yield from (f"  output {name};" for name in cell.outputs)
        register = cell.register if cell.inputs else None
        if register is not None:
            forces = [(f, v) for f, v in ((register.clear, 0), (register.preset, 1)) if f]
            yield f"  reg {register.state} = 1'b0; wire {register.inverse} = ~{register.state};"
            events = [f"posedge {register.clocked_on.inputs[0]}"]
            body = ""
            for k, (condition, value) in enumerate(forces):
                yield f"  wire force{k} = {_expression(condition.root)};"
                events.append(f"posedge force{k}")
                body += f"if (force{k}) {register.state} <= 1'b{value}; else "
                # What is forced from the beginning makes no edge that the block below could wait for.
                yield f"  initial #1 if (force{k}) {register.state} = 1'b{value};"
            update = f"{register.state} <= {_expression(register.next_state.root)};"
            yield f"  always @({' or '.join(events)}) {body}{update}"
        paths = []
        for pin in cell.outputs:
            function = cell.pins[pin].function
            assert function is not None
            yield f"  assign {pin} = {_expression(function.root)};"
            paths += _paths(cell, pin)
        if paths:
            yield from ("  specify", *paths, "  endspecify")
        yield "endmodule"


def _paths(cell: Cell, pin: str) -> list[str]:
    if cell.register is not None and cell.inputs:
        return [f"    (posedge {cell.register.clocked_on.inputs[0]} => ({pin} +: 1'bx)) = (0, 0);"]
    function = cell.pins[pin].function
    assert function is not None
    return [f"    ({name} => {pin}) = (0, 0);" for name in function.support]


def _expression(node: Node) -> str:
    kind, first = node[0], node[1]
    if isinstance(first, str):
        return f"1'b{first}" if kind == "constant" else first
    if kind == "not":
        return f"(~{_expression(first)})"
    second = node[2]
    assert not isinstance(second, str)
    return f"({_expression(first)} {_BITS[str(kind)]} {_expression(second)})"


def _inputs(program: PowerProgram) -> list[int]:
    return [net for port in program.bound.netlist.inputs for net in port.nets]


def _netlist(program: PowerProgram) -> Iterator[str]:
    netlist = program.bound.netlist
    inputs = _inputs(program)
    yield f"module dut({', '.join(f'n{net}' for net in inputs)});"
    yield from (f"  input n{net};" for net in inputs)
    driven = set(range(2, len(netlist.nets))) - set(inputs)
    yield from (f"  wire n{net};" for net in sorted(driven))
    yield "  wire n0 = 1'b0, n1 = 1'b1;"
    for index, instance in enumerate(netlist.instances):
        pins = ", ".join(f".{pin}(n{net})" for pin, net in instance.pins.items())
        yield f"  {instance.cell} u{index} ({pins});"
    yield "endmodule"


def _testbench(program: PowerProgram, drives: Sequence[Drive], lane: int, end: int, *, dump: bool) -> Iterator[str]:
    inputs = _inputs(program)
    place = {net: k for k, net in enumerate(inputs)}
    width = len(inputs)
    yield "module testbench;"
    yield f"  reg [{width - 1}:0] in = 0;"
    yield f"  dut dut({', '.join(f'in[{k}]' for k in range(width))});"
    yield "  initial begin"
    yield '    $sdf_annotate("delays.sdf", dut);'
    if dump:
        yield '    $dumpfile("dump.vcd"); $dumpvars(1, dut);'
    value, now = 0, -_START
    for drive in drives:
        for net, word in zip(drive.nets.tolist(), drive.words.tolist(), strict=True):
            bit = 1 << place[net]
            value = value | bit if word >> lane & 1 else value & ~bit
        wait = f"#{drive.time - now} " if drive.time > now else ""
        now = max(now, drive.time)
        yield f"    {wait}in = {width}'h{value:x};"
    yield f'    #{end - now} $display("finished"); $finish;'
    yield "  end"
    yield "endmodule\n"


def read_dump(path: Path, nets: int, between: tuple[int, int]) -> IcarusRun:
    """What the dump of a run says of transitions after the first time in `between` and up to the second."""
    text = path.read_text()
    header, _, body = text.partition("$enddefinitions")
    number = {code: int(net) for code, net in _VARIABLE.findall(header)}
    toggles = [0] * nets
    values = ["x"] * nets
    counting = False
    for time, value, code in _CHANGE.findall(body):
        if time:
            counting = between[0] < int(time) - _START <= between[1]
        elif code in number:
            net = number[code]
            toggles[net] += counting and values[net] != value
            values[net] = value
    return IcarusRun(toggles, [value == "1" for value in values])


def _executable(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise ToolError(f"Icarus Verilog ({name}) is not installed; on Debian and Ubuntu: apt install iverilog")
    return found


def _run(command: list[str], folder: Path, timeout_seconds: float) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"Icarus ({command[0]}) took longer than {timeout_seconds:g} s") from error
    if done.returncode != 0:
        raise ToolError(f"Icarus ({command[0]}) failed with code {done.returncode}: {done.stdout.strip()[-400:]}")
    return done.stdout

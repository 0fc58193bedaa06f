"""The sources in simulators beside the netlist that was examined: a second net, for a proof is of what one tool read.

Each simulator runs the sources under random inputs and writes every register and output down in each clock. Where the
netlist, under the inputs and registers of a clock, determines an output, or what a register has in the next clock, that
has to be what the simulator shows. So each clock is a case of its own, and where a simulation starts does not matter.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from aesmith.assurance.proof.elaborate import CLOCK, RESET, elaborate
from aesmith.assurance.proof.netlist import FALSE, TRUE, Netlist, NetlistOp
from aesmith.assurance.proof.report import Part, Simulated, Verdict
from aesmith.assurance.texts import filled, for_icarus
from aesmith.cores.design import Design, SourceFile
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.verilator import compiled, find_verilator
from aesmith.processes import query, run
from aesmith.progress import Progress
from aesmith.scratch import work_folder

_STRETCH = 32
"""Clocks for which an input of one bit keeps how often it is 1, and a wider one how it changes."""
READ_ALIKE = "Under random inputs, simulators find in the sources what the examined netlist has."
_TIMEOUT_S = 600.0

_BENCH = "aesmith_levels.sv"
_SHOW = '    $fdisplay(file, "%b", {});'

Known = tuple[int, int]
"""Levels of a net, a bit for each clock: where it is 1, and where it is 0; in neither it is not known."""
Registers = Mapping[str, Mapping[int, int]]
"""Names in the sources that registers are called by, each with the nets of its bits that are registers."""


def simulate(design: Design, netlist: Netlist, folder: Path, clocks: int, seed: int = 1) -> Simulated:
    """Run the sources of a design beside its netlist in Verilator and, where it is installed, in Icarus Verilog.

    A simulator that is not there, or does not take the sources, is named with its reason in the result.
    """
    folder, inputs = folder.resolve(), _inputs(netlist, clocks, seed)
    shown = _named_registers(netlist)
    agreeing: list[str] = []
    without: list[str] = []
    odd = ""
    fewest = len(netlist.registers)
    for name, simulator in (("Verilator", _in_verilator), ("Icarus Verilog", _in_icarus)):
        place = folder / name.split()[0].lower()
        place.mkdir(parents=True, exist_ok=True)
        (place / "inputs.txt").write_text("\n".join(inputs) + "\n")
        try:
            runs, bench_of = partial(simulator, design, place, clocks), partial(_bench, netlist, design, clocks)
            version, found = _run(runs, bench_of, place, shown)
            levels = _levels(netlist, place / "levels.txt", found, clocks)
        except ToolError as error:
            without.append(f"{name} {str(error).splitlines()[0].rstrip('.')}")
            continue
        fewest = min(fewest, sum(register.q in levels for register in netlist.registers))
        if odd := _difference(netlist, inputs, levels, clocks):
            odd = f"in {name} {version} {odd}"
            break
        agreeing.append(f"{name} {version}")
    return Simulated(clocks, tuple(agreeing), fewest, len(netlist.registers), tuple(without), odd)


def simulated_part(
    design: Design, netlist: Netlist | None, clocks: int, progress: Progress | None = None
) -> tuple[Simulated, tuple[Part, ...]]:
    """`simulate` of a design and its netlist, which is elaborated if it is not given, and a part that refuses the
    sources if a simulator shows something else, or if as a whole they are refused when they are elaborated."""
    began = time.monotonic()
    if progress is not None:
        progress("simulators", 0, 1)
    try:
        with work_folder("simulated") as work:
            simulated = simulate(design, netlist or elaborate(design, work / "read"), work, clocks)
    except CheckError as error:
        simulated = Simulated(clocks, (), 0, 0, (), str(error))
    if not simulated.odd:
        return simulated, ()
    engine, seconds = f"simulation of {clocks} clocks", time.monotonic() - began
    return simulated, (Part("simulators", READ_ALIKE, engine, Verdict.REFUSED, seconds, simulated.odd),)


def _run(
    runs: Callable[[str], str], bench_of: Callable[[Registers], str], folder: Path, shown: Registers
) -> tuple[str, Registers]:
    """Run a simulator, without the names that it does not find in the sources; its version, and what it shows."""
    while True:
        bench = bench_of(shown)
        try:
            return runs(bench), shown
        except ToolError as error:
            lines = bench.splitlines()
            said = "".join(log.read_text(errors="replace") for log in folder.glob("*.log"))
            named = {lines[int(line) - 1] for line in re.findall(rf"{_BENCH}:(\d+)", said)}
            missed = {name for name in shown if _SHOW.format(f"dut.{name}") in named}
            if not missed:
                raise
            shown = {name: nets for name, nets in shown.items() if name not in missed}
            if not shown:
                raise ToolError("finds no register by its name") from error


def _inputs(netlist: Netlist, clocks: int, seed: int) -> list[str]:
    """The levels of all inputs in each clock, as digits: the first bit of the first input last but one, reset last."""
    rng = random.Random(seed)
    ports = list(netlist.inputs.values())
    often, moving = [0.5] * len(ports), [True] * len(ports)
    words = [0] * len(ports)
    made = []
    for clock in range(clocks):
        for index, nets in enumerate(ports):
            if clock % _STRETCH == 0:
                often[index], moving[index] = rng.choice((0.1, 0.5, 0.9)), rng.random() < 0.75
            if len(nets) == 1:
                words[index] = int(rng.random() < often[index])
            elif moving[index] or clock % _STRETCH == 0:
                words[index] = rng.getrandbits(len(nets))
        # A reset begins with an edge, and comes again in the second half.
        reset = clock in (1, 2) or (clock > clocks // 2 and rng.random() < 0.02)
        digits = [f"{word:0{len(nets)}b}" for word, nets in zip(words, ports, strict=True)]
        made.append("".join(reversed(digits)) + str(int(not reset)))
    return made


def _named_registers(netlist: Netlist) -> Registers:
    called: dict[str, dict[int, int]] = {}
    for register in netlist.registers:
        bit = None if register.name in netlist.names else re.fullmatch(r"(.*)\[(\d+)\]", register.name)
        name, index = (bit[1], int(bit[2])) if bit else (register.name, 0)
        if " " not in name:
            called.setdefault(name, {})[index] = register.q
    return called


def _bench(netlist: Netlist, design: Design, clocks: int, shown: Registers) -> str:
    """The text of a module that gives the sources the inputs of a file, and writes levels to another."""
    at, ports = 1, [f".{CLOCK}(clk)", f".{RESET}(now[0])"]
    if design.ports.scan_enable is not None:
        ports.append(f".{design.ports.scan_enable}(1'b0)")
    for name, nets in netlist.inputs.items():
        ports.append(f".{name}(now[{at + len(nets) - 1}:{at}])")
        at += len(nets)
    outputs = [f"  wire [{len(nets) - 1}:0] out_{i};" for i, nets in enumerate(netlist.outputs.values())]
    ports += [f".{name}(out_{i})" for i, name in enumerate(netlist.outputs)]
    levels = [f"out_{i}" for i in range(len(netlist.outputs))] + [f"dut.{name}" for name in shown]
    values = {
        "WIDTH": str(at),
        "CLOCKS": str(clocks),
        "OUTPUTS": "\n".join(outputs),
        "TOP": design.top,
        "PORTS": ", ".join(ports),
        "WRITE": "\n".join(map(_SHOW.format, levels)),
    }
    return filled("levels.sv.txt", values)


def _in_verilator(design: Design, folder: Path, clocks: int, bench: str) -> str:
    main = filled("levels.cpp.txt", {"CLOCKS": str(clocks)})
    sources = [*design.sources, SourceFile(_BENCH, bench)]
    try:
        program = compiled(design.name, "aesmith_levels", sources, main, folder)
    except RequestError as error:
        raise ToolError(f"does not read them ({error})") from error
    _to_the_end([program], folder, "model.log")
    return find_verilator().version


def _in_icarus(design: Design, folder: Path, clocks: int, bench: str) -> str:
    if shutil.which("iverilog") is None:
        raise ToolError("is not installed; on Debian and Ubuntu: apt install iverilog")
    driver = filled("levels_driver.sv.txt", {"CLOCKS": str(clocks)})
    files = [*design.sources, SourceFile(_BENCH, bench + driver)]
    for source in files:
        (folder / source.name).write_text(for_icarus(source.text))
    command = ["iverilog", "-g2012", "-o", "model.vvp", "-s", "aesmith_driver", *(source.name for source in files)]
    try:
        _to_the_end(command, folder, "iverilog.log")
    except ToolError as error:
        raise ToolError(f"does not read them ({str(error).splitlines()[0].rstrip('.')})") from error
    _to_the_end(["vvp", "-n", "model.vvp"], folder, "vvp.log")
    version = re.search(r"version (\S+)", query(["iverilog", "-V"]))
    return version[1] if version else ""


def _to_the_end(command: Sequence[str | Path], folder: Path, log: str) -> None:
    program = Path(command[0]).name
    try:
        ended = run(command, folder, folder / log, timeout_s=_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{program} took longer than {_TIMEOUT_S:g} s") from error
    if ended.status:
        raise ToolError(ended.said.strip() or f"{program} ended with code {ended.status}")


def _levels(netlist: Netlist, file: Path, shown: Registers, clocks: int) -> dict[int, Known]:
    """The levels that a simulator wrote down: of each output bit, as the number -1 - i, and of each register's net.

    Raises ToolError for a file that is not whole.
    """
    lines = file.read_text().split()
    first = 0
    wanted: list[Mapping[int, int]] = []
    for bits in netlist.outputs.values():
        wanted.append({i: -1 - first - i for i in range(len(bits))})
        first += len(bits)
    wanted += shown.values()
    if len(lines) != clocks * len(wanted):
        raise ToolError(f"wrote {len(lines)} lines of levels, not {clocks * len(wanted)}")
    known: dict[int, Known] = {}
    for index, nets in enumerate(wanted):
        rows = reversed(lines[index :: len(wanted)])
        columns = list(zip(*(row[::-1] for row in rows), strict=True))
        for bit, net in nets.items():
            if bit < len(columns):
                digits = "".join(columns[bit])
                ones, zeros = re.sub("[^1]", "0", digits), re.sub("[^0]", "2", digits).translate(_ZEROS)
                known[net] = int(ones, 2), int(zeros, 2)
    return known


_ZEROS = str.maketrans("02", "10")


def _difference(netlist: Netlist, inputs: Sequence[str], shown: Mapping[int, Known], clocks: int) -> str:
    """The first level, by clock, at which what is shown is not what the netlist determines; empty if none."""
    mask = (1 << clocks) - 1
    columns = [int("".join(column), 2) for column in zip(*reversed(inputs), strict=True)][::-1]
    running, level = columns[0], {FALSE: (0, mask), TRUE: (mask, 0)}
    nets = [bit for bits in netlist.inputs.values() for bit in bits]
    level |= {net: (ones, ones ^ mask) for net, ones in zip(nets, columns[1:], strict=True)}
    level |= dict.fromkeys(netlist.free, (0, 0))
    level |= {register.q: shown.get(register.q, (0, 0)) for register in netlist.registers}
    for gate in netlist.gates:
        match gate.op, [level[net] for net in gate.inputs]:
            case NetlistOp.NOT, [(one, zero)]:
                level[gate.output] = zero, one
            case NetlistOp.AND, [(one, zero), (other, none)]:
                level[gate.output] = one & other, zero | none
            case NetlistOp.OR, [(one, zero), (other, none)]:
                level[gate.output] = one | other, zero & none
            case NetlistOp.XOR, [(one, zero), (other, none)]:
                level[gate.output] = one & none | zero & other, one & other | zero & none
            case NetlistOp.MUX, [(one, zero), (one_0, zero_0), (one_1, zero_1)]:
                level[gate.output] = (
                    one & one_1 | zero & one_0 | one_0 & one_1,
                    one & zero_1 | zero & zero_0 | zero_0 & zero_1,
                )
    # Of an unknown level a simulator may make others than gates do: what it shows as unknown counts when none is left.
    settled = running
    for register in netlist.registers:
        one, zero = level[register.q]
        settled &= one | zero
    found: list[tuple[int, str, str, int]] = []

    def look(name: str, expected: Known, seen: Known, settled: int) -> None:
        unknown = settled & ~(seen[0] | seen[1])
        if wrong := expected[0] & (seen[1] | unknown) | expected[1] & (seen[0] | unknown):
            clock = (wrong & -wrong).bit_length() - 1
            level = expected[0] >> clock & 1
            found.append((clock, name, "unknown" if unknown >> clock & 1 else str(1 - level), level))

    outputs = [(name, i, bit) for name, bits in netlist.outputs.items() for i, bit in enumerate(bits)]
    for number, (name, i, bit) in enumerate(outputs):
        one, zero = level[bit]
        look(f"output {name}[{i}]", (one & running, zero & running), shown[-1 - number], settled)
    for register in netlist.registers:
        if register.q not in shown:
            continue
        # What the register takes at the end of a clock in which no reset is; a reset at the end of it or later wins.
        one, zero = ((each & running) << 1 & mask for each in level[register.d])
        if register.reset is not None:
            held = (running ^ mask) | (running ^ mask) << 1 & mask
            one, zero = one & ~held, zero & ~held
            one, zero = (one | held, zero) if register.reset else (one, zero | held)
        look(f"register {register.name}", (one, zero), shown[register.q], settled << 1)
    if not found:
        return ""
    clock, name, seen, expected = min(found)
    return f"{name} is {seen} in clock {clock}, where the netlist that was examined has {expected}"

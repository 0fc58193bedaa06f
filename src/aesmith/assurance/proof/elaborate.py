"""From a design's sources to the netlist that is proved: nothing that the sources leave open is decided on the way.

The order of the passes is the argument. Drivers are counted before any pass that resolves two of them silently. Each
bit that the sources leave undefined becomes a `$anyseq`, a level of its own that is free in each clock, before any pass
that would choose one; from then on optimisations are right for all levels. Passes that look at registers run with
`-keepdc`, and initial values are refused, since what a register without reset holds at first is not known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from aesmith.assurance.proof.netlist import Gate, Netlist, NetlistOp, Register, in_order
from aesmith.assurance.proof.scan import code_of, refuse_ambiguous
from aesmith.cores.design import CoreDesign, Design
from aesmith.cores.wrapper import wrapper
from aesmith.errors import CheckError, ToolError
from aesmith.flow.yosys import run_script, write_sources
from aesmith.yosys_json import Module, ModuleCell, read_json

CLOCK, RESET = "clk_i", "rst_ni"

# A `unique case` of which two arms apply is anything at all, and not the OR of them that Yosys' own map makes.
_ONE_HOT = """\
(* techmap_celltype = "$pmux" *)
module one_hot_select (A, B, S, Y);
  parameter WIDTH = 1;
  parameter S_WIDTH = 1;
  (* force_downto *) input [WIDTH-1:0] A;
  (* force_downto *) input [WIDTH*S_WIDTH-1:0] B;
  (* force_downto *) input [S_WIDTH-1:0] S;
  (* force_downto *) output [WIDTH-1:0] Y;
  wire [S_WIDTH:0] some, two;
  wire [WIDTH*(S_WIDTH+1)-1:0] chosen;
  wire [WIDTH-1:0] any;
  assign some[0] = 1'b0;
  assign two[0] = 1'b0;
  assign chosen[WIDTH-1:0] = {WIDTH{1'b0}};
  genvar i;
  generate
    for (i = 0; i < S_WIDTH; i = i + 1) begin
      assign two[i+1] = two[i] | (some[i] & S[i]);
      assign some[i+1] = some[i] | S[i];
      assign chosen[WIDTH*(i+1)+:WIDTH] = chosen[WIDTH*i+:WIDTH] | (B[WIDTH*i+:WIDTH] & {WIDTH{S[i]}});
    end
  endgenerate
  \\$anyseq #(.WIDTH(WIDTH)) undefined (.Y(any));
  assign Y = two[S_WIDTH] ? any : some[S_WIDTH] ? chosen[WIDTH*S_WIDTH+:WIDTH] : A;
endmodule
"""

# Yosys' own map of a part of a word that a number chooses has undefined levels where the sources never come to.
# Here a part that is not inside the word is anything at all.
_CHOSEN_PART = """\
(* techmap_celltype = "$shiftx" *)
module chosen_part (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  (* force_downto *) output [Y_WIDTH-1:0] Y;
  wire [A_WIDTH-1:0] moved = A >> B;
  wire [Y_WIDTH-1:0] any;
  wire inside = (B_SIGNED == 0 || !B[B_WIDTH-1]) && {1'b0, B} + Y_WIDTH <= A_WIDTH;
  wire _TECHMAP_FAIL_ = Y_WIDTH > A_WIDTH;
  \\$anyseq #(.WIDTH(Y_WIDTH)) undefined (.Y(any));
  assign Y = inside ? moved[Y_WIDTH-1:0] : any;
endmodule
"""

_READ = "read_slang -U SYNTHESIS --no-default-translate-off-format --no-implicit-memories"
LOWER = (
    "proc -noopt",
    "tee -o drivers.txt check",
    "flatten",
    "tee -a drivers.txt check",
    "select -write initial.txt a:init",
    "setundef -undriven -anyseq",
    "opt_clean",
    "opt_expr -keepdc",
    # The nets that are divisors: a constant is none.
    "select -write divisors.txt t:$div t:$mod %u t:$divfloor %u t:$modfloor %u %ci1:+[B] w:* %i",
    # The front end writes an asynchronous reset as a load of a constant.
    "opt_dff -keepdc -nodffe -nosdff",
    "opt_clean",
    "techmap -map one_hot.v",
    "techmap",
    "simplemap",
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x -cell $_DLATCH_N_ x",
    "opt_clean",
    "write_json netlist.json",
    "write_verilog -noattr netlist.v",
)
"""Yosys' passes from a design that was read to one-bit gates; `run_passes` reads what they report."""


def lowering(design: Design, scan_enable: int = 0) -> list[str]:
    """LOWER for a design whose scan enable, if it has one, is no input and has one level: 0, as in function."""
    passes, port = list(LOWER), design.ports.scan_enable
    if port is not None:
        tied = [
            f"delete -input {design.top}/w:{port}",
            f"cd {design.top}",
            f"connect -nomap -nounset -set {port} 1'b{scan_enable}",
            "cd ..",
        ]
        place = passes.index("setundef -undriven -anyseq")
        passes[place:place] = tied
    return passes


_SELECTED = {
    "initial.txt": "has an initial value, which no hardware is sure to have",
    "divisors.txt": "is a divisor, and each tool has a quotient by 0 of its own",
}
"""Files in which LOWER lists what is refused, and why it is."""

_GATES = {
    "$_NOT_": (NetlistOp.NOT, "A"),
    "$_AND_": (NetlistOp.AND, "AB"),
    "$_OR_": (NetlistOp.OR, "AB"),
    "$_XOR_": (NetlistOp.XOR, "AB"),
    "$_MUX_": (NetlistOp.MUX, "SAB"),
}
_REGISTERS = {"$_DFF_P_": None, "$_DFF_PN0_": 0, "$_DFF_PN1_": 1}
_LATCH, _FREE = "$_DLATCH_N_", "$anyseq"
_STATEMENTS = {"$check", "$print", "$assert", "$assume", "$cover"}
_READING = {"$scopeinfo"}
_WORDS = re.compile(r"[A-Za-z_]\w*")
_FILES = re.compile(r"[A-Za-z_][\w.-]*")
_PLAIN = r"\s*(?:in|out)put\s+(?:(?:logic|wire)\s+)?(?:\[\s*\d+\s*:\s*\d+\s*\]\s*)?\w+\s*"
"""A port that is a vector of bits, as nearly every core's are declared."""


def elaborate(
    design: Design,
    work_dir: Path,
    timeout_s: float = 600.0,
    *,
    chosen_parts: bool = False,
    enum_ports: bool = False,
    scan_enable: int = 0,
) -> Netlist:
    """The gates and registers of a design, its scan enable at the level `scan_enable`, which is 0 in function; Yosys'
    files stay in `work_dir`, which is made. With `chosen_parts` numbers may choose parts of words that are not powers
    of two, and a part beyond its word is free. With `enum_ports` vectors may be connected to ports of enumerations.

    Raises CheckError for what tools may read in two ways and for what no synchronous design of one clock has, each with
    its name; ToolError if Yosys is missing or fails.
    """
    module = lowered(
        design, work_dir, timeout_s, chosen_parts=chosen_parts, enum_ports=enum_ports, scan_enable=scan_enable
    )
    return read_netlist(module, design.top)


def lowered(
    design: Design,
    work_dir: Path,
    timeout_s: float = 600.0,
    *,
    boxes: Iterable[str] = (),
    chosen_parts: bool = False,
    enum_ports: bool = False,
    scan_enable: int = 0,
) -> Module:
    """The top module of a design as one-bit gates, with instances of the modules `boxes` as cells; `chosen_parts`,
    `enum_ports` and `scan_enable` as in `elaborate`.

    Raises what `elaborate` raises, but for what `read_netlist` refuses.
    """
    if not _WORDS.fullmatch(design.top) or not all(_FILES.fullmatch(source.name) for source in design.sources):
        raise CheckError(f"{design.name}: a file or module has a name that is no plain word")
    # What the prover adds itself is read by this front end only.
    refuse_ambiguous(getattr(design, "delivered", design.sources))
    work_dir.mkdir(parents=True, exist_ok=True)
    files = " ".join(write_sources(design, work_dir))
    options = "".join(f" --blackboxed-module {box}" for box in boxes)
    options += " --relax-enum-conversions" if enum_ports else ""
    passes = lowering(design, scan_enable)
    if chosen_parts:
        (work_dir / "chosen_part.v").write_text(_CHOSEN_PART)
        passes.insert(passes.index("techmap"), "techmap -map chosen_part.v")
        # Parts that are written, too, are chosen with what is undefined beyond their word.
        passes.insert(passes.index("techmap") + 1, "setundef -anyseq")
    run_passes(
        [f"{_READ}{options} --top {design.top} {files}", f"hierarchy -check -top {design.top}", *passes],
        work_dir,
        design.name,
        timeout_s,
    )
    return read_json(work_dir / "netlist.json").module(design.top)


def check_port_types(design: CoreDesign, work_dir: Path) -> None:
    """Raise CheckError unless vectors of bits can be connected to the ports that a design states.

    A netlist has the bits of a port, and not its type: an array of bytes is as wide as their vector. Ports that are
    not plainly vectors are connected, and the front end is asked. Sources are where `elaborate` has left them.
    """
    code = "\n".join(code_of(source.text) for source in design.sources)
    if re.search(rf"\bmodule\s+{design.top}\s*\({_PLAIN}(?:,{_PLAIN})*\)\s*;", code):
        return
    name = f"{design.top}_as_stated"
    (work_dir / "as_stated.sv").write_text(
        wrapper("The ports as stated.", name, design.ports, design.top, design.ports)
    )
    files = " ".join(write_sources(design, work_dir))
    try:
        run_script([f"{_READ} --ast-compilation-only --top {name} {files} as_stated.sv"], work_dir / "as_stated.log")
    except ToolError as error:
        if "ERROR:" not in str(error):
            raise
        raise CheckError(f"{design.name}: has ports of other types than vectors of bits: {error}") from error


def run_passes(commands: list[str], work_dir: Path, name: str, timeout_s: float) -> None:
    """Run Yosys on commands that have LOWER in them, and refuse (CheckError) what it says of drivers and values."""
    (work_dir / "one_hot.v").write_text(_ONE_HOT)
    for report in ("drivers.txt", *_SELECTED):
        (work_dir / report).unlink(missing_ok=True)
    failure = None
    try:
        run_script(commands, work_dir / "elaborate.log", timeout_s=timeout_s)
    except ToolError as error:
        failure = error
    drivers = _read(work_dir / "drivers.txt")
    if problem := re.search(r"^Warning: (.*(?:\n    .*)*)", drivers, re.MULTILINE):
        raise CheckError(f"{name}: {' '.join(problem[1].split())}")
    if re.search(r"Found and reported [1-9]", drivers):
        raise CheckError(f"{name}: Yosys' check of drivers and loops finds problems; see drivers.txt")
    for report, reason in _SELECTED.items():
        if found := _read(work_dir / report).split():
            raise CheckError(f"{name}: {found[0].partition('/')[2]} {reason}")
    if failure is not None:
        if "ERROR:" in str(failure):
            raise CheckError(f"{name}: {_why_not(str(failure), _read(work_dir / 'elaborate.log'))}") from failure
        raise failure


def _why_not(failure: str, log: str) -> str:
    """What a front end that ended in an error says of the sources, without what it says of itself."""
    if (place := re.search(r"^Source line (\S+?:\d+):\d+:\s*(.*)", log, re.MULTILINE)) and "unimplemented" in failure:
        return f"{place[1]}: {place[2]!r} is nothing that the front end makes hardware of"
    told = failure.replace(" | ERROR: Design elaboration failed; see full log for details", "")
    return f"does not elaborate to registers of one clock: {told}"


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


def read_netlist(module: Module, name: str) -> Netlist:
    """A module that was lowered to one-bit gates, as a netlist.

    Raises CheckError, naming it, for: a net with two drivers or none, an inout, a clock or reset that is missing or not
    the one, a register of another edge or reset, a latch that is no clock gate, two registers of one name, a cell that
    is no gate, and an undefined level that is not free in each clock.
    """
    return _Reader(module, name).netlist()


class _Reader:
    def __init__(self, module: Module, name: str) -> None:
        self._module, self._name = module, name
        self._cells = [cell for cell in module.cells.values() if cell.type not in _READING]
        self._reset = self._wire(RESET)
        self._clocks, self._resets = self._tree(self._wire(CLOCK)), self._tree(self._reset)
        self._labels = _labels(module)
        self._of_latches: set[int] = set()
        self._drivers = module.drivers()
        self._highest = max([1, *self._drivers])

    def _refuse(self, what: str) -> CheckError:
        return CheckError(f"{self._name}: {what}")

    def _wire(self, name: str) -> int:
        port = self._module.ports.get(name)
        if port is None or port.direction != "input" or port.width != 1:
            raise self._refuse(f"has no input {name} of one bit, which every core has")
        return port.nets[0]

    def _tree(self, root: int) -> dict[int, int]:
        """A net and what inverters make of it, each with whether it is inverted: cells of a library have pairs."""
        inverters: dict[int, list[int]] = {}
        for cell in self._cells:
            if cell.type == "$_NOT_":
                inverters.setdefault(cell.pins["A"][0], []).append(cell.pins["Y"][0])
        tree, waiting = {root: 0}, [root]
        for net in waiting:
            for output in inverters.get(net, ()):
                tree[output] = tree[net] ^ 1
                waiting.append(output)
        return tree

    def _label(self, net: int) -> str:
        return self._labels.get(net, f"net {net}")

    def netlist(self) -> Netlist:
        ports = self._module.ports.values()
        if both := [port.name for port in ports if port.direction == "inout"]:
            raise self._refuse(f"port {both[0]} is an inout, and may be driven from both sides")
        inputs = {p.name: p.nets for p in ports if p.direction == "input" and p.name not in (CLOCK, RESET)}
        # In all clocks of a proof rst_ni is 1; what reads it as data has that.
        outputs = {
            p.name: tuple(1 if net == self._reset else net for net in p.nets) for p in ports if p.direction == "output"
        }
        free = {net: _place(cell) for cell in self._cells if cell.type == _FREE for net in cell.pins["Y"]}
        enables = self._clock_gates()
        clocking = enables.keys() | self._clocks.keys() | self._of_latches
        gates: list[Gate] = []
        registers: list[Register] = []
        for cell in self._cells:
            if cell.type in _GATES:
                op, pins = _GATES[cell.type]
                gate = Gate(op, tuple(self._in(cell, pin) for pin in pins), cell.pins["Y"][0])
                if gate.output not in clocking:
                    gates.append(gate)
            elif cell.type in _REGISTERS:
                registers.append(self._register(cell, enables, gates))
            elif cell.type in _STATEMENTS:
                raise self._refuse(f"{_place(cell)}: an assertion or a message is no hardware")
            elif cell.type not in (_LATCH, _FREE):
                raise self._refuse(f"{cell.name} is a cell {cell.type}, which the proofs know nothing of")
        read = [net for gate in gates for net in gate.inputs] + [register.d for register in registers]
        read += [net for nets in outputs.values() for net in nets]
        self._check_names(registers)
        registers.sort(key=lambda register: _natural(register.name))
        inputs_known = {net for nets in inputs.values() for net in nets} | free.keys() | {0, 1}
        known = inputs_known | {gate.output for gate in gates} | {register.q for register in registers}
        self._check_read(read, free, known)
        names = {
            net.name: net.nets for net in self._module.names.values() if not net.hidden and known.issuperset(net.nets)
        }
        places = self._places(free, gates, registers)
        ordered = in_order(gates, self._name)
        return Netlist(
            self._name, inputs, outputs, ordered, tuple(registers), names, places, reads_reset=self._reads_reset()
        )

    def _reads_reset(self) -> bool:
        """Whether something but reset pins, and inverters before them, reads the reset."""
        inverters = self._resets.keys() - {self._reset}
        reading = [port.nets for port in self._module.ports.values() if port.direction == "output"]
        reading += [
            nets
            for cell in self._cells
            for pin, nets in cell.pins.items()
            if cell.directions[pin] == "input" and pin != "R" and inverters.isdisjoint(cell.nets("output"))
        ]
        return any(net in self._resets for nets in reading for net in nets)

    def _in(self, cell: ModuleCell, pin: str) -> int:
        """The net on an input pin of a gate or register; 1 for the reset, which is over."""
        net = cell.pins[pin][0]
        if net < 0:
            raise self._refuse(
                f"{_place(cell)}: a part of a vector that may lie beyond its end has no level there, and tools "
                "differ in which one they take; make the vector as long as the last part that can be chosen"
            )
        return 1 if net == self._reset else net

    def _clock_gates(self) -> dict[int, int]:
        """The enable of each gated clock: a latch, open while the clock is low, in an AND with the clock."""
        enables: dict[int, int] = {}
        for latch in self._cells:
            if latch.type != _LATCH:
                continue
            held = latch.pins["Q"][0]
            readers = [cell for cell in self._cells if held in cell.nets("input")]
            gate = readers[0] if len(readers) == 1 else None
            if (
                self._clocks.get(latch.pins["E"][0]) != 0
                or gate is None
                or gate.type != "$_AND_"
                or sorted(self._clocks.get(net, -1) for net in gate.nets("input")) != [-1, 0]
            ):
                raise self._refuse(f"{self._label(held)} is a latch that is no clock gate of {CLOCK}")
            enables[gate.pins["Y"][0]] = self._while_open(latch)
        return enables

    def _while_open(self, latch: ModuleCell) -> int:
        """What a latch follows while it is open; the front end makes a choice by the clock of it, x while closed."""
        net = latch.pins["D"][0]
        choice = next((cell for cell in self._cells if cell.type == "$_MUX_" and cell.pins["Y"][0] == net), None)
        if choice is None or choice.pins["S"][0] not in self._clocks:
            return self._in(latch, "D")
        if sum(net in cell.nets("input") for cell in self._cells) == 1:
            self._of_latches.add(net)
        return self._in(choice, "B" if self._clocks[choice.pins["S"][0]] else "A")

    def _register(self, cell: ModuleCell, enables: Mapping[int, int], gates: list[Gate]) -> Register:
        pin, q, clock = self._in(cell, "D"), cell.pins["Q"][0], cell.pins["C"][0]
        d = pin
        if "R" in cell.pins and self._resets.get(cell.pins["R"][0]) != 0:
            raise self._refuse(f"{self._label(q)} is reset by something else than {RESET} at level 0")
        if clock in enables:
            # The register keeps its value in clocks in which the gate is closed.
            self._highest += 1
            gates.append(Gate(NetlistOp.MUX, (enables[clock], q, pin), self._highest))
            d = self._highest
        elif self._clocks.get(clock) != 0:
            raise self._refuse(
                f"{self._label(q)} is clocked by something else than the rising edge of {CLOCK} or a clock gate of it"
            )
        return Register(self._labels.get(q, f"register {q}"), d, q, _REGISTERS[cell.type], pin)

    def _check_read(self, read: list[int], free: Mapping[int, str], known: Set[int]) -> None:
        """Each net that is read is an input, a gate's or a register's, and neither a clock nor undefined by name."""
        for net in read:
            if net not in known:
                why = ", and nothing drives it" if net not in self._drivers else " as data, but it is a clock"
                raise self._refuse(f"{self._label(net)} is read{why}")
            if net in free and net in self._labels:
                raise self._refuse(f"{self._label(net)} is read, and nothing drives it but x")

    def _check_names(self, registers: list[Register]) -> None:
        names = Counter(register.name for register in registers)
        if twice := [name for name, count in names.items() if count > 1]:
            raise self._refuse(f"two registers are called {twice[0]}")

    def _places(self, free: Mapping[int, str], gates: list[Gate], registers: list[Register]) -> dict[int, str]:
        """Where the sources read each free net that anything reads."""
        readers = {net: cell for cell in reversed(self._cells) for net in cell.nets("input") if net in free}
        read = {net for gate in gates for net in gate.inputs} | {register.d for register in registers}
        read |= {net for port in self._module.ports.values() if port.direction == "output" for net in port.nets}
        return {net: _place(readers[net]) if net in readers else free[net] for net in free if net in read}


def _place(cell: ModuleCell) -> str:
    """Where the sources have what a cell was made from."""
    return str(cell.attributes.get("src", cell.name)).split("|")[0]


def _labels(module: Module) -> dict[int, str]:
    """A name for each net: of the names it has, one of a register where there is one, and the shortest."""
    labels: dict[int, str] = {}
    names = [net for net in module.names.values() if not net.hidden and net.name not in (CLOCK, RESET)]
    for net in sorted(names, key=lambda net: (not net.name.endswith("_q"), len(net.name), net.name)):
        for i, bit in enumerate(net.nets):
            labels.setdefault(bit, f"{net.name}[{i}]" if len(net.nets) > 1 else net.name)
    return labels


def _natural(label: str) -> tuple[str, int]:
    stem, _, index = label.rstrip("]").rpartition("[")
    return (stem, int(index)) if stem and index.isdigit() else (label, 0)

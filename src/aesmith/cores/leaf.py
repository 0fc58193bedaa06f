"""A leaf circuit by itself, ready to be measured: an S-box, an inverter, a linear map, alone or between registers.

A combinational circuit has no period. Between a rank of registers at its inputs and one at its outputs it has: that of
a pipeline whose stage it is. Staged circuits keep their own ranks in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit, Port
from aesmith.circuits.pipeline import StagedCircuit
from aesmith.circuits.systemverilog import bit_range, staged_systemverilog, systemverilog
from aesmith.cores.design import SourceFile, hash_of
from aesmith.cores.ports import Channel, Meaning, Payload, PortDirection, Ports
from aesmith.cores.sources import check_name


@dataclass(frozen=True)
class LeafDesign:
    """A leaf circuit under a name. A block is one input word: `block_bits`, taken every clock.

    `circuit` is what it computes, from the inputs `<port>_i` to the outputs `<port>_o`.
    """

    name: str
    sources: tuple[SourceFile, ...]
    ports: Ports
    block_bits: int
    latency_cycles: int
    cycles_per_block: int = 1
    circuit: Circuit | None = field(default=None, compare=False, repr=False)

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.name

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of every source file."""
        return hash_of(self.sources)


def circuit_ports(circuit: Circuit, clock: str | None = None) -> Ports:
    """The ports of a circuit's module: its operands and results, which count in every clock."""

    def values(ports: tuple[Port, ...], suffix: str) -> tuple[Payload, ...]:
        return tuple(Payload(f"{port.name}_{suffix}", port.width, Meaning.VALUE) for port in ports)

    operands = Channel("operands", PortDirection.INPUT, values(circuit.inputs, "i"))
    results = Channel("results", PortDirection.OUTPUT, values(circuit.outputs, "o"))
    return Ports(clock, None, (operands, results))


def bare(circuit: Circuit, name: str, block_bits: int = 8) -> LeafDesign:
    """The circuit with nothing around it: its area and its delay from input to output are what papers state.

    Raises RequestError for a name that no module can have.
    """
    text = systemverilog(circuit, f"{name}: combinational.", check_name(name))
    return LeafDesign(name, (SourceFile(f"{name}.sv", text),), circuit_ports(circuit), block_bits, 1, circuit=circuit)


def between_registers(circuit: Circuit | StagedCircuit, name: str, block_bits: int = 8) -> LeafDesign:
    """The circuit, in its stages if it has any, between registers at all inputs and all outputs.

    Its period is the longest stage's, with a register's clock to Q and setup. All inputs must arrive in the first stage
    and all outputs be taken in the last. Raises RequestError for a name that no module can have.
    """
    staged = isinstance(circuit, StagedCircuit)
    inner = circuit.circuit if isinstance(circuit, StagedCircuit) else circuit
    logic = f"{check_name(name)}_logic"
    header = f"{name}: between registers."
    text = (
        staged_systemverilog(circuit, header, logic)
        if isinstance(circuit, StagedCircuit)
        else systemverilog(circuit, header, logic)
    )
    sources = (SourceFile(f"{logic}.sv", text), SourceFile(f"{name}.sv", _registers(inner, name, logic, staged)))
    stages = circuit.stages if isinstance(circuit, StagedCircuit) else 1
    return LeafDesign(name, sources, circuit_ports(inner, "clk_i"), block_bits, stages, circuit=inner)


def _registers(circuit: Circuit, name: str, logic: str, clocked: bool) -> str:
    """The module that has the registers and one instance of the logic."""
    ports = ["  input  logic clk_i"]
    ports += [f"  input  logic {bit_range(port.width)}{port.name}_i" for port in circuit.inputs]
    ports += [f"  output logic {bit_range(port.width)}{port.name}_o" for port in circuit.outputs]
    pins = [".clk_i"] * clocked
    pins += [f".{port.name}_i({port.name}_q)" for port in circuit.inputs]
    pins += [f".{port.name}_o({port.name}_d)" for port in circuit.outputs]
    lines = [
        f"// {name}: a rank of registers before the logic and one after it.",
        f"module {name} (",
        ",\n".join(ports),
        ");",
        *(_signal(port, "q") for port in circuit.inputs),
        *(_signal(port, "d") for port in circuit.outputs),
        "",
        f"  {logic} u_logic ({', '.join(pins)});",
        "",
        "  always_ff @(posedge clk_i) begin",
        *(f"    {port.name}_q <= {port.name}_i;" for port in circuit.inputs),
        *(f"    {port.name}_o <= {port.name}_d;" for port in circuit.outputs),
        "  end",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _signal(port: Port, suffix: str) -> str:
    return f"  logic {bit_range(port.width)}{port.name}_{suffix};"

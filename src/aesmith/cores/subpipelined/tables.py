"""Columns whose S-boxes are tables that are read in one clock: an FPGA's look-up tables or its block memories.

The tables end the first stage of a round: what is read stands in a register at the next clock, in a block memory in its
own. What follows them is a circuit that the pipeliner cuts.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import Arrival, StagedCircuit, from_stages, pipeline, possible_stages
from aesmith.circuits.systemverilog import bit_range, staged_systemverilog
from aesmith.cores.design import Direction, SourceFile
from aesmith.cores.subpipelined.columns import ENCRYPT, Column, Entry
from aesmith.fields import aes

SBOX = "table"


class SBoxForm(StrEnum):
    """What the S-boxes of a data path are made of."""

    GATES = "gates"
    LUTS = "luts"
    BLOCK_MEMORY = "block-memory"


_STYLE = {SBoxForm.LUTS: "logic", SBoxForm.BLOCK_MEMORY: "block"}
"""Values of the attribute `ram_style`, which Yosys, Vivado and others know."""


def cut_after_tables(column: Column, stages: int, key: Arrival) -> StagedCircuit:
    """What follows the tables of a column, cut into `stages` stages of which the first is the tables' own.

    A table of memory is slow to give what was read: with three stages or more it has the second to itself, and so do
    registers that the gates do not need. `key` is when the round key comes.
    """
    circuit = column.after_sboxes()
    first = 1 if stages == 2 else 2
    possible = possible_stages(circuit, LEVELS, {"substituted": Arrival(first)})
    used = min(stages, possible[-1])
    spare = stages - used
    arrivals = {"substituted": Arrival(first), "key": Arrival(key.stage - spare, key.time)}
    staged = pipeline(circuit, stages=used, model=LEVELS, arrivals=arrivals)
    stage_of = {node: at + spare for at, nodes in enumerate(staged.gates) for node in nodes}
    comes = {"substituted": Arrival(1), "key": key}
    arrival = [comes.get(port.name, Arrival()) for port in circuit.inputs for _ in range(port.width)]
    gates = [stage_of[node] for node in range(len(arrival), len(arrival) + len(circuit.gates))]
    return from_stages(circuit, [*(when.stage for when in arrival), *gates], stages, arrival)


def table_source(name: str, directions: tuple[Direction, ...], form: SBoxForm) -> SourceFile:
    """Two S-boxes as one table with two ports, which a block memory has."""
    table = aes.SBOX if directions == ENCRYPT else aes.INVERSE_SBOX
    rows = [", ".join(f"8'h{value:02x}" for value in table[i : i + 12]) for i in range(0, 256, 12)]
    text = _TABLE.format(
        name=name,
        what="S-box" if directions == ENCRYPT else "inverse S-box",
        figure=7 if directions == ENCRYPT else 14,
        style=_STYLE[form],
        rows=",\n    ".join(rows),
    )
    return SourceFile(f"{name}_sbox_table.sv", text)


def column_sources(name: str, module: str, column: Column, rest: StagedCircuit, header: str) -> tuple[SourceFile, ...]:
    """A column with tables: what follows them as a leaf, and the module of both, with the ports of any column."""
    after = f"{name}_{module}_after_sboxes"
    what = f"What follows the S-boxes of {name}_{module}; they are the first stage."
    leaf = SourceFile(f"{after}.sv", staged_systemverilog(rest, what, after, enable=True))
    ports = [f"  input  logic {bit_range(width)}{port}_i," for port, width in column.ports.items()]
    unused = {Entry.STATE: "", Entry.EITHER: "", Entry.BLOCK: _UNUSED}[column.entry]
    text = _COLUMN.format(
        header="\n".join(f"// {line}".rstrip() for line in header.splitlines()),
        name=name,
        module=module,
        ports="\n".join(ports),
        address=_ADDRESS[column.entry],
        unused=unused,
    )
    return leaf, SourceFile(f"{name}_{module}.sv", text)


_ADDRESS: Mapping[Entry, str] = {
    Entry.STATE: "state_i",
    Entry.BLOCK: "block_i ^ initial_key_i",
    Entry.EITHER: "entering_i ? block_i ^ initial_key_i : state_i",
}

_UNUSED = """\

  logic unused_inputs;
  assign unused_inputs = &{1'b0, state_i, entering_i};
"""

_COLUMN = """\
{header}
module {name}_{module} (
  input  logic clk_i,
  input  logic enable_i,
{ports}
  output logic [31:0] next_o
);
  logic [31:0] address, substituted;

  assign address = {address};

  for (genvar half = 0; half < 2; half++) begin : gen_half
    {name}_sbox_table u_sbox_table (
      .clk_i,
      .enable_i,
      .address_i(address[16*half+:16]),
      .value_o  (substituted[16*half+:16])
    );
  end

  {name}_{module}_after_sboxes u_after_sboxes (
    .clk_i,
    .enable_i,
    .substituted_i(substituted),
    .decrypt_i,
    .last_i,
    .key_i,
    .next_o
  );
{unused}endmodule
"""

_TABLE = """\
// Two values of the {what} (FIPS-197 figure {figure}), each read from one table in one clock.
//
// The table has its contents from the beginning, as a device's memory has them when it is configured.
module {name}_sbox_table (
  input  logic clk_i,
  input  logic enable_i,
  input  logic [1:0][7:0] address_i,
  output logic [1:0][7:0] value_o
);
  (* ram_style = "{style}" *) logic [7:0] table_q [256];

  initial table_q = '{{
    {rows}
  }};

  always_ff @(posedge clk_i) begin
    if (enable_i) value_o[0] <= table_q[address_i[0]];
  end
  always_ff @(posedge clk_i) begin
    if (enable_i) value_o[1] <= table_q[address_i[1]];
  end
endmodule
"""

"""What the byte-serial cores share: their S-box as a module, and SystemVerilog parameters fixed for a build."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import SourceFile
from aesmith.cores.serial.cuts import staged_sbox
from aesmith.cores.sources import leaf_source
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.sboxes import table
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function


def sbox_circuit(name: str, function: Function = Function.FORWARD) -> Circuit:
    """The circuit of a catalogue entry. Raises RequestError if there is no such entry or it lacks the function."""
    entry = sbox(name)
    if function not in entry.functions:
        raise RequestError(
            f"sbox: must be an S-box with a {function} function; {name} has {', '.join(entry.functions)}"
        )
    return entry.circuit(function)


def sbox_source(name: str, sbox_name: str, stages: int, function: Function = Function.FORWARD) -> SourceFile:
    """The S-box as module `<name>_sbox`: clk_i, enable_i, x_i, and y_o `stages` - 1 clocks later.

    Raises RequestError if the catalogue has no such S-box or it cannot be cut into so many stages.
    """
    staged = staged_sbox(sbox_circuit(sbox_name, function), stages)
    header = f"S-box {sbox_name}: {sbox(sbox_name).publication}."
    return SourceFile(f"{name}_sbox.sv", staged_systemverilog(staged, header, f"{name}_sbox", enable=True))


def round_constants_source(name: str, rounds: Sequence[int]) -> SourceFile:
    """Module `<name>_round_constants`: round counter x (4 bits) to the constant of the key-schedule step in that round.

    `rounds[x]` is the step (1 for the first), 0 for none.
    """
    constants = [aes.round_constant(step) if step else 0 for step in rounds]
    circuit = table.lookup("round_constants", constants + [0] * (16 - len(constants)), 8)
    return leaf_source(name, "round_constants", circuit, "Round constants (FIPS-197 section 5.2) by round counter.")


def with_parameters(source: SourceFile, values: Mapping[str, int]) -> SourceFile:
    """The file with the defaults of its module's parameters replaced: a build is one core, not a family.

    Raises KeyError if the module has no such parameter.
    """
    text = source.text
    for parameter, value in values.items():
        pattern = rf"(?m)^(  parameter (?:int unsigned|bit) {parameter} = )[\w']+"
        literal = f"1'b{value}" if re.search(rf"parameter bit {parameter} ", text) else str(value)
        text, count = re.subn(pattern, rf"\g<1>{literal}", text, count=1)
        if not count:
            raise KeyError(f"{source.name} has no parameter {parameter}")
    return replace(source, text=text)

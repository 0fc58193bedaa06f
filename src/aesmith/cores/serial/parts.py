"""What the byte-serial cores share: their S-box as a module, and SystemVerilog parameters fixed for a build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.pipeline import pipeline
from aesmith.circuits.pipeline_rtl import staged_systemverilog
from aesmith.cores.design import SourceFile
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


def sbox_source(name: str, sbox_name: str, stages: int) -> SourceFile:
    """The forward S-box as module `<name>_sbox`: clk_i, enable_i, x_i, and y_o `stages` - 1 clocks later.

    Raises RequestError if the catalogue has no such S-box or it cannot be cut into so many stages.
    """
    staged = pipeline(sbox_circuit(sbox_name), stages=stages)
    header = f"S-box {sbox_name}: {sbox(sbox_name).publication}."
    return SourceFile(f"{name}_sbox.sv", staged_systemverilog(staged, header, f"{name}_sbox", enable=True))


def round_constants(rounds: int = 10, bits: int = 4) -> Circuit:
    """Round counter (0 first) to the round constant of the key-schedule step in that round; 0 for other values."""
    steps = [aes.round_constant(step) for step in range(1, rounds + 1)]
    return table.lookup("round_constants", steps + [0] * ((1 << bits) - rounds), 8)


def round_constants_source(name: str) -> SourceFile:
    """`round_constants` as a module of the build."""
    return leaf_source(
        name, "round_constants", round_constants(), "Round constants (FIPS-197 section 5.2), round counter 0 to 9."
    )


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

"""What the byte-serial cores share: their S-box and their round constants as modules."""

from __future__ import annotations

from collections.abc import Sequence

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


def sbox_source(
    name: str, sbox_name: str, stages: int, function: Function = Function.FORWARD, module: str = "sbox"
) -> SourceFile:
    """The S-box as module `<name>_<module>`: clk_i, enable_i, x_i, and y_o `stages` - 1 clocks later.

    Raises RequestError if the catalogue has no such S-box or it cannot be cut into so many stages.
    """
    staged = staged_sbox(sbox_circuit(sbox_name, function), stages)
    header = f"S-box {sbox_name}: {sbox(sbox_name).publication}."
    return SourceFile(f"{name}_{module}.sv", staged_systemverilog(staged, header, f"{name}_{module}", enable=True))


def round_constants_source(name: str, rounds: Sequence[int]) -> SourceFile:
    """Module `<name>_round_constants`: round counter x (4 bits) to the constant of the key-schedule step in that round.

    `rounds[x]` is the step (1 for the first), 0 for none.
    """
    constants = [aes.round_constant(step) if step else 0 for step in rounds]
    circuit = table.lookup("round_constants", constants + [0] * (16 - len(constants)), 8)
    return leaf_source(name, "round_constants", circuit, "Round constants (FIPS-197 section 5.2) by round counter.")

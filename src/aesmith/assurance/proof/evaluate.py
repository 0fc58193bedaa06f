"""A netlist as a Python function: one clock on bit-parallel words.

The function is one statement a gate, compiled once; a core takes thousands of clocks in a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aesmith.assurance.proof.netlist import FALSE, TRUE, UNDEFINED, Gate, Netlist, Op

Step = Callable[[Sequence[Any], Sequence[Any]], tuple[list[Any], list[Any]]]
"""(input bits, register bits) to (output bits, next register bits), each in the netlist's order."""

Outputs = Callable[[Sequence[Any], Sequence[Any]], list[Any]]
"""(input bits, register bits) to the bits of some nets."""

_WORDS = {
    Op.NOT: "{0} ^ M",
    Op.AND: "{0} & {1}",
    Op.OR: "{0} | {1}",
    Op.XOR: "{0} ^ {1}",
    Op.MUX: "{1} ^ ({0} & ({1} ^ {2}))",
}


def compile_words(netlist: Netlist, mask: int) -> Step:
    """One clock on words whose bits are cases; `mask` has a one for each case. Undefined nets are 0."""
    return _compile_step(netlist, _WORDS, {"M": mask}, ("0", "M", "0"))


def compile_words_of(netlist: Netlist, nets: Sequence[int], mask: int) -> Outputs:
    """As `compile_words`, for the nets named and no others."""
    constants = ("0", "M", "0")
    lines = _header(netlist) + _body(netlist.cone(nets), _WORDS, constants)
    lines.append(f"    return [{_list(nets, constants)}]")
    function: Outputs = _load(lines, {"M": mask})
    return function


def _compile_step(
    netlist: Netlist, expressions: dict[Op, str], scope: dict[str, object], constants: tuple[str, str, str]
) -> Step:
    outputs = [bit for bits in netlist.outputs.values() for bit in bits]
    following = [register.d for register in netlist.registers]
    lines = _header(netlist) + _body(netlist.gates, expressions, constants)
    lines.append(f"    return [{_list(outputs, constants)}], [{_list(following, constants)}]")
    step: Step = _load(lines, scope)
    return step


def _header(netlist: Netlist) -> list[str]:
    inputs = [bit for bits in netlist.inputs.values() for bit in bits]
    registers = [register.q for register in netlist.registers]
    return ["def step(I, R):", *_unpack(inputs, "I"), *_unpack(registers, "R")]


def _unpack(nets: list[int], source: str) -> list[str]:
    return [f"    {''.join(f'n{net},' for net in nets)} = {source}"] if nets else []


def _body(gates: Iterable[Gate], expressions: dict[Op, str], constants: tuple[str, str, str]) -> list[str]:
    return [
        f"    n{gate.output} = {expressions[gate.op].format(*(_name(net, constants) for net in gate.inputs))}"
        for gate in gates
    ]


def _name(net: int, constants: tuple[str, str, str]) -> str:
    return constants[net] if net in (FALSE, TRUE, UNDEFINED) else f"n{net}"


def _list(nets: Iterable[int], constants: tuple[str, str, str]) -> str:
    return ", ".join(_name(net, constants) for net in nets)


def _load(lines: list[str], scope: dict[str, object]) -> Any:
    exec(compile("\n".join(lines), "<netlist>", "exec"), scope)
    return scope["step"]

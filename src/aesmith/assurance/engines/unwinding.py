"""That the control of an engine of several modes, or of CCM in bytes, is the same in any two runs that differ in data
alone: data and what control needs share registers there, so no path through the netlist shows it.

Two copies of a clock have all registers in common but those of data, and all inputs but those of data. In each all
claims and lemmas hold, which have been proved. If no line of control and no register but those of data can differ in
what follows, then in no clock of two runs that begin with the same levels in all registers does a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import AndGraph, first_asserted
from aesmith.assurance.engines.induction import ASSUMED, CLAIM, DUTY, LEMMA
from aesmith.assurance.engines.runs import free_cores, free_net
from aesmith.assurance.proof.netlist import Netlist
from aesmith.cores.ports import BLOCK_BITS
from aesmith.modes.engine import StreamEngine
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import MultiModeEngine


@dataclass(frozen=True)
class DataOf:
    """What is data in a netlist: nets of inputs and of registers; and nets of both that are data only in clocks in
    which the net that they are listed with is 0."""

    nets: Set[int]
    unless: Mapping[int, Sequence[int]]
    spared: Set[int] = frozenset()
    """Registers that are the same before, and may differ afterwards: what they say is all that lines may depend on."""


def data_in_control(
    netlist: Netlist, lines: Mapping[str, Iterable[int]], data: DataOf, folder: Path, timeout_s: float
) -> str:
    """The first of some lines, or of the registers that are no data, that may differ, by name; empty if none does.

    Raises GaveUp without an answer in time.
    """
    graph = AndGraph()
    shared = dict[int, int]()
    odd = {net: unless for unless, nets in data.unless.items() for net in nets}

    def copy() -> Mapping[int, int]:
        own = dict[int, int]()

        def level(net: int) -> int:
            of = own if net in data.nets or net in odd else shared
            if net not in of:
                of[net] = graph.variable()
            return of[net]

        held = {register.q: level(register.q) for register in netlist.registers}
        return graph.clock(netlist, held, level)

    one, other = copy(), copy()

    def differ(nets: Iterable[int]) -> list[int]:
        return [graph.choice(one[net], other[net], other[net] ^ 1) for net in nets]

    named = [name for name in netlist.outputs if name.startswith((CLAIM, DUTY, LEMMA))]
    given = [level[net] for level in (one, other) for name in (ASSUMED, *named) for net in netlist.outputs[name]]
    # What is no data in some clocks only is the same in these.
    given += [
        graph.conjunction(one[unless], graph.choice(one[net], other[net], other[net] ^ 1)) ^ 1
        for net, unless in odd.items()
    ]
    asked = [(name, bit) for name, nets in lines.items() for bit in differ(nets)]
    followed: dict[int, int] = {register.q: register.d for register in netlist.registers}
    for register in netlist.registers:
        if register.q in odd:
            unless = one[followed[odd[register.q]]]
            asked.append((register.name, graph.conjunction(unless, differ([register.d])[0])))
        elif register.q not in data.nets and register.q not in data.spared:
            asked.append((register.name, differ([register.d])[0]))
    kept = graph.every(given)
    outputs = [graph.conjunction(kept, bit) for _, bit in asked]
    run = first_asserted(graph, outputs, {}, folder / "timing", clocks=1, timeout_s=timeout_s)
    if run is None:
        return ""
    return next(name for (name, _), level in zip(asked, graph.levels(run[0], outputs), strict=True) if level)


_DATA = {
    "": ("key_i", "s_axis_tdata", "value_i", "star_key_q", "held_key_q"),
    "u_dut.u_engine.": ("h_q", "x_q", "y_q", "r_q", "mask_q", "iv_q"),
    "u_dut.u_memory.": ("read_q",),
    "u_dut.u_key_slots.": ("keys_q",),
    "u_reference.": (
        *("star_q", "subkey_q", "iv_q", "chain_q", "j0_q", "told_q", "mac_block_q", "y_q", "mask_q", "rest_q"),
        *("failed_q", "next_iv_q", "counter_q"),
    ),
    "u_release_reference.": ("text_q",),
    "u_memory_promises.": ("content_q", "given_q"),
}
"""Registers and inputs that hold or bring data, by module."""
_DATA_OF_CORE = ("u_promises.star_key_q", "u_promises.asked_q", "u_promises.told_q", "sent_q")
"""Registers of the promises of each core that do."""
_DATA_BITS = {
    "s_axis_cmd_tdata": range(64, 192),
    "held_beat_q": range(19, 147),
    "out_q": (2, *range(21, 149)),
    "released_q": (2, *range(21, 149)),
}
"""Bits of others that do."""
_DATA_OF_BYTES = {
    "": _DATA[""],
    "u_dut.u_engine.": ("y_q", "a_q", "wrong_q", "ended_q"),
    "u_reference.": ("star_q", "chain_q", "block_q", "stream_q", "tag_q", "wrong_q"),
    "u_promises.": (
        "star_key_q",
        "same_q",
        "block_q",
        "newest_asked_q",
        "newest_stream_q",
        "held_key_q",
        "held_block_q",
    ),
}
"""Those of an engine of CCM in bytes."""
_DATA_BITS_OF_BYTES = {
    **dict.fromkeys(("s_axis_cmd_tdata", "held_command_q"), range(72, 128)),
    "u_reference.counter": range(64, 120),
    "held_beat_q": range(4, 12),
    "out_q": (2, *range(6, 14)),
}
"""Bits of others there; of B0, and of the counter block made of it, the bytes that are nonce with any length."""
_VERDICT = "u_dut.u_engine.failed_q"
_MEMORY_LINES = ("memory_enable", "memory_write", "memory_address")
_B0_BITS = (*range(64), *range(120, 128))
"""Bits of B0 of CCM that say how long a message and its tag are."""
_READY_OR_VALID = ("key.ready", "block.ready", "result.valid")


def _data(
    netlist: Netlist,
    engine: StreamEngine,
    registers: Mapping[str, Sequence[str]],
    bits_of: Mapping[str, Iterable[int]],
) -> set[int]:
    """Nets of these registers and inputs, by module, and of these bits of others; and what cores give but for when."""
    named = {**netlist.names, **netlist.inputs}
    nets = {net for module, names in registers.items() for name in names for net in named.get(f"{module}{name}", ())}
    for name, bits in bits_of.items():
        nets |= {named[name][bit] for bit in bits if name in named}
    when = {free_net(netlist, core.ports[role]) for core in free_cores(netlist, engine) for role in _READY_OR_VALID}
    return nets | set(netlist.free) - when


def timing_of_ccm_in_bytes(
    netlist: Netlist, engine: StreamEngine, control: Iterable[str], folder: Path, timeout_s: float
) -> str:
    """The same of an engine of CCM in bytes, of whose B0 the first byte and the last eight are no data."""
    nets = _data(netlist, engine, _DATA_OF_BYTES, _DATA_BITS_OF_BYTES)
    lines = {name: netlist.names[f"u_dut.{name}"] for name in control}
    return data_in_control(netlist, lines, DataOf(nets, {}), folder, timeout_s)


def timing_of_modes(
    netlist: Netlist, engine: MultiModeEngine, control: Iterable[str], folder: Path, timeout_s: float
) -> str:
    """One of these lines of control, of those of the memory, or a register that is taken for none of data, which data
    may change; empty if there is none. A verdict for which text waits is no data, nor what B0 of CCM says of lengths.

    Raises GaveUp without an answer in time.
    """
    named = {**netlist.names, **netlist.inputs}
    nets = _data(netlist, engine, _DATA, _DATA_BITS)
    for core in free_cores(netlist, engine):
        path = core.promises.removesuffix("u_promises")
        nets |= {net for name in _DATA_OF_CORE for net in named.get(f"{path}{name}", ())}
        nets |= {*named.get(f"{core.promises}.held_block_q", ())[:BLOCK_BITS]}
    verdict = set(netlist.names[_VERDICT])
    unless: dict[int, tuple[int, ...]] = {}
    if "ccm" in engine.modes:
        first, ccm = netlist.names["u_reference.iv_q"], MESSAGE_MODES["ccm"].number
        unless[netlist.names["u_reference.mode_q"][ccm]] = tuple(first[bit] for bit in _B0_BITS)
        # Byte 0 of the IV is the lowest one of the command.
        given = [netlist.inputs["s_axis_cmd_tdata"][64 + 8 * (15 - bit // 8) + bit % 8] for bit in _B0_BITS]
        unless[netlist.names["u_reference.asked_mode"][ccm]] = tuple(given)
        nets -= {net for of in unless.values() for net in of}
    lines = {name: netlist.names[f"u_dut.{name}"] for name in (*control, *_MEMORY_LINES)}
    if engine.holds_text:
        return data_in_control(netlist, lines, DataOf(nets, unless, verdict), folder, timeout_s)
    return data_in_control(netlist, lines, DataOf(nets | verdict, unless), folder, timeout_s)

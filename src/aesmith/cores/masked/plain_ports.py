"""Ports of values before a masked core: what comes is shared there, and what leaves is summed.

  block_i ──▶ + masks ──▶ share 0 ─┐            ┌─▶ register of share 0 ─▶ + ─▶ block_o
  random_i ── masks ────▶ share k ─┴▶ the core ─┴─▶ register of share k ─┘

The core inside is not touched: it has ports in shares, and registers behind its result. A word of fresh bits is its
own, and above that a mask for each share but share 0 of what is shared here: d times the width of block_i, and then of
key_i. What is shared is taken together with a word, so each mask serves once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from aesmith.cores.design import CoreDesign, SourceFile, Sources
from aesmith.cores.ports import Channel, Line, Meaning, Payload, PayloadKind, PortDirection, Ports
from aesmith.cores.sources import renamed
from aesmith.cores.wrapper import attach, bit_ranges, declarations
from aesmith.errors import RequestError

Unmasked = Literal["none", "blocks", "all"]
"""What has values at its ports, not shares: nothing, blocks and results, or keys, too."""

_MEANINGS = {
    "none": (),
    "blocks": (Meaning.BLOCK, Meaning.RESULT),
    "all": (Meaning.KEY, Meaning.BLOCK, Meaning.RESULT),
}
_REMARKS = {
    "blocks": "Blocks and results are values at the ports, keys are shares: wires that read the ports show them.",
    "all": "Keys, blocks and results are values at the ports: wires that read key_i show the key while it is offered.",
}


def renamed_inside(design: CoreDesign, name: str) -> CoreDesign:
    """The design with its top module under another name, to stand inside of another of its own name."""

    def sources() -> Iterator[SourceFile]:
        for source in design.sources:
            file = source.name.replace(design.top, name, 1) if source.name == f"{design.top}.sv" else source.name
            yield SourceFile(file, renamed(source.text, {design.top: name}))

    return replace(design, name=name, sources=Sources(lambda: tuple(sources())))


def random_bits(design: CoreDesign, unmasked: Unmasked) -> int:
    """Bits of a word of fresh bits: the core's own, and masks."""
    own = design.ports.payload(Meaning.RANDOM).bits
    return own + sum((load.shares - 1) * load.width for _, load in _shared_here(design.ports, unmasked))


def plain_remark(design: CoreDesign, unmasked: Unmasked) -> str:
    """A sentence for the datasheet."""
    return f"{_REMARKS[unmasked]} A word of fresh bits has {random_bits(design, unmasked)} bits, masks included."


def _shared_here(ports: Ports, unmasked: Unmasked) -> list[tuple[Channel, Payload]]:
    """What comes in as a value and is shared, in the order of its masks."""
    found = [(channel, load) for channel in ports.channels for load in channel.payloads]
    inward = [(c, load) for c, load in found if load.shares > 1 and c.direction is PortDirection.INPUT]
    wanted = [meaning for meaning in (Meaning.BLOCK, Meaning.KEY) if meaning in _MEANINGS[unmasked]]
    return [pair for meaning in wanted for pair in inward if pair[1].meaning is meaning]


def with_plain_ports(design: CoreDesign, unmasked: Unmasked) -> CoreDesign:
    """The masked design with values at its ports, under its own name; what it was is `within`.

    Raises RequestError for a design whose results do not come from a register, and for one with a key to each block.
    """
    if design.ports.key_with_block:
        raise RequestError("unmasked_ports: must be 'none' where a key comes with each block")
    if design.parameters["output"] != "registered":
        raise RequestError(
            "output: must be 'registered' with unmasked_ports (what sums the result may read registers only), not "
            f"{design.parameters['output']!r}"
        )
    opened = renamed_inside(design, f"{design.name}_in_shares")
    plain = _MEANINGS[unmasked]
    word = random_bits(design, unmasked)

    def outer(load: Payload) -> Payload:
        if load.meaning is Meaning.RANDOM:
            return replace(load, width=word)
        return replace(load, kind=PayloadKind.DATA, shares=1) if load.meaning in plain else load

    channels = tuple(
        replace(channel, payloads=tuple(map(outer, channel.payloads))) for channel in design.ports.channels
    )
    ports = replace(design.ports, channels=channels)
    sources = Sources(lambda: (*opened.sources, _top(opened, design.name, ports, unmasked)))
    return replace(design, ports=ports, sources=sources, within=opened)


def _top(opened: CoreDesign, name: str, ports: Ports, unmasked: Unmasked) -> SourceFile:
    """The module around the core in shares."""
    fresh = next(channel for channel in ports.channels if channel.find(Meaning.RANDOM))
    assert fresh.valid is not None
    assert fresh.ready is not None
    word, own = fresh.data.port, opened.ports.payload(Meaning.RANDOM).bits
    signals: dict[str, str | Line] = {port.role: Line(port.name, port.active) for port in ports}
    nets, logic, low = [], [], own
    shared = _shared_here(opened.ports, unmasked)
    for _, load in shared:
        net = f"shares_of_{load.port}"
        nets.append(f"  logic [{load.shares - 1}:0][{load.width - 1}:0] {net};")
        masks = [f"{word}[{low + load.width * i}+:{load.width}]" for i in range(load.shares - 1)]
        low += load.width * len(masks)
        logic.append(f"  assign {net}[0] = {' ^ '.join([load.port, *masks])};")
        logic += [f"  assign {net}[{i}] = {mask};" for i, mask in enumerate(masks, 1)]
        signals[_role(opened.ports, load)] = net
    taken = [f"own_{fresh.ready.port}"]
    for channel in dict.fromkeys(channel for channel, _ in shared):
        assert channel.valid is not None
        assert channel.ready is not None
        valid, ready = f"own_{channel.valid.port}", f"own_{channel.ready.port}"
        nets.append(f"  logic {valid}, {ready};")
        logic.append(f"  assign {valid} = {channel.valid.port} & {fresh.valid.port};")
        logic.append(f"  assign {channel.ready.port} = {ready} & {fresh.valid.port};")
        signals |= {f"{channel.name}.valid": valid, f"{channel.name}.ready": ready}
        taken.append(f"({channel.valid.port} & {ready})")
    nets.append(f"  logic own_{fresh.ready.port};")
    logic.append(f"  assign {fresh.ready.port} = {' | '.join(taken)};")
    signals |= {f"{fresh.name}.ready": taken[0], _role(opened.ports, fresh.data): f"{word}[{own - 1}:0]"}
    result = opened.ports.payload(Meaning.RESULT)
    nets.append(f"  logic {bit_ranges(opened.ports.port(result.port))}shares_of_{result.port};")
    sums = " ^ ".join(f"shares_of_{result.port}[{share}]" for share in range(result.shares))
    logic.append(f"  assign {result.port} = {sums};")
    signals[_role(opened.ports, result)] = f"shares_of_{result.port}"
    lines = [
        f"// {name}: values at the ports, shared with fresh bits of the clock in which they are taken,",
        "// and summed behind the registers of the result.",
        f"module {name} (",
        declarations(ports),
        ");",
        *nets,
        "",
        *logic,
        attach(opened.top, opened.ports, signals),
        "endmodule",
    ]
    return SourceFile(f"{name}.sv", "\n".join(lines) + "\n")


def _role(ports: Ports, load: Payload) -> str:
    return ports.port(load.port).role

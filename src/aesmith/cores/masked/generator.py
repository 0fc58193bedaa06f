"""A generator of fresh bits beside any core that takes them by a channel: key streams from a secret seed.

  seed ──▶ generator ──▶ fresh bits, a word per clock ──▶ the core as it is without a generator

The core inside is not touched: its channel of fresh bits is filled, and a channel that takes seeds comes out in its
place. What is shown of a core with any fresh bits and any pauses of theirs holds of the whole.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from aesmith.cores.design import CoreDesign, SourceFile, Sources
from aesmith.cores.family import Specification
from aesmith.cores.masked.plain_ports import Unmasked, plain_remark, random_bits, renamed_inside, with_plain_ports
from aesmith.cores.ports import ByteOrder, Channel, Line, Meaning, Payload, PayloadKind, PortDirection, Ports, Reset
from aesmith.cores.sources import packaged_sources
from aesmith.cores.wrapper import attach, declarations
from aesmith.errors import RequestError
from aesmith.masking.generator import MOST_STEPS, SEED_BITS, FreshBits, Prng

GENERATOR = "masked_generator"
MODULES = ("masked_key_stream", GENERATOR)
"""The generator's own packaged modules, the last one the whole; `serial_clock_enable` holds their registers."""
_HOLDING = ("clock_gate", "serial_clock_enable")

NOT_INSIDE = "Its area is without what makes fresh bits."
"""A remark of cores whose channel of fresh bits is open."""


class MaskedSpecification(Specification):
    """Fields of all masked architectures, and what they ask for around the core: ports of values, a generator."""

    prng: Prng = Field(default="none", description="what makes the fresh bits inside, from a seed; none leaves it out")
    prng_steps: int = Field(
        default=MOST_STEPS, ge=1, le=512, description="bits of a key stream in a word at most; above 64 paths grow"
    )

    unmasked_ports: Unmasked = Field(
        default="none",
        description="what is a value at its port, shared and summed inside: nothing, blocks and results, or keys, too; "
        "needs output = registered",
    )

    def described(self, design: CoreDesign) -> CoreDesign:
        """With both in parameters, title and remarks, and what its protection covers. Raises RequestError without a
        channel of fresh bits."""
        asked = {"prng": self.prng, "prng_steps": self.prng_steps, "unmasked_ports": self.unmasked_ports}
        bits, remarks = _fresh(design).data.bits, (*design.remarks, *_covered(design))
        design = replace(design, parameters={**design.parameters, **asked}, remarks=remarks)
        if self.unmasked_ports != "none":
            bits = random_bits(design, self.unmasked_ports)
            design = replace(design, remarks=(*design.remarks, plain_remark(design, self.unmasked_ports)))
        if self.prng == "none":
            return design
        generator = FreshBits(self.prng, bits, self.prng_steps)
        remarks = tuple(remark for remark in design.remarks if remark != NOT_INSIDE)
        title = f"{design.title}, fresh bits from {generator.name}"
        return replace(design, title=title, remarks=(*remarks, generator.remark))

    def completed(self, design: CoreDesign) -> CoreDesign:
        """With both around it. Raises as `with_plain_ports` and `with_generator`."""
        if self.unmasked_ports != "none":
            design = with_plain_ports(design, self.unmasked_ports)
        return design if self.prng == "none" else with_generator(design, self.prng, self.prng_steps)


def _covered(design: CoreDesign) -> tuple[str, ...]:
    """In what model a masked core is protected, at what order, and what that does not cover."""
    order = min((load.shares for load in design.ports.payloads if load.shares > 1), default=1) - 1
    if order > 1 and not design.parameters.get("clock_gates"):
        return (
            f"Of its probes nothing is shown: clock enables hold registers of {order + 1} shares, which "
            "`aesmith verify --probing` refuses (R6); with `clock_gates = true` they are checked.",
        )
    probes = "one probe" if order == 1 else f"any {order} probes"
    return (
        f"Model: {probes} of wires at a time, extended by glitches, tell nothing of key or blocks (order {order}), by "
        "composition of PINI gadgets, where the rules hold that `aesmith verify --probing` checks of the sources, and "
        "of a netlist with `--netlist`. A netlist that was not checked may tell more.",
        f"Not covered: attacks of order {order + 1} and more, faults, coupling between wires, layout, supply, static "
        "power, how random the fresh bits are or what seeds them, and of transitions all but what that check says.",
    )


SEED = Channel(
    "seed",
    PortDirection.INPUT,
    (Payload("seed_i", SEED_BITS, Meaning.SEED, PayloadKind.RANDOM),),
    Line("seed_valid_i"),
    Line("seed_ready_o"),
    ByteOrder.FIRST_BYTE_LOW,
)
"""The channel in the place of that of fresh bits."""


def with_generator(design: CoreDesign, kind: Prng, most_steps: int = MOST_STEPS) -> CoreDesign:
    """The design with its fresh bits made inside, under its own name; what it was is `within`.

    Raises RequestError for a design without a channel of fresh bits that may pause, and for one that can be cleared:
    its generator would go on.
    """
    fresh, clock, reset = _fresh(design), design.ports.clock, design.ports.reset
    if clock is None or reset is None or len(fresh.lines) < len(("valid", "ready")):
        raise RequestError(f"prng: {design.name} must have a clock, a reset, and valid and ready with its fresh bits")
    if design.ports.clearable:
        raise RequestError("clear: must be false with a generator of fresh bits, which would keep its state")
    generator = FreshBits(kind, fresh.data.bits, most_steps)
    name = f"{design.name}_with_fresh_bits_open"
    opened = renamed_inside(design, name)
    ports = replace(design.ports, channels=tuple(SEED if c is fresh else c for c in design.ports.channels))

    def sources() -> tuple[SourceFile, ...]:
        there = {source.name for source in opened.sources}
        gates = bool(design.parameters.get("clock_gates"))
        modules = [m for m in _HOLDING[not gates :] if f"{design.name}_{m}.sv" not in there]
        made = packaged_sources(design.name, (*modules, *MODULES))
        return (*opened.sources, *made, _top(design, opened, ports, fresh, generator, clock_gates=gates))

    return replace(design, ports=ports, sources=Sources(sources), within=opened)


def _fresh(design: CoreDesign) -> Channel:
    found = [channel for channel in design.ports.channels if channel.find(Meaning.RANDOM)]
    if len(found) != 1:
        raise RequestError(f"prng: {design.name} must have one channel of fresh bits, not {len(found)}")
    return found[0]


def _top(
    design: CoreDesign, opened: CoreDesign, ports: Ports, fresh: Channel, generator: FreshBits, *, clock_gates: bool
) -> SourceFile:
    """The module in which core and generator stand side by side."""
    assert design.ports.clock is not None
    assert design.ports.reset is not None
    bits = fresh.data.bits
    nets: dict[str, str | Line] = {"valid": "fresh_valid", "ready": "fresh_ready", str(fresh.data.meaning): "fresh"}
    outer: dict[str, str | Line] = {port.role: Line(port.name, port.active) for port in ports}
    core = {role: signal for role, signal in outer.items() if not role.startswith("seed.")}
    core |= {f"{fresh.name}.{what}": net for what, net in nets.items()}
    own = {role: outer[role] for role in outer if role.startswith("seed.")}
    own |= {"clock": design.ports.clock, "reset": design.ports.reset}
    own |= {f"random.{what}": net for what, net in nets.items()}
    parameters = generator.parameters(clock_gates=clock_gates)
    lines = [
        f"// {design.name}: the core, and what makes its fresh bits from a seed.",
        f"module {design.name} (",
        declarations(ports),
        ");",
        "  logic fresh_valid, fresh_ready;",
        f"  logic [{bits - 1}:0] fresh;",
        "",
        attach(
            f"{design.name}_{GENERATOR}",
            generator_ports(bits),
            own,
            instance="u_generator",
            parameters=parameters,
        ),
        attach(opened.top, opened.ports, core),
        "endmodule",
    ]
    return SourceFile(f"{design.name}.sv", "\n".join(lines) + "\n")


def generator_ports(bits: int) -> Ports:
    """The ports of `aesmith_masked_generator`, which makes words of so many bits."""
    word = Payload("random_o", bits, Meaning.RANDOM, PayloadKind.RANDOM)
    offered, taken = Line("random_valid_o"), Line("random_ready_i")
    random = Channel("random", PortDirection.OUTPUT, (word,), offered, taken, item="word of fresh bits")
    return Ports("clk_i", Reset("rst_ni"), (SEED, random))

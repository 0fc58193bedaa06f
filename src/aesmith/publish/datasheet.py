"""The datasheet of a core or an engine, in Markdown, and what it says of a verification."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby

from aesmith import __version__
from aesmith.assurance.cocotb_test import has_cocotb_test
from aesmith.assurance.plan import SimulationReport
from aesmith.cores.design import FIELD_ELEMENTS, CoreDesign, Direction
from aesmith.cores.ports import ByteOrder, Meaning, Ports
from aesmith.flow.measurement import (
    FMAX,
    FMAX_WITH_PORTS,
    PERIOD,
    PERIOD_WITH_PORTS,
    Measurement,
    PlacedFigures,
    fmax_mhz,
)
from aesmith.modes.buses import bus_of
from aesmith.modes.engine import StreamEngine
from aesmith.peripheral.files import error_fields, register_table
from aesmith.publish.descriptions import BOUNDARY_SHARE, MARGIN, constrained_period_ns
from aesmith.publish.output import render
from aesmith.publish.structure import ModuleUse
from aesmith.publish.trace import TEXT_BLOCKS, Step
from aesmith.sboxes.catalogue import catalogue

# Field of a measurement, what it is called, unit, decimals.
_FIGURES = (
    ("area_ge", "area", "GE", 0),
    ("logic_area_ge", "– of which logic", "GE", 0),
    ("register_area_ge", "– of which registers", "GE", 0),
    ("flip_flops", "flip-flops", "", 0),
    ("period_ns", PERIOD, "ns", 3),
    ("input_to_register_ns", "– input to register", "ns", 3),
    ("register_to_output_ns", "– register to output", "ns", 3),
    ("period_with_ports_ns", PERIOD_WITH_PORTS, "ns", 3),
    ("fmax_mhz", FMAX, "MHz", 1),
    ("fmax_with_ports_mhz", FMAX_WITH_PORTS, "MHz", 1),
    ("cycles_per_block", "clocks from block to block", "", 0),
    ("latency_cycles", "clocks from block to result", "", 0),
    ("latency_ns", "latency", "ns", 2),
    ("throughput_gbps", "throughput", "Gbit/s", 3),
    ("efficiency_kbps_per_ge", "efficiency", "Kbps/GE", 1),
)


MOST_STEPS = 24
"""Rows of the table of cycles; where there are more, those that look alike at the ports are one."""
LENGTHS = 1, 4, 16, 64
"""Blocks of text of the messages whose cycles an engine's datasheet has."""


@dataclass(frozen=True)
class ModeWords:
    """What a mode computes (Σ and + are over GF(2)), and what its messages have."""

    computes: str
    iv: str
    text: str
    tag: str = "none"


_B = "whole blocks"
MODE_WORDS = {
    "ecb": ModeWords("C_i = E(P_i)", "none", _B),
    "cbc": ModeWords("C_i = E(P_i + C_{i−1}), C_0 = IV", "16 bytes", _B),
    **{
        f"cbc-cs{variant}": ModeWords(f"CBC, {order}", "16 bytes", "16 or more")
        for variant, order in enumerate(
            (
                "the last ciphertext block but one cut",
                "the last two blocks exchanged if the text ends within a block",
                "the last two blocks exchanged",
            ),
            1,
        )
    },
    "cfb128": ModeWords("C_i = P_i + E(C_{i−1}), C_0 = IV", "16 bytes", "any"),
    "cfb8": ModeWords("each byte c = p + byte 0 of E(the last 16 bytes of IV and C)", "16 bytes", "any"),
    "ofb": ModeWords("C_i = P_i + O_i, O_i = E(O_{i−1}), O_0 = IV", "16 bytes", "any"),
    "ctr": ModeWords("C_i = P_i + E(T + i − 1)", "16 bytes: T, the first counter block", "any"),
    "cmac": ModeWords("SP 800-38B: T_i = E(T_{i−1} + M_i), the last M + K1 or padded + K2", "none", "any", "4 to 16"),
    "ccm": ModeWords("SP 800-38C: CBC-MAC of B0, header and text; CTR", "16 bytes: B0", "as B0 says", "4, 6 … 16"),
    "gcm": ModeWords(
        "SP 800-38D: CTR from J0 + 1; tag = GHASH of header, C and lengths + E(J0)",
        "12 bytes; where other lengths are built, 0 and the IV in front",
        "up to 2^36 − 32 bytes",
        "4, 8, 12 … 16",
    ),
    "xts": ModeWords("IEEE 1619: C_i = E(P_i + T_i) + T_i, T_i = α T_{i−1}, T_0 = E₂(IV)", "16 bytes", "16 or more"),
    "ocb3": ModeWords(
        "RFC 7253: C_i = E(P_i + Δ_i) + Δ_i; tag over the sum of P and header", "1 to 15", "any", "1 to 16"
    ),
    "gcm-siv": ModeWords(
        "RFC 8452: keys of the nonce; tag = E(POLYVAL of header, P and lengths + nonce); CTR from the tag",
        "12 bytes",
        "any",
        "16",
    ),
    "gcm-sst": ModeWords(
        "draft-mattsson-cfrg-aes-gcm-sst: Z_i = E(nonce, i); CTR from Z_3; "
        "tag = POLYVAL(Z_1; POLYVAL(Z_0; header, C) + lengths) + Z_2",
        "12 bytes",
        "as the tag allows",
        "6, 12, 14",
    ),
    "siv": ModeWords(
        "RFC 5297: tag = S2V of the header's components and P, by CMAC under K1; CTR from the tag under K2",
        "none: the nonce is the header's last component",
        "any",
        "16",
    ),
    "ctr-drbg": ModeWords(
        "SP 800-90A: E(Key, V + 1), E(Key, V + 2), …; then Key and V are updated", "none", "up to 65,536, drawn"
    ),
    "kw": ModeWords("SP 800-38F, wrapping by 6 rounds", "none", "16, 24 … bytes"),
    "kwp": ModeWords("SP 800-38F, padded wrapping by 6 rounds", "none", "1 or more bytes"),
}
"""What a datasheet says of each mode; lengths are bytes."""


@dataclass(frozen=True)
class MessageRow:
    """Cycles of equal messages of a mode, one way: of each of the `LENGTHS`, and the longest wait of a block."""

    mode: str
    key_bits: int
    direction: str
    cycles: tuple[str, ...]
    wait: str


def message_rows(engine: StreamEngine) -> Iterator[MessageRow]:
    """For each mode, key size and direction of an engine what its formula says."""
    for view in engine.views:
        for way, wait in view.worst_waits.items():
            encrypt = way is Direction.ENCRYPT
            most = None if encrypt else view.most_beats
            cycles = tuple(
                f"{view.message_cycles(0, blocks, encrypt=encrypt):,.2f}".rstrip("0").rstrip(".")
                if most is None or blocks <= most
                else "–"
                for blocks in LENGTHS
            )
            waits = "until the verdict" if view.most_beats else "not stated"
            told = waits if wait is None else f"{wait:,}"
            bits = min(view.rated_key_bits, max(view.quoted_key_bits))
            yield MessageRow(view.mode.upper(), bits, str(way), cycles, told)


def condensed(steps: Sequence[Step]) -> Sequence[Step]:
    """Steps as they are, or, of many, those in a row that look alike at the ports as one."""
    if len(steps) <= MOST_STEPS:
        return steps
    alike = (list(group) for _, group in groupby(steps, lambda step: step.ports))
    return [
        replace(
            each[0], last=each[-1].last, registers=tuple(sorted({name for step in each for name in step.registers}))
        )
        for each in alike
    ]


@dataclass(frozen=True)
class FigureRow:
    """A figure for people: what it is, and its value with the unit, or why there is none."""

    label: str
    value: str


def figure_rows(measurement: Measurement) -> Iterator[FigureRow]:
    """All figures of a measurement in their usual order; a gap says that it is one, and why."""
    for field, label, unit, decimals in _FIGURES:
        value = getattr(measurement, field)
        if value is None:
            yield FigureRow(label, f"not measured: {measurement.gaps.get(field, 'no reason given')}")
        else:
            digits = f"{value:,}" if field == "cycles_per_block" else f"{value:,.{decimals}f}"
            yield FigureRow(label, f"{digits} {unit}".rstrip())


def placed_rows(placed: PlacedFigures) -> Iterator[FigureRow]:
    """The figures of a placed netlist in their usual order."""
    for label, value, unit, decimals in (
        ("area", placed.area_ge, "GE", 0),
        (PERIOD, placed.period_ns, "ns", 3),
        (PERIOD_WITH_PORTS, placed.period_with_ports_ns, "ns", 3),
        ("– before gates were sized again", placed.wired_period_ns, "ns", 3),
        ("throughput", placed.throughput_gbps, "Gbit/s", 3),
        ("efficiency", placed.efficiency_kbps_per_ge, "Kbps/GE", 1),
        ("wires", placed.wire_mm, "mm", 1),
    ):
        yield FigureRow(label, "not measured" if value is None else f"{value:,.{decimals}f} {unit}")
    yield FigureRow(
        "core", f"{placed.core_width_um:.1f} × {placed.core_height_um:.1f} µm, {placed.utilisation:.0%} cells"
    )


def picture_of(measurement: Measurement) -> str:
    """The file that shows the placement of a measurement."""
    return f"placement-{measurement.optimise}.svg"


def datasheet(
    design: CoreDesign | StreamEngine,
    *,
    modules: Sequence[ModuleUse],
    steps: Sequence[Step],
    measurements: Sequence[Measurement] = (),
    pictures: Sequence[str] = (),
    verification: str = "",
    testbench: bool = True,
) -> str:
    """The text of datasheet.md; it shows `diagram.svg` and `waveform.svg` beside it, and of `pictures` the one of each
    placed measurement, `picture_of`.

    `verification` is one paragraph on what was verified; empty if nothing was.
    """
    is_core = isinstance(design, CoreDesign)
    own: dict[str, object] = {"messages": len(TEXT_BLOCKS), "clocks": "{:g}".format}
    if isinstance(design, CoreDesign):
        own = {"byte_0": _byte_0(design.ports)}
    else:
        modes = {view.mode: MODE_WORDS[view.mode] for view in design.views}
        own |= {"modes": [{"name": mode.upper(), **asdict(words)} for mode, words in modes.items()]}
        own |= {"lengths": LENGTHS, "message_rows": list(message_rows(design))}
        if design.bus:
            own |= {"standard": bus_of(design.bus).standard, "registers": register_table(design)}
            own |= {"errors": [(field.name, _ADVICE[field.name]) for field in error_fields(design)]}
    return render(
        "datasheet.md" if is_core else "engine_datasheet.md",
        **own,
        what="core" if is_core else "engine",
        design=design,
        engine=None if isinstance(design, CoreDesign) else design,
        version=__version__,
        steps=condensed(steps),
        parameters=[(name, _parameter(name, value)) for name, value in sorted(design.parameters.items())],
        measurements=list(measurements),
        figure_rows=figure_rows,
        placed_rows=placed_rows,
        pictures={m.optimise: picture_of(m) for m in measurements if picture_of(m) in pictures},
        verification=verification or "Not verified yet: `aesmith verify` with this folder verifies the sources in it.",
        modules=modules,
        testbench=testbench,
        patent=_patent(design),
        masked=design.ports.find(Meaning.RANDOM) is not None or design.ports.find(Meaning.SEED) is not None,
        protection=_protection(design),
        security=_security(design),
        headline=_headline(design, measurements),
        cocotb=has_cocotb_test(design),
        gates=[source.name.removesuffix(".sv") for source in design.sources if "always_latch" in source.text],
        memories=() if isinstance(design, CoreDesign) else design.memories,
    )


_ADVICE = {
    "ADDRESS": "a software error: no such register",
    "ACCESS": "a software error: write whole words, and only to registers that can be written",
    "BUSY": "wait for `STATUS.IDLE` before you touch what is under way",
    "INCOMPLETE": "write all words of the key or the IV again, then trigger",
    "IN_LATE": "read `DATA_OUT`: the engine waits for room; then write the word again",
    "OUT_LATE": "write what is missing of the message, then read again",
    "LOCKED": "run the self-test, or wait for it; after a failure only a reset helps",
}
"""What to do on each bit of ERROR."""


def _headline(design: CoreDesign | StreamEngine, measurements: Sequence[Measurement]) -> str:
    """The clocks of the first measurement, and the one that its constraints ask for; empty where there is none."""
    first = next(iter(measurements), None)
    asked = None if first is None else constrained_period_ns(first)
    if first is None or asked is None:
        return ""
    return (
        f"{first.library} ({first.corner}, {first.optimise}): **{FMAX}, {first.fmax_mhz:,.1f} MHz** "
        f"({first.period_ns:.3f} ns); **{FMAX_WITH_PORTS}, {first.fmax_with_ports_mhz:,.1f} MHz** "
        f"({first.period_with_ports_ns:.3f} ns), without any delay outside. `{design.name}.sdc` asks for "
        f"{fmax_mhz(asked):,.1f} MHz ({asked:.3f} ns): {BOUNDARY_SHARE:.0%} of the period is reserved for external "
        f"logic at each port, and {MARGIN - 1:.0%} is margin."
    )


def _security(design: CoreDesign | StreamEngine) -> str:
    """What protects a design, in a line."""
    order = design.parameters.get("order")
    shares = design.ports.find(Meaning.RANDOM) is not None or design.ports.find(Meaning.SEED) is not None
    if not shares:
        return "no protection against power analysis, EM analysis or faults"
    if not isinstance(order, int) or (order > 1 and not design.parameters.get("clock_gates")):
        return "masked, with the limits below; no protection against faults"
    return f"masked at order {order} in the glitch-extended probing model, before layout; no protection against faults"


def _protection(design: CoreDesign | StreamEngine) -> str:
    """What power and emanation reveal of a design, in a sentence or a few."""
    fresh, seed = design.ports.find(Meaning.RANDOM), design.ports.find(Meaning.SEED)
    if fresh is None and seed is None:
        return "It is not protected against power analysis, EM analysis or faults."
    order = design.parameters.get("order")
    if not isinstance(order, int):
        return (
            "It is masked: its protection is what `aesmith verify --probing` shows, and no more. It is not protected "
            "against faults."
        )
    if order > 1 and not design.parameters.get("clock_gates"):
        return (
            f"It is masked with {order + 1} shares, but held by clock enables, and nothing is shown of its protection "
            "against power or EM analysis. It is not protected against faults."
        )
    probes = "one probe reveals" if order == 1 else f"any {order} probes reveal"
    bits = (
        "The fresh bits come from a generator in the core; neither it nor its seed is masked."
        if fresh is None
        else f"The {fresh.bits} fresh bits per cycle come from a generator that is not part of the core."
    )
    return (
        f"It is masked at order {order}{'' if order > 1 else ' (first order)'} against power and EM analysis. In the "
        f"glitch-extended probing model, before layout, {probes} nothing of key or blocks, if it passes `aesmith "
        "verify --probing`, its netlist passes with `--netlist`, and fresh bits are uniform and secret. "
        f"{bits} Effects of layout, attacks of a higher order and faults are not covered."
    )


def _patent(design: CoreDesign | StreamEngine) -> str:
    """A patent that is known to cover the S-box of the design or of its cores; empty if none is."""
    core = design if isinstance(design, CoreDesign) else design.core
    entry = catalogue().get(str(core.parameters.get("sbox")))
    return "" if entry is None else entry.patent


def _byte_0(ports: Ports) -> str:
    """Where byte 0 of a block stands in a port that takes all of it."""
    block = ports.channel("block")
    high = block.byte_order is ByteOrder.FIRST_BYTE_HIGH
    return f"the {'most' if high else 'least'} significant byte: `{block.data.port}[{'127:120' if high else '7:0'}]`"


def _parameter(name: str, value: object) -> str:
    return f"`{value:#04x}`" if name in FIELD_ELEMENTS and isinstance(value, int) else _value(value)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_value(item) for item in value)
    return f"`{value}`" if isinstance(value, bool | int | float) else str(value) or "–"


def report_json(report: SimulationReport) -> dict[str, object]:
    """The report as plain JSON values."""
    return {
        "design": report.design,
        "passed": report.passed,
        "seed": report.seed,
        "key_bits": report.key_bits,
        "cases": report.cases,
        "cycles_per_block": report.cycles_per_block,
        "latency_cycles": report.latency_cycles,
        "worst_latency_cycles": report.worst_latency_cycles,
        "source_hash": report.source_hash,
        "scenarios": [asdict(scenario) | {"passed": scenario.passed} for scenario in report.scenarios],
        "tools": dict(report.tools),
        "seconds": report.seconds,
    }


def cases_of(design: CoreDesign | StreamEngine) -> str:
    """What a simulation of a design counts."""
    return "blocks" if isinstance(design, CoreDesign) else "messages"


def verification_text(report: SimulationReport, cases: str = "blocks") -> str:
    """What was verified, as Markdown that is the same whenever the same was found: no times. Cases are of what."""
    tools = ", ".join(f"{tool} {version}" for tool, version in sorted(report.tools.items()))
    lines = [
        f"Simulated against the standard's vectors and a golden model, seed {report.seed}: "
        f"{report.cases:,} {cases}, {'all as they must be' if report.passed else 'NOT all as they must be'} ({tools}).",
        "",
        f"| scenario | {cases} | clocks | result |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {s.name} | {s.cases:,} | {s.cycles:,} | {'passed' if s.passed else 'failed'} |" for s in report.scenarios
    ]
    return "\n".join(lines)

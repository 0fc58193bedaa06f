"""Power in `aesmith measure`, its options and what it prints; and what tells of data: power, in `aesmith leakage`, and
probes, in `aesmith verify --probing`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api import Core, assessing, presets
from aesmith.api.measuring import Mapped, Measuring, check_power
from aesmith.assurance.leakage.plan import (
    BYTES,
    FEWEST,
    THRESHOLD,
    AttackReport,
    LeakagePlan,
    LeakageReport,
    LeakageVerdict,
)
from aesmith.assurance.probing.check import ProbingVerdict
from aesmith.assurance.probing.sampling_plan import THRESHOLD as SAMPLING_THRESHOLD
from aesmith.assurance.probing.sampling_plan import SamplingPlan
from aesmith.commands.console import Display, Steps
from aesmith.commands.request import Json, LibertyFiles, LibraryName, completing, read_named_library, read_request
from aesmith.cores.design import CoreDesign
from aesmith.drawing.charts import power_picture, rank_plot, t_plot
from aesmith.errors import CheckError, RequestError, UndecidedError
from aesmith.flow.measurement import Measurement
from aesmith.modes.engine import StreamEngine
from aesmith.scratch import check_place, write_whole
from aesmith.technology.library import Library
from aesmith.timing.power.figures import REFERENCE_MHZ, PowerPlan, PowerStimulus, read_blocks

Power = Annotated[
    bool, typer.Option("--power", help="Also simulate power, glitches included, on the netlist's delays.")
]
Clock = Annotated[
    float | None,
    typer.Option(
        "--clock",
        metavar="MHZ",
        help="Clock of the simulation. [default: 100, or the netlist's maximum if lower]",
    ),
]
StimulusChoice = Annotated[
    PowerStimulus | None,
    typer.Option(
        "--stimulus", help="random: blocks or messages back to back; rekeyed: a new key before each; idle: no work."
    ),
]
BlockList = Annotated[
    Path | None,
    typer.Option(
        "--blocks", metavar="FILE", help="Simulate these blocks: one line each, key and block in hexadecimal."
    ),
]
Precision = Annotated[
    float | None,
    typer.Option("--precision", metavar="PERCENT", help="Half width of the 95 % confidence interval. [default: 1]"),
]
ZeroDelay = Annotated[
    bool, typer.Option("--zero-delay", help="Ignore delays: fast, but without glitches power is far too low.")
]
TextBlocks = Annotated[
    int | None,
    typer.Option(
        "--text-blocks", metavar="N", help="Text blocks per message of an engine. [default: 16, or its maximum]"
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option("--power-picture", metavar="FILE", help="Draw power by module and by logic depth as SVG."),
]


@dataclass(frozen=True)
class PowerOptions:
    """What was asked for on the command line. Raises RequestError for options without --power."""

    power: bool
    clock: float | None
    stimulus: PowerStimulus | None
    blocks: Path | None
    precision: float | None
    zero_delay: bool
    text_blocks: int | None
    picture: Path | None

    def plan(self, design: CoreDesign | StreamEngine) -> PowerPlan | None:
        """The plan for a design; None if power was not asked for.

        Checks all there is to check before work starts.
        """
        others = (self.clock, self.stimulus, self.blocks, self.precision, self.zero_delay or None, self.text_blocks,
                  self.picture)  # fmt: skip
        if not self.power:
            if any(value is not None for value in others):
                raise RequestError("power: the options for power need --power")
            return None
        if self.blocks is not None and self.stimulus not in (None, PowerStimulus.LISTED):
            raise RequestError(f"stimulus: with --blocks it is the list, not {self.stimulus}")
        if self.stimulus is PowerStimulus.LISTED and self.blocks is None:
            raise RequestError("stimulus: 'listed' needs --blocks FILE")
        if self.picture is not None and not self.picture.parent.is_dir():
            raise RequestError(f"power-picture: there is no folder {self.picture.parent}")
        plan = PowerPlan(
            clock_mhz=self.clock,
            stimulus=PowerStimulus.LISTED if self.blocks else self.stimulus or PowerStimulus.RANDOM,
            precision=0.01 if self.precision is None else self.precision / 100,
            zero_delay=self.zero_delay,
            listed=read_blocks(self.blocks, (max(design.key_bits),)) if self.blocks else (),
            text_blocks=self.text_blocks,
        )
        check_power(design, plan)
        return plan


def add_power(
    work: Measuring, measurement: Measurement, plan: PowerPlan, display: Display, picture: Path | None
) -> Measurement:
    """Measures power under a progress bar, or reads what was measured before; writes the pictures."""
    design, library = work.design, work.library
    with display.progress(f"power in {library.name}") as steps:
        obtained = work.power(measurement, plan, steps.done)
    if obtained.from_store:
        display.note(f"note: {design.name}: power was measured before, figures are from the result store")
    lowered = {power.clock_mhz for power in obtained.measurement.power if power.clock_mhz < REFERENCE_MHZ}
    if plan.clock_mhz is None and lowered:
        display.note(
            f"note: {design.name}: power is simulated at {min(lowered):g} MHz, the highest clock of this netlist"
        )
    for power in obtained.measurement.power:
        if power.interval is not None and power.interval > plan.precision:
            display.note(
                f"note: {power.direction}: after {power.blocks} blocks the interval is ±{power.interval:.2%}, "
                f"not the ±{plan.precision:.2%} asked for"
            )
    if picture is not None:
        several = len(obtained.measurement.power) > 1
        for power in obtained.measurement.power:
            path = picture.with_stem(f"{picture.stem}-{power.direction}") if several else picture
            write_whole(path, power_picture(design.name, power, library.name), "power-picture")
            display.note(f"wrote {path}")
    return obtained.measurement


def show_power(measurement: Measurement, display: Display) -> None:
    """Prints power, a column a direction."""
    powers = measurement.power
    if not powers:
        return
    first = powers[0]

    def row(label: str, name: str, unit: str, decimals: int = 1, scale: float = 1.0) -> tuple[str, ...]:
        values = [getattr(power, name) for power in powers]
        return (label, *("-" if value is None else f"{scale * value:,.{decimals}f} {unit}" for value in values))

    rows = [
        row("power at 100 MHz", "power_uw_at_100mhz", "µW"),
        *([row(f"power at {first.clock_mhz:g} MHz", "power_uw", "µW")] if first.clock_mhz != 100 else []),
        row("  switching of nets", "switching_uw", "µW"),
        row("  inside cells", "internal_uw", "µW"),
        row("  clock and input nets", "port_uw", "µW"),
        row("  leakage", "leakage_uw", "µW"),
        row("glitches, of the dynamic energy", "glitch_fraction", "%", 1, 100),
        row("energy a block of text" if first.messages else "energy a block", "energy_pj_per_block", "pJ"),
        *([] if first.messages else [row("power-latency product", "power_latency_product", "µW·ns", 0)]),
        row("95 % interval, ±", "interval", "%", 2, 100),
    ]
    columns = ("power", *(f">{power.direction}" for power in powers))
    title = f"Power: {first.label.partition(', ')[2]}"
    display.table(title, columns, rows)
    blocks = "blocks of text" if first.messages else "blocks"
    simulated = f"{first.blocks} {blocks}" if first.blocks else f"{first.clocks} clocks"
    display.line(
        f"simulated {simulated} at {first.clock_mhz:g} MHz; delays on {first.annotated_nets} of {first.nets} "
        f"nets; results equal to {'the model of the mode' if first.messages else 'AES'}; no wires, no clock tree",
        style="dim",
    )
    for power in powers:
        shares = [
            (
                share.name,
                share.cells,
                f"{share.functional_uw:,.1f}",
                f"{share.glitch_uw:,.1f}",
                f"{share.leakage_uw:,.1f}",
                f"{share.total_uw:,.1f}",
            )
            for share in power.by_module
        ]
        columns = ("module, mapped by itself", ">cells", ">functional µW", ">glitch µW", ">leakage µW", ">sum µW")
        display.table(f"Power by module at 100 MHz, {power.direction}", columns, shares)


MASKED_SBOX = "masked-sbox"
"""What stands for a specification where the target is the masked S-box."""


def leakage_command(
    spec: Annotated[
        str,
        typer.Argument(
            metavar=f"SPEC|DIR|{MASKED_SBOX}",
            autocompletion=completing(lambda: [MASKED_SBOX, *presets()]),
            help=f"A core: preset, TOML file or folder of a build; or {MASKED_SBOX}, the S-box of `aesmith mask`.",
        ),
    ],
    *,
    order: Annotated[
        int | None, typer.Option("--order", metavar="D", help="Order of the masked S-box. [default: 1]")
    ] = None,
    sbox_clocks: Annotated[
        int | None, typer.Option("--sbox-clocks", metavar="N", help="Its latency: 3 or 4 cycles. [default: 4]")
    ] = None,
    traces: Annotated[int, typer.Option("--traces", metavar="N", min=1, help="Maximum number of traces.")] = 100_000,
    clocks: Annotated[
        int | None, typer.Option("--clocks", metavar="N", help="Cycles per trace. [default: the first two rounds]")
    ] = None,
    parts: Annotated[int, typer.Option("--parts", metavar="N", min=1, help="Samples per cycle.")] = 1,
    clock: Annotated[float, typer.Option("--clock", metavar="MHZ", help="Clock of the simulation.")] = 100.0,
    key: Annotated[str | None, typer.Option("--key", metavar="HEX", help="The key. [default: random]")] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--fixed", metavar="HEX", help="An additional fixed block, or operand of the S-box; repeatable."),
    ] = None,
    zero_fresh: Annotated[bool, typer.Option("--zero-fresh", help="Tie mask randomness to zero.")] = False,
    all_traces: Annotated[bool, typer.Option("--all-traces", help="Do not stop at the first leak.")] = False,
    attack: Annotated[
        bool, typer.Option("--attack", help="Instead, attack the key of a core by correlation over all traces.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all random data.")] = 1,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", metavar="NAME", help="Synthesis recipe. [default: keep; with shares keep-modules]"),
    ] = None,
    netlist: Annotated[
        Path | None,
        typer.Option("--netlist", metavar="FILE", help="A mapped netlist of the core, Verilog or Yosys' JSON."),
    ] = None,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Parallel jobs.")] = 1,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw t over the cycles as SVG.")] = None,
    as_json: Json = False,
) -> None:
    """Test whether the power of a netlist, simulated with glitches, distinguishes fixed data from random.

    The exit status is 1 if it does: |t| above 4.5 at the same point of both halves of the traces, at an order up to
    that of the protection, or at order 1 or 2 without protection. It is 0 if enough traces show nothing, and 4 if there
    were too few. With --attack it is 1 if a key byte is found. Ctrl-C reports the state so far. Finding nothing proves
    nothing; see `aesmith mask --check` and `aesmith verify --probing`.

    Example: aesmith leakage masked-sbox --traces 20000 --plot t.svg
    """
    display = Display(as_json=as_json)
    check_place(plot, "plot")
    plan = LeakagePlan(
        traces=traces,
        seed=seed,
        clocks=clocks,
        parts=parts,
        clock_mhz=clock,
        key=None if key is None else _bytes("key", key),
        fixed=tuple(_bytes("fixed", text) for text in fixed or ()),
        fresh=not zero_fresh,
        all_traces=all_traces,
        jobs=jobs,
    )
    cells = read_named_library(library, liberty, display)
    if attack:
        of_test = {"--fixed": bool(fixed), "--all-traces": all_traces, "--order": order is not None}
        if spec == MASKED_SBOX or any(of_test.values()):
            useless = next((option for option, given in of_test.items() if given), MASKED_SBOX)
            raise RequestError(f"attack: it is of cores, with random blocks, and has no use for {useless}")
        design = read_request(spec).core("leakage")
        with display.progress(f"attack on {spec} in {cells.name}") as steps:
            known = assessing.attack_core(design, plan, cells, recipe=recipe, netlist=netlist, progress=steps.done)
        if plot is not None:
            write_whole(plot, rank_plot(known), "plot")
        display.value(known.to_json() | {"file": None if plot is None else str(plot)})
        _show_attack(known, display)
        return
    with display.progress(f"traces of {spec} in {cells.name}") as steps:
        if spec == MASKED_SBOX:
            if netlist is not None:
                raise RequestError(f"netlist: of cores only; {MASKED_SBOX} is synthesised")
            found = assessing.assess_sbox(
                1 if order is None else order, 4 if sbox_clocks is None else sbox_clocks, plan, cells, recipe=recipe,
                progress=steps.done,
            )  # fmt: skip
        else:
            if order is not None or sbox_clocks is not None:
                raise RequestError(f"order: --order and --sbox-clocks are of {MASKED_SBOX}; a core has its own")
            found = _of_core(spec, plan, cells, recipe=recipe, netlist=netlist, steps=steps)
    if plot is not None:
        write_whole(plot, t_plot(found), "plot")
    display.value(found.to_json() | {"file": None if plot is None else str(plot)})
    _show_leakage(found, display)
    if plot is not None:
        display.line(f"Written: {plot}")
    _check_leakage(found)


def _of_core(
    spec: str,
    plan: LeakagePlan,
    cells: Library,
    *,
    recipe: str | None,
    netlist: Path | None,
    steps: Steps,
) -> LeakageReport:
    design = read_request(spec).core("leakage")
    return assessing.assess_core(design, plan, cells, recipe=recipe, netlist=netlist, progress=steps.done)


def _bytes(what: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise RequestError(f"{what}: must be bytes in hexadecimal, not {text!r}") from None


def _show_leakage(found: LeakageReport, display: Display) -> None:
    """Prints a line a fixed class, then what was compared and under what conditions."""
    rows = []
    for order, classes in found.t.items():
        for name in classes:
            first, second = found.largest(order, name)
            judged = "" if order in found.judged else "above the order of protection, not judged"
            rows.append((name, order, f"{first:.1f}", f"{second:.1f}", judged))
    ended = " (interrupted)" if found.interrupted else ""
    title = f"{found.target}: {found.verdict} in {found.traces:,} traces of {found.clocks} clocks{ended}"
    display.table(title, ("fixed class", ">order", ">|t|, first half", ">second half", ""), rows)
    for order, count in found.found_after.items():
        display.line(f"order {order}: first above {THRESHOLD:g} in both halves after {count:,} traces")
    counts = ", ".join(f"{count:,} {name}" for name, count in found.per_class.items())
    for line in (
        counts,
        *found.conditions,
        "no noise, no wires, no coupling: a leak is one, no leak found is no proof",
    ):
        display.line(line, style="dim")


def _show_attack(known: AttackReport, display: Display) -> None:
    """Prints a line each time that traces were compared. Raises CheckError if a key byte was found."""
    rows = []
    for traces, ranks in zip(known.looks, known.ranks, strict=True):
        best = [min(row[byte] for row in ranks.values()) for byte in range(BYTES)]
        firsts = sum(rank == 1 for rank in best)
        rows.append((f"{traces:,}", str(best[0]), str(firsts), " ".join(map(str, best))))
    ended = " (interrupted)" if known.interrupted else ""
    title = f"{known.target}: {known.found} of {BYTES} key bytes found by correlation in {known.traces:,} traces{ended}"
    columns = (">traces", ">rank of byte 0", ">bytes of rank 1", "ranks of all bytes")
    display.table(title, columns, rows)
    for line in (
        *known.conditions,
        "no noise: a trace stands for many that are measured; an attack that fails proves nothing",
    ):
        display.line(line, style="dim")
    if known.found:
        after = [known.found_after(byte) for byte in range(BYTES)]
        soonest = min(count for count in after if count is not None)
        raise CheckError(
            f"{known.target}: {known.found} of {BYTES} key bytes are found, the first after {soonest:,} traces"
        )


def _check_leakage(found: LeakageReport) -> None:
    """Raises CheckError for a leak, UndecidedError for too few traces."""
    if found.verdict is LeakageVerdict.LEAK:
        leak = found.leak
        assert leak is not None
        raise CheckError(
            f"{found.target}: fixed class {leak.fixed} leaks at order {leak.order} in clock {leak.clock}: t is "
            f"{leak.t[0]:.1f} and {leak.t[1]:.1f} in the halves of {found.traces:,} traces"
        )
    if found.verdict is LeakageVerdict.TOO_FEW:
        raise UndecidedError(
            f"{found.target}: no leak found, in too few traces to say so: {found.fewest:,} of a class in a half, of "
            f"{FEWEST:,} at least"
        )


def probe_request(design: CoreDesign, order: int | None, display: Display, mapped: Mapped | None = None) -> None:
    """Checks a masked core, and a netlist of it, in the probing model, and prints a line a part.

    Raises CheckError unless all is shown, RequestError if there is no such netlist.
    """
    if mapped is not None and not mapped.netlist.is_file():
        raise RequestError(f"netlist: there is no file {mapped.netlist}")
    with display.progress(f"probing {design.name}"):
        found = Core(design).probe(order, mapped)
    parts = {name: {"verdict": str(part.verdict), "sets": part.examined} for name, part in found.parts.items()}
    of_netlist = {} if found.mapped is None else {"netlist": vars(found.mapped)}
    display.value({"name": design.name, "order": found.order, "shown": found.shown, "parts": parts} | of_netlist)
    rows = [(name, str(part.verdict), f"{part.examined:,} sets of probes") for name, part in found.parts.items()]
    rows.append(("structure", "holds", str(found.structure)))
    if found.mapped is not None:
        rows.append(("netlist", "shows no more", str(found.mapped)))
    of = "sources" if found.mapped is None else "sources and netlist"
    title = f"{design.name}: glitch-extended probes, order {found.order}, {of}"
    display.table(title, ("part", "verdict", "what was looked at"), rows)
    if not found.shown:
        odd = next(name for name, part in found.parts.items() if part.verdict is not ProbingVerdict.SECURE)
        raise CheckError(f"{design.name}: probing at order {found.order}: {odd}: {found.parts[odd]}")


def sample_request(design: CoreDesign, plan: SamplingPlan, display: Display, mapped: Mapped | None = None) -> None:
    """Samples the probes of a masked core, or of a netlist of it, and prints what was counted.

    Raises CheckError, naming the probe, for a leak, RequestError if there is no such netlist.
    """
    if mapped is not None and not mapped.netlist.is_file():
        raise RequestError(f"netlist: there is no file {mapped.netlist}")
    with display.progress(f"sampling probes of {design.name}") as steps:
        found = Core(design).sample_probes(plan, mapped, progress=steps.done)
    display.value(found.to_json())
    ended = " (interrupted)" if found.interrupted else ""
    of = "sources" if mapped is None else "netlist"
    probes = "transition-extended" if found.transitions else "glitch-extended"
    title = (
        f"{design.name}: {of}, {probes} probes of {found.blocks:,} blocks of {found.clocks} clocks, seed {plan.seed}"
    )
    rows = [
        ("tables of values", f"{found.probes:,}"),
        ("numbers of ones", f"{found.weighed:,}"),
        ("levels of wires", f"{found.settled:,}"),
    ]
    display.table(f"{title}{ended}", ("counted in each clock", ">"), rows)
    if found.strongest is not None:
        strength = f"{found.strongest.strength:.1f} of {SAMPLING_THRESHOLD:g}"
        display.line(f"largest -log10 p, corrected for {found.compared:,} tests: {strength}, at {found.strongest.wire}")
    display.line("a leak is one, no leak found is no proof: `--probing` without --sample is", style="dim")
    if found.leak:
        assert found.strongest is not None
        raise CheckError(
            f"{design.name}: {found.strongest}: fixed and random secrets differ, -log10 p is "
            f"{found.strongest.strength:.1f}"
        )

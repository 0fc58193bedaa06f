"""Power in `aesmith measure`: its options, and what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api.measuring import Measuring
from aesmith.commands.console import Display
from aesmith.drawing.charts import power_picture
from aesmith.errors import RequestError
from aesmith.flow.measurement import Measurement
from aesmith.scratch import write_whole
from aesmith.timing.power.figures import PowerPlan, PowerStimulus, read_blocks

Power = Annotated[
    bool, typer.Option("--power", help="Also measure power, glitches included, by simulation on the netlist's delays.")
]
Clock = Annotated[float | None, typer.Option("--clock", metavar="MHZ", help="Clock of the simulation. [default: 100]")]
StimulusChoice = Annotated[
    PowerStimulus | None,
    typer.Option("--stimulus", help="random: blocks back to back; rekeyed: a key before each; idle: nothing to do."),
]
BlockList = Annotated[
    Path | None,
    typer.Option("--blocks", metavar="FILE", help="Simulate these blocks: a line each, key and block in hexadecimal."),
]
Precision = Annotated[
    float | None,
    typer.Option("--precision", metavar="PERCENT", help="Half the 95 % confidence interval to reach. [default: 1]"),
]
ZeroDelay = Annotated[
    bool, typer.Option("--zero-delay", help="Leave delays out: quick, but without glitches power is far too low.")
]
Picture = Annotated[
    Path | None,
    typer.Option("--power-picture", metavar="FILE", help="Write power by module and by logic depth as SVG."),
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
    picture: Path | None

    def plan(self, key_bits: Sequence[int]) -> PowerPlan | None:
        """The plan for a design with keys of these sizes; None if power was not asked for.

        Checks all there is to check before work starts.
        """
        others = (self.clock, self.stimulus, self.blocks, self.precision, self.zero_delay or None, self.picture)
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
        return PowerPlan(
            clock_mhz=100.0 if self.clock is None else self.clock,
            stimulus=PowerStimulus.LISTED if self.blocks else self.stimulus or PowerStimulus.RANDOM,
            precision=0.01 if self.precision is None else self.precision / 100,
            zero_delay=self.zero_delay,
            listed=read_blocks(self.blocks, (max(key_bits),)) if self.blocks else (),
        )


def add_power(
    work: Measuring, measurement: Measurement, plan: PowerPlan, display: Display, picture: Path | None
) -> Measurement:
    """Measures power under a progress bar, or reads what was measured before; writes the pictures."""
    design, library = work.design, work.library
    with display.progress(f"power in {library.name}") as steps:
        obtained = work.power(measurement, plan, steps.done)
    if obtained.from_store:
        display.note(f"note: {design.name}: power was measured before, figures are from the result store")
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
        row("energy a block", "energy_pj_per_block", "pJ"),
        row("power-latency product", "power_latency_product", "µW·ns", 0),
        row("95 % interval, ±", "interval", "%", 2, 100),
    ]
    columns = ("power", *(f">{power.direction}" for power in powers))
    title = f"Power: {first.label.partition(', ')[2]}"
    display.table(title, columns, rows)
    simulated = f"{first.blocks} blocks" if first.blocks else f"{first.clocks} clocks"
    display.line(
        f"simulated {simulated} at {first.clock_mhz:g} MHz; delays on {first.annotated_nets} of {first.nets} "
        "nets; results equal to AES; no wires, no clock tree",
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

"""The embedded library `generic45`: the figures of a model of a 45-nm class process, and the Liberty file they give.

Everything is derived from the figures below by logical effort (Sutherland, Sproull, Harris, "Logical Effort", 1999),
extended by a linear dependence on the input transition:

    delay      = TAU * (parasitic + resistance * load / (C_INPUT * drive)) + SLEW_TO_DELAY * input transition
    transition = SHAPE * TAU * (parasitic / 2 + resistance * load / (C_INPUT * drive)) + SLEW_TO_SLEW * input transition

A fan-out-of-four inverter takes 27.6 ps. The figures are round numbers of the project's own choosing, in the usual
proportions of static CMOS; they describe no foundry's process.

`python -m aesmith.technology.generic45 FILE` writes the Liberty file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aesmith.technology.boolean import BooleanFunction, parse_function

TAU = 0.0045  # ns: delay of an inverter without parasitics that drives one like itself
C_INPUT = 1.5  # fF: input of the smallest inverter
SHAPE = 1.5  # transition (20 to 80 %) in terms of the delay the load causes
SLEW_TO_DELAY = 0.15
SLEW_TO_SLEW = 0.10
VOLTAGE = 1.1
SITES_PER_GE = 3  # area is counted in sites; the smallest NAND2 has three
LEAKAGE_PER_SITE = 6.0  # nW
PARASITIC_ENERGY = 0.5  # fJ a transition, per unit of parasitic delay and drive
CROWBAR_ENERGY = 4.0  # fJ a transition, per ns of input transition and unit of drive
IDLE_ENERGY = 0.1  # part of the energy that an input takes when the output does not follow
STACK_DELAY = 0.1  # each input is slower than the one before by this part of the parasitic delay

SLEWS = (0.002, 0.005, 0.012, 0.03, 0.07, 0.15, 0.3)  # ns
LOADS = (0.5, 1.5, 4.0, 8.0, 16.0, 32.0, 64.0)  # fF at drive 1
CONSTRAINT_SLEWS = (0.002, 0.03, 0.3)  # ns


@dataclass(frozen=True)
class GateModel:
    """A logic function at drive 1: area in sites and sites more for each further unit of drive; parasitic delay;
    resistance of a rising and of a falling output (in those of the smallest inverter); input capacitance by pin, in
    that of the smallest inverter. In a cell of two stages only the second grows with the full drive."""

    name: str
    function: str
    sites: int
    sites_per_drive: int
    parasitic: float
    rise: float
    fall: float
    pins: tuple[tuple[str, float], ...]
    drives: tuple[int, ...] = (1, 2, 4)
    two_stages: bool = False


@dataclass(frozen=True)
class FlipFlopModel:
    """A rising-edge D flip-flop, with asynchronous active-low reset or without. Setup and hold in ns at the fastest
    transitions; energies in fJ an edge."""

    name: str
    reset: bool
    sites: int
    sites_per_drive: int
    parasitic: float
    setup_rise: float
    setup_fall: float
    hold: float
    data_pin: float = 1.0
    clock_pin: float = 0.9
    reset_pin: float = 1.2
    clock_energy: float = 2.0
    data_energy: float = 1.5
    output_energy: float = 3.0
    drives: tuple[int, ...] = (1, 2, 4)


@dataclass(frozen=True)
class ClockGateModel:
    """An integrated clock gate: a latch that is open while the clock is low, and an AND of two stages behind it.

    The latch takes half of a flip-flop's sites, and its energies. The clock drives the latch and the AND; the enable
    has to be through the latch when the clock rises. Setup and hold in ns at the fastest transitions, energies in fJ an
    edge.
    """

    name: str
    latch_sites: int
    setup_rise: float
    setup_fall: float
    hold: float
    data_pin: float = 1.0
    clock_pin: float = 0.9
    clock_energy: float = 2.0
    data_energy: float = 1.5
    drives: tuple[int, ...] = (1, 2, 4, 8)


def _pins(names: str, capacitance: float) -> tuple[tuple[str, float], ...]:
    return tuple((name, capacitance) for name in names.split())


GATES = (
    GateModel("INV", "!A", 2, 1, 1.0, 1.1, 0.9, _pins("A", 1.0), (1, 2, 4, 8)),
    GateModel("BUF", "A", 3, 1, 2.0, 1.1, 0.9, _pins("A", 0.8), (1, 2, 4, 8), two_stages=True),
    GateModel("NAND2", "!(A & B)", 3, 2, 1.5, 1.1, 1.25, _pins("A B", 1.05)),
    GateModel("NAND3", "!(A & B & C)", 4, 3, 2.3, 1.1, 1.5, _pins("A B C", 1.1)),
    GateModel("NAND4", "!(A & B & C & D)", 5, 4, 3.1, 1.15, 1.8, _pins("A B C D", 1.1)),
    GateModel("NOR2", "!(A | B)", 3, 2, 1.8, 1.6, 0.95, _pins("A B", 1.05)),
    GateModel("NOR3", "!(A | B | C)", 4, 3, 3.0, 2.3, 1.0, _pins("A B C", 1.1)),
    GateModel("NOR4", "!(A | B | C | D)", 5, 4, 4.4, 3.0, 1.0, _pins("A B C D", 1.1)),
    GateModel("AND2", "A & B", 4, 1, 3.0, 1.1, 0.9, _pins("A B", 0.9), two_stages=True),
    GateModel("OR2", "A | B", 4, 1, 3.8, 1.1, 0.9, _pins("A B", 0.9), two_stages=True),
    GateModel("XOR2", "A ^ B", 6, 4, 4.5, 1.6, 1.3, _pins("A B", 1.8)),
    GateModel("XNOR2", "!(A ^ B)", 6, 4, 4.5, 1.5, 1.35, _pins("A B", 1.8)),
    GateModel("AOI21", "!((A & B) | C)", 4, 3, 2.3, 1.7, 1.25, _pins("A B C", 1.1)),
    GateModel("AOI22", "!((A & B) | (C & D))", 5, 4, 3.0, 1.8, 1.3, _pins("A B C D", 1.1)),
    GateModel("OAI21", "!((A | B) & C)", 4, 3, 2.2, 1.6, 1.3, _pins("A B C", 1.1)),
    GateModel("OAI22", "!((A | B) & (C | D))", 5, 4, 3.0, 1.75, 1.35, _pins("A B C D", 1.1)),
    GateModel("MUX2", "(S & B) | (!S & A)", 7, 1, 5.0, 1.1, 0.9, (*_pins("A B", 1.0), ("S", 1.8)), two_stages=True),
)
TIES = (("TIEHI", "1"), ("TIELO", "0"))
TIE_SITES = 1
FLIP_FLOPS = (
    FlipFlopModel("DFF", False, 17, 2, 12.0, 0.028, 0.032, 0.004),
    FlipFlopModel("DFFR", True, 20, 2, 13.0, 0.030, 0.034, 0.004),
)
CLOCK_GATE = ClockGateModel("CLKGATE", 9, 0.040, 0.044, 0.002)


_HEADER = """\
/* generic45: a model of a 45-nm class process, not a foundry's.
 *
 * All figures follow from one table of round numbers by the method of logical effort. They are in plausible
 * proportion to each other and to static CMOS of that class; no transistor was simulated for them.
 * Areas are in gate equivalents: NAND2_X1 is 1.
 *
 * Part of aesmith, under the same licence (Apache-2.0). Written by aesmith.technology.generic45: do not edit.
 */
"""


def liberty_text() -> str:
    """The Liberty file as text; the same text each time."""
    lines = [*_library_head()]
    for gate in GATES:
        for drive in gate.drives:
            lines += _gate(gate, drive)
    for name, value in TIES:
        lines += _tie(name, value)
    for flip_flop in FLIP_FLOPS:
        for drive in flip_flop.drives:
            lines += _flip_flop(flip_flop, drive)
    for drive in CLOCK_GATE.drives:
        lines += _clock_gate(CLOCK_GATE, drive)
    return _HEADER + "\n".join(lines) + "\n}\n"


def _library_head() -> Iterator[str]:
    yield f"""\
library (generic45) {{
  comment : "a model of a 45-nm class process, not a foundry's";
  technology (cmos);
  delay_model : table_lookup;
  time_unit : "1ns";
  voltage_unit : "1V";
  current_unit : "1mA";
  pulling_resistance_unit : "1kohm";
  leakage_power_unit : "1nW";
  capacitive_load_unit (1, ff);
  nom_process : 1;
  nom_voltage : {VOLTAGE};
  nom_temperature : 25;
  operating_conditions (typical) {{
    process : 1;
    voltage : {VOLTAGE};
    temperature : 25;
    tree_type : balanced_tree;
  }}
  default_operating_conditions : typical;
  slew_lower_threshold_pct_rise : 20;
  slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80;
  slew_upper_threshold_pct_fall : 80;
  slew_derate_from_library : 1;
  input_threshold_pct_rise : 50;
  input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50;
  default_input_pin_cap : {C_INPUT};
  default_output_pin_cap : 0;
  default_inout_pin_cap : {C_INPUT};
  default_fanout_load : 1;
  default_max_transition : {SLEWS[-1]};
  default_cell_leakage_power : 0;
  default_leakage_power_density : 0;"""
    for drive in sorted({drive for gate in GATES for drive in gate.drives}):
        yield f"""\
  lu_table_template (delay_x{drive}) {{
    variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance;
    index_1 ("{_row(SLEWS)}");
    index_2 ("{_row(load * drive for load in LOADS)}");
  }}"""
    yield f"""\
  lu_table_template (constraint) {{
    variable_1 : related_pin_transition;
    variable_2 : constrained_pin_transition;
    index_1 ("{_row(CONSTRAINT_SLEWS)}");
    index_2 ("{_row(CONSTRAINT_SLEWS)}");
  }}
  power_lut_template (energy) {{
    variable_1 : input_transition_time;
    index_1 ("{_row(SLEWS)}");
  }}"""


def _gate(gate: GateModel, drive: int) -> Iterator[str]:
    function = parse_function(gate.function, gate.name)
    names = tuple(name for name, _ in gate.pins)
    sites = gate.sites + gate.sites_per_drive * (drive - 1)
    # The first stage of two grows half as fast as the second, and so takes longer to drive it.
    growth = (1 + drive) / 2 if gate.two_stages else drive
    first_stage = 2 * drive / (1 + drive) if gate.two_stages else 0.0
    energy = PARASITIC_ENERGY * (gate.parasitic + first_stage) * drive
    yield from _cell_head(f"{gate.name}_X{drive}", sites)
    yield from _leakage(function, names, sites)
    for name, capacitance in gate.pins:
        yield from _input(name, capacitance * growth, _energy_group(IDLE_ENERGY * energy, IDLE_ENERGY * drive))
    yield from _output_head(function.text, drive)
    for position, name in enumerate(names):
        parasitic = gate.parasitic * (1 + STACK_DELAY * position) + first_stage
        sense = {1: "positive_unate", -1: "negative_unate"}.get(function.sense(name), "non_unate")
        yield from (
            "      timing () {",
            f"        related_pin : {name};",
            f"        timing_sense : {sense};",
            *_delay_tables(parasitic, gate.rise, gate.fall, drive),
            "      }",
        )
    for name in names:
        yield from _energy_group(energy, drive, related=name)
    yield from ("    }", "  }")


def _tie(name: str, value: str) -> Iterator[str]:
    yield from _cell_head(f"{name}_X1", TIE_SITES)
    yield f"    cell_leakage_power : {_number(LEAKAGE_PER_SITE * TIE_SITES)};"
    yield from _output_head(value, 1)
    yield from ("    }", "  }")


def _flip_flop(cell: FlipFlopModel, drive: int) -> Iterator[str]:
    sites = cell.sites + cell.sites_per_drive * (drive - 1)
    yield from _cell_head(f"{cell.name}_X{drive}", sites)
    yield '    ff ("IQ", "IQN") {'
    yield '      clocked_on : "CK";'
    yield '      next_state : "D";'
    if cell.reset:
        yield '      clear : "!RN";'
    yield "    }"
    yield f"    cell_leakage_power : {_number(LEAKAGE_PER_SITE * sites)};"
    for when, part in (("!D & !Q", 0.9), ("!D & Q", 1.1), ("D & !Q", 1.05), ("D & Q", 0.95)):
        yield from _leakage_state(when, LEAKAGE_PER_SITE * sites * part)
    setup = (_setup(cell.setup_rise), _setup(cell.setup_fall))
    hold = (_hold(cell.hold), _hold(cell.hold))
    yield from _input(
        "D",
        cell.data_pin,
        (
            *_constraint("setup_rising", *setup),
            *_constraint("hold_rising", *hold),
            *_energy_group(cell.data_energy, IDLE_ENERGY),
        ),
    )
    yield from _input("CK", cell.clock_pin, _energy_group(cell.clock_energy, IDLE_ENERGY), clock=True)
    if cell.reset:
        recovery = (_setup(cell.setup_rise), "")
        removal = (_hold(cell.hold), "")
        yield from _input(
            "RN",
            cell.reset_pin,
            (
                *_constraint("recovery_rising", *recovery),
                *_constraint("removal_rising", *removal),
                *_energy_group(IDLE_ENERGY * cell.output_energy, IDLE_ENERGY),
            ),
        )
    parasitic = cell.parasitic + 2 * drive / (1 + drive)
    yield from _output_head("IQ", drive)
    yield from (
        "      timing () {",
        "        related_pin : CK;",
        "        timing_type : rising_edge;",
        "        timing_sense : non_unate;",
        *_delay_tables(parasitic, 1.1, 0.9, drive, 1 / parasitic),
        "      }",
    )
    if cell.reset:
        yield from (
            "      timing () {",
            "        related_pin : RN;",
            "        timing_type : clear;",
            "        timing_sense : positive_unate;",
            *_delay_tables(parasitic, 1.1, 0.9, drive, 1 / parasitic)[1::2],
            "      }",
        )
    yield from _energy_group(cell.output_energy + PARASITIC_ENERGY * (drive - 1), IDLE_ENERGY, related="CK")
    yield from ("    }", "  }")


def _clock_gate(cell: ClockGateModel, drive: int) -> Iterator[str]:
    gate = next(gate for gate in GATES if gate.function == "A & B")
    sites = cell.latch_sites + gate.sites + gate.sites_per_drive * (drive - 1)
    first_stage = 2 * drive / (1 + drive)
    parasitic = gate.parasitic + first_stage
    energy = PARASITIC_ENERGY * parasitic * drive
    yield from _cell_head(f"{cell.name}_X{drive}", sites)
    yield "    clock_gating_integrated_cell : latch_posedge;"
    yield '    statetable ("CK E", "IQ") {'
    yield '      table : "L L : - : L, L H : - : H, H - : - : N";'
    yield "    }"
    yield f"    cell_leakage_power : {_number(LEAKAGE_PER_SITE * sites)};"
    for when, part in (("!CK & !E", 0.95), ("!CK & E", 1.05), ("CK & !E", 1.05), ("CK & E", 0.95)):
        yield from _leakage_state(when, LEAKAGE_PER_SITE * sites * part)
    yield from ("    pin (IQ) {", "      direction : internal;", '      internal_node : "IQ";', "    }")
    yield from _input(
        "CK",
        cell.clock_pin + dict(gate.pins)["B"] * (1 + drive) / 2,
        ("      clock_gate_clock_pin : true;", *_energy_group(cell.clock_energy, IDLE_ENERGY * drive)),
        clock=True,
    )
    yield from _input(
        "E",
        cell.data_pin,
        (
            "      clock_gate_enable_pin : true;",
            *_constraint("setup_rising", _setup(cell.setup_rise), _setup(cell.setup_fall)),
            *_constraint("hold_rising", _hold(cell.hold), _hold(cell.hold)),
            *_energy_group(cell.data_energy, IDLE_ENERGY),
        ),
    )
    yield from (
        "    pin (GCK) {",
        "      direction : output;",
        "      clock_gate_out_pin : true;",
        '      state_function : "CK & IQ";',
        "      capacitance : 0;",
        f"      max_capacitance : {_number(LOADS[-1] * drive)};",
        "      timing () {",
        "        related_pin : CK;",
        "        timing_sense : positive_unate;",
        *_delay_tables(gate.parasitic * (1 + STACK_DELAY) + first_stage, gate.rise, gate.fall, drive),
        "      }",
        *_energy_group(energy, drive, related="CK"),
        "    }",
        "  }",
    )


def _cell_head(name: str, sites: int) -> tuple[str, ...]:
    return f"  cell ({name}) {{", f"    area : {_number(sites / SITES_PER_GE)};"


def _input(name: str, capacitance: float, groups: Iterable[str], clock: bool = False) -> Iterator[str]:
    yield f"    pin ({name}) {{"
    yield "      direction : input;"
    if clock:
        yield "      clock : true;"
    yield f"      capacitance : {_number(capacitance * C_INPUT)};"
    yield from groups
    yield "    }"


def _output_head(function: str, drive: int) -> tuple[str, ...]:
    return (
        "    pin (Q) {" if function == "IQ" else "    pin (Z) {",
        "      direction : output;",
        f'      function : "{function}";',
        "      capacitance : 0;",
        f"      max_capacitance : {_number(LOADS[-1] * drive)};",
    )


def _leakage(function: BooleanFunction, names: tuple[str, ...], sites: int) -> Iterator[str]:
    """A path that one transistor alone blocks leaks most: the more inputs would each flip the output, the more."""
    cases = range(1 << len(names))
    table = function.truth_table(names)
    flips = [sum((table >> case ^ table >> (case ^ 1 << k)) & 1 for k in range(len(names))) for case in cases]
    figures = [LEAKAGE_PER_SITE * sites * (0.5 + flip / len(names)) for flip in flips]
    yield f"    cell_leakage_power : {_number(sum(figures) / len(figures))};"
    for case in cases:
        when = " & ".join(name if case >> k & 1 else f"!{name}" for k, name in enumerate(names))
        yield from _leakage_state(when, figures[case])


def _leakage_state(when: str, figure: float) -> tuple[str, ...]:
    return "    leakage_power () {", f'      when : "{when}";', f"      value : {_number(figure)};", "    }"


def _delay_tables(
    parasitic: float, rise: float, fall: float, drive: int, parasitic_in_slew: float = 0.5
) -> tuple[str, ...]:
    """cell_rise, cell_fall, rise_transition, fall_transition."""
    efforts = {
        edge: tuple(resistance * load / C_INPUT for load in LOADS)
        for edge, resistance in (("rise", rise), ("fall", fall))
    }
    template = f"delay_x{drive}"
    delays = (
        _table(
            f"cell_{edge}",
            template,
            ((TAU * (parasitic + effort) + SLEW_TO_DELAY * slew for effort in values) for slew in SLEWS),
        )
        for edge, values in efforts.items()
    )
    transitions = (
        _table(
            f"{edge}_transition",
            template,
            (
                (SHAPE * TAU * (parasitic_in_slew * parasitic + effort) + SLEW_TO_SLEW * slew for effort in values)
                for slew in SLEWS
            ),
        )
        for edge, values in efforts.items()
    )
    return (*delays, *transitions)


def _constraint(kind: str, rise: str, fall: str) -> Iterator[str]:
    yield from ("      timing () {", "        related_pin : CK;", f"        timing_type : {kind};")
    for edge, values in (("rise", rise), ("fall", fall)):
        if values:
            yield values.replace("EDGE", edge)
    yield "      }"


def _setup(limit: float) -> str:
    return _table(
        "EDGE_constraint",
        "constraint",
        ((limit + 0.3 * data - 0.2 * clock for data in CONSTRAINT_SLEWS) for clock in CONSTRAINT_SLEWS),
    )


def _hold(limit: float) -> str:
    return _table(
        "EDGE_constraint",
        "constraint",
        ((limit - 0.1 * data + 0.3 * clock for data in CONSTRAINT_SLEWS) for clock in CONSTRAINT_SLEWS),
    )


def _energy_group(energy: float, drive: float, related: str | None = None) -> Iterator[str]:
    yield "      internal_power () {"
    if related:
        yield f"        related_pin : {related};"
    values = _row(energy + CROWBAR_ENERGY * drive * slew for slew in SLEWS)
    for edge in ("rise_power", "fall_power"):
        yield f'        {edge} (energy) {{ values ("{values}"); }}'
    yield "      }"


def _table(name: str, template: str, rows: Iterable[Iterable[float]]) -> str:
    body = ", \\\n".join(f'          "{_row(row)}"' for row in rows)
    return f"        {name} ({template}) {{ values ( \\\n{body}); }}"


def _row(values: Iterable[float]) -> str:
    return ", ".join(_number(value) for value in values)


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(liberty_text())

"""Tables on the slides of Ueno et al. (CHES 2016): inverters of GF(2^8), and round-based cores for both directions."""

from __future__ import annotations

from aesmith.circuits.circuit import Circuit
from aesmith.cores.design import Direction
from aesmith.cores.round_based.publications import TABLE_2016, UENO2016
from aesmith.fields.aes import FIELD
from aesmith.flow.measurement import Optimise
from aesmith.publications import Correction
from aesmith.sboxes.entry import Function
from aesmith.sboxes.table import lookup
from aesmith.tables.designs import alone, catalogue, core
from aesmith.tables.figures import grouped, measured, power_at, power_figures, product, quotient
from aesmith.tables.model import DESIGN, Figure, Row, Table, TableFindings, Value


def _table_inverter() -> Circuit:
    return lookup("table_inverter", [FIELD.inverse(x) for x in range(256)], 8)


_POWER = power_at(lambda _findings, _row: 10.0, 1.0)
_AREA, _DELAY = measured("area_ge"), measured("input_to_output_ns")

_COLUMNS = ("area", "delay", "power", "area_delay", "power_delay")
"""Columns as printed: GE, ns, µW at 10 MHz, GE·ns, µW·ns."""

_PRINTED = {
    "table": (1209.50, 0.66, 86.9, 798.27, 57.35),
    "satoh2001": (212.25, 2.53, 35.0, 536.99, 88.55),
    "canright2005": (175.97, 2.49, 35.6, 438.17, 88.64),
    "nekado2012": (205.81, 1.62, 33.1, 333.41, 53.62),
    "ueno2015": (170.00, 1.42, 19.3, 243.10, 27.60),
}
_LABELS = {
    "table": "Table look-up",
    "satoh2001": "Satoh et al. (2001)",
    "canright2005": "Canright (2005)",
    "nekado2012": "Nekado et al. (2012)",
    "ueno2015": "Ueno et al. (2015)",
    "ueno2015-fast": "Ueno et al. (2015), shallower second stage",
}
_NOTES = {
    "nekado2012": "derived from the structure the publication is known for; its own netlist is not known",
    "ueno2015": "reconstructed; eight bits in, ten bits out",
}
_CORRECTIONS = {"ueno2015": (Correction("delay", 1.42, 1.43, "both products, 243.10 / 170.00 and 27.60 / 19.3"),)}


def _row(name: str) -> Row:
    circuit = _table_inverter if name == "table" else catalogue(name, Function.INVERTER)
    return Row(
        name,
        _LABELS[name],
        dict(zip(_COLUMNS, _PRINTED[name], strict=True)) if name in _PRINTED else {},
        {DESIGN: alone(f"{name.replace('-', '_')}_inverter", circuit)},
        corrections=_CORRECTIONS.get(name, ()),
        note=_NOTES.get(name, ""),
    )


_CORE_LABELS = {"ueno2016-encdec": "This work (2016)", "ueno2020-encdec": "Next version (2020)"}
CONVENTIONAL = ("satoh2001-encdec", "lutz2002-encdec", "liu2009-encdec", "mathew2011-encdec")
_LATENCY = measured("latency_ns")
_MILLIWATTS = power_at(lambda _findings, _row: 10.0, 1e-3, direction=Direction.ENCRYPT)


def _throughput(findings: TableFindings, row: Row) -> Value:
    """Gbps of one block after another: the slides count no overlap, 128 bits in each latency."""
    return quotient(128.0, _LATENCY(findings, row))


def _efficiency(findings: TableFindings, row: Row) -> Value:
    return quotient(product(1e6, _throughput(findings, row)), _AREA(findings, row))


_CORE_FIGURES = (
    *grouped(
        "area and speed",
        Figure("area", "area (GE)", 0, _AREA, ratio=True, best="least"),
        Figure("latency", "latency (ns)", 2, _LATENCY, ratio=True, best="least"),
        Figure("fmax", "max. freq. (MHz)", 1, measured("fmax_mhz"), ratio=True),
    ),
    *grouped(
        "throughput and efficiency",
        Figure("throughput", "throughput without overlap (Gbps)", 2, _throughput),
        Figure("efficiency", "efficiency without overlap (Kbps/GE)", 1, _efficiency, ratio=True),
    ),
    *grouped(
        "power",
        Figure("power", "power at 10 MHz, enc. (mW)", 3, _MILLIWATTS, ratio=True, best="least", power=True),
        Figure(
            "power_latency",
            "power at 10 MHz × latency, enc. (pJ)",
            2,
            lambda findings, row: product(_MILLIWATTS(findings, row), _LATENCY(findings, row)),
            ratio=True,
            best="least",
            power=True,
        ),
    ),
)

TABLES = (
    Table(
        name="ueno2016-cores",
        title="AES-128 encryption and decryption, area optimisation",
        publication=UENO2016,
        source="slides, “Performance evaluation” and “Power consumption estimation”",
        conditions="Design Compiler, area optimisations; cells not named, TSMC 65 nm for the inverters; power by "
        "gate-level timing simulation at 10 MHz",
        figures=_CORE_FIGURES,
        rows=tuple(
            Row(
                preset,
                _CORE_LABELS.get(preset) or TABLE_2016[preset].label,
                TABLE_2016[preset].printed if preset in TABLE_2016 else {},
                {DESIGN: core(preset)},
            )
            for preset in (*TABLE_2016, "ueno2020-encdec")
        ),
        base=CONVENTIONAL,
        base_by="efficiency",
        optimise=(Optimise.AREA,),
        notes=(
            "ratios are to the best conventional design by efficiency; the slides print +53 %, their own figures give "
            "+49 % over Satoh et al.'s core, and nothing in the table gives the “44–72 %” of their conclusion",
            "−20 % of power and −45 % of power × latency on the slides are to Lutz et al.'s core",
        ),
    ),
    Table(
        name="ueno-inverters",
        title="inverters of GF(2^8), combinational",
        publication=UENO2016,
        source="slides, “Inversion circuits”",
        conditions="TSMC 65 nm standard cells; Design Compiler; power by gate-level timing simulation at 10 MHz",
        figures=(
            *grouped(
                "area and delay",
                Figure("area", "area (GE)", 1, _AREA, ratio=True, best="least"),
                Figure("delay", "delay (ns)", 2, _DELAY, ratio=True, best="least"),
                Figure(
                    "area_delay",
                    "area × delay (GE·ns)",
                    1,
                    lambda findings, row: product(_AREA(findings, row), _DELAY(findings, row)),
                    ratio=True,
                    best="least",
                ),
            ),
            *grouped(
                "power",
                Figure("power", "power at 10 MHz (µW)", 1, _POWER, ratio=True, best="least", power=True),
                Figure(
                    "power_delay",
                    "power at 10 MHz × delay (fJ)",
                    1,
                    lambda findings, row: product(_POWER(findings, row), _DELAY(findings, row)),
                    ratio=True,
                    best="least",
                    power=True,
                ),
            ),
            *power_figures(None, suffix="_100", digits=1, ratio=False),
        ),
        rows=tuple(_row(name) for name in _LABELS),
        base=("canright2005",),
        base_by="area",
        optimise=(Optimise.AREA,),
        notes=("changes of basis are not part of the inverters",),
    ),
)

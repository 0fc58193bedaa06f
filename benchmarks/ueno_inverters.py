"""The inverters in GF(2^8) that Ueno et al. compare (CHES 2016, slides): published and measured, with ratios.

    python benchmarks/ueno_inverters.py --library NAME|FILE

Published are area and delay in a 65-nm library; measured are those of our circuits in the library given, smallest of
the area recipes, without wires. The absolute figures are of different technologies and tools: the ratios to the last
row are the result.
"""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table
from sbox_areas import smallest

from aesmith.fields import aes
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.sboxes.table import lookup
from aesmith.technology.registry import library_by

PUBLISHED = {
    "table": (1209.50, 0.66),
    "satoh2001": (212.25, 2.53),
    "canright2005": (175.97, 2.49),
    "nekado2012": (205.81, 1.62),
    "ueno2015": (170.00, 1.42),
}
"""GE and ns."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="inverters of Ueno et al., published and measured")
    parser.add_argument("--library", default="generic45", help="a registered library or a Liberty file")
    library = library_by(parser.parse_args().library)
    circuits = {"table": lookup("table", [aes.FIELD.inverse(x) for x in range(256)], 8)}
    circuits |= {name: sbox(name).circuit(Function.INVERTER) for name in PUBLISHED if name != "table"}
    measured = smallest(circuits, library)
    table = Table(title=f"Inverters in GF(2^8): published in 65 nm, measured on {library.name}")
    for heading in ("inverter", "GE", "ns", "ratio", "GE", "ns", "ratio", "recipe"):
        table.add_column(heading, justify="right" if heading not in {"inverter", "recipe"} else "left")
    published_best = _product(*PUBLISHED["ueno2015"])
    measured_best = _product(measured["ueno2015"].area, measured["ueno2015"].delay)
    for name, (area, delay) in PUBLISHED.items():
        ours = measured[name]
        row = [f"{area:.2f}", f"{delay:.2f}", f"{_product(area, delay) / published_best:.2f}"]
        row += [f"{ours.area:.1f}", f"{ours.delay:.2f}", f"{_product(ours.area, ours.delay) / measured_best:.2f}"]
        table.add_row(name, *row, ours.recipe)
    table.caption = "left: published; right: measured; ratio: area times delay, to ueno2015's"
    Console().print(table)


def _product(area: float, delay: float) -> float:
    return area * delay


if __name__ == "__main__":
    main()

"""Write the measured tables: a page a table in docs/tables.

    python benchmarks/reproduce_page.py --library NAME|FILE [--library ...] [--table NAME ...] [--power]
        [--optimise CONDITION | --front | --placed | --rewire] [--store FILE|URL]

A page has what `aesmith reproduce TABLE --markdown` prints, a section for every library: sections measured now are
replaced, the others stay, and so does one that has the same figures, and power besides. With `--power` tables that have
power get it. What the result store has is not measured again. `--optimise` measures under that condition, in sections
of their own; `--front` under the table's own and with the hierarchy kept, and makes a section and a drawing of the
fronts, too; `--placed` makes a section of the rows with their wires, and none without, and `--rewire` one of rows whose
best netlists are rewired. Several tables in several libraries are one run: a section is written as soon as it is whole,
with what it took of wall clock and of all processors said, and a run that was interrupted goes on from the store. Each
section says, unseen, what it was measured of (`measured_inputs.py`). Figures that prose quotes from the tables follow
(`quoted_figures.py`), and so do the ratios (`ratio_page.py`).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import quoted_figures
import ratio_page
from measured_inputs import inputs
from measured_pages import PAGES, Section, measured_sections, sections, write

from aesmith.explore.store import open_store
from aesmith.flow.measurement import Optimise
from aesmith.tables.catalogue import TABLES
from aesmith.tables.render import markdown
from aesmith.tables.reproduce import conditions_of_fronts, reproduce
from aesmith.tables.ways import front_drawing, front_markdown, placed_markdown, rewired_markdown
from aesmith.technology.registry import library_by


def _known_with_power(new: Section) -> bool:
    """Whether the page has these figures already, and power that was not measured now."""
    old = next((section for section in measured_sections() if section.label == new.label), None)
    if old is None or new.power or not old.power or old.rows.keys() != new.rows.keys():
        return False
    return all(cells.items() <= old.rows[row].items() for row, cells in new.rows.items())


def main(arguments: list[str]) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--table", action="append", choices=TABLES, help="only these tables [default: all]")
    parser.add_argument("--power", action="store_true", help="also power, where the table has it")
    parser.add_argument("--optimise", type=Optimise, choices=Optimise, help="a condition that is not the table's own")
    parser.add_argument("--front", action="store_true", help="also with the hierarchy kept, and fronts over both")
    parser.add_argument("--placed", action="store_true", help="the rows with their wires")
    parser.add_argument("--rewire", action="store_true", help="the rows with their best netlists rewired")
    parser.add_argument("--store", help="the result store [default: the user's]")
    options = parser.parse_args(arguments)
    for way, made in (("placed", "placed"), ("rewire", "rewired")):
        others = [options.placed, options.rewire, options.front, options.optimise, options.power]
        if getattr(options, way) and sum(map(bool, others)) > 1:
            parser.error(
                f"--{way}: rows are {made} under the table's own condition, without --front, --optimise or --power, "
                "and not both placed and rewired"
            )
    shown = placed_markdown if options.placed else rewired_markdown if options.rewire else markdown
    libraries = [library_by(name) for name in options.library]
    with open_store(options.store) as store, tempfile.TemporaryDirectory() as work:
        for table in [TABLES[name] for name in options.table or TABLES]:
            for library in libraries:
                began, spent = time.monotonic(), sum(os.times()[:4])
                print(f"{table.name} in {library.name}", flush=True)
                power = options.power and any(figure.power for figure in table.figures)
                place = Path(work) / table.name / library.name
                conditions = conditions_of_fronts(table) if options.front else (options.optimise,)
                ways = [
                    reproduce(
                        table,
                        library,
                        place,
                        store,
                        optimise=condition,
                        power=power,
                        placed=options.placed,
                        rewire=options.rewire,
                    )
                    for condition in conditions
                ]
                made = "\n".join(map(shown, ways))
                if options.front:
                    drawing = PAGES / f"{table.name}-front-{library.name}.svg"
                    drawing.write_text(front_drawing(ways), encoding="utf-8")
                    made += f"\n{front_markdown(ways)}\n![Area and latency of all netlists tried]({drawing.name})\n"
                new = [section for section in sections(made) if not _known_with_power(section)]
                seconds = f"{time.monotonic() - began:.0f} s, {sum(os.times()[:4]) - spent:.0f} s of processors"
                read = sum(found.from_store for found in ways)
                print(f"    {seconds}; {read} of {sum(found.measured for found in ways)} from the store", flush=True)
                write([section.stamped(inputs(section, Path(library.path))) for section in new])
    ratio_page.write()
    quoted_figures.main(["--write"])


if __name__ == "__main__":
    main(sys.argv[1:])

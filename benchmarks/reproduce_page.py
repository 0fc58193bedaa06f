"""Write the measured tables of docs/reproduce.md.

    python benchmarks/reproduce_page.py --library NAME|FILE [--library ...] [--table NAME ...] [--power]
        [--optimise CONDITION] [--store FILE|URL]

After the marker in the page stands what `aesmith reproduce TABLE --markdown` prints, for every table in every library:
sections measured now are replaced, the others stay. With `--power` tables that have power get it. What the result
store has is not measured again. `--optimise` measures under that condition, in sections of their own. Figures that
prose quotes from the tables follow (`scripts/quoted_figures.py`).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from aesmith.explore.store import open_store
from aesmith.flow.measurement import Optimise
from aesmith.tables.catalogue import TABLES
from aesmith.tables.render import markdown
from aesmith.tables.reproduce import reproduce
from aesmith.technology.registry import library_by

PAGE = Path(__file__).parents[1] / "docs" / "reproduce.md"
QUOTED = Path(__file__).parents[1] / "scripts" / "quoted_figures.py"
MARKER = "<!-- From here on: python benchmarks/reproduce_page.py -->"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--table", action="append", choices=TABLES, help="only these tables [default: all]")
    parser.add_argument("--power", action="store_true", help="also power, where the table has it")
    parser.add_argument("--optimise", type=Optimise, choices=Optimise, help="a condition that is not the table's own")
    parser.add_argument("--store", help="the result store [default: the user's]")
    arguments = parser.parse_args()
    libraries = [library_by(name) for name in arguments.library]
    introduction, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKER)
    sections = dict(_keyed(section) for section in re.split(r"(?m)^(?=## )", rest) if section.startswith("## "))
    with open_store(arguments.store) as store, tempfile.TemporaryDirectory() as work:
        for table in [TABLES[name] for name in arguments.table or TABLES]:
            for library in libraries:
                print(f"{table.name} in {library.name}", flush=True)
                power = arguments.power and any(figure.power for figure in table.figures)
                place = Path(work) / table.name / library.name
                found = reproduce(table, library, place, store, optimise=arguments.optimise, power=power)
                sections |= [_keyed(markdown(found))]
    order = list(TABLES)
    ordered = sorted(sections, key=lambda key: (order.index(key[0]), *key[1:]))
    text = "\n".join(sections[key].rstrip("\n") + "\n" for key in ordered)
    PAGE.write_text(f"{introduction}{MARKER}\n\n{text}", encoding="utf-8")
    subprocess.run([sys.executable, QUOTED, "--write"], check=True)


def _keyed(section: str) -> tuple[tuple[str, str, str], str]:
    """A section under its table, the condition that is not the table's own, and the library it was measured in."""
    what, _, where = section.partition("\n")[0].removeprefix("## ").rpartition("; ")
    return (what.partition(":")[0], what.rpartition(", under ")[2] if ", under " in what else "", where), section


if __name__ == "__main__":
    main()

"""Write the measured tables of docs/reproduce.md.

    python benchmarks/reproduce_page.py --library NAME|FILE [--library ...] [--table NAME ...] [--store FILE|URL]

Everything after the marker in the page is replaced by what `aesmith reproduce TABLE --markdown` prints, for every table
in every library. What the result store has is not measured again.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from aesmith.explore.store import open_store
from aesmith.tables.catalogue import TABLES, table_by_name
from aesmith.tables.render import markdown
from aesmith.tables.reproduce import reproduce
from aesmith.technology.registry import library_by

PAGE = Path(__file__).parents[1] / "docs" / "reproduce.md"
MARKER = "<!-- From here on: python benchmarks/reproduce_page.py -->"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--table", action="append", help="only these tables [default: all]")
    parser.add_argument("--store", help="the result store [default: the user's]")
    arguments = parser.parse_args()
    libraries = [library_by(name) for name in arguments.library]
    sections = []
    with open_store(arguments.store) as store, tempfile.TemporaryDirectory() as work:
        for table in [table_by_name(name) for name in arguments.table or TABLES]:
            for library in libraries:
                print(f"{table.name} in {library.name}", flush=True)
                sections.append(markdown(reproduce(table, library, Path(work) / table.name / library.name, store)))
    introduction, _, _ = PAGE.read_text(encoding="utf-8").partition(MARKER)
    PAGE.write_text(f"{introduction}{MARKER}\n\n" + "\n".join(sections), encoding="utf-8")


if __name__ == "__main__":
    main()

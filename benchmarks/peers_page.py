"""Write the tables of docs/evidence/public-cores.md: what `aesmith reproduce peers` prints, between the page's marks.

    python benchmarks/peers_page.py --clones DIR [--check] [any option of `aesmith reproduce`]

With `--check` the page is compared, not written; the exit status is 1 if it says anything else. A peer that is refused
is told, and the page is left as it is. Recipes are those of benchmarks/peers, and of the folders that `--recipes` names
beside: the page states repository and commit of each core of these.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "benchmarks" / "peers"
PAGE = ROOT / "docs" / "evidence" / "public-cores.md"
MARKS = ("<!-- begin: benchmarks/peers_page.py -->", "<!-- end -->")


def main(arguments: list[str]) -> None:
    """Reproduce, then write or compare."""
    check = "--check" in arguments
    options = [word for word in arguments if word != "--check"]
    command = [sys.executable, "-m", "aesmith", "reproduce", "peers", "--recipes", str(PEERS), "--markdown", *options]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode:
        sys.exit(ended.returncode)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    made = "\n\n".join((MARKS[0], ended.stdout.strip(), MARKS[1]))
    page = f"{before}{made}{rest.partition(MARKS[1])[2]}"
    if check and page != PAGE.read_text(encoding="utf-8"):
        sys.exit(f"peers: {PAGE} has other tables than these:\n\n{ended.stdout}")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

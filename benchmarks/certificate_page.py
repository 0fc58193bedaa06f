"""The table of docs/evidence/certificate.md, of what the proofs and checks of presets printed.

    python benchmarks/prove_cores.py --jobs 1 --check-certificates | tee LOG
    python benchmarks/certificate_page.py LOG --commit REVISION

LOG may be of some presets: their rows are replaced, the others stay, each of the commit that it says. Unseen, the table
has a digest of what each preset was: of its SystemVerilog without comments, and of its schedule (`measured_inputs.py`).
Without a log, prints the presets that are other cores now, or have no row; the exit status is 1 if there are any. A log
with a core that was not proved, or a certificate that was not accepted, is refused.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from measured_inputs import digest_of
from measured_pages import ROOT

from aesmith.cores.specification import build_design, default_name, load_specification, presets

PAGE = ROOT / "docs" / "evidence" / "certificate.md"
_BLOCK = re.compile(r"<!-- certificates of: (.*) -->\n.*?<!-- end of certificates -->\n", re.DOTALL)
_LINE = re.compile(
    r"(?P<preset>[\w-]+): proved, \d+ s, of which (?P<proof>\d+) s of one processor, \d+ MB; "
    r"certificate accepted, (?P<states>[\d,]+) states, (?P<clocks>[\d,]+) clocks, (?P<size>[\d.]+) MB, "
    r"in (?P<check>\d+) s of one processor: .*"
)
_ROW = re.compile(r"\| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \| ([\d,]+) \| ([\d,]+) \|")


class Checked(NamedTuple):
    """A preset whose certificate was accepted: sizes as printed, seconds of one processor, commit, and digest."""

    states: str
    clocks: str
    megabytes: str
    proof: int
    check: int
    commit: str
    digest: str


def read_log(log: str, commit: str, digests: Mapping[str, str]) -> dict[str, Checked]:
    """The presets of a log. Raises ValueError for a line that does not say that all of it holds."""
    found = {}
    for line in log.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"not proved and accepted: {line}")
        of = match["preset"]
        sizes = match["states"], match["clocks"], match["size"]
        found[of] = Checked(*sizes, int(match["proof"]), int(match["check"]), commit, digests[of])
    return found


def read_page(page: str) -> dict[str, Checked]:
    """The presets of the page's table."""
    block = _BLOCK.search(page)
    if block is None:
        raise ValueError("the page has no place for the table")
    stamps = dict(entry.split(" ", 1) for entry in block[1].split("; "))
    found = {}
    for preset, states, clocks, size, proof, check in _ROW.findall(block[0]):
        commit, digest = stamps[preset].split(" ")
        seconds = (int(figure.replace(",", "")) for figure in (proof, check))
        found[preset] = Checked(states, clocks, size, *seconds, commit, digest)
    return found


def block(rows: Mapping[str, Checked], every: Sequence[str]) -> str:
    """The table and what is said of all of it; `every` names the presets there are, in their order."""
    known = {preset: rows[preset] for preset in every if preset in rows}
    commits = dict.fromkeys(row.commit for row in known.values())
    of = {commit: sum(row.commit == commit for row in known.values()) for commit in commits}
    at = (
        f"at commit {next(iter(of))}"
        if len(of) == 1
        else "at the commits " + ", ".join(f"`{commit}\N{NO-BREAK SPACE}({count})`" for commit, count in of.items())
    )
    absent = [f"`{preset}`" for preset in every if preset not in rows]
    who = f"All {len(every)} presets" if not absent else f"{len(known)} of the {len(every)} presets"
    proofs, checks = (sum(getattr(row, what) for row in known.values()) for what in ("proof", "check"))
    stamp = "; ".join(f"{preset} {row.commit} {row.digest}" for preset, row in known.items())
    said = (
        f"{who} were proved {at}, and their certificates accepted. The tools were Python 3.11 and Yosys of "
        f"`requirements.txt`. This took {proofs:,} s of one processor for the proofs and {checks:,} s for the checks."
        + " Prover and checker may have changed between these commits." * (len(of) > 1)
        + (f" Not in this table: {', '.join(absent)}." if absent else "")
    )
    lines = [
        f"<!-- certificates of: {stamp} -->",
        *wrap(said, 120, break_on_hyphens=False, break_long_words=False),
        "",
        "| core | states | clocks | certificate, MB | proof, s | check, s |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| `{preset}` | {row.states} | {row.clocks} | {row.megabytes} | {row.proof:,} | {row.check:,} |"
            for preset, row in known.items()
        ),
        "<!-- end of certificates -->",
    ]
    return "\n".join(lines) + "\n"


def digest(preset: str) -> str:
    """What a preset is now."""
    return digest_of(build_design(load_specification(preset), default_name(preset), preset))


def main(arguments: list[str]) -> int:
    """Write the table, or print what is no longer what was checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", nargs="?", type=Path, help="what prove_cores.py --check-certificates printed")
    parser.add_argument("--commit", help="what it was run at")
    options = parser.parse_args(arguments)
    page = PAGE.read_text(encoding="utf-8")
    rows = read_page(page)
    if options.log is None:
        others = [preset for preset in presets() if preset not in rows or rows[preset].digest != digest(preset)]
        print(*others, sep="\n")
        return int(bool(others))
    if options.commit is None:
        parser.error("--commit: say what the log is of")
    try:
        rows |= read_log(options.log.read_text(encoding="utf-8"), options.commit, _Digests())
    except ValueError as error:
        parser.error(str(error))
    PAGE.write_text(_BLOCK.sub(lambda _: block(rows, tuple(presets())), page), encoding="utf-8")
    return 0


class _Digests(dict[str, str]):
    """Digests of presets, made when they are asked for."""

    def __missing__(self, preset: str) -> str:
        return digest(preset)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

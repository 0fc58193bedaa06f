"""No two RTL files say the same thing twice: what one parameter would merge is one module.

The port list of a module and the connections of its instances are left out: a shell repeats those of what it wraps.
"""

import re
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

import aesmith

RTL = Path(aesmith.__file__).parent / "rtl"
FEWEST_LINES = 12

_COMMENT = re.compile(r"//[^\n]*")
_PORTS = re.compile(r"\bmodule\b.*?\);\n", re.DOTALL)
_CONNECTION = re.compile(r"\.\w+\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?,?")
_THIN = {"", "begin", "end", "endmodule", ");"}


def statements(source: str) -> list[str]:
    """The lines of a module's body, white space folded."""
    body = _CONNECTION.sub("", _PORTS.sub("", _COMMENT.sub("", source)))
    lines = (" ".join(line.split()) for line in body.splitlines())
    return [line for line in lines if line not in _THIN]


def longest_repetition(one: str, other: str) -> int:
    """How many lines in a row stand in both."""
    first, second = statements(one), statements(other)
    return SequenceMatcher(None, first, second, autojunk=False).find_longest_match().size


def test_no_two_files_share_twelve_lines() -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in sorted(RTL.rglob("*.sv"))}
    assert len(sources) > 60
    shared = {pair: longest_repetition(sources[pair[0]], sources[pair[1]]) for pair in combinations(sources, 2)}
    assert {pair: lines for pair, lines in shared.items() if lines >= FEWEST_LINES} == {}


def test_a_body_that_stands_twice_is_found_under_other_ports() -> None:
    source = (RTL / "round_based" / "aesmith_round_sequencer.sv").read_text(encoding="utf-8")
    ports = _PORTS.search(source)
    assert ports is not None
    copied = source.replace(ports[0], "module another (\n  input logic clk_i\n);\n").replace("u_", "u_other_")
    assert longest_repetition(source, copied) >= FEWEST_LINES

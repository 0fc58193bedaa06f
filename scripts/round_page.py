"""Writes docs/round.html: the rounds of a core, operation by operation, with the values of a simulation of its sources.

    python scripts/round_page.py docs/round.html

Key and block are those of the waveforms in datasheets, which are those of FIPS-197, appendix C.1.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from textwrap import dedent

import aesmith
from aesmith.cores.design import CoreDesign
from aesmith.fields.aes import SBOX, round_constant
from aesmith.publish.trace import trace_core
from aesmith.scratch import work_folder

CORE = "boyar2010-enc"
TEMPLATE = Path(__file__).parent / "site" / "round.html"
WIRES = ("substituted", "shifted", "mixed")
STATE, KEY = "u_core.state_q", "u_core.u_key_registers.round_key_q"
PATHS = {
    "substituted": "u_core.u_data_path.u_operations.substituted",
    "shifted": "u_core.u_data_path.shifted",
    "mixed": "u_core.u_data_path.mixed",
}
LINES = {
    "substituted": ("encryption_operations", "substituted", r"    \S+_sbox u_sbox \(.*?\);"),
    "shifted": ("shift_rows", "state_o", r"      assign state_o\[4\*column\+row\] = [^\n]*"),
    "mixed": ("encryption_operations", "mixed_o", r"    \S+_mix_columns u_mix_columns \(.*?\);"),
    "start": ("data_path", "next_o", r"  assign result_o = .*?;\n  assign next_o = .*?;"),
    "key": ("key_schedule", "key_o", r"  assign key_o\[KeyWords-1-:4\] = [^\n]*"),
    "end": ("data_path", "next_o", r"  assign result_o = .*?;\n  assign next_o = .*?;"),
}
"""For what comes of each operation: module, signal, and the lines of the source."""


def simulated(design: CoreDesign) -> list[dict[str, object]]:
    """The rounds of the first block: bytes in hexadecimal, byte 0 of FIPS-197 first; the last round has no `mixed`.

    Round 0 has the block and the cipher key.
    """
    with work_folder() as folder:
        trace = trace_core(design, folder / "round", WIRES)
    begin, rounds = trace.transfers("block")[0] + 1, design.latency_cycles - 1

    def at(name: str, clock: int) -> str:
        value = trace.registers[name][clock]
        assert value is not None
        return value.to_bytes(16, "little").hex()

    offered = (trace.at(f"{name}_i", trace.transfers(name)[0]) for name in ("block", "key"))
    block, key = (value.to_bytes(16, "big").hex() for value in offered if value is not None)
    start = at(STATE, begin)
    found: list[dict[str, object]] = [{"round": 0, "block": block, "key": key, "start": start, "end": start}]
    for number in range(1, rounds + 1):
        clock, last = begin + number - 1, number == rounds
        result = trace.at("block_o", clock)
        assert result is not None
        values = {name: at(path, clock) for name, path in PATHS.items()}
        end = result.to_bytes(16, "big").hex() if last else at(STATE, clock + 1)
        constant = f"{round_constant(number):02x}"
        made = {"round": number, "start": at(STATE, clock), "key": at(KEY, clock), "constant": constant, "end": end}
        found.append({**made, **values})
    found[-1]["mixed"] = None
    return found


def where(design: CoreDesign) -> dict[str, dict[str, str]]:
    """The module, signal and lines of the source that each operation is in."""
    found = {}
    for name, (module, signal, pattern) in LINES.items():
        text = next(source.text for source in design.sources if source.name == f"{design.name}_{module}.sv")
        line = re.search(pattern, text, flags=re.DOTALL)
        assert line is not None, (name, pattern)
        found[name] = {"module": f"{design.name}_{module}", "signal": signal, "line": dedent(line[0])}
    return found


def page() -> str:
    """The whole page."""
    design = aesmith.core(CORE).design
    data = {"core": CORE, "sbox": bytes(SBOX).hex(), "rounds": simulated(design), "where": where(design)}
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in (("back", "teaching.html"), ("data", json.dumps(data, separators=(",", ":")))):
        text = text.replace("{{" + name + "}}", value)
    return text


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")

"""Print the area of the masked S-boxes, as docs/masking.md has it.

    python benchmarks/masked_sboxes.py --library NAME|FILE [--order D ...]

The S-box of each latency and order is mapped by one recipe, `keep`, registers included; nothing makes its fresh bits.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import SourceFile
from aesmith.cores.leaf import LeafDesign, circuit_ports
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.masking.sbox import CLOCKS, masked_sbox
from aesmith.technology.registry import library_by


def main() -> None:
    """Map each and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--order", type=int, action="append", help="orders of protection [default: 1 and 2]")
    options = parser.parse_args()
    library = library_by(options.library)
    print(f"{library.name}, {library.corner}; recipe {KEEP.name}\n")
    print("| clocks | order | fresh bits | flip-flops | GE |\n|---:|---:|---:|---:|---:|")
    for clocks in sorted(CLOCKS, reverse=True):
        for order in options.order or (1, 2):
            masked = masked_sbox(order, clocks)
            name = masked.staged.circuit.name
            sources = (SourceFile(f"{name}.sv", staged_systemverilog(masked.staged, name, name)),)
            ports = circuit_ports(masked.staged.circuit, "clk_i")
            design = LeafDesign(name, sources, ports, 8, masked.latency + 1)
            with tempfile.TemporaryDirectory() as folder:
                mapped = synthesise(design, library, KEEP, None, Path(folder))
            cells = f"{masked.fresh_bits} | {mapped.flip_flops} | {mapped.area_ge:,.0f}"
            print(f"| {clocks} | {order} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

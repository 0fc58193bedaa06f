"""Print the area of the masked S-boxes, as docs/masking.md and docs/evidence/masking.md have it.

    python benchmarks/masked_sboxes.py --library NAME|FILE [--order D ...] [--gate-by-gate]

The S-box of each latency and order is mapped by one recipe, `keep`, registers included; nothing makes its fresh bits.
With --gate-by-gate each S-box of the catalogue is, but for the table.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import SourceFile
from aesmith.cores.leaf import LeafDesign, circuit_ports
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.masking.gatewise import masked_circuit
from aesmith.masking.sbox import CLOCKS, masked_sbox
from aesmith.masking.sharing import MaskedCircuit
from aesmith.sboxes.catalogue import catalogue, sbox
from aesmith.sboxes.entry import Function
from aesmith.technology.registry import library_by


def by_products(orders: Sequence[int]) -> Iterator[tuple[str, MaskedCircuit]]:
    """S-boxes by products of fields."""
    for clocks in sorted(CLOCKS, reverse=True):
        yield from (("products of fields", masked_sbox(order, clocks)) for order in orders)


def gate_by_gate(orders: Sequence[int]) -> Iterator[tuple[str, MaskedCircuit]]:
    """S-boxes of the catalogue."""
    for name in catalogue():
        entry = sbox(name)
        if Function.FORWARD in entry.functions and name != "table":
            yield from ((f"`{name}`", masked_circuit(entry.circuit(Function.FORWARD), order)) for order in orders)


def main() -> None:
    """Map each and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--order", type=int, action="append", help="orders of protection [default: 1 and 2]")
    parser.add_argument("--gate-by-gate", action="store_true", help="S-boxes of the catalogue, each AND by itself")
    options = parser.parse_args()
    library, orders = library_by(options.library), options.order or (1, 2)
    print(f"{library.name}, {library.corner}; recipe {KEEP.name}\n")
    print("| S-box | clocks | order | fresh bits | flip-flops | GE |\n|---|---:|---:|---:|---:|---:|")
    for name, masked in gate_by_gate(orders) if options.gate_by_gate else by_products(orders):
        module = masked.staged.circuit.name.replace("-", "_")
        sources = (SourceFile(f"{module}.sv", staged_systemverilog(masked.staged, module, module)),)
        design = LeafDesign(module, sources, circuit_ports(masked.staged.circuit, "clk_i"), 8, masked.latency + 1)
        with tempfile.TemporaryDirectory() as folder:
            mapped = synthesise(design, library, KEEP, None, Path(folder))
        cells = f"{masked.fresh_bits} | {mapped.flip_flops} | {mapped.area_ge:,.0f}"
        print(f"| {name} | {masked.latency} | {masked.order} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

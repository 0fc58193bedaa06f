"""Print the area of generators of fresh bits, as docs/evidence/masked-cores.md has it.

    python benchmarks/generator_areas.py --library NAME|FILE [--bits N ...]

Each is mapped by itself by one recipe, `keep-modules`, registers included, held by clock gates.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import product
from pathlib import Path

from aesmith.cores.design import SourceFile
from aesmith.cores.leaf import LeafDesign
from aesmith.cores.masked.generator import MODULES, generator_ports
from aesmith.cores.sources import packaged_sources
from aesmith.cores.wrapper import wrapper
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.synthesis import synthesise
from aesmith.masking.generator import MOST_STEPS, FreshBits
from aesmith.technology.registry import library_by

USED = (600, 800, 150, 120, 30)
"""Bits a clock of cores with masked S-boxes: 20 of 30 and of 40, 5 of 30, 4 of 30, and one."""


def main() -> None:
    """Map each and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--bits", type=int, action="append", help=f"bits of a word [default: {USED}]")
    parser.add_argument("--steps", type=int, action="append", help="of each key stream, at most [default: 64, 300]")
    options = parser.parse_args()
    library, recipe = library_by(options.library), recipe_by_name("keep-modules")
    print(f"{library.name}, {library.corner}; recipe {recipe.name}\n")
    print("| bits a clock | kind | key streams | first word after | flip-flops | GE | GE a bit |")
    print("|---:|---|---|---:|---:|---:|---:|")
    for bits in options.bits or USED:
        for kind, most in product(("trivium", "bivium"), options.steps or (64, 300)):
            if most > MOST_STEPS >= bits:
                continue
            generator, name = FreshBits(kind, bits, most), f"{kind}_{bits}_{most}"
            parameters = generator.parameters(clock_gates=True)
            ports = generator_ports(bits)
            top = wrapper(name, name, ports, f"{name}_{MODULES[-1]}", ports, parameters=parameters)
            sources = (*packaged_sources(name, ("clock_gate", "serial_clock_enable", *MODULES)),)
            design = LeafDesign(name, (*sources, SourceFile(f"{name}.sv", top)), ports, bits, 1)
            with tempfile.TemporaryDirectory() as folder:
                mapped = synthesise(design, library, recipe, None, Path(folder))
            streams = f"{generator.lanes} of {generator.steps} bits | {generator.first_word}"
            area = f"{mapped.flip_flops:,} | {mapped.area_ge:,.0f} | {mapped.area_ge / bits:.1f}"
            print(f"| {bits} | {generator.name} | {streams} | {area} |", flush=True)


if __name__ == "__main__":
    main()

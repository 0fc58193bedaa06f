"""Tables 3 and 4 of Wang and Heys (2010): the byte-serial core with an S-box of 1 to 5 stages, and the reference.

    python benchmarks/wang_table3.py --library NAME|FILE

Each core is measured twice, at the smallest of the area recipes: whole, and as the publication did, without control.
Without control means the data path module alone: no sequencer, no key store, no round constants, and no clock enables,
since the publication freezes registers by clock gates, which it counts with the control. What it leaves out is an input
there, so the period is that of the data path.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from aesmith.cores.design import CoreDesign, SourceFile, hash_of
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

REFERENCE = "hamalainen2006-enc"
STAGED = tuple(f"wang2010-s{stages}-enc" for stages in range(1, 6))
PUBLISHED_TABLE_3 = {"wang2010-s4-enc": (2749, 117.6), REFERENCE: (2815, 55.6)}
"""Gates and Mbit/s, TSMC 0.18 µm, without control."""

PUBLISHED_TABLE_4 = {
    "wang2010-s1-enc": (0.93, 0.37, 0.40),
    "wang2010-s2-enc": (0.96, 0.65, 0.65),
    "wang2010-s3-enc": (0.99, 0.82, 0.83),
    "wang2010-s4-enc": (1.0, 1.0, 1.0),
    "wang2010-s5-enc": (1.05, 1.15, 1.1),
}
"""Area, throughput, throughput/area relative to four stages, without control, as printed (0.65/0.96 would be 0.68)."""

_ALWAYS = re.compile(r"(\w*enable|advance|key_shift)_i")


@dataclass(frozen=True)
class DataPath:
    """The data path of a core by itself, its registers never frozen."""

    core: CoreDesign

    @property
    def name(self) -> str:
        """Name of the core with what is measured of it."""
        return f"{self.core.name}_without_control"

    @property
    def top(self) -> str:
        """Name of the wrapper that ties the enables."""
        return self.name

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """The core's files up to its data path, and the wrapper."""
        index = next(i for i, source in enumerate(self.core.sources) if source.name.endswith("_data_path.sv"))
        return (*self.core.sources[: index + 1], self._wrapper(self.core.sources[index]))

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of the sources."""
        return hash_of(self.sources)

    @property
    def block_bits(self) -> int:
        """Bits of one block."""
        return self.core.block_bits

    @property
    def cycles_per_block(self) -> int:
        """As the core's."""
        return self.core.cycles_per_block

    @property
    def latency_cycles(self) -> int:
        """As the core's."""
        return self.core.latency_cycles

    def _wrapper(self, data_path: SourceFile) -> SourceFile:
        module = data_path.name.removesuffix(".sv")
        ports = re.findall(r"^  (input|output) +logic +(\[[^\]]+\] )?(\w+)", data_path.text, re.MULTILINE)
        free = [(way, width, port) for way, width, port in ports if not _ALWAYS.fullmatch(port)]
        tied = [port for _, _, port in ports if _ALWAYS.fullmatch(port)]
        stages = self.core.parameters.get("stages")
        lines = [
            f"module {self.name} (",
            ",\n".join(f"  {way} logic {width}{port}" for way, width, port in free),
            ");",
            f"  {module}{f' #(.SboxStages({stages}))' if stages else ''} u_data_path (",
            ",\n".join([f"    .{port}" for _, _, port in free] + [f"    .{port}(1'b1)" for port in tied]),
            "  );",
            "endmodule",
        ]
        return SourceFile(f"{self.name}.sv", "\n".join(lines) + "\n")


def measure_all(library: Library, work: Path) -> dict[str, tuple[Measurement, Measurement]]:
    """For each core: whole, and without control."""
    found = {}
    for preset in (*STAGED, REFERENCE):
        core = build_design(load_specification(preset), preset.replace("-", "_"), preset)
        whole = measure(core, library, Optimise.AREA, work / core.name)
        data_path = DataPath(core)
        found[preset] = whole, measure(data_path, library, Optimise.AREA, work / data_path.name)
    return found


def _throughput(measurement: Measurement) -> float:
    assert measurement.throughput_gbps is not None
    return measurement.throughput_gbps * 1e3


def print_table_3(found: Mapping[str, tuple[Measurement, Measurement]], console: Console) -> None:
    """Area, frequency and throughput of the core with four stages and of the reference design, and their ratio."""
    table = Table("core", "", "published GE", "GE", "MHz", "clocks", "published Mbps", "Mbps", title="Table 3")
    for preset, (gates, mbps) in PUBLISHED_TABLE_3.items():
        for index, what in enumerate(("whole", "without control")):
            measured = found[preset][index]
            published = (f"{gates}", f"{mbps}") if index else ("", "")
            assert measured.fmax_mhz is not None
            figures = (f"{measured.area_ge:.0f}", f"{measured.fmax_mhz:.0f}", f"{measured.cycles_per_block}")
            table.add_row(preset, what, published[0], *figures, published[1], f"{_throughput(measured):.1f}")
    for index, what in enumerate(("whole", "without control")):
        new, reference = found["wang2010-s4-enc"][index], found[REFERENCE][index]
        area = f"{new.area_ge / reference.area_ge:.3f}"
        speed = f"{_throughput(new) / _throughput(reference):.2f}"
        published = (f"{2749 / 2815:.3f}", f"{117.6 / 55.6:.2f}") if index else ("", "")
        table.add_row("ratio", what, published[0], area, "", "", published[1], speed)
    console.print(table)


def print_table_4(found: Mapping[str, tuple[Measurement, Measurement]], console: Console) -> None:
    """Area, throughput and their ratio for each number of stages, relative to four."""
    head = ("core", "", "published area", "area", "published throughput", "throughput", "published ratio", "ratio")
    table = Table(*head, title="Table 4: relative to four stages")
    for index, what in enumerate(("whole", "without control")):
        four = found["wang2010-s4-enc"][index]
        for preset, printed in PUBLISHED_TABLE_4.items():
            measured = found[preset][index]
            size, rate = measured.area_ge / four.area_ge, _throughput(measured) / _throughput(four)
            published = [f"{figure:.2f}" for figure in printed] if index else ["", "", ""]
            row = (published[0], f"{size:.2f}", published[1], f"{rate:.2f}", published[2], f"{rate / size:.2f}")
            table.add_row(preset, what, *row)
    console.print(table)


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="generic45", help="a registered library's name or a Liberty file")
    library = library_by(parser.parse_args().library)
    console = Console()
    with tempfile.TemporaryDirectory() as work:
        found = measure_all(library, Path(work))
    print_table_3(found, console)
    print_table_4(found, console)
    console.print(f"library {library.name}; area recipes; 1 GE = {library.nand2.name}; no wires")


if __name__ == "__main__":
    main()

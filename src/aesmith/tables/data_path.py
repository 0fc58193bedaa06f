"""The data path of a byte-serial core by itself, as Wang and Heys measure theirs: without control.

No sequencer, no key store, no round constants, and no clock enables: the publication freezes registers by clock gates,
which it counts with the control. What is left out is an input, so the period is that of the data path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from aesmith.cores.design import CoreDesign, SourceFile, hash_of
from aesmith.cores.specification import build_design, default_name, parse_specification, presets
from aesmith.errors import RequestError
from aesmith.tables.model import Make

_ALWAYS = re.compile(r"(\w*enable|advance|key_shift)_i")
"""Inputs that say whether registers take what is offered: here they always do."""


@dataclass(frozen=True)
class DataPath:
    """The data path of `core`, its registers never frozen."""

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
            ",\n".join([f"    .{port}" for _, _, port in free] + [f"    .{port}('1)" for port in tied]),
            "  );",
            "endmodule",
        ]
        return SourceFile(f"{self.name}.sv", "\n".join(lines) + "\n")


def core_of(preset: str, sbox: str | None = None) -> CoreDesign:
    """The core of a preset, with another S-box of the catalogue if one is named. Raises RequestError for neither."""
    if preset not in presets():
        raise RequestError(f"there is no core {preset}")
    specification = parse_specification({"preset": preset} | ({"sbox": sbox} if sbox else {}))
    return build_design(specification, default_name(preset), preset)


def without_control(preset: str, sbox: str | None = None) -> Make:
    """The data path of a byte-serial core by the name of its preset, with another S-box if one is named."""
    return lambda _library: DataPath(core_of(preset, sbox))

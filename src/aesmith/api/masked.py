"""Masked circuits that are not this project's own: what their probes tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aesmith.assurance.probing.check import ProbingResult, ProbingVerdict
from aesmith.assurance.probing.labelled import check_labelled
from aesmith.errors import RequestError
from aesmith.flow.yosys import require_yosys
from aesmith.foreign.description import ForeignSource, RtlSettings
from aesmith.foreign.labels import labelled_netlist, read_labels
from aesmith.progress import Progress
from aesmith.scratch import absolute, work_folder
from aesmith.technology.library import Library


@dataclass(frozen=True)
class CircuitProbing:
    """What was looked at: the top module, how many registers it has, and how many probes at a time."""

    top: str
    registers: int
    order: int
    transitions: bool
    result: ProbingResult

    @property
    def secure(self) -> bool:
        """Whether no set of probes tells anything."""
        return self.result.verdict is ProbingVerdict.SECURE

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.top,
            "order": self.order,
            "transitions": self.transitions,
            "registers": self.registers,
            "verdict": str(self.result.verdict),
            "sets": self.result.examined,
            "probed": self.result.probed,
            "read": self.result.read,
        }


def probe_circuit(
    files: Sequence[Path],
    top: str,
    labels: Path,
    *,
    order: int | None = None,
    transitions: bool = False,
    library: Library | None = None,
    settings: RtlSettings | None = None,
    progress: Progress | None = None,
) -> CircuitProbing:
    """Look at all sets of `order` glitch-extended probes of a masked circuit in Verilog.

    The order is by default one less than shares. `labels` is a TOML file that says what inputs are (docs/masking.md).
    With a library the one file is a netlist of its cells. With `transitions` probes read two consecutive clocks. Raises
    RequestError for files and labels that cannot be read or do not fit, CheckError for what no circuit of one clock
    has, and for one that does not settle in 64 clocks where the labels say no number; ToolError without Yosys.
    """
    require_yosys()
    if missing := [file for file in (*files, labels) if not Path(file).is_file()]:
        raise RequestError(f"FILE: there is no file {missing[0]}")
    source = ForeignSource(tuple(map(absolute, files)), top, settings or RtlSettings())
    with work_folder("probe") as folder:
        netlist, given = labelled_netlist(source, read_labels(labels), folder, library)
        result = check_labelled(netlist, given, order, transitions=transitions, progress=progress)
    return CircuitProbing(top, len(netlist.registers), given.order if order is None else order, transitions, result)

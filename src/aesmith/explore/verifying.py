"""Verify a core through the store: once for each core and extent, whoever asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.simulation import simulate
from aesmith.assurance.simulator import find_tools
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError
from aesmith.explore.facts import Fact, digest_of, find_once
from aesmith.explore.outline import Outline
from aesmith.explore.store import Store
from aesmith.flow.yosys import yosys_version
from aesmith.own_code import VERIFICATION, code_digest

_KIND = "verified"


class Extent(StrEnum):
    """How a core is verified. SHORT runs every scenario of a full simulation with fewer random cases."""

    NONE = "none"
    SHORT = "short"
    FULL = "full"
    PROVE = "prove"


PLANS = {
    Extent.SHORT: SimulationPlan(random_pairs=100, monte_carlo_rounds=1, monte_carlo_clocks=20_000),
    Extent.FULL: SimulationPlan(),
}
"""What is simulated."""

HOW = {Extent.SHORT: "simulation (short)", Extent.FULL: "simulation", Extent.PROVE: "proof"}
"""What a verified point says of it."""


@dataclass(frozen=True)
class Verifier:
    """Verifies to one extent; `tools` are the versions of what does it."""

    extent: Extent
    tools: tuple[tuple[str, str], ...]

    def key(self, core: Outline) -> str | None:
        """SHA-256 (hex) of all that the result depends on; None if nothing is verified."""
        if self.extent is Extent.NONE:
            return None
        how = [asdict(PLANS[self.extent]) if self.extent in PLANS else None, code_digest(VERIFICATION)]
        schedule = [core.cycles_per_block, core.latency_cycles, core.block_width, core.key_bits, core.directions]
        return digest_of(_KIND, self.extent, how, self.tools, core.name, core.source_hash, schedule)

    def verify(
        self,
        core: Outline,
        build: Callable[[], CoreDesign],
        folder: Path,
        store: Store,
        cancel: threading.Event | None = None,
    ) -> str | None:
        """How the core was verified, by whoever did it first; None if nothing is to be.

        Raises CheckError if the core is not AES, or is not proved; what simulation and proof raise.
        """
        key = self.key(core)
        if key is None:
            return None

        def find() -> Fact:
            failure = _proof(build(), folder) if self.extent is Extent.PROVE else self._simulation(build(), folder)
            return {"failure": failure}

        found, _ = find_once(store, _KIND, key, find, cancel=cancel)
        if found["failure"] is not None:
            raise CheckError(f"verification: {found['failure']}")
        return HOW[self.extent]

    def _simulation(self, design: CoreDesign, folder: Path) -> str | None:
        report = simulate(design, folder, PLANS[self.extent])
        return None if report.passed else f"{report.failures[0].name}: {report.failures[0].failure}"


def verifier(extent: Extent) -> Verifier:
    """A verifier with the tools that are here. Raises ToolError if one is missing."""
    tools = dict[str, str]()
    if extent in PLANS:
        tools = find_tools().versions
    elif extent is Extent.PROVE:
        tools = {"pyosys": yosys_version()}
    return Verifier(extent, tuple(sorted(tools.items())))


def _proof(design: CoreDesign, folder: Path) -> str | None:
    report = prove(design, folder)
    return None if report.proved else "; ".join(f"{part.name}: {part.detail}" for part in report.failing)

"""Verify a core or an engine through the store: once for each design and extent, whoever asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from aesmith.assurance.engines.prove import prove_engine
from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.simulation import simulate
from aesmith.assurance.simulator import find_tools
from aesmith.assurance.streams.check import StreamPlan, verify_engine
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError
from aesmith.explore.facts import Fact, digest_of, find_once
from aesmith.explore.outline import Outline
from aesmith.explore.store import Store
from aesmith.flow.yosys import yosys_version
from aesmith.modes.engine import StreamEngine
from aesmith.own_code import VERIFICATION, code_digest
from aesmith.progress import Progress

_KIND = "verified"


class Extent(StrEnum):
    """How a design is verified. SHORT runs every scenario of a full simulation with fewer random cases."""

    NONE = "none"
    SHORT = "short"
    FULL = "full"
    PROVE = "prove"


PLANS = {
    Extent.SHORT: SimulationPlan(random_pairs=100, monte_carlo_rounds=1, monte_carlo_clocks=20_000),
    Extent.FULL: SimulationPlan(),
}
"""What is simulated of a core."""

ENGINE_PLANS = {Extent.SHORT: StreamPlan(messages=100, vectors=60, resets=4), Extent.FULL: StreamPlan()}
"""What is simulated of an engine."""

HOW = {Extent.SHORT: "simulation (short)", Extent.FULL: "simulation", Extent.PROVE: "proof"}
"""What a verified point says of it."""


@dataclass(frozen=True)
class Verifier:
    """Verifies to one extent; `tools` are the versions of what does it."""

    extent: Extent
    tools: tuple[tuple[str, str], ...]

    def key(self, design: Outline) -> str | None:
        """SHA-256 (hex) of all that the result depends on; None if nothing is verified."""
        if self.extent is Extent.NONE:
            return None
        plan = (PLANS if design.core is None else ENGINE_PLANS).get(self.extent)
        how = [None if plan is None else asdict(plan), code_digest(VERIFICATION)]
        clocks = [design.cycles_per_block, design.latency_cycles]
        schedule = [*clocks, design.block_width, design.key_bits, design.directions]
        # An engine's model and clocks follow from its fields, of which its sources need not say all.
        fields = [] if design.core is None else [design.specification]
        return digest_of(_KIND, self.extent, how, self.tools, design.name, design.source_hash, schedule, *fields)

    def verify(
        self,
        design: Outline,
        build: Callable[[], CoreDesign | StreamEngine],
        folder: Path,
        store: Store,
        *,
        cancel: threading.Event | None = None,
        progress: Progress | None = None,
    ) -> str | None:
        """How the design was verified, by whoever did it first; None if nothing is to be.

        Raises CheckError if it is not AES in its mode, or is not proved; what simulation and proof raise, RequestError
        for an engine of a mode of which no proof is known.
        """
        key = self.key(design)
        if key is None:
            return None

        def find() -> Fact:
            proves = self.extent is Extent.PROVE
            failure = (_proof if proves else self._simulation)(build(), folder, progress)
            return {"failure": failure}

        found, _ = find_once(store, _KIND, key, find, cancel=cancel)
        if found["failure"] is not None:
            raise CheckError(f"verification: {found['failure']}")
        return HOW[self.extent]

    def _simulation(
        self, design: CoreDesign | StreamEngine, folder: Path, progress: Progress | None = None
    ) -> str | None:
        if isinstance(design, StreamEngine):
            report = verify_engine(design, folder, ENGINE_PLANS[self.extent], progress)
        else:
            report = simulate(design, folder, PLANS[self.extent], progress)
        return None if report.passed else f"{report.failures[0].name}: {report.failures[0].failure}"


def verifier(extent: Extent) -> Verifier:
    """A verifier with the tools that are here. Raises ToolError if one is missing."""
    tools = dict[str, str]()
    if extent in PLANS:
        tools = find_tools().versions
    elif extent is Extent.PROVE:
        tools = {"pyosys": yosys_version()}
    return Verifier(extent, tuple(sorted(tools.items())))


def _proof(design: CoreDesign | StreamEngine, folder: Path, progress: Progress | None = None) -> str | None:
    report = (
        prove_engine(design, folder, progress=progress, simulated=True)
        if isinstance(design, StreamEngine)
        else prove(design, folder, progress=progress, simulated=True)
    )
    return None if report.proved else "; ".join(f"{part.name}: {part.detail}" for part in report.failing)

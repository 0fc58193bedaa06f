"""How a round-based core is put together: leaf circuits, packaged modules in their roles, a shell on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import Meaning, Ports
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources

CORE = "round_core"
"""The shell: registers, channels and control around a data path and a key schedule."""

CONTROL = ("round_sequencer", "key_registers")
"""What the shell has around them."""

TWO_SLOT_CORE = "two_slot_core"
"""The shell of cores with two blocks in flight."""

TWO_SLOT_CONTROL = ("two_slot_sequencer", "key_registers")
"""What that shell has around data path and key schedule."""


def two_way_key_schedule(key_bits: int) -> tuple[str, ...]:
    """The modules of the key schedule of Ueno et al. for both directions, the one that stands for it last."""
    return ("two_way_words_192" if key_bits == 192 else "two_way_words", "two_way_key_schedule")


@dataclass(frozen=True)
class Leaf:
    """An emitted circuit: the module's name without the build's, the circuit, and what it is after which source."""

    module: str
    circuit: Circuit
    text: str


@dataclass(frozen=True)
class Parts:
    """All modules of a core in compile order. `rtl` are names of the packaged modules that `core` needs; `roles`
    gives some of them the name by which the others instantiate them."""

    leaves: Sequence[Leaf]
    rtl: Sequence[str]
    core: str
    parameters: Mapping[str, int | bool] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    def sources(self, name: str, ports: Ports, about: str) -> tuple[SourceFile, ...]:
        """All files under the build's name; `about` is the comment of the top module."""
        emitted = tuple(leaf_source(name, leaf.module, leaf.circuit, leaf.text) for leaf in self.leaves)
        packaged = packaged_sources(name, (*self.rtl, self.core), self.roles)
        optional = {Meaning.DIRECTION: "1'b0"} | ({Meaning.KEY_SIZE: "2'd0"} if self.core == CORE else {})
        core = PackagedCore(self.core, self.parameters, optional)
        return (*emitted, *packaged, core.top(name, ports, about))

"""How a round-based core is put together: leaf circuits, packaged modules in their roles, a shell on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit
from aesmith.cores.design import SourceFile
from aesmith.cores.ports import Ports
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources

ENCRYPTION = "round_encryption"
"""The shell of cores that encrypt."""

ENCRYPTION_DECRYPTION = "round_encryption_decryption"
"""The shell of cores for both directions."""

ENCRYPTION_CONTROL = ("round_sequencer", "key_registers")
"""What the shell of cores that encrypt has around data path and key schedule."""

BOTH_CONTROL = ("direction_sequencer", "key_registers")
"""What the shell of cores for both directions has around data path and key schedule."""

TWO_WAY_KEY_SCHEDULE = ("two_way_words", "two_way_key_schedule")
"""The modules of the key schedule of Ueno et al. for both directions, that for 128 bits last."""


def with_key_bits(modules: tuple[str, ...], key_bits: int) -> tuple[str, ...]:
    """The modules of a key schedule for a key size: for longer keys the last has the size's suffix."""
    if key_bits == 128:
        return modules
    sums = ("two_way_words_192",) if key_bits == 192 and len(modules) > 1 else modules[:-1]
    return (*sums, f"{modules[-1]}_{key_bits}")


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
        core = PackagedCore(self.core, self.parameters, ports)
        return (*emitted, *packaged, core.top(name, ports, about))

"""How a round-based core is put together: leaf circuits, packaged modules in their roles, a shell on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit
from aesmith.cores.design import SourceFile
from aesmith.cores.sources import leaf_source, rtl_source

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
    """All modules of a core in compile order. `rtl` are names of packaged modules; `roles` gives some of them the name
    by which the others instantiate them; `settings` are parameter defaults of `top`, the shell."""

    leaves: Sequence[Leaf]
    rtl: Sequence[str]
    top: str
    roles: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, int] = field(default_factory=dict)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name."""
        emitted = tuple(leaf_source(name, leaf.module, leaf.circuit, leaf.text) for leaf in self.leaves)
        packaged = tuple(rtl_source(name, module, self.top, role=self.roles.get(module)) for module in self.rtl)
        return (*emitted, *packaged, rtl_source(name, self.top, self.top, settings=self.settings))

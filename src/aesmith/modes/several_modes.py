"""What engines have in common that may have a memory, and those whose commands name the mode of each message."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from itertools import product
from typing import Any, Self

from aesmith.cores.ports import Ports
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import MemoryPlace


class MemoryEngine(StreamEngine):
    """An engine that may have a memory; with `memory_outside` the lines of that are ports."""

    memory_outside: bool

    def _with(self, **fields: Any) -> Self:
        return replace(self, **fields)

    @property
    @abstractmethod
    def memory(self) -> MemoryPlace:
        """Where its memory stands."""

    @property
    def plain_ports(self) -> Ports:
        """The ports without those of a clear; with a memory outside, its lines."""
        ports = super().plain_ports
        return replace(ports, channels=(*ports.channels, *self.memory.channels))

    @property
    def measured(self) -> Self:
        """The engine without its memory, which is a macro elsewhere; of a build, with its top made anew."""
        if self.memory.in_netlist:
            return self
        bare = self._with(memory_outside=True, shipped=None)
        if self.shipped is None:
            return bare
        # Only the logic around the memory differs between builds.
        made, given = set(replace(self, shipped=None).sources), {source.name: source for source in self.shipped}
        shipped = tuple(given[source.name] if source in made else source for source in bare.sources)
        return replace(bare, shipped=shipped)


class SeveralModesEngine(StreamEngine):
    """An engine of one or more `modes` by name, the one first that figures are quoted for; `rated_size` is the size in
    bits of the keys that they are quoted for, 0 for the longest."""

    modes: tuple[str, ...]
    rated_size: int

    def _with(self, **fields: Any) -> Self:
        return replace(self, **fields)

    def check_modes(self, known: tuple[str, ...]) -> None:
        """Raises RequestError for none, for one that is named twice, and for one that is not `known`."""
        if not self.modes or len({*self.modes}) < len(self.modes):
            raise RequestError(f"modes: must be different ones, at least one, not {list(self.modes)}")
        for mode in self.modes:
            if mode not in known:
                raise not_one_of("modes", mode, known)

    @property
    def mode(self) -> str:  # type: ignore[override]
        """The mode that is named first."""
        return self.modes[0]

    @property
    def rated_key_bits(self) -> int:
        """Bits of the key that figures are quoted for."""
        return self.rated_size or max(self.key_bits)

    @property
    def views(self) -> tuple[StreamEngine, ...]:
        """The same engine once for each mode and each size of keys, that mode named first."""

        def view(mode: str, bits: int) -> StreamEngine:
            modes = (mode, *(other for other in self.modes if other != mode))
            return self._with(modes=modes, rated_size=bits, shipped=self.sources)

        return tuple(view(mode, bits) for mode, bits in product(self.modes, self.key_bits))

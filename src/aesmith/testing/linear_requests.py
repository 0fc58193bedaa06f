"""Which linear maps the designs ask the store of linear programs for: what the store must hold, and no more."""

from __future__ import annotations

from unittest import mock

from aesmith.circuits.linear import LinearProgram, linear_map, store
from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.store import MapRequest, kept
from aesmith.cores.specification import build_design, presets
from aesmith.sboxes.catalogue import catalogue


def requests() -> list[MapRequest]:
    """All requests of building every S-box of the catalogue and every preset, in order.

    In a process that has built some of them before, what they cache is not asked for again.
    """
    asked: dict[MapRequest, None] = {}

    def record(request: MapRequest) -> LinearProgram | None:
        asked[request] = None
        return kept(request)

    linear_map.cache_clear()
    with mock.patch.object(store, "kept", side_effect=record):
        for entry in catalogue().values():
            for function in entry.functions:
                entry.circuit(function)
        for preset, specification in presets().items():
            build_design(specification, "core", preset)
    return list(asked)


def is_named(request: MapRequest) -> bool:
    """Whether the map has a name: programs of those are kept for users, whether a design asks for them or not."""
    return any(named.matrix == request.matrix for named in NAMED.values())

"""An engine with registers in Linux' crypto API: a module that offers its modes as skciphers and AEADs."""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.modes.engine import StreamEngine
from aesmith.peripheral.texts import rendered

CIPHERS, AEADS = ("ecb", "cbc", "ctr", "xts"), ("gcm", "ccm")
"""The modes that Linux has as skciphers and as AEADs."""


def linux_files(engine: StreamEngine, values: Mapping[str, object]) -> dict[str, str]:
    """The module's files by their paths in a build; none for an engine without a mode of the API in both directions.
    `values` are those of the driver in C."""
    both = {view.mode for view in engine.behind_bus.views if len(view.mode_directions) == 2}
    ciphers, aeads = ([mode for mode in modes if mode in both] for modes in (CIPHERS, AEADS))
    if not (ciphers or aeads):
        return {}
    counted = min([32, *(getattr(view, "counter_bits", 32) for view in engine.behind_bus.views)])
    told = {**values, "ciphers": ciphers, "aeads": aeads, "counter_bits": counted}
    types = rendered("linux/types.h.j2")
    return {
        f"linux/{engine.name}_crypto.c": rendered("linux/driver.c.j2", **told),
        "linux/Kbuild": rendered("linux/Kbuild.j2", **told),
        **{f"linux/include/{name}.h": types for name in ("stddef", "stdint")},
    }

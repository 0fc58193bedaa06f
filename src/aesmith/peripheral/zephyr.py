"""An engine with registers as a crypto device of Zephyr: a module with driver, Kconfig and device-tree binding."""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.cores.design import Direction
from aesmith.modes.engine import StreamEngine
from aesmith.peripheral.texts import rendered

_MODES = ("ecb", "cbc", "ctr", "ccm", "gcm")
"""Those that Zephyr's API has."""


def zephyr_files(engine: StreamEngine, values: Mapping[str, object]) -> dict[str, str]:
    """The module's files by their paths in a build; none for an engine without a mode of the API. `values` are those of
    the driver in C."""
    ways = {view.mode: view.mode_directions for view in engine.behind_bus.views if view.mode in _MODES}
    modes = {
        mode: "both" if len(of) == 2 else "encrypt" if of == (Direction.ENCRYPT,) else "decrypt"
        for mode, of in ways.items()
    }
    if not modes:
        return {}
    name = engine.name
    told = {**values, "modes": modes}
    made = {
        f"crypto_{name}.c": "driver.c",
        "module.yml": "module.yml",
        "CMakeLists.txt": "CMakeLists.txt",
        "Kconfig": "Kconfig",
        f"dts/bindings/crypto/aesmith-{name}.yaml": "binding.yaml",
    }
    files = {f"zephyr/{path}": rendered(f"zephyr/{template}.j2", **told) for path, template in made.items()}
    return files | {"zephyr/dts/bindings/vendor-prefixes.txt": "aesmith\taesmith\n"}

"""aesmith: from a requirement to a proved and measured AES core.

What there is from Python is in `aesmith.api`, and can be had here: `aesmith.core("ueno2020-enc")`.
"""

_GIVEN = frozenset(
    {
        "AesmithError",
        "Core",
        "Engine",
        "core",
        "engine",
        "libraries",
        "library",
        "listing",
        "points_of",
        "presets",
        "recommend",
    }
    | {"sbox", "sbox_names", "search", "sweep"}
)
"""Names of `aesmith.api`. Type checkers read `__init__.pyi`."""

__all__ = ["__version__", *sorted(_GIVEN)]  # noqa: PLE0604 - names, all of them


def __getattr__(name: str) -> object:
    """What is asked for, imported then: the version takes as long as importing typer, and the rest longer."""
    import importlib  # noqa: PLC0415 - see above
    from importlib.metadata import version  # noqa: PLC0415 - see above

    if name == "__version__":
        return version("aesmith")
    if name in _GIVEN:
        return getattr(importlib.import_module("aesmith.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""aesmith: from a requirement to a proved and measured AES core."""

__version__: str


def __getattr__(name: str) -> str:
    """`__version__`, looked up when it is asked for: importing what reads it takes as long as importing typer."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version("aesmith")

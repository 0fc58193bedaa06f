"""aesmith: from a requirement to a proved and measured AES core."""

from importlib.metadata import version

__version__ = version("aesmith")

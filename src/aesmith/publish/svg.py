"""What the drawings have in common: fonts, colours, numbers and text."""

from __future__ import annotations

from html import escape

SANS = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO = "Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
INK, WIRE, FAINT = "#1f2933", "#52606d", "#7b8794"


def number(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    *,
    anchor: str = "start",
    color: str = INK,
    weight: int = 400,
    family: str = "",
) -> str:
    """One line of text with its base line at y."""
    font = f' font-family="{family}"' if family else ""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}" fill="{color}"'
        f"{font}{bold}>{escape(words)}</text>"
    )

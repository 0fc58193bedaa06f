"""What the drawings have in common: fonts, colours, and the few elements of SVG they consist of."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

SANS = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO = "Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
INK, WIRE, FAINT, GROUND, LINE = "#1f2933", "#52606d", "#7b8794", "#ffffff", "#e4e7eb"
KINDS = (("#fdf3dc", "#b07d1e"), ("#e8f1fb", "#3a6ea5"), ("#e6f4ec", "#2f855a"), ("#f3e9f7", "#805ad5"))
"""Fill and line of the shapes of a kind, in turn."""
DARK = {
    GROUND: "#1b1f24",
    INK: "#e6e9ed",
    WIRE: "#b4bec8",
    FAINT: "#98a3ae",
    LINE: "#363d46",
    "#fdf3dc": "#3d3116",
    "#b07d1e": "#dcae52",
    "#e8f1fb": "#1d324b",
    "#3a6ea5": "#7fb0e8",
    "#e6f4ec": "#1a3829",
    "#2f855a": "#63c291",
    "#f3e9f7": "#352850",
    "#805ad5": "#b89cf2",
    "#e6e6e6": "#3d434b",
    "#cfe2f5": "#244666",
    "#8fbbe6": "#2b639c",
    "#cdeed3": "#1f4a2b",
    "#85cf95": "#26703b",
    "#fbe0c0": "#573b16",
    "#f3b870": "#85571a",
    "#eef1f4": "#2a3038",
    "#faf9fd": "#272636",
    "#f7f9fb": "#22272d",
    "#fdecea": "#40221f",
    "#f0eef8": "#2d2a45",
    "#7360a8": "#a99be0",
    "#b8c1cb": "#596571",
    "#b8c2cc": "#6c7884",
    "#1d5fa8": "#62a5ee",
    "#2f7d4f": "#5cc08a",
    "#8a2f5b": "#e389b4",
    "#b45309": "#ef9a4d",
    "#7b4fa3": "#bd93e6",
    "#56a0d0": "#a6dcf7",
    "#0072b2": "#4fa6e3",
    "#009e73": "#3cc79d",
    "#444444": "#c4c4c4",
    "#6a3d9a": "#b28be0",
    "#8a6d00": "#d3b545",
    "#cc79a7": "#e6a3c8",
    "#d55e00": "#f28a45",
    "#3d6ea5": "#6fa3dd",
    "#d9772b": "#e58f4a",
    "#b42318": "#f2796d",
    "#c0392b": "#f0776a",
    "#4a6fa5": "#6f97d3",
    "#5b9279": "#76b497",
    "#6bb3c8": "#7fc9de",
    "#8d6a9f": "#b48fc7",
    "#b5a642": "#c9ba52",
    "#c98686": "#d99a9a",
    "#e0a458": "#e8b06a",
}
"""The colour that replaces each one for readers who prefer dark pages."""


def number(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def document(width: float, height: float, title: str, content: Iterable[str], description: str = "") -> str:
    """A whole drawing on its own ground, in the colours of `DARK` where the reader prefers dark pages.

    Screen readers read the `description` out.
    """
    size = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    drawn = [rect(0, 0, width, height, radius=10, fill=GROUND), *content]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{SANS}" role="img">',
        f"<title>{escape(title)}</title>",
        *([f"<desc>{escape(description)}</desc>"] if description else []),
        _dark("\n".join(drawn)),
        *drawn,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _dark(drawn: str) -> str:
    """The rules that replace the colours of a drawing for dark pages."""
    used = [(of, light) for light in DARK for of in ("fill", "stroke") if f'{of}="{light}"' in drawn]
    rules = "".join(f"[{of}='{light}']{{{of}:{DARK[light]}}}" for of, light in used)
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def group(x: float, y: float, content: Iterable[str]) -> Iterable[str]:
    """The content, moved to (x, y)."""
    return [f'<g transform="translate({number(x)} {number(y)})">', *content, "</g>"]


def rect(
    x: float, y: float, width: float, height: float, *, radius: float, fill: str, stroke: str = "", line: float = 1.4,
    dash: str = "",
) -> str:  # fmt: skip
    """A rectangle with round corners."""
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {place} rx="{number(radius)}" fill="{fill}"{_stroke(stroke, line, dash)}/>'


def path(*parts: str | float, stroke: str = "", line: float = 1.4, fill: str = "none", dash: str = "") -> str:
    """A path; `parts` are SVG's path letters and coordinates in turn."""
    words = " ".join(part if isinstance(part, str) else number(part) for part in parts)
    return f'<path d="{words}" fill="{fill}"{_stroke(stroke, line, dash)}/>'


def text(
    x: float, y: float, words: str, size: float, *, anchor: str = "start", color: str = INK, weight: int = 400,
    family: str = "",
) -> str:  # fmt: skip
    """One line of text with its base line at y."""
    font = f' font-family="{family}"' if family else ""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}"'
    return f'<text {place} fill="{color}"{font}{bold}>{escape(words)}</text>'


def _stroke(color: str, width: float, dash: str) -> str:
    if not color:
        return ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f' stroke="{color}" stroke-width="{number(width)}" stroke-linejoin="round"{dashes}'

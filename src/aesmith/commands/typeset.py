"""Tables for papers and spreadsheets: the same titles, columns and cells as in a terminal, as LaTeX and as CSV.

LaTeX is a `table` with its caption, set by booktabs; it needs nothing but that package and an UTF-8 source, which all
LaTeX since 2018 reads. CSV is that of RFC 4180 with one addition: lines that begin with `#` hold titles and conditions.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from enum import StrEnum


class TableFormat(StrEnum):
    """How tables are printed for others than terminals."""

    LATEX = "latex"
    CSV = "csv"


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip
_SYMBOLS = {
    "–": "--", "—": "---", "…": r"\dots{}", "·": r"$\cdot$", "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$",
    "≥": r"$\geq$", "→": r"$\to$", "µ": r"\textmu{}", "μ": r"\textmu{}", "²": r"\textsuperscript{2}",
    "°": r"\textdegree{}", "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "λ": r"$\lambda$",
    "φ": r"$\varphi$", "ω": r"$\omega$", "−": "$-$", "⁻": r"\textsuperscript{-}", "¹": r"\textsuperscript{1}",
    "³": r"\textsuperscript{3}", "⁴": r"\textsuperscript{4}", "⁸": r"\textsuperscript{8}", "“": "``", "”": "''",
    "’": "'",
}  # fmt: skip
_TEX = _SPECIAL | _SYMBOLS

_NUMBER = re.compile(r"[-−]?\d{1,3}(,\d{3})*(\.\d+)?|[-−]?\d+(\.\d+)?")
_NOTHING = ("–", "-")


def latex_text(text: str) -> str:
    """Text as LaTeX sets it; letters that LaTeX reads from UTF-8 by itself stay."""
    return "".join(_TEX.get(letter, letter) for letter in text)


def latex_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The table as LaTeX; columns whose name begins with `>` are set flush right."""
    heads = [latex_text(column.removeprefix(">")) for column in columns]
    lines = [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{latex_text(title)}}}"] if title else []
    lines += [rf"\begin{{tabular}}{{{''.join('r' if column.startswith('>') else 'l' for column in columns)}}}"]
    lines += [r"\toprule"]
    lines += [rf"{' & '.join(heads)} \\", r"\midrule"] if any(heads) else []
    lines += [rf"{' & '.join(_guarded(latex_text(str(cell))) for cell in row)} \\" for row in rows]
    return "\n".join((*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""))


def _guarded(cell: str) -> str:
    """After a row's end a bracket or star would be its argument."""
    return f"{{}}{cell}" if cell.startswith(("[", "*")) else cell


def csv_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The table as CSV: numbers without separators of thousands, nothing where there is no figure."""
    out = io.StringIO()
    out.write(csv_note(title) if title else "")
    writer = csv.writer(out, lineterminator="\n")
    if any(columns):
        writer.writerow([column.removeprefix(">") for column in columns])
    for row in rows:
        writer.writerow([_plain(str(cell), column) for cell, column in zip(row, columns, strict=True)])
    return out.getvalue()


def _plain(cell: str, column: str) -> str:
    if not column.startswith(">"):
        return cell
    if cell in _NOTHING:
        return ""
    return cell.replace(",", "").replace("−", "-") if _NUMBER.fullmatch(cell) else cell


def latex_note(words: str) -> str:
    """A line that LaTeX leaves out."""
    return f"% {words}\n" if words else ""


def csv_note(words: str) -> str:
    """A line that readers of CSV leave out if they are told so: `pandas.read_csv(file, comment="#")`."""
    return f"# {words}\n" if words else ""


Setter = Callable[[str, Sequence[str], Sequence[Sequence[object]]], str]
SETTERS: dict[TableFormat, tuple[Setter, Callable[[str], str]]] = {
    TableFormat.LATEX: (latex_table, latex_note),
    TableFormat.CSV: (csv_table, csv_note),
}
"""For each format what sets a table, and what a line beside it."""

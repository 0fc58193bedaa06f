"""What sources must not contain: words that make two tools, or one tool twice, read different hardware from one text.

The front end that the proofs use sees one reading of a text. So texts are written in a part of SystemVerilog that all
tools read alike (`subset`, on slang's syntax trees); anything else is refused, by name, file and line. Before a text is
parsed, its characters are looked at: what a preprocessor or a tool that obeys comments would make another text of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from aesmith.assurance.proof.subset.refusal import RefusalError
from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    from aesmith.assurance.proof.subset import accept
else:
    # slang is loaded when a text is judged.
    accept = LazyModule("aesmith.assurance.proof.subset.accept")

_SHOWN = 60
_DIRECTIVES = {"default_nettype", "timescale", "resetall"}

_PRAGMA = re.compile(
    r"\b(?:full_case|parallel_case|\w*translate_o(?:n|ff)|\w*synthesis_o(?:n|ff)|read_comments_as_hdl|pragma)\b"
    r"|\b(?:\w*synthesis|synopsys|cadence|xilinx|exemplar|ambit|altera|vendor|synplify|lattice|verific)\s+"
    r"(?:\w*translate\w*|on|off|attribute|enum|template|label|black_box|[a-z]+_\w+)\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<escaped>\\\S+)""",
    re.VERBOSE | re.DOTALL,
)
"""What is no code, as in comments; and escaped names, in which neither a comment nor a string begins."""
_TOKEN = re.compile(r"""(?P<directive>`+["\w]*)|(?P<escaped>\\\S+)""")


def refuse_ambiguous(sources: Iterable[SourceFile], *, written_by_tools: bool = False) -> None:
    """Raise CheckError for the first thing in any source that not all tools read alike: what it is, file, line, why.

    Netlists that are `written_by_tools` have instances and wires only; they may have escaped names and attributes.
    """
    sources = list(sources)
    for source in sources:
        for place, shown, reason in _ambiguous(source.text, escapes=written_by_tools):
            raise _refused(source, source.text[:place], shown, reason)
    try:
        accept.refuse_unknown(sources, netlist=written_by_tools)
    except RefusalError as refusal:
        number, byte = refusal.place
        before = sources[number].text.encode()[:byte].decode()
        raise _refused(sources[number], before, refusal.shown, refusal.reason) from None


def _ambiguous(text: str, *, escapes: bool) -> Iterator[tuple[int, str, str]]:
    """Places, tokens and reasons of characters, comments, directives and escaped names that are refused."""
    for match in re.finditer(r"\r(?!\n)", text):
        yield match.start(), "carriage return", "some tools end a line here, and a comment with it, and others do not"
    for line in re.finditer(r"[^\n\t\r]+", text):
        if not line[0].isprintable():
            place = next(place for place, character in enumerate(line[0]) if not character.isprintable())
            yield line.start() + place, line[0][place], "a character that is not seen"
    for match in _HIDDEN.finditer(text):
        if match.lastgroup == "comment" and _PRAGMA.search(match[0]):
            yield match.start(), match[0], "tools that obey this comment read other hardware"
    for match in _TOKEN.finditer(code_of(text)):
        token = match[0]
        if match.lastgroup == "directive" and token.removeprefix("`") not in _DIRECTIVES:
            yield match.start(), token, "what a tool sees depends on what it defines"
        if match.lastgroup == "escaped" and not escapes and not re.fullmatch(r"\\\w+", token):
            yield match.start(), token, "such a name may be that of another net"


def _refused(source: SourceFile, before: str, shown: str, reason: str) -> CheckError:
    """What stands in a source behind some of its text, and why it is refused."""
    line, shown = before.count("\n") + 1, " ".join(shown.split())[:_SHOWN]
    return CheckError(f"{source.name}, line {line}: {shown!r} is refused in a proof: {reason}")


def code_of(text: str) -> str:
    """`text` with spaces for comments and strings: every place stays where it is, and what looks like code is code."""
    return _HIDDEN.sub(lambda m: m[0] if m.lastgroup == "escaped" else re.sub(r"\S", " ", m[0]), text)

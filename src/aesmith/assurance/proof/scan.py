"""What sources must not contain: words that make two tools, or one tool twice, read different hardware from one text.

The front end that the proofs use sees one reading of a text. A conditional (`ifdef), a pragma in a comment, an initial
value or a delay gives others to a simulator, a synthesis tool, an FPGA: so a text with one of them is refused, by name,
file and line, before it is read. The scan is on tokens: comments and strings are no code, and escaped names are names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from aesmith.cores.design import SourceFile
from aesmith.cores.sources import end_of_statement
from aesmith.errors import CheckError

_DIRECTIVES = {"default_nettype", "timescale", "resetall"}
_SYSTEM = {
    "clog2",
    "bits",
    "size",
    "high",
    "low",
    "left",
    "right",
    "signed",
    "unsigned",
    "countones",
    "onehot",
    "onehot0",
}
_SYSTEM |= {"error", "warning", "info", "fatal"}
_ATTRIBUTES = {"keep", "keep_hierarchy"}

_WORDS = {
    "two drivers or none may meet on such a net": "wor wand trior triand tri tri0 tri1 trireg supply0 supply1 inout "
    "alias bufif0 bufif1 notif0 notif1 pullup pulldown tran tranif0 tranif1 rtran rtranif0 rtranif1 nmos pmos cmos "
    "rnmos rpmos rcmos",
    "it says how strongly a net is driven, which no front end keeps": "highz0 highz1 weak0 weak1 pull0 pull1 strong0 "
    "strong1 small medium large",
    "hardware begins with no value, and has no such step": "initial final force release deassign wait fork join event "
    "program",
    "x is compared or matched, which no gate does": "casex",
    "its variables keep their values from call to call": "static",
    "it changes what other modules are": "bind config defparam library",
    "it stands beside the logic": "specify specparam primitive table checker",
}
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words.split()}

_PRAGMA = re.compile(
    r"\b(?:full_case|parallel_case|translate_o(?:n|ff)|synthesis_o(?:n|ff)|read_comments_as_hdl|pragma)\b"
    r"|\b(?:synthesis|synopsys|cadence|xilinx|exemplar|ambit|altera|vendor|synplify|lattice)\s+"
    r"(?:\w*translate\w*|on|off|attribute|black_box|enum|infer_\w+|set_\w+|full_case|parallel_case)\b",
    re.IGNORECASE,
)
_EDGE = r"(?:pos|neg)edge\b(?:(?!\bor\b)[^,()])*"
_TOKEN = re.compile(
    rf"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<attribute>\(\*(?!\s*\)).*?\*\))
    |(?P<directive>`+["\w]*)
    |(?P<escaped>\\\S+)
    |(?P<system>\$[a-zA-Z_]\w*)
    |(?P<sensitivity>@(?!\s*(?:\*|\(\s*(?:\*|{_EDGE}(?:(?:,|\bor\b)\s*{_EDGE})*)\s*\))))
    |(?P<delay>\#\#?\s*[\w.]+)
    |(?P<floating>'\s*[sS]?\s*[bBoOdDhH]?\s*[0-9a-fA-FxX_?]*[zZ])
    |(?P<time>\b\d[\d_.]*(?:s|ms|us|ns|ps|fs)\b)
    |(?P<level>[=!]==|[=!]=\?)
    |(?P<word>[a-zA-Z_][\w$]*)""",
    re.VERBOSE | re.DOTALL,
)


def refuse_ambiguous(sources: Iterable[SourceFile], *, written_by_tools: bool = False) -> None:
    """Raise CheckError for the first thing in any source that not all tools read alike: what it is, file, line, why.

    Netlists that are `written_by_tools` may have escaped names and attributes.
    """
    allowed = ("escaped", "attribute") if written_by_tools else ()
    for source in sources:
        for place, found, reason in (*_ambiguous(source.text, allowed), *_races(source.text)):
            line = source.text.count("\n", 0, place) + 1
            shown = " ".join(found.split())
            raise CheckError(f"{source.name}, line {line}: {shown[:60]!r} is refused in a proof: {reason}")


def _ambiguous(text: str, allowed: Collection[str]) -> Iterator[tuple[int, str, str]]:
    """Places, tokens and reasons of all that is refused; tokens of the kinds `allowed` are not."""
    previous = ""
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match.group()
        reason = "" if kind in allowed else _refused(kind, token, previous)
        if reason:
            yield match.start(), token, reason
        if kind not in ("comment", "string"):
            previous = token
    for place, character in enumerate(text):
        if not (character.isprintable() or character in "\n\t\r"):
            yield place, character, "a character that is not seen"


def _refused(kind: str, token: str, previous: str) -> str:
    """Why a token is refused; empty if it is not. `previous` is the token of code before it."""
    match kind:
        case "comment":
            return "tools that obey this comment read other hardware" if _PRAGMA.search(token) else ""
        case "directive":
            return "" if token.removeprefix("`") in _DIRECTIVES else "what a tool sees depends on what it defines"
        case "attribute":
            names = re.findall(r"(?:^|,)\s*(\w+)", token[2:-2])
            odd = [name for name in names if name not in _ATTRIBUTES]
            return f"attribute {odd[0]} may change what a tool makes of it" if odd else ""
        case "escaped":
            return "" if re.fullmatch(r"\\\w+", token) else "such a name may be that of another net"
        case "system":
            return "" if token[1:] in _SYSTEM else "no hardware does it, or tools differ in it"
        case "delay":
            return "a delay"
        case "time":
            return "how a time is rounded is for a timescale to say"
        case "sensitivity":
            return "a simulator looks only when one of these changes; logic is written with always_comb"
        case "floating":
            return "a level that floats: two drivers may meet there"
        case "level":
            return "x is compared, which no gate does"
        case "word" if token in ("function", "task"):
            return ""
        case "word" if previous in ("function", "task") and token != "automatic":
            return "its variables keep their values from call to call; declare it automatic"
        case "word" if previous != ".":
            return _REASONS.get(token, "")
    return ""


def _races(text: str) -> Iterator[tuple[int, str, str]]:
    """Places, names and reasons of what a clocked block assigns at once though others read it.

    Whether they see the old level or the new one is for each simulator to choose; synthesis gives them the old one.
    """
    code = _blank(_TOKEN, text, kinds=("comment", "string"))
    for clocked in re.finditer(rf"@\s*\(\s*{_EDGE}[^)]*\)", code):
        start, end = clocked.end(), end_of_statement(code, clocked.end())
        body = _without_brackets(code[start:end])
        for match in re.finditer(r"([\w.]*)\s*(?:[-+*/%&|^]|<<<?|>>>?)?(?<![<>=!])=(?!=)|([\w.]+)\s*(?:\+\+|--)", body):
            name = (match[1] or match[2] or "").partition(".")[0]
            elsewhere = re.findall(rf"(?<![\w.]){name}\b", code[:start] + code[end:])
            port = re.search(rf"\b(?:in|out)put\b[^;,()]*\b{name}\b", code)
            if not name or len(elsewhere) > 1 or port:
                shown = name or "a concatenation"
                yield (
                    start + match.start(),
                    shown,
                    "a clocked block assigns it at once, and others may read it; write <=",
                )


def _blank(pattern: re.Pattern[str], text: str, kinds: Collection[str]) -> str:
    """`text` with spaces for all that is matched as one of `kinds`; every place stays where it is."""
    return pattern.sub(lambda m: re.sub(r"\S", " ", m[0]) if m.lastgroup in kinds else m[0], text)


def _without_brackets(code: str) -> str:
    """`code` with spaces for what stands in brackets of any kind."""
    while (blanked := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", lambda m: " " * len(m[0]), code)) != code:
        code = blanked
    return code

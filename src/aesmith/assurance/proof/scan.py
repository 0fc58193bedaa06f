"""What sources must not contain: words that make two tools, or one tool twice, read different hardware from one text.

The front end that the proofs use sees one reading of a text. A conditional (`ifdef), a pragma in a comment, an initial
value or a delay gives others to a simulator, a synthesis tool, an FPGA: so a text with one of them is refused, by name,
file and line, before it is read. The scan is on tokens: comments and strings are no code, and escaped names are names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from aesmith.cores.design import SourceFile
from aesmith.cores.ports import KEYWORDS
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
    r"\b(?:full_case|parallel_case|\w*translate_o(?:n|ff)|\w*synthesis_o(?:n|ff)|read_comments_as_hdl|pragma)\b"
    r"|\b(?:\w*synthesis|synopsys|cadence|xilinx|exemplar|ambit|altera|vendor|synplify|lattice|verific)\s+"
    r"(?:\w*translate\w*|on|off|attribute|enum|template|label|black_box|[a-z]+_\w+)\b",
    re.IGNORECASE,
)
_EDGE = r"(?:pos|neg)edge\b(?:(?!\bor\b)[^,()])*"
_HIDDEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<escaped>\\\S+)""",
    re.VERBOSE | re.DOTALL,
)
"""What is no code, as in comments; and escaped names, in which neither a comment nor a string begins."""
_TOKEN = re.compile(
    rf"""(?P<attribute>\(\*(?!\s*\)).*?\*\))
    |(?P<directive>`+["\w]*)
    |(?P<escaped>\\\S+)
    |(?P<system>\$[a-zA-Z_]\w*)
    |(?P<sensitivity>@(?!\s*(?:\*|\(\s*(?:\*|{_EDGE}(?:(?:,|\bor\b)\s*{_EDGE})*)\s*\))))
    |(?P<parameters>\#\s*\()
    |(?P<delay>\#\#?\s*[\w.]+)
    |(?P<floating>'\s*[sS]?\s*[bBoOdDhH]?\s*[0-9a-fA-FxX_?]*[zZ])
    |(?P<time>\b\d[\d_.]*(?:s|ms|us|ns|ps|fs)\b)
    |(?P<level>[=!]==|[=!]=\?)
    |(?P<word>[a-zA-Z_][\w$]*)""",
    re.VERBOSE | re.DOTALL,
)

_NETS = {"automatic", "wire", "uwire"}
_PLAIN_STATEMENTS = {"assign", "localparam", "parameter", "genvar", "typedef", "import", "let", "property", *_NETS}
_PLAIN_STATEMENTS |= {"always", "always_comb", "always_ff", "always_latch", "if", "else", "case", "casez"}
_PLAIN_STATEMENTS |= {"for", "foreach", "while", "repeat"}
_PLAIN_STATEMENTS |= {"default", "unique", "unique0", "priority", "return"}
"""Words that statements begin with in which two words stand side by side and no variable is declared."""
_DRIVEN = {"assign", "wire", "uwire"}
_ROUTINE = re.compile(r"\b(function|task)\b.*?\bend\1\b", re.DOTALL)
_UNIT = re.compile(r"\b(module|interface|package)\b.*?\bend\1\b(?:\s*:\s*\w+)?", re.DOTALL)
_OF_UNIT = re.compile(r"`\w+[^\n]*|\bimport\s+\w+\s*::\s*\*\s*;")


def refuse_ambiguous(sources: Iterable[SourceFile], *, written_by_tools: bool = False) -> None:
    """Raise CheckError for the first thing in any source that not all tools read alike: what it is, file, line, why.

    Netlists that are `written_by_tools` may have escaped names and attributes.
    """
    allowed = ("escaped", "attribute") if written_by_tools else ()
    for source in sources:
        for place, found, reason in _ambiguous(source.text, allowed):
            line = source.text.count("\n", 0, place) + 1
            shown = " ".join(found.split())
            raise CheckError(f"{source.name}, line {line}: {shown[:60]!r} is refused in a proof: {reason}")


def _ambiguous(text: str, allowed: Collection[str]) -> Iterator[tuple[int, str, str]]:
    """Places, tokens and reasons of all that is refused; tokens of the kinds `allowed` are not."""
    for match in re.finditer(r"\r(?!\n)", text):
        yield match.start(), "carriage return", "some tools end a line here, and a comment with it, and others do not"
    for place, character in enumerate(text):
        if not (character.isprintable() or character in "\n\t\r"):
            yield place, character, "a character that is not seen"
    for match in _HIDDEN.finditer(text):
        if match.lastgroup == "comment" and _PRAGMA.search(match[0]):
            yield match.start(), match[0], "tools that obey this comment read other hardware"
    code = code_of(text)
    previous = ""
    for match in _TOKEN.finditer(code):
        kind, token = str(match.lastgroup), match.group()
        reason = "" if kind in allowed else _refused(kind, token, previous)
        if kind == "parameters" and _is_driven(code[max(0, match.start() - 2000) : match.start()]):
            reason = "a delay"
        if reason:
            yield match.start(), token, reason
        previous = token
    yield from _races(code)
    yield from _remembered(code)
    yield from _beside_modules(code)


def _refused(kind: str, token: str, previous: str) -> str:
    """Why a token is refused; empty if it is not. `previous` is the token of code before it."""
    match kind:
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
        case "word":
            return _REASONS.get(token, "")
    return ""


def _is_driven(before: str) -> bool:
    """Whether a # and a bracket after this are a delay, and not parameters: what stands there is no module's name."""
    statement = re.split(r";|\b(?:begin|end\w*|generate|else)\b", before)[-1]
    words = re.findall(r"[A-Za-z_]\w*", statement)
    return not re.search(r"[\w$]\s*$", before) or not _DRIVEN.isdisjoint(words) or words[-1] in _GATES


_GATES = {"and", "or", "xor", "nand", "nor", "xnor", "not", "buf"}


def _races(code: str) -> Iterator[tuple[int, str, str]]:
    """Places, names and reasons of what a clocked block assigns at once though others read it.

    Whether they see the old level or the new one is for each simulator to choose; synthesis gives them the old one.
    """
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


def _remembered(code: str) -> Iterator[tuple[int, str, str]]:
    """Places, names and reasons of variables that begin with a value, and of nets that functions and tasks know of
    beside their arguments: a simulator does not call them again when such a net changes."""
    outside = _ROUTINE.sub(lambda match: re.sub(r"\S", " ", match[0]), code)
    for place, statement in _statements(_without_brackets(outside)):
        head = re.match(r"\s*[\w:]+(?:\s+[\w:]+)+(?:\s*,\s*\w+)*\s*=(?!=)", statement)
        if head and _PLAIN_STATEMENTS.isdisjoint(head[0].split()):
            yield place + head.end() - 1, head[0].strip(), "an initial value, which no hardware is sure to have"
    types = re.findall(r"\btypedef\b[^;]*?(\w+)\s*;", _without_brackets(outside))
    routines = list(_ROUTINE.finditer(code))
    nets = _declared(outside) - {*types} if routines else set()
    for routine in routines:
        local = _declared(routine[0])
        if head := re.match(r"\w+[^;(]*?(\w+)\s*[;(]", routine[0]):
            for call in re.finditer(rf"(?<![\w.$]){head[1]}\s*\(", routine[0][head.end() :]):
                yield (
                    routine.start() + head.end() + call.start(),
                    head[1],
                    f"a {routine[1]} that calls itself has no end",
                )
        for word in re.finditer(r"(?<![\w.$'])[A-Za-z_]\w*", routine[0]):
            if word[0] in ("output", "ref"):
                why = "what comes back through an argument is assigned at once, and others may read it"
                yield routine.start() + word.start(), word[0], why
            if word[0] in nets - local:
                why = f"a {routine[1]} uses it that is not called again when it changes; make it an argument"
                yield routine.start() + word.start(), word[0], why


def _declared(code: str) -> set[str]:
    """Names of what is declared in some code and is no constant."""
    names: set[str] = set()
    bare = re.sub(r"\[[^\[\]]*\]", " ", re.sub(r"[\[{][^\[\]{}]*[\]}]", " ", code))
    for _, statement in _statements(re.sub(r"#\s*\((?:[^()]|\([^()]*\))*\)", " ", bare), r";|[()]"):
        head = re.match(r"\s*\w[\w:]*(?:\s+\w[\w:]*)+(?:\s*,[^=]*)?", statement)
        words = re.findall(r"\w+", head[0]) if head else []
        if words and words[0] not in _PLAIN_STATEMENTS - _NETS:
            names.update(words[1:])
    return names - KEYWORDS


def _statements(code: str, ends: str = ";") -> Iterator[tuple[int, str]]:
    """Pieces of code with their places, between ends of statements and the words around blocks."""
    start = 0
    for end in re.finditer(rf"{ends}|\b(?:begin|end\w*|generate|else)\b|(?<!:):(?!:)", code):
        yield start, code[start : end.start()]
        start = end.end()
    yield start, code[start:]


def _beside_modules(code: str) -> Iterator[tuple[int, str, str]]:
    """What stands in a file beside its modules and packages: tools that read files together let others see it."""
    rest = code
    for pattern in (_UNIT, _OF_UNIT):
        rest = pattern.sub(lambda match: re.sub(r"\S", " ", match[0]), rest)
    for match in re.finditer(r"[^\s;]+", rest):
        yield match.start(), match[0], "it stands outside of modules, and only some tools show it to other files"


def code_of(text: str) -> str:
    """`text` with spaces for comments and strings: every place stays where it is, and what looks like code is code."""
    return _blank(_HIDDEN, text, kinds=("comment", "string"))


def _blank(pattern: re.Pattern[str], text: str, kinds: Collection[str]) -> str:
    """`text` with spaces for all that is matched as one of `kinds`; every place stays where it is."""
    return pattern.sub(lambda m: re.sub(r"\S", " ", m[0]) if m.lastgroup in kinds else m[0], text)


def _without_brackets(code: str) -> str:
    """`code` with spaces for what stands in brackets of any kind."""
    while (blanked := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", lambda m: " " * len(m[0]), code)) != code:
        code = blanked
    return code

"""Pages, help texts and messages are written as an engineer would say it: without the patterns below. Sentences of
pages have at most 30 words. Tables of docs/tables are written by a script and not read.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import pkgutil
import re
import runpy
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aesmith import api
from aesmith.assurance import engines, proof
from aesmith.cli import VERBS
from aesmith.sboxes.catalogue import markdown_table

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (
    "README.md",
    "SECURITY.md",
    *(
        page.relative_to(ROOT).as_posix()
        for room in (DOCS, DOCS / "evidence", DOCS / "papers")
        for page in sorted(room.glob("*.md"))
    ),
)
MOST_WORDS = 30

PATTERNS = {
    r"\b(?:accesses|access|beat|beats|bit|bits|block|blocks|byte|bytes|column|columns|round|rounds|word|words) "
    r"(?:a|in a|each|every) (?:clock|cycle)\b": ("one round a clock", "one round per cycle"),
    r"\b(?:clocks|cycles) a (?:block|round|message|beat)\b": ("ten clocks a block", "ten cycles per block"),
    r"\ba (?:module|page|paper|row|card|figure|thought) a (?:file|paper|page|core|family)\b": (
        "one file a module, a page a paper",
        "one module per file",
    ),
    r"\bbehind\b": ("a message behind another", "a message after another"),
    r"\bbeside\b": ("a table beside the picture", "a table next to the picture"),
    r"\bstands?\b(?! for\b)": ("what stands on the bus", "the value on the bus"),
    r"\bis there\b(?! a\b)": ("once the result is there", "once the result is valid"),
    r"\b(?:what|who) (?:leaves|waits|comes|stands|holds|goes)\b": ("what leaves is whole", "the output is complete"),
    r"\bno(?:thing)?(?: \w+)? but\b": ("no registers but two", "only two registers"),
    r"\b(?:somebody else|another)'s\b": ("designs of somebody else's", "third-party designs"),
    r"\ban own\b": ("it has an own clock", "it has its own clock"),
    r"\bas who\b": ("as who forgets it", "like a user who forgets it"),
    r"\bfrom (?:\w+ ){1,3}on\b(?! (?:a|an|the|its|your|any)\b)": ("from reset on", "after reset"),
    r"\bare (?:two|three|four|five|six) which\b": ("there are two which win", "two of them win"),
    r"\bis told\b": ("the reason is told", "the message gives the reason"),
    r"\bmended\b": ("until it is mended", "until it is fixed"),
    r"\bcounts for nothing\b": ("it counts for nothing", "it is ignored"),
}
"""Patterns that gave the pages an accent, each with a phrase it must find and one it must not."""


def sentences(page: str) -> Iterator[str]:
    """The sentences of a page in Markdown: of paragraphs, list items and table cells; no code, no link targets."""
    page = re.sub(r"\A---\n.*?^---\n", "", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"^ *```.*?^ *```$", "", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"<!--.*?-->|</?\w[^>]*>", "", page, flags=re.DOTALL)
    page = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", page)
    page = re.sub(r"`[^`\n]*`(?:, `[^`\n]*`)*", "x", page)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=[#|])|\|", page):
        yield from (words for part in re.split(r"(?<=[.!?])[*_)]*\s+", block) if (words := " ".join(part.split())))


def wrong(page: str) -> list[str]:
    """What is not as it should be, each with what to write instead."""
    found = []
    for sentence in sentences(page):
        if len(re.findall(r"[\w'’-]+", sentence)) > MOST_WORDS:
            found.append(f"more than {MOST_WORDS} words: {sentence}")
        for pattern, (_, right) in PATTERNS.items():
            if match := re.search(pattern, sentence, re.IGNORECASE):
                found.append(f"{match[0]!r}, as in {right!r}: {sentence}")
    return found


def written(name: str) -> str:
    """A page without what it shows of a catalogue."""
    return (ROOT / name).read_text(encoding="utf-8").replace(markdown_table(), "")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_short_sentences_and_none_of_the_patterns(name: str) -> None:
    assert wrong(written(name)) == []


def help_texts() -> Iterator[tuple[str, str]]:
    """Every help text of the command line, by its verb and option; lists of names apart."""
    yield from ((name, verb.does) for name, verb in VERBS.items())
    verbs: Any = runpy.run_path(str(ROOT / "scripts" / "synopsis.py"))["verbs"]
    for name, command in verbs():
        yield name, command.help
        for parameter in command.params:
            text = getattr(parameter, "help", None) or ""
            yield f"{name} {parameter.name}", re.sub(r"\S+(?:, \S+){3,}", "x", text)


def test_help_texts_are_short_and_have_none_of_the_patterns() -> None:
    texts = dict(help_texts())
    assert len(texts) > 200
    assert {where: found for where, text in texts.items() if (found := wrong(text))} == {}


@pytest.mark.parametrize(("pattern", "twins"), PATTERNS.items(), ids=[right for _, right in PATTERNS.values()])
def test_a_pattern_finds_the_wrong_twin_only(pattern: str, twins: tuple[str, str]) -> None:
    bad, good = twins
    assert re.search(pattern, bad, re.IGNORECASE)
    assert wrong(f"{bad.capitalize()}.")
    assert wrong(f"{good.capitalize()}.") == []


def docstrings() -> Iterator[tuple[str, str]]:
    """Every docstring of what `import aesmith` gives, by its name."""
    for name in api.__all__:
        given = getattr(api, name)
        yield name, inspect.getdoc(given) or ""
        members = vars(given).items() if inspect.isclass(given) else ()
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                yield f"{name}.{member}", inspect.getdoc(value) or ""


def test_docstrings_of_the_interface_are_short_and_have_none_of_the_patterns() -> None:
    texts = dict(docstrings())
    assert len(texts) > 20
    assert {where: found for where, text in texts.items() if (found := wrong(text))} == {}


@pytest.mark.parametrize("name", ["datasheet", "engine_datasheet", "measured", "contents"])
def test_datasheets_are_written_without_the_patterns(name: str) -> None:
    """Sentences of templates have words of designs in them, and no length."""
    template = (ROOT / "src" / "aesmith" / "publish" / "templates" / f"{name}.md.j2").read_text(encoding="utf-8")
    text = re.sub(r"{%.*?%}|{{.*?}}", "x", template, flags=re.DOTALL)
    assert [found for found in wrong(text) if not found.startswith("more than")] == []


def claims() -> Iterator[tuple[str, str]]:
    """What reports of proofs claim and assume: the texts that a module of the provers has a name for."""
    for room in (engines, proof):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for name, value in vars(importlib.import_module(found.name)).items():
                texts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
                yield from (
                    (f"{found.name}.{name}", text) for text in texts if isinstance(text, str) and name.isupper()
                )


def test_claims_of_proofs_are_written_without_the_patterns() -> None:
    """Claims name what they hold for before what holds, in one sentence of any length."""
    texts = [(where, text) for where, text in claims() if len(text.split()) > 6]
    assert len(texts) > 50
    found = {where: [line for line in wrong(text) if not line.startswith("more than")] for where, text in texts}
    assert {where: lines for where, lines in found.items() if lines} == {}


IN_SYSTEMVERILOG = (
    *("x clocks a round", "20 clocks a round", "one round a clock", "x rounds a clock", "x clocks a block"),
    *("MixColumns behind it (next)", "MixColumns behind the circulant", "summed behind the registers"),
    *("x behind the block interface", "both paths behind one set of inverters", "the sums of words, beside SubWord"),
    *("which stands still meanwhile", "no LUT but its"),
)
"""Strings of comments of generated sources: measured points carry digests of those."""


def strings_and_comments(source: str) -> Iterator[str]:
    """The texts of a module of Python that are no docstrings; what is filled in is an x."""
    tree = ast.parse(source)
    apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart |= {id(value) for value in node.values}
            yield "".join(value.value if isinstance(value, ast.Constant) else "x" for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield node.value
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def test_strings_and_comments_of_the_sources_are_written_without_the_patterns() -> None:
    found, used = [], set[str]()
    for path in sorted((ROOT / "src").rglob("*.py")):
        for text in strings_and_comments(path.read_text(encoding="utf-8")):
            if " " in text and (lines := [line for line in wrong(text) if not line.startswith("more than")]):
                exempt = [words for words in IN_SYSTEMVERILOG if words in text]
                used.update(exempt)
                found += [] if exempt else [(path.name, line) for line in lines]
    assert found == []
    assert used == set(IN_SYSTEMVERILOG)


def test_strings_and_comments_are_found_and_docstrings_are_not() -> None:
    source = 'def f(x):\n    """What stands."""\n    return f"{x} stands" + "stands there"  # It stands.\n'
    assert sorted(strings_and_comments(source)) == ["# It stands.", "stands there", "x stands"]


def test_a_long_sentence_is_found_wherever_it_is_but_in_code() -> None:
    long = "word " * 31
    for page in (f"{long}.", f"- {long}", f"| cell | {long}|", f"First one.\nThen {long}.", f"[{long}](page.md)"):
        assert len(wrong(page)) == 1, page
    for page in (f"```text\n{long}\n```\n", f"<!-- {long}-->", f"`{long}`", f"{'word ' * 30}. {'word ' * 30}."):
        assert wrong(page) == [], page


def test_the_glossary_has_each_word_once_in_order() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE)[1:]
    assert len(words) > 50
    assert words == sorted(set(words), key=str.lower)


def test_every_word_of_the_glossary_is_used() -> None:
    """One that no other page has is a word too many."""
    docs = ROOT / "docs"
    glossary = docs / "glossary.md"
    words = re.findall(r"^\| ([^|]+) \|", glossary.read_text(encoding="utf-8"), re.MULTILINE)[1:]
    text = " ".join(page.read_text(encoding="utf-8") for page in docs.rglob("*.md") if page != glossary).lower()
    text = " ".join(text.split())
    parts = [part.removesuffix(" basis") for word in words for part in re.split(r",? or |, ", word.lower())]
    assert [part for part in parts if part not in text] == []

"""What a reader is owed by each page: its purpose before all else, and no abbreviation that is explained nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .test_english import sentences

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")

COMMON = re.findall(
    r"\S+",
    """
    AES AMD AND CBC CCM CCS CFB CHES CMAC CSV CTR DMA ECB FIPS FPGA GCM GMAC HTML IEEE IHP JSON LED NAND NIST OFB PDF
    PSA RFC RISC RTL SIV SVG XACT XNOR XOR XTS
    """,
)
"""What an engineer of the field knows: standards and their modes, parts, file formats, companies."""
CODES = re.compile(r"\b(?:code )?\d+ [A-Z]+\b")
"""Names of an engine's codes, which a page explains where it lists them."""


def first_paragraph(page: str) -> str:
    """What follows the title, if it is text and neither a heading, a table, a list, code nor a picture; else ''."""
    page = re.sub(r"\A---\n.*?^---\n|<!--.*?-->", "", page, flags=re.DOTALL | re.MULTILINE).strip()
    title, _, rest = page.partition("\n")
    paragraph = rest.strip().partition("\n\n")[0]
    return paragraph if title.startswith("# ") and re.match(r"[\w\[*]|`[^`]", paragraph) else ""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_it_is_for_before_anything_else(name: str) -> None:
    assert len(first_paragraph((DOCS / name).read_text(encoding="utf-8")).split()) >= 5


@pytest.mark.parametrize("start", ["| a | table |", "```text\ncode", "![a picture](x.svg)", "## A heading", "- a list"])
def test_a_page_without_a_purpose_is_found(start: str) -> None:
    assert first_paragraph(f"# Title\n\n{start}\n\nA paragraph.\n") == ""
    assert first_paragraph(f"# Title\n\n`name` is for this.\n\n{start}\n") == "`name` is for this."


def abbreviations(page: str) -> set[str]:
    """Those of three capitals or more in a page's text, without names of codes, and in the singular."""
    text = CODES.sub("", " ".join(sentences(page)))
    return set(re.findall(r"\b[A-Z]{3,}(?=s?\b)(?!-?\d)", text))


def test_abbreviations_of_several_pages_are_in_the_glossary() -> None:
    """One that a single page uses is left to that page."""
    used: dict[str, list[str]] = {}
    for page in sorted(DOCS.glob("*.md")):
        for found in abbreviations(page.read_text(encoding="utf-8")):
            used.setdefault(found, []).append(page.name)
    unknown = {
        word: pages
        for word, pages in used.items()
        if len(pages) > 1 and word not in COMMON and not re.search(rf"\b{word}\b", GLOSSARY)
    }
    assert unknown == {}


def test_an_abbreviation_is_found_in_any_number() -> None:
    assert abbreviations("Two LUTs, an SPEF file, FIPS-197 and `PATH`; code 6 LENGTH.") == {"LUT", "SPEF"}

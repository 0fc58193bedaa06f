"""Guides and explanations stay short: what was measured and tried is evidence, what is looked up is reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = (ROOT / "scripts" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
KINDS = ("Tutorials", "How-to", "Reference", "Explanation", "Evidence")
MOST = {"Tutorials": 3_500, "How-to": 7_000, "Explanation": 24_000}
MOST_OF_A_PAGE = {"Tutorials": 1_300, "How-to": 800, "Explanation": 2_000}


def words(name: str) -> int:
    """As `wc -w` counts them; of a page that is written at the time of building none."""
    page = DOCS / name
    return len(page.read_text(encoding="utf-8").split()) if page.is_file() else 0


@pytest.fixture(scope="module")
def kinds() -> dict[str, list[str]]:
    """The pages of each part of the site's navigation."""
    _, _, navigation = SITE.partition("\nnav:\n")
    parts = re.split(r"^  - (\S+):(?: |$)", navigation, flags=re.MULTILINE)[1:]
    return {
        kind: re.findall(r"(\S+\.md)$", part, re.MULTILINE) for kind, part in zip(parts[::2], parts[1::2], strict=True)
    }


def test_every_page_is_of_one_kind(kinds: dict[str, list[str]]) -> None:
    of_a_kind = [page for kind in KINDS for page in kinds[kind]]
    assert len(of_a_kind) == len(set(of_a_kind))
    every = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"index.md", "gallery.md"}
    assert every <= set(of_a_kind)
    evidence = [page for page in every if page.startswith(("evidence/", "papers/", "tables/"))]
    assert set(evidence) <= set(kinds["Evidence"])


@pytest.mark.parametrize("kind", MOST)
def test_a_kind_has_few_words(kinds: dict[str, list[str]], kind: str) -> None:
    counted = {page: words(page) for page in kinds[kind]}
    assert sum(counted.values()) <= MOST[kind], counted


def test_guides_and_explanations_are_below_the_floor(kinds: dict[str, list[str]]) -> None:
    assert sum(MOST.values()) <= 45_000
    long = {page: words(page) for kind in MOST for page in kinds[kind] if words(page) > MOST_OF_A_PAGE[kind]}
    assert long == {}


def test_a_guide_has_no_figure_with_a_comment(kinds: dict[str, list[str]]) -> None:
    """Figures that a script writes anew are evidence."""
    guides = [DOCS / page for kind in MOST for page in kinds[kind] if (DOCS / page).is_file()]
    assert len(guides) > 20
    assert [page.name for page in guides if "<!--" in page.read_text(encoding="utf-8")] == []


def test_a_page_that_grows_is_found(kinds: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "words", lambda _: 2_001)
    with pytest.raises(AssertionError):
        test_guides_and_explanations_are_below_the_floor(kinds)
    with pytest.raises(AssertionError):
        test_a_kind_has_few_words(kinds, "How-to")

"""CHANGELOG says what a user must know: about a page for each version, what to change first, links that work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .test_commands import anchors

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSIONS = re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", CHANGELOG, re.MULTILINE)
MOST_WORDS = 1_500


@pytest.mark.parametrize(("version", "text"), VERSIONS, ids=[version for version, _ in VERSIONS])
def test_a_version_has_about_a_page_and_begins_with_what_to_change(version: str, text: str) -> None:
    assert len(text.split()) <= MOST_WORDS, version
    assert re.findall(r"^### (.+)$", text, re.MULTILINE)[0] == "Migration"


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", CHANGELOG)
    assert len(links) > 50
    for path, anchor in links:
        assert (ROOT / path).exists(), path
        assert not anchor or anchor in anchors(ROOT / path), f"{path}#{anchor}"

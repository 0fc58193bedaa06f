"""The table of certificates is what the proofs and checks printed, and of the presets that there are."""

from __future__ import annotations

from types import ModuleType

import pytest

from aesmith.cores.specification import presets

from .scripts import script

LOG = (
    "first-enc: proved, 39 s, of which 16 s of one processor, 1080 MB; certificate accepted, 1,909 states, 5,584 "
    "clocks, 24.7 MB, in 88 s of one processor: every result (exhaustive symbolic walk): 909 states: all there are\n"
    "second-enc: proved, 3 s, of which 3 s of one processor, 80 MB; certificate accepted, 47 states, 288 clocks, "
    "3.9 MB, in 4 s of one processor: quiet output (structure of gates): each of 128 bits has a gate\n"
)
DIGESTS = {"first-enc": "0000000a", "second-enc": "0000000b"}


@pytest.fixture(scope="module")
def page() -> ModuleType:
    return script("certificate_page")


@pytest.mark.thorough
def test_the_page_is_what_was_printed_of_the_presets_of_today(page: ModuleType) -> None:
    """If not: python benchmarks/prove_cores.py --check-certificates PRESET …, and certificate_page.py with its log."""
    text = page.PAGE.read_text(encoding="utf-8")
    rows = page.read_page(text)
    assert page.block(rows, tuple(presets())) in text
    assert len(rows) >= 32
    assert [preset for preset, row in rows.items() if page.digest(preset) != row.digest] == [], "other cores now"


def test_a_log_becomes_a_table_with_its_sums(page: ModuleType) -> None:
    rows = page.read_log(LOG, "0123abc", DIGESTS)
    text = page.block(rows, ("second-enc", "first-enc"))
    assert page.read_page(f"Before.\n\n{text}\nBehind.\n") == rows
    assert "All 2 presets were proved at commit 0123abc" in text
    assert "19 s of one processor for the proofs and 92 s" in text
    assert "| `second-enc` | 47 | 288 | 3.9 | 3 | 4 |\n| `first-enc` | 1,909 | 5,584 | 24.7 | 16 | 88 |\n" in text


def test_rows_of_several_commits_and_presets_without_one_are_told(page: ModuleType) -> None:
    rows = page.read_log(LOG, "0123abc", DIGESTS)
    rows["third-enc"] = rows["first-enc"]._replace(commit="4567def")
    said = page.block(rows, ("first-enc", "second-enc", "third-enc", "fourth-enc")).replace("\n", " ")
    commits = "`0123abc\N{NO-BREAK SPACE}(2)`, `4567def\N{NO-BREAK SPACE}(1)`"
    assert f"3 of the 4 presets were proved at the commits {commits}" in said
    assert "may have changed between these commits. Not in this table: `fourth-enc`." in said


@pytest.mark.parametrize(
    ("held", "other"),
    [("proved,", "NOT PROVED,"), ("certificate accepted,", "certificate NOT ACCEPTED, exit status 1:")],
)
def test_a_log_in_which_something_does_not_hold_is_refused(page: ModuleType, held: str, other: str) -> None:
    with pytest.raises(ValueError, match="not proved and accepted: second-enc"):
        page.read_log(LOG[: LOG.index("second")] + LOG[LOG.index("second") :].replace(held, other), "0", DIGESTS)

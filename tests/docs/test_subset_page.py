"""docs/subset.md shows every rule on what proofs accept, with its kinds, and no others."""

from __future__ import annotations

import re
from pathlib import Path

from aesmith.assurance.proof.subset.kinds import ACCEPTED, ACCEPTED_KINDS, NETLIST_KINDS, REFUSED

PAGE = (Path(__file__).parents[2] / "docs" / "subset.md").read_text(encoding="utf-8")


def test_each_rule_is_on_the_page_as_it_is_in_the_code() -> None:
    _, *sections = re.split(r"^### ", PAGE.partition("\n## What is checked")[0], flags=re.MULTILINE)
    assert [section.splitlines()[0] for section in sections] == [rule.what for rule in ACCEPTED]
    for rule, section in zip(ACCEPTED, sections, strict=True):
        _, _, said, _, why, _, kinds, *_ = section.splitlines()
        assert said.lower() == f"{rule.rule}.".lower()
        assert why == f"*Why:* {rule.why}."
        assert re.findall(r"`(\w+)`", kinds) == list(rule.kinds)


def test_no_kind_is_in_two_rules_or_both_accepted_and_refused() -> None:
    kinds = [kind for rule in ACCEPTED for kind in rule.kinds]
    assert len(set(kinds)) == len(kinds)
    assert not ACCEPTED_KINDS & REFUSED.keys()
    assert NETLIST_KINDS <= ACCEPTED_KINDS

"""The digest is of the modules that make figures, all of them and no others."""

from __future__ import annotations

import pytest

from aesmith.flow import code_digest as subject
from aesmith.flow.code_digest import code_digest


def modules() -> set[str]:
    return set(subject._closure(("aesmith.flow.measure", "aesmith.flow.yosys_worker")))


def test_it_covers_mapping_and_timing() -> None:
    assert {
        "aesmith.flow.recipes",
        "aesmith.flow.synthesis",
        "aesmith.flow.yosys_worker",
        "aesmith.technology.liberty",
        "aesmith.timing.static",
        "aesmith.timing.delay_tables",
    } <= modules()


def test_it_leaves_out_what_changes_no_figure() -> None:
    assert not {"aesmith.flow.lint", "aesmith.flow.verilator", "aesmith.timing.opensta"} & modules()


def test_a_changed_module_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_digest()
    text = subject._text
    monkeypatch.setattr(subject, "_text", lambda name: text(name) + "#" * (name == "aesmith.timing.delay_tables"))
    code_digest.cache_clear()
    assert code_digest() != before
    monkeypatch.undo()
    code_digest.cache_clear()
    assert code_digest() == before

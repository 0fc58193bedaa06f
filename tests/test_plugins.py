"""Families and S-boxes of other distributions: found by entry points, and what is wrong with one is said by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.cores.specification import families, parse_specification
from aesmith.errors import PluginError, RequestError
from aesmith.own_code import GENERATOR, code_digest
from aesmith.plugins import FAMILIES, SBOXES
from aesmith.sboxes.catalogue import catalogue

FAMILY = """
from typing import Literal
from aesmith.cores.family import DepthClaim, Family, Specification
from aesmith.circuits.cost import LogicDepth
from aesmith.cores.round_based.family import PRESETS

class Mine(Specification):
    architecture: Literal["mine"] = "mine"
    directions: tuple[Literal["encrypt"]] = ("encrypt",)
    key_bits: Literal[128] = 128

    def design(self, name, preset):
        return PRESETS["ueno2020-enc"].design(name, preset)

class Nameless(Mine):
    architecture: str

class Taken(Mine):
    architecture: Literal["subpipelined"] = "subpipelined"

def made(name="mine", specifications=(Mine,), presets={"mine-enc": Mine()}, **more):
    return Family(name, "one of mine", specifications, presets, **more)
"""
NEEDS = """
from pydantic import Field, model_validator

class Needs(Mine):
    width: int = Field(ge=1)
    part: float = Field(default=0.5, le=1)
    word: str = Field(default="a", pattern="^a+$")

    @model_validator(mode="after")
    def check(self):
        if self.width > 9:
            raise ValueError("width and part contradict each other")
        return self
"""
SBOX = """
from dataclasses import replace
from aesmith.sboxes.boyar2012 import ENTRY as ENTRIES
OTHER = ENTRIES[0]
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a distribution of one module for the length of a test, as `pip` leaves it: module and `.dist-info`."""

    def put(group: str, text: str | None, name: str = "toy") -> None:
        about = tmp_path / f"{name}_plugin-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-plugin\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {tmp_path.name}_{name}\n")
        if text is not None:
            (tmp_path / f"{tmp_path.name}_{name}.py").write_text(text)
        monkeypatch.syspath_prepend(str(tmp_path))

    def forget() -> None:
        for found in (families, catalogue, code_digest):
            found.cache_clear()

    forget()
    yield put
    forget()


def test_a_family_stands_beside_our_own(install: Install) -> None:
    ours = list(families())
    families.cache_clear()
    install(FAMILIES, f"{FAMILY}\nFAMILY = made()")
    assert list(families()) == [*ours, "mine"]


def test_a_family_whose_core_is_wrong_is_refuted(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = f"""{FAMILY}
from dataclasses import replace

class Wrong(Mine):
    def design(self, name, preset):
        right = PRESETS["boyar2010-enc"].design(name, preset)
        *others, sbox = sorted(right.sources, key=lambda source: source.name.endswith("_key_sbox.sv"))
        return replace(right, sources=(*others, replace(sbox, text=sbox.text.replace(" & ", " | ", 1))))

FAMILY = made(specifications=(Wrong,), presets={{"wrong-enc": Wrong()}})"""
    install(FAMILIES, wrong)
    assert run(["verify", "wrong-enc", "--prove", "--proof-dir", str(tmp_path / "proof")]) == 1
    assert "every result: refuted" in capsys.readouterr().err
    assert not (tmp_path / "proof" / "certificate.json").exists()


def test_wrong_fields_of_a_plugin_are_named_in_our_words(install: Install) -> None:
    install(FAMILIES, f"{FAMILY}\n{NEEDS}\nFAMILY = made(specifications=(Needs,), presets={{}})")
    with pytest.raises(RequestError) as caught:
        parse_specification({"architecture": "mine", "part": 1.5, "word": "B"})
    assert str(caught.value).splitlines() == [
        "specification: width: must be a whole number of at least 1, and is not given",
        "specification: part: must be a number of at most 1, not 1.5",
        "specification: word: must be a text that matches ^a+$, not 'B'",
    ]
    with pytest.raises(RequestError, match="width and part contradict each other"):
        parse_specification({"architecture": "mine", "width": 99})


def test_an_sbox_stands_beside_our_own_in_the_order_of_publication(install: Install) -> None:
    ours = list(catalogue())
    catalogue.cache_clear()
    install(SBOXES, f"{SBOX}\nENTRY = (replace(OTHER, name='first'), replace(OTHER, name='second'))")
    after = ours.index("boyar2012-derived") + 1
    assert list(catalogue()) == [*ours[:after], "first", "second", *ours[after:]]


def test_what_is_computed_depends_on_the_plugin(install: Install, tmp_path: Path) -> None:
    install(FAMILIES, f"{FAMILY}\nFAMILY = made()")
    before = code_digest(GENERATOR)
    (tmp_path / f"{tmp_path.name}_toy.py").write_text(f"{FAMILY}\nFAMILY = made('other')")
    code_digest.cache_clear()
    assert code_digest(GENERATOR) != before


WRONG = {
    "not there": (FAMILIES, None, "cannot be imported (ModuleNotFoundError: No module named"),
    "does not run": (FAMILIES, "1 / 0", "cannot be imported (ZeroDivisionError: division by zero)"),
    "no family": (FAMILIES, "", "the module must have FAMILY, and has not"),
    "no S-box": (SBOXES, "FAMILY = 1", "the module must have ENTRY, and has not"),
    "no object": (FAMILIES, "FAMILY = 'mine'", "FAMILY must be of the class Family, or a tuple of such, not 'mine'"),
    "one of two": (SBOXES, f"{SBOX}\nENTRY = (OTHER, 3)", "ENTRY must be of the class SBox, or a tuple of such, not 3"),
    "no name": (FAMILIES, f"{FAMILY}\nFAMILY = made('My Family')", "FAMILY: the name must be lower-case letters"),
    "a name of ours": (
        FAMILIES,
        f"{FAMILY}\nFAMILY = made('byte-serial')",
        "FAMILY: there is byte-serial already, from aesmith.cores.serial.family",
    ),
    "an S-box of ours": (SBOXES, f"{SBOX}\nENTRY = OTHER", "ENTRY: there is boyar2012 already, from aesmith.sboxes."),
    "a preset of ours": (
        FAMILIES,
        f"{FAMILY}\nFAMILY = made(presets={{'ueno2020-enc': Mine()}})",
        "family mine: presets: there is ueno2020-enc already, in family round-based",
    ),
    "an architecture of ours": (
        FAMILIES,
        f"{FAMILY}\nFAMILY = made(specifications=(Taken,), presets={{}})",
        "family mine: architectures: there is subpipelined already, in family sub-pipelined",
    ),
    "a strange preset": (
        FAMILIES,
        f"{FAMILY}\nFAMILY = made(presets=PRESETS)",
        "preset ueno2020-enc: must be of one of the family's specifications, not Ueno2020EncSpecification",
    ),
    "no architecture": (
        FAMILIES,
        f"{FAMILY}\nFAMILY = made(specifications=(Nameless,), presets={{}})",
        "family mine: Nameless: `architecture` must have its name as default",
    ),
    "a claim of nothing": (
        FAMILIES,
        f"{FAMILY}\nFAMILY = made(depths={{'other': DepthClaim(LogicDepth(1, 2, 3))}})",
        "family mine: depths: there is no preset other",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_broken_plugin_is_named_with_what_is_wrong(
    case: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    group, text, message = WRONG[case]
    install(group, text)
    assert run(["list", "families" if group == FAMILIES else "sboxes"]) == PluginError.exit_code
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert "toy" in said or "family mine" in said


def test_two_plugins_of_one_name_are_refused_by_both_names(install: Install) -> None:
    install(FAMILIES, f"{FAMILY}\nFAMILY = made()", "first")
    install(FAMILIES, f"{FAMILY}\nFAMILY = made()", "second")
    with pytest.raises(
        PluginError, match=r"plug-in second of second-plugin 1\.0 .*there is mine already, from plug-in f"
    ):
        families()

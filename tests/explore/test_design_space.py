"""A design space is all combinations of its values, less what the cores' own rules refuse, which is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aesmith.cores.specification import architectures
from aesmith.errors import RequestError
from aesmith.explore import design_space as subject
from aesmith.explore.design_space import Condition, enumerate_designs, load_space, parse_space, shipped_spaces
from aesmith.explore.outline import Outline, design_name
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Optimise


def cores_of(**fields: Any) -> list[dict[str, Any]]:
    return list(parse_space({"cores": [fields]}, "x").blocks[0].choices.combinations())


def test_every_value_goes_with_every_other() -> None:
    combinations = cores_of(architecture="subpipelined", stages=[1, 2], rounds_in_loop={"from": 1, "to": 5, "step": 2})
    assert [(c["stages"], c["rounds_in_loop"]) for c in combinations] == [
        (1, 1),
        (1, 3),
        (1, 5),
        (2, 1),
        (2, 3),
        (2, 5),
    ]


def test_values_that_belong_together_stay_together() -> None:
    towers = [{"alpha": 0xAA, "beta": 0xED, "gamma": 0x98}, {"alpha": 0xEE, "beta": 0x0C, "gamma": 1}]
    combinations = cores_of(architecture="ueno2020-encdec", together=towers, key_bits=[128, 256])
    assert [(c["alpha"], c["gamma"], c["key_bits"]) for c in combinations] == [
        (0xAA, 0x98, 128), (0xAA, 0x98, 256), (0xEE, 1, 128), (0xEE, 1, 256),
    ]  # fmt: skip


def test_directions_and_none_are_written_as_words() -> None:
    both = cores_of(architecture="standard-enc", directions="encrypt+decrypt", mix_columns_levels=["none", 3])
    assert [(c["directions"], c["mix_columns_levels"]) for c in both] == [
        (("encrypt", "decrypt"), None), (("encrypt", "decrypt"), 3),
    ]  # fmt: skip


def test_conditions_are_the_spaces_unless_a_block_has_its_own() -> None:
    space = parse_space(
        {
            "optimise": ["area", "speed"],
            "cores": [{"preset": "ueno2020-enc"}, {"preset": "ueno2020-enc", "recipe": ["keep", "keep-sized@900"]}],
        },
        "x",
    )
    assert space.blocks[0].conditions == (Condition(Optimise.AREA), Condition(Optimise.SPEED))
    assert [condition.label for condition in space.blocks[1].conditions] == ["keep", "keep-sized@900"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "cores: there must be at least one table"),
        ({"cores": [{"preset": "a"}], "color": 1}, "color: there is no such field; the fields are name"),
        ({"cores": [{"stages": 3}]}, "cores 1: there must be an architecture or a preset"),
        ({"cores": [{"preset": "a", "depth": 3}]}, "cores 1: depth: there is no such field"),
        ({"cores": [{"preset": "a", "stages": []}]}, "cores 1: stages: must have at least one value"),
        ({"cores": [{"preset": "a", "stages": {"from": 1}}]}, "cores 1: stages: a range is {from = 1"),
        ({"cores": [{"preset": "a", "directions": [["encrypt"]]}]}, "directions: must be encrypt, decrypt or"),
        ({"cores": [{"preset": "a", "recipe": "fast"}]}, "cores 1: recipe: unknown 'fast'"),
        ({"cores": [{"preset": "a", "recipe": "keep@900"}]}, "recipe keep sizes for no target"),
        (
            {"cores": [{"preset": "a"}], "optimise": "power"},
            "optimise: must be one of area, area-speed, speed, area-kept, area-speed-kept, not",
        ),
        ({"cores": [{"preset": "a"}], "name": "a b"}, "name: must be at most 80 letters"),
        ({"cores": [{"preset": "a"}], "library": [7]}, "library: must be names or files"),
    ],
)
def test_a_space_that_will_not_do_says_why(content: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_space(content, "x")
    assert message in str(caught.value)


def test_what_the_cores_refuse_is_left_out_and_counted_by_rule(tmp_path: Path) -> None:
    file = tmp_path / "loops.toml"
    file.write_text(
        '[[cores]]\narchitecture = ["subpipelined", "hamalainen2006-enc"]\nrounds_in_loop = [1, 3, 4, 5, 1]\n'
        'stages = 2\n[[cores]]\narchitecture = "serial-small-enc"\nsbox = ["reyhani2018", "nothing"]\n'
    )
    found = enumerate_designs(load_space(str(file)))
    assert [core.design for core in found.designs] == ["subpipelined-r2-u1", "subpipelined-r2-u5", "serial-small-enc"]
    assert (found.combinations, found.points, found.repeated) == (12, 3, 1)
    assert sum(found.refused.values()) == 12 - 3 - 1
    assert found.refused["rounds_in_loop: must divide the 10 rounds of a 128-bit key (1, 2, 5, 10)"] == 2
    assert any(rule.startswith("rounds_in_loop: there is no such field") for rule in found.refused)


def test_a_space_of_nothing_says_what_was_refused() -> None:
    with pytest.raises(RequestError, match=r"no combination is a core \(1 times: stages: must be"):
        enumerate_designs(parse_space({"cores": [{"architecture": "subpipelined", "stages": 11}]}, "x"))


def test_cores_are_built_once_and_then_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = parse_space({"cores": [{"preset": ["hamalainen2006-enc", "nothing"]}]}, "x")
    with open_store(tmp_path / "s.sqlite") as store:
        first = enumerate_designs(space, store)
        monkeypatch.setattr(subject, "_fact", None)
        assert enumerate_designs(space, store) == first


def test_an_outline_says_of_a_core_what_the_core_says_itself() -> None:
    wanted = {
        "cores": [{"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 2, "sbox": "boyar2010-derived"}]
    }
    (core,) = enumerate_designs(parse_space(wanted, "x")).designs
    design = core.build()
    assert (core.name, core.source_hash, core.cycles_per_block) == (design.name, design.source_hash, 5)
    assert (core.family, core.stages, core.units, core.sbox) == ("sub-pipelined", 3, 2, "boyar2010-derived")
    assert core.sources == design.sources
    assert Outline.from_json(core.to_json()) == core


def test_names_of_cores_tell_them_apart() -> None:
    known = architectures()
    wang = [
        known["wang2010-enc"](stages=stages, sbox=sbox, clock_gates=gated)
        for stages in (3, 4)
        for sbox in ("boyar2012-derived", "boyar2010-derived")
        for gated in (False, True)
    ]
    standard = [
        known["standard-enc"](key_bits=bits, mix_columns_levels=levels)
        for bits in (128, 256)
        for levels in (None, 3, 4)
    ]
    towers = [known["ueno2020-enc"](), known["ueno2020-enc"](gamma=1), known["ueno2020-enc"](beta=2)]
    towers.append(known["ueno2020-enc"](rounds_per_clock=2))
    loops = [
        known["subpipelined"](stages=stages, rounds_in_loop=units, directions=directions)
        for stages in (1, 3)
        for units in (None, 1, 10)
        for directions in (("encrypt",), ("decrypt",), ("encrypt", "decrypt"))
    ]
    outputs = [known["ueno2020-enc"](output=output, clear=True) for output in ("bare", "registered")]
    names = [design_name(specification) for specification in (*wang, *standard, *towers, *loops, *outputs)]
    assert len(set(names)) == len(names)
    assert {"wang2010-enc-r3-boyar2010-derived-gated", "boyar2010-enc", "standard-enc-256-mx"} <= set(names)
    assert {"ueno2020-enc-bare-clear", "ueno2020-enc-registered-clear"} <= set(names)
    assert {"ueno2020-enc", "ueno2020-enc-gamma01", "ueno2020-enc-u2"} <= set(names)
    assert {"subpipelined-r3-uall", "subpipelined-encdec-r1-u10"} <= set(names)


def test_the_shipped_space_has_the_points_that_it_promises() -> None:
    space = load_space("families")
    assert set(shipped_spaces()) == {"engines", "families", "presets"}
    promised = sum(len(block.conditions) * len(list(block.choices.combinations())) for block in space.blocks)
    assert promised >= 300
    assert not space.libraries, "whoever sweeps says in which library"

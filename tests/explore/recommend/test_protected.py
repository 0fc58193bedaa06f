"""A protected core is one whose ports are in shares, mapped module by module; the choice is that of looking at all."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache

import pandas as pd
import pytest
from tests.explore.recommend.test_choice import brute_force, find, random_request

from aesmith.cores.specification import parse_specification, presets
from aesmith.errors import RequestError
from aesmith.explore.outline import Outline, outline
from aesmith.explore.points import frame
from aesmith.explore.recommend.choice import recommend
from aesmith.explore.recommend.needed import PROTECTED_RECIPES, measure_needed, protected_rows
from aesmith.explore.recommend.requirement import Requirement, requirement
from aesmith.explore.recommend.serving import protection_of
from aesmith.explore.recommend.words import as_values, failures, options_table, reasons
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

MASKED = [
    name for name in presets() if any(load.shares > 1 for load in presets()[name].design("x", name).ports.payloads)
]


@cache
def core_of(name: str, order: int) -> Outline:
    """A preset, with shares at this order."""
    return outline(presets()[name].model_dump(mode="json") | ({"order": order} if order else {}))


def rows(seed: int) -> list[dict[str, object]]:
    """Invented figures of masked cores at orders 1 to 3, some mapped across modules, beside cores without shares."""
    rng = random.Random(seed)
    found = []
    for name in (*MASKED, "boyar2010-enc", "serial-small-enc", "ueno2020-encdec"):
        for order in (1, 2, 3) if name in MASKED else (0,):
            core = core_of(name, order)
            for recipe in ("keep-modules", "keep", "delay-modules@900"):
                area, period = 4e3 * (order + 1) * rng.uniform(1, 9), rng.uniform(0.8, 2)
                gbps = 128 / period / core.cycles_per_block
                found.append({
                    "design": core.design,
                    "specification": core.specification,
                    "family": core.family,
                    "architecture": core.architecture,
                    "directions": "+".join(core.directions),
                    "key_bits": 128,
                    "block_width": core.block_width,
                    "cycles_per_block": core.cycles_per_block,
                    "latency_cycles": core.latency_cycles,
                    "blocks_in_flight": 1,
                    "library": "invented",
                    "optimise": "recipe",
                    "recipe": recipe,
                    "key": f"{rng.getrandbits(256):064x}",
                    "status": "done",
                    "verified": "simulation",
                    "area_ge": area,
                    "period_ns": period,
                    "fmax_mhz": 1e3 / period,
                    "latency_ns": core.latency_cycles * period,
                    "throughput_gbps": gbps,
                    "efficiency_kbps_per_ge": gbps * 1e6 / area,
                })  # fmt: skip
    return found


def plainly(points: pd.DataFrame, order: int) -> pd.DataFrame:
    """The points that are protected, by their fields and recipes alone."""
    kept = []
    for row in points.to_dict("records"):
        fields = json.loads(row["specification"])
        has = fields.get("order", 0)
        held = has == 1 or fields.get("clock_gates")
        kept.append(has >= order and held and "-modules" in row["recipe"])
    return points[kept]


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(24))
def test_the_choice_is_that_of_brute_force_over_protected_cores(seed: int) -> None:
    rng = random.Random(seed)
    points, order, request = frame(rows(seed)), rng.choice((1, 1, 2, 3)), random_request(rng)
    request |= {"mode": rng.choice(("ecb", "ctr", "cbc")), "directions": "enc", "key": 128}
    request = {k: v for k, v in request.items() if "power" not in (k, v) and k not in ("max_energy", "max_power")}
    if request.get("minimise") in ("power", "energy"):
        request["minimise"] = "area"
    request.setdefault("minimise", "area") if "maximise" not in request else None
    found = find(points, protected=f"order={order}", **request)
    expected = brute_force(plainly(points, order), request)
    assert (found.chosen and found.chosen.row["key"]) == (expected and expected[1])
    json.dumps(as_values(found))
    if found.chosen is None:
        assert failures(found)
        return
    fields = json.loads(str(found.chosen.row["specification"]))
    assert fields["order"] >= order
    fresh = protection_of(str(found.chosen.row["specification"])).random_bits
    table = {row[0]: row[1] for row in options_table(found)[1]}
    assert table["order of protection"] == str(fields["order"])
    assert table["fresh bits per cycle"].startswith(f"{fresh:,}")
    said = "\n".join(reasons(found))
    assert f"protected at order {fields['order']}" in said
    assert "not covered: " in said


def test_fresh_bits_are_those_of_the_core_or_of_the_generator_inside() -> None:
    def of(**fields: object) -> tuple[int, int, bool]:
        found = protection_of(json.dumps(fields))
        return found.order, found.random_bits, found.seeded

    assert of(preset="masked-serial-enc") == (0, 0, False), "a specification in full has an architecture"
    assert of(architecture="masked-serial-enc") == (1, 30, False)
    assert of(architecture="masked-serial-enc", order=2, clock_gates=True) == (2, 90, False)
    assert of(architecture="masked-serial-enc", prng="trivium") == (1, 30, True)
    assert of(architecture="masked-serial-enc", order=2) == (0, 90, False), "R6: clock enables of three shares"
    assert of(architecture="round-based") == (0, 0, False)


class Bench:
    """Measures what it is asked for by invented figures, and notes it."""

    def __init__(self, seed: int) -> None:
        self.rng, self.asked = random.Random(seed), list[dict[str, object]]()

    def __call__(self, row: Mapping[str, object]) -> Mapping[str, object]:
        area, period = self.rng.uniform(1e4, 9e4), self.rng.uniform(1, 2)
        gbps = 128 / period / float(str(row["cycles_per_block"]))
        done = {**row, "status": "done", "area_ge": area, "period_ns": period, "fmax_mhz": 1e3 / period}
        done |= {"throughput_gbps": gbps, "efficiency_kbps_per_ge": gbps * 1e6 / area, "verified": "simulation"}
        self.asked.append(done | {"key": str(len(self.asked))})
        return self.asked[-1]


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> Library:
    """`generic45`, said to have a clock gate."""
    library = library_by("generic45")
    monkeypatch.setattr(Library, "clock_gate", property(lambda _self: object()), raising=False)
    return library


def measured(
    wanted: Requirement, library: Library, bench: Bench, most: int = 999
) -> tuple[pd.DataFrame, dict[str, int]]:
    candidates = protected_rows(wanted, library)
    empty = frame([])
    needed = measure_needed(wanted, empty, empty, bench, in_time=lambda: len(bench.asked) < most, unheard=candidates)
    return needed.points, dict(needed.unmeasured)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("order", [1, 2])
def test_all_presets_with_shares_are_measured_at_the_order_asked_for(order: int, gated: Library) -> None:
    bench = Bench(order)
    wanted = requirement(protected=f"order={order}", maximise="throughput")
    points, left = measured(wanted, gated, bench)
    assert not left
    expected = set()
    for name in MASKED:
        fields = presets()[name].model_dump(mode="json") | {"order": order}
        if order == 1 or fields["clock_gates"]:
            expected.add(json.dumps(parse_specification(fields).model_dump(mode="json"), sort_keys=True))
    assert {(row["specification"], row["recipe"]) for row in bench.asked} == {
        (text, recipe) for text in expected for recipe in PROTECTED_RECIPES
    }
    chosen = recommend(points, wanted).chosen
    assert chosen is not None
    assert chosen.row["key"] == max(bench.asked, key=lambda row: float(str(row["throughput_gbps"])))["key"]


def test_what_there_is_no_time_for_is_counted(gated: Library) -> None:
    wanted = requirement(protected="order=1")
    _, left = measured(wanted, gated, Bench(1), most=3)
    assert left == {"of which nothing is known, and the time was up": len(protected_rows(wanted, gated)) - 3}


@pytest.mark.thorough
def test_a_library_without_clock_gates_has_cores_with_clock_enables_at_order_1_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = library_by("generic45")
    monkeypatch.setattr(Library, "clock_gate", property(lambda _self: None), raising=False)
    found = protected_rows(requirement(protected="order=1"), library)
    assert found
    assert not any(json.loads(str(row["specification"]))["clock_gates"] for row in found)
    assert protected_rows(requirement(protected="order=2"), library) == []
    assert protected_rows(requirement(), library) == []
    assert protected_rows(requirement(protected="order=1", key=256), library) == []


@pytest.mark.parametrize("text", ["order=0", "order=6", "1", "order", "order=1.5", "masked"])
def test_what_is_no_order_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="protected: must be order=1 to order=5"):
        requirement(protected=text)


def test_where_no_core_is_protected_it_is_said_which_are() -> None:
    points = frame([row for row in rows(1) if not protection_of(str(row["specification"])).order])
    found = find(points, protected="order=1")
    assert found.chosen is None
    said = "\n".join(failures(found))
    assert f"{len(points)} not protected at order 1" in said
    assert "aesmith list cores" in said

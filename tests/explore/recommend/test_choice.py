"""The choice is what looking at every point by plain arithmetic gives; and what is said of it is so."""

import json
import random
from typing import Any

import pandas as pd
import pytest

from aesmith.errors import RequestError
from aesmith.explore.points import read_points, shipped_points
from aesmith.explore.recommend.choice import Recommendation, recommend
from aesmith.explore.recommend.requirement import Requirement, requirement
from aesmith.explore.recommend.words import as_values, failures, options_table, reasons

FORWARD_ONLY = {"ctr", "gcm", "cfb", "ofb", "ccm", "cmac"}
CHAINED = {"cbc": {"enc"}, "cfb": {"enc"}, "ofb": {"enc", "dec"}, "ccm": {"enc", "dec"}, "cmac": {"enc", "dec"}}
LIMITS = {
    "min_throughput": (0.3, 60, "Gbps"),
    "max_area": (3e3, 1.5e5, "GE"),
    "max_latency": (4, 500, "ns"),
    "max_power": (100, 6000, "uW"),
    "max_energy": (5, 500, "pJ"),
    "min_fmax": (400, 1500, "MHz"),
    "min_efficiency": (50, 900, "Kbps/GE"),
}


def random_request(rng: random.Random) -> dict[str, object]:
    """The arguments of `requirement`, limits drawn evenly on a logarithmic scale."""
    limits = rng.sample(sorted(LIMITS), rng.choice((0, 1, 1, 2, 2, 3)))
    request: dict[str, object] = {
        name: f"{LIMITS[name][0] * (LIMITS[name][1] / LIMITS[name][0]) ** rng.random():.4g}{LIMITS[name][2]}"
        for name in limits
    }
    request["core"] = True
    request["mode"] = rng.choice(("ecb", "cbc", "cbc", "ctr", "gcm", "xts", "cfb", "ofb", "ccm", "cmac"))
    request["directions"] = rng.choice(("enc", "dec", "encdec"))
    request["key"] = rng.choice((128, 128, 128, 256, (128, 256)))
    figure = rng.choice(("area", "area", "throughput", "latency", "power", "energy", "efficiency", "fmax"))
    request["maximise" if figure in ("throughput", "efficiency", "fmax") else "minimise"] = figure
    if rng.random() < 0.2:
        request["clock"] = f"{rng.choice((300, 500, 800))}MHz"
    if rng.random() < 0.2:
        request["streams"] = rng.choice((2, 4, 64))
    if rng.random() < 0.2:
        request["block_width"] = rng.choice((8, 32, 128))
    return request


def of_a_row(row: dict[str, Any], request: dict[str, object]) -> dict[str, float | None] | None:
    """The figures of a point for a request; None if it does not fit. Nothing of the code under test is used."""
    mode, ways = (
        str(request["mode"]),
        {"encdec": {"enc", "dec"}}.get(str(request["directions"]), {request["directions"]}),
    )
    cipher = {"enc"} if mode in FORWARD_ONLY else set(ways) | ({"enc"} if mode == "xts" else set())
    has = {{"encrypt": "enc", "decrypt": "dec"}[name] for name in row["directions"].split("+")}
    keys = json.loads(row["specification"])["key_bits"]
    wanted = request["key"]
    fits = (
        row["status"] == "done"
        and bool(row["verified"])
        and not pd.isna(row["verified"])
        and pd.isna(row["core"])
        and cipher <= has
        and set(wanted if isinstance(wanted, tuple) else [wanted]) <= set(keys if isinstance(keys, list) else [keys])
        and row["block_width"] == request.get("block_width", row["block_width"])
    )
    if not fits:
        return None
    fmax = row["fmax_mhz"]
    clock = float(str(request["clock"]).removesuffix("MHz")) if "clock" in request else fmax
    if clock > fmax:
        return None
    streams, calls = int(str(request.get("streams", 1))), 2 if mode == "ccm" else 1
    chained = bool(CHAINED.get(mode, set()) & ways)
    clocks = calls * row["cycles_per_block"]
    if chained:
        clocks = max(clocks, row["latency_cycles"] / streams)
    gbps = 128 * clock / clocks / 1000
    full = not chained or row["blocks_in_flight"] <= streams
    names = [{"enc": "encrypt", "dec": "decrypt"}[way] for way in cipher]
    powers = [row[f"power_uw_at_100mhz_{name}"] for name in names]
    energies = [row[f"energy_pj_per_block_{name}"] for name in names]
    powered = full and not any(pd.isna(value) for value in powers)
    return {
        "area": row["area_ge"],
        "throughput": gbps,
        "latency": row["latency_cycles"] / clock * 1000,
        "fmax": fmax,
        "efficiency": gbps * 1e6 / row["area_ge"],
        "power": max(powers) if powered else None,
        "energy": calls * max(energies) if powered else None,
    }


def brute_force(points: pd.DataFrame, request: dict[str, object]) -> tuple[float, str] | None:
    """The value of the deciding figure and the key of the point to choose; None if no point will do.

    It is the best, or the best of those that are proved, if that is worse by 2 % at most.
    """
    found = []
    least = "minimise" in request
    figure = str(request.get("minimise") or request.get("maximise"))
    for row in points.to_dict("records"):
        figures = of_a_row(row, request)
        if figures is None or figures[figure] is None:
            continue
        for name in set(LIMITS) & set(request):
            bound, value = float(str(request[name]).removesuffix(LIMITS[name][2])), figures[name[4:]]
            if value is None or (value > bound if name.startswith("max") else value < bound):
                break
        else:
            value = figures[figure]
            rank = (value if least else -value, figures["area"], -figures["throughput"])
            found.append((rank, value, row["key"], "proof" in str(row["verified"])))
    found.sort(key=lambda each: each[0])
    proved = [each for each in found if each[3] and abs(each[1] / found[0][1] - 1) <= 0.02]
    return (proved or found)[0][1:3] if found else None


def asked(request: dict[str, object]) -> Requirement | None:
    """The requirement; None for XTS with a key that it does not have."""
    try:
        return requirement(**request)  # type: ignore[arg-type]
    except RequestError:
        assert request["mode"] == "xts"
        return None


@pytest.mark.parametrize("seed", range(8))
def test_the_choice_is_that_of_brute_force(points: pd.DataFrame, seed: int) -> None:
    """Four frames of points, eight requirements each; some can be met and some cannot."""
    check(points, random_request(random.Random(seed)))


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("name", ["presets", "families"])
def test_fifty_random_requirements_on_measured_points(name: str) -> None:
    """Of the exports of cores that come with aesmith."""
    points = read_points(shipped_points()[name])
    rng = random.Random(name)
    answers = [check(points, random_request(rng)) for _ in range(50)]
    assert {True, False} <= set(answers), "some can be met, some cannot"


def check(points: pd.DataFrame, request: dict[str, object]) -> bool | None:
    """Whether there is an answer, which is the one of brute force; None for a requirement that there is not."""
    wanted = asked(request)
    if wanted is None:
        return None
    found, expected = recommend(points, wanted), brute_force(points, request)
    if expected is None:
        assert found.chosen is None
        assert failures(found)
    else:
        assert found.chosen is not None
        assert found.chosen.figures[wanted.objective.figure.name] == pytest.approx(expected[0])
        assert found.chosen.row["key"] == expected[1]
        assert reasons(found)
        assert options_table(found)
    json.dumps(as_values(found))
    return found.chosen is not None


def find(points: pd.DataFrame, **request: object) -> Recommendation:
    """Among cores."""
    return recommend(points, requirement(**{"core": True} | request))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_", "design"),
    [
        ({"max_area": "5500GE", "maximise": "throughput"}, "column-beat32-gated-enc"),
        ({"max_area": "4500GE", "maximise": "efficiency"}, "serial-shared-keyed-gated-enc-bare"),
        ({"max_area": "3000GE", "directions": "encdec", "maximise": "throughput"}, "serial-shared-encdec-bare"),
        ({"max_area": "6000GE", "directions": "encdec", "key": (128, 256), "maximise": "throughput"},
         "column-beat32-gated-encdec-selectable-bare"),
        ({"min_throughput": "0.15Gbps", "minimise": "area"}, "serial-shared-small-enc-bare"),
    ],
)  # fmt: skip
def test_a_small_area_is_answered_with_the_compact_presets(request_: dict[str, object], design: str) -> None:
    """As brute force over the points has it, and no core of another family."""
    points = read_points(shipped_points()["families"])
    request = {"mode": "ecb", "directions": "enc", "key": 128} | request_
    points = points.assign(verified=points["verified"].fillna("simulation"))
    assert check(points, request)
    chosen = find(points, **request).chosen
    assert chosen is not None
    assert chosen.design == design
    said = "\n".join(reasons(find(points, **request)))
    assert ("its key comes with each block" in said) == ("keyed" in design)


def test_the_alternatives_are_the_next_best_of_other_cores(points: pd.DataFrame) -> None:
    found = find(points, mode="ctr")
    assert found.chosen is not None
    without = points[~points["design"].isin([found.chosen.design])]
    second = find(without, mode="ctr").chosen
    assert second is not None
    third = find(without[without["design"].ne(second.design)], mode="ctr").chosen
    assert [option.row["key"] for option in found.alternatives] == [o and o.row["key"] for o in (second, third)]


def test_a_limit_binds_if_the_choice_is_better_without_it(points: pd.DataFrame) -> None:
    free = find(points, mode="ctr")
    assert free.chosen is not None
    throughput = free.chosen.figures["throughput"]
    assert throughput is not None
    loose = find(points, mode="ctr", min_throughput=f"{throughput / 2}Gbps", max_area="1MGE")
    tight = find(points, mode="ctr", min_throughput=f"{throughput * 1.01}Gbps", max_area="1MGE")
    assert loose.binding == ()
    assert [binding.limit.figure.name for binding in tight.binding] == ["throughput"]
    assert tight.binding[0].better.row["key"] == free.chosen.row["key"]
    assert tight.near is not None
    assert tight.near.option.design == free.chosen.design
    assert tight.near.miss.margin == pytest.approx(-0.01 / 1.01)
    assert "it binds: without it" in "\n".join(reasons(tight))


def test_a_proved_core_is_chosen_over_one_that_is_better_by_a_tie_and_the_answer_says_so(points: pd.DataFrame) -> None:
    best = find(points, mode="ctr").chosen
    assert best is not None
    assert best.row["verified"] == "simulation"
    area = best.figures["area"]
    assert area is not None
    twin = points[points["key"].eq(best.row["key"])].assign(design="twin", key="f" * 64, verified="proof and more")
    of_bare = "; this is of the core with a bare output: `aesmith verify --prove` proves the build"
    for more, preferred in ((0.005, True), (0.015, True), (0.03, False)):
        frame = pd.concat([points, twin.assign(area_ge=(1 + more) * area)], ignore_index=True)
        found = find(frame, mode="ctr")
        assert found.chosen is not None
        assert (found.chosen.design == "twin") is preferred
        assert (found.unproved is not None) is preferred
        assert (found.binding, found.near) == ((), None)
        rests = next(line for line in reasons(found) if line.startswith("rests on"))
        if preferred:
            assert rests.startswith("rests on proof and more")
            assert f"; {best.design}, " in rests
            assert found.alternatives[0].design == best.design
        else:
            assert rests == f"rests on simulation, and on no proof{of_bare}"
        quiet = reasons(find(frame.assign(specification='{"output": "quiet"}'), mode="ctr"))
        registered = reasons(find(frame.assign(specification='{"output": "registered"}'), mode="ctr"))
        assert "figures: with a registered output; a quiet one would save a flip-flop" in "\n".join(registered)
        assert rests.endswith(of_bare)
        assert rests.removesuffix(of_bare) in quiet
        assert as_values(found)["chosen"]["proved"] is preferred  # type: ignore[index]
    nothing = find(points.assign(verified=pd.NA), mode="ctr")
    assert nothing.chosen is None
    assert nothing.unknown
    assert "verified by nothing yet" in failures(nothing)[0]


def test_what_cannot_be_met_says_which_limit_and_by_how_much(points: pd.DataFrame) -> None:
    best = find(points, mode="ctr", maximise="throughput").chosen
    assert best is not None
    reached = best.figures["throughput"]
    assert reached is not None
    found = find(points, mode="ctr", min_throughput=f"{2 * reached}Gbps", max_area="1MGE")
    assert found.chosen is None
    [(miss, option)] = found.not_reached
    assert (option.row["key"], miss.margin) == (best.row["key"], pytest.approx(-0.5))
    assert "50.0 % below the limit" in failures(found)[0]
    assert found.closest is not None
    assert found.closest.row["key"] == best.row["key"]


def test_limits_that_exclude_each_other_are_told_of_the_closest_point(points: pd.DataFrame) -> None:
    found = find(points, mode="ctr", min_throughput="20Gbps", max_area="4kGE")
    assert found.not_reached == ()
    assert found.closest is not None
    assert {miss.limit.figure.name for miss in found.misses} <= {"throughput", "area"}
    assert "closest to all limits together" in failures(found)[-1]


def test_nothing_that_fits_is_told_by_reason(points: pd.DataFrame) -> None:
    found = find(points, mode="cbc", directions="encdec", key=256, block_width=8)
    assert found.closest is None
    assert "without encrypt and decrypt" in failures(found)[0]
    assert "without keys of 256 bits" in failures(found)[0]
    assert sum(found.left_out.values()) == len(points)


def test_a_chained_mode_gets_no_use_of_a_pipeline(points: pd.DataFrame) -> None:
    pipelines = points[points["blocks_in_flight"].gt(4)]
    parallel = find(pipelines, mode="ctr", maximise="throughput").chosen
    chained = find(pipelines, mode="cbc", maximise="throughput").chosen
    assert parallel is not None
    assert chained is not None
    assert parallel.figures["throughput"] > 5 * chained.figures["throughput"]  # type: ignore[operator]
    filled = find(pipelines, mode="cbc", maximise="throughput", streams=1000).chosen
    assert filled is not None
    assert filled.figures["throughput"] == pytest.approx(parallel.figures["throughput"])
    assert chained.figures["energy"] is None, "a pipeline that runs half empty was not simulated"


def test_a_figure_that_nothing_has_cannot_decide(points: pd.DataFrame) -> None:
    powerless = points.assign(energy_pj_per_block_encrypt=pd.NA)
    powerless["energy_pj_per_block_encrypt"] = powerless["energy_pj_per_block_encrypt"].astype("Float64")
    found = find(powerless, mode="ctr", minimise="energy")
    assert found.chosen is None
    assert "was not measured" in failures(found)[-1]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"mode": "xts", "key": 192}, "key: must be of 128, 256 for XTS, not 192"),
        ({"minimise": "beauty"}, "minimise: must be one of area, throughput"),
        ({"minimise": "area", "maximise": "fmax"}, "not both"),
        ({"block_width": 64}, "block-width: must be 8 or 16 or 32 or 128, not 64"),
        ({"streams": 0}, "streams: must be 1 or more, not 0"),
        ({"max_latency": "soon"}, "max-latency: must be"),
        ({"min_area": "3GE"}, "min_area must be one of min_throughput"),
    ],
)
def test_requirements_that_make_no_sense_are_refused(request_: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        requirement(**request_)  # type: ignore[arg-type]


def test_a_clock_binds_as_other_limits_do(points: pd.DataFrame) -> None:
    """Below a clock that the smallest core misses by little: that core is named, both as bound and as near."""
    smallest = recommend(points, requirement()).chosen
    assert smallest is not None
    fmax = smallest.figures["fmax"]
    assert fmax is not None
    found = recommend(points, requirement(clock=f"{fmax * 1.01}MHz"))
    assert [(one.limit.figure.name, one.better.row["key"]) for one in found.binding] == [("fmax", smallest.row["key"])]
    assert found.near is not None
    assert found.near.option.row["key"] == smallest.row["key"]

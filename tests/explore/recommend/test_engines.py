"""Engines for packets: what keeps up is what their formula says of every size, with the fewest cores that do."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import aesmith
from aesmith.cli import run
from aesmith.cores.design import Direction
from aesmith.errors import RequestError
from aesmith.explore.points import as_toml
from aesmith.explore.recommend.engines import (
    MOST_CORES,
    PacketRequirement,
    candidates,
    least_packet,
    load,
)
from aesmith.explore.recommend.requirement import byte_range
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import count
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.specification import build_engine, parse_engine
from aesmith.modes.xts_engine import xts_engine

CASES = 24


@pytest.fixture(scope="module")
def example() -> PacketRequirement:
    """The worked example of the design."""
    return PacketRequirement("gcm", 256, 10.0, 500.0, (64, 1500), (0, 28), release="cut-through")


@pytest.fixture(scope="module")
def points() -> pd.DataFrame:
    """Points of a few cores: of 128 and 256 bits, of both directions, unrolled, and of 8 bits with clock gates."""
    frame = aesmith.points_of("families")
    names = ["ueno2020-enc-bare", "ueno2020-enc-256-bare", "gueron2016-native-enc-256-bare", "subpipelined-r1-u10-bare"]
    names += ["ueno2020-encdec-bare", "serial-shared-gated-enc-bare"]
    assert {*names} <= {*frame["design"]}
    return frame[frame["design"].isin(names)]


def keeps_up(engine: StreamEngine, wanted: PacketRequirement) -> bool:
    """By every size of text and of header in every direction."""
    return all(
        engine.message_cycles(headers, count(size), encrypt=encrypt) <= wanted.budget(size)
        for size in range(wanted.packets[0], wanted.packets[1] + 1)
        for headers in {count(header) for header in range(wanted.headers[0], wanted.headers[1] + 1)}
        for encrypt in [direction is Direction.ENCRYPT for direction in engine.directions]
    )


@cache
def requirements() -> list[PacketRequirement]:
    """Random ones, some of which nothing meets."""
    rng = random.Random(7)
    made = []
    for number in range(CASES):
        mode = ("ctr", "gcm", "ccm", "cmac", "gcm", "cbc")[number % 6]
        least = rng.choice((1, 15, 16, 17, 64, 100))
        header = rng.choice((0, 1, 20, 40)) if mode in ("gcm", "ccm") else 0
        made.append(
            PacketRequirement(
                mode,
                rng.choice((128, 256)),
                rng.choice((0.5, 2, 5, 9, 20, 60)) if mode in ("ctr", "gcm") else rng.choice((0.01, 0.1, 0.5, 2)),
                rng.choice((200.0, 500.0, 650.0)),
                (least, least + rng.choice((0, 1, 40, 120))),
                (0, header),
                rng.choice((0, 44)),
                rng.choice(("verified", "cut-through")) if mode == "gcm" else "verified",
            )
        )
    return made


@pytest.mark.thorough(but=1)
@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(CASES))
def test_candidates_are_those_that_keep_up_with_every_packet_with_the_fewest_cores(
    number: int, points: pd.DataFrame
) -> None:
    wanted = requirements()[number]
    found = candidates(wanted, points)
    own = ("mode", "core", "tweak_core", "digit", "ghash_stages")
    by_form = {tuple(str(c.fields.get(name)) for name in own): c for c in found}
    assert len(by_form) == len(found)
    expected = [each.expected_ge for each in found]
    assert expected == sorted(expected)
    for candidate in found:
        engine = candidate.engine("engine")
        assert keeps_up(engine, wanted)
        assert candidate.load.share == pytest.approx(load(engine, wanted).share)
        assert not engine.room_for(count(wanted.headers[1]), count(wanted.packets[1]))
        if engine.cores > 1:
            assert not keeps_up(replace(engine, cores=engine.cores - 1), wanted)


def engines_of_several_modes(mode: str, points: pd.DataFrame, wanted: PacketRequirement) -> set[tuple[str, int]]:
    """Those that keep up, by trying all: each core of the points, and each multiplier where there is one."""
    found = set()
    for text in {*points["specification"]}:
        core = {**json.loads(text), "output": "quiet"}
        for digit in (4, 8, 16, 32, 64) if mode == "gcm" else (4,):
            splits = "b" * max(0, digit.bit_length() - 4)
            fields = {"core": core, "modes": [mode], "digit": digit, "splits": splits, "release": wanted.release}
            try:
                engine = build_engine(parse_engine(fields), "engine", "engine")
            except RequestError:
                continue
            both = len(engine.mode_directions) == 2
            if both and engine.key_bits == (wanted.key_bits,) and keeps_up(engine, wanted):
                found.add((json.dumps(core, sort_keys=True), digit))
    return found


@pytest.mark.thorough(but=("ctr-2.0",))
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("mode", "gbps"), [(m, g) for m in MESSAGE_MODES if m != "ecb" for g in (0.3, 2.0, 4.0)])
def test_an_engine_of_several_modes_is_a_candidate_for_each_where_it_keeps_up(
    mode: str, gbps: float, points: pd.DataFrame
) -> None:
    release = "cut-through" if mode in ("gcm", "ccm") else "verified"
    wanted = PacketRequirement(mode, 128, gbps, 500.0, (64, 80), release=release)
    few = points[points["design"].isin(["ueno2020-enc-bare", "ueno2020-encdec-bare", "serial-shared-gated-enc-bare"])]
    made = [found for found in candidates(wanted, few) if found.fields["mode"] == "multi"]
    given = {(json.dumps(found.fields["core"], sort_keys=True), found.engine("engine").digit) for found in made}
    assert given == engines_of_several_modes(mode, few, wanted)
    assert len(made) == len(given)


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["gcm", "ccm", "cmac", "cbc", "ctr"])
def test_each_mode_has_engines_that_do_all_of_it_and_hold_the_longest_packet(mode: str, points: pd.DataFrame) -> None:
    wanted = PacketRequirement(mode, 128, 0.02, 400.0, (64, 1500))
    found = candidates(wanted, points)
    assert found
    for candidate in found:
        engine = candidate.engine("engine")
        assert keeps_up(engine, replace(wanted, packets=(64, 70)))
        assert engine.most_beats is None or engine.most_beats >= 94
        assert {*engine.directions} == {*Direction}
    widths = {candidate.engine("engine").core.block_width for candidate in found}
    assert (8 in widths) is (mode == "cmac")


@pytest.mark.thorough(but=("512-1",))
@pytest.mark.one_in(4)
@pytest.mark.parametrize(("sector", "gbps"), [(16, 0.02), (512, 1), (512, 5), (512, 20), (4096, 40)])
def test_sectors_are_kept_up_with_by_the_fewest_cores_and_the_smallest_core_of_tweaks(
    sector: int, gbps: float, points: pd.DataFrame
) -> None:
    wanted = PacketRequirement("xts", 128, gbps, 400.0, (sector, sector))
    found = candidates(wanted, points)
    assert found
    tweaks = {str(candidate.fields["tweak_core"]) for candidate in found}
    for candidate in found:
        engine = candidate.engine("engine")
        assert {*engine.directions} == {*Direction}
        assert keeps_up(engine, wanted)
        if engine.cores > 1:
            assert not keeps_up(replace(engine, cores=engine.cores - 1), wanted)
        least = least_packet(engine, wanted)
        assert least is not None
        assert least % 16 == 0
        assert keeps_up(engine, replace(wanted, packets=(least, least)))
        assert least == 16 or not keeps_up(engine, replace(wanted, packets=(least - 16, least - 16)))
    serial = xts_engine("disk", {"preset": "ueno2020-encdec"}, {"preset": "serial-shared-gated-enc"})
    assert any("serial-shared" in tweak for tweak in tweaks) is (serial.tweak_cycles <= wanted.budget(sector))


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("mode", ["cmac", "xts"])
def test_a_library_without_clock_gates_gets_no_core_that_has_them(mode: str, points: pd.DataFrame) -> None:
    wanted = PacketRequirement(mode, 128, 0.02, 400.0, (64, 64))

    def gates(*, gated: bool) -> set[bool]:
        engines = (found.engine("engine") for found in candidates(wanted, points, gated=gated))
        return {any(source.name.endswith("_clock_gate.sv") for source in engine.sources) for engine in engines}

    assert gates(gated=True) == {True, False}
    assert gates(gated=False) == {False}


@pytest.mark.parametrize("mode", ["xts", "ocb3"])
@pytest.mark.parametrize("packets", [(8, 8), (512, 520), (520, 520)])
def test_where_whole_blocks_alone_have_known_clocks_packets_are_of_one_size(
    mode: str, packets: tuple[int, int]
) -> None:
    with pytest.raises(RequestError, match=f"packets: of {mode} must be of one size, of whole blocks of 16 bytes"):
        PacketRequirement(mode, 128, 1.0, 500.0, packets)


@pytest.mark.parametrize("release", ["verified", "cut-through"])
def test_an_engine_of_ocb3_keeps_up_both_ways_and_holds_its_packets(release: str, points: pd.DataFrame) -> None:
    wanted = PacketRequirement("ocb3", 128, 4.0, 400.0, (512, 512), (0, 20), release=release)
    found = candidates(wanted, points)
    assert found
    for candidate in found:
        engine = candidate.engine("engine")
        assert {*engine.directions} == {*Direction}
        assert keeps_up(engine, wanted)
        assert engine.cores == 1 or not keeps_up(replace(engine, cores=engine.cores - 1), wanted)
        assert not engine.room_for(2, 32)
        assert (engine.most_beats is None) is (release == "cut-through")


def test_points_of_other_libraries_leave_no_core_out(example: PacketRequirement, points: pd.DataFrame) -> None:
    fast = replace(example, clock_mhz=5000.0)
    assert candidates(fast, points) == []
    assert candidates(fast, points, str(points["library_digest"].iloc[0])) == []
    assert candidates(fast, points, "of another library")


def test_what_is_printed_is_the_specification_of_the_answer(
    example: PacketRequirement, points: pd.DataFrame, tmp_path: Path
) -> None:
    for candidate in candidates(example, points)[:6]:
        (tmp_path / "own.toml").write_text(as_toml(json.dumps(dict(candidate.fields))))
        assert aesmith.engine(tmp_path / "own.toml").design.source_hash == candidate.engine("own").source_hash


@pytest.mark.parametrize("digit", [8, 32, 64])
def test_what_is_no_candidate_keeps_up_with_no_number_of_cores(
    example: PacketRequirement, points: pd.DataFrame, digit: int
) -> None:
    wanted = replace(example, packets=(60, 100))
    found = {c.fields["digit"] for c in candidates(wanted, points)}
    one = aesmith.engine("gcm-10g", core="ueno2020-enc-256", digit=digit, splits="").design
    any_number = any(keeps_up(replace(one, cores=n), wanted) for n in range(1, min(14, MOST_CORES) + 1))
    assert (digit in found) is any_number


def test_the_worked_example_is_found(example: PacketRequirement, points: pd.DataFrame) -> None:
    """Dossier: 4 x ueno2020-enc-256, 64 bits of GHASH a clock; packets of 65 bytes bind; 84 of 104 core clocks."""
    best = candidates(example, points)[0]
    assert best.fields["cores"] == 4
    assert best.fields["digit"] == 64
    assert (best.load.header_blocks, best.load.text_blocks, best.load.budget) == (2, 5, pytest.approx(26))
    assert best.load.demands == {"AES": 21, "GHASH": 16, "stream": 8}
    assert best.load.binding == "AES"
    assert best.load.share == pytest.approx(84 / 104)
    without = candidates(replace(example, headers=(0, 0)), points)[0]
    assert without.fields["digit"] == 32
    assert without.load.demands["GHASH"] == 4 * 6 + 1, "a clock more to decrypt"


def test_from_which_packet_on_it_keeps_up(example: PacketRequirement, points: pd.DataFrame) -> None:
    best = candidates(example, points)[0].engine("engine")
    least = least_packet(best, example)
    assert least is not None
    assert keeps_up(best, replace(example, packets=(least, 64)))
    assert not keeps_up(best, replace(example, packets=(least - 1, 64)))
    assert least_packet(replace(best, cores=1), example) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [("64..x", "packets: must be bytes"), ("..64", "packets: must be bytes"), ("-1", "packets: must be bytes")],
)
def test_what_is_no_range_is_refused(text: str, told: str) -> None:
    assert byte_range("64..1500", "packets") == (64, 1500)
    assert byte_range("64", "packets") == (64, 64)
    with pytest.raises(RequestError, match=told):
        byte_range(text, "packets")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--mode", "gcm", "--packets", "64..32"), "packets: must be 1 to 65536 bytes, the least first"),
        (("--mode", "gcm", "--packets", "0"), "packets: must be 1 to 65536 bytes"),
        (("--mode", "xyz", "--packets", "64"), "mode: must be one of "),
        (("--mode", "ctr", "--packets", "64", "--header", "4"), "header: ctr has none"),
        (("--mode", "gcm", "--packets", "64", "--release", "soon"), "release: must be one of verified"),
        (("--mode", "ctr", "--packets", "64", "--release", "cut-through"), "release: ctr leaves no choice"),
        (("--mode", "gcm", "--release", "cut-through"), "--release: is of packets"),
        (("--mode", "gcm", "--core", "--packets", "64"), "packets: are of an engine, and --core asks for a core"),
        (("--packets", "64"), "packets: are of an engine, and there is no engine of ECB"),
        (("--mode", "gcm", "--key", "128", "--key", "256"), "key: no engine has several; --core asks"),
        (("--mode", "gcm", "--protected", "order=1"), "protected: no engine has an order; --core asks"),
        (("--mode", "gcm", "--packets", "64", "--key", "100"), "key: must be of 128"),
        (("--mode", "gcm", "--streams", "2"), "streams: no engine has several; --core asks for the AES core of GCM"),
        (("--mode", "gcm", "--header", "4"), "--header: is of packets"),
    ],
)
def test_options_that_say_nothing_are_refused(
    options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recommend", *options]) == 2
    assert told in capsys.readouterr().err

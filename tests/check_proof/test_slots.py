"""The checker accepts what slot proofs leave of right pipelines; what was tampered with it refuses, and wrong cores."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.proof.prove import prove
from aesmith.check_proof import check_certificate
from aesmith.check_proof.circuit import CheckedCircuit, elaborate_sources, without_clear
from aesmith.check_proof.interface import SHOWN, CoreClaim
from aesmith.check_proof.pipeline_clock import PipelineClock
from aesmith.check_proof.slots import ClockFacts, SlotCheck
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError

pytestmark = pytest.mark.one_in(8)

Certificate = dict[str, Any]
MOVES, PLACES = 30, 3


def proved(folder: Path, **fields: object) -> Path:
    """The folder of a proof of a loop, of three stages unless told otherwise."""
    fields = {"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 1, **fields}
    report = prove(build_design(parse_specification(fields), "looped", "looped"), folder)
    assert report.proved, [part.detail for part in report.parts]
    return folder


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return proved(tmp_path_factory.mktemp("proof"), clear=True)


@pytest.fixture(scope="module")
def text(proof: Path) -> str:
    return (proof / "certificate.json").read_text()


@pytest.fixture(scope="module")
def circuit(proof: Path, text: str, tmp_path_factory: pytest.TempPathFactory) -> CheckedCircuit:
    certificate = json.loads(text)
    sources = {name: (proof / "rtl" / name).read_bytes() for name in certificate["sources"]}
    return without_clear(elaborate_sources(sources, certificate["top"], tmp_path_factory.mktemp("checked")), SHOWN)


@pytest.fixture(scope="module")
def clock(circuit: CheckedCircuit, text: str) -> PipelineClock:
    certificate = json.loads(text)
    return PipelineClock(circuit, CoreClaim.of(certificate), certificate)


@pytest.fixture(scope="module")
def facts(circuit: CheckedCircuit, text: str, clock: PipelineClock) -> ClockFacts:
    """What the clocks of the certificate leave to the check of gaps and of waiting; it is accepted."""
    certificate = json.loads(text)
    check = SlotCheck(circuit, CoreClaim.of(certificate), certificate, clock)
    assert list(check.check()[2].values()) == [32, 36, 37]
    return check.facts


def swap_slots(certificate: Certificate) -> None:
    gaps = certificate["gaps"]
    gaps[0], gaps[1] = gaps[1], gaps[0]


def block_of(certificate: Certificate, age: int) -> list[Any]:
    return next(block for block in certificate["blocks"] if block[2] == age)


def form_of_another_round(certificate: Certificate) -> None:
    for block in certificate["blocks"]:
        if block[2] == 2 * PLACES:
            block[1] = block_of(certificate, PLACES)[1]


def set_control(state: list[Any], name: str, level: str, certificate: Certificate) -> None:
    place = certificate["registers"]["control"].index(name)
    state[0] = state[0][:place] + level + state[0][place + 1 :]


def occupied_level(level: str) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        for block in certificate["blocks"]:
            if block[2] == 1:
                set_control(block, "u_core.u_control.valid_q[0]", level, certificate)

    return change


def drop_occupancy(certificate: Certificate) -> None:
    last = certificate["gaps"][-1]
    certificate["gaps"][-1] = "-" * len(last)


def know_more_of_a_gap(certificate: Certificate) -> None:
    place = certificate["registers"]["travelling"].index("u_core.u_control.valid_q[0]")
    gap = certificate["gaps"][1]
    certificate["gaps"][1] = gap[:place] + "0" + gap[place + 1 :]


def gap_with_a_block(certificate: Certificate) -> None:
    certificate["gaps"][0] = certificate["gaps"][0].replace("0", "1")


def stand_still(name: str) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        place = certificate["registers"]["travelling"].index(name)
        certificate["registers"]["travelling"].remove(name)
        certificate["gaps"] = [gap[:place] + gap[place + 1 :] for gap in certificate["gaps"]]

    return change


def travel(name: str) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        certificate["registers"]["travelling"].append(name)
        certificate["gaps"] = [gap + "-" for gap in certificate["gaps"]]

    return change


def not_deciding(certificate: Certificate) -> None:
    certificate["registers"]["deciding"].remove("u_core.u_skid.level_q")


def decide_by_data(certificate: Certificate) -> None:
    name = next(name for name in certificate["registers"]["data"] if "entries_q" in name)
    certificate["registers"]["deciding"].append(name)


def drop(what: str, number: int) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        del certificate[what][number]

    return change


def drop_all(what: str, field: int, value: int) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        certificate[what] = [state for state in certificate[what] if state[field] != value]

    return change


def change_all(part: str, place: int, level: int, other: int) -> Callable[[Certificate], None]:
    """What takes a level of all states that have it to another."""

    def change(certificate: Certificate) -> None:
        for row in certificate[part]:
            row[place] = other if row[place] == level else row[place]

    return change


def lower_queue(certificate: Certificate) -> None:
    certificate["queue"][0][1][4] -= 1


def lower_rank(what: str) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        state = max(certificate[what], key=lambda state: state[-1])
        state[-1] -= 1

    return change


def claim(**claims: object) -> Callable[[Certificate], None]:
    return lambda certificate: certificate.update(claims)


def earlier(certificate: Certificate) -> None:
    for block in certificate["blocks"]:
        if block[2] > MOVES:
            block[2] -= 1


def know_the_unknown(certificate: Certificate) -> None:
    row = certificate["data"][certificate["contexts"][0][1]]
    part = certificate["parts"][row[0]]
    certificate["parts"].append([0 if held is None else held for held in part])
    row[0] = len(certificate["parts"]) - 1


def change_one(what: str, number: int, *, field: int, by: int) -> Callable[[Certificate], None]:
    """What adds to one number of a state."""

    def change(certificate: Certificate) -> None:
        certificate[what][number][field] += by

    return change


def shorten_queue(certificate: Certificate) -> None:
    certificate["queue"][0][1].pop()


def swap_rows(certificate: Certificate) -> None:
    """Two block states of different ages get each other's data."""
    one, other = block_of(certificate, 5), block_of(certificate, 8)
    one[1], other[1] = other[1], one[1]


def repeat_a_part(certificate: Certificate) -> None:
    row = certificate["data"][block_of(certificate, 5)[1]]
    row.append(row[0])


def take_another_end(certificate: Certificate) -> None:
    names = certificate["registers"]
    names["end"] = [name for name in names["travelling"] if name not in names["end"]][: len(names["end"])]


def forget_a_level(certificate: Certificate) -> None:
    """A context is said to have nothing known of what the handshakes read."""
    place = certificate["registers"]["control"].index("u_core.u_control.open_q")
    for state in certificate["contexts"]:
        state[0] = state[0][:place] + "-" + state[0][place + 1 :]


CONTEXTS, BLOCKS, GAPS, WAITING = "check_contexts", "check_blocks", "check_gaps", "check_waiting"
VALID = "u_core.u_control.valid_q"
# What is tampered with, the part of the check that sees it, and what it says.
TAMPERED: dict[str, tuple[Callable[[Certificate], None], str, str]] = {
    "two gaps are swapped": (swap_slots, GAPS, r"valid_q\[1\]|valid_q\[0\]"),
    "blocks hold the forms of another round": (
        form_of_another_round,
        BLOCKS,
        r"block state \d+, with .*, of age [67]:",
    ),
    "blocks come without their valid bit": (occupied_level("0"), BLOCKS, r"valid_q\[1\]"),
    "a gap at the exit is known nothing of": (drop_occupancy, GAPS, "slot with no block in it, gap 3, may offer"),
    "a gap is known more of": (know_more_of_a_gap, GAPS, r"gap 1: after a move u_core\S+valid_q\[0\] is not known"),
    "a gap has a block": (gap_with_a_block, GAPS, r"valid_q\[0\]: gap 1 is not so after reset"),
    "a gap is left out": (drop("gaps", 0), BLOCKS, "another block may be taken in move 2, or a result leave"),
    "all contexts without a key are dropped": (drop_all("contexts", 2, 0), CONTEXTS, "context after reset is not"),
    "contexts in which a key waits are dropped": (drop_all("contexts", 3, 1), CONTEXTS, "context that follows is not"),
    "block states of one age are dropped": (drop_all("blocks", 2, 7), BLOCKS, "not listed, of age 7: none has"),
    "a result that waits is forgotten": (drop_all("contexts", 5, 1), CONTEXTS, "context that follows is not listed"),
    "results leave a move too early": (earlier, BLOCKS, "not listed, of age 31|does not leave in move 30"),
    "three moves more are claimed": (claim(moves=33), BLOCKS, "another block may be taken in move 30"),
    "31 moves are claimed": (claim(moves=31), "", "31 moves are no multiple of the 3 places"),
    "nothing leaves": (
        claim(leaves=[]),
        CONTEXTS,
        "is not 1 exactly while a result waits, leaves or is at the end",
    ),
    "all leaves": (
        claim(leaves=["0", "1"]),
        CONTEXTS,
        "is not 1 exactly while a result waits, leaves or is at the end",
    ),
    "a travelling register stands still": (stand_still(VALID + "[0]"), GAPS, r"at the entry: after a move|gap"),
    "a register that stands still travels": (travel("u_core.u_control.open_q"), "", r"open_q is listed as travelling"),
    "a register at the exit does not decide": (not_deciding, "", "level_q is listed as at_exit"),
    "a register of data decides": (decide_by_data, "", r"entries_q\S* is listed as deciding, and is no register of c"),
    "an unknown register is said to be 0": (know_the_unknown, CONTEXTS, "context after reset is not listed"),
    "the pipeline is said to stand still for less": (lower_queue, WAITING, "5 moves may take more than"),
    "a rank of a key is lowered": (lower_rank("key_ranks"), WAITING, "key_ranks.* rank does not fall"),
    "a rank of a block is lowered": (lower_rank("block_ranks"), WAITING, "block_ranks.* rank does not fall"),
    "keys that wait with a block are dropped": (drop_all("key_ranks", 1, 1), WAITING, "key_ranks.* is not listed"),
    "a context is of a second key size": (
        change_all("contexts", 2, 1, 2),
        "",
        "a state is of a key size or a direction",
    ),
    "a key of a second size waits": (change_all("contexts", 3, 1, 2), "", "a state is of a key size or a direction"),
    "a block is of a second key size": (change_all("blocks", 3, 0, 2), "", "a state is of a key size or a direction"),
    "a result waits for nothing before it": (change_one("blocks", -1, field=4, by=1), BLOCKS, "not listed, of age"),
    "a block is a move older": (change_one("blocks", 40, field=2, by=1), BLOCKS, "not listed, of age|does not leave"),
    "a block is of the other way": (change_one("blocks", 40, field=3, by=1), BLOCKS, "not listed, of age"),
    "a context has one more result": (change_one("contexts", 30, field=5, by=1), CONTEXTS, "not listed|block_valid_o"),
    "the queue counts fewer moves": (shorten_queue, WAITING, "clocks for another number of moves than 30"),
    "blocks have each other's data": (swap_rows, BLOCKS, "not listed, of age"),
    "a row has a part twice": (repeat_a_part, "", r"row \d+ has not \d+ registers"),
    "the pipeline ends elsewhere": (take_another_end, CONTEXTS, "block_valid_o is not 1 exactly while"),
    "contexts know less of control": (forget_a_level, CONTEXTS, "not listed|is not known"),
    "the other direction is claimed": (
        claim(directions=["decrypt"]),
        CONTEXTS,
        "context that follows is not listed",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("tampered", TAMPERED)
def test_a_tampered_slot_certificate_is_refused(
    tampered: str, text: str, circuit: CheckedCircuit, clock: PipelineClock, facts: ClockFacts
) -> None:
    change, part, told = TAMPERED[tampered]
    certificate = json.loads(text)
    change(certificate)

    def refused() -> None:
        check = SlotCheck(circuit, CoreClaim.of(certificate), certificate, clock)
        check.facts = facts
        if part:
            getattr(check, part)()

    with pytest.raises(CheckError, match=told):
        refused()


def test_keys_of_two_sizes_need_a_port_that_says_which(text: str, circuit: CheckedCircuit) -> None:
    claimed = CoreClaim.of({**json.loads(text), "key_bits": [128, 192]})
    with pytest.raises(CheckError, match="'key_bits_i': 2"):
        claimed.check_ports(circuit.inputs, circuit.outputs)


@pytest.mark.thorough
def test_a_bound_that_is_lowered_is_refused(text: str, circuit: CheckedCircuit, clock: PipelineClock) -> None:
    certificate = json.loads(text)
    certificate["bounds"]["a key until it is taken"] -= 1
    check = SlotCheck(circuit, CoreClaim.of(certificate), certificate, clock)
    with pytest.raises(CheckError, match=r"bounds claimed are not those of the ranks.*'a key until it is taken': 36"):
        check.check()


def test_a_slot_certificate_that_refers_to_nothing_is_not_well_formed(proof: Path, text: str) -> None:
    certificate = json.loads(text)
    certificate["data"][3][0] = len(certificate["parts"])
    (proof / "other.json").write_text(json.dumps(certificate))
    with pytest.raises(CheckError, match="the certificate is not well formed"):
        check_certificate(proof / "other.json", proof / "rtl")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "edit", "told"),
    [
        (
            "_subpipelined_control",
            ("enable_i & entering_o & open_q", "enable_i & open_q"),
            "block state that follows is not listed, of age 1:",
        ),
        (
            "_subpipelined_control",
            ("accept | again_q}", "accept | again_q | finished_q}"),
            r"valid_q\[0\] is not known to be 0",
        ),
        (
            "_subpipelined_skid",
            ("valid_o = level_q[0] | arrives", "valid_o = level_q[0]"),
            "block_valid_o is not 1 exactly while",
        ),
        (
            "",
            ("{128{block_valid_o}} & bare_block", "block_valid_o ? bare_block : u_core.u_key_expansion.window_q"),
            "context .* block_o shows bits of a key",
        ),
        ("_shift_rows", ("column + row)%4", "column + 3*row)%4"), "block state that follows is not listed, of age"),
    ],
    ids=[
        "takes-a-block-on-another",
        "makes-a-block-of-a-gap",
        "offers-late",
        "shows-the-key-in-gaps",
        "shifts-rows-the-other-way",
    ],
)
def test_a_wrong_pipeline_is_refused_with_the_certificate_of_the_right_one(
    proof: Path, tmp_path: Path, file: str, edit: tuple[str, str], told: str
) -> None:
    shutil.copytree(proof / "rtl", tmp_path / "rtl")
    source = tmp_path / "rtl" / f"looped{file}.sv"
    assert source.read_text().count(edit[0]) == 1
    source.write_text(source.read_text().replace(*edit))
    certificate = json.loads((proof / "certificate.json").read_text())
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(CheckError, match="its SHA-256 is another"):
        check_certificate(tmp_path / "certificate.json", tmp_path / "rtl")
    hashes = {
        name: hashlib.sha256((tmp_path / "rtl" / name).read_bytes()).hexdigest() for name in certificate["sources"]
    }
    (tmp_path / "certificate.json").write_text(json.dumps({**certificate, "sources": hashes}))
    with pytest.raises(CheckError, match=told):
        check_certificate(tmp_path / "certificate.json", tmp_path / "rtl")


@pytest.mark.thorough
@pytest.mark.slow
def test_the_certificate_of_a_pipeline_whose_results_queue_is_accepted(tmp_path: Path) -> None:
    folder = proved(tmp_path, stages=2, rounds_in_loop=2, skid_entries=2)
    assert list(check_certificate(folder / "certificate.json", folder / "rtl").bounds.values()) == [24, 28, 28]

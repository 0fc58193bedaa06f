"""Columns of a round and steps of the key expansion compute what FIPS-197 says, in any number of stages."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import Arrival, StagedCircuit
from aesmith.cores.design import Direction
from aesmith.cores.subpipelined.columns import DECRYPT, ENCRYPT, JOINT, Column, Entry, Mix, sbox_function
from aesmith.cores.subpipelined.cuts import UnitPlan, cut, paper_column, paper_stages
from aesmith.cores.subpipelined.key_steps import flowing_key_step, key_step, selectable_key_step
from aesmith.cores.subpipelined.tables import cut_after_tables
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function

INNER = Column(Entry.STATE, Mix.ALWAYS, ENCRYPT, "zhang2004")
KINDS = (
    Column(Entry.BLOCK, Mix.ALWAYS, ENCRYPT, "zhang2004"),
    INNER,
    Column(Entry.STATE, Mix.NEVER, ENCRYPT, "zhang2004"),
)


def column(values: list[int]) -> int:
    """Four bytes as a word of a port, row 0 least significant."""
    return int.from_bytes(bytes(values), "little")


def bytes_of(word: int) -> list[int]:
    return list(word.to_bytes(4, "little"))


def expected(kind: Column, ports: dict[str, int]) -> int:
    """The column after a round, from the definitions."""
    state = ports["state"]
    if kind.entry is Entry.BLOCK or (kind.entry is Entry.EITHER and ports["entering"]):
        state = ports["block"] ^ ports["initial_key"]
    decrypting = kind.directions == DECRYPT or (kind.directions == JOINT and bool(ports["decrypt"]))
    table = aes.INVERSE_SBOX if decrypting else aes.SBOX
    result = column([table[byte] for byte in bytes_of(state)])
    if kind.mix is Mix.ALWAYS or (kind.mix is Mix.UNLESS_LAST and not ports["last"]):
        matrix = aes.column_matrix(aes.INVERSE_MIX_COLUMNS if decrypting else aes.MIX_COLUMNS)
        result = matrix.apply(result)
    return result ^ ports["key"]


def random_ports(circuit: Circuit, source: random.Random) -> dict[str, int]:
    return {port.name: source.getrandbits(port.width) for port in circuit.inputs}


@pytest.mark.parametrize("directions", [ENCRYPT, DECRYPT, JOINT])
@pytest.mark.parametrize("entry", Entry)
@pytest.mark.parametrize("mix", Mix)
def test_a_column_is_a_column_of_the_round(directions: tuple[Direction, ...], entry: Entry, mix: Mix) -> None:
    kind = Column(entry, mix, directions, "zhang2004")
    circuit, source = kind.circuit(), random.Random(1)
    for _ in range(40):
        ports = random_ports(circuit, source)
        assert circuit(**ports) == {"next": expected(kind, ports)}


@pytest.mark.parametrize("directions", [ENCRYPT, DECRYPT, JOINT])
def test_every_s_box_with_the_function_serves(directions: tuple[Direction, ...]) -> None:
    source = random.Random(2)
    for name, entry in catalogue().items():
        kind = Column(Entry.STATE, Mix.ALWAYS, directions, name)
        if sbox_function(directions) not in entry.functions:
            with pytest.raises(
                RequestError, match=rf"sbox: must be an S-box with a .* function \(.*table.*\), not {name}"
            ):
                kind.circuit()
            continue
        circuit = kind.circuit()
        ports = random_ports(circuit, source)
        assert circuit(**ports) == {"next": expected(kind, ports)}, name


def schedule(key: bytes, rounds: int) -> list[bytes]:
    """The words of the expanded key (FIPS-197 section 5.2)."""
    size = len(key) // 4
    words = [key[4 * i : 4 * i + 4] for i in range(size)]
    for i in range(size, 4 * (rounds + 1)):
        temp = words[-1]
        if i % size == 0:
            temp = bytes(aes.SBOX[byte] for byte in temp[1:] + temp[:1])
            temp = bytes([temp[0] ^ aes.round_constant(i // size)]) + temp[1:]
        elif size > 6 and i % size == 4:
            temp = bytes(aes.SBOX[byte] for byte in temp)
        words.append(bytes(a ^ b for a, b in zip(words[i - size], temp, strict=True)))
    return words


@pytest.mark.parametrize("flowing", [False, True])
@pytest.mark.parametrize("size", [4, 6, 8])
def test_steps_of_the_key_expansion_give_the_expanded_key(size: int, flowing: bool) -> None:
    key = random.Random(size).randbytes(4 * size)
    rounds = size + 6
    words = schedule(key, rounds)
    circuit = flowing_key_step(size, "zhang2004") if flowing else key_step(size, "zhang2004")
    forms = {4: (1,), 6: (1, 2, 0), 8: (1, 0)}[size]
    window, used = int.from_bytes(key, "little"), 0
    for number in range(rounds):
        assert window & (1 << 128) - 1 == int.from_bytes(b"".join(words[4 * number : 4 * number + 4]), "little")
        form = forms[number % len(forms)]
        ports = {"seed_form": form, "form": form, "constant": aes.round_constant(used + 1)}
        used += form != 0
        if flowing:
            window = circuit(window=window, **ports)["next"]
        else:
            window = (window | circuit(seed=window, words=window, **ports)["next"] << 32 * size) >> 128


@pytest.mark.parametrize(
    ("size", "code", "forms"), [(4, 0, (1,)), (6, 1, (1, 2, 0)), (8, 2, (1, 3))], ids=["128", "192", "256"]
)
def test_the_step_for_keys_of_all_sizes_gives_the_expanded_key(size: int, code: int, forms: tuple[int, ...]) -> None:
    source = random.Random(size)
    key = source.randbytes(4 * size)
    words = schedule(key, size + 6)
    circuit, window, used = selectable_key_step("zhang2004"), int.from_bytes(key, "little"), 0
    for number in range(size + 6):
        assert window & (1 << 128) - 1 == int.from_bytes(b"".join(words[4 * number : 4 * number + 4]), "little")
        form = forms[number % len(forms)]
        # What a shorter key leaves of the window is not looked at.
        seen = window | source.getrandbits(256 - 32 * size) << 32 * size
        ports = {"seed_form": form, "form": form, "constant": aes.round_constant(used + 1), "size": code}
        used += form in (1, 2)
        window = (window | circuit(seed=seen, words=seen, **ports)["next"] << 32 * size) >> 128


def test_a_column_that_is_skipped_passes_the_state() -> None:
    circuit, source = replace(INNER, skips=True).circuit(), random.Random(3)
    for skip in (0, 1, 0, 1):
        ports = random_ports(circuit, source) | {"skip": skip}
        assert circuit(**ports)["next"] == (ports["held"] if skip else expected(INNER, ports))


def outputs_when_staged(staged: StagedCircuit, ports: dict[str, int]) -> int:
    """What the pipeline gives for one case, every input held in the clock its stage asks for."""
    values = [ports[p.name] >> bit & 1 for p in staged.circuit.inputs for bit in range(p.width)]
    words = np.zeros((staged.stages, len(values)), dtype=np.uint64)
    for bit, (value, when) in enumerate(zip(values, staged.arrival, strict=True)):
        words[when.stage, bit] = value
    return sum(int(word & np.uint64(1)) << bit for bit, word in enumerate(staged.simulate(words)[-1]))


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 6, 8, 10])
def test_all_stages_of_a_core_are_as_short_as_its_longest_must_be(stages: int) -> None:
    cuts = cut(KINDS, 4, UnitPlan(stages, stages - 1, 0, 0, paper=False))
    source = random.Random(stages)
    for kind, staged in cuts.columns.items():
        ports = random_ports(staged.circuit, source)
        assert outputs_when_staged(staged, ports) == expected(kind, ports)
        assert max(staged.stage_delays(LEVELS)) <= cuts.levels
    # The longest path of the column is the first unit's: no cut can be better than its equal parts.
    longest = max(cut(KINDS, 4, UnitPlan(1, 0, 0, 0, paper=False)).columns[KINDS[0]].stage_delays(LEVELS))
    assert cuts.levels >= longest / stages
    assert cuts.levels <= longest / stages + 3


def test_with_seven_stages_the_publication_has_six_levels_and_the_pipeliner_five() -> None:
    assert cut(KINDS, 4, UnitPlan(7, 5, 0, 0, paper=True)).levels == 6
    assert cut(KINDS, 4, UnitPlan(7, 6, 0, 0, paper=False)).levels == 5


@pytest.mark.parametrize(
    ("directions", "stages", "delays"),
    [
        (ENCRYPT, 3, (11, 11, 8)),
        (ENCRYPT, 7, (5, 6, 6, 5, 4, 4, 0)),
        (JOINT, 4, (11, 11, 7, 6)),
        (JOINT, 7, (5, 6, 6, 5, 4, 3, 6)),
    ],
)
def test_the_cuts_of_the_publication(directions: tuple[Direction, ...], stages: int, delays: tuple[int, ...]) -> None:
    kind = Column(Entry.STATE, Mix.ALWAYS, directions, "zhang2004")
    staged = paper_column(kind, stages)
    assert staged.stage_delays(LEVELS) == delays
    ports = random_ports(staged.circuit, random.Random(5))
    assert outputs_when_staged(staged, ports) == expected(kind, ports)


@pytest.mark.parametrize(
    ("mix", "delays"), [(Mix.ALWAYS, (4, 2, 4, 4, 2, 3, 4, 4, 4)), (Mix.NEVER, (4, 2, 4, 4, 2, 3, 4, 0, 1))]
)
def test_an_sbox_keeps_its_own_publications_cuts(mix: Mix, delays: tuple[int, ...]) -> None:
    """Lin et al.'s seven stages in both directions, and two for the rest of a round: none longer than the S-box's."""
    kind = Column(Entry.STATE, mix, JOINT, "lin2023")
    staged = paper_column(kind, 9)
    assert staged.stage_delays(LEVELS) == delays
    own = catalogue()["lin2023"].staging(Function.COMBINED)
    # Of a column's four S-boxes each has its own bits; they share the one that says the direction.
    ranks = [4 * (len(rank) - 1) + 1 for rank in own.registers]
    assert [len(rank) for rank in staged.registers[: own.stages - 1]] == ranks
    ports = random_ports(staged.circuit, random.Random(5))
    assert outputs_when_staged(staged, ports) == expected(kind, ports)


def test_cuts_that_compute_a_gate_twice_are_not_offered() -> None:
    assert paper_stages(JOINT, "lin2023") == (8, 9, 10)
    assert paper_stages(ENCRYPT, "lin2023") == paper_stages(JOINT, "teng2022") == paper_stages(JOINT, "table") == ()


@pytest.mark.parametrize("directions", [ENCRYPT, JOINT])
def test_in_a_loop_the_round_has_the_cuts_of_the_publication_and_the_choice_in_its_first_stage(
    directions: tuple[Direction, ...],
) -> None:
    only = Column(Entry.EITHER, Mix.UNLESS_LAST, directions, "zhang2004")
    cuts = cut((only,), 4, UnitPlan(7, 6 if directions == JOINT else 5, 0, 1, paper=True))
    staged = cuts.columns[only]
    assert cuts.levels == 7
    assert staged.stage_delays(LEVELS)[1:5] == (6, 6, 5, 4)
    for seed in range(8):
        ports = random_ports(staged.circuit, random.Random(seed))
        assert outputs_when_staged(staged, ports) == expected(only, ports)


@pytest.mark.parametrize("stages", [2, 3, 5, 9])
@pytest.mark.parametrize("directions", [ENCRYPT, DECRYPT])
def test_what_follows_tables_is_cut_behind_them(directions: tuple[Direction, ...], stages: int) -> None:
    kind = Column(Entry.STATE, Mix.UNLESS_LAST, directions, "table")
    staged = cut_after_tables(kind, stages, Arrival(stages - 1))
    table = aes.SBOX if directions == ENCRYPT else aes.INVERSE_SBOX
    source = random.Random(stages)
    for _ in range(8):
        ports = random_ports(kind.circuit(), source)
        read = column([table[byte] for byte in bytes_of(ports["state"])])
        outputs = outputs_when_staged(staged, {**ports, "substituted": read})
        assert outputs == expected(kind, ports)
    if stages > 2:
        assert staged.stage_delays(LEVELS)[1] == 0, "what is read goes into registers first"


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("stages", "levels"), [(3, 4), (6, 2), (7, 2)])
def test_cuts_by_luts_make_stages_of_few_levels(stages: int, levels: int) -> None:
    cuts = cut(KINDS, 4, UnitPlan(stages, stages - 1, 0, 0, paper=False, luts=True))
    assert cuts.lut_levels == levels
    for kind, staged in cuts.columns.items():
        ports = random_ports(staged.circuit, random.Random(stages))
        assert outputs_when_staged(staged, ports) == expected(kind, ports)


def test_other_cuts_are_not_in_the_publication() -> None:
    with pytest.raises(RequestError, match="cuts: paper needs stages 3 or 7 and S-box zhang2004, not 4 stages"):
        paper_column(INNER, 4)

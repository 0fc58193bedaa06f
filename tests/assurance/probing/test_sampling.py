"""Sampled probes: sound cores pass, and what the exact checks refuse is found, with the probe that sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aesmith.assurance.probing.lanes import compare, count_ones, tally
from aesmith.assurance.probing.sampling import sample
from aesmith.assurance.probing.sampling_plan import SamplingPlan, SamplingReport
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import FALSE, Gate, Netlist, NetlistOp, Register
from aesmith.assurance.proof.shares.sbox import masked_sbox_modules
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import PayloadKind
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError
from aesmith.masking.gadgets import dom
from aesmith.masking.sbox import masked_sbox

pytestmark = pytest.mark.one_in(2)

QUICK = SamplingPlan(4096)
IN_TWO_CLOCKS = SamplingPlan(4096, transitions=True)


def core(**fields: object) -> CoreDesign:
    specification = parse_specification({"preset": "masked-round-gated-enc", **fields})
    return build_design(specification, "core", "masked-round-gated-enc")


@pytest.fixture(scope="module")
def netlist(tmp_path_factory: pytest.TempPathFactory) -> Netlist:
    return elaborate(core(), tmp_path_factory.mktemp("core"))


def rewired(netlist: Netlist, wires: dict[int, int]) -> Netlist:
    """The netlist in which gates read other nets."""
    gates = (replace(g, inputs=tuple(wires.get(net, net) for net in g.inputs)) for g in netlist.gates)
    return replace(netlist, gates=tuple(gates))


@pytest.mark.thorough
@pytest.mark.slow
def test_a_sound_core_passes_in_one_clock_and_in_two(netlist: Netlist) -> None:
    found = []
    for plan in (QUICK, IN_TWO_CLOCKS, QUICK):
        report = sample(core(), netlist, plan)
        assert not report.leak
        assert report.blocks == plan.blocks
        assert report.clocks == 43
        assert report.probes > 1000
        found.append(replace(report, seconds=0.0))
    assert found[0] == found[2]


FRESH = 30


@pytest.mark.thorough
@pytest.mark.slow
def test_tied_fresh_bits_are_found_by_the_registers_that_show_it(netlist: Netlist) -> None:
    random = netlist.inputs["random_i"]
    report = sample(core(), rewired(netlist, dict.fromkeys(random, FALSE)), QUICK)
    assert report.leak
    assert report.strongest is not None
    # Four bits that blind the right operand of one S-box's first product.
    tied = rewired(netlist, dict.fromkeys(random[5 * FRESH : 5 * FRESH + 4], FALSE))
    report = sample(core(), tied, QUICK)
    assert report.leak
    assert report.strongest is not None
    assert "gen_byte[5]" in report.strongest.wire
    assert any("gen_byte[5]" in read and "rank_1_q" in read for read in report.strongest.reads)


@pytest.mark.thorough
def test_fresh_bits_that_serve_twice_are_found(netlist: Netlist) -> None:
    random = netlist.inputs["random_i"]
    twice = {random[5 * FRESH + k]: random[5 * FRESH + 4 + k] for k in range(4)}
    assert sample(core(), rewired(netlist, twice), SamplingPlan(32_768)).leak


@pytest.mark.thorough
def test_a_register_that_sums_two_shares_is_found(netlist: Netlist) -> None:
    shares = [r.q for r in netlist.registers if r.name.endswith("key_q[5]") and "round" not in r.name]
    assert len(shares) == 2
    net = netlist.net_count
    summed = replace(
        netlist,
        gates=(*netlist.gates, Gate(NetlistOp.XOR, tuple(shares), net)),
        registers=(*netlist.registers, Register("odd_q", net, net + 1, None)),
    )
    report = sample(core(), summed, QUICK)
    assert report.leak
    assert report.strongest is not None
    assert report.strongest.wire == "what odd_q takes"
    assert sorted(read[-8:] for read in report.strongest.reads) == ["key_q[5]"] * 2


@pytest.mark.thorough
def test_a_sum_of_shares_inside_of_wide_logic_is_found(netlist: Netlist) -> None:
    """Of a wire with two columns of both shares in its logic a table has no room; its settled level tells."""
    names = netlist.names
    first, second = (names["u_core.entering"][share * 128 + 7] for share in (0, 1))
    net = netlist.net_count
    summed = replace(
        netlist,
        gates=(*netlist.gates, Gate(NetlistOp.XOR, (first, second), net)),
        registers=(*netlist.registers, Register("odd_q", net, net + 1, None)),
    )
    report = sample(core(), summed, QUICK)
    assert report.leak


@pytest.mark.thorough
@pytest.mark.slow
def test_dom_in_the_place_of_hpc3_is_found(tmp_path: Path) -> None:
    design = core()
    ((module, masked),) = masked_sbox_modules(design).items()
    naive = masked_sbox(1, 4, gadget=dom)
    unused = masked.fresh_bits - naive.fresh_bits
    assert unused == 12
    text = staged_systemverilog(naive.staged, "Masked S-box.", module)
    sources = tuple(replace(s, text=text) if s.name == f"{module}.sv" else s for s in design.sources)
    naive_core = replace(design, sources=sources)
    report = sample(naive_core, elaborate(naive_core, tmp_path), SamplingPlan(32_768))
    assert report.leak
    assert report.strongest is not None
    assert "u_sbox" in report.strongest.wire


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_loop_of_one_rank_is_found_in_two_clocks_alone(ranks: int, netlist: Netlist) -> None:
    """An HPC3 AND of a held bit of the key, fed by itself, beside a core that gives it two fresh bits more."""
    design = core()
    channels = tuple(
        replace(c, payloads=tuple(replace(p, width=602) if p.kind is PayloadKind.RANDOM else p for p in c.payloads))
        for c in design.ports.channels
    )
    design = replace(design, ports=replace(design.ports, channels=channels))
    b = [r.q for r in netlist.registers if r.name.endswith("key_q[5]") and "round" not in r.name]
    looped = with_loop(netlist, b, ranks)
    assert not sample(design, looped, QUICK).leak
    report = sample(design, looped, IN_TWO_CLOCKS)
    assert report.leak == (ranks == 1)
    if report.leak:
        assert report.strongest is not None
        assert any("loop_v" in read for read in report.strongest.reads)
        assert any(read == "random_i[600] a clock before" for read in report.strongest.reads)


def with_loop(netlist: Netlist, b: Sequence[int], ranks: int) -> Netlist:
    """y = y·b by HPC3 in every clock: u_i = Reg[y_i·(b_i + r) + s], v_i = Reg[b_j + r], y_i = u_i + Reg[y_i]·v_i, with
    another rank behind if `ranks` is 2."""
    free = iter(range(netlist.net_count, netlist.net_count + 100))
    gates, registers = list(netlist.gates), list(netlist.registers)
    r, s = next(free), next(free)

    def gate(op: NetlistOp, *nets: int) -> int:
        gates.append(Gate(op, nets, next(free)))
        return gates[-1].output

    def register(name: str, pin: int, q: int) -> int:
        # Behind the gate of the S-boxes' clock: it moves when a word of fresh bits is taken.
        d = gate(NetlistOp.MUX, netlist.outputs["random_ready_o"][0], q, pin)
        registers.append(Register(f"loop_{name}_q", d, q, None, pin))
        return q

    q = {name: next(free) for i in (0, 1) for name in (f"u{i}", f"v{i}", f"a{i}", f"y{i}")}
    for i in (0, 1):
        result = gate(NetlistOp.XOR, q[f"u{i}"], gate(NetlistOp.AND, q[f"a{i}"], q[f"v{i}"]))
        if ranks == 2:
            result = register(f"y{i}", result, q[f"y{i}"])
        blinded = gate(NetlistOp.XOR, b[i], r)
        register(f"u{i}", gate(NetlistOp.XOR, gate(NetlistOp.AND, result, blinded), s), q[f"u{i}"])
        register(f"v{i}", gate(NetlistOp.XOR, b[1 - i], r), q[f"v{i}"])
        register(f"a{i}", result, q[f"a{i}"])
    inputs = {**netlist.inputs, "random_i": (*netlist.inputs["random_i"], r, s)}
    return replace(netlist, inputs=inputs, registers=tuple(registers)).with_gates(gates)


NARROW = {
    "masked-serial-gated-enc": {},
    "masked-serial-enc": {},
    "masked-serial-keyed-gated-enc": {},
    "masked-column-gated-enc": {},
    "masked-serial-gated-enc with a generator": {"preset": "masked-serial-gated-enc", "prng": "trivium"},
}


@pytest.fixture(scope="module", params=NARROW)
def narrow(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[CoreDesign, Netlist]:
    """A core whose keys and blocks come in beats, or with a generator of fresh bits, and its netlist."""
    design = core(**{"preset": request.param, **NARROW[request.param]})
    return design, elaborate(design, tmp_path_factory.mktemp("narrow"))


@pytest.mark.thorough(but=1)
def test_a_sound_narrow_core_passes(narrow: tuple[CoreDesign, Netlist]) -> None:
    design, netlist = narrow
    report = sample(design, netlist, QUICK)
    assert not report.leak
    assert report.blocks == QUICK.blocks
    assert report.clocks > design.latency_cycles
    assert report.probes > 300


@pytest.mark.thorough(but=1)
def test_a_narrow_core_whose_fresh_bits_are_tied_is_found_by_its_registers(narrow: tuple[CoreDesign, Netlist]) -> None:
    """Four bits that blind the right operand of the first product of one S-box, at the port or behind the generator."""
    design, netlist = narrow
    fresh = netlist.names["fresh"] if "fresh" in netlist.names else netlist.inputs["random_i"]
    report = sample(design, rewired(netlist, dict.fromkeys(fresh[:4], FALSE)), SamplingPlan(16_384))
    assert report.leak
    assert report.strongest is not None
    assert any("rank_1_q" in read for read in report.strongest.reads)


@pytest.mark.thorough(but=1)
def test_a_narrow_core_with_a_register_that_sums_two_shares_is_found(narrow: tuple[CoreDesign, Netlist]) -> None:
    design, netlist = narrow
    first, second = (netlist.inputs["block_i"][bit] for bit in (0, design.block_width))
    net = netlist.net_count
    summed = replace(
        netlist,
        gates=(*netlist.gates, Gate(NetlistOp.XOR, (first, second), net)),
        registers=(*netlist.registers, Register("odd_q", net, net + 1, None)),
    )
    report = sample(design, summed, QUICK)
    assert report.leak
    assert report.strongest is not None
    assert report.strongest.wire == "what odd_q takes"


@pytest.mark.thorough(but=3)
def test_a_narrow_core_that_computes_wrongly_is_not_sampled(narrow: tuple[CoreDesign, Netlist]) -> None:
    design, netlist = narrow
    one, other = (netlist.inputs["block_i"][bit] for bit in (0, 1))
    with pytest.raises(CheckError, match="sampled blocks are computed wrongly"):
        sample(design, rewired(netlist, {one: other}), QUICK)


@pytest.mark.thorough
def test_a_core_that_computes_wrongly_is_not_sampled(netlist: Netlist) -> None:
    share, other = (netlist.inputs["key_i"][bit] for bit in (0, 1))
    with pytest.raises(CheckError, match="sampled blocks are computed wrongly"):
        sample(core(), rewired(netlist, {share: other}), QUICK)


def test_what_cannot_be_sampled_is_refused() -> None:
    with pytest.raises(RequestError, match="sample: must be 4096 to"):
        SamplingPlan(1000)
    plain = build_design(parse_specification({"preset": "boyar2010-enc"}), "plain", "boyar2010-enc")
    with pytest.raises(RequestError, match="sampled are cores with shares"):
        sample(plain, Netlist("plain", {}, {}, (), (), {}), QUICK)


@pytest.mark.thorough
def test_an_interrupt_leaves_what_is_known(netlist: Netlist) -> None:
    def stop(_words: str, done: int, _of: int) -> None:
        if done >= 4096:
            raise KeyboardInterrupt

    report: SamplingReport = sample(core(), netlist, SamplingPlan(100_000), stop)
    assert report.interrupted
    assert report.blocks == 4096
    assert report.strongest is not None


def test_tables_are_those_that_are_counted_one_by_one() -> None:
    random = np.random.default_rng(1)
    level = random.integers(0, 1 << 64, (40, 8), dtype=np.uint64)
    classes = np.array([0, 1, 0, 2] * 2, dtype=np.uint8)
    bits = np.unpackbits(level.view(np.uint8), axis=1, bitorder="little").astype(np.int64)
    sums = [[3], [4, 7], [9], [1, 2, 3], *([net] for net in range(20, 26)), *([net] for net in range(37))]
    elements = np.cumsum([0, *map(len, sums)])
    rows = np.array([net for nets in sums for net in nets], dtype=np.int32)
    probes = np.array([[0, 10, 0, 0], [10, 47, 1, 1024], [1, 3, 0, 1088], [1, 2, 0, 1092]])
    size = 1094
    counts = np.zeros(3 * size, dtype=np.uint32)
    tally(level, classes, probes, elements, rows, size, counts)
    value = [np.bitwise_xor.reduce(bits[nets], axis=0) for nets in sums]
    wanted = np.zeros((3, size), dtype=np.uint32)
    for case, kind in enumerate(np.repeat(classes, 64)):
        for place in (
            sum(int(value[k][case]) << k for k in range(10)),
            1024 + int(bits[:37, case].sum()),
            1088 + int(value[1][case]) + 2 * int(value[2][case]),
            1092 + int(value[1][case]),
        ):
            wanted[kind, place] += 1
    assert (counts.reshape(3, size) == wanted).all()
    ones = np.zeros((3, 4), dtype=np.uint32)
    count_ones(level, classes, np.array([5, 6]), ones)
    assert ones[0, 1] == bits[5, np.repeat(classes, 64) == 0].sum()
    assert ones.sum(axis=0).tolist() == [512 - bits[5].sum(), bits[5].sum(), 512 - bits[6].sum(), bits[6].sum()]


def test_g_is_that_of_scipy() -> None:
    from scipy import stats  # noqa: PLC0415 - a second of every process that collects

    random = np.random.default_rng(2)
    counts = random.integers(50, 90, (3, 16)).astype(np.uint32)
    found = np.zeros((1, 2))
    compare(counts, np.array([0]), np.array([16]), 10.0, found)
    wanted = stats.chi2_contingency(counts.astype(float), lambda_="log-likelihood")
    assert found[0] == pytest.approx([wanted.statistic, wanted.dof])
    # Cells that are too rare are one cell.
    rare = np.concatenate([counts, [[3, 4, 9], [5, 2, 8], [2, 6, 7]]], axis=1).astype(np.uint32)
    pooled = np.concatenate([counts, rare[:, 16:].sum(axis=1, keepdims=True)], axis=1)
    wanted = stats.chi2_contingency(pooled.astype(float), lambda_="log-likelihood")
    compare(rare, np.array([0]), np.array([19]), 10.0, found)
    assert found[0] == pytest.approx([wanted.statistic, wanted.dof])

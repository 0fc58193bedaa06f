"""Draws pictures of the pages: what is in them is read from circuits, engines and proofs, never typed.

    python scripts/pictures.py [NAME.svg ...]

writes those of these names, or all, to docs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import aesmith
from aesmith.assurance.probing.check import extended_probes
from aesmith.assurance.probing.values import ProbeAlgebra, Value
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.explore import Explorer, Walk
from aesmith.assurance.proof.interface import Automaton, block_ports
from aesmith.assurance.proof.report import Limits
from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.cost import UNIT, arrivals
from aesmith.circuits.linear import shallow
from aesmith.circuits.pipeline import StagedCircuit, pipeline
from aesmith.circuits.systemverilog import node_names
from aesmith.cores.round_based.maps import AES_FIELD, mix_columns
from aesmith.cores.round_based.specification import Ueno2020EncSpecification
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.cores.specification import build_design, load_specification
from aesmith.drawing.diagram import draw_diagram
from aesmith.drawing.lanes import Bar, Lane, Span, draw_bars, draw_lanes, lines_of
from aesmith.drawing.ranks import Node, Rank, draw_ranks
from aesmith.drawing.waveform import draw_waveform
from aesmith.fields import aes
from aesmith.fields.families import inverter_bases
from aesmith.fields.offset_search import ALL_OFFSETS, MapTables, hamming, map_weights
from aesmith.fields.tower import NormalTower
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import MaskedCircuit
from aesmith.modes.clocks import passing, run
from aesmith.modes.gcm_clocks import GcmClocks
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.stream import Section, StreamedMessage
from aesmith.publish.structure import elaborate as elaborate_blocks
from aesmith.publish.structure import structure
from aesmith.publish.trace import check_latency, trace_engine
from aesmith.sboxes import canright2005, ueno2015
from aesmith.scratch import work_folder

DOCS = Path(__file__).parents[1] / "docs"

_CORE = load_specification("ueno2020-enc")
assert isinstance(_CORE, Ueno2020EncSpecification)
TOWER = UenoTower(_CORE.alpha, _CORE.beta, _CORE.gamma)


def _rows(word: list[Wire]) -> list[list[Wire]]:
    return [word[8 * row : 8 * row + 8] for row in range(4)]


def _sum(builder: CircuitBuilder, *words: list[Wire]) -> list[Wire]:
    first, *others = words
    for word in others:
        first = [builder.xor(a, b) for a, b in zip(first, word, strict=True)]
    return first


def _inverted(builder: CircuitBuilder, words: list[list[Wire]]) -> list[list[Wire]]:
    inverter = ueno2015.inverter()
    nameless = replace(inverter, blocks=("",) * len(inverter.blocks))
    with builder.block("inversion"):
        return [builder.instance(nameless, x=word)["y"] for word in words]


def plain_column() -> Circuit:
    """A column of a round by FIPS-197, `state` after ShiftRows and `key` to `next`: the S-box goes into the tower of
    `TOWER` and back, then come MixColumns and AddRoundKey."""
    builder = CircuitBuilder("plain_column")
    state, key = builder.input("state", 32), builder.input("key", 32)
    tower = NormalTower(TOWER.alpha, TOWER.beta)
    with builder.block("into the tower"):
        words = [shallow(tower.nb.from_field).place(builder, row) for row in _rows(state)]
    words = _inverted(builder, words)
    back = shallow(aes.AFFINE @ tower.rrb.to_field)
    with builder.block("out of it, affine map"):
        words = [back.place(builder, word, aes.AFFINE_CONSTANT) for word in words]
    with builder.block("MixColumns"):
        mixed = builder.instance(mix_columns(AES_FIELD, 3), x=[bit for word in words for bit in word])["y"]
    with builder.block("AddRoundKey"):
        builder.output("next", _sum(builder, mixed, key))
    return builder.build()


def compressed_column() -> Circuit:
    """The same in the tower, as in `aesmith_ueno2020_linear_operations`: all linear steps are Φ, Ω1 and sums."""
    builder = CircuitBuilder("compressed_column")
    state, key = builder.input("state", 32), builder.input("key", 32)
    words = _inverted(builder, _rows(state))
    with builder.block("merged maps Φ and Ω1"):
        maps = [builder.instance(TOWER.unified_affine(), f=word) for word in words]
    phi, omega = ([each[name] for each in maps] for name in ("phi", "omega1"))
    with builder.block("MixColumns' sums, AddRoundKey"):
        for row, round_key in enumerate(_rows(key)):
            mixed = _sum(builder, omega[row], omega[(row + 1) % 4])
            others = _sum(builder, phi[(row + 2) % 4], phi[(row + 3) % 4])
            builder.output(
                f"next{row}", _sum(builder, mixed, _sum(builder, others, _sum(builder, phi[row], round_key)))
            )
    return builder.build()


def _steps(name: str, circuit: Circuit) -> Lane:
    """The blocks of a circuit, one behind the other: each from the last gate of the one before it to its own."""
    times, spans, before = arrivals(circuit, UNIT), list[Span](), 0.0
    for block, label in enumerate(circuit.blocks):
        gates = [place for place, gate in enumerate(circuit.gates, circuit.input_width) if gate.block == block]
        counted = sum(1 for place in gates if UNIT.area[circuit.gates[place - circuit.input_width].op])
        if counted:
            end = max(times[place] for place in gates)
            spans.append(Span(before, end, f"{label}: {counted}\u00a0gates", 0 if label == "inversion" else 1))
            before = end
    return Lane(name, tuple(spans))


def round_compressed(_: Path) -> str:
    """A plain round beside a compressed one."""
    columns = {"plain": plain_column(), "compressed": compressed_column()}
    lanes = [_steps(name, circuit) for name, circuit in columns.items()]
    levels = [f"{lane.spans[-1].end:.0f}" for lane in lanes]
    gates = [sum(1 for gate in each.gates if UNIT.area[gate.op]) for each in columns.values()]
    return draw_lanes(
        "A column of a round: plain and compressed",
        f"Plain: {gates[0]} gates in {levels[0]} levels. Compressed: {gates[1]} gates in {levels[1]} levels.",
        "Steps from state to next state, one below the other, as high as they have levels of gates. "
        + " ".join(f"{lane.name}: {', '.join(span.words for span in lane.spans)}." for lane in lanes),
        lanes,
        unit=19,
        step=5,
        scale="gates on the longest path",
    )


ENGINE, HEADERS, TEXTS = "gcm-10g", 1, 2
"""The engine of the timeline, and the blocks of its message."""


def gcm_message(engine: GcmEngine) -> StreamedMessage:
    """The message of the timeline."""
    return engine.plain(HEADERS, TEXTS, encrypt=True)


def gcm_lanes(engine: GcmEngine) -> dict[str, list[Span]]:
    """What the parts of an engine of GCM do with the message, the first one under a key, by the engine's own model."""
    timing = engine.timing
    clocks = GcmClocks(timing, [passing(gcm_message(engine), engine.stream_bits // 8, encrypt=True, opens=True)])
    run(clocks.parts())
    kinds = [{None: 2, Section.HEADER: 0, Section.TEXT: 1}[item.kind] for item in clocks.items]
    names = [
        f"{('header', 'text')[kind]} {kinds[: place + 1].count(kind)}" if kind < 2 else "mask"
        for place, kind in enumerate(kinds)
    ]
    beats = [place for place, kind in enumerate(kinds) if kind < 2]

    def spans(firsts: Sequence[int], lasting: int, places: Sequence[int]) -> list[Span]:
        pairs = zip(firsts, places, strict=True)
        return [Span(first, first + lasting, names[place], kinds[place]) for first, place in pairs]

    lanes = {"input": spans(clocks.front.entered, 1, beats)}
    called = [place for place, item in enumerate(clocks.items) if item.has_block]
    early = timing.core_latency - 1
    calls = [
        Span(clocks.hash_key[0] - early, clocks.hash_key[0] - early + timing.core_cycles, "hash key", 3),
        *spans([clocks.streamed[place] - early for place in called], timing.core_cycles, called),
    ]
    lanes |= {f"AES {core + 1}": calls[core :: timing.cores] for core in range(timing.cores)}
    steps, end = timing.multiplication_cycles, clocks.given[0] + 1
    lanes["GHASH"] = [
        *spans([clocks.hashed[place] for place in beats], steps, beats),
        Span(end - steps, end, "lengths", 2),
    ]
    *texts, tag = clocks.answers.clocks[0]
    lanes["output"] = [*spans(texts, 1, [p for p in beats if kinds[p] == 1]), Span(tag, tag + 1, "tag", 2)]
    return lanes


def gcm_timeline(_: Path) -> str:
    """A message through an engine of GCM."""
    engine = aesmith.engine(ENGINE).design
    assert isinstance(engine, GcmEngine)
    lanes = gcm_lanes(engine)
    return draw_lanes(
        f"{ENGINE}: a message, clock by clock",
        f"{HEADERS} block of header and {TEXTS} of text to encrypt. The key comes in clock 0.",
        "What each part does in each clock, from above downwards. "
        + " ".join(
            f"{name}: {', '.join(f'{each.words} from clock {each.first:.0f}' for each in spans)}."
            for name, spans in lanes.items()
        ),
        [Lane(name, tuple(spans)) for name, spans in lanes.items()],
        unit=16,
        step=5,
        scale="clock",
    )


PART, STAGES = "c^-1 in GF(2^4)", 3
"""A block of Canright's S-box, and into how many stages it is cut."""


def block_of(circuit: Circuit, label: str) -> Circuit:
    """The gates of a block as a circuit: x is what they read of others, y what others read of them."""
    block, width = circuit.blocks.index(label), circuit.input_width
    gates = {node: gate for node, gate in enumerate(circuit.gates, width) if gate.block == block}
    read = {arg for node, gate in enumerate(circuit.gates, width) if node not in gates for arg in gate.args}
    builder = CircuitBuilder(label)
    taken = sorted({arg for gate in gates.values() for arg in gate.args} - set(gates))
    wires = dict(zip(taken, builder.input("x", len(taken)), strict=True))
    for node, gate in gates.items():
        wires[node] = builder.gate(gate.op, *(wires[arg] for arg in gate.args))
    builder.output("y", [wires[node] for node in gates if node in read or node in circuit.output_nodes])
    return builder.build()


def ranks_of(staged: StagedCircuit) -> tuple[list[Rank], list[tuple[str, str]]]:
    """A staged circuit gate by gate: inputs, the levels of each stage and its registers in turn, outputs."""
    circuit, width = staged.circuit, staged.circuit.input_width
    holds = {bit: f"x{bit}" for bit in range(width)}
    ranks, edges = [Rank(tuple(Node(key, key) for key in holds.values()))], list[tuple[str, str]]()
    for stage, gates in enumerate(staged.gates):
        levels: dict[int, int] = {}
        for node in gates:
            gate = circuit.gates[node - width]
            levels[node] = 1 + max(levels.get(arg, 0) for arg in gate.args)
            edges += [(holds[arg], f"{stage} {node}") for arg in dict.fromkeys(gate.args)]
            holds[node] = f"{stage} {node}"
        for level in range(1, max(levels.values()) + 1):
            row = [node for node in gates if levels[node] == level]
            ranks.append(Rank(tuple(Node(holds[node], circuit.gates[node - width].op, 1) for node in row)))
        if stage < staged.stages - 1:
            held = staged.registers[stage]
            edges += [(holds[node], f"cut {stage} {node}") for node in held]
            holds = {node: f"cut {stage} {node}" for node in held}
            registers = tuple(Node(holds[node], "", 0, register=True) for node in held)
            ranks.append(Rank(registers, f"cut {stage + 1}"))
    edges += [(holds[node], f"y{place}") for place, node in enumerate(circuit.output_nodes)]
    ranks.append(Rank(tuple(Node(f"y{place}", f"y{place}") for place in range(circuit.output_width))))
    return ranks, edges


def pipeline_cut(_: Path) -> str:
    """A block of an S-box in stages, where the pipeliner cuts it."""
    staged = pipeline(block_of(canright2005.forward(), PART), stages=STAGES)
    ranks, edges = ranks_of(staged)
    delays = ", ".join(f"{delay:.0f}" for delay in staged.stage_delays(UNIT))
    return draw_ranks(
        f"{PART}, cut into {STAGES} stages",
        f"{staged.gate_count} gates of Canright's S-box, {staged.register_bits} registers. Levels in each stage: "
        f"{delays}.",
        f"Gates from the inputs x down to the outputs y, a row for each level of gates. Stages of {delays} levels lie "
        f"between rows of {' and '.join(str(len(rank)) for rank in staged.registers)} registers.",
        ranks,
        edges,
        gap=20,
    )


PROVED = "ueno2020-enc"
"""The core whose walk is drawn."""


def walk_of(preset: str, folder: Path) -> Walk:
    """All states of a core's control and interface, as a proof walks them."""
    design = build_design(load_specification(preset), "core", preset)
    netlist = elaborate(design, folder)
    walk = Explorer(netlist, block_ports(netlist, design)).run(Limits())
    assert walk.violation is None, walk.violation
    assert not walk.open_reason, walk.open_reason
    return walk


def states_of(walk: Walk) -> list[Rank]:
    """The states of a walk, each below the first one that leads to it: by the fewest clocks from reset."""
    clocks = {0: 0}
    for state in (order := [0]):
        for target in sorted({edge.target for edge in walk.edges[state]} - set(clocks)):
            clocks[target] = clocks[state] + 1
            order.append(target)
    ranks = []
    for clock in range(max(clocks.values()) + 1):
        states = [state for state in sorted(clocks) if clocks[state] == clock]
        nodes = tuple(_state(str(state), walk.automata[state]) for state in states)
        ranks.append(Rank(nodes, f"clock {clock}"))
    return ranks


def _state(key: str, state: Automaton) -> Node:
    newer = any(job.key != state.key for job in state.jobs)
    kind = 2 if state.offered else 1 if state.jobs else 0
    return Node(key, "k" * newer + "b" * (state.block_waits is not None), kind)


def proof_walk(folder: Path) -> str:
    """The states of a core, and which may follow which."""
    walk = walk_of(PROVED, folder)
    edges = {(str(state), str(edge.target)) for state, edges in enumerate(walk.edges) for edge in edges}
    return draw_ranks(
        f"All {len(walk.control)} states of {PROVED}",
        "Yellow: no block. Blue: a block in the core. Green: a result that was not accepted at once. k: the core has a "
        "newer key than that block. b: the next block is offered.",
        f"{len(walk.control)} states with {len(edges)} ways between them. From reset they fan out to the states that "
        "differ in which new key or block was offered meanwhile, and from the last ones they lead back up.",
        states_of(walk),
        sorted(edges),
        gap=26,
    )


INVERTER, WIDE = "ueno2015", 50
"""The inverter whose towers are drawn, and ones of a row."""


def offset_weights(_: Path) -> str:
    """How many ones the merged maps have, in every tower of an inverter with every offset."""
    towers = inverter_bases(INVERTER)
    scores = hamming()(map_weights(towers, MapTables.of(ALL_OFFSETS))).astype(int)
    plain, best = scores[:, ALL_OFFSETS.index(1)], scores.min()
    bars = []
    for low in range(best // WIDE * WIDE, scores.max() + 1, WIDE):
        within, without = ((each >= low) & (each < low + WIDE) for each in (scores, plain))
        words = f"{without.sum()} with γ = 1" if without.any() else "the best" if low <= best < low + WIDE else ""
        bars.append(Bar(f"{low:,}", {0: int(without.sum()), 1: int(within.sum() - without.sum())}, words))
    fewer = int((scores < plain.min()).sum())
    return draw_bars(
        "Ones of all merged maps",
        f"{len(towers)} towers, each with {len(ALL_OFFSETS)} offsets; γ = 1 is none. {fewer} choices beat that in all "
        f"towers; the best has {best:,} ones.",
        f"A histogram of {scores.size} choices. Without an offset the maps have {', '.join(map(str, sorted(plain)))} "
        f"ones, with one {best} to {scores.max()}.",
        bars,
        scale="ones, from; bars: how many choices",
    )


ORDER, CLOCKS = 1, 4
"""Of the masked S-box that is drawn."""
NOTHING, FRESH = 2, 3
"""In place of the number of a share: what tells nothing of any, and fresh bits."""


def told_by(masked: MaskedCircuit) -> Callable[[frozenset[int]], int]:
    """Of the nodes that a probe reads the one share that they tell something of, or NOTHING, by one-time pads alone.

    What it gives raises AssertionError where they tell of several shares.
    """
    algebra, bits, values = ProbeAlgebra(), [0] * masked.shares, list[Value]()
    for bit, origin in enumerate(masked.origins):
        values.append(algebra.variable(bit, secret=not origin.is_fresh))
        if origin.share is not None:
            bits[origin.share] |= algebra.support(values[-1])
    for gate in masked.staged.circuit.gates:
        values.append(algebra.gate(gate, [values[arg] for arg in gate.args]))

    @cache
    def told(nodes: frozenset[int]) -> int:
        mask = 0
        for value in algebra.simplified(values[node] for node in nodes):
            mask |= algebra.support(value)
        shares = [share for share, own in enumerate(bits) if mask & own]
        assert len(shares) <= 1, f"a probe tells of the shares {shares}"
        return shares[0] if shares else NOTHING

    return told


def shares_of(masked: MaskedCircuit) -> tuple[list[Rank], list[tuple[str, str]]]:
    """A masked circuit by what glitch-extended probes of its wires tell.

    Gates of a block in one stage whose probes tell of the same share are one shape, and so are registers of a cut.
    """
    staged, circuit, width = masked.staged, masked.staged.circuit, masked.staged.circuit.input_width
    told, probed = told_by(masked), {probe.wire for probe in extended_probes(masked)}
    ranks, edges, place = list[Rank](), set[tuple[str, str]](), dict[int, str]()

    def add(label: str, groups: Mapping[int, Sequence[int]], what: str, wires: Mapping[int, str]) -> None:
        shapes = []
        for share in (share for share in (0, NOTHING, FRESH, 1) if share in groups):
            words = f"{len(groups[share])} {'fresh' if share == FRESH else what}"
            if count := len(probed.intersection(wires[node] for node in groups[share])):
                words += f"\n{count} probe{'s' * (count > 1)}"
            key = f"{len(ranks)} {share}"
            shapes.append(Node(key, words, (1, 2, 0, 3)[share], label.startswith("cut") and share != FRESH))
            place.update(dict.fromkeys(groups[share], key))
        ranks.append(Rank(tuple(shapes), "\n".join(lines_of(label, 95))))

    for stage, gates in enumerate(staged.gates):
        before, names, groups = dict(place), node_names(staged, stage), dict[int, list[int]]()
        for node in sorted(staged.available(stage)):
            fresh = node in staged.arriving(stage) and masked.origins[node].is_fresh
            groups.setdefault(FRESH if fresh else told(frozenset((node,))), []).append(node)
        add(f"cut {stage}" if stage else "x", groups, "bits", names)
        edges |= {(before[node], place[node]) for node in staged.available(stage) if node in before}
        reads = {node: frozenset((node,)) for node in staged.available(stage)}
        for node in gates:
            reads[node] = frozenset().union(*(reads[arg] for arg in circuit.gates[node - width].args))
        for block in sorted({circuit.gates[node - width].block for node in gates}):
            groups = {}
            own = [node for node in gates if circuit.gates[node - width].block == block]
            for node in own:
                groups.setdefault(told(reads[node]), []).append(node)
            label = re.split(" in |, (?!h)", circuit.blocks[block])[0].replace(", ", ",\u00a0")
            add(label, groups, "gates", names)
            pairs = {(place[arg], place[node]) for node in own for arg in circuit.gates[node - width].args}
            edges |= {pair for pair in pairs if pair[0].split()[0] != pair[1].split()[0]}
    before, results = dict(place), {share: masked.output_wires(share) for share in range(masked.shares)}
    names = {node: f"share {share} of the result" for share, wires in results.items() for node in wires}
    groups = {told(frozenset().union(*(reads[wire] for wire in wires))): list(wires) for wires in results.values()}
    add("y", groups, "bits", names)
    edges |= {(before[node], place[node]) for node in names}
    return ranks, sorted(edges)


def masked_sbox_probes(_: Path) -> str:
    """A masked S-box in its stages, by what probes of it tell."""
    masked = masked_sbox(ORDER, CLOCKS)
    ranks, edges = shares_of(masked)
    return draw_ranks(
        "A masked S-box and its probes",
        "Blue: glitches can tell of share 0 alone. Green: of share 1 alone. Yellow: of none. Purple: fresh bits.",
        f"{len(masked.staged.gates)} stages of gates from two shares of x down, with rows of registers between. "
        f"{len(extended_probes(masked))} probes; in each shape they tell of one share or of none.",
        ranks,
        edges,
        gap=22,
    )


def waveform(preset: str, shows: str, folder: Path) -> str:
    """What the ports of an engine do, from a simulation of its sources, as `aesmith build` draws it."""
    engine = aesmith.engine(preset).design
    trace = trace_engine(engine, folder)
    check_latency(engine, trace)
    return draw_waveform(trace, f"{preset}: {shows}")


def parts(preset: str, folder: Path) -> str:
    """What an engine is made of, as `aesmith build` draws it."""
    design = aesmith.engine(preset).design
    return draw_diagram(structure(design, elaborate_blocks(design, folder / "netlist")), f"{preset}: block diagram")


NARROW: Mapping[str, Callable[[Path], str]] = {
    "round-compressed.svg": round_compressed,
    "gcm-timeline.svg": gcm_timeline,
    "pipeline-cut.svg": pipeline_cut,
    "proof-walk.svg": proof_walk,
    "masked-sbox-probes.svg": masked_sbox_probes,
    "offset-weights.svg": offset_weights,
}
"""Of each picture that a telephone shows in full size what draws it, in a folder for what that takes."""
PICTURES: Mapping[str, Callable[[Path], str]] = {
    **NARROW,
    "ctr-waveform.svg": partial(
        waveform, "ctr-pipeline", "a key, three messages without a bubble between them, a stall"
    ),
    "ocb-waveform.svg": partial(waveform, "ocb-pipeline", "a key, three messages and their tags, a stall"),
    "multi-mode-parts.svg": partial(parts, "gcm-small"),
    "gcm-parts.svg": partial(parts, "gcm-10g"),
}
"""Likewise of all."""


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        with work_folder() as place:
            (DOCS / name).write_text(PICTURES[name](place), encoding="utf-8")

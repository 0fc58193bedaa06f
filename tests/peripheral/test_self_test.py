"""The self-test: known answers of each mode and direction; what is corrupted, stuck or wrong in it locks the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_
from pathlib import Path
from random import Random

import pytest
from tests.modes.conftest import StandIn
from tests.peripheral.conftest import chosen_front, small, wrong_one

from aesmith import __version__
from aesmith.assurance.peripherals import PeripheralBench
from aesmith.cores.design import Direction, SourceFile
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import Cipher
from aesmith.modes.registers import registers_of
from aesmith.modes.self_test import SelfTestStep, known_answers, self_test_rom
from aesmith.modes.specification import engine_presets, parse_engine
from aesmith.peripheral.scripts import message_script, register_script, self_test_script, standalone_script

Bench = Callable[[StreamEngine, Path], PeripheralBench]
PRESETS = [
    name
    for name, found in engine_presets().items()
    # Some have no registers.
    if 32 <= found.stream_bits <= 128
    and found.mode not in ("key-wrap", "gcm-siv", "gcm-sst", "siv", "cbc-cs", "ctr-drbg")
]
ALL = (1 << 32) - 1


def with_test(when: str = "on_reset", **fields: object) -> StreamEngine:
    """The engine around a core that stands in, whose self-test knows what that one answers."""
    engine = small(self_test=when, **fields)
    rom = self_test_rom(engine.name, known_answers(engine.behind_bus, StandIn))
    return replace(engine, shipped=tuple(rom if source.name == rom.name else source for source in engine.sources))


def script_of(engine: StreamEngine) -> list[str]:
    """Registers and self-test, and messages of the core that stands in."""
    behind = engine.behind_bus
    return [
        *register_script(behind),
        *self_test_script(behind, StandIn),
        *message_script(behind, Random("tested"), 4, cipher=StandIn),
    ]


@pytest.mark.thorough(but=("multi-compact", "cmac-small"))
@pytest.mark.one_in(4)
@pytest.mark.parametrize("preset", PRESETS)
def test_each_mode_and_direction_has_a_known_answer(preset: str) -> None:
    fields = {"preset": preset, "bus": "apb", "self_test": "on_reset"}
    if len(engine_presets()[preset].engine("device", preset).key_bits) > 1:
        with pytest.raises(RequestError, match="bus: registers take keys of one size"):
            parse_engine(fields)
        return
    engine = parse_engine(fields).engine("device", preset).behind_bus
    known = known_answers(engine)
    at = {register.name: register.offset for register in registers_of(engine, __version__)}
    wanted = {(view.mode, way) for view in engine.views for way in view.mode_directions}
    # The key goes to slot 0. A command has its mode's number and, where both ways are there, which one it is.
    addresses = [step.address for step in known.steps]
    assert known.steps[addresses.index(at["KEY"]) - 1] == SelfTestStep(at["CTRL"], 0)
    controls = [step.data for step in known.steps if step.address == at["CTRL"]][1:]
    started = sum(step == SelfTestStep(at["TRIGGER"], 1) for step in known.steps)
    assert started >= len(wanted)
    if len(engine.views) > 1:
        named = {(control >> 1 & 7, control & 1) for control in controls[:-1]}
        numbers = engine.mode_numbers
        assert named == {(numbers[mode], way is Direction.ENCRYPT) for mode, way in wanted}
    ones, zeros = (reduce(or_, (word ^ turned for word in known.answers)) for turned in (0, ALL))
    assert ones == zeros == ALL
    results = {step.data for step in known.steps if step.address == at["RESULT"] and not step.write}
    opens = any(Direction.DECRYPT in view.mode_directions for view in engine.views)
    tagged = {view.mode for view in engine.views} & {"gcm", "ccm", "cmac", "ocb3"}
    assert results == ({1, 3} if tagged and opens else {1})


def test_what_the_field_may_say() -> None:
    with pytest.raises(RequestError, match=r"self_test: .*'none', 'on_reset' or 'on_request'"):
        parse_engine({"preset": "gcm-small", "bus": "apb", "self_test": "always"})
    with pytest.raises(RequestError, match="self_test: must be one of none in an engine without a bus, not 'on_reset'"):
        parse_engine({"preset": "gcm-small", "self_test": "on_reset"})


def test_it_is_clean_under_lint(tmp_path: Path) -> None:
    lint(small(self_test="on_reset", key_slots=4), tmp_path)


@pytest.mark.thorough
def test_it_is_clean_under_lint_with_a_clear(tmp_path: Path) -> None:
    fields = {"preset": "gcm-small", "bus": "tl-ul", "self_test": "on_request", "clear": True}
    lint(parse_engine(fields).engine("device", "device"), tmp_path)


_FAULTS = """\
  // Faults of tests: a bit of a step or of an answer is turned, a bit that leaves is stuck.
  int unsigned step_at, step_bit, answer_at, answer_bit;
  initial begin
    if (!$value$plusargs("step=%d", step_at)) step_at = 9999;
    if (!$value$plusargs("bit=%d", step_bit)) step_bit = 0;
    if (!$value$plusargs("answer=%d", answer_at)) answer_at = 9999;
    if (!$value$plusargs("of=%d", answer_bit)) answer_bit = 0;
  end
"""
_STUCK = """\
  int unsigned stuck, level, core, silent;
  initial begin
    if (!$value$plusargs("stuck=%d", stuck)) stuck = 9999;
    if (!$value$plusargs("core=%d", core)) core = 9999;
    if (!$value$plusargs("level=%d", level)) level = 0;
    if (!$value$plusargs("silent=%d", silent)) silent = 0;
  end
"""


def faulty(engine: StreamEngine) -> StreamEngine:
    """The engine with faults that arguments of its simulator choose."""
    changed = []
    for source in engine.sources:
        text = source.text
        if source.name.endswith("_self_test_rom.sv"):
            text = text.replace(");\n", ");\n" + _FAULTS, 1)
            text = text.replace(
                "  end\nendmodule",
                "    if (32'(step_i) == step_at) {step_write_o, step_address_o, step_data_o} ^= 40'd1 << step_bit;\n"
                "    if (32'(answer_i) == answer_at) answer_data_o ^= 32'd1 << answer_bit;\n  end\nendmodule",
            )
        elif source.name == f"{engine.core.name}.sv":
            text = text.replace(");\n", ");\n" + _STUCK, 1)
            text = re.sub(
                r"assign block_o = (.*);",
                r"assign block_o = (core == 9999 ? \1 : (\1 & ~(128'd1 << core)) | (128'(level) << core));",
                text,
            )
        elif source.name == f"{engine.name}.sv":
            text = text.replace(");\n", ");\n" + _STUCK, 1)
            text = text.replace(
                ".out_data_i(engine_m_axis_tdata)",
                ".out_data_i(stuck == 9999 ? engine_m_axis_tdata : "
                "(engine_m_axis_tdata & ~(32'd1 << stuck)) | (level << stuck))",
            )
            text = text.replace(
                ".out_valid_i(engine_m_axis_tvalid)", ".out_valid_i(engine_m_axis_tvalid & silent == 0)"
            )
        changed.append(SourceFile(source.name, text))
    return replace(engine, shipped=tuple(changed))


_LOCKED = [
    "read 18 400000 7fff07 0",
    "pins 8 f",
    "read 0 41534d01 ffffffff 0",
    *("write 40 1 f 1", "write 80 1 f 1", "write 10 0 f 1", "write 14 2 f 1", "write 14 8 f 1", "write 100 1 f 1"),
    *("read 180 0 ffffffff 1", "read 30 0 ffffffff 1", "read 1c 40 ffffffff 0", "read 20 4 ffffffff 0"),
    *("write 20 4 f 0", "read 20 4 ffffffff 0", "write 24 4 f 0", "idle 2", "pins 9 f"),
]
"""What there must be behind a self-test that failed: an error latch, an interrupt, and nothing else."""


def with_stuck_bit(cipher: type[Cipher], bit: int, level: int) -> type[Cipher]:
    """A cipher of whose results, seen as a number, a bit is stuck."""

    class Stuck(cipher):  # type: ignore[valid-type,misc]
        def encrypt(self, block: bytes) -> bytes:
            return self.forced(super().encrypt(block))

        def decrypt(self, block: bytes) -> bytes:
            return self.forced(super().decrypt(block))

        def constant(self, block: bytes) -> bytes:
            return self.forced(super().constant(block))

        def forced(self, block: bytes) -> bytes:
            value = int.from_bytes(block)
            return (value | 1 << bit if level else value & ~(1 << bit)).to_bytes(16)

    return Stuck


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("preset", "most"), [("gcm-small", 29), ("cbc-compact", 16), ("cmac-small", 14), ("ofb-compact", 115)]
)
def test_how_many_stuck_bits_of_a_cores_result_go_unseen(preset: str, most: int) -> None:
    engine = parse_engine({"preset": preset, "bus": "apb", "self_test": "on_reset"}).engine("device", preset).behind_bus
    known = known_answers(engine)
    stuck = [with_stuck_bit(Cipher, bit, level) for bit in range(128) for level in (0, 1)]
    assert sum(known_answers(engine, cipher) == known for cipher in stuck) <= most


@pytest.fixture(scope="module")
def faults(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> PeripheralBench:
    return bench(faulty(with_test(modes=("ctr", "cmac"))), tmp_path_factory.mktemp("faults"))


def passes(faults: PeripheralBench, *arguments: str) -> bool:
    """Whether the self-test passes with a fault; where it does not, the engine is locked."""
    at_once = faults.engine.self_test == "on_reset"
    begin = ["start", *["write 14 8 f 0"] * (not at_once), "idle 2000"]
    try:
        faults.run([*begin, "read 18 200001 7fffff 0"], *arguments)
    except CheckError:
        faults.run([*begin, *_LOCKED, *["reset 6"] * at_once], *arguments)
        return False
    return True


def matters(engine: StreamEngine, known: Sequence[SelfTestStep], place: int, bit: int) -> bool:
    """Whether another bit in one of these steps asks for anything else, and for nothing but that.

    A tag that is wrong stays so with another bit. Registers ignore bits that they have not. What is not written leaves
    what was there, which may be the same, or another direction of CTR. A word that goes to an interrupt register raises
    or clears interrupts, which `_LOCKED` counts.
    """
    steps, step = known[: place + 1], known[place]
    named = {
        register.offset + 4 * word: (register.name, sum(field.mask for field in register.fields))
        for register in registers_of(engine.behind_bus, __version__)
        for word in range(register.count)
    }
    name, mask = named[step.address]
    verdict = (
        next(s.data for s in known[place:] if named[s.address][0] == "RESULT" and not s.write)
        if name == "DATA_IN"
        else 0
    )
    if bit < 32 and verdict & 2:
        return False
    if 32 <= bit < 39:
        instead, _ = named.get(step.address ^ 4 << (bit - 32), ("", 0))
        if instead == name == "DATA_IN":  # all its words are one
            return False
        if step.write and instead.startswith("INTR_"):
            return False
    if bit >= 32 and name in ("CTRL", "INPUT"):
        before = next((earlier.data for earlier in reversed(steps[:-1]) if earlier.address == step.address), 0)
        # Of INPUT only the kind outlives a word.
        left = before & 3 if name == "INPUT" else before
        only_way = name == "CTRL" and step.data ^ left == 1 and step.data >> 1 & 7 == engine.mode_numbers["ctr"]
        if step.data == left or only_way:
            return False
    if bit >= 32 or not step.write or name == "TRIGGER":
        return True
    return bool(mask >> bit & 1) and name not in ("RESULT", "CTRL", "INPUT")


@pytest.mark.thorough
def test_what_is_corrupted_or_stuck_locks(faults: PeripheralBench) -> None:
    known = known_answers(faults.engine.behind_bus, StandIn)
    random = Random("faults")
    assert passes(faults)
    for _ in range(2):
        assert not passes(faults, f"+answer={random.randrange(len(known.answers))}", f"+of={random.randrange(32)}")
    bits = {
        place: [bit for bit in range(32) if matters(faults.engine, known.steps, place, bit)]
        for place, step in enumerate(known.steps[:-2])
        if step.address not in (0x10, 0x2C, 0x30)
    }
    for place in random.sample([place for place in bits if bits[place]], 3):
        bit = random.choice(bits[place])
        assert not passes(faults, f"+step={place}", f"+bit={bit}"), (place, bit)
    for bit in random.sample(range(32), 1):
        assert not any(passes(faults, f"+stuck={bit}", f"+level={level}") for level in (0, 1))
    bit, level = next(
        fault
        for fault in product(range(17, 128), (0, 1))
        if known_answers(faults.engine.behind_bus, with_stuck_bit(StandIn, *fault)) != known
    )
    assert not passes(faults, f"+core={bit}", f"+level={level}")
    assert not passes(faults, "+silent=1")


@pytest.mark.thorough
@pytest.mark.one_in(6)
def test_each_bit_that_is_stuck_and_each_answer_locks(faults: PeripheralBench) -> None:
    known = known_answers(faults.engine.behind_bus, StandIn)
    for level in (0, 1):
        assert not any(passes(faults, f"+stuck={bit}", f"+level={level}") for bit in range(32))
    for bit, level in Random("core").sample([*product(range(128), (0, 1))], 60):
        seen = known_answers(faults.engine.behind_bus, with_stuck_bit(StandIn, bit, level)) != known
        assert passes(faults, f"+core={bit}", f"+level={level}") is not seen, (bit, level)
    for place in range(len(known.answers)):
        assert not any(passes(faults, f"+answer={place}", f"+of={bit}") for bit in range(32))
    # The last two steps are behind the last answer: they tidy up.
    for place, step in enumerate(known.steps[:-2]):
        for bit in Random(place).sample(range(40), 8):
            if matters(faults.engine, known.steps, place, bit):
                assert not passes(faults, f"+step={place}", f"+bit={bit}"), (place, step, bit)


WRONG: dict[str, tuple[str, str, str]] = {
    "it cannot fail": ("self_test", "failed_q  <= 1'b1", "failed_q  <= 1'b0"),
    "answers are not compared": ("self_test", "all_answers | read_data_i != answer_data_i", "all_answers"),
    "half of an answer is compared": (
        "self_test",
        "read_data_i != answer_data_i",
        "read_data_i[15:0] != answer_data_i[15:0]",
    ),
    "a verdict is not looked at": ("self_test", "step_write_i | read_data_i == step_data_i", "1'b1"),
    "a test without an end": ("self_test", " | time_q == '1", ""),
    "no test at reset": ("self_test", "running_q <= OnReset;", "running_q <= 1'b0;"),
    "no lock while it runs": (
        "self_test",
        "assign locked_o  = running_q |",
        "assign locked_o  = (running_q & passed_q) |",
    ),
    "a failure goes with the next test": (
        "self_test",
        "assign locked_o  = running_q | failed_q |",
        "assign locked_o  = running_q |",
    ),
    "it starts without being asked": (
        "register_front",
        "assign start_o   = writes & trigger_test",
        "assign start_o   = writes & is_trigger",
    ),
    "it starts into a message": (
        "register_front",
        "(trigger_test & (busy | open_q | under_way | done_q | out_valid_i))",
        "1'b0",
    ),
    "its messages interrupt": ("register_front", "told    = ends & ~hidden", "told    = ends"),
    "its key serves messages": ("register_front", "(data_i[0] & stale)", "1'b0"),
    "a request for data while it runs": (
        "register_front",
        "dma_in_o   = room & wants & ~hidden",
        "dma_in_o   = room & wants",
    ),
    "the lock has no error": ("register_front", "wrong_locked & ~wrong_access & ~wrong_address, waits", "1'b0, waits"),
    "a failure does not interrupt": ("register_front", "fails   = SelfTest & failed_i", "fails   = 1'b0"),
    "STATUS does not tell": ("register_front", "{failed_i, passed_i, running_i}", "{failed_i, 1'b0, running_i}"),
    "the bus waits for its end": ("self_test", "running_q & (~request_i | served_q)", "running_q"),
    "a failure is not on the pin": ("", "self_test_failed_o = failed", "self_test_failed_o = passed"),
}
_FAILS = "a failure does not interrupt"
"""The wrong registers that differ only where a test fails."""
_FRONTS = [name for name, (module, _, _) in WRONG.items() if module == "register_front" and name != _FAILS]
_ON_REQUEST = ("no lock while it runs", "a failure goes with the next test")
"""Those that make no difference where no test has passed."""
"""Self-tests with a fault: the module, what of its text is another, and what it is."""


def found(wrong: StreamEngine, bench: Bench, folder: Path) -> bool:
    """Whether a wrong self-test is found, by its script or by an engine with a fault that it lets pass."""
    simulator = bench(faulty(wrong), folder)
    try:
        simulator.run(script_of(wrong))
        for fault in (("+stuck=3", "+level=1"), ("+answer=2", "+of=30"), ("+silent=1",), ("+step=40", "+bit=1")):
            if passes(simulator, *fault):
                return True
    except CheckError:
        return True
    return False


@pytest.mark.thorough
@pytest.mark.parametrize("when", ["on_reset", "on_request"])
def test_the_right_one_passes_its_script(when: str, bench: Bench, tmp_path: Path) -> None:
    for number, fields in enumerate(({}, {"key_slots": 4, "modes": ("gcm", "ctr", "cmac")})):
        engine = with_test(when, **fields)
        checks, _ = bench(engine, tmp_path / str(number)).run(script_of(engine))
        assert checks > 300


@pytest.mark.thorough
def test_wrong_registers_are_found(bench: Bench, tmp_path: Path) -> None:
    wrong = {name: (right, other) for name, (_, right, other) in WRONG.items() if name in _FRONTS}
    fronts = bench(chosen_front(with_test(modes=("ctr", "cmac")), [*wrong.values()]), tmp_path)
    script = script_of(fronts.engine)
    assert fronts.run(script)[0] > 300
    for number, fault in enumerate(wrong, 1):
        with pytest.raises(CheckError, match=r"must be|after"):
            assert not fronts.run(script, f"+fault={number}"), fault


@pytest.mark.thorough
def test_one_whose_key_goes_to_the_slot_that_was_named_last_is_found(bench: Bench, tmp_path: Path) -> None:
    engine = with_test(key_slots=2, modes=("ctr",))
    first = ("self_test_rom", "{1'b1, 7'h04, 32'h00000000}", "{1'b1, 7'h0b, 32'h00000000}")  # CTRL, INPUT
    with pytest.raises(CheckError, match="must be"):
        bench(wrong_one(engine, *first), tmp_path).run([*self_test_script(engine.behind_bus, StandIn)])


@pytest.mark.thorough
@pytest.mark.one_in(6)
@pytest.mark.parametrize("fault", [name for name in WRONG if name not in _FRONTS])
def test_a_wrong_self_test_is_found(fault: str, bench: Bench, tmp_path: Path) -> None:
    when = "on_request" if fault in _ON_REQUEST else "on_reset"
    assert found(wrong_one(with_test(when), *WRONG[fault]), bench, tmp_path)


@pytest.mark.thorough
@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({"preset": "multi-compact", "bus": "apb"}, 1000),
        # A key has a slot to name.
        ({"preset": "multi-compact", "bus": "axi4-lite", "key_slots": 4}, 1010),
        ({"preset": "xts-disk", "bus": "ahb-lite"}, 2000),
        ({"preset": "ccm-radio", "bus": "wishbone"}, 2000),
        ({"preset": "cmac-small", "bus": "apb"}, 2000),
        ({"preset": "gcm-small", "bus": "tl-ul", "clear": True}, 1000),
    ],
)
def test_all_modes_in_bounded_clocks_around_aes(
    fields: dict[str, object], most: int, bench: Bench, tmp_path: Path
) -> None:
    engine = parse_engine(fields | {"self_test": "on_reset"}).engine("device", "device")
    simulator = bench(engine, tmp_path)
    simulator.run(["start", f"idle {most - 4:x}", "read 18 200001 7fffff 0"])
    assert simulator.run(list(standalone_script(engine)))[0] > 1000

"""The checker accepts the certificates of right cores, and refuses those that are tampered with, and wrong cores."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import tokenize
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.proof.certificate import header
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import ProofReport
from aesmith.check_proof import check_certificate
from aesmith.check_proof.circuit import CheckedCircuit, CheckedGate, elaborate_sources, without_clear
from aesmith.check_proof.clock import run_gates
from aesmith.check_proof.forms import Form, Forms
from aesmith.check_proof.interface import SHOWN, CoreClaim, Given, InterfaceState
from aesmith.check_proof.walk import WalkCheck
from aesmith.cli import run
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError, ToolError

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "src" / "aesmith" / "check_proof"
LINES_OF_A_WALK = 600
Certificate = dict[str, Any]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[ProofReport, Path]:
    folder = tmp_path_factory.mktemp("proof")
    fields = {"preset": "boyar2010-enc", "clear": True}
    return prove(build_design(parse_specification(fields), "core", ""), folder), folder


@pytest.fixture(scope="module")
def proof(report: tuple[ProofReport, Path]) -> Path:
    assert report[0].proved
    return report[1]


@pytest.fixture(scope="module")
def certificate(proof: Path) -> Certificate:
    found: Certificate = json.loads((proof / "certificate.json").read_text())
    return found


@pytest.fixture(scope="module")
def circuit(proof: Path, certificate: Certificate, tmp_path_factory: pytest.TempPathFactory) -> CheckedCircuit:
    sources = {name: (proof / "rtl" / name).read_bytes() for name in certificate["sources"]}
    return elaborate_sources(sources, certificate["top"], tmp_path_factory.mktemp("checked"))


@pytest.fixture(scope="module")
def running(circuit: CheckedCircuit) -> CheckedCircuit:
    """The circuit while it is not cleared."""
    return without_clear(circuit, SHOWN)


def code_lines(path: Path) -> int:
    """Lines with code: no blank ones, no comments, no documentation."""
    texts = {
        line
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    silent = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    with path.open() as file:
        tokens = [token for token in tokenize.generate_tokens(file.readline) if token.type not in silent]
    return len({line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - texts)


def test_words_of_a_key_have_one_size_and_only_they_may_follow() -> None:
    """Else no core is proved of which a key says its size with each of its words."""
    claim = CoreClaim((128, 192, 256), ("encrypt",), 32)
    begun = InterfaceState(arriving=(0, 192, 1))
    offered = {size: Given(True, size, False, False, True) for size in claim.key_bits}
    assert [size for size, given in offered.items() if begun.may_get(given, claim)] == [192]
    assert all(InterfaceState().may_get(given, claim) for given in offered.values())
    assert begun.may_get(Given(False, -2, False, False, True), claim)


def test_the_checker_imports_nothing_of_the_prover() -> None:
    imported = set()
    for path in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            if isinstance(node, ast.ImportFrom):
                imported.add(str(node.module))
    own = {name for name in imported if name.startswith("aesmith.check_proof.")}
    others = {name for name in imported - own if name.startswith("aesmith")}
    assert others == {"aesmith.errors", "aesmith.flow.yosys", "aesmith.scratch"}


def test_the_checker_of_walks_is_small() -> None:
    walk = [CHECKER / f"{name}.py" for name in ("forms", "interface", "clock", "walk")]
    assert sum(map(code_lines, walk)) <= LINES_OF_A_WALK


def test_the_aes_of_the_checker_is_that_of_the_standard() -> None:
    # FIPS-197, appendix C: the forms, with the bits of key and block put in.
    plain = "00112233445566778899aabbccddeeff"
    ciphers = {
        128: "69c4e0d86a7b0430d8cdb78070b4c55a",
        192: "dda97ca4864cdfe06eaf70a0ec0d7191",
        256: "8ea2b7ca516745bfeafc49904b496089",
    }
    for bits, cipher in ciphers.items():
        for block, result, decrypt in ((plain, cipher, False), (cipher, plain, True)):
            forms = Forms()
            given = forms.key(0, bits) + forms.block(0)
            expected = forms.result(0, 0, bits, decrypt)
            values = [*range(bits // 8), *bytes.fromhex(block)]
            ones = 1 + sum(
                bit for byte, value in zip(given, values, strict=True) for i, bit in enumerate(byte) if value >> i & 1
            )
            for number, atom in enumerate(forms._atoms):
                if atom.table is not None:
                    space = forms._spaces[atom.group][atom.place]
                    # Coordinate i of a byte is the table that is 1 where bit i of the byte is.
                    coordinates = [sum(1 << n for n in range(256) if n >> i & 1) for i in range(8)]
                    byte = valued([space.forms.reduce(table)[1] for table in coordinates], ones)
                    ones |= (atom.table >> byte & 1) << number
            assert bytes(valued(byte, ones) for byte in expected).hex() == result


def valued(byte: list[int], ones: int) -> int:
    """A byte of forms, where the atoms in `ones` are 1."""
    return sum(((form & ones).bit_count() & 1) << bit for bit, form in enumerate(byte))


def test_the_certificate_of_a_right_core_is_accepted(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-proof", str(proof), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["accepted"], found["states"], found["clocks"], found["clear"]) == (True, 47, 288, True)
    assert list(found["bounds"].values()) == [10, 10, 1, 10]


def in_rounds(certificate: Certificate) -> list[int | None]:
    """A row in which the core works on a block."""
    found: list[int | None] = next(row for row in certificate["data"] if None not in row)
    return found


def change_form(certificate: Certificate) -> None:
    certificate["forms"][(in_rounds(certificate)[0] or 0) >> 1].pop()


def set_level(place: int, level: Callable[[int | None], int | None]) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        row = in_rounds(certificate)
        row[place] = level(row[place])

    return change


def swap_forms(certificate: Certificate) -> None:
    row = in_rounds(certificate)
    row[0], row[1] = row[1], row[0]


def know_the_unknown(certificate: Certificate) -> None:
    row = next(row for row in certificate["data"] if None in row)
    row[row.index(None)] = 0


def drop_state(number: int) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        del certificate["states"][number]

    return change


def drop_edge(certificate: Certificate) -> None:
    # What follows is computed and not listed: an edge goes with the state it leads to, here into another row.
    certificate["states"][-1][1] = certificate["states"][-3][1]


def lower_rank(certificate: Certificate) -> None:
    state = max(certificate["states"], key=lambda state: state[3])
    state[3] -= 1


def equal_ranks(certificate: Certificate) -> None:
    for state in certificate["states"]:
        state[3] = 9


def lower_bound(certificate: Certificate) -> None:
    certificate["bounds"]["a key until it is taken"] -= 1


def drop_promise(certificate: Certificate) -> None:
    del certificate["bounds"]["a key until it is taken"]


def flip_control(number: int, level: str) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        control = certificate["states"][number][0]
        place = next(i for i, known in enumerate(control) if known not in ("-", level))
        certificate["states"][number][0] = control[:place] + level + control[place + 1 :]

    return change


def split(certificate: Certificate) -> None:
    certificate["split"] = certificate["registers"]["control"][:1]


def swap_registers(certificate: Certificate) -> None:
    names = certificate["registers"]["control"]
    names[0], names[1] = names[1], names[0]


def rename_register(certificate: Certificate) -> None:
    certificate["registers"]["data"][0] += "x"


def leave_register_out(certificate: Certificate) -> None:
    certificate["registers"]["data"].pop()
    for row in certificate["data"]:
        row.pop()


def claim(**claims: object) -> Callable[[Certificate], None]:
    return lambda certificate: certificate.update(claims)


def under_way(field: int, value: object) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        state = next(state for state in certificate["interface"] if state[2])
        state[2][0][field] = value

    return change


def forget_blocks(certificate: Certificate) -> None:
    next(state for state in certificate["interface"] if state[2])[2] = []


def rename_atom(certificate: Certificate) -> None:
    atom = next(atom for atom in certificate["atoms"] if atom[0] == "cipher")
    atom[1] += 1


def change_table(certificate: Certificate) -> None:
    atom = next(atom for atom in certificate["atoms"] if atom[6] is not None)
    atom[6] = f"{int(atom[6], 16) ^ 1:x}"


def schedule_of_another_size(certificate: Certificate) -> None:
    for atom in certificate["atoms"]:
        atom[2] = 256 if atom[2] else 0


def unknown_atom(certificate: Certificate) -> None:
    certificate["atoms"][0][0] = "result"


def refer_beyond(certificate: Certificate) -> None:
    in_rounds(certificate)[0] = 2 * len(certificate["forms"])


def refer_back(certificate: Certificate) -> None:
    in_rounds(certificate)[0] = -2


def repeat_state(certificate: Certificate) -> None:
    certificate["states"].append(list(certificate["states"][0]))


TAMPERED: dict[str, tuple[Callable[[Certificate], None], str]] = {
    "a term of a form is gone": (change_form, "not listed"),
    "the constant of a form is turned": (set_level(0, lambda n: None if n is None else n ^ 1), "not listed"),
    "two registers hold each other's forms": (swap_forms, "not listed"),
    "a form is weakened to unknown": (set_level(0, lambda _: None), "not listed"),
    "an unknown register is said to be 0": (know_the_unknown, "not listed"),
    "the first state is dropped": (drop_state(0), "a state after reset is not listed"),
    "a state in the middle is dropped": (drop_state(20), "not listed"),
    "an edge ends in another state": (drop_edge, "listed"),
    "a rank is lowered": (lower_rank, "rank does not fall"),
    "all ranks are equal": (equal_ranks, "rank does not fall"),
    "a bound is lowered": (lower_bound, "bounds claimed"),
    "a promise is left out": (drop_promise, "bounds claimed"),
    "the state after reset has another level": (flip_control(0, "1"), "a state after reset is not listed"),
    "a later state has another level": (flip_control(9, "0"), "listed"),
    "a level is weakened to unknown": (flip_control(9, "-"), "listed"),
    "a register is split that reset sets": (split, "split"),
    "two registers of control swap names": (swap_registers, "listed"),
    "a register has a name that there is not": (rename_register, "registers are not those"),
    "a register is left out": (leave_register_out, "registers are not those"),
    "another key size is claimed as well": (claim(key_bits=[128, 192]), "ports"),
    "another key size is claimed": (claim(key_bits=[256]), "ports"),
    "the other direction is claimed": (claim(directions=["decrypt"]), "not listed|not known to be that of AES"),
    "both directions are claimed": (claim(directions=["encrypt", "decrypt"]), "ports"),
    "a narrower block is claimed": (claim(block_width=8), "ports"),
    "a clear is denied": (claim(clear=False), "ports"),
    "a key size that AES has not is claimed": (claim(key_bits=[120]), "key_bits must be some of 128"),
    "a block is under another key": (under_way(1, 1), "listed"),
    "a block was taken twice": (under_way(4, 2), "listed"),
    "a block under way is forgotten": (forget_blocks, "listed"),
    "an atom is of another key": (rename_atom, "listed"),
    "an atom has another truth table": (change_table, "listed"),
    "all atoms are of the key schedule of another size": (schedule_of_another_size, "atom is of a key of 256 bits"),
    "an atom is of what there is not": (unknown_atom, "no atoms"),
    "a form is referred to that there is not": (refer_beyond, "well formed"),
    "a form is referred to from the end": (refer_back, "a number of at least 0"),
    "a state stands twice": (repeat_state, "twice"),
}


@pytest.mark.thorough(but=7)
@pytest.mark.parametrize("tampered", TAMPERED)
def test_a_tampered_certificate_is_refused(
    tampered: str, certificate: Certificate, circuit: CheckedCircuit, running: CheckedCircuit
) -> None:
    change, told = TAMPERED[tampered]
    copy = json.loads(json.dumps(certificate))
    change(copy)
    assert copy != certificate
    checked = running if copy["clear"] else circuit
    with pytest.raises((CheckError, IndexError), match="out of range" if told == "well formed" else told):
        WalkCheck(checked, CoreClaim.of(copy), copy).check()


CLEARED = """\
module cleared (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic [3:0] d_i,
  output logic ready_o
);
  logic set_q, known_q;
  logic [3:0] held_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {set_q, known_q} <= 2'b10;
    else if (clear_i) {set_q, known_q} <= 2'b10;
    else {set_q, known_q} <= {set_q ^ d_i[3], ^d_i};
  always_ff @(posedge clk_i) begin
    if (known_q) held_q <= d_i;
    if (clear_i) held_q <= 4'h6;
  end
  assign ready_o = ^held_q & set_q & ~clear_i;
endmodule
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", ""),
        ("held_q <= 4'h6", "held_q[3:1] <= 3'h6", r"register held_q\[0\] is not cleared by clear_i"),
        ("if (clear_i) held_q", "if (clear_i & known_q) held_q", r"register held_q\[\d\] is not cleared"),
        ("4'h6", "d_i & 4'h6", r"register held_q\[\d\] is not cleared"),
        ("if (clear_i) {set_q, known_q} <= 2'b10", "if (clear_i) {set_q, known_q} <= 2'b00", "register set_q is not"),
        ("if (clear_i) {set_q, known_q} <= 2'b10", "if (clear_i) known_q <= 1'b0", "register set_q is not"),
        ("& ~clear_i", "", "ready_o is not 0 while clear_i is 1"),
        ("& ~clear_i", "& (~clear_i | d_i[0])", "ready_o is not 0 while clear_i is 1"),
        ("logic clear_i,", "logic [1:0] clear_i,", "no input clear_i of one bit"),
    ],
)
def test_what_a_clear_leaves_is_named(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in CLEARED
    circuit = elaborate_sources({"cleared.sv": CLEARED.replace(old, new, 1).encode()}, "cleared", tmp_path)
    if told:
        with pytest.raises(CheckError, match=told):
            without_clear(circuit, ("ready_o",))
        return
    left = without_clear(circuit, ("ready_o",))
    assert left.inputs.keys() == {"d_i"}
    assert len(left.gates) < len(circuit.gates)


GATED = """\
module gated (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,
  input  logic d_i,
  output logic q_o
);
  logic open_q, clock;
  always_latch if (!clk_i) open_q = enable_i;
  assign clock = clk_i & open_q;
  always_ff @(posedge clock) q_o <= d_i;
endmodule
"""


def test_a_register_behind_a_clock_gate_keeps_its_level_while_it_is_closed(tmp_path: Path) -> None:
    circuit = elaborate_sources({"gated.sv": GATED.encode()}, "gated", tmp_path)
    [register] = circuit.registers
    (enable,), (d,) = circuit.inputs["enable_i"], circuit.inputs["d_i"]
    for levels in choices([None] * 3):
        level: list[Form] = [0, 1, *[None] * circuit.nets]
        level[enable], level[d], level[register.q] = levels
        run_gates(circuit.gates, level, Forms())
        assert level[register.d] == (levels[1] if levels[0] else levels[2])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("if (!clk_i)", "if (clk_i)", "latch|DLATCH"),
        ("clk_i & open_q", "clk_i | open_q", "latch is no clock gate"),
        ("clk_i & open_q", "~clk_i & open_q", "another clock|latch is no clock gate"),
        ("clk_i & open_q", "enable_i & open_q", "another clock"),
        ("<= d_i", "<= d_i ^ open_q", "latch is no clock gate"),
        ("<= d_i", "<= d_i ^ clock", "a clock is read as data|nothing drives"),
        ("clk_i & open_q;", "clk_i & enable_i;", "another clock than clk_i"),
        ("always_latch if (!clk_i)", "always_comb", "another clock than clk_i"),
        ("if (!clk_i) open_q = enable_i", "if (!clk_i) open_q = enable_i ^ clk_i", "clock is read as data|"),
    ],
)
def test_what_is_no_clock_gate_is_refused(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in GATED
    with pytest.raises(CheckError, match=told):
        elaborate_sources({"gated.sv": GATED.replace(old, new).encode()}, "gated", tmp_path)


def edited(proof: Path, folder: Path, file: str, old: str, new: str) -> tuple[Path, Path]:
    """A certificate with the hashes of edited sources, and the sources."""
    rtl = folder / "rtl"
    shutil.copytree(proof / "rtl", rtl)
    text = (rtl / file).read_text()
    assert text.count(old) == 1
    (rtl / file).write_text(text.replace(old, new))
    certificate = json.loads((proof / "certificate.json").read_text())
    certificate["sources"] = {
        name: hashlib.sha256((rtl / name).read_bytes()).hexdigest() for name in certificate["sources"]
    }
    (folder / "certificate.json").write_text(json.dumps(certificate))
    return folder / "certificate.json", rtl


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("file", "edit", "told"),
    [
        ("core_round_sequencer.sv", ("key_ready_o = ~expanding_q;", "key_ready_o = 1'b0;"), "not listed"),
        (
            "core_round_sequencer.sv",
            ("block_valid_o = offering_q;", "block_valid_o = offering_q & block_ready_i;"),
            "rank does not fall",
        ),
        ("core_shift_rows.sv", ("column + row)%4", "column + 3*row)%4"), "not listed"),
        ("core_round_constants.sv", ("n20, n18", "n18, n20"), "not listed"),
    ],
)
def test_a_wrong_core_is_refused_with_the_certificate_of_the_right_one(
    proof: Path, tmp_path: Path, file: str, edit: tuple[str, str], told: str
) -> None:
    certificate, rtl = edited(proof, tmp_path, file, *edit)
    with pytest.raises(CheckError, match=told):
        check_certificate(certificate, rtl)


def test_a_proof_calls_its_certificate_after_the_top_module_whatever_the_design_is_called() -> None:
    """The checker refuses any other name: that of a design that is called otherwise would never be accepted."""

    class Titled(CoreDesign):
        top = property(lambda _: "inside")

    core = build_design(parse_specification({"preset": "boyar2010-enc"}), "core", "")
    assert isinstance(core, CoreDesign)
    said = header(Titled(**{field.name: getattr(core, field.name) for field in fields(core)}))
    assert (said["name"], said["top"]) == ("inside", "inside")


def test_a_certificate_of_a_module_has_its_name(proof: Path, certificate: Certificate, tmp_path: Path) -> None:
    """Else that of a right core inside a wrong one would be told to be of the wrong one."""
    (tmp_path / "certificate.json").write_text(json.dumps({**certificate, "name": "around_it"}))
    with pytest.raises(CheckError, match="of the module 'core', under the name 'around_it'"):
        check_certificate(tmp_path / "certificate.json", proof / "rtl")


def test_sources_that_differ_by_a_character_are_refused(proof: Path, tmp_path: Path) -> None:
    shutil.copytree(proof / "rtl", tmp_path / "rtl")
    file = next((tmp_path / "rtl").glob("*shift_rows.sv"))
    file.write_text(file.read_text() + " ")
    assert run(["check-proof", str(proof), "--rtl", str(tmp_path / "rtl")]) == 1


def test_files_that_are_no_certificate_are_wrong_requests(proof: Path, tmp_path: Path) -> None:
    text = (proof / "certificate.json").read_text()
    with pytest.raises(RequestError):
        check_certificate(tmp_path / "certificate.json", proof / "rtl")
    for wrong in (text[:-1], "[]", "{}", text.replace("aesmith certificate 1", "aesmith certificate 0")):
        (tmp_path / "certificate.json").write_text(wrong)
        with pytest.raises(RequestError):
            check_certificate(tmp_path / "certificate.json", proof / "rtl")
    (tmp_path / "certificate.json").write_text(text.replace('"engine":"walk"', '"engine":"guess"'))
    with pytest.raises(ToolError, match="not checked"):
        check_certificate(tmp_path / "certificate.json", proof / "rtl")


def test_a_level_that_is_not_known_makes_nothing_known() -> None:
    gates = [CheckedGate(kind, (2, 3), 5) for kind in ("AND", "OR", "XOR")] + [CheckedGate("MUX", (2, 3, 4), 5)]
    for gate in gates:
        for case in range(27):
            levels: list[Form] = [(0, 1, None)[case // 3**i % 3] for i in range(3)]
            level = [0, 1, *levels, None]
            run_gates([gate], level, Forms())
            every = {evaluated(gate.kind, *bits) for bits in choices(levels)}
            assert level[5] is None or {level[5]} == every, (gate, levels)


def choices(levels: list[Form]) -> list[tuple[int, int, int]]:
    sets = [(0, 1) if level is None else (level,) for level in levels]
    return [(a, b, c) for a in sets[0] for b in sets[1] for c in sets[2]]


def evaluated(kind: str, a: int, b: int, c: int) -> int:
    return {"AND": a & b, "OR": a | b, "XOR": a ^ b, "MUX": c if a else b}[kind]

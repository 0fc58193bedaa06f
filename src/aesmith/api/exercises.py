"""Exercises for teaching: a core package with one planted bug, which `aesmith verify` finds, and the way to fix it.

The core is `boyar2010-enc`: the standard's own operations, one round per clock. Each bug is one that designers make,
or, the last one, that somebody plants. In the package nothing says which file it is in. A seed draws one of an
exercise's bugs and the spelling of all sources, so that those of the preset do not tell it by comparison.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.respelling import respelled
from aesmith.cores.sources import identifiers
from aesmith.cores.specification import build_design, presets
from aesmith.errors import CheckError, RequestError
from aesmith.fields.aes import round_constant
from aesmith.lazy import LazyModule
from aesmith.publish.descriptions import Evidence, manifest_text
from aesmith.publish.output import MANIFEST, output_folder
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    from aesmith.assurance import standalone
    from aesmith.publish import package
else:
    standalone = LazyModule("aesmith.assurance.standalone")
    package = LazyModule("aesmith.publish.package")

__all__ = [
    "EXERCISES",
    "Bug",
    "DrawnExercise",
    "Exercise",
    "bug_of",
    "drawn_exercise",
    "exercise",
    "recorded",
    "seed_of",
    "write_exercise",
]

CORE = "boyar2010-enc"
_NOTES = "EXERCISE.md"
_RECORD = "exercise.json"


@dataclass(frozen=True)
class Bug:
    """In the file whose name ends in `place`, `right` became `wrong`.

    `task` is what is asked, `hint` where to look, `why` the solution in words.
    """

    task: str
    hint: str
    place: str
    right: str
    wrong: str
    why: str


@dataclass(frozen=True)
class Exercise:
    """Bugs of one kind, of which a seed chooses one; the first without a seed. `proof` says that only a proof finds
    them."""

    title: str
    bugs: tuple[Bug, ...]
    proof: bool = False


def _sbox_wires() -> Iterator[Bug]:
    gates = (
        ("n109 = ", "~n97", "n97"),
        ("n110 = ", "~n100", "n100"),
        ("n108 = ", "n79 ^ n105", "~(n79 ^ n105)"),
        ("n106 = ", "n72 ^ n103", "~(n72 ^ n103)"),
        ("n98 = ", "n91 ^ n95", "~(n91 ^ n95)"),
        ("n99 = ", "~(n77 ^ n96)", "n77 ^ n96"),
        ("n107 = ", "~(n92 ^ n104)", "n92 ^ n104"),
    )
    inside, beside = "the data path", "the key schedule"
    for place, those, others in (("_sbox.sv", inside, beside), ("_key_sbox.sv", beside, inside)):
        for bit, (name, right, wrong) in enumerate(gates):
            one = 0x63 >> bit & 1
            yield Bug(
                "Every block comes out wrong. Find the wire. FIPS-197 and the list of failing scenarios are all you "
                "need.",
                "No encryption needed: what should an S-box return for 00, and what does this one return? Which of its "
                "output bits differ, for how many of the 256 inputs? A core has S-boxes in two places.",
                place,
                f"assign {name}{right};",
                f"assign {name}{wrong};",
                f"S(00) is 63, and bit {bit} of 63 is a {'one' if one else 'zero'}, from the constant of the affine "
                f"map. The gate that drives it had {'lost its' if one else 'an'} inversion, in the S-boxes of {those}; "
                f"those of {others} were right.",
            )


def _moved_rows() -> Iterator[Bug]:
    for moved, hint, why in (
        (
            "column + row : column + 4 - row",
            "Rows 0 and 2 are right whichever way they are moved. Why?",
            "It was InvShiftRows: rows 1 and 3 moved to the right. Moving row 2 by two columns is the same in both "
            "directions.",
        ),
        (
            "column + 4 - row : column + 2 * row",
            "Only row 0 is right. By how many columns has each of the others moved?",
            "Each row moved by twice its number: row 1 by two columns, row 2 by four, which is none, and row 3 by six, "
            "which is two.",
        ),
        (
            "column + 4 - row : column + row + 1",
            "No row is right. By how many columns has row 0 moved?",
            "Each row moved one column too far, as if rows were counted from 1.",
        ),
        (
            "column + 4 - row : column + 3 - row",
            "No row is right. Which one has not moved at all?",
            "Rows were counted from the last: row 0 moved by three columns, row 3 by none.",
        ),
    ):
        yield Bug(
            "Again every block is wrong. This time each S-box is right. Which rows of the state move where they should "
            "not?",
            hint,
            "_shift_rows.sv",
            "(Inverse ? column + 4 - row : column + row)",
            f"(Inverse ? {moved})",
            why,
        )


def _round_constants() -> Iterator[Bug]:
    numbers = ("no", "one", "two", "three", "four", "five", "six", "seven")
    ordinals = ("third", "fourth", "fifth", "sixth", "seventh", "eighth")
    wires = ("n5", "n10", "n13", "n16", "n18", "n20", "n22", "n24")
    for bit in range(7, 1, -1):
        rounds = [str(number) for number in range(1, 11) if round_constant(number) >> bit & 1]
        yield Bug(
            f"The first {numbers[bit]} rounds of every block are right. What is wrong in the {ordinals[bit - 2]}, and "
            f"why do {numbers[9 - bit]} more rounds hide it?",
            "What is used in one round, and is a different constant in each? Write its ten values in binary.",
            "_round_constants.sv",
            f"assign y_o = {{{', '.join(wires[::-1])}}};",
            f"assign y_o = {{{', '.join('n0' if wire == wires[bit] else wire for wire in wires[::-1])}}};",
            f"Bit {bit} was always 0 in the round constants; it should be 1 in round"
            f"{'s' * (len(rounds) > 1)} {' and '.join(rounds)}. The key schedule went wrong at round {rounds[0]}, and "
            "with it all round keys that follow.",
        )


def _handshakes() -> Iterator[Bug]:
    held = "load_phase_q & ~accept"
    free = "assign free = load_phase_q & key_known_q & "
    for right, wrong, why in (
        (
            f"assign data_hold_o = Decrypts ? ~accept & ~encrypts_q & ~decrypts_q : {held};",
            f"assign data_hold_o = Decrypts ? ~accept & ~encrypts_q & ~decrypts_q : {held} & ~offering_q;",
            "The state register was no longer held while a result was offered: a result taken in its first clock was "
            "right, any other was not.",
        ),
        (
            "else if (block_ready_i | expanding_q) round_d = Idle;",
            "else round_d = Idle;",
            "The round counter left its last value without waiting for `block_ready_i`: a result not taken in its "
            "first clock was lost.",
        ),
        (
            f"{free}(~offering_q | block_ready_i) & ~expanding_q;",
            f"{free}~expanding_q;",
            "A block was accepted while the result before it was still offered, and took its place in the state "
            "register.",
        ),
    ):
        yield Bug(
            "All published vectors pass, and yet the core is refused. What must happen outside of it for a wrong "
            "result?",
            "Compare the scenarios that pass with those that fail. Which rule of the block interface is broken?",
            "_round_sequencer.sv",
            right,
            wrong,
            f"A result has to stay while `block_valid_o` is high and `block_ready_i` is low. {why}",
        )


def _changed_keys() -> Iterator[Bug]:
    task = (
        "With one key for all blocks nothing is ever wrong. Which key is a block encrypted under if both arrive at "
        "once?"
    )
    rule = "A block is processed under the last key accepted before it."
    early = (
        "In the clock in which a key is accepted, the input of the initial key register is that new key already. A "
        "block accepted in the same clock had"
    )
    for name, first, last in (
        ("the new key", 127, 0),
        ("word 0 of the new key", 31, 0),
        ("word 1 of the new key", 63, 32),
        ("word 2 of the new key", 95, 64),
        ("word 3 of the new key", 127, 96),
    ):
        parts = [("q", 127, first + 1), ("d", first, last), ("q", last - 1, 0)]
        wrong = [f"initial_key_{register}[{high}:{low}]" for register, high, low in parts if high >= low]
        yield Bug(
            task,
            f"{rule} Which register does the first AddRoundKey read?",
            "_key_registers.sv",
            "assign initial_key_o = initial_key_q[127:0];",
            f"assign initial_key_o = {wrong[0] if len(wrong) == 1 else '{' + ', '.join(wrong) + '}'};",
            f"{early} {name} added at its start, and the old one in all rounds that follow.",
        )
    yield Bug(
        task,
        f"{rule} Which register does the key schedule start from?",
        "_key_registers.sv",
        "({Bits{start_i}} & initial_key_q)",
        "({Bits{start_i}} & initial_key_d)",
        f"{early} the old key added at its start; its key schedule started from the new one.",
    )


def _rare_states() -> Iterator[Bug]:
    # Digits of pi: numbers with nothing up their sleeves.
    states = (
        "243f6a8885a308d313198a2e03707344",
        "a4093822299f31d0082efa98ec4e6c89",
        "452821e638d01377be5466cf34e90c6c",
        "c0ac29b7c97c50dd3f84d5b5b5470917",
    )
    for right, end, what in (
        ("assign result_o = shifted ^ round_key_i", ";", "the result"),
        ("(mixed ^ round_key_i", ")", "a round"),
    ):
        for state in states:
            yield Bug(
                "Simulation passes. Prove the core (`aesmith verify DIR --prove`), and find out for which state it is "
                "wrong.",
                "How many of 2^128 states does a simulation of some thousand blocks visit? Read what the proof says of "
                "the part that fails.",
                "_data_path.sv",
                f"{right}{end}",
                f"{right} ^ 128'(state_i == 128'h{state}){end}",
                f"A comparison with one value of the state turns a bit of {what}. By chance such a state comes up once "
                "in 2^128 rounds; who knows the key can bring it about. Testing does not find it; a proof looks at all "
                "states. It says 'not shown', not 'refuted': no run that the prover tried on real keys reaches that "
                "state, so there is no counterexample to show, and still there is no proof.",
            )


EXERCISES = (
    Exercise("A wire of the S-box", (*_sbox_wires(),)),
    Exercise("Rows on the move", (*_moved_rows(),)),
    Exercise("Late", (*_round_constants(),)),
    Exercise("Take your time", (*_handshakes(),)),
    Exercise("A change of keys", (*_changed_keys(),)),
    Exercise("What simulation never sees", (*_rare_states(),), proof=True),
)


def exercise(number: int) -> Exercise:
    """The exercise, counted from 1. Raises RequestError for a number that there is not."""
    if not 1 <= number <= len(EXERCISES):
        raise RequestError(f"exercise: must be 1 to {len(EXERCISES)}, not {number}")
    return EXERCISES[number - 1]


def seed_of(student: str) -> int:
    """The seed that stands for a student's name or number."""
    return int.from_bytes(hashlib.sha256(student.encode()).digest()[:4], "big")


@dataclass(frozen=True)
class DrawnExercise:
    """An exercise with a bug chosen: the core that has it, and the same sources without it."""

    number: int
    seed: int | None
    bug: Bug
    design: CoreDesign
    mended: tuple[SourceFile, ...]

    @property
    def change(self) -> tuple[str, str, str]:
        """The file that has the bug, its line, and the line that it should be."""
        [(name, wrong, right)] = (
            (wrong.name, one.strip(), other.strip())
            for wrong, right in zip(self.design.sources, self.mended, strict=True)
            for one, other in zip(wrong.text.splitlines(), right.text.splitlines(), strict=True)
            if one != other
        )
        return name, wrong, right

    def edited(self, design: CoreDesign) -> int:
        """How many lines of a design's sources are not those of the exercise."""
        given = {source.name: source.text.splitlines() for source in self.design.sources}
        return sum(
            max(end - start, new_end - new)
            for source in design.sources
            for tag, start, end, new, new_end in SequenceMatcher(
                None, given.get(source.name, []), source.text.splitlines(), autojunk=False
            ).get_opcodes()
            if tag != "equal"
        )


def bug_of(number: int, seed: int | None = None) -> Bug:
    """The bug that a seed draws; the first without one. Raises RequestError for a number that there is not."""
    bugs = exercise(number).bugs
    digest = hashlib.sha256(f"{number} {seed}".encode()).digest()
    return bugs[0 if seed is None else int.from_bytes(digest[:8], "big") % len(bugs)]


def drawn_exercise(number: int, seed: int | None = None, name: str | None = None) -> DrawnExercise:
    """The exercise that a seed draws, always the same one.

    Raises RequestError for a number that there is not and CheckError for a bug that has no place in the core any more.
    """
    bug = bug_of(number, seed)
    design = build_design(presets()[CORE], f"exercise_{number}" if name is None else name, CORE)
    broken = [
        replace(source, text=source.text.replace(bug.right, bug.wrong))
        if source.name == f"{design.name}{bug.place}"
        else source
        for source in design.sources
    ]
    changed = sum(new.text != old.text for new, old in zip(broken, design.sources, strict=True))
    if changed != 1:
        raise CheckError(
            f"exercise {number}: {changed} files of {CORE} have the line that the bug is planted in, not one"
        )
    modules = {word for source in broken for word in identifiers(source.text) if word.startswith(design.name)}
    keep = modules | {port.name for port in design.ports}
    wrong, right = (respelled(sources, f"{number} {seed}", keep) for sources in (broken, design.sources))
    return DrawnExercise(number, seed, bug, replace(design, sources=wrong), right)


def recorded(folder: Path) -> tuple[int, int | None]:
    """The number and the seed of the exercise in a folder. Raises RequestError if it has no record of them."""
    file = folder / _RECORD
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        number, seed = content["exercise"], content["seed"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RequestError(f"{file}: is not the record of an exercise; write the exercise again") from error
    if not isinstance(number, int) or not isinstance(seed, int | None):
        raise RequestError(f"{file}: exercise and seed must be whole numbers, not {number!r} and {seed!r}")
    return number, seed


def write_exercise(
    number: int, folder: Path | None = None, *, seed: int | None = None, force: bool = False
) -> tuple[Path, DrawnExercise]:
    """Write the package of a core with the bug, EXERCISE.md with the task, and a record of number and seed; return
    where, and the exercise.

    Raises RequestError for a number that there is not and a folder that is not free, ToolError without Yosys.
    """
    drawn = drawn_exercise(number, seed)
    out = Path(drawn.design.name) if folder is None else folder
    with output_folder(out, force=force) as place, work_folder() as work:
        design, evidence = drawn.design, Evidence((), "")
        bench = standalone.standalone_testbench(design)
        files = package.package_files(design, bench, evidence, work, lambda _: None)
        files[_NOTES], files[_RECORD] = _notes(drawn, out.name), json.dumps({"exercise": number, "seed": seed}) + "\n"
        del files[MANIFEST]
        package.write_files(files | {MANIFEST: manifest_text(design, bench, evidence, files)}, place)
    return out, drawn


def _notes(drawn: DrawnExercise, folder: str) -> str:
    wanted = exercise(drawn.number)
    verify = f"aesmith verify {folder}{' --prove' if wanted.proof else ''}"
    command = f"aesmith exercise {drawn.number}"
    seed = "" if drawn.seed is None else f" --seed {drawn.seed}"
    return (
        f"# Exercise {drawn.number}: {wanted.title}\n\n{drawn.bug.task}\n\n"
        f"The sources are in `rtl`. `{verify}` says what fails. Fix the file, and run "
        f"`{command} --check --out {folder}` until it says {'proved' if wanted.proof else 'verified'}.\n"
        "A check that fails leaves the waveform of its first failing scenario. "
        f"If you are stuck: `{command}{seed} --hint`.\n"
    )

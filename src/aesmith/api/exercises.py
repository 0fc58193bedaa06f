"""Exercises for teaching: a core package with one planted bug, which `aesmith verify` finds, and the way to mend it.

The core is `boyar2010-enc`: the standard's own operations, one round a clock. Each bug is one that designers make, or,
the last one, that somebody plants. In the package nothing says which file it is in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, presets
from aesmith.errors import CheckError, RequestError
from aesmith.lazy import LazyModule
from aesmith.publish.descriptions import Evidence
from aesmith.publish.output import output_folder
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    from aesmith.assurance import standalone
    from aesmith.publish import package
else:
    standalone = LazyModule("aesmith.assurance.standalone")
    package = LazyModule("aesmith.publish.package")

__all__ = ["EXERCISES", "Exercise", "exercise", "with_bug", "write_exercise"]

CORE = "boyar2010-enc"
_NOTES = "EXERCISE.md"


@dataclass(frozen=True)
class Exercise:
    """A planted bug: in the file whose name ends in `place`, `right` became `wrong`.

    `task` is what is asked, `hint` where to look, `why` the solution in words; `proof` says that only a proof finds it.
    """

    title: str
    task: str
    hint: str
    place: str
    right: str
    wrong: str
    why: str
    proof: bool = False


EXERCISES = (
    Exercise(
        "A wire of the S-box",
        "Every block comes out wrong. Find the wire, using only FIPS-197 and the list of failing scenarios.",
        "Encrypt nothing: what does an S-box give for 00, and what does this one? Which of its output bits differ, "
        "for how "
        "many of the 256 inputs?",
        "_sbox.sv",
        "assign n109 = ~n97;",
        "assign n109 = n97;",
        "S(00) is 63, and bit 0 of 63 is a one that comes from the constant of the affine map. The gate that adds it, "
        "an "
        "inverter, had become a wire, in the S-boxes of the data path; those of the key schedule were right.",
    ),
    Exercise(
        "Rows on the move",
        "Again every block is wrong. This time each S-box is right. Which rows of the state move where they should "
        "not?",
        "Rows 0 and 2 are right whichever way they are moved. Why?",
        "_shift_rows.sv",
        "(Inverse ? column + 4 - row : column + row)",
        "(Inverse ? column + row : column + 4 - row)",
        "It was InvShiftRows: rows 1 and 3 moved to the right. Moving row 2 by two columns is the same in both "
        "directions.",
    ),
    Exercise(
        "Late",
        "The first seven rounds of every block are right. What is wrong in the eighth, and why do two more rounds "
        "hide it?",
        "What is used in one round, and is a different constant in each? Write its ten values in binary.",
        "_round_constants.sv",
        "assign y_o = {n24, n22,",
        "assign y_o = {n0, n22,",
        "The round constant of round 8 is 80, the only one with bit 7 set. With that bit always 0 the key schedule "
        "goes "
        "wrong at that step, and the ninth and tenth round keys with it.",
    ),
    Exercise(
        "Take your time",
        "All published vectors pass, and yet the core is refused. What must happen outside of it for a wrong result?",
        "Compare the scenarios that pass with those that fail. Which rule of the block interface is broken?",
        "_round_sequencer.sv",
        "assign data_hold_o = Decrypts ? ~accept & ~encrypts_q & ~decrypts_q : load_phase_q & ~accept;",
        "assign data_hold_o = Decrypts ? ~accept & ~encrypts_q & ~decrypts_q : load_phase_q & ~accept & ~offering_q;",
        "A result has to stay while `block_valid_o` is high and `block_ready_i` is low. The state register was no "
        "longer "
        "held while a result was offered: who took it in the first clock got the right one, all others another.",
    ),
    Exercise(
        "A change of keys",
        "With one key for all blocks nothing is ever wrong. Which key is a block encrypted under if both arrive at "
        "once?",
        "A block is processed under the last key accepted before it. Which register does the first AddRoundKey read?",
        "_key_registers.sv",
        "assign initial_key_o = initial_key_q[127:0];",
        "assign initial_key_o = initial_key_d[127:0];",
        "In the clock in which a key is accepted, the input of the initial key register is that new key already. A "
        "block "
        "accepted in the same clock had the new key added at its start, and the old one in all rounds that follow.",
    ),
    Exercise(
        "What simulation never sees",
        "Simulation passes. Prove the core (`aesmith verify DIR --prove`), and find out for which state it is wrong.",
        "How many of 2^128 states does a simulation of some thousand blocks visit? Read what the proof says of the "
        "part "
        "that fails.",
        "_data_path.sv",
        "assign result_o = shifted ^ round_key_i;",
        "assign result_o = shifted ^ round_key_i ^ 128'(state_i == 128'h243f6a8885a308d313198a2e03707344);",
        "A comparison with one value of the state turns a bit of the result. By chance such a state comes up once in "
        "2^128 blocks; who knows the key can bring it about. Testing does not find it; a proof looks at all states. It "
        "says 'not shown', not 'refuted': no run that the prover tried on real keys reaches that state, so there is no "
        "counterexample to show, and still there is no proof.",
        proof=True,
    ),
)


def exercise(number: int) -> Exercise:
    """The exercise, counted from 1. Raises RequestError for a number that there is not."""
    if not 1 <= number <= len(EXERCISES):
        raise RequestError(f"exercise: must be 1 to {len(EXERCISES)}, not {number}")
    return EXERCISES[number - 1]


def with_bug(number: int, name: str | None = None) -> CoreDesign:
    """The core with the bug of an exercise planted."""
    wanted = exercise(number)
    design = build_design(presets()[CORE], f"exercise_{number}" if name is None else name, CORE)
    sources = tuple(
        SourceFile(
            source.name,
            source.text.replace(wanted.right, wanted.wrong)
            if source.name == f"{design.name}{wanted.place}"
            else source.text,
        )
        for source in design.sources
    )
    changed = sum(new.text != old.text for new, old in zip(sources, design.sources, strict=True))
    if changed != 1:
        raise CheckError(
            f"exercise {number}: {changed} files of {CORE} have the line that the bug is planted in, not one"
        )
    return replace(design, sources=sources)


def write_exercise(number: int, folder: Path | None = None, *, force: bool = False) -> tuple[Path, CoreDesign]:
    """Write the package of a core with the bug, and EXERCISE.md with the task; return where, and the core.

    Raises RequestError for a number that there is not and a folder that is not free, ToolError without Yosys.
    """
    design = with_bug(number)
    out = Path(design.name) if folder is None else folder
    with output_folder(out, force=force) as place, work_folder() as work:
        bench = standalone.standalone_testbench(design)
        files = package.package_files(design, bench, Evidence((), ""), work, lambda _: None)
        package.write_files(files | {_NOTES: _notes(number, out.name)}, place)
    return out, design


def _notes(number: int, folder: str) -> str:
    wanted = exercise(number)
    verify = f"aesmith verify {folder}{' --prove' if wanted.proof else ''}"
    check = f"aesmith exercise {number} --check --out {folder}"
    return (
        f"# Exercise {number}: {wanted.title}\n\n{wanted.task}\n\n"
        f"The sources are in `rtl`. `{verify}` says what fails. Mend the file, and run "
        f"`{check}` until it says {'proved' if wanted.proof else 'verified'}.\n"
        "A check that fails leaves the waveform of its first failing scenario. "
        f"If you are stuck: `aesmith exercise {number} --hint`.\n"
    )

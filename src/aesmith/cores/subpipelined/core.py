"""A sub-pipelined core from its parameters (Zhang and Parhi, 2004, generalised)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.linear.named import named_map
from aesmith.circuits.pipeline import StagedCircuit, pipeline
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.ports import Meaning, Ports, block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.cores.subpipelined.columns import DECRYPT, ENCRYPT, INVERSE_MIX_COLUMNS_DEPTH, JOINT, Column, Entry, Mix
from aesmith.cores.subpipelined.cuts import PAPER_SBOX, Cuts, UnitPlan, cut, paper_key_stage, paper_stages
from aesmith.cores.subpipelined.tables import SBOX as TABLE
from aesmith.cores.subpipelined.tables import SBoxForm, column_sources, table_source
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.zhang2004 import PUBLICATION

KEY_BITS = (128, 192, 256)

_MODULES = (
    "shift_rows",
    "subpipelined_turn_columns",
    "subpipelined_skid",
    "subpipelined_control",
    "subpipelined_key_expansion",
    "subpipelined_round_keys",
    "subpipelined_data_path",
    "subpipelined_core",
)
_AGILE_MODULES = (
    "shift_rows",
    "subpipelined_skid",
    "subpipelined_key_pipeline",
    "subpipelined_data_path",
    "subpipelined_agile_core",
)
_SELECTABLE_MODULES = (
    "shift_rows",
    "subpipelined_skid",
    "subpipelined_control",
    "subpipelined_selectable_key_expansion",
    "subpipelined_round_keys",
    "subpipelined_skipped_rounds",
    "subpipelined_data_path",
    "subpipelined_selectable_core",
)

SELECTION = (
    "`key_bits_i` goes with the key: 0, 1 or 2 for 128, 192 or 256 bits. A key shorter than 256 bits occupies the "
    "most significant bits of `key_i`. A block takes the same number of cycles for every key size."
)


@dataclass(frozen=True)
class Subpipelined:
    """The core: `stages` a round, `units` rounds in the loop (a divisor of the rounds of the key size).

    `paper` takes the publication's cuts, `luts` cuts by levels of LUTs instead of gates; with `agile` every block may
    have its own key; with `selectable` a key has any size, and `key_bits` is the largest; `form` says what the S-boxes
    of the data path are made of. `skid_entries` results find room while the pipeline stops, which takes as many clocks.
    Raises RequestError for a combination that no core has.
    """

    stages: int
    units: int
    key_bits: int
    directions: tuple[Direction, ...]
    sbox: str
    paper: bool = False
    agile: bool = False
    form: SBoxForm = SBoxForm.GATES
    luts: bool = False
    skid_entries: int = 1
    selectable: bool = False

    def __post_init__(self) -> None:
        divisors = [k for k in range(1, self.rounds + 1) if self.rounds % k == 0]
        if self.units not in divisors:
            raise RequestError(
                f"rounds_in_loop: must divide the {self.rounds} rounds of a {self.key_bits}-bit key "
                f"({', '.join(map(str, divisors))}), not {self.units}"
            )
        allowed = paper_stages(self.directions, self.sbox) if self.paper else ()
        if self.paper and self.stages not in allowed:
            named = self.sbox if allowed else PAPER_SBOX
            numbers = " or ".join(map(str, paper_stages(self.directions, named))) or "none for decryption alone"
            raise RequestError(
                f"cuts: paper has stages {numbers} for these directions and S-box {named}, not "
                f"{self.stages} stages and {self.sbox}"
            )
        if self.agile and (self.directions != ENCRYPT or self.units != self.rounds or self.paper):
            raise RequestError(
                "key_agile: must be encryption with all rounds in the loop and not the paper's cuts (decryption begins "
                f"with the last round key), not {' and '.join(self.directions)} with {self.units} of {self.rounds} "
                f"rounds and cuts {self._cutting}"
            )

        if self.selectable and (
            self.directions != ENCRYPT or self.units != self.rounds or self.agile or self.luts or self.form != "gates"
        ):
            raise RequestError(
                "key_bits: all sizes need encryption with all 14 rounds in the loop, S-boxes of gates, cuts of the "
                "pipeliner or the paper, and no key_agile, not "
                f"{' and '.join(self.directions)} with {self.units} rounds, S-boxes of {self.form}, cuts "
                f"{self._cutting} and key_agile {str(self.agile).lower()}"
            )
        if self.form is not SBoxForm.GATES:
            wrong = [f"S-box {self.sbox}"] * (self.sbox != TABLE) + ["both directions"] * (self.directions == JOINT)
            wrong += ["1 stage"] * (self.stages == 1) + [f"cuts {self._cutting}"] * (self._cutting != "pipeliner")
            if wrong:
                raise RequestError(
                    f"sbox_form: {self.form} needs S-box {TABLE}, one direction, 2 stages or more and the pipeliner's "
                    f"cuts, not {' and '.join(wrong)}"
                )

    @property
    def rounds(self) -> int:
        """Nr."""
        return aes.rounds(self.key_bits)

    @property
    def passes(self) -> int:
        """How often a block goes through the loop."""
        return self.rounds // self.units

    @property
    def latency_cycles(self) -> int:
        """Clocks from a block's transfer to its result, both counted.

        The first is that of the first stage; a key that flows with its block goes one clock before it.
        """
        return self.stages * self.rounds + 1 + int(self.agile)

    @property
    def plan(self) -> UnitPlan:
        """When round keys come to a round unit."""
        joint = self.directions == JOINT
        key_stage = paper_key_stage(self.directions, self.stages, self.sbox) if self.paper else self.stages - 1
        levels = (self.passes - 1).bit_length() + joint
        time = 0 if self.select_register else levels
        tables = self.form is not SBoxForm.GATES
        return UnitPlan(
            self.stages, key_stage, time, int(joint), self.paper, self.agile, tables, self.luts, self.selectable
        )

    @property
    def _cutting(self) -> str:
        return "paper" if self.paper else "luts" if self.luts else "pipeliner"

    @property
    def select_register(self) -> bool:
        """Whether a unit's round key, if there are several to choose from, is chosen a clock before it is added."""
        return self.stages > 1 and (self.passes > 1 or self.directions == JOINT)

    @cached_property
    def kinds(self) -> Mapping[str, Column]:
        """The columns by module: first, inner and last round unit, as far as there are any."""
        looped = self.passes > 1
        first = Entry.EITHER if looped else Entry.BLOCK
        last = Mix.UNLESS_LAST if looped else Mix.NEVER
        kinds = {"first_column": (first, last if self.units == 1 else Mix.ALWAYS)}
        if self.agile or self.selectable:
            kinds = {}
        if self.units > 2:
            kinds["inner_column"] = (Entry.STATE, Mix.ALWAYS)
        if self.units > 1:
            kinds["last_column"] = (Entry.STATE, last)
        columns = {name: Column(entry, mix, self.directions, self.sbox) for name, (entry, mix) in kinds.items()}
        if self.selectable:
            columns["skipped_column"] = replace(columns["inner_column"], skips=True)
        return columns

    @cached_property
    def cuts(self) -> Cuts:
        """All staged circuits."""
        return cut(tuple(self.kinds.values()), self.key_bits // 32, self.plan)

    @cached_property
    def mix_round_key(self) -> StagedCircuit:
        """InvMixColumns of a column of a round key, in as many stages as the core's clock asks for."""
        builder = CircuitBuilder("mix_round_key")
        x = builder.input("x", 32)
        builder.output("y", named_map("invmixcolumns").program(INVERSE_MIX_COLUMNS_DEPTH).place(builder, x))
        return pipeline(builder.build(), period=self.cuts.levels, model=LEVELS)

    @property
    def key_clocks(self) -> int:
        """Clocks from the transfer of a key to that of the first block that can be taken under it.

        Round key i stands in its register 2 + stages·i clocks after the key. Encryption starts meanwhile.
        """
        select = int(self.select_register)
        place = self.plan.key_stage - select
        if Direction.DECRYPT not in self.directions:
            return max(2, 2 + self.stages - place)
        everything = 2 + self.stages * self.rounds
        return max(everything, everything - self.stages + self.mix_round_key.latency - place)

    @property
    def ports(self) -> Ports:
        """Those of the block interface."""
        return block_interface(self.key_sizes, self.directions)

    @property
    def key_sizes(self) -> tuple[int, ...]:
        """The key sizes, in bits."""
        return KEY_BITS if self.selectable else (self.key_bits,)

    def parameters(self) -> dict[str, int | bool]:
        """The parameters of the core that the top module instantiates."""
        common: dict[str, int | bool] = {
            "Rounds": self.rounds,
            "Stages": self.stages,
            "KeyWords": self.key_bits // 32,
            "SkidEntries": self.skid_entries,
        }
        if self.agile:
            return common
        if self.selectable:
            place = {"KeyPlace": self.plan.key_stage, "KeyClocks": self.key_clocks}
            return {name: common[name] for name in ("Stages", "SkidEntries")} | place
        decrypts = Direction.DECRYPT in self.directions
        return common | {
            "Units": self.units,
            "KeyPlace": self.plan.key_stage - int(self.select_register),
            "KeyClocks": self.key_clocks,
            "SelectRegister": self.select_register,
            "Encrypts": Direction.ENCRYPT in self.directions,
            "Decrypts": decrypts,
            "MixClocks": self.mix_round_key.latency if decrypts else 0,
        }

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        cited = f"S-box {self.sbox}: {sbox(self.sbox).publication}."
        what = "Column c of a round after ShiftRows; bits 8·i + 7 … 8·i of a port are the byte in row i."
        leaves = []
        if self.form is not SBoxForm.GATES:
            leaves.append(table_source(name, self.directions, self.form))
        for module, kind in self.kinds.items():
            staged, header = self.cuts.columns[kind], f"{_TITLES[module]}\n{what}\n{cited}"
            if self.form is SBoxForm.GATES:
                leaves.append(_staged_source(name, module, staged, header, enable=True))
            else:
                leaves += column_sources(name, module, kind, staged, header)
        step = "Key step: the four words that follow a window of the expanded key, which stands still meanwhile."
        if self.agile:
            step = "Key step: a window of the expanded key to the one four words on."
        module = "flowing_key_step" if self.agile else "key_step"
        leaves.append(_staged_source(name, module, self.cuts.key_step, f"{step}\n{cited}", enable=self.agile))
        if Direction.DECRYPT in self.directions:
            mixed = "InvMixColumns of a column of a round key: a mixed round key (FIPS-197 section 5.3.5)."
            leaves.append(_staged_source(name, "mix_round_key", self.mix_round_key, mixed, enable=False))
        modules = _SELECTABLE_MODULES if self.selectable else _AGILE_MODULES if self.agile else _MODULES
        direction = {Meaning.DIRECTION: "1'b1" if self.directions == DECRYPT else "1'b0"}
        core = PackagedCore(modules[-1], self.parameters(), direction if modules is _MODULES else {})
        about = f"A sub-pipelined core, {self.stages} stages a round: after Zhang and Parhi, 2004."
        return (*leaves, *packaged_sources(name, modules), core.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        does = {ENCRYPT: "encryption", DECRYPT: "decryption", JOINT: "both directions"}[self.directions]
        each = ", a key with each block" if self.agile else ""
        sizes = "/".join(map(str, self.key_sizes))
        loop = "all rounds unrolled" if self.passes == 1 else f"{self.units} of {self.rounds} rounds in a loop"
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-{sizes}, {does}, {loop}, {self.stages} stage{'s' * (self.stages > 1)} a round{each}",
            sources=Sources(partial(self.sources, name)),
            key_bits=self.key_sizes,
            directions=self.directions,
            ports=self.ports,
            cycles_per_block=self.passes,
            latency_cycles=self.latency_cycles,
            parameters={
                "directions": [str(direction) for direction in self.directions],
                "key_bits": self.key_sizes if self.selectable else self.key_bits,
                "stages": self.stages,
                "rounds_in_loop": self.units,
                "sbox": self.sbox,
                "sbox_form": str(self.form),
                "cuts": self._cutting,
                "key_agile": self.agile,
                "skid_entries": self.skid_entries,
            },
            publication=PUBLICATION,
            remarks=(SELECTION,) if self.selectable else (),
            same_clocks=self.selectable,
        )


_TITLES = {
    "first_column": "A column of the first round unit, initial AddRoundKey included.",
    "inner_column": "A column of a round unit.",
    "last_column": "A column of the last round unit.",
    "skipped_column": "A column of a round unit that shorter keys skip.",
}


def _staged_source(name: str, module: str, staged: StagedCircuit, header: str, *, enable: bool) -> SourceFile:
    full = f"{name}_{module}"
    return SourceFile(f"{full}.sv", staged_systemverilog(staged, header, full, enable=enable))

"""The check of a certificate of a walk: that its states are an inductive invariant in which no rule is broken.

From each listed state, under all inputs that senders may give, the circuit runs for one clock and the block interface
beside it. No rule may be broken, and what follows must be a listed state. So every run from reset on stays in listed
states, and keeps every rule in every clock. A rank, what a promise may still count from a state, falls with each clock
that counts: so no more clocks count than the highest.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from aesmith.check_proof.circuit import CheckedCircuit, CheckedGate, elaborate_sources, reached
from aesmith.check_proof.forms import Ages, Atom, AtomGroup, Byte, Form, Forms
from aesmith.check_proof.interface import PROMISES, SHOWN, CoreClaim, Given, InterfaceClock, InterfaceState, clock_of
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.scratch import work_folder

FORMAT = "aesmith certificate 1"

Levels = tuple[Form, ...]
Payloads = tuple[tuple[str, int, int, int], ...]
"""What comes on a port: (port, number of the key or block, bits of the key, beat)."""


class Accepted(NamedTuple):
    """What was checked: of which core, how many states and clocks, and the bound of each promise in clocks."""

    name: str
    claim: CoreClaim
    states: int
    clocks: int
    bounds: dict[str, int]


def check_certificate(file: Path, rtl: Path) -> Accepted:
    """Check a certificate against the sources in the folder `rtl`.

    Raises RequestError for files that cannot be read, CheckError, naming it, for a certificate that does not hold,
    ToolError without Yosys and for what this checker does not do.
    """
    try:
        certificate = json.loads(file.read_text(encoding="utf-8"))
        form, engine = certificate["format"], certificate["engine"]
        sources = {name: (rtl / Path(name).name).read_bytes() for name in certificate["sources"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RequestError(f"check-proof: {file} is no certificate, or a source of it is missing: {error}") from error
    if form != FORMAT:
        raise RequestError(f"check-proof: {file} has the format {form!r}, and not {FORMAT!r}")
    if engine != "walk":
        raise ToolError(f"check-proof: this checker checks walks; {file} is of the engine {engine!r}, and not checked")
    try:
        for name, text in sources.items():
            if hashlib.sha256(text).hexdigest() != certificate["sources"][name]:
                raise CheckError(f"{name} is not the source that was proved: its SHA-256 is another")
        claim = CoreClaim.of(certificate)
        with work_folder() as work:
            circuit = elaborate_sources(sources, certificate["top"], work)
        return WalkCheck(circuit, claim, certificate).check()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise CheckError(f"the certificate is not well formed: {type(error).__name__} {error}") from error


class WalkCheck:
    """A circuit, what it is said to be, and the certificate of a walk over its states."""

    def __init__(self, circuit: CheckedCircuit, claim: CoreClaim, certificate: Mapping[str, Any]) -> None:
        self._circuit, self._claim, self._certificate, self._forms = circuit, claim, certificate, Forms()
        claim.check_ports(circuit.inputs, circuit.outputs)
        data = reached(circuit, [*circuit.inputs["key_i"], *circuit.inputs["block_i"]])
        self._shown = [circuit.outputs[name][0] for name in SHOWN]
        if data.intersection(self._shown):
            raise CheckError("a handshake depends on key or block")
        of = {register.q: register for register in circuit.registers}
        named = certificate["registers"]
        nets = [[circuit.names.get(name) or 0 for name in named[part]] for part in ("control", "data")]
        if sorted(of) != sorted(nets[0] + nets[1]) or data.intersection(nets[0]) or not data.issuperset(nets[1]):
            raise CheckError("the registers are not those of the sources, apart for control and data")
        self._control, self._data = ([of[net] for net in part] for part in nets)
        self._control_gates = [gate for gate in circuit.gates if gate.output not in data]
        self._data_gates = [gate for gate in circuit.gates if gate.output in data]
        read = {net for gate in self._data_gates for net in gate.inputs} | {register.d for register in self._data}
        self._read = sorted((read | set(circuit.outputs["block_o"])) - data - {0, 1})
        self._images: dict[tuple[Ages, Ages], dict[int, Form]] = {}
        self._read_certificate()
        self._control_clock, self._interface_clock = cache(self._run_control), cache(self._run_interface)
        self._data_clock, self._aged_row = cache(self._run_data), cache(self._run_ages)

    def _read_certificate(self) -> None:
        """Rows of forms, interface states, states and ranks as lists, and the numbers of all but ranks by value."""
        atoms = [self._atom(row) for row in self._certificate["atoms"]]
        forms = []
        for row in self._certificate["forms"]:
            forms.append(0)
            for atom in row:
                forms[-1] ^= atoms[_index(atom)]
        rows = self._certificate["data"]
        self._rows = [tuple(None if n is None else forms[_index(n) >> 1] ^ n & 1 for n in row) for row in rows]
        self._interfaces = [InterfaceState.of(row) for row in self._certificate["interface"]]
        self._states = [(row[0], _index(row[1]), _index(row[2])) for row in self._certificate["states"]]
        self._ranks = [tuple(map(_index, row[3:])) for row in self._certificate["states"]]
        self._row_numbers = {row: number for number, row in enumerate(self._rows)}
        self._interface_numbers = {state: number for number, state in enumerate(self._interfaces)}
        self._numbers = {state: number for number, state in enumerate(self._states)}
        listed = len(self._rows) + len(self._interfaces) + len(self._states)
        if listed != len(self._row_numbers) + len(self._interface_numbers) + len(self._numbers):
            raise CheckError("something is listed twice")
        if any(len(row) != len(self._data) for row in self._rows) or any(len(r) != len(PROMISES) for r in self._ranks):
            raise CheckError("a row has another number of registers, or of ranks, than there are")
        if any(len(control) != len(self._control) or control.strip("01-") for control, _, _ in self._states):
            raise CheckError("a state has other levels of control than 0, 1 and -, or another number of them")

    def _atom(self, row: Sequence[Any]) -> int:
        what, key, bits, block, decrypt, index, table = row
        if table is not None and not re.fullmatch("[0-9a-f]{1,64}", table):
            raise CheckError(f"{table!r} is no truth table of 256 entries")
        if bits not in (0, *self._claim.key_bits):
            raise CheckError(f"an atom is of a key of {bits} bits, which no key of the core has")
        group = AtomGroup(what, _index(key), bits, _index(block), decrypt)
        return self._forms.named(Atom(group, _index(index), None if table is None else int(table, 16)))

    def check(self) -> Accepted:
        """Raises CheckError, naming it, for what does not hold."""
        if not set(self._starts()) <= self._numbers.keys():
            raise CheckError("a state after reset is not listed")
        bounds = dict(zip(PROMISES, (1 + max(ranks) for ranks in zip(*self._ranks, strict=True)), strict=True))
        if self._certificate["bounds"] != bounds:
            raise CheckError("the bounds claimed are not those of the ranks")
        inputs, clocks = list(self._claim.inputs()), 0
        for number, (control, row, interface) in enumerate(self._states):
            valid: dict[Given, Form] = {}
            for given in inputs:
                if not self._interfaces[interface].may_get(given, self._claim):
                    continue
                clocks += 1
                shown, read, control_after = self._control_clock(control, given)
                if None in shown:
                    raise CheckError("a handshake is not known from what a state lists")
                if valid.setdefault(given._replace(ready=False), shown[2]) != shown[2]:
                    raise CheckError("block_valid_o waits for block_ready_i")
                clock, payloads = self._interface_clock(interface, given, shown)
                output, shows_key, _ = self._data_clock(row, read, payloads)
                if clock.result is None and shows_key:
                    raise CheckError("block_o shows bits of a key while no result is offered")
                if clock.result is not None and output != self._expected(clock):
                    raise CheckError("a result that is offered is not known to be that of AES")
                row_after = self._aged_row(row, read, payloads, clock.keys, clock.blocks)
                after = (control_after, row_after, self._interface_numbers.get(clock.after))
                if after not in self._numbers:
                    raise CheckError(f"a state that follows state {number} is not listed")
                ranks = zip(self._ranks[number], clock.counts, self._ranks[self._numbers[after]], strict=True)
                if any(count is not None and rank < count + rank_after for rank, count, rank_after in ranks):
                    raise CheckError(f"a rank does not fall as it must after state {number}")
        return Accepted(self._certificate["name"], self._claim, len(self._states), clocks, bounds)

    def _starts(self) -> Iterator[tuple[str, int | None, int | None]]:
        """The states after reset. Nothing is known of what reset leaves alone, but for registers that are split."""
        names = self._certificate["registers"]["control"]
        split = [names.index(name) for name in self._certificate["split"]]
        if any(self._control[place].reset is not None for place in split):
            raise CheckError("a register is split that has a level after reset")
        row = self._row_numbers.get(tuple(register.reset for register in self._data))
        for levels in product("01", repeat=len(split)):
            control = ["-" if register.reset is None else str(register.reset) for register in self._control]
            for place, level in zip(split, levels, strict=True):
                control[place] = level
            yield "".join(control), row, self._interface_numbers.get(InterfaceState())

    def _run_control(self, control: str, given: Given) -> tuple[Levels, Levels, str]:
        """The handshakes, what data gates read of control, and control after the clock."""
        level = self._levels(self._control, [{"0": 0, "1": 1}.get(character) for character in control])
        for name, nets in self._circuit.inputs.items():
            for bit, net in enumerate(nets if name not in ("key_i", "block_i") else ()):
                level[net] = given.level(name) >> bit & 1
        run_gates(self._control_gates, level, self._forms)
        after = "".join("-" if (held := level[register.d]) is None else str(held) for register in self._control)
        return tuple(level[net] for net in self._shown), tuple(level[net] for net in self._read), after

    def _levels(self, registers: Sequence[Any], held: Sequence[Form]) -> list[Form]:
        level: list[Form] = [None] * self._circuit.nets
        level[0], level[1] = 0, 1
        for register, form in zip(registers, held, strict=True):
            level[register.q] = form
        return level

    def _run_interface(self, interface: int, given: Given, shown: Levels) -> tuple[InterfaceClock, Payloads]:
        clock = clock_of(self._interfaces[interface], given, self._claim, tuple(level == 1 for level in shown))
        payloads: Payloads = ()
        # The bytes that AES substitutes must be known before the core meets them.
        if clock.key is not None:
            self._forms.schedule(*clock.key[:2])
            payloads += (("key_i", *clock.key),)
        if clock.block is not None:
            self._forms.result(*clock.block[:4])
            payloads += (("block_i", clock.block.block, 128, clock.block.came),)
        return clock, payloads

    def _run_data(self, row: int, read: Levels, payloads: Payloads) -> tuple[Levels, bool, Levels]:
        """`block_o`, whether it shows a key, and the data registers after the clock."""
        level = self._levels(self._data, self._rows[row])
        for net, known in zip(self._read, read, strict=True):
            level[net] = known
        for port, number, bits, beat in payloads:
            key = port == "key_i"
            value = self._forms.key(number, bits) if key else self._forms.block(number)
            payload = _beat(value, beat, self._claim.key_beats(bits) if key else self._claim.beats)
            # A key that is shorter than its port stands in the highest bits; nothing is known of the others.
            for net, bit in zip(self._circuit.inputs[port][-len(payload) :], payload, strict=True):
                level[net] = bit
        run_gates(self._data_gates, level, self._forms)
        output = tuple(level[net] for net in self._circuit.outputs["block_o"])
        return output, any(map(self._forms.is_of_key_bits, output)), tuple(level[reg.d] for reg in self._data)

    def _expected(self, clock: InterfaceClock) -> Levels:
        assert clock.result is not None
        return _beat(self._forms.result(*clock.result[:4]), clock.result.left, self._claim.beats)

    def _run_ages(self, row: int, read: Levels, payloads: Payloads, keys: Ages, blocks: Ages) -> int | None:
        """The number of the row after a clock, keys and blocks numbered anew; None if it is not listed."""
        after, images = self._data_clock(row, read, payloads)[2], self._images.setdefault((keys, blocks), {})
        return self._row_numbers.get(tuple(self._forms.aged(form, keys, blocks, images) for form in after))


def _beat(state: Sequence[Byte], beat: int, beats: int) -> tuple[Form, ...]:
    """One of `beats` transfers of bytes, in the order of the port's bits: the first byte stands highest."""
    width = len(state) // beats
    return tuple(bit for byte in reversed(state[width * beat : width * (beat + 1)]) for bit in byte)


def run_gates(gates: Sequence[CheckedGate], level: list[Form], forms: Forms) -> None:
    """Gates in order, on the forms of their nets."""

    def both(a: Form, b: Form) -> Form:
        if a == 0 or b == 0:
            return 0
        if a is None or b is None:
            return None
        return b if a == 1 else a if b == 1 else forms.product(a, b)

    for kind, nets, output in gates:
        a = level[nets[0]]
        if kind == "NOT":
            level[output] = None if a is None else a ^ 1
            continue
        b = level[nets[1]]
        if kind == "XOR":
            level[output] = None if a is None or b is None else a ^ b
        elif kind == "AND":
            level[output] = both(a, b)
        elif kind == "OR":
            neither = both(None if a is None else a ^ 1, None if b is None else b ^ 1)
            level[output] = None if neither is None else neither ^ 1
        else:
            c = level[nets[2]]
            if a == 0 or (b is not None and b == c):
                level[output] = b
            elif a == 1:
                level[output] = c
            else:
                change = None if a is None or b is None or c is None else both(a, b ^ c)
                level[output] = None if b is None or change is None else b ^ change


def _index(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise CheckError(f"the certificate has {number!r} where a number from 0 on stands")
    return number

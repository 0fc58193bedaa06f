"""A circuit under the names of a certificate, and one clock of it on levels and forms.

Control is what key and block do not reach, through any number of clocks: it runs on levels, given as a text of 0, 1 and
- (nothing known). All else is data, and runs on forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from aesmith.check_proof.circuit import CheckedCircuit, CheckedGate, CheckedRegister, reached
from aesmith.check_proof.forms import Atom, AtomGroup, Byte, Form, Forms
from aesmith.check_proof.interface import SHOWN, CoreClaim, Given
from aesmith.errors import CheckError

Levels = tuple[Form, ...]
Payloads = tuple[tuple[str, int, int, int], ...]
"""What comes on a port: (port, number of the key or block, bits of the key, beat)."""

LEVELS: dict[str, Form] = {"0": 0, "1": 1, "-": None}


class CircuitClock:
    """A circuit, what it is said to be, and its registers and the forms as a certificate lists them.

    Raises CheckError, naming the port or register, where these do not go together.
    """

    def __init__(self, circuit: CheckedCircuit, claim: CoreClaim, certificate: Mapping[str, Any]) -> None:
        self.circuit, self.claim, self.forms = circuit, claim, Forms()
        claim.check_ports(circuit.inputs, circuit.outputs)
        data = reached(circuit, [*circuit.inputs["key_i"], *circuit.inputs["block_i"]])
        for name in SHOWN:
            if circuit.outputs[name][0] in data:
                raise CheckError(f"{name} depends on key or block")
        self.names = {part: list(certificate["registers"][part]) for part in ("control", "data")}
        self.control, self.data = self._registers(data)
        self.shown = [circuit.outputs[name][0] for name in SHOWN]
        self.control_gates = [gate for gate in circuit.gates if gate.output not in data]
        self.data_gates = [gate for gate in circuit.gates if gate.output in data]
        read = {net for gate in self.data_gates for net in gate.inputs} | {register.d for register in self.data}
        self.read = sorted((read | set(circuit.outputs["block_o"])) - data - {0, 1})
        self._unknown: dict[int, Form] = dict.fromkeys(net for gate in self.control_gates for net in gate.inputs)
        self._unknown |= dict.fromkeys([*self.shown, *self.read, *(register.d for register in self.control)])
        self._listed = self._read_forms(certificate)

    def _registers(self, data: set[int]) -> tuple[list[CheckedRegister], list[CheckedRegister]]:
        of = {register.q: register for register in self.circuit.registers}
        found: dict[str, list[CheckedRegister]] = {"control": [], "data": []}
        for part, names in self.names.items():
            for name in names:
                net = self.circuit.names.get(name)
                if net not in of:
                    raise CheckError(
                        f"the registers are not those of the sources: there is no {name}, or not one alone"
                    )
                if (net in data) != (part == "data"):
                    reach = "do" if net in data else "do not"
                    raise CheckError(f"{name} is listed as {part}, and key or block {reach} reach it")
                found[part].append(of.pop(net))
        for net in of:
            name = next((name for name, known in self.circuit.names.items() if known == net), f"that of net {net}")
            raise CheckError(f"the registers are not those of the sources: {name} is not listed")
        return found["control"], found["data"]

    def _read_forms(self, certificate: Mapping[str, Any]) -> list[int]:
        atoms = [self._atom(row) for row in certificate["atoms"]]
        forms = []
        for row in certificate["forms"]:
            forms.append(0)
            for atom in row:
                forms[-1] ^= atoms[as_index(atom)]
        return forms

    def _atom(self, row: Sequence[Any]) -> int:
        what, key, bits, block, decrypt, index, table = row
        if table is not None and not re.fullmatch("[0-9a-f]{1,64}", table):
            raise CheckError(f"{table!r} is no truth table of 256 entries")
        if bits not in (0, *self.claim.key_bits):
            raise CheckError(f"an atom is of a key of {bits} bits, which no key of the core has")
        group = AtomGroup(what, as_index(key), bits, as_index(block), decrypt)
        return self.forms.named(Atom(group, as_index(index), None if table is None else int(table, 16)))

    def listed(self, row: Sequence[int | None]) -> Levels:
        """What registers hold: the forms of numbers, each twice a form's place and one for the complement."""
        return tuple(None if n is None else self._listed[as_index(n) >> 1] ^ n & 1 for n in row)

    def check_control(self, control: str) -> str:
        """The levels, if they are some of 0, 1 and -, one for each register of control."""
        if len(control) != len(self.control) or control.strip("01-"):
            raise CheckError("a state has other levels of control than 0, 1 and -, or another number of them")
        return control

    def levels(self, control: str, given: Given, unknown: frozenset[str] = frozenset()) -> dict[int, Form]:
        """The levels of registers of control and control inputs, those of the ports `unknown` left out."""
        level = self._unknown.copy()
        level[0], level[1] = 0, 1
        for register, known in zip(self.control, control, strict=True):
            level[register.q] = LEVELS[known]
        for name, nets in self.circuit.inputs.items():
            for bit, net in enumerate(nets if name not in ("key_i", "block_i") else ()):
                level[net] = None if name in unknown else given.level(name) >> bit & 1
        return level

    def run_control(
        self, control: str, given: Given, unknown: frozenset[str] = frozenset()
    ) -> tuple[Levels, Levels, str]:
        """The handshakes, what data gates read of control, and control after the clock."""
        level = self.levels(control, given, unknown)
        run_gates(self.control_gates, level, self.forms)
        after = "".join("-" if (held := level[register.d]) is None else str(held) for register in self.control)
        return tuple(map(level.__getitem__, self.shown)), tuple(map(level.__getitem__, self.read)), after

    def run_data(self, held: Levels, read: Levels, payloads: Payloads) -> tuple[Levels, Levels]:
        """`block_o`, and the data registers after the clock."""
        level: list[Form] = [None] * self.circuit.nets
        level[0], level[1] = 0, 1
        for register, form in zip(self.data, held, strict=True):
            level[register.q] = form
        for net, known in zip(self.read, read, strict=True):
            level[net] = known
        self.put_payloads(level, payloads)
        run_gates(self.data_gates, level, self.forms)
        return tuple(level[net] for net in self.circuit.outputs["block_o"]), tuple(level[reg.d] for reg in self.data)

    def put_payloads(self, level: list[Form] | dict[int, Form], payloads: Payloads) -> None:
        """What comes, on the nets of its port."""
        for port, number, bits, beat in payloads:
            key = port == "key_i"
            value = self.forms.key(number, bits) if key else self.forms.block(number)
            payload = one_beat(value, beat, self.claim.key_beats(bits) if key else self.claim.beats)
            # A key that is shorter than its port occupies the highest bits; the others are unknown.
            for net, bit in zip(self.circuit.inputs[port][-len(payload) :], payload, strict=True):
                level[net] = bit

    def shows_key(self, output: Levels) -> bool:
        """Whether a bit of `block_o` is a sum of bits of keys."""
        return any(map(self.forms.is_of_key_bits, output))

    def differing(self, part: str, listed: Sequence[Any], follows: Sequence[Any], nothing: object) -> list[str]:
        """Names of the registers of a part whose level or form, unless `nothing` is listed, is another."""
        pairs = zip(self.names[part], listed, follows, strict=True)
        return [name for name, known, found in pairs if known not in (nothing, found)]


@contextmanager
def at_place(place: str, given: Given) -> Iterator[None]:
    """Says of what is refused within which state and inputs it was."""
    try:
        yield
    except CheckError as error:
        inputs = " ".join(f"{name}={int(level)}" for name, level in given._asdict().items())
        raise CheckError(f"{place}, with {inputs}: {error}") from error


def few(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def one_beat(state: Sequence[Byte], beat: int, beats: int) -> tuple[Form, ...]:
    """One of `beats` transfers of bytes, in the order of the port's bits: the first byte stands highest."""
    width = len(state) // beats
    return tuple(bit for byte in reversed(state[width * beat : width * (beat + 1)]) for bit in byte)


def run_gates(gates: Sequence[CheckedGate], level: list[Form] | dict[int, Form], forms: Forms) -> None:
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


def as_index(number: Any) -> int:
    """A number of a certificate. Raises CheckError for what is none from 0 on."""
    if type(number) is not int or number < 0:
        raise CheckError(f"the certificate has {number!r} where a number of at least 0 belongs")
    return number

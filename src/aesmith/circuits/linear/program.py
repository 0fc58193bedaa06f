"""A linear map as a straight-line program of XOR gates, the order in which a set of sums becomes one, and its text.

As text a program is one line a sum, as such programs are usually published:

    # key: value              what the file says of itself; other comments are ignored
    inputs 32
    t0 = x0 ^ x8              sums of two or three earlier signals
    y0 = t0                   every output, in order; `0` for a row of zeros

Signals are x0 to x(n-1), the inputs, and t0, t1, ...; output r is yr.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix

_ASSIGNMENT = re.compile(r"([ty])(\d+) *= *(.+)")
_SIGNAL = re.compile(r"([xt])(\d+)")


@dataclass(frozen=True)
class LinearProgram:
    """XOR straight-line program: `sums[i]` are the two (or, for a three-input XOR cell, three) signals that signal
    width+i adds; `outputs[r]` is the signal of row r, or None for a row of zeros.

    Signals 0 to width-1 are the inputs. Raises RequestError for a sum of a later signal or of a wrong number of them.
    """

    width: int
    sums: tuple[tuple[int, ...], ...]
    outputs: tuple[int | None, ...]

    def __post_init__(self) -> None:
        for i, operands in enumerate(self.sums):
            if len(operands) not in {2, 3} or len(set(operands)) != len(operands):
                raise RequestError(f"linear program: sum {i} must add 2 or 3 different signals, not {operands}")
            if not all(0 <= signal < self.width + i for signal in operands):
                raise RequestError(f"linear program: sum {i} must add signals below {self.width + i}, not {operands}")
        for r, out in enumerate(self.outputs):
            if out is not None and not 0 <= out < self.width + len(self.sums):
                raise RequestError(f"linear program: output {r} must be one of its signals, not {out}")

    @property
    def xors(self) -> int:
        """Number of two-input XOR operations; a three-input cell is two of them."""
        return sum(len(operands) - 1 for operands in self.sums)

    @property
    def cells(self) -> tuple[int, int]:
        """Number of two-input and of three-input XOR cells."""
        threes = sum(len(operands) == 3 for operands in self.sums)
        return len(self.sums) - threes, threes

    def cost(self, xor3_cost: float = 2.0) -> float:
        """Total cost where a two-input cell costs 1 and a three-input cell `xor3_cost`."""
        twos, threes = self.cells
        return twos + threes * xor3_cost

    def levels(self, arrivals: Sequence[int] | None = None) -> tuple[int, ...]:
        """XOR level of each output: the inputs' `arrivals` (default 0) plus 1 a two-input, 2 a three-input cell.

        Zeros have level 0. Raises RequestError if `arrivals` is not one number an input.
        """
        levels = list(input_levels(self.width, arrivals))
        for operands in self.sums:
            levels.append(max(levels[signal] for signal in operands) + len(operands) - 1)
        return tuple(0 if out is None else levels[out] for out in self.outputs)

    @property
    def depths(self) -> tuple[int, ...]:
        """XOR levels of each output; inputs and zeros have 0."""
        return self.levels()

    @property
    def depth(self) -> int:
        """Most XOR levels of any output."""
        return max(self.depths, default=0)

    @property
    def forms(self) -> tuple[int, ...]:
        """What each signal is: bit j set = input j is in its sum."""
        forms = [1 << j for j in range(self.width)]
        for operands in self.sums:
            total = 0
            for signal in operands:
                total ^= forms[signal]
            forms.append(total)
        return tuple(forms)

    @property
    def matrix(self) -> BitMatrix:
        """The matrix that the program computes."""
        forms = self.forms
        return BitMatrix(tuple(0 if out is None else forms[out] for out in self.outputs), self.width)

    def place(self, builder: CircuitBuilder, inputs: Sequence[Wire], constant: int = 0) -> list[Wire]:
        """Put the program into a circuit; returns the output wires, those of ones in `constant` complemented.

        A complemented output whose last gate drives nothing else becomes an XNOR; otherwise it gets an inverter.
        """
        if len(inputs) != self.width:
            raise RequestError(f"linear program: needs {self.width} input wires, not {len(inputs)}")
        uses = [0] * (self.width + len(self.sums))
        for operands in self.sums:
            for signal in operands:
                uses[signal] += 1
        for out in self.outputs:
            if out is not None:
                uses[out] += 1
        flipped = {
            out
            for r, out in enumerate(self.outputs)
            if out is not None and constant >> r & 1 and self._is_pair(out) and uses[out] == 1
        }
        wires = list(inputs)
        for i, operands in enumerate(self.sums):
            args = [wires[signal] for signal in operands]
            if len(args) == 3:
                wires.append(builder.gate(Op.XOR3, *args))
            else:
                wires.append(builder.gate(Op.XNOR if self.width + i in flipped else Op.XOR, *args))
        result = []
        for r, out in enumerate(self.outputs):
            complement = bool(constant >> r & 1)
            if out is None:
                result.append(builder.one() if complement else builder.zero())
            elif complement and out not in flipped:
                result.append(builder.not_(wires[out]))
            else:
                result.append(wires[out])
        return result

    def circuit(self, name: str, constant: int = 0) -> Circuit:
        """A circuit of its own with ports x and y."""
        builder = CircuitBuilder(name)
        x = builder.input("x", self.width)
        builder.output("y", self.place(builder, x, constant))
        return builder.build()

    def _is_pair(self, signal: int) -> bool:
        return signal >= self.width and len(self.sums[signal - self.width]) == 2


def input_levels(width: int, arrivals: Sequence[int] | None) -> tuple[int, ...]:
    """The arrival level of each input. Raises RequestError if they are not `width` numbers of 0 to 30."""
    if arrivals is None:
        return (0,) * width
    if len(arrivals) != width:
        raise RequestError(f"arrivals: must be {width} levels, one an input, not {len(arrivals)}")
    if wrong := [level for level in arrivals if not 0 <= level <= 30]:
        raise RequestError(f"arrivals: levels must be 0 to 30, not {wrong[0]}")
    return tuple(arrivals)


def smallest_depth(matrix: BitMatrix, arrivals: Sequence[int] | None = None) -> int:
    """The fewest XOR levels that any program for the matrix can have.

    A row is the root of a binary tree with each of its inputs j somewhere at its arrival level a_j or above, so it
    needs 2^depth >= the sum of 2^a_j, cancellation or not, and a tree of that depth exists (Kraft). Without arrival
    times that is ceil(log2 of the row's weight).
    """
    return max((smallest_row_depth(row, input_levels(matrix.width, arrivals)) for row in matrix.rows), default=0)


def smallest_row_depth(row: int, levels: Sequence[int]) -> int:
    """The fewest XOR levels of one row with inputs at `levels`; 0 for a row of zeros."""
    load = sum(1 << level for j, level in enumerate(levels) if row >> j & 1)
    return max(load - 1, 0).bit_length()


def check_depth(matrix: BitMatrix, depth: int | None, arrivals: Sequence[int] | None = None) -> None:
    """Raises RequestError, naming the smallest possible depth, if no program of `depth` levels exists."""
    levels = input_levels(matrix.width, arrivals)
    if depth is None:
        return
    least = smallest_depth(matrix, levels)
    if depth >= least:
        return
    row = next(r for r, bits in enumerate(matrix.rows) if smallest_row_depth(bits, levels) == least)
    reason = f"row {row} has {matrix.row_weights[row]} ones"
    if any(levels):
        reason += ", the latest input at level " + str(
            max(x for j, x in enumerate(levels) if matrix.rows[row] >> j & 1)
        )
    raise RequestError(f"depth: must be at least {least} XOR levels ({reason}), not {depth}")


def schedule(forms: Iterable[int], matrix: BitMatrix, arrivals: Sequence[int] | None = None) -> LinearProgram:
    """The program of the matrix whose signals are `forms` (bit j = input j; input forms may be among them).

    Each form is made at its earliest level, from two others of the set or inputs; forms that no output needs are
    left out. Raises RequestError if a row of the matrix cannot be reached by sums of two forms of the set.
    """
    width = matrix.width
    levels = input_levels(width, arrivals)
    units = [1 << j for j in range(width)]
    waiting = dict.fromkeys(form for form in forms if form.bit_count() > 1)
    made: dict[int, tuple[int, int]] = {}
    ready: list[int] = []
    available: set[int] = set()
    level_of = dict(zip(units, levels, strict=True))
    level = -1
    while True:
        level += 1
        entering = [form for form, at in level_of.items() if at == level]
        if not entering and level > max(level_of.values()):
            break
        for form in entering:
            for other in ready:
                total = form ^ other
                if total in waiting and total not in level_of:
                    level_of[total] = level + 1
                    made[total] = (other, form)
            ready.append(form)
            available.add(form)
    targets = [row for row in matrix.rows if row]
    if missing := [row for row in targets if row not in level_of]:
        raise RequestError(f"linear program: the forms do not reach row {matrix.rows.index(missing[0])} of the matrix")
    live = set(targets)
    for form in reversed(list(made)):
        if form in live:
            live.update(made[form])
    signal = {form: j for j, form in enumerate(units)}
    sums: list[tuple[int, ...]] = []
    for form, (a, b) in made.items():
        if form in live:
            signal[form] = width + len(sums)
            sums.append((signal[a], signal[b]))
    return LinearProgram(width, tuple(sums), tuple(signal[row] if row else None for row in matrix.rows))


def format_program(program: LinearProgram, facts: Mapping[str, object] | None = None) -> str:
    """The text of a program, `facts` as `# key: value` lines before it."""
    lines = [f"# {key}: {value}" for key, value in (facts or {}).items()]
    lines.append(f"inputs {program.width}")

    def name(signal: int) -> str:
        return f"x{signal}" if signal < program.width else f"t{signal - program.width}"

    lines += [f"t{i} = {' ^ '.join(map(name, operands))}" for i, operands in enumerate(program.sums)]
    lines += [f"y{r} = {'0' if out is None else name(out)}" for r, out in enumerate(program.outputs)]
    return "\n".join(lines) + "\n"


def parse_program(text: str) -> tuple[LinearProgram, dict[str, str]]:
    """The program of a text and its facts. Raises RequestError naming the line that is wrong."""
    facts: dict[str, str] = {}
    width: int | None = None
    sums: list[tuple[int, ...]] = []
    outputs: list[int | None] = []
    for number, line in enumerate(text.splitlines(), start=1):
        content, _, comment = line.partition("#")
        key, colon, value = comment.partition(":")
        if colon and not content.strip():
            facts[key.strip()] = value.strip()
        content = content.strip()
        if not content:
            continue
        where = f"linear program: line {number}"
        if width is None:
            if not re.fullmatch(r"inputs +[1-9]\d*", content):
                raise RequestError(f"{where} must be `inputs N`, not {content!r}")
            width = int(content.split()[1])
            continue
        match = _ASSIGNMENT.fullmatch(content)
        if match is None:
            raise RequestError(f"{where} must be like `t0 = x0 ^ x1` or `y0 = t0`, not {content!r}")
        kind, index, expression = match[1], int(match[2]), match[3]
        expected = len(sums) if kind == "t" else len(outputs)
        if index != expected:
            raise RequestError(f"{where} must set {kind}{expected}, not {kind}{index}")
        if kind == "y" and expression.strip() == "0":
            outputs.append(None)
            continue
        operands = tuple(_signal(part.strip(), width, len(sums), where) for part in expression.split("^"))
        if kind == "t":
            sums.append(operands)
        elif len(operands) == 1:
            outputs.append(operands[0])
        else:
            raise RequestError(f"{where} must set an output to one signal, not to {expression!r}")
    if width is None:
        raise RequestError("linear program: there is no line `inputs N` in it")
    return LinearProgram(width, tuple(sums), tuple(outputs)), facts


def _signal(text: str, width: int, sums: int, where: str) -> int:
    match = _SIGNAL.fullmatch(text)
    if match is None:
        raise RequestError(f"{where}: a signal is x0 to x{width - 1} or an earlier t, not {text!r}")
    index = int(match[2])
    limit = width if match[1] == "x" else sums
    if index >= limit:
        raise RequestError(f"{where}: {text} is not defined there")
    return index if match[1] == "x" else width + index

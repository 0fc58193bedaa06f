"""Straight-line programs as text: one line a sum, as such programs are usually published.

    # key: value              what the file says of itself; other comments are ignored
    inputs 32
    t0 = x0 ^ x8              sums of two or three earlier signals
    y0 = t0                   every output, in order; `0` for a row of zeros

Signals are x0 to x(n-1), the inputs, and t0, t1, ...; output r is yr.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aesmith.circuits.linear.program import LinearProgram
from aesmith.errors import RequestError

_ASSIGNMENT = re.compile(r"([ty])(\d+) *= *(.+)")
_SIGNAL = re.compile(r"([xt])(\d+)")


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

"""Reads BTOR2 (Niemetz, Preiner, Wolf and Biere, CAV 2018) and looks for runs to a bad state, by Bitwuzla.

It is written after the format's definition, with nothing of the project, and it knows what Yosys writes of a core:
words, no arrays.
"""

from __future__ import annotations

from pathlib import Path

from bitwuzla import Bitwuzla, Kind, Options, Result, Term, TermManager

_WORDS = {
    "not": Kind.BV_NOT, "inc": Kind.BV_INC, "dec": Kind.BV_DEC, "neg": Kind.BV_NEG,
    "redor": Kind.BV_REDOR, "redand": Kind.BV_REDAND, "redxor": Kind.BV_REDXOR,
    "and": Kind.BV_AND, "nand": Kind.BV_NAND, "nor": Kind.BV_NOR, "or": Kind.BV_OR, "xnor": Kind.BV_XNOR,
    "xor": Kind.BV_XOR, "sll": Kind.BV_SHL, "sra": Kind.BV_ASHR, "srl": Kind.BV_SHR, "add": Kind.BV_ADD,
    "mul": Kind.BV_MUL, "sub": Kind.BV_SUB, "udiv": Kind.BV_UDIV, "urem": Kind.BV_UREM, "concat": Kind.BV_CONCAT,
}  # fmt: skip
_PREDICATES = {
    "eq": Kind.EQUAL, "iff": Kind.EQUAL, "neq": Kind.DISTINCT, "ult": Kind.BV_ULT, "ulte": Kind.BV_ULE,
    "ugt": Kind.BV_UGT, "ugte": Kind.BV_UGE, "slt": Kind.BV_SLT, "slte": Kind.BV_SLE, "sgt": Kind.BV_SGT,
    "sgte": Kind.BV_SGE,
}  # fmt: skip
_BASES = {"const": 2, "constd": 10, "consth": 16}


class Btor2:
    """A file of BTOR2. `bad` has the lines that are not to become 1, in the file's order."""

    def __init__(self, file: Path) -> None:
        lines = [line.partition(";")[0].split() for line in file.read_text().splitlines()]
        self.lines = {int(words[0]): words[1:] for words in lines if words}
        self.sorts: dict[int, int] = {}
        self.first: dict[int, int] = {}
        self.next: dict[int, int] = {}
        self._constraints: list[int] = []
        self.bad: list[int] = []
        for number, (kind, *words) in self.lines.items():
            if kind == "sort":
                if words[0] != "bitvec":
                    raise ValueError(f"line {number}: sort {words[0]} is not known here")
                self.sorts[number] = int(words[1])
            elif kind in ("init", "next"):
                (self.first if kind == "init" else self.next)[int(words[1])] = int(words[2])
            elif kind == "constraint":
                self._constraints.append(int(words[0]))
            elif kind == "bad":
                self.bad.append(int(words[0]))

    def first_bad(self, number: int, clocks: int) -> int | None:
        """The last clock, from 0, of a shortest run to a bad state, or None if none has at most so many clocks."""
        terms = TermManager()
        solver = Bitwuzla(terms, Options())
        one = terms.mk_bv_value(terms.mk_bv_sort(1), 1)
        before: _Clock | None = None
        for frame in range(clocks):
            clock = _Clock(self, terms, before)
            for constraint in self._constraints:
                solver.assert_formula(terms.mk_term(Kind.EQUAL, [clock.value(constraint), one]))
            wrong = terms.mk_term(Kind.EQUAL, [clock.value(self.bad[number]), one])
            if solver.check_sat(wrong) is Result.SAT:
                return frame
            solver.assert_formula(terms.mk_term(Kind.NOT, [wrong]))
            before = clock
        return None


class _Clock:
    """The values of lines in one clock, made when they are asked for: what no property reads is never made."""

    def __init__(self, file: Btor2, terms: TermManager, before: _Clock | None) -> None:
        self._file, self._terms, self._before = file, terms, before
        self._values: dict[int, Term] = {}

    def value(self, wanted: int) -> Term:
        """The value of a line; that of minus a line is its complement."""
        waiting = [abs(wanted)]
        while waiting:
            number = waiting[-1]
            if number in self._values:
                waiting.pop()
                continue
            missing = [read for read in self._reads(number) if read not in self._values]
            if missing:
                waiting += missing
            else:
                self._values[number] = self._made(number)
                waiting.pop()
        return self._literal(wanted)

    def _reads(self, number: int) -> list[int]:
        """The lines whose values in this clock that of a line is made of."""
        kind, _, *words = self._file.lines[number]
        if kind == "state":
            return [] if self._before is not None or number not in self._file.first else [self._file.first[number]]
        if kind in ("input", "zero", "one", "ones", *_BASES):
            return []
        return [abs(int(word)) for word in words[: 1 if kind in ("uext", "sext", "slice") else None]]

    def _made(self, number: int) -> Term:
        terms = self._terms
        kind, sort_line, *words = self._file.lines[number]
        width = self._file.sorts[int(sort_line)]
        sort = terms.mk_bv_sort(width)
        if kind == "state" and self._before is not None and number in self._file.next:
            return self._before.value(self._file.next[number])
        if kind == "state" and self._before is None and number in self._file.first:
            return self._literal(self._file.first[number])
        if kind in ("state", "input"):  # a state without `next` is an input
            return terms.mk_const(sort)
        if kind in _BASES:
            return terms.mk_bv_value(sort, words[0], _BASES[kind])
        if kind in ("zero", "one", "ones"):
            return terms.mk_bv_value(sort, {"zero": 0, "one": 1, "ones": (1 << width) - 1}[kind])
        if kind == "slice":
            return terms.mk_term(Kind.BV_EXTRACT, [self._literal(int(words[0]))], [int(words[1]), int(words[2])])
        if kind in ("uext", "sext"):
            extend = Kind.BV_ZERO_EXTEND if kind == "uext" else Kind.BV_SIGN_EXTEND
            return terms.mk_term(extend, [self._literal(int(words[0]))], [int(words[1])])
        values = [self._literal(int(word)) for word in words]
        one = terms.mk_bv_value(terms.mk_bv_sort(1), 1)
        if kind == "ite":
            return terms.mk_term(Kind.ITE, [terms.mk_term(Kind.EQUAL, [values[0], one]), *values[1:]])
        if kind == "implies":
            return terms.mk_term(Kind.BV_OR, [terms.mk_term(Kind.BV_NOT, values[:1]), values[1]])
        if kind in _PREDICATES:
            zero = terms.mk_bv_value(terms.mk_bv_sort(1), 0)
            return terms.mk_term(Kind.ITE, [terms.mk_term(_PREDICATES[kind], values), one, zero])
        return terms.mk_term(_WORDS[kind], values)

    def _literal(self, number: int) -> Term:
        value = self._values[abs(number)]
        return value if number > 0 else self._terms.mk_term(Kind.BV_NOT, [value])

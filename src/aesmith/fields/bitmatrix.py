"""Matrices over GF(2), one integer a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from aesmith.errors import RequestError


@dataclass(frozen=True)
class BitMatrix:
    """A matrix over GF(2): bit j of `rows[i]` is the entry in row i, column j.

    As a linear map it takes a word of `width` bits (bit j multiplies column j) to a word of `height` bits (bit i is
    the parity of row i and the input). `a @ b` is the map that applies b first.
    """

    rows: tuple[int, ...]
    width: int

    def __post_init__(self) -> None:
        for i, row in enumerate(self.rows):
            if not 0 <= row < 1 << self.width:
                raise RequestError(f"matrix: row {i} must have {self.width} bits, not the value {row:#x}")

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @classmethod
    def identity(cls, size: int) -> BitMatrix:
        """The size × size identity."""
        return cls(tuple(1 << i for i in range(size)), size)

    @classmethod
    def from_columns(cls, columns: Sequence[int], height: int) -> BitMatrix:
        """The matrix whose column j is `columns[j]` (bit i = row i)."""
        return cls(tuple(sum(((c >> i) & 1) << j for j, c in enumerate(columns)) for i in range(height)), len(columns))

    @classmethod
    def from_map(cls, function: Callable[[int], int], width: int, height: int) -> BitMatrix:
        """The matrix of a linear function on words, by its values on the unit words."""
        return cls.from_columns([function(1 << j) for j in range(width)], height)

    @classmethod
    def parse(cls, text: str) -> BitMatrix:
        """Read rows of 0 and 1, row 0 first, column 0 leftmost; blanks within a row and `#` comments are ignored.

        Raises RequestError for other characters, ragged rows, or no row at all.
        """
        rows: list[int] = []
        width = 0
        for number, line in enumerate(text.splitlines(), start=1):
            bits = "".join(line.split("#")[0].split())
            if not bits:
                continue
            if set(bits) - {"0", "1"}:
                raise RequestError(f"matrix: line {number} must be made of 0 and 1, not {bits!r}")
            if rows and len(bits) != width:
                raise RequestError(f"matrix: line {number} has {len(bits)} columns where the rows above have {width}")
            width = len(bits)
            rows.append(int(bits[::-1], 2))
        if not rows:
            raise RequestError("matrix: there is no row in it")
        return cls(tuple(rows), width)

    def __str__(self) -> str:
        return "\n".join("".join(str((row >> j) & 1) for j in range(self.width)) for row in self.rows)

    def apply(self, word: int) -> int:
        """The image of one word."""
        return sum(((row & word).bit_count() & 1) << i for i, row in enumerate(self.rows))

    def __matmul__(self, other: BitMatrix) -> BitMatrix:
        if self.width != other.height:
            raise RequestError(f"matrix product: {self.height}x{self.width} cannot follow {other.height}x{other.width}")
        return BitMatrix(tuple(_combine(row, other.rows) for row in self.rows), other.width)

    def __add__(self, other: BitMatrix) -> BitMatrix:
        if (self.height, self.width) != (other.height, other.width):
            raise RequestError(
                f"matrix sum: {self.height}x{self.width} and {other.height}x{other.width} differ in shape"
            )
        return BitMatrix(tuple(a ^ b for a, b in zip(self.rows, other.rows, strict=True)), self.width)

    def transpose(self) -> BitMatrix:
        """Rows become columns."""
        return BitMatrix.from_columns(self.rows, self.width)

    def rank(self) -> int:
        """Dimension of the row space."""
        basis: list[int] = []
        for row in self.rows:
            rest = row
            for pivot in basis:
                rest = min(rest, rest ^ pivot)
            if rest:
                basis.append(rest)
        return len(basis)

    def inverse(self) -> BitMatrix:
        """The inverse. Raises RequestError if the matrix is not square or is singular (naming its rank)."""
        size = self.height
        if size != self.width:
            raise RequestError(f"matrix inverse: a {self.height}x{self.width} matrix has none; it must be square")
        work = [(row, 1 << i) for i, row in enumerate(self.rows)]
        for column in range(size):
            pivot = next((r for r in range(column, size) if work[r][0] >> column & 1), None)
            if pivot is None:
                raise RequestError(f"matrix inverse: the {size}x{size} matrix is singular (rank {self.rank()})")
            work[column], work[pivot] = work[pivot], work[column]
            for r in range(size):
                if r != column and work[r][0] >> column & 1:
                    work[r] = (work[r][0] ^ work[column][0], work[r][1] ^ work[column][1])
        return BitMatrix(tuple(row for _, row in work), size)

    @property
    def row_weights(self) -> tuple[int, ...]:
        """Number of ones in each row."""
        return tuple(row.bit_count() for row in self.rows)

    @property
    def weight(self) -> int:
        """Hamming weight: number of ones in all rows."""
        return sum(self.row_weights)


def stack(matrices: Iterable[BitMatrix]) -> BitMatrix:
    """One matrix above the other: row 0 of the first is row 0 of the result. All must have the same width."""
    parts = list(matrices)
    widths = {part.width for part in parts}
    if len(widths) != 1:
        raise RequestError(f"matrix stack: the parts must have one width, not {sorted(widths)}")
    return BitMatrix(tuple(row for part in parts for row in part.rows), widths.pop())


def _combine(selection: int, rows: Sequence[int]) -> int:
    total = 0
    for i, row in enumerate(rows):
        if selection >> i & 1:
            total ^= row
    return total

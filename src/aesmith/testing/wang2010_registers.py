"""What stands in registers R1 to R32 of Wang and Heys' core, cycle by cycle: tables 1 and 2 of the publication in full.

A model of the registers with values for contents, kept apart from the SystemVerilog so that each can be tested on the
other. Cycle 1 is the one in which R32 first holds byte 1 of the key; byte n of the block is taken in cycle n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aesmith.cores.serial.wang2010 import latency_cycles
from aesmith.fields import aes

Content = int | None
"""A byte, or None where nothing that matters stands (X in the publication)."""

COLUMN = 13
"""R13 is the first of the four accumulators of MixColumns; the figure does not number the others: here 33 to 35."""


def _sum(*bytes_: Content) -> Content:
    total = 0
    for byte in bytes_:
        if byte is None:
            return None
        total ^= byte
    return total


def _times(factor: int, byte: Content) -> Content:
    return None if byte is None else aes.FIELD.multiply(factor, byte)


def _substitute(byte: Content) -> Content:
    return None if byte is None else aes.SBOX[byte]


@dataclass(frozen=True)
class RegisterTrace:
    """`contents[c][n]` is what Rn holds in cycle c (from 1; entry 0 is empty); `result` are the 16 bytes that left."""

    contents: tuple[dict[int, Content], ...]
    result: bytes


@dataclass
class _Machine:
    stages: int
    key: bytes
    block: bytes
    following: bytes
    registers: dict[int, Content] = field(default_factory=lambda: dict.fromkeys(range(1, 36)))
    in_sbox: list[Content] = field(default_factory=list)
    result: list[int] = field(default_factory=list)

    def load(self, cycle: int) -> None:
        """Cycles 1 to 15: block bytes pass R16 to R14 and the adder, key bytes fill the ring."""
        old, new = self.registers, dict(self.registers)
        if cycle >= 4:
            self._shift(old, new, range(1, 12))
            new[12] = _sum(old[14], old[29])
        self._shift(old, new, range(14, 16))
        self._shift(old, new, range(17, 32))
        new[16], new[32] = self.block[cycle - 1], self.key[cycle]
        self.registers = new

    def round_cycle(self, number: int, phase: int) -> None:
        """One cycle of a round (0 to 9), `phase` cycles after its beginning."""
        old, new = self.registers, dict(self.registers)
        final = number == 9
        unload = max(8, self.stages + 4)
        to_key = phase < 4
        chained = _sum(old[30], old[26]) if self._chained(number, phase) else old[30]
        into_sbox = (old[26] if phase == 3 else chained) if to_key else None
        if not to_key:
            added = self._add_round_key(number, phase)
            if final and phase >= unload and added is not None:
                self.result.append(added)
            into_sbox = self._shift_rows(new, phase, added)
            self._column_shift(new, number, phase)
        if final and phase >= unload + 12:
            self._next_block(new, phase - unload - 12)
        self.in_sbox.insert(0, _substitute(into_sbox))
        from_sbox = self.in_sbox[self.stages - 1] if len(self.in_sbox) >= self.stages else None
        if phase >= self.stages + 3:
            self._mix_columns(new, from_sbox, final, (phase - self.stages - 3) % 4)
        self._key_ring(new, number, phase, chained, from_sbox)
        self.registers = new

    def _chained(self, number: int, phase: int) -> bool:
        final = number == 9
        begin = max(8, self.stages + 4) if final else self.stages + 7
        return (phase < 3 and number > 0) or (phase >= begin + 3 and not (final and phase == begin + 15))

    def _column_leaves(self, number: int, phase: int) -> bool:
        if number == 9 and phase >= max(8, self.stages + 4):
            return True
        if phase == 4:
            return number > 0
        return phase >= self.stages + 7 and (phase - self.stages - 7) % 4 == 0

    def _add_round_key(self, number: int, phase: int) -> Content:
        old = self.registers
        byte = old[COLUMN] if self._column_leaves(number, phase) else old[14]
        return _sum(byte, old[25] if phase < 8 else old[29])

    def _shift_rows(self, new: dict[int, Content], phase: int, added: Content) -> Content:
        old = self.registers
        row = [old[1], old[5], old[9], added]
        rotation = phase - 4 if phase < 8 else 0
        row = row[rotation:] + row[:rotation]
        self._shift(old, new, range(1, 12))
        new[4], new[8], new[12] = row[1:]
        return row[0]

    def _column_shift(self, new: dict[int, Content], number: int, phase: int) -> None:
        old = self.registers
        if number == 9 and phase >= 8:
            return
        if self._column_leaves(number, phase):
            new[14], new[15], new[16] = old[33], old[34], old[35]
        else:
            new[14], new[15] = old[15], old[16]
            new[16] = self.block[15] if (number, phase) == (0, 4) else None

    def _mix_columns(self, new: dict[int, Content], byte: Content, final: bool, row: int) -> None:
        old = self.registers
        chain = [old[COLUMN], old[33], old[34], old[35]]
        if final:
            delay = max(0, 4 - self.stages)
            following = [*chain[1 : delay + 1], byte, None, None, None][:4]
        else:
            products = [byte, byte, _times(3, byte), _times(2, byte)]
            following = [_sum(p, chain[(i + 1) % 4]) if row else p for i, p in enumerate(products)]
        new[COLUMN], new[33], new[34], new[35] = following

    def _key_ring(self, new: dict[int, Content], number: int, phase: int, chained: Content, from_sbox: Content) -> None:
        old = self.registers
        begin = max(8, self.stages + 4) if number == 9 else self.stages + 7
        meeting = 34 - self.stages if self.stages > 1 else 17
        substituted = self.stages - 1 <= phase <= self.stages + 2
        constant = aes.round_constant(number + 1) if phase == self.stages - 1 else 0
        if phase < 4 or phase >= begin:
            self._shift(old, new, range(17, 32))
            new[32], new[29] = old[17], chained
            if substituted:
                before = meeting - 1 if self.stages > 1 else 32
                moved = chained if before == 29 else old[meeting]
                new[before] = _sum(moved, from_sbox, constant)
            if number == 9 and phase >= begin + 12:
                new[32] = self.key[phase - begin - 12]
        elif phase < 8:
            new[25], new[26], new[27], new[28] = old[26], old[27], old[28], old[25]
            if substituted and self.stages > 1:
                self._shift(old, new, range(meeting, 32))
                new[32] = _sum(old[meeting], from_sbox, constant)

    def _next_block(self, new: dict[int, Content], byte: int) -> None:
        if byte < 3:
            self._shift(self.registers, new, range(14, 16))
            new[16] = self.following[byte]

    @staticmethod
    def _shift(old: dict[int, Content], new: dict[int, Content], registers: Sequence[int]) -> None:
        for n in registers:
            new[n] = old[n + 1]


def register_trace(key: bytes, block: bytes, stages: int, following: bytes) -> RegisterTrace:
    """All registers in every cycle of one block without stalls, `following` being the block that comes next.

    `key` and both blocks have 16 bytes; `stages` is 1 to 5.
    """
    machine = _Machine(stages, key, block, following)
    machine.registers[32] = key[0]
    contents: list[dict[int, Content]] = [{}]
    for cycle in range(1, latency_cycles(stages) + 1):
        contents.append(machine.registers)
        if cycle < 16:
            machine.load(cycle)
        else:
            number = min(9, (cycle - 16) // (19 + stages))
            machine.round_cycle(number, cycle - 16 - number * (19 + stages))
    return RegisterTrace(tuple(contents), bytes(machine.result))

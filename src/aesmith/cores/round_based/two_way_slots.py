"""The round of a ring of slots for both directions as circuits that the pipeliner cuts, for one key size or several.

The ring begins where a sum of two words is left to do, at the end of MixColumns or InvMixColumns: what enters it there
is chosen between the directions and a new block without a gate in front of the next inverter. AddRoundKey precedes
InvMixColumns and follows MixColumns, so decryption needs a round key `lead` stages before a round ends, and encryption
at the beginning of the next one. Decryption has its columns in reverse order, in which InvShiftRows is ShiftRows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.circuits.linear import shallow
from aesmith.circuits.pipeline import Arrival, Required, StagedCircuit, pipeline, shortest_stage
from aesmith.cores.ports import SIZE_CODES
from aesmith.cores.round_based.maps import step_word
from aesmith.cores.round_based.slot_circuits import GATES, SPARE, SPREAD
from aesmith.fields import aes
from aesmith.fields.bitmatrix import stack
from aesmith.fields.offset import OffsetMaps
from aesmith.sboxes import table, ueno2015

Word = list[Wire]

_SEED_BITS, _SUM_BITS = 7, 24


@dataclass(frozen=True)
class _Step:
    """A step of the key schedule for one key size and direction, by its number (1 the first)."""

    key_bits: int
    decrypt: bool
    number: int

    @property
    def forwards(self) -> int:
        """The number of the step that it is, or undoes."""
        return aes.rounds(self.key_bits) + 1 - self.number if self.decrypt else self.number


class _Words(CircuitBuilder):
    """A builder of circuits of words."""

    def sum(self, *words: Sequence[Wire]) -> Word:
        total, *others = (list(word) for word in words)
        for word in others:
            total = [self.xor(x, y) for x, y in zip(total, word, strict=True)]
        return total

    def masked(self, word: Sequence[Wire], mask: Wire) -> Word:
        """The word, or 0; nothing is built for a mask that is constant."""
        if mask == self.one():
            return list(word)
        return [self.zero()] * len(word) if mask == self.zero() else [self.and_(bit, mask) for bit in word]

    def joined(self, *terms: tuple[Sequence[Wire], Wire]) -> Word:
        """Of words with masks, one of which is 1 at a time, the one whose mask is 1."""
        live = [(word, mask) for word, mask in terms if mask != self.zero()]
        if len(live) == 1 and live[0][1] == self.one():
            return list(live[0][0])
        chosen = self.masked(*live[0])
        for word, mask in live[1:]:
            chosen = [self.or_(x, y) for x, y in zip(chosen, self.masked(word, mask), strict=True)]
        return chosen

    def plus(self, word: Sequence[Wire], other: Sequence[Wire]) -> Word:
        """Their sum; nothing is built for bits that are constant 0."""
        return [x if y == self.zero() else self.xor(x, y) for x, y in zip(word, other, strict=True)]


@dataclass(frozen=True)
class TwoWaySlotCircuits:
    """The circuits of both directions in the field of `maps`, for `stages` blocks in flight and keys of these sizes."""

    maps: OffsetMaps
    stages: int
    key_bits: tuple[int, ...] = (128,)

    @property
    def lead(self) -> int:
        """Stages before the end of a round in which the round key is whole, where decryption adds it."""
        return 1 if self.stages == 2 else 2

    def column_circuit(self) -> Circuit:
        """A column of a round of either direction: Ueno et al., TC 2020, equations 14 and 15 in one ring.

        Inputs, in the ring's order: `a` and `b`, bytes of a column after ShiftRows whose sum, and `key` if `adds` is 1,
        is the state; `keyed`, a column of the round key, to add in decryption (`decrypts`); `chosen`, one-hot, the
        next state: a round of encryption, one of decryption, `block` (encryption) or `mapped` (decryption). Outputs:
        `next_a` and `next_b`, before ShiftRows; `encrypted` and `decrypted`, the column without (Inv)MixColumns, the
        first with `post_key`.
        """
        builder = _Words("round_column")
        a, b, key = (builder.input(name, 32) for name in ("a", "b", "key"))
        adds = builder.input("adds", 1)[0]
        round_key, decrypts = builder.input("keyed", 32), builder.input("decrypts", 1)[0]
        post_key, block, mapped = (builder.input(name, 32) for name in ("post_key", "block", "mapped"))
        encryption, decryption, to_encrypt, to_decrypt = builder.input("chosen", 4)
        ahead = shallow(stack([self.maps.phi, *(self.maps.omega(k) for k in (0, 1))]))
        back = shallow(stack([self.maps.lambda_(k) for k in range(4)]))
        with builder.block("the last sum of the round before"):
            state = builder.sum(a, b, builder.masked(key, adds))
        inverted: list[Word] = []
        forwards: list[list[Word]] = []
        backwards: list[list[Word]] = []
        for row in range(0, 32, 8):
            f = ueno2015.place_inverter(builder, state[row : row + 8], sums_twice=True)
            with builder.block("AddRoundKey of decryption, on the four bits of either half that NB has too"):
                added = builder.masked(round_key[row : row + 8], decrypts)
                f = [f[0], *builder.sum(f[1:5], added[:4]), f[5], *builder.sum(f[6:], added[4:])]
            with builder.block("Φ and Ω0 with the constant of Φ, and Ω1"):
                both = ahead.place(builder, f, self.maps.phi_constant * 0x101)
            with builder.block("Λ0 with its constant, Λ1 to Λ3"):
                other = back.place(builder, f, self.maps.lambda_constant)
            inverted.append(f)
            forwards.append([both[8:16], both[16:], both[:8], both[:8]])
            backwards.append([other[8 * k : 8 * k + 8] for k in range(4)])
        halves: list[Word] = [[], []]
        for half, loaded, load in ((0, block, to_encrypt), (1, mapped, to_decrypt)):
            for row in range(4):
                with builder.block("half of MixColumns, or of InvMixColumns"):
                    sums = [
                        builder.sum(*(maps[(row + k) % 4][k] for k in (2 * half, 2 * half + 1)))
                        for maps in (forwards, backwards)
                    ]
                with builder.block("the next state"):
                    for x, y, z in zip(*sums, loaded[8 * row : 8 * row + 8], strict=True):
                        pairs = ((x, encryption), (y, decryption), (z, load))
                        halves[half].append(builder.gate(Op.NAND3, *(builder.nand(*pair) for pair in pairs)))
        for name, wires in zip(("next_a", "next_b"), halves, strict=True):
            builder.output(name, wires)
        with builder.block("results"):
            phi = [bit for maps in forwards for bit in maps[2]]
            builder.output("encrypted", builder.sum(phi, post_key))
            nb = [builder.xor(f[start], f[start + i]) for f in inverted for start in (0, 5) for i in range(1, 5)]
            builder.output("decrypted", nb)
        return builder.build()

    @cached_property
    def column(self) -> StagedCircuit:
        """The column in stages nearly as short as can be."""
        last, key = self.stages - 1, self.stages - self.lead
        arrivals = dict.fromkeys(("post_key", "block", "mapped"), Arrival(last)) | {
            "adds": Arrival(0, SPREAD),
            "keyed": Arrival(key),
            "decrypts": Arrival(key, SPREAD),
            "chosen": Arrival(last, SPREAD),
        }
        return pipeline(self.column_circuit(), stages=self.stages, model=GATES, arrivals=arrivals, relax=SPARE)

    @property
    def _selectable(self) -> bool:
        return len(self.key_bits) > 1

    @cached_property
    def _aspects(self) -> list[int]:
        """What is known of the step that {size, decrypt, steps before} stands for: `_seed_of`, then `_sums_of`."""
        rounds = max(aes.rounds(bits) for bits in self.key_bits)
        words = []
        for bits in sorted(self.key_bits, key=SIZE_CODES.__getitem__):
            skipped = rounds - aes.rounds(bits)
            for decrypt in (False, True):
                for counter in range(16):
                    # A counter that stands for no step counts as the nearest that does: less logic.
                    number = max(1, min(counter - skipped + 1, aes.rounds(bits)))
                    step = _Step(bits, decrypt, number)
                    words.append(self._seed_of(step) | self._sums_of(step) << _SEED_BITS)
        return words + words[-32:] if self._selectable else words

    @cached_property
    def _columns(self) -> list[tuple[int, ...]]:
        """The bits of `_aspects`, one after the other, each for all its words."""
        return [tuple(word >> bit & 1 for word in self._aspects) for bit in range(_SEED_BITS + _SUM_BITS)]

    @cached_property
    def told(self) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """Those that differ, and are not constant: what a clock ahead chooses the word for KeyEx, and all else."""
        parts = self._columns[:_SEED_BITS], self._columns[_SEED_BITS:]
        seed, sums = ([column for column in dict.fromkeys(part) if 0 < sum(column) < len(column)] for part in parts)
        return seed, sums

    def seed_circuit(self) -> StagedCircuit:
        """{size, decrypt, steps before} (7 bits) to `ahead` of the key step."""
        return self._lookup("key_seed", self.told[0])

    def sums_circuit(self) -> StagedCircuit:
        """{size, decrypt, steps before} (7 bits) to `sums` of the key step."""
        return self._lookup("key_sums", self.told[1])

    def _lookup(self, name: str, columns: list[tuple[int, ...]]) -> StagedCircuit:
        """In one stage: as such it ties off what it does not look at."""
        words = [sum(column[i] << bit for bit, column in enumerate(columns)) for i in range(len(self._aspects))]
        builder = CircuitBuilder(name)
        index = builder.input("x", 7)[: len(words).bit_length() - 1]
        builder.output("y", builder.instance(table.lookup(name, words, len(columns)), x=index)["y"])
        return pipeline(builder.build(), stages=1, model=GATES)

    def _seed_of(self, step: _Step) -> int:
        """What KeyEx is of, as bits: x1, x3, x5, x7, + x2, + x0 + x1; without RotWord."""
        at_third = bool(step_word(self.maps, step.key_bits, step.forwards) & 0x200) if step.key_bits == 192 else False
        if step.key_bits == 128:
            return 0b010 | step.decrypt << 4
        if step.key_bits == 256:
            return (0b10 if step.decrypt else 0b1000) | (step.forwards % 2 == 0) << 6
        if step.decrypt:
            return 0b10 if at_third else 0b1
        return 0b100 | at_third << 5

    def _sums_of(self, step: _Step) -> int:
        """The round constant (8 bits); KeyEx at the first and third word of 192 bits; which words have KeyEx; and
        forwards, 192 bits forwards and backwards, 256 bits forwards and backwards, and four words in place of four."""
        word = step_word(self.maps, step.key_bits, step.forwards)
        first, third = bool(word & 0x100), bool(word & 0x200)
        if step.key_bits != 192:
            having = 0b1 if step.decrypt else 0b1111
            if step.key_bits == 256 and not step.decrypt:
                having = 0b11110000
        elif step.decrypt:
            having = first | third << 2
        else:
            having = (0b001100 * first) | (0b110000 * (first or third))
        turned = (step.key_bits, step.decrypt)
        swaps = turned == (256, True)
        cases = [
            turned == (192, False),
            turned == (192, True),
            turned == (256, False),
            swaps,
            swaps or turned[0] == 128,
        ]
        chosen = sum(bit << place for place, bit in enumerate([not step.decrypt, *cases]))
        return word & 0x3FF | having << 10 | chosen << 18

    def key_step_circuit(self) -> Circuit:
        """A step of the key schedule, forwards or backwards, from the initial key or from a window of the expanded key.

        A window is as wide as the longest key (bit 32·w + 8·i + b is bit b of byte i of word w); a key shorter than it
        has its first words. Inputs: `seed`, the word that KeyEx is of, and `key`, a window; `sums`, what the step is
        (`sums_circuit`); when a round ends, `initial`, a window, and `loads`, to go on with it; and in the last stage
        `first`, `starts` and `ahead`: a window, whether the next step is from it, and what that one is
        (`seed_circuit`). Outputs: `post`, the first four words of `key` when a round ends; `late`, those that it goes
        on with in the next stage; `next`, the window that follows, and `next_seed`, the word of the next step.
        """
        builder = _Words("key_step")
        width = max(self.key_bits)
        seed = builder.input("seed", 32)
        key, initial, first = (
            [wires[i : i + 32] for i in range(0, width, 32)]
            for wires in [builder.input(name, width) for name in ("key", "initial", "first")]
        )
        sums = builder.input("sums", len(self.told[1]))
        loads, starts = (builder.input(name, 1)[0] for name in ("loads", "starts"))
        ahead = builder.input("ahead", len(self.told[0]))
        zero, one = builder.zero(), builder.one()
        told = dict(zip(self.told[1], sums, strict=True))
        known = [told.get(column, one if any(column) else zero) for column in self._columns[_SEED_BITS:]]
        constant, having, masks = known[:8], known[10:18], [*known[8:10], *known[18:]]

        expanded: Word = []
        affine = shallow(self.maps.phi)
        for place in range(0, 32, 8):
            inverted = ueno2015.place_inverter(builder, seed[place : place + 8], sums_twice=True)
            with builder.block("Φ with its constant"):
                expanded += affine.place(builder, inverted, self.maps.phi_constant)
        with builder.block("the initial key, or a window of the expanded key"):
            x = [
                [builder.mux(loads, *bits) for bits in zip(*words, strict=True)]
                for words in zip(key, initial, strict=True)
            ]
        with builder.block("the sums of words, beside SubWord"):
            totals = self._sums(builder, x, constant, masks)
        with builder.block("the next words"):
            following = [
                builder.plus(total, builder.masked(expanded, mask)) for total, mask in zip(totals, having, strict=False)
            ]
        with builder.block("what KeyEx is of in the next step"):
            told = dict(zip(self.told[0], ahead, strict=True))
            chosen = [told.get(column, one if any(column) else zero) for column in self._columns[:_SEED_BITS]]
            beside, having_word = (self._seed(builder, words, chosen) for words in (totals, [[bit] for bit in having]))
            run = builder.plus(beside, builder.masked(expanded, having_word[0]))
            begun = self._seed(builder, first, chosen)
            word = [builder.mux(starts, *bits) for bits in zip(run, begun, strict=True)]
            rotated = word[8:] + word[:8]
            if chosen[6] != zero:
                rotated = [builder.mux(chosen[6], *bits) for bits in zip(rotated, word, strict=True)]
        builder.output("post", [bit for each in key[:4] for bit in each])
        builder.output("late", [bit for each in x[:4] for bit in each])
        builder.output("next", [bit for each in following for bit in each])
        builder.output("next_seed", rotated)
        return builder.build()

    def _seed(self, builder: _Words, x: list[Word], chosen: list[Wire]) -> Word:
        """Of a window the word that KeyEx is of, by the bits of `_seed_of`."""
        zero = builder.zero()
        terms = [(x[word], mask) for word, mask in zip((1, 3, 5, 7), chosen, strict=False) if mask != zero]
        others = [(x[2], chosen[4])] if chosen[4] != zero else []
        if chosen[5] != zero:
            others.append((builder.sum(x[0], x[1]), chosen[5]))
        seed = builder.joined(*terms)
        return builder.sum(seed, builder.joined(*others)) if others else seed

    def _sums(
        self,
        builder: _Words,
        x: list[Word],
        constant: Word,
        masks: Sequence[Wire],
    ) -> list[Word]:
        """The words that follow a window x, without KeyEx; `masks` are those of `_sums_of`."""
        first, third, forwards, on_192, back_192, on_256, back_256, made = masks

        def constant_in(word: Word, mask: Wire) -> Word:
            return [*builder.plus(word[:8], builder.masked(constant, mask)), *word[8:]]

        four: list[Word] = []
        if set(self.key_bits) != {192}:
            y = [
                list(low)
                if back_256 == builder.zero()
                else [builder.mux(back_256, *bits) for bits in zip(low, high, strict=True)]
                for low, high in zip(x[:4], x[4:8] if len(x) == 8 else x[:4], strict=True)
            ]
            sum_0 = constant_in(y[0], builder.one())
            sum_1 = constant_in(builder.sum(y[0], y[1]), forwards)
            sum_2 = builder.sum(y[1], y[2], builder.masked(sum_0, forwards))
            sum_3 = builder.sum(y[2], y[3], builder.masked(sum_1, forwards))
            four = [sum_0, sum_1, sum_2, sum_3]
        if self.key_bits == (128,):
            return four
        ahead: list[Word] = []
        back: list[Word] = []
        if 192 in self.key_bits:
            others = builder.not_(first), builder.not_(third)
            later_0 = constant_in(builder.sum(x[0], builder.masked(x[5], others[0])), first)
            later_1 = builder.sum(later_0, x[1])
            later_2 = constant_in(builder.sum(x[2], builder.masked(later_1, others[1])), third)
            ahead = [x[4], x[5], later_0, later_1, later_2, builder.sum(later_2, x[3])]
            back = [
                constant_in(builder.sum(x[2], builder.masked(x[1], others[0])), first),
                builder.sum(x[3], x[2]),
                constant_in(builder.sum(x[4], builder.masked(x[3], others[1])), third),
                builder.sum(x[5], x[4]),
                x[0],
                x[1],
            ]
        following: list[Word] = []
        for place in range(len(x)):
            terms: list[tuple[Word, Wire]] = []
            if ahead and place < 6:
                terms += [(ahead[place], on_192), (back[place], back_192)]
            if four:
                on = x[place + 4] if place < 4 else four[place - 4]
                terms += [(on, on_256), (four[place], made) if place < 4 else (x[place - 4], back_256)]
            following.append(builder.joined(*terms))
        return following

    @cached_property
    def key_step(self) -> StagedCircuit:
        """The key step, whose stages may be as long as the column's."""
        circuit = self.key_step_circuit()
        end, last = self.lead - 1, self.stages - 1
        arrivals = {
            "initial": Arrival(end),
            "loads": Arrival(end, SPREAD),
            "first": Arrival(last),
            "starts": Arrival(last, SPREAD),
            "ahead": Arrival(last, SPREAD),
        }
        required = {"post": Required(end), "late": Required(end + 1)}
        longest = max(self.column.stage_delays(GATES))
        spare = longest - shortest_stage(circuit, self.stages, GATES, arrivals, required)
        return pipeline(
            circuit, stages=self.stages, model=GATES, arrivals=arrivals, required=required, relax=max(0.0, spare)
        )

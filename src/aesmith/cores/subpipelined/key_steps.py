"""One step of the key expansion as a circuit: the four words that follow a window of 4, 6 or 8 words.

Bit 32·w + 8·i + b of a window is bit b of byte i of its word w. A window holds the words from the round key in use on:
its first four are that round key, and four words a step make the next. With keys of 128 bits every step has the same
form; with 256 bits RotWord and the round constant are in every other step; with 192 bits SubWord stands before the
first, before the third, and before no word, in turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.sboxes.catalogue import sbox_circuit
from aesmith.sboxes.entry import Function

Word = list[Wire]


def key_step(key_words: int, sbox: str) -> Circuit:
    """The circuit for keys of `key_words` words (4, 6 or 8).

    Inputs: `seed` and `words` (both the window: what SubWord needs, and what it is added to), `seed_form` and `form`
    (2 bits, the same twice: bit 0 for the first form of a step, bit 1 for the second, see the module), `constant`
    (8 bits, Rcon). Output: `next`, the four words after the window.
    """
    builder = CircuitBuilder("key_step")
    seed, words = (_words(builder.input(name, 32 * key_words)) for name in ("seed", "words"))
    seed_form, form = builder.input("seed_form", 2), builder.input("form", 2)
    constant = builder.input("constant", 8)
    subbytes = sbox_circuit(sbox, Function.FORWARD)

    with builder.block("RotWord"):
        source = _rotate(seed[-1])
        if key_words == 8:
            source = _choose(builder, seed_form[0], seed[-1], source)
        if key_words == 6:
            later = _add(builder, _add(builder, seed[0], seed[1]), seed[5])
            source = _choose(builder, seed_form[1], source, _rotate(later))
    substituted: Word = []
    with builder.block("SubWord"):
        for row in range(4):
            substituted += builder.instance(subbytes, x=source[8 * row : 8 * row + 8])["y"]
    with builder.block("the sums of words, beside SubWord"):
        if key_words == 8:
            constant = [builder.and_(bit, form[0]) for bit in constant]
        sums = _sums_192(builder, words, constant, form) if key_words == 6 else _sums(builder, words, constant)
    with builder.block("the next words"):
        masks: list[Wire | None] = [None] * 4
        if key_words == 6:
            masks = [form[0], form[0], *[builder.or_(form[0], form[1])] * 2]
        following: list[Wire] = []
        for total, mask in zip(sums, masks, strict=True):
            added = substituted if mask is None else [builder.and_(bit, mask) for bit in substituted]
            following += _add(builder, total, added)
        builder.output("next", following)
    return builder.build()


def selectable_key_step(sbox: str) -> Circuit:
    """The circuit for keys of all sizes, in a window of eight words of which shorter keys use the first.

    Inputs: those of `key_step`, and `size` (2 bits; 0, 1, 2 for 128, 192, 256). A form (2 bits) is the first (1), that
    with SubWord before the third word (2) or before no word (0), or the one of 256 bits without RotWord and constant
    (3). Output: `next`.
    """
    builder = CircuitBuilder("key_step")
    seed, words = (_words(builder.input(name, 256)) for name in ("seed", "words"))
    size = builder.input("size", 2)
    seed_form, form = builder.input("seed_form", 2), builder.input("form", 2)
    constant = builder.input("constant", 8)
    subbytes = sbox_circuit(sbox, Function.FORWARD)

    def third_and_plain(bits: Sequence[Wire]) -> tuple[Wire, Wire]:
        return builder.and_(bits[1], builder.not_(bits[0])), builder.and_(bits[0], bits[1])

    with builder.block("RotWord"):
        last = _choose(builder, size[1], _choose(builder, size[0], seed[3], seed[5]), seed[7])
        third, plain = third_and_plain(seed_form)
        later = _add(builder, _add(builder, seed[0], seed[1]), seed[5])
        source = _choose(builder, plain, _choose(builder, third, _rotate(last), _rotate(later)), last)
    substituted: Word = []
    with builder.block("SubWord"):
        for row in range(4):
            substituted += builder.instance(subbytes, x=source[8 * row : 8 * row + 8])["y"]
    with builder.block("the sums of words, beside SubWord"):
        third, plain = third_and_plain(form)
        constant = [builder.and_(bit, builder.not_(plain)) for bit in constant]
        sums = _sums_192(builder, words, constant, [form[0], third])
    with builder.block("the next words"):
        masks = [form[0], form[0], *[builder.or_(form[0], form[1])] * 2]
        following: list[Wire] = []
        for total, mask in zip(sums, masks, strict=True):
            following += _add(builder, total, [builder.and_(bit, mask) for bit in substituted])
        builder.output("next", following)
    return builder.build()


def flowing_key_step(key_words: int, sbox: str) -> Circuit:
    """The step in which the window goes along: input `window`, once, and as output `next` the whole next window.

    The other inputs are those of `key_step`.
    """
    step = key_step(key_words, sbox)
    builder = CircuitBuilder("flowing_key_step")
    window = builder.input("window", 32 * key_words)
    others = {name: builder.input(name, width) for name, width in (("seed_form", 2), ("form", 2), ("constant", 8))}
    following = builder.instance(step, seed=window, words=window, **others)["next"]
    builder.output("next", window[128:] + following)
    return builder.build()


def _sums(builder: CircuitBuilder, words: Sequence[Word], constant: Word) -> list[Word]:
    """w0 + Rcon, w0 + w1 + Rcon, …"""
    first = _with_constant(builder, words[0], constant)
    high = _add(builder, words[2], words[3])
    second = _add(builder, first, words[1])
    return [first, second, _add(builder, second, words[2]), _add(builder, second, high)]


def _sums_192(builder: CircuitBuilder, words: Sequence[Word], constant: Word, form: Sequence[Wire]) -> list[Word]:
    """As `_sums`, where SubWord is not before the first word, with the word before it instead of Rcon."""
    zero = builder.zero()
    rcon = constant + [zero] * 24
    start = _choose(builder, form[0], words[5], rcon)
    first = _add(builder, words[0], start)
    pair, high = _add(builder, words[0], words[1]), _add(builder, words[2], words[3])
    second = _add(builder, pair, start)
    third = _choose(builder, form[1], _add(builder, second, words[2]), _with_constant(builder, words[2], constant))
    fourth = _choose(builder, form[1], _add(builder, second, high), _with_constant(builder, high, constant))
    return [first, second, third, fourth]


def _words(bits: Sequence[Wire]) -> list[Word]:
    return [list(bits[i : i + 32]) for i in range(0, len(bits), 32)]


def _rotate(word: Word) -> Word:
    """RotWord: byte 1 comes first."""
    return word[8:] + word[:8]


def _add(builder: CircuitBuilder, a: Word, b: Word) -> Word:
    return [builder.xor(x, y) for x, y in zip(a, b, strict=True)]


def _with_constant(builder: CircuitBuilder, word: Word, constant: Word) -> Word:
    """The constant is added to byte 0."""
    return _add(builder, word[:8], constant) + word[8:]


def _choose(builder: CircuitBuilder, select: Wire, when_0: Word, when_1: Word) -> Word:
    return [a if a == b else builder.mux(select, a, b) for a, b in zip(when_0, when_1, strict=True)]

"""Forms of bytes are equal exactly if the functions are, however a circuit computes them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from aesmith.assurance.proof.algebra import UNKNOWN, Algebra, Form
from aesmith.assurance.proof.data import decrypt, encrypt, key_expansion
from aesmith.circuits.circuit import Circuit, Op
from aesmith.errors import CheckError
from aesmith.fields import aes
from aesmith.reference import golden
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function

SBOXES = [name for name, entry in catalogue().items() if Function.FORWARD in entry.functions]


def run(circuit: Circuit, algebra: Algebra, inputs: list[Form]) -> list[Form]:
    """The outputs of a circuit on forms."""
    nodes = list(inputs)
    for gate in circuit.gates:
        args = [nodes[arg] for arg in gate.args]
        name = gate.op.value
        if gate.op in (Op.ZERO, Op.ONE):
            nodes.append(int(gate.op is Op.ONE))
            continue
        if gate.op is Op.NOT:
            nodes.append(args[0] ^ 1)
            continue
        if gate.op is Op.MUX:
            nodes.append(algebra.select(*args))
            continue
        inverted = name.startswith(("n", "xn"))
        total = args[0]
        for arg in args[1:]:
            if "xor" in name or "xnor" in name:
                total = total ^ arg
            elif "and" in name:
                total = algebra.conjunction(total, arg)
            else:
                total = algebra.conjunction(total ^ 1, arg ^ 1) ^ 1
        nodes.append(total ^ 1 if inverted else total)
    return [nodes[node] for node in circuit.output_nodes]


@pytest.mark.parametrize("name", SBOXES)
def test_any_circuit_of_the_sbox_gives_the_forms_of_the_sbox(name: str) -> None:
    algebra = Algebra()
    byte = algebra.inputs(8, 0, "byte")
    expected = algebra.lookup(aes.SBOX, byte, (0,), "sbox")
    assert run(catalogue()[name].circuit(Function.FORWARD), algebra, byte) == expected


def test_a_wrong_gate_gives_other_forms() -> None:
    algebra = Algebra()
    byte = algebra.inputs(8, 0, "byte")
    expected = algebra.lookup(aes.SBOX, byte, (0,), "sbox")
    circuit = catalogue()["boyar2010-derived"].circuit(Function.FORWARD)
    place = next(i for i, gate in enumerate(circuit.gates) if gate.op is Op.AND)
    gates = [*circuit.gates[:place], replace(circuit.gates[place], op=Op.OR), *circuit.gates[place + 1 :]]
    assert run(replace(circuit, gates=tuple(gates)), algebra, byte) != expected


def test_what_is_not_of_one_byte_is_unknown() -> None:
    algebra = Algebra()
    one, other = algebra.inputs(8, 0, "one"), algebra.inputs(8, 1, "other")
    algebra.lookup(aes.SBOX, one, (0,), "one")
    algebra.lookup(aes.SBOX, other, (1,), "other")
    assert algebra.conjunction(one[0], other[0]) is UNKNOWN
    assert algebra.conjunction(one[0], UNKNOWN) is UNKNOWN
    assert algebra.conjunction(0, UNKNOWN) == 0
    assert (UNKNOWN ^ 1) is UNKNOWN
    assert (one[0] ^ UNKNOWN) is UNKNOWN
    assert (UNKNOWN ^ UNKNOWN) is UNKNOWN
    assert algebra.conjunction(one[0], one[1]) not in (UNKNOWN, one[0], one[1], 0)


def test_a_byte_of_dependent_bits_is_refused() -> None:
    algebra = Algebra()
    bits = algebra.inputs(7, 0, "byte")
    with pytest.raises(CheckError, match="depend on each other"):
        algebra.lookup(aes.SBOX, [*bits, bits[0] ^ bits[3]], (0,), "byte")


def test_two_bytes_that_share_a_sum_of_bits_are_refused() -> None:
    algebra = Algebra()
    bits = algebra.inputs(16, 0, "bytes")
    algebra.lookup(aes.SBOX, bits[:8], (0,), "one")
    # No bit of the second byte is one of the first, but the sum of two of them is.
    mixed = [bits[8] ^ bits[0], bits[8] ^ bits[1], *bits[9:15]]
    with pytest.raises(CheckError, match="two bytes share"):
        algebra.lookup(aes.SBOX, mixed, (0,), "other")


def test_bytes_with_the_same_highest_variables_are_told_apart() -> None:
    algebra = Algebra()
    low, other, high = (algebra.inputs(8, 0, name) for name in ("low", "other", "high"))
    one, two = ([a ^ b for a, b in zip(bits, high, strict=True)] for bits in (low, other))
    ones, twos = algebra.lookup(aes.SBOX, one, (0,), "one"), algebra.lookup(aes.SBOX, two, (0,), "two")
    circuit = catalogue()["boyar2010-derived"].circuit(Function.FORWARD)
    assert run(circuit, algebra, one) == ones
    assert run(circuit, algebra, two) == twos
    assert ones != twos
    assert algebra.conjunction(one[0], two[0]) is UNKNOWN


def test_renaming_takes_a_computation_to_the_same_of_another_key() -> None:
    algebra = Algebra()
    one, two = algebra.inputs(128, 0, "k0"), algebra.inputs(128, 1, "k1")
    first = [list(one[8 * i : 8 * i + 8]) for i in range(16)]
    second = [list(two[8 * i : 8 * i + 8]) for i in range(16)]
    a = key_expansion(algebra, first, (0,), "s0")[-1]
    b = key_expansion(algebra, second, (1,), "s1")[-1]
    other = {"k0": "k1", "s0": "s1"}
    known: dict[int, int] = {}
    assert [[algebra.renamed(bit, lambda g: other[str(g)], known) for bit in byte] for byte in a] == b


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_cipher_on_constants_is_aes(key_bits: int) -> None:
    chance = random.Random(key_bits)
    key, block = chance.randbytes(key_bits // 8), chance.randbytes(16)

    class Constants(Algebra):
        def lookup(self, table, byte, *_unused):  # type: ignore[no-untyped-def]
            word = table[sum(bit << i for i, bit in enumerate(byte))]
            return [word >> i & 1 for i in range(8)]

    algebra = Constants()

    def bits(data: bytes) -> list[list[Form]]:
        return [[byte >> i & 1 for i in range(8)] for byte in data]

    def back(state: list[list[Form]]) -> bytes:
        return bytes(sum(bit << i for i, bit in enumerate(byte)) for byte in state)

    keys = key_expansion(algebra, bits(key), (0,), "")
    cipher = back(encrypt(algebra, keys, bits(block), (0,), ""))
    assert cipher == golden.encrypt(key, block)
    assert back(decrypt(algebra, keys, bits(cipher), (0,), "")) == block

"""Checks of probes: sound gadgets pass, and each way to break one is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from aesmith.assurance.probing.check import MOST_VARIABLES, ProbingVerdict, Surroundings, check_pini, check_probing
from aesmith.assurance.probing.values import ProbeAlgebra, Value
from aesmith.circuits.circuit import Wire
from aesmith.circuits.pipeline import from_registers
from aesmith.masking.gadgets import AND, GF4, GF16, Bilinear, Scheme, dom, masked_product, paired
from aesmith.masking.sbox import CLOCKS, masked_sbox
from aesmith.masking.sharing import MaskedCircuit, ShareBuilder, Sharing

SECURE, LEAKS, NOT_SHOWN = ProbingVerdict
HELD = Surroundings(held=True)


def broken(tied: int | None = None, reused: tuple[int, int] | None = None) -> type[ShareBuilder]:
    """A builder that ties a fresh bit, by its number, to 0, or takes an earlier one instead of it."""

    class Broken(ShareBuilder):
        def fresh(self, stage: int) -> Wire:
            given = self.__dict__.setdefault("given", [])
            if len(given) == tied:
                given.append(self.zero())
            elif reused is not None and len(given) == reused[1]:
                given.append(given[reused[0]])
            else:
                given.append(super().fresh(stage))
            return int(given[-1])

    return Broken


class Exchanged(ShareBuilder):
    """Results change places: share 0 stands where share 1 belongs."""

    def result(self, name: str, sharing: Sharing) -> None:
        super().result(name, [sharing[1], sharing[0], *sharing[2:]])


class Ranked(ShareBuilder):
    """One more rank of registers before the result."""

    def result(self, name: str, sharing: Sharing) -> None:
        with self.stage(self.stage_of(*(wire for share in sharing for wire in share)) + 1):
            super().result(name, [[self.xor(wire, self.zero()) for wire in share] for share in sharing])


def without_register(masked: MaskedCircuit, node: int) -> MaskedCircuit:
    """The same function in the same clocks; what this register held is computed after the rank instead of before it."""
    circuit = masked.staged.circuit
    cone = {node}
    for gate in range(node, circuit.input_width - 1, -1):
        if gate in cone:
            cone.update(circuit.gates[gate - circuit.input_width].args)
    rank = {held for held in (*masked.staged.registers[0], *cone) if held != node}
    rank -= {held for held in cone if held >= circuit.input_width}
    return replace(masked, staged=from_registers(circuit, [rank], masked.staged.arrival))


@pytest.mark.parametrize(
    ("scheme", "product", "order"),
    [
        (Scheme.HPC3, AND, 1),
        (Scheme.HPC3, AND, 2),
        (Scheme.HPC2, AND, 1),
        (Scheme.HPC2, AND, 2),
        (Scheme.HPC3, GF4, 1),
        (Scheme.HPC3, paired(GF4), 1),
    ],
)
def test_a_sound_gadget_is_pini_and_keeps_its_secrets_in_two_clocks(
    scheme: Scheme, product: Bilinear, order: int
) -> None:
    masked = masked_product(scheme, product, order)
    assert check_pini(masked).verdict is SECURE
    assert check_probing(masked).verdict is SECURE
    if order == 1:
        assert check_probing(masked, transitions=True, around=HELD).verdict is SECURE


def test_dom_is_secure_by_itself_but_not_pini() -> None:
    masked = masked_product(Scheme.DOM, AND, 1)
    assert check_probing(masked).verdict is SECURE
    result = check_pini(masked)
    assert result.verdict is LEAKS
    assert set(result.read) == {"a_0_i", "b_1_i", "random_1_i"}


@pytest.mark.parametrize("order", [1, 2])
def test_no_fresh_bit_of_hpc3_can_be_tied(order: int) -> None:
    for bit in range(masked_product(Scheme.HPC3, AND, order).fresh_bits):
        assert check_pini(masked_product(Scheme.HPC3, AND, order, broken(tied=bit))).verdict is LEAKS, bit


@pytest.mark.parametrize(("scheme", "product", "order"), [(Scheme.HPC3, GF4, 1), (Scheme.HPC2, AND, 2)])
def test_a_tied_fresh_bit_is_found_in_other_gadgets(scheme: Scheme, product: Bilinear, order: int) -> None:
    for bit in range(masked_product(scheme, product, order).fresh_bits):
        assert check_pini(masked_product(scheme, product, order, broken(tied=bit))).verdict is LEAKS, bit


def test_a_fresh_bit_used_twice_is_refused() -> None:
    assert check_pini(masked_product(Scheme.HPC3, AND, 1, broken(reused=(0, 1)))).verdict is LEAKS
    assert check_pini(masked_product(Scheme.HPC2, AND, 2, broken(reused=(0, 1)))).verdict is LEAKS


@pytest.mark.parametrize("product", [AND, GF4], ids=lambda product: product.name)
def test_every_register_of_hpc3_that_holds_a_sum_is_needed(product: Bilinear) -> None:
    masked = masked_product(Scheme.HPC3, product, 1)
    sums = [node for node in masked.staged.registers[0] if node >= masked.staged.circuit.input_width]
    assert len(sums) == 2 * (product.right + product.result)
    for node in sums:
        removed = without_register(masked, node)
        assert node not in removed.staged.registers[0]
        assert check_pini(removed).verdict is LEAKS


def test_exchanged_shares_are_not_pini_though_no_probe_tells_a_secret() -> None:
    masked = masked_product(Scheme.HPC3, AND, 1, Exchanged)
    assert check_probing(masked).verdict is SECURE
    assert check_pini(masked).verdict is LEAKS


def test_a_loop_of_a_single_rank_leaks_by_transitions_alone() -> None:
    loop = Surroundings(held=True, loop={0: 0, 1: 1})
    single, double = masked_product(Scheme.HPC3, AND, 1), masked_product(Scheme.HPC3, AND, 1, Ranked)
    assert check_probing(single, around=loop).verdict is SECURE
    assert check_probing(single, transitions=True, around=loop).verdict is LEAKS
    assert check_probing(double, transitions=True, around=loop).verdict is SECURE


def test_unmasked_logic_leaks() -> None:
    class Sum(ShareBuilder):
        def result(self, name: str, sharing: Sharing) -> None:
            super().result(name, [self.xor_words(*sharing), sharing[1]])

    assert check_probing(masked_product(Scheme.HPC3, AND, 1, Sum)).verdict is LEAKS


@pytest.mark.parametrize("clocks", CLOCKS)
def test_no_probe_of_the_s_box_tells_its_input(clocks: int) -> None:
    masked = masked_sbox(1, clocks)
    assert check_probing(masked).verdict is SECURE
    assert check_probing(masked, transitions=True, around=HELD).verdict is SECURE


@pytest.mark.parametrize("clocks", CLOCKS)
def test_dom_placed_like_hpc3_leaks(clocks: int) -> None:
    result = check_probing(masked_sbox(1, clocks, gadget=dom))
    assert result.verdict is LEAKS
    assert {f"x_{share}_i[1]" for share in (0, 1)} <= set(result.read)


def test_a_pair_of_probes_finds_what_one_does_not() -> None:
    assert check_probing(masked_sbox(1), 1).verdict is SECURE
    assert check_probing(masked_product(Scheme.HPC3, AND, 1), 2).verdict is LEAKS


def test_tied_fresh_bits_of_the_s_box_are_refused_where_its_operands_depend_on_each_other() -> None:
    # Fresh bits 12, 13 and 18 to 21 refresh the right operands of the third and of the last product, which come masked
    # by fresh bits that no other probe sees: at order 1 they serve composition alone.
    verdicts = {bit: check_probing(masked_sbox(1, builder=broken(tied=bit)), most_variables=14) for bit in range(30)}
    assert {bit for bit, result in verdicts.items() if result.verdict is SECURE} == {12, 13, 18, 19, 20, 21}
    assert {bit for bit, result in verdicts.items() if result.verdict is LEAKS} >= {0, 1, 2, 3}


def test_one_bus_of_fresh_bits_for_all_stages_is_not_shown_to_be_secure() -> None:
    masked = masked_sbox(1)
    bus = {bit: masked.origins[bit].bit for bit, origin in enumerate(masked.origins) if origin.is_fresh}
    around = Surroundings(bus=bus)
    assert check_probing(masked, transitions=True, around=around, most_variables=14).verdict is not SECURE


def test_elimination_does_not_change_what_enumeration_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    builders = [ShareBuilder, broken(tied=0), broken(tied=1), broken(reused=(0, 1)), Exchanged]
    several = [masked_product(Scheme.HPC3, AND, order, builder) for builder in builders for order in (1, 2)]
    several += [masked_product(Scheme.HPC2, AND, order, builder) for builder in builders[:2] for order in (1, 2)]
    quick = [check_probing(masked).verdict for masked in several]

    def as_they_are(_algebra: ProbeAlgebra, values: Iterable[Value]) -> set[Value]:
        return set(values)

    monkeypatch.setattr(ProbeAlgebra, "simplified", as_they_are)
    assert [check_probing(masked).verdict for masked in several] == quick
    assert {SECURE, LEAKS} == set(quick)


def test_too_many_variables_are_said_to_be() -> None:
    assert check_probing(masked_sbox(1, gadget=dom), most_variables=0).verdict is NOT_SHOWN


@pytest.mark.parametrize(("product", "order"), [(paired(GF4), 2), (GF16, 1), (GF16, 2), (paired(GF16), 1)])
def test_what_is_too_large_to_enumerate_is_pini_by_one_time_pads_or_not_shown(product: Bilinear, order: int) -> None:
    masked = masked_product(Scheme.HPC3, product, order)
    assert len(masked.origins) > MOST_VARIABLES
    assert check_pini(masked).verdict is SECURE
    for bit in range(0, masked.fresh_bits, 5):
        tied = check_pini(masked_product(Scheme.HPC3, product, order, broken(tied=bit)))
        assert tied.verdict is not SECURE, bit
    assert check_pini(masked_product(Scheme.DOM, product, order)).verdict is not SECURE


@pytest.mark.parametrize("clocks", CLOCKS)
def test_the_s_box_is_pini_at_order_1(clocks: int) -> None:
    assert check_pini(masked_sbox(1, clocks)).verdict is SECURE
    assert check_pini(masked_sbox(1, clocks, gadget=dom)).verdict is NOT_SHOWN

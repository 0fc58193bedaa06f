"""Masked products and S-boxes compute what they mask, whatever the shares and fresh bits."""

from __future__ import annotations

import random
import subprocess
from itertools import product as every
from pathlib import Path

import pytest

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.flow.verilator import find_verilator
from aesmith.masking.gadgets import AND, GF4, GF16, Bilinear, Scheme, masked_product, paired
from aesmith.masking.sbox import CLOCKS, masked_sbox
from aesmith.masking.sharing import MaskedCircuit, ShareBuilder


def plain(product: Bilinear) -> list[int]:
    """The product of every pair of operands, the left one in the low bits."""
    builder = CircuitBuilder("plain")
    a, b = builder.input("a", product.left), builder.input("b", product.right)
    builder.output("c", product.place(builder, a, b))
    return builder.build().table()


def drawn(masked: MaskedCircuit, cases: list[int], width: int) -> list[int]:
    draw = random.Random(1)
    shares = [[draw.getrandbits(width) for _ in cases] for _ in range(masked.order)]
    return masked.unmasked(cases, shares, [draw.getrandbits(masked.fresh_bits) for _ in cases])


@pytest.mark.parametrize(
    ("scheme", "product"),
    [(Scheme.HPC3, AND), (Scheme.HPC3, GF4), (Scheme.HPC2, AND), (Scheme.DOM, AND), (Scheme.DOM, GF4)],
)
def test_a_small_product_is_right_for_all_shares_and_fresh_bits(scheme: Scheme, product: Bilinear) -> None:
    masked, table = masked_product(scheme, product, 1), plain(product)
    width = product.left + product.right
    cases = list(every(range(1 << width), range(1 << width), range(1 << masked.fresh_bits)))
    words, share, fresh = (list(column) for column in zip(*cases, strict=True))
    assert masked.unmasked(words, [share], fresh) == [table[word] for word in words]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("product", [GF16, paired(GF4), paired(GF16)], ids=lambda product: product.name)
def test_a_large_product_is_right(product: Bilinear, order: int) -> None:
    masked, table = masked_product(Scheme.HPC3, product, order), plain(product)
    width = product.left + product.right
    cases = list(range(1 << width)) * 4
    assert drawn(masked, cases, width) == [table[word] for word in cases]
    assert masked.fresh_bits == (product.right + product.result) * order * (order + 1) // 2


@pytest.mark.parametrize("clocks", CLOCKS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_masked_s_box_is_the_s_box(order: int, clocks: int) -> None:
    masked = masked_sbox(order, clocks)
    cases = list(range(256)) * 16
    assert drawn(masked, cases, 8) == [aes.SBOX[x] for x in cases]
    assert (masked.latency, masked.fresh_bits) == (clocks, {4: 30, 3: 40}[clocks] * order * (order + 1) // 2)


def test_shares_exchanged_inside_are_no_product() -> None:
    class Exchanged(ShareBuilder):
        def operand(self, name: str, width: int, stage: int = 0) -> list[list[int]]:
            sharing = super().operand(name, width, stage)
            return [sharing[1], sharing[1]] if name == "a" else sharing

    masked, table = masked_product(Scheme.HPC3, AND, 1, Exchanged), plain(AND)
    assert drawn(masked, [0, 1, 2, 3] * 16, 2) != table * 16


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(RequestError, match="order: must be 1 or more, not 0"):
        masked_sbox(0)
    with pytest.raises(RequestError, match="shares: must be 2 to 6"):
        masked_sbox(6)
    with pytest.raises(RequestError, match="takes 3 or 4, not 5"):
        masked_sbox(1, 5)
    with pytest.raises(RequestError, match="AND alone"):
        masked_product(Scheme.HPC2, GF4, 1)


def test_lint_has_nothing_to_say(tmp_path: Path) -> None:
    several = [masked_sbox(1, 3), masked_sbox(2, 4), masked_product(Scheme.HPC2, AND, 2)]
    verilator = find_verilator()
    for i, masked in enumerate(several):
        (tmp_path / f"m{i}.sv").write_text(staged_systemverilog(masked.staged, "x", f"m{i}", enable=True))
        command = [str(verilator.command), "--lint-only", "-Wall", f"m{i}.sv"]
        run = subprocess.run(
            command, cwd=tmp_path, env=verilator.environment(), capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr

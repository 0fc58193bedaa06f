"""What docs/block-interface.md says of keys of several sizes: where a short one stands in the port of the longest."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aesmith.assurance.streams.channels import ChannelBench, Offer
from aesmith.cores.ports import SIZE_CODES
from aesmith.cores.specification import build_design, load_specification
from aesmith.reference.golden import decrypt, encrypt


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["ueno2020-encdec-selectable", "zhang2004-r3-enc-selectable"])
def test_a_short_key_stands_at_the_upper_end_and_nothing_below_it_counts(preset: str, tmp_path: Path) -> None:
    design, random = build_design(load_specification(preset), "core", preset), Random(preset)
    bench, both = ChannelBench(design, tmp_path / "model"), len(design.directions) > 1
    keys, blocks, due = list[Offer](), list[Offer](), list[int]()
    for number, bits in enumerate((128, 256, 192, 128, 192) * 3):
        key, block, backwards = random.randbytes(bits // 8), random.randbytes(16), both and random.random() < 0.5
        below = random.getrandbits(256 - bits) if bits < 256 else 0
        keys.append(Offer((int.from_bytes(key) << 256 - bits | below, SIZE_CODES[bits]), {"result": number}))
        blocks.append(Offer((int.from_bytes(block), int(backwards))[: 1 + both], {"key": number + 1}))
        due.append(int.from_bytes((decrypt if backwards else encrypt)(key, block)))
    made = bench.run({"key": keys, "block": blocks})
    assert [transfer.payloads[0] for transfer in made["result"]] == due

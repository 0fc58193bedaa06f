"""The page on the block interface has the ports that cores carry as data."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from aesmith.cores.ports import SCAN_ENABLE_PORT, block_interface

PAGE = Path(__file__).parents[2] / "docs" / "block-interface.md"


def test_the_table_is_the_block_interface() -> None:
    whole = block_interface((128, 192, 256), ("encrypt", "decrypt"), quiet=True, clear=True)
    whole = replace(whole, scan_enable=SCAN_ENABLE_PORT)
    in_words, in_pairs, in_bytes = (
        {port.name: port.bits for port in block_interface((128,), ("encrypt",), width)} for width in (32, 16, 8)
    )
    expected = []
    for port in whole:
        narrow = in_bytes.get(port.name, port.bits)
        wide = "key size" if port.name == "key_i" else str(port.bits)
        width = wide if narrow == port.bits else f"{wide}, {in_words[port.name]}, {in_pairs[port.name]} or {narrow}"
        expected.append((port.name, str(port.direction), width, port.text))
    assert re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \| (.+) \|$", PAGE.read_text(), re.MULTILINE) == expected

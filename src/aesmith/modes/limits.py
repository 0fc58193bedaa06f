"""What an engine takes less of than its mode allows, in words."""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.modes.message import BLOCK, Fault

WIDER = 64
"""Blocks of text that the way out is shown for."""


def decryption_limit(most_beats: int | None, held: str, wider: Mapping[str, object]) -> tuple[str, ...]:
    """How long a message to decrypt may be of which `most_beats` blocks of `held` wait for the tag; nothing for None.

    `wider` are the fields with which the engine holds `WIDER` blocks of text.
    """
    if most_beats is None:
        return ()
    fields = ", ".join(f"{field} = {value}" for field, value in wider.items())
    way_out = f"; {fields} holds {BLOCK * WIDER:,}" if fields else ""
    return (
        f"A message to decrypt has at most {BLOCK * most_beats:,} bytes of {held} ({most_beats} blocks), which wait "
        f"for its tag; longer ones are refused with code {int(Fault.LENGTH)}{way_out}.",
    )

"""How messages of GCM-SST are sent: as those of GCM, with a nonce of 12 bytes in the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aesmith.modes.counting import SHORT_IV
from aesmith.modes.gcm_siv_stream import GcmSivFrame
from aesmith.modes.gcm_sst import GCM_SST, SST_TAGS, most_bytes
from aesmith.modes.message import BLOCK, Fault
from aesmith.modes.stream import MessageRules
from aesmith.modes.traffic import Maker


class GcmSstFrame(GcmSivFrame):
    """The frame of GCM, whose header and text are as long as tags of their length allow."""

    def rules(self, tag_bytes: int, most_beats: int, *, encrypt: bool) -> MessageRules:
        """What its beats must be, with a tag of so many bytes and, to decrypt, room for so many beats of text."""
        most = most_bytes(tag_bytes) // BLOCK if tag_bytes in self.tags else 0
        made = super().rules(tag_bytes, most if encrypt else min(most, most_beats), encrypt=encrypt)
        return replace(made, most_header=most)

    def spoiled(self, bad: Mapping[Fault, Sequence[Maker]]) -> Mapping[Fault, Sequence[Maker]]:
        """What makes a message bad: to encrypt, its text may be of any length."""
        made = super().spoiled(bad)
        return {**made, Fault.LENGTH: made[Fault.LENGTH][:1]}


GCM_SST_FRAME = GcmSstFrame(GCM_SST, SHORT_IV, SST_TAGS, early=True)
"""How messages of GCM-SST are sent."""

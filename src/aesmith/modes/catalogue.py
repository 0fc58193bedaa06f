"""All modes by name."""

from __future__ import annotations

from aesmith.modes.chained import CBC, CBC_CS1, CBC_CS2, CBC_CS3, CFB8, CFB128, CMAC, ECB, OFB
from aesmith.modes.counting import CCM, CTR, GCM
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.gcm_sst import GCM_SST
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import ModeOfOperation
from aesmith.modes.offset import OCB3, XTS
from aesmith.modes.siv import SIV

MODES: dict[str, ModeOfOperation] = {
    mode.name: mode
    for mode in (
        *(ECB, CTR, CBC, CBC_CS1, CBC_CS2, CBC_CS3, CFB128, CFB8, OFB),
        *(CMAC, CCM, GCM, GCM_SIV, GCM_SST, SIV, XTS, OCB3, KW, KWP),
    )
}
"""The modes of which there is a model; CTR with a counter of 128 bits."""

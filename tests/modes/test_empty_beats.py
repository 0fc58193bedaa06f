"""Beats without bytes stand for all sections: what `tuser` says of one is not looked at, and in an answer it is 2.

In AES-SIV alone one is a header of no bytes, which is another message than no header.
"""

from __future__ import annotations

import pytest

import aesmith
from aesmith.modes.message import Cipher
from aesmith.modes.specification import engine_presets
from aesmith.modes.stream import Beat, Section, StreamedMessage


@pytest.mark.parametrize("preset", [name for name in engine_presets() if name != "siv-compact"])
def test_what_a_beat_without_bytes_is_called_changes_nothing(preset: str) -> None:
    design = aesmith.engine(preset).design
    cipher, others = Cipher(bytes(range(design.key_bits[0] // 8))), (Section.TEXT,) * (design.lanes - 1)
    for view in design.views:
        for encrypt in (True, False):
            command = view.plain(0, 1, encrypt=encrypt).command
            answers = []
            for section in Section:
                beat = Beat(bytes(16 * view.lanes), 0, section, last=True, others=others)
                answers.append(view.answer(cipher, view.told(StreamedMessage(command, (beat,)))))
            assert all(answer == answers[0] for answer in answers)
            assert all(beat.section is Section.TEXT for beat in answers[0][0] if not beat.keep)


def test_in_siv_it_is_a_header_of_no_bytes() -> None:
    design = aesmith.engine("siv-compact").design
    cipher, command = Cipher(bytes(32)), design.plain(0, 1, encrypt=True).command
    header, text = (
        design.answer(cipher, design.told(StreamedMessage(command, (Beat(bytes(16), 0, section, last=True),))))
        for section in (Section.HEADER, Section.TEXT)
    )
    assert header != text

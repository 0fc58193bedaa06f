"""Beats without bytes stand for all sections: what `tuser` says of one is not looked at, and in an answer it is 2."""

from __future__ import annotations

import pytest

import aesmith
from aesmith.modes.message import Cipher
from aesmith.modes.specification import engine_presets
from aesmith.modes.stream import Beat, Section, StreamedMessage


@pytest.mark.parametrize("preset", engine_presets())
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

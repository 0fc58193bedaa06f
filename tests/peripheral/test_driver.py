"""The same messages through the same driver on every bus, around AES itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.modes.conftest import StandIn
from tests.peripheral.test_wrong_peripherals import few_fronts

import aesmith
from aesmith.assurance.peripherals import PeripheralBench
from aesmith.errors import CheckError
from aesmith.modes.buses import BUSES
from aesmith.modes.catalogue import MODES
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import Cipher, Message
from aesmith.modes.registers import mode_number
from aesmith.modes.specification import parse_engine
from aesmith.peripheral.scripts import message_script

Bench = Callable[[StreamEngine, Path], PeripheralBench]
SEED, MESSAGES = "vectors", 3000


def vectors(engine: StreamEngine, count: int) -> list[str]:
    """Messages of all modes, the same for each bus, in the second half with pauses."""
    made = list(message_script(engine.behind_bus, Random(SEED), count))
    messages = [number for number, line in enumerate(made) if line.startswith("message")][:count]
    half = messages[len(messages) // 2]
    return [*made[:half], "pause 40 7", *made[half : messages[-1] + 1]]


@pytest.mark.thorough
@pytest.mark.one_in(5)
@pytest.mark.parametrize("bus", BUSES)
def test_three_thousand_messages_on_each_bus(bus: str, bench: Bench, tmp_path: Path) -> None:
    engine = parse_engine({"preset": "multi-compact", "bus": bus}).engine("device", "multi-compact")
    script = vectors(engine, MESSAGES)
    assert sum(line.startswith("message") for line in script) == MESSAGES
    checks, _ = bench(engine, tmp_path).run(script)
    assert checks > 3 * MESSAGES


def long_header(slot: int = 0) -> list[str]:
    """A key, and a message of CCM whose header is the shortest that has its length in six bytes (SP 800-38C, A.2.2)."""
    key, iv, header, text = (Random("long header").randbytes(size) for size in (16, 13, 0xFF00, 20))
    made = MODES["ccm"].encrypt(Cipher(key), Message(iv, header, text, bytes(16)))
    sent = " ".join(data.hex() for data in (iv, header, text, made.tag))
    return [f"key {slot:x} {key.hex()} 0", f"message {mode_number('ccm'):x} 1 {slot:x} {sent} 0 0 {made.text.hex()}"]


@pytest.mark.thorough
@pytest.mark.slow
def test_a_header_of_ccm_may_be_long(bench: Bench, tmp_path: Path) -> None:
    engine = aesmith.engine("ccm-radio", name="device", bus="apb").design
    assert bench(engine, tmp_path).run(["reset", *long_header()])[0] >= 6


def test_what_the_engine_has_not_is_refused_by_the_driver(bench: Bench, tmp_path: Path) -> None:
    engine = few_fronts()
    simulator = bench(engine, tmp_path)
    sent = list(message_script(engine.behind_bus, Random(2), 3, cipher=StandIn))
    place = next(number for number, line in enumerate(sent) if line.startswith("message"))
    assert simulator.run(sent)[0] > 3

    def refused(**changed: str) -> str:
        names = ("what", "mode", "encrypt", "slot", "iv", "header", "text", "tag", "status", "code", "out")
        words = dict(zip(names, sent[place].split(), strict=True)) | {"status": "3", "out": "-"} | changed
        return " ".join(words.values())

    key = "key 0 " + "00" * 16 + " 0"
    for line in (
        refused(mode="6"),
        refused(slot="1"),
        refused(iv="00" * 11),
        refused(tag="00" * 7),
        refused(tag="00" * 17),
    ):
        assert simulator.run(["reset", key, line])[0] > 1
    with pytest.raises(CheckError, match="status must be 3, and is 0"):
        simulator.run([*sent[:place], refused()])

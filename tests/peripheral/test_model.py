"""The model of a peripheral does what the RTL does: its scripts of accesses, and the C driver over it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import parse_engine
from aesmith.peripheral.files import peripheral_files
from aesmith.peripheral.model import BusError, PeripheralModel
from aesmith.peripheral.scripts import error_script, in_byte_order, message_script, register_script

SHIM = """
#include "device.h"
uint32_t (*reads)(uint32_t);
void (*writes)(uint32_t, uint32_t);
uint32_t device_read32(void *base, uint32_t offset) { (void)base; return reads(offset); }
void device_write32(void *base, uint32_t offset, uint32_t value) { (void)base; writes(offset, value); }
"""


def engine(preset: str = "multi-compact", **fields: object) -> StreamEngine:
    shows = {"release": "cut-through"} if preset == "multi-compact" and fields.get("clear") else {}
    return parse_engine({"preset": preset, "bus": "apb", **shows, **fields}).engine("device", preset)


class Message(ctypes.Structure):
    """`device_message` of the driver."""

    _fields_ = (
        ("mode", ctypes.c_int),
        ("slot", ctypes.c_uint),
        *(
            (name, kind)
            for part in ("iv", "header", "text")
            for name, kind in ((part, ctypes.c_char_p), (f"{part}_bytes", ctypes.c_size_t))
        ),
        ("out", ctypes.c_void_p),
        ("tag", ctypes.c_void_p),
        ("tag_bytes", ctypes.c_size_t),
    )


class Device(ctypes.Structure):
    """`device_device` of the driver."""

    _fields_ = (("base", ctypes.c_void_p), ("code", ctypes.c_uint))


class Driver:
    """The C driver, whose accesses go to a model; one that fails reads as 0, as on a bus."""

    def __init__(self, design: StreamEngine, model: PeripheralModel, folder: Path) -> None:
        for path, text in peripheral_files(design).items():
            if path.startswith("driver/device"):
                (folder / Path(path).name).write_text(text)
        (folder / "shim.c").write_text(SHIM)
        command = ["cc", "-std=c99", "-shared", "-fPIC", "-DDEVICE_EXTERNAL_ACCESS", "device.c", "shim.c", "-o", "d.so"]
        subprocess.run(command, cwd=folder, check=True)
        self.library = ctypes.CDLL(str(folder / "d.so"))
        self.model, self.device = model, Device()
        # Kept, for ctypes does not keep them.
        self._reads = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(self._read)
        self._writes = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(self._write)
        for name, function in (("reads", self._reads), ("writes", self._writes)):
            ctypes.c_void_p.in_dll(self.library, name).value = ctypes.cast(function, ctypes.c_void_p).value
        assert self.library.device_init(ctypes.byref(self.device), None) == 0

    def _read(self, offset: int) -> int:
        try:
            return self.model.read(offset)
        except BusError:
            return 0

    def _write(self, offset: int, value: int) -> None:
        with suppress(BusError):
            self.model.write(offset, value)

    def key(self, slot: str, key: str, status: str) -> None:
        assert self.library.device_set_key(ctypes.byref(self.device), int(slot, 16), bytes.fromhex(key)) == int(
            status, 16
        )

    def message(self, *words: str) -> None:
        mode, encrypt, slot, *parts, status, code, shown = words
        iv, header, text, tag = (bytes.fromhex(part.replace("-", "")) for part in parts)
        out = ctypes.create_string_buffer(len(text) + 1)
        held = ctypes.create_string_buffer(bytes(len(tag)) if encrypt == "1" else tag, len(tag) + 1)
        sent = Message(int(mode, 16), int(slot, 16), iv, len(iv), header, len(header), text, len(text))
        sent.out, sent.tag, sent.tag_bytes = ctypes.addressof(out), ctypes.addressof(held), len(tag)
        call = self.library.device_encrypt if encrypt == "1" else self.library.device_decrypt
        assert call(ctypes.byref(self.device), ctypes.byref(sent)) == int(status, 16), words
        if int(status, 16) == 2:
            assert self.device.code == int(code, 16), words
        if shown != "none":
            assert out.raw[: len(text)] == bytes.fromhex(shown.replace("-", "")), words
        if encrypt == "1" and int(status, 16) == 0:
            assert held.raw[: len(tag)] == tag, words


def accesses(model: PeripheralModel, lines: Iterable[str], driver: Driver | None = None) -> int:
    """Does what a script for the RTL's bench says, checks what it expects, and counts the lines."""
    script = list(lines)
    for line in script:
        what, *words = line.split()
        if what == "reset":
            model.reset()
        elif what in ("read", "write"):
            offset, value, mask, error = (int(word, 16) for word in words)
            try:
                if what == "read":
                    assert model.read(offset) & mask == value & mask, line
                else:
                    model.write(offset, value, mask)
            except BusError:
                assert error, line
            else:
                assert not error, line
        elif what == "pins":
            value, mask = (int(word, 16) for word in words)
            assert not (mask & 1) or model.irq == value & 1, line
        elif what in ("key", "message"):
            assert driver is not None
            getattr(driver, what)(*words)
        else:
            assert what == "idle", line
    return len(script)


FIELDS = [
    {},
    {"clear": True, "key_slots": 4},
    {"self_test": "on_request", "clear": True},
    {"sideload": True},
    {"byte_order": "big"},
    {"core": "ueno2020-encdec-256"},
]


@pytest.mark.parametrize("fields", FIELDS, ids=str)
def test_registers_and_errors_are_those_of_the_rtl(fields: dict[str, object]) -> None:
    """By the scripts that the RTL's bench passes: each word of addresses, each error, interrupts."""
    design = engine(**fields)
    model, behind = PeripheralModel(design), design.behind_bus
    assert accesses(model, in_byte_order(behind, register_script(behind))) > 500
    assert accesses(model, in_byte_order(behind, error_script(behind))) > 200


@pytest.mark.parametrize(
    "design",
    [
        engine(),
        engine(key_slots=2, clear=True, byte_order="big"),
        engine(data_fifo=True),
        engine("xts-disk"),
        engine("cmac-small", clear=True),
        engine("gcm-10g"),
        engine("ccm-radio"),
    ],
    ids=["multi", "big", "fifo", "xts", "cmac", "gcm-ring", "ccm"],
)
def test_the_driver_passes_over_the_model(design: StreamEngine, tmp_path: Path) -> None:
    """The messages that it sends to the RTL, with wrong tags and refusals."""
    model = PeripheralModel(design)
    driver = Driver(design, model, tmp_path)
    script = list(message_script(design.behind_bus, Random("model"), 150, reset=False))
    assert accesses(model, script, driver) > 150


def test_a_self_test_has_passed_and_takes_the_key_of_slot_0() -> None:
    model = PeripheralModel(engine(self_test="on_reset"))
    assert model.read(0x18) == 1 | 1 << 21
    model.write(0x10, 2 << 1 | 1)
    with pytest.raises(BusError, match="INCOMPLETE"):
        model.write(0x14, 1)


def test_keys_of_a_vault_and_the_lock() -> None:
    model = PeripheralModel(engine(sideload=True))
    model.write(0x34, 1)
    with pytest.raises(BusError, match="ACCESS"):
        model.write(0x40, 0)
    model.sideload(bytes(16))
    with pytest.raises(RequestError, match="sideload"):
        model.sideload(bytes(15))
    with pytest.raises(RequestError, match="has no registers"):
        PeripheralModel(parse_engine({"preset": "gcm-small"}).engine("device", "gcm-small"))

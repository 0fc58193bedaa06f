"""A system with a processor around an engine with registers: LiteX and a VexRiscv, firmware, and a bench that runs it.

The firmware uses the driver as it is delivered. What must come of its messages is computed here, by the models.
"""

from __future__ import annotations

from functools import reduce

from aesmith.modes.buses import bus_of
from aesmith.modes.catalogue import MODES
from aesmith.modes.counting import CTR
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Message
from aesmith.modes.registers import mode_number, modes_of, tagged_modes
from aesmith.modes.self_test import HEADER_MODES, IV_BYTES
from aesmith.peripheral.texts import rendered, template

BUSES = ("axi4-lite", "wishbone")
"""The buses that LiteX has devices on."""
SIZES = (1024, 65536)
"""Bytes of the messages that the firmware can be compiled for."""
OPENED = 1024
"""Bytes of the messages that it decrypts."""
SOFTWARE = 1024
"""And of those that it encrypts without the device."""
HEADER = 20
_IV = bytes(0xA0 + place for place in range(BLOCK))
_TIED = ("scan_enable_i", "clear_i", "alarm_i", "debug_i", "sideload_valid_i", "sideload_key_i", "sideload_slot_i")
"""Inputs beside the bus that nothing in the system drives."""


def system_files(engine: StreamEngine) -> dict[str, str]:
    """The files of the folder `system` by their paths in a build; none for a bus that LiteX does not have."""
    if engine.bus not in BUSES:
        return {}
    name = engine.name
    values = {
        "name": name,
        "upper": name.upper(),
        "bus": engine.bus,
        "bus_name": bus_of(engine.bus).standard,
        "streams": engine.data_streams,
        "self_test": engine.self_test != "none",
        "tied": [port.name for port in engine.ports if port.name in _TIED],
        "rtl": " ".join(f"../rtl/{source.name}" for source in engine.sources),
    }
    made = {each: rendered(f"system/{each}.j2", **values) for each in ("system.py", "firmware.c", "Makefile")}
    copied = {each: template(f"system/{each}") for each in ("start.S", "link.ld", "bench.cpp")}
    return {f"system/{each}": text for each, text in {**made, **copied, "expected.h": expected_results(engine)}.items()}


def text_of(size: int) -> bytes:
    """The text that the firmware makes, of so many bytes."""
    return bytes((7 * place + 13 * (place >> 8) + 5) & 0xFF for place in range(size))


def digest_of(data: bytes) -> int:
    """FNV-1a of 32 bits, as the firmware computes it."""
    return reduce(lambda digest, byte: (digest ^ byte) * 16777619 & 0xFFFFFFFF, data, 2166136261)


def expected_results(engine: StreamEngine) -> str:
    """The C header that says what each mode must give for each size of message, by the models of the modes."""
    behind = engine.behind_bus
    key = bytes(0x10 + place for place in range(engine.key_bits[0] // 8))
    keys = max(MODES[mode].keys for mode in modes_of(behind))
    cipher = key[: len(key) // keys]
    software = CTR.encrypt(Cipher(cipher), Message(_IV, text=text_of(SOFTWARE))).text
    views = {view.mode: view for view in behind.views}
    lines = [
        "/* What must come of the firmware's messages, by the models of the modes. */",
        f"#define OPENED_BYTES {OPENED}u",
        f"#define EXPECTED_HEADER_BYTES {HEADER}u",
        f"#define CIPHER_KEY_BYTES {len(cipher)}u",
        f"#define EXPECTED_SOFTWARE 0x{digest_of(software):08x}u",
        f"#define EXPECTED_MODES {len(views)}u",
        f"static const uint8_t expected_key[] = {{{_bytes(key)}}};",
        f"static const uint8_t expected_iv[] = {{{_bytes(_IV)}}};",
        "typedef struct {",
        "  const char *name;",
        "  unsigned number, iv_bytes, header_bytes, tag_bytes, tells_length, has_text, decrypts;",
        "  uint32_t digest; /* of the encryption of BYTES, then its tag */",
        "} expected_mode;",
    ]
    for size in SIZES:
        lines += [
            f"{'#if' if size == SIZES[0] else '#elif'} BYTES == {size}",
            "static const expected_mode expected_modes[] = {",
        ]
        for mode, view in views.items():
            tag = BLOCK if mode in tagged_modes(behind) else 0
            header = HEADER if mode in HEADER_MODES else 0
            iv = IV_BYTES.get(mode, BLOCK)
            message = Message(_IV[:iv], bytes(0x40 + place for place in range(header)), text_of(size), bytes(tag))
            found = MODES[mode].encrypt(Cipher(key), message)
            numbers = (
                mode_number(mode),
                iv,
                header,
                tag,
                mode == "ccm",
                mode != "cmac",
                len(view.mode_directions) == 2,
            )
            told = ", ".join(str(int(number)) for number in numbers)
            lines.append(f'    {{"{mode}", {told}, 0x{digest_of(found.text + found.tag):08x}u}},')
        lines.append("};")
    return "\n".join([*lines, "#else", '#error "BYTES must be ' + " or ".join(map(str, SIZES)) + '"', "#endif", ""])


def _bytes(data: bytes) -> str:
    return ", ".join(f"0x{byte:02x}" for byte in data)

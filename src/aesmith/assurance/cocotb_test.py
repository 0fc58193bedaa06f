"""A test by cocotb that travels with a build, for who writes more: known answers, by the models of the modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aesmith import __version__
from aesmith.assurance.streams.check import expected, offers_of
from aesmith.assurance.streams.standalone import standalone_messages
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SIZE_CODES, ByteOrder, Channel, Meaning, PortDirection, Ports
from aesmith.modes.buses import bus_of
from aesmith.modes.engine import INPUT, OUTPUT, StreamEngine
from aesmith.modes.registers import registers_of
from aesmith.modes.self_test import known_answers
from aesmith.reference.known_answers import fips197
from aesmith.templates import templates

FOLDER = "cocotb"
MESSAGES = 6
"""Messages of an engine that the test sends: as many published ones as there are, from the first on."""
_KNOWN = {Meaning.KEY, Meaning.KEY_SIZE, Meaning.BLOCK, Meaning.DIRECTION, Meaning.RESULT, Meaning.CLEAR}

Sent = tuple[str, Sequence[int]]


def cocotb_files(design: CoreDesign | StreamEngine) -> dict[str, str]:
    """The files by their paths in a build; none for a core with shares, or one that takes its key with each block."""
    if not has_cocotb_test(design):
        return {}
    values: dict[str, object] = {"name": design.name, "top": design.top, "clock": design.ports.clock}
    values["inputs"] = [
        port.name
        for port in design.ports
        if port.direction is PortDirection.INPUT and port.role not in ("clock", "reset")
    ]
    if isinstance(design, CoreDesign):
        text = _filled("streams.py", **values, **_of_core(design))
    elif design.bus:
        text = _filled("registers.py", **values, **_of_registers(design))
    else:
        text = _filled("streams.py", **values, **_of_engine(design))
    runner = _filled("run.py", **values, sources=[source.name for source in design.sources])
    return {f"{FOLDER}/test_{design.name}.py": text, f"{FOLDER}/run.py": runner}


def _filled(template: str, **values: object) -> str:
    return templates("aesmith.assurance").get_template(f"cocotb/{template}.j2").render(**values)


def has_cocotb_test(design: CoreDesign | StreamEngine) -> bool:
    """Whether there is such a test of a design."""
    if not isinstance(design, CoreDesign):
        return True
    core, payloads = design, list(design.ports.payloads)
    return (
        core.ports.reset is not None
        and not core.ports.key_with_block
        and all(each.shares == 1 for each in payloads)
        and {each.meaning for each in payloads} <= _KNOWN
    )


def _channels(ports: Ports, *names: str) -> dict[str, object]:
    """Of the channels the names of valid, ready and payloads; and what else is told of all kinds of streams."""
    found = {}
    for name in names:
        channel = ports.channel(name)
        assert channel.valid is not None
        assert channel.ready is not None
        found[name] = (channel.valid.port, channel.ready.port, [payload.port for payload in channel.payloads])
    assert ports.reset is not None
    return {"channels": found, "out": names[-1], "reset": ports.reset.port, "active": ports.reset.active}


def _of_core(core: CoreDesign) -> Mapping[str, object]:
    """FIPS-197's example of each key size, in each direction."""
    sent: list[Sent] = []
    wanted: list[Sequence[int]] = []
    key_in, block_in, result = (core.ports.channel(name) for name in ("key", "block", "result"))
    for bits in core.key_bits:
        case = fips197(bits)[-1]
        size = {Meaning.KEY_SIZE: SIZE_CODES[bits]}
        sent += [("key", values) for values in _beats(key_in, case.key, size)]
        for way in core.directions:
            decrypts = way is Direction.DECRYPT
            given, made = (case.ciphertext, case.plaintext) if decrypts else (case.plaintext, case.ciphertext)
            direction = {Meaning.DIRECTION: int(decrypts)}
            sent += [("block", values) for values in _beats(block_in, given, direction)]
            wanted += _beats(result, made, {})
    slowest = max(core.slowest_clocks(bits).worst or core.latency_cycles for bits in core.key_bits)
    return {
        **_channels(core.ports, "key", "block", "result"),
        "sent": sent,
        "wanted": wanted,
        "patience": 100 + 4 * slowest,
    }


def _beats(channel: Channel, data: bytes, beside: Mapping[Meaning, int]) -> Iterator[list[int]]:
    """The payloads of each transfer of a value; a shorter one stands at the end where byte 0 is."""
    width = channel.data.width // 8
    high = channel.byte_order is not ByteOrder.FIRST_BYTE_LOW
    for place in range(0, len(data), width):
        part = data[place : place + width].ljust(width, b"\0")
        word = int.from_bytes(part, "big" if high else "little")
        yield [word if payload is channel.data else beside[payload.meaning] for payload in channel.payloads]


def _of_engine(engine: StreamEngine) -> Mapping[str, object]:
    """The first messages of the engine's own test bench."""
    messages = standalone_messages(engine)[:MESSAGES]
    sent: list[Sent] = []
    for keyed in messages:
        for name, offers in offers_of([keyed], key_slots=engine.key_slots, key_bits=engine.key_bits).items():
            sent += [(name, list(offer.payloads)) for offer in offers]
    wanted = [list(payloads) for _, (payloads, _) in expected(engine, messages)]
    names = ("key", "command", INPUT, OUTPUT)
    return {
        **_channels(engine.ports, *names),
        "sent": sent,
        "wanted": wanted,
        "patience": 1000 + 50 * engine.latency_cycles,
    }


def _of_registers(engine: StreamEngine) -> Mapping[str, object]:
    """The steps of a self-test, whether the engine has one or not."""
    behind = engine.behind_bus
    found = registers_of(behind, __version__)
    known = known_answers(behind)
    assert engine.ports.reset is not None
    places = {
        register.offset + 4 * word: register.name + (f"+{4 * word}" if word else "")
        for register in found
        for word in range(register.count)
    }
    status = next(
        {field.name: field.mask for field in register.fields} for register in found if register.name == "STATUS"
    )
    return {
        "reset": engine.ports.reset.port,
        "bus": engine.bus,
        "standard": bus_of(engine.bus).standard,
        "registers": {register.name: register.offset for register in found},
        "out_valid": status["OUT_VALID"],
        "in_ready": status["IN_READY"],
        "tests": engine.self_test == "on_reset",
        "testing": status.get("TESTING", 0),
        "steps": [(step.write, places[step.address], step.data) for step in known.steps],
        "answers": known.answers,
    }

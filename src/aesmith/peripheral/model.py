"""A peripheral in software, register by register: for drivers before there is hardware.

Every access has the value, the bus error and the effect that it has in the RTL, and the engine is the model of its
modes. There is no time in it: what an access begins has ended before the next one. So the answer of a block (of engines
that do not answer block by block, of a message) is there when its last word is written, `DATA_IN` always has room, and
a self-test has passed at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from aesmith import __version__
from aesmith.errors import RequestError
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Fault
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.registers import BusRegister, front_parameters, registers_of, tagged_modes
from aesmith.modes.stream import Beat, Command, Section, StreamedMessage

WORD = 4
_ADDRESS, _ACCESS, _BUSY, _INCOMPLETE, _OUT_LATE = 0, 1, 2, 3, 5
_DONE, _FAILED, _ERROR = 1, 2, 4
_START, _KEY, _CLEAR, _SELF_TEST = 1, 2, 4, 8
_STREAMS = 1 << 14


class BusError(Exception):
    """An access that has failed and changed nothing; `reason` is the name of its bit in `ERROR`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PeripheralModel:
    """The registers of an engine with a bus, as software sees them.

    Offsets are in bytes, values are words of 32 bits, as on the bus. Raises RequestError for an engine without a bus.
    """

    _staged: dict[int, bytes]
    _staged_key: bool
    _open: Command | None
    _waiting: Command | None
    _beats: list[Beat]
    _out: deque[Beat]
    _fault: Fault | None
    _answered: int
    """Words of the answer that were made of the message that is open."""

    def __init__(self, engine: StreamEngine) -> None:
        if not engine.bus:
            raise RequestError(f"bus: {engine.name} has no registers; build it with a bus")
        self._engine = engine.behind_bus
        registers = registers_of(self._engine, __version__)
        self._at = {
            register.offset + WORD * word: (register, word) for register in registers for word in range(register.count)
        }
        self._bits = {
            field.low: field.name for register in registers if register.name == "ERROR" for field in register.fields
        }
        parameters = front_parameters(self._engine, __version__)
        self._mask, self._fixed = (
            int(str(parameters[name]).removeprefix("32'h"), 16) for name in ("ControlMask", "ControlFixed")
        )
        self._tests = self._engine.self_test != "none"
        self.reset()

    def reset(self) -> None:
        """What `rst_ni` does; an engine whose self-test runs on reset has passed it."""
        self._control = self._input = self._error = self._events = self._enable = self._levels = 0
        self._locked = self._passed = self._stale = self._cleared = False
        self._keys: dict[int, bytes] = {}
        self._wipe()
        self._cleared = False
        if self._engine.self_test == "on_reset":
            self._self_test()

    @property
    def irq(self) -> bool:
        """The level of `irq_o`."""
        return bool(self._state & self._enable)

    def sideload(self, key: bytes, slot: int = 0) -> None:
        """Loads a key from the vault. Raises RequestError for an engine without that port, or a key of another size."""
        if not self._engine.sideload or 8 * len(key) != self._engine.key_bits[0]:
            raise RequestError(f"sideload: {self._engine.name} takes no key of {8 * len(key)} bits from a vault")
        self._load(slot, key)

    def read(self, offset: int) -> int:
        """What a word reads as. Raises BusError."""
        register, _ = self._register(offset, self._refusal(offset))
        if register.name != "DATA_OUT":
            return self._value(register)
        if self._done:
            return 0
        if not self._shown:
            raise self._failed(_OUT_LATE)
        beat = self._out.popleft()
        if beat.last:
            self._end(beat)
        return self._in_order(beat.data)

    def write(self, offset: int, value: int, strobes: int = 0b1111) -> None:
        """Writes the bytes of a word that `strobes` names, bit 0 that of bits 7:0. Raises BusError."""
        register, word = self._register(offset, self._refusal(offset, value, strobes))
        if register.name in ("KEY", "IV"):
            if self._staged_key != (register.name == "KEY"):
                self._staged = {}
            self._staged_key = register.name == "KEY"
            self._staged[word] = self._out_of_order(value)
        else:
            writes: dict[str, Callable[[int], None]] = {
                "CTRL": self._write_control,
                "TRIGGER": self._trigger,
                "ERROR": self._write_error,
                "INTR_STATE": self._write_state,
                "INTR_ENABLE": self._write_enable,
                "INTR_TEST": self._write_test,
                "INPUT": self._write_input,
                "RESULT": self._write_result,
                "LOCK": self._write_lock,
            }
            if register.name == "DATA_IN":
                self._take(self._out_of_order(value), strobes)
            else:
                writes[register.name](value)

    # What is wrong with an access, as `aesmith_register_front` orders it.
    def _refusal(self, offset: int, value: int | None = None, strobes: int = 0b1111) -> int | None:
        if offset % WORD or offset not in self._at:
            return _ADDRESS
        if value is None:
            return None
        register, _ = self._at[offset]
        name, triggers = register.name, value if register.name == "TRIGGER" else 0
        locked_key = self._locked and (name == "KEY" or triggers & _KEY)
        strobes = self._reversed(strobes)
        partial = strobes not in (1, 3, 7, 15) if name == "DATA_IN" else strobes != 15
        if not register.writable or partial or locked_key or (name == "TRIGGER" and not self._is_trigger(value)):
            return _ACCESS
        if triggers & _CLEAR:
            return None
        start, key = triggers & _START, triggers & _KEY
        quiet = self._open is None and not self._out and not self._done
        if (start and self._open is not None) or (triggers & _SELF_TEST and not quiet):
            return _BUSY
        if (name in ("KEY", "IV", "CTRL") or start or key) and self._waiting is not None:
            return _BUSY
        if (start and (key or not self._iv_complete or self._is_stale)) or (key and not self._key_complete):
            return _INCOMPLETE
        if name == "DATA_IN" and self._open is None and self._waiting is None:
            return _INCOMPLETE
        return None

    def _is_trigger(self, value: int) -> bool:
        alone = not value & _SELF_TEST or (self._tests and value == _SELF_TEST)
        return value < 16 and alone and not (value & _CLEAR and not self._engine.clear)

    def _register(self, offset: int, refusal: int | None) -> tuple[BusRegister, int]:
        if refusal is not None:
            raise self._failed(refusal)
        return self._at[offset]

    def _failed(self, bit: int) -> BusError:
        self._error |= 1 << bit
        self._events |= _ERROR
        return BusError(self._bits[bit])

    # Values.
    def _value(self, register: BusRegister) -> int:
        values: dict[str, Callable[[], int]] = {
            "CTRL": lambda: self._control & self._mask,
            "STATUS": lambda: self._status,
            "ERROR": lambda: self._error,
            "INTR_STATE": lambda: self._state,
            "INTR_ENABLE": lambda: self._enable,
            "INPUT": lambda: self._input,
            "RESULT": lambda: self._result,
            "LOCK": lambda: int(self._locked),
        }
        return values.get(register.name, lambda: register.reset)()

    @property
    def _shown(self) -> bool:
        return bool(self._out) and not self._done

    @property
    def _status(self) -> int:
        waits = self._waiting is not None
        opened = self._open is not None
        value = (not waits and not opened) | (waits or opened) << 1 | self._shown << 2 | waits << 4 | opened << 5
        value |= self._cleared << 6 | self._passed << 21
        if self._shown:
            beat = self._out[0]
            value |= beat.section << 8 | beat.keep.bit_count() << 12 | beat.last << 16
        return value

    @property
    def _state(self) -> int:
        wants = self._open is not None or self._waiting is not None
        return self._events | (wants or self._levels & 1) << 3 | (self._shown or self._levels >> 1) << 4

    # Keys and commands.
    @property
    def _words(self) -> int:
        return self._engine.key_bits[0] // 32

    @property
    def _key_complete(self) -> bool:
        return self._staged_key and len(self._staged) == self._words

    @property
    def _iv_complete(self) -> bool:
        needed = -(-min((self._control | self._fixed) >> 24 & 31, BLOCK) // WORD)
        return not self._staged_key and {*range(needed)} <= self._staged.keys()

    @property
    def _slot(self) -> int:
        bits = 0x3F if self._engine.data_streams else 0xFF
        return self._control >> 8 & bits

    @property
    def _is_stale(self) -> bool:
        return self._stale and self._slot == 0

    def _trigger(self, value: int) -> None:
        if value & _CLEAR:
            self._keys = {}
            self._wipe()
        elif value & _SELF_TEST:
            self._self_test()
        elif value & _KEY:
            key = b"".join(self._staged[word] for word in range(self._words))
            self._empty()
            self._load(self._slot, key)
        elif value & _START:
            control = self._control | self._fixed
            if self._engine.data_streams and control & _STREAMS:
                raise RequestError("CTRL.STREAMS: the streams of a peripheral are not modelled")
            length = control >> 24 & 31
            iv = b"".join(self._staged.get(word, bytes(WORD)) for word in range(BLOCK // WORD))
            size = control >> 4 & 15
            command = Command(
                iv[: min(length, BLOCK)],
                length,
                encrypt=bool(control & 1),
                mode=control >> 1 & 7,
                tag_bytes=size or (BLOCK if tagged_modes(self._engine) else 0),
                slot=self._slot,
            )
            self._empty()
            self._cleared = False
            if self._out:
                self._waiting = command
            else:
                self._open = command

    def _load(self, slot: int, key: bytes) -> None:
        self._keys[slot] = key
        self._cleared = False
        if slot == 0:
            self._stale = False

    def _empty(self) -> None:
        self._staged, self._staged_key = {}, False

    def _wipe(self) -> None:
        self._empty()
        self._open = None
        self._waiting = None
        self._beats = []
        self._out, self._answered = deque(), 0
        self._fault = None
        self._done, self._result, self._cleared = False, 0, True
        self._events &= ~_FAILED

    def _self_test(self) -> None:
        self._passed = self._stale = True
        self._control = self._input = 0
        self._keys.pop(0, None)

    # Data.
    def _take(self, data: bytes, strobes: int) -> None:
        command = self._open
        if command is None:
            raise self._failed(_BUSY)
        size = self._input >> 4 & 3 or WORD
        keep = 0 if self._input & 0x200 else self._reversed(strobes) & (1 << size) - 1
        last = bool(self._input & 0x100)
        given = bytes(byte if keep >> place & 1 else 0 for place, byte in enumerate(data))
        self._beats.append(Beat(given, keep, Section(self._input & 3), last))
        self._input &= 3
        texts = sum(beat.section is Section.TEXT and beat.keep > 0 for beat in self._beats)
        whole = self._beats[-1].section is Section.TEXT and not texts % (BLOCK // WORD)
        if not last and not (whole and isinstance(self._engine, CounterEngine | MultiModeEngine)):
            return
        # Of a message that goes on its blocks of text are answered, where they are not held back: with one more after
        # them, for what becomes of a last one depends on all.
        more = [] if last else [Beat(bytes(WORD), 15, last=word == 3) for word in range(BLOCK // WORD)]
        ended = (*self._beats, *more)
        key = self._keys.get(command.slot)
        sent = self._engine.told(StreamedMessage(command, ended))
        made, fault = self._engine.answer(None if key is None else Cipher(key), sent)
        if last:
            self._open, self._beats, self._fault = None, [], fault
        else:
            shown = [beat for beat in made if beat.section is Section.TEXT and beat.keep and not beat.last]
            made = shown[:texts]
        self._out.extend(beat for beat in made[self._answered :] if beat.keep or beat.last)
        self._answered = 0 if last else len(made)
        self._swallow()

    def _swallow(self) -> None:
        """A word without bytes is never shown."""
        if self._out and not self._out[0].keep:
            self._end(self._out.popleft())

    def _end(self, beat: Beat) -> None:
        self._done = True
        self._events |= _DONE | _FAILED * beat.failed | _ERROR * beat.error
        code = int(self._fault) if beat.error and self._fault is not None else 0
        self._result = 1 | beat.failed << 1 | beat.error << 2 | code << 8
        if self._waiting is not None:
            self._open, self._waiting = self._waiting, None

    def _write_control(self, value: int) -> None:
        self._control = value & self._mask

    def _write_error(self, value: int) -> None:
        self._error &= ~value

    def _write_state(self, value: int) -> None:
        self._events &= ~value

    def _write_enable(self, value: int) -> None:
        self._enable = value & 31

    def _write_test(self, value: int) -> None:
        self._events |= value & 7
        self._levels = value >> 3 & 3

    def _write_input(self, value: int) -> None:
        self._input = value & 0x333

    def _write_result(self, value: int) -> None:
        if value & 1:
            self._done, self._result = False, 0
            self._swallow()

    def _write_lock(self, value: int) -> None:
        self._locked |= bool(value & 1)

    # Byte 0 of a word is in bits 7:0, or in 31:24.
    def _in_order(self, data: bytes) -> int:
        return int.from_bytes(data[:WORD], "big" if self._engine.big_endian else "little")

    def _out_of_order(self, value: int) -> bytes:
        return (value & 0xFFFF_FFFF).to_bytes(WORD, "big" if self._engine.big_endian else "little")

    def _reversed(self, strobes: int) -> int:
        return int(f"{strobes:04b}"[::-1], 2) if self._engine.big_endian else strobes

"""What is required of a core or an engine: a mode, what must fit, limits on figures, and the figure that decides.

Limits are quantities as people write them, such as 10Gbps, 12kGE or 2.5 ns.

A mode of operation says which directions of AES it needs, and where a block waits for the one before: in a chained
direction the input of AES is made from the previous result, so blocks in flight are of no use to one stream, which gets
one block per latency. Sources: NIST SP 800-38A (ECB, CBC, CFB with segments of 128 bits, OFB, CTR), 38B (CMAC), 38C
(CCM), 38D (GCM), 38E with IEEE 1619 (XTS).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aesmith.cores.design import Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.bus_top import WORD_BITS
from aesmith.modes.buses import bus_of
from aesmith.modes.self_test import SELF_TESTS, check_self_test
from aesmith.modes.served import SERVED

ENCRYPT, DECRYPT = Direction.ENCRYPT, Direction.DECRYPT
KEY_SIZES = (128, 192, 256)
BLOCK_WIDTHS = (8, 16, 32, 128)
Clocks = float | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Mode:
    """A mode. `uses` has the directions of AES that encrypting and decrypting in this mode need.

    `chained` are the mode's directions in which a block waits for the result before it; `calls` is how many blocks AES
    processes for one block of data, `in_turn` how many of them wait for one another where it is chained. `note` says
    what else the mode needs, which is no part of an AES core; `engine` is the mode's name among engines, empty if there
    are none of it.
    """

    name: str
    title: str
    uses: Mapping[Direction, frozenset[Direction]]
    chained: frozenset[Direction] = frozenset()
    calls: int = 1
    key_bits: tuple[int, ...] = KEY_SIZES
    note: str = ""
    engine: str = ""
    in_turn: int = 1

    def core_directions(self, directions: tuple[Direction, ...]) -> frozenset[Direction]:
        """The directions of AES that a core must have for these directions of the mode."""
        return frozenset().union(*(self.uses[direction] for direction in directions))


_BOTH_WAYS = {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({DECRYPT})}
_FORWARD = {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({ENCRYPT})}

MODES = {
    mode.name: mode
    for mode in (
        Mode("ecb", "ECB", _BOTH_WAYS, note="equal blocks encrypt to equal blocks: unsafe for structured data"),
        Mode("cbc", "CBC", _BOTH_WAYS, frozenset({ENCRYPT}), engine="cbc"),
        Mode("cbc-cs3", "CBC-CS3", _BOTH_WAYS, frozenset({ENCRYPT}), engine="cbc-cs3"),
        Mode("cfb", "CFB", _FORWARD, frozenset({ENCRYPT}), note="segments of 128 bits", engine="cfb128"),
        Mode(
            "cfb8",
            "CFB8",
            _FORWARD,
            frozenset({ENCRYPT}),
            calls=16,
            note="segments of a byte, each of which takes a block of AES",
            engine="cfb8",
            in_turn=16,
        ),
        Mode(
            "ofb",
            "OFB",
            _FORWARD,
            frozenset({ENCRYPT, DECRYPT}),
            note="the key stream may be computed ahead",
            engine="ofb",
        ),
        Mode("ctr", "CTR", _FORWARD, engine="ctr"),
        Mode(
            "gcm",
            "GCM",
            _FORWARD,
            note="GHASH is outside the AES core and not in these figures",
            engine="gcm",
        ),
        Mode(
            "gcm-siv",
            "GCM-SIV",
            _FORWARD,
            key_bits=(128, 256),
            note="a message also makes its keys and its tag, in five calls or seven, which are not in the throughput",
            engine="gcm-siv",
        ),
        Mode(
            "gcm-sst",
            "GCM-SST",
            _FORWARD,
            key_bits=(128, 256),
            note="a message also makes two hash keys and the mask of its tag, which are not in the throughput",
            engine="gcm-sst",
        ),
        Mode(
            "siv",
            "AES-SIV",
            _FORWARD,
            frozenset({ENCRYPT, DECRYPT}),
            calls=2,
            note="a message also makes two blocks of its first key, and calls for each block of header",
            engine="siv",
        ),
        Mode("ccm", "CCM", _FORWARD, frozenset({ENCRYPT, DECRYPT}), calls=2, engine="ccm"),
        Mode("cmac", "CMAC", _FORWARD, frozenset({ENCRYPT, DECRYPT}), engine="cmac"),
        Mode(
            "xts",
            "XTS",
            {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({ENCRYPT, DECRYPT})},
            key_bits=(128, 256),
            note="a data unit also encrypts its tweak, under a key of its own, which is not in the throughput",
            engine="xts",
        ),
        Mode(
            "ocb3",
            "OCB3",
            {ENCRYPT: frozenset({ENCRYPT}), DECRYPT: frozenset({ENCRYPT, DECRYPT})},
            note="a message also encrypts its nonce and its tag, which are not in the throughput",
            engine="ocb3",
        ),
        *(
            Mode(
                name,
                name.upper(),
                _BOTH_WAYS,
                frozenset({ENCRYPT, DECRYPT}),
                calls=12,
                note="six passes over the key, in each of which a call takes 64 bits and waits for the one before",
                engine=name,
                in_turn=12,
            )
            for name in ("kw", "kwp")
        ),
        Mode(
            "ctr-drbg",
            "CTR_DRBG",
            _FORWARD,
            note="a request also makes the next state, which is not in the throughput",
            engine="ctr-drbg",
        ),
        *(
            Mode(
                served.name,
                served.title,
                _FORWARD,
                key_bits=served.key_bits,
                note=served.how,
                engine="" if served.mode == "ecb" else served.mode,  # a core is all that ECB needs
            )
            for served in SERVED.values()
        ),
    )
}
"""All modes by name."""

_ALSO = {mode.engine: mode for mode in MODES.values() if mode.engine not in ("", *MODES)}

_DIRECTIONS = {
    "encrypt": (ENCRYPT,),
    "enc": (ENCRYPT,),
    "decrypt": (DECRYPT,),
    "dec": (DECRYPT,),
    "encdec": (ENCRYPT, DECRYPT),
    "both": (ENCRYPT, DECRYPT),
}


def mode_by_name(name: str) -> Mode:
    """The mode of that name, in any case, or of that name among engines, such as cfb128.

    Raises RequestError, listing them, if there is none.
    """
    found = (MODES | _ALSO).get(name.lower())
    if found is None:
        raise not_one_of("mode", name, MODES)
    return found


def directions_by_name(name: str) -> tuple[Direction, ...]:
    """The mode's directions that enc, dec or encdec mean. Raises RequestError for anything else."""
    if name.lower() not in _DIRECTIONS:
        raise RequestError(f"directions: must be enc, dec or encdec, not {name!r}")
    return _DIRECTIONS[name.lower()]


def clocks_per_block(
    mode: Mode, directions: tuple[Direction, ...], cycles_per_block: Clocks, latency_cycles: Clocks, streams: int = 1
) -> Clocks:
    """Clocks from one block of data to the next, all streams together, in the slowest of the directions.

    A stream that is chained starts a block in the clock after the one that offers the result before, so once every
    `latency_cycles` (and `in_turn` times as many for a block of data); `streams` independent ones take turns. Clocks
    are of one core or of many at once.
    """
    busy = mode.calls * np.asarray(cycles_per_block, dtype=np.float64)
    if mode.chained.isdisjoint(directions):
        return busy
    return np.maximum(busy, mode.in_turn * np.asarray(latency_cycles) / streams)


_WRITTEN = re.compile(r"\s*([0-9]+(?:[.,_][0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?\s*(\S*(?:\s+\S+)*)\s*")


@dataclass(frozen=True)
class Kind:
    """A kind of quantity: its units, each with how many of the `unit` it is shown in; `example` is for errors.

    `bare` is the unit of a number that has none; None if a number needs one. `shown` are the units it is written in,
    the largest first, where `unit` alone would make too many zeros. With `zero` there may be none of it.
    """

    name: str
    unit: str
    units: Mapping[str, float]
    example: str
    bare: str | None = None
    shown: tuple[str, ...] = ()
    zero: bool = False

    def text(self, value: float) -> str:
        """A value in `unit` for people, in the largest of the units `shown` of which there is one: `1.538 Mbit/s`."""
        fitting = [unit for unit in self.shown if abs(value) >= self.units[unit]]
        unit = fitting[0] if fitting else (self.shown or (self.unit,))[-1]
        return written(value / self.units[unit], unit)

    def parse(self, text: str, field: str) -> float:
        """The quantity in `unit`. Raises RequestError, naming `field`, for what is not one, or not above zero."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise self._error(text, field)
        number = found[1].replace("_", "")
        if "," in number:
            raise RequestError(f"{field}: write decimals with a point and thousands with _ or nothing, not {text!r}")
        unit = found[3] or self.bare
        if unit is None:
            raise self._error(text, field)
        try:
            value = float(number) * 10.0 ** int(found[2] or 0) * self._factor(unit, text, field)
        except (ValueError, OverflowError) as error:
            raise self._error(text, field) from error
        if not 0 < value < math.inf and not (self.zero and value == 0):
            raise RequestError(f"{field}: must be {'zero or ' if self.zero else ''}above zero, not {text!r}")
        return value

    def _factor(self, unit: str, text: str, field: str) -> float:
        """As written, or else in any case, if that leaves no doubt: `gbps` is clear, `gb/s` and `MW` are not."""
        if unit in self.units:
            return self.units[unit]
        alike = {name: factor for name, factor in self.units.items() if name.lower() == unit.lower()}
        if len(set(alike.values())) > 1 or any(unit[0] == "M" and name[0] == "m" for name in alike):
            clear = " or ".join(alike)
            raise RequestError(
                f"{field}: {text!r} is unclear: b is a bit and B a byte, m is milli and M is mega; write {clear}"
            )
        if not alike:
            raise self._error(text, field)
        return next(iter(alike.values()))

    def _error(self, text: str, field: str) -> RequestError:
        units = ", ".join(self.units)
        rule = f"a number with a unit ({units})" if self.bare is None else f"a number, with a unit or without ({units})"
        return RequestError(f"{field}: must be {rule}, such as {self.example}, not {text!r}")


THROUGHPUT = Kind(
    "throughput",
    "Gbit/s",
    {
        **{"Tbps": 1e3, "Gbps": 1.0, "Mbps": 1e-3, "kbps": 1e-6},
        **{"Tbit/s": 1e3, "Gbit/s": 1.0, "Mbit/s": 1e-3, "kbit/s": 1e-6, "Gb/s": 1.0, "Mb/s": 1e-3, "kb/s": 1e-6},
        **{"GB/s": 8.0, "MB/s": 8e-3, "kB/s": 8e-6},
    },
    "10Gbps",
    shown=("Tbit/s", "Gbit/s", "Mbit/s", "kbit/s"),
)
AREA = Kind("area", "GE", {"GE": 1.0, "kGE": 1e3, "MGE": 1e6}, "12kGE", bare="GE")
TIME = Kind("latency", "ns", {"ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3}, "25ns or 11cycles")
CLOCKS = Kind("latency", "cycles", {"cycles": 1.0, "cycle": 1.0, "clocks": 1.0, "clock": 1.0}, "11cycles")
FREQUENCY = Kind("frequency", "MHz", {"GHz": 1e3, "MHz": 1.0, "kHz": 1e-3}, "500MHz")
POWER = Kind("power", "µW", {"W": 1e6, "mW": 1e3, "uW": 1.0, "µW": 1.0, "nW": 1e-3}, "2mW")
ENERGY = Kind("energy", "pJ", {"nJ": 1e3, "pJ": 1.0, "fJ": 1e-3}, "40pJ")
EFFICIENCY = Kind("efficiency", "Kbps/GE", {"Kbps/GE": 1.0, "Mbps/GE": 1e3}, "400Kbps/GE", bare="Kbps/GE")
DURATION = Kind("time", "s", {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}, "20min")


def written(value: float, unit: str) -> str:
    """A quantity for people, with four digits that mean something: `8,412 GE`, `0.6021 Gbit/s`, `12.5 ns`."""
    magnitude = abs(value)
    digits = max(0, 3 - math.floor(math.log10(magnitude))) if 0 < magnitude < 1e3 else 0
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {unit}"


@dataclass(frozen=True)
class Criterion:
    """A figure that can be limited and can decide. `column` is the column of a served frame (`serving.serve`)."""

    name: str
    column: str
    kind: Kind
    least_is_best: bool
    meaning: str

    def text(self, value: float) -> str:
        """A value with its unit."""
        return self.kind.text(value)


FIGURES = {
    figure.name: figure
    for figure in (
        Criterion("area", "area_ge", AREA, True, "all cells, registers and control included"),
        Criterion("throughput", "served_gbps", THROUGHPUT, False, "of the mode, in its slowest direction"),
        Criterion("latency", "served_latency_ns", TIME, True, "of one block through the core"),
        Criterion("latency-cycles", "latency_cycles", CLOCKS, True, "of one block through the core, in clocks"),
        Criterion("fmax", "fmax_mhz", FREQUENCY, False, "the highest clock"),
        Criterion("power", "served_power_uw", POWER, True, "at 100 MHz, in the direction that takes most"),
        Criterion("energy", "served_energy_pj", ENERGY, True, "of a block, in the direction that takes most"),
        Criterion("efficiency", "served_kbps_per_ge", EFFICIENCY, False, "that throughput over area"),
    )
}
"""All figures by name."""


LUTS = Kind("LUTs", "LUTs", {"LUTs": 1.0, "LUT": 1.0, "kLUT": 1e3}, "400", bare="LUTs")
MEMORIES = Kind("block memories", "block RAM", {"block RAM": 1.0}, "3", bare="block RAM", zero=True)

DEVICE_FIGURES = {
    figure.name: figure
    for figure in (
        Criterion("luts", "luts", LUTS, True, "of a device; carries and memories made of LUTs included"),
        Criterion("memories", "memories", MEMORIES, True, "block memories of a device"),
    )
}
"""Figures that only points of devices have, in place of area, efficiency, power and energy."""

OF_LIBRARIES = ("area", "efficiency", "power", "energy")
"""Figures that points of devices do not have."""


@dataclass(frozen=True)
class Limit:
    """A bound that a figure must reach: from above if less is better, else from below. The bound itself will do."""

    figure: Criterion
    bound: float

    def __str__(self) -> str:
        return f"{self.figure.name} {'≤' if self.figure.least_is_best else '≥'} {self.figure.text(self.bound)}"

    def margin(self, value: float) -> float:
        """How far a value is on the good side of the bound, as a fraction of it, or beyond a bound of 0 as it is; below
        zero if it misses."""
        return (self.bound - value if self.figure.least_is_best else value - self.bound) / (self.bound or 1.0)


@dataclass(frozen=True)
class Objective:
    """The figure that decides between the cores that meet all limits."""

    figure: Criterion
    least: bool

    def __str__(self) -> str:
        return f"{'least' if self.least else 'most'} {self.figure.name}"


MOST_PACKET = 1 << 16
"""Bytes of the longest packet or header that is asked for."""
RELEASES = ("verified", "cut-through")
"""When decrypted text leaves an engine: once its tag was found right, or at once."""


@dataclass(frozen=True)
class Packets:
    """Messages that an engine is to serve: `sizes` in bytes of text, least and most, one after the other.

    Each has a header of `headers` bytes (least and most) that is authenticated only, and `overhead` bytes beside both
    on the line, which count in the throughput: with 0 it is that of text. With `release` the engine releases decrypted
    text in that way. Raises RequestError for what cannot be.
    """

    sizes: tuple[int, int]
    headers: tuple[int, int] = (0, 0)
    overhead: int = 0
    release: str | None = None

    def __post_init__(self) -> None:
        if self.release is not None and self.release not in RELEASES:
            raise not_one_of("release", self.release, RELEASES)
        for name, (least, most), lowest in (("packets", self.sizes, 1), ("header", self.headers, 0)):
            if not lowest <= least <= most <= MOST_PACKET:
                raise RequestError(
                    f"{name}: must be {lowest} to {MOST_PACKET} bytes, the least first, not {least}..{most}"
                )
        if not 0 <= self.overhead <= MOST_PACKET:
            raise RequestError(f"line-overhead: must be 0 to {MOST_PACKET} bytes, not {self.overhead}")

    @property
    def worst(self) -> tuple[tuple[int, int, int], ...]:
        """Blocks of header, blocks of text and bytes of the packets that decide: of each number of blocks of text the
        shortest, with the longest header."""
        least, most = self.sizes
        return tuple(
            (-(-self.headers[1] // 16), blocks, max(least, 16 * (blocks - 1) + 1))
            for blocks in range(-(-least // 16), -(-most // 16) + 1)
        )

    def __str__(self) -> str:
        least, most = self.sizes
        parts = [f"packets of {least}{f' to {most}' if most > least else ''} bytes"]
        if self.headers[1]:
            parts.append(f"headers of {self.headers[0]} to {self.headers[1]}")
        if self.overhead:
            parts.append(f"{self.overhead} more on the line")
        if self.release is not None:
            parts.append(f"{self.release} text")
        return ", ".join(parts)


def byte_range(text: str, field: str) -> tuple[int, int]:
    """The two ends of `64..1500`, or of one number. Raises RequestError for anything else."""
    least, dots, most = text.partition("..")
    if not least.isdecimal() or (dots and not most.isdecimal()):
        raise RequestError(f"{field}: must be bytes, or a range of them such as 64..1500, not {text!r}")
    return int(least), int(most if dots else least)


MOST_ORDER = 5
"""The highest order of protection that masked cores have."""


@dataclass(frozen=True)
class Requirement:
    """All that is asked of a core or an engine.

    A mode of which there are engines is asked of an engine, unless `core` asks for the AES core alone; `packets` are
    of engines. `directions` are the mode's, not the core's: to decrypt in CTR a core needs encryption only. `key_bits`
    are sizes of AES keys that it must all have. `clock_mhz` is the clock that it will have; without it each runs at its
    highest. `streams` are independent ones that take turns, which is what fills a pipeline in chained modes. `order` is
    that of protection in the robust probing model, at least; 0 asks for none. `registers` are fields that an engine's
    specification gets, as pairs, the bus that its registers are on first; none asks for its streams. `device` is an
    FPGA that figures are to be of; without one they are of a library.
    """

    mode: Mode = MODES["ecb"]
    directions: tuple[Direction, ...] = (Direction.ENCRYPT,)
    key_bits: tuple[int, ...] = (128,)
    limits: tuple[Limit, ...] = ()
    objective: Objective = Objective(FIGURES["area"], True)
    block_width: int | None = None
    clock_mhz: float | None = None
    streams: int = 1
    order: int = 0
    core: bool = False
    packets: Packets | None = None
    registers: tuple[tuple[str, object], ...] = ()
    device: str = ""

    def __post_init__(self) -> None:
        wrong = [bits for bits in self.key_bits if bits not in self.mode.key_bits]
        if wrong or not self.key_bits:
            valid = ", ".join(map(str, self.mode.key_bits))
            raise RequestError(f"key: must be of {valid} for {self.mode.title}, not {', '.join(map(str, wrong))}")
        if self.block_width not in (None, *BLOCK_WIDTHS):
            widths = " or ".join(map(str, BLOCK_WIDTHS))
            raise RequestError(f"block-width: must be {widths}, not {self.block_width}")
        if self.streams < 1:
            raise RequestError(f"streams: must be 1 or more, not {self.streams}")
        if not 0 <= self.order <= MOST_ORDER:
            raise RequestError(f"protected: must be order=1 to order={MOST_ORDER}, not order={self.order}")
        if self.engine is not None:
            of_cores = {"streams": self.streams > 1, "protected": self.order > 0, "key": len(self.key_bits) > 1}
            if lacking := [name for name, asked in of_cores.items() if asked]:
                given = {"streams": "several", "protected": "an order", "key": "several"}[lacking[0]]
                raise RequestError(
                    f"{lacking[0]}: no engine has {given}; --core asks for the AES core of {self.mode.title} alone"
                )
        elif self.packets is not None:
            why = "--core asks for a core" if self.core else f"there is no engine of {self.mode.title}"
            raise RequestError(f"packets: are of an engine, and {why}; leave one of them out")
        if self.registers:
            self._check_registers(dict(self.registers))
        self._check_figures()

    def _check_figures(self) -> None:
        """Raise RequestError for figures that points of a device, or of a library, do not have."""
        lacking, what = (OF_LIBRARIES, "a library, not of a device") if self.device else (DEVICE_FIGURES, "a device")
        hint = "" if self.device else "; give --device, too"
        for figure in (*(limit.figure for limit in self.limits), self.objective.figure):
            if figure.name in lacking:
                raise RequestError(f"{figure.name}: is a figure of {what}{hint}")

    def _check_registers(self, fields: Mapping[str, object]) -> None:
        """Raise RequestError for registers that no engine has."""
        if "bus" not in fields:
            raise RequestError(f"{_option(next(iter(fields)))}: is of registers; give --bus too, or leave it out")
        bus_of(str(fields["bus"]))
        check_self_test(str(fields.get("self_test", SELF_TESTS[0])), str(fields["bus"]))
        if self.engine is None:
            why = "--core asks for a core" if self.core else f"there is no engine of {self.mode.title}"
            raise RequestError(f"bus: registers are of an engine, and {why}; leave one of them out")
        if self.block_width not in (None, WORD_BITS):
            raise RequestError(f"block-width: must be {WORD_BITS} with a bus, not {self.block_width}")

    @property
    def engine(self) -> str | None:
        """The mode's name among engines, if an engine is asked for."""
        return None if self.core or not self.mode.engine else self.mode.engine

    @cached_property
    def bounds(self) -> tuple[Limit, ...]:
        """All limits, with the one that the clock is: the same objects each time."""
        clock = () if self.clock_mhz is None else (Limit(FIGURES["fmax"], self.clock_mhz),)
        return (*self.limits, *clock)

    @property
    def core_directions(self) -> frozenset[Direction]:
        """The directions of AES that a core must have."""
        return self.mode.core_directions(self.directions)

    @property
    def needs_power(self) -> bool:
        """Whether power or energy is limited or decides."""
        return not {"power", "energy"}.isdisjoint(
            f.name for f in (self.objective.figure, *(x.figure for x in self.limits))
        )

    @property
    def chained(self) -> bool:
        """Whether a block of a stream waits for the one before, in one of the directions; an engine sees to it."""
        return self.engine is None and not self.mode.chained.isdisjoint(self.directions)

    def __str__(self) -> str:
        way = " and ".join(f"{direction}ion" for direction in self.directions)
        parts = [f"{self.mode.title} {way}, key {' and '.join(map(str, self.key_bits))}"]
        parts += [str(limit) for limit in self.limits]
        if self.clock_mhz is not None:
            parts.append(f"at {written(self.clock_mhz, 'MHz')}")
        if self.block_width is not None:
            parts.append(f"ports of {self.block_width} bits")
        if self.streams > 1:
            parts.append(f"{self.streams} streams")
        if self.order:
            parts.append(f"protected at order {self.order}")
        if self.packets is not None:
            parts.append(str(self.packets))
        if self.registers:
            parts.append(f"registers on {bus_of(str(dict(self.registers)['bus'])).standard}")
        if self.core and self.mode.engine:
            parts.append("the AES core alone")
        if self.device:
            parts.append(f"on {self.device}")
        return f"{'; '.join(parts)}; {self.objective}"


LIMITS = {
    "min_throughput": "throughput",
    "max_area": "area",
    "max_power": "power",
    "max_energy": "energy",
    "min_fmax": "fmax",
    "min_efficiency": "efficiency",
}
DEVICE_LIMITS = {"max_luts": "luts", "max_memories": "memories"}
"""The limits that `requirement` takes, beside `max_latency`, and the figures they are on."""


def requirement(
    mode: str = "ecb",
    directions: str = "enc",
    key: int | tuple[int, ...] = 128,
    *,
    minimise: str | None = None,
    maximise: str | None = None,
    clock: str | None = None,
    block_width: int | None = None,
    streams: int = 1,
    protected: str | None = None,
    core: bool = False,
    packets: Packets | None = None,
    registers: Mapping[str, object] | None = None,
    max_latency: str | None = None,
    device: str | None = None,
    **limits: str | None,
) -> Requirement:
    """A requirement from words, such as `requirement("cbc", "encdec", min_throughput="10Gbps", minimise="area")`.

    `limits` are named as in `LIMITS`; `max_latency` is a time or a number of cycles; `protected` is such as `order=1`;
    with `core` the AES core alone is asked for, in place of an engine of the mode; `registers` are fields such as
    `{"bus": "axi4-lite"}`. With a `device`, `max_luts` and `max_memories` are limits, too. Without `minimise` and
    `maximise` the least area decides, on a device the fewest LUTs. Raises RequestError, naming the field, for what
    cannot be.
    """
    known = LIMITS | DEVICE_LIMITS
    unknown = [name for name in limits if name not in known]
    if unknown:
        raise RequestError(f"requirement: {unknown[0]} must be one of {', '.join(known)}, max_latency")
    every = FIGURES | DEVICE_FIGURES
    found = [
        Limit(every[figure], every[figure].kind.parse(text, _option(name)))
        for name, figure in known.items()
        if (text := limits.get(name)) is not None
    ]
    if max_latency is not None:
        found.append(_latency(max_latency))
    return Requirement(
        mode_by_name(mode),
        directions_by_name(directions),
        (key,) if isinstance(key, int) else tuple(dict.fromkeys(key)),
        tuple(found),
        _objective(minimise, maximise, device),
        block_width,
        None if clock is None else FREQUENCY.parse(clock, "clock"),
        streams,
        _order(protected),
        core,
        packets,
        tuple((registers or {}).items()),
        device or "",
    )


def _order(text: str | None) -> int:
    """The order of `order=D`; 0 for None."""
    if text is None:
        return 0
    found = re.fullmatch(r"\s*order\s*=\s*([1-9][0-9]*)\s*", text)
    if found is None:
        raise RequestError(f"protected: must be order=1 to order={MOST_ORDER}, not {text!r}")
    return int(found[1])


def _latency(text: str) -> Limit:
    """In clocks if the unit says so, else a time."""
    name = "latency-cycles" if "c" in text.lower() else "latency"
    return Limit(FIGURES[name], FIGURES[name].kind.parse(text, "max-latency"))


def _objective(minimise: str | None, maximise: str | None, device: str | None) -> Objective:
    if minimise is not None and maximise is not None:
        raise RequestError("objective: give --minimise or --maximise, not both: one figure decides, limits do the rest")
    option, name = (
        ("maximise", maximise) if maximise is not None else ("minimise", minimise or ("luts" if device else "area"))
    )
    every = FIGURES | DEVICE_FIGURES
    if name not in every:
        raise not_one_of(option, name, every)
    return Objective(every[name], option == "minimise")


def _option(name: str) -> str:
    return name.replace("_", "-")

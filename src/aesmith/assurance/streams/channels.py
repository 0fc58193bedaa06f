"""A simulator of designs made of channels: whatever is offered and taken, with pauses on every channel.

A program in C++ made from the ports drives the model that Verilator makes. It offers what it is told on each input
channel, in order; takes what the output channels offer; and writes down every transfer with its clock. Payloads that
are not offered are random, and so are the registers at the start. It ends at once, and says why, if an output takes
back what it offered or shows anything while it offers nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.assurance.texts import filled
from aesmith.cores.design import Design
from aesmith.cores.ports import Channel, Meaning, PortDirection
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.verilator import compiled
from aesmith.processes import run
from aesmith.progress import Progress

PATIENCE = 4000
"""Clocks without a transfer after which nothing is expected any more, beside those for which a design is silent."""


@dataclass(frozen=True)
class Offer:
    """A transfer to make: payloads in the channel's order; `after` are transfers that other channels must have made."""

    payloads: tuple[int, ...]
    after: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Transfer:
    """A transfer that was made, and in which clock; `side`: payloads of channels without lines, a clock on."""

    clock: int
    payloads: tuple[int, ...]
    side: tuple[int, ...]


Offers = Mapping[str, Sequence[Offer]]
"""What is offered on each input channel, in order."""


@dataclass(frozen=True)
class ResetAt:
    """A reset in the clock `clock`: what was not transferred by then is dropped, and `offers` are made instead."""

    clock: int
    offers: Offers


@dataclass(frozen=True)
class ClearAt:
    """A clear in so many `clocks` from the clock `clock` on; what is offered goes on being so."""

    clock: int
    clocks: int = 1


_DRIVE_IN = """\
    if (!chan[{n}].on && ready(chan[{n}]) && (chance() & 255) >= chan[{n}].pause) {{
      chan[{n}].on = true;
      auto& p = chan[{n}].offers[chan[{n}].made].payloads; {puts}
    }}
    if (!chan[{n}].on) {{ Words junk(16); for (auto& w : junk) w = chance(); {junk} }}
    top.{valid} = chan[{n}].on == {valid_active};"""
_DRIVE_OUT = """\
    chan[{n}].on = (chance() & 255) >= chan[{n}].pause; top.{ready} = chan[{n}].on == {ready_active};"""
_LOOK_IN = """\
    if (chan[{n}].on && top.{ready} == {ready_active}) {{ chan[{n}].on = false; ++chan[{n}].made; quiet = 0;
      out << "{n} " << clock << "\\n"; }}"""
_LOOK_OUT = """\
    {{ std::vector<Words> now = {{ {gets} }}; bool valid = top.{valid} == {valid_active};
      if (!held[{n}].empty() && (!valid || (now != held[{n}] && !clearing))) {{
        out << "fault {n} takes back what it offered\\n"; return 0; }}
      held[{n}].clear();
      if (valid && !chan[{n}].on) held[{n}] = now;
      if ({quiet} && !valid) for (auto& p : now) for (auto w : p) if (w) {{
        out << "fault {n} shows something while it offers nothing\\n"; return 0; }}
      if (valid && chan[{n}].on) {{ ++chan[{n}].made; quiet = 0;
        waiting = "{n} " + std::to_string(clock); for (auto& p : now) waiting += " " + hex(p); }} }}"""


class ChannelBench:
    """A simulator of a design, compiled in `folder`, which is made; an equal one is kept for others.

    Every channel with lines has both, valid and ready. With `optimised` it takes longer to be there and less to run;
    `progress` as `compiled` has it. Raises RequestError for a design without a reset or sources that Verilator does not
    take, ToolError if a tool fails.
    """

    def __init__(
        self,
        design: Design,
        folder: Path,
        *,
        optimised: bool = False,
        progress: Progress = lambda _what, _done, _total: None,
    ) -> None:
        self.design, self.folder = design, folder
        self.patience = PATIENCE + int(getattr(design, "silent_cycles", 0))
        self.channels = [channel for channel in design.ports.channels if channel.valid is not None]
        self.program = compiled(
            design.name, design.top, design.sources, self._main(), folder, optimised=optimised, progress=progress
        )

    def _main(self) -> str:
        ports = self.design.ports
        if ports.reset is None or ports.clock is None:
            raise RequestError(f"{self.design.name}: has no clock or no reset, and a simulation of channels needs both")
        drive, look, rest = [], [], []
        for n, channel in enumerate(self.channels):
            assert channel.valid is not None
            assert channel.ready is not None
            words: dict[str, object] = {
                "n": n,
                "valid": channel.valid.port,
                "valid_active": channel.valid.active,
                "ready": channel.ready.port,
                "ready_active": channel.ready.active,
                "quiet": int(channel.quiet),
                "puts": " ".join(f"put(top.{port.port}, p[{i}]);" for i, port in enumerate(channel.payloads)),
                "junk": " ".join(f"put(top.{p.port}, cut(junk, {p.width}));" for p in channel.payloads),
                "gets": ", ".join(f"get(top.{port.port}, {port.width})" for port in channel.payloads),
            }
            inward = channel.direction is PortDirection.INPUT
            drive.append((_DRIVE_IN if inward else _DRIVE_OUT).format(**words))
            look.append((_LOOK_IN if inward else _LOOK_OUT).format(**words))
            driven = channel.valid if inward else channel.ready
            rest.append(f"  top.{driven.port} = {1 - driven.active};")
        aside = [c for c in ports.channels if c.valid is None and c.direction is PortDirection.OUTPUT]
        clear = ports.find(Meaning.CLEAR)
        side = [f'" " << hex(get(top.{p.port}, {p.width}))' for channel in aside for p in channel.payloads]
        values = {
            "TOP": self.design.top,
            "CHANNELS": str(len(self.channels)),
            "CLOCK": ports.clock,
            "RESET": ports.reset.port,
            "ACTIVE": str(ports.reset.active),
            "PATIENCE": str(PATIENCE),
            "DRIVE": "\n".join(drive),
            "LOOK": "\n".join(look),
            "REST": "\n".join(rest),
            "SCAN": "" if ports.scan_enable is None else f"  top.{ports.scan_enable} = 0;\n",
            "CLEAR": "" if clear is None else f"    top.{clear.port} = clearing;\n",
            "SIDE": " << ".join(side) or '""',
        }
        return filled("channels.cpp.txt", values)

    def run(
        self,
        offers: Offers,
        *,
        pauses: Mapping[str, int] | None = None,
        seed: int = 1,
        reset: ResetAt | None = None,
        clears: Sequence[ClearAt] = (),
        patience: int | None = None,
    ) -> dict[str, list[Transfer]]:
        """The transfers of each channel, from the reset on if there is one.

        `pauses` are, of 256 clocks, those in which a channel does nothing; `clears` are of a design that can be
        cleared, which may in their clocks offer something else than before; it ends after `patience` clocks without a
        transfer, or after its own. Raises CheckError for a design that breaks
        the rules of a channel or leaves an offer untaken.
        """
        place = {channel.name: n for n, channel in enumerate(self.channels)}
        lines = [
            str(seed),
            f"patience {self.patience if patience is None else patience}",
            *(f"pause {place[name]} {often}" for name, often in (pauses or {}).items()),
        ]
        lines += [*self._lines(offers, place), *(f"clear {each.clock} {each.clocks}" for each in clears)]
        if reset is not None:
            lines += [f"reset {reset.clock}", *self._lines(reset.offers, place)]
        (self.folder / "offers.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        ended = run([str(self.program), "offers.txt", "made.txt"], self.folder, self.folder / "run.log")
        if ended.status:
            raise ToolError(
                f"simulation of {self.design.name}: ended with exit code {ended.status}: {ended.said[-300:]}"
            )
        found: dict[str, list[Transfer]] = {name: [] for name in place}
        for line in (self.folder / "made.txt").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[0] == "reset":
                found = {name: [] for name in place}
            elif words[0] == "fault":
                number, what = words[1], " ".join(words[2:])
                raise CheckError(f"{self.design.name}: channel {self.channels[int(number)].name} {what}")
            else:
                channel = self.channels[int(words[0])]
                values, here = tuple(int(word, 16) for word in words[2:]), len(channel.payloads)
                found[channel.name].append(Transfer(int(words[1]), values[:here], values[here:]))
        return found

    def _lines(self, offers: Offers, place: Mapping[str, int]) -> list[str]:
        lines = []
        for name, each in offers.items():
            payloads = self._channel(name).payloads
            for offer in each:
                after = [f"{place[other]} {count}" for other, count in offer.after.items()]
                values = (
                    f"{value:0{8 * -(-payload.width // 32)}x}"
                    for value, payload in zip(offer.payloads, payloads, strict=True)
                )
                lines.append(" ".join(["offer", str(place[name]), str(len(after)), *after, *values]))
        return lines

    def _channel(self, name: str) -> Channel:
        return next(channel for channel in self.channels if channel.name == name)

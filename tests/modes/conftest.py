"""A simulator of designs made of channels: whatever is offered and taken, with pauses on every channel.

A program in C++ made from the ports drives the model that Verilator makes. It offers what it is told on each input
channel, in order; takes what the output channels offer; and writes down every transfer with its clock. It ends at once,
and says why, if an output takes back what it offered or shows anything while it offers nothing.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests import object_cache

from aesmith.cores.design import CoreDesign, Design, Direction, SourceFile
from aesmith.cores.ports import Channel, PortDirection, block_interface
from aesmith.cores.wrapper import declarations
from aesmith.flow.verilator import find_verilator
from aesmith.flow.yosys import write_sources
from aesmith.modes.message import Cipher
from aesmith.publications import Publication

_VERILATED = ("verilated", "verilated_threads")
"""Units of Verilator's own library that every model needs."""

_KEPT = (sys.executable, str(Path(object_cache.__file__)))
"""Before a compiler's command: what is made of Verilator's library is kept for all tests."""

PATIENCE = 4000
"""Clocks without a transfer after which nothing is expected any more."""


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


_MAIN = r"""
#include "V%(top)s.h"
#include "verilated.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
typedef std::vector<uint32_t> Words;
struct Offer { std::vector<Words> payloads; std::vector<std::pair<int, long>> after; };
struct Chan { std::vector<Offer> offers; long made = 0; bool on = false; unsigned pause = 0; };
static uint32_t state = 1;
static uint32_t chance() { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; }
template <typename T> static void put(T& port, const Words& w) {
  if constexpr (std::is_class<T>::value) { for (size_t i = 0; i < w.size(); ++i) port[i] = w[i]; }
  else { uint64_t v = w[0]; if (w.size() > 1) v |= uint64_t(w[1]) << 32; port = v; }
}
template <typename T> static Words get(const T& port, int bits) {
  Words w((bits + 31) / 32);
  if constexpr (std::is_class<T>::value) { for (size_t i = 0; i < w.size(); ++i) w[i] = port[i]; }
  else { w[0] = uint32_t(port); if (w.size() > 1) w[1] = uint32_t(uint64_t(port) >> 32); }
  return w;
}
static std::string hex(const Words& w) {
  std::string s; char b[9];
  for (size_t i = w.size(); i-- > 0;) { snprintf(b, 9, "%%08x", w[i]); s += b; }
  return s;
}
static Words words(const std::string& s) {
  Words w; for (size_t end = s.size(); end > 0; end -= 8) w.push_back(strtoul(s.substr(end - 8, 8).c_str(), 0, 16));
  return w;
}
int main(int, char** argv) {
  VerilatedContext context;
  V%(top)s top{&context};
  Chan chan[%(channels)d];
  std::ifstream in(argv[1]); std::ofstream out(argv[2]);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream s(line); std::string what; int c; s >> what >> c;
    if (what == "seed") { state = c; continue; }
    if (what == "pause") { s >> chan[c].pause; continue; }
    Offer o; int n; s >> n;
    for (; n > 0; --n) { int other; long count; s >> other >> count; o.after.push_back({other, count}); }
    std::string h; while (s >> h) o.payloads.push_back(words(h));
    chan[c].offers.push_back(o);
  }
  auto ready = [&](const Chan& c) {
    if (size_t(c.made) >= c.offers.size()) return false;
    for (auto& a : c.offers[c.made].after) if (chan[a.first].made < a.second) return false;
    return true;
  };
  top.%(clock)s = 0; top.%(reset)s = 0; top.eval();
  for (int i = 0; i < 3; ++i) { top.%(clock)s = 1; top.eval(); top.%(clock)s = 0; top.eval(); }
  top.%(reset)s = 1;
  std::vector<Words> held[%(channels)d];
  std::string waiting;
  long quiet = 0;
  for (long clock = 0; quiet < %(patience)d; ++clock, ++quiet) {
%(drive)s
    top.eval();
    if (!waiting.empty()) { out << waiting << %(side)s << "\n"; waiting.clear(); }
%(look)s
    top.%(clock)s = 1; top.eval(); top.%(clock)s = 0; top.eval();
  }
  for (auto& c : chan) if (size_t(c.made) < c.offers.size()) { out << "fault not all was taken\n"; break; }
  return 0;
}
"""

_DRIVE_IN = """\
    if (!chan[{n}].on && ready(chan[{n}]) && (chance() & 255) >= chan[{n}].pause) {{
      chan[{n}].on = true;
      auto& p = chan[{n}].offers[chan[{n}].made].payloads; {puts}
    }}
    if (!chan[{n}].on) {{ Words junk(16); for (auto& w : junk) w = chance(); {junk} }}
    top.{valid} = chan[{n}].on;"""
_DRIVE_OUT = "    top.{ready} = chan[{n}].on = (chance() & 255) >= chan[{n}].pause;"
_LOOK_IN = """\
    if (chan[{n}].on && top.{ready}) {{ chan[{n}].on = false; ++chan[{n}].made; quiet = 0;
      out << "{n} " << clock << "\\n"; }}"""
_LOOK_OUT = """\
    {{ std::vector<Words> now = {{ {gets} }};
      if (!held[{n}].empty() && (!top.{valid} || now != held[{n}])) {{ out << "fault {n} takes back\\n"; return 0; }}
      held[{n}].clear();
      if (top.{valid} && !chan[{n}].on) held[{n}] = now;
      if (!top.{valid}) for (auto& p : now) for (auto w : p) if (w) {{ out << "fault {n} shows\\n"; return 0; }}
      if (top.{valid} && chan[{n}].on) {{ ++chan[{n}].made; quiet = 0;
        waiting = "{n} " + std::to_string(clock); for (auto& p : now) waiting += " " + hex(p); }} }}"""


class ChannelBench:
    """A model of a design, compiled in `folder`; runs offers of any kind."""

    def __init__(self, design: Design, folder: Path) -> None:
        self.channels = [channel for channel in design.ports.channels if channel.valid is not None]
        self.side = [channel for channel in design.ports.channels if channel.valid is None]
        self.folder = folder
        folder.mkdir(parents=True)
        (folder / "main.cpp").write_text(self._main(design))
        tool = find_verilator(compiler=True)
        command = [
            str(tool.command),
            "--cc",
            "-Wno-fatal",
            "--quiet",
            "--output-split",
            "0",
            "--top-module",
            design.top,
        ]
        self._call([*command, *write_sources(design, folder)], tool.environment())
        # Of the model, one unit: it is reading headers that takes the compiler long. Of Verilator's own, what is kept.
        model = sorted(path.name for path in (folder / "obj_dir").glob("*.cpp"))
        (folder / "obj_dir" / "all.cc").write_text("".join(f'#include "{unit}"\n' for unit in [*model, "../main.cpp"]))
        include = [f"-I{tool.root / 'include'}", f"-I{tool.root / 'include' / 'vltstd'}", f"-I{folder / 'obj_dir'}"]
        flags = ["-std=c++20", "-O0", "-w", "-pthread", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"]
        program = folder / "obj_dir" / f"V{design.top}"
        for unit in _VERILATED:
            source = str(tool.root / "include" / f"{unit}.cpp")
            self._call([*_KEPT, "g++", *flags, *include[:2], "-c", "-o", f"{unit}.o", source], None)
        parts = [str(folder / "obj_dir" / "all.cc"), *(str(folder / f"{unit}.o") for unit in _VERILATED)]
        self._call(["g++", *flags, *include, *parts, "-o", str(program)], None)
        self.program = program

    def _call(self, command: list[str], environment: dict[str, str] | None) -> None:
        made = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=600
        )
        assert not made.returncode, made.stdout + made.stderr

    def _main(self, design: Design) -> str:
        drive, look = [], []
        for n, channel in enumerate(self.channels):
            assert channel.valid is not None and channel.ready is not None  # noqa: PT018
            words = {"n": n, "valid": channel.valid.port, "ready": channel.ready.port}
            ports = channel.payloads
            words["puts"] = " ".join(f"put(top.{port.port}, p[{i}]);" for i, port in enumerate(ports))
            words["junk"] = " ".join(f"put(top.{p.port}, cut(junk, {p.width}));" for p in ports)
            words["gets"] = ", ".join(f"get(top.{port.port}, {port.width})" for port in ports)
            inward = channel.direction is PortDirection.INPUT
            drive.append((_DRIVE_IN if inward else _DRIVE_OUT).format(**words))
            look.append((_LOOK_IN if inward else _LOOK_OUT).format(**words))
        side = [f'" " << hex(get(top.{p.port}, {p.width}))' for channel in self.side for p in channel.payloads]
        assert design.ports.reset is not None
        cut = (
            "static Words cut(const Words& w, int bits) { Words c(w.begin(), w.begin() + (bits + 31) / 32);\n"
            "  if (bits % 32) c.back() &= (1u << bits % 32) - 1; return c; }\n"
        )
        text = _MAIN % {
            "top": design.top,
            "channels": len(self.channels),
            "clock": design.ports.clock,
            "reset": design.ports.reset.port,
            "patience": PATIENCE,
            "drive": "\n".join(drive),
            "look": "\n".join(look),
            "side": " << ".join(side) or '""',
        }
        return text.replace("int main(", cut + "int main(", 1)

    def run(
        self, offers: Mapping[str, Sequence[Offer]], *, pauses: Mapping[str, int] | None = None, seed: int = 1
    ) -> dict[str, list[Transfer]]:
        """The transfers of each channel. `pauses` are, of 256 clocks, those in which a channel does nothing."""
        place = {channel.name: n for n, channel in enumerate(self.channels)}
        lines = [f"seed {seed}", *(f"pause {place[name]} {often}" for name, often in (pauses or {}).items())]
        for name, each in offers.items():
            for offer in each:
                after = [f"{place[other]} {count}" for other, count in offer.after.items()]
                payloads = (
                    f"{value:0{8 * -(-payload.width // 32)}x}"
                    for value, payload in zip(offer.payloads, self._channel(name).payloads, strict=True)
                )
                lines.append(" ".join(["offer", str(place[name]), str(len(after)), *after, *payloads]))
        (self.folder / "offers.txt").write_text("\n".join(lines) + "\n")
        subprocess.run([self.program, "offers.txt", "made.txt"], cwd=self.folder, check=True, timeout=300)
        found: dict[str, list[Transfer]] = {name: [] for name in place}
        for line in (self.folder / "made.txt").read_text().splitlines():
            words = line.split()
            assert words[0] != "fault", line
            channel = self.channels[int(words[0])]
            values = tuple(int(word, 16) for word in words[2:])
            here = len(channel.payloads)
            found[channel.name].append(Transfer(int(words[1]), values[:here], values[here:]))
        return found

    def _channel(self, name: str) -> Channel:
        return next(channel for channel in self.channels if channel.name == name)


_STAND_IN = """\
// A core that stands in for AES: in order, {clocks} clocks a block, {latency} to a result; takes keys when empty.
module {name} (
{ports}
);
  logic [{latency}-2:0] valid_q;
  logic [{latency}-2:0][127:0] block_q;
  logic [127:0] key_q, sum, product;
  logic [7:0] pause_q;
  logic keyed_q, move;
  assign move = ~valid_q[{latency}-2] | block_ready_i;
  assign key_ready_o = valid_q == '0;
  assign block_ready_o = keyed_q & pause_q == '0 & move & ~key_valid_i;
  assign block_valid_o = valid_q[{latency}-2];
  assign block_o = block_q[{latency}-2] & {{128{{block_valid_o}}}};
  assign sum = (block_i ^ key_q) * 128'h{factor:x};
  assign product = (sum ^ sum >> 61) * 128'h{factor:x};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      keyed_q <= 1'b0;
      pause_q <= '0;
    end else begin
      if (move) valid_q <= {{valid_q[{latency}-3:0], block_valid_i & block_ready_o}};
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      if (block_valid_i & block_ready_o) pause_q <= 8'd{clocks} - 8'd1;
      else if (pause_q != '0) pause_q <= pause_q - 8'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (move) block_q <= {{block_q[{latency}-3:0], product ^ product >> 59}};
    if (key_valid_i & key_ready_o) key_q <= key_i;
  end
endmodule
"""
_FACTOR = 0xD6E8FEB86659FD93A5A3564E27F8862B


def stand_in(clocks: int, latency: int) -> CoreDesign:
    """A core behind the block interface that is no AES but another permutation, `StandIn`, and small."""
    ports = block_interface((128,), (Direction.ENCRYPT,), quiet=True)
    name = f"stand_in_{clocks}_{latency}"
    text = _STAND_IN.format(name=name, ports=declarations(ports), clocks=clocks, latency=latency, factor=_FACTOR)
    return CoreDesign(
        name=name,
        preset="stand-in",
        title="no AES",
        sources=(SourceFile(f"{name}.sv", text),),
        key_bits=(128,),
        directions=(Direction.ENCRYPT,),
        ports=ports,
        cycles_per_block=clocks,
        latency_cycles=latency,
        parameters={},
        publication=Publication("stand-in", "nobody", "none", "none", 0),
    )


class StandIn(Cipher):
    """What a core that stands in computes."""

    def encrypt(self, block: bytes) -> bytes:
        """A block under the permutation."""
        rest = (1 << 128) - 1
        value = (int.from_bytes(block) ^ int.from_bytes(self.key)) * _FACTOR & rest
        value = (value ^ value >> 61) * _FACTOR & rest
        return (value ^ value >> 59).to_bytes(16)

    def constant(self, block: bytes) -> bytes:
        """A block that depends on the key alone."""
        return self.encrypt(block)


@pytest.fixture(scope="session")
def stand_ins() -> tuple[Callable[[int, int], CoreDesign], type[Cipher]]:
    """Cores that stand in for AES, of any clocks and latency, and their model."""
    return stand_in, StandIn


@pytest.fixture(scope="session")
def bench() -> type[ChannelBench]:
    """The simulator of channels, of which one is made for each design."""
    return ChannelBench


@pytest.fixture(scope="session")
def offer() -> type[Offer]:
    """What is offered to it."""
    return Offer

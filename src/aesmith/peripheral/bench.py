"""The test bench of an engine with registers on a bus: its driver, as it is delivered, on its RTL in Verilator.

A program in C++ is the bus's manager. It reads a script (`aesmith.peripheral.scripts`) of single accesses and of
messages for the driver, with what must come of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aesmith.cores.design import SourceFile
from aesmith.modes.buses import bus_of
from aesmith.modes.engine import StreamEngine
from aesmith.modes.registers import mode_number, modes_of
from aesmith.peripheral.scripts import standalone_script
from aesmith.peripheral.texts import template

_PINS = ("scan_enable_i", "clear_i", "alarm_i", "debug_i", "sideload_valid_i", "s_axis_tvalid", "m_axis_tready")
"""Inputs beside the bus that are 0 unless a line says otherwise."""
_CLEARS = """\
    } else if (what == "clear") {
      must_be("status", number(0), uint32_t(@NAME@_clear(&device)));
      must_be("bus errors", 0u, bus_errors);
"""


_TESTS = """\
    } else if (what == "test") {
      must_be("status", number(0), uint32_t(@NAME@_self_test(&device)));
      must_be("bus errors", 0u, bus_errors);
"""


_VAULT = """\
    } else if (what == "vault") {
      Bytes key = bytes_of(of.at(1));
      for (size_t place = 0; place < key.size(); place++) {
        uint32_t &word = top->sideload_key_i[key.size() / 4 - 1 - place / 4];
        word = word << 8 | key[place];
      }
@SLOT@      top->sideload_valid_i = 1;
      for (unsigned wait = 0; ; wait++) {
        settle();
        bool taken = top->sideload_ready_o;
        tick();
        if (taken) break;
        if (wait == Patience) give_up("no sideload_ready_o");
      }
      top->sideload_valid_i = 0;
      for (auto &word : top->sideload_key_i.m_storage) word = chance();
"""
_VAULT_SLOT = "      top->sideload_slot_i = number(0);\n"


_STREAMS = """\
    } else if (what == "stream") {
      size_t words = 0, sent = 0;
      while (of.at(words) != "/") words++;
      Bytes answer;
      bool ended = false;
      uint32_t user = 0;
      for (unsigned wait = 0; !ended || sent < words; wait++) {
        top->s_axis_tvalid = sent < words && (top->s_axis_tvalid || !idles());
        top->m_axis_tready = !idles();
        if (sent < words) {
          Bytes bytes = bytes_of(of.at(sent).substr(2));
          top->s_axis_tdata = top->s_axis_tkeep = 0;
          top->s_axis_tlast = sent + 1 == words;
          top->s_axis_tuser = uint32_t(std::stoul(of.at(sent).substr(0, 1)));
          for (size_t i = 0; i < bytes.size(); i++) {
            top->s_axis_tdata |= uint32_t(bytes[i]) << 8 * i;
            top->s_axis_tkeep |= 1u << i;
          }
        }
        settle();
        bool taken = top->s_axis_tvalid && top->s_axis_tready;
        if (top->m_axis_tvalid && top->m_axis_tready) {
          for (unsigned i = 0; i < 4; i++)
            if (top->m_axis_tkeep >> i & 1) answer.push_back(uint8_t(top->m_axis_tdata >> 8 * i));
          ended = top->m_axis_tlast;
          user = top->m_axis_tuser;
        }
        tick();
        if (taken) { ++sent; top->s_axis_tvalid = 0; }
        if (wait == Patience) give_up("no end of the streams");
      }
      top->s_axis_tvalid = top->m_axis_tready = 0;
      must_be("answer", of.at(words + 1), hex(answer));
      must_be("tuser", number(words + 2), user);
"""


_CALL = """
#[no_mangle]
pub extern "C" fn @NAME@_{name}(_: *mut CDevice) -> c_int {{
    status(device().{name}(), None)
}}
"""


def filled(name: str, values: Mapping[str, str]) -> str:
    """A template with each `@NAME@` of `values` filled in."""
    text = template(name)
    for label, value in values.items():
        text = text.replace(f"@{label}@", value)
    return text


def peripheral_testbench(engine: StreamEngine, script: Sequence[str] | None = None) -> tuple[SourceFile, ...]:
    """The files of a build's `tb` folder: the program, a script, and a Makefile; the same text for the same engine.

    The Makefile expects the sources in `../rtl` and the driver in `../driver`.
    """
    name = engine.name
    values = {
        "RTL": " ".join(f"../rtl/{source.name}" for source in engine.sources),
        "CLEARS": _CLEARS if engine.clear else "",
        "PINS": "".join(f"  top->{port.name} = 0;\n" for port in engine.ports if port.name in _PINS),
        "STREAMS": _STREAMS if engine.data_streams else "",
        "VAULT": _VAULT.replace("@SLOT@", _VAULT_SLOT if engine.key_slots > 1 else "") if engine.sideload else "",
        "TESTS": _TESTS if engine.self_test != "none" else "",
        "BUS": template(f"{bus_of(engine.bus).adapter}.cpp.txt"),
        "UPPER": name.upper(),
        "NAME": name,
    }
    calls = {"clear": engine.clear, "self_test": engine.self_test != "none"}
    more = "".join(_CALL.format(name=call) for call, there in calls.items() if there)
    foreign = {
        "MORE": more.replace("@NAME@", name),
        "MODES": "".join(
            f"        {mode_number(mode)} => Mode::{mode.capitalize()},\n" for mode in modes_of(engine.behind_bus)
        ),
        "BROKEN": "        Err(Error::Broken) => 6,\n" * (engine.self_test != "none"),
        "NAME": name,
    }
    lines = standalone_script(engine) if script is None else script
    return (
        SourceFile(f"tb_{name}.cpp", filled("bench.cpp.txt", values)),
        SourceFile(f"{name}_script.txt", "\n".join(lines) + "\n"),
        SourceFile("driver_ffi.rs", filled("driver_ffi.rs.txt", foreign)),
        SourceFile("Makefile", filled("bench.mk.txt", values)),
    )

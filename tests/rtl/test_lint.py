"""Every packaged file is clean by itself under Verilator's -Wall, with each set of parameters that a core gives it.

Builds named `aesmith` have the files as they are checked in, but for those in a role, which are renamed. The circuits
that Python emits are there as interfaces only; which parameters a module gets, Verilator says.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.probing.bench import with_surroundings
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.narrow import with_key_kept
from aesmith.cores.sources import PREFIX, packaged_modules, packaged_rtl, renamed
from aesmith.cores.specification import build_design, parse_specification
from aesmith.cores.wrapper import declarations
from aesmith.flow.verilator import find_verilator
from aesmith.foreign.description import ForeignDescription, parse_description
from aesmith.foreign.design import foreign_design
from aesmith.modes.cfb8_engine import Cfb8Engine
from aesmith.modes.clear_top import FRAME
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.gcm_engine import GcmEngine, Release
from aesmith.modes.gcm_lanes_engine import GcmLanesEngine
from aesmith.modes.narrow_top import CONVERTERS
from aesmith.modes.ocb_engine import OcbEngine
from aesmith.modes.words import WIDTHS
from aesmith.modes.xts_engine import XtsEngine

SPECIFICATIONS: list[dict[str, Any]] = [
    *(
        {"preset": f"ueno2020-{core}"}
        for core in ("enc", "enc-192", "enc-256", "encdec", "encdec-192", "encdec-256", "encdec-selectable")
    ),
    {"preset": "ueno2020-encdec", "demultiplexer": False},
    *({"preset": f"ueno2020-enc{key}", "rounds_per_clock": k} for key, k in (("", 2), ("-192", 6), ("-256", 7))),
    *({"preset": "ueno2020-enc", "blocks_in_flight": slots, "key_bits": 192} for slots in (2, 5)),
    {"preset": "ueno2020-encdec", "blocks_in_flight": 2},
    {"preset": "ueno2020-encdec-selectable", "blocks_in_flight": 3},
    *({"preset": core} for core in ("ueno2020-enc-p2", "ueno2020-encdec-p2", "satoh2001-encdec", "liu2009-encdec")),
    {"preset": "liu2009-encdec", "circuits": "as-published"},
    *({"preset": f"ueno2020-{core}", "clock_gates": True} for core in ("enc", "encdec-192", "encdec-selectable")),
    {"preset": "lutz2002-encdec", "clock_gates": True},
    *({"preset": core} for core in ("lutz2002-encdec", "sasebo-tower-enc", "boyar2010-enc")),
    {"preset": "serial-small-enc", "output": "registered"},
    *({"preset": core} for core in ("serial-encdec", "hamalainen2006-enc", "wang2010-s4-enc-192")),
    *({"preset": f"wang2010-s{stages}-enc", "clock_gates": stages % 2 == 0} for stages in range(1, 6)),
    {"preset": "wang2010-s4-enc-256"},
    {"preset": "hamalainen2006-enc", "clock_gates": True},
    *({"preset": "serial-shared-enc", "stages": stages, "clock_gates": stages % 2 == 0} for stages in range(1, 5)),
    *({"preset": "serial-shared-enc", "key_bits": bits, "stages": 1} for bits in (192, 256)),
    *({"preset": "serial-shared-gated-enc", "key_bits": bits} for bits in (192, 256)),
    {"preset": "serial-shared-keyed-enc"},
    *({"preset": "serial-shared-keyed-enc", "key_bits": bits} for bits in (192, 256)),
    *({"preset": "column-enc", "stages": stages, "clock_gates": stages == 3} for stages in range(2, 5)),
    *({"preset": "column-beat32-enc", "stages": stages, "clock_gates": stages == 3} for stages in range(2, 5)),
    *({"preset": "column-beat32-encdec", "key_bits": bits} for bits in (128, 192, 256)),
    {"preset": "column-beat32-gated-encdec", "key_bits": [128, 192, 256]},
    *({"preset": "serial-shared16-gated-enc", "stages": stages, "clock_gates": stages == 2} for stages in (1, 2)),
    {"preset": "serial-shared16-keyed-gated-enc", "clock_gates": False},
    {"preset": "serial-shared16-keyed-gated-enc"},
    {"preset": "serial-shared-small-enc"},
    *({"preset": "serial-bit-enc", "clock_gates": gated} for gated in (False, True)),
    *({"preset": "serial-memory-enc", "multiples": multiples} for multiples in ("table", "gates")),
    *({"preset": "serial-shared-encdec", "clock_gates": gated} for gated in (False, True)),
    {"preset": "serial-shared-dec"},
    {"preset": "masked-round-enc", "order": 2, "clocks": 3},
    {"preset": "masked-round-gated-enc"},
    {"preset": "masked-round-gated-trivium-enc"},
    {"preset": "masked-round-enc", "prng": "bivium", "prng_steps": 150},
    {"preset": "masked-loop-enc", "order": 2, "clocks": 3},
    {"preset": "masked-loop-gated-enc"},
    {"preset": "masked-round-encdec", "order": 2, "clocks": 3},
    {"preset": "masked-round-gated-encdec"},
    {"preset": "masked-serial-enc", "order": 2},
    {"preset": "masked-serial-gated-enc"},
    {"preset": "masked-serial-keyed-gated-enc"},
    {"preset": "masked-column-enc", "order": 2, "clocks": 3},
    {"preset": "masked-column-gated-enc"},
    {"architecture": "subpipelined", "stages": 1, "key_agile": True, "skid_entries": 2},
    {"architecture": "subpipelined", "stages": 2, "rounds_in_loop": 2},
    {"architecture": "subpipelined", "stages": 1, "key_bits": [128, 192, 256]},
    {"architecture": "subpipelined", "stages": 2, "directions": ["decrypt"], "key_bits": 192},
    {"architecture": "subpipelined", "stages": 3, "directions": ["encrypt", "decrypt"], "key_bits": 256},
]

Case = tuple[str, tuple[tuple[str, int], ...]]
"""A module and the values of its parameters."""

EACH = "each_by_itself"

GCM_ENGINES: tuple[tuple[int, Release], ...] = ((8, "verified"), (128, "cut-through"))

_INTERFACE = re.compile(r"^module \w+ \(.*?^\);\n", re.MULTILINE | re.DOTALL)
_STUB = "// verilator lint_off UNUSEDSIGNAL\n// verilator lint_off UNDRIVEN\n{}endmodule\n"


def verilator(folder: Path, arguments: list[str]) -> str:
    """What Verilator says."""
    tool = find_verilator()
    command = [str(tool.command), "--quiet", *arguments]
    run = subprocess.run(command, cwd=folder, env=tool.environment(), capture_output=True, text=True, check=False)
    return run.stderr


def write_with_stubs(design: CoreDesign, packaged: Mapping[str, str], folder: Path) -> list[str]:
    """Writes the packaged files of a design and the interfaces of all others; the names of all."""
    folder.mkdir()
    for source in design.sources:
        text = source.text
        if source.name.endswith(".v"):
            text = f"// verilator lint_off DECLFILENAME\n{text}"
        elif text not in packaged and source.name != f"{design.top}.sv":
            interface = _INTERFACE.search(text)
            assert interface is not None, source.name
            text = _STUB.format(interface[0])
        (folder / source.name).write_text(text)
    return [source.name for source in design.sources]


def cases_of(design: CoreDesign, folder: Path, files: list[str]) -> list[Case]:
    """Each module of the elaborated design with the values of its parameters."""
    arguments = ["--json-only", "-Wno-fatal", "--top-module", design.top, *files]
    verilator(folder, [*arguments, "--json-only-output", "tree.json", "--json-only-meta-output", "meta.json"])
    found = []
    for module in json.loads((folder / "tree.json").read_text())["modulesp"]:
        values = tuple(
            (str(item["name"]), int(item["valuep"][0]["name"].split("h")[1], 16))
            for item in module.get("stmtsp", ())
            if item.get("varType") == "GPARAM"
        )
        found.append((str(module["origName"]), values))
    return found


def each_by_itself(cases: Sequence[Case]) -> str:
    """A module that has every case as an instance, connected to nothing: so none is there for the sake of another."""
    lines = [
        f"  {module} #({', '.join(f'.{name}({value})' for name, value in values)}) u_{number} ();"
        for number, (module, values) in enumerate(cases)
    ]
    return "\n".join(("// verilator lint_off PINMISSING", f"module {EACH};", *lines, "endmodule", ""))


def complaints_of(cases: Sequence[Case], folder: Path, files: list[str]) -> str:
    """What Verilator says of modules with these parameters, each by itself, under -Wall."""
    (folder / f"{EACH}.sv").write_text(each_by_itself(cases))
    return verilator(folder, ["--lint-only", "-Wall", "--top-module", EACH, f"{EACH}.sv", *files])


def in_roles(sources: Sequence[SourceFile]) -> dict[str, str]:
    """Text and packaged name of each packaged file among the sources of a build named `aesmith`."""
    texts = {module: packaged_rtl(module) for module in packaged_modules()}
    found = {}
    for source in sources:
        name = source.name.removesuffix(".sv")
        for module, text in texts.items():
            same_lines = source.text.count("\n") == text.count("\n")  # which spares most of the renaming
            if same_lines and source.text == renamed(text, {PREFIX + module: name}):
                found[source.text] = module
    return found


def foreign_descriptions(folder: Path) -> list[ForeignDescription]:
    """A core of somebody else's that says when it is done, one that takes a number of clocks, and narrow ones."""
    lines = "input clk, rst, key_start, start, output done, output [127:0] result"
    module = (
        f"module theirs ({lines}, input [127:0] key, block);\nassign done = start, result = key ^ block;\nendmodule"
    )
    (folder / "theirs.v").write_text(module)
    found = []
    for ends in ({"done": "done"}, {"clocks": 11}):
        key = {"data": "key", "start": "key_start"} | ends
        ports = {
            "clock": "clk",
            "reset": "rst",
            "key": key,
            "block": {"data": "block", "start": "start"},
            "result": {"data": "result"} | ends,
        }
        fields = {"rtl": ["theirs.v"], "top": "theirs", "latency_cycles": 12, "ports": ports}
        found.append(parse_description(fields, folder, "lint"))
    lines = "input clk, rst, key_valid, valid, start, output ready, done"
    for bits, key_bits, each_block in ((8, 32, False), (32, 8, True)):
        text = f"input [{key_bits - 1}:0] key, input [{bits - 1}:0] block, output [{bits - 1}:0] result"
        (folder / f"narrow_{bits}.v").write_text(
            f"module narrow ({lines}, {text});\nassign done = valid, ready = start, result = block;\nendmodule"
        )
        ports = {
            "clock": "clk",
            "reset": "rst",
            "key": {"data": "key", "valid": "key_valid", "clocks": 16, "each_block": each_block},
            "block": {"data": "block", "valid": "valid", "ready": "ready", "start": "start", "start_beat": -1},
            "result": {"data": "result", "valid": "done", "beat_order": "last beat first"},
        }
        fields = {"rtl": [f"narrow_{bits}.v"], "top": "narrow", "latency_cycles": 40, "ports": ports}
        found.append(parse_description(fields, folder, "lint"))
    return found


def empty_core(preset: str, name: str = "lint_core") -> CoreDesign:
    """A core with the ports of that one, and nothing in it."""
    core = build_design(parse_specification({"preset": preset}), name, "lint")
    interface = f"module {name} (\n{declarations(core.ports)}\n);\nendmodule\n"
    return replace(core, sources=(SourceFile(f"{name}.sv", interface),))


def around(modules: Sequence[str], bits: int) -> CoreDesign:
    """What stands around an engine of another name and has words of so many bits."""
    names = [PREFIX + module for module in modules]
    instances = [f"  {name} #(.WordBits({bits})) u_{name} ();" for name in names]
    top = SourceFile(
        "lint_words.sv",
        "\n".join(["// verilator lint_off PINMISSING", "module lint_words;", *instances, "endmodule", ""]),
    )
    sources = [SourceFile(f"{PREFIX}{module}.sv", packaged_rtl(module)) for module in modules]
    return replace(empty_core("ueno2020-enc"), name="lint_words", sources=(*sources, top))


@pytest.mark.thorough
def test_every_packaged_file_is_clean_by_itself(tmp_path: Path) -> None:
    done: set[Case] = set()
    complaints = []
    designs: list[Any] = [build_design(parse_specification(fields), "aesmith", "lint") for fields in SPECIFICATIONS]
    designs += [with_key_kept(design) for design in designs if design.ports.key_with_block]
    designs += [with_surroundings(design) for design in designs if design.in_shares]
    designs += [foreign_design(own, "aesmith") for own in foreign_descriptions(tmp_path)]
    core, *of_words = map(empty_core, ("ueno2020-enc", "serial-shared-small-enc", "column-beat32-enc"))
    designs += [CtrEngine("aesmith", core, cores, 16 * cores) for cores in (1, 8)]
    designs += [GcmEngine("aesmith", core, digit=digit, release=release) for digit, release in GCM_ENGINES]
    designs += [Cfb8Engine("aesmith", core, cores) for cores in (1, 2)]
    designs += [Cfb8Engine("aesmith", core, chain="registered")]
    designs += [CmacEngine("aesmith", own) for own in (core, *of_words)]
    tweaks = [empty_core(preset, "lint_tweak") for preset in ("ueno2020-enc", "serial-shared-small-enc")]
    designs += [XtsEngine("aesmith", core, tweak_core=own) for own in tweaks]
    designs += [GcmEngine("aesmith", core, digit=128, splits="oooo", ghash_stages=stages) for stages in (2, 3)]
    both = empty_core("ueno2020-encdec", "lint_both")
    designs += [OcbEngine("aesmith", own, release="verified") for own in (core, both)]
    designs += [OcbEngine("aesmith", both, 2, release="cut-through")]
    designs += [CtrEngine("aesmith", core, 8, width // 8, stream_bits=width) for width in (256, 512)]
    designs += [
        GcmLanesEngine("aesmith", core, width // 128, splits="ooooo", stream_bits=width) for width in (256, 512)
    ]
    designs += [CtrEngine("aesmith", core, key_slots=slots) for slots in (2, 64)]
    designs += [GcmEngine("aesmith", core, ring="memory")]
    designs += [around(CONVERTERS, bits) for bits in WIDTHS[:-1]]
    designs += [around([FRAME], bits) for bits in WIDTHS]
    for number, design in enumerate(designs):
        packaged = in_roles(design.sources)
        folder = tmp_path / str(number)
        files = write_with_stubs(design, packaged, folder)
        modules = {source.name.removesuffix(".sv"): packaged.get(source.text) for source in design.sources}
        cases = {
            (modules[module] or "", values): (module, values)
            for module, values in cases_of(design, folder, files)
            if modules.get(module)
        }
        new = [case for packaged_case, case in cases.items() if packaged_case not in done]
        done |= cases.keys()
        if new and (said := complaints_of(new, folder, files)):
            complaints.append(f"{design.title}: {said}")
    assert not complaints, "\n".join(complaints)
    assert {module for module, _ in done} == {*packaged_modules()}


SLIPS = {
    "UNUSEDSIGNAL": ("  logic spare;\n", "assign spare = valid_i;"),
    "WIDTHTRUNC": ("", "logic [1:0] three; assign three = 3'd5 + {2'd0, valid_i}; assign sum_o = three[0] ^ three[1];"),
    "UNDRIVEN": ("  logic nothing;\n", "assign sum_o = nothing;"),
    "LATCH": ("", "always_comb if (valid_i) sum_o = 1'b1;"),
    "WIDTHEXPAND": ("", "assign sum_o = {(Width){valid_i}} == 9'd3;"),
}


@pytest.mark.parametrize("warning", SLIPS)
def test_a_slip_is_told_of_a_module_that_nothing_is_connected_to(warning: str, tmp_path: Path) -> None:
    before, body = SLIPS[warning]
    rest = "" if "sum_o" in body else "  assign sum_o = ^data_i;\n"
    used = "" if "valid_i" in body else "  assign unused = valid_i;\n"
    text = (
        "module slip #(parameter int unsigned Width = 1) (input logic valid_i, input logic [Width-1:0] data_i, "
        f"output logic sum_o);\n{before}{rest}{used}  {body}\nendmodule\n"
    )
    (tmp_path / "slip.sv").write_text(text)
    assert f"Warning-{warning}" in complaints_of([("slip", (("Width", 4),))], tmp_path, ["slip.sv"])

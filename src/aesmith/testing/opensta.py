"""The same timing by OpenSTA, the independent oracle (Debian package `opensta`; versions from 2.0.17)."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from aesmith.errors import RequestError, ToolError
from aesmith.scratch import work_folder
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.timing.static import TimingConditions, default_conditions

# Old versions apply the library's default wire load, new ones do not: without the line both time bare cells.
_WIRE_LOAD = re.compile(r"^\s*default_wire_load\s*:[^;\n]*;?", re.MULTILINE)
# Where pins state a range, version 2.0.17 takes its upper end without parasitics and its lower end with them, so that
# wires may make a netlist faster. Without the lines both are of the nominal capacitance.
_RANGE = re.compile(r"^\s*(?:rise_|fall_)?capacitance_range\s*\([^()]*\)\s*;?", re.MULTILINE)
# A short period, because slacks are single-precision numbers: with a long one the delay would lose its last digits.
_SCRIPT = """\
set sta_recovery_removal_checks_enabled 0
{libraries}
read_verilog netlist.v
link_design {top}
{parasitics}
set_cmd_units -time ns -capacitance fF -resistance kohm -voltage V -current mA -power nW -distance um
create_clock -name aesmith_clock -period 1 {clock}
set inputs {{}}
foreach port [all_inputs] {{
  if {{[get_property $port full_name] ne {{{clock_port}}}}} {{ lappend inputs $port }}
}}
set outputs [all_outputs]
set clocked [all_registers -clock_pins]
set data [all_registers -data_pins]
if {{[llength $inputs]}} {{
  set_input_delay 0 -clock aesmith_clock $inputs
  set_input_transition {slew} $inputs
}}
if {{[llength $outputs]}} {{
  set_output_delay 0 -clock aesmith_clock $outputs
  set_load -pin_load {load} $outputs
}}
proc worst {{name from to}} {{
  if {{[llength $from] && [llength $to]}} {{
    foreach end [find_timing_paths -from $from -to $to -path_delay max] {{
      puts "aesmith $name [get_property $end slack]"
    }}
  }}
}}
worst register_to_register $clocked $data
worst input_to_register $inputs $data
worst register_to_output $clocked $outputs
worst input_to_output $inputs $outputs
puts "aesmith done 0"
"""
_RESULT = re.compile(r"^aesmith (\w+) (\S+)$", re.MULTILINE)
# It goes on after an error, and takes a cell it does not know for an empty box.
_COMPLAINT = re.compile(r"^(Error.*|.*black box.*|.*spef, line .* not found.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_][\w$]*")


@dataclass(frozen=True)
class OpenStaReport:
    """Worst delays in ns, meant as those of `aesmith.timing.static.TimingReport`; None where there is no path."""

    version: str
    period_ns: float | None
    input_to_register_ns: float | None
    register_to_output_ns: float | None
    input_to_output_ns: float | None


def version() -> str:
    """The version of the `sta` in the PATH. Raises ToolError if there is none."""
    return _run([_executable(), "-version"], Path.cwd(), 60).strip()


def analyse(
    netlist_path: Path,
    library: Library,
    top: str,
    clock_port: str | None,
    conditions: TimingConditions | None = None,
    *,
    parasitics: Path | None = None,
    timeout_seconds: float = 600,
) -> OpenStaReport:
    """Time a netlist file with OpenSTA under the same conditions as `aesmith.timing.static.analyse`; `parasitics` is a
    SPEF file with its wires. Pins have their nominal capacitances: ranges in the library are left out.

    Raises ToolError if `sta` is missing or fails, RequestError if the netlist cannot be read.
    """
    executable = _executable()
    surroundings = conditions or default_conditions(library)
    for field, name in (("top", top), ("clock_port", clock_port or "clk")):
        if not _NAME.fullmatch(name):
            raise RequestError(f"{field}: must be a plain Verilog name, not {name!r}")
    try:
        netlist = netlist_path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"netlist: {netlist_path} cannot be read ({error})") from error
    texts = [_WIRE_LOAD.sub("", _RANGE.sub("", read_text(file))) for file in library.files or (library.path,)]
    script = _SCRIPT.format(
        libraries="\n".join(f"read_liberty library{i}.lib" for i in range(len(texts))),
        top=top,
        clock=f"[get_ports {clock_port}]" if clock_port else "",
        clock_port=clock_port or "",
        slew=f"{surroundings.input_slew_ns:.9g}",
        load=f"{surroundings.output_load_ff:.9g}",
        parasitics="read_spef wires.spef" if parasitics else "",
    )
    with work_folder("opensta") as folder:
        for i, text in enumerate(texts):
            (folder / f"library{i}.lib").write_text(text)
        (folder / "netlist.v").write_text(netlist)
        (folder / "run.tcl").write_text(script)
        if parasitics is not None:
            (folder / "wires.spef").write_text(parasitics.read_text())
        output = _run([executable, "-no_splash", "-exit", "run.tcl"], folder, timeout_seconds)
    return _report(output, version())


def _report(output: str, found_version: str) -> OpenStaReport:
    if complaint := _COMPLAINT.search(output):
        raise ToolError(f"OpenSTA (sta) could not time the netlist: {complaint[1]}")
    delays: dict[str, float] = {}
    for name, slack in _RESULT.findall(output):
        delays[name] = max(1.0 - float(slack), delays.get(name, float("-inf")))
    if "done" not in delays:
        raise ToolError(f"OpenSTA (sta) did not finish: {_last_words(output)}")
    return OpenStaReport(
        version=found_version,
        period_ns=delays.get("register_to_register"),
        input_to_register_ns=delays.get("input_to_register"),
        register_to_output_ns=delays.get("register_to_output"),
        input_to_output_ns=delays.get("input_to_output"),
    )


def _executable() -> str:
    found = shutil.which("sta")
    if found is None:
        raise ToolError("OpenSTA (sta) is not installed; on Debian and Ubuntu: apt install opensta")
    return found


def _run(command: list[str], folder: Path, timeout_seconds: float) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"OpenSTA (sta) took longer than {timeout_seconds:g} s") from error
    if done.returncode != 0:
        raise ToolError(f"OpenSTA (sta) failed with code {done.returncode}: {_last_words(done.stdout)}")
    return done.stdout


def _last_words(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("aesmith ")]
    return " / ".join(lines[-3:]) or "no output"

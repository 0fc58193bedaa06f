"""From a core to a simulator of it: a harness around the core, through Verilator and the C++ compiler.

The harness has few ports for the testbench to touch, and the Monte Carlo loop. What the core said just before the last
rising edge stands in registers, so one look a clock sees every transfer, whatever a core's outputs derive from its
inputs within the clock. The testbench looks at falling edges; clocks in which nothing moves can pass without it, since
to wake it takes far longer than to run a clock.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

import cocotb_tools.config
import find_libpython

from aesmith.cache import Cache, digest, subfolder
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import SCAN_ENABLE, Line, Meaning
from aesmith.cores.wrapper import attach, behind_block_interface
from aesmith.errors import RequestError, ToolError
from aesmith.flow.verilator import BUILD_FLAGS, MAKE_VARIABLES, Verilator, find_verilator
from aesmith.processes import query, run
from aesmith.progress import Progress

HARNESS = "aesmith_harness"
"""Module name of the harness."""

# The bits of the harness's `control` port.
KEY_VALID, BLOCK_VALID, RESULT_READY, DECRYPT, RUN, CHAIN, CLEAR, RANDOM = (1 << bit for bit in range(8))
# The bits of its `handshake` port.
KEY_READY, BLOCK_READY, RESULT_VALID, IDLE_SHOWN = (1 << bit for bit in range(4))

_SIGNALS: dict[str, str | Line] = {
    "clock": "clk",
    "reset": Line("control[4]", active=0),
    SCAN_ENABLE: "1'b0",
    "clear.clear": "control[6]",
    "key.valid": "control[0]",
    "key.ready": "key_ready",
    "key.key": "key",
    "block.valid": "block_valid",
    "block.ready": "block_ready",
    "block.block": "block_in",
    "block.direction": "control[3]",
    "result.valid": "result_valid",
    "result.ready": "result_ready",
    "result.result": "result_out",
    "random.valid": "control[7]",
}
"""The harness's signal at each port of the core."""

_TEMPLATE = """\
module {harness} (
  input  logic                 clk           /* verilator public_flat_rw */,
  input  logic [7:0]           control       /* verilator public_flat_rw */,
  input  logic [{key_msb}:0]   key           /* verilator public_flat_rw */,
  input  logic [{block_msb}:0] block         /* verilator public_flat_rw */,
  output logic [3:0]           handshake     /* verilator public_flat_rd */,
  output logic [{block_msb}:0] result        /* verilator public_flat_rd */,
  output logic [31:0]          cycle         /* verilator public_flat_rd */,

  // `wake` changes at the falling edge after a transfer, after a change on the result's channel, and at the latest
  // after `most` clocks; `passed` are the clocks since it changed before.
  input  logic [31:0]          most          /* verilator public_flat_rw */,
  output logic [31:0]          passed        /* verilator public_flat_rd */,
  output logic                 wake          /* verilator public_flat_rd */,

  // The chain feeds each result back as the next block: `chain_length` blocks, the first one is `chain_start`.
  input  logic [31:0]          chain_length  /* verilator public_flat_rw */,
  input  logic [31:0]          chain_patience /* verilator public_flat_rw */,
  input  logic [127:0]         chain_start   /* verilator public_flat_rw */,
  output logic                 chain_end     /* verilator public_flat_rd */,
  output logic [31:0]          chain_left    /* verilator public_flat_rd */,
  output logic [127:0]         chain_before  /* verilator public_flat_rd */,
  output logic [127:0]         chain_block   /* verilator public_flat_rd */
);
  localparam int unsigned Width = {width};
  localparam int unsigned Beats = 128 / Width;

  logic             key_ready, block_valid, block_ready, result_valid, result_ready;
  logic [Width-1:0] block_in, result_out;
  logic             chain;
  assign chain = control[5];

{core}

  // Whether a quiet output was anything but 0 in any clock so far in which nothing was offered.
  logic             idle_shown;
  initial idle_shown = 1'b0;
  always_ff @(posedge clk) idle_shown <= idle_shown || {shown};

  always_ff @(posedge clk) begin
    handshake <= {{idle_shown || {shown}, result_valid, block_ready, key_ready}};
    result    <= result_out;
    cycle     <= cycle + 1;
  end
  initial cycle = 0;

  logic        moved, changed, due, stalled;
  logic [31:0] waited;
  assign moved = (control[0] && key_ready) || (block_valid && block_ready) || (result_valid && result_ready);
  assign changed = result_valid != stalled || (result_valid && result_out != result);
  always_ff @(posedge clk) begin
    stalled <= result_valid && !result_ready;
    due     <= moved || changed || waited + 1 >= most;
    waited  <= moved || changed || waited + 1 >= most ? '0 : waited + 1;
    passed  <= waited + 1;
  end
  always_ff @(negedge clk) if (due) wake <= !wake;
  initial waited = 0;

  logic         sending;
  logic [4:0]   sent, received;
  logic [127:0] outgoing, gathered;
  logic [31:0]  quiet;

  assign gathered = {gather};
  assign block_valid = chain ? sending : control[1];
  assign block_in = chain ? outgoing[127-:Width] : block;
  assign result_ready = chain || control[2];
  assign chain_end = chain && (chain_left == 0 || quiet == chain_patience);

  logic [127:0] partial;
  always_ff @(posedge clk) begin
    if (!chain) begin
      sending     <= 1'b1;
      sent        <= '0;
      received    <= '0;
      quiet       <= '0;
      chain_left  <= chain_length;
      chain_block <= chain_start;
      outgoing    <= chain_start;
    end else if (!chain_end) begin
      quiet <= quiet + 1;
      if (block_valid && block_ready) begin
        quiet    <= '0;
        outgoing <= outgoing << Width;
        sent     <= sent + 1;
        if (sent == 5'(Beats - 1)) sending <= 1'b0;
      end
      if (result_valid) begin
        quiet    <= '0;
        partial  <= gathered;
        received <= received + 1;
        if (received == 5'(Beats - 1)) begin
          chain_before <= chain_block;
          chain_block  <= gathered;
          outgoing     <= gathered;
          chain_left   <= chain_left - 1;
          sending      <= chain_left != 1;
          sent         <= '0;
          received     <= '0;
        end
      end
    end
  end
endmodule
"""


def harness(design: CoreDesign) -> str:
    """The harness around `design`, as SystemVerilog; its top module is `HARNESS`.

    Raises RequestError for a design whose ports have no counterpart in the block interface.
    """
    width = design.block_width
    module, ports, adapter = behind_block_interface(design, f"{HARNESS}_adapter")
    signals = {port.role: _SIGNALS[port.role] for port in ports}
    return adapter + _TEMPLATE.format(
        harness=HARNESS,
        core=attach(module, ports, signals),
        width=width,
        block_msb=width - 1,
        key_msb=ports.payload(Meaning.KEY).width - 1,
        shown="(!result_valid && result_out != 0)" if design.ports.quiet else "1'b0",
        gather="result_out" if width == 128 else f"{{partial[{127 - width}:0], result_out}}",
    )


_COMPILER = ("CXX=g++", "LINK=g++", "OPT_SLOW=-O0")
# A model that runs many clocks is worth optimising; for less, the compiler takes longer than it saves.
_MANY_CLOCKS, _FEW_CLOCKS = "OPT_FAST=-O1", "OPT_FAST=-O0"
# Verilator's library is compiled once and has a part in each clock; the one that records waveforms serves few clocks.
_LIBRARY, _TRACING_LIBRARY = "OPT_GLOBAL=-O1", "OPT_GLOBAL=-O0"

# Below this size of a model's C++ the compiler spends more on reading headers again than on the model itself.
_ONE_UNIT_BYTES = 6_000_000

_HEADERS = "model_headers.h"
_HEADER_LINES = '#include "verilated.h"\n#include "verilated_dpi.h"\n'
"""What every model reads first."""

_HEARD = (
    *("CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS", "LOADLIBES", "LIBS", "USER_CPPFLAGS", "USER_LDFLAGS", "USER_LDLIBS"),
    *("OPT", "OBJCACHE", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"),
)
"""Variables of the environment that make and the compiler listen to."""


@dataclass(frozen=True)
class Tools:
    """The tools of a simulation, found: Verilator with its compiler, and the Python library for the simulator."""

    verilator: Verilator
    libpython: str
    versions: dict[str, str]


def find_tools() -> Tools:
    """Look for everything a simulation needs, before any work.

    Raises ToolError that names what is missing and how to install it.
    """
    verilator = find_verilator(compiler=True)
    libpython = find_libpython.find_libpython()
    if libpython is None:
        name = f"libpython{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolError(
            f"{name}: the shared library of this Python is not installed; install it with `apt install {name}`"
        )
    if importlib.util.find_spec("cryptography_vectors") is None:
        raise ToolError("cryptography_vectors: not installed; install it with `pip install cryptography_vectors`")
    compiler = query(["g++", "-dumpfullversion"]).strip()
    packages = ("cocotb", "cryptography", "cryptography_vectors")
    versions = {"verilator": verilator.version, "g++": compiler, **{name: metadata.version(name) for name in packages}}
    return Tools(verilator, libpython, versions)


class _BuildError(ToolError):
    """A tool that was there and ran has ended with an error of its own."""


def _call(
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    log: Path,
    what: str,
    *,
    tick: Callable[[], None] | None = None,
) -> None:
    ended = run(command, folder, log, environment=environment, tick=tick)
    if ended.status:
        lines = ended.said.splitlines()
        telling = [line for line in lines if "rror" in line] or lines
        raise _BuildError(f"{what} failed with exit code {ended.status}: {' | '.join(telling[:3])} (all of it: {log})")


def _no_progress(step: str, done: int, total: int) -> None:
    """Nobody looks."""


def build_simulator(
    design: CoreDesign,
    folder: Path,
    tools: Tools,
    *,
    many_clocks: bool = True,
    trace: bool = False,
    progress: Progress = _no_progress,
) -> Path:
    """The simulator program for a design: an earlier equal one from the cache, or built in a folder below `folder`.

    With `many_clocks` it is compiled to run fast, without, to be there soon; with `trace` it can record a waveform.
    `progress` is called with what is done (`build: Verilator`, `build: C++`), the units compiled, and the units in all.
    Raises RequestError for sources that Verilator does not accept, ToolError if a tool fails.
    """
    recipe = CompilerRecipe.of(tools, many_clocks=many_clocks, trace=trace)
    files = {source.name: source.text for source in design.sources} | {f"{HARNESS}.sv": harness(design)}
    name = recipe.digest(*files, *files.values())
    build = folder / f"build-{name[:16]}"
    program, done = build / "model" / "simulator", build / "done"
    cache = Cache(subfolder("simulators"))
    with cache.alone(name):
        kept = cache.find(name) or (program if done.exists() and program.exists() else None)
        if kept is not None:
            return kept
        build.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (build / file).write_text(text, encoding="utf-8")
        _compile(build, tools, recipe, [*files], what=f"sources of {design.name}", progress=progress)
        done.touch()
        return cache.keep(name, program)


@dataclass(frozen=True)
class CompilerRecipe:
    """All that a simulator depends on beside the sources of core and harness."""

    verilator: tuple[str, ...]
    make: tuple[str, ...]
    surroundings: tuple[str, ...]

    @classmethod
    def of(cls, tools: Tools, *, many_clocks: bool = True, trace: bool = False) -> CompilerRecipe:
        """The arguments of Verilator and make, and what they find: the tools' versions and places, and variables."""
        heard = [f"{name}={os.environ[name]}" for name in _HEARD if name in os.environ]
        versions = [f"{name} {version}" for name, version in sorted(tools.versions.items())]
        optimised = (_TRACING_LIBRARY if trace else _LIBRARY, _MANY_CLOCKS if many_clocks else _FEW_CLOCKS)
        make = (*MAKE_VARIABLES, *_COMPILER, *optimised)
        return cls(tuple(_verilator_arguments(trace=trace)), make, (*versions, str(tools.verilator.root), *heard))

    def digest(self, *texts: str) -> str:
        """The name of what this recipe makes of `texts`."""
        counts = (str(len(self.verilator)), str(len(self.make)), str(len(self.surroundings)))
        return digest([*counts, *self.verilator, *self.make, *self.surroundings, *texts])

    @property
    def of_library(self) -> CompilerRecipe:
        """What Verilator's library depends on: not on how the model itself is optimised."""
        return replace(self, make=tuple(each for each in self.make if each not in (_MANY_CLOCKS, _FEW_CLOCKS)))


def _verilator_arguments(*, trace: bool) -> list[str]:
    libraries = cocotb_tools.config.libs_dir
    return [
        *("-cc", "--exe", "--top-module", HARNESS, "--prefix", "Vtop", "-o", "simulator", "--Mdir", "model"),
        *("--vpi", "--timescale", "1ns/1ps", "-Wno-fatal"),
        # Registers start with random values: nothing may depend on them before a reset and a key.
        *("--x-assign", "unique", "--x-initial", "unique"),
        *("-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"),
        *BUILD_FLAGS,
        *(("--trace-vcd",) if trace else ()),
        str(cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"),
    ]


def _compile(
    build: Path,
    tools: Tools,
    recipe: CompilerRecipe,
    files: list[str],
    *,
    what: str,
    progress: Progress,
) -> None:
    """Verilator and the C++ compiler, in the folder `build`, which holds the files."""
    # What a compiler that is killed leaves goes with the folder.
    environment = tools.verilator.environment() | {"TMPDIR": str(build)}
    command = [str(tools.verilator.command), *recipe.verilator, *files]
    progress("build: Verilator", 0, 1)
    try:
        _call(command, build, environment, build / "verilator.log", "verilator")
    except _BuildError as error:
        raise RequestError(f"{what}: {error}") from error
    model = build / "model"
    # Verilator's own library is more than half of the work for most cores, and the same for all.
    classes = (model / "Vtop_classes.mk").read_text(encoding="utf-8")
    library = _Objects(recipe.of_library.digest(*re.findall(r"^VM_(?!PARALLEL)\w+ = \d+$", classes, re.MULTILINE)))
    # Of the model, cocotb's main program knows the ports only.
    main = _Objects(recipe.digest((model / "Vtop.h").read_text(encoding="utf-8")))
    main.bring("verilator.o", model)
    small = sum(path.stat().st_size for path in model.glob("*.cpp")) < _ONE_UNIT_BYTES
    jobs = min(4, os.cpu_count() or 1)
    # An outer make must not lend its job server to this one.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    make = ["make", "-C", "model", "-f", "Vtop.mk", f"-j{jobs}", *recipe.make]
    make += ["VM_PARALLEL_BUILDS=0"] if small else []
    units = 1 if small else len(list(model.glob("Vtop*.cpp")))

    def tick() -> None:
        progress("build: C++", min(units, len(list(model.glob("Vtop*.o")))), units)

    tick()
    # Of processes that lack the library, one compiles it and the others wait.
    with library.alone():
        had_library = library.bring("verilated*.o", model)
        if not had_library:
            objects = [f"{unit}.o" for unit in re.findall(r"^  (verilated\w*) ", classes, re.MULTILINE)]
            _call([*make, *objects], build, environment, build / "make.log", "the C++ build of Verilator's library")
            library.keep("verilated*.o", model)
    calls = [make]
    # To read Verilator's headers takes longer than a small model. Who builds a second simulator will build a third.
    if small and had_library and _bring_headers(library, recipe, make, model, environment):
        flags = " ".join(filter(None, (environment.get("USER_CPPFLAGS"), f"-include {_HEADERS}.fast")))
        calls.insert(0, [*make, "Vtop__ALL.o", f"USER_CPPFLAGS={flags}"])
    for call in calls:
        _call(call, build, environment, build / "make.log", "the C++ build of the simulation model", tick=tick)
    (model / f"{_HEADERS}.fast.gch").unlink(missing_ok=True)
    main.keep("verilator.o", model)


def _bring_headers(
    library: _Objects, recipe: CompilerRecipe, make: list[str], model: Path, environment: dict[str, str]
) -> bool:
    """Precompiled headers in the model's folder, kept or made now; whether they are there."""
    precompiled = f"{_HEADERS}.fast.gch"
    # The compiler reads the text itself where what was made of it does not fit.
    for name in (_HEADERS, f"{_HEADERS}.fast"):
        (model / name).write_text(_HEADER_LINES, encoding="utf-8")
    headers = _Objects(recipe.digest(_HEADER_LINES, library.prefix))
    if not headers.bring(precompiled, model, os.symlink):
        try:
            _call([*make, precompiled], model.parent, environment, model / "headers.log", "the C++ compiler")
        except ToolError:  # they are large, and the model can do without
            (model / precompiled).unlink(missing_ok=True)
            return False
        headers.keep(precompiled, model)
    return True


@dataclass(frozen=True)
class _Objects:
    """What the compiler made for other models and can serve this one: kept files, all under one prefix."""

    prefix: str

    @property
    def _cache(self) -> Cache:
        return Cache(subfolder("verilated"))

    def alone(self) -> contextlib.AbstractContextManager[None]:
        """In here, one process at a time."""
        return self._cache.alone(self.prefix)

    def bring(self, pattern: str, model: Path, place: Callable[[Path, Path], object] = shutil.copyfile) -> bool:
        """Place those that are kept and match in a model's folder; whether there was one."""
        kept = [path for path in self._cache.find_all(self.prefix) if fnmatch(self._name(path), pattern)]
        for path in kept:
            place(path, model / self._name(path))
        return bool(kept)

    def keep(self, pattern: str, model: Path) -> None:
        """Keep those of a model's folder that match and are not kept yet."""
        kept = {self._name(path) for path in self._cache.find_all(self.prefix)}
        for path in model.glob(pattern):
            if path.name not in kept:
                self._cache.keep(self.prefix + path.name, path)

    def _name(self, path: Path) -> str:
        return path.name.removeprefix(self.prefix)

"""A core and its rules for other people's engines: SystemVerilog with assertions, SymbiYosys, BTOR2, AIGER.

What the rules are is said at the head of the exported file. Engines cannot show AES for all keys and blocks in a run of
many rounds; so handshakes are exported for all, and results for one key and one block.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS, SIZE_CODES, PortDirection
from aesmith.errors import RequestError, explained
from aesmith.flow.yosys import run_script, write_sources
from aesmith.reference.golden import decrypt, encrypt
from aesmith.scratch import work_folder

KEY = bytes(range(32))
BLOCK = bytes.fromhex("00112233445566778899aabbccddeeff")
"""The examples of FIPS-197, appendix C."""

_READ = ("proc -noopt", "flatten", "chformal -lower", "setundef -undriven -anyseq", "opt_clean", "async2sync")
_AIGER = (
    "chformal -remove",
    "delete -port {top}/w:{other}",
    "opt_clean -purge",
    "techmap",
    "simplemap",
    "dfflegalize -cell $_DFF_P_ 01",
    "aigmap",
    "opt_clean -purge",
    "write_aiger -zinit -symbols {file}",
)
_SBY = Template("""\
[tasks]
bmc
prove

[options]
bmc: mode bmc
bmc: depth $depth
prove: mode prove

[engines]
bmc: smtbmc bitwuzla
prove: abc pdr

[script]
read_rtlil $name.il
prep -top ${name}_formal

[files]
$name.il
""")
_SVA = Template("""\
// The rules of ${name}_properties as concurrent assertions: compile it with the core and ${name}_formal.sv.
module ${name}_sva (
$ports
);
  logic legal, moved, shown;
  logic [5:0] broken;
  ${name}_properties u_properties (
$connections
    .encrypted_i('0),
    .decrypted_i('0),
    .legal_o(legal),
    .broken_o(broken),
    .moved_o(moved),
    .shown_o(shown),
    .wrong_o()
  );
  for (genvar i = 0; i < 6; i++) begin : gen_rule
    rule: assert property (@(posedge clk_i) disable iff ($disabled) !broken[i]);
  end
  idle: assert property (@(posedge clk_i) !shown);
  payload: assert property (@(posedge clk_i) disable iff ($disabled) !moved);
  senders: assume property (@(posedge clk_i) disable iff ($disabled) legal);
endmodule

bind $top ${name}_sva u_${name}_sva (.*);
""")


def export_formal(design: CoreDesign, folder: Path, bounds: Mapping[str, int] | None = None) -> tuple[Path, ...]:
    """Write the core and its rules to `folder`, which is made; the files, apart from the sources.

    `bounds` are those of promises, as a proof has them; without them no wait is bounded. Raises RequestError for a core
    without the block interface or if the folder cannot be written, ToolError if its disk is full or Yosys is missing or
    fails: then nothing is written.
    """
    if design.ports != design.block_interface:
        raise RequestError(f"export: {design.name} has not the block interface that the exported rules are of")
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with work_folder("export") as work:
            files = _exported(design, work / "export", bounds or {})
            try:
                _put(work / "export", folder)
            except OSError as error:
                raise explained(error, f"export: {folder} cannot be written") from error
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise
    return tuple(folder / name for name in files)


def _put(made: Path, folder: Path) -> None:
    """Put the files below `made` in their places below `folder`, once all of them are on its disk."""
    files = sorted(path for path in made.rglob("*") if path.is_file())
    with TemporaryDirectory(prefix=".aesmith-", dir=folder) as beside:
        for number, file in enumerate(files):
            shutil.copyfile(file, Path(beside) / str(number))
        for number, file in enumerate(files):
            place = folder / file.relative_to(made)
            place.parent.mkdir(exist_ok=True)
            (Path(beside) / str(number)).replace(place)


def _exported(design: CoreDesign, folder: Path, bounds: Mapping[str, int]) -> tuple[str, ...]:
    """The names of the files, apart from the sources, that this writes to `folder`, which is made."""
    folder.mkdir()
    name = design.name
    formal, sva, sby = (folder / f"{name}{end}" for end in ("_formal.sv", "_sva.sv", ".sby"))
    formal.write_text(_filled(design, bounds))
    sva.write_text(_sva(design))
    files = [*write_sources(design, folder), formal.name]
    sby.write_text(_SBY.substitute(name=name, depth=2 * design.latency_cycles + 8))
    made = [formal, sva, sby]
    top = f"{name}_formal"
    read = [
        f"read_slang --no-implicit-memories --top {top} {' '.join(files)}",
        f"hierarchy -check -top {top}",
        *_READ,
        "design -save read",
    ]
    # Yosys' own reader of SystemVerilog does not know all that slang does: the project begins where slang ends.
    steps = [*read, f"write_rtlil {name}.il", "dffunmap", "opt_clean", f"write_btor {name}.btor"]
    made += [folder / f"{name}.il", folder / f"{name}.btor"]
    outputs = ("bad_handshake_o", "bad_result_o")
    for output, other in zip(outputs, reversed(outputs), strict=True):
        file = f"{name}-{output.split('_')[1]}.aig"
        steps += ["design -load read", *(step.format(top=top, other=other, file=file) for step in _AIGER)]
        made.append(folder / file)
    run_script(steps, folder / "export.log")
    return tuple(file.name for file in made)


def _filled(design: CoreDesign, bounds: Mapping[str, int]) -> str:
    text = (resources.files("aesmith.assurance") / "templates" / "formal.sv.txt").read_text(encoding="utf-8")
    bits, width = design.key_bits[-1], design.block_width
    key = KEY[: bits // 8]
    ports = [port for port in design.ports if port.role not in ("clock", "reset") and port.name != "block_o"]
    names = {port.name for port in ports}
    inputs = [port for port in design.ports if port.direction is PortDirection.INPUT and port.role != "reset"]
    sizes = " | ".join(f"(key_bits_i == 2'd{SIZE_CODES[size]})" for size in design.key_bits)
    fixed = {
        "SIZE": "key_bits_i" if "key_bits_i" in names else f"2'd{SIZE_CODES[bits]}",
        "DIRECTION": "decrypt_i" if "decrypt_i" in names else f"1'b{int(design.directions == (Direction.DECRYPT,))}",
        "AND_SIZE": f" & (key_bits_i == 2'd{SIZE_CODES[bits]})" if "key_bits_i" in names else "",
    }
    promises = {
        "RESULT_BOUND": "a whole block until its result is offered",
        "KEY_BOUND": "a key until it is taken",
        "BLOCK_BOUND": "a block until it or a key is taken",
    }
    values: dict[str, object] = {
        **{label: bounds.get(promise, 0) for label, promise in promises.items()},
        **fixed,
        "NAME": design.name,
        "TOP": design.top,
        "WIDTH": width,
        "WIDTH_HIGH": width - 1,
        "BLOCK_BEATS": BLOCK_BITS // width,
        "KEY_BITS": bits,
        "KEY_HIGH": bits - 1,
        "KEY_WIDTH": bits if width == BLOCK_BITS else width,
        "KEY_BEATS": 1 if width == BLOCK_BITS else bits // width,
        "NOT_CLEARED": " & ~clear_i" if "clear_i" in names else "",
        "BEGIN_AGAIN": "      if (clear_i) {key_beat, block_beat} <= '0;\n" if "clear_i" in names else "",
        "QUIET": f"1'b{int(design.ports.quiet)}",
        "LEGAL_SIZES": f"({sizes})",
        "KEY": key.hex(),
        "BLOCK": BLOCK.hex(),
        "ENCRYPTED": encrypt(key, BLOCK).hex(),
        "DECRYPTED": decrypt(key, BLOCK).hex(),
        "FORMAL_PORTS": "\n".join(f"  input  logic {_range(port.bits)}{port.name}," for port in inputs),
        "CORE_PORTS": "\n".join(f"    .{port.name}," for port in ports),
    }
    for label, value in values.items():
        text = text.replace(f"@{label}@", str(value))
    return text


def _sva(design: CoreDesign) -> str:
    ports = [f"  input logic {_range(port.bits)}{port.name}" for port in design.ports]
    names = {port.name for port in design.ports}
    connections = [f"    .{name}," for name in sorted(names - {"key_i", "block_i", "clear_i", "rst_ni"})]
    connections.append(f"    .rst_ni({'rst_ni & ~clear_i' if 'clear_i' in names else 'rst_ni'}),")
    if "key_bits_i" not in names:
        connections.append(f"    .key_bits_i(2'd{SIZE_CODES[design.key_bits[-1]]}),")
    if "decrypt_i" not in names:
        connections.append(f"    .decrypt_i(1'b{int(design.directions == (Direction.DECRYPT,))}),")
    disabled = "!rst_ni || clear_i" if "clear_i" in names else "!rst_ni"
    parts = {"ports": ",\n".join(ports), "connections": "\n".join(connections), "disabled": disabled}
    return _SVA.substitute(parts, name=design.name, top=design.top)


def _range(bits: int) -> str:
    return f"[{bits - 1}:0] " if bits > 1 else ""

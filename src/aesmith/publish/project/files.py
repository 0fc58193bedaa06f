"""The files of a project: a top with a self-test, the board's constraints, and what the tools build it from.

The top is Verilog-2005, as the one-file core beside it is, so that all tools read both. Its known answers are those of
FIPS-197 and random ones, which are the same for the same core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random

from aesmith import __version__
from aesmith.assurance.plan import facts_of
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SCAN_ENABLE, SIZE_CODES, Line
from aesmith.cores.wrapper import attach, with_one_key_size
from aesmith.errors import RequestError
from aesmith.flow.fpga.devices import Device, Placer
from aesmith.publish.project.boards import BOARDS, Board, Flow
from aesmith.reference.golden import encrypt
from aesmith.reference.known_answers import TestVector, fips197
from aesmith.templates import templates

BAUD = 115_200
RANDOM_CASES = 2
"""Random pairs of each key size, in each direction."""
PAUSE_SECONDS = 0.5
"""About what passes between two rounds."""

_SIGNALS: dict[str, str | Line] = {
    "clock": "clk",
    "reset": Line("rst_n_q", active=0),
    SCAN_ENABLE: "1'b0",
    "clear.clear": "1'b0",
    "key.valid": "key_valid",
    "key.ready": "key_ready",
    "key.key": "key",
    "key.key size": "case_size",
    "block.valid": "block_valid",
    "block.ready": "block_ready",
    "block.block": "block",
    "block.direction": "case_decrypt",
    "result.valid": "result_valid",
    "result.ready": "result_ready",
    "result.result": "result",
}
"""The self-test's signal at each port of the core."""


@dataclass(frozen=True)
class SelfTestCase:
    """One known answer: the code of the key's size, hexadecimal digits of key (from the left), block and result."""

    source: str
    size: int
    decrypt: bool
    key: str
    block: str
    result: str


@dataclass(frozen=True)
class Packing:
    """What an open flow does behind the placer: the packer and the wheel's name of it, what the placer writes and by
    which option, the bitstream's suffix, and the packer's arguments (`{routed}`, `{bitstream}`)."""

    program: str
    wheel: str
    routed: str
    option: str
    suffix: str
    arguments: str


PACKING = {
    Flow.ICESTORM: Packing("icepack", "yowasp-icepack", "asc", "--asc", "bin", "{routed} {bitstream}"),
    Flow.TRELLIS: Packing(
        "ecppack", "yowasp-ecppack", "config", "--textcfg", "bit", "--compress {routed} --bit {bitstream}"
    ),
    Flow.GOWIN: Packing("gowin_pack", "gowin_pack", "pnr", "--write", "fs", "{pack} -o {bitstream} {routed}"),
}
_IO = {
    "lpf": 'IOBUF PORT "{port}" IO_TYPE={standard};',
    "cst": 'IO_PORT "{port}" IO_TYPE={standard};',
}
"""How the standard of a port is told, by the suffix of the file; iCE40 banks have theirs from the board."""


def selftest_cases(design: CoreDesign) -> tuple[SelfTestCase, ...]:
    """The known answers of a core's self-test: for each key size those of FIPS-197 and random ones, in each direction
    that the core has. The same for the same sizes and directions."""
    digits = max(design.key_bits) // 4
    cases = []
    for bits in design.key_bits:
        random = Random(f"selftest {bits}")
        vectors = list(fips197(bits))
        for number in range(RANDOM_CASES):
            key, block = random.randbytes(bits // 8), random.randbytes(16)
            vectors.append(TestVector(f"random {number + 1}, {bits} bits", key, block, encrypt(key, block)))
        for vector in vectors:
            for way in design.directions:
                pair = (vector.plaintext, vector.ciphertext)
                block, result = pair if way is Direction.ENCRYPT else pair[::-1]
                key_digits = f"{vector.key.hex():0<{digits}}"
                case = (SIZE_CODES[bits], way is Direction.DECRYPT, key_digits, block.hex(), result.hex())
                cases.append(SelfTestCase(vector.source, *case))
    return tuple(cases)


def project_folder(board: Board) -> str:
    """Where a project stands in a package."""
    return f"project/{board.name}"


def boards_in(paths: Iterable[str]) -> tuple[Board, ...]:
    """The boards that a package with these paths has projects for."""
    folders = [path.split("/") for path in paths]
    names = dict.fromkeys(parts[1] for parts in folders if parts[0] == "project" and len(parts) > 2)
    return tuple(BOARDS[name] for name in names if name in BOARDS)


def check_project(design: CoreDesign, board: Board) -> None:
    """Raise RequestError for a core that no self-test can drive, or no FPGA should hold: one whose ports are not the
    block interface, or with clock gates."""
    if design.parameters.get("clock_gates"):
        raise RequestError(
            f"project: {design.name} has clock gates, which an FPGA has no cells for: give --clock-gates off"
        )
    if list(design.ports) != list(design.block_interface) or any(not c.payloads for c in design.ports.channels):
        raise RequestError(
            f"project: {design.name} cannot be tested on {board.name}: its ports are not those of the block interface "
            f"alone (shares, fresh bits, or keys that come with blocks); `aesmith list cores` has others"
        )


def project_files(design: CoreDesign, board: Board) -> dict[str, str]:
    """The files of a project for a board, by path in the package that holds the core's one-file Verilog.

    Raises RequestError as `check_project`.
    """
    check_project(design, board)
    makers: Mapping[Flow, Callable[[_Project], dict[str, str]]] = {
        Flow.VIVADO: lambda it: {f"{board.name}.xdc": it.render("xdc"), "build.tcl": it.render("vivado.tcl")},
        Flow.QUARTUS: lambda it: {f"{board.name}.sdc": it.render("sdc"), "build.tcl": it.render("quartus.tcl")},
        Flow.RADIANT: lambda it: {f"{board.name}.pdc": it.render("radiant.pdc"), "build.tcl": it.render("radiant.tcl")},
        Flow.GOWIN: lambda it: {
            f"{board.name}.sdc": it.render("sdc"),
            "build.tcl": it.render("gowin.tcl"),
            **it.open_flow(),
        },
        Flow.ICESTORM: _Project.open_flow,
        Flow.TRELLIS: _Project.open_flow,
    }
    project = _Project(design, board)
    files = {
        "selftest.v": project.render("selftest.v"),
        "tb_selftest.v": project.render("tb_selftest.v"),
        **makers[board.flow](project),
        "README.md": project.render("README.md"),
    }
    return {f"{project_folder(board)}/{name}": text for name, text in files.items()}


@dataclass(frozen=True)
class _Project:
    design: CoreDesign
    board: Board

    @property
    def top(self) -> str:
        return f"{self.design.name}_selftest"

    def render(self, template: str, **further: object) -> str:
        design, board = self.design, self.board
        facts = facts_of(with_one_key_size(design, max(design.key_bits)))
        cases = selftest_cases(design)
        clock_hz = 1e6 * board.core_mhz
        packing = PACKING.get(board.flow)
        bitstreams = {Flow.VIVADO: "{}.bit", Flow.QUARTUS: "output_files/{}.sof", Flow.RADIANT: "impl_1/{}_impl_1.bit"}
        commands = {
            Flow.VIVADO: "`vivado -mode batch -source build.tcl`",
            Flow.QUARTUS: "`quartus_sh -t build.tcl`",
            Flow.RADIANT: "`radiantc build.tcl`",
            Flow.GOWIN: "`make`, with open tools; `gw_sh build.tcl`, with the vendor's",
        }
        values: dict[str, object] = {
            "name": design.name,
            "top": self.top,
            "board": board,
            "generated": f"Generated by aesmith {__version__}.",
            "baud": BAUD,
            "bit_clocks": round(clock_hz / BAUD),
            "pause_bits": max(4, round(PAUSE_SECONDS * clock_hz).bit_length() - 1),
            "key_bits": max(design.key_bits),
            "key_width": facts.key_width,
            "width": facts.block_width,
            "cases": cases,
            "index_bits": (len(cases) - 1).bit_length(),
            "patience_bits": (4 * facts.patience).bit_length(),
            "instance": attach(
                design.top, design.ports, {port.role: _SIGNALS[port.role] for port in design.ports}, verilog=True
            ),
            "build": commands.get(board.flow, "`make`"),
            "bitstream": (
                f"{self.top}.{packing.suffix}" if packing is not None else bitstreams[board.flow].format(self.top)
            ),
            "vendor": board.flow in commands,
            **further,
        }
        return templates("aesmith.publish.project", trimmed=True).get_template(f"{template}.j2").render(values)

    def open_flow(self) -> dict[str, str]:
        """Make file, script of Yosys, and where the ports go."""
        board, device, placer = self.board, self._device, self._placer
        packing, pins = PACKING[board.flow], placer.pins
        routed, bitstream = f"$(TOP).{packing.routed}", f"$(TOP).{packing.suffix}"
        arguments = " ".join((*(board.arguments or device.arguments), *placer.arguments))
        lines = []
        for port, pin in board.pins.items():
            lines.append(pins.line.format(port=port, pin=pin))
            if pins.suffix in _IO:
                lines.append(_IO[pins.suffix].format(port=port, standard=board.standards[port]))
        file_options = " ".join(option.format(file=f"{board.name}.{pins.suffix}") for option in pins.options)
        speed = device.speeds[0] if device.speeds else ""
        makefile = self.render(
            "Makefile",
            placer=placer,
            pack=packing.program,
            pack_wheel=packing.wheel,
            sized="{size}" in arguments,
            size=device.name.rpartition("-")[2],
            arguments=f"{arguments.format(size='$(SIZE)', speed=speed)} {file_options}",
            routed=packing.routed,
            routed_option=packing.option,
            suffix=packing.suffix,
            packing=packing.arguments.format(routed=routed, bitstream=bitstream, **board.options),
        )
        return {
            "Makefile": makefile,
            "synth.ys": self.render("synth.ys", synthesis=device.synthesis, pads=device.pads),
            f"{board.name}.{pins.suffix}": self.render(
                "pins", lines=lines, comment="//" if pins.suffix == "cst" else "#"
            ),
        }

    @property
    def _device(self) -> Device:
        assert self.board.placed_on is not None
        return self.board.placed_on

    @property
    def _placer(self) -> Placer:
        assert self._device.placer is not None
        return self._device.placer

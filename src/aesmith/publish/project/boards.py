"""The boards that projects are written for: clock, LEDs, console, and where each of these facts is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aesmith.errors import RequestError, not_one_of
from aesmith.flow.fpga.devices import DEVICES, Device


class Flow(StrEnum):
    """The tools that make a bitstream of a project."""

    VIVADO = "vivado"
    QUARTUS = "quartus"
    RADIANT = "radiant"
    GOWIN = "gowin"
    ICESTORM = "icestorm"
    TRELLIS = "trellis"


CLOCK, PASS, FAIL, CONSOLE = "clk_i", "led_pass_o", "led_fail_o", "uart_tx_o"
"""The ports of every self-test."""


@dataclass(frozen=True)
class Board:
    """A board. `part` is what the vendor's tool calls its FPGA, `device` the one of `DEVICES` that the open tools place
    on, with `arguments` in place of that one's own.

    `pins` are those of the ports, `standards` their electrical standards, both by port. An LED is lit by 1, or by 0 if
    it is `active_low`. The core runs at the `clock_mhz` of the board's oscillator, halved `halvings` times. `source` is
    the public file that the pins are from; `load` is what puts a `{bitstream}` on it, a command or a call in Python;
    `family` is what the vendor's tool asks for beside the part: a device family, a performance grade. `options` are the
    packer's own. `remark` says what else there is to know.
    """

    name: str
    title: str
    flow: Flow
    part: str
    clock_mhz: float
    pins: Mapping[str, str]
    standards: Mapping[str, str]
    source: str
    load: str
    active_low: bool = False
    halvings: int = 0
    device: str = ""
    arguments: tuple[str, ...] = ()
    family: str = ""
    remark: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def core_mhz(self) -> float:
        """Clock of the core and the console, in MHz."""
        return self.clock_mhz / (1 << self.halvings)

    @property
    def placed_on(self) -> Device | None:
        """What the open tools place on; None for a board that only the vendor's tool serves."""
        return DEVICES[self.device] if self.device else None


def _pins(clock: str, passed: str, failed: str, console: str) -> dict[str, str]:
    return dict(zip((CLOCK, PASS, FAIL, CONSOLE), (clock, passed, failed, console), strict=True))


def _all(standard: str) -> dict[str, str]:
    return dict.fromkeys((CLOCK, PASS, FAIL, CONSOLE), standard)


BOARDS = {
    board.name: board
    for board in (
        Board(
            "arty-a7",
            "Digilent Arty A7-35, AMD Artix-7",
            Flow.VIVADO,
            "xc7a35ticsg324-1L",
            100.0,
            _pins("E3", "H5", "J5", "D10"),
            _all("LVCMOS33"),
            "Digilent's Arty-A7-35-Master.xdc (github.com/Digilent/digilent-xdc)",
            "openFPGALoader -b arty_a7_35t {bitstream}",
            halvings=2,
            remark="For an Arty A7-100 give PART=xc7a100tcsg324-1; its pins are the same.",
        ),
        Board(
            "cw305",
            "NewAE ChipWhisperer CW305, AMD Artix-7 100",
            Flow.VIVADO,
            "xc7a100tftg256-2",
            10.0,
            _pins("N13", "T3", "T2", "A12"),
            _all("LVCMOS33"),
            "NewAE's cw305_main.xdc (github.com/newaetech/chipwhisperer); the console as in OpenTitan's pins_cw305.xdc "
            "(github.com/lowRISC/opentitan)",
            "chipwhisperer.target(None, chipwhisperer.targets.CW305, bsfile='{bitstream}')",
            remark="The clock is that of the board's PLL1: set it to 10 MHz before. The board has no serial port: the "
            "console is at A12 of JP3.",
        ),
        Board(
            "de10-nano",
            "Terasic DE10-Nano, Intel Cyclone V",
            Flow.QUARTUS,
            "5CSEBA6U23I7",
            50.0,
            _pins("V11", "W15", "AA24", "AF13"),
            _all("3.3-V LVTTL"),
            "terasic_de10nano.py of LiteX-Boards (github.com/litex-hub/litex-boards)",
            'quartus_pgm -m jtag -o "p;{bitstream}@2"',
            halvings=1,
            family="Cyclone V",
            remark="The console is at Arduino_IO1: the board's serial port belongs to its processor.",
        ),
        Board(
            "crosslink-nx-evn",
            "Lattice CrossLink-NX evaluation board",
            Flow.RADIANT,
            "LIFCL-40-9BG400C",
            12.0,
            _pins("L13", "E17", "F13", "F18"),
            _all("LVCMOS33"),
            "lattice_crosslink_nx_evn.py of LiteX-Boards (github.com/litex-hub/litex-boards), and evn.pdc of prjoxide "
            "(github.com/gatecat/prjoxide), whose example says that 0 lights an LED",
            "ecpprog -S {bitstream}",
            active_low=True,
            family="9_High-Performance_1.0V",
            remark="JP2 must be installed for the clock. The console needs 0-ohm resistors at R15 and R17 in place of "
            "R18 and R19.",
        ),
        Board(
            "tang-nano-20k",
            "Sipeed Tang Nano 20K, Gowin GW2AR-18",
            Flow.GOWIN,
            "GW2AR-LV18QN88C8/I7",
            27.0,
            _pins("4", "15", "16", "69"),
            _all("LVCMOS33"),
            "sipeed_tang_nano_20k.py of LiteX-Boards (github.com/litex-hub/litex-boards)",
            "openFPGALoader -b tangnano20k {bitstream}",
            active_low=True,
            device="gowin-gw2a-18",
            family="GW2AR-18C",
            options={"pack": "-d GW2A-18C"},
        ),
        Board(
            "icebreaker",
            "1BitSquared iCEBreaker, Lattice iCE40 UP5K",
            Flow.ICESTORM,
            "iCE40UP5K-SG48",
            12.0,
            _pins("35", "37", "11", "9"),
            _all("LVCMOS33"),
            "1bitsquared_icebreaker.py of LiteX-Boards (github.com/litex-hub/litex-boards)",
            "iceprog {bitstream}",
            active_low=True,
            device="ice40-up5k",
            remark="The green LED is for pass, the red one for fail.",
        ),
        Board(
            "ulx3s",
            "Radiona ULX3S, Lattice ECP5 LFE5U-85F",
            Flow.TRELLIS,
            "LFE5U-85F-6BG381C",
            25.0,
            _pins("G2", "B2", "C2", "L4"),
            _all("LVCMOS33"),
            "ulx3s_v20.lpf (github.com/emard/ulx3s)",
            "openFPGALoader -b ulx3s {bitstream}",
            device="ecp5-85k",
            arguments=("--{size}", "--package", "CABGA381", "--speed", "6"),
            remark="For a board with another size give SIZE=25k (12F and 25F) or SIZE=45k.",
        ),
        Board(
            "ecp5-evn",
            "Lattice ECP5-5G evaluation board",
            Flow.TRELLIS,
            "LFE5UM5G-85F-8BG381",
            12.0,
            _pins("A10", "A13", "A12", "P3"),
            _all("LVCMOS33") | {PASS: "LVCMOS25", FAIL: "LVCMOS25"},
            "lattice_ecp5_evn.py of LiteX-Boards (github.com/litex-hub/litex-boards); that 0 lights an LED is from "
            "ecp5_5g_evn.py of Amaranth-Boards (github.com/amaranth-lang/amaranth-boards)",
            "openFPGALoader -b ecp5_evn {bitstream}",
            active_low=True,
            device="ecp5-85k",
            arguments=("--um5g-{size}", "--package", "CABGA381", "--speed", "8"),
            remark="The console needs 0-ohm resistors at R34 and R35 in place of R22 and R23.",
        ),
    )
}
"""Every board by name."""


def board_for(name: str | None, flow: str | None) -> Board:
    """The board of a request, for tools that serve it. Raises RequestError for an unknown board or flow, for tools that
    do not serve the board, and if no board is named: with those there are."""
    if flow is not None and flow not in list(Flow):
        raise not_one_of("project", flow, list(Flow))
    if name is None:
        served = [board.name for board in BOARDS.values() if flow in (None, board.flow)]
        raise RequestError(f"project: needs --board: {', '.join(served)} for {flow}")
    if name not in BOARDS:
        raise not_one_of("board", name, BOARDS)
    board = BOARDS[name]
    if flow not in (None, board.flow):
        served = [other.name for other in BOARDS.values() if other.flow == flow]
        raise RequestError(
            f"project: must be {board.flow} for {name}, not {flow}, whose boards are {', '.join(served)}"
        )
    return board

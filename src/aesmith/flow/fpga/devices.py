"""The FPGAs that cores are mapped to: what their netlists consist of, how they are mapped, and how placed.

All that is known of a device is here, as values: no other module names one, or a cell or pin of one. To add a device is
to add a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from aesmith.errors import RequestError, not_one_of


@dataclass(frozen=True)
class Cells:
    """The cell types of a family's netlists.

    `carries`, `lut_memories` and `other_luts` (a wide LUT, say) tell how many LUTs a cell takes, which is one for those
    of `lut_types`. `flip_flops` are the beginnings of the names of flip-flops. `memories` are block memories, and
    `others` take none of these: multiplexers between LUTs, buffers, constants, carries that are counted with their
    LUTs; in both a name that ends in `*` is a beginning. `lut_output` is the output of `lut_types`, `data` the input of
    a flip-flop that is stored, and `controls` are inputs of clocks, enables and resets.
    """

    lut_inputs: int
    lut_types: tuple[str, ...]
    lut_output: str
    data: str
    controls: tuple[str, ...]
    flip_flops: tuple[str, ...]
    memories: tuple[str, ...] = ()
    carries: Mapping[str, int] = field(default_factory=dict)
    lut_memories: Mapping[str, int] = field(default_factory=dict)
    other_luts: Mapping[str, int] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @property
    def luts(self) -> dict[str, int]:
        """LUTs that each type takes that takes any."""
        return dict.fromkeys(self.lut_types, 1) | {**self.other_luts, **self.carries, **self.lut_memories}

    def is_flip_flop(self, kind: str) -> bool:
        """Whether cells of this type are flip-flops."""
        return kind.startswith(self.flip_flops)

    def is_memory(self, kind: str) -> bool:
        """Whether cells of this type are block memories."""
        return _is_listed(kind, self.memories)

    def is_known(self, kind: str) -> bool:
        """Whether it is known what cells of this type take."""
        takes = kind in self.luts or self.is_flip_flop(kind) or self.is_memory(kind)
        return takes or _is_listed(kind, self.others)


def _is_listed(kind: str, names: tuple[str, ...]) -> bool:
    return any(kind.startswith(name[:-1]) if name.endswith("*") else kind == name for name in names)


@dataclass(frozen=True)
class MemorySites:
    """The sites of a device: `each` memories in each block of columns, `pitch` tiles apart, in each of the rows; `bel`
    is what nextpnr calls one."""

    rows: tuple[int, ...]
    blocks: tuple[int, ...]
    each: int = 4
    pitch: int = 2
    bel: str = "X{column}/Y{row}/EBR{number}"

    def every(self) -> list[tuple[int, int, int]]:
        """Column, row and number in its block of each site."""
        return [(at + self.pitch * i, row, i) for row in self.rows for at in self.blocks for i in range(self.each)]


@dataclass(frozen=True)
class Pins:
    """How a tool is told where ports go: a file of lines, its suffix, and the options that name it.

    In `line` and `options` stand `{port}`, `{pin}` and `{file}`.
    """

    suffix: str
    line: str
    options: tuple[str, ...]


LPF = Pins("lpf", 'LOCATE COMP "{port}" SITE "{pin}";', ("--lpf", "{file}"))
PCF = Pins("pcf", "set_io {port} {pin}", ("--pcf", "{file}"))
CST = Pins("cst", 'IO_LOC "{port}" {pin};', ("--vopt", "cst={file}"))
CCF = Pins("ccf", 'NET "{port}" Loc = "{pin}";', ("--vopt", "ccf={file}"))
PDC = Pins("pdc", "ldc_set_location -site {{{pin}}} [get_ports {port}]", ("--pdc", "{file}"))


@dataclass(frozen=True)
class Placer:
    """A nextpnr: `tool` is its name behind "nextpnr-", in native programs and in wheels; `logic_cells` is its name of
    the resource that LUTs take, and `algorithms` are its placers, the default first. `settings` puts what it has no
    options for into netlists, of router2."""

    tool: str
    logic_cells: str
    pins: Pins
    algorithms: tuple[str, ...] = ("heap",)
    arguments: tuple[str, ...] = ()

    @property
    def wheel(self) -> str:
        """The distribution that brings it as WebAssembly, and that one's program."""
        return f"yowasp-nextpnr-{self.tool}"

    @property
    def native(self) -> str:
        """The native program."""
        return f"nextpnr-{self.tool}"

    @property
    def router2(self) -> bool:
        """Whether its router is router2, whose margins and clock can be set."""
        return "router2" in self.arguments


@dataclass(frozen=True)
class Device:
    """A device. `synthesis` is the pass of Yosys, with its options; `pads` the passes that put buffers at the ports of
    the flat design, where the placer asks for them. Without a `placer` there are counts only.

    `arguments` are the placer's, with `{speed}` for the speed grade where there are `speeds`, the default first.
    `sites` are where the wrapper's ports go, the clock first, whose pad drives the clock network; ports that have none
    go where the placer likes. A register with more than `most_loads` loads is
    repeated, each copy for so many at most. `plain_luts` is the option of `synthesis` by which no LUTs are joined to
    wider ones, `block_memories` that by which no memories are made of LUTs; empty if there is none. With
    `memories_first` block memories get their sites before nextpnr places, and `router_margin` is how many tiles a wire
    may leave the box around its ends; 0 leaves nextpnr its own. With a `route_target_mhz` the router strives for that
    clock, and rips up for it, not for the placer's.
    """

    name: str
    title: str
    cells: Cells
    synthesis: str
    placer: Placer | None = None
    arguments: tuple[str, ...] = ()
    sites: Mapping[str, str] = field(default_factory=dict)
    speeds: tuple[str, ...] = ()
    pads: tuple[str, ...] = ()
    most_loads: int = 128
    plain_luts: str = ""
    block_memories: str = ""
    memory_sites: MemorySites | None = None
    memories_first: bool = False
    router_margin: int = 0
    route_target_mhz: float = 0.0

    def without_wide_luts(self) -> Device:
        """The device, for designs in which no LUTs are joined to wider ones. Raises RequestError if none can be."""
        if not self.plain_luts:
            raise RequestError(
                f"no-wide-luts: must be left out for {self.name}, whose synthesis has no option for that"
            )
        return replace(self, title=f"{self.title}, no wide LUTs", synthesis=f"{self.synthesis} {self.plain_luts}")

    def without_lut_memories(self) -> Device:
        """The device, for designs whose memories are block memories. Raises RequestError if none are made of LUTs."""
        if not self.block_memories:
            raise RequestError(
                f"no-lut-memories: must be left out for {self.name}, whose synthesis has no option for that"
            )
        return replace(
            self, title=f"{self.title}, no memories of LUTs", synthesis=f"{self.synthesis} {self.block_memories}"
        )

    def with_memories_first(self) -> Device:
        """The device, for designs whose block memories get their sites first. Raises RequestError if none are known."""
        if self.memory_sites is None:
            raise RequestError(f"memories-first: must be left out for {self.name}, whose sites are not known")
        return replace(self, title=f"{self.title}, block memories placed first", memories_first=True)

    def with_router_margin(self, tiles: int) -> Device:
        """The device, with other bounds for the wires of router2. Raises RequestError if it is routed by another."""
        self._check_router2("router-margin")
        return replace(self, title=f"{self.title}, router's margin {tiles}", router_margin=tiles)

    def with_route_target(self, mhz: float) -> Device:
        """The device, with a clock of its own for router2. Raises RequestError if it is routed by another."""
        self._check_router2("route-target")
        return replace(self, title=f"{self.title}, routed for {mhz:g} MHz", route_target_mhz=mhz)

    def _check_router2(self, option: str) -> None:
        if self.placer is None or not self.placer.router2:
            raise RequestError(f"{option}: must be left out for {self.name}, which router2 does not route")

    @property
    def placed(self) -> bool:
        """Whether designs can be placed and routed, or only counted."""
        return self.placer is not None

    @property
    def placers(self) -> tuple[str, ...]:
        """The placers that there are for it, the default first; of one that is only counted nextpnr's default."""
        return self.placer.algorithms if self.placer is not None else ("heap",)


_NUMBERED_LUTS = ("LUT1", "LUT2", "LUT3", "LUT4")

ECP5_CELLS = Cells(
    lut_inputs=4,
    lut_types=("LUT4",),
    lut_output="Z",
    data="DI",
    controls=("CLK", "CLKA", "CLKB", "LSR", "CE", "WCK"),
    flip_flops=("TRELLIS_FF",),
    memories=("DP16KD", "PDPW16KD"),
    carries={"CCU2C": 2},
    lut_memories={"TRELLIS_DPR16X4": 4},
    others=("PFUMX", "L6MUX21"),
)
ICE40_CELLS = Cells(
    lut_inputs=4,
    lut_types=("SB_LUT4",),
    lut_output="O",
    data="D",
    controls=("C", "E", "R", "S", "RCLK", "WCLK", "RE", "WE", "RCLKE", "WCLKE"),
    flip_flops=("SB_DFF",),
    memories=("SB_RAM40_4K", "SB_SPRAM256KA"),
    others=("SB_CARRY", "SB_GB"),
)
GOWIN_CELLS = Cells(
    lut_inputs=4,
    lut_types=_NUMBERED_LUTS,
    lut_output="F",
    data="D",
    controls=("CLK", "CE", "SET", "RESET", "CLEAR", "PRESET", "CLKA", "CLKB", "CEA", "CEB", "OCE", "WRE"),
    flip_flops=("DFF",),
    memories=("SP", "SPX9", "SDPB", "SDPX9B", "DPB", "DPX9B", "pROM", "pROMX9"),
    carries={"ALU": 1},
    lut_memories={"RAM16SDP1": 1, "RAM16SDP2": 2, "RAM16SDP4": 4, "RAM16S1": 1, "RAM16S2": 2, "RAM16S4": 4},
    others=("MUX2_LUT5", "MUX2_LUT6", "MUX2_LUT7", "MUX2_LUT8", "GND", "VCC", "GSR"),
)
GATEMATE_CELLS = Cells(
    lut_inputs=4,
    lut_types=("CC_LUT1", "CC_LUT2", "CC_LUT3", "CC_LUT4", "CC_L2T4"),
    lut_output="O",
    data="D",
    controls=("CLK", "EN", "SR", "A_CLK", "B_CLK", "A_EN", "B_EN", "A_WE", "B_WE"),
    flip_flops=("CC_DFF",),
    memories=("CC_BRAM_20K", "CC_BRAM_40K"),
    carries={"CC_ADDF": 1},
    other_luts={"CC_L2T5": 2, "CC_MX2": 1, "CC_MX4": 2},
    others=("CC_BUFG",),
)
NEXUS_CELLS = Cells(
    lut_inputs=4,
    lut_types=("LUT4", "INV"),
    lut_output="Z",
    data="D",
    controls=("CK", "SP", "CD", "PD", "WCK", "WRE", "CLK", "CLKA", "CLKB", "CEA", "CEB", "CLKW", "CLKR"),
    flip_flops=("FD1P3",),
    memories=("PDP16K_MODE", "DP16K_MODE", "PDPSC16K_MODE", "PDPSC512K_MODE", "LRAM_CORE"),
    carries={"CCU2": 2},
    lut_memories={"DPR16X4": 4},
    other_luts={"WIDEFN9": 2},
    others=("VHI", "VLO"),
)
AMD_CELLS = Cells(
    lut_inputs=6,
    lut_types=(*(f"LUT{inputs}" for inputs in range(1, 7)), "INV"),
    lut_output="O",
    data="D",
    controls=("C", "CE", "R", "S", "CLR", "PRE", "CLK", "WCLK", "WE"),
    flip_flops=("FD",),
    memories=("RAMB18E1", "RAMB36E1", "RAMB18E2", "RAMB36E2"),
    lut_memories={
        **{"SRL16E": 1, "SRLC32E": 1, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4},
        **{"RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8},
    },
    others=("MUXF7", "MUXF8", "MUXF9", "CARRY4", "CARRY8", "BUFG", "GND", "VCC"),
)
CYCLONE_V_CELLS = Cells(
    lut_inputs=6,
    lut_types=(*(f"MISTRAL_ALUT{inputs}" for inputs in range(2, 7)), "MISTRAL_NOT"),
    lut_output="Q",
    data="DATAIN",
    controls=("CLK", "ACLR", "ENA", "SCLR", "SLOAD", "CLK1"),
    flip_flops=("MISTRAL_FF",),
    memories=("MISTRAL_M10K",),
    carries={"MISTRAL_ALUT_ARITH": 1},
    lut_memories={"MISTRAL_MLAB": 1},
    others=("MISTRAL_CLKBUF",),
)


def _intel_cells(lut: str) -> Cells:
    return Cells(
        lut_inputs=4,
        lut_types=(lut,),
        lut_output="combout",
        data="d",
        controls=("clk", "clrn", "ena", "prn", "sclr"),
        flip_flops=("dffeas",),
        memories=("altsyncram", "M9K"),
        other_luts={"$not": 1},
    )


K6N10F_CELLS = Cells(
    lut_inputs=6,
    lut_types=("$lut", "$not"),
    lut_output="Y",
    data="D",
    controls=("C", "E", "R", "S", "CLK"),
    flip_flops=("dff", "sdff", "sh_dff"),
    memories=("TDP36K*",),
    carries={"adder_carry": 1},
)
EFINIX_CELLS = Cells(
    lut_inputs=4,
    lut_types=("EFX_LUT4",),
    lut_output="O",
    data="D",
    controls=("CLK", "CE", "SR", "WCLK", "RCLK", "WE", "RE"),
    flip_flops=("EFX_FF",),
    memories=("EFX_RAM_5K", "EFX_RAM10"),
    carries={"EFX_ADD": 1},
    others=("EFX_GBUFCE",),
)
POLARFIRE_CELLS = Cells(
    lut_inputs=4,
    lut_types=("CFG1", "CFG2", "CFG3", "CFG4"),
    lut_output="Y",
    data="D",
    controls=("CLK", "EN", "ALn", "SLn", "A_CLK", "B_CLK"),
    flip_flops=("SLE",),
    memories=("RAM1K20",),
    carries={"ARI1": 1},
    lut_memories={"RAM64x12": 12},
    others=("CLKINT",),
)

NEXTPNR_ECP5 = Placer(
    "ecp5", "TRELLIS_COMB", LPF, ("heap", "static"), ("--lpf-allow-unconstrained", "--router", "router2")
)
NEXTPNR_ICE40 = Placer("ice40", "ICESTORM_LC", PCF, arguments=("--pcf-allow-unconstrained",))
NEXTPNR_GOWIN = Placer("himbaechel-gowin", "LUT4", CST)
NEXTPNR_GATEMATE = Placer("himbaechel-gatemate", "CPE_LT", CCF, arguments=("--vopt", "allow-unconstrained"))
NEXTPNR_NEXUS = Placer("nexus", "OXIDE_COMB", PDC)
PLACERS = (NEXTPNR_ECP5, NEXTPNR_ICE40, NEXTPNR_GOWIN, NEXTPNR_GATEMATE, NEXTPNR_NEXUS)


def _ecp5(size: str, luts: str, memory_sites: MemorySites | None = None) -> Device:
    return Device(
        f"ecp5-{size}",
        f"Lattice ECP5 LFE5U-{size.removesuffix('k')}F, {luts} LUT4, CABGA381",
        ECP5_CELLS,
        "synth_ecp5",
        NEXTPNR_ECP5,
        (f"--{size}", "--package", "CABGA381", "--speed", "{speed}"),
        sites={"clk": "G2"},
        speeds=("6", "7", "8"),
        # A copy is near its loads only if they are few: with 64 or 128 a core of 15,000 registers was a fifth slower.
        most_loads=32,
        plain_luts="-nowidelut",
        block_memories="-nolutram",
        memory_sites=memory_sites,
    )


def _ice40(name: str, package: str, luts: str, clock: str) -> Device:
    return Device(
        f"ice40-{name}",
        f"Lattice iCE40 {name.upper()}, {luts} LUT4, {package.upper()}",
        ICE40_CELLS,
        "synth_ice40" + (" -device u" if name.startswith("u") else ""),
        NEXTPNR_ICE40,
        (f"--{name}", "--package", package),
        sites={"clk": clock},
    )


def _gowin(name: str, part: str, luts: str, database: str, sites: tuple[str, str, str, str]) -> Device:
    return Device(
        f"gowin-{name}",
        f"Gowin {part}, {luts} LUT4",
        GOWIN_CELLS,
        f"synth_gowin -family {name.partition('-')[0]} -noiopads",
        NEXTPNR_GOWIN,
        ("--device", part, "--vopt", f"family={database}"),
        sites=dict(zip(("clk", "serial_i", "capture_i", "serial_o"), sites, strict=True)),
        pads=("iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O",),
        plain_luts="-nowidelut",
        block_memories="-nolutram",
    )


def _counted(
    name: str, title: str, cells: Cells, synthesis: str, *, plain_luts: str = "", block_memories: str = ""
) -> Device:
    told = f"{title}; counts only, mapped, not placed"
    return Device(name, told, cells, synthesis, plain_luts=plain_luts, block_memories=block_memories)


DEVICES = {
    device.name: device
    for device in (
        _ecp5("25k", "24,288"),
        _ecp5("45k", "43,848"),
        _ecp5(
            "85k",
            "83,640",
            MemorySites((22, 46, 70, 82), (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)),
        ),
        _ice40("hx1k", "tq144", "1,280", "21"),
        _ice40("hx4k", "tq144", "3,520", "21"),
        _ice40("hx8k", "ct256", "7,680", "J3"),
        _ice40("lp1k", "qn84", "1,280", "A29"),
        _ice40("lp8k", "cm81", "7,680", "E3"),
        _ice40("up5k", "sg48", "5,280", "35"),
        _gowin("gw1n-9", "GW1NR-LV9QN88PC6/I5", "8,640", "GW1N-9C", ("52", "25", "26", "27")),
        _gowin("gw2a-18", "GW2AR-LV18QN88C8/I7", "20,736", "GW2A-18C", ("10", "73", "74", "75")),
        Device(
            "gatemate-a1",
            "Cologne Chip GateMate CCGM1A1, 40,960 LUT4 in trees of two-input LUTs",
            GATEMATE_CELLS,
            "synth_gatemate -luttree -nomx8 -noiopad -noclkbuf",
            NEXTPNR_GATEMATE,
            ("--device", "CCGM1A1"),
            sites={"clk": "IO_SB_A8"},
            pads=("clkbufmap -buf CC_BUFG O:I", "iopadmap -bits -inpad CC_IBUF Y:I -outpad CC_OBUF A:O"),
        ),
        Device(
            "nexus-40",
            "Lattice CrossLink-NX LIFCL-40, 32,256 LUT4, CABGA400",
            NEXUS_CELLS,
            "synth_nexus",
            NEXTPNR_NEXUS,
            ("--device", "LIFCL-40-{speed}BG400C"),
            sites={"clk": "D10", "serial_i": "E17", "capture_i": "F13", "serial_o": "G13"},
            speeds=("7", "8", "9"),
            block_memories="-nolutram",
        ),
        _counted(
            "xc7",
            "AMD 7 series, LUT6",
            AMD_CELLS,
            "synth_xilinx -family xc7 -noiopad",
            plain_luts="-nowidelut",
            block_memories="-nolutram",
        ),
        _counted(
            "xcup",
            "AMD UltraScale+, LUT6",
            AMD_CELLS,
            "synth_xilinx -family xcup -noiopad",
            plain_luts="-nowidelut",
            block_memories="-nolutram",
        ),
        _counted(
            "cyclonev",
            "Intel Cyclone V, LUT6 in adaptive pairs",
            CYCLONE_V_CELLS,
            "synth_intel_alm -family cyclonev -noiopad -noclkbuf",
        ),
        _counted(
            "cyclone10lp",
            "Intel Cyclone 10 LP, LUT4",
            _intel_cells("cyclone10lp_lcell_comb"),
            "synth_intel -family cyclone10lp",
        ),
        _counted("max10", "Intel MAX 10, LUT4", _intel_cells("fiftyfivenm_lcell_comb"), "synth_intel -family max10"),
        _counted("k6n10f", "QuickLogic K6N10F, LUT6", K6N10F_CELLS, "synth_quicklogic -family qlf_k6n10f"),
        _counted("trion", "Efinix Trion, LUT4", EFINIX_CELLS, "synth_efinix"),
        _counted(
            "polarfire", "Microchip PolarFire, LUT4", POLARFIRE_CELLS, "synth_microchip -family polarfire -noiopad"
        ),
    )
}
"""Every device by name: those that are placed first."""


def device_named(name: str) -> Device:
    """The device of that name. Raises RequestError, listing those there are, for an unknown one."""
    if name not in DEVICES:
        raise not_one_of("device", name, DEVICES)
    return DEVICES[name]

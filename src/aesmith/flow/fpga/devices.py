"""The FPGA devices: how they are synthesised for, how they are placed, and which cells count as what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aesmith.errors import not_one_of


class DeviceFamily(StrEnum):
    """What the tools call an architecture."""

    ECP5 = "ecp5"
    ICE40 = "ice40"
    XC7 = "xc7"


@dataclass(frozen=True)
class Resources:
    """Cell types of a family's netlist: LUTs (and how many each takes), flip-flops, block memories."""

    luts: Mapping[str, int]
    flip_flops: tuple[str, ...]
    memories: tuple[str, ...]


RESOURCES = {
    DeviceFamily.ECP5: Resources(
        {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4}, ("TRELLIS_FF",), ("DP16KD", "PDPW16KD")
    ),
    DeviceFamily.ICE40: Resources({"SB_LUT4": 1}, ("SB_DFF",), ("SB_RAM40_4K",)),
    DeviceFamily.XC7: Resources(
        {f"LUT{inputs}": 1 for inputs in range(1, 7)}
        | {"INV": 1, "SRL16E": 1, "SRLC32E": 1, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4},
        ("FD",),
        ("RAMB18E1", "RAMB36E1"),
    ),
}
"""A flip-flop is every cell whose name begins with the given one."""


@dataclass(frozen=True)
class Device:
    """A device. `arguments` are nextpnr's; without any, there is no open place and route for it.

    `logic_cells` is nextpnr's name of the resource that LUTs take; `speeds` are the speed grades, the default first. A
    register with more than `most_loads` loads is repeated, each copy for so many at most.
    """

    name: str
    title: str
    family: DeviceFamily
    synthesis: str
    arguments: tuple[str, ...] = ()
    logic_cells: str = ""
    speeds: tuple[str, ...] = field(default=())
    most_loads: int = 128

    @property
    def placed(self) -> bool:
        """Whether designs can be placed and routed, or only counted."""
        return bool(self.arguments)


def _ecp5(size: str, luts: str) -> Device:
    return Device(
        f"ecp5-{size}",
        f"Lattice ECP5 LFE5U-{size.removesuffix('k')}F, {luts} LUT4, CABGA381",
        DeviceFamily.ECP5,
        "synth_ecp5",
        (f"--{size}", "--package", "CABGA381", "--lpf-allow-unconstrained", "--router", "router2"),
        "TRELLIS_COMB",
        ("6", "7", "8"),
        # A copy stands by its loads only if they are few: with 64 or 128 a core of 15,000 registers was a fifth slower.
        most_loads=32,
    )


def _ice40(name: str, package: str, luts: str) -> Device:
    return Device(
        f"ice40-{name}",
        f"Lattice iCE40 {name.upper()}, {luts} LUT4, {package.upper()}",
        DeviceFamily.ICE40,
        "synth_ice40" + (" -device u" if name.startswith("up") else ""),
        (f"--{name}", "--package", package, "--pcf-allow-unconstrained"),
        "ICESTORM_LC",
    )


DEVICES = {
    device.name: device
    for device in (
        _ecp5("25k", "24,288"),
        _ecp5("45k", "43,848"),
        _ecp5("85k", "83,640"),
        _ice40("hx8k", "ct256", "7,680"),
        _ice40("up5k", "sg48", "5,280"),
        Device(
            "xc7", "AMD 7 series, LUT6; counts only, not placed", DeviceFamily.XC7, "synth_xilinx -family xc7 -noiopad"
        ),
    )
}
"""Every device by name."""


def device_named(name: str) -> Device:
    """The device of that name. Raises RequestError, listing all, for an unknown one."""
    if name not in DEVICES:
        raise not_one_of("device", name, DEVICES)
    return DEVICES[name]

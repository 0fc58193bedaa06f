"""The buses that an engine's registers can be on: their names, adapters and ports.

Each adapter is a module of `rtl/buses` between the bus and the register port (`aesmith_register_front`). Ports are
named as the bus's standard names them, behind a prefix, so that bus models and tools recognise them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aesmith.cores.ports import Channel, Meaning, Payload, PayloadKind, PortDirection
from aesmith.errors import not_one_of

ADDRESS_BITS = 9
"""Bits of an address of a byte: the registers take 512."""
SOURCE_BITS = 8
"""Bits of TileLink's source."""


@dataclass(frozen=True)
class Bus:
    """A bus: its `name` in specifications, its `standard`, the module of its adapter, the prefix of its ports, and
    these as lines of *name* *bits*, *what it is*."""

    name: str
    standard: str
    adapter: str
    prefix: str
    inward: str
    outward: str

    @property
    def channels(self) -> tuple[Channel, Channel]:
        """What comes from the bus, and what goes to it."""
        made = []
        for name, way, lines in (
            ("bus", PortDirection.INPUT, self.inward),
            ("bus answer", PortDirection.OUTPUT, self.outward),
        ):
            ports = []
            for line in lines.strip().splitlines():
                port, bits, about = line.split(maxsplit=2)
                ports.append(Payload(f"{self.prefix}_{port}", int(bits), Meaning.VALUE, PayloadKind.DATA, about=about))
            made.append(Channel(name, way, tuple(ports)))
        return made[0], made[1]

    @property
    def port_names(self) -> tuple[str, ...]:
        """The names of its ports."""
        return tuple(payload.port for channel in self.channels for payload in channel.payloads)


_BUSES = (
    Bus(
        "apb",
        "AMBA APB4",
        "apb4",
        "s_apb",
        f"""
        psel 1 selects this subordinate
        penable 1 access phase
        pwrite 1 1 = write
        paddr {ADDRESS_BITS} address of a byte
        pwdata 32 data of a write
        pstrb 4 which bytes of them count
        """,
        """
        pready 1 the transfer ends in this clock
        prdata 32 data of a read; 0 otherwise
        pslverr 1 it failed
        """,
    ),
    Bus(
        "axi4-lite",
        "AMBA AXI4-Lite",
        "axi4_lite",
        "s_axil",
        f"""
        awvalid 1 the address of a write is offered
        awaddr {ADDRESS_BITS} address of a byte
        wvalid 1 data of a write are offered
        wdata 32 data of a write
        wstrb 4 which bytes of them count
        bready 1 the response to a write is taken
        arvalid 1 the address of a read is offered
        araddr {ADDRESS_BITS} address of a byte
        rready 1 data of a read are taken
        """,
        """
        awready 1 the address is taken, with its data
        wready 1 the same
        bvalid 1 a response to a write is offered
        bresp 2 0 OKAY, 2 SLVERR
        arready 1 the address is taken
        rvalid 1 data of a read are offered
        rdata 32 data of a read
        rresp 2 0 OKAY, 2 SLVERR
        """,
    ),
    Bus(
        "ahb-lite",
        "AMBA 3 AHB-Lite",
        "ahb_lite",
        "s_ahb",
        f"""
        hsel 1 selects this subordinate
        hready 1 the transfer before ends in this clock
        htrans 2 0 idle, 1 busy, 2 or 3 a transfer
        hwrite 1 1 = write
        hsize 3 0 byte, 1 halfword, 2 word
        haddr {ADDRESS_BITS} address of a byte
        hwdata 32 data of a write, one cycle after its address
        """,
        """
        hreadyout 1 the transfer ends in this clock
        hresp 1 it failed
        hrdata 32 data of a read; 0 otherwise
        """,
    ),
    Bus(
        "tl-ul",
        "TileLink-UL",
        "tl_ul",
        "s_tl",
        f"""
        a_valid 1 a request is offered
        a_opcode 3 0 PutFullData, 1 PutPartialData, 4 Get
        a_size 2 log2 of its bytes
        a_source {SOURCE_BITS} whose it is
        a_address {ADDRESS_BITS} address of a byte
        a_mask 4 which bytes count
        a_data 32 data of a write
        d_ready 1 an answer is taken
        """,
        f"""
        a_ready 1 a request is taken
        d_valid 1 an answer is offered
        d_opcode 3 0 AccessAck, 1 AccessAckData
        d_size 2 as in the request
        d_source {SOURCE_BITS} as in the request
        d_data 32 data of a read
        d_denied 1 it failed
        """,
    ),
    Bus(
        "wishbone",
        "Wishbone B4",
        "wishbone",
        "s_wb",
        f"""
        cyc 1 a cycle is under way
        stb 1 a request is offered
        we 1 1 = write
        adr {ADDRESS_BITS - 2} address of a word
        dat_w 32 data of a write
        sel 4 which bytes count
        """,
        """
        stall 1 the request is not taken yet; of pipelined masters
        ack 1 the request is answered
        err 1 it failed
        dat_r 32 data of a read; 0 otherwise
        """,
    ),
)
BUSES: Mapping[str, Bus] = {bus.name: bus for bus in _BUSES}
"""The buses by name."""


def bus_of(name: str) -> Bus:
    """The bus of that name; raises RequestError."""
    if name not in BUSES:
        raise not_one_of("bus", name, BUSES)
    return BUSES[name]

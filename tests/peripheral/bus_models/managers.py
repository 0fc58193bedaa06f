"""What runs in the simulator: bus models of others drive the adapters, and a memory here says what must be read."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.ahb import AHBBus, AHBLiteMaster
from cocotbext.axi import ApbBus, ApbMaster, AxiLiteBus, AxiLiteMaster
from cocotbext.wishbone.driver import WBOp, WishboneMaster

WORDS, ACCESSES = 32, 300
Access = Callable[[int, int | None, int], Awaitable[tuple[bool, int]]]
"""An access of address, data or None to read, bytes; whether it failed, and what was read."""


async def begin(dut: Any) -> None:
    """Clock and reset."""
    logging.getLogger("cocotb").setLevel(logging.WARNING)
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value = 0
    await ClockCycles(dut.clk, 3)
    dut.rst_n.value = 1
    await ClockCycles(dut.clk, 2)


async def compare(dut: Any, access: Access, seed: str, accesses: Any) -> None:
    """Random accesses against a memory: words and parts of them, and addresses that are not there."""
    random, memory, sizes, before = Random(seed), bytearray(4 * WORDS), (1, 2, 4), int(accesses.value)
    for word in range(WORDS):
        failed, _ = await access(4 * word, 0, 4)
        assert not failed
    for number in range(ACCESSES):
        size = random.choice(sizes)
        address = random.randrange(0, 4 * (WORDS + 8), size)
        there = address < 4 * WORDS
        if random.random() < 0.5:
            value = random.getrandbits(8 * size)
            failed, _ = await access(address, value, size)
            if there:
                memory[address : address + size] = value.to_bytes(size, "little")
        else:
            word = address & ~3
            failed, found = await access(word, None, 4)
            wanted = int.from_bytes(memory[word : word + 4], "little") if there else found
            assert found == wanted, f"access {number}: {word:x} must be {wanted:x}, and is {found:x}"
        assert failed is not there, f"access {number} at {address:x}"
    await ClockCycles(dut.clk, 3)
    assert int(accesses.value) - before == WORDS + ACCESSES, "each access once"


def idle(seed: str) -> Any:
    """Pauses for a channel."""
    random = Random(seed)
    return (random.random() < 0.4 for _ in itertools.count())


@cocotb.test()
async def apb(dut: Any) -> None:
    """APB4: cocotbext-axi's."""
    await begin(dut)
    master = ApbMaster(ApbBus.from_prefix(dut, "apb"), dut.clk, dut.rst_n, reset_active_level=False)

    async def access(address: int, value: int | None, size: int) -> tuple[bool, int]:
        if value is None:
            read = await master.read(address, size)
            return bool(read.resp), int.from_bytes(read.data, "little")
        return bool((await master.write(address, value.to_bytes(size, "little"))).resp), 0

    await compare(dut, access, "apb", dut.apb_accesses)


@cocotb.test()
async def axi4_lite(dut: Any) -> None:
    """AXI4-Lite: cocotbext-axi's, with pauses on all channels; then reads and writes that are under way together."""
    await begin(dut)
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst_n, reset_active_level=False)

    async def access(address: int, value: int | None, size: int) -> tuple[bool, int]:
        if value is None:
            read = await master.read(address, size)
            return bool(read.resp), int.from_bytes(read.data, "little")
        return bool((await master.write(address, value.to_bytes(size, "little"))).resp), 0

    await compare(dut, access, "axi", dut.axil_accesses)
    for name, channel in (
        ("aw", master.write_if.aw_channel),
        ("w", master.write_if.w_channel),
        ("b", master.write_if.b_channel),
        ("ar", master.read_if.ar_channel),
        ("r", master.read_if.r_channel),
    ):
        channel.set_pause_generator(idle(name))
    await compare(dut, access, "axi with pauses", dut.axil_accesses)
    before = int(dut.axil_accesses.value)
    writes = [master.init_write(4 * word, word.to_bytes(4, "little")) for word in range(16)]
    reads = [master.init_read(64 + 4 * word, 4) for word in range(16)]
    for event in (*writes, *reads):
        await event.wait()
        assert not event.data.resp
    await ClockCycles(dut.clk, 3)
    assert int(dut.axil_accesses.value) - before == 32


@cocotb.test()
async def ahb_lite(dut: Any) -> None:
    """AHB-Lite: cocotbext-ahb's, single and pipelined transfers."""
    await begin(dut)
    dut.ahb_hsel.value = 1
    master = AHBLiteMaster(AHBBus.from_prefix(dut, "ahb"), dut.clk, dut.rst_n)

    async def access(address: int, value: int | None, size: int) -> tuple[bool, int]:
        if value is None:
            [read] = await master.read(address, size)
            return int(read["resp"]) != 0, int(read["data"], 16)
        [written] = await master.write(address, value, size, format_amba=True)
        return int(written["resp"]) != 0, 0

    await compare(dut, access, "ahb", dut.ahb_accesses)
    addresses, before = [4 * word for word in range(WORDS)], int(dut.ahb_accesses.value)
    await master.write(addresses, [word * 0x01010101 for word in range(WORDS)], pip=True)
    found = await master.read(addresses, pip=True)
    assert [int(each["data"], 16) for each in found] == [word * 0x01010101 for word in range(WORDS)]
    await ClockCycles(dut.clk, 3)
    assert int(dut.ahb_accesses.value) - before == 2 * WORDS


@cocotb.test()
async def wishbone(dut: Any) -> None:
    """Wishbone, classic: cocotbext-wishbone's."""
    await begin(dut)
    names = {name: name for name in ("cyc", "stb", "we", "adr", "ack")} | {"datwr": "dat_w", "datrd": "dat_r"}
    master = WishboneMaster(dut, "wb", dut.clk, timeout=100, signals_dict=names)

    async def access(address: int, value: int | None, size: int) -> tuple[bool, int]:
        low = address & 3
        data = None if value is None else value << 8 * low
        [done] = await master.send_cycle([WBOp(address >> 2, data, idle=0, sel=(1 << size) - 1 << low)])
        return done.ack == 2, 0 if value is not None else int(done.datrd)

    await compare(dut, access, "wishbone", dut.wb_accesses)


@cocotb.test()
async def tl_ul(dut: Any) -> None:
    """TileLink-UL: there is no model to be had, so rules are checked here; several requests are on their way."""
    await begin(dut)
    random, source = Random("tl"), itertools.count()
    owed: list[tuple[int, int, int]] = []

    async def watch() -> None:
        """An answer stays until it is taken, and no answer comes without a request."""
        held: tuple[int, ...] | None = None
        while True:
            await RisingEdge(dut.clk)
            valid, ready = int(dut.tl_d_valid.value), int(dut.tl_d_ready.value)
            now = tuple(
                int(getattr(dut, f"tl_d_{name}").value) for name in ("opcode", "size", "source", "data", "denied")
            )
            assert held is None or (valid and now == held), "an answer that changed"
            held = now if valid and not ready else None
            assert not valid or owed, "an answer to no request"

    async def access(address: int, value: int | None, size: int) -> tuple[bool, int]:
        low, number = address & 3, next(source) & 255
        dut.tl_a_valid.value = 1
        dut.tl_a_opcode.value = 4 if value is None else random.choice((0, 1))
        dut.tl_a_size.value = size.bit_length() - 1
        dut.tl_a_source.value = number
        dut.tl_a_address.value = address
        dut.tl_a_mask.value = (1 << size) - 1 << low
        dut.tl_a_data.value = 0 if value is None else value << 8 * low
        while True:
            dut.tl_d_ready.value = 0
            await ReadOnly()
            taken = int(dut.tl_a_ready.value)
            if taken:
                owed.append((number, size.bit_length() - 1, int(value is None)))
            await RisingEdge(dut.clk)
            if taken:
                break
        dut.tl_a_valid.value = 0
        for _ in range(100):
            ready = random.random() < 0.5
            dut.tl_d_ready.value = int(ready)
            await ReadOnly()
            done, denied, found = (
                int(dut.tl_d_valid.value) and ready,
                int(dut.tl_d_denied.value),
                int(dut.tl_d_data.value),
            )
            answer = tuple(int(getattr(dut, f"tl_d_{name}").value) for name in ("source", "size", "opcode"))
            await RisingEdge(dut.clk)
            if done:
                dut.tl_d_ready.value = 0
                assert answer == owed.pop(0)
                return bool(denied), found
        raise AssertionError("no answer in 100 clocks")

    dut.tl_d_ready.value = 0
    cocotb.start_soon(watch())
    await compare(dut, access, "tl", dut.tl_accesses)
    # Requests that are not allowed are denied, and no access.
    before = int(dut.tl_accesses.value)
    for opcode, size, address, mask in (
        (2, 2, 0, 15),
        (4, 3, 0, 15),
        (4, 2, 2, 15),
        (0, 1, 1, 3),
        (0, 2, 0, 7),
        (1, 0, 0, 3),
    ):
        dut.tl_a_valid.value = 1
        for name, value in (("opcode", opcode), ("size", size), ("address", address), ("mask", mask), ("source", 7)):
            getattr(dut, f"tl_a_{name}").value = value
        dut.tl_d_ready.value = 1
        owed.append((7, size, 0))
        await RisingEdge(dut.clk)
        dut.tl_a_valid.value = 0
        await ReadOnly()
        assert int(dut.tl_d_valid.value)
        assert int(dut.tl_d_denied.value)
        await RisingEdge(dut.clk)
        owed.clear()
    assert int(dut.tl_accesses.value) == before

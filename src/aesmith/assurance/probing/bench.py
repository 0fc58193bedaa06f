"""What stands beside a masked core in tests: it shares keys and blocks, offers fresh bits, and sums shares of results.

So a masked core has the block interface, and every test bench of such cores serves it. Beside that interface there is a
strobe: in which clocks fresh bits are offered. The bench's bits come from no source of randomness, and a core behind it
protects nothing.
"""

from __future__ import annotations

from dataclasses import replace

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.narrow import with_key_kept
from aesmith.cores.ports import Channel, Line, Meaning, PayloadKind, PortDeclaration, PortDirection
from aesmith.cores.sources import packaged_sources
from aesmith.cores.wrapper import attach, bit_ranges, declarations
from aesmith.errors import RequestError

BENCH = "masked_bench"
SEED_TIMES = "masked_seed_times"

_FRESH = (Meaning.RANDOM, Meaning.SEED)
"""What a masked core takes by a channel that it has besides those of the block interface."""
_SHARED = (Meaning.KEY, Meaning.BLOCK, Meaning.RESULT)


def with_surroundings(design: CoreDesign) -> CoreDesign:
    """The design behind the block interface, with what of it a core leaves to its surroundings: a key that is kept,
    shares and fresh bits. Any other design is returned as it is."""
    kept = with_key_kept(design)
    return with_shares_inside(kept) if any(kept.ports.find(meaning) for meaning in _FRESH) else kept


def with_shares_inside(design: CoreDesign) -> CoreDesign:
    """A masked design behind the block interface, under the name `<name>_with_shares_inside`.

    Its last channel, `random`, is a strobe: fresh bits are offered in clocks in which it is active, and then until they
    are taken. A core that makes its fresh bits gets a seed after reset, and another one in such a clock if the last was
    long ago. What has values at its ports goes past the bench. Raises RequestError for a masked core whose key channel
    is not as wide as that of blocks, for one without a channel of fresh bits, and for one that can be cleared: the
    bench can not.
    """
    ports = design.ports
    shares = {payload.shares for payload in ports.payloads if payload.shares > 1} or {2}
    channel = next((c for c in ports.channels if any(load.meaning in _FRESH for load in c.payloads)), None)
    random = None if channel is None else channel.data
    widths = {payload.width for payload in ports.payloads if payload.meaning in _SHARED}
    if channel is None or random is None or len(shares) != 1 or len(widths) != 1 or ports.clearable:
        raise RequestError(
            f"{design.name}: a masked core is verified with one number of shares, channels of one width, a channel of "
            "fresh bits and no clear"
        )
    name = f"{design.name}_with_shares_inside"
    strobe = Channel("random", PortDirection.INPUT, (), Line("random_valid_i"))
    outer = replace(ports, channels=tuple(_unshared(c) for c in ports.channels if c is not channel))
    outer = replace(outer, channels=(*outer.channels, strobe))
    nets = {
        "key.key": "key_shares",
        "block.block": "block_shares",
        "result.result": "result_shares",
        f"{channel.name}.valid": "offered",
        f"{channel.name}.ready": "taken",
        f"{channel.name}.{random.meaning}": "fresh",
    }
    pins = {"clk_i": outer.role("clock").name, "rst_ni": outer.role("reset").name}
    for sent in ("key", "block"):
        valid, ready = (outer.role(f"{sent}.{line}").name for line in ("valid", "ready"))
        value = outer.channel(sent).data.port
        pins |= {f"{sent}_valid_i": valid, f"{sent}_ready_i": ready}
        pins |= {f"{sent}_i": value, f"{sent}_o": f"{sent}_shares"}
        if ports.channel(sent).data.shares == 1:
            nets[f"{sent}.{sent}"] = value
            pins[f"{sent}_o"] = ""
    seeds = random.meaning is Meaning.SEED
    times = [f"  {name}_{SEED_TIMES} u_seed_times (.clk_i, .rst_ni, .random_valid_i, .seed_time_o(seed_time));"]
    pins |= {"random_valid_i": "seed_time" if seeds else "random_valid_i", "random_valid_o": "offered"}
    pins |= {"random_ready_i": "taken", "random_o": "fresh"}
    value = outer.channel("result").data.port
    pins |= {"result_i": "result_shares", "result_o": value}
    if ports.channel("result").data.shares == 1:
        nets["result.result"] = value
        pins |= {"result_i": "'0", "result_o": ""}
    signals: dict[str, str | Line] = {
        port.role: Line(port.name, port.active) for port in outer if not port.role.startswith("random.")
    }
    plain = {port.name for port in outer}
    lines = [
        f"// {design.name} with the block interface, shares and fresh bits for tests: never to be built.",
        f"module {name} (",
        declarations(outer),
        ");",
        *(_net(design.ports.role(role), net) for role, net in nets.items() if net not in plain),
        *(["  logic seed_time;"] if seeds else []),
        "",
        *(times if seeds else []),
        f"  {name}_{BENCH} #(",
        f"    .Shares    ({max(shares)}),",
        f"    .Width     ({max(widths)}),",
        f"    .RandomBits({random.width})",
        "  ) u_bench (",
        ",\n".join(f"    .{pin}({signal})" for pin, signal in pins.items()),
        "  );",
        attach(design.top, ports, signals | nets),
        "endmodule",
    ]
    top = SourceFile(f"{name}.sv", "\n".join(lines) + "\n")
    sources = (*design.sources, *packaged_sources(name, (*([SEED_TIMES] if seeds else []), BENCH)), top)
    return replace(design, name=name, ports=outer, sources=sources)


def _unshared(channel: Channel) -> Channel:
    """The channel with each shared payload as the value itself."""
    plain = PayloadKind.DATA
    loads = (replace(load, kind=plain, shares=1) if load.shares > 1 else load for load in channel.payloads)
    return replace(channel, payloads=tuple(loads))


def _net(port: PortDeclaration, net: str) -> str:
    return f"  logic {bit_ranges(port)}{net};"

"""Ways in which a core's ports may be connected, by widths and directions, the likeliest by their names first.

What names say only orders them: `foreign.trial` tries them on the gates, and what passes becomes a description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import islice, permutations, product
from typing import Any

from aesmith.cores.ports import BLOCK_BITS, ByteOrder, Line
from aesmith.foreign.trial import Carrier, Passed, PortWay, StillCase
from aesmith.yosys_json import ModulePort

MOST_WAYS = 4096
"""Ways that are looked at, the likeliest ones."""
_MOST_STILL_BITS = 4
"""Bits of inputs that stand still of which each level is tried; others are 0."""
_LIKELIEST = 40
_KEY_BITS = (128, 192, 256)
_BEATS = (8, 16, 32, 64)

_STYLES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("key.valid", "block.valid", "result.ready"), ("key.ready", "block.ready", "result.valid")),
    (("block.valid", "result.ready"), ("block.ready", "result.valid")),
    (("key.valid", "block.valid"), ("key.ready", "block.ready", "result.valid")),
    (("block.valid",), ("block.ready", "result.valid")),
    (("block.start",), ("ready", "result.done")),
    (("block.start",), ("result.done",)),
    (("block.start",), ("ready+result.done",)),
    (("block.start",), ()),
    (("key.start", "block.start"), ("ready", "key.done", "result.done")),
    (("key.start", "block.start"), ("key.done", "result.done")),
    (("key.start", "block.start"), ("ready+key.done", "result.done")),
    (("key.start", "block.start"), ("ready+key.done+result.done",)),
    (("key.start", "block.start"), ("result.done",)),
    (("key.start", "block.start"), ()),
    ((), ()),
)
"""Lines that cores have: those that go in, and those that come out, by the fields of a description."""

_KEY = re.compile(r"k(ey|ld|in|rdy|vld|y)", re.IGNORECASE)
_RESET = re.compile(r"r(e?)s(e?)t|clr", re.IGNORECASE)
_LOW = re.compile(r"(_n[io]?|_b|n|_l)$|^n_?(r(e?)s(e?)t)", re.IGNORECASE)
_ACTIVE_LOW = re.compile(r"_(n|ni|no|b|l)$|^n_", re.IGNORECASE)
_BUSY = re.compile(r"busy|bsy|wait", re.IGNORECASE)
_START = r"start|(^|_)i?_?ld|load|next|begin|^go$|init|kld|trigger|(^|_)(ce|en)(_|$)|valid|vld|req"
_TAKES = re.compile(r"ready|rdy|ack|accept", re.IGNORECASE)
_SAYS = {
    "key.valid": re.compile(_START, re.IGNORECASE),
    "key.start": re.compile(_START, re.IGNORECASE),
    "block.valid": re.compile(_START, re.IGNORECASE),
    "block.start": re.compile(f"{_START}|rdy", re.IGNORECASE),
    "result.ready": _TAKES,
    "key.ready": _TAKES,
    "block.ready": _TAKES,
    "ready": re.compile(r"ready|rdy|busy|bsy|idle|wait", re.IGNORECASE),
    "key.done": re.compile(r"done|valid|vld|ready|rdy|finish|end", re.IGNORECASE),
    "result.done": re.compile(r"done|valid|vld|finish|end|(^|_)ov(_|$)", re.IGNORECASE),
    "result.valid": re.compile(r"valid|vld|done", re.IGNORECASE),
}
_STILL = re.compile(r"dec|enc|dir|inv|mode|len|size|bits|enable|(^|_)(en|ce)(_|$)", re.IGNORECASE)


def _fits(what: str, port: str) -> float:
    """How much speaks against a line that a port may be: 0 if its name says so."""
    of_key, cost = bool(_KEY.search(port)), 0.6
    for part in what.split("+"):
        if _SAYS[part].search(port):
            cost -= 1 if part.startswith("key") == of_key or part == "ready" or what.count("+") else 0.4
        elif of_key and part.startswith("key"):
            cost -= 0.5
        elif of_key or any(each.search(port) for each in _SAYS.values()):
            cost += 0.5
    return max(cost, 0)


def _carriers(ports: Sequence[ModulePort], widths: Iterable[int]) -> list[Carrier]:
    """Single ports, and numbered ones side by side, that have one of these widths."""
    wanted = {*widths}
    found = [Carrier((port.name,), (port.width,)) for port in ports if port.width in wanted]
    groups: dict[tuple[str, str, int], list[tuple[int, str]]] = {}
    for port in ports:
        if match := re.fullmatch(r"(.*?)(\d+)(\D*)", port.name):
            groups.setdefault((match[1], match[3], port.width), []).append((int(match[2]), port.name))
    for (_, _, width), members in groups.items():
        if width >= 8 and len(members) > 1 and width * len(members) in wanted:
            names = tuple(name for _, name in sorted(members))
            for order in (names, names[::-1]):
                found.append(Carrier(order, (width,) * len(order)))
    return found


def _payloads(ports: Sequence[ModulePort]) -> list[tuple[float, Carrier, Carrier, Carrier]]:
    """Key, block and result, with what speaks against them."""
    wide_in = [port for port in ports if port.direction == "input"]
    wide_out = [port for port in ports if port.direction == "output"]
    keys, blocks = _carriers(wide_in, (*_KEY_BITS, *_BEATS)), _carriers(wide_in, (BLOCK_BITS, *_BEATS))
    results = _carriers(wide_out, (BLOCK_BITS, *_BEATS))
    found: list[tuple[float, Carrier, Carrier, Carrier]] = []
    for key, block, result in product(keys, blocks, results):
        if {*key.ports} & {*block.ports}:
            continue
        cost = 0.5 * sum(each.width < BLOCK_BITS for each in (key, block, result))
        cost += 0 if _KEY.search(key.ports[0]) else 1
        cost += 1 if _KEY.search(block.ports[0]) else 0
        cost += 1 if _KEY.search(result.ports[0]) else 0
        cost += 0.2 * (key.width > BLOCK_BITS > block.width)
        for low, last in ((False, False), (True, False), (False, True), (True, True)):
            narrow = min(key.width, block.width, result.width) < BLOCK_BITS
            if (last and not narrow) or (low and max(key.width, block.width, result.width) == 8):
                continue
            if low and any(len(each.ports) > 1 for each in (key, block, result)):
                continue
            carriers = [replace(each, low=low, last_first=last) for each in (key, block, result)]
            found.append((cost + 1.5 * low + 1.5 * last, carriers[0], carriers[1], carriers[2]))
    return sorted(found, key=lambda each: each[0])


def _chosen(what: Sequence[str], ports: Sequence[ModulePort], inverted: bool) -> list[tuple[float, tuple[Line, ...]]]:
    """Ways to give each of these lines a port of its own, the likeliest first; inverted ones too where it may be."""
    ways = []
    for order in permutations(ports, len(what)):
        names = [port.name for port in order]
        cost = sum(map(_fits, what, names))
        low = [_ACTIVE_LOW if each != "ready" else _BUSY for each in what]
        levels = [
            ((0, 0.0), (1, 1.5)) if pattern.search(name) else ((1, 0.0), *([(0, 1.5)] if inverted else []))
            for pattern, name in zip(low, names, strict=True)
        ]
        for choice in product(*levels):
            lines = tuple(Line(name, level) for name, (level, _) in zip(names, choice, strict=True))
            ways.append((cost + sum(more for _, more in choice), lines))
    return nsmallest(_LIKELIEST, ways, key=lambda each: each[0])


def _resets(ports: Sequence[ModulePort], asynchronous: Mapping[str, int]) -> list[tuple[float, Line | None]]:
    """What may be the reset: an asynchronous one is known by the registers, another one by its name, or by nothing."""
    lines = [port.name for port in ports if port.direction == "input" and port.width == 1]
    if asynchronous:
        name = min(asynchronous, key=lambda name: (not _RESET.search(name), lines.index(name)))
        return [(0, Line(name, asynchronous[name]))]
    named = [name for name in lines if _RESET.search(name)]
    found: list[tuple[float, Line | None]] = []
    for name in named or lines:
        low = 0 if _LOW.search(name) else 1
        found += [(0 if named else 1.2, Line(name, low)), (0.3 if named else 1.5, Line(name, 1 - low))]
    return found if named else [(0, None), *found]


def ways(ports: Sequence[ModulePort], resets: Mapping[str, int]) -> list[PortWay]:
    """Ways to connect a core whose clock is not among `ports`, the likeliest first, at most `MOST_WAYS`.

    `resets` are its asynchronous resets, with their levels.
    """
    outputs = [port for port in ports if port.direction == "output" and port.width == 1]
    place = {port.name: number for number, port in enumerate(ports)}
    payloads = _payloads(ports)
    best = payloads[0][0] if payloads else 0
    payloads = [each for each in payloads if each[0] <= best + 2][:16]

    def all_of_them() -> Iterator[tuple[float, PortWay]]:
        for against_reset, reset in _resets(ports, resets):
            inputs = [
                port
                for port in ports
                if port.direction == "input" and port.width == 1 and (reset is None or port.name != reset.port)
            ]
            for going_in, coming_out in _STYLES:
                if len(going_in) > len(inputs) or len(coming_out) > len(outputs):
                    continue
                ins, outs = _chosen(going_in, inputs, False), _chosen(coming_out, outputs, True)
                for (against_in, lines), (against_out, told) in product(ins, outs):
                    taken = dict(zip(going_in, lines, strict=True)) | {
                        part: line for each, line in zip(coming_out, told, strict=True) for part in each.split("+")
                    }
                    if reset is not None:
                        taken["reset"] = reset
                    left = [port.name for port in inputs if port.name not in {line.port for line in lines}]
                    unused = sum(0.7 for name in left if not _STILL.search(name))
                    unused += 0.7 * (len(outputs) - len(coming_out))
                    cost = against_reset + against_in + against_out + unused
                    for against_payloads, key, block, result in payloads:
                        carried = {"key": key, "block": block, "result": result}
                        against = against_payloads + _apart(taken, carried, place)
                        if "valid" not in str(going_in) and "key.start" not in going_in and key.width < block.width:
                            against += 0.5
                        carriers = {name for each in (key, block) for name in each.ports}
                        still = _still(ports, {*carriers, *(line.port for line in taken.values())})
                        way = PortWay(key, block, result, taken, still)
                        yield cost + against, way
                        if "block.start" in taken and "key.start" not in taken and "result.done" in taken:
                            yield cost + against + 1, replace(way, held=True)
                        if "key.start" in taken and "key.done" not in taken:
                            yield cost + against + 0.5, replace(way, key_clocks=16)
                            yield cost + against + 0.6, replace(way, key_clocks=64)

    return [way for _, way in nsmallest(MOST_WAYS, all_of_them(), key=lambda each: each[0])]


def _apart(lines: Mapping[str, Line], carriers: Mapping[str, Carrier], place: Mapping[str, int]) -> float:
    """What speaks against lines that stand far from their payloads in the list of ports."""
    return 0.03 * sum(
        abs(place[line.port] - place[carriers[where].ports[0]])
        for what, line in lines.items()
        if (where := what.partition(".")[0]) in carriers
    )


def _still(ports: Sequence[ModulePort], taken: set[str]) -> tuple[str, ...]:
    """The inputs that stand still, those that may choose something first."""
    left = [port for port in ports if port.direction == "input" and port.name not in taken]
    left.sort(key=lambda port: (port.width > 3, not _STILL.search(port.name), port.width))
    return tuple(port.name for port in left)


def lanes(
    found: Iterable[PortWay], widths: Mapping[str, int], *, every_size: bool
) -> Iterator[tuple[PortWay, StillCase]]:
    """Each way with the levels of what stands still, directions, and key sizes that it may have: without `every_size`
    one or two, of which each core has one."""
    for way in found:
        bits, tried = 0, 0
        for name in way.still:
            if widths[name] > 3 or bits + widths[name] > _MOST_STILL_BITS:
                break
            bits, tried = bits + widths[name], tried + 1
        rest = (0,) * (len(way.still) - tried)
        sizes = [size for size in _KEY_BITS if size <= way.key.width or way.key.width < BLOCK_BITS]
        sizes = sizes if every_size else sorted({sizes[0], sizes[-1]})
        for levels in product(*(range(1 << widths[name]) for name in way.still[:tried])):
            for size, decrypts in product(sizes, (False, True)):
                yield way, StillCase((*levels, *rest), size, decrypts)


def batches(found: Iterable[tuple[PortWay, StillCase]], size: int) -> Iterator[list[tuple[PortWay, StillCase]]]:
    """Lists of so many, the last one shorter."""
    waiting = iter(found)
    while batch := list(islice(waiting, size)):
        yield batch


def descriptions(
    passed: Sequence[Passed], names: Mapping[str, str], clock: str, widths: Mapping[str, int]
) -> list[Any]:
    """The fields of a description for each way that passed, in their order: those of all sizes and directions first.

    `names` are the ports' names in the sources.
    """
    by_way: dict[int, list[Passed]] = {}
    for each in passed:
        by_way.setdefault(id(each.way), []).append(each)
    found = [_described(same, names, clock, widths) for same in by_way.values()]
    return [fields for _, fields in sorted(found, key=lambda each: -each[0])]


def _described(
    passed: Sequence[Passed], names: Mapping[str, str], clock: str, widths: Mapping[str, int]
) -> tuple[int, dict[str, Any]]:
    """How many sizes and directions a way has, and its fields."""
    way = passed[0].way
    by_case = {each.case: each.result_clocks for each in passed}
    best: tuple[int, int, list[StillCase], int | None, int | None] | None = None
    places = [*range(len(way.still))]
    for base in dict.fromkeys(each.case.still for each in passed):
        for chooses, sizes_by in product(
            [None, *(i for i in places if widths[way.still[i]] == 1)],
            [None, *(i for i in places if widths[way.still[i]] <= 3)],
        ):
            if chooses is not None and chooses == sizes_by:
                continue
            cases = _together(by_case.keys(), base, chooses, sizes_by)
            simple = -(chooses is not None) - (sizes_by is not None)
            if best is None or (len(cases), simple) > best[:2]:
                best = len(cases), simple, cases, chooses, sizes_by
    assert best is not None
    count, _, cases, chooses, sizes_by = best
    sizes = sorted({case.key_bits for case in cases})
    directions = sorted({case.decrypts for case in cases})
    ports: dict[str, Any] = {"clock": clock, "tied": {}}
    for place, name in enumerate(way.still):
        if place == chooses and len(directions) > 1:
            decrypting = next(case.still[place] for case in cases if case.decrypts)
            ports["decrypt"] = names[name] if decrypting else f"!{names[name]}"
        elif place == sizes_by and len(sizes) > 1:
            values = {str(size): next(c.still[place] for c in cases if c.key_bits == size) for size in sizes}
            ports["key_size"] = {"port": names[name], "values": values}
        else:
            ports["tied"][names[name]] = cases[0].still[place]
    tables: dict[str, dict[str, Any]] = {"key": {}, "block": {}, "result": {}}
    for where, carrier in (("key", way.key), ("block", way.block), ("result", way.result)):
        called = [names[name] for name in carrier.ports]
        table = tables[where]
        table["data"] = called if len(called) > 1 else called[0]
        if carrier.low:
            table["byte_order"] = ByteOrder.FIRST_BYTE_LOW.value
        if carrier.last_first and carrier.width < BLOCK_BITS:
            table["beat_order"] = "last beat first"
    for what, line in way.lines.items():
        text = ("" if line.active else "!") + names[line.port]
        where, _, field = what.partition(".")
        (tables[where] if field else ports)[field or where] = text
    if way.key_sent and "done" not in tables["key"]:
        tables["key"]["clocks"] = max(way.key_clocks, max(sizes) // min(way.key.width, max(sizes)))
    if way.held:
        tables["block"]["held"] = True
    fields: dict[str, Any] = {
        "key_bits": sizes,
        "directions": ["decrypt" if each else "encrypt" for each in directions],
    }
    # A line that tells of the result is seen a clock later than the result.
    fields["latency_cycles"] = by_case[cases[0]] + BLOCK_BITS // way.result.width - (not way.timed)
    if way.timed:
        tables["result"]["clocks"] = by_case[cases[0]]
    return count, fields | {"ports": ports | tables}


def _together(
    passed: Iterable[StillCase], base: tuple[int, ...], chooses: int | None, sizes_by: int | None
) -> list[StillCase]:
    """Cases that differ from `base` in the inputs that choose direction and size alone: all sizes in all directions."""
    like = [
        case
        for case in passed
        if all(
            level == other or place in (chooses, sizes_by)
            for place, (level, other) in enumerate(zip(case.still, base, strict=True))
        )
    ]
    level_of: dict[bool, set[int]] = {}
    for case in like:
        level_of.setdefault(case.decrypts, set()).add(0 if chooses is None else case.still[chooses])
    best: list[StillCase] = []
    for encrypting, decrypting in product((0, 1), (0, 1)):
        if chooses is not None and encrypting == decrypting and len(level_of) > 1:
            continue
        by_size: dict[int, dict[bool, StillCase]] = {}
        for case in sorted(like):
            level = decrypting if case.decrypts else encrypting
            if chooses is None or case.still[chooses] == level:
                of_size = by_size.setdefault(case.key_bits, {})
                if case.decrypts not in of_size:
                    of_size[case.decrypts] = case
        if sizes_by is None and len(by_size) > 1:
            by_size = dict([max(by_size.items(), key=lambda each: (len(each[1]), -each[0]))])
        most = max(map(len, by_size.values()), default=0)
        whole = {size: both for size, both in by_size.items() if len(both) == most}
        directions = {frozenset(both) for both in whole.values()}
        if len(directions) > 1:
            whole = {size: both for size, both in whole.items() if frozenset(both) == min(directions, key=sorted)}
        if sizes_by is not None and any(len({c.still[sizes_by] for c in both.values()}) > 1 for both in whole.values()):
            continue
        cases = [case for both in whole.values() for case in both.values()]
        if len(cases) > len(best):
            best = cases
    return best

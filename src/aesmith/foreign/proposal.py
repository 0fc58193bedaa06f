"""A description proposed for sources that nobody has described yet: what each port does, guessed by its name.

What a name says is a guess, and what clocks a core takes no name says. Whoever takes the proposal reads it through, and
`aesmith verify` then tells whether it is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aesmith.errors import RequestError
from aesmith.foreign.reading import read_sources
from aesmith.scratch import work_folder
from aesmith.yosys_json import ModulePort

_CLOCK = re.compile(r"cl(oc)?k", re.IGNORECASE)
_RESET = re.compile(r"r(e?)s(e?)t|clr", re.IGNORECASE)
_LOW = re.compile(r"(_n[io]?|_b|n|_l)$|^n_?(r(e?)s(e?)t)", re.IGNORECASE)
KEY_NAME = re.compile(r"k(ey|ld|in|rdy|vld)", re.IGNORECASE)
_START = re.compile(r"start|^i?_?ld|load|next|begin|^go$|init|kld|rdy|trigger|^ce$|valid|^en$", re.IGNORECASE)
_DONE = re.compile(r"done|valid|vld|finish|end", re.IGNORECASE)
_READY = re.compile(r"ready|busy|bsy|idle|wait", re.IGNORECASE)
_BUSY = re.compile(r"busy|bsy|wait", re.IGNORECASE)
_DIRECTION = re.compile(r"dec|enc|dir|inv|mode", re.IGNORECASE)


def propose(
    files: Sequence[Path],
    top: str,
    *,
    include: Sequence[Path] = (),
    defines: Mapping[str, str | int] | None = None,
    parameters: Mapping[str, int] | None = None,
    language: str = "systemverilog",
) -> str:
    """The text of a description file. What could not be guessed stands in it as `FIXME`.

    Raises what `read_sources` raises, and RequestError for a core without a clock.
    """
    with work_folder("ports") as folder:
        read = read_sources(
            files, top, folder, include=include, defines=defines, parameters=parameters, language=language
        )
    if not read.clocked:
        raise RequestError(
            f"rtl: {top} has no register: a core of gates alone, without a clock, is not taken; put registers of one "
            "clock around it"
        )
    given = {own: original for original, own in read.names.items()}
    ports = [port._replace(name=given.get(name, name)) for name, port in read.ports.items()]
    values = head(files, top, include=include, defines=defines, parameters=parameters, language=language)
    found = guess(ports)
    both = "decrypt" in found
    values += [
        f"key_bits = {found.pop('key_bits', 128)}",
        f"directions = {json.dumps(['encrypt', 'decrypt'] if both else ['encrypt'])}",
        "latency_cycles = 12                 # FIXME: from the clock of the start to that of the result, both counted",
        "",
        "[ports]",
        *(f"{key} = {value}" for key, value in found.items() if "." not in key),
    ]
    for part in ("key", "block", "result"):
        entries = {key.split(".")[1]: value for key, value in found.items() if key.startswith(f"{part}.")}
        values += ["", f"[ports.{part}]", *(f"{key} = {value}" for key, value in entries.items())]
    return "\n".join(values) + "\n"


def head(
    files: Sequence[Path],
    top: str,
    *,
    include: Sequence[Path] = (),
    defines: Mapping[str, str | int] | None = None,
    parameters: Mapping[str, int] | None = None,
    language: str = "systemverilog",
) -> list[str]:
    """The first lines of a description: the sources, and how they are read."""
    values: list[str] = [
        'origin = "FIXME: whose, and which commit"',
        f"rtl = {json.dumps([str(file) for file in files])}",
        f"top = {json.dumps(top)}",
    ]
    if include:
        values.append(f"include = {json.dumps([str(path) for path in include])}")
    for what, settings in (("defines", defines), ("parameters", parameters)):
        if settings:
            values.append(f"{what} = {_toml(settings)}")
    if language != "systemverilog":
        values.append(f"language = {json.dumps(language)}")
    return values


def lines_of(fields: Mapping[str, Any], table: str = "") -> list[str]:
    """Fields as lines of TOML: what is no table first, then tables, whose empty ones are left out.

    Tables of levels, such as `tied`, stand in a line.
    """
    flat = {name: value for name, value in fields.items() if not isinstance(value, Mapping) or _in_a_line(value)}
    lines = [f"[{table}]"] * bool(table and flat)
    lines += [f"{name} = {_toml(value)}" for name, value in flat.items() if value != {}]
    for name, value in fields.items():
        if name not in flat:
            lines += ["", *lines_of(value, f"{table}.{name}".lstrip("."))]
    return lines


def _in_a_line(table: Mapping[str, Any]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in table.values())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {_toml(part)}' for name, part in value.items())} }}"
    return json.dumps(value)


def guess(ports: Sequence[ModulePort]) -> dict[str, str]:
    """What the fields of a description's ports may be, as TOML, by the names and widths of the ports."""
    inputs = [port for port in ports if port.direction == "input"]
    outputs = [port for port in ports if port.direction == "output"]
    left = {port.name: port for port in inputs}
    found: dict[str, str] = {}

    def take(pool: Sequence[ModulePort], pattern: re.Pattern[str], widths: Sequence[int]) -> str | None:
        for port in pool:
            if port.width in widths and pattern.search(port.name) and (port.name in left or port.direction == "output"):
                left.pop(port.name, None)
                return port.name
        return None

    fixme = '"FIXME"'
    clock = take(inputs, _CLOCK, (1,))
    found["clock"] = json.dumps(clock) if clock else fixme
    if reset := take(inputs, _RESET, (1,)):
        found["reset"] = json.dumps(("!" if _LOW.search(reset) else "") + reset)
    key = take(inputs, KEY_NAME, (128, 192, 256))
    if key is None and len(wide := [port for port in inputs if port.width in (128, 192, 256)]) == 2:
        # No name tells it: the wider one, or the second. Who simulates tries both.
        unnamed = max(reversed(wide), key=lambda port: port.width)
        key = take([unnamed], re.compile(""), (unnamed.width,))
    key_width = next((port.width for port in inputs if port.name == key), 128)
    block = take(inputs, re.compile(""), (128,))
    result = take(outputs, re.compile(""), (128,))
    lines = [port for port in inputs if port.width == 1]
    key_start = take([port for port in lines if KEY_NAME.search(port.name) or "init" in port.name], _START, (1,))
    start = take(lines, _START, (1,))
    if key_start and not start:
        key_start, start = None, key_start
    ready = take(outputs, _READY, (1,))
    done = take([port for port in outputs if port.name != ready], _DONE, (1,))
    if ready:
        found["ready"] = json.dumps(("!" if _BUSY.search(ready) else "") + ready)
    if direction := take(lines, _DIRECTION, (1,)):
        low = "enc" in direction.lower() and not direction.lower().startswith("dec")
        found["decrypt"] = json.dumps(("!" if low else "") + direction)
    if left:
        tied = ", ".join(f"{name} = 0" for name in left)
        found["tied"] = f"{{ {tied} }}            # FIXME: what these inputs are while the core is verified"
    found["key.data"] = json.dumps(key) if key else fixme
    if key_start:
        found["key.start"] = json.dumps(key_start)
        found["key.done"] = json.dumps(("!" if _BUSY.search(ready) else "") + ready) if ready else fixme
    found["block.data"] = json.dumps(block) if block else fixme
    if start:
        found["block.start"] = json.dumps(start)
    found["result.data"] = json.dumps(result) if result else fixme
    if done:
        found["result.done"] = json.dumps(done)
    elif ready and start:
        found["result.done"] = found["ready"]
    else:
        found["result.clocks"] = "11                        # FIXME: so many clocks after the block"
    found["key_bits"] = str(key_width)
    return found

"""Where the cells of a placed netlist come from: the modules and registers of the sources.

Mapping takes a flat design apart: of its names only those survive that nets at registers and ports have, and, where
modules were mapped by themselves, those of nets inside them. A register belongs to the name of what it takes, a gate to
the name of what it drives, or else to that of the nearest named net that it leads to, over the fewest gates; an output
port names only what leads to nothing else. So a gate that leads to two registers belongs to the nearer one.
"""

from __future__ import annotations

import re
from collections import deque

from aesmith.timing.binding import BoundNetlist

_INDEX = re.compile(r"\[\d+\]")


def modules_of(bound: BoundNetlist) -> tuple[str, ...]:
    """The origin of every instance: the path of its module, and at registers the name of their data, instances that a
    generate statement numbers counted as one (`u_core.gen_byte[*].u_inverter`). Empty for what leads to no name.
    """
    instances, named = bound.netlist.instances, _names(bound)
    drivers = {
        net: i for i, instance in enumerate(instances) for pin, net in instance.pins.items()
        if pin in bound.cells[i].outputs
    }  # fmt: skip
    found = [""] * len(instances)
    for i, instance in enumerate(instances):
        outputs = bound.cells[i].outputs
        # What a register takes says more of it than what it gives: the name of its data comes first.
        pins = sorted(instance.pins, key=lambda pin: (pin in outputs) == bound.is_register(i))
        own = (named[net] for pin in pins if (net := instance.pins[pin]) in named)
        if bound.is_register(i):
            found[i] = next(own, "")
        else:
            found[i] = next((named[instance.pins[pin]] for pin in outputs if instance.pins.get(pin) in named), "")
    ports = {net: port.name for port in bound.netlist.outputs for net in port.nets}
    for named_by in ({}, ports):
        for net, name in named_by.items():
            if (driver := drivers.get(net)) is not None:
                found[driver] = found[driver] or name
        waiting = deque(i for i in range(len(instances)) if found[i])
        while waiting:
            i = waiting.popleft()
            for pin, net in instances[i].pins.items():
                before = drivers.get(net)
                if pin not in bound.cells[i].outputs and before is not None and not found[before]:
                    found[before] = found[i]
                    waiting.append(before)
    return tuple(found)


def _names(bound: BoundNetlist) -> dict[int, str]:
    """What nets are called: at registers with their own names, elsewhere after their modules. Clocks are not named."""
    instances, top = bound.netlist.instances, bound.netlist.name
    at_registers = {
        net for i, instance in enumerate(instances) if bound.is_register(i) for net in instance.pins.values()
    }
    at_ports = {net for port in bound.netlist.ports.values() for net in port.nets}
    names = {}
    for net, path in bound.netlist.origins.items():
        if net not in at_ports and net != bound.clock and net not in bound.constants:
            kept = path if net in at_registers else path[:-1]
            names[net] = _INDEX.sub("[*]", ".".join(kept)) or top
    return names

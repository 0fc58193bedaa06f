"""A frame of invented points: every family, both directions, all key sizes; some without power, some failed."""

import json
import random

import pandas as pd
import pytest

from aesmith.explore.points import blocks_in_flight, frame

ROUND, PIPE, SERIAL = "round-based", "sub-pipelined", "byte-serial"
CORES = (
    *((ROUND, "ueno2020-enc", 1, bits, 128, 1.0, bits // 32 + 6, bits // 32 + 7) for bits in (128, 192, 256)),
    *((ROUND, "ueno2020-encdec", 2, bits, 128, 1.5, bits // 32 + 6, bits // 32 + 7) for bits in (128, 192, 256)),
    (ROUND, "ueno2020-encdec-selectable", 2, (128, 192, 256), 128, 1.8, 14, 15),
    (ROUND, "ueno2020-encdec-p2", 2, 128, 128, 1.6, 10, 21),
    (ROUND, "boyar2010-enc", 1, 128, 128, 1.0, 10, 11),
    (ROUND, "lutz2002-encdec", 2, 128, 128, 2.2, 10, 10),
    *((PIPE, f"r{stages}-u{units}", 1, 128, 128, 0.9 * units, 10 // units, 10 * stages + 1)
      for stages in (1, 2, 3, 7) for units in (1, 2, 5, 10)),
    *((PIPE, f"r{stages}-encdec", 2, 256, 128, 14, 1, 14 * stages + 1) for stages in (2, 5)),
    *((SERIAL, f"wang2010-s{stages}", 1, 128, 8, 0.25, 220 + stages, 240 + stages) for stages in (1, 2, 4)),
    (SERIAL, "serial-encdec", 2, 128, 8, 0.3, 230, 250),
)  # fmt: skip


def rows(seed: int) -> list[dict[str, object]]:
    rng = random.Random(seed)
    found = []
    for family, name, ways, keys, width, size, cycles, latency in CORES:
        directions = ("encrypt", "decrypt")[:ways]
        for optimise in ("area", "area-speed", "speed"):
            row: dict[str, object] = {
                "design": f"{name}-{keys if isinstance(keys, int) else 'any'}",
                "specification": json.dumps({"key_bits": keys}),
                "family": family,
                "architecture": name,
                "directions": "+".join(directions),
                "key_bits": keys if isinstance(keys, int) else max(keys),
                "block_width": width,
                "cycles_per_block": cycles,
                "latency_cycles": latency,
                "blocks_in_flight": blocks_in_flight(cycles, latency),
                "library": "invented",
                "optimise": optimise,
                "recipe": "r",
                "key": f"{rng.getrandbits(256):064x}",
                "status": "done",
                "verified": "simulation",
            }
            if rng.random() < 0.05:
                found.append(row | {"status": "failed", "error": "no room"})
                continue
            area, period = 12e3 * size * rng.uniform(0.8, 1.4), rng.uniform(0.5, 2.5)
            gbps = 128 / (period * cycles)
            row |= {
                "area_ge": round(area, 2),
                "period_ns": period,
                "fmax_mhz": 1e3 / period,
                "latency_ns": latency * period,
                "throughput_gbps": gbps,
                "efficiency_kbps_per_ge": gbps * 1e6 / area,
            }
            if rng.random() < 0.8:
                for direction in directions:
                    power = area * rng.uniform(0.02, 0.05)
                    row[f"power_uw_at_100mhz_{direction}"] = power
                    row[f"energy_pj_per_block_{direction}"] = power * cycles / 100
            found.append(row)
    return found


@pytest.fixture(params=range(4))
def points(request: pytest.FixtureRequest) -> pd.DataFrame:
    return frame(rows(request.param))

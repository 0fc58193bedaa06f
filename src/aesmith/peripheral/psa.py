"""An engine with registers as a driver of the PSA Cryptoprocessor Driver Interface, as Mbed TLS 3 takes it.

Entry points in C over the engine's own driver, and their description in JSON: one-shot calls, with the key in each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from aesmith.cores.design import Direction
from aesmith.modes.engine import StreamEngine
from aesmith.modes.registers import modes_of
from aesmith.peripheral.texts import rendered

_CIPHERS: dict[str, str] = {
    "ecb": "PSA_ALG_ECB_NO_PADDING",
    "cbc": "PSA_ALG_CBC_NO_PADDING",
    "cfb128": "PSA_ALG_CFB",
    "ofb": "PSA_ALG_OFB",
    "ctr": "PSA_ALG_CTR",
    "xts": "PSA_ALG_XTS",
}
_AEADS: dict[str, str] = {"gcm": "PSA_ALG_GCM", "ccm": "PSA_ALG_CCM"}
_MACS: dict[str, str] = {"cmac": "PSA_ALG_CMAC"}


def psa_files(engine: StreamEngine) -> dict[str, str]:
    """The driver's files by their paths in a build; none for an engine whose modes PSA does not have."""
    behind, name = engine.behind_bus, engine.name
    modes = modes_of(behind)
    ciphers, aeads, macs = ([mode for mode in modes if mode in table] for table in (_CIPHERS, _AEADS, _MACS))
    if not (ciphers or aeads or macs):
        return {}
    ways = {view.mode: view.mode_directions for view in behind.views}
    algorithms = [
        (mode, algorithm, 2 if len(ways[mode]) == 2 else int(Direction.ENCRYPT in ways[mode]))
        for mode, algorithm in (_CIPHERS | _AEADS).items()
        if mode in modes
    ]
    values: Mapping[str, object] = {
        "name": name,
        "upper": name.upper(),
        "ciphers": ciphers,
        "aeads": aeads,
        "macs": macs,
        "algorithms": algorithms,
        "short_iv": "gcm" in aeads and not behind.takes_any_iv,
        "clears": engine.clear,
    }
    return {
        f"driver/{name}_psa.h": rendered("psa.h.j2", **values),
        f"driver/{name}_psa.c": rendered("psa.c.j2", **values),
        f"driver/{name}_psa.json": _description(name, engine.key_bits[0], ciphers, aeads, macs),
    }


def _description(name: str, key_bits: int, ciphers: list[str], aeads: list[str], macs: list[str]) -> str:
    """The driver's description by `docs/psa-driver-example-and-guide` of Mbed TLS 3."""
    capabilities = []
    for table, modes, calls in (
        (_CIPHERS, ciphers, ("cipher_encrypt", "cipher_decrypt")),
        (_AEADS, aeads, ("aead_encrypt", "aead_decrypt")),
        (_MACS, macs, ("mac_compute",)),
    ):
        if modes:
            capabilities.append(
                {
                    "_comment": f"AES with keys of {key_bits} bits",
                    "entry_points": list(calls),
                    "algorithms": [table[mode] for mode in modes],
                    "key_types": ["PSA_KEY_TYPE_AES"],
                    "key_sizes": [key_bits],
                    "names": {call: f"{name}_psa_{call}" for call in calls},
                    "fallback": True,
                }
            )
    driver = {
        "prefix": f"{name}_psa",
        "type": "transparent",
        "mbedtls/h_condition": f"defined({name.upper()}_PSA_DRIVER)",
        "headers": [f"{name}_psa.h"],
        "capabilities": capabilities,
    }
    return json.dumps(driver, indent=2) + "\n"

"""What an engine can, in the words of ACVP: the capabilities that a module is registered with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from aesmith.assurance.acvp.algorithms import ALGORITHMS
from aesmith.assurance.acvp.drbg import CTR_DRBG, MODE
from aesmith.errors import RequestError
from aesmith.modes.chained import CMAC_TAGS
from aesmith.modes.counting import CCM_NONCES, CCM_TAGS, GCM_TAGS, SHORT_IV
from aesmith.modes.engine import StreamEngine
from aesmith.modes.key_wrap_stream import WRAPS
from aesmith.modes.message import BLOCK

MOST_BITS = 65_536
"""The longest text, header or data unit that the protocol asks for."""
MOST_MESSAGE = 524_288
"""The longest message of CMAC."""
MOST_WRAPPED = 4096
"""The longest text that it asks to wrap."""
MOST_IV = 1024


def _range(most: int, *, least: int = 0, step: int = 8) -> list[dict[str, int]]:
    return [{"min": least, "max": most, "increment": step}]


def _bits(sizes: Iterable[int]) -> list[int]:
    return [8 * size for size in sizes]


def _tags(engine: StreamEngine, sizes: Iterable[int]) -> list[int]:
    """Bits of the tags that an engine takes, of those of its mode."""
    return _bits(size for size in sizes if size >= engine.min_tag)


def _capability(name: str, engine: StreamEngine) -> dict[str, Any]:
    """An algorithm's entry, for the view of an engine that has its mode."""
    ways = [way.value for way in engine.mode_directions]
    keys = [bits // ALGORITHMS[name].mode.keys for bits in engine.key_bits]
    made: dict[str, Any] = {"algorithm": name, "revision": "1.0"}
    most = MOST_BITS
    if engine.most_beats is not None and ("decrypt" in ways or engine.mode in WRAPS):
        most = min(most, engine.most_beats * BLOCK * 8)
    if name == "CMAC-AES":
        sizes = _tags(engine, CMAC_TAGS)
        one = {"direction": ["gen", "ver"], "keyLen": keys, "msgLen": _range(MOST_MESSAGE), "macLen": sizes}
        return made | {"capabilities": [one]}
    made |= {"direction": ways, "keyLen": keys}
    match name:
        case "ACVP-AES-GCM" | "ACVP-AES-GMAC":
            iv = _range(MOST_IV, least=8) if engine.takes_any_iv else [8 * SHORT_IV]
            texts = {} if name.endswith("GMAC") else {"payloadLen": _range(most)}
            return made | texts | {
                "ivLen": iv, "ivGen": "external", "aadLen": _range(MOST_BITS), "tagLen": _tags(engine, GCM_TAGS),
            }  # fmt: skip
        case "ACVP-AES-CCM":
            lengths = {"payloadLen": _range(min(most, 256)), "aadLen": _range(MOST_BITS)}
            return made | lengths | {"ivLen": _bits(CCM_NONCES), "tagLen": _tags(engine, CCM_TAGS)}
        case "ACVP-AES-GCM-SIV":
            return made | {"payloadLen": _range(most), "aadLen": _range(MOST_BITS)}
        case "ACVP-AES-CTR":
            counter = {"overflowCounter": True, "incrementalCounter": True, "performCounterTests": False}
            return made | {"payloadLen": _range(128, least=8)} | counter
        case "ACVP-AES-KW" | "ACVP-AES-KWP":
            least, step = (8, 8) if name.endswith("KWP") else (128, 64)
            return made | {
                "kwCipher": ["cipher"],
                "payloadLen": _range(min(most, MOST_WRAPPED), least=least, step=step),
            }
        case "ACVP-AES-CBC-CS1" | "ACVP-AES-CBC-CS2" | "ACVP-AES-CBC-CS3":
            return made | {"payloadLen": _range(MOST_BITS, least=128)}
        case "ACVP-AES-XTS":
            return made | {"payloadLen": _range(MOST_BITS, least=128), "tweakMode": ["hex", "number"]}
    return made


def _drbg(engine: StreamEngine) -> dict[str, Any]:
    """The entry of a DRBG without derivation function, by the bits of its seeds."""
    bits = max(engine.key_bits)
    one = {
        "mode": f"AES-{engine.core.key_bits[0]}",
        "derFuncEnabled": False,
        "entropyInputLen": [bits],
        "nonceLen": [0],
        "persoStringLen": _range(bits, step=bits),
        "additionalInputLen": _range(bits, step=bits),
        "returnedBitsLen": 512,
    }
    return {
        "algorithm": CTR_DRBG,
        "revision": "1.0",
        "predResistanceEnabled": [True, False],
        "reseedImplemented": True,
        "capabilities": [one],
    }


def registration(engine: StreamEngine) -> str:
    """The capabilities of an engine as the file that a module is registered with.

    Raises RequestError for an engine of a mode that ACVP has no algorithm for.
    """
    views = {view.mode: view for view in engine.behind_bus.views}
    made = [_capability(name, views[one.mode.name]) for name, one in ALGORITHMS.items() if one.mode.name in views]
    made += [_drbg(view) for mode, view in views.items() if mode == MODE]
    if not made:
        raise RequestError(f"{engine.name}: ACVP has no algorithm for {', '.join(views)}")
    return json.dumps([{"acvVersion": "1.0"}, {"algorithms": made}], indent=2) + "\n"

"""Engines around real AES cores against their models, and every wrong engine of the tests.

    python benchmarks/engine_traffic.py [MESSAGES [VECTORS]]

For each engine so many messages of 0 to 300 bytes, good and bad, without pauses and with pauses on all channels; into
those of GCM also so many vectors of the package cryptography-vectors, taken evenly from all of their key size.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from mode_vectors import FILES, part, records
from tests.modes import conftest, test_engine, test_gcm_engine
from tests.modes.engine_bench import ALWAYS, Answer, Keyed, ManyEngines, check, wrong_engine

from aesmith.modes.engine import OUTPUT, CtrEngine, ctr_engine
from aesmith.modes.gcm_engine import GcmEngine, gcm_engine
from aesmith.modes.message import Cipher, Message
from aesmith.modes.stream import StreamedMessage, streamed_with_tag

ROUND_BASED, UNROLLED = test_engine.ROUND_BASED, test_engine.UNROLLED
CTR = ((ROUND_BASED, 1, 128), (ROUND_BASED, 4, 8), (UNROLLED, 1, 32))
GCM: tuple[tuple[dict[str, object], dict[str, object]], ...] = (
    (ROUND_BASED, {"digit": 16, "splits": "bbb", "entries": 24}),
    ({"preset": "ueno2020-enc-256"}, {"cores": 4, "digit": 64, "splits": "bbbb", "release": "cut-through"}),
    (UNROLLED, {"digit": 128, "splits": "ooooo", "entries": 64}),
)
TOGETHER = 6
"""Wrong engines that are compiled as one."""


def wrong_engines(folder: Path) -> None:
    """Every one of them is found, and the right ones pass; raises AssertionError if not."""
    for right, each, passes in (
        (CtrEngine("right", conftest.stand_in(10, 11), 3, 8), test_engine.WRONG, test_engine.passes),
        (
            GcmEngine("right", conftest.stand_in(10, 11), **test_gcm_engine.FIELDS),
            test_gcm_engine.WRONG,
            test_gcm_engine.passes,
        ),
    ):
        names = list(each)
        for start in range(0, len(names), TOGETHER):
            some = names[start : start + TOGETHER]
            engines = (right, *(wrong_engine(right, f"wrong_{n}", *each[name]) for n, name in enumerate(some)))
            model = conftest.ChannelBench(ManyEngines(engines), folder / f"{type(right).__name__}{start}")
            found = [passes(right, model, n, conftest.Offer, conftest.StandIn) for n in range(len(some) + 1)]
            assert found == [True] + [False] * len(some), dict(zip(["none", *some], found, strict=True))
        print(f"{type(right).__name__}: wrong engines found: {len(names)} of {len(names)}", flush=True)


def traffic_through(model: conftest.ChannelBench, messages: int, make: object, answer: Answer) -> int:
    """Messages in parts, every other one with pauses; the beats that came."""
    beats = 0
    for place in range(max(1, messages // 500)):
        rng = random.Random(place)
        pauses = {name: rng.randrange(200) * (place % 2) for name in ALWAYS}
        sent: list[Keyed] = make(rng, min(500, messages))  # type: ignore[operator]
        beats += len(check(model, sent, answer, conftest.Offer, pauses=pauses, seed=place + 1)[OUTPUT])
    return beats


def vectors(key_bits: int, count: int) -> list[tuple[Keyed, bytes, bool]]:
    """Published messages of GCM, evenly taken: each with the bytes that must come, and whether its tag is wrong."""
    found = [record for file in FILES["gcm"][1] if str(key_bits) in file for record in records(file)]
    taken: list[tuple[Keyed, bytes, bool]] = []
    for record in found[:: max(1, len(found) // count)]:
        plain, other, tag = part(record, "pt"), part(record, "ct"), part(record, "tag")
        # Files to encrypt name them so by their plaintext before the ciphertext.
        encrypt = "pt" in record and list(record).index("pt") < list(record).index("ct")
        message = Message(part(record, "iv"), part(record, "aad"), plain if encrypt else other, tag)
        sent: StreamedMessage = streamed_with_tag(message, encrypt=encrypt)
        fails = "fail" in record
        taken.append(((part(record, "key"), sent), other + tag if encrypt else b"" if fails else plain, fails))
    return taken


def published(design: GcmEngine, model: conftest.ChannelBench, count: int) -> int:
    """Run published vectors and compare what comes with what they say; how many."""
    taken = vectors(design.core.key_bits[0], count)
    answer = test_gcm_engine.answers(design, Cipher)
    made = check(model, [sent for sent, _, _ in taken], answer, conftest.Offer)[OUTPUT]
    got, messages = b"", iter(taken)
    for transfer in made:
        data, keep, user, last = transfer.payloads
        got += data.to_bytes(16, "little")[: keep.bit_count()]
        if last:
            _, wanted, fails = next(messages)
            assert bool(user & 4) is fails
            assert got == wanted or (fails and design.release == "cut-through")
            got = b""
    assert next(messages, None) is None
    return len(taken)


def main(messages: int, count: int) -> None:
    """Prints a line an engine; raises AssertionError for an answer that is not the model's."""
    with tempfile.TemporaryDirectory() as folder:
        wrong_engines(Path(folder))
        for number, (core, cores, bits) in enumerate(CTR):
            design = ctr_engine("ctr", core, cores, bits)
            model, start = conftest.ChannelBench(design, Path(folder) / f"ctr{number}"), time.monotonic()
            beats = traffic_through(model, messages, test_engine.traffic, test_engine.answers(bits, Cipher))
            print(f"{design.title}: {beats} beats as by the model, {time.monotonic() - start:.0f} s", flush=True)
        for number, (core, fields) in enumerate(GCM):
            engine = gcm_engine("gcm", core, **fields)
            model, start = conftest.ChannelBench(engine, Path(folder) / f"gcm{number}"), time.monotonic()
            key_bytes = engine.core.key_bits[0] // 8

            def make(rng: random.Random, many: int, key_bytes: int = key_bytes) -> list[Keyed]:
                return test_gcm_engine.traffic(rng, many, Cipher, key_bytes=key_bytes)

            beats = traffic_through(model, messages, make, test_gcm_engine.answers(engine, Cipher))
            agreed = published(engine, model, count)
            took = time.monotonic() - start
            print(f"{engine.title}: {beats} beats as by the model, {agreed} vectors, {took:.0f} s", flush=True)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(*(given + [20_000, 3_000][len(given) :]))

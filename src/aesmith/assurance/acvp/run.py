"""Vector sets answered: by an engine's RTL in a simulation, or by the models of the modes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from aesmith.assurance.acvp.algorithms import Algorithm, NotAnswered, algorithm_of, chain
from aesmith.assurance.acvp.drbg import CTR_DRBG, MODE, DrawsBits, answer_drbg
from aesmith.assurance.acvp.files import Answers, VectorGroup, VectorSet, VectorTest
from aesmith.assurance.streams.channels import ChannelBench, Offer, Transfer
from aesmith.assurance.streams.check import offers_of
from aesmith.assurance.vectors.drbg import DrbgCase
from aesmith.assurance.vectors.known import Call, VectorAnswer
from aesmith.cache import Cache, digest, subfolder
from aesmith.cores.design import Direction
from aesmith.errors import CheckError, RequestError
from aesmith.modes.chained import ECB
from aesmith.modes.engine import OUTPUT, StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Message, MessageRefused, ModeOfOperation
from aesmith.modes.stream import Section
from aesmith.modes.traffic import Keyed
from aesmith.own_code import VERIFICATION, code_digest
from aesmith.progress import Progress

_KEYS = (16, 24, 32)


class Answerer(DrawsBits, Protocol):
    """What answers calls: an engine, or the models."""

    @property
    def identity(self) -> str:
        """A text that is another for another one."""

    def refusal(self, call: Call) -> str:
        """Why it does not take a call; empty if it does."""

    def answers(self, calls: Sequence[Call]) -> list[VectorAnswer]:
        """What comes of calls that it takes. Raises CheckError for an engine that hangs or loses one."""

    def in_blocks(self, mode: ModeOfOperation) -> bool:
        """Whether a mode is not its own, and its calls of AES are."""


def _unfit(call: Call) -> str:
    keys = tuple(call.mode.keys * size for size in _KEYS)
    if len(call.key) not in keys:
        return f"a key of {len(call.key) * 8} bits"
    return ""


def _by_model(call: Call) -> tuple[VectorAnswer, _Recording]:
    """What the model of its mode makes of a call, and its blocks. Raises MessageRefused."""
    cipher = _Recording(call.key)
    outcome = (call.mode.encrypt if call.encrypt else call.mode.decrypt)(cipher, call.message)
    return VectorAnswer(outcome.text, outcome.tag, outcome.authentic), cipher


def refused_by_mode(call: Call) -> str:
    """Why the model of its mode refuses the message of a call whose key it takes; empty if it does not."""
    return "" if _unfit(call) else call.refusal


class Models:
    """The models of the modes, in software."""

    identity = "models"

    def refusal(self, call: Call) -> str:
        """Why the model of the mode does not take the message."""
        return _unfit(call) or refused_by_mode(call)

    def answers(self, calls: Sequence[Call]) -> list[VectorAnswer]:
        """By `ModeOfOperation.encrypt` and `decrypt`."""
        return [_by_model(call)[0] for call in calls]

    def in_blocks(self, _mode: ModeOfOperation) -> bool:
        """Models have no engine."""
        return False

    def refuses_drbg(self, _case: DrbgCase) -> str:
        """The model takes all."""
        return ""

    def random_bits(self, cases: Sequence[DrbgCase]) -> list[bytes]:
        """By `CtrDrbg`."""
        return [case.by_model() for case in cases]


class _Recording(Cipher):
    """AES that keeps every block it was given with what came of it."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.encrypted: dict[bytes, bytes] = {}
        self.decrypted: dict[bytes, bytes] = {}

    def encrypt(self, block: bytes) -> bytes:
        """A block encrypted, and kept."""
        return self.encrypted.setdefault(block, super().encrypt(block))

    def decrypt(self, block: bytes) -> bytes:
        """A block decrypted, and kept."""
        return self.decrypted.setdefault(block, super().decrypt(block))

    def constant(self, block: bytes) -> bytes:
        """A block encrypted, and kept."""
        return self.encrypted.setdefault(block, super().constant(block))


class EngineInSimulation:
    """An engine of one mode or several, simulated in `folder` by Verilator; without the registers of its bus, if any.

    A mode that it has not is answered by an engine of ECB all the same: the mode is then in software, as in a driver,
    and each of its calls of AES is the engine's. The simulator is built when the first message is sent; with `many` it
    is compiled to run fast, without, to be there soon.
    """

    def __init__(self, engine: StreamEngine, folder: Path, *, many: bool = False) -> None:
        self.engine = engine.behind_bus
        self._views = {view.mode: view for view in self.engine.views}
        self._folder, self._many = folder, many

    @cached_property
    def _bench(self) -> ChannelBench:
        return ChannelBench(self.engine, self._folder, optimised=self._many)

    @property
    def identity(self) -> str:
        """The digest of its sources."""
        return self.engine.source_hash

    def refusal(self, call: Call) -> str:
        """Why the engine does not take a message, by its own description."""
        if unfit := _unfit(call):
            return unfit
        bits = len(call.key) * 8 // (1 if call.mode.name in self._views else call.mode.keys)
        view = self._views.get(call.mode.name, self._views.get(ECB.name))
        if view is None:
            return f"{call.mode.name}: the engine has {', '.join(self._views)}"
        if bits not in view.key_bits:
            return f"a key of {bits} bits: the engine takes {', '.join(map(str, view.key_bits))}"
        if view.mode != call.mode.name:
            return self._refused_in_blocks(call, view)
        sent = self.engine.in_words(view.sends(call.message, encrypt=call.encrypt))
        _, fault = self.engine.answer(Cipher(call.key), self.engine.told(sent))
        way = "encrypt" if call.encrypt else "decrypt"
        return "" if fault is None else f"a message to {way} that the engine refuses with code {fault.name}"

    def refuses_drbg(self, case: DrbgCase) -> str:
        """Why the engine does not take a case of a DRBG."""
        if MODE not in self._views:
            return f"{MODE}: the engine has {', '.join(self._views)}"
        if case.key_bits not in self.engine.core.key_bits:
            return f"a key of {case.key_bits} bits: the engine takes {', '.join(map(str, self.engine.core.key_bits))}"
        return "two equal seeds in a row" if case.repeats else ""

    def random_bits(self, cases: Sequence[DrbgCase]) -> list[bytes]:
        """What leaves for the last request of each case, an instance each. Raises as `answers` does."""
        sent, lasts = list[Keyed](), list[int]()
        for case in cases:
            sent += [(seed, self.engine.in_words(words)) for seed, words in case.requests()]
            lasts.append(len(sent) - 1)
            sent += self.engine.closing(sent[-1][0] or b"")
        found = self._sent(sent)
        return [found[place][0] for place in lasts]

    def in_blocks(self, mode: ModeOfOperation) -> bool:
        """Whether a mode is in software around the engine's blocks."""
        return mode.name not in self._views

    def _refused_in_blocks(self, call: Call, view: StreamEngine) -> str:
        if call.mode.keys != 1:
            return f"{call.mode.name}: has two keys, and the engine has {', '.join(self._views)}"
        try:
            _, recorded = _by_model(call)
        except MessageRefused as error:
            return str(error)
        if recorded.decrypted and Direction.DECRYPT not in view.mode_directions:
            return f"{call.mode.name}: needs the inverse cipher, and the engine encrypts alone"
        return ""

    def answers(self, calls: Sequence[Call]) -> list[VectorAnswer]:
        """What leaves the engine for messages that are sent one behind the other.

        Raises ToolError if a tool is missing or fails, RequestError for sources that Verilator does not take,
        CheckError for an engine that hangs or loses a message, or, of a mode in software, for a block that is wrong.
        """
        if any(self.in_blocks(call.mode) for call in calls):
            return self._answers_in_blocks(calls)
        found = self._run(calls)
        return [
            VectorAnswer(text, tag, None if call.encrypt or not call.mode.authenticated else not failed)
            for call, (text, tag, failed) in zip(calls, found, strict=True)
        ]

    def _answers_in_blocks(self, calls: Sequence[Call]) -> list[VectorAnswer]:
        """The models' answers, once every block of them is seen to be the engine's."""
        answers: list[VectorAnswer] = []
        asked: list[tuple[Call, list[bytes]]] = []
        for call in calls:
            answer, recorded = _by_model(call)
            answers.append(answer)
            for encrypt, blocks in ((True, recorded.encrypted), (False, recorded.decrypted)):
                if blocks:
                    message = Message(text=b"".join(blocks))
                    asked.append((Call(ECB, call.key, message, encrypt), list(blocks.values())))
        found = self._run([call for call, _ in asked]) if asked else []
        for (call, wanted), (text, _, _) in zip(asked, found, strict=True):
            for at, block in zip(range(0, len(call.message.text), BLOCK), wanted, strict=True):
                if text[at : at + BLOCK] != block:
                    raise CheckError(
                        f"{self.engine.name}: block {call.message.text[at : at + BLOCK].hex()} under key "
                        f"{call.key.hex()} must become {block.hex()}, and became {text[at : at + BLOCK].hex()}"
                    )
        return answers

    def _run(self, calls: Sequence[Call]) -> list[tuple[bytes, bytes, bool]]:
        """Text, tag and *failed* of each message."""
        sent: list[Keyed] = []
        for call in calls:
            words = self._views[call.mode.name].sends(call.message, encrypt=call.encrypt)
            sent.append((call.key, self.engine.in_words(words)))
        return self._sent(sent)

    def _sent(self, sent: Sequence[Keyed]) -> list[tuple[bytes, bytes, bool]]:
        made = self._bench.run(self._offers(sent))[OUTPUT]
        found = list(self._messages(made))
        if len(found) != len(sent):
            raise CheckError(f"{self.engine.name}: {len(sent)} messages have {len(found)} answers")
        return found

    def _offers(self, sent: Sequence[Keyed]) -> dict[str, list[Offer]]:
        return offers_of(sent, key_slots=self.engine.key_slots, key_bits=self.engine.key_bits)

    def _messages(self, made: Sequence[Transfer]) -> Iterator[tuple[bytes, bytes, bool]]:
        """The same of what left."""
        lanes, parts = self.engine.lanes, {section: bytearray() for section in Section}
        for transfer in made:
            data, keep, user, last = transfer.payloads
            word = data.to_bytes(self.engine.stream_bits // 8, "little")
            for place, byte in enumerate(word):
                if keep >> place & 1:
                    parts[Section(user >> 2 * (place // BLOCK) & 3)].append(byte)
            if last:
                yield bytes(parts[Section.TEXT]), bytes(parts[Section.TAG]), bool(user >> 2 * lanes & 1)
                parts = {section: bytearray() for section in Section}


@dataclass(frozen=True)
class Answered:
    """What was answered of a set, and for each other test why not; `in_blocks` if the mode was in software."""

    prompt: VectorSet
    answers: Answers
    left: Mapping[int, str]
    in_blocks: bool = False


def answer_set(prompt: VectorSet, by: Answerer, progress: Progress | None = None) -> Answered:
    """Answer all tests of a set that `by` takes, group by group; those that were answered before are in the cache.

    Raises RequestError for an algorithm that is not known or a test that lacks a field, CheckError for an engine that
    hangs, for a Monte Carlo test that goes wrong, and, of a mode in software, for a block that does.
    """
    tell = progress or (lambda _what, _done, _total: None)
    with prompt.named():
        algorithm = None if prompt.algorithm == CTR_DRBG else algorithm_of(prompt)
    answers, left = Answers(), dict[int, str]()
    total, done = sum(len(group.cases) for group in prompt.test_groups), 0
    for group in prompt.test_groups:
        tell(f"group {group.tg_id}", done, total)
        work = partial(_answer_group, algorithm, prompt, group, by)
        found = _kept(prompt, group, by, work)
        answers |= {int(number): said for number, said in found["answers"].items()}
        left |= {int(number): why for number, why in found["left"].items()}
        done += len(group.cases)
        tell(f"group {group.tg_id}", done, total)
    return Answered(prompt, answers, left, algorithm is not None and by.in_blocks(algorithm.mode))


def _kept(prompt: VectorSet, group: VectorGroup, by: Answerer, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was found of a group, or is found now: who is interrupted goes on where it was."""
    parts = [prompt.algorithm, prompt.revision, group.model_dump_json(), by.identity, code_digest(VERIFICATION)]
    cache, name = Cache(subfolder("acvp")), digest(parts)
    if path := cache.find(name):
        try:
            kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return kept
        except (OSError, ValueError):
            pass
    found = work()
    cache.keep_text(name, json.dumps(found))
    return found


def _answer_group(algorithm: Algorithm | None, prompt: VectorSet, group: VectorGroup, by: Answerer) -> dict[str, Any]:
    if algorithm is None:
        with prompt.named():
            return answer_drbg(group, by)
    answers: dict[str, Any] = {}
    left: dict[str, str] = {}
    asked: list[tuple[int, Call]] = []
    for test in group.cases:
        number = str(test.tc_id)
        try:
            if group.test_type == "MCT":
                with prompt.named():
                    chained = chain(algorithm, group, test)
                if why := by.refusal(chained.calls[0]):
                    left[number] = why
                else:
                    answers[number] = chained.say(by.answers(chained.calls))
                continue
            with prompt.named():
                call = _asked(algorithm, group, test)
            if why := by.refusal(call):
                left[number] = why
            else:
                asked.append((test.tc_id, call))
        except NotAnswered as error:
            left[number] = str(error)
    for (tc_id, call), answer in zip(asked, by.answers([call for _, call in asked]) if asked else [], strict=True):
        answers[str(tc_id)] = algorithm.say(group, call, answer)
    return {"answers": answers, "left": left}


def _asked(algorithm: Algorithm, group: VectorGroup, test: VectorTest) -> Call:
    if group.test_type not in ("AFT", "CTR"):
        raise RequestError(f"group {group.tg_id}: testType: must be AFT, MCT or CTR, not {group.test_type!r}")
    return algorithm.ask(algorithm.mode, group, test)

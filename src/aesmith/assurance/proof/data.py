"""States of the data registers by number, and what a clock makes of them: each asked once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Generic, TypeVar

from aesmith.assurance.proof.cipher import State
from aesmith.assurance.proof.forms import UNKNOWN_NUMBER
from aesmith.assurance.proof.ports import BlockPorts
from aesmith.assurance.proof.symbolic import Numbers, SymbolicNetlist
from aesmith.assurance.proof.tokens import Tokens

T = TypeVar("T")

Renaming = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]]
"""New numbers of keys and of blocks, as (old, new); the keys and the blocks that are forgotten."""

_CHUNK = 256
"""Registers of a state that are kept together: in a pipeline few stages differ from one state to the next."""


class Interned(Generic[T]):
    """Values by number, equal ones by the same."""

    def __init__(self) -> None:
        self._values: list[T] = []
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        """The number of a value; a new one if it has none."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._values)
            self._values.append(value)
        return number

    def __getitem__(self, number: int) -> T:
        return self._values[number]

    def __len__(self) -> int:
        return len(self._values)


class DataStates:
    """The states of one netlist's data registers."""

    def __init__(self, symbolic: SymbolicNetlist, ports: BlockPorts, tokens: Tokens) -> None:
        self._symbolic, self._ports, self._tokens = symbolic, ports, tokens
        self._states = Interned[Numbers]()
        self._chunks = Interned[Numbers]()
        self._steps: dict[tuple[int, Numbers, Numbers, Numbers], tuple[Numbers, int]] = {}
        self._images: dict[Renaming, tuple[dict[int, int], dict[int, int]]] = {}

    def __len__(self) -> int:
        return len(self._states)

    def number(self, held: Iterable[int]) -> int:
        """The number of the state in which the registers hold forms of these numbers."""
        plain = tuple(number if number >= 0 else UNKNOWN_NUMBER for number in held)
        return self._states.number(
            tuple(self._chunks.number(plain[i : i + _CHUNK]) for i in range(0, len(plain), _CHUNK))
        )

    def held(self, state: int) -> Iterator[int]:
        """The numbers of the forms that the registers hold."""
        return chain.from_iterable(self._chunks[number] for number in self._states[state])

    def step(self, state: int, boundary: Numbers, key: Numbers = (), block: Numbers = ()) -> tuple[Numbers, int]:
        """The outputs and the state after a clock, for levels of control and payloads (empty: no transfer)."""
        asked = (state, boundary, key, block)
        found = self._steps.get(asked)
        if found is None:
            payload = self._ports.payload(key, block, UNKNOWN_NUMBER)
            outputs, after = self._symbolic.data(boundary, payload, tuple(self.held(state)))
            found = self._steps[asked] = (outputs, self.number(after))
        return found

    def renamed(self, state: int, renaming: Renaming) -> int:
        """The state with keys and blocks renumbered, and the dead forgotten."""
        if renaming not in self._images:
            self._images[renaming] = ({}, {})
        states, forms = self._images[renaming]
        image = states.get(state)
        if image is None:
            held = tuple(self.held(state))
            new = set(held) - forms.keys()
            if new:
                keys, blocks, dead_keys, dead_blocks = renaming
                rename = self._tokens.renaming(dict(keys), dict(blocks), dead_keys, dead_blocks)
                forms.update((number, rename(number)) for number in new)
            image = states[state] = self.number(forms[number] for number in held)
        return image

    def beat(self, state: State, beat: int, beats: int) -> Numbers:
        """One of `beats` beats of a key, a block or a result, as numbers in the order of the port's bits."""
        width = len(state) // beats
        bytes_of_it = state[width * beat : width * (beat + 1)]
        return self._tokens.numbers.numbers(bit for byte in reversed(bytes_of_it) for bit in byte)

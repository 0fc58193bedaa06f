"""Forms by number: equal forms have equal numbers, and a form and its complement differ in the lowest bit.

Numbers are compared, copied and inverted without a look at the forms, which are long. 0 and 1 are the constants. Every
negative number is UNKNOWN, of which the complement is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterable

from aesmith.assurance.proof.algebra import UNKNOWN, Form

UNKNOWN_NUMBER = -1


class FormNumbers:
    """The numbers of all forms met so far."""

    def __init__(self) -> None:
        self._forms: list[int] = [0]
        self._indices: dict[int, int] = {0: 0}

    def number(self, form: Form) -> int:
        """The number of a form; a new one if it has none."""
        if form is UNKNOWN:
            return UNKNOWN_NUMBER
        constant: int = form & 1
        linear: int = form ^ constant
        index = self._indices.get(linear)
        if index is None:
            index = self._indices[linear] = len(self._forms)
            self._forms.append(linear)
        return 2 * index + constant

    def numbers(self, forms: Iterable[Form]) -> tuple[int, ...]:
        """The numbers of forms, in their order."""
        return tuple(self.number(form) for form in forms)

    def form(self, number: int) -> Form:
        """The form that has a number."""
        return UNKNOWN if number < 0 else self._forms[number >> 1] ^ (number & 1)

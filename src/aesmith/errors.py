"""The family of errors a user can meet. Each kind has the exit code the command line gives for it."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import ClassVar


class AesmithError(Exception):
    """Base of every error that is meant for the person who reads it.

    The message names the field, the rule and the value given, and lists what is valid.
    """

    exit_code: ClassVar[int] = 2


class CheckError(AesmithError):
    """The thing checked does not hold (a core is not AES, a limit is not met)."""

    exit_code: ClassVar[int] = 1


class RequestError(AesmithError):
    """The request is wrong: an unknown name, a value out of range, a file that is not what it should be."""

    exit_code: ClassVar[int] = 2


class ToolError(AesmithError):
    """A tool is missing or failed; the message says which one and what to do."""

    exit_code: ClassVar[int] = 3


class UndecidedError(AesmithError):
    """What was done does not suffice for an answer; the message says how much would."""

    exit_code: ClassVar[int] = 4


class PluginError(AesmithError):
    """A package that extends aesmith is broken; the message says which one and what is wrong with it."""

    exit_code: ClassVar[int] = 3


EXHAUSTED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""What the operating system says when the request is right and the machine cannot serve it."""

_ADVICE = {
    errno.ENOSPC: "; free some space, or name a folder on another disk",
    errno.EDQUOT: "; free some space, or name a folder on another disk",
    errno.EFBIG: "; raise the limit on the size of files (ulimit -f)",
    errno.EMFILE: "; raise the limit on open files (ulimit -n)",
}


def is_full_disk(error: BaseException | None) -> bool:
    """Whether a disk without room is what led to an error: that would meet any other work there, too."""
    while error is not None and not (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        error = error.__cause__
    return error is not None


def explained(error: OSError, what: str) -> AesmithError:
    """An error of the operating system for the person who reads it; `what` says what could not be done.

    A RequestError, or a ToolError where nothing is wrong with the request.
    """
    kind = ToolError if error.errno in EXHAUSTED else RequestError
    return kind(f"{what} ({error.strerror or error}){_ADVICE.get(error.errno or 0, '')}")


_LISTED = 24
_NEAR = 5


def not_one_of(
    what: str,
    given: object,
    known: Iterable[str],
    more: str = "",
    elsewhere: Mapping[str, Collection[str]] | None = None,
) -> RequestError:
    """The error for a name that is none of the known ones, with the one that was perhaps meant.

    Of a long list only names like the given one are shown. `more` says in words what else there may be; `elsewhere` has
    the names of other kinds, by the kind with its article, for who looks in the wrong list.
    """
    names, others = list(known), elsewhere or {}
    listed = ", ".join(names) or "none"
    if len(names) > _LISTED:
        listed = ", ".join(_near(given, names) or names[:_NEAR]) + f", … ({len(names)} in all)"
    is_one = next((f"{given} is {kind}: " for kind, of_kind in others.items() if given in of_kind), "")
    return RequestError(f"{what}: {is_one}must be one of {listed}{more}, not {given!r}{meant(given, names, others)}")


def _near(given: object, names: Iterable[str]) -> list[str]:
    """The names that are like a given one, the most alike first, then those that begin so. The same letters in another
    order are most alike."""
    if not isinstance(given, str) or not given:
        return []
    by_lower = {name.lower(): name for name in names}
    close = [name for name in by_lower if sorted(name) == sorted(given.lower())]
    close += [name for name in get_close_matches(given.lower(), by_lower, n=_NEAR) if name not in close]
    close += [name for name in by_lower if name.startswith(given.lower()) and name not in close]
    return [by_lower[name] for name in close[:_NEAR]]


def meant(given: object, known: Iterable[str], elsewhere: Mapping[str, Collection[str]] | None = None) -> str:
    """`; did you mean NAME?` for a name that is like one of the known ones, or how some begin; else nothing.

    With the names of other kinds, the most alike of all.
    """
    kinds = dict.fromkeys(known, "")
    for kind, names in (elsewhere or {}).items():
        kinds = dict.fromkeys(names, f" ({kind})") | kinds
    close = _near(given, kinds)[:1]
    return f"; did you mean {close[0]}{kinds[close[0]]}?" if close and close[0] != given else ""

"""The family of errors a user can meet. Each kind has the exit code the command line gives for it."""

from __future__ import annotations

import errno
from collections.abc import Iterable
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


def not_one_of(what: str, given: object, known: Iterable[str], more: str = "") -> RequestError:
    """The error for a name that is none of the known ones, with the one that was perhaps meant.

    `more` says in words what else there may be.
    """
    names = list(known)
    return RequestError(
        f"{what}: must be one of {', '.join(names) or 'none'}{more}, not {given!r}{meant(given, names)}"
    )


def meant(given: object, known: Iterable[str]) -> str:
    """`; did you mean NAME?` for a name that is like one of the known ones, or how some begin; else nothing."""
    if not isinstance(given, str) or not given:
        return ""
    names = {name.lower(): name for name in known}
    word = given.lower()
    close = get_close_matches(word, names, n=1) or [name for name in names if name.startswith(word)][:1]
    return f"; did you mean {names[close[0]]}?" if close else ""

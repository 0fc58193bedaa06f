"""The family of errors a user can meet. Each kind has the exit code the command line gives for it."""

from __future__ import annotations

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


class PluginError(AesmithError):
    """A package that extends aesmith is broken; the message says which one and what is wrong with it."""

    exit_code: ClassVar[int] = 3

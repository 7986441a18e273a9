"""Errors that carry the exit status they stand for.

Core code raises one of these where the cause is known; the command line renders it once, as one line and an
optional hint.
"""


class IcmlError(Exception):
    """Base of every error that a user can act on.

    ``status`` is the exit status of the architecture: 2 bad usage or input, 3 the work could not be done.
    """

    status = 3

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class InputError(IcmlError):
    """The input or an option is wrong: shape, dtype, value, file."""

    status = 2


class ResourceError(IcmlError):
    """The work could not be done here: memory, disk, backend, a missing extra."""

    status = 3


class Interrupted(IcmlError):
    """A signal asked the work to stop; ``status`` is 128 plus the signal's number."""

    def __init__(self, signum: int, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.signum = signum
        self.status = 128 + signum

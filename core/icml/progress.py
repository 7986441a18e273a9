"""What long work tells whoever watches it."""

from typing import Protocol


class Progress(Protocol):
    """Receives the course of long work; knows nothing of terminals."""

    def start(self, description: str, total: float | None = None, unit: str = "") -> None:
        """A new stage begins; ``total`` is in ``unit`` (None: unknown)."""

    def advance(self, amount: float = 1.0) -> None:
        """``amount`` more of the current stage is done."""

    def note(self, message: str) -> None:
        """Something the user should read once, such as an approximation that was made."""

    def close(self) -> None:
        """The work is over."""


class NoProgress:
    """The default: nobody watches."""

    def start(self, description: str, total: float | None = None, unit: str = "") -> None:
        pass

    def advance(self, amount: float = 1.0) -> None:
        pass

    def note(self, message: str) -> None:
        pass

    def close(self) -> None:
        pass

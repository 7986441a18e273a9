"""What a user may choose, field by field; light enough for a command line to read its defaults from."""

from dataclasses import dataclass

from icml.errors import InputError


@dataclass(frozen=True)
class RefineSettings:
    """Settings of the default solver: bisection, exact leaves, exact polishing sweeps."""

    leaf: int = 64
    """Points of a leaf of the bisection tree, assigned exactly; at least 2."""
    block: int | None = None
    """Pairs of a polishing block; None: 256 below 8 dimensions, else 512."""
    max_block: int | None = None
    """Largest polishing block once smaller ones gain nothing; None: 2048 up to 32,768 points, 512 from 262,144."""
    starts: int = 4
    """Directions that each bisection is tried from: principal axes of both clouds first, then random ones."""
    sample: int = 512
    """Points a side on which the starts of a bisection are compared."""
    sweeps: int | None = None
    """Polishing sweeps at most; None: until the gain is below ``tolerance``."""
    time_budget: float | None = None
    """Seconds after which the best matching so far is returned; None: no limit."""
    tolerance: float = 1e-4
    """Polishing stops once no kind of sweep lowers the cost by this fraction."""

    def __post_init__(self) -> None:
        for name, least in (("leaf", 2), ("block", 2), ("max_block", 2), ("starts", 1), ("sample", 2), ("sweeps", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name}: expected at least {least}, got {value}")
        if self.time_budget is not None and not self.time_budget > 0:
            raise InputError(f"time_budget: expected seconds > 0, got {self.time_budget}")
        if not 0 <= self.tolerance < 1:
            raise InputError(f"tolerance: expected a fraction in [0, 1), got {self.tolerance}")

    def block_for(self, d: int) -> int:
        """Pairs of a first polishing block in d dimensions."""
        return self.block if self.block is not None else (256 if d < 8 else 512)

    def max_block_for(self, n: int, d: int) -> int:
        """Pairs of the largest polishing block for n points in d dimensions."""
        if self.max_block is not None:
            return max(self.max_block, self.block_for(d))
        return max(self.block_for(d), 2048 if n <= 32768 else 1024 if n < 262144 else 512)

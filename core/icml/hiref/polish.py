"""Polishing: exact re-assignment of matched pairs in ever new blocks. The cost never rises.

A sweep partitions the *pairs* and re-solves every block exactly. Fine sweeps take spatial blocks of a randomly
rotated k-d tree over x, over y or over their sum in turn. Coarse sweeps of stride k take k-d blocks k times larger
and deal each out into groups spread over it, so that mass misplaced high in the tree is exchanged over long
distances. The kind of sweep that gained most when last done is done next.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icml.hiref.problem import Working
from icml.hiref.settings import RefineSettings
from icml.parallel import RangeFunction, Ranges
from icml.progress import NoProgress, Progress
from icml.runtime import generator

Array = np.ndarray[Any, Any]

_STRIDE_STEP = 8
"""Ratio of successive coarse strides."""
_FEATURES = 8
"""Random projections of a pair that its block is chosen by, in more dimensions than that."""
_CHUNK_ROWS = 1 << 16


@dataclass
class PolishState:
    """All that a sweep depends on, so that a resumed run repeats an uninterrupted one."""

    sigma: Array
    """int64 (n,): working row of y for each working row of x; -1 for a dummy (with ``extra`` rows)."""
    cost: float
    """Working cost summed over pairs and divided by n: the mean, in working units."""
    block: int
    sweeps: int = 0
    gains: dict[int, float] = field(default_factory=dict)
    """Relative gain of each stride when last done in this round; missing: not yet done."""
    history: list[float] = field(default_factory=list)
    converged: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "cost": self.cost, "block": self.block, "sweeps": self.sweeps, "gains": sorted(self.gains.items()),
            "history": self.history, "converged": self.converged,
        }  # fmt: skip

    @classmethod
    def from_json(cls, sigma: Array, state: dict[str, Any]) -> "PolishState":
        gains = {int(k): float(v) for k, v in state["gains"]}
        return cls(
            sigma, state["cost"], state["block"], state["sweeps"], gains, list(state["history"]), state["converged"]
        )  # fmt: skip


def strides(n: int, block: int) -> list[int]:
    """Strides of coarse sweeps, largest first, down to 1: the first spreads a group over the whole cloud."""
    top = -(-n // block)
    result = [1]
    while result[-1] * _STRIDE_STEP < top:
        result.append(result[-1] * _STRIDE_STEP)
    if top > 1:
        result.append(top)
    return result[::-1]


def polish(
    working: Working,
    state: PolishState,
    settings: RefineSettings,
    seed: int,
    ranges: Ranges,
    *,
    deadline: float | None = None,
    progress: Progress | None = None,
    after_sweep: Callable[[PolishState], None] | None = None,
) -> PolishState:
    """Sweep until ``settings.sweeps``, ``deadline`` (``time.monotonic``) or a relative gain under the tolerance.

    ``state`` is advanced and returned; ``state.sigma`` is a valid matching at every moment. A sweep that ``ranges``
    cuts short (a signal) is dropped whole, so that the state stays one that an uninterrupted run passes through;
    one cut short by the deadline is kept.
    """
    progress = progress or NoProgress()
    n, d = working.x.shape
    largest = settings.max_block_for(n, d)
    progress.start("polishing", settings.sweeps, "sweeps")
    while settings.sweeps is None or state.sweeps < settings.sweeps:
        if deadline is not None and time.monotonic() >= deadline:
            break
        stride = _next_stride(state, n, settings.tolerance)
        if stride is None and state.block < min(largest, n):
            state.block = min(2 * state.block, largest)
            state.gains = {}
            continue
        if stride is None:
            state.converged = True
            break
        gain = _sweep(working, state, stride, seed, ranges, deadline)
        if gain is None:
            break
        relative = gain / state.cost if state.cost > 0 else 0.0
        # One poor partition does not write a stride off: its record halves at most.
        state.gains[stride] = max(relative, state.gains.get(stride, 0.0) / 2)
        state.cost -= gain
        state.history.append(state.cost)
        state.sweeps += 1
        progress.advance(1)
        if after_sweep is not None:
            after_sweep(state)
    return state


def _next_stride(state: PolishState, n: int, tolerance: float) -> int | None:
    """The first stride not yet done in this round, else the one that gained most, or None if none gains."""
    todo = strides(n, state.block)
    for stride in todo:
        if stride not in state.gains:
            return stride
    best = max(todo, key=lambda s: (state.gains[s], -s))
    return best if state.gains[best] > tolerance else None


def _sweep(
    working: Working, state: PolishState, stride: int, seed: int, ranges: Ranges, deadline: float | None
) -> float | None:
    """One sweep at ``stride``; the mean cost it saved, or None if a signal cut it short."""
    from icml_kernels.leaf_assignment import leaf_assignment

    rng = generator(seed, state.sweeps)
    rows, offsets = _groups(working, state, stride, rng, ranges)

    def run(work: RangeFunction, count: int) -> None:
        ranges.run(work, count, max(1, count // 256), deadline=deadline)

    columns, gains = leaf_assignment(
        working.x, working.y, rows, state.sigma[rows], offsets, kind=working.kind, p=working.p, warm=True, run=run
    )
    if ranges.stopped():
        return None
    state.sigma[rows] = columns
    return float(gains.sum()) / state.sigma.shape[0]


def _groups(
    working: Working, state: PolishState, stride: int, rng: np.random.Generator, ranges: Ranges
) -> tuple[Array, Array]:
    from icml_kernels.block_partition import block_partition, interleave

    features = _pair_features(working, state.sigma, state.sweeps % 3, rng)
    n = state.sigma.shape[0]
    if stride == 1:
        return block_partition(features, state.block, rng, run=ranges.run)
    index, _ = block_partition(features, min(stride, 64), rng, run=ranges.run)
    blocks = max(1, round(n / (state.block * stride)))
    coarse = np.linspace(0, n, blocks + 1).astype(np.int64)
    return interleave(index, coarse, state.block)


def _pair_features(working: Working, sigma: Array, mode: int, rng: np.random.Generator) -> Array:
    """Where a pair is, randomly rotated: (n, min(d, 8)); mode 0 its x, 1 its y, 2 their sum."""
    n, d = sigma.shape[0], working.x.shape[1]
    turn = rng.normal(size=(d, min(d, _FEATURES)))
    if d <= _FEATURES:
        turn = np.linalg.qr(turn)[0]
    turn = turn.astype(working.x.dtype)
    out = np.empty((n, turn.shape[1]), working.x.dtype)
    for lo in range(0, n, _CHUNK_ROWS):
        to = sigma[lo : lo + _CHUNK_ROWS]
        points = working.x[lo : lo + _CHUNK_ROWS] if mode != 1 else working.y[to]
        if mode == 2:
            points = points + working.y[to]
        np.matmul(points, turn, out=out[lo : lo + _CHUNK_ROWS])
    return out

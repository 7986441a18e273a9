"""The bisection tree: both clouds split together, level by level, until the leaves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from icml.hiref.problem import Working
from icml.hiref.settings import RefineSettings
from icml.parallel import Ranges
from icml.progress import NoProgress, Progress

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Tree:
    """Co-clusters of two clouds, nested: block k of a level holds x_index[o[k]:o[k+1]] and the same range of y_index."""

    x_index: Array
    """int64 (n,): rows of x in tree order."""
    y_index: Array
    """int64 (n,): rows of y in tree order."""
    levels: tuple[Array, ...]
    """Offsets int64 (blocks + 1,) of every level, from the root (one block) to the leaves."""

    @property
    def depth(self) -> int:
        return len(self.levels) - 1

    def cut(self, level: int) -> tuple[Array, Array]:
        """Labels int64 (n,) of the rows of x and of y at ``level``: equal labels were split off together."""
        offsets = self.levels[level]
        in_order = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        x_labels, y_labels = np.empty_like(self.x_index), np.empty_like(self.y_index)
        x_labels[self.x_index] = in_order
        y_labels[self.y_index] = in_order
        return x_labels, y_labels


def bisect(
    working: Working, settings: RefineSettings, seed: int, ranges: Ranges, progress: Progress | None = None
) -> Tree:
    """Split both clouds together until no block holds more than ``settings.leaf`` points.

    ``working.x`` and ``working.y`` (n, d) are reordered in place into tree order. Every level alternates, in all
    blocks at once, the best half of x given the halves of y and the reverse, under the cost asked for: for the
    squared Euclidean cost by the exact first-order form max s.t (s, t the halves' sum differences), for others by
    mean distance to anchors of each half.
    """
    from icml_kernels.bisection import bisection

    progress = progress or NoProgress()
    n = working.x.shape[0]
    x_index, y_index = np.arange(n), np.arange(n)
    offsets = np.array([0, n])
    levels = [offsets]
    total = max(0, int(np.ceil(np.log2(max(1, n / settings.leaf)))))
    progress.start("bisecting", total * n, "points")
    while True:
        lengths = np.diff(offsets)
        splits = lengths > settings.leaf
        if not splits.any():
            return Tree(x_index, y_index, tuple(levels))
        middles = offsets[:-1] + np.where(splits, lengths // 2, 0)
        bisection(
            working.x, working.y, x_index, y_index, offsets, middles,
            kind=working.kind, p=working.p, seed=seed, starts=settings.starts, sample=settings.sample, run=ranges.run,
        )  # fmt: skip
        offsets = np.union1d(offsets, middles)
        levels.append(offsets)
        progress.advance(n)

"""Exact assignment inside every block of a partition.

Block b holds pairs k in [offsets[b], offsets[b+1]) of a row rows[k] of x and a row columns[k] of y. The operation
permutes ``columns`` within the block so that sum_k c(x[rows[k]], y[columns[k]]) is least, by shortest augmenting
paths on the block's cost matrix (Jonker and Volgenant 1987). Where the pairing given is near optimal (``warm``),
min-plus passes first make duals that keep every pair but those on a negative cycle, and only these are reassigned.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[[Callable[[int, int], None], int], Any]


def _serial(work: Callable[[int, int], None], count: int) -> None:
    work(0, count)


def leaf_assignment(
    x: Any,
    y: Any,
    rows: Any,
    columns: Any,
    offsets: Any,
    *,
    kind: int,
    p: float = 2.0,
    warm: bool = False,
    run: Run = _serial,
) -> tuple[Any, Any]:
    """The new columns int64 (n,) and the cost saved in each block, float64 (blocks,), never negative.

    x (n, d), y (m, d) float32 or float64; rows, columns int64 (pairs,), -1 for a dummy whose cost is zero; offsets
    int64 (blocks + 1,). ``kind``, ``p``: see ``ground_cost``. ``run(work, count)`` calls work(lo, hi) over
    [0, count), from any thread; blocks that it leaves out keep their pairing.
    """
    from icml_kernels.leaf_assignment.cpu import assign_blocks

    result = np.array(columns, np.int64)
    gains = np.zeros(len(offsets) - 1)

    def work(lo: int, hi: int) -> None:
        assign_blocks(x, y, rows, result, offsets, lo, hi, kind, p, warm, gains)

    run(work, len(gains))
    return result, gains

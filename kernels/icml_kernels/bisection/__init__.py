"""Bisection of two clouds together, all blocks of a level at once.

A block holds rows I of x and J of y. The operation reorders both so that I splits into I1, I2 and J into J1, J2 of
given sizes with a small coupling cost sum_{I1 x J1} c + sum_{I2 x J2} c. It alternates two exact half-steps:
given J1, J2, the best I1 of its size takes the rows with the largest

    score_i = mean_{j in J2} c(x_i, y_j) - mean_{j in J1} c(x_i, y_j),

and the same for y. For the squared Euclidean cost the score is linear, score_i = x_i.t + const with
t = sum_{J1} y - sum_{J2} y, so the step is one matrix-vector product and a selection, and s.t never falls. For other
costs the means run over at most 128 anchors of each half. Several starts are compared on a sample of the block.

Source: the hard, r = 2 form of the balanced low-rank problem of arXiv 2503.03025, Algorithm 1.
"""

from collections.abc import Callable
from typing import Any

Run = Callable[[Callable[[int, int], None], int], Any]


def _serial(work: Callable[[int, int], None], count: int) -> None:
    work(0, count)


def bisection(
    x: Any,
    y: Any,
    x_index: Any,
    y_index: Any,
    offsets: Any,
    middles: Any,
    *,
    kind: int,
    p: float = 2.0,
    seed: int = 0,
    starts: int = 4,
    sample: int = 512,
    y_offsets: Any = None,
    y_middles: Any = None,
    run: Run = _serial,
) -> None:
    """Split every block in place: rows offsets[b]:middles[b] of x go with the same rows of y, the rest with the rest.

    x, y (n, d), (m, d) C-contiguous float32 or float64 arrays, reordered within blocks; x_index (n,), y_index (m,)
    int64, carried along; offsets int64 (blocks + 1,); middles int64 (blocks,), equal to offsets[b] where block b
    stays whole. ``y_offsets``, ``y_middles`` where the sides differ in size. ``kind``, ``p``: see ``ground_cost``.
    ``run(work, count)`` calls work(lo, hi) over [0, count), from any thread; the outcome depends on ``seed`` and the
    rows only.
    """
    from icml_kernels.bisection.cpu import split_blocks

    y_offsets = offsets if y_offsets is None else y_offsets
    y_middles = middles if y_middles is None else y_middles

    def work(lo: int, hi: int) -> None:
        split_blocks(
            x, y, x_index, y_index, offsets, y_offsets, middles, y_middles, lo, hi, kind, p, seed, starts, sample
        )  # fmt: skip

    run(work, len(middles))

"""k-d partition of rows into groups of bounded size, and its interleaving.

Every block is cut along its widest column at a given rank, all blocks of a level at once, until no group exceeds
the size asked for. ``interleave`` deals coarse blocks out into groups that each spread over the whole block, so that
an exact assignment inside a group can move mass far.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[[Callable[[int, int], None], int], Any]


def _serial(work: Callable[[int, int], None], count: int) -> None:
    work(0, count)


def block_partition(features: Any, size: int, rng: np.random.Generator, *, run: Run = _serial) -> tuple[Any, Any]:
    """An order int64 (n,) of the rows and offsets int64 (groups + 1,) of groups of at most ``size`` rows.

    features (n, f) C-contiguous, overwritten (reordered along). Cuts fall at random between 0.4 and 0.6 of a block,
    rounded so that groups come out nearly full; ``rng`` draws them.
    """
    from icml_kernels.block_partition.cpu import partition_blocks

    n = len(features)
    index = np.arange(n)
    offsets = np.array([0, n])
    groups = np.array([-(-n // size)])
    while groups.max() > 1:
        lengths = np.diff(offsets)
        wanted = np.floor(groups * rng.uniform(0.4, 0.6, groups.size) + rng.uniform(size=groups.size)).astype(np.int64)
        first = np.where(groups > 1, np.clip(wanted, 1, np.maximum(groups - 1, 1)), 0)
        # Rounded down for the first part and so up for the second: neither outgrows size * groups.
        least = lengths - (groups - first) * size
        middles = offsets[:-1] + np.where(first > 0, np.maximum(lengths * first // groups, least), 0)

        def work(lo: int, hi: int, offsets: Any = offsets, middles: Any = middles) -> None:
            partition_blocks(features, index, offsets, middles, lo, hi)

        run(work, len(middles))
        groups = np.stack([first, groups - first], axis=1).ravel()
        groups = groups[groups > 0]
        offsets = np.union1d(offsets, middles)
    return index, offsets


def interleave(index: Any, offsets: Any, size: int) -> tuple[Any, Any]:
    """Deal each block of ``index`` (int64 (n,), ``offsets`` (blocks + 1,)) out into groups of at most ``size``.

    Group g of a block takes every k-th of its entries from the g-th on, k the number of groups. Returns the order
    int64 (n,) and offsets of the groups.
    """
    from icml_kernels.block_partition.cpu import interleave_blocks

    groups = int((-(-np.diff(offsets) // size)).sum())
    order, group_offsets = np.empty_like(index), np.empty(groups + 1, np.int64)
    interleave_blocks(index, np.ascontiguousarray(offsets, np.int64), size, order, group_offsets)
    return order, group_offsets

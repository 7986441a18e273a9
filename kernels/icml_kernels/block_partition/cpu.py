"""k-d partition of all blocks of a level, compiled: features and index moved in place."""

from typing import Any

import numpy as np
from numba import njit

from icml_kernels.bisection.cpu import _move, _select


@njit(nogil=True, cache=True)
def partition_blocks(features: Any, index: Any, offsets: Any, middles: Any, lo: int, hi: int) -> None:
    """Blocks [lo, hi) in place: rows offset:middle become the smaller ones along the block's widest column.

    features C-contiguous (n, f), index (n,) carried along. A block whose middle equals its offset is passed over.
    """
    f = features.shape[1]
    longest = 1
    for b in range(lo, hi):
        longest = max(longest, offsets[b + 1] - offsets[b])
    key, order, side = np.empty(longest, features.dtype), np.empty(longest, np.int32), np.empty(longest, np.bool_)
    for b in range(lo, hi):
        low, n = offsets[b], offsets[b + 1] - offsets[b]
        half = middles[b] - low
        if half == 0:
            continue
        widest, widest_spread = 0, -1.0
        for k in range(f):
            total, squares = 0.0, 0.0
            for r in range(low, low + n):
                v = np.float64(features[r, k])
                total += v
                squares += v * v
            spread = squares - total * total / n
            if spread > widest_spread:
                widest, widest_spread = k, spread
        for r in range(n):
            key[r] = -features[low + r, widest]
            order[r] = r
        _select(key[:n], order[:n], half)
        _move(features[low : low + n], index[low : low + n], order[:n], half, side[:n])


@njit(nogil=True, cache=True)
def interleave_blocks(index: Any, offsets: Any, group: int, out: Any, out_offsets: Any) -> int:
    """Deal each block out into groups of at most ``group``: group g of k takes every k-th entry from the g-th on.

    In k-d order this spreads every group over its whole block. Returns the number of groups written.
    """
    at, count = 0, 0
    out_offsets[0] = 0
    for b in range(offsets.shape[0] - 1):
        n = offsets[b + 1] - offsets[b]
        groups = (n + group - 1) // group
        for first in range(groups):
            for r in range(first, n, groups):
                out[at] = index[offsets[b] + r]
                at += 1
            count += 1
            out_offsets[count] = at
    return count

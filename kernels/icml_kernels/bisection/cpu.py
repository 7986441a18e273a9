"""Bisection of all blocks of a level, compiled: no Python per block, rows moved in place."""

from typing import Any

import numpy as np
from numba import njit

from icml_kernels.ground_cost import SQEUCLIDEAN
from icml_kernels.ground_cost.cpu import FAST, fill_costs

_INNER = 12
"""Alternations on the sample before a start is taken as it is; 3 to 8 suffice in practice."""
_OUTER = 6
"""Alternations on the whole block for the separable cost."""


@njit(nogil=True, cache=True)
def _hash(seed: int, a: int, b: int, c: int) -> Any:
    """splitmix64 of four integers: randomness that depends on where it is used, not on when."""
    z = np.uint64(seed)
    for word in (a, b, c):
        z = (z ^ np.uint64(word)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z


@njit(nogil=True, cache=True)
def _select(values: Any, order: Any, count: int) -> None:
    """Permute ``order`` so that its first ``count`` entries index the largest ``values``; ties by index."""
    low, high = 0, order.shape[0] - 1
    while low < high:
        a, b, c = order[low], order[(low + high) >> 1], order[high]
        # Median of three as pivot.
        if _before(values, b, a):
            a, b = b, a
        if _before(values, c, b):
            b = c
            if _before(values, b, a):
                b = a
        i, j = low, high
        while i <= j:
            while _before(values, order[i], b):
                i += 1
            while _before(values, b, order[j]):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if count - 1 <= j:
            high = j
        elif count >= i + 1:
            low = i
        else:
            return


@njit(nogil=True, cache=True, inline="always")
def _before(values: Any, a: int, b: int) -> bool:
    return values[a] > values[b] or (values[a] == values[b] and a < b)


@njit(nogil=True, cache=True, fastmath=FAST)
def _project(points: Any, direction: Any, out: Any) -> None:
    d = points.shape[1]
    for i in range(points.shape[0]):
        total = points.dtype.type(0)
        for k in range(d):
            total += points[i, k] * direction[k]
        out[i] = total


@njit(nogil=True, cache=True)
def _half_difference(points: Any, order: Any, half: int, out: Any) -> None:
    """out = sum of the first ``half`` rows of ``order`` less the mean-corrected rest, float64.

    The correction makes an odd block's longer half no heavier than the other (a translation of the cloud must
    not tilt the split).
    """
    n, d = points.shape
    first = np.zeros(d)
    total = np.zeros(d)
    for r in range(n):
        for k in range(d):
            v = np.float64(points[order[r], k])
            total[k] += v
            if r < half:
                first[k] += v
    for k in range(d):
        out[k] = 2.0 * (first[k] - total[k] * half / n)


@njit(nogil=True, cache=True)
def _normalise(direction: Any, out: Any) -> float:
    norm = 0.0
    for k in range(direction.shape[0]):
        norm += direction[k] * direction[k]
    norm = np.sqrt(norm)
    for k in range(direction.shape[0]):
        out[k] = direction[k] / norm if norm > 0 else 0.0
    return norm


@njit(nogil=True, cache=True)
def _axis(points: Any, start: Any, other: Any) -> None:
    """A few power iterations on the covariance of ``points``, away from ``other`` (zero: none); in place."""
    n, d = points.shape
    mean = np.zeros(d)
    for i in range(n):
        for k in range(d):
            mean[k] += points[i, k]
    for k in range(d):
        mean[k] /= n
    work = np.zeros(d)
    for _ in range(8):
        along = 0.0
        for k in range(d):
            along += start[k] * other[k]
        for k in range(d):
            start[k] -= along * other[k]
            work[k] = 0.0
        for i in range(n):
            t = 0.0
            for k in range(d):
                t += (points[i, k] - mean[k]) * start[k]
            for k in range(d):
                work[k] += t * (points[i, k] - mean[k])
        if _normalise(work, start) == 0.0:
            return


@njit(nogil=True, cache=True)
def _start_direction(x: Any, y: Any, which: int, key: int, first_x: Any, first_y: Any, out: Any) -> None:
    """Start ``which``: first and second principal axes of x and y, then random directions."""
    d = x.shape[1]
    for k in range(d):
        bits = _hash(key, which, k, 7)
        out[k] = np.float64(bits >> np.uint64(11)) / 9007199254740992.0 - 0.5
    _normalise(out.copy(), out)
    nothing = np.zeros(d)
    if which == 0:
        _axis(x, out, nothing)
        first_x[:] = out
    elif which == 1:
        _axis(y, out, nothing)
        first_y[:] = out
    elif which == 2 and d > 1:
        _axis(x, out, first_x)
    elif which == 3 and d > 1:
        _axis(y, out, first_y)


@njit(nogil=True, cache=True)
def _alternate_separable(
    x: Any, y: Any, half_x: int, half_y: int, x_order: Any, y_order: Any, t: Any, rounds: int, x_score: Any, y_score: Any
) -> float:
    """Alternate X1 = top half by x.t, Y1 = top half by y.s; returns s.t, which never falls. ``t`` ends as Y's."""
    d = x.shape[1]
    s = np.zeros(d)
    unit = np.empty(d, x.dtype)
    best = -np.inf
    for _ in range(rounds):
        _normalise(t, unit)
        _project(x, unit, x_score)
        _select(x_score, x_order, half_x)
        _half_difference(x, x_order, half_x, s)
        _normalise(s, unit)
        _project(y, unit, y_score)
        _select(y_score, y_order, half_y)
        _half_difference(y, y_order, half_y, t)
        value = 0.0
        for k in range(d):
            value += s[k] * t[k]
        if value <= best * (1 + 1e-6):
            break
        best = value
    return best


@njit(nogil=True, cache=True, fastmath=FAST)
def _score_rows(costs: Any, order: Any, half: int, out: Any) -> None:
    """out[i] = mean cost of i to the columns order[half:] less that to order[:half]: large means first half."""
    n, m = costs.shape
    sign = np.empty(m, np.float32)
    for r in range(m):
        sign[order[r]] = -1.0 / half if r < half else 1.0 / (m - half)
    for i in range(n):
        total = np.float32(0)
        for j in range(m):
            total += sign[j] * costs[i, j]
        out[i] = total


@njit(nogil=True, cache=True, fastmath=FAST)
def _score_columns(costs: Any, order: Any, half: int, out: Any) -> None:
    n, m = costs.shape
    for j in range(m):
        out[j] = 0
    for r in range(n):
        i = order[r]
        weight = np.float32(-1.0 / half if r < half else 1.0 / (n - half))
        for j in range(m):
            out[j] += weight * costs[i, j]


@njit(nogil=True, cache=True)
def _alternate_sampled(
    costs: Any, half_x: int, half_y: int, x_order: Any, y_order: Any, x_score: Any, y_score: Any, rounds: int
) -> float:
    """Alternate on a cost matrix from the halves in ``y_order``; returns the cross cost saved (larger is better)."""
    best = -np.inf
    for _ in range(rounds):
        _score_rows(costs, y_order, half_y, x_score)
        _select(x_score, x_order, half_x)
        _score_columns(costs, x_order, half_x, y_score)
        _select(y_score, y_order, half_y)
        value = 0.0
        for r in range(half_y):
            value += y_score[y_order[r]]
        for r in range(half_y, y_order.shape[0]):
            value -= y_score[y_order[r]]
        if value <= best * (1 + 1e-6) and best > 0:
            break
        best = value
    return best


@njit(nogil=True, cache=True)
def _sample(points: Any, count: int, out: Any) -> None:
    n = points.shape[0]
    for r in range(count):
        out[r] = points[r * n // count]


@njit(nogil=True, cache=True)
def _anchors(points: Any, order: Any, half: int, count: int, out_t: Any) -> None:
    """Columns of out_t (d, 2 count): ``count`` rows spread over each half of ``order``."""
    n, d = points.shape
    for r in range(count):
        a = order[r * half // count]
        b = order[half + r * (n - half) // count]
        for k in range(d):
            out_t[k, r] = points[a, k]
            out_t[k, count + r] = points[b, k]


@njit(nogil=True, cache=True)
def _anchor_scores(points: Any, anchors_t: Any, count: int, kind: int, p: float, out: Any) -> None:
    tile = np.empty((64, 2 * count), points.dtype)
    order = np.arange(2 * count)
    for lo in range(0, points.shape[0], 64):
        rows = points[lo : lo + 64]
        costs = tile[: rows.shape[0]]
        fill_costs(costs, rows, anchors_t, kind, p)
        _score_rows(costs, order, count, out[lo : lo + 64])


@njit(nogil=True, cache=True)
def _move(points: Any, index: Any, order: Any, half: int, side: Any) -> None:
    """Bring the rows order[:half] to the front, in place, and ``index`` with them."""
    n, d = points.shape
    for r in range(n):
        side[order[r]] = r < half
    i, j = 0, n - 1
    while True:
        while i < n and side[i]:
            i += 1
        while j >= 0 and not side[j]:
            j -= 1
        if i >= j:
            return
        index[i], index[j] = index[j], index[i]
        for k in range(d):
            points[i, k], points[j, k] = points[j, k], points[i, k]
        side[i], side[j] = True, False


@njit(nogil=True, cache=True)
def split_blocks(
    x: Any,
    y: Any,
    x_index: Any,
    y_index: Any,
    x_offsets: Any,
    y_offsets: Any,
    x_middles: Any,
    y_middles: Any,
    lo: int,
    hi: int,
    kind: int,
    p: float,
    seed: int,
    starts: int,
    sample: int,
) -> None:
    """Split blocks [lo, hi) in place: rows of x[offset:middle] go with y[offset:middle], the rest with the rest.

    x, y C-contiguous (n, d), (m, d); index arrays (n,), (m,) are carried along. A block whose middle equals its
    offset is passed over. The outcome depends on (seed, block offset) and the rows, not on lo, hi.
    """
    d = x.shape[1]
    longest_x, longest_y = 1, 1
    for b in range(lo, hi):
        longest_x = max(longest_x, x_offsets[b + 1] - x_offsets[b])
        longest_y = max(longest_y, y_offsets[b + 1] - y_offsets[b])
    x_score_all, y_score_all = np.empty(longest_x, x.dtype), np.empty(longest_y, x.dtype)
    x_order_all, y_order_all = np.empty(longest_x, np.int32), np.empty(longest_y, np.int32)
    side_all = np.empty(max(longest_x, longest_y), np.bool_)
    first_x, first_y = np.zeros(d), np.zeros(d)
    start, best_start = np.zeros(d), np.zeros(d)
    unit = np.empty(d, x.dtype)
    for b in range(lo, hi):
        half_x, half_y = x_middles[b] - x_offsets[b], y_middles[b] - y_offsets[b]
        if half_x == 0:
            continue
        xb, yb = x[x_offsets[b] : x_offsets[b + 1]], y[y_offsets[b] : y_offsets[b + 1]]
        n, m = xb.shape[0], yb.shape[0]
        x_score, y_score = x_score_all[:n], y_score_all[:m]
        x_order, y_order = x_order_all[:n], y_order_all[:m]
        for r in range(n):
            x_order[r] = r
        for r in range(m):
            y_order[r] = r
        # Choose among the starts on an evenly spread sample of the block.
        count_x, count_y = min(n, sample), min(m, sample)
        xs, ys = np.empty((count_x, d), x.dtype), np.empty((count_y, d), x.dtype)
        _sample(xb, count_x, xs)
        _sample(yb, count_y, ys)
        hx, hy = max(1, half_x * count_x // n), max(1, half_y * count_y // m)
        xo, yo = np.arange(count_x).astype(np.int32), np.arange(count_y).astype(np.int32)
        best_yo = yo.copy()
        costs = np.empty((1, 1), x.dtype)
        if kind != SQEUCLIDEAN:
            costs = np.empty((count_x, count_y), x.dtype)
            fill_costs(costs, xs, np.ascontiguousarray(ys.T), kind, p)
        best = -np.inf
        key = np.int64(_hash(seed, x_offsets[b], n, 3) >> np.uint64(2))
        for which in range(starts):
            _start_direction(xs, ys, which, key, first_x, first_y, start)
            if kind == SQEUCLIDEAN:
                value = _alternate_separable(
                    xs, ys, hx, hy, xo, yo, start, _INNER, x_score[:count_x], y_score[:count_y]
                )
            else:
                _normalise(start, unit)
                _project(ys, unit, y_score[:count_y])
                _select(y_score[:count_y], yo, hy)
                value = _alternate_sampled(
                    costs, hx, hy, xo, yo, x_score[:count_x], y_score[:count_y], _INNER
                )
            if value > best or which == 0:
                best = value
                best_start[:] = start
                best_yo[:] = yo
        # Then split the whole block from the best start.
        if kind == SQEUCLIDEAN:
            _alternate_separable(xb, yb, half_x, half_y, x_order, y_order, best_start, _OUTER, x_score, y_score)
        else:
            count = min(128, hy, count_y - hy)
            anchors_t = np.empty((d, 2 * count), x.dtype)
            _anchors(ys, best_yo, hy, count, anchors_t)
            for _ in range(2):
                _anchor_scores(xb, anchors_t, count, kind, p, x_score)
                _select(x_score, x_order, half_x)
                count = min(128, half_x, n - half_x)
                anchors_t = np.empty((d, 2 * count), x.dtype)
                _anchors(xb, x_order, half_x, count, anchors_t)
                _anchor_scores(yb, anchors_t, count, kind, p, y_score)
                _select(y_score, y_order, half_y)
                count = min(128, half_y, m - half_y)
                anchors_t = np.empty((d, 2 * count), x.dtype)
                _anchors(yb, y_order, half_y, count, anchors_t)
        _move(xb, x_index[x_offsets[b] : x_offsets[b + 1]], x_order, half_x, side_all[:n])
        _move(yb, y_index[y_offsets[b] : y_offsets[b + 1]], y_order, half_y, side_all[:m])

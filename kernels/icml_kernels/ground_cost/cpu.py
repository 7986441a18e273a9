"""Tiles of ground costs for compiled loops."""

from typing import Any

import numpy as np
from numba import njit

from icml_kernels.ground_cost import EUCLIDEAN, L1, MINKOWSKI, SQEUCLIDEAN

FAST = {"nnan", "nsz", "reassoc", "contract", "arcp"}
"""Float rewrites that keep infinities but let LLVM vectorise sums and minima."""


@njit(nogil=True, cache=True, fastmath=FAST)
def fill_costs(costs: Any, x: Any, y_t: Any, kind: int, p: float) -> None:
    """costs[i, j] = c(x_i, y_j) for x (n, d) and y_t (d, m), the transpose, so that the inner loop is contiguous."""
    n, m = costs.shape
    d = x.shape[1]
    for i in range(n):
        row = costs[i]
        if kind == L1:
            for j in range(m):
                row[j] = abs(x[i, 0] - y_t[0, j])
            for k in range(1, d):
                x_k = x[i, k]
                for j in range(m):
                    row[j] += abs(x_k - y_t[k, j])
        elif kind == MINKOWSKI:
            exponent = row.dtype.type(p)
            for j in range(m):
                row[j] = 0
            for k in range(d):
                x_k = x[i, k]
                for j in range(m):
                    row[j] += abs(x_k - y_t[k, j]) ** exponent
            inverse = row.dtype.type(1 / p)
            for j in range(m):
                row[j] = row[j] ** inverse
        else:
            x_k = x[i, 0]
            for j in range(m):
                t = x_k - y_t[0, j]
                row[j] = t * t
            for k in range(1, d):
                x_k = x[i, k]
                for j in range(m):
                    t = x_k - y_t[k, j]
                    row[j] += t * t
            if kind == EUCLIDEAN:
                for j in range(m):
                    row[j] = np.sqrt(row[j])


@njit(nogil=True, cache=True)
def exact_cost(x: Any, i: int, y: Any, j: int, kind: int, p: float) -> float:
    """c(x_i, y_j) in float64."""
    total = 0.0
    for k in range(x.shape[1]):
        t = abs(np.float64(x[i, k]) - np.float64(y[j, k]))
        if kind == L1:
            total += t
        elif kind == MINKOWSKI:
            total += t**p
        else:
            total += t * t
    if kind == SQEUCLIDEAN or kind == L1:
        return total
    return np.sqrt(total) if kind == EUCLIDEAN else total ** (1 / p)

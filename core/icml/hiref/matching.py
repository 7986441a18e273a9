"""The result: who goes where, at what cost, and how near the optimum that is."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from icml.errors import InputError
from icml.hiref.problem import Problem

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Matching:
    """A matching of x to y and what is known of it."""

    sigma: Array
    """int64 (n,): y[sigma[i]] belongs to x[i]; -1 where x[i] stays unmatched."""
    cost: float
    """Mean of c(x_i, y_sigma(i)) over the matched rows, float64, recomputed from the validated matching."""
    cost_name: str
    solver: str
    seed: int
    levels: int = 0
    """Bisection levels (or low-rank levels) above the leaves."""
    sweeps: int = 0
    """Polishing sweeps done."""
    converged: bool = False
    """Whether polishing stopped by itself (gain under the tolerance), not by a limit."""
    history: tuple[float, ...] = field(default=())
    """Cost after the leaves and after each sweep."""
    seconds: float = 0.0
    """Wall time of the solver."""


def identity_error(sigma: Array, n: int, m: int, name: str) -> str | None:
    """Why ``sigma`` is no one-to-one matching of n rows into m columns, or None if it is one.

    A full permutation where n = m; otherwise -1 marks an unmatched row and no column is taken twice.
    """
    if sigma.ndim != 1 or sigma.dtype.kind not in "iu":
        return f"{name}: expected a 1-D integer array, got dtype {sigma.dtype}, shape {sigma.shape}"
    if sigma.shape[0] != n:
        return f"{name}: has {sigma.shape[0]} entries for {n} points"
    lowest = 0 if n <= m else -1
    outside = np.flatnonzero((sigma < lowest) | (sigma >= m))
    if outside.size:
        i = int(outside[0])
        return f"{name}: entry {i} is {sigma[i]}, outside 0..{m - 1}"
    matched = np.flatnonzero(sigma >= 0)
    seen = np.full(m, -1, np.int64)
    # Reversed, so that each column keeps the first row that takes it.
    seen[sigma[matched[::-1]]] = matched[::-1]
    twice = np.flatnonzero(seen[sigma[matched]] != matched)
    if twice.size:
        i = int(matched[twice[0]])
        return f"{name}: not one-to-one, {sigma[i]} stands at entries {seen[sigma[i]]} and {i}"
    if matched.size != min(n, m):
        return f"{name}: matches {matched.size} of {min(n, m)} points"
    return None


def validated(sigma: Array, problem: Problem, name: str) -> Array:
    """``sigma`` as int64, or InputError saying what is wrong with it and where."""
    problem_text = identity_error(np.asarray(sigma), problem.n, problem.m, name)
    if problem_text is not None:
        raise InputError(problem_text, hint="a matching is a permutation: every column once")
    return np.ascontiguousarray(sigma, np.int64)


def finished(matching: Matching, problem: Problem, **changes: Any) -> Matching:
    """``matching`` validated and its cost recomputed in float64, with ``changes``."""
    sigma = validated(matching.sigma, problem, "matching")
    return replace(matching, sigma=sigma, cost=problem.matching_cost(sigma), **changes)

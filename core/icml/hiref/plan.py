"""A transport plan with few entries: what unequal sizes and weights need, where a permutation cannot do."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from icml.errors import InputError
from icml.hiref.problem import Problem

Array = np.ndarray[Any, Any]

_MARGINAL_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Plan:
    """A coupling of two weighted clouds in coordinate form: P[rows[k], columns[k]] = mass[k]."""

    rows: Array
    """int64 (nnz,)."""
    columns: Array
    """int64 (nnz,)."""
    mass: Array
    """float64 (nnz,), positive; sums to 1."""
    cost: float
    """sum_k mass[k] c(x[rows[k]], y[columns[k]]), float64, from the coordinates as given."""
    cost_name: str
    solver: str
    seed: int
    levels: int = 0
    sweeps: int = 0
    converged: bool = False
    history: tuple[float, ...] = field(default=())
    seconds: float = 0.0
    """Wall time of the solver."""


def plan_error(rows: Array, columns: Array, mass: Array, problem: Problem) -> str | None:
    """Why the three arrays are no coupling of ``problem``'s masses (relative tolerance 1e-9), or None if they are."""
    if not (rows.ndim == columns.ndim == mass.ndim == 1 and rows.shape == columns.shape == mass.shape):
        return f"expected three 1-D arrays of one length, got shapes {rows.shape}, {columns.shape}, {mass.shape}"
    if rows.dtype.kind not in "iu" or columns.dtype.kind not in "iu":
        return f"expected integer indices, got dtypes {rows.dtype} and {columns.dtype}"
    for index, size, side in ((rows, problem.n, "row"), (columns, problem.m, "column")):
        outside = np.flatnonzero((index < 0) | (index >= size))
        if outside.size:
            return f"entry {outside[0]}: {side} {index[outside[0]]} is outside 0..{size - 1}"
    bad = np.flatnonzero(~(mass > 0))
    if bad.size:
        return f"entry {bad[0]}: mass {mass[bad[0]]} is not positive"
    for index, given, size, name in (
        (rows, problem.a, problem.n, problem.names[0]),
        (columns, problem.b, problem.m, problem.names[1]),
    ):
        wanted = np.full(size, 1 / size) if given is None else given
        got = np.bincount(index, mass, minlength=size)
        off = np.flatnonzero(np.abs(got - wanted) > _MARGINAL_TOLERANCE * np.maximum(wanted, 1 / size))
        if off.size:
            i = off[0]
            return f"row {i} of {name} sends {got[i]:.9g}, its mass is {wanted[i]:.9g}"
    return None


def finished_plan(plan: Plan, problem: Problem, **changes: Any) -> Plan:
    """``plan`` checked against the masses and its cost recomputed in float64, with ``changes``; raises InputError."""
    error = plan_error(plan.rows, plan.columns, plan.mass, problem)
    if error is not None:
        raise InputError(f"plan: {error}")
    cost = problem.plan_cost(plan.rows, plan.columns, plan.mass)
    return replace(plan, cost=cost, **changes)

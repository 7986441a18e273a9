"""The transport problem: two clouds, a cost, masses; and the coordinates that the solvers work on."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from icml.errors import InputError
from icml.hiref.cost import Cost

Array = np.ndarray[Any, Any]
_CHUNK_ROWS = 1 << 16


@dataclass(frozen=True)
class Problem:
    """min over couplings P of sum_ij P_ij c(x_i, y_j), with row masses a and column masses b.

    Checked on construction (InputError): 2-D real arrays of equal width, no NaN or infinity, masses positive and
    of equal sum. Arrays may be memory-mapped; they are read in chunks.
    """

    x: Array
    """(n, d) float16, float32, float64 or integer."""
    y: Array
    """(m, d)."""
    cost: Cost
    a: Array | None = None
    """(n,) masses that sum to 1, or None for 1/n each."""
    b: Array | None = None
    """(m,) masses that sum to 1, or None for 1/m each."""
    names: tuple[str, str] = ("x", "y")
    """What to call the clouds in messages, usually their files."""

    def __post_init__(self) -> None:
        for array, name in zip((self.x, self.y), self.names, strict=True):
            check_cloud(array, name)
        if self.x.shape[1] != self.y.shape[1]:
            raise InputError(
                f"{self.names[0]} and {self.names[1]}: dimensions differ, "
                f"{self.x.shape[1]} against {self.y.shape[1]} columns",
                hint="both clouds need the same number of columns",
            )
        if self.cost.normalised:
            for array, name in zip((self.x, self.y), self.names, strict=True):
                _check_nonzero_rows(array, name)
        for mass, size, name in ((self.a, self.n, self.names[0]), (self.b, self.m, self.names[1])):
            if mass is not None:
                _check_masses(mass, size, name)

    @property
    def n(self) -> int:
        return int(self.x.shape[0])

    @property
    def m(self) -> int:
        return int(self.y.shape[0])

    @property
    def d(self) -> int:
        return int(self.x.shape[1])

    @property
    def is_assignment(self) -> bool:
        """Whether an optimal coupling is a permutation: n = m and uniform masses."""
        return self.n == self.m and self.a is None and self.b is None

    def matching_cost(self, sigma: Array) -> float:
        """Mean over matched i of c(x_i, y_sigma(i)), float64, from the coordinates as given.

        sigma int (n,), -1 for an unmatched row. The caller has validated it.
        """
        total, count = 0.0, 0
        for lo in range(0, self.n, _CHUNK_ROWS):
            part = np.asarray(sigma[lo : lo + _CHUNK_ROWS])
            rows = np.flatnonzero(part >= 0)
            total += float(self.cost.pairs(self.x[lo : lo + _CHUNK_ROWS][rows], self.y[part[rows]]).sum())
            count += rows.size
        return total / count if count else 0.0

    def plan_cost(self, rows: Array, columns: Array, mass: Array) -> float:
        """sum_k mass[k] c(x[rows[k]], y[columns[k]]), float64, for a checked plan in coordinate form."""
        total = 0.0
        for lo in range(0, len(rows), _CHUNK_ROWS):
            part = slice(lo, lo + _CHUNK_ROWS)
            total += float(self.cost.pairs(self.x[rows[part]], self.y[columns[part]]) @ mass[part])
        return total

    def working(self, dtype: Any = np.float32) -> "Working":
        """Centred, scaled, C-contiguous copies of both clouds in ``dtype`` (see Working)."""
        centre, scale = self._frame()
        return Working(
            x=self._transformed(self.x, centre, scale, dtype),
            y=self._transformed(self.y, centre, scale, dtype),
            kind=self.cost.kind,
            p=self.cost.p,
            unit=self.cost.factor * scale**self.cost.degree,
        )

    def _frame(self) -> tuple[Array, float]:
        """The common centre (d,) and a power of two that brings the coordinates near 1, both float64."""
        if self.cost.normalised:
            return np.zeros(self.d), 1.0
        low = np.minimum(_chunked_extreme(self.x, np.minimum), _chunked_extreme(self.y, np.minimum))
        high = np.maximum(_chunked_extreme(self.x, np.maximum), _chunked_extreme(self.y, np.maximum))
        centre = low / 2 + high / 2
        reach = float((high / 2 - low / 2).max(initial=0.0))
        scale = float(2.0 ** np.clip(np.ceil(np.log2(reach)), -1000, 1000)) if reach > 0 else 1.0
        return centre, scale

    def _transformed(self, array: Array, centre: Array, scale: float, dtype: Any) -> Array:
        out = np.empty(array.shape, dtype)
        for lo in range(0, array.shape[0], _CHUNK_ROWS):
            part = np.asarray(array[lo : lo + _CHUNK_ROWS], np.float64)
            if self.cost.normalised:
                part = part / np.linalg.norm(part, axis=1, keepdims=True)
            out[lo : lo + _CHUNK_ROWS] = (part - centre) / scale
        return out


@dataclass(frozen=True)
class Working:
    """What the kernels see: translation and scale taken out, so float32 keeps its digits.

    c(x_i, y_j) = unit * (cost ``kind`` of working rows i and j), up to rounding of the working dtype.
    """

    x: Array
    y: Array
    kind: int
    """Code of ``icml_kernels.ground_cost``."""
    p: float
    unit: float


def check_cloud(array: Array, name: str) -> None:
    """Refuse what is no point cloud: kind, shape, emptiness, the first NaN or infinity (InputError)."""
    if array.dtype.kind not in "fiu":
        raise InputError(
            f"{name}: expected real numbers, got dtype {array.dtype}",
            hint="convert to float32 or float64" if array.dtype.kind in "cbO" else None,
        )
    if array.ndim != 2:
        raise InputError(
            f"{name}: expected a 2-D numeric array, got shape {array.shape}",
            hint="one row a point: reshape a 1-D array to (n, 1)" if array.ndim == 1 else None,
        )
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise InputError(f"{name}: empty, shape {array.shape}")
    if array.dtype.kind != "f":
        return
    for lo in range(0, array.shape[0], _CHUNK_ROWS):
        finite = np.isfinite(array[lo : lo + _CHUNK_ROWS])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            value = array[lo + row, column]
            raise InputError(
                f"{name}: {value} at row {lo + row}, column {column}",
                hint="remove or impute such rows before matching",
            )


def _check_masses(mass: Array, size: int, name: str) -> None:
    if mass.shape != (size,) or mass.dtype.kind != "f":
        raise InputError(f"weights of {name}: expected {size} floating-point numbers, got {mass.dtype} {mass.shape}")
    bad = np.flatnonzero(~(np.isfinite(mass) & (mass > 0)))
    if bad.size:
        raise InputError(
            f"weights of {name}: {mass[bad[0]]} at entry {bad[0]}", hint="weights are positive; drop rows of weight 0"
        )
    if abs(float(mass.sum()) - 1) > 1e-9:
        raise InputError(f"weights of {name}: sum to {mass.sum():.9g}, expected 1", hint="divide them by their sum")


def _check_nonzero_rows(array: Array, name: str) -> None:
    for lo in range(0, array.shape[0], _CHUNK_ROWS):
        zero = np.flatnonzero(~np.any(array[lo : lo + _CHUNK_ROWS], axis=1))
        if zero.size:
            raise InputError(f"{name}: row {lo + zero[0]} is zero, its cosine is undefined")


def _chunked_extreme(array: Array, ufunc: np.ufunc) -> Array:
    parts = [
        ufunc.reduce(np.asarray(array[lo : lo + _CHUNK_ROWS], np.float64), axis=0)
        for lo in range(0, array.shape[0], _CHUNK_ROWS)
    ]
    return np.asarray(ufunc.reduce(parts, axis=0))

"""Ground costs between points: names, exact values, and the working form that the solvers see."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from icml_kernels import ground_cost

from icml.errors import InputError

Array = np.ndarray[Any, Any]

NAMES = ("sqeuclidean", "euclidean", "l1", "cosine", "minkowski:p")
_CHUNK_BYTES = 1 << 24


@dataclass(frozen=True)
class Cost:
    """A ground cost c(x, y).

    ``sqeuclidean`` ||x-y||^2, ``euclidean`` ||x-y||, ``l1`` sum |x_k-y_k|, ``cosine`` 1 - x.y/(||x|| ||y||),
    ``minkowski:p`` (sum |x_k-y_k|^p)^(1/p) with p >= 1.
    """

    name: str
    """As the user writes it."""
    kind: int
    """Code of ``icml_kernels.ground_cost`` on working coordinates."""
    p: float = 2.0
    """Exponent of ``minkowski``; unused elsewhere."""
    normalised: bool = False
    """Rows are divided by their Euclidean norm first (cosine)."""
    factor: float = 1.0
    """c = factor * (cost of ``kind`` on working coordinates); 1/2 for cosine."""

    @classmethod
    def parse(cls, text: str) -> "Cost":
        """The cost named ``text``; raises InputError for an unknown name or p < 1."""
        if text == "sqeuclidean":
            return cls(text, ground_cost.SQEUCLIDEAN)
        if text == "euclidean":
            return cls(text, ground_cost.EUCLIDEAN)
        if text == "l1":
            return cls(text, ground_cost.L1)
        if text == "cosine":
            return cls(text, ground_cost.SQEUCLIDEAN, normalised=True, factor=0.5)
        name, _, exponent = text.partition(":")
        if name == "minkowski" and exponent:
            try:
                p = float(exponent)
            except ValueError:
                p = 0.0
            if not 1 <= p < float("inf"):
                raise InputError(f"cost: minkowski:p needs a finite p >= 1, got {exponent!r}")
            if p == 1:
                return cls(text, ground_cost.L1)
            if p == 2:
                return cls(text, ground_cost.EUCLIDEAN)
            return cls(text, ground_cost.MINKOWSKI, p=p)
        raise InputError(f"cost: expected one of {', '.join(NAMES)}, got {text!r}")

    @property
    def degree(self) -> int:
        """Homogeneity of the working cost: scaling coordinates by s scales it by s**degree."""
        return 2 if self.kind == ground_cost.SQEUCLIDEAN else 1

    def pairs(self, x: Array, y: Array) -> Array:
        """float64 (n,): c(x_i, y_i) for rows of x and y (n, d), from the coordinates as given."""
        n, d = x.shape
        out = np.empty(n)
        step = max(1, _CHUNK_BYTES // (8 * max(1, d)))
        for lo in range(0, n, step):
            out[lo : lo + step] = self._rows(
                np.asarray(x[lo : lo + step], np.float64), np.asarray(y[lo : lo + step], np.float64)
            )
        return out

    def _rows(self, x: Array, y: Array) -> Array:
        if self.normalised:
            x = x / np.linalg.norm(x, axis=1, keepdims=True)
            y = y / np.linalg.norm(y, axis=1, keepdims=True)
        delta = np.abs(x - y)
        if self.kind == ground_cost.L1:
            return self.factor * delta.sum(axis=1)
        # A common scale keeps squares and powers of very large or very small coordinates finite.
        scale = delta.max(axis=1, initial=0.0)
        unit = delta / np.where(scale > 0, scale, 1.0)[:, None]
        if self.kind == ground_cost.MINKOWSKI:
            return self.factor * scale * (unit**self.p).sum(axis=1) ** (1 / self.p)
        squares = np.einsum("ij,ij->i", unit, unit)
        if self.kind == ground_cost.EUCLIDEAN:
            return self.factor * scale * np.sqrt(squares)
        return self.factor * scale * scale * squares

    def matrix(self, x: Array, y: Array) -> Array:
        """float64 (n, m): every c(x_i, y_j). For small inputs and exact solvers only."""
        from scipy.spatial.distance import cdist

        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        if self.name == "cosine":
            x = x / np.linalg.norm(x, axis=1, keepdims=True)
            y = y / np.linalg.norm(y, axis=1, keepdims=True)
            return 0.5 * cdist(x, y, "sqeuclidean")
        if self.kind == ground_cost.MINKOWSKI:
            return cdist(x, y, "minkowski", p=self.p)
        metric = {
            ground_cost.SQEUCLIDEAN: "sqeuclidean",
            ground_cost.EUCLIDEAN: "euclidean",
            ground_cost.L1: "cityblock",
        }[self.kind]
        return cdist(x, y, metric)

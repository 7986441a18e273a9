"""One-to-one optimal transport between two point clouds in linear memory.

After "Hierarchical Refinement: Optimal Transport to Infinity and Beyond" (ICML 2025, arXiv 2503.03025), with
cost-aware bisection, exact leaves, exact polishing and a certificate.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from icml.hiref.cost import Cost as Cost
    from icml.hiref.matching import Matching as Matching
    from icml.hiref.problem import Problem as Problem

_EXPORTS = {
    "Cost": "icml.hiref.cost",
    "Matching": "icml.hiref.matching",
    "Problem": "icml.hiref.problem",
}

__all__ = list(_EXPORTS)  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)

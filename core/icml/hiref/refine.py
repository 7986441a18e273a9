"""The default solver: bisect both clouds together, assign the leaves exactly, polish exactly."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from icml.errors import InputError
from icml.hiref.matching import Matching, finished, validated
from icml.hiref.polish import PolishState, polish
from icml.hiref.problem import Problem, Working
from icml.hiref.settings import RefineSettings
from icml.hiref.tree import Tree, bisect
from icml.parallel import Ranges
from icml.progress import NoProgress, Progress

Array = np.ndarray[Any, Any]


def refine(
    problem: Problem,
    settings: RefineSettings | None = None,
    *,
    seed: int = 0,
    threads: int = 1,
    dtype: Any = np.float32,
    init: Array | None = None,
    progress: Progress | None = None,
) -> Matching:
    """Match two clouds of equal size one to one in O(n d) memory.

    ``init`` int (n,): a matching to polish instead of bisecting. The same seed gives the same bytes for any
    ``threads``. Raises InputError where the problem is no assignment or ``init`` no permutation.
    """
    began = time.monotonic()
    settings = settings or RefineSettings()
    progress = progress or NoProgress()
    if not problem.is_assignment:
        raise InputError(f"refine: needs as many rows in {problem.names[0]} as in {problem.names[1]}, without weights")
    working = problem.working(dtype)
    with Ranges(threads) as ranges:
        if init is not None:
            sigma = validated(init, problem, "initial matching").copy()
            state = polish_state(working, sigma, settings)
            tree = None
        else:
            tree = bisect(working, settings, seed, ranges, progress)
            state = leaf_state(working, tree, settings, ranges, progress)
        polish(working, state, settings, seed, ranges, progress=progress)
    return Matching(np.zeros(0),0.0,"","",0)

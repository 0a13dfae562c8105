"""A scatter mixed with a multiple of the identity that has its trace."""

from dataclasses import replace

import numpy as np

from colabel.family.problem import Task
from colabel.linalg.low_rank import NOTHING, Similarity
from colabel.linalg.matrix import DataMatrix


def shrink(task: Task, share: float) -> Task:
    """The problem with (1 − share)·M + share·tr(M)/d·I in the place of M = X̄ᵀTX̄."""
    if not share:
        return task
    problem, data = task.problem, task.data
    if data.kernel_map is not None:
        raise ValueError(
            f"shrinkage={share} is towards the mean variance of the features, and the images under "
            "a kernel have none: use ridge, and shrinkage=0"
        )
    mean = trace(problem.T, data.core) / data.shape[1]
    T = problem.T.scale(1.0 - share) if share < 1 else NOTHING
    return replace(task, problem=replace(problem, T=T, b=problem.b + share * mean))


def trace(T: Similarity, core: DataMatrix) -> float:
    """tr(X̄ᵀTX̄), by one pass over the columns."""
    along = 0.0
    if T.labels is not None:
        along = T.sign * float(np.square(T.times_root(core.tdot(T.labels))).sum())
    if np.ndim(T.diag) == 0:
        return float(T.diag) * core.scatter_scale**2 + along
    # by columns: what row blocks give for rows has the same Gram without weights only
    columns = core.blocks(transposed=True)
    return along + sum(float(np.square(block).sum(axis=0) @ T.diag) for block in columns)

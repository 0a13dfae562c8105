"""Every extractor with the settings that tests run it in, beside its transcription."""

from dataclasses import dataclass, field
from typing import Any

import transcriptions as direct

import colabel


@dataclass(frozen=True)
class Case:
    estimator: type
    transcription: Any
    params: dict = field(default_factory=dict)
    low_rank: bool = True

    def make(self, **more):
        return self.estimator(**self.params, **more)

    def matrices(self, X, Y):
        return self.transcription(X, Y, **self.params)

    @property
    def solvers(self):
        return ["factor", "truncated"] + ["two-stage"] * self.low_rank

    def __str__(self):
        params = ",".join(f"{k}={v}" for k, v in self.params.items())
        return f"{self.estimator.__name__}({params})"


CASES = [
    Case(colabel.PCA, direct.pca, low_rank=False),
    Case(colabel.MDDMp, direct.mddmp),
    Case(colabel.MDDMf, direct.mddmf),
    Case(colabel.MDDMf, direct.mddmf, {"beta": 0.9}),
    Case(colabel.MVMD, direct.mvmd, low_rank=False),
    Case(colabel.MVMD, direct.mvmd, {"beta": 0.1}, low_rank=False),
    Case(colabel.LabelCCA, direct.cca),
    Case(colabel.LabelCCA, direct.cca, {"ridge": 2.0, "label_ridge": 0.0}),
    Case(colabel.OPLS, direct.opls),
    Case(colabel.OCM, direct.ocm),
    Case(colabel.MLSI, direct.mlsi, low_rank=False),
    Case(
        colabel.MLSI, direct.mlsi, {"beta": 0.2, "ridge": 0.5, "kernel_ridge": 2.0}, low_rank=False
    ),
    Case(colabel.MLSI, direct.mlsi, {"beta": 1.0}, low_rank=False),
    Case(colabel.MLSI, direct.mlsi, {"beta": 0.0}, low_rank=False),
    Case(colabel.MLDA, direct.mlda),
    Case(colabel.MLDA, direct.mlda, {"weights": "binary"}),
    Case(colabel.DMLDA, direct.dmlda, low_rank=False),
    Case(colabel.DMLDA, direct.dmlda, {"weights": "correlation"}, low_rank=False),
    *(
        Case(colabel.HypergraphSpectral, direct.hypergraph, {"laplacian": laplacian})
        for laplacian in ("clique", "star", "zhou", "cca")
    ),
]

#: One case a class, for tests where the parameters do not matter.
ONE_EACH = list({case.estimator: case for case in reversed(CASES)}.values())[::-1]

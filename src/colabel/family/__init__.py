"""Every linear method of the library, and whatever you add to it:

    max tr(PᵀAP)  subject to  PᵀBP = I,      A = X̄ᵀSX̄,   B = X̄ᵀTX̄ + bI,

with X̄ the centred data, S and T similarities of instances that the labels define
(:mod:`~colabel.family.similarity`), and three ways to solve it (`factor`, `two_stage`,
`truncated`). A method of your own is a class with a problem; see ``CONTRIBUTING.md``.
"""

from colabel._bases import LinearScorer
from colabel._parameters import Count, NonNegative, Positive, Share
from colabel.family import similarity
from colabel.family.extractor import LinearExtractor
from colabel.family.problem import Ridge, TraceProblem

__all__ = [
    "Count",
    "LinearExtractor",
    "LinearScorer",
    "NonNegative",
    "Positive",
    "Ridge",
    "Share",
    "TraceProblem",
    "similarity",
]

"""Arrays in, arrays out: the data matrix, its factorisation, label similarities, trace problems.

Nothing here knows an estimator. Every linear method of the library is

    max tr(PᵀAP)  subject to  PᵀBP = I,      A = X̄ᵀSX̄,   B = X̄ᵀTX̄ + bI,

with X̄ the centred data (:mod:`~colabel.algebra.matrix`), S and T similarities of instances that
the labels define (:mod:`~colabel.algebra.similarity`), and three ways to solve it
(:mod:`~colabel.algebra.trace`).
"""

"""Arrays in, arrays out: centred data seen through products, its factorisation, block solves.

Nothing here knows an estimator or a label. Algorithms ask a data matrix
(:mod:`~colabel.linalg.matrix`) for X̄V, X̄ᵀU and Grams, and never see what holds the numbers.
"""

"""Blocks of data as workers of a cluster make them; here, where these can import them from."""

import os
import signal

import numpy as np

N_CHUNKS, ROWS, FEATURES = 24, 80_000, 100


def big_chunk(i):
    """Few rows many times: as large as others, and soon made, for every pass over it anew."""
    return np.tile(np.random.default_rng(i).random((ROWS // 40, FEATURES)), (40, 1))


def big_labels(i):
    return np.random.default_rng(1000 + i).integers(0, 2, size=(ROWS, 3))


def mortal_chunk(block, number, diary):
    """A block whose sixth reading kills the worker that does it."""
    if number == 1:
        with open(diary, "ab") as file:
            file.write(b"x")
            file.flush()
        if os.path.getsize(diary) == 6:
            os.kill(os.getpid(), signal.SIGKILL)
    return block

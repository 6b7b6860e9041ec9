# SPDX-License-Identifier: Apache-2.0
"""The size of what is written, and how a matrix is made of places."""

import numpy as np
import scipy.sparse as sp

SCALE = 1.0


def size(n):
    return max(64, int(n * SCALE))


def side(n, dimensions):
    """The side of a grid of n points at scale 1."""
    return max(4, round((n * SCALE) ** (1 / dimensions)))


def pattern(rows, cols, shape):
    return sp.csr_matrix((np.ones(len(rows)), (rows, cols)), shape=shape)

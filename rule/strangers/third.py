# SPDX-License-Identifier: Apache-2.0
"""The third set: 10 kinds where the rule had failed, large ones above all."""

import numpy as np

import scale
from scale import pattern
from second import repeat


def lognormal_clusters(rng):
    """Rows of log-normal length, most entries within a window that is a few times as wide."""
    n = scale.size(350_000)
    lengths = np.minimum(rng.lognormal(2.4, 1.3, n).astype(int) + 1, n // 8)
    rows = repeat(lengths)
    start = rng.integers(0, n, n)[rows]
    cols = (start + rng.random(len(rows)) * 4 * lengths[rows]).astype(int) % n
    far = rng.random(len(rows)) < 0.25
    cols[far] = rng.integers(0, n, far.sum())
    return pattern(rows, cols, (n, n))


def lognormal_anywhere(rng):
    """Rows of log-normal length, columns anywhere in a wide x."""
    n, m = scale.size(250_000), scale.size(1_200_000)
    rows = repeat(np.minimum(rng.lognormal(2.8, 1.1, n).astype(int) + 1, 40_000))
    return pattern(rows, rng.integers(0, m, len(rows)), (n, m))


def satisfiability(rng):
    """Clauses by variables: two to five in a clause, a tenth of the variables popular, as they are generated."""
    n, m = scale.size(1_600_000), scale.size(400_000)
    rows = repeat(rng.integers(2, 6, n))
    near = (rows * (m / n)).astype(int) + rng.normal(0, 800, len(rows)).astype(int)
    popular = (rng.random(len(rows)) ** 3 * (m // 10)).astype(int)
    return pattern(rows, np.where(rng.random(len(rows)) < 0.3, popular, near % m), (n, m))


def planning(rng):
    """Actions at each step of time: facts of this step and the next, and some that hold at all steps."""
    steps, actions, facts = 60, scale.size(12_000), scale.size(5_000)
    n = steps * actions
    rows = repeat(rng.integers(3, 12, n))
    step = rows // actions + (rng.random(len(rows)) < 0.4)
    fact = (rng.random(len(rows)) ** 2 * facts).astype(int)
    return pattern(rows, np.minimum(step, steps - 1) * facts + fact, (n, steps * facts))


def wide_rows(rng):
    """Few rows of thousands of entries over a large x."""
    n, m = scale.size(2_500), 3_000_000
    rows = repeat(rng.integers(1_000, 6_000, n))
    return pattern(rows, rng.integers(0, m, len(rows)), (n, m))


def wide_runs(rng):
    """Few rows, each of runs of 64 entries at places anywhere in a large x."""
    n, m, runs = scale.size(4_000), 4_000_000, 40
    start = rng.integers(0, m - 64, n * runs)
    cols = (start[:, None] + np.arange(64)).ravel()
    return pattern(np.repeat(np.arange(n), runs * 64), cols, (n, m))


def few_diagonals(rng):
    """Four diagonals, one of them far, on a long vector."""
    n = scale.size(2_500_000)
    far = int(0.31 * n)
    rows = np.tile(np.arange(n), 4)
    cols = rows + np.repeat([-1, 0, 1, far], n)
    keep = (cols >= 0) & (cols < n)
    return pattern(rows[keep], cols[keep], (n, n))


def short_x(rng):
    """Many rows of ten entries, read anywhere in a short x."""
    n, m = scale.size(900_000), 6_000
    return pattern(np.repeat(np.arange(n), 10), rng.integers(0, m, n * 10), (n, m))


def text_by_words(rng):
    """Documents of log-normal length by words of a flat Zipf's law, words in alphabetical order."""
    n, m = scale.size(120_000), 200_000
    rows = repeat(rng.lognormal(3.8, 0.9, n).astype(int) + 2)
    word = (m ** rng.random(len(rows))).astype(int)
    return pattern(rows, rng.permutation(m)[word % m], (n, m))


def hubs_among_many(rng):
    """Five entries in a row, one row in ten thousand with a thousandth of all columns."""
    n = scale.size(1_200_000)
    lengths = rng.integers(3, 8, n)
    lengths[rng.integers(0, n, n // 10_000)] = n // 1_000
    rows = repeat(lengths)
    cols = rows + rng.normal(0, 3_000, len(rows)).astype(int)
    far = lengths[rows] > 10
    cols[far] = rng.integers(0, n, far.sum())
    return pattern(rows, cols % n, (n, n))


KINDS = [
    lognormal_clusters, lognormal_anywhere, satisfiability, planning, wide_rows, wide_runs, few_diagonals, short_x,
    text_by_words, hubs_among_many,
]

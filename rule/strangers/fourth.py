# SPDX-License-Identifier: Apache-2.0
"""The fourth set: 12 kinds that are measured to judge, and teach nothing."""

import numpy as np
import scipy.sparse as sp

import scale
from scale import pattern
from second import repeat


def quadtree(rng):
    """Cells of a grid that is refined where it matters, with their neighbours in the next level: rows of 4 to 9."""
    n = scale.size(1_100_000)
    level = np.floor(np.log2(np.arange(n) / n * 255 + 1)).astype(int)
    rows = repeat(4 + rng.integers(0, 2, n) * (level % 6))
    stride = np.array([1, -1, 40, -40, 1 << 12, -(1 << 12), 3, -3, 90])
    return pattern(rows, (rows + rng.choice(stride, len(rows))) % n, (n, n)) + sp.identity(n)


def power_grid(rng):
    """A tree of feeders with shortcuts: two to four entries in a row, in the order of a walk."""
    n = scale.size(2_200_000)
    back = np.minimum(rng.geometric(0.02, n), np.arange(n))
    a = pattern(np.arange(n), np.arange(n) - back, (n, n))
    b = pattern(rng.integers(0, n, n // 6), rng.integers(0, n, n // 6), (n, n))
    return a + a.T + b + b.T


def kronecker_of_path_and_expander(rng):
    """Copies of a random regular graph along a path."""
    m, copies = 4_000, scale.size(160)
    g = pattern(np.repeat(np.arange(m), 6), rng.integers(0, m, 6 * m), (m, m))
    path = sp.diags([1, 1], [-1, 1], shape=(copies, copies))
    return sp.kron(sp.identity(copies), g) + sp.kron(path, sp.identity(m))


def commodities(rng):
    """Many small network problems, coupled by capacities: a block diagonal above wide rows."""
    k, arcs, nodes = scale.size(900), 2_000, 400
    cols = np.arange(k * arcs)
    base = cols // arcs * nodes
    tail, head = base + rng.integers(0, nodes, len(cols)), base + rng.integers(0, nodes, len(cols))
    top = pattern(np.concatenate([tail, head]), np.tile(cols, 2), (k * nodes, k * arcs))
    return sp.vstack([top, pattern(cols % arcs, cols, (arcs, k * arcs))])


def autoregression(rng):
    """Lags of 1 to 12, 24, 168 and 672 steps for each time, with gaps in the record."""
    n = scale.size(800_000)
    lags = np.array([*range(13), 24, 48, 168, 672])
    rows = np.repeat(np.arange(n), len(lags))
    cols = rows - np.tile(lags, n)
    keep = (cols >= 0) & (rng.random(n)[cols % n] < 0.85)
    return pattern(rows[keep], cols[keep], (n, n))


def genes_by_cells(rng):
    """Counts of 20,000 genes in cells: rows of a thousand or so, columns of very different density."""
    n, m = scale.size(9_000), 20_000
    rows = repeat(rng.lognormal(6.8, 0.5, n).astype(int))
    gene = (rng.beta(0.5, 2.2, len(rows)) * m).astype(int)
    return pattern(rows, rng.permutation(m)[gene], (n, m))


def citations(rng):
    """Papers by what they cite, mostly recent and mostly famous: a triangle with a tail."""
    n = scale.size(1_000_000)
    rows = repeat(rng.poisson(1 + 14 * rng.random(n) ** 2))
    age = rng.exponential(0.06 * n, len(rows)).astype(int) + 1
    cited = rows - age
    famous = rng.random(len(rows)) < 0.3
    cited[famous] = (cited[famous] // 64) * 64
    keep = cited >= 0
    return pattern(rows[keep], cited[keep], (n, n))


def ice_sheet(rng):
    """Columns of 12 layers over an irregular map, two unknowns a node: blocks, 3D neighbours."""
    n = scale.size(14_000)
    points = rng.random((n, 2))
    order = np.lexsort((points[:, 1], (points[:, 0] * 60).astype(int)))
    from scipy.spatial import cKDTree

    _, near = cKDTree(points[order]).query(points[order], k=7)
    g = pattern(np.repeat(np.arange(n), 7), near.ravel(), (n, n))
    layers = sp.diags([1, 1, 1], [-1, 0, 1], shape=(12, 12))
    return sp.kron(sp.kron(g, layers), np.ones((2, 2)))


def web_hosts(rng):
    """Pages in the order of their hosts: most links within the host, some to few famous pages."""
    n = scale.size(900_000)
    host = np.sort((rng.pareto(1.1, n) * 200).astype(int) % (n // 30))
    first = np.searchsorted(host, host)
    size = np.searchsorted(host, host, "right") - first
    rows = repeat(np.minimum((rng.pareto(1.6, n) * 6).astype(int) + 1, 3_000))
    cols = first[rows] + (rng.random(len(rows)) * size[rows]).astype(int)
    out = rng.random(len(rows)) < 0.15
    cols[out] = (rng.random(out.sum()) ** 6 * n).astype(int)
    return pattern(rows, cols, (n, n))


def tall_and_thin(rng):
    """Five million samples of three features out of two thousand."""
    n = scale.size(4_000_000)
    return pattern(np.repeat(np.arange(n), 3), rng.integers(0, 2_000, 3 * n), (n, 2_000))


def hydrodynamics(rng):
    """Particles in a box sorted by cells of a grid, each with 30 to 60 in the cells around it."""
    n = scale.size(160_000)
    rows = repeat(rng.integers(30, 61, n))
    plane = int(n ** (2 / 3))
    near = rng.choice([0, plane, -plane, int(n ** (1 / 3)), -int(n ** (1 / 3))], len(rows))
    return pattern(rows, (rows + near + rng.integers(-12, 13, len(rows))) % n, (n, n))


def survey(rng):
    """Answers to blocks of questions: dense stripes of 40 columns, most rows with two of 50 stripes."""
    n, stripes = scale.size(90_000), 50
    rows = np.repeat(np.arange(n), 2)
    start = rng.integers(0, stripes, 2 * n) * 40
    cols = (start[:, None] + np.arange(40)).ravel()
    keep = rng.random(len(cols)) < 0.9
    return pattern(np.repeat(rows, 40)[keep], cols[keep], (n, stripes * 40))


KINDS = [
    quadtree, power_grid, kronecker_of_path_and_expander, commodities, autoregression, genes_by_cells, citations,
    ice_sheet, web_hosts, tall_and_thin, hydrodynamics, survey,
]

# SPDX-License-Identifier: Apache-2.0
"""The first set: 22 kinds."""

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

import scale
from scale import pattern


def random_geometric(rng):
    """Points in a cube, each joined to all within a radius: 3D particles, in random order."""
    points = rng.random((scale.size(60_000), 3))
    pairs = cKDTree(points).query_pairs((14 / len(points)) ** (1 / 3), output_type="ndarray")
    a = pattern(pairs[:, 0], pairs[:, 1], (len(points),) * 2)
    return a + a.T


def clustered_particles(rng):
    """Points in clumps of very different density, in the order of their clumps."""
    centres = rng.random((200, 3))
    spread = rng.lognormal(-4, 1, 200)
    clump = np.sort(rng.integers(0, 200, scale.size(40_000)))
    points = centres[clump] + spread[clump, None] * rng.normal(size=(len(clump), 3))
    pairs = cKDTree(points).query_pairs(0.004, output_type="ndarray")[: scale.size(4_000_000)]
    a = pattern(pairs[:, 0], pairs[:, 1], (len(points),) * 2)
    return a + a.T + sp.identity(len(points))


def small_world(rng):
    """Watts-Strogatz: a ring of 20 neighbours, one edge in ten rewired."""
    n, k = scale.size(150_000), 10
    rows = np.repeat(np.arange(n), k)
    cols = (rows + np.tile(np.arange(1, k + 1), n)) % n
    moved = rng.random(len(cols)) < 0.1
    cols[moved] = rng.integers(0, n, moved.sum())
    a = pattern(rows, cols, (n, n))
    return a + a.T


def preferential(rng):
    """Barabasi-Albert with six edges for each new vertex: a power law by growth."""
    n, k = scale.size(200_000), 6
    ends = np.empty(2 * n * k, dtype=np.int64)
    ends[: 2 * k] = np.arange(2 * k) % (k + 1)
    filled = 2 * k
    for v in range(k + 1, n):
        picked = ends[rng.integers(0, filled, k)]
        ends[filled : filled + k] = v
        ends[filled + k : filled + 2 * k] = picked
        filled += 2 * k
    a = pattern(ends[:filled].reshape(-1, 2, k)[:, 0].ravel(), ends[:filled].reshape(-1, 2, k)[:, 1].ravel(), (n, n))
    return a + a.T


def tomography(rng):
    """A parallel-beam Radon transform: a row for each ray, its pixels by steps along it."""
    side, angles = scale.size(300), scale.size(180)
    t = np.linspace(-0.7, 0.7, 2 * side)
    offsets = np.linspace(-0.5, 0.5, side)
    rows, cols = [], []
    for i, angle in enumerate(np.linspace(0, np.pi, angles, endpoint=False)):
        x = 0.5 + offsets[:, None] * np.cos(angle) - t[None, :] * np.sin(angle)
        y = 0.5 + offsets[:, None] * np.sin(angle) + t[None, :] * np.cos(angle)
        inside = (x >= 0) & (x < 1) & (y >= 0) & (y < 1)
        ray, _ = np.nonzero(inside)
        rows.append(i * side + ray)
        cols.append((y[inside] * side).astype(int) * side + (x[inside] * side).astype(int))
    return pattern(np.concatenate(rows), np.concatenate(cols), (angles * side, side * side))


def tomography_transposed(rng):
    return tomography(rng).T.tocsr()


def laplace(n, d):
    one = sp.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(n, n))
    a = one
    for _ in range(d - 1):
        a = sp.kronsum(a, one)
    return a.tocsr()


def four_dimensional(rng):
    """A stencil of nine points on a grid of four dimensions."""
    return laplace(max(4, int(24 * scale.SCALE ** 0.25)), 4)


def galerkin(rng):
    """The coarse operator of multigrid: R A P of a 3D grid, aggregates of random shape."""
    n = max(8, int(70 * scale.SCALE ** (1 / 3)))
    a = laplace(n, 3)
    groups = a.shape[0] // 6
    points = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)
    seeds = points[rng.choice(len(points), groups, replace=False)] + 0.1
    of = cKDTree(seeds).query(points)[1]
    p = pattern(np.arange(len(points)), of, (len(points), groups))
    p = (sp.identity(a.shape[0]) + 0.1 * a) @ p
    return (p.T @ a @ p).tocsr()


def prolongation(rng):
    """Interpolation from a coarse 3D grid: tall, one to eight entries in a row."""
    n = max(4, int(60 * scale.SCALE ** (1 / 3)))
    fine = np.arange(2 * n)
    one = sp.csr_matrix(
        (np.ones(4 * n), (np.repeat(fine, 2), np.clip(np.stack([fine // 2, (fine + 1) // 2], 1).ravel(), 0, n - 1)))
    )
    return sp.kron(sp.kron(one, one), one).tocsr()


def cholesky(rng):
    """The pattern of a triangular factor: fill by nested levels, denser towards the end."""
    n = scale.size(30_000)
    length = np.minimum(np.arange(n), (3 + 900 * (np.arange(n) / n) ** 6).astype(int))
    rows = np.repeat(np.arange(n), length)
    reach = rng.random(len(rows)) ** 3
    return pattern(rows, (rows * (1 - reach)).astype(int), (n, n)) + sp.identity(n)


def normal_equations(rng):
    """A'A of a sparse random matrix with a few heavy columns."""
    rows, cols = scale.size(60_000), scale.size(40_000)
    a = sp.random(rows, cols, density=3 / cols, random_state=rng, format="lil")
    a[rng.integers(0, a.shape[0], 150), 5] = 1.0
    a[rng.integers(0, a.shape[0], 400), 77 % a.shape[1]] = 1.0
    a = a.tocsr()
    return (a.T @ a).tocsr()


def zipf_text(rng):
    """Documents by words, words by Zipf's law and lengths log-normal."""
    docs, words = scale.size(60_000), scale.size(90_000)
    rows = np.repeat(np.arange(docs), np.minimum(rng.lognormal(3.6, 0.9, docs).astype(int) + 1, 3000))
    cols = np.minimum(rng.zipf(1.25, len(rows)), 10**12) % words
    return pattern(rows, cols, (docs, words))


def zipf_words(rng):
    return zipf_text(rng).T.tocsr()


def sierpinski(rng):
    """Pascal's triangle modulo 2: entry (i, j) where j's bits are among i's."""
    k = 13 if scale.SCALE >= 1 else 9
    cell = sp.csr_matrix(np.array([[1.0, 0], [1, 1]]))
    a = cell
    for _ in range(k - 1):
        a = sp.kron(a, cell)
    return a.tocsr()


def haar(rng):
    """The matrix of a Haar wavelet transform: rows of 2, 4, … all columns."""
    k = 16 if scale.SCALE >= 1 else 10
    n = 1 << k
    rows, cols = [np.zeros(n, dtype=int)], [np.arange(n)]
    row = 1
    for level in range(k):
        count, width = 1 << level, n >> level
        rows.append(np.repeat(np.arange(row, row + count), width))
        cols.append(np.arange(n))
        row += count
    return pattern(np.concatenate(rows), np.concatenate(cols), (n, n))


def incidence(rng):
    """Edges of a triangle mesh by its points, these in random order: two entries in each row."""
    n = scale.size(400_000)
    side = int(n**0.5)
    p = np.arange(side * side).reshape(side, side)
    edges = np.concatenate(
        [
            np.stack([p[:, :-1].ravel(), p[:, 1:].ravel()], 1),
            np.stack([p[:-1].ravel(), p[1:].ravel()], 1),
            np.stack([p[:-1, :-1].ravel(), p[1:, 1:].ravel()], 1),
        ]
    )
    name = rng.permutation(side * side)
    rows = np.repeat(np.arange(len(edges)), 2)
    return pattern(rows, name[edges].ravel(), (len(edges), side * side))


def queueing(rng):
    """A Markov chain of three queues: five diagonals with gaps where a queue is empty or full."""
    n = max(6, int(80 * scale.SCALE ** (1 / 3)))
    up = sp.diags([np.ones(n - 1)], [1])
    down = sp.diags([np.ones(n - 1)], [-1])
    i = sp.identity(n)
    return (sp.kron(sp.kron(up, i), i) + sp.kron(sp.kron(down, up), i) + sp.kron(sp.kron(i, down), up)
            + sp.kron(sp.kron(i, i), down) + sp.identity(n**3)).tocsr()


def contact(rng):
    """Blocks of 6 x 6 between bodies that touch, bodies in the order of a space-filling key."""
    points = rng.random((scale.size(9_000), 3))
    points = points[np.argsort((points * 8).astype(int) @ [64, 8, 1])]
    pairs = cKDTree(points).query_pairs((9 / len(points)) ** (1 / 3) * 0.62, output_type="ndarray")
    a = pattern(pairs[:, 0], pairs[:, 1], (len(points),) * 2)
    return sp.kron(a + a.T + sp.identity(len(points)), np.ones((6, 6))).tocsr()


def spectral_elements(rng):
    """Dense elements of 125 points that share their faces, in a row: overlapping blocks."""
    n = scale.size(900)
    block, step = 125, 100
    local = np.arange(block)
    start = np.arange(n)[:, None, None] * step
    rows = (start + local[None, :, None] + np.zeros((1, 1, block), dtype=int)).ravel()
    cols = (start + local[None, None, :] + np.zeros((1, block, 1), dtype=int)).ravel()
    return pattern(rows, cols, (n * step + block,) * 2)


def time_expanded(rng):
    """A flow network over 200 steps of time: two far diagonals and capacity rows that span all steps."""
    nodes, steps = scale.size(2_000), 200
    arcs = rng.integers(0, nodes, (4 * nodes, 2))
    base = (np.arange(steps)[:, None] * nodes)
    tail, head = (base + arcs[:, 0]).ravel(), (base + nodes + arcs[:, 1]).ravel()
    n = nodes * (steps + 1)
    count = len(tail)
    flow = pattern(np.concatenate([tail, head]), np.tile(np.arange(count), 2), (n, count))
    capacity = pattern(np.arange(count) % len(arcs), np.arange(count), (len(arcs), count))
    return sp.vstack([flow, capacity]).tocsr()


def attention(rng):
    """A sparse attention mask: a band of 64, 32 global rows and columns, 16 random ones in each row."""
    n = scale.size(16_384)
    rows = np.repeat(np.arange(n), 65)
    cols = np.clip(rows + np.tile(np.arange(-32, 33), n), 0, n - 1)
    a = pattern(rows, cols, (n, n))
    a += pattern(np.repeat(np.arange(n), 16), rng.integers(0, n, 16 * n), (n, n))
    g = rng.choice(n, 32, replace=False)
    full = pattern(np.repeat(g, n), np.tile(np.arange(n), 32), (n, n))
    return (a + full + full.T).tocsr()


def pangenome(rng):
    """Presence of variants in samples: few rows, columns of very different density."""
    rows, cols = scale.size(3_000), scale.size(120_000)
    share = rng.beta(0.15, 8, cols)
    count = rng.binomial(rows, share)
    c = np.repeat(np.arange(cols), count)
    return pattern(rng.integers(0, rows, len(c)), c, (rows, cols))


KINDS = [random_geometric, clustered_particles, small_world, preferential, tomography, tomography_transposed,
         four_dimensional, galerkin, prolongation, cholesky, normal_equations, zipf_text, zipf_words, sierpinski, haar,
         incidence, queueing, contact, spectral_elements, time_expanded, attention, pangenome]

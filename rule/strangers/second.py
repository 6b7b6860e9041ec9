# SPDX-License-Identifier: Apache-2.0
"""The second set: 36 kinds."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.spatial import Delaunay, cKDTree

from scale import pattern, side, size


def repeat(lengths):
    """The row of each entry, of rows of these lengths."""
    return np.repeat(np.arange(len(lengths)), lengths)


def neighbours(points, k):
    """Each point with the k nearest to it."""
    found = cKDTree(points).query(points, k)[1]
    return pattern(repeat(np.full(len(points), k)), found.ravel(), (len(points),) * 2)


def morton(points, bits=10):
    """The order of points in a plane along a Z."""
    key = np.zeros(len(points), dtype=np.int64)
    cell = (points * (1 << bits)).astype(np.int64)
    for bit in range(bits):
        key |= ((cell[:, 0] >> bit) & 1) << (2 * bit) | ((cell[:, 1] >> bit) & 1) << (2 * bit + 1)
    return np.argsort(key)


def users_and_items(rng):
    """Users by their 30 nearest of fewer items: rows all alike, popular columns."""
    items = rng.random((size(8_000), 2)) ** 3
    users = rng.random((size(60_000), 2))
    found = cKDTree(items).query(users, 30)[1]
    return pattern(repeat(np.full(len(users), 30)), found.ravel(), (len(users), len(items)))


def airlines(rng):
    """Hubs that fly everywhere, and airports that fly to a few hubs."""
    n = size(80_000)
    hubs = rng.choice(n, 60, replace=False)
    rows = np.repeat(np.arange(n), 9)
    a = pattern(rows, hubs[(60 * rng.random(len(rows)) ** 2).astype(int)], (n, n))
    return a + a.T


def skyline(rng):
    """Full rows up to the diagonal, of widths that wander."""
    n = size(20_000)
    width = 1 + abs(60 + np.cumsum(rng.normal(0, 3, n))).astype(int) % 300
    width = np.minimum(width, np.arange(n) + 1)
    rows = repeat(width)
    first = np.cumsum(width) - width
    return pattern(rows, rows - (np.arange(len(rows)) - first[rows]), (n, n))


def checkerboard(rng):
    """Blocks of 32 x 32 at random places, half full."""
    n = size(1_500)
    blocks = sp.random(n, n, density=min(1, 3 / n), random_state=rng)
    a = sp.kron(blocks, np.ones((32, 32))).tocoo()
    keep = rng.random(a.nnz) < 0.5
    return pattern(a.row[keep], a.col[keep], a.shape)


def far_diagonals(rng):
    """Thirty full diagonals anywhere."""
    n = size(90_000)
    offsets = np.unique(rng.integers(-n // 2, n // 2, 30))
    return sp.diags([np.ones(n - abs(d)) for d in offsets], offsets).tocsr()


def broken_diagonals(rng):
    """Twelve near diagonals with four entries in ten missing."""
    n = size(250_000)
    rows = np.repeat(np.arange(n), 12)
    cols = rows + np.tile(np.array([-900, -450, -30, -3, -1, 0, 1, 2, 5, 60, 450, 901]), n)
    keep = (cols >= 0) & (cols < n) & (rng.random(len(rows)) < 0.6)
    return pattern(rows[keep], cols[keep], (n, n))


def two_permutations(rng):
    """The identity and a permutation: two entries in a row."""
    n = size(900_000)
    return sp.identity(n, format="csr") + pattern(np.arange(n), rng.permutation(n), (n, n))


def hundred_everywhere(rng):
    """A hundred random columns in each row."""
    n = size(40_000)
    return pattern(repeat(np.full(n, 100)), rng.integers(0, n, 100 * n), (n, n))


def one_and_many(rng):
    """Rows of one entry and of 64 in turn."""
    n = size(70_000)
    rows = repeat(np.where(np.arange(n) % 2, 64, 1))
    return pattern(rows, rng.integers(0, n, len(rows)), (n, n))


def sorted_by_degree(rng):
    """A power law, rows and columns by falling length."""
    n = size(150_000)
    length = np.minimum(-np.sort(-(3 * (rng.pareto(1.3, n) + 1)).astype(int)), n // 4)
    rows = repeat(length)
    return pattern(rows, (n * rng.random(len(rows)) ** 2.5).astype(int), (n, n))


def few_rows_used(rng):
    """One row in a hundred has fifty entries, the others have none."""
    n = size(2_000_000)
    used = np.sort(rng.choice(n, n // 100, replace=False))
    return pattern(np.repeat(used, 50), rng.integers(0, n, 50 * len(used)), (n, n))


def convolution(rng):
    """A layer of 3 x 3 filters, 8 channels to 16, as a matrix."""
    w = side(2_500, 2)
    one = sp.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(w, w))
    return sp.kron(np.ones((16, 8)), sp.kron(one, one)).tocsr()


def refined_grid(rng):
    """A triangulation of points that are denser around a circle."""
    points = rng.random((size(160_000), 2))
    ring = abs(np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.5) - 0.3)
    keep = rng.random(len(points)) < np.clip(0.02 / (ring + 0.01), 0.05, 1)
    points = np.round(points[keep] * 4096) / 4096
    points = points[np.lexsort((points[:, 0], np.round(points[:, 1] * 64)))]
    pairs = Delaunay(points + 1e-7 * rng.random(points.shape)).simplices
    a = pattern(pairs[:, [0, 1, 2]].ravel(), pairs[:, [1, 2, 0]].ravel(), (len(points),) * 2)
    return a + a.T


def discontinuous_elements(rng):
    """Elements of 20 unknowns, each with four neighbours: dense blocks of 20 x 20."""
    n = size(1_600)
    return sp.kron(neighbours(rng.random((n, 2)), 5), np.ones((20, 20))).tocsr()


def power_rails(rng):
    """A chain of devices with three rails that touch them all."""
    n = size(350_000)
    a = sp.diags([np.ones(n - 1), np.ones(n), np.ones(n - 1)], [-1, 0, 1], format="csr")
    rail = pattern(np.arange(n), rng.integers(0, 3, n) * (n // 3), (n, n))
    return a + rail + rail.T


def ratings_over_time(rng):
    """Users in the order in which they came, films that were new then: columns drift along rows."""
    users, films = size(60_000), size(9_000)
    rows = repeat(np.minimum(rng.lognormal(3.3, 1.1, users).astype(int) + 1, films // 3))
    centre = rows / users * films
    return pattern(rows, (np.abs(centre - rng.exponential(films / 12, len(rows))) % films).astype(int), (users, films))


def contact_map(rng):
    """Contacts along a chromosome: dense beside the diagonal, as one over the distance farther off."""
    n = size(25_000)
    rows = repeat(np.full(n, 60))
    away = np.exp(rng.random(len(rows)) * np.log(n)).astype(int)
    a = pattern(rows, np.minimum(rows + away - 1, n - 1), (n, n))
    return a + a.T


def de_bruijn(rng):
    """Words over four letters by the words that follow them."""
    n = 4 ** (9 if size(1000) >= 1000 else 8)
    rows = np.repeat(np.arange(n), 4)
    a = pattern(rows, (4 * rows + np.tile(np.arange(4), n)) % n, (n, n))
    return a + a.T


def hypercube(rng):
    """The corners of a cube of many dimensions."""
    k = 16 if size(1000) >= 1000 else 13
    rows = np.repeat(np.arange(1 << k), k)
    return pattern(rows, rows ^ np.tile(1 << np.arange(k), 1 << k), (1 << k, 1 << k))


def circulant(rng):
    """Forty random distances around a ring."""
    n = size(60_000)
    rows = np.repeat(np.arange(n), 40)
    return pattern(rows, (rows + np.tile(rng.integers(0, n, 40), n)) % n, (n, n))


def cliques(rng):
    """A ring of cliques whose sizes follow a power law."""
    sizes = np.minimum(4 * (rng.pareto(1.6, size(9_000)) + 1), 500).astype(int)
    start = np.concatenate([[0], np.cumsum(sizes)])
    n = start[-1]
    of = repeat(sizes)
    rows = repeat(sizes[of])
    within = np.arange(len(rows)) - (np.cumsum(sizes[of]) - sizes[of])[rows]
    return pattern(rows, start[of[rows]] + within, (n, n)) + sp.diags([np.ones(n - 1)], [1])


def communities(rng):
    """Fifty communities: most edges within, a few across."""
    n, edges = size(100_000), size(1_500_000)
    rows = rng.integers(0, n, edges)
    part = n // 50
    within = rows // part * part + rng.integers(0, part, edges)
    cols = np.where(rng.random(edges) < 0.85, np.minimum(within, n - 1), rng.integers(0, n, edges))
    return pattern(rows, cols, (n, n))


def knights(rng):
    """The moves of a knight on a board."""
    w = side(200_000, 2)
    x, y = np.divmod(np.arange(w * w), w)
    rows, cols = [], []
    for dx, dy in [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]:
        ok = (x + dx >= 0) & (x + dx < w) & (y + dy >= 0) & (y + dy < w)
        rows.append(np.arange(w * w)[ok])
        cols.append((x + dx)[ok] * w + (y + dy)[ok])
    return pattern(np.concatenate(rows), np.concatenate(cols), (w * w, w * w))


def space_time(rng):
    """A stencil in space, one step back in time: all steps as one matrix."""
    w = side(1_600, 2)
    one = sp.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(w, w))
    plane = sp.kronsum(one, one)
    step = sp.diags([np.ones(99)], [-1])
    return (sp.kron(sp.identity(100), plane) + sp.kron(step, sp.identity(w * w) + plane)).tocsr()


def supernodes(rng):
    """Sixteen rows each of one pattern of up to a thousand columns to the left."""
    n = size(500)
    rows = repeat(np.minimum(rng.lognormal(4.8, 0.8, n).astype(int) + 1, 1000))
    cols = (16 * rows * (1 - rng.random(len(rows)) ** 4)).astype(int)
    return sp.kron(pattern(rows, cols, (n, 16 * n)), np.ones((16, 1))).tocsr()


def tapered_covariance(rng):
    """Points in a plane along a Z, each with all within a radius."""
    points = rng.random((size(30_000), 2))
    points = points[morton(points)]
    pairs = cKDTree(points).query_pairs((24 / len(points)) ** 0.5 * 0.7, output_type="ndarray")
    a = pattern(pairs[:, 0], pairs[:, 1], (len(points),) * 2)
    return a + a.T + sp.identity(len(points))


def bigrams(rng):
    """Words by the words that follow them, both by Zipf's law."""
    n, tokens = size(60_000), size(4_000_000)
    word = np.minimum(np.exp(rng.random(tokens) * np.log(n)), n - 1).astype(int)
    return pattern(word[:-1], word[1:], (n, n))


def one_hot(rng):
    """Categories of 26 fields, popular ones first: one entry of each field in a row."""
    n = size(90_000)
    widths = np.maximum((size(60_000) * np.geomspace(1e-4, 1, 26)).astype(int), 2)
    start = np.concatenate([[0], np.cumsum(widths)])
    cols = start[:-1] + (widths * rng.random((n, 26)) ** 4).astype(int)
    return pattern(repeat(np.full(n, 26)), cols.ravel(), (n, start[-1]))


def splines(rng):
    """Points in a plane by cubic splines: four runs of four columns in each row."""
    n, w = size(120_000), side(40_000, 2) + 4
    x, y = (rng.random((2, n)) * (w - 4)).astype(int)
    cols = ((x[:, None] + np.arange(4))[:, :, None] * w + (y[:, None] + np.arange(4))[:, None, :]).reshape(n, 16)
    return pattern(repeat(np.full(n, 16)), cols.ravel(), (n, w * w))


def cells_reordered(rng):
    """Points in space with 14 neighbours, by reverse Cuthill-McKee."""
    a = neighbours(rng.random((size(70_000), 3)), 14)
    a = (a + a.T).tocsr()
    order = reverse_cuthill_mckee(a, symmetric_mode=True)
    return a[order][:, order]


def saddle(rng):
    """Velocities and pressures: a grid of vectors with a rectangular border that is as sparse."""
    w = side(50_000, 2)
    one = sp.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(w, w))
    a = sp.kron(sp.identity(2), sp.kronsum(one, one))
    b = sp.kron(np.ones((1, 2)), sp.random(w * w, w * w, density=4 / (w * w), random_state=rng))
    return sp.bmat([[a, b.T], [b, None]]).tocsr()


def control(rng):
    """Blocks of 12 along the diagonal and a dense border of a hundred."""
    n = size(4_000)
    blocks = sp.kron(sp.diags([np.ones(n), np.ones(n - 1)], [0, -1]), np.ones((12, 12)))
    border = np.ones((100, 12 * n)) * (rng.random((100, 12 * n)) < 0.3)
    border = sp.csr_matrix(border)
    return sp.bmat([[blocks, border.T], [border, sp.identity(100)]]).tocsr()


def transport(rng):
    """Sources by routes, then targets by routes: long runs, then long strides."""
    s, t = side(60_000, 2), size(6_000)
    return sp.vstack([sp.kron(sp.identity(s), np.ones((1, t))), sp.kron(np.ones((1, s)), sp.identity(t))]).tocsr()


def exact_cover(rng):
    """The constraints of a large Sudoku: four entries in each row, at four far strides."""
    k = 5 if size(1000) >= 1000 else 4
    n = k * k
    r, c, v = (x.ravel() for x in np.meshgrid(*[np.arange(n)] * 3, indexing="ij"))
    box = r // k * k + c // k
    cols = np.stack([r * n + c, n * n + r * n + v, 2 * n * n + c * n + v, 3 * n * n + box * n + v], 1)
    return pattern(repeat(np.full(n**3, 4)), cols.ravel(), (n**3, 4 * n * n))


def nearest_in_many(rng):
    """The hundred nearest in 12 dimensions: rows alike, some columns near everything."""
    return neighbours(rng.normal(size=(size(15_000), 12)), 100)


def separators(rng):
    """A grid by nested dissection: far columns at the end."""
    w = side(300_000, 2)

    def order(x0, x1, y0, y1):
        if (x1 - x0) * (y1 - y0) <= 64:
            return [(x * w + y) for x in range(x0, x1) for y in range(y0, y1)]
        if x1 - x0 >= y1 - y0:
            m = (x0 + x1) // 2
            return order(x0, m, y0, y1) + order(m + 1, x1, y0, y1) + [m * w + y for y in range(y0, y1)]
        m = (y0 + y1) // 2
        return order(x0, x1, y0, m) + order(x0, x1, m + 1, y1) + [x * w + m for x in range(x0, x1)]

    one = sp.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(w, w))
    a = sp.kron(one, one).tocsr()
    p = np.array(order(0, w, 0, w))
    return a[p][:, p]


KINDS = [users_and_items, airlines, skyline, checkerboard, far_diagonals, broken_diagonals, two_permutations,
         hundred_everywhere, one_and_many, sorted_by_degree, few_rows_used, convolution, refined_grid,
         discontinuous_elements, power_rails, ratings_over_time, contact_map, de_bruijn, hypercube, circulant, cliques,
         communities, knights, space_time, supernodes, tapered_covariance, bigrams, one_hot, splines, cells_reordered,
         saddle, control, transport, exact_cover, nearest_in_many, separators]

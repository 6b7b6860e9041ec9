#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes matrices apart from the generators of spmvtune, to judge a rule on strangers.

    rule/strangers/write.py first|second|third|fourth FOLDER [SCALE]    # SCALE: 1; 0.2 makes a fifth of the rows

Needs Python 3, numpy and scipy. Each file is Matrix Market, with random values and a fixed
seed. The kinds of a set were written down before any of it was measured.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import scipy.sparse as sp

import first
import fourth
import scale
import second
import third

SETS = {
    "first": (first.KINDS, 0), "second": (second.KINDS, 1000), "third": (third.KINDS, 2000), "fourth": (fourth.KINDS, 3000),
}


def write(job):
    folder, scale.SCALE, which, number = job
    kinds, seed = SETS[which]
    make = kinds[number]
    a = sp.csr_matrix(make(rng := np.random.default_rng(seed + number)))
    a.sum_duplicates()
    a.eliminate_zeros()
    coo = a.tocoo()
    values = rng.integers(1, 100, coo.nnz)
    with open(os.path.join(folder, make.__name__ + ".mtx"), "w") as f:
        f.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (*a.shape, coo.nnz))
        for begin in range(0, coo.nnz, 1 << 18):
            part = slice(begin, begin + (1 << 18))
            f.write("".join(map("%d %d %d\n".__mod__, zip(coo.row[part] + 1, coo.col[part] + 1, values[part]))))
    return "%-24s %9d x %9d, %10d nonzeros" % (make.__name__, *a.shape, coo.nnz)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in SETS:
        sys.exit(__doc__)
    which, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    size = float(sys.argv[3]) if len(sys.argv) == 4 else 1.0
    with ProcessPoolExecutor() as pool:
        for line in pool.map(write, [(folder, size, which, i) for i in range(len(SETS[which][0]))]):
            print(line, flush=True)


if __name__ == "__main__":
    main()

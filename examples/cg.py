# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients in Python: a plan is a LinearOperator. python3 cg.py [side]"""
import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

import spmvtune

n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
A = (sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line)).tocsr()
plan = spmvtune.plan(A, device=spmvtune.CPU, measure=1.0)
print(plan, "check", plan.check())

b = A @ np.ones(n * n)
u, failed = cg(plan, b)
print("u is off by", abs(u - 1).max(), "at most")
x = np.random.default_rng(1).random(n * n)
assert np.allclose(plan @ x, A @ x)
plan.update_values(2 * A.data)
assert np.allclose(plan @ x, 2 * (A @ x))
spmvtune.save_wisdom("wisdom.json")
spmvtune.load_wisdom("wisdom.json")
print(spmvtune.plan(A, device=spmvtune.CPU))
for bad in (lambda: spmvtune.plan(A, config="cpu_magic"), lambda: plan.multiply(x[1:], x), lambda: spmvtune.plan(A, device=7)):
    try:
        bad()
        sys.exit("it took what is wrong")
    except (spmvtune.Error, ValueError) as e:
        print("refused:", e)
sys.exit(failed or int(abs(u - 1).max() > 1e-2))

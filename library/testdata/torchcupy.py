# SPDX-License-Identifier: Apache-2.0
"""Products of torch's and CuPy's own vectors and matrices, on streams of theirs, on a GPU; of torch's on the host as well."""
import numpy as np
import scipy.sparse as sp

import spmvtune

rng = np.random.default_rng(1)
col_idx = (rng.integers(0, 4000, (50000, 10)) + 4000 * np.arange(10)).ravel().astype(np.int32)
A = sp.csr_matrix((rng.random(500000, np.float32), col_idx, np.arange(0, 500001, 10, np.int32)), (50000, 40000))
x = rng.random(40000, np.float32)
want = A @ x
right = lambda y: np.allclose(y, want, rtol=1e-4)


def refused(call, word):
    try:
        call()
    except (TypeError, ValueError, spmvtune.Error) as e:
        assert word in str(e), e
        return
    raise SystemExit(f"it took what is {word}")


try:
    import torch
except ImportError:
    torch = None
    print("torch is not here")
if torch:
    t = torch.from_numpy(x)
    on_host = spmvtune.plan(A, device=spmvtune.CPU)
    assert right((on_host @ t).numpy())
    refused(lambda: on_host @ t.double(), "float64")
    refused(lambda: on_host.multiply(t.repeat_interleave(2)[::2], torch.empty(50000)), "contiguous")
    gpu = t.cuda()
    csr = torch.sparse_csr_tensor(torch.from_numpy(A.indptr), torch.from_numpy(A.indices), torch.from_numpy(A.data), A.shape)
    for matrix in (A, csr, csr.cuda()):
        plan = spmvtune.plan(matrix, device=0)
        assert right((plan @ gpu).cpu().numpy())
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):  # ordered after what makes x, on the same stream
        later = (torch.ones(1, device="cuda") * torch.from_numpy(x).cuda(non_blocking=True))
        assert right((plan @ later).cpu().numpy())
    refused(lambda: plan @ t, "GPU")
    refused(lambda: on_host @ gpu, "host")
    refused(lambda: plan @ gpu.clone().requires_grad_(), "gradient")
    graph, y = torch.cuda.CUDAGraph(), torch.empty(50000, device="cuda")
    plan.multiply(gpu, y)
    with torch.cuda.graph(graph):
        plan.multiply(gpu, y)
    y.zero_()
    graph.replay()
    assert right(y.cpu().numpy())

    class OnlyDLPack:
        def __init__(self, tensor):
            self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__

    y = torch.zeros(50000, device="cuda")
    plan.multiply(OnlyDLPack(gpu), OnlyDLPack(y))
    assert right(y.cpu().numpy())
    print("torch", torch.__version__, "all right")

try:
    import cupy
    import cupyx.scipy.sparse
except ImportError:
    cupy = None
    print("CuPy is not here")
if cupy:
    matrix, gpu = cupyx.scipy.sparse.csr_matrix(A), cupy.asarray(x)
    plan = spmvtune.plan(matrix, device=0, measure=0.3)
    assert right((plan @ gpu).get())
    with cupy.cuda.Stream(non_blocking=True) as stream:
        y = plan @ (gpu * 1)
        stream.synchronize()
        assert right(y.get())
    refused(lambda: plan @ gpu.astype(np.float64), "float64")
    refused(lambda: plan.multiply(cupy.repeat(gpu, 2)[::2], cupy.empty(50000, np.float32)), "contiguous")
    plan.update_values(matrix.data * 2)
    assert right((plan @ gpu).get() / 2)
    print("CuPy", cupy.__version__, "all right; checked", plan.check())

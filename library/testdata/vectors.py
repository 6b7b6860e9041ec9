# SPDX-License-Identifier: Apache-2.0
"""Products of vectors that only have what CuPy, torch or DLPack define, in the memory of the host or, with the argument gpu,
of a GPU, which the CUDA runtime allocates."""
import ctypes
import sys

import numpy as np
import scipy.sparse as sp

import spmvtune

gpu = "gpu" in sys.argv
runtime = ctypes.CDLL([a for a in sys.argv if ".so" in a][0]) if gpu else None


def cuda(name, *args):
    code = getattr(runtime, name)(*args)
    assert code == 0, f"{name}: {code}"


class Memory:
    """n values of a type, at an address."""

    def __init__(self, values, offset=0):
        self.host = np.concatenate([np.zeros(offset, values.dtype), values])
        self.dtype, self.shape, self.bytes = values.dtype, values.shape, values.itemsize * offset
        self.base = ctypes.c_void_p(self.host.ctypes.data)
        if gpu:
            self.base = ctypes.c_void_p()
            cuda("cudaMalloc", ctypes.byref(self.base), ctypes.c_size_t(self.host.nbytes))
            cuda("cudaMemcpy", self.base, ctypes.c_void_p(self.host.ctypes.data), ctypes.c_size_t(self.host.nbytes), 1)
        self.address = self.base.value + self.bytes

    def get(self):
        if gpu:
            cuda("cudaDeviceSynchronize")
            cuda("cudaMemcpy", ctypes.c_void_p(self.host.ctypes.data), self.base, ctypes.c_size_t(self.host.nbytes), 2)
        return self.host[len(self.host) - self.shape[0]:]


class Interface:
    """As CuPy and numba have it, version 3: stream 1 is the default one."""

    def __init__(self, memory, read_only=False, step=1):
        self.memory = memory
        of = {"shape": memory.shape, "typestr": memory.dtype.str, "data": (memory.address, read_only), "version": 3,
              "strides": None if step == 1 else (step * memory.dtype.itemsize,)}
        if gpu:
            self.__cuda_array_interface__ = {**of, "stream": 1}
        else:
            self.__array_interface__ = of


class Tensor:
    """As torch has it."""

    def __init__(self, memory, contiguous=True, requires_grad=False):
        self.memory, self.shape, self.dtype, self.ndim = memory, memory.shape, f"torch.{memory.dtype.name}", 1
        self.is_cuda, self.requires_grad, self.contiguous = gpu, requires_grad, contiguous

    def data_ptr(self):
        return self.memory.address

    def is_contiguous(self):
        return self.contiguous

    def new_empty(self, n):
        return Tensor(Memory(np.empty(n, self.memory.dtype)))


class Pack:
    """As DLPack has it: no type, no shape, but in the capsule. The address has an offset."""

    def __init__(self, memory, step=1, device=None):
        self.memory = memory
        self.shape, self.strides = (ctypes.c_int64 * 1)(*memory.shape), (ctypes.c_int64 * 1)(step)
        self.tensor = spmvtune._DLTensor(memory.base.value, device or (2 if gpu else 1), 0, 1, 2, 8 * memory.dtype.itemsize, 1, self.shape,
                                         self.strides, memory.bytes)

    def __dlpack_device__(self):
        return self.tensor.device, 0

    def __dlpack__(self, stream=None):
        assert gpu == (stream is not None), "only a GPU has streams"
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


rng = np.random.default_rng(1)
for dtype in (np.float32, np.float64):
    A = sp.random(300, 200, 0.05, "csr", dtype, random_state=1)
    A.sort_indices()
    x, want = rng.random(200).astype(dtype), None
    want = A @ x
    plan = spmvtune.plan(A, device=0 if gpu else spmvtune.CPU)
    offset = 16 // x.itemsize
    for kind in (Interface, Tensor, Pack):
        y = kind(Memory(np.full(300, np.nan, dtype), offset))
        assert plan.multiply(kind(Memory(x, offset)), y) is y
        assert np.allclose(y.memory.get(), want, rtol=1e-5), kind
    assert np.allclose((plan @ Tensor(Memory(x))).memory.get(), want, rtol=1e-5)
    fine, other = Memory(np.zeros(300, dtype)), np.float64 if dtype == np.float32 else np.float32
    for wrong, x_, y_ in [("read-only", Memory(x), Interface(fine, read_only=True)),
                          ("gradient", Tensor(Memory(x), requires_grad=True), Interface(fine)),
                          ("contiguous", Tensor(Memory(x), contiguous=False), Interface(fine)),
                          ("contiguous", Interface(Memory(x), step=2), Interface(fine)),
                          ("contiguous", Pack(Memory(x), step=2), Interface(fine)),
                          ("can't read", Pack(Memory(x), device=10), Interface(fine)),  # kDLROCM
                          ("float", Pack(Memory(x.astype(other))), Interface(fine)),
                          ("float", Interface(Memory(x.astype(other))), Interface(fine)),
                          ("float", Tensor(Memory(x.astype(other))), Interface(fine)),
                          ("shape", Pack(fine), Interface(fine)), ("shape", Interface(fine), Interface(fine)),
                          ("shape", Tensor(Memory(x)), Pack(Memory(x))), ("can't be", object(), Interface(fine)),
                          ("memory of the", x, Interface(fine) if gpu else Pack(fine)) if gpu else ("can't be", "x", fine)]:
        try:
            plan.multiply(x_ if not isinstance(x_, Memory) else Interface(x_), y_)
            sys.exit(f"it took what is not {wrong}")
        except (TypeError, ValueError) as e:
            assert wrong in str(e), (wrong, e)
    try:
        plan @ Pack(Memory(x))
        sys.exit("it had a place for y")
    except TypeError as e:
        assert "plan.multiply" in str(e), e
print("vectors of interfaces, tensors and DLPack:", "on the GPU" if gpu else "on the host", "all right")

# SPDX-License-Identifier: Apache-2.0
"""Sparse matrix-vector products by the kernel that suits a matrix: libspmvtune for Python.

    plan = spmvtune.plan(A)          # of a CSR matrix of scipy, CuPy or torch, or of (row_ptr, col_idx, values) with shape=
    y = plan @ x                     # x of numpy or torch on a processor; of CuPy or torch on a GPU
    plan.multiply(x, y)              # of others, with __cuda_array_interface__ or __dlpack__, too
    scipy.sparse.linalg.cg(plan, b)  # a plan is a LinearOperator where scipy is installed
"""

import ctypes
import os
import sys

import numpy as np

try:
    from scipy.sparse.linalg import LinearOperator
except ImportError:
    LinearOperator = object

AUTO, CPU = -1, -2


class Error(Exception):
    """What the library says; code is one of spmv_status."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class _Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_int), ("precision", ctypes.c_int), ("measure", ctypes.c_double),
                ("products", ctypes.c_int64), ("config", ctypes.c_char_p)]


def _open():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("SPMVTUNE_LIBRARY"), os.path.join(here, "libspmvtune.so"),
              os.path.join(here, "../../lib/libspmvtune.so"), "libspmvtune.so"]
    for path in places:
        if path and (os.path.exists(path) or path == places[-1]):
            lib = ctypes.CDLL(path)
            break
    p, i64 = ctypes.c_void_p, ctypes.c_int64
    lib.spmv_error.restype = lib.spmv_plan_text.restype = ctypes.c_char_p
    lib.spmv_plan_csr.argtypes = [ctypes.POINTER(p), i64, i64, p, p, p, ctypes.POINTER(_Options)]
    lib.spmv_multiply.argtypes = [p, p, p, p]
    lib.spmv_update_values.argtypes = [p, p]
    lib.spmv_check.argtypes = [p, ctypes.POINTER(ctypes.c_double)]
    lib.spmv_plan_text.argtypes = lib.spmv_plan_free.argtypes = [p]
    lib.spmv_wisdom_load.argtypes = lib.spmv_wisdom_save.argtypes = [ctypes.c_char_p]
    return lib


_lib = _open()


def _do(code):
    if code:
        raise Error(code, _lib.spmv_error().decode())


def _host(a, dtype):
    """a as a contiguous array of numpy."""
    a = np.asarray(a.get() if hasattr(a, "get") else a.cpu() if hasattr(a, "cpu") else a)
    if dtype == np.int32 and a.size and not -2**31 <= np.min(a) <= np.max(a) < 2**31:
        raise ValueError("offsets and columns must fit into 32 bits")
    return np.ascontiguousarray(a, dtype=dtype)


class _DLTensor(ctypes.Structure):
    """What a DLPack capsule points to first (dlpack.h)."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("index", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


def _view(v, stream):
    """A vector of numpy, CuPy, torch or whatever has an array interface or DLPack: its address, type and shape, whether it
    lies on a GPU, is contiguous, may be written, and what must live while the address is used."""
    if hasattr(v, "data_ptr"):  # torch
        if getattr(v, "requires_grad", False):
            raise TypeError("the vector requires a gradient, which a product doesn't give: pass detach() of it")
        if not v.is_cuda and getattr(getattr(v, "device", None), "type", "cpu") != "cpu":
            raise TypeError(f"the vector is on a device that a plan can't read ({v.device})")
        return v.data_ptr(), str(v.dtype).replace("torch.", ""), tuple(v.shape), bool(v.is_cuda), v.is_contiguous(), True, v
    gpu = hasattr(v, "__cuda_array_interface__")
    of = v.__cuda_array_interface__ if gpu else getattr(v, "__array_interface__", None)
    if of is not None:
        dtype, strides = np.dtype(of["typestr"]), of.get("strides")
        near = strides is None or strides[0] == dtype.itemsize
        return of["data"][0], dtype.name, tuple(of["shape"]), gpu, near, not of["data"][1], of
    if not hasattr(v, "__dlpack__"):
        raise TypeError(f"a vector can't be a {type(v).__name__}: it has no array interface and no __dlpack__")
    device = v.__dlpack_device__()[0]
    if device not in (1, 2, 3, 13):  # kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged
        raise TypeError(f"the vector is on a device that a plan can't read (DLPack's type {device})")
    gpu = device in (2, 13)
    capsule = v.__dlpack__(stream=stream or 1) if gpu else v.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    t = _DLTensor.from_address(get(capsule, b"dltensor"))
    kind = {0: "int", 1: "uint", 2: "float"}.get(t.code, "other") + str(t.bits * t.lanes)
    near = not t.strides or t.ndim == 0 or t.strides[0] == 1
    return (t.data or 0) + t.offset, kind, tuple(t.shape[:t.ndim]), gpu, near, True, capsule


def _stream(v):
    """The number of the CUDA stream on which a vector's library works now, where that is known."""
    torch = sys.modules.get("torch")
    if torch and getattr(v, "is_cuda", False):
        return torch.cuda.current_stream(v.device).cuda_stream
    return getattr(v, "__cuda_array_interface__", {}).get("stream")


class Plan(LinearOperator):
    """A matrix that is ready for products on a device."""

    def __init__(self, row_ptr, col_idx, values, shape, device=AUTO, measure=0.0, products=0, config=None):
        self._plan = ctypes.c_void_p()
        dtype = np.dtype(str(values.dtype).replace("torch.", ""))
        if dtype not in (np.float32, np.float64):
            raise TypeError(f"values of {dtype}; they must be float32 or float64")
        row_ptr, col_idx, values = _host(row_ptr, np.int32), _host(col_idx, np.int32), _host(values, dtype)
        if len(row_ptr) != shape[0] + 1 or len(col_idx) != row_ptr[-1] or len(values) != row_ptr[-1]:
            raise ValueError(f"{len(row_ptr)} offsets, {len(col_idx)} columns and {len(values)} values for {shape[0]} rows")
        o = _Options(device, int(dtype == np.float32), measure, products, config.encode() if config else None)
        _do(_lib.spmv_plan_csr(ctypes.byref(self._plan), shape[0], shape[1], row_ptr.ctypes.data, col_idx.ctypes.data,
                               values.ctypes.data, ctypes.byref(o)))
        self._nnz, self._sorted = len(values), False
        self._gpu = not str(self).startswith("cpu_")  # as all kernels of a processor are called, and none of a GPU
        if LinearOperator is not object:
            super().__init__(dtype, shape)
        self.dtype, self.shape = dtype, tuple(shape)

    def _take(self, v, length, stream, written):
        """The address of a vector with this many values, and what must live while it is used."""
        address, dtype, shape, gpu, near, writable, alive = _view(v, stream)
        if gpu != self._gpu:
            raise TypeError(f"the plan needs vectors in the memory of the {'GPU' if self._gpu else 'host'}")
        if int(np.prod(shape)) != length or len(shape) not in (1, 2) or len(shape) == 2 and shape[1] != 1:
            raise ValueError(f"a vector of shape {shape}; the plan needs {length}")
        if dtype != self.dtype.name:
            raise TypeError(f"a vector of {dtype}; the plan needs {self.dtype.name}")
        if not near and length > 1:
            raise ValueError("the vector is not contiguous")
        if written and not writable:
            raise ValueError("y can't be written: it is read-only")
        return address, alive

    def multiply(self, x, y, stream=None):
        """y = A x into a vector that is there. stream is the number of a CUDA stream; without it, that on which x's library
        works now (torch, CuPy), or the default one."""
        if stream is None and self._gpu:
            stream = _stream(x)
        from_, _x = self._take(x, self.shape[1], stream, False)
        to, _y = self._take(y, self.shape[0], stream, True)
        _do(_lib.spmv_multiply(self._plan, from_, to, stream))
        return y

    def _matvec(self, x):
        if isinstance(x, np.ndarray):
            if np.iscomplexobj(x):
                raise TypeError("x is complex; the plan's values are real")
            x = np.ascontiguousarray(x, dtype=self.dtype)
            return self.multiply(x, np.empty(self.shape[0], self.dtype))
        if hasattr(x, "new_empty"):  # torch
            return self.multiply(x, x.new_empty(self.shape[0]))
        if type(x).__module__.partition(".")[0] != "cupy":
            raise TypeError(f"plan @ {type(x).__name__} has no place for y: make one, and call plan.multiply(x, y)")
        import cupy
        return self.multiply(x, cupy.empty(self.shape[0], self.dtype))

    def __matmul__(self, x):
        if getattr(x, "ndim", 1) == 1:
            return self._matvec(x)
        return super().__matmul__(x)

    def update_values(self, values):
        """Replaces the values, in the order of the first."""
        if self._sorted:
            raise ValueError("the matrix was sorted or converted for its plan: plan a sorted CSR matrix to replace values")
        values = _host(values, self.dtype)
        if len(values) != self._nnz:
            raise ValueError(f"{len(values)} values for {self._nnz} nonzeros")
        _do(_lib.spmv_update_values(self._plan, values.ctypes.data))

    def check(self):
        """The largest error of a product, as a fraction of its bound; an Error where it is above 1."""
        worst = ctypes.c_double()
        _do(_lib.spmv_check(self._plan, ctypes.byref(worst)))
        return worst.value

    def __str__(self):
        return _lib.spmv_plan_text(self._plan).decode()

    def __del__(self):
        if getattr(self, "_plan", None):
            _lib.spmv_plan_free(self._plan)


def plan(a, shape=None, **options):
    """A plan of a CSR matrix of scipy, CuPy or torch, or of its three arrays with a shape. options are those of Plan."""
    if shape is not None:
        return Plan(*a, shape, **options)
    if hasattr(a, "crow_indices"):  # torch
        return Plan(a.crow_indices(), a.col_indices(), a.values(), a.shape, **options)
    if not hasattr(a, "tocsr"):
        raise TypeError(f"a matrix can't be a {type(a).__name__}: pass one of scipy.sparse, cupyx.scipy.sparse or torch's CSR")
    given = a
    if a.format != "csr":
        a = a.tocsr()
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    made = Plan(a.indptr, a.indices, a.data, a.shape, **options)
    made._sorted = a is not given
    return made


def load_wisdom(path):
    """Reads what was measured before."""
    _do(_lib.spmv_wisdom_load(os.fsencode(path)))


def save_wisdom(path):
    """Writes what was measured."""
    _do(_lib.spmv_wisdom_save(os.fsencode(path)))

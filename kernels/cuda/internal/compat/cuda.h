// SPDX-License-Identifier: Apache-2.0
// Stands before the toolkit's cuda.h on the include path (see the Makefile), so
// that gorgonia.org/cu builds with the headers of CUDA 13, too.
//
// CUDA 13 points a few names at newer functions, which have other parameters or need a
// newer driver. The
// driver keeps the earlier ones, under the symbols below; their declarations are
// here because the header shows them to itself only. With CUDA 11 and 12 nothing
// changes.
#ifndef SPMVTUNE_COMPAT_CUDA_H
#define SPMVTUNE_COMPAT_CUDA_H

#include_next <cuda.h>

#if CUDA_VERSION >= 13000

#undef cuCtxCreate
#undef cuEventElapsedTime
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges

#ifdef __cplusplus
extern "C" {
#endif

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies);
CUresult CUDAAPI cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges);

#ifdef __cplusplus
}
#endif

#define cuCtxCreate cuCtxCreate_v2

#endif
#endif

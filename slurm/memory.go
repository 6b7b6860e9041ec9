package slurm

import (
	"slices"

	"spmvtune/tuner/trial"
)

// What a task needs of memory, as a guess on the safe side. On an AMD EPYC with a last-level cache of
// 32 MB, the two processes of a sweep of grid_5pt with cpu_csr_rows and cpu_coo_chunks had at most
// 210 MB (6,000 rows), 690 MB (500,000), 1560 MB (2 million) and 2920 MB (4 million). Nothing was
// measured on a GPU. With a larger cache, bandwidths and the flush before cold samples take roofCaches times more.
const (
	taskMemory = 480  // MB, whatever the matrix
	taskCache  = 32   // MB, the cache with which that was measured
	roofCaches = 4    // of package cpu
	gpuMemory  = 1500 // MB more for a GPU's driver and libraries
	perEntry   = 110  // bytes
	perRow     = 40   // bytes, and as many for each column
)

// memoryOf is the MB that a task needs for a matrix.
func memoryOf(size trial.Size, backends []string) int {
	mb := taskMemory + (perEntry*size.Nonzeros+perRow*(size.Rows+size.Cols))>>20
	if slices.Contains(backends, "cuda") {
		mb += gpuMemory
	}
	return mb
}

// Memory is what the largest task of a plan needs, in MB.
func (p Plan) Memory() (mb int) {
	for _, c := range p.Chunks {
		mb = max(mb, c.Memory)
	}
	return mb
}

// CacheMemory is what a task needs beyond that on a processor with a last-level cache of some bytes, in MB.
func CacheMemory(cache int64) int { return max(0, roofCaches*(int(cache>>20)-taskCache)) }

package configs

// Figures are the ids of the figures that a report can hold.
var Figures = []string{
	"matrix-patterns", "cpu-bandwidth", "csr-compression", "throughput-vs-block", "throughput-vs-grid",
	"block-grid-heatmap", "speedup-over-baseline", "gpu-vs-cpu", "best-by-device", "prefix-sum-variants", "chunk-and-unroll",
	"average-improvement", "roofline", "gflops-vs-rows", "gflops-vs-nnz", "gflops-vs-row-length",
	"kernel-gflops-vs-row-length", "occupancy", "warp-efficiency", "load-efficiency", "bandwidth-vs-row-length",
	"bandwidth-by-kernel", "version-improvement", "launch-bounds", "selection-regret",
	"search-convergence", "drift",
}

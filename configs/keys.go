package configs

import "spmvtune/tuner/search"

// The keys of each section, as a sweep file may have them. [[kernel]] also takes
// the parameters of its kernels, and [[matrix]] the arguments of its generator.
// The names are what the decoder accepts: a key that is read but missing here
// would be refused.
var (
	topKeys      = []string{"name", "title", "protocol", "search", "matrix", "kernel", "device", "learn", "report", "slurm"}
	protocolKeys = []string{"cache", "warmup", "samples", "target", "trial_budget", "timeout", "seed", "slow", "sentinel", "finals"}
	searchKeys   = []string{"strategy", "budget", "order", "rule"}
	budgetKeys   = []string{"trials", "time"}
	matrixKeys   = []string{"path", "generate", "suitesparse", "name", "class", "expand", "complex"}
	familyKeys   = []string{"generate", "name", "class", "where"} // of a [[matrix]] that is generated
	kernelKeys   = []string{"name", "precision", "block", "grid", "where"}
	deviceKeys   = []string{"backend", "index"}
	learnKeys    = []string{"test"}
	reportKeys   = []string{"figures", "kernels", "matrices", "devices", "precisions", "caches", "published"}
	slurmKeys    = []string{"partition", "account", "qos", "time", "gres", "gpus", "constraint", "cpus", "mem",
		"exclusive", "nodelist", "throttle", "chunk", "signal", "gpus_per_task", "mix_devices", "setup", "extra"}

	stepKeys = []string{"from", "to", "step"} // of block and grid
)

// The values of keys that name a choice.
var (
	caches     = []string{"cold", "warm", "both"}
	strategies = search.Names()
	orders     = []string{"file", "shuffled"}
	backends   = []string{"auto", "cpu", "cuda"}
)

// Figures are the ids of the figures that a report can hold.
var Figures = []string{
	"matrix-patterns", "cpu-bandwidth", "csr-compression", "throughput-vs-block", "throughput-vs-grid",
	"block-grid-heatmap", "speedup-over-baseline", "gpu-vs-cpu", "best-by-device", "prefix-sum-variants", "chunk-and-unroll",
	"average-improvement", "roofline", "gflops-vs-rows", "gflops-vs-nnz", "gflops-vs-row-length",
	"kernel-gflops-vs-row-length", "occupancy", "warp-efficiency", "load-efficiency", "bandwidth-vs-row-length",
	"bandwidth-by-kernel", "version-improvement", "launch-bounds", "selection-regret",
	"search-convergence", "drift",
}

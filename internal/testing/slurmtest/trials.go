package slurmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

func TestRun() tuner.RunInfo {
	sources := map[string]string{}
	for _, name := range benchKernels {
		sources[name] = "1"
	}
	return tuner.RunInfo{
		Sweep:   &configs.Sweep{Name: "quick", Text: []byte("name = \"quick\"\n")},
		Device:  kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "go1.26", Units: 2},
		Roof:    kernels.Roof{Read: 10, Copy: 20, Triad: 16},
		Sources: sources, Protocol: "warmup=3", Version: "test",
	}
}

func TestMatrix(name string) trial.Matrix {
	return trial.Matrix{Name: name, Source: "grid", Class: "grid", Hash: "hash-of-" + name, Field: "real",
		Symmetry: "general",
		Features: sparse.Features{Rows: 1000, Cols: 900, Nonzeros: 5000, RowMean: 5}}
}

var benchKernels = []string{"cpu_coo", "cpu_csr", "cpu_csr_rows", "cpu_sell", "coo_atomic"}

// TestTrial is the n-th trial on a matrix.
func TestTrial(matrix string, n int) trial.Result {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	r := trial.Result{
		Trial: trial.Trial{Matrix: "hash-of-" + matrix, Cache: trial.Cold,
			Config: kernels.Config{Kernel: benchKernels[n%5], Precision: kernels.Float32, Block: 32 * (1 + n/5%32),
				Grid: 1 << (n / 160)}},
		Status: trial.OK, Batch: 1, Stop: trial.StopTarget, Prepare: rng.Float64(), MaxError: rng.Float64(),
		WorstRow: rng.IntN(1000),
		BytesMin: 10_000, BytesOwn: 12_000,
		Properties: map[string]float64{"registers": 32, "occupancy": 0.75, "shared_bytes": 4096, "local_bytes": 0},
		At:         time.Date(2026, 1, 2, 3, 4, 5, n*1000, time.UTC),
	}
	r.Median = 1e-3 * (1 + rng.Float64())
	r.Low, r.High = 0.99*r.Median, 1.01*r.Median
	for range 20 {
		r.Samples = append(r.Samples, r.Median*(1+0.01*rng.NormFloat64()))
	}
	sum := sha256.Sum256(fmt.Append(nil, matrix, r.Config))
	r.ID = hex.EncodeToString(sum[:16])
	return r
}

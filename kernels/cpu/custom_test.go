// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"os/exec"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// The arguments of kernels of a user's own, by format, after the sizes.
const (
	ownCSR  = "(int rows, int cols, int nonzeros, const int *row_ptr, const int *col_idx,"
	ownCOO  = "(int rows, int cols, int nonzeros, const int *row_idx, const int *col_idx,"
	ownSELL = "(int rows, int cols, int nonzeros, const int *chunk_ptr, const int *row_of, const int *col_idx,"
	ownRest = " const SPMV_REAL *val, const SPMV_REAL *x, SPMV_REAL *y, int block, int grid)\n"
)

// own is a kernel in C.
func ownC(name string, format kernels.Format, text string, params ...kernels.Param) kernels.Custom {
	return kernels.Custom{
		Kernel: kernels.Kernel{Name: name, Backend: "cpu", Format: format, Scope: kernels.ScopeRow, Custom: true, Params: params,
			Grid: "threads"},
		Entry: name, File: "k.c", Files: map[string]string{"k.c": text}, Zero: format == kernels.COO,
	}
}

// sums computes y with a kernel of a user's own on a matrix of ones.
func sums(t *testing.T, b *Backend, o kernels.Custom, p kernels.Precision, grid, rows int) []float64 {
	t.Helper()
	b.Adopt([]kernels.Custom{o}, t.TempDir())
	c := kernels.Config{Kernel: o.Name, Precision: p, Grid: grid, Params: o.Complete("")}
	product := testkit.Must(b.Prepare(c, kernels.Options{Fresh: grid == 2}))
	y := make([]float64, rows)
	for range 2 { // the second must not add to the first
		testkit.Succeed(t, kernels.Compute(product, nil, y))
	}
	return y
}

func needsC(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
}

// A kernel of a user's own gets the matrix in the format that it asks for.
func TestOwnFormats(t *testing.T) {
	needsC(t)
	for _, o := range []kernels.Custom{
		ownC("own_csr", kernels.CSR, "void own_csr"+ownCSR+ownRest+
			"{ for (int i = 0; i < rows; i++) { SPMV_REAL s = 0; for (int k = row_ptr[i]; k < row_ptr[i + 1]; k++)"+
			" s += val[k] * x[col_idx[k]]; y[i] = s; } }\n"),
		ownC("own_coo", kernels.COO, "void own_coo"+ownCOO+ownRest+
			"{ for (int k = 0; k < nonzeros; k++) y[row_idx[k]] += val[k] * x[col_idx[k]]; }\n"),
		ownC("own_sell", kernels.SELL, "void own_sell"+ownSELL+ownRest+
			"{ for (int i = 0; i < rows; i++) { SPMV_REAL s = 0; int h = i / CHUNK, r = i % CHUNK;"+
			" for (int k = chunk_ptr[h] + r; k < chunk_ptr[h + 1]; k += CHUNK) s += val[k] * x[col_idx[k]]; y[row_of[i]] = s; } }\n",
			kernels.Param{Name: "chunk", Default: "4"}, kernels.Param{Name: "sigma", Default: "10"}),
	} {
		b := load(t, 300, rising(300))
		for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			for grid := 1; grid <= 2; grid++ {
				for i, got := range sums(t, b, o, p, grid, 300) {
					testkit.Equal(t, got, float64(i), "%s %s: a row of %d ones", o.Name, p, i)
				}
			}
		}
	}
}

// OpenMP's threads are pinned to the cores of the pool, also if a library without OpenMP was
// loaded before.
func TestOwnThreadsArePinned(t *testing.T) {
	needsC(t)
	b := load(t, 2, []int{1, 1})
	if len(b.cores) < 2 || b.pool.free {
		t.Skip("there are no two cores")
	}
	sums(t, b, ownC("plain", kernels.CSR, "void plain"+ownCSR+ownRest+"{ y[0] = y[1] = 1; }\n"), kernels.Float64, 2, 2)
	y := sums(t, b, ownC("where", kernels.CSR, "#define _GNU_SOURCE\n#include <omp.h>\n#include <sched.h>\nvoid where"+ownCSR+
		ownRest+"{\n#pragma omp parallel num_threads(grid)\n{ cpu_set_t s; int c = 0; sched_getaffinity(0, sizeof s, &s);"+
		" if (CPU_COUNT(&s) != 1) c = -1; else while (!CPU_ISSET(c, &s)) c++; y[omp_get_thread_num()] = c; } }\n"),
		kernels.Float64, 2, 2)
	testkit.EqualLists(t, y[:2], []float64{float64(b.cores[0]), float64(b.cores[1])}, "threads are on")
}

//go:build cuda

package cuda

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/tuner/trial"
)

// ownBodies are kernels of a user's own, by name, with how their trials end. Each gets a row r and
// its sum.
var ownBodies = map[string]struct {
	body, blocks string
	status       trial.Status
	message      string
}{
	"right":      {"if (r < rows) y[r] = sum;", "", trial.OK, ""},
	"few":        {"for (; r < rows; r += 7 * BLOCK) y[r] = sum_of(r, row_ptr, col_idx, val, x);", "7", trial.OK, ""},
	"uncompiled": {"y[r] = undeclared;", "", trial.Invalid, "uncompiled.cu(14): error"},
	"crowd":      {"__shared__ SPMV_REAL s[1 << 22]; s[r] = sum; y[r] = s[r + 1];", "", trial.Invalid, "uncompiled|shared|compile"},
	"many":       {"if (r < rows) y[r] = sum;", "rows * 1000000", trial.Invalid, "blocks"},
	"beside":     {"if (r < rows) y[r] = sum; if (!r) y[rows] = 0;", "", trial.Wrong, "outside its array y"},
	"input":      {"if (r < rows) y[r] = sum; if (!r) ((SPMV_REAL *)val)[0] = 7;", "", trial.Wrong, "has changed"},
	"unequal":    {"if (r < rows) y[r] = sum + !r;", "", trial.Wrong, ""},
	"lazy":       {"if (r + 1 < rows) y[r] = sum;", "", trial.Wrong, "NaN"},
	"illegal":    {"*(int *)64 = r;", "", trial.Fault, "ILLEGAL_ADDRESS"},
	"endless":    {"while (*(volatile SPMV_REAL *)y != 12345) if (r < rows) y[r] = sum;", "", trial.Timeout, "5s"},
}

// Kernels of a user's own are compiled on the machine and measured; broken ones cost their own trials
// and nothing else.
func TestGPUFaultsOwn(t *testing.T) {
	if *gpuQuick {
		t.Skip("quick")
	}
	dir := t.TempDir()
	text := `
name = "own"
[protocol]
cache = "warm"
samples = [3, 5]
trial_budget = "50ms"
timeout = "5s"
[[matrix]]
generate = "grid_5pt"
nx = 64
ny = 64
[[kernel]]
name = ["csr_scalar"]
block = [32]
grid = [7]
[device]
backend = "cuda"
`
	put := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, k := range ownBodies {
		put(name+".cu", `#include "sum.h"
extern "C" __global__ void `+name+`(int rows, int cols, int nonzeros,
	const int *row_ptr,
	const int *col_idx,
	const SPMV_REAL *val,
	const SPMV_REAL *x,
	SPMV_REAL *y)
{
	int r = blockIdx.x * BLOCK + threadIdx.x;
	SPMV_REAL sum = 0;

	if (r < rows)
		sum = sum_of(r, row_ptr, col_idx, val, x);
	`+k.body+`
}
`)
		text += "[[kernel]]\nname = \"" + name + "\"\nsource = \"" + name + ".cu\"\nblock = [32]\n"
		if k.blocks != "" {
			text += "blocks = \"" + k.blocks + "\"\n"
		}
	}
	put("sum.h", `static __device__ SPMV_REAL sum_of(int r, const int *row_ptr, const int *col_idx, const SPMV_REAL *val,
	const SPMV_REAL *x)
{
	SPMV_REAL sum = 0;
	for (int k = row_ptr[r]; k < row_ptr[r + 1]; k++) sum += val[k] * x[col_idx[k]];
	return sum;
}
`)
	put("own.toml", text)
	checkOwn(t, filepath.Join(dir, "own.toml"))
}

// checkOwn runs the sweep and compares how trials end.
func checkOwn(t *testing.T, path string) {
	t.Helper()
	t.Setenv("SPMVTUNE_CACHE", t.TempDir())
	rec := runSweep(t, path)

	seen := map[string]int{}
	for _, r := range rec.results {
		if r.IsRerun() {
			continue
		}
		seen[r.Kernel]++
		want := ownBodies[r.Kernel]
		if r.Kernel == "csr_scalar" {
			want.status = trial.OK
		}
		said := false
		for _, part := range strings.Split(want.message, "|") {
			said = said || strings.Contains(r.Message, part)
		}
		if r.Status != want.status || !said {
			t.Errorf("%s: %s (%q), want %s (%q)", r.Config, r.Status, r.Message, want.status, want.message)
		} else {
			t.Logf("%s: %s %s", r.Config, r.Status, r.Message)
		}
	}
	for name := range ownBodies {
		if seen[name] != 2 {
			t.Errorf("%s has %d trials, want one for each precision", name, seen[name])
		}
	}
}

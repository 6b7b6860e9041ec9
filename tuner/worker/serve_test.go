package worker

import (
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse/cache"
)

// A loading is a backend that takes any matrix.
type loading struct{ onlyDevice }

func (loading) Load(*kernels.Problem) error { return nil }

// What was read for a matrix before the device is opened is what a load of it takes, and of no other.
func TestReady(t *testing.T) {
	t.Setenv(cache.Env, "off")
	of := func(nx int64) *LoadRequest {
		return &LoadRequest{Matrix: configs.Matrix{Name: "grid", Generate: "grid_5pt",
			Args: map[string]any{"nx": nx, "ny": int64(4)}}, Seed: 1}
	}
	for nx, want := range map[int64]bool{5: true, 6: false} {
		w := &server{}
		if rep := w.answer(Request{Ready: of(5)}); rep.Err != "" {
			t.Fatal(rep.Err)
		}
		w.backend = loading{}
		read := w.ready.problem
		if rep := w.answer(Request{Load: of(nx)}); rep.Err != "" || w.problem.A.Rows != int(4*nx) || w.ready != nil {
			t.Errorf("%d: %s, %d rows", nx, rep.Err, w.problem.A.Rows)
		}
		testkit.Equal(t, w.problem == read, want, "%d: taken", nx)
	}
}

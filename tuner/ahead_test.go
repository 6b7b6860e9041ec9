package tuner

import (
	"context"
	"testing"

	"spmvtune/tuner/trial"
)

// A watcher is a recorder that counts results that are recorded while the next trial runs.
type watcher struct {
	memory
	run   *run
	ahead int
}

func (w *watcher) Record(ctx context.Context, r trial.Result) error {
	w.ahead += count(w.run.ahead != nil)
	return w.memory.Record(ctx, r)
}

// A GPU goes on with the next trial while a result is recorded. On a processor recording would
// disturb it.
func TestGPUDoesNotWaitForTheRecord(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104)
	for backend, want := range map[string]int{"cuda": 3, "cpu": 0} {
		sweep.Kernels[0].Kernels[0] = map[string]string{"cuda": "csr_scalar", "cpu": "cpu_csr_rows"}[backend]
		w := &watcher{}
		w.run = newRun(sweep, w, Options{Launch: launcher(backend), Observe: func(Event) {}})
		if err := w.run.crew.measure(t.Context(), []*run{w.run}); err != nil {
			t.Error(err)
		}
		w.run.close()
		if w.ahead != want || len(w.results) != 4 {
			t.Errorf("%s: %d of %d results were recorded while the next trial ran", backend, w.ahead, len(w.results))
		}
	}
}

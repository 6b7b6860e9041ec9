package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/tuner"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A hook calls f at the first write.
type hook struct {
	bytes.Buffer
	f func()
}

func (h *hook) Write(p []byte) (int, error) {
	if h.f != nil {
		h.f()
		h.f = nil
	}
	return h.Buffer.Write(p)
}

// What is missing is what the merge did not find, also when the plan has changed by
// the time that the reasons are asked for.
func TestMergeWhilePlanChanges(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no Slurm
	run, _ := createTask(t, t.TempDir(), "")
	if err := os.WriteFile(run.Path("rounds", "001.json"), []byte(`["0001"]`), 0o666); err != nil {
		t.Fatal(err)
	}
	recordOne(t, run)
	split := func() {
		halves := `{"chunks": [{"id": "0001", "pieces": [{"matrix": "a", "index": 0, "of": 1}, {"matrix": "b", "index": 0, "of": 1}]},
			{"id": "0001.1", "pieces": [{"matrix": "a", "index": 0, "of": 1}]}, {"id": "0001.2", "pieces": [{"matrix": "b", "index": 0, "of": 1}]}]}`
		if err := os.WriteFile(run.Path("plan.json"), []byte(halves), 0o666); err != nil {
			t.Error(err)
		}
	}
	var out bytes.Buffer
	err := mergeRun(t.Context(), &hook{f: split}, &out, run, 0)
	var exit *command.Error
	if !errors.As(err, &exit) || exit.Code != command.ExitSomeFailed || !strings.Contains(err.Error(), "1 chunk not complete") {
		t.Errorf("the merge ends with %v", err)
	}
	if !strings.Contains(out.String(), `"chunk": "0001"`) {
		t.Errorf("its JSON is\n%s", out.String())
	}
}

// recordOne puts a trial into a journal of the run's first chunk.
func recordOne(t *testing.T, run *slurm.Run) {
	t.Helper()
	w, err := run.Journal(t.Context(), slurm.Task{Chunk: taskPlan.Chunks[0], Job: "7_0"}, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	config := kernels.Config{Kernel: "cpu_csr_rows", Precision: kernels.Float64, Block: 16, Grid: 1}
	if err := errors.Join(
		w.Matrix(t.Context(), trial.Matrix{Name: "a", Hash: "h"}),
		w.Begin(t.Context(), tuner.RunInfo{Sweep: &configs.Sweep{Name: "small"}, Device: kernels.Device{Backend: "cpu", Name: "Testcore"},
			Sources: map[string]string{"cpu_csr_rows": "1"}}),
		w.Record(t.Context(), trial.Result{Trial: trial.Trial{ID: "1", Matrix: "h", Config: config, Cache: trial.Warm}, Status: trial.OK,
			Median: 1e-3, Low: 1e-3, High: 1e-3, Samples: []float64{1e-3}, Batch: 1, Stop: trial.StopTarget, At: time.Now()}),
	); err != nil {
		t.Fatal(err)
	}
}

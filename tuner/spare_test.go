package tuner

import (
	"os/exec"
	"sync/atomic"
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

// twoPhases is a sweep of two matrices for a GPU, with repeats.
func twoPhases() *configs.Sweep {
	sweep := onGPU(testSweep(101, 102, 103, 104, 105, 106))
	sweep.Protocol.Repeats = 3
	second := sweep.Matrices[0]
	second.Name, second.Args = "larger", map[string]any{"nx": int64(2000), "ny": int64(300)}
	sweep.Matrices = append(sweep.Matrices, second)
	return sweep
}

// Each phase of a matrix on a GPU has its process, which was started during the one before. What spares do, or that
// they fail, changes nothing of what is measured.
func TestSpares(t *testing.T) {
	for _, tt := range []struct {
		name, backend string
		fails         func(process int32) bool // whether a process ends at once
		processes     int32
	}{
		{"GPU", "cuda", func(int32) bool { return false }, 4},
		{"spare of repeats fails", "cuda", func(p int32) bool { return p == 2 }, 5},
		{"processor", "cpu", func(int32) bool { return false }, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var started atomic.Int32
			launch := launcher(tt.backend)
			sweep, rec := twoPhases(), &memory{}
			if tt.backend == "cpu" {
				sweep.Kernels[0].Kernels = []string{"cpu_csr_rows"}
			}
			sum, err := Run(t.Context(), sweep, rec, Options{Launch: func() *exec.Cmd {
				if tt.fails(started.Add(1)) {
					return exec.Command("false")
				}
				return launch()
			}})
			if err != nil || len(sum.Failures) > 0 || sum.Measured[trial.OK] != 12 || sum.NoiseReruns != 6 ||
				len(rec.results) != 12 {
				t.Errorf("error %v, summary %+v, %d results", err, sum, len(rec.results))
			}
			for _, r := range rec.results {
				if _, told := r.Properties[Overlapped]; told && tt.backend == "cpu" {
					t.Error("something overlaps a trial on a processor")
				}
			}
			if got := started.Load(); got != tt.processes {
				t.Errorf("%d processes were started, want %d", got, tt.processes)
			}
		})
	}
}

// A trial that ran out of memory beside something else is measured again alone before that is said of it, and once.
func TestOutOfMemoryAlone(t *testing.T) {
	var started atomic.Int32
	rec := &memory{}
	sweep := onGPU(testSweep(exhaustMemory, 102, 103, 104))
	launch := launcher("cuda")
	sum, err := Run(t.Context(), sweep, rec, Options{Launch: func() *exec.Cmd { started.Add(1); return launch() }})
	if err != nil || sum.Measured[trial.OOM] != 1 || sum.Measured[trial.OK] != 3 || len(rec.results) != 4 {
		t.Errorf("error %v, measured %v, %d results", err, sum.Measured, len(rec.results))
	}
	if n := started.Load(); n < 2 || n > 3 {
		t.Errorf("%d processes, want one and one after each time that memory ran out, twice at most", n)
	}
}

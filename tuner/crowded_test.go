package tuner

import (
	"math"
	"testing"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A busy processor is told of once, with the figures of all trials of the matrix, where it is
// in the times. Of a GPU that replays graphs the worker tells nothing.
func TestCrowdedIsSaidOnce(t *testing.T) {
	free := trial.HostUse{Cores: 8, Others: 0.1, Own: 4}
	busy := trial.HostUse{Cores: 8, Others: 4, Own: 4}
	for _, tt := range []struct {
		name    string
		backend string
		launch  kernels.Launch
		trials  []trial.HostUse
		want    float64 // share that others take when it is told; 0: it is not
	}{
		{"a free processor", "cpu", kernels.Graph, []trial.HostUse{free, free}, 0},
		{"a busy one", "cpu", kernels.Graph, []trial.HostUse{free, busy, busy}, 4.1 / 16},
		{"too short to tell", "cpu", kernels.Graph, []trial.HostUse{{Cores: 0.5, Others: 0.4}}, 0},
		{"in short trials", "cpu", kernels.Graph, []trial.HostUse{{Cores: 1.5, Others: 0.3}, {Cores: 1.5, Others: 0.3}}, 0.2},
		{"with launches", "cuda", kernels.Stream, []trial.HostUse{busy, busy}, 0.5},
	} {
		sweep := testSweep(1)
		sweep.Protocol.Launch = tt.launch
		var said []Crowded
		r := newRun(sweep, &memory{}, Options{Observe: func(e Event) { said = append(said, *e.Crowded) }})
		r.planner.device.Backend, r.name = tt.backend, "grid"
		for _, host := range tt.trials {
			r.watch(host)
		}
		switch {
		case tt.want == 0 && len(said) > 0:
			t.Errorf("%s: told of %+v", tt.name, said)
		case tt.want > 0 && (len(said) != 1 || math.Abs(said[0].OthersShare()-tt.want) > 1e-9 ||
			said[0].Launching != (tt.backend == "cuda") || r.sum.Crowded == nil):
			t.Errorf("%s: told of %+v, want a share of %g", tt.name, said, tt.want)
		}
	}
}

// What others did is recorded with each trial.
func TestWorkerReadsTheHost(t *testing.T) {
	var rec memory
	runTest(t, testSweep(101, 102), &rec, Options{})
	for _, r := range rec.results {
		if r.Host.Own <= 0 {
			t.Errorf("%s: the worker used %g s of the processor", r.Config, r.Host.Own)
		}
	}
}

package tuner

import (
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner/worker"
)

// What a trial takes is said of each, and where it went of all.
func TestEffort(t *testing.T) {
	rec := &memory{}
	sum := runTest(t, testSweep(101, 102, leaveRowUnwritten), rec, Options{})
	e := sum.Effort
	if e.Trials != 3 || e.Verify <= 0 || e.Prepare <= 0 || e.Rest() <= 0 || e.Rest() >= e.Wall {
		t.Errorf("the effort is %+v", e)
	}
	for _, r := range rec.results {
		if !(r.Seconds > 0 && r.Seconds < e.Wall.Seconds()) {
			t.Errorf("%v, %s: %g s of %v", r.Config, r.Status, r.Seconds, e.Wall)
		}
	}
}

// BenchmarkTrial reports what asking a worker process for a trial, and keeping its
// result, takes beside what a backend does.
func BenchmarkTrial(b *testing.B) {
	const trials = 1000
	blocks := make([]int, trials)
	for i := range blocks {
		blocks[i] = 100 + i
	}
	var e worker.Effort
	for b.Loop() {
		sum, err := Run(b.Context(), quick(testSweep(blocks...)), &memory{}, Options{Launch: testLauncher})
		if err != nil {
			b.Fatal(err)
		}
		e.Add(sum.Effort)
	}
	b.ReportMetric(float64(e.Rest().Nanoseconds())/float64(e.Trials), "ns/trial")
}

func quick(s *configs.Sweep) *configs.Sweep {
	s.Protocol.Samples, s.Protocol.Sentinel = [2]int{6, 6}, 0
	return s
}

package tuner

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse/cache"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// foreseen returns what a run expects, by matrix, and how it ends.
func foreseen(t *testing.T, sweep *configs.Sweep, rec Recorder, opt Options) (map[string]Expected, error) {
	t.Helper()
	var mu sync.Mutex
	told := map[string]Expected{}
	opt.Observe = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, one := range e.Expected {
			told[one.Matrix] = one
		}
	}
	backend := "cpu"
	if slices.Equal(sweep.Kernels[0].Kernels, []string{"csr_scalar"}) {
		backend = "cuda"
	}
	opt.Launch = launcher(backend)
	_, err := Run(t.Context(), sweep, rec, opt)
	return told, err
}

// A rule is asked once about each matrix, when its turn comes. Until then as many trials are expected as it names.
func TestRuleIsAskedOnce(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	sweep := testSweep(101, 102, 103, 104)
	other := sweep.Matrices[0]
	other.Name, other.Args = "other", map[string]any{"nx": int64(9), "ny": int64(5)}
	sweep.Matrices = append(sweep.Matrices, other)
	sweep.Search.Strategy, sweep.Search.Top = search.Rule, 2
	asked := map[string]int{}
	told, err := foreseen(t, sweep, librarian{&memory{}}, Options{Choose: func(_ kernels.Device, m trial.Matrix, _ trial.Cache,
		among []kernels.Config) ([]kernels.Config, error) {
		asked[m.Name]++
		return among[:2], nil
	}})
	if err != nil || asked["grid"] != 1 || asked["other"] != 1 {
		t.Errorf("asked %v, error %v", asked, err)
	}
	if e := told["other"]; e.Trials != 2 || e.Time <= 0 {
		t.Errorf("expected %+v", told)
	}
}

// What other devices are at is ahead, too.
func TestOtherDevicesAreAhead(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	var loaded sync.WaitGroup
	loaded.Add(2)
	told, err := foreseen(t, several(3, 0, 1), newMeeting(2), Options{Accept: func(m trial.Matrix) error {
		if m.Name != "grid0" { // the smallest, which is the last
			loaded.Done()
			loaded.Wait()
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"grid0", "grid1", "grid2"} {
		if e := told[name]; e.Trials != 5 || e.Time < time.Microsecond {
			t.Errorf("of %s: %+v", name, e)
		}
	}
}

// Of a matrix without a size, nothing is expected.
func TestNothingIsExpectedWithoutSize(t *testing.T) {
	sweep := missingSweep(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	slices.Reverse(sweep.Matrices)
	told, err := foreseen(t, sweep, &memory{}, Options{})
	if _, is := told["alone"]; err != nil || is || len(told) != 2 {
		t.Errorf("expected %+v, error %v", told, err)
	}
}

// A matrix that can't be planned ends the run when its turn comes, and not before the first trial.
func TestForecastEndsNoRun(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	sweep := testSweep(101, 102)
	sweep.Kernels[0].Where = "block % (rows - 40) >= 0"
	other := sweep.Matrices[0]
	other.Name, other.Args = "other", map[string]any{"nx": int64(8), "ny": int64(5)}
	sweep.Matrices = append(sweep.Matrices, other)
	rec := &memory{}
	told, err := foreseen(t, sweep, rec, Options{})
	if err == nil || !strings.Contains(err.Error(), "planning other") || len(rec.results) != 2 || len(told) != 1 {
		t.Errorf("%d results, expected %+v, error %v", len(rec.results), told, err)
	}
}

package tuner

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/sparse/cache"
	"spmvtune/tuner/trial"
)

// librarian is a memory that knows its matrices.
type librarian struct{ *memory }

func (l librarian) Library(context.Context) (map[string]trial.Matrix, error) {
	library := map[string]trial.Matrix{}
	for _, m := range l.matrices {
		library[m.Name] = m
	}
	return library, nil
}

// When the first trial begins, a run tells what is ahead: without what is measured already, with matrices that it has
// not loaded yet, and nothing of a matrix that it can't know.
func TestRunTellsWhatIsAhead(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	rec := librarian{&memory{}}
	sweep := testSweep(101, 102, 103)
	sweep.Matrices[0].Name = "measured"
	runTest(t, sweep, rec, Options{})

	add := func(name string, nx int64) {
		sweep.Matrices = append(sweep.Matrices, configs.Matrix{Name: name, Generate: "grid_5pt", Expand: true,
			Args: map[string]any{"nx": nx, "ny": int64(5)}})
	}
	sweep = testSweep(101, 102, 103)
	sweep.Matrices[0].Name = "measured"
	add("half", 8)
	half := testSweep(101)
	half.Matrices = sweep.Matrices[1:]
	runTest(t, half, rec, Options{})
	add("large", 4000)
	sweep.Matrices = append(sweep.Matrices, configs.Matrix{Name: "gone", Path: filepath.Join(t.TempDir(), "gone.mtx")})

	var told [][]Expected
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Expected != nil {
			told = append(told, e.Expected)
		}
		if e.Result != nil && told == nil {
			t.Error("a trial ends before anything is expected")
		}
	}})
	if len(told) != 1 || len(told[0]) != 2 {
		t.Fatalf("expected is %+v", told)
	}
	if e := told[0][0]; e.Matrix != "half" || e.Trials != 3 || e.Finished != 1 || e.Time <= 0 {
		t.Errorf("of the first: %+v", e)
	}
	if e := told[0][1]; e.Matrix != "large" || e.Trials != 3 || e.Finished != 0 || e.Time < told[0][0].Time+time.Millisecond {
		t.Errorf("of the large one: %+v", e)
	}

	told = nil
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Expected != nil || e.Result != nil {
			t.Errorf("nothing is left, but it tells %+v", e)
		}
	}})
}

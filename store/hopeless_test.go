package store

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// hopeless makes a result one that its first product ended: it has no interval.
func hopeless(ms float64) func(*trial.Result) {
	return func(r *trial.Result) {
		r.Median, r.Low, r.High, r.Stop, r.Samples = 1e-3*ms, 0, 0, trial.StopSlow, []float64{1e-3 * ms}
	}
}

// Ties are decided beside hopeless trials, and margins count them.
func TestHopelessTrialsLoseByAMargin(t *testing.T) {
	db := started(t)
	record(t, db, good("coo_atomic", 32), good("cpu_csr", 64, hopeless(50)), good("cpu_coo", 0, hopeless(70)))
	if _, err := db.DecideTies(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := one(t, db, "SELECT kernel || ' ' || round(margin) || ' ' || tie_size FROM best"); got != "coo_atomic 49.0 1" {
		t.Errorf("best: %v", got)
	}
}

// Where only hopeless trials are left of a place, the fastest of them is the best.
func TestHopelessTrialsAlone(t *testing.T) {
	db := started(t)
	record(t, db, good("coo_atomic", 32), good("cpu_csr", 64, hopeless(50)), good("cpu_coo", 0, hopeless(70)))
	only, err := Gather(t.Context(), filepath.Join(t.TempDir(), "only.db"), []string{db.path}, Choice{Kernels: []string{"cpu_*"}})
	if err != nil {
		t.Fatal(err)
	}
	defer only.Close()
	if got := one(t, only, "SELECT kernel || ' ' || median_ms FROM best"); got != "cpu_csr 50.0" {
		t.Errorf("best: %v", got)
	}

	// The winner's newer source is wrong, so that it is out of force.
	record(t, db, good("coo_atomic", 32, identity("new"), failing(trial.Wrong, "row 3 is off"), later))
	if _, err := db.DecideTies(t.Context()); err != nil {
		t.Error(err)
	}
}

// What a profiler counted is united with the trials that it belongs to, all of it.
func TestUnitingKeepsCounts(t *testing.T) {
	a, b := started(t), started(t)
	record(t, a, good("cpu_sell", 32))
	record(t, b, good("coo_atomic", 32), good("cpu_csr", 64), good("cpu_coo", 0))
	all, err := b.Results(t.Context(), Filter{Status: trial.OK})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]Counts{}
	for _, c := range all {
		counts[c.ID] = Counts{"occupancy": 0.5, "d1_misses": 7}
	}
	if err := b.SaveCounts(t.Context(), counts); err != nil {
		t.Fatal(err)
	}
	if got := one(t, gather(t, Choice{}, a, b), "SELECT count(occupancy * d1_misses) FROM profile"); got != int64(3) {
		t.Errorf("%v of 3 counts arrived", got)
	}
}

// In whatever order results come, with whatever times and versions, the trials that count
// are those that deciding anew finds.
func TestEveryOrderCountsTheSameTrials(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var results []trial.Result
		for range 2 + r.IntN(9) {
			of := r.IntN(6)
			res := good([]string{"cpu_coo", "cpu_csr"}[of%2], 32*(1+of/4), identity(fmt.Sprint("i", of)))
			res.Measurement = []int{1, 2, 2, 3, 3, 0}[of]
			res.At = time.UnixMilli(1000 + int64(r.IntN(40)))
			switch {
			case r.IntN(3) == 0:
				failing(trial.Fault, "broke")(&res)
			case of == 4:
				res.Stop = trial.StopSearch
			}
			results = append(results, res)
		}

		db := started(t)
		record(t, db, results...)
		counts := func() []string {
			list, err := texts(t.Context(), db.write, "SELECT identity || ' ' || superseded FROM trial ORDER BY 1")
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		written := counts()
		err := db.transact(t.Context(), "deciding again", func(tx *sql.Tx) error {
			return decideAgain(t.Context(), tx, len(migrations), "true")
		})
		if err != nil {
			t.Fatal(err)
		}
		if anew := counts(); !slices.Equal(written, anew) {
			t.Errorf("seed %d: written %v, decided anew %v", seed, written, anew)
		}
	}
}

package store

import (
	"testing"

	"spmvtune/tuner/trial"
)

// Trials whose cache state is not known can be chosen apart from the others, which no filter at all does not do.
func TestUnknownCache(t *testing.T) {
	db := started(t)
	for i, state := range []trial.Cache{"", trial.Warm, trial.Cold} {
		record(t, db, good("cpu_csr", 4+i, func(r *trial.Result) { r.Cache = state }))
	}
	for state, want := range map[trial.Cache]int{"": 3, UnknownCache: 1, trial.Warm: 1, trial.Cold: 1} {
		n := 0
		if err := db.Trials(t.Context(), Filter{Cache: state}, func(r *Row) error {
			if n++; state == UnknownCache && r.Cache != "" {
				t.Errorf("%q is not unknown", r.Cache)
			}
			return nil
		}); err != nil || n != want {
			t.Errorf("%q chooses %d trials, want %d: %v", state, n, want, err)
		}
	}
}

package store

import (
	"testing"

	"spmvtune/tuner/trial"
)

// A trial without repeats takes its median, in the interval within the run.
func TestWithoutRepeatsTheIntervalIsThatOfTheRun(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 0, between(0.9, 1, 1.2)))
	rows, err := db.Results(t.Context(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; r.Time != r.Median || r.Another != (trial.Interval{Low: r.Low, High: r.High}) || r.Low == 0 {
		t.Errorf("it takes %v s in %v", r.Time, r.Another)
	}
}

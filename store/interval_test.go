package store

import (
	"fmt"
	"math"
	"slices"
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

// A trial with too few samples for an interval may be off as much as another run may.
func TestTooFewSamplesAreNotExact(t *testing.T) {
	db := started(t)
	record(t, db, append(noisy("grid", 10, 1.1), good("cpu_csr", 0, between(0, 1, 0)))...)
	decideAll(t, db)
	rows, err := db.Results(t.Context(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Kernel == "cpu_csr" })
	if r := rows[at].Another; math.Abs(r.Low/(1e-3/1.1)-1) > 1e-3 || math.Abs(r.High/1.1e-3-1) > 1e-3 {
		t.Errorf("another run finds it in %v, want 1 ms within a factor of 1.1", r)
	}

	s, err := db.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	table, err := s.Query(t.Context(), "SELECT low, high FROM counting WHERE kernel = 'cpu_csr'")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%.2f", table.Rows[0]); got != "[0.91 1.10]" {
		t.Errorf("claims see the interval %s ms, want [0.91 1.10]", got)
	}
}

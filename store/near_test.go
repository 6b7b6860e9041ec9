package store

import (
	"slices"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// Near leaves out what is far from the fastest, but keeps two trials of a place, one of each kernel, and
// what is tied or was repeated.
func TestNear(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	wide := good("cpu_csr_rows", 1024, between(0.9, 6, 7))
	repeated := good("cpu_csr_rows", 2048, takes(5))
	record(t, db,
		good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 128, takes(1.1)), good("cpu_csr_rows", 256, takes(1.4)),
		good("cpu_csr_rows", 512, takes(2)), wide, repeated, again(repeated, time.Minute, 4.9),
		good("cpu_sell", 8, takes(3)), good("cpu_sell", 16, takes(4)), good("cpu_coo", 1, failing(trial.Wrong, "wrong")),
		good("cpu_csr_rows", 32, takes(1), on("other")), good("cpu_csr_rows", 16, takes(9), on("other")),
		good("cpu_csr_rows", 8, takes(10), on("other")), good("cpu_csr_rows", 4, takes(20), on("other")))
	decideAll(t, db)

	rows, err := db.Near(t.Context(), 1.3)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, r := range rows {
		got = append(got, r.Block)
		if tied := r.Block == 64 || r.Block == 1024 || r.Block == 32; tied != r.Tied {
			t.Errorf("%v: tied is %v", r.Config, r.Tied)
		}
	}
	if want := []int{64, 128, 256, 1024, 2048, 8, 32, 16, 8}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

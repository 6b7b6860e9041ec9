package store

import (
	"math"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// final is r measured again in the finals, so much later, so many ms.
func final(r trial.Result, later time.Duration, ms float64) trial.Result {
	r = again(r, later, ms)
	r.Sentinel, r.Final = false, true
	return r
}

// Finals decide which is the fastest and which is named, and leave results as they are;
// a lucky trial is no reason to believe in a drift.
func TestFinalsSettle(t *testing.T) {
	lucky, steady, behind, alone := good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows", 256, sampled(1.02)),
		good("cpu_csr_rows", 1024, sampled(1.04)), good("cpu_sell", 8, sampled(1.049))
	db := started(t)
	record(t, db, lucky, steady, behind, alone)
	decideAll(t, db)
	if got, want := bestOf(t, db), "cpu_csr_rows 64 2% 1"; got != want {
		t.Errorf("before the finals best is %q, want %q", got, want)
	}
	for i := range 6 {
		wobble := []float64{0.999, 1.001}[i%2]
		later := time.Duration(i+1) * time.Minute
		record(t, db, final(lucky, later, 1.021*wobble), final(steady, later, 1.019*wobble), final(behind,
			later, 1.04*wobble))
	}
	if n := decideAll(t, db); n != 1 {
		t.Errorf("decided in %d places, want 1", n)
	}
	if got, want := bestOf(t, db), "cpu_csr_rows 256 2.061% 2"; got != want {
		t.Errorf("best is %q, want %q", got, want)
	}
	if ms := one(t, db, "SELECT median_ms FROM best").(float64); math.Abs(ms-1.019) > 1e-5 {
		t.Errorf("it takes %v ms, want the mean of its finals", ms)
	}
	if ms := one(t, db, "SELECT median_ms FROM results WHERE block = 256"); ms != 1.02 {
		t.Errorf("its trial took %v ms, want 1.02", ms)
	}
	if n := one(t, db, "SELECT count(*) FROM trial"); n != int64(4) {
		t.Errorf("%v trials, want 4", n)
	}
	if drifts, err := db.Drifts(t.Context()); err != nil || len(drifts) != 0 {
		t.Errorf("drifts %v, %v, want none", drifts, err)
	}
	known, err := db.Recorded(t.Context(), []string{lucky.ID, alone.ID}, trial.Full)
	if err != nil || len(known[lucky.ID].Finals()) != 6 || known[lucky.ID].Median != lucky.Median || len(known[alone.ID].Finals()) != 0 {
		t.Errorf("known are %v, %v", known, err)
	}
}

// A trial that leads by luck hides none that are faster than its finals.
func TestLuckyLeaderHidesNothing(t *testing.T) {
	db := started(t)
	lucky, second := good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 128, takes(1.02))
	record(t, db, lucky, second, good("cpu_csr_rows", 512, takes(1.3)), good("cpu_csr_rows", 1024, takes(2.5)))
	for i := range 4 {
		later := time.Duration(i+1) * time.Minute
		record(t, db, final(lucky, later, 2+.001*float64(i)), final(second, later, 2.1+.001*float64(i)))
	}
	decideAll(t, db)
	if n := one(t, db, "SELECT count(*) FROM results WHERE tied AND block = 512"); n != int64(1) {
		t.Error("one that takes 1.3 ms is told from the best")
	}
	// Of those told apart the next takes 2.1 ms, where the fastest takes 1.3 or 2.
	if margin := one1(t, db, "SELECT margin FROM best"); margin < 0.04 {
		t.Errorf("the next is slower by %v", margin)
	}
}

// Finals alone name the winner among those that had some: a spread of another says nothing.
func TestSpreadsNameNoWinner(t *testing.T) {
	for _, finals := range []int{0, 4} {
		db := started(t)
		a, b := good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 256, takes(1.02))
		record(t, db, a, b)
		for i := range finals {
			record(t, db, final(a, time.Duration(i+1)*time.Minute, 1.05+.0001*float64(i)))
		}
		decideAll(t, db)
		record(t, db, spreads(b, time.Hour, 0.9))
		decideAll(t, db)
		if block := one(t, db, "SELECT block FROM best"); block != int64(64) {
			t.Errorf("after %d finals and a spread of another, best has block %v", finals, block)
		}
	}
}

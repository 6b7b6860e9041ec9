// SPDX-License-Identifier: Apache-2.0

package store

import (
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

func decideAll(t testing.TB, db *DB) int {
	t.Helper()
	return testkit.Must(db.DecideTies(t.Context()))
}

// sampled sets the samples, in ms around a time, and what follows from them.
func sampled(ms float64) func(*trial.Result) {
	return func(r *trial.Result) {
		takes(ms)(r)
		r.Samples = repeated(ms)
	}
}

// Where nothing was measured again, intervals within the run tell trials apart.
func TestSettledTies(t *testing.T) {
	wide := func(r *trial.Result) { r.WithinLow, r.WithinHigh = 0.5*r.Median, 2*r.Median }
	grid := func(n int) func(*trial.Result) { return func(r *trial.Result) { r.Grid = n } }
	for _, tt := range []struct {
		name   string
		trials []trial.Result
		want   string
	}{
		{"one trial", []trial.Result{good("cpu_csr_rows", 32)}, "cpu_csr_rows 32 NaN% 1"},
		{"intervals meet", []trial.Result{
			good("cpu_sell", 8, sampled(1), wide), good("cpu_csr_rows", 64, sampled(1.04), wide),
			good("cpu_csr", 0, sampled(2.5)),
		}, "cpu_sell 8 150% 2"},
		{"intervals do not meet, but the difference does not count", []trial.Result{
			good("cpu_sell", 256, sampled(1)), good("cpu_csr_rows", 64, sampled(1.009)), good("cpu_csr", 0,
				sampled(1.02)),
		}, "cpu_sell 256 2% 2"},
		{"intervals that are too wide to tell", []trial.Result{
			good("cpu_sell", 256, takes(1), wide), good("cpu_csr_rows", 64, takes(1.04), wide), good("cpu_csr",
				0, takes(9)),
		}, "cpu_sell 256 800% 2"},
		{"robust among neighbours in block and grid", []trial.Result{
			good("cpu_csr_rows", 32, sampled(3)), good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows",
				128, sampled(3)),
			good("cpu_csr_rows", 2048, sampled(1.005), grid(4)), good("cpu_csr_rows", 2048, sampled(1.2),
				grid(2)), good("cpu_csr_rows", 2048, sampled(1.2), grid(8)),
		}, "cpu_csr_rows 2048 20% 2"},
		{"of equal ones the common block size", []trial.Result{
			good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows", 128,
				sampled(1.002)), good("cpu_csr_rows", 1024, sampled(1.001)),
		}, "cpu_csr_rows 128 NaN% 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := started(t)
			record(t, db, tt.trials...)
			testkit.Equal(t, decideAll(t, db), 1, "decided in")
			testkit.Equal(t, bestOf(t, db), tt.want, "best")
			testkit.Equal(t, decideAll(t, db), 0, "decided again in")
		})
	}
}

// Where trials repeat badly, the name still goes to one that is as fast as the fastest, not to
// any that can't be told from it.
func TestNamedIsFastWhereTrialsRepeatBadly(t *testing.T) {
	db := started(t)
	record(t, db, noisy("grid", 10, 1.1)...)
	record(t, db, good("cpu_sell", 64, takes(1)), good("cpu_coo", 256, takes(1.02)))
	decideAll(t, db)
	testkit.Equal(t, bestOf(t, db), "cpu_sell 64 900% 2", "best")
}

// What is recorded later is seen at once, and only its own place is decided again.
func TestNothingStale(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, good("cpu_sell", 8, sampled(1)), good("cpu_sell", 8, sampled(1), on("other")))
	decideAll(t, db)
	for i, change := range []func(){
		func() { record(t, db, good("cpu_csr", 0, sampled(0.5))) },
		func() { // the same configuration, under another protocol
			record(t, db, good("cpu_csr", 0, sampled(0.7), identity("new"),
				func(r *trial.Result) { r.At = r.At.Add(time.Hour) }))
		},
		func() { record(t, db, again(good("cpu_sell", 8, sampled(1)), time.Minute, 1)) },
		func() {
			testkit.Must(db.write.Exec("DELETE FROM sample WHERE trial = 3; DELETE FROM trial WHERE id = 3"))
		},
	} {
		change()
		gives(t, db, "SELECT count(*) FROM tie_set", int64(1), "change %d: places decided", i)
		gives(t, db, "SELECT count(*) FROM tie_member", int64(1), "change %d: members", i)
		before := one(t, db, "SELECT kernel || ' ' || median_ms FROM best WHERE matrix = 'grid'")
		want := []string{"cpu_csr 0.5", "cpu_csr 0.7", "cpu_csr 0.7", "cpu_csr 0.5"}[i]
		testkit.Check(t, before == want || i >= 3, "change %d: best is %v, want %v", i, before, want)
		testkit.Equal(t, decideAll(t, db), 1, "change %d: decided in", i)
	}
}

// A device that has become slower is no reason to call a later trial slow; one whose
// sentinels scatter makes small differences count for nothing.
func TestTiesUnderDrift(t *testing.T) {
	later := func(minutes int) func(*trial.Result) {
		return func(r *trial.Result) { r.At = r.At.Add(time.Duration(minutes) * time.Minute) }
	}
	for _, tt := range []struct {
		name      string
		second    float64   // ms, measured after four minutes
		sentinels []float64 // ms, each minute; 1.1 at first
		want      string
	}{
		{"steady", 1.1, []float64{1.1, 1.1, 1.1, 1.1}, "cpu_csr_rows 128 4.762% 1"},
		{"drifting", 1.1, []float64{1.1, 1.155, 1.155, 1.155}, "cpu_csr_rows 256 5% 2"},
		{"steady, a small difference", 1.07, []float64{1.1, 1.1, 1.1, 1.1}, "cpu_csr_rows 128 1.905% 1"},
		{"scattered, a small difference", 1.065, []float64{1.12, 1.1, 1.12, 1.1}, "cpu_csr_rows 256 4.762% 2"},
	} {
		db := started(t)
		watch := good("cpu_sell", 8, sampled(1.1))
		record(t, db, watch, good("cpu_csr_rows", 128, sampled(1.05)), good("cpu_csr_rows", 256,
			sampled(tt.second), later(4)))
		for i, ms := range tt.sentinels {
			record(t, db, again(watch, time.Duration(i+1)*time.Minute, ms))
		}
		decideAll(t, db)
		testkit.Equal(t, bestOf(t, db), tt.want, "%s: best", tt.name)
	}
}

// final is r measured again in the finals, so much later, so many ms.
func final(r trial.Result, later time.Duration, ms float64) trial.Result {
	r = again(r, later, ms)
	r.Sentinel, r.LeaderRerun = false, true
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
	testkit.Equal(t, bestOf(t, db), "cpu_csr_rows 64 2% 1", "before the finals best")
	for i := range 6 {
		wobble := []float64{0.999, 1.001}[i%2]
		later := time.Duration(i+1) * time.Minute
		record(t, db, final(lucky, later, 1.021*wobble), final(steady, later, 1.019*wobble), final(behind,
			later, 1.04*wobble))
	}
	testkit.Equal(t, decideAll(t, db), 1, "decided in")
	testkit.Equal(t, bestOf(t, db), "cpu_csr_rows 256 2.061% 2", "best")
	testkit.Near(t, one(t, db, "SELECT time_ms FROM best").(float64), 1.019, 1e-5, "its time, the mean of its finals,")
	gives(t, db, "SELECT median_ms FROM best WHERE block = 256", 1.02, "its trial took")
	gives(t, db, "SELECT count(*) FROM trial", int64(4), "trials")
	testkit.Equal(t, len(testkit.Must(db.Drifts(t.Context()))), 0, "drifts")
	known := testkit.Must(db.Recorded(t.Context(), []string{lucky.ID, alone.ID}, trial.Full))
	testkit.Check(t, len(known[lucky.ID].LeaderMedians()) == 6 && known[lucky.ID].Median == lucky.Median &&
		len(known[alone.ID].LeaderMedians()) == 0, "known are %v", known)
}

// A trial that leads by luck hides none that are faster than its finals, nor one whose own finals are as fast.
func TestLuckyLeaderHidesNothing(t *testing.T) {
	db := started(t)
	lucky, second := good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 128, takes(1.02))
	unlucky := good("cpu_csr", 0, takes(4))
	record(t, db, lucky, second, unlucky, good("cpu_csr_rows", 512, takes(1.3)), good("cpu_csr_rows", 1024, takes(2.5)))
	for i := range 4 {
		later := time.Duration(i+1) * time.Minute
		record(t, db, final(lucky, later, 2+.001*float64(i)), final(second, later, 2.1+.001*float64(i)),
			final(unlucky, later, 2.002+.001*float64(i)))
	}
	decideAll(t, db)
	gives(t, db, "SELECT count(*) FROM results WHERE tied AND kernel = 'cpu_csr'", int64(1), "one that takes 2 ms again is told")
	gives(t, db, "SELECT count(*) FROM results WHERE tied AND block = 512", int64(1), "one that takes 1.3 ms is told from the best")
	// Of those told apart the next takes 2.1 ms, where the fastest takes 1.3 or 2.
	margin := one1(t, db, "SELECT margin FROM best")
	testkit.Check(t, margin >= 0.04, "the next is slower by %v", margin)
}

// Finals alone recommend among those that had some: a spread of another says nothing. The fastest is that of the least time.
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
		gives(t, db, "SELECT block || ', not ' || recommended FROM best", "256, not cpu_csr_rows block 64 grid 2", "after %d finals and a spread of another, best has", finals)
	}
}

// The other kernels that are tied are counted, where that is decided.
func TestOthers(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, good("cpu_csr_rows", 64, takes(1)), good("cpu_csr_rows", 128, takes(1)), good("cpu_sell", 8, between(0.9, 6, 7)),
		good("cpu_coo", 1, takes(9)), good("cpu_csr_rows", 32, takes(1), on("other")))
	for _, want := range [][]int{{-1, -1}, {1, 0}} {
		best := testkit.Must(db.Best(t.Context(), Filter{}))
		slices.SortFunc(best, func(a, b Best) int { return b.Others - a.Others })
		testkit.EqualLists(t, lists.Of(best, func(b Best) int { return b.Others }), want, "others")
		decideAll(t, db)
	}
}

// throttled says that the device throttled while r was measured.
func throttled(r trial.Result) trial.Result {
	r.Telemetry = &trial.Telemetry{Throttled: 1}
	return r
}

// What repeat runs take on a throttled device says nothing of the configuration.
func TestThrottledFinalsDoNotDecide(t *testing.T) {
	db := started(t)
	first, second := good("cpu_csr_rows", 64, sampled(1)), good("cpu_csr_rows", 256, sampled(1.04))
	record(t, db, first, second)
	for i := range 6 {
		wobble, at := []float64{0.999, 1.001}[i%2], time.Duration(2*i+1)*time.Minute
		record(t, db, final(first, at, wobble), final(second, at, 1.04*wobble),
			throttled(final(first, at+time.Minute, 1.5*wobble)))
	}
	decideAll(t, db)
	testkit.Equal(t, bestOf(t, db), "cpu_csr_rows 64 4% 1", "best")
}

// A sentinel that the device throttled shows no drift of all others.
func TestThrottledSentinelsShowNoDrift(t *testing.T) {
	db := started(t)
	first := good("cpu_csr_rows", 64, sampled(1))
	record(t, db, first, again(first, time.Minute, 1), throttled(again(first, 2*time.Minute, 1.5)),
		again(first, 3*time.Minute, 1))
	drifts := testkit.Must(db.Drifts(t.Context()))
	testkit.Check(t, len(drifts) == 1 && len(drifts[0].Points) == 3,
		"drifts %+v, want one of the trial and two sentinels", drifts)
}

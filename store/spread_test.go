// SPDX-License-Identifier: Apache-2.0

package store

import (
	"database/sql"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

// spreads is r measured again to see how much repeating moves it, so much later, so many ms.
func spreads(r trial.Result, later time.Duration, ms float64) trial.Result {
	r = again(r, later, ms)
	r.Sentinel, r.NoiseRerun = false, true
	return r
}

// noisy are trials whose repeats differ from them by a factor, up and down, on a matrix.
func noisy(matrix string, n int, factor float64) (list []trial.Result) {
	for i := range n {
		r := good("cpu_csr_rows", 32*(i+1), takes(10), on(matrix))
		ms := []float64{10 * factor, 10 / factor}[i%2]
		list = append(list, r, spreads(r, time.Hour, ms))
	}
	return list
}

// The interval of a trial reaches as far as another measurement may be off. That within the run
// stays beside it.
func TestIntervalsThatAnotherRunAgreesWith(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, noisy("grid", 10, 1.1)...)
	record(t, db, good("cpu_csr", 0, between(0.9, 1, 1.02)), good("cpu_csr", 0, takes(3), on("other")),
		good("cpu_csr", 0, takes(2), func(r *trial.Result) { r.Cache = trial.Warm }))
	decideAll(t, db)
	for where, want := range map[string][]float64{ // low, high, within low, within high, factor
		"matrix = 'grid'":  {0.9, 1.1, 0.9, 1.02, 1.1},
		"matrix = 'other'": {3 / 1.1, 3.3, 2.985, 3.015, 1.1}, // as elsewhere on the device
		"cache = 'warm'":   {1.99, 2.01, 1.99, 2.01, math.NaN()},
	} {
		rows := testkit.Must(db.Results(t.Context(), Filter{}))
		v := query(t, db, "SELECT low_ms, high_ms, within_low_ms, within_high_ms, factor, median_ms FROM results "+
			"WHERE kernel = 'cpu_csr' AND (cache = 'cold' OR cache = 'warm' AND matrix = 'grid') AND "+where+
			" ORDER BY cache").Rows[0]
		for i, w := range want {
			got, known := v[i].(float64)
			if known == math.IsNaN(w) || known && math.Abs(got-w) > 1e-3*w {
				t.Errorf("%s: figure %d is %v, want %v", where, i, v[i], w)
			}
		}
		for _, r := range rows {
			if r.Kernel == "cpu_csr" && 1e3*r.Median == v[5] && (math.Abs(1e3*r.Another.Low-v[0].(float64)) > 1e-9 ||
				math.Abs(1e3*r.Another.High-v[1].(float64)) > 1e-9 || fmt.Sprint(r.Factor) != fmt.Sprint(orNought(v[4]))) {
				t.Errorf("%s: the row says %v and %v, the view %v", where, r.Another, r.Factor, v)
			}
		}
	}
}

func orNought(v any) any {
	if v == nil {
		return 0.0
	}
	return v
}

func one1(t *testing.T, db *DB, sql string) float64 { return one(t, db, sql).(float64) }

// A leader was chosen for its first measurement. What its repeats differ by says how far two
// runs do, what the first differs from them does not.
func TestLuckIsNoSpread(t *testing.T) {
	db := started(t)
	for i := range 4 {
		lucky := good("cpu_csr_rows", 32*(i+1), takes(10))
		record(t, db, lucky, final(lucky, time.Minute, 12), final(lucky, 2*time.Minute, 12.12),
			final(lucky, 3*time.Minute, 12))
	}
	decideAll(t, db)
	testkit.Near(t, one1(t, db, "SELECT factor FROM spread"), 1.01, 1e-6, "two runs differ by")
	ms := one1(t, db, "SELECT time_ms FROM results LIMIT 1")
	testkit.Check(t, math.Abs(ms-12.04) <= 1e-3, "one takes %v ms, want 12.04", ms)
	low, high := one1(t, db, "SELECT low_ms FROM results LIMIT 1"), one1(t, db, "SELECT high_ms FROM results LIMIT 1")
	testkit.Check(t, math.Abs(low-12.04/1.0081) <= 1e-2 && high >= 12.04*1.008 && high <= 12.04*1.0085,
		"another run finds %v to %v ms", low, high) // of a mean of three

	other := good("cpu_csr", 0, takes(10), on("other"))
	describe(t, db, testMatrix("other"))
	record(t, db, other, final(other, time.Minute, 12), final(other, 2*time.Minute, 24), final(other, 3*time.Minute, 12),
		final(other, 4*time.Minute, 24))
	decideAll(t, db)
	testkit.Near(t, one1(t, db, "SELECT factor FROM results WHERE matrix = 'grid' LIMIT 1"), 1.01, 1e-6, "beside a noisy matrix two runs differ by")
}

// Nor does a single final differ from the trial by chance alone.
func TestLuckBeforeASingleFinalIsNoSpread(t *testing.T) {
	db := started(t)
	for i := range 4 {
		lucky := good("cpu_csr_rows", 32*(i+1), takes(10))
		record(t, db, lucky, final(lucky, time.Minute, 12))
	}
	decideAll(t, db)
	gives(t, db, "SELECT count(*) FROM spread", int64(0), "four trials and a final of each tell how far two runs differ")
}

// What follows each other in time differs, whatever the order in which databases were united; and
// sessions have nothing to do with each other.
func TestDistancesAreThoseOfASession(t *testing.T) {
	at := time.Unix(1e6, 0)
	measured := func(minute int, ms float64) trial.Result {
		return trial.Result{Median: ms, WithinLow: ms, At: at.Add(time.Duration(minute) * time.Minute)}
	}
	r := rerunTrial{stored: stored{Row: Row{Result: measured(2, 4)}, origin: 1},
		repeats: []rerun{{measured(0, 1), 1}, {measured(1, 2), 2}, {measured(3, 4), 1}, {measured(5, 6), 2}}}
	want := []float64{math.Log(4), 0, math.Log(3)} // 1, 4, 4 and 2, 6
	if got := r.distances(nil); !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
		t.Errorf("distances are %v, want %v", got, want)
	}
}

// What trials took that ended with their first product has no interval, and says nothing of
// others.
func TestHopelessTrialsHaveNoSpread(t *testing.T) {
	db := started(t)
	hopeless := good("cpu_sell", 8, takes(90), func(r *trial.Result) { r.WithinLow, r.WithinHigh, r.Stop = 0, 0, trial.StopSlow })
	record(t, db, hopeless, spreads(hopeless, time.Minute, 180))
	record(t, db, noisy("grid", 10, 1.02)...)
	decideAll(t, db)
	testkit.Near(t, one1(t, db, "SELECT factor FROM spread"), 1.02, 1e-3, "two runs differ by")
	gives(t, db, "SELECT low_ms FROM results WHERE kernel = 'cpu_sell'", nil, "the interval begins at")
}

// Without finals, the spread tells what is tied: a configuration that is 10% slower is not, if
// repeating moves a trial by 2%, however few its samples are, unless these scatter as much.
func TestTiesBySpread(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		want   string
	}{{1.02, "3 tied, the next slower by 10%"}, {1.2, "4 tied, the next slower by 900%"}} {
		db := started(t)
		record(t, db, noisy("grid", 10, tt.factor)...)
		record(t, db, good("cpu_csr_rows", 512, takes(1.015), identity("a")),
			good("cpu_csr_rows", 1024, takes(1.1), identity("b")))
		record(t, db, good("cpu_csr_rows", 256, takes(1), identity("c")), good("cpu_coo", 0, between(1, 1.15, 1.3)))
		decideAll(t, db)
		v := query(t, db, "SELECT tie_size, 100 * margin FROM best").Rows[0]
		testkit.Equal(t, fmt.Sprintf("%v tied, the next slower by %.4g%%", v...), tt.want,
			"where runs differ by %v", tt.factor)
	}
}

// A program that is killed once it has recorded what repeats say leaves no ties that rest on what
// was known before.
func TestKilledBeforeTiesAreDecided(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, good("cpu_csr_rows", 512, takes(1)), good("cpu_csr_rows", 1024, takes(1.1)))
	decideAll(t, db)
	record(t, db, noisy("other", 10, 1.2)...)
	all := testkit.Must(db.from().places(t.Context()))
	repeats := testkit.Must(db.from().readRepeats(t.Context()))
	testkit.Succeed(t, db.transact(t.Context(), "testing", func(tx *sql.Tx) error { return repeats.keep(t.Context(), tx, all) }))

	testkit.Equal(t, decideAll(t, db), 2, "decided in")
	gives(t, db, "SELECT tie_size FROM best WHERE matrix = 'grid'", int64(2), "are tied")
}

// Ratios are of estimated times on both sides, and nothing outdated is shown.
func TestSpeedupByEstimates(t *testing.T) {
	db := started(t)
	lucky, library := good("cpu_csr_rows", 64, takes(1)), good("cusparse_csr_alg1", 0, takes(2))
	record(t, db, lucky, library)
	for i := range 3 {
		record(t, db, final(lucky, time.Duration(i+1)*time.Minute, 1.1), final(library, time.Duration(i+1)*time.Minute, 2.42))
	}
	decideAll(t, db)
	testkit.Near(t, one1(t, db, "SELECT over_cusparse FROM speedup WHERE block = 64"), 2.2, 1e-9, "over cuSPARSE it is")
	testkit.Near(t, one1(t, db, "SELECT gflops FROM best"), 2e-9*5000/1.1e-3, 1e-9, "GFLOP/s of the best")
	record(t, db, final(lucky, time.Hour, 3))
	gives(t, db, "SELECT time_ms FROM results WHERE block = 64", 1.0, "before it is known anew it takes")
}

// Finals that are alike by chance tell nothing apart by less than repeating differs there; nor is
// a competitor told apart that had no finals.
func TestFinalsTellNoLessThanTheSpread(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		want   int64
	}{{1.2, 3}, {1.001, 1}} {
		db := started(t)
		record(t, db, noisy("grid", 10, tt.factor)...)
		first, second := good("cpu_csr", 0, takes(1)), good("cpu_sell", 8, takes(1.03))
		record(t, db, first, second, good("cpu_coo", 0, takes(1.07)))
		for i := range 4 {
			later := time.Duration(i+1) * time.Minute
			record(t, db, final(first, later, 1), final(second, later, 1.03))
		}
		decideAll(t, db)
		gives(t, db, "SELECT tie_size FROM best", tt.want, "where runs differ by %v", tt.factor)
	}
}

// Devices share nothing, and a drift of one is no spread.
func TestSpreadOfADevice(t *testing.T) {
	db := started(t)
	quiet := noisy("grid", 10, 1.01)
	watch := good("cpu_sell", 8, sampled(1))
	record(t, db, quiet...)
	record(t, db, watch)
	for i := range 4 {
		record(t, db, again(watch, time.Duration(i+1)*20*time.Hour, 2)) // soon it takes twice as long
	}
	late := good("cpu_csr", 0, takes(20), func(r *trial.Result) { r.At = r.At.Add(40 * time.Hour) })
	record(t, db, late, spreads(late, time.Hour, 20), spreads(late, 2*time.Hour, 20))
	decideAll(t, db)
	before := one1(t, db, "SELECT factor FROM spread")
	testkit.Check(t, before <= 1.2, "two runs differ by %v", before)

	trials := testkit.Must(db.Good(t.Context()))
	for i := range trials {
		g := &trials[i]
		if g.Kernel != "cpu_csr" {
			continue
		}
		testkit.Check(t, math.Abs(g.Time-10e-3) <= 1e-6 && g.Another.Low <= g.Time && g.Another.High >= g.Time &&
			g.Another.High <= 1.3*g.Time, "without the drift it takes %v s in %v", g.Time, g.Another)
	}

	other := testRun()
	other.Device.Name = "Testcore 1"
	begin(t, db, other)
	for _, r := range noisy("grid", 10, 1.5) {
		r.ID += "other"
		record(t, db, r)
	}
	decideAll(t, db)
	f := one1(t, db, "SELECT factor FROM results WHERE device = 'Testcore 9000' LIMIT 1")
	testkit.Check(t, math.Abs(f-before) <= 1e-9,
		"two runs differ by %v, before another device was there by %v", f, before)
	f = one1(t, db, "SELECT factor FROM results WHERE device = 'Testcore 1' LIMIT 1")
	testkit.Check(t, f >= 1.4, "two runs of the other device differ by %v", f)
}

// A sweep knows how many runs repeated its trials, whatever they were for.
func TestRepeatsOfSweepsAreCounted(t *testing.T) {
	db := started(t)
	first := good("cpu_csr", 32)
	record(t, db, first, good("cpu_csr", 64), again(first, time.Minute, 1), final(first, 2*time.Minute, 1),
		final(first, 3*time.Minute, 1), spreads(first, 4*time.Minute, 1))
	sweeps := testkit.Must(db.Sweeps(t.Context()))
	testkit.Check(t, len(sweeps) == 1 && sweeps[0].LeaderReruns == 2 && sweeps[0].NoiseReruns == 1,
		"sweeps are %+v", sweeps)
}

// A trial with too few samples for an interval may be off as much as another run may.
func TestTooFewSamplesAreNotExact(t *testing.T) {
	db := started(t)
	record(t, db, append(noisy("grid", 10, 1.1), good("cpu_csr", 0, between(0, 1, 0)))...)
	decideAll(t, db)
	rows := testkit.Must(db.Results(t.Context(), Filter{}))
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Kernel == "cpu_csr" })
	if r := rows[at].Another; math.Abs(r.Low/(1e-3/1.1)-1) > 1e-3 || math.Abs(r.High/1.1e-3-1) > 1e-3 {
		t.Errorf("another run finds it in %v, want 1 ms within a factor of 1.1", r)
	}

	s := testkit.Must(db.Scratch(t.Context()))
	defer s.Close()
	table := testkit.Must(s.Query(t.Context(), "SELECT low, high FROM counting WHERE kernel = 'cpu_csr'"))
	testkit.Equal(t, fmt.Sprintf("%.2f", table.Rows[0]), "[0.91 1.10]", "claims see the interval")
}

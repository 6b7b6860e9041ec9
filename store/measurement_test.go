// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

// counting lists the trials that count, as "kernel block", by all who say which do: the
// view best, the view speedup, Results, Good, Chosen, Grids and the claims' tables.
func countingBy(t *testing.T, db *DB) map[string]string {
	t.Helper()
	found := map[string]string{}
	list := func(name string, n int, at func(int) (string, int)) {
		var texts []string
		for i := range n {
			kernel, block := at(i)
			texts = append(texts, fmt.Sprint(kernel, " ", block))
		}
		slices.Sort(texts)
		found[name] = strings.Join(texts, ", ")
	}
	rows := testkit.Must(db.Results(t.Context(), Filter{Status: trial.OK}))
	list("Results", len(rows), func(i int) (string, int) { return rows[i].Kernel, rows[i].Block })
	good := testkit.Must(db.Good(t.Context()))
	list("Good", len(good), func(i int) (string, int) { return good[i].Kernel, good[i].Block })
	chosen := testkit.Must(db.Chosen(t.Context(), "in_force"))
	list("Chosen", len(chosen), func(i int) (string, int) { return chosen[i].Kernel, chosen[i].Block })
	var history []trial.Result
	testkit.Succeed(t, db.History(t.Context(), testRun().Device, func(r trial.Result, _ trial.Size) {
		history = append(history, r)
	}))
	list("History", len(history), func(i int) (string, int) { return history[i].Kernel, history[i].Block })
	s := testkit.Must(db.Scratch(t.Context()))
	defer s.Close()
	table := testkit.Must(s.Query(t.Context(), "SELECT kernel, block FROM counting"))
	list("claims", len(table.Rows), func(i int) (string, int) {
		return table.Rows[i][0].(string), int(table.Rows[i][1].(int64))
	})
	grids := testkit.Must(db.Grids(t.Context(), Filter{Status: trial.OK}))
	for _, g := range grids {
		list("Grids", len(g.Trials), func(i int) (string, int) { return g.Trials[i].Kernel, g.Trials[i].Block })
	}
	return found
}

// everybodySays checks that all of them name the same trials, and that the views do.
func everybodySays(t *testing.T, db *DB, want, best, speedup string) {
	t.Helper()
	for who, got := range countingBy(t, db) {
		testkit.Equal(t, got, want, "%s: count", who)
	}
	for range 2 { // by intervals, and by ties
		gives(t, db, "SELECT group_concat(kernel || ' ' || block) FROM best", best, "best")
		decideAll(t, db)
	}
	gives(t, db, "SELECT group_concat(kernel || ' ' || block) FROM (SELECT * FROM speedup ORDER BY kernel)", speedup, "speedup has")
}

// briefly is a partial measurement: what a search measured with few samples.
func briefly(r *trial.Result) { r.Stop, r.Samples = trial.StopSearch, r.Samples[:1] }

func version(n int) func(*trial.Result) { return func(r *trial.Result) { r.Measurement = n } }

// What a search measured only briefly never counts, neither beside what was measured by
// the protocol nor in its place.
func TestPartialMeasurementsDoNotCount(t *testing.T) {
	db := started(t)
	record(t, db,
		good("cpu_csr", 32, takes(2), identity("whole")),
		good("cpu_csr", 32, takes(1), identity("brief, and later"), briefly, later),
		good("cpu_csr", 64, takes(3)),
		good("cpu_sell", 8, takes(0.5), briefly))
	everybodySays(t, db, "cpu_csr 32, cpu_csr 64", "cpu_csr 32", "cpu_csr 32")
}

// Times of an older version of the measurement don't compete with those of a newer one,
// whatever the order in which they come; nor does a failure of the newer one end that.
func TestOnlyTheNewestMeasurementCounts(t *testing.T) {
	trials := []trial.Result{
		good("cpu_csr", 32, takes(1), identity("old"), version(1)),
		good("cpu_csr", 64, takes(1), identity("old, too"), version(1), later),
		good("cpu_csr", 32, takes(3), identity("new"), version(2), later),
		good("cpu_sell", 8, takes(2), version(2)),
		good("coo_atomic", 64, takes(5)), // measured elsewhere
		good("cpu_coo", 0, failing(trial.Fault, "")),
	}
	for i := range trials {
		db := started(t)
		record(t, db, slices.Concat(trials[i:], trials[:i])...)
		everybodySays(t, db, "coo_atomic 64, cpu_csr 32, cpu_sell 8", "cpu_sell 8", "coo_atomic 64,cpu_csr 32,cpu_sell 8")
	}

	// The last of the newer ones fails when it is measured again.
	db := started(t)
	record(t, db, trials[0], good("cpu_csr", 64, takes(1), version(2)),
		good("cpu_csr", 64, identity("broken"), failing(trial.Fault, ""), later))
	everybodySays(t, db, "cpu_csr 32", "cpu_csr 32", "cpu_csr 32")
}

// Databases are united as if all had been recorded in one, with every column: finals stay
// finals, and the version of the measurement and of the program go along.
func TestUnitingForgetsNothing(t *testing.T) {
	a, b := started(t), started(t)
	record(t, a, good("cpu_coo", 0, takes(9)))
	first := good("cpu_csr", 32, version(2), func(r *trial.Result) {
		r.Properties = map[string]float64{"registers": 16}
		r.Warnings = []string{"few samples"}
		r.Telemetry = &trial.Telemetry{SMClock: 1755, Temperature: 60, Power: 650.5, Energy: 0.25, Reasons: 4,
			HasReasons: true, Repeated: 1, Throttled: 2}
	})
	record(t, b, first, good("cpu_csr", 64, takes(1.001), version(2)), good("cpu_sell", 8, failing(trial.Wrong,
		"row 7 is off")))
	for i := range 3 {
		for _, block := range []int{32, 64} {
			record(t, b, good("cpu_csr", block, func(r *trial.Result) {
				r.LeaderRerun, r.At = true, r.At.AddDate(0, 0, i+1)
			}))
		}
	}
	record(t, b, good("cpu_csr", 32, func(r *trial.Result) { r.Sentinel, r.At = true, r.At.AddDate(0, 0, 9) }),
		good("cpu_csr", 32, func(r *trial.Result) { r.NoiseRerun, r.At = true, r.At.AddDate(0, 0, 10) }))
	twin := testMatrix("other")
	twin.TwinOf, twin.TwinScale = "rail4284", 0.5
	describe(t, b, twin)
	record(t, b, good("cpu_csr", 32, on("other")))
	decideAll(t, b)

	alone := gather(t, Choice{}, b) // a copy, byte for byte
	for name, db := range map[string]*DB{
		"beside another":    gather(t, Choice{}, a, b),
		"chosen by kernels": gather(t, Choice{Kernels: []string{"cpu_*"}}, b),
	} {
		for _, query := range []string{
			"SELECT * FROM results WHERE kernel <> 'cpu_coo' ORDER BY matrix, kernel, block",
			"SELECT * FROM telemetry WHERE kernel <> 'cpu_coo' ORDER BY matrix, kernel, block",
			"SELECT * FROM features ORDER BY matrix",
			"SELECT matrix, kernel, block, median_ms, tie_size FROM best ORDER BY matrix",
			"SELECT identity, at, median, low, high, throttled, kind, data FROM rerun ORDER BY identity, at",
			`SELECT t.identity, t.properties, t.warnings, t.seconds, t.batch, t.bytes_kernel, t.worst_row, t.log_median, x.data
				FROM trial t LEFT JOIN sample x ON x.trial = t.id JOIN kernel k ON k.id = t.kernel WHERE k.name <> 'cpu_coo' ORDER BY t.identity`,
			"SELECT name, title, text, hash, protocol, version, settings FROM sweep",
			"SELECT node, uuid, job FROM origin",
		} {
			want, got := fmt.Sprint(table(t, alone, query)), fmt.Sprint(table(t, db, query))
			testkit.Equal(t, got, want, "%s: %s", name, query)
		}
		drifts := testkit.Must(db.Drifts(t.Context()))
		testkit.Check(t, len(drifts) == 1 && len(drifts[0].Points) == 2,
			"%s: drifts %+v; want the one sentinel, without finals", name, drifts)
	}
}

func table(t *testing.T, db *DB, sql string) [][]any {
	t.Helper()
	return query(t, db, sql).Rows
}

// hopeless makes a result one that its first product ended: it has no interval.
func hopeless(ms float64) func(*trial.Result) {
	return func(r *trial.Result) {
		r.Median, r.WithinLow, r.WithinHigh, r.Stop, r.Samples = 1e-3*ms, 0, 0, trial.StopSlow, []float64{1e-3 * ms}
	}
}

// Ties are decided beside hopeless trials, and margins count them.
func TestHopelessTrials(t *testing.T) {
	db := started(t)
	record(t, db, good("coo_atomic", 32), good("cpu_csr", 64, hopeless(50)), good("cpu_coo", 0, hopeless(70)))
	decideAll(t, db)
	gives(t, db, "SELECT kernel || ' ' || round(margin) || ' ' || tie_size FROM best", "coo_atomic 49.0 1", "best")

	// Where only hopeless trials are left of a place, the fastest of them is the best.
	only := testkit.Must(Gather(t.Context(), filepath.Join(t.TempDir(), "only.db"), []string{db.path}, Choice{Kernels: []string{"cpu_*"}}))
	defer only.Close()
	gives(t, only, "SELECT kernel || ' ' || median_ms FROM best", "cpu_csr 50.0", "best")

	// The winner's newer source is wrong, so that it is out of force.
	record(t, db, good("coo_atomic", 32, identity("new"), failing(trial.Wrong, "row 3 is off"), later))
	decideAll(t, db)
}

// In whatever order results come, with whatever times and versions, the trials that count
// are those of the rules.
func TestEveryOrderCountsTheSameTrials(t *testing.T) {
	for seed := range uint64(testkit.Draws(60)) {
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
		counts := testkit.Must(texts(t.Context(), db.write, "SELECT identity || ' ' || superseded FROM trial ORDER BY 1"))
		testkit.EqualLists(t, counts, byTheRules(results), "seed %d: written", seed)
	}
}

// byTheRules says of each identity whether it is superseded, by the rules of trial.Precedence.
func byTheRules(results []trial.Result) (list []string) {
	kept := map[string]trial.Precedence{}
	config := map[string]string{}
	for _, r := range results {
		p := r.Precedence()
		config[p.ID] = r.Config.String()
		old, known := kept[p.ID]
		if known && !p.Replaces(old) {
			p, old = old, p
		}
		if known {
			p.LastRequested = p.LastRequest(old)
		}
		kept[p.ID] = p
	}

	last := func(p trial.Precedence) int64 { return max(p.At, p.LastRequested) }
	current := map[string]trial.Precedence{}
	for id, p := range kept {
		best, known := current[config[id]]
		if !p.Partial && (!known || cmp.Or(cmp.Compare(last(p), last(best)), cmp.Compare(p.ID, best.ID)) > 0) {
			current[config[id]] = p
		}
	}
	newest := 0
	for _, p := range current {
		if p.Good() {
			newest = max(newest, p.Version)
		}
	}
	for id, p := range kept {
		counts := current[config[id]] == p && (!p.Good() || p.Version == 0 || p.Version == newest)
		list = append(list, fmt.Sprint(id, " ", map[bool]int{true: 0, false: 1}[counts]))
	}
	slices.Sort(list)
	return list
}

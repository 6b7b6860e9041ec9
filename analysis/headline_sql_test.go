// SPDX-License-Identifier: Apache-2.0

package analysis_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// A run is drawn at random: kernels on matrices in two precisions, of which the last may be measured on a third of them.
type drawnRun struct {
	name     string
	backend  string
	kernels  []string
	blocks   []int
	matrices int
	noise    float64 // of the logarithm of a repeat run
	levels   int     // kernels up to the one with this index differ in speed
	special  bool
}

var drawnRuns = []drawnRun{
	{"as quickstart", "cpu", []string{"cpu_coo", "cpu_csr", "cpu_csr_rows", "cpu_sell"}, []int{4, 8}, 8, 0.15, 2, false},
	{"block sizes", "cuda", []string{"csr_scalar", "csr_vector", "csr_light"}, []int{64, 128, 256, 512}, 6, 0.005, 9, false},
	{"beside cuSPARSE", "cuda", []string{"cusparse_csr_alg1", "cusparse_coo_alg1", "csr_adaptive", "csr_hybrid", "sell_diagonals"},
		[]int{128, 256}, 16, 0.003, 9, true},
	{"a hundred matrices", "cuda", []string{"cusparse_csr_alg1", "csr_adaptive", "csr_hybrid", "sell_diagonals"}, []int{128}, 100, 0.003,
		9, true},
	{"noisy", "cpu", []string{"cpu_coo", "cpu_csr_rows", "cpu_sell"}, []int{4, 8}, 8, 0.4, 9, false},
}

func (r *drawnRun) record(t *testing.T, seed uint64) *store.DB {
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() { db.Close() })
	sources := map[string]string{}
	for _, name := range kernels.Names() {
		sources[name] = "1"
	}
	testkit.Succeed(t, db.Begin(t.Context(), tuner.RunInfo{Sweep: &configs.Sweep{Name: "test", Text: []byte("title = \"t\"\n")},
		Device: kernels.Device{Backend: r.backend, Name: "Testcard 1", Driver: "1"}, Sources: sources, Protocol: "p", Version: "test"}))
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range r.matrices {
		m := trial.Matrix{Name: fmt.Sprintf("m%d", i), Hash: fmt.Sprint("hash", i), Source: "a file", Field: "real",
			Symmetry: "general", Features: sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 5000 + i, RowMean: 5, RowMax: 9}}
		testkit.Succeed(t, db.Matrix(t.Context(), m))
		for k, name := range r.kernels {
			if r.special && k == len(r.kernels)-1 && i%3 > 0 {
				continue
			}
			usual := rng.NormFloat64()*0.3 - 0.3*float64(min(k, r.levels))
			for n := range 2 * len(r.blocks) {
				c := kernels.Config{Kernel: name, Precision: []kernels.Precision{kernels.Float32, kernels.Float64}[n%2], Block: r.blocks[n/2],
					Grid: 8}
				time := 1e-3 * math.Exp(usual+0.1*rng.NormFloat64())
				for again := range 3 { // the first and two repeat runs
					time := time * math.Exp(r.noise*rng.NormFloat64())
					testkit.Succeed(t, db.Record(t.Context(), trial.Result{Trial: trial.Trial{ID: fmt.Sprint(m.Hash, c), Matrix: m.Hash,
						Config: c, Cache: trial.Warm}, Status: trial.OK, Median: time, WithinLow: 0.999 * time, WithinHigh: 1.001 * time,
						Samples: []float64{time}, Batch: 1, Stop: trial.StopTarget, BytesMin: 1000, NoiseRerun: again > 0}))
				}
			}
		}
	}
	testkit.Must(db.DecideTies(t.Context()))
	return db
}

// What SQL has of the places: the fastest trial of each kernel, with how far it may be off, and what was won.
const sqlOfHeadlines = `WITH good AS MATERIALIZED (SELECT * FROM results WHERE status = 'ok' AND in_force = 1),
	fastest AS MATERIALIZED (SELECT matrix, precision, kernel, min(time_ms) AS t, tied, factor FROM good GROUP BY matrix, precision, kernel),
	won AS MATERIALIZED (SELECT *, min(t) OVER (PARTITION BY matrix, precision) AS best FROM fastest),
	off AS (SELECT *, min(time_ms) OVER (PARTITION BY matrix, precision) AS best, ifnull(ln(factor) * ln(factor), 0) / 2 AS other,
		ln(high_ms / time_ms) * ln(high_ms / time_ms) AS up, ln(time_ms / low_ms) * ln(time_ms / low_ms) AS down FROM good) `

// A reading takes what it has checked out of a headline.
type reading struct {
	*testing.T
	db         *store.DB
	name, text string
	seen       map[string]int
}

func (r *reading) sql(format string, args ...any) any {
	return testkit.Must(r.db.Query(r.Context(), sqlOfHeadlines+fmt.Sprintf(format, args...))).Rows[0][0]
}

// near compares a number that was printed with what SQL finds, to half of the last digit.
func (r *reading) near(printed, format string, args ...any) {
	r.Helper()
	whole, part, _ := strings.Cut(printed, ".")
	unit := math.Pow10(-len(part))
	if part == "" && len(whole) > 1 {
		unit = math.Pow10(len(whole) - len(strings.TrimRight(whole, "0")))
	}
	want := testkit.Must(strconv.ParseFloat(fmt.Sprint(r.sql(format, args...)), 64))
	if got := testkit.Must(strconv.ParseFloat(printed, 64)); math.Abs(got-want) > 0.51*unit {
		r.Errorf("%s: the headline says %s, SQL %g", r.name, printed, want)
	}
}

func (r *reading) each(pattern string, check func(m []string)) {
	of := regexp.MustCompile(pattern)
	for _, m := range of.FindAllStringSubmatch(r.text, -1) {
		r.seen[pattern]++
		check(m)
	}
	r.text = of.ReplaceAllString(r.text, "")
}

// difference is SQL for what is printed as a percentage or a factor of it, by the sign.
func (r *reading) difference(m []string, sql string) {
	r.near(m[1], map[string]string{"%": "SELECT 100 * ((%s) - 1)", "×": "SELECT (%s)"}[m[2]], sql)
}

const (
	ratioSQL = `SELECT exp(avg(ln(b.t / a.t))) FROM fastest a JOIN (SELECT matrix, precision, min(t) AS t FROM fastest
		WHERE kernel LIKE '%[2]s' GROUP BY 1, 2) b USING (matrix, precision) WHERE a.kernel = '%[1]s'`
	// laggingSQL is how far the next of the rivals of a leader are behind it.
	laggingSQL = `SELECT exp(avg(ln(b.t / a.t))) AS r FROM fastest a JOIN fastest b USING (matrix, precision) WHERE a.kernel = '%s'
		AND b.kernel <> a.kernel GROUP BY b.kernel HAVING 2 * count(*) > (SELECT count(DISTINCT matrix || ' ' || precision) FROM good)
		ORDER BY r LIMIT 1 OFFSET %d`
	wonSQL   = `SELECT count(*) FROM won w WHERE t = best AND kernel = '%s'`
	clearSQL = wonSQL + ` AND NOT EXISTS (SELECT 1 FROM good g WHERE g.matrix = w.matrix AND g.precision = w.precision AND g.tied
		AND g.kernel <> w.kernel)`
	// lossSQL is the worst place of a matrix where another kernel is faster than a leader, by rank.
	lossesSQL = `SELECT a.matrix, b.kernel, max(a.t / b.t) AS r, count(*) AS n FROM won a JOIN won b USING (matrix, precision)
		WHERE a.kernel = '%[1]s' AND b.t = b.best AND b.kernel NOT IN (a.kernel, '%[2]s') AND NOT a.tied AND a.t >= 1.1 * b.t
		GROUP BY a.matrix`
	lossSQL  = `SELECT %[3]s FROM (` + lossesSQL + `) ORDER BY r DESC LIMIT 1 OFFSET %[4]d`
	startSQL = `SELECT trim(block || ' ' || grid || ' ' || params) FROM good g JOIN fastest f USING (matrix, precision, kernel)
		WHERE kernel = '%s' GROUP BY block, grid, params ORDER BY count(*) DESC, avg(ln(g.time_ms / f.t)), block, grid, params LIMIT 1`
	// blindSQL is the median over the places of the median difference that can be told near the fastest.
	blindSQL = `, near AS (SELECT a.matrix, a.precision, max(0.01,
		exp(sqrt(max(0, a.down - a.other) + max(0, b.up - b.other))) - 1) AS x
		FROM off a JOIN off b USING (matrix, precision) WHERE b.time_ms = b.best AND a.time_ms > b.time_ms AND a.time_ms <= 1.3 * b.best),
		place AS (SELECT avg(x) AS x FROM (SELECT x, matrix, precision, row_number() OVER w AS i, count(*) OVER
		(PARTITION BY matrix, precision) AS n FROM near WINDOW w AS (PARTITION BY matrix, precision ORDER BY x))
		WHERE i BETWEEN n / 2.0 AND n / 2.0 + 1 GROUP BY matrix, precision)
		SELECT 1 + avg(x) FROM (SELECT x, row_number() OVER (ORDER BY x) AS i, count(*) OVER () AS n FROM place)
		WHERE i BETWEEN n / 2.0 AND n / 2.0 + 1`
)

// Every number of a headline is what SQL says of the view results, and none is left over.
func TestHeadlineIsWhatSQLSays(t *testing.T) {
	seen := map[string]int{}
	for i := range drawnRuns {
		for seed := range uint64(2) {
			readHeadline(t, drawnRuns[i].name, drawnRuns[i].record(t, seed), seen)
		}
	}
	for _, file := range filepath.SplitList(os.Getenv("SPMVTUNE_HEADLINE_DBS")) {
		readHeadline(t, file, testkit.Must(store.OpenCurrent(t.Context(), file)), seen)
	}
	for pattern, n := range seen {
		testkit.Check(t, n > 0, "no headline says %s", pattern)
	}
	testkit.Equal(t, len(seen), 10, "kinds of what headlines say")
}

func readHeadline(t *testing.T, name string, db *store.DB, seen map[string]int) {
	lines := analysis.HeadlineLines(analysis.Headline(testkit.Must(analysis.Read(t.Context(), db))))
	r := &reading{t, db, name, strings.Join(lines, "\n"), seen}
	t.Logf("%s:\n%s", name, r.text)
	leader, equal := "", 1 // how many are called equally fast
	r.each(`(?m)^(?:Of the kernels measured on most matrices, )?(\w+)(?:(, \w+)? and (?:(\d) others|\w+) (?:are|can't)| is fastest| is the best)`,
		func(m []string) {
			leader, equal = m[1], 2+strings.Count(m[2], ",")
			if m[3] != "" {
				equal += testkit.Must(strconv.Atoi(m[3])) - 1
			}
		})
	r.each(`([\d.]+) times as fast as (the fastest of cuSPARSE|\w+)`, func(m []string) {
		r.near(m[1], ratioSQL, leader, strings.Replace(m[2], "the fastest of cuSPARSE", "cusparse%", 1))
	})
	r.each(`fastest on (\d+) of (\d+)( matrices)?(?: cases)?(?: \((\d+) matrices, (\d) precisions\))?, clearly(?: on (\d+|none))?[.;]`, func(m []string) {
		r.near(m[1], wonSQL, leader)
		r.near(m[1], `SELECT count(*) FROM best WHERE kernel = '%s'`, leader)
		r.near(m[2], `SELECT count(DISTINCT matrix || ' ' || precision) FROM good`)
		if m[3] != "" {
			m[4], m[5] = m[2], "1"
		}
		if m[4] != "" {
			r.near(m[4], `SELECT count(DISTINCT matrix) FROM good`)
			r.near(m[5], `SELECT count(DISTINCT precision) FROM good`)
		}
		r.near(cmp.Or(strings.Replace(m[6], "none", "0", 1), m[1]), clearSQL, leader)
	})
	r.each(`difference of(?: their means,)? ([\d.]+)(%)`, func(m []string) { r.difference(m, fmt.Sprintf(laggingSQL, leader, equal-2)) })
	special := ""
	r.each(`where (\w+) (?:can be used|was measured) \((\d+) matrices, ([\d.]+)(?: times as fast)?\)(?:, )?`, func(m []string) {
		special = m[1]
		r.near(m[2], `SELECT count(DISTINCT matrix) FROM fastest WHERE kernel = '%s'`, m[1])
		r.near(m[3], ratioSQL, m[1], leader)
	})
	rank := 0
	r.each(`([^ ,(]+)(?: in (\w+))? \((\w+), ([\d.]+)(?: times as fast)?\)`, func(m []string) {
		r.near(m[4], lossSQL, leader, special, "r", rank)
		testkit.Equal(t, fmt.Sprint(m[1], m[3]), fmt.Sprint(r.sql(lossSQL, leader, special, "matrix || kernel", rank)), "loss %d", rank)
		testkit.Equal(t, m[2] == "", r.sql(lossSQL, leader, special, "n = 2", rank) == int64(1), "%s: in all precisions: %s", name, m[0])
		rank++
	})
	r.each(`Except:.* and (\d+) more matrices\.`, func(m []string) {
		r.near(m[1], `SELECT count(*) - %[4]d FROM (`+lossesSQL+`)`, leader, special, "", rank)
	})
	r.each(`Start with (\w+)(?: block (\d+))?(?: grid (\d+))?(.*)`, func(m []string) {
		testkit.Equal(t, strings.Join(strings.Fields(cmp.Or(m[2], "0")+" "+cmp.Or(m[3], "0")+m[4]), " "), fmt.Sprint(r.sql(startSQL, leader)), "%s: %s", name, m[0])
	})
	r.each(`repeats differ by up to ([\d.]+)(%|×)`, func(m []string) { r.difference(m, `SELECT max(factor) FROM won WHERE t = best`) })
	r.each(`within a factor of ([\d.]+) here`, func(m []string) { r.near(m[1], blindSQL) })
	left := regexp.MustCompile(`(?:^|[ (])\d[\d.]*[%×]?(?:[ ,.;:)]|$)`).FindString(r.text)
	testkit.Check(t, left == "", "%s: %q of the headline is not checked: %s", name, left, r.text)
}

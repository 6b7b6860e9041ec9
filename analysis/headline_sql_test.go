package analysis_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// drawn records six matrices in two precisions with random times of four kernels, two block sizes of each.
func drawn(t *testing.T, seed uint64) *store.DB {
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() { db.Close() })
	sources := map[string]string{}
	for _, name := range kernels.Names() {
		sources[name] = "1"
	}
	testkit.Succeed(t, db.Begin(t.Context(), tuner.RunInfo{Sweep: &configs.Sweep{Name: "test", Text: []byte("title = \"t\"\n")},
		Device: kernels.Device{Backend: "cuda", Name: "Testcard 1", Driver: "1"}, Sources: sources, Protocol: "p", Version: "test"}))
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range 6 {
		m := trial.Matrix{Name: fmt.Sprintf("m%d", i), Hash: fmt.Sprint("hash", i), Source: "a file", Field: "real",
			Symmetry: "general", Features: sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 5000 + i, RowMean: 5, RowMax: 9}}
		testkit.Succeed(t, db.Matrix(t.Context(), m))
		for k, name := range []string{"coo_atomic", "csr_scalar", "csr_vector", "csr_light"} {
			for _, c := range []kernels.Config{{Precision: kernels.Float32, Block: 64}, {Precision: kernels.Float32, Block: 128},
				{Precision: kernels.Float64, Block: 64}, {Precision: kernels.Float64, Block: 128}} {
				c.Kernel, c.Grid = name, 8
				time := 1e-3 * math.Exp(rng.NormFloat64()*0.5-0.3*float64(k))
				testkit.Succeed(t, db.Record(t.Context(), trial.Result{Trial: trial.Trial{ID: fmt.Sprint(m.Hash, c), Matrix: m.Hash,
					Config: c, Cache: trial.Warm}, Status: trial.OK, Median: time, WithinLow: 0.999 * time, WithinHigh: 1.001 * time,
					Samples: []float64{time}, Batch: 1, Stop: trial.StopTarget, BytesMin: 1000}))
			}
		}
	}
	return db
}

const fastestOfEach = `WITH fastest AS (SELECT matrix, precision, kernel, min(time_ms) AS t FROM results WHERE status = 'ok'
	GROUP BY matrix, precision, kernel), won AS (SELECT *, min(t) OVER (PARTITION BY matrix, precision) AS best FROM fastest) `

// Every number of a headline is what SQL says of the view results.
func TestHeadlineIsWhatSQLSays(t *testing.T) {
	lead := regexp.MustCompile(`^(\w+) is fastest (here|on average), ([\d.]+) times as fast as (\w+), the next, and ([\d.]+) ` +
		`times as fast as (\w+)\.(?: It is fastest on (\d+) of 12 \(6 matrices, 2 precisions\)(?:, clearly on \d+)?\.)?$`)
	exception := regexp.MustCompile(`^Exception: .*, where (\w+) is ([\d.]+)(?: to ([\d.]+))? times as fast\.$`)
	start := regexp.MustCompile(`^Start with (\w+) block (\d+) grid 8$`)
	led, excepted := 0, 0
	for seed := range uint64(12) {
		db := drawn(t, seed)
		number := func(sql string, args ...any) float64 {
			v := testkit.Must(db.Query(t.Context(), fmt.Sprintf(fastestOfEach+sql, args...))).Rows[0][0]
			return testkit.Must(strconv.ParseFloat(fmt.Sprint(v), 64))
		}
		near := func(printed string, want float64) {
			t.Helper()
			if got := testkit.Must(strconv.ParseFloat(printed, 64)); math.Abs(got/want-1) > 0.006 {
				t.Errorf("seed %d: the headline says %s, SQL %g", seed, printed, want)
			}
		}
		lines := analysis.HeadlineLines(analysis.Headline(testkit.Must(testkit.Must(analysis.Of(t.Context(), db)).Data(t.Context()))))
		m := lead.FindStringSubmatch(lines[0])
		if m == nil {
			continue
		}
		led++
		const ratio = `SELECT exp(avg(ln(b.t / a.t))) FROM fastest a JOIN fastest b USING (matrix, precision)
			WHERE a.kernel = '%s' AND b.kernel = '%s'`
		near(m[3], number(ratio, m[1], m[4]))
		near(m[5], number(ratio, m[1], m[6]))
		for _, other := range []string{"coo_atomic", "csr_scalar", "csr_vector", "csr_light"} {
			testkit.Equal(t, number(ratio, m[1], other) >= 1, true, "seed %d: %s is faster than %s", seed, other, m[1])
		}
		won := number("SELECT count(*) FROM won WHERE t = best AND kernel = '%s'", m[1])
		near(cmp.Or(m[7], fmt.Sprint(won)), won)
		testkit.Equal(t, m[2] == "here", won > 6, "seed %d: the words of one who wins %g of 12", seed, won)
		for _, line := range lines[1:] {
			if e := exception.FindStringSubmatch(line); e != nil {
				excepted++
				for i, of := range []string{"min", "max"} {
					near(cmp.Or(e[2+i], e[2]), number(`SELECT %s(a.t / a.best) FROM won a JOIN won b USING (matrix, precision)
						WHERE a.kernel = '%s' AND b.kernel = '%s' AND b.t = b.best AND a.t / a.best > 1.01`, of, m[1], e[1]))
				}
			}
			if e := start.FindStringSubmatch(line); e != nil {
				near(e[2], number(`SELECT block FROM results r JOIN fastest f USING (matrix, precision, kernel)
					WHERE kernel = '%s' GROUP BY block ORDER BY avg(ln(r.time_ms / f.t)) LIMIT 1`, m[1]))
			}
		}
		testkit.Equal(t, strings.Contains(strings.Join(lines, " "), "Start with "+m[1]+" "), true, "seed %d: no start", seed)
	}
	if led < 8 || excepted < 4 {
		t.Errorf("only %d headlines name a leader, %d an exception", led, excepted)
	}
}

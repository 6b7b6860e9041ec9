// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// A trial is a kernel with its block size on a matrix, and how long it took.
type entry struct {
	matrix, kernel string
	block          int
	ms             float64
	throttled      int
	again          []float64 // ms, of the sentinel that it is, each minute
	finals         []float64 // ms, of its repeats as a leader, each minute from the second on
	precision      kernels.Precision
}

// database records trials of 15 samples, at ± 0.2%, a minute apart.
func database(t *testing.T, device string, trials []entry) *store.DB {
	t.Helper()
	ctx := t.Context()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() { db.Close() })
	testkit.Succeed(t, db.Begin(ctx, tuner.RunInfo{Sweep: &configs.Sweep{Name: "s"}, Device: kernels.Device{Backend: "cpu",
		Name: device},
		Sources: map[string]string{"cpu_csr": "1", "cpu_csr_rows": "1", "cpu_sell": "1"}}))
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, x := range trials {
		testkit.Succeed(t, db.Matrix(ctx, trial.Matrix{Name: x.matrix, Hash: "hash of " + x.matrix,
			Features: sparse.Features{Nonzeros: 10}}))
		r := trial.Result{Trial: trial.Trial{ID: fmt.Sprint(i), Matrix: "hash of " + x.matrix, Cache: trial.Warm,
			Config: kernels.Config{Kernel: x.kernel, Precision: cmp.Or(x.precision, kernels.Float32), Block: x.block}},
			Status: trial.OK, At: start.Add(time.Duration(i) * time.Minute)}
		take := func(ms float64) {
			r.Median, r.WithinLow, r.WithinHigh, r.Samples = 1e-3*ms, 0.999e-3*ms, 1.001e-3*ms, nil
			for k := range 15 {
				r.Samples = append(r.Samples, 1e-3*ms*(1+0.002*(float64(k)-7)/7))
			}
		}
		take(x.ms)
		if x.throttled > 0 {
			r.Telemetry = &trial.Telemetry{Throttled: x.throttled}
		}
		testkit.Succeed(t, db.Record(ctx, r))
		for k, ms := range x.again {
			take(ms)
			r.Sentinel, r.At = true, start.Add(time.Duration(i+k+1)*time.Minute)
			testkit.Succeed(t, db.Record(ctx, r))
		}
		for k, ms := range x.finals {
			take(ms)
			r.Sentinel, r.LeaderRerun, r.At = false, true, start.Add(time.Duration(i+k+2)*time.Minute)
			testkit.Succeed(t, db.Record(ctx, r))
		}
	}
	testkit.Must(db.DecideTies(ctx))
	return db
}

// lines gives "matrix kernel blockA blockB ratio verdict" of each pair.
func lines(r *Result) (list []string) {
	for _, p := range r.Pairs {
		list = append(list, fmt.Sprintf("%s %s %d %d %.3f %s", p.Matrix, p.Kernel, p.A.Block, p.B.Block,
			p.Ratio.Value, p.Verdict))
	}
	return list
}

func TestCompare(t *testing.T) {
	before := []entry{
		{matrix: "a", kernel: "cpu_csr", ms: 1},
		{matrix: "a", kernel: "cpu_csr_rows", block: 64, ms: 1},
		{matrix: "a", kernel: "cpu_csr_rows", block: 128, ms: 1.5},
		{matrix: "b", kernel: "cpu_csr", ms: 4},
		{matrix: "b", kernel: "cpu_sell", block: 8, ms: 4, throttled: 3},
		{matrix: "gone", kernel: "cpu_csr", ms: 1},
	}
	after := []entry{
		{matrix: "a", kernel: "cpu_csr", ms: 1.1},
		{matrix: "a", kernel: "cpu_csr_rows", block: 128, ms: 1.2},
		{matrix: "a", kernel: "cpu_csr_rows", block: 256, ms: 0.8},
		{matrix: "b", kernel: "cpu_csr", ms: 4.02},
		{matrix: "b", kernel: "cpu_sell", block: 8, ms: 2},
	}
	for _, tt := range []struct {
		name  string
		opt   Options
		after []entry
		want  []string
		mean  float64
	}{
		{"each in its best", Options{Threshold: 0.01}, after,
			[]string{"a cpu_csr 0 0 1.100 slower", "a cpu_csr_rows 64 256 0.800 faster",
				"b cpu_csr 0 0 1.005 same", "b cpu_sell 8 8 0.500 unsure"},
			math.Sqrt(math.Sqrt(1.1*0.8) * 1.005)},
		{"in the same configuration", Options{Threshold: 0.01, Same: true}, after,
			[]string{"a cpu_csr 0 0 1.100 slower", "a cpu_csr_rows 128 128 0.800 faster",
				"b cpu_csr 0 0 1.005 same", "b cpu_sell 8 8 0.500 unsure"},
			math.Sqrt(math.Sqrt(1.1*0.8) * 1.005)},
		{"by a threshold that is larger", Options{Threshold: 0.15}, after[:1], []string{"a cpu_csr 0 0 1.100 same"}, 1.1},
		{"with a drift", Options{Threshold: 0.01}, []entry{
			{matrix: "a", kernel: "cpu_sell", block: 8, ms: 1, again: []float64{1.1, 1.1, 1.1, 1.1}},
			{matrix: "a", kernel: "cpu_csr", ms: 1.1},
		}, []string{"a cpu_csr 0 0 1.000 same"}, 1},
		{"slower, and with a drift", Options{Threshold: 0.01}, []entry{
			{matrix: "a", kernel: "cpu_sell", block: 8, ms: 1, again: []float64{1.1, 1.1, 1.1, 1.1}},
			{matrix: "a", kernel: "cpu_csr", ms: 1.32},
		}, []string{"a cpu_csr 0 0 1.200 slower"}, 1.2},
		{"with a drift during repeats", Options{Threshold: 0.01}, []entry{
			{matrix: "a", kernel: "cpu_sell", block: 8, ms: 1, again: []float64{1, 1, 1, 1.2, 1.2, 1.2, 1.2}},
			{matrix: "a", kernel: "cpu_csr", ms: 1, finals: []float64{1, 1.2, 1.2, 1.2}},
		}, []string{"a cpu_csr 0 0 1.000 same"}, 1},
		{"with trials that repeat badly", Options{Threshold: 0.01}, []entry{
			{matrix: "a", kernel: "cpu_sell", block: 8, ms: 1, again: []float64{1.1, 1, 1.1, 1}},
			{matrix: "a", kernel: "cpu_csr", ms: 1.1},
		}, []string{"a cpu_csr 0 0 1.100 same"}, 1.1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := testkit.Must(Compare(t.Context(), database(t, "here", before), database(t, "here", tt.after), tt.opt))
			testkit.Equal(t, fmt.Sprint(lines(r)), fmt.Sprint(tt.want), "got")
			testkit.Check(t, math.Abs(r.Mean.Value-tt.mean) <= 1e-6, "mean %v, want %v", r.Mean.Value, tt.mean)
			if known := !math.IsNaN(r.Mean.Low); known != (r.Matrices > 1) || known && (r.Mean.Low > tt.mean || r.Mean.High < tt.mean) {
				t.Errorf("interval %v to %v over %d matrices", r.Mean.Low, r.Mean.High, r.Matrices)
			}
			testkit.Equal(t, r.OnlyA+len(r.Pairs), 5, "%d pairs and %d in the first only, want 5 in all", len(r.Pairs), r.OnlyA)
		})
	}
}

// Where nothing changed but the device drifted, about as many pairs become slower as chance explains, whether or not
// float64, which has no sentinel, drifts with float32.
func TestDriftIsNoChange(t *testing.T) {
	for _, tt := range []struct {
		name         string
		single, wide float64 // the drift of each precision over the time of a matrix, as a fraction
	}{{"none", 0, 0}, {"of both precisions", 0.08, 0.08}, {"of one", 0.08, 0}} {
		random := rand.New(rand.NewPCG(1, 2))
		run := func(sign float64) *store.DB {
			const minutes, matrices = 14, 20
			ms := func(drift float64, minute int) float64 {
				return math.Exp(0.01*random.NormFloat64()) * (1 + sign*drift*float64(minute)/minutes)
			}
			var list []entry
			for m := range matrices {
				watch := entry{matrix: fmt.Sprint("m", m), kernel: "cpu_sell", block: 8, ms: ms(0, 0)}
				for k := range minutes {
					watch.again = append(watch.again, ms(tt.single, k+1))
				}
				for list = append(list, watch); len(list)%minutes > 0; {
					e := watch
					e.kernel, e.block, e.again = []string{"cpu_csr", "cpu_csr_rows"}[len(list)%2], len(list), nil
					e.ms = ms(tt.single, len(list)%minutes)
					if len(list)%minutes > minutes/2 {
						e.precision, e.ms = kernels.Float64, 2*ms(tt.wide, len(list)%minutes)
					}
					list = append(list, e)
				}
			}
			return database(t, "here", list)
		}
		r := testkit.Must(Compare(t.Context(), run(-1), run(1), Options{Threshold: 0.01}))
		n, byChance := r.Slower()
		testkit.Check(t, n <= byChance,
			"with a drift %s, %d of %d pairs are slower, by chance %d", tt.name, n, len(r.Pairs), byChance)
	}
}

func TestDevicesAreKeptApart(t *testing.T) {
	one := []entry{{matrix: "a", kernel: "cpu_csr", ms: 1}}
	a, b := database(t, "here", one), database(t, "there", one)
	testkit.Is(t, testkit.Err(Compare(t.Context(), a, b, Options{})), ErrDevices, "comparing two devices")
	r := testkit.Must(Compare(t.Context(), a, b, Options{Across: true}))
	testkit.Require(t, len(r.Pairs) == 1, "across devices")
	other := database(t, "here", []entry{{matrix: "b", kernel: "cpu_csr", ms: 1}})
	_, err := Compare(t.Context(), a, other, Options{})
	testkit.Check(t, err != nil && !errors.Is(err, ErrDevices), "without a common matrix: %v", err)
}

// takes is a time with the interval in which another run finds it.
func takes(time, low, high float64) *store.Good {
	return &store.Good{Row: store.Row{Time: time, Another: trial.Interval{Low: low, High: high}}}
}

// slow is a trial that ended with its first products.
func slow(g *store.Good) *store.Good {
	g.Stop = trial.StopSlow
	return g
}

// A pair differs if its intervals do not meet, and by enough.
func TestRatiosHaveIntervals(t *testing.T) {
	for _, tt := range []struct {
		name      string
		a, b      *store.Good
		low, high float64
		want      Verdict
	}{
		{"slower", takes(1, 0.96, 1.04), takes(1.1, 1.05, 1.15), 1.05 / 1.04, 1.15 / 0.96, Slower},
		{"faster", takes(1.1, 1.05, 1.15), takes(1, 0.96, 1.04), 0.96 / 1.15, 1.04 / 1.05, Faster},
		{"intervals meet", takes(1, 0.95, 1.05), takes(1.1, 1.04, 1.15), 1.04 / 1.05, 1.15 / 0.95, Same},
		{"intervals meet below", takes(1.1, 1.04, 1.15), takes(1, 0.95, 1.05), 0.95 / 1.15, 1.05 / 1.04, Same},
		{"less than counts", takes(1, 1, 1), takes(1.005, 1.005, 1.005), 1.005, 1.005, Same},
		{"contains 1, of one that ended early", slow(takes(1, 0.3, 2)), takes(2.5, 1.5, 8), 0.75, 8 / 0.3, Same},
		{"ended early", slow(takes(1, 0, 0)), takes(2.5, 2.4, 2.6), math.NaN(), math.NaN(), Slower},
		{"without an interval", takes(1, 0, 0), takes(1.9, 1.9, 1.9), math.NaN(), math.NaN(), Same},
	} {
		r := Result{Pairs: []Pair{{A: tt.a, B: tt.b}}}
		r.judge(0.01)
		p := r.Pairs[0]
		testkit.Check(t, p.Verdict == tt.want && alike(p.Ratio.Low, tt.low) && alike(p.Ratio.High, tt.high),
			"%s: %s, %v to %v, want %s, %v to %v", tt.name, p.Verdict, p.Ratio.Low, p.Ratio.High, tt.want, tt.low, tt.high)
	}
}

func alike(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }

// Where nothing changed, some pairs of many are slower: it takes more to say that something is.
func TestSomeAreSlowerByChance(t *testing.T) {
	for _, tt := range []struct{ pairs, unsure, byChance int }{{1, 0, 0}, {5, 0, 0}, {6, 0, 1}, {6, 1, 0}, {500, 0, 9}} {
		r := Result{}
		for i := range tt.pairs {
			p := Pair{A: takes(1, 0.9, 1.1), B: takes(2, 1.9, 2.1)}
			if i < tt.unsure {
				p.B.Telemetry = &trial.Telemetry{Throttled: 1}
			}
			r.Pairs = append(r.Pairs, p)
		}
		r.judge(0.01)
		slower, byChance := r.Slower()
		testkit.Check(t, slower == tt.pairs-tt.unsure && byChance == tt.byChance,
			"of %d pairs, %d unsure, %d are slower and %d by chance, want %d", tt.pairs, tt.unsure, slower, byChance, tt.byChance)
	}

	hopeless := Result{Pairs: []Pair{{A: takes(1, 0.9, 1.1), B: takes(9, 0, 0)}}}
	hopeless.Pairs[0].B.Stop = trial.StopSlow
	hopeless.judge(0.01)
	if slower, byChance := hopeless.Slower(); slower != 1 || byChance != 0 {
		t.Errorf("without intervals %d are slower and %d by chance, want 1 and 0", slower, byChance)
	}
}

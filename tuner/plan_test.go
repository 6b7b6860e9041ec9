// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

func testPlan(t *testing.T, sweep *configs.Sweep, hash string) Plan {
	t.Helper()
	p := planner{sweep, (&brokenBackend{}).Device(), map[string]string{"cpu_csr_rows": "v1"}, nil}
	return testkit.Must(p.plan(trial.Matrix{Name: "m", Hash: hash}))
}

func blocks(p Plan) []int {
	var out []int
	for _, t := range p.Trials {
		out = append(out, t.Block)
	}
	return out
}

func TestPlanOrderIsSeeded(t *testing.T) {
	var all []int
	for b := 100; b < 160; b++ {
		all = append(all, b)
	}
	sweep := testSweep(all...)
	first := blocks(testPlan(t, sweep, "a"))
	testkit.Check(t, !slices.Equal(first, all), "trials run in order")
	testkit.EqualLists(t, first, blocks(testPlan(t, sweep, "a")), "the same seed gives another order")
	testkit.Check(t, !slices.Equal(first, blocks(testPlan(t, sweep, "b"))), "another matrix has the same order")
	sweep.Protocol.Seed = 2
	testkit.Check(t, !slices.Equal(first, blocks(testPlan(t, sweep, "a"))), "another seed gives the same order")
	slices.Sort(first)
	testkit.EqualLists(t, first, all, "planned")
}

func TestPlanSkips(t *testing.T) {
	sweep := testSweep(64, 128, 256)
	sweep.Kernels[0].Where = "block >= 128"
	sweep.Kernels = append(sweep.Kernels,
		configs.Space{Kernels: []string{"csr_scalar"}, Precisions: []kernels.Precision{kernels.Float32}, Block: []int{32},
			Grid: configs.Grid{Values: []int{1}}},
		sweep.Kernels[0]) // overlaps
	plan := testPlan(t, sweep, "a")
	testkit.Equal(t, len(plan.Trials), 2, "planned %v", plan.Trials)
	testkit.Check(t, plan.Skipped["needs the cuda backend"] == 1 && plan.Skipped["where = block >= 128"] != 0,
		"skipped %v", plan.Skipped)
	sweep.Search.Trials = 1
	if plan = testPlan(t, sweep, "a"); len(plan.Trials) != 1 || plan.Skipped["beyond the budget of trials"] != 1 {
		t.Errorf("with a budget of 1: %d trials, skipped %v", len(plan.Trials), plan.Skipped)
	}
	sweep.Search.Trials = 2
	plan = testPlan(t, sweep, "a")
	_, beyond := plan.Skipped["beyond the budget of trials"]
	testkit.Check(t, len(plan.Trials) == 2 && !beyond,
		"with a budget that suffices: %d trials, skipped %v", len(plan.Trials), plan.Skipped)
}

// What comes after a configuration that is left out, for whatever reason, is planned.
func TestPlanGoesOnAfterWhatItSkips(t *testing.T) {
	space := func(where, kernel string, blocks ...int) configs.Space {
		return configs.Space{Kernels: []string{kernel, "csr_vector"}, Where: where, Block: blocks,
			Precisions: []kernels.Precision{kernels.Float32}, Grid: configs.Grid{Values: []int{1}}}
	}
	for name, spaces := range map[string][]configs.Space{
		"of another device":    {space("", "cpu_csr_rows", 64, 128)},
		"of another space":     {space("block == 64", "csr_vector", 64), space("", "csr_vector", 64, 128)},
		"that is not wanted":   {space("block != 32", "csr_vector", 32, 64, 128)},
		"that is not possible": {space("", "csr_vector", 33, 64, 128)},
	} {
		sweep := testSweep()
		sweep.Kernels = spaces
		plan := testkit.Must(planner{sweep: sweep, device: kernels.Device{Backend: "cuda"}}.plan(trial.Matrix{Hash: "a"}))
		testkit.EqualLists(t, slices.Sorted(slices.Values(blocks(plan))), []int{64, 128}, "after one %s: planned blocks", name)
	}
}

// An order of rows and columns alike is for square matrices: no trial is planned of others.
func TestPlanSkipsOrdersThatDoNotSuit(t *testing.T) {
	sweep := testSweep()
	sweep.Kernels = []configs.Space{{Kernels: []string{"csr_vector"}, Precisions: []kernels.Precision{kernels.Float32},
		Params: map[string][]string{"reorder": {"none", "rcm"}}, Grid: configs.Grid{Values: []int{1}}}}
	dev := kernels.Device{Backend: "cuda"}
	for cols, want := range map[int]int{3: 2, 5: 1} {
		m := trial.Matrix{Name: "m", Hash: "a"}
		m.Features.Rows, m.Features.Cols = 3, cols
		plan := testkit.Must(planner{sweep: sweep, device: dev}.plan(m))
		left := plan.Skipped["rcm orders rows and columns alike, and 3×5 is not square"]
		testkit.Check(t, len(plan.Trials) == want && left == 2-want,
			"3×%d: planned %v, skipped %v", cols, plan.Trials, plan.Skipped)
	}
}

// All that a result depends on changes the identity, and nothing else does.
func TestIdentity(t *testing.T) {
	base := trial.Trial{Matrix: "m", Cache: trial.Warm, Config: kernels.Config{Kernel: "k", Precision: kernels.Float32,
		Block: 1, Grid: 2, Params: kernels.Params("a=1 b=2")}}
	dev := kernels.Device{Backend: "cpu", Name: "n", Driver: "d"}
	id := trial.Identity(base, dev, "src", "proto", 1)
	seen := map[string]string{id: "base"}
	differ := func(name string, t2 trial.Trial, d kernels.Device, src, proto string, measurement int) {
		t.Helper()
		got := trial.Identity(t2, d, src, proto, measurement)
		if was, ok := seen[got]; ok {
			t.Errorf("changing %s gives the identity of %s", name, was)
		}
		seen[got] = name
	}
	change := func(name string, f func(*trial.Trial)) {
		t2 := base
		f(&t2)
		differ(name, t2, dev, "src", "proto", 1)
	}
	change("matrix", func(t *trial.Trial) { t.Matrix = "m2" })
	change("kernel", func(t *trial.Trial) { t.Kernel = "k2" })
	change("precision", func(t *trial.Trial) { t.Precision = kernels.Float64 })
	change("block", func(t *trial.Trial) { t.Block = 2 })
	change("grid", func(t *trial.Trial) { t.Grid = 1 })
	change("block and grid", func(t *trial.Trial) { t.Block, t.Grid = 12, 0 })
	change("params", func(t *trial.Trial) { t.Params = kernels.Params("a=1") })
	change("cache", func(t *trial.Trial) { t.Cache = trial.Cold })
	differ("source", base, dev, "src2", "proto", 1)
	differ("protocol", base, dev, "src", "proto2", 1)
	differ("device", base, kernels.Device{Backend: "cpu", Name: "n2", Driver: "d"}, "src", "proto", 1)
	differ("driver", base, kernels.Device{Backend: "cpu", Name: "n", Driver: "d2"}, "src", "proto", 1)
	differ("measurement", base, dev, "src", "proto", 2)

	same := base
	same.Params = kernels.Params("a=1 b=2")
	dev.Memory, dev.Properties = 5, map[string]string{"clock": "1"}
	testkit.Equal(t, trial.Identity(same, dev, "src", "proto", 1), id, "the order of parameters, or the device's memory, changes the identity")
}

// A trial that can't be cut short is the same trial whatever the key slow would be.
func TestProtocolTextWithoutSlow(t *testing.T) {
	p := configs.DefaultProtocol
	p.Slow = 0
	const before = "warmup=3 samples=10..200 target=0.01 budget=2s seed=1 launch=graph"
	testkit.Equal(t, worker.ProtocolText(p), before, "the protocol")
	p.Slow = 2.5
	testkit.Equal(t, worker.ProtocolText(p), before+" slow=2.5", "one that ends slow trials")
}

// The strategy "rule" tries what the chooser names, as trials of the grid; without one it
// is an error.
func TestPlanByRule(t *testing.T) {
	sweep := testSweep(64, 128, 256)
	sweep.Protocol.Cache = "both"
	sweep.Kernels[0].Precisions = []kernels.Precision{kernels.Float32, kernels.Float64}
	p := planner{sweep, (&brokenBackend{}).Device(), map[string]string{"cpu_csr_rows": "v1"}, nil}
	m := trial.Matrix{Hash: "h"}
	whole := testkit.Must(p.plan(m))
	sweep.Search.Strategy = search.Rule
	testkit.Fails(t, testkit.Err(p.plan(m)), "", "a sweep by a rule was planned without one")
	p.chooser = func(_ kernels.Device, _ trial.Matrix, cache trial.Cache, among []kernels.Config) ([]kernels.Config,
		error) {
		for _, c := range among {
			if c.Block == 128 == (cache == trial.Cold) {
				return []kernels.Config{c}, nil
			}
		}
		return nil, nil
	}
	few := testkit.Must(p.plan(m))
	testkit.Require(t, len(few.Trials) == 4, "%d trials, want one of each precision and cache state", len(few.Trials))
	ids := map[string]bool{}
	for _, one := range whole.Trials {
		ids[one.ID] = true
	}
	for _, one := range few.Trials {
		testkit.Check(t, ids[one.ID] && (one.Block == 128) == (one.Cache == trial.Cold),
			"%v in %s was not chosen, or is no trial of the grid", one.Config, one.Cache)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// longest is what a shipped sweep may take on an H100 as [Look] guesses it, which is two
// to eight times what it takes: see docs/results.md.
const longest = 15 * time.Minute

// longer is the same for sweeps that are meant to be run in pieces.
var longer = map[string]time.Duration{"corpus": 6 * time.Hour}

// Shipped sweeps take minutes on one of today's GPUs and fit into one of 16 GB, with the
// twins in place of matrices that were not downloaded.
func TestShippedSweepsAreShort(t *testing.T) {
	h100 := kernels.Device{Backend: "cuda", Units: 132, MaxBlock: 1024}
	for _, name := range configs.Shipped() {
		sweep := testkit.Must(configs.Load(name))
		trials, took, loading := 0, time.Duration(0), time.Duration(0)
		for _, m := range sweep.Matrices {
			size := testkit.Must(matrix.SizeOf(m))
			testkit.Check(t, size != (trial.Size{}), "%s: %s has no twin: without a network it is not measured", name, m.Name)
			// 16 bytes an entry in COO, two vectors, in float64.
			bytes := 16*size.Nonzeros + 8*(size.Rows+size.Cols)
			testkit.Check(t, bytes <= 8e9, "%s: %s takes %d bytes of a GPU", name, m.Name, bytes)
			o := testkit.Must(NewEstimate(sweep, size, h100))
			t.Logf("%-18s %-20s %12d %6d trials %s + %s", name, m.Name, size.Nonzeros, o.Trials, o.Time.Round(time.Second),
				o.Load.Round(time.Second))
			trials, took, loading = trials+o.Trials, took+o.Time, loading+o.Load
		}
		t.Logf("%-18s %d matrices, %d trials, %s and %s to load", name, len(sweep.Matrices), trials, took.Round(time.Second),
			loading.Round(time.Second))
		testkit.Check(t, took <= max(longest, longer[name]), "%s takes %s on an H100", name, took)
	}
}

// The outlook on a matrix that is not loaded is the plan of the loaded one: what
// overlaps counts once, and constraints and budgets apply.
func TestEstimateIsThePlan(t *testing.T) {
	overlapping := testSweep(1, 2, 3, 70, 80)
	overlapping.Kernels = append(overlapping.Kernels, overlapping.Kernels[0])
	overlapping.Kernels[0].Where = "block * 10 < nnz"
	overlapping.Kernels[1].Block = []int{2, 3, 4, 80}
	overlapping.Protocol.Cache = "both"
	random := testSweep(1, 2, 3, 4, 5)
	random.Search.Trials = 3
	none := testSweep(1, 2)
	none.Kernels[0].Where = "rows > 1000"
	for name, tt := range map[string]struct {
		sweep *configs.Sweep
		want  int
	}{
		"overlapping": {overlapping, 10}, "random": {random, 3}, "none": {none, 0}, "all": {testSweep(1, 2, 3), 3},
	} {
		size := testkit.Must(matrix.SizeOf(tt.sweep.Matrices[0]))
		o := testkit.Must(NewEstimate(tt.sweep, size, (&brokenBackend{}).Device()))
		_, plans, _, err := Preview(t.Context(), tt.sweep, nil, Options{Launch: testLauncher})
		testkit.Succeed(t, err)
		testkit.Check(t, o.Trials == tt.want && plans[0].Trials == tt.want,
			"%s: %d trials, planned %d, want %d", name, o.Trials, plans[0].Trials, tt.want)
		left := plans[0].Time
		testkit.Check(t, o.Time <= left && (o.Time > 0) == (tt.want > 0),
			"%s: %s, and planned, with loading, %s", name, o.Time, left)
	}
}

// A sweep whose next trial depends on what was measured can't be cut into parts.
func TestEstimateSaysWhatIsWhole(t *testing.T) {
	var all trial.Size
	for strategy, want := range map[string]bool{"grid": false, "random": false, "racing": true, "rule": true} {
		sweep := testSweep(1, 2, 3)
		sweep.Search.Strategy = strategy
		o := testkit.Must(NewEstimate(sweep, all, (&brokenBackend{}).Device()))
		testkit.Check(t, o.Whole == want, "%s: whole is %v; want %v", strategy, o.Whole, want)
	}
}

// What a file or a generator says of itself is what is loaded: sizes always, nonzeros
// about.
func TestSizeOf(t *testing.T) {
	var b strings.Builder
	b.WriteString("%%MatrixMarket matrix coordinate pattern symmetric\n100 100 199\n")
	for i := 1; i <= 100; i++ {
		b.WriteString(strings.ReplaceAll("I I\n", "I", strconv.Itoa(i)))
		if i < 100 {
			b.WriteString(strconv.Itoa(i+1) + " " + strconv.Itoa(i) + "\n")
		}
	}
	path := filepath.Join(t.TempDir(), "band.mtx")
	testkit.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o666))
	for _, tt := range []struct {
		spec configs.Matrix
		off  float64 // by which share nonzeros may be off
	}{
		{configs.Matrix{Path: path, Expand: true}, 0.4}, // half of its entries are on the diagonal
		{configs.Matrix{Path: path}, 0},
		{configs.Matrix{Generate: "grid_5pt", Args: map[string]any{"nx": 30, "ny": 40}}, 0},
		{configs.Matrix{Generate: "rmat", Args: map[string]any{"scale": 12}}, 0.3},
		{configs.Matrix{Generate: "uniform", Args: map[string]any{"rows": 3000, "cols": 200, "row_nnz": 7}}, 0.05},
	} {
		got := testkit.Must(matrix.SizeOf(tt.spec))
		_, m, err := matrix.Load(t.Context(), tt.spec)
		testkit.Succeed(t, err)
		want := m.Size()
		testkit.Check(t, got.Rows == want.Rows && got.Cols == want.Cols, "%s: %+v, want %+v", m.Source, got, want)
		n := float64(want.Nonzeros)
		testkit.Check(t, float64(got.Nonzeros) >= n*(1-tt.off) && float64(got.Nonzeros) <= n*(1+tt.off),
			"%s: %d nonzeros, want %d", m.Source, got.Nonzeros, want.Nonzeros)
	}
	// A file that a run would refuse is refused alike.
	bad := filepath.Join(t.TempDir(), "bad.mtx")
	testkit.Succeed(t, os.WriteFile(bad, []byte("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"), 0o666))
	_, err := matrix.SizeOf(configs.Matrix{Path: bad})
	_, _, same := matrix.Load(t.Context(), configs.Matrix{Path: bad})
	testkit.Check(t, err != nil && same != nil && err.Error() == same.Error(), "%v, want %v", err, same)
}

// order plays a queue: trials whose name starts with "bad" fail, as does the n-th
// sentinel, from 1, where failing is n. Sentinels are marked with a star.
func order(q *queue, failing int) string {
	var jobs []string
	for j := q.next(); j != nil; j = q.next() {
		r := trial.Result{Trial: j.Trial, Status: trial.OK, Sentinel: j.sentinel, Median: took(j.ID)}
		if strings.HasPrefix(j.ID, "bad") {
			r.Status = trial.Fault
		}
		name := j.ID
		if j.sentinel {
			name += "*"
			if failing--; failing == 0 {
				r.Status = trial.Fault
			}
		}
		jobs = append(jobs, name)
		q.told(r)
	}
	return strings.Join(jobs, " ")
}

// took returns how many seconds a trial takes: hours if its name ends so.
func took(id string) float64 {
	if strings.HasSuffix(id, "-hours") {
		return 5000
	}
	return 1
}

func trialsOf(cache trial.Cache, ids string) (list []trial.Trial) {
	for _, id := range strings.Fields(ids) {
		list = append(list, trial.Trial{ID: id, Cache: cache})
	}
	return list
}

func TestQueue(t *testing.T) {
	for _, tt := range []struct {
		name             string
		warm, cold, good string
		every, failing   int
		want             string
	}{
		{"no sentinels", "a b c d", "", "", 0, 0, "a b c d"},
		{"every two", "a b c d e f", "", "", 2, 0, "a b c a* d e a* f"},
		{"not after the last", "a b c", "", "", 2, 0, "a b c"},
		{"the first good one", "bad1 bad2 c d e", "", "", 1, 0, "bad1 bad2 c d c* e"},
		{"failed ones count", "a bad1 bad2 b", "", "", 2, 0, "a bad1 bad2 a* b"},
		{"each cache state has its own", "a b c", "d e f", "", 1, 0, "a b a* c d e d* f"},
		{"that of an earlier run goes on, at once", "c d e f", "", "a b", 2, 0, "a* c d a* e f"},
		{"where it is left off, there is no need", "", "d e", "a", 2, 0, "d e"},
		{"one that is much faster takes over", "a-hours b-hours c d e f", "", "", 2, 0, "a-hours b-hours c d e c* f"},
		{"also in an earlier run", "d e", "", "a-hours b c", 2, 0, "b* d e"},
		{"one that fails is replaced", "a b c d e", "", "", 1, 1, "a b a* c d c* e"},
	} {
		var good []trial.Record
		for _, t := range trialsOf(trial.Warm, tt.good) {
			good = append(good, trial.Record{Result: trial.Result{Trial: t, Median: took(t.ID)}})
		}
		q := queueOf(tt.every, &list{slices.Concat(trialsOf(trial.Warm, tt.warm), trialsOf(trial.Cold, tt.cold))})
		for _, r := range good {
			q.appoint(r.Result, tt.every)
		}
		testkit.Equal(t, order(q, tt.failing), tt.want, "%s", tt.name)
	}
}

// queueOf is a queue of some sources.
func queueOf(every int, sources ...source) *queue {
	return &queue{sources: sources, every: every, sentinels: map[trial.Cache]*sentinel{}}
}

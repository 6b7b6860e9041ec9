package tuner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

func testPlan(t *testing.T, sweep *configs.Sweep, hash string) Plan {
	t.Helper()
	p := planner{sweep, (&brokenBackend{}).Device(), map[string]string{"cpu_csr_rows": "v1"}, nil}
	plan := testkit.Must(p.plan(trial.Matrix{Name: "m", Hash: hash}))
	return plan
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
	if slices.Equal(first, all) {
		t.Error("trials run in order")
	}
	testkit.EqualLists(t, first, blocks(testPlan(t, sweep, "a")), "the same seed gives another order")
	if slices.Equal(first, blocks(testPlan(t, sweep, "b"))) {
		t.Error("another matrix has the same order")
	}
	sweep.Protocol.Seed = 2
	if slices.Equal(first, blocks(testPlan(t, sweep, "a"))) {
		t.Error("another seed gives the same order")
	}
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
	if plan.Skipped["needs the cuda backend"] != 1 || plan.Skipped["where = block >= 128"] == 0 {
		t.Errorf("skipped %v", plan.Skipped)
	}
	sweep.Search.Trials = 1
	if plan = testPlan(t, sweep, "a"); len(plan.Trials) != 1 || plan.Skipped["beyond the budget of trials"] != 1 {
		t.Errorf("with a budget of 1: %d trials, skipped %v", len(plan.Trials), plan.Skipped)
	}
	sweep.Search.Trials = 2
	plan = testPlan(t, sweep, "a")
	if _, beyond := plan.Skipped["beyond the budget of trials"]; len(plan.Trials) != 2 || beyond {
		t.Errorf("with a budget that suffices: %d trials, skipped %v", len(plan.Trials), plan.Skipped)
	}
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
		plan, err := planner{sweep: sweep, device: kernels.Device{Backend: "cuda"}}.plan(trial.Matrix{Hash: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if got := blocks(plan); !slices.Equal(slices.Sorted(slices.Values(got)), []int{64, 128}) {
			t.Errorf("after one %s: planned blocks %v", name, got)
		}
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
		if len(plan.Trials) != want || left != 2-want {
			t.Errorf("3×%d: planned %v, skipped %v", cols, plan.Trials, plan.Skipped)
		}
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
	if trial.Identity(same, dev, "src", "proto", 1) != id {
		t.Error("the order of parameters, or the device's memory, changes the identity")
	}
}

// A trial that can't be cut short is the same trial whatever the key slow would be.
func TestProtocolTextWithoutSlow(t *testing.T) {
	p := configs.DefaultProtocol
	p.Slow = 0
	const before = "warmup=3 samples=10..200 target=0.01 budget=2s seed=1 launch=graph"
	if got := worker.ProtocolText(p); got != before {
		t.Errorf("%q, want %q", got, before)
	}
	p.Slow = 2.5
	if got := worker.ProtocolText(p); got != before+" slow=2.5" {
		t.Errorf("%q", got)
	}
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
	if _, err := p.plan(m); err == nil {
		t.Error("a sweep by a rule was planned without one")
	}
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
	if len(few.Trials) != 4 {
		t.Fatalf("%d trials, want one of each precision and cache state", len(few.Trials))
	}
	ids := map[string]bool{}
	for _, one := range whole.Trials {
		ids[one.ID] = true
	}
	for _, one := range few.Trials {
		if !ids[one.ID] || (one.Block == 128) != (one.Cache == trial.Cold) {
			t.Errorf("%v in %s was not chosen, or is no trial of the grid", one.Config, one.Cache)
		}
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
			if size == (trial.Size{}) {
				t.Errorf("%s: %s has no twin: without a network it is not measured", name, m.Name)
			}
			// 16 bytes an entry in COO, two vectors, in float64.
			if bytes := 16*size.Nonzeros + 8*(size.Rows+size.Cols); bytes > 8e9 {
				t.Errorf("%s: %s takes %d bytes of a GPU", name, m.Name, bytes)
			}
			o := testkit.Must(NewEstimate(sweep, size, h100))
			t.Logf("%-18s %-20s %12d %6d trials %s + %s", name, m.Name, size.Nonzeros, o.Trials, o.Time.Round(time.Second),
				o.Load.Round(time.Second))
			trials, took, loading = trials+o.Trials, took+o.Time, loading+o.Load
		}
		t.Logf("%-18s %d matrices, %d trials, %s and %s to load", name, len(sweep.Matrices), trials, took.Round(time.Second),
			loading.Round(time.Second))
		if took > max(longest, longer[name]) {
			t.Errorf("%s takes %s on an H100", name, took)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		if o.Trials != tt.want || plans[0].Trials != tt.want {
			t.Errorf("%s: %d trials, planned %d, want %d", name, o.Trials, plans[0].Trials, tt.want)
		}
		if left := plans[0].Time; o.Time > left || (o.Time > 0) != (tt.want > 0) {
			t.Errorf("%s: %s, and planned, with loading, %s", name, o.Time, left)
		}
	}
}

// A sweep whose next trial depends on what was measured can't be cut into parts.
func TestEstimateSaysWhatIsWhole(t *testing.T) {
	var all trial.Size
	for strategy, want := range map[string]bool{"grid": false, "random": false, "racing": true, "rule": true} {
		sweep := testSweep(1, 2, 3)
		sweep.Search.Strategy = strategy
		o, err := NewEstimate(sweep, all, (&brokenBackend{}).Device())
		if err != nil || o.Whole != want {
			t.Errorf("%s: whole is %v, %v; want %v", strategy, o.Whole, err, want)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		want := m.Size()
		if got.Rows != want.Rows || got.Cols != want.Cols {
			t.Errorf("%s: %+v, want %+v", m.Source, got, want)
		}
		if n := float64(want.Nonzeros); float64(got.Nonzeros) < n*(1-tt.off) || float64(got.Nonzeros) > n*(1+tt.off) {
			t.Errorf("%s: %d nonzeros, want %d", m.Source, got.Nonzeros, want.Nonzeros)
		}
	}
	// A file that a run would refuse is refused alike.
	bad := filepath.Join(t.TempDir(), "bad.mtx")
	testkit.Succeed(t, os.WriteFile(bad, []byte("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"), 0o666))
	_, err := matrix.SizeOf(configs.Matrix{Path: bad})
	if _, _, same := matrix.Load(t.Context(), configs.Matrix{Path: bad}); err == nil || same == nil ||
		err.Error() != same.Error() {
		t.Errorf("%v, want %v", err, same)
	}
}

package tuner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// The outlook on a matrix that is not loaded is the plan of the loaded one: what
// overlaps counts once, and constraints and budgets apply.
func TestOutlookIsThePlan(t *testing.T) {
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
		size, err := matrix.SizeOf(tt.sweep.Matrices[0])
		if err != nil {
			t.Fatal(err)
		}
		o, err := NewOutlook(tt.sweep, size, (&brokenBackend{}).Device())
		if err != nil {
			t.Fatal(err)
		}
		_, plans, _, err := Preview(t.Context(), tt.sweep, nil, Options{Launch: testLauncher})
		if err != nil {
			t.Fatal(err)
		}
		if o.Trials != tt.want || len(plans[0].Trials) != tt.want {
			t.Errorf("%s: %d trials, planned %d, want %d", name, o.Trials, len(plans[0].Trials), tt.want)
		}
		if left := plans[0].Time; o.Time > left || (o.Time > 0) != (tt.want > 0) {
			t.Errorf("%s: %s, and planned, with loading, %s", name, o.Time, left)
		}
	}
}

// A sweep whose next trial depends on what was measured can't be cut into parts.
func TestOutlookSaysWhatIsWhole(t *testing.T) {
	var all trial.Size
	for strategy, want := range map[string]bool{"grid": false, "random": false, "racing": true, "rule": true} {
		sweep := testSweep(1, 2, 3)
		sweep.Search.Strategy = strategy
		o, err := NewOutlook(sweep, all, (&brokenBackend{}).Device())
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
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
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
		got, err := matrix.SizeOf(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
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
	if err := os.WriteFile(bad, []byte("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := matrix.SizeOf(configs.Matrix{Path: bad})
	if _, _, same := matrix.Load(t.Context(), configs.Matrix{Path: bad}); err == nil || same == nil ||
		err.Error() != same.Error() {
		t.Errorf("%v, want %v", err, same)
	}
}

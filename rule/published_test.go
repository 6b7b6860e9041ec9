package rule

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// Eight kernels on 52 well-known matrices on an H100, published elsewhere, with
// neither blocks nor grids. One vendor kernel does well nearly everywhere, so that
// a tree finds nothing; the rule has to be that kernel rather than to flatter itself.
func TestPublishedMeasurements(t *testing.T) {
	r := learn(t, published(t), DefaultOptions)
	s := r.Selectors[0]
	v := s.Validation
	t.Logf("rule %.3f, tree %.3f, best single kernel %.3f", v.Mean, v.Unpruned, v.SingleKernel)
	if v.Matrices != 46 || v.Partial != 6 || s.Configs != 8 { // not every kernel was run on six
		t.Errorf("judged on %d matrices, not on %d, %d kernels, want 46, 6 and 8", v.Matrices, v.Partial, s.Configs)
	}

	if s.SingleKernel != "CUSPARSE_CSR" || s.Single.Kernel != "CUSPARSE_CSR" {
		t.Errorf("best single kernel is %s, best single configuration %v, want CUSPARSE_CSR", s.SingleKernel, s.Single)
	}
	if v.SingleConfig != v.SingleKernel {
		t.Errorf("a kernel is a configuration here, but their figures differ: %v and %v", v.SingleConfig,
			v.SingleKernel)
	}

	if !s.Root.Leaf() || s.Root.Choice.Kernel != "CUSPARSE_CSR" || s.Pruned == "" {
		t.Errorf("a tree that reaches %.3f, where always CUSPARSE_CSR reaches %.3f, was kept: %d leaves, pruned %q",
			v.Unpruned, v.SingleConfig, s.Root.Leaves(), s.Pruned)
	}
}

// published reads the data from beside the repository.
func published(t *testing.T) []Observation {
	t.Helper()
	facts := make(map[string]*sparse.Features)
	head, rows := readTable(t, "matrix-features-52.tsv", '\t')
	for _, row := range rows {
		get := func(name string) float64 { return parse(t, row[head[name]]) }
		facts[row[0]] = &sparse.Features{
			Rows: int(get("nr_rows")), Cols: int(get("nr_cols")), Nonzeros: int(get("nr_nzeros")),
			RowMean: get("nnz-r-avg"), RowStd: get("nnz-r-std"), RowMin: int(get("nnz-r-min")),
			RowMax:    int(get("nnz-r-max")),
			Bandwidth: int(get("bw-max")), BandwidthMean: get("bw-avg"),
		}
	}

	type pair struct{ device, matrix, kernel string }
	times := make(map[pair][]float64) // five runs of each
	head, rows = readTable(t, "h100-spmv-52.csv", ',')
	for _, row := range rows {
		get := func(name string) string { return row[head[name]] }
		matrix, gflops := get("matrix"), parse(t, get("gflops"))
		if _, ok := facts[matrix]; !ok {
			t.Fatalf("no features of %s", matrix)
		}

		k := pair{get("device"), matrix, get("kernel")}
		times[k] = append(times[k], 2*float64(facts[matrix].Nonzeros)/gflops/1e9)
	}

	var obs []Observation
	for k, runs := range times {
		slices.Sort(runs)
		obs = append(obs, Observation{
			Device: k.device, Matrix: k.matrix, Features: facts[k.matrix],
			Config:  kernels.Config{Kernel: k.kernel, Precision: kernels.Float64},
			Seconds: runs[len(runs)/2], Low: runs[0], High: runs[len(runs)-1],
		})
	}

	return obs
}

// readTable reads a file from the folder beside the repository, and returns the
// number of each column.
func readTable(t *testing.T, name string, comma rune) (head map[string]int, rows [][]string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	for !exists(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}

	path := filepath.Join(dir, "..", "shared", "published", name)
	if !exists(path) {
		t.Skipf("%s is not beside the repository", name)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	c := csv.NewReader(f)
	c.Comma = comma
	rows, err = c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	head = make(map[string]int)
	for i, name := range rows[0] {
		head[name] = i
	}
	return head, rows[1:]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func parse(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// As many matrices, classes and configurations as the shipped corpus has, in one
// precision, with everything that learn does.
func BenchmarkLearnAndEvaluate(b *testing.B) {
	rng := rand.New(rand.NewPCG(41, 42))
	obs := corpus(rng, 430)
	obs = slices.DeleteFunc(obs, func(o Observation) bool { return o.Config.Block > 64 && o.Config.Grid > 2 })
	for i := range obs {
		obs[i].Class = fmt.Sprint("class", obs[i].Features.Cols%23)
	}

	opt := DefaultOptions
	opt.Ensemble = true
	for b.Loop() {
		r, err := Learn(b.Context(), obs, opt)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Evaluate(b.Context(), r, obs, opt); err != nil {
			b.Fatal(err)
		}
	}
}

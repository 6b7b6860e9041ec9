package claims

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// matrices of the databases: s1 to s4 have short rows, l1 to l4 long ones, and the others
// are what claims name.
var matrices = func() map[string]trial.Matrix {
	all := map[string]trial.Matrix{}
	// Reading features takes 1 ns for each nonzero.
	add := func(name string, rowMean float64, longest int, neighbours float64) {
		n := 1_000_000 * (1 + len(all))
		all[name] = trial.Matrix{Name: name, Hash: "hash of " + name, Class: name, Source: name,
			FeaturesSeconds: 1e-9 * float64(n), Field: "real", Symmetry: "general",
			Features: sparse.Features{Rows: int(float64(n) / rowMean), Cols: 1000, Nonzeros: n, RowMean: rowMean,
				RowMax: longest, NeighbourRate: neighbours}}
	}
	for i := range 4 {
		add(fmt.Sprintf("s%d", i+1), 5, 10, 0.2)
		add(fmt.Sprintf("l%d", i+1), 200, 1000, 1.5)
	}
	add("model7", 15, 253, 0.5)
	add("ecology1", 5, 5, 0.4)
	add("crankseg_1", 201, 297, 1.6)
	add("mawi_201512012345", 2, 16_000_000, 0.9)
	add("rail4284", 2634, 56_000, 1.5)
	twin := all["rail4284"]
	twin.Name, twin.Hash, twin.Source = "another", "hash of another", "twin of Mittelmann/rail4284: "+
		"twin(of=rail4284, scale=0.5, seed=1)"
	twin.TwinOf, twin.TwinScale = "rail4284", 0.5
	all[twin.Name] = twin
	return all
}()

const (
	cpu = "Testcore 9000"
	gpu = "Testcard 1"
)

// database records trials, a line each: matrices, separated by commas (s* and l* stand for
// all of them), kernel, time in milliseconds, and as needed the block size, the grid size,
// parameters and "float64". The interval of a time is from time/spread to time*spread.
func database(t *testing.T, lines string, spread float64) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sources := map[string]string{}
	for _, name := range kernels.Names() {
		sources[name] = "1"
	}
	begin := func(backend, device string) {
		must(db.Begin(t.Context(), tuner.RunInfo{
			Sweep:  &configs.Sweep{Name: "test", Text: []byte("title = \"test\"\n")},
			Device: kernels.Device{Backend: backend, Name: device, Driver: "1"}, Sources: sources, Protocol: "p",
			Version: "test",
		}))
	}
	for _, device := range []string{cpu, gpu} {
		begun := false
		for line := range strings.Lines(lines) {
			f := strings.Fields(line)
			if len(f) == 0 || strings.HasPrefix(f[1], "cpu_") != (device == cpu) {
				continue
			}
			if !begun {
				begin(map[string]string{cpu: "cpu", gpu: "cuda"}[device], device)
				begun = true
			}
			for name := range strings.SplitSeq(strings.NewReplacer("s*", "s1,s2,s3,s4", "l*",
				"l1,l2,l3,l4").Replace(f[0]), ",") {
				m, ok := matrices[name]
				if !ok {
					t.Fatalf("no matrix %q", name)
				}
				must(db.Matrix(t.Context(), m))
				must(db.Record(t.Context(), oneTrial(t, m, f[1:], spread)))
			}
		}
	}
	return db
}

// trial reads a line from the kernel on.
func oneTrial(t *testing.T, m trial.Matrix, f []string, spread float64) trial.Result {
	t.Helper()
	c := kernels.Config{Kernel: f[0], Precision: kernels.Float32}
	ms, err := strconv.ParseFloat(f[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range f[2:] {
		name, value, _ := strings.Cut(word, "=")
		switch n, _ := strconv.Atoi(value); name {
		case "float64":
			c.Precision = kernels.Float64
		case "block":
			c.Block = n
		case "grid":
			c.Grid = n
		default:
			c.Params = c.Params.With(name, value)
		}
	}
	id := fmt.Sprint(m.Hash, c, c.Params)
	return trial.Result{Trial: trial.Trial{ID: id, Matrix: m.Hash, Config: c, Cache: trial.Cold}, Status: trial.OK,
		Median: ms / 1e3, Low: ms / 1e3 / spread, High: ms / 1e3 * spread, Samples: []float64{ms / 1e3}, Batch: 1,
		Stop:     trial.StopTarget,
		BytesMin: 1000, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// judgements gives the verdicts on the claims.
func judgements(t *testing.T, db *store.DB) []Judgement {
	t.Helper()
	matrices, err := db.Features(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := Judge(t.Context(), db, matrices)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

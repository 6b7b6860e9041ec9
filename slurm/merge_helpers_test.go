package slurm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// newRun is the folder of a run with a plan of some chunks, "0001" and so on,
// each of which is all of a matrix "m1" and so on.
func newRun(tb testing.TB, chunks int) *Run {
	tb.Helper()
	run := &Run{Dir: tb.TempDir(), Info: Info{Sweep: "quick", ID: "20260102-abcd", Base: "/", Version: "test", Created: time.Now().UTC()}}
	must(tb, os.Mkdir(run.Path(journalsDir), 0o777))
	var plan Plan
	for i := range chunks {
		plan.Chunks = append(plan.Chunks, Chunk{ID: chunkID(i), Pieces: []Piece{{matrixName(i), trial.Whole}}, Trials: perJournal})
	}
	writePlan(tb, run, plan)
	data, err := json.Marshal(run.Info)
	must(tb, err)
	must(tb, os.WriteFile(run.Path(infoFile), data, 0o666))
	return run
}

func writePlan(tb testing.TB, run *Run, plan Plan) {
	tb.Helper()
	data, err := json.Marshal(plan)
	must(tb, err)
	must(tb, os.WriteFile(run.Path(planFile), data, 0o666))
}

func chunkID(i int) string    { return fmt.Sprintf("%04d", i+1) }
func matrixName(i int) string { return fmt.Sprintf("m%d", i+1) }

func testRun() tuner.RunInfo {
	sources := map[string]string{}
	for _, name := range benchKernels {
		sources[name] = "1"
	}
	return tuner.RunInfo{
		Sweep:   &configs.Sweep{Name: "quick", Text: []byte("name = \"quick\"\n")},
		Device:  kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "go1.26", Units: 2},
		Roof:    kernels.Roof{Read: 10, Copy: 20, Triad: 16},
		Sources: sources, Protocol: "warmup=3", Version: "test",
	}
}

func testMatrix(name string) trial.Matrix {
	return trial.Matrix{Name: name, Source: "grid", Class: "grid", Hash: "hash-of-" + name, Field: "real", Symmetry: "general",
		Features: sparse.Features{Rows: 1000, Cols: 900, Nonzeros: 5000, RowMean: 5}}
}

var benchKernels = []string{"cpu_coo", "cpu_csr", "cpu_csr_rows", "cpu_sell", "coo_atomic"}

// testTrial is the n-th trial on a matrix.
func testTrial(matrix string, n int) trial.Result {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	r := trial.Result{
		Trial: trial.Trial{Matrix: "hash-of-" + matrix, Cache: trial.Cold,
			Config: kernels.Config{Kernel: benchKernels[n%5], Precision: kernels.Float32, Block: 32 * (1 + n/5%32), Grid: 1 << (n / 160)}},
		Status: trial.OK, Batch: 1, Stop: trial.StopTarget, Prepare: rng.Float64(), MaxError: rng.Float64(), WorstRow: rng.IntN(1000),
		BytesMin: 10_000, BytesOwn: 12_000,
		Properties: map[string]float64{"registers": 32, "occupancy": 0.75, "shared_bytes": 4096, "local_bytes": 0},
		At:         time.Date(2026, 1, 2, 3, 4, 5, n*1000, time.UTC),
	}
	r.Median = 1e-3 * (1 + rng.Float64())
	r.Low, r.High = 0.99*r.Median, 1.01*r.Median
	for range 20 {
		r.Samples = append(r.Samples, r.Median*(1+0.01*rng.NormFloat64()))
	}
	sum := sha256.Sum256(fmt.Append(nil, matrix, r.Config))
	r.ID = hex.EncodeToString(sum[:16])
	return r
}

// perJournal is how many trials a generated journal has.
const perJournal = 500

// generate writes the journal of a chunk without waiting for the disk after
// every line.
func generate(tb testing.TB, run *Run, chunk int) {
	tb.Helper()
	name := matrixName(chunk)
	w := writer(tb, run, chunkID(chunk), "1_"+fmt.Sprint(chunk))
	must(tb, w.Matrix(tb.Context(), testMatrix(name)))
	must(tb, w.Begin(tb.Context(), testRun()))
	must(tb, w.Close())
	var lines bytes.Buffer
	for n := range perJournal {
		data, err := json.Marshal(struct {
			Run int `json:"run"`
			trial.Result
		}{1, testTrial(name, n)})
		must(tb, err)
		body := fmt.Appendf(nil, `"trial":%s}`, data)
		fmt.Fprintf(&lines, "{\"crc\":\"%08x\",%s\n", crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)), body)
	}
	appendTo(tb, w.Path(), lines.String())
}

// writer starts a journal of the run.
func writer(tb testing.TB, run *Run, chunk, job string) *journal.Writer {
	tb.Helper()
	w, err := journal.Create(tb.Context(), run.Path(journalsDir), chunk, job, 0, journal.Options{})
	must(tb, err)
	tb.Cleanup(func() { w.Close() })
	return w
}

func appendTo(tb testing.TB, path, text string) {
	tb.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(tb, err)
	_, err = f.WriteString(text)
	must(tb, err)
	must(tb, f.Close())
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// A table has every trial, failed ones too. What a spreadsheet would take for a formula gets an apostrophe.
func TestCSV(t *testing.T) {
	text, n := written(t, "csv", store.Filter{})
	rows := testkit.Must(csv.NewReader(strings.NewReader(text)).ReadAll())
	testkit.Require(t, len(rows) == 8, "%d rows, %+v", len(rows), n)
	at := func(column string) int { return slices.Index(rows[0], column) }
	r := rows[1]
	testkit.Check(t, r[at("matrix")] == "a/b" && r[at("time_ms")] == "0.003" && r[at("params")] == "vec=2",
		"first row %q", r)
	if r := rows[6]; r[at("status")] != "invalid" || r[at("median_ms")] != "" {
		t.Errorf("failed trial %q", r)
	}
	testkit.Equal(t, rows[7][at("matrix")], "'=sum", "matrix")
}

func TestJSON(t *testing.T) {
	text, _ := written(t, "json", store.Filter{Kernel: "csr_block"})
	var rows []map[string]any
	err := json.Unmarshal([]byte(text), &rows)
	testkit.Require(t, err == nil && len(rows) == 3, "%d rows: %v", len(rows), err)
	samples, _ := json.Marshal(rows[0]["samples_ms"])
	testkit.Check(t, string(samples) == "[0.004,0.00396,0.00404]" && rows[2]["matrix"] == "=sum",
		"samples %s of %v", samples, rows[2]["matrix"])
	testkit.Check(t, rows[1]["median_ms"] == nil && rows[1]["message"] == "too many\nthreads", "failed trial %v", rows[1])
}

// Every column of the view has a type.
func TestParquetColumns(t *testing.T) {
	text, _ := written(t, "parquet", store.Filter{})
	f := testkit.Must(parquet.OpenFile(bytes.NewReader([]byte(text)), int64(len(text))))
	types := map[string]string{}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
		types[field.Name()] = field.Type().String()
	}
	table := testkit.Must(measured(t).Query(t.Context(), "results"))
	testkit.EqualLists(t, names, append(table.Columns, "params.vec", samplesColumn), "columns")
	for name, want := range map[string]string{"matrix": "STRING", "nnz": "INT(64,true)", "median_ms": "DOUBLE",
		"measured_at": "TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS)", "tied": "BOOLEAN", "samples_ms": "LIST"} {
		testkit.Equal(t, types[name], want, "%s", name)
	}
}

func TestParquetRows(t *testing.T) {
	text, n := written(t, "parquet", store.Filter{})
	rows := testkit.Must(parquet.Read[resultRow](bytes.NewReader([]byte(text)), int64(len(text))))
	testkit.Require(t, len(rows) == 7, "%d rows, %+v", len(rows), n)
	r := rows[1]
	testkit.Check(t, r.Matrix == "a/b" && r.Block == 64 && *r.MedianMS == 1e-3 && r.InForce &&
		slices.Equal(r.SamplesMS, []float64{1e-3, 0.99e-3, 1.01e-3}) &&
		r.MeasuredAt.Equal(time.Date(2026, 1, 2, 3, 4, 1, 5e6, time.UTC)), "row %+v", r)
	if r := rows[5]; r.MedianMS != nil || *r.Message != "too many\nthreads" || len(r.SamplesMS) != 0 {
		t.Errorf("failed trial %+v", r)
	}
}

// Parameters are columns, and features if they are asked for. Lines of JSON have the same.
func TestBeside(t *testing.T) {
	text, _ := writtenOf(t, "parquet", Selection{Features: true})
	type row struct {
		Matrix string  `parquet:"matrix"`
		Vec    *string `parquet:"params.vec"`
		Class  string  `parquet:"features.class"`
		Rows   float64 `parquet:"features.rows"`
	}
	rows := testkit.Must(parquet.Read[row](bytes.NewReader([]byte(text)), int64(len(text))))
	vec := ""
	for _, r := range rows {
		if r.Vec == nil {
			vec += "- "
			continue
		}
		vec += *r.Vec + " "
	}
	testkit.Check(t, vec == "2 2 4 4 - - - " && rows[0].Class == "grid" && rows[0].Rows == 1000, "%q, %+v", vec, rows)

	lines, _ := writtenOf(t, "jsonl", Selection{Features: true})
	n := 0
	for line := range strings.Lines(lines) {
		var r map[string]any
		testkit.Succeed(t, json.Unmarshal([]byte(line), &r))
		testkit.Check(t, r["features.rows"] == 1000.0 && r["samples_ms"] != nil, "line %s", line)
		n++
	}
	testkit.Equal(t, n, len(rows), "lines")
}

// Another reader, that of Apache Arrow, gives the same rows.
func TestParquetOtherReader(t *testing.T) {
	testkit.Long(t, "compiles Apache Arrow's reader")
	text, _ := written(t, "parquet", store.Filter{})
	path := filepath.Join(t.TempDir(), "results.parquet")
	testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
	out := runModule(t, "github.com/apache/arrow-go/v18/parquet/cmd/parquet_reader@v18.4.1", "--json", "--no-metadata",
		"--columns", "2,9,14,24,28", path)
	var rows []map[string]any
	err := json.Unmarshal(out, &rows)
	testkit.Require(t, err == nil && len(rows) == 7, "%d rows of %s: %v", len(rows), out, err)
	r := rows[1]
	testkit.Check(t, r["matrix"] == "a/b" && r["block"] == 64.0 && r["median_ms"] == 1e-3 && r["in_force"] == true &&
		r["measured_at"] == 1767323041005.0, "row %v", r)
}

// runModule runs a program of a module that can be had, with what it prints.
func runModule(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	module, _, _ := strings.Cut(program, "@")
	bin := filepath.Join(t.TempDir(), filepath.Base(module))
	install := exec.Command("go", "install", program)
	install.Env = append(os.Environ(), "GOBIN="+filepath.Dir(bin), "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("%s can't be had: %v\n%s", program, err, out)
	}
	out, err := exec.Command(bin, args...).CombinedOutput()
	testkit.Require(t, err == nil, "%s: %v\n%s", program, err, out)
	return out
}

// A line has a sample in ns and what follows from it. The names of a place stand on lines of their own, and what
// would end a benchmark's name is escaped.
func TestBenchstat(t *testing.T) {
	text, n := written(t, "benchstat", store.Filter{})
	testkit.Equal(t, n, 1, "trials left out")
	testkit.Says(t, "the text", text, "\n\ndevice: Test GPU\nmatrix: a/b\nprecision: float32\ncache: cold\n\n", "\nmatrix: =sum\n",
		"\nBenchmarkSpMV/kernel=csr_vector/vec=2/block=64/grid=0 4 1000 ns/op 1e+10 flop/s 6e+10 B/s\n"+
			"BenchmarkSpMV/kernel=csr_vector/vec=2/block=64/grid=0 4 990 ns/op ")
	testkit.Equal(t, word("a b/c%\n"), "a%20b%2Fc%25%0A", "word")
	testkit.Equal(t, line("a\nBenchmark\u202e"), `a Benchmark\u202e`, "line")
}

// benchstat finds the medians, by the keys of the names.
func TestBenchstatReads(t *testing.T) {
	testkit.Long(t, "compiles benchstat")
	text, _ := written(t, "benchstat", store.Filter{Matrix: "a/b"})
	path := filepath.Join(t.TempDir(), "a.txt")
	testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
	out := string(runModule(t, "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da",
		"-format", "csv", "-col", "/vec", "-row", "/kernel,/block", "-filter", ".unit:sec/op", path))
	for _, want := range []string{`(?m)^matrix: a/b$`, `(?m)^,,,2,,,,4,`,
		`(?m)^csr_vector 64,,,1(\.0{9}\d*)?e-06,∞,,,2(\.0{9}\d*)?e-06,`} {
		testkit.Check(t, regexp.MustCompile(want).MatchString(out), "no %q in\n%s", want, out)
	}
}

func TestGoogle(t *testing.T) {
	text, n := written(t, "google-benchmark", store.Filter{})
	var file struct {
		Context    map[string]string
		Benchmarks []googleRun
	}
	err := json.Unmarshal([]byte(text), &file)
	testkit.Require(t, err == nil && n == 1, "%+v: %v\n%s", n, err, text)
	i := slices.IndexFunc(file.Benchmarks, func(r googleRun) bool {
		return r.Name == "SpMV/matrix:a%2Fb/precision:float32/cache:cold/kernel:csr_vector/vec:2/block:64/grid:0"
	})
	testkit.Require(t, i >= 0 && file.Context["device"] == "Test GPU", "no such benchmark in\n%s", text)
	if r := file.Benchmarks[i+1]; r.RunName != r.Name || r.RepetitionIndex != 1 || r.Repetitions != 3 ||
		r.RealTime != 990 || r.Iterations != 4 || r.TimeUnit != "ns" || r.RunType != "iteration" {
		t.Errorf("second sample %+v", r)
	}
}

// The tool that comes with Google Benchmark compares two files.
func TestGoogleCompares(t *testing.T) {
	testkit.Long(t, "starts Python with scipy")
	const tool = "/usr/share/benchmark/compare.py" // of Debian's libbenchmark-tools
	if out, err := exec.Command("/usr/bin/python3", tool, "--help").CombinedOutput(); err != nil {
		t.Skipf("no compare.py of Google Benchmark here: %v %s", err, out)
	}
	text, _ := written(t, "google-benchmark", store.Filter{})
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.json"), filepath.Join(dir, "after.json")
	slower := strings.ReplaceAll(text, `_time":1000,`, `_time":1500,`)
	for path, content := range map[string]string{before: text, after: slower} {
		testkit.Succeed(t, os.WriteFile(path, []byte(content), 0o666))
	}
	out, err := exec.Command("/usr/bin/python3", tool, "--no-color", "benchmarks", before, after).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "+0.5000") || !strings.Contains(string(out), "1000          1500") {
		t.Errorf("%v\n%s", err, out)
	}
}

// measured is a database of the matrices a/b and =sum, whose names other formats give a meaning. On the first,
// csr_vector with blocks of 64 and two vectors is the fastest; csr_block fails with a block of 2048.
func measured(t testing.TB) *store.DB {
	t.Helper()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	testkit.Succeed(t, db.Begin(t.Context(), tuner.RunInfo{
		Sweep:    &configs.Sweep{Name: "quick", Text: []byte("name = \"quick\"\n")},
		Device:   kernels.Device{Backend: "cuda", Name: "Test GPU", Driver: "1"},
		Roof:     kernels.Roof{Read: 100, Copy: 90, Triad: 80},
		Sources:  map[string]string{"csr_vector": "1", "csr_block": "1"},
		Protocol: "p", Version: "test",
	}))
	for _, name := range []string{"a/b", "=sum"} {
		f := sparse.UnknownFeatures()
		f.Rows, f.Cols, f.Nonzeros, f.RowMean = 1000, 900, 5000, 5
		if err := db.Matrix(t.Context(), trial.Matrix{Name: name, Class: "grid", Hash: name, Field: "real",
			Symmetry: "general", Features: f}); err != nil {
			t.Fatal(err)
		}
	}

	for i, r := range []trial.Result{
		took(3e-6, "csr_vector", 32, "vec=2"), took(1e-6, "csr_vector", 64, "vec=2"), took(5e-6, "csr_vector", 32, "vec=4"),
		took(2e-6, "csr_vector", 64, "vec=4"), took(4e-6, "csr_block", 64, ""), failed("csr_block", 2048),
	} {
		r.Matrix, r.ID, r.At = "a/b", fmt.Sprint("a", i), time.Date(2026, 1, 2, 3, 4, i, 5e6, time.UTC)
		testkit.Succeed(t, db.Record(t.Context(), r))
	}
	other := took(7e-6, "csr_block", 64, "")
	other.Matrix, other.ID = "=sum", "b"
	testkit.Succeed(t, db.Record(t.Context(), other))
	return db
}

func took(seconds float64, kernel string, block int, params kernels.Params) trial.Result {
	return trial.Result{
		Trial: trial.Trial{Cache: trial.Cold,
			Config: kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block, Params: params}},
		Status: trial.OK, Median: seconds, WithinLow: 0.99 * seconds, WithinHigh: 1.01 * seconds, Batch: 4,
		Samples: []float64{seconds, 0.99 * seconds, 1.01 * seconds}, Stop: trial.StopTarget, Seconds: 0.25,
		BytesMin: 60_000, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func failed(kernel string, block int) trial.Result {
	r := took(1, kernel, block, "")
	return trial.Result{Trial: r.Trial, Status: trial.Invalid, Message: "too many\nthreads"}
}

// written is what a format writes of them.
func written(t testing.TB, format string, f store.Filter) (string, int) {
	t.Helper()
	return writtenOf(t, format, Selection{Filter: f})
}

func writtenOf(t testing.TB, format string, f Selection) (string, int) {
	t.Helper()
	kind, ok := Named(format)
	testkit.Require(t, ok, "no format %s", format)
	var b bytes.Buffer
	n := testkit.Must(kind.Write(t.Context(), &b, measured(t), f))
	return b.String(), n
}

package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"spmvtune/internal/testing/testkit"
	"spmvtune/store"
)

// A table has every trial, failed ones too. What a spreadsheet would take for a formula gets an apostrophe.
func TestCSV(t *testing.T) {
	text, n := written(t, "csv", store.Filter{})
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 8 || n.Written != 7 {
		t.Fatalf("%d rows, %+v: %v", len(rows), n, err)
	}
	at := func(column string) int { return slices.Index(rows[0], column) }
	if r := rows[1]; r[at("matrix")] != "a/b" || r[at("time_ms")] != "0.003" || r[at("params")] != "vec=2" {
		t.Errorf("first row %q", r)
	}
	if r := rows[6]; r[at("status")] != "invalid" || r[at("median_ms")] != "" {
		t.Errorf("failed trial %q", r)
	}
	testkit.Equal(t, rows[7][at("matrix")], "'=sum", "matrix")
}

func TestJSON(t *testing.T) {
	text, _ := written(t, "json", store.Filter{Kernel: "csr_block"})
	var rows []map[string]any
	if err := json.Unmarshal([]byte(text), &rows); err != nil || len(rows) != 3 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	samples, _ := json.Marshal(rows[0]["samples_ms"])
	if string(samples) != "[0.004,0.00396,0.00404]" || rows[2]["matrix"] != "=sum" {
		t.Errorf("samples %s of %v", samples, rows[2]["matrix"])
	}
	if rows[1]["median_ms"] != nil || rows[1]["message"] != "too many\nthreads" {
		t.Errorf("failed trial %v", rows[1])
	}
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
	testkit.EqualLists(t, names, append(table.Columns, samplesColumn), "columns")
	for name, want := range map[string]string{"matrix": "STRING", "nnz": "INT(64,true)", "median_ms": "DOUBLE",
		"measured_at": "TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS)", "tied": "BOOLEAN", "samples_ms": "LIST"} {
		testkit.Equal(t, types[name], want, "%s", name)
	}
}

func TestParquetRows(t *testing.T) {
	text, n := written(t, "parquet", store.Filter{})
	rows, err := parquet.Read[resultRow](bytes.NewReader([]byte(text)), int64(len(text)))
	if err != nil || len(rows) != 7 || n.Written != 7 {
		t.Fatalf("%d rows, %+v: %v", len(rows), n, err)
	}
	r := rows[1]
	if r.Matrix != "a/b" || r.Block != 64 || *r.MedianMS != 1e-3 || !r.InForce || !slices.Equal(r.SamplesMS,
		[]float64{1e-3, 0.99e-3, 1.01e-3}) || !r.MeasuredAt.Equal(time.Date(2026, 1, 2, 3, 4, 1, 5e6, time.UTC)) {
		t.Errorf("row %+v", r)
	}
	if r := rows[5]; r.MedianMS != nil || *r.Message != "too many\nthreads" || len(r.SamplesMS) != 0 {
		t.Errorf("failed trial %+v", r)
	}
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
	if err := json.Unmarshal(out, &rows); err != nil || len(rows) != 7 {
		t.Fatalf("%d rows of %s: %v", len(rows), out, err)
	}
	if r := rows[1]; r["matrix"] != "a/b" || r["block"] != 64.0 || r["median_ms"] != 1e-3 || r["in_force"] != true ||
		r["measured_at"] != 1767323041005.0 {
		t.Errorf("row %v", r)
	}
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
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return out
}

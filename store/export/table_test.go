package export

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
	if r := rows[7]; r[at("matrix")] != "'=sum" {
		t.Errorf("matrix %q", r[at("matrix")])
	}
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

package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"spmvtune/tuner/trial"
)

// A database from before has intervals within the run, also where it is only read. Brought up to
// date, it forgets the ties that samples told, and works out from its finals what another run
// finds.
func TestDatabaseFromBeforeIntervalsOfAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	statements := append(slices.Clone(migrations[:schemaAnother-1]),
		"INSERT INTO sweep (id, name, title, text, hash, protocol, version, started) VALUES (1, 'quick', '', '', 'h', '', 'v1', 0)",
		`INSERT INTO device (id, name, backend, model, driver, units, max_block, memory, cache, properties, roof_read, roof_copy, roof_triad)
			VALUES (1, 'Testcore 9000', 'cpu', 'Testcore 9000', 'go1.26', 2, 0, 0, 0, '{}', 1, 1, 1)`,
		`INSERT INTO matrix (id, name, class, hash, source, field, symmetry, rows, cols, nonzeros, row_min, row_p25, row_median, row_p75, row_p90,
			row_p99, row_max, empty_rows, cols_used, bandwidth)
			VALUES (1, 'grid', '', 'hash-of-grid', 'grid', '', '', 10, 10, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)`,
		"INSERT INTO kernel (id, name, paper, format, digest) VALUES (1, 'cpu_csr', '', 'csr', '1')",
		`INSERT INTO trial (id, sweep, matrix, kernel, precision, grid, params, cache, status, identity, device, block, median, stop,
			superseded, measured_at, low, high)
			VALUES (1, 1, 1, 1, 'float32', 2, '', 'cold', 'ok', 'a', 1, 32, 1e-3, 'target', 0, 5, 0.999e-3, 1.001e-3)`)
	for i := range 5 {
		statements = append(statements, fmt.Sprintf(`INSERT INTO sentinel (identity, at, median, low, high, throttled, final, data)
			VALUES ('a', %d, %v, 1e-3, 1e-3, 0, 1, x'')`, 10+i, []float64{1.1e-3, 1.21e-3}[i%2]))
	}
	statements = append(statements, `INSERT INTO tie_set (id, matrix, device, precision, cache, trial, winner, effect, drift)
		VALUES (1, 1, 1, 'float32', 'cold', 1, 1, 0.01, 0)`)
	raw(t, path, append(statements, "PRAGMA application_id = 1399868758", fmt.Sprintf("PRAGMA user_version = %d", schemaAnother-1))...)

	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := reader.Results(t.Context(), Filter{})
	if err != nil || len(rows) != 1 || rows[0].Another != (trial.Interval{Low: 0.999e-3, High: 1.001e-3}) || rows[0].Time != 1e-3 {
		t.Errorf("only read, it has %+v, %v", rows, err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}

	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if n := one(t, db, "SELECT count(*) FROM tie_set"); n != int64(0) {
		t.Errorf("%v places have ties of before", n)
	}
	if n := decideAll(t, db); n != 1 {
		t.Errorf("decided in %d places, want 1", n)
	}
	if got := fmt.Sprintf("%.3f", one(t, db, "SELECT factor FROM best")); got != "1.100" {
		t.Errorf("two runs differ by %s, want 1.100", got)
	}
}

package store

import (
	"strings"
	"testing"
)

// What is filled into a temporary table is there for queries, all of it or nothing, and the file
// stays as it is.
func TestScratch(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 0))
	s, err := db.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Exec(t.Context(), "CREATE TEMP TABLE price (kernel TEXT, euros REAL)"); err != nil {
		t.Fatal(err)
	}

	sum := func() any {
		t.Helper()
		table, err := s.Query(t.Context(), "SELECT sum(euros) FROM results JOIN price USING (kernel)")
		if err != nil {
			t.Fatal(err)
		}
		return table.Rows[0][0]
	}
	for _, rows := range [][][]any{nil, {{"cpu_csr", 2.5}, {"cpu_coo", 10}}, {}, {{"cpu_csr", 4.0}}} {
		if err := s.Fill(t.Context(), "price", rows); err != nil {
			t.Errorf("filling %v: %v", rows, err)
		}
	}
	if got := sum(); got != 6.5 {
		t.Errorf("the sum is %v, want 6.5", got)
	}
	err = s.Fill(t.Context(), "price", [][]any{{"cpu_csr", 100.0}, {"cpu_csr"}})
	if err == nil || !strings.Contains(err.Error(), "filling price") {
		t.Errorf("a row that is too short: error %v", err)
	}
	if got := sum(); got != 6.5 {
		t.Errorf("the sum is %v after rows that were refused", got)
	}
	if n := one(t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'price'"); n != int64(0) {
		t.Error("the table is in the file")
	}
}

package file

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// sharedFolder is ../shared/name seen from the repository's root. The test is
// skipped where it does not exist.
func sharedFolder(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = up
	}

	folder := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no folder ../shared/%s beside the repository: its files are not tested", name)
	}
	return folder
}

// index reads INDEX.tsv of a shared folder as one map per file.
func index(t *testing.T, folder string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)

	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	var out []map[string]string
	for _, rec := range records[1:] {
		m := map[string]string{}
		for i, name := range records[0] {
			if i < len(rec) {
				m[name] = rec[i]
			}
		}
		out = append(out, m)
	}

	if len(out) == 0 {
		t.Fatalf("%s/INDEX.tsv lists nothing", folder)
	}
	return out
}

package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"spmvtune/internal/base/panics"
	"spmvtune/sparse"
)

// An entry that is cut off while it is mapped gives an error to those who read it.
func TestCutOff(t *testing.T) {
	d := At(filepath.Join(t.TempDir(), "cache"))
	a, m := example(t, "uniform", map[string]any{"rows": 100_000, "cols": 1000, "row_nnz": 12})
	fill(t, d, m, a)
	e, err := d.Open(m.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := os.Truncate(d.entry(m.Key), 8192); err != nil {
		t.Fatal(err)
	}
	if err := e.Verify(t.Context()); !errors.Is(err, ErrDamaged) || !errors.Is(err, panics.ErrGone) {
		t.Errorf("verified: %v", err)
	}
	if err := panics.ReadMapped(func() error { sparse.Analyze(e.A); return nil }); err != panics.ErrGone {
		t.Errorf("read: %v", err)
	}
}

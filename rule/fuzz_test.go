package rule

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// Whatever Read takes for a rule can be asked, for a matrix that is known and for one that
// is not, and its answer written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version": 1, "selectors": [{"device": "d", "precision": "float32",
		"tree": {"feature": "row_max", "threshold": 9, "below": {"choice": {"kernel": "a", "precision": "float32"}}, "above": {"choice": {"kernel": "b", "precision": "float32"}}},
		"ensemble": {"configs": [{"kernel": "a", "precision": "float32"}], "base": [0.1], "features": ["cols"],
			"low": [1], "high": [9], "trees": "YmBgYGBgYGBgYGBgYPgPBP///wcA"}}]}`), 1000, 5000)
	f.Add([]byte(`{"version": 1, "selectors": [{"device": "d", "precision": "float32", "tree": {"choice": {"kernel": "a", "precision": "float32"},
		"speeds": [{"bytes": 1e4, "gbps": 1}]}, "tree_over_sizes": {"choice": {"kernel": "b", "precision": "float32"}, "pace": 1e-9, "saved": 0.5}}]}`), 10, 1000)
	f.Fuzz(func(t *testing.T, text []byte, rows, nonzeros int) {
		r, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if err := r.WriteText(io.Discard); err != nil {
			t.Error(err)
		}

		unknown := sparse.UnknownFeatures()
		unknown.Rows, unknown.Cols, unknown.Nonzeros = max(rows, 0), max(rows, 0), max(nonzeros, 0)
		unknown.RowMean = ratio(float64(unknown.Nonzeros), float64(unknown.Rows))
		for _, features := range []sparse.Features{unknown, {Rows: rows, Cols: rows, Nonzeros: nonzeros}} {
			for _, want := range []Wanted{{}, {Products: 3}, {Accurate: true}} {
				c, err := r.SelectFor(Key{Precision: kernels.Float32}, features, want)
				if err != nil {
					continue
				}
				if _, err := json.Marshal(c); err != nil {
					t.Errorf("the choice %v for %d rows can't be written: %v", c.Config, rows, err)
				}
			}
		}
	})
}

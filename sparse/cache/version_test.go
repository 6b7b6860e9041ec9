package cache

import (
	"encoding/json"
	"testing"

	"spmvtune/sparse"
)

// Features are kept: one that changes its meaning and not its name needs another
// version of the cache. The matrix has two full rows, an empty one, and one entry far
// from the diagonal.
func TestVersion(t *testing.T) {
	if version != "3" {
		t.Fatal("write down here the features of this version")
	}
	a := &sparse.CSR[float64]{Rows: 4, Cols: 5,
		RowPtr: []int32{0, 3, 3, 4, 7}, ColIdx: []int32{0, 1, 4, 2, 0, 2, 3}, Val: make([]float64, 7)}
	text, err := json.Marshal(sparse.Analyze(a))
	if err != nil {
		t.Fatal(err)
	}

	var got map[string]float64
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"rows": 4, "cols": 5, "nonzeros": 7, "row_mean": 1.75, "row_std": 1.299038105676658,
		"row_min": 0, "row_p25": 0, "row_median": 1, "row_p75": 3, "row_p90": 3, "row_p99": 3, "row_max": 3,
		"empty_rows": 1, "cols_used": 5, "bandwidth": 4, "bandwidth_mean": 9.0 / 7,
		"row_skewness": -0.21383343303319471, "row_gini": 11.0 / 28, "row_max_over_mean": 12.0 / 7,
		"share_above_32": 0, "share_above_256": 0, "share_above_1024": 0,
		"row_span_mean": 7.0 / 4, "profile": 3, "col_gap_mean": 7.0 / 4, "neighbour_rate": 4.0 / 7,
		"row_similarity": 0.4444444444185744, "diagonals": 5, "pattern_symmetry": 0,
	} {
		if value, there := got[name]; there && value != want {
			t.Errorf("%s is %v, not %v: change version", name, value, want)
		}
	}
}

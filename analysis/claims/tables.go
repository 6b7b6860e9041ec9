package claims

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"spmvtune/store"
)

// tables are what the claims' queries read, beside the stable views: times are in
// milliseconds, and only trials that count are among them.
//
//	fastest    of each kernel, its parameters and block size the fastest grid size
//	top        of each kernel the fastest configuration
//	sized      of the simple COO kernels every block and grid size
//	matrices   original is the published matrix that a twin stands for, or its own name;
//	           features_ms is how long it took to read the features
//	devices    those with trials
//	published  see the package of that name; tab is the paper's table
const tables = `
CREATE TEMP TABLE fastest AS
	SELECT device, matrix, precision, cache, kernel, params, block, grid, min(ms) AS ms, low, high, gflops
	FROM counting GROUP BY device, matrix, precision, cache, kernel, params, block;
CREATE INDEX temp.fastest_kernel ON fastest (kernel, device, matrix, precision, cache);
CREATE TEMP TABLE top AS
	SELECT device, matrix, precision, cache, kernel, params, block, grid, min(ms) AS ms, low, high, gflops
	FROM fastest GROUP BY device, matrix, precision, cache, kernel;
CREATE INDEX temp.top_kernel ON top (kernel, device, matrix, precision, cache);
CREATE TEMP TABLE sized AS
	SELECT device, matrix, precision, cache, kernel, block, grid, gflops FROM counting
	WHERE kernel IN ('coo_thread_chunk', 'coo_grid_stride', 'coo_warp_chunk', 'coo_block_chunk')
		AND (grid = 256 OR block = 1024);
CREATE INDEX temp.sized_place ON sized (device, matrix, precision, cache, kernel, block);
CREATE TEMP TABLE devices AS SELECT DISTINCT device FROM top;
CREATE TEMP TABLE matrices (matrix PRIMARY KEY, original, nnz, row_mean, row_max, neighbour_rate, features_ms);
CREATE TEMP TABLE published (paper, tab, device, matrix, kernel, precision, metric, value, unit, caveat);
`

// prepare makes the tables.
func prepare(ctx context.Context, s *store.Scratch, matrices []store.Matrix) error {
	if err := s.Exec(ctx, tables); err != nil {
		return err
	}
	var rows [][]any
	for i := range matrices {
		m := &matrices[i]
		var featuresMS any
		if m.FeaturesSeconds > 0 {
			featuresMS = 1e3 * m.FeaturesSeconds
		}
		rows = append(rows, []any{m.Name, cmp.Or(m.TwinOf, m.Name), m.Nonzeros, orNull(m.RowMean), m.RowMax,
			orNull(m.NeighbourRate), featuresMS})
	}

	if err := s.Fill(ctx, "matrices", rows); err != nil {
		return err
	}
	rows = rows[:0]
	for _, r := range PaperResults() {
		rows = append(rows, []any{r.Paper, r.Table, r.Device, r.Matrix, r.Kernel, string(r.Precision), r.Metric,
			r.Value, r.Unit, r.Caveat})
	}

	return s.Fill(ctx, "published", rows)
}

func orNull(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// devices lists the devices with trials, by name.
func devices(ctx context.Context, s *store.Scratch) ([]string, error) {
	t, err := s.Query(ctx, "SELECT device FROM devices ORDER BY device")
	if err != nil {
		return nil, err
	}
	r := reader{t}

	list := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		list[i] = r.text(row, "device")
	}
	return list, nil
}

// A reader finds the columns of a table by name. A query has only the columns that its part
// needs.
type reader struct{ *store.Table }

func (r reader) value(row []any, column string) any {
	if i := slices.Index(r.Columns, column); i >= 0 {
		return row[i]
	}
	return nil
}

// lacks reports whether the query has a column and the row has no value there.
func (r reader) lacks(row []any, column string) bool {
	return slices.Contains(r.Columns, column) && r.value(row, column) == nil
}

// text returns "" if there is no value.
func (r reader) text(row []any, column string) string {
	if v := r.value(row, column); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// number returns otherwise if there is no value.
func (r reader) number(row []any, column string, otherwise float64) float64 {
	switch v := r.value(row, column).(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return otherwise
}

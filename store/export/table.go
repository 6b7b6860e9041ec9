package export

import (
	"context"
	"io"

	"spmvtune/internal/base/term"
	"spmvtune/store"
)

func writeCSV(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (Count, error) {
	return writeTable(ctx, w, db, f, "csv", false)
}

func writeJSON(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (Count, error) {
	return writeTable(ctx, w, db, f, "json", true)
}

// samplesColumn is the column with the samples, after those of the view.
const samplesColumn = "samples_ms"

// writeTable writes the view results.
func writeTable(ctx context.Context, w io.Writer, db *store.DB, f store.Filter, format string,
	samples bool) (n Count, err error) {
	var rows *term.Rows
	err = db.EachResult(ctx, f, func(columns []string) (err error) {
		if samples {
			columns = append(columns, samplesColumn)
		}
		rows, err = term.NewRows(w, format, columns)
		return err
	}, func(values []any, taken []float64) error {
		if samples {
			values = append(values, milliseconds(taken))
		}
		n.Written++
		return rows.Add(values)
	})
	if err != nil {
		return n, err
	}
	return n, rows.Close()
}

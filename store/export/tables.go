package export

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// samplesColumn is the column with the samples, after those of the view.
const samplesColumn = "samples_ms"

// table makes a writer of the view results in a format, with the samples if they are asked for.
func table(format string, samples bool) writer {
	return func(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (leftOut int, err error) {
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
			return rows.Add(values)
		})
		if err != nil {
			return 0, err
		}
		return 0, rows.Close()
	}
}

// A resultRow is a row of the view results, its columns in their order. Pointers are columns that may be null.
type resultRow struct {
	Sweep        string    `parquet:"sweep,dict"`
	Device       string    `parquet:"device,dict"`
	Matrix       string    `parquet:"matrix,dict"`
	Rows         int64     `parquet:"rows"`
	Cols         int64     `parquet:"cols"`
	NNZ          int64     `parquet:"nnz"`
	Kernel       string    `parquet:"kernel,dict"`
	Format       string    `parquet:"format,dict"`
	Precision    string    `parquet:"precision,dict"`
	Block        int64     `parquet:"block"`
	Grid         int64     `parquet:"grid"`
	Params       string    `parquet:"params,dict"`
	Cache        string    `parquet:"cache,dict"`
	Status       string    `parquet:"status,dict"`
	MedianMS     *float64  `parquet:"median_ms,optional"`
	LowMS        *float64  `parquet:"low_ms,optional"`
	HighMS       *float64  `parquet:"high_ms,optional"`
	Samples      *int64    `parquet:"samples,optional"`
	GFLOPS       *float64  `parquet:"gflops,optional"`
	GBPS         *float64  `parquet:"gbps,optional"`
	RoofFraction *float64  `parquet:"roof_fraction,optional"`
	PrepareMS    *float64  `parquet:"prepare_ms,optional"`
	MaxError     *float64  `parquet:"max_error,optional"`
	Message      *string   `parquet:"message,optional"`
	MeasuredAt   time.Time `parquet:"measured_at,timestamp(millisecond)"`
	Stop         *string   `parquet:"stop,optional,dict"`
	Measurement  *int64    `parquet:"measurement,optional"`
	Version      *string   `parquet:"version,optional,dict"`
	InForce      bool      `parquet:"in_force"`
	TimeMS       *float64  `parquet:"time_ms,optional"`
	Runs         *int64    `parquet:"runs,optional"`
	WithinLowMS  *float64  `parquet:"within_low_ms,optional"`
	WithinHighMS *float64  `parquet:"within_high_ms,optional"`
	Factor       *float64  `parquet:"factor,optional"`
	Tied         bool      `parquet:"tied"`
	SamplesMS    []float64 `parquet:"samples_ms,list"`
}

// writeParquet writes the view results with types: whole numbers, moments in UTC and truth values are such.
func writeParquet(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (leftOut int, err error) {
	out := parquet.NewGenericWriter[resultRow](w, parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("spmvtune", "", ""), parquet.MaxRowsPerRowGroup(100_000))
	rows := make([]resultRow, 1)
	fields := reflect.ValueOf(&rows[0]).Elem()
	err = db.EachResult(ctx, f, func(columns []string) error {
		for i, c := range append(columns, samplesColumn) {
			if tag := fields.Type().Field(i).Tag.Get("parquet"); !strings.HasPrefix(tag, c+",") && tag != c {
				return fmt.Errorf("the column %s of the view results has no type", c)
			}
		}
		return nil
	}, func(values []any, samples []float64) error {
		rows[0] = resultRow{SamplesMS: milliseconds(samples)}
		for i, v := range values {
			if err := set(fields.Field(i), v); err != nil {
				return fmt.Errorf("column %s: %w", fields.Type().Field(i).Tag.Get("parquet"), err)
			}
		}
		_, err := out.Write(rows)
		return err
	})
	if err != nil {
		return 0, err // a file that ends here reads as one that was cut
	}
	return 0, out.Close()
}

// set gives a field what SQLite has for it.
func set(field reflect.Value, v any) (err error) {
	if field.Kind() == reflect.Pointer {
		if v == nil {
			return nil
		}
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	switch to := field.Addr().Interface().(type) {
	case *int64:
		return scan(to, v)
	case *float64:
		return scan(to, v)
	case *bool:
		return scan(to, v)
	case *string:
		err = scan(to, v)
		*to = strings.ToValidUTF8(*to, "\ufffd")
	case *time.Time:
		*to, err = time.Parse(time.RFC3339, fmt.Sprint(v))
	}
	return err
}

func scan[T any](to *T, v any) error {
	var value sql.Null[T]
	err := value.Scan(v)
	*to = value.V
	return err
}

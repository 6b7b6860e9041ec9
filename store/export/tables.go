// SPDX-License-Identifier: Apache-2.0

package export

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
)

// samplesColumn is the column with the samples, after all others.
const samplesColumn = "samples_ms"

// Beside are the columns that a table has beside those of the view results: params.NAME for each parameter, and
// features.NAME for each feature of the matrix, if they are asked for.
type beside struct {
	names    []string
	params   int                          // how many of the names are of parameters
	features map[string][]any             // of each matrix, those that have names
	at       struct{ params, matrix int } // columns of the view
}

const paramPrefix, featurePrefix = "params.", "features."

// besides finds them, for the columns of the view.
func besides(ctx context.Context, db *store.DB, f Selection, columns []string) (*beside, error) {
	b := &beside{features: map[string][]any{}}
	b.at.params, b.at.matrix = slices.Index(columns, "params"), slices.Index(columns, "matrix")
	tried, err := db.Query(ctx, "SELECT DISTINCT t.params, k.name FROM trial t JOIN kernel k ON k.id = t.kernel")
	if err != nil {
		return nil, err
	}
	for _, row := range tried.Rows {
		if f.Kernel != "" && fmt.Sprint(row[1]) != f.Kernel {
			continue
		}
		for name := range kernels.Params(fmt.Sprint(row[0])).All() {
			if !slices.Contains(b.names, paramPrefix+name) {
				b.names = append(b.names, paramPrefix+name)
			}
		}
	}
	slices.Sort(b.names)
	b.params = len(b.names)
	if !f.Features {
		return b, nil
	}
	table, err := db.Query(ctx, "features")
	if err != nil {
		return nil, err
	}
	for _, c := range table.Columns[1:] { // the first one is the matrix
		b.names = append(b.names, featurePrefix+c)
	}
	for _, row := range table.Rows {
		b.features[fmt.Sprint(row[0])] = row[1:]
	}
	return b, nil
}

// of adds the values of a row to those of the view.
func (b *beside) of(row []any) []any {
	params, features := kernels.Params(fmt.Sprint(row[b.at.params])), b.features[fmt.Sprint(row[b.at.matrix])]
	for _, name := range b.names[:b.params] {
		var cell any // null where the kernel has no such parameter
		if value, there := params.Get(strings.TrimPrefix(name, paramPrefix)); there {
			cell = value
		}
		row = append(row, cell)
	}
	if features == nil {
		features = make([]any, len(b.names)-b.params)
	}
	return append(row, features...)
}

// eachRow gives the columns of a table to head, and then each row.
func eachRow(ctx context.Context, db *store.DB, f Selection, head func(columns []string, b *beside) error,
	row func(values []any, samples []float64) error) error {
	var b *beside
	return db.EachResult(ctx, f.Filter, func(columns []string) (err error) {
		if b, err = besides(ctx, db, f, columns); err != nil {
			return err
		}
		return head(columns, b)
	}, func(values []any, samples []float64) error { return row(b.of(values), milliseconds(samples)) })
}

// table makes a writer of the view results in a format, with the samples if they are asked for.
func table(format string, samples bool) writer {
	return func(ctx context.Context, w io.Writer, db *store.DB, f Selection) (leftOut int, err error) {
		var rows *term.Rows
		err = eachRow(ctx, db, f, func(columns []string, b *beside) (err error) {
			columns = slices.Concat(columns, b.names)
			if samples {
				columns = append(columns, samplesColumn)
			}
			rows, err = term.NewRows(w, format, columns)
			return err
		}, func(values []any, taken []float64) error {
			if samples {
				values = append(values, taken)
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

// writeParquet writes a table with types: whole numbers, moments in UTC and truth values are such.
func writeParquet(ctx context.Context, w io.Writer, db *store.DB, f Selection) (leftOut int, err error) {
	var out *parquet.GenericWriter[any]
	var fields reflect.Value
	err = eachRow(ctx, db, f, func(columns []string, b *beside) error {
		types := reflect.VisibleFields(reflect.TypeFor[resultRow]())
		samples := types[len(types)-1]
		for i, c := range columns {
			if tag := types[i].Tag.Get("parquet"); !strings.HasPrefix(tag, c+",") && tag != c {
				return fmt.Errorf("the column %s of the view results has no type", c)
			}
		}
		types = types[:len(columns)]
		for i, name := range b.names {
			types = append(types, b.field(i, strings.ReplaceAll(name, ",", "%2C")))
		}
		fields = reflect.New(reflect.StructOf(append(types, samples))).Elem()
		build, _ := debug.ReadBuildInfo()
		out = parquet.NewGenericWriter[any](w, parquet.SchemaOf(fields.Addr().Interface()),
			parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(100_000),
			parquet.CreatedBy("spmvtune", build.Main.Version+" ", build.GoVersion))
		return nil
	}, func(values []any, samples []float64) error {
		fields.SetZero()
		fields.Field(len(values)).Set(reflect.ValueOf(samples))
		for i, v := range values {
			if err := set(fields.Field(i), v); err != nil {
				return fmt.Errorf("column %s: %w", fields.Type().Field(i).Tag.Get("parquet"), err)
			}
		}
		_, err := out.Write([]any{fields.Addr().Interface()})
		return err
	})
	if err != nil {
		return 0, err // a file that ends here reads as one that was cut
	}
	return 0, out.Close()
}

// field is the field of column i, called name: a text for a parameter, and for a feature what its values are.
func (b *beside) field(i int, name string) reflect.StructField {
	kind, dict := reflect.TypeFor[*string](), ",dict"
	for _, values := range b.features {
		switch values[max(i-b.params, 0)].(type) {
		case int64, float64:
			if i >= b.params {
				kind, dict = reflect.TypeFor[*float64](), ""
			}
		}
	}
	return reflect.StructField{Name: fmt.Sprintf("Beside%d", i), Type: kind,
		Tag: reflect.StructTag(`parquet:` + strconv.Quote(name+",optional"+dict))}
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

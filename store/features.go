package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"

	"spmvtune/sparse"
)

// featureNames lists the columns that hold a sparse.Features: the names of its
// fields in JSON, in order.
func featureNames() []string {
	t := reflect.TypeFor[sparse.Features]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// FeaturesSeconds returns how long reading the features of each matrix took, by name; it
// lacks those of which that is not known.
func (db *DB) FeaturesSeconds(ctx context.Context) (map[string]float64, error) {
	column, err := db.column(ctx, "matrix", "features_seconds")
	if err != nil {
		return nil, fmt.Errorf("reading what features cost: %w", failed(db.path, err))
	}
	took := map[string]float64{}
	_, err = collect(ctx, db.read, func(rows *sql.Rows) (struct{}, error) {
		var name string
		var seconds sql.NullFloat64
		err := rows.Scan(&name, &seconds)
		if seconds.Valid {
			took[name] = seconds.Float64
		}
		return struct{}{}, err
	}, "SELECT name, "+column+" FROM matrix")
	if err != nil {
		return nil, fmt.Errorf("reading what features cost: %w", failed(db.path, err))
	}
	return took, nil
}

// featureValues gives the values for these columns.
func featureValues(f sparse.Features) []any {
	v := reflect.ValueOf(f)
	values := make([]any, v.NumField())
	for i := range values {
		values[i] = v.Field(i).Interface()
	}
	return values
}

// featureFields points to the fields, to scan these columns into.
func featureFields(f *sparse.Features) []any {
	v := reflect.ValueOf(f).Elem()
	fields := make([]any, v.NumField())
	for i := range fields {
		fields[i] = v.Field(i).Addr().Interface()
		if f, ok := fields[i].(*float64); ok {
			fields[i] = orNaN{f}
		}
	}
	return fields
}

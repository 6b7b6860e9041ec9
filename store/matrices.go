package store

import (
	"context"
	"reflect"
	"strings"

	"spmvtune/sparse"
	"spmvtune/tuner/trial"
)

// Features returns what is known of each matrix, ordered by name.
func (db *DB) Features(ctx context.Context) ([]Matrix, error) {
	list, err := db.from().matrices(ctx)
	return list, db.wrap("reading features", err)
}

func (from source) matrices(ctx context.Context) ([]Matrix, error) {
	m := Matrix{Features: sparse.UnknownFeatures()}
	fields := []field{
		{"name", &m.Name}, {"class", &m.Class}, {"hash", &m.Hash}, {"source", &m.Source},
		{"field", &m.Field}, {"symmetry", &m.Symmetry},
		{from.since(schemaFeaturesSeconds, "features_seconds"), orZero(&m.FeaturesSeconds)},
		{from.since(schemaMeasurement, "twin_of"), orZero(&m.TwinOf)},
		{from.since(schemaMeasurement, "twin_scale"), orZero(&m.TwinScale)},
	}

	for i, name := range featureNames() {
		schema := 0
		if i >= firstFeatures {
			schema = schemaFeatures
		}
		fields = append(fields, field{from.since(schema, name), featureFields(&m.Features)[i]})
	}

	var list []Matrix
	rows, err := from.QueryContext(ctx, "SELECT "+expressions(fields)+" FROM matrix ORDER BY name")
	err = readRows(rows, err, targets(fields), func() {
		if from.schema < schemaMeasurement {
			m.TwinOf, m.TwinScale = trial.LegacyTwin(m.Source)
		}
		list = append(list, m)
	})
	return list, err
}

// Library returns the matrices by their names, without what plans do not need.
func (db *DB) Library(ctx context.Context) (map[string]trial.Matrix, error) {
	list, err := db.Features(ctx)
	byName := map[string]trial.Matrix{}
	for _, m := range list {
		byName[m.Name] = trial.Matrix{Name: m.Name, Source: m.Source, Class: m.Class, Hash: m.Hash, Field: m.Field,
			Symmetry: m.Symmetry, TwinOf: m.TwinOf, TwinScale: m.TwinScale, Features: m.Features}
	}
	return byName, err
}

// firstFeatures is the number of features in files of the first schema.
const firstFeatures = 16

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

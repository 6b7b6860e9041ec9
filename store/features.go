package store

import (
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

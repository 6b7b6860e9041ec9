package sparse

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// UnknownFeatures are the features of a matrix of which nothing is known.
func UnknownFeatures() Features {
	var f Features
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		if v.Field(i).CanFloat() {
			v.Field(i).SetFloat(math.NaN())
		} else {
			v.Field(i).SetInt(Unknown)
		}
	}

	return f
}

// FeatureNames lists the names of the features, as in JSON.
func FeatureNames() []string {
	t := reflect.TypeFor[Features]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// Set gives the feature of this name a value. It refuses impossible values: negative ones,
// except for row_skewness, and counts with a fraction.
func (f *Features) Set(name string, x float64) error {
	v := reflect.ValueOf(f).Elem()
	for i, n := range FeatureNames() {
		if n != name {
			continue
		}
		switch count := !v.Field(i).CanFloat(); {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return fmt.Errorf("%s = %v is not a number", name, x)
		case x < 0 && name != "row_skewness":
			return fmt.Errorf("%s = %v is negative", name, x)
		case count && (x != math.Trunc(x) || x > 1<<53):
			return fmt.Errorf("%s = %v is not a whole number, which a count is", name, x)
		case count:
			v.Field(i).SetInt(int64(x))
		default:
			v.Field(i).SetFloat(x)
		}

		return nil
	}

	return fmt.Errorf("no feature is called %q", name)
}

// Values are those of the features, in the order of FeatureNames.
func (f Features) Values() []float64 {
	v := reflect.ValueOf(f)
	values := make([]float64, v.NumField())
	for i := range values {
		if v.Field(i).CanFloat() {
			values[i] = v.Field(i).Float()
		} else {
			values[i] = float64(v.Field(i).Int())
		}
	}
	return values
}

package journal

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"spmvtune/sparse"
)

// features are written as sparse.Features would be, except that their numbers may be NaN.
// A number that is missing, because an older program wrote the line, is read as NaN: not
// known.
type features sparse.Features

func (f features) MarshalJSON() ([]byte, error) {
	data := []byte{'{'}
	for i, v := range fields(&f) {
		if i > 0 {
			data = append(data, ',')
		}
		data = strconv.AppendQuote(data, featureName(i))
		data = append(data, ':')
		if v.CanInt() {
			data = strconv.AppendInt(data, v.Int(), 10)
		} else {
			data = appendNumber(data, v.Float())
		}
	}

	return append(data, '}'), nil
}

func (f *features) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}

	for i, v := range fields(f) {
		text, there := values[featureName(i)]
		switch {
		case v.CanInt() && there:
			n, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %s is not a whole number", featureName(i), text)
			}
			v.SetInt(n)
		case v.CanInt():
			v.SetInt(0)
		case there:
			x, err := parseNumber(text)
			if err != nil {
				return fmt.Errorf("%s: %w", featureName(i), err)
			}
			v.SetFloat(x)
		default:
			v.SetFloat(math.NaN())
		}
	}

	return nil
}

// fields returns the numbers of f, each an int or a float64.
func fields(f *features) []reflect.Value {
	v := reflect.ValueOf(f).Elem()
	all := make([]reflect.Value, v.NumField())
	for i := range all {
		all[i] = v.Field(i)
	}
	return all
}

func featureName(i int) string { return reflect.TypeFor[features]().Field(i).Tag.Get("json") }

package trial

import (
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"
)

// LongestName is how many characters a name has at most, and LongestStored how many it has in a
// database, which makes some names of matrices longer.
const (
	LongestName   = 200
	LongestStored = LongestName + 9
)

// What no measurement exceeds.
const (
	longest = 1e11  // seconds
	least   = 1e-15 // seconds
	largest = 1e15  // sizes
)

// Check refuses a result with values that no measurement has. Results come from files, too.
func (r *Result) Check() error {
	between := func(v, lo, hi float64) bool { return v >= lo && v <= hi }
	switch {
	case r.Status == OK && !between(r.Median, least, longest):
		return fmt.Errorf("the time %g is not between a femtosecond and a million days", r.Median)
	case r.Status == OK && !(between(r.Low, 0, longest) && between(r.High, 0, longest)):
		return fmt.Errorf("%g to %g is no interval of times", r.Low, r.High)
	case min(r.Block, r.Grid) < 0 || max(r.Block, r.Grid) > math.MaxInt32:
		return fmt.Errorf("the block %d or the grid %d is not between 0 and %d", r.Block, r.Grid, math.MaxInt32)
	case min(r.BytesMin, r.BytesOwn) < 0 || max(r.BytesMin, r.BytesOwn) > 1e18:
		return fmt.Errorf("%d or %d is no number of bytes", r.BytesMin, r.BytesOwn)
	case len(r.Params) > 1000:
		return fmt.Errorf("%d characters of parameters are too many", len(r.Params))
	}
	for _, s := range r.Samples {
		if r.Status == OK && !between(s, 0, longest) {
			return fmt.Errorf("the sample %g is not a time", s)
		}
	}
	return CheckNames(r.ID, r.Kernel)
}

// Check refuses a matrix with features that no matrix has.
func (m *Matrix) Check() error {
	f := reflect.ValueOf(m.Features)
	for i := range f.NumField() {
		name := f.Type().Field(i).Tag.Get("json")
		switch v := f.Field(i); {
		case v.CanInt() && (v.Int() < -1 || v.Int() > largest), v.CanFloat() && math.IsInf(v.Float(), 0):
			return fmt.Errorf("the feature %s of matrix %.40q is %v", name, m.Name, v)
		}
	}
	if min(m.Features.Rows, m.Features.Cols, m.Features.Nonzeros) < 0 {
		return fmt.Errorf("the sizes of matrix %.40q are %d, %d and %d", m.Name, m.Features.Rows, m.Features.Cols,
			m.Features.Nonzeros)
	}
	return CheckNames(m.Name, m.Class)
}

// CheckNames refuses names that are too long to be printed.
func CheckNames(names ...string) error {
	for _, name := range names {
		if utf8.RuneCountInString(name) > LongestName {
			return fmt.Errorf("the name %.40q… has more than %d characters", name, LongestName)
		}
	}
	return nil
}

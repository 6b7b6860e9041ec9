package trial

import (
	"math"
	"strings"
	"testing"
)

// Values that no measurement has are refused, whatever file they come from.
func TestCheck(t *testing.T) {
	good := Result{Status: OK, Median: 1e-6, Low: 1e-6, High: 2e-6, Samples: []float64{1e-6, 0}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	failed := Result{Status: Fault, Median: math.NaN()}
	if err := failed.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Result){
		"negative time":    func(r *Result) { r.Median = -1 },
		"no time":          func(r *Result) { r.Median = math.NaN() },
		"denormal time":    func(r *Result) { r.Median = 1e-320 },
		"interval":         func(r *Result) { r.Low = math.Inf(-1) },
		"sample":           func(r *Result) { r.Samples = []float64{math.NaN()} },
		"block":            func(r *Result) { r.Block = math.MinInt64 },
		"grid":             func(r *Result) { r.Grid = 1 << 31 },
		"bytes":            func(r *Result) { r.BytesMin = -1 },
		"name of a kernel": func(r *Result) { r.Kernel = strings.Repeat("ä", 201) },
	} {
		r := good
		if change(&r); r.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}

	for name, change := range map[string]func(*Matrix){
		"rows":     func(m *Matrix) { m.Features.Rows = -1 },
		"row_max":  func(m *Matrix) { m.Features.RowMax = math.MinInt64 },
		"row_mean": func(m *Matrix) { m.Features.RowMean = math.Inf(1) },
		"name":     func(m *Matrix) { m.Name = strings.Repeat("x", 201) },
	} {
		var m Matrix
		m.Features.RowSkewness = math.NaN() // not known
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		if change(&m); m.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

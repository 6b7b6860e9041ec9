// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"math"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// Values that no measurement has are refused, whatever file they come from.
func TestCheck(t *testing.T) {
	good := Result{Status: OK, Median: 1e-6, WithinLow: 1e-6, WithinHigh: 2e-6, Samples: []float64{1e-6, 0}}
	testkit.Succeed(t, good.Check())
	failed := Result{Status: Fault, Median: math.NaN()}
	testkit.Succeed(t, failed.Check())
	for name, change := range map[string]func(*Result){
		"negative time":    func(r *Result) { r.Median = -1 },
		"no time":          func(r *Result) { r.Median = math.NaN() },
		"denormal time":    func(r *Result) { r.Median = 1e-320 },
		"interval":         func(r *Result) { r.WithinLow = math.Inf(-1) },
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
		testkit.Succeed(t, m.Check())
		if change(&m); m.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestReplaces(t *testing.T) {
	for _, tt := range []struct {
		name     string
		new, old Precedence
		want     bool
	}{
		{"good over failure", Precedence{Status: OK, At: 1}, Precedence{Status: Fault, At: 2}, true},
		{"failure over good", Precedence{Status: Fault, At: 2}, Precedence{Status: OK, At: 1}, false},
		{"good over good", Precedence{Status: OK, At: 2}, Precedence{Status: OK, At: 1}, false},
		{"an earlier good one", Precedence{Status: OK, At: 1}, Precedence{Status: OK, At: 2}, true},
		{"later failure", Precedence{Status: Fault, At: 2}, Precedence{Status: OOM, At: 1}, true},
		{"earlier failure", Precedence{Status: Fault, At: 1}, Precedence{Status: OOM, At: 2}, false},
		{"the same failure", Precedence{Status: Fault, At: 1}, Precedence{Status: Fault, At: 1}, false},
		{"failures at one time", Precedence{Status: Timeout, At: 1}, Precedence{Status: Fault, At: 1}, true},
		{"failures at one time, the other way", Precedence{Status: Fault, At: 1}, Precedence{Status: Timeout, At: 1}, false},
	} {
		testkit.Equal(t, tt.new.Replaces(tt.old), tt.want, "%s", tt.name)
	}
}

// Of an identity that was measured several times, the latest time is not forgotten.
func TestAsks(t *testing.T) {
	for _, tt := range []struct{ kept, old, want int64 }{{1, 5, 5}, {5, 1, 0}, {5, 5, 0}} {
		testkit.Equal(t, (Precedence{At: tt.kept}).LastRequest(Precedence{At: tt.old}), tt.want, "%+v", tt)
		testkit.Equal(t, (Precedence{At: 0, LastRequested: tt.kept}).LastRequest(Precedence{LastRequested: tt.old}), max(tt.kept, tt.old), "%+v, asked", tt)
	}
}

// A processor is crowded where others or the hypervisor take much of it, over two seconds of its cores.
func TestCrowded(t *testing.T) {
	for name, c := range map[string]struct {
		use  HostUse
		want bool
	}{
		"alone":                {HostUse{Cores: 20, Others: 0.5, Stolen: 0.1, Switches: 200, Own: 10}, false},
		"others work":          {HostUse{Cores: 20, Others: 2.2, Own: 10}, true},
		"others work a little": {HostUse{Cores: 20, Others: 1.6, Own: 10}, false},
		"the hypervisor takes": {HostUse{Cores: 20, Stolen: 0.5, Own: 10}, true},
		"by its own threads":   {HostUse{Cores: 20, Switches: 6000, Own: 10}, false},
		"too short to tell":    {HostUse{Cores: 1, Others: 1, Own: 1}, false},
		"nothing can be read":  {HostUse{Switches: 5000, Own: 1}, false},
	} {
		testkit.Equal(t, c.use.Crowded(), c.want, "%s", name)
	}
}

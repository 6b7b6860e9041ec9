// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// Of every configuration that the shipped rule may choose, it expects a time; the fastest stands first.
func TestExpectations(t *testing.T) {
	r := testkit.Must(Read(bytes.NewReader(h200)))
	f := randomFeatures(rand.New(rand.NewPCG(1, 2)))
	f.RowGini, f.ShareAbove32, f.ShareAbove256, f.ShareAbove1024 = 0.3, 0.5, 0.1, 0
	for i := range r.Models {
		list, err := r.Expect(r.Models[i].Key, f, Hardware{})
		testkit.Require(t, err == nil && len(list) >= Shortlisted, "%d expectations, %v", len(list), err)
		for _, e := range list {
			known := slices.ContainsFunc(r.Models[i].Validation.Spreads, func(s Spread) bool {
				return s.Kernel == e.Config.Kernel && s.Deviation == e.Spread
			})
			if !(e.Seconds > 0) || e.Spread != r.Models[i].spread(e.Config.Kernel, f.Nonzeros) || !known || e.Config.Precision != r.Models[i].Precision {
				t.Errorf("expected %+v", e)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b Expectation) int { return int(a.Seconds*1e9) - int(b.Seconds*1e9) }) {
			t.Errorf("not by time: %+v", list)
		}
	}
}

// Spreads are by class of sizes, of a kernel and of all, where there are enough times: eight of ten are within 1.28 of them.
func TestSpreadsByHand(t *testing.T) {
	f := sparse.Features{Rows: 10, Cols: 10, Nonzeros: 100_000}
	var cases []Case
	var obs []Observation
	for i := range 12 {
		c := Case{Matrix: fmt.Sprint("m", i), Nonzeros: f.Nonzeros}
		off := float64(1 - i%2*2)
		obs = append(obs, observe(c.Matrix, f, config("a", 1, 1), math.Exp(off*0.1)))
		c.said.Shortlist = []Ranked{{config("a", 1, 1), 1}}
		if i < 4 {
			obs = append(obs, observe(c.Matrix, f, config("b", 1, 1), math.Exp(off*0.5)))
			c.said.Shortlist = append(c.said.Shortlist, Ranked{config("b", 1, 1), 1})
		}
		cases = append(cases, c)
	}
	m := &Model{Validation: Validation{Spreads: tableOf(t, obs).spreads(cases)}}
	for _, tt := range []struct {
		kernel   string
		nonzeros int
		want     float64
	}{
		{"a", 999_999, 0.078}, {"b", 100_000, 0.39}, {"c", 100_000, 0.39}, {"a", 1_000_000, unknownSpread},
	} {
		testkit.Equal(t, m.spread(tt.kernel, tt.nonzeros), tt.want, "the spread of %s at %d nonzeros", tt.kernel, tt.nonzeros)
	}
	c := m.around(1e-5, &Subject{Features: &f}, kernels.Config{Kernel: "a", Precision: kernels.Float32})
	if math.Abs(c.High/c.Seconds-1.1051) > 1e-3 || math.Abs(c.Seconds/c.Low-1.1051) > 1e-3 || c.Share() != 0.8 {
		t.Errorf("80%% of a normal distribution are in [%v, %v] around %v", c.Low, c.High, c.Seconds)
	}
}

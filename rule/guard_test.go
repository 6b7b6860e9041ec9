package rule

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/sparse"
)

// A choice that is known to fail where a row is long is not kept for a matrix whose
// longest row is far beyond all that its leaf has seen, though another feature sent it there.
func TestGuards(t *testing.T) {
	var obs []Observation
	for i := range 24 {
		f := sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 3000, RowMean: 3, RowMax: 10}
		even, robust := 1.0, 2.0
		if i >= 12 { // few rows, one of them long
			f.Rows, f.Nonzeros, f.RowMax = 100, 300, 5000
			even = 50
		}

		name := fmt.Sprintf("m%02d", i)
		obs = append(obs, observe(name, f, config("even", 0, 0), even),
			observe(name, f, config("robust", 0, 0), robust))
	}

	opt := DefaultOptions
	opt.Prune = false
	r := learn(t, obs, opt)
	for _, tt := range []struct {
		rows, longest int
		want          string
	}{{1000, 10, "even"}, {1000, 19, "even"}, {1000, 5000, "robust"}, {100, 5000, "robust"}} {
		f := sparse.Features{Rows: tt.rows, Cols: 1000, Nonzeros: 3 * tt.rows, RowMean: 3, RowMax: tt.longest}
		c, err := r.Select(Key{Precision: "float32"}, f)
		if err != nil || c.Kernel != tt.want {
			t.Errorf("%d rows, the longest of %d: chose %s, %v; want %s", tt.rows, tt.longest, c.Kernel, err, tt.want)
		}
	}
}

// No node is above a threshold that its matrices can't exceed.
func TestGuardsCanBePassed(t *testing.T) {
	guards := 0
	var check func(n *Node, most map[string]float64)
	check = func(n *Node, most map[string]float64) {
		if n.Leaf() {
			return
		}
		if bound, ok := most[n.Feature]; ok && n.Threshold >= bound {
			t.Errorf("%s > %v is asked for where it is at most %v", n.Feature, n.Threshold, bound)
		}
		if n.Below.Leaf() && slices.Contains(guarded, n.Feature) {
			guards++
		}
		below := maps.Clone(most)
		below[n.Feature] = n.Threshold
		check(n.Below, below)
		check(n.Above, most)
	}
	for seed := range uint64(5) {
		opt := DefaultOptions
		opt.Prune = false
		check(learn(t, messy(rand.New(rand.NewPCG(seed, 37)), 40), opt).Selectors[0].Root, map[string]float64{})
	}
	if guards < 10 {
		t.Errorf("%d guards show little", guards)
	}
}

// A guard's number has two digits, and is not below what it was made from.
func TestRoundedUp(t *testing.T) {
	for _, tt := range []struct{ x, want float64 }{
		{0, 0}, {0.0712, 0.072}, {0.07, 0.07}, {1.01, 1.1}, {20, 20}, {99.5, 100}, {123, 130}, {1000, 1000}, {45678, 46000},
		{math.Nextafter(20, 30), 21},
	} {
		if got := roundedUp(tt.x); got != tt.want {
			t.Errorf("%v becomes %v, want %v", tt.x, got, tt.want)
		}
	}
}

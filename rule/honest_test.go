package rule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spmvtune/sparse"
)

func TestWithinFivePercent(t *testing.T) {
	var cases []Case
	for _, fraction := range []float64{1, 0.95, 0.949, 0.92, 0} { // the last is not known
		cases = append(cases, Case{Fraction: fraction})
	}
	if f := Summarise(cases, Learned.Of); f.Within5 != 0.5 || f.Matrices != 4 {
		t.Errorf("%v of %d are within 5%%, want half of 4", f.Within5, f.Matrices)
	}
}

// Which kernel is best has nothing to do with the matrix. A tree learns it by heart all the
// same: on its own matrices every feature that it asks for is worth much, on others nothing.
func TestNoiseIsWorthNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	opt := DefaultOptions
	opt.Prune = false
	var obs []Observation
	for m := range 60 {
		f, name := randomFeatures(rng), fmt.Sprintf("m%02d", m)
		best := rng.IntN(2)
		for i, kernel := range []string{"a", "b"} {
			obs = append(obs, observe(name, f, config(kernel, 64, 2), 1+math.Abs(float64(i-best))))
		}
	}
	r := learn(t, obs, opt)
	list, err := Evaluate(t.Context(), r, obs, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range list[0].Used {
		if u.Loss > 0.05 {
			t.Errorf("%s is worth %.3f of the oracle", u.Feature, u.Loss)
		}
	}
}

// Reading the features took 4 ms. The rule's choice takes 1 ms, that of sizes alone 2 ms: the
// features cost two such products, and half of each is saved, so they pay after four. Where
// preparing for the choice takes 10 ms and for the other 2 ms, that is four products more, so
// they pay after twelve. A matrix that was read in no known time says nothing.
func TestPaybackByHand(t *testing.T) {
	f := sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 999_000, RowMean: 999}
	o, unread := observe("m", f, config("a", 64, 2), 1e-3), observe("n", f, config("a", 64, 2), 1e-3)
	o.Reading = 4e-3
	obs := []*Observation{&o, &unread}
	table, _, err := newTable(obs, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ prepare, sizes, more, products float64 }{{0, 0, 0, 4}, {10e-3, 2e-3, 4, 12}} {
		list := table.payback([]Case{
			{Matrix: "m", Fraction: 1, Sizes: 0.5, Prepare: tt.prepare, SizesPrepare: tt.sizes},
			{Matrix: "n", Fraction: 1, Sizes: 0.5},
		}, obs)
		if len(list) != 1 {
			t.Fatalf("paybacks %+v, want one", list)
		}
		p := list[0]
		if near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }; p.Nonzeros != 100_000 ||
			p.Matrices != 1 || !near(p.Features, 2) || !near(p.Prepare, tt.more) || !near(p.Saved, 0.5) ||
			!near(p.Products, tt.products) {
			t.Errorf("%+v, want 2 products' time and %v, half of one saved by each, paid for by %v", p, tt.more,
				tt.products)
		}
	}
}

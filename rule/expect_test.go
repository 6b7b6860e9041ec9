package rule

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Of every configuration that the shipped rule may choose, it expects a time; the fastest stands first.
func TestExpectations(t *testing.T) {
	r, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	f := randomFeatures(rand.New(rand.NewPCG(1, 2)))
	f.RowGini, f.ShareAbove32, f.ShareAbove256, f.ShareAbove1024 = 0.3, 0.5, 0.1, 0
	for i := range r.Models {
		list, err := r.Expect(r.Models[i].Key, f, Hardware{})
		if err != nil || len(list) < Shortlisted {
			t.Fatalf("%d expectations, %v", len(list), err)
		}
		for _, e := range list {
			if !(e.Seconds > 0 && e.Spread > 0) || e.Config.Precision != r.Models[i].Precision {
				t.Errorf("expected %+v", e)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b Expectation) int { return int(a.Seconds*1e9) - int(b.Seconds*1e9) }) {
			t.Errorf("not by time: %+v", list)
		}
	}
}

package rule

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"spmvtune/sparse"
)

// A countdown is a context that ends once it has been listened to so many times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (c *countdown) Done() <-chan struct{} {
	if c.left--; c.left <= 0 {
		c.cancel()
	}
	return c.Context.Done()
}

// Whenever an evaluation is interrupted, it says so, or has ended.
func TestInterruptedEvaluationSaysSo(t *testing.T) {
	obs := world(rand.New(rand.NewPCG(5, 6)), 12, func(sparse.Features) string { return "a" })
	for i := range obs {
		obs[i].Class = "class" + obs[i].Matrix[3:]
	}
	r := learn(t, obs, DefaultOptions)
	whole, err := Evaluate(t.Context(), r, obs, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	for n, interrupted := 1, true; interrupted; n += 1 + n/8 {
		c := &countdown{left: n}
		c.Context, c.cancel = context.WithCancel(t.Context())
		list, err := Evaluate(c, r, obs, DefaultOptions)
		interrupted = c.Context.Err() != nil
		if err == nil && !reflect.DeepEqual(list, whole) || err != nil && !interrupted {
			t.Errorf("interrupted at step %d: %v, %+v, error %v", n, interrupted, list, err)
		}
		c.cancel()
	}
}

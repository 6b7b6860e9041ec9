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
	evaluate := func(n int) (list []Evaluation, interrupted bool, left int, err error) {
		c := &countdown{left: n}
		c.Context, c.cancel = context.WithCancel(t.Context())
		defer c.cancel()
		list, err = Evaluate(c, r, obs, DefaultOptions)
		return list, c.Context.Err() != nil, c.left, err
	}
	const many = 1 << 30
	whole, _, left, err := evaluate(many)
	if err != nil {
		t.Fatal(err)
	}
	all := many - left
	for n := 1; n <= all; n += 1 + (all-n)/4 {
		list, interrupted, _, err := evaluate(n)
		if !interrupted || err == nil && !reflect.DeepEqual(list, whole) {
			t.Errorf("interrupted at step %d of %d: %v, %+v, error %v", n, all, interrupted, list, err)
		}
	}
}

package generate

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestParallelCoversAll(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100, 100_000} {
		seen := make([]int32, n)
		err := parallel(t.Context(), n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				atomic.AddInt32(&seen[i], 1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}

		for i, times := range seen {
			if times != 1 {
				t.Fatalf("%d of %d was done %d times", i, n, times)
			}
		}
	}
}

// TestParallelStops cancels in the middle: no worker takes more than the piece
// it has.
func TestParallelStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var pieces atomic.Int64
	err := parallel(ctx, 1<<30, func(lo, hi int) {
		pieces.Add(1)
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	if n := pieces.Load(); n > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d pieces were done after cancelling in the first", n)
	}
}

// TestTooManyNonzeros is for generators that learn their size by counting.
func TestTooManyNonzeros(t *testing.T) {
	a := assembly{rows: 3, cols: 1 << 30, length: func(int) int { return 1 << 30 }}
	if _, err := a.build(t.Context()); err == nil || !strings.Contains(err.Error(), "2147483647 nonzeros") {
		t.Errorf("got %v", err)
	}
}

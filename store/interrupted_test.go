package store

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner/trial"
)

// A countdown is a context that is cancelled when it has been asked about that so many times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newCountdown(t *testing.T, n int64) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(t.Context())
	c.left.Store(n)
	t.Cleanup(c.cancel)
	return c
}

func (c *countdown) Done() <-chan struct{} {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
	return c.Context.Done()
}

func (c *countdown) Err() error {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// Whoever is interrupted, at whatever moment, is told so: no part of what is recorded passes
// for all of it.
func TestInterruptedReadersSaySo(t *testing.T) {
	first, second := good("cpu_csr_rows", 64, sampled(1), sensed), good("cpu_sell", 8, sampled(1.5))
	db := started(t)
	describe(t, db, testMatrix("other"))
	record(t, db, first, second, good("cpu_coo", 0, on("other")), good("cpu_csr", 0, on("other"), takes(2)),
		again(first, time.Minute, 1.001), again(first, 2*time.Minute, 1.002), final(first, time.Hour, 1),
		final(second, time.Hour, 1.5))
	decideAll(t, db)
	saved := []SavedClaim{{Claim: 1, Device: "d", Verdict: "v", Figures: []byte("{}")}}
	if err := db.SaveClaims(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	if err := db.SaveRule(t.Context(), SavedRule{Sweep: "quick", Learned: time.Unix(1, 0), JSON: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	ids := []string{first.ID, second.ID}

	folder, n := t.TempDir(), 0
	for name, read := range map[string]func(context.Context) (any, error){
		"claims":   func(ctx context.Context) (any, error) { return db.Claims(ctx) },
		"drifts":   func(ctx context.Context) (any, error) { return db.Drifts(ctx) },
		"good":     func(ctx context.Context) (any, error) { return db.Good(ctx) },
		"grids":    func(ctx context.Context) (any, error) { return db.Grids(ctx, Filter{}) },
		"features": func(ctx context.Context) (any, error) { return db.Features(ctx) },
		"patterns": func(ctx context.Context) (any, error) {
			list, err := db.Patterns(ctx)
			return map[string]sparse.Thumbnail(list), err
		},
		"query":    func(ctx context.Context) (any, error) { return db.Query(ctx, "results") },
		"results":  func(ctx context.Context) (any, error) { return db.Results(ctx, Filter{}) },
		"best":     func(ctx context.Context) (any, error) { return db.Best(ctx, Filter{}) },
		"count":    func(ctx context.Context) (any, error) { return db.Count(ctx) },
		"samples":  func(ctx context.Context) (any, error) { return db.Samples(ctx, first.ID) },
		"recorded": func(ctx context.Context) (any, error) { return db.Recorded(ctx, ids, trial.Full) },
		"rule":     func(ctx context.Context) (any, error) { return db.Rule(ctx) },
		"devices":  func(ctx context.Context) (any, error) { return db.Devices(ctx) },
		"sweeps":   func(ctx context.Context) (any, error) { return db.Sweeps(ctx) },
		"kernels":  func(ctx context.Context) (any, error) { return db.Kernels(ctx) },
		"history": func(ctx context.Context) (any, error) {
			var list []trial.Result
			err := db.History(ctx, testRun().Device, func(r trial.Result, _ trial.Size) { list = append(list, r) })
			return list, err
		},
		"launches":   func(ctx context.Context) (any, error) { return db.Launches(ctx) },
		"countables": func(ctx context.Context) (any, error) { return db.Countables(ctx, "Testcore 9000", "grid") },
		"gathered": func(ctx context.Context) (any, error) {
			n++
			choice := Choice{Kernels: []string{"cpu_*"}, Precisions: []string{string(kernels.Float32)}}
			other, err := Gather(ctx, filepath.Join(folder, fmt.Sprint(n, ".db")), []string{db.Path()}, choice)
			if err != nil {
				return nil, err
			}
			defer other.Close()
			return query(t, other, "SELECT r.*, (SELECT count(*) FROM sentinel), (SELECT count(*) FROM tie_member) FROM results r"), nil
		},
	} {
		whole, err := read(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for steps := int64(1); ; steps += 1 + steps/8 {
			ctx := newCountdown(t, steps)
			got, err := read(ctx)
			if err == nil && !reflect.DeepEqual(got, whole) {
				t.Errorf("%s, interrupted at step %d: no error, but %+v, want %+v", name, steps, got, whole)
			}
			if ctx.Context.Err() == nil {
				break // it was not interrupted any more
			}
		}
	}
}

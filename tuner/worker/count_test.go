package worker

import (
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// A countedBackend computes products and notes how many lie between the profiler's marks.
type countedBackend struct {
	kernels.Backend
	kernels.Product
	p            *kernels.Problem
	y            []float64
	on           bool
	counted, all int
	wrongWhenOn  bool
	marks        []bool // cold, each time that counting begins
	name         string
}

func (b *countedBackend) Device() kernels.Device {
	return kernels.Device{Backend: "cuda", Name: b.name}
}
func (b *countedBackend) Load(p *kernels.Problem) error {
	b.p = p
	b.y = make([]float64, p.A.Rows)
	return nil
}
func (b *countedBackend) Source(string) string      { return "" }
func (b *countedBackend) Close() error              { return nil }
func (b *countedBackend) Info() kernels.ProductInfo { return kernels.ProductInfo{} }
func (b *countedBackend) Result(y []float64) error  { copy(y, b.y); return nil }
func (b *countedBackend) Rows(rows []int, y []float64) error {
	for k, i := range rows {
		y[k] = b.y[i]
	}
	return nil
}
func (b *countedBackend) Prepare(kernels.Config, kernels.Options) (kernels.Product, error) {
	return b, nil
}

func (b *countedBackend) Poison() error {
	for i := range b.y {
		b.y[i] = 1e30
	}
	return nil
}

func (b *countedBackend) Multiply([]float64) error {
	if b.all++; b.on {
		b.counted++
	}
	for i := range b.y {
		b.y[i] = 0
		cols, vals := b.p.A.Row(i)
		for k, c := range cols {
			b.y[i] += vals[k] * b.p.X[c]
		}
	}
	if b.on && b.wrongWhenOn {
		b.y[3] *= 1.5
	}
	return nil
}

func (b *countedBackend) Profile(on, cold bool) error {
	if b.on = on; on {
		b.marks = append(b.marks, cold)
	}
	return nil
}

// A profiler counts as many products of each trial as it is to, and no other; what they compute is
// verified. Nothing is counted on another device or of another matrix.
func TestCount(t *testing.T) {
	spec := configs.Matrix{Name: "grid", Generate: "grid_5pt", Args: map[string]any{"nx": int64(20), "ny": int64(30)}}
	_, m, err := matrix.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	of := func(hash string) []trial.Trial {
		c := kernels.Config{Kernel: "coo_atomic", Precision: kernels.Float32, Block: 64}
		return []trial.Trial{{Matrix: hash, Config: c, Cache: trial.Warm}, {Matrix: hash, Config: c, Cache: trial.Cold}}
	}
	for _, tt := range []struct {
		device, hash string
		wrong        bool
		err          string
	}{
		{"card", m.Hash, false, ""},
		{"card", m.Hash, true, "the product is wrong: after the samples: row 3"},
		{"card", "another", false, "grid is not the matrix that was measured"},
		{"other card", m.Hash, false, "the trial was measured on other card, and this is card"},
	} {
		b := &countedBackend{name: "card", wrongWhenOn: tt.wrong}
		open := func(configs.Device) (kernels.Backend, error) { return b, nil }
		err := Count(open, kernels.Device{Backend: "cuda", Name: tt.device}, spec, of(tt.hash), 3, nil, "")
		switch {
		case tt.err == "" && (err != nil || b.counted != 6 || b.all <= b.counted || len(b.marks) != 2 || b.marks[0] || !b.marks[1]):
			t.Errorf("%d of %d products counted, caches cold: %v; %v", b.counted, b.all, b.marks, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

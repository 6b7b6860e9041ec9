package tuner

import (
	"math"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// What a sweep does besides its trials is in the forecast: slow ones are cut short,
// sentinels come in between, and finals in the end.
func TestEstimate(t *testing.T) {
	size, dev := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}, kernels.Device{Backend: "cuda"}
	plain := configs.Protocol{Warmup: 1, Samples: [2]int{5, 40}, Budget: 10 * time.Second}
	var list []Timing
	of := func(block int) trial.Trial {
		return trial.Trial{Matrix: "m", Config: kernels.Config{Kernel: "k", Precision: kernels.Float32, Block: block}, Cache: trial.Warm}
	}
	for block, ms := range map[int]float64{1: 10, 4: 1, 16: 1.01, 64: 1.2} {
		list = append(list, Timing{Matrix: "m", Size: size, Config: of(block).Config, Cache: trial.Warm, Median: 1e-3 * ms})
	}
	past := newExperience(list, plain, dev)
	took := func(block, samples int) float64 {
		product, _ := past.product(of(block), size)
		return float64(1+samples+2)*product + aside + perRow*1000
	}
	times := func(n, block int) (list []trial.Trial) {
		for range n {
			list = append(list, of(block))
		}
		return list
	}
	for _, c := range []struct {
		name       string
		change     func(*configs.Protocol)
		good, todo []trial.Trial
		want       float64
	}{
		{"trials alone", func(*configs.Protocol) {}, nil, []trial.Trial{of(4), of(1)}, took(4, usual) + took(1, usual)},
		{"a slow one is cut short", func(p *configs.Protocol) { p.Slow = 3 }, nil, []trial.Trial{of(4), of(1)}, took(4, usual) + took(1, 5)},
		{"not before there is a fast one", func(p *configs.Protocol) { p.Slow = 3 }, nil, []trial.Trial{of(1), of(4)}, took(1, usual) + took(4, usual)},
		{"one from an earlier run will do", func(p *configs.Protocol) { p.Slow = 3 }, []trial.Trial{of(4)}, []trial.Trial{of(1)}, took(1, 5)},
		{"sentinels", func(p *configs.Protocol) { p.Sentinel = 10 }, nil, times(22, 64), 22*took(64, usual) + 2*took(64, usual)},
		{"the sentinel of an earlier run", func(p *configs.Protocol) { p.Sentinel = 10 }, []trial.Trial{of(4)}, times(3, 64), took(4, usual) + 3*took(64, usual)},
		{"finals of two leaders", func(p *configs.Protocol) { p.Finals = 32 }, nil, []trial.Trial{of(64), of(4), of(16)},
			took(64, usual) + took(4, usual) + took(16, usual) + 8*took(4, 5)},
		{"as many as trials, where it takes them", func(p *configs.Protocol) { p.Finals = 32 }, times(8, 64), []trial.Trial{of(4), of(16)},
			took(4, usual) + took(16, usual) + 10*took(4, 5)},
		{"few finals", func(p *configs.Protocol) { p.Finals = 1 }, nil, []trial.Trial{of(4), of(16)}, took(4, usual) + took(16, usual) + 2*took(4, 5)},
		{"nothing left", func(p *configs.Protocol) { p.Finals, p.Sentinel = 32, 1 }, []trial.Trial{of(4), of(16)}, nil, 0},
	} {
		p := plain
		c.change(&p)
		if got := newEstimate(p, dev, size, past).all(c.good, c.todo).Seconds(); math.Abs(got-c.want) > 1e-6*c.want+1e-9 {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want)
		}
	}
}

// What surrounds samples is as on the same matrix, and else follows the sizes of those
// that are known.
func TestSurroundings(t *testing.T) {
	dev := kernels.Device{Backend: "cuda"}
	p := configs.Protocol{Warmup: 1}
	timing := func(matrix string, rows int, around float64) Timing {
		r := Timing{Matrix: matrix, Size: trial.Size{Rows: rows, Cols: rows, Nonzeros: 10 * rows}, Cache: trial.Warm, Median: 1e-3, Samples: 7, Batch: 3}
		r.Seconds = around + (1+2+7*3)*1e-3
		return r
	}
	of := func(matrix string) trial.Trial { return trial.Trial{Matrix: matrix, Cache: trial.Warm} }
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.02*want {
			t.Errorf("%s: %g s, want %g", what, got, want)
		}
	}
	none := newSurroundings([]Timing{{Matrix: "a", Size: trial.Size{Rows: 1e6, Cols: 1e6, Nonzeros: 1e7}, Median: 1e-3}}, p, dev)
	near("nothing is known", none.of(of("a"), trial.Size{Rows: 1e6}, dev), aside+1e6*perRow)
	// 5 ms and 10 ns per row.
	list := []Timing{timing("a", 1000, 0.00501), timing("a", 1000, 0.00501), timing("b", 1e6, 0.015), timing("c", 1e7, 0.105)}
	s := newSurroundings(list, p, dev)
	near("the same matrix", s.of(of("b"), trial.Size{Rows: 1e6}, dev), 0.015)
	near("another one", s.of(of("new"), trial.Size{Rows: 3e6}, dev), 0.035)
	near("a small one", s.of(of("new"), trial.Size{Rows: 1}, dev), 0.005)
	one := newSurroundings(list[:2], p, dev)
	if got := one.of(of("new"), trial.Size{Rows: 1e6}, dev); !(got > 0.005 && got < 0.1) {
		t.Errorf("from one size: %g s", got)
	}
}

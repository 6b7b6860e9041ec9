package tuner

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// Times come from the nearest configuration on the same matrix, and else from other
// matrices in proportion to their bytes.
func TestExperience(t *testing.T) {
	small, large := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}, trial.Size{Rows: 4000, Cols: 4000, Nonzeros: 40_000}
	timing := func(matrix string, size trial.Size, block int, median float64) Timing {
		return Timing{Matrix: matrix, Size: size, Config: kernels.Config{Kernel: "k", Precision: kernels.Float32, Block: block, Grid: 1}, Cache: trial.Warm, Median: median}
	}
	e := newExperience([]Timing{timing("a", small, 32, 1e-3), timing("a", small, 256, 5e-3), timing("b", small, 128, 4e-3)}, configs.DefaultProtocol, kernels.Device{})
	for _, tt := range []struct {
		matrix string
		kernel string
		block  int
		size   trial.Size
		want   float64
		same   bool
	}{
		{"a", "k", 64, small, 1e-3, true},
		{"a", "k", 128, small, 5e-3, true},
		{"new", "k", 32, large, 8e-3, false}, // √(1·4) ms, four times as much
		{"a", "other", 32, small, 0, false},
	} {
		c := kernels.Config{Kernel: tt.kernel, Precision: kernels.Float32, Block: tt.block, Grid: 1}
		got, same := e.product(trial.Trial{Matrix: tt.matrix, Config: c, Cache: trial.Warm}, tt.size)
		if math.Abs(got-tt.want) > 0.01*tt.want || same != tt.same {
			t.Errorf("%s on %s: %g s, same matrix %t, want %g, %t", c, tt.matrix, got, same, tt.want, tt.same)
		}
	}
}

// A plan says the same each time: sums don't depend on the order in which matrices are met.
func TestExperienceRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []Timing
	for m := range 40 {
		n := 1 + rng.IntN(1_000_000)
		list = append(list, Timing{Matrix: strconv.Itoa(m), Size: trial.Size{Rows: n, Cols: n, Nonzeros: 7 * n}, Cache: trial.Warm, Median: 1e-3 * rng.Float64(),
			Config: kernels.Config{Kernel: "k", Precision: kernels.Float32}, Samples: 10, Seconds: 0.02 + rng.Float64()})
	}
	unseen := trial.Trial{Matrix: "new", Config: list[0].Config, Cache: trial.Warm}
	size := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 7000}
	foresee := func() [2]float64 {
		e := newExperience(list, configs.DefaultProtocol, kernels.Device{})
		product, _ := e.product(unseen, size)
		return [2]float64{product, e.around.of(unseen, size, kernels.Device{})}
	}
	want := foresee()
	for range 50 {
		if got := foresee(); got != want {
			t.Fatalf("%v seconds, and then %v", want, got)
		}
	}
}

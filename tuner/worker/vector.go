package worker

import "math/rand/v2"

// vector returns n values drawn uniformly from [−1, 1], the same for the same seed. None of
// them is 0, and each is exact in float32.
func vector(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	x := make([]float64, n)
	for i := range x {
		for x[i] == 0 {
			x[i] = float64(float32(2*r.Float64() - 1))
		}
	}
	return x
}

package worker

import "math"

// rowFloat32 sums a row in float64 with the values of A rounded to float32. A
// product of two float32 numbers is exact in float64, so only the summation
// rounds, 2²⁹ times finer than float32 does.
func rowFloat32(cols []int32, vals, x []float64) (y, low, sum float64) {
	for k, c := range cols {
		p := float64(float32(vals[k])) * x[c]
		y += p
		sum += math.Abs(p)
	}
	return y, 0, sum
}

// rowDoubleDouble sums a row in double-double arithmetic, about 106 bits: each
// product split exactly by a fused multiply-add, added by two-sum (Dekker 1971;
// Ogita, Rump and Oishi, Accurate sum and dot product, SIAM J. Sci. Comput.
// 26(6), 2005, algorithm 5.3).
func rowDoubleDouble(cols []int32, vals, x []float64) (y, low, sum float64) {
	for k, c := range cols {
		a, b := vals[k], x[c]
		p := a * b
		e := math.FMA(a, b, -p)
		s := y + p
		t := s - y
		low += (y - (s - t)) + (p - t) + e
		y = s
		sum += math.Abs(p)
	}

	return y, low, sum
}

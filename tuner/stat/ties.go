package stat

// Level is that of all tests: the chance of finding a difference where there is none.
const Level = 0.05

// Bounds of the effect that counts, as a fraction: 1% is what people care for, and
// 3% is the most that trials which repeat badly may hide.
const (
	LeastEffect = 0.01
	MostEffect  = 0.03
)

// Effect is the least difference that counts, as a fraction, between trials that
// repeat within a fraction, see Repeatability.
func Effect(repeatability float64) float64 {
	return min(max(repeatability, LeastEffect), MostEffect)
}

// Tied reports which candidates can't be told apart from a winner. One can if it is
// slower by the effect that counts and, by MannWhitney with the correction of Holm for
// all candidates, significantly so. times are medians, that of the winner first, as
// are the samples; so is the first answer, which is true.
func Tied(times []float64, samples [][]float64, effect float64) []bool {
	tied := make([]bool, len(times))
	p := make([]float64, len(times)-1)
	for i := range p {
		p[i] = MannWhitney(samples[i+1], samples[0])
	}
	tied[0] = true
	for i, adjusted := range Holm(p) {
		tied[i+1] = adjusted >= Level || times[i+1] < (1+effect)*times[0]
	}
	return tied
}

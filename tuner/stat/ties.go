package stat

// Level is the significance level of all tests: the chance of finding a difference where
// there is none.
const Level = 0.05

// Bounds of the effect that counts, as a fraction. People care about 1%; trials that repeat
// badly may hide 3% at most.
const (
	LeastEffect = 0.01
	MostEffect  = 0.03
)

// Effect returns the least difference that counts between trials of a repeatability, as a
// fraction.
func Effect(repeatability float64) float64 {
	return min(max(repeatability, LeastEffect), MostEffect)
}

// Tied reports which candidates can't be told from a winner. A candidate can if it is slower
// by the effect that counts, and significantly so, by MannWhitney with Holm's correction
// for all candidates. times are medians. Those of the winner come first, in times, in
// samples, and in the result, where it is true.
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

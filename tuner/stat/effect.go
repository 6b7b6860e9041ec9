package stat

// Bounds of the effect that counts, as a fraction. People care about 1%; to name one of
// several that are as good, trials that repeat badly may hide 3% at most.
const (
	LeastEffect = 0.01
	MostEffect  = 0.03
)

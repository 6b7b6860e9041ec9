package kernels

// A Limit bounds what a matrix may be like for a configuration to be legal: one of its sums is at
// most 0.
type Limit []Sum

// A Sum adds products of features of a matrix.
type Sum []Term

// A Term is a factor times features of a matrix, by their names. Without features it is a constant.
type Term struct {
	Factor   float64
	Features []string
}

// Holds reports whether a matrix is within l. A feature that is not known is NaN: it says nothing.
func (l Limit) Holds(feature func(name string) float64) bool {
	for _, sum := range l {
		total := 0.0
		for _, t := range sum {
			x := t.Factor
			for _, name := range t.Features {
				x *= feature(name)
			}
			total += x
		}
		if total <= 0 {
			return true
		}
	}
	return false
}

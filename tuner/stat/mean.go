package stat

import "math"

// A GeometricMean sums up ratios. Its zero value holds none.
type GeometricMean struct {
	logs float64
	n    int
}

// GeometricMeanOf returns the geometric mean of values, NaN if there are none.
func GeometricMeanOf(values []float64) float64 {
	var m GeometricMean
	for _, v := range values {
		m.Add(v)
	}
	return m.Value()
}

// Add adds a value, which is greater than zero.
func (m *GeometricMean) Add(value float64) {
	m.logs += math.Log(value)
	m.n++
}

// Count is the number of values.
func (m *GeometricMean) Count() int { return m.n }

// Value is the mean of the values so far, NaN if there are none.
func (m *GeometricMean) Value() float64 { return math.Exp(m.logs / float64(m.n)) }

package canvas

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"

	"spmvtune/internal/base/term"
)

// A Scale is an axis that its data fixes: ends, ticks and mapping.
type Scale struct {
	Min, Max float64
	Ticks    []plot.Tick
	Norm     plot.Normalizer
}

// Apply sets the axis of a plot.
func (s Scale) Apply(a *plot.Axis) {
	a.Min, a.Max, a.Scale, a.Tick.Marker = s.Min, s.Max, s.Norm, plot.ConstantTicks(s.Ticks)
}

// NiceStep returns the smallest of 1, 2, 5, 10, … times a power of ten that divides span into
// at most n parts.
func NiceStep(span float64, n int) float64 {
	raw := span / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= raw*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// FromZero returns a linear scale from 0 to a little above top with about n ticks.
func FromZero(top float64, n int) Scale {
	if !(top > 0) || math.IsInf(top, 0) {
		top = 1
	}
	step := NiceStep(top, n)
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	s := Scale{Max: top * 1.06, Norm: plot.LinearScale{}}
	if 2*step > s.Max { // one tick above zero is too few to read between: 2.5 for 5
		step, decimals = step/2, max(0, int(1-math.Floor(math.Log10(step)+1e-9)))
	}

	for i := 0; float64(i)*step <= s.Max; i++ {
		v := float64(i) * step
		s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}

	return s
}

// Sizes returns a scale for block or grid sizes. It is logarithmic if they span more than a
// factor of 4 and are not evenly spaced, linear otherwise. At most n sizes are labelled.
func Sizes(values []int, n int) Scale {
	if len(values) == 0 { // nothing is to be drawn over it
		return Scale{Max: 1, Norm: plot.LinearScale{}}
	}
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	low, high := values[0], values[len(values)-1]
	if low == high {
		return Scale{
			Min: float64(low) - 1, Max: float64(high) + 1, Norm: plot.LinearScale{},
			Ticks: []plot.Tick{{Value: float64(low), Label: SizeLabel(low, high)}},
		}
	}

	if high > 4*low && !evenlySpaced(values) {
		return logSizes(low, high, n)
	}
	pad := float64(high-low) * 0.04
	s := Scale{Min: float64(low) - pad, Max: float64(high) + pad, Norm: plot.LinearScale{}}
	if len(values) <= n {
		for _, v := range values {
			s.Ticks = append(s.Ticks, plot.Tick{Value: float64(v), Label: SizeLabel(v, high)})
		}
		return s
	}

	step := binaryStep(high, n)
	for v := 0; float64(v) <= s.Max; v += step {
		if float64(v) >= s.Min {
			s.Ticks = append(s.Ticks, plot.Tick{Value: float64(v), Label: SizeLabel(v, high)})
		}
	}

	return s
}

// logSizes returns a scale with ticks at powers of two, which sizes of blocks and grids
// usually are.
func logSizes(low, high, n int) Scale {
	l, h := math.Log2(float64(low)), math.Log2(float64(high))
	pad := (h - l) * 0.04
	s := Scale{Min: math.Exp2(l - pad), Max: math.Exp2(h + pad), Norm: plot.LogScale{}}
	first, last := int(math.Ceil(l-1e-9)), int(math.Floor(h+1e-9))
	every := 1

	for (last-first)/every+1 > n {
		every++
	}
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Exp2(float64(e))}
		if (e-first)%every == 0 {
			t.Label = SizeLabel(1<<e, high)
		}
		s.Ticks = append(s.Ticks, t)
	}

	return s
}

// evenlySpaced reports whether at least five values have equal distances.
func evenlySpaced(values []int) bool {
	if len(values) < 5 {
		return false
	}
	for i := 2; i < len(values); i++ {
		if values[i]-values[i-1] != values[1]-values[0] {
			return false
		}
	}
	return true
}

// binaryStep returns the power of two that divides high into at most n parts.
func binaryStep(high, n int) int {
	step := 1
	for high/step > n {
		step *= 2
	}
	return step
}

// SizeLabel prints a size. On an axis that reaches far the unit is 1024.
func SizeLabel(v, high int) string {
	switch {
	case high >= 10_000_000 && v >= 1<<20 && v%(1<<20) == 0:
		return strconv.Itoa(v>>20) + "Mi"
	case high >= 10_000 && v >= 1<<10 && v%(1<<10) == 0:
		return strconv.Itoa(v>>10) + "Ki"
	}
	return strconv.Itoa(v)
}

// Ratios returns a logarithmic scale for ratios from low to high. It always includes 1, where
// bars start.
func Ratios(low, high float64) Scale {
	return Logarithmic(min(low, 0.9), max(high, 1.25), func(v float64) string { return term.Plain(v) + "×" })
}

// Logarithmic returns a scale with ticks at round values, from a little below low to a little above
// high.
func Logarithmic(low, high float64, label func(float64) string) Scale {
	span := math.Log(high / low)
	s := Scale{Min: low * math.Exp(-0.03*span), Max: high * math.Exp(0.03*span), Norm: plot.LogScale{}}
	marks := []float64{1, 2, 5}

	switch reach := s.Max / s.Min; {
	case reach < 6:
		marks = []float64{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	case reach < 15:
		marks = []float64{1, 1.5, 2, 3, 4, 5, 6, 8}
	case reach > 200:
		marks = []float64{1}
	}

	first, last := int(math.Floor(math.Log10(s.Min))), int(math.Ceil(math.Log10(s.Max)))
	for e := first; e <= last; e++ {
		for _, m := range marks {
			v, err := strconv.ParseFloat(strconv.FormatFloat(m, 'f', -1, 64)+"e"+strconv.Itoa(e), 64)
			if err == nil && v >= s.Min && v <= s.Max {
				s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: label(v)})
			}
		}
	}

	return s
}

// LogBetween returns a logarithmic scale from low to high with at most about n labels: at
// powers of ten, at 2 and 5 times them if they are few, and evenly spaced if there are none.
func LogBetween(low, high float64, n int) Scale {
	s := Scale{Min: low, Max: high, Norm: plot.LogScale{}}
	decades := math.Log10(high / low)
	if decades < 0.6 { // powers of ten say nothing there
		step := NiceStep(high-low, n)
		decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
		for i := math.Ceil(low / step); i*step <= high; i++ {
			s.Ticks = append(s.Ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'f', decimals, 64)})
		}
		return s
	}

	marks, every := []float64{1}, 1
	if within(low, high, marks) > n {
		every = int(math.Ceil((decades + 1) / float64(n)))
	}
	for _, finer := range [][]float64{{1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}} {
		if within(low, high, finer) <= n {
			marks = finer
		}
	}

	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for _, m := range []float64{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9} {
			labelled := slices.Contains(marks, m) && (m > 1 || e%every == 0)
			v := decimal10(m, e)
			if v < low || v > high || m == 1.5 && !labelled {
				continue
			}
			t := plot.Tick{Value: v}
			if labelled {
				t.Label = strconv.FormatFloat(v, 'f', -1, 64)
			}
			s.Ticks = append(s.Ticks, t)
		}
	}

	return s
}

// within counts the marks of all decades between low and high.
func within(low, high float64, marks []float64) int {
	n := 0
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for _, m := range marks {
			if v := decimal10(m, e); v >= low && v <= high {
				n++
			}
		}
	}
	return n
}

// decimal10 returns the number m·10^e as it is written.
func decimal10(m float64, e int) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(m, 'f', -1, 64)+"e"+strconv.Itoa(e), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Shares returns a linear scale for fractions, from 0 or below, with about n ticks up to 1.
func Shares(lowest float64, n int) Scale {
	s := Scale{Min: min(0, lowest), Max: 1.03, Norm: plot.LinearScale{}}
	step := NiceStep(1-s.Min, n)
	for i := int(math.Ceil(s.Min / step)); float64(i)*step <= 1; i++ {
		v := float64(i) * step
		s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: term.Percent0(v)})
	}
	return s
}

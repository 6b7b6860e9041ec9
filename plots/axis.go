package plots

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
)

// scale is an axis fixed by its data: its ends, its ticks and its mapping.
type scale struct {
	min, max float64
	ticks    []plot.Tick
	norm     plot.Normalizer
	turned   bool // labels read upwards
}

// apply fixes an axis.
func (s scale) apply(a *plot.Axis) {
	a.Min, a.Max, a.Scale, a.Tick.Marker = s.min, s.max, s.norm, plot.ConstantTicks(s.ticks)
	if s.turned {
		label := &a.Tick.Label
		label.Rotation, label.XAlign, label.YAlign = quarterTurn, text.XRight, text.YCenter
	}
}

// niceStep is the smallest of 1, 2, 5, 10, … times a power of ten that divides
// span into at most n parts.
func niceStep(span float64, n int) float64 {
	raw := span / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= raw*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// fromZero is a linear scale from 0 to a little above max with about n ticks.
func fromZero(top float64, n int) scale {
	if !(top > 0) || math.IsInf(top, 0) {
		top = 1
	}
	step := niceStep(top, n)
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	s := scale{max: top * 1.06, norm: plot.LinearScale{}}
	if 2*step > s.max { // one tick above zero is too few to read between: 2.5 for 5
		step, decimals = step/2, max(0, int(1-math.Floor(math.Log10(step)+1e-9)))
	}
	for i := 0; float64(i)*step <= s.max; i++ {
		v := float64(i) * step
		s.ticks = append(s.ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	return s
}

// sizes is a scale for block or grid sizes that occur: logarithmic where they
// span more than a factor of 4 without being evenly spaced, linear otherwise.
// At most n of them are labelled.
func sizes(values []int, n int) scale {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	low, high := values[0], values[len(values)-1]
	if low == high {
		return scale{
			min: float64(low) - 1, max: float64(high) + 1, norm: plot.LinearScale{},
			ticks: []plot.Tick{{Value: float64(low), Label: sizeLabel(low, high)}},
		}
	}
	if high > 4*low && !evenlySpaced(values) {
		return logSizes(low, high, n)
	}
	pad := float64(high-low) * 0.04
	s := scale{min: float64(low) - pad, max: float64(high) + pad, norm: plot.LinearScale{}}
	if len(values) <= n {
		for _, v := range values {
			s.ticks = append(s.ticks, plot.Tick{Value: float64(v), Label: sizeLabel(v, high)})
		}
		return s
	}
	step := binaryStep(high, n)
	for v := 0; float64(v) <= s.max; v += step {
		if float64(v) >= s.min {
			s.ticks = append(s.ticks, plot.Tick{Value: float64(v), Label: sizeLabel(v, high)})
		}
	}
	return s
}

// logSizes has ticks at powers of two, as sizes of blocks and grids go.
func logSizes(low, high, n int) scale {
	l, h := math.Log2(float64(low)), math.Log2(float64(high))
	pad := (h - l) * 0.04
	s := scale{min: math.Exp2(l - pad), max: math.Exp2(h + pad), norm: plot.LogScale{}}
	first, last := int(math.Ceil(l-1e-9)), int(math.Floor(h+1e-9))
	every := 1
	for (last-first)/every+1 > n {
		every++
	}
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Exp2(float64(e))}
		if (e-first)%every == 0 {
			t.Label = sizeLabel(1<<e, high)
		}
		s.ticks = append(s.ticks, t)
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

// binaryStep divides high into at most n parts of a power of two.
func binaryStep(high, n int) int {
	step := 1
	for high/step > n {
		step *= 2
	}
	return step
}

// sizeLabel prints a size; on an axis that reaches far, in units of 1024.
func sizeLabel(v, high int) string {
	switch {
	case high >= 10_000_000 && v >= 1<<20 && v%(1<<20) == 0:
		return strconv.Itoa(v>>20) + "Mi"
	case high >= 10_000 && v >= 1<<10 && v%(1<<10) == 0:
		return strconv.Itoa(v>>10) + "Ki"
	}
	return strconv.Itoa(v)
}

// ratios is a logarithmic scale for ratios from low to high. It always reaches
// to both sides of 1, the line that bars start from.
func ratios(low, high float64) scale {
	return logarithmic(min(low, 0.9), max(high, 1.25), func(v float64) string { return plain(v) + "×" })
}

// logarithmic is a scale from a little below low to further above high, where
// numbers are written beside marks, with ticks at round values.
func logarithmic(low, high float64, label func(float64) string) scale {
	span := math.Log(high / low)
	s := scale{min: low * math.Exp(-0.03*span), max: high * math.Exp(0.11*span), norm: plot.LogScale{}}
	marks := []float64{1, 2, 5}
	switch reach := s.max / s.min; {
	case reach < 6:
		marks = []float64{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	case reach < 15:
		marks = []float64{1, 1.5, 2, 3, 4, 5, 6, 8}
	case reach > 200:
		marks = []float64{1}
	}
	first, last := int(math.Floor(math.Log10(s.min))), int(math.Ceil(math.Log10(s.max)))
	for e := first; e <= last; e++ {
		for _, m := range marks {
			v, err := strconv.ParseFloat(strconv.FormatFloat(m, 'f', -1, 64)+"e"+strconv.Itoa(e), 64)
			if err == nil && v >= s.min && v <= s.max {
				s.ticks = append(s.ticks, plot.Tick{Value: v, Label: label(v)})
			}
		}
	}
	return s
}

// plain prints a round value as it is.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// logBetween is a logarithmic scale from low to high with at most about n labels: at powers of
// ten and, where these are few, at 2 and 5 times them, and evenly where there are none.
func logBetween(low, high float64, n int) scale {
	s := scale{min: low, max: high, norm: plot.LogScale{}}
	decades := math.Log10(high / low)
	if decades < 0.6 { // powers of ten say nothing there
		step := niceStep(high-low, n)
		decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
		for i := math.Ceil(low / step); i*step <= high; i++ {
			s.ticks = append(s.ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'f', decimals, 64)})
		}
		return s
	}
	marks := []float64{1}
	if decades*3 <= float64(n) {
		marks = []float64{1, 2, 5}
	}
	every := max(1, int(math.Ceil(decades/float64(n))))
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for m := 1.0; m < 10; m++ {
			labelled := slices.Contains(marks, m) && (m > 1 || e%every == 0)
			text := strconv.FormatFloat(m, 'f', -1, 64) + "e" + strconv.Itoa(e)
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if labelled {
				t.Label = strconv.FormatFloat(v, 'f', -1, 64)
			}
			s.ticks = append(s.ticks, t)
		}
	}
	return s
}

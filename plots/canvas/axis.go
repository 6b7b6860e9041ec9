// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"

	"example.org/spmvtune/internal/base/term"
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

// NewScale returns a scale from low to high with ticks at those values that it reaches.
func NewScale(low, high float64, norm plot.Normalizer, values []float64, label func(float64) string) Scale {
	s := Scale{Min: low, Max: high, Norm: norm}
	for _, v := range values {
		if v >= low && v <= high {
			s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: label(v)})
		}
	}
	return s
}

// Steps returns a linear scale from low to high with ticks at steps from a value on it.
func Steps(low, high, from, step float64, label func(float64) string) Scale {
	var values []float64
	for i := math.Ceil((low - from) / step); from+i*step <= high; i++ {
		values = append(values, from+i*step)
	}
	return NewScale(low, high, plot.LinearScale{}, values, label)
}

// Decimals prints values with as many decimals as multiples of step need.
func Decimals(step float64) func(float64) string {
	n := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	return func(v float64) string { return strconv.FormatFloat(v, 'f', n, 64) }
}

// FromZero returns a linear scale from 0 to a little above top with about n ticks.
func FromZero(top float64, n int) Scale {
	if !(top > 0) || math.IsInf(top, 0) {
		top = 1
	}
	step, high := NiceStep(top, n), top*1.06
	label := Decimals(step)
	if 2*step > high { // one tick above zero is too few to read between: 2.5 for 5
		label, step = Decimals(step/10), step/2
	}
	return Steps(0, high, 0, step, label)
}

// Sizes returns a scale for block or grid sizes, with a tick at each. If they span more than a factor of 4 it is
// logarithmic, with ticks at powers of two, which sizes usually are. Labels that would touch are left out where they
// are drawn.
func Sizes(values []int) Scale {
	if len(values) == 0 { // nothing is to be drawn over it
		return Scale{Max: 1, Norm: plot.LinearScale{}}
	}
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	first, last := values[0], values[len(values)-1]
	low, high, at := float64(first), float64(last), func(v float64) float64 { return v }
	s := Scale{Norm: plot.LinearScale{}}
	if last > 4*first {
		low, high, at, s.Norm = math.Log2(low), math.Log2(high), math.Exp2, plot.LogScale{}
		values = nil
		for e := math.Ceil(low - 1e-9); e <= high+1e-9; e++ {
			values = append(values, 1<<int(e))
		}
	}
	pad := 0.04 * (high - low)
	if first == last {
		pad = 1
	}
	s.Min, s.Max = at(low-pad), at(high+pad)
	for _, v := range values {
		s.Ticks = append(s.Ticks, plot.Tick{Value: float64(v), Label: SizeLabel(v, last)})
	}
	return s
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
	pad := math.Pow(high/low, 0.03)
	low, high = low/pad, high*pad
	marks := []float64{1, 2, 5}
	switch reach := high / low; {
	case reach < 6:
		marks = []float64{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	case reach < 15:
		marks = []float64{1, 1.5, 2, 3, 4, 5, 6, 8}
	case reach > 200:
		marks = []float64{1}
	}
	return NewScale(low, high, plot.LogScale{}, decades(low, high, marks...), label)
}

// LogBetween returns a logarithmic scale from low to high with labels at powers of ten, at 2 and 5 times them if these
// are at most n, and about n evenly spaced ones if there are none.
func LogBetween(low, high float64, n int) Scale {
	if math.Log10(high/low) < 0.6 { // powers of ten say nothing there
		step := NiceStep(high-low, n)
		label := Decimals(step)
		if low >= 1e3 {
			label = Short
		}
		s := Steps(low, high, 0, step, label)
		s.Norm = plot.LogScale{}
		return s
	}

	labelled := decades(low, high, 1) // labels that would touch are left out where they are drawn
	for _, marks := range [][]float64{{1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}} {
		if finer := decades(low, high, marks...); len(finer) <= n {
			labelled = finer
		}
	}
	all := slices.Concat(labelled, decades(low, high, 1, 2, 3, 4, 5, 6, 7, 8, 9))
	slices.Sort(all)
	return NewScale(low, high, plot.LogScale{}, slices.Compact(all), func(v float64) string {
		if slices.Contains(labelled, v) {
			return Short(v)
		}
		return ""
	})
}

// Short prints the value of a tick, in thousands, millions and thousands of millions.
func Short(v float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if v >= unit.size {
			return term.Plain(v/unit.size) + unit.name
		}
	}
	return term.Plain(v)
}

// decades lists these multiples of the powers of ten from low to high, as they are written.
func decades(low, high float64, multiples ...float64) (list []float64) {
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for _, m := range multiples {
			v, err := strconv.ParseFloat(fmt.Sprintf("%ge%d", m, e), 64)
			if err == nil && v >= low && v <= high {
				list = append(list, v)
			}
		}
	}
	return list
}

// Shares returns a linear scale for fractions, from 0 to 1, with about n ticks.
func Shares(n int) Scale { return Steps(0, 1.03, 0, NiceStep(1, n), term.Percent0) }

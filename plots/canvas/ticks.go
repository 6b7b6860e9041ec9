// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Spaced drops ticks whose labels would touch others: of evenly spaced ones every second, or as many as it
// takes. It keeps 0 or, where there is none, 1.
func Spaced(ticks []plot.Tick, x func(float64) vg.Length, style text.Style) []plot.Tick {
	const gap = vg.Length(7)
	return spacedBy(ticks, x, func(t plot.Tick) vg.Length { return style.Width(t.Label) + gap })
}

// spacedBy is Spaced for labels that need this much room along the axis.
func spacedBy(ticks []plot.Tick, at func(float64) vg.Length, room func(plot.Tick) vg.Length) []plot.Tick {
	free := func(t plot.Tick, kept []plot.Tick) bool {
		return !slices.ContainsFunc(kept, func(k plot.Tick) bool {
			d := at(t.Value) - at(k.Value)
			return max(d, -d) < (room(t)+room(k))/2
		})
	}
	if len(ticks) > 2 && evenly(ticks, at) {
		for step := 1; step < len(ticks); step++ {
			var kept []plot.Tick
			for i := anchor(ticks) % step; i < len(ticks) && (kept == nil || free(ticks[i], kept)); i += step {
				kept = append(kept, ticks[i])
			}
			if len(kept) == (len(ticks)-anchor(ticks)%step+step-1)/step {
				return kept
			}
		}
	}

	var kept []plot.Tick
	decade := func(v float64) bool { e := math.Log10(v); return math.Abs(e-math.Round(e)) < 1e-9 }
	for _, pick := range []func(float64) bool{
		func(v float64) bool { return v == 1 },
		decade,
		func(float64) bool { return true },
	} {
		for _, t := range ticks {
			if pick(t.Value) && free(t, kept) {
				kept = append(kept, t)
			}
		}
	}
	return kept
}

// evenly reports whether ticks have the same distance from each other.
func evenly(ticks []plot.Tick, at func(float64) vg.Length) bool {
	first := at(ticks[1].Value) - at(ticks[0].Value)
	for i := 2; i < len(ticks); i++ {
		if d := at(ticks[i].Value) - at(ticks[i-1].Value); math.Abs(float64(d/first)-1) > 0.01 {
			return false
		}
	}
	return true
}

// anchor is the index of the tick at 0 or else that at 1 or else the first.
func anchor(ticks []plot.Tick) int {
	for _, value := range []float64{0, 1} {
		if i := slices.IndexFunc(ticks, func(t plot.Tick) bool { return t.Value == value }); i >= 0 {
			return i
		}
	}
	return 0
}

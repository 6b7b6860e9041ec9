package chart

import (
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/store"
)

// A Line is one kernel's throughput over a dimension. Everything else is fixed at the kernel's
// best configuration on that matrix.
type Line struct {
	Kernel string
	Look   canvas.Look
	Fixed  int            // The other size, 0 if the kernel has no choice.
	Params kernels.Params // Further parameters.
	Points []Point

	Published []Hollow
}

// A Point is a throughput with the interval in which another run finds it. Low and High equal Y if
// there is no interval.
type Point struct {
	X            float64 // 0 if the kernel has no choice along this dimension.
	Y, Low, High float64
	Row          *store.Row // The trial that it shows, nil for a mean.
}

// Flat reports whether the kernel has no choice along the dimension.
func (l *Line) Flat() bool { return len(l.Points) == 1 && l.Points[0].X == 0 }

// Unusual returns the further parameters that differ from the catalogue's defaults.
func (l *Line) Unusual() string {
	k, _ := kernels.Lookup(l.Kernel)
	var list []string
	for _, setting := range strings.Fields(l.Params.String()) {
		name, value, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(k.Params, func(p kernels.Param) bool { return p.Name == name && p.Default == value }) {
			list = append(list, setting)
		}
	}
	return strings.Join(list, " ")
}

// Interval says what whiskers and bands show.
const Interval = "where another run finds it (95%)"

// Throughput turns the interval of a time into that of the rate v.
func Throughput(r *store.Row, x, v float64) Point {
	p := Point{X: x, Y: v, Low: v, High: v, Row: r}
	if r.Another.High >= r.Time {
		p.Low = v * r.Time / r.Another.High
	}
	if r.Another.Low > 0 && r.Another.Low <= r.Time {
		p.High = v * r.Time / r.Another.Low
	}
	return p
}

package stat

import (
	"cmp"
	"slices"
	"sort"
)

// A Timed is samples with the time when they were taken.
type Timed struct {
	At     int64 // milliseconds since 1970
	Values []float64
}

// A Point is how many times as long a configuration took as the first time.
type Point struct {
	At    int64 // milliseconds since 1970
	Ratio       // to the first time
}

// Points compares repeat measurements with the first one, which is the first point.
func Points(first Timed, again []Timed) []Point {
	points := []Point{{At: first.At, Ratio: Ratio{1, 1, 1}}}
	for _, s := range again {
		points = append(points, Point{s.At, RatioOf(s.Values, first.Values)})
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.At, b.At) })
	return points
}

// A Drift is the factor by which a device has become slower, over time.
type Drift struct {
	points []Point // in the order of time
}

// NewDrift returns the drift of points in the order of time. The factor at a point is the
// median of three, its own and those beside it: a single trial may be off, as Repeatability
// says, without any change of the device. At the last point it is the median of its own,
// the one before, and the value to which the line through the two before leads (J. W.
// Tukey, Exploratory Data Analysis, 1977, 7A).
func NewDrift(points []Point) Drift {
	smooth := slices.Clone(points)
	for i := 1; i < len(points)-1; i++ {
		three := []float64{points[i-1].Value, points[i].Value, points[i+1].Value}
		slices.Sort(three)
		smooth[i].Value = three[1]
	}

	if n := len(points); n >= 3 {
		before := smooth[n-2].Value
		three := []float64{points[n-1].Value, before, 3*before - 2*smooth[n-3].Value}
		slices.Sort(three)
		smooth[n-1].Value = three[1]
	}

	return Drift{smooth}
}

// Factor returns how many times as long a product takes at a time as at the first point. It
// is linear between points, and beyond them it is that of the nearest.
func (d Drift) Factor(at int64) float64 {
	p := d.points
	i := sort.Search(len(p), func(i int) bool { return p[i].At >= at })
	switch {
	case len(p) == 0:
		return 1
	case i == 0:
		return p[0].Value
	case i == len(p):
		return p[i-1].Value
	}

	share := float64(at-p[i-1].At) / float64(p[i].At-p[i-1].At)
	return p[i-1].Value + share*(p[i].Value-p[i-1].Value)
}

// Extremes returns the lowest and the highest factor.
func (d Drift) Extremes() (low, high float64) {
	low, high = 1, 1
	for _, p := range d.points {
		low, high = min(low, p.Value), max(high, p.Value)
	}
	return low, high
}

// fewestPoints is how many points it takes to tell a drift from trials that repeat badly.
const fewestPoints = 4

// Significant reports whether a factor differs from 1 by an effect, at a point whose interval
// does not contain 1.
func Significant(drifts []Drift, effect float64) bool {
	for _, d := range drifts {
		if len(d.points) < fewestPoints {
			continue
		}
		for _, p := range d.points {
			if p.Low > 1 && p.Value >= 1+effect || p.High < 1 && p.Value <= 1/(1+effect) {
				return true
			}
		}
	}

	return false
}

package analysis

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/store"
	"spmvtune/tuner/stat"
)

// A Contest compares kernels at some places, each kernel in its fastest configuration.
type Contest struct {
	Places     []Panel
	Contenders []Contender // The kernels by falling geometric mean; see NewContest.
}

// A Standing is how a kernel does in a contest.
type Contender struct {
	Kernel  string
	Entries []Entry // By place.
	Tried   int     // The number of places where it was measured.
	Named   int     // The number of places where it is named the best.
	Alone   int     // The number of places where no other kernel is tied with it.
	Tied    int     // The number of places where another kernel is named, and it is tied with that one.
	Mean    float64 // The geometric mean of its shares.
	Worst   float64 // The lowest share, at the place WorstAt.
	WorstAt int
}

// An Entry is a kernel at a place.
type Entry struct {
	Row   *store.Row // Its fastest trial; nil if it was not measured.
	Share float64    // Its speed as a share of the best one's, 0 if it was not measured.
	Named bool       // It is named the best.
	Tied  bool       // It can't be told from the best; the named one is tied with itself.
}

// wellTried is the share of the places from which on a kernel is ranked with the others. One
// that was measured where it shines alone would come first.
const wellTried = 0.5

// NewContest compares the kernels of some places. Kernels that were measured at few of them
// come last.
func (d *Data) NewContest(places []Panel) *Contest {
	c := &Contest{Places: places}
	named := d.named(places)
	for _, name := range KernelsOf(places) {
		s := Contender{Kernel: name, Worst: math.Inf(1)}
		var mean stat.GeometricMean
		for i := range places {
			e := places[i].entry(name, named[i])
			s.Entries = append(s.Entries, e)
			if e.Row == nil {
				continue
			}
			mean.Add(e.Share)
			if s.Tried++; e.Share < s.Worst {
				s.Worst, s.WorstAt = e.Share, i
			}
		}
		s.Mean = mean.Value()
		c.Contenders = append(c.Contenders, s)
	}

	c.count()
	few := func(s *Contender) int {
		if float64(s.Tried) < wellTried*float64(len(places)) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(c.Contenders, func(a, b Contender) int {
		return cmp.Or(cmp.Compare(few(&a), few(&b)), cmp.Compare(b.Mean, a.Mean))
	})
	return c
}

// Verified returns the places with those of their trials whose y was verified.
func Verified(places []Panel) (list []Panel) {
	for _, p := range places {
		p.Rows = slices.DeleteFunc(slices.Clone(p.Rows), func(r store.Row) bool { return !r.Verified() })
		if len(p.Rows) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// named returns the kernel that is named the best at each place: that of the tie set's
// representative or, where there is none, of the fastest trial.
func (d *Data) named(places []Panel) []string {
	list := make([]string, len(places))
	for i := range places {
		list[i] = Fastest(places[i].Rows).Kernel
		for k := range d.Best {
			if b := &d.Best[k]; b.Place() == places[i].Case && places[i].ByKernel(b.Kernel) != nil {
				list[i] = d.Best[k].Kernel
			}
		}
	}
	return list
}

// entry returns how a kernel does at a place, where another one may be named the best.
func (p *Panel) entry(kernel, named string) Entry {
	rows := p.ByKernel(kernel)
	e := Entry{Row: Fastest(rows)}
	if e.Row == nil {
		return e
	}
	best := Fastest(p.Rows)
	e.Share, e.Named = best.Time/e.Row.Time, kernel == named
	decided := slices.ContainsFunc(p.Rows, func(r store.Row) bool { return r.Tied })
	e.Tied = e.Named || slices.ContainsFunc(rows, func(r store.Row) bool { return r.Tied }) ||
		!decided && !Tells(best, e.Row)
	return e
}

// count fills the numbers of places.
func (c *Contest) count() {
	for i := range c.Places {
		tied := 0
		for k := range c.Contenders {
			if c.Contenders[k].Entries[i].Tied {
				tied++
			}
		}
		for k := range c.Contenders {
			s := &c.Contenders[k]
			switch e := &s.Entries[i]; {
			case e.Named && tied == 1:
				s.Named++
				s.Alone++
			case e.Named:
				s.Named++
			case e.Tied:
				s.Tied++
			}
		}
	}
}

// MeanRatio is the geometric mean of ratios whose errors are independent of each other, with the
// interval in which another run finds it. It is NaN without ratios.
func MeanRatio(list []stat.Ratio) stat.Ratio {
	var mean stat.GeometricMean
	var down, up float64
	for _, r := range list {
		mean.Add(r.Value)
		down, up = math.Hypot(down, math.Log(r.Value/r.Low)), math.Hypot(up, math.Log(r.High/r.Value))
	}
	v, n := mean.Value(), float64(len(list))
	return stat.Ratio{Value: v, Low: v * math.Exp(-down/n), High: v * math.Exp(up/n)}
}

// Over returns how many times as fast a is as b, over the places where both were measured, and the
// number of those places.
func Over(a, b []Entry) (mean stat.Ratio, places int) {
	var list []stat.Ratio
	for i := range a {
		if a[i].Row != nil && b[i].Row != nil {
			v, low, high := Ratio(b[i].Row, a[i].Row)
			list = append(list, stat.Ratio{Value: v, Low: low, High: high})
		}
	}
	return MeanRatio(list), len(list)
}

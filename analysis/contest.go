// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
)

// A Contest compares kernels at some places, each kernel in its fastest configuration.
type Contest struct {
	Places     []Panel
	Contenders []Contender // The kernels by falling geometric mean; see NewContest.
}

// A Contender is how a kernel does in a contest.
type Contender struct {
	Kernel  string
	Entries []Entry // By place.
	Tried   int     // The number of places where it was measured.
	Named   int     // The number of places where it was measured the fastest.
	Tied    int     // The number of places where another kernel was, and it is tied with that one.
	Mean    float64 // The geometric mean of its shares.
}

// An Entry is a kernel at a place.
type Entry struct {
	Row   *store.Row // Its fastest trial; nil if it was not measured.
	Share float64    // Its speed as a share of the best one's, 0 if it was not measured.
	Named bool       // It is named the best: it was measured the fastest.
	Tied  bool       // It can't be told from the best, which is tied with itself.
}

// wellTried is the share of the places from which on a kernel is ranked with the others. One
// that was measured where it shines alone would come first.
const wellTried = 0.5

// NewContest compares the kernels of some places. Kernels that were measured at few of them
// come last.
func NewContest(places []Panel) *Contest {
	c := &Contest{Places: places}
	for _, name := range KernelsOf(places) {
		s := Contender{Kernel: name}
		var mean stat.GeometricMean
		for i := range places {
			e := places[i].entry(name)
			s.Entries = append(s.Entries, e)
			switch {
			case e.Row == nil:
				continue
			case e.Named:
				s.Named++
			case e.Tied:
				s.Tied++
			}
			s.Tried++
			mean.Add(e.Share)
		}
		s.Mean = mean.Value()
		c.Contenders = append(c.Contenders, s)
	}

	rank := map[bool]int{true: 1}
	slices.SortStableFunc(c.Contenders, func(a, b Contender) int {
		return cmp.Or(cmp.Compare(rank[c.few(&a)], rank[c.few(&b)]), cmp.Compare(b.Mean, a.Mean))
	})
	return c
}

// Order puts the kernels in the order of another contest that has them all.
func (c *Contest) Order(as *Contest) {
	rank := func(k Contender) int {
		return slices.IndexFunc(as.Contenders, func(o Contender) bool { return o.Kernel == k.Kernel })
	}
	slices.SortFunc(c.Contenders, func(a, b Contender) int { return cmp.Compare(rank(a), rank(b)) })
}

// few reports whether a kernel was measured at so few places that its mean says little.
func (c *Contest) few(k *Contender) bool { return float64(k.Tried) < wellTried*float64(len(c.Places)) }

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

// entry returns how a kernel does at a place.
func (p *Panel) entry(kernel string) Entry {
	rows := p.ByKernel(kernel)
	e := Entry{Row: Fastest(rows)}
	if e.Row == nil {
		return e
	}
	best := Fastest(p.Rows)
	e.Share, e.Named = best.Time/e.Row.Time, kernel == best.Kernel
	isTied := func(r store.Row) bool { return r.Tied }
	e.Tied = e.Named || slices.ContainsFunc(rows, isTied) || !slices.ContainsFunc(p.Rows, isTied) && !Tells(best, e.Row)
	return e
}

// Over returns how many times as fast a is as b, over the places where both were measured, and the
// number of those places.
func Over(a, b []Entry) (mean stat.Ratio, places int) {
	var list []stat.Ratio
	for i := range a {
		if a[i].Row != nil && b[i].Row != nil {
			list = append(list, Ratio(b[i].Row, a[i].Row))
		}
	}
	return stat.MeanRatio(list), len(list)
}

// Leaders returns n kernels in the catalogue's order: those that are the fastest most often
// and, among those equally often, nearest to the fastest in the geometric mean. A case holds
// the speed of each kernel, in any unit.
func Leaders(cases []map[string]float64, n int) []string {
	wins, means := map[string]int{}, Means[string]{}
	for _, speeds := range cases {
		if len(speeds) == 0 {
			continue
		}
		names := slices.SortedFunc(maps.Keys(speeds), compareKernels) // sums are the same in each run
		best := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(speeds[a], speeds[b]) })
		for _, name := range names {
			means.Add(name, speeds[name]/speeds[best])
		}
		wins[best]++
	}

	names := slices.SortedFunc(maps.Keys(means), func(a, b string) int {
		return cmp.Or(cmp.Compare(wins[b], wins[a]), cmp.Compare(means[b].Value(), means[a].Value()), compareKernels(a, b))
	})
	names = names[:min(n, len(names))]
	SortKernels(names)
	return names
}

// Means are geometric means by a key.
type Means[K comparable] map[K]*stat.GeometricMean

// Add adds a value to the mean of a key.
func (m Means[K]) Add(key K, v float64) {
	if m[key] == nil {
		m[key] = new(stat.GeometricMean)
	}
	m[key].Add(v)
}

// LeadersOf returns the n leaders of some panels.
func LeadersOf(panels []Panel, n int) []string {
	cases := make([]map[string]float64, len(panels))
	for i := range panels {
		cases[i] = map[string]float64{}
		for _, r := range panels[i].Rows {
			cases[i][r.Kernel] = max(cases[i][r.Kernel], 1/r.Time)
		}
	}
	return Leaders(cases, n)
}

// tieWithin is how much slower than the fastest a trial may be to count as equally fast, as
// a fraction.
const tieWithin = 0.01

// TieSet says which trials the data can't tell from the fastest of them. The view best says it
// of all kernels of a place; this is for trials of one kernel.
func TieSet(rows []store.Row) []bool {
	tied := make([]bool, len(rows))
	best := Fastest(rows)
	for i := range rows {
		tied[i] = &rows[i] == best || !Tells(best, &rows[i])
	}
	return tied
}

// Tells reports whether the data can tell a from the faster b: it is slower by more than both
// times may be off, and by more than tieWithin. Of trials that are tied with the fastest of their
// place it can't, and it can tell them from those that are not.
func Tells(b, a *store.Row) bool {
	if b.Tied && b.Place() == a.Place() {
		return !a.Tied
	}
	return a.Time/b.Time > 1+max(tieWithin, apart(b, a))
}

// apart is how much slower than b, as a fraction, a has to be at least to be told from it.
func apart(b, a *store.Row) float64 {
	_, up := uncertainty(b)
	down, _ := uncertainty(a)
	return math.Expm1(math.Hypot(up, down))
}

// KernelsOf lists the kernels of some panels in the catalogue's order. Kernels that are not
// in the catalogue come last, by name.
func KernelsOf(panels []Panel) []string {
	found := map[string]bool{}
	for _, p := range panels {
		for i := range p.Rows {
			found[p.Rows[i].Kernel] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), compareKernels)
}

// Kernels lists the kernels of a panel as KernelsOf does.
func (p *Panel) Kernels() []string { return KernelsOf([]Panel{*p}) }

// SortKernels sorts names as KernelsOf does.
func SortKernels(names []string) { slices.SortFunc(names, compareKernels) }

func compareKernels(a, b string) int {
	place := catalogued()
	return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b))
}

// catalogued are the places of kernels in the catalogue.
var catalogued = sync.OnceValue(func() map[string]int {
	places := map[string]int{}
	for i, name := range kernels.Names() {
		places[name] = i - len(kernels.Catalogue) // 0 for kernels that it does not have
	}
	return places
})
